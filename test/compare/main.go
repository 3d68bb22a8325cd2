package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"time"
)

// resultsFile has the results. The path starts at the module's directory.
const resultsFile = "test/compare/results.json"

func main() {
	log.SetFlags(log.Ltime)
	toolNames := flag.String("tools", "", "run the tools with a name that matches this regular `expression`, and write no results")
	changes := flag.String("rows", "", "make the changes that match this regular `expression`, and write no results")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := compare(ctx, *toolNames, *changes)
	stop()
	if err != nil {
		log.Fatal(err)
	}
}

func compare(ctx context.Context, toolNames, changes string) error {
	rows, pods, err := readRows()
	if err != nil {
		return err
	}
	chosenTools, err := regexp.Compile(toolNames)
	if err != nil {
		return err
	}
	chosenRows, err := regexp.Compile(changes)
	if err != nil {
		return err
	}
	rows = slices.DeleteFunc(rows, func(r *row) bool { return !chosenRows.MatchString(r.Change) })
	all := results{Date: time.Now().UTC().Format("2 January 2006"), Kubernetes: os.Getenv("KUBERNETES_VERSION"), Machine: os.Getenv("MACHINE")}
	for _, r := range rows {
		result := rowResult{Change: r.Change, Cells: map[string]cell{}}
		for _, name := range workloadNames(r) {
			result.Needs = append(result.Needs, r.needs(shortName(name)))
		}
		all.Rows = append(all.Rows, result)
	}
	for _, t := range tools() {
		if !chosenTools.MatchString(t.name) {
			continue
		}
		if _, err := os.Stat(t.program); err != nil {
			all.Tools = append(all.Tools, toolResult{Name: t.name, NotRun: "there is no " + filepath.Base(t.program)})
			continue
		}
		began := time.Now()
		r, err := execute(ctx, t, rows, pods)
		if err != nil {
			return fmt.Errorf("%s: %w", t.name, err)
		}
		for i, row := range rows {
			c := r.cells[row]
			all.Rows[i].Cells[t.name] = c
			if needs := all.Rows[i].Needs; !c.right(needs) {
				log.Printf("%s: %s: needed %s, was %s %s", t.name, row.Change, numbers(needs, needs), c.text(needs), c.Refused)
			}
		}
		all.Tools = append(all.Tools, r.result)
		log.Printf("%s took %.0f s: %d missed, %d extra, %d double", t.name, time.Since(began).Seconds(),
			r.result.Missed, r.result.Extra, r.result.Double)
	}
	if toolNames != "" || changes != "" {
		fmt.Println(page(&all))
		return nil
	}
	encoded, err := encode(all)
	if err != nil {
		return err
	}
	return errors.Join(os.WriteFile(resultsFile, encoded, 0o644), updatePage(&all))
}

// encode returns the results as JSON, with a line for each change.
func encode(all results) ([]byte, error) {
	rows := all.Rows
	all.Rows = nil
	encoded, err := json.MarshalIndent(all, "", " ")
	if err != nil {
		return nil, err
	}
	encoded = append(bytes.TrimSuffix(encoded, []byte("\n}")), ",\n \"rows\": [\n"...)
	for i, r := range rows {
		line, err := json.Marshal(r)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			encoded = append(encoded, ",\n"...)
		}
		encoded = append(encoded, line...)
	}
	return append(encoded, "\n ]\n}\n"...), nil
}
