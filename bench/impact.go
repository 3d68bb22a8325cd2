package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"text/tabwriter"
)

// besideReading compares confighash impact on two sets with programs that only read
// both.
func besideReading(out io.Writer, dir, confighash, parse string, runs int) error {
	const resources = 20_000
	before := filepath.Join(dir, "before.yaml")
	if err := writeResourceList(before, resources, specs[0], nil); err != nil {
		return err
	}
	text, err := os.ReadFile(before)
	if err != nil {
		return err
	}
	const setting, changed = `LOG_LEVEL: "info"`, `LOG_LEVEL: "debug"`
	sets := map[string][]byte{
		"one.yaml": bytes.Replace(text, []byte(setting), []byte(changed), 1),
		"all.yaml": bytes.ReplaceAll(text, []byte(setting), []byte(changed)),
	}
	if sets["before-renamed.yaml"], err = renamed(confighash, text); err != nil {
		return err
	}
	if sets["all-renamed.yaml"], err = renamed(confighash, sets["all.yaml"]); err != nil {
		return err
	}
	for name, set := range sets {
		if err := os.WriteFile(filepath.Join(dir, name), set, 0o600); err != nil {
			return err
		}
	}
	both := filepath.Join(dir, "both.yaml") // of as many items as both sets
	if err := writeResourceList(both, 2*resources, specs[1], nil); err != nil {
		return err
	}
	impact := func(from, to string) command {
		return command{confighash, []string{"impact", "--from", filepath.Join(dir, from), "--to", filepath.Join(dir, to)}, os.DevNull}
	}
	results, err := compare(runs,
		impact("before.yaml", "one.yaml"), impact("before.yaml", "all.yaml"), impact("before-renamed.yaml", "all-renamed.yaml"),
		command{parse, []string{"yamldoc"}, both}, command{parse, []string{"yaml.v3"}, both}, command{confighash, nil, both})
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "\nconfighash impact of %d resources against %d, beside what reads as many as both:\n\n", resources, resources)
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "\ttime\tmemory\tratio: this function's parser\tyaml.v3\tAnnotate")
	for i, label := range []string{
		"one ConfigMap differs", "every ConfigMap differs, nothing rolls", "every ConfigMap differs, and every Deployment rolls",
	} {
		fmt.Fprintf(table, "%s\t%s\t%s\t%.2f\t%.2f\t%.2f\n", label, results[i].time(), results[i].memory(),
			ratio(results[i].wall, results[3].wall), ratio(results[i].wall, results[4].wall), ratio(results[i].wall, results[5].wall))
	}
	return table.Flush()
}

// renamed returns what mode Rename makes of a ResourceList that asks for it.
func renamed(confighash string, list []byte) ([]byte, error) {
	cmd := exec.Command(confighash)
	cmd.Stdin, cmd.Stderr = bytes.NewReader(list), os.Stderr
	return cmd.Output()
}
