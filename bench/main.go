// Command bench reads the output of this package's benchmarks from stdin and prints their ratios. make bench runs both.
// With -write it writes the input of a benchmark instead.
package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
)

func main() {
	write := flag.String("write", "", "write an input to `file`, and read nothing")
	n := flag.Int("n", 20_000, "with -write: the number of resources")
	name := flag.String("shape", "applications", "with -write: the `shape` of the package, as BenchmarkShapes and BenchmarkKeys name it")
	spec := flag.String("spec", "{mode: Rename}", "with -write: the functionConfig's `spec`")
	flag.Parse()
	if *write == "" {
		if err := ratios(os.Stdout, os.Stdin); err != nil {
			log.Fatal(err)
		}
		return
	}
	all := slices.Concat(shapes, keyShapes)
	i := slices.IndexFunc(all, func(s shape) bool { return s.name == *name })
	if i < 0 {
		log.Fatalf("the shape %q is not known", *name)
	}
	if err := all[i].write(*write, *n, *spec); err != nil {
		log.Fatal(err)
	}
}

// result matches a line of a benchmark: its name, time and peak memory.
var result = regexp.MustCompile(`^Benchmark(\S+?)(?:-\d+)?\s+\d+\s+(\S+) ns/op\s.*?(\S+) peak-MB`)

// ratios copies the output of benchmarks and appends a table of the medians. Benchmarks whose names differ only in the
// last part are compared with the first of them.
func ratios(out io.Writer, in io.Reader) error {
	times, peaks := map[string][]float64{}, map[string][]float64{}
	var names []string
	failed := false
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		fmt.Fprintln(out, lines.Text())
		failed = failed || strings.HasPrefix(lines.Text(), "FAIL")
		m := result.FindStringSubmatch(lines.Text())
		if m == nil {
			continue
		}
		name := m[1]
		if times[name] == nil {
			names = append(names, name)
		}
		nanoseconds, _ := strconv.ParseFloat(m[2], 64)
		megabytes, _ := strconv.ParseFloat(m[3], 64)
		times[name] = append(times[name], nanoseconds)
		peaks[name] = append(peaks[name], megabytes)
	}
	if err := lines.Err(); err != nil {
		return err
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	first := ""
	for _, name := range names {
		if path.Dir(name) != path.Dir(first) {
			first = name
			fmt.Fprintf(table, "\n%s\ttime\tmemory\tratio: time\tmemory\n", path.Dir(name))
		}
		time, peak := median(times[name]), median(peaks[name])
		fmt.Fprintf(table, "  %s\t%.1f ms\t%.0f MB\t%.2f\t%.2f\n",
			path.Base(name), time/1e6, peak, time/median(times[first]), peak/median(peaks[first]))
	}
	if failed {
		return errors.Join(errors.New("a benchmark failed"), table.Flush())
	}
	return table.Flush()
}

func median(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}
