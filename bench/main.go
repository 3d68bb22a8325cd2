// Command bench measures the function beside what it can be compared with, all
// in one run on the same machine: a function of the kpt SDK that does nothing,
// kustomize's own generators, and a Go program that only copies. It prints
// tables; no measurement makes it fail.
//
// Run it from the repository's top folder, after make has built bin/confighash
// and bin/tools/kustomize: make bench.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"
)

func main() {
	runs := flag.Int("runs", 3, "runs of each program on each package; the median counts")
	starts := flag.Int("starts", 50, "runs of each program for the time of a process start")
	only := flag.String("only", "", "the one `part` to measure: sdk, scale, kinds, kustomize, impact or start")
	profile := flag.String("profile", "", "write a profile of the processor's time on 20,000 resources to `file`, and measure nothing else")
	write := flag.String("write", "", "write an input to `file`, and measure nothing")
	n := flag.Int("n", 20_000, "with -write: of how many resources")
	number := flag.Int("shape", 0, fmt.Sprintf("with -write: of which shape, 0 to %d", len(shapes)-1))
	spec := flag.String("spec", specs[0], "with -write and -profile: the functionConfig's spec")
	flag.Parse()
	switch {
	case *write != "" && *number >= 0 && *number < len(shapes):
		if err := shapes[*number].writeTo(*write, *n, *spec); err != nil {
			fail(err)
		}
		return
	case *profile != "":
		if err := writeProfile(*profile, *spec); err != nil {
			fail(err)
		}
		return
	}
	if err := bench(os.Stdout, *only, max(1, *runs), max(1, *starts)); err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "bench:", err)
	os.Exit(1)
}

func bench(out io.Writer, only string, runs, starts int) error {
	dir, err := os.MkdirTemp("", "confighash-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)

	confighash, err := filepath.Abs(filepath.Join("bin", "confighash"))
	if err != nil {
		return err
	}
	kustomize := os.Getenv("KUSTOMIZE")
	if kustomize == "" {
		kustomize = filepath.Join("bin", "tools", "kustomize")
	}
	identity, err := build(dir, "identity")
	if err != nil {
		return err
	}
	trivial, err := build(dir, "trivial")
	if err != nil {
		return err
	}
	parse, err := build(dir, "parse")
	if err != nil {
		return err
	}

	fmt.Fprintf(out, "%s %s/%s, %d CPUs. Medians of %d runs.\n", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runs)
	for _, part := range []struct {
		name    string
		measure func() error
	}{
		{"sdk", func() error { return beside(out, dir, confighash, identity, parse, runs) }},
		{"scale", func() error { return scale(out, dir, confighash, runs) }},
		{"kinds", func() error { return manyKinds(out, dir, confighash, runs) }},
		{"kustomize", func() error { return besideKustomize(out, dir, confighash, kustomize, runs) }},
		{"impact", func() error { return besideReading(out, dir, confighash, parse, runs) }},
		{"start", func() error { return processStart(out, dir, confighash, trivial, starts) }},
	} {
		if only != "" && only != part.name {
			continue
		}
		if err := part.measure(); err != nil {
			return err
		}
	}
	return sizes(out, confighash, trivial)
}

// beside compares the function with the kpt SDK's identity function, and with a
// program that parses the items and does no more.
func beside(out io.Writer, dir, confighash, identity, parse string, runs int) error {
	fmt.Fprint(out, "\nOne ResourceList, beside a function of the kpt SDK that does nothing:\n\n")
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "resources\tsize\tspec\tconfighash\t\tkpt SDK identity\t\tratio: time\tmemory\t")
	var parsing string
	for _, n := range []int{100, 2_000, 20_000, 100_000} {
		var commands []command
		for i, spec := range specs {
			input := filepath.Join(dir, fmt.Sprintf("list-%d.yaml", i))
			if err := writeResourceList(input, n, spec, nil); err != nil {
				return err
			}
			commands = append(commands, command{confighash, nil, input})
		}
		// Neither the function that does nothing nor the parsers read the
		// functionConfig.
		input := commands[0].stdin
		results, err := compare(runs, append(commands,
			command{identity, nil, input}, command{parse, []string{"yaml.v3"}, input}, command{parse, []string{"yamldoc"}, input})...)
		if err != nil {
			return err
		}
		info, err := os.Stat(input)
		if err != nil {
			return err
		}
		theirs, v3, own := results[len(specs)], results[len(specs)+1], results[len(specs)+2]
		for i, spec := range specs {
			ours := results[i]
			fmt.Fprintf(table, "%d\t%.1f MB\t%s\t%s\t%s\t%s\t%s\t%.2f\t%.2f\t\n",
				n, float64(info.Size())/1e6, spec, ours.time(), ours.memory(), theirs.time(), theirs.memory(),
				ratio(ours.wall, theirs.wall), float64(ours.peak)/float64(theirs.peak))
		}
		parsing += fmt.Sprintf("%d resources: parsing the items alone, on all processors, takes yaml.v3 %s and this function's parser %s: Rename takes %.2f and %.2f of that, Annotate %.2f and %.2f\n",
			n, v3.time(), own.time(), ratio(results[0].wall, v3.wall), ratio(results[0].wall, own.wall), ratio(results[1].wall, v3.wall), ratio(results[1].wall, own.wall))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprint(out, "\n", parsing)
	return err
}

func ratio(a, b time.Duration) float64 { return float64(a) / float64(b) }

// scale measures packages of several shapes as they grow.
func scale(out io.Writer, dir, confighash string, runs int) error {
	sizes := []int{20_000, 40_000, 80_000}
	fmt.Fprintf(out, "\nPackages of %d, %d and %d resources, and how much longer each doubling takes:\n\n", sizes[0], sizes[1], sizes[2])
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "shape\tmode\ttime\t\t\tdoubling\t\tmemory")
	for _, s := range shapes {
		for _, mode := range []string{"Rename", "Annotate"} {
			var commands []command
			for i, n := range sizes {
				input := filepath.Join(dir, fmt.Sprintf("shape-%d.yaml", i))
				if err := s.writeTo(input, n, "{mode: "+mode+"}"); err != nil {
					return err
				}
				var args []string
				if s.stream {
					args = []string{"--mode", mode}
				}
				commands = append(commands, command{confighash, args, input})
			}
			results, err := compare(runs, commands...)
			if err != nil {
				return err
			}
			fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%.2f\t%.2f\t%s\n", s.name, mode,
				results[0].time(), results[1].time(), results[2].time(),
				ratio(results[1].wall, results[0].wall), ratio(results[2].wall, results[1].wall), results[2].memory())
		}
	}
	return table.Flush()
}

// specs are the functionConfigs that are measured. The last one is that of a
// cluster whose Reloader rolls everything.
var specs = []string{
	"{mode: Rename}",
	"{mode: Annotate}",
	"{mode: Annotate, policy: Reloader, reloader: {autoReloadAll: true}}",
}

// manyKinds compares custom resources of many kinds with the same number of
// Deployments.
func manyKinds(out io.Writer, dir, confighash string, runs int) error {
	const resources, kinds = 20_000, 200
	custom, err := customKinds(kinds)
	if err != nil {
		return err
	}
	core, many := filepath.Join(dir, "core.yaml"), filepath.Join(dir, "many.yaml")
	if err := writeResourceList(core, resources, specs[0], nil); err != nil {
		return err
	}
	if err := writeResourceList(many, resources, specs[0], custom); err != nil {
		return err
	}
	results, err := compare(runs, command{confighash, nil, core}, command{confighash, nil, many})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "\n%d resources, core kinds %s, with custom resources of %d kinds in the place of Deployments %s: ratio %.2f\n",
		resources, results[0].time(), len(custom), results[1].time(), float64(results[1].wall)/float64(results[0].wall))
	return err
}

// besideKustomize compares the function as a filter with kustomize's own
// generators.
func besideKustomize(out io.Writer, dir, confighash, kustomize string, runs int) error {
	fmt.Fprint(out, "\nThe same applications through kustomize's generators, and as plain resources through the filter:\n\n")
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "applications\tresources\t\ttime\tmemory")
	for _, n := range []int{400, 800, 1600} {
		if n > 1000 {
			runs = 1 // of a minute or so each
		}
		packages := filepath.Join(dir, fmt.Sprint(n))
		if err := writeKustomizations(packages, n); err != nil {
			return err
		}
		plain := filepath.Join(packages, "plain")
		stream := filepath.Join(plain, "resources.yaml")
		results, err := compare(runs,
			command{kustomize, []string{"build", filepath.Join(packages, "generated")}, os.DevNull},
			command{kustomize, []string{"build", plain}, os.DevNull},
			command{confighash, []string{"--mode", "Rename"}, stream})
		if err != nil {
			return err
		}
		for i, label := range []string{
			"kustomize build, with generators",
			"kustomize build, plain resources",
			"confighash --mode Rename on the plain resources",
		} {
			fmt.Fprintf(table, "%d\t%d\t%s\t%s\t%s\n", n, n*kinds, label, results[i].time(), results[i].memory())
		}
	}
	return table.Flush()
}

// processStart compares the function's start with a Go program's that copies
// stdin to stdout.
func processStart(out io.Writer, dir, confighash, trivial string, starts int) error {
	input := filepath.Join(dir, "start.yaml")
	if err := writeResourceList(input, 3, specs[0], nil); err != nil {
		return err
	}
	results, err := compare(starts, command{confighash, nil, input}, command{trivial, nil, input})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "\nProcess start, a ResourceList of 3 resources, median of %d: confighash %s, a Go program that copies stdin %s\n",
		starts, results[0].time(), results[1].time())
	return err
}

// sizes prints the size of the executable, and that of the image if it has been
// built.
func sizes(out io.Writer, confighash, trivial string) error {
	ours, err := os.Stat(confighash)
	if err != nil {
		return err
	}
	theirs, err := os.Stat(trivial)
	if err != nil {
		return err
	}
	image := "the image is not built here (make image)"
	if size, err := exec.Command("docker", "image", "inspect", "--format", "{{.Size}}", "confighash:latest").Output(); err == nil {
		image = "the image confighash:latest " + strings.TrimSpace(string(size)) + " bytes"
	}
	_, err = fmt.Fprintf(out, "Size: the executable %d bytes, the Go program that copies stdin %d bytes; %s\n", ours.Size(), theirs.Size(), image)
	return err
}

// A command is a program, its arguments and the file it reads from stdin.
type command struct {
	program string
	args    []string
	stdin   string
}

// A measurement is what one run of a command took, or the medians of several.
type measurement struct {
	wall time.Duration
	peak int64 // bytes of memory
}

func (m measurement) time() string {
	if m.wall < time.Second {
		return fmt.Sprintf("%.1f ms", float64(m.wall)/float64(time.Millisecond))
	}
	return fmt.Sprintf("%.2f s", m.wall.Seconds())
}

func (m measurement) memory() string { return fmt.Sprintf("%.0f MB", float64(m.peak)/1e6) }

// compare runs the commands in turn, runs times each, so that a slow moment of
// the machine meets them all, and returns the medians.
func compare(runs int, commands ...command) ([]measurement, error) {
	walls := make([][]time.Duration, len(commands))
	peaks := make([][]int64, len(commands))
	for range runs {
		for i, c := range commands {
			m, err := c.measure()
			if err != nil {
				return nil, err
			}
			walls[i] = append(walls[i], m.wall)
			peaks[i] = append(peaks[i], m.peak)
		}
	}
	medians := make([]measurement, len(commands))
	for i := range commands {
		slices.Sort(walls[i])
		slices.Sort(peaks[i])
		medians[i] = measurement{wall: walls[i][runs/2], peak: peaks[i][runs/2]}
	}
	return medians, nil
}

// measure runs the command once.
func (c command) measure() (measurement, error) {
	stdin, err := os.Open(c.stdin)
	if err != nil {
		return measurement{}, err
	}
	defer stdin.Close()
	cmd := exec.Command(c.program, c.args...)
	cmd.Stdin, cmd.Stderr = stdin, os.Stderr
	start := time.Now()
	if err := cmd.Run(); err != nil {
		return measurement{}, fmt.Errorf("%s: %w", cmd, err)
	}
	m := measurement{wall: time.Since(start)}
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		m.peak = usage.Maxrss
		if runtime.GOOS != "darwin" {
			m.peak *= 1024 // Linux and the BSDs count in KiB, macOS in bytes.
		}
	}
	return m, nil
}

// build builds the program in bench/name as the Makefile builds the function.
func build(dir, name string) (string, error) {
	path := filepath.Join(dir, name)
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", path, "./bench/"+name)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if output, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%s: %w\n%s", cmd, err, output)
	}
	return path, nil
}
