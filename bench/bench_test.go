package main

import (
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/confighash/confighash/pkg/function"
)

// The measured programs.
var confighash, peer, copies string

// TestMain builds the programs with the Makefile's flags.
func TestMain(m *testing.M) {
	flag.Parse()
	if flag.Lookup("test.bench").Value.String() == "" {
		os.Exit(m.Run())
	}
	dir, err := os.MkdirTemp("", "confighash-bench-")
	if err != nil {
		log.Fatal(err)
	}
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", dir, "../cmd/confighash", "./peer", "./copy")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if output, err := cmd.CombinedOutput(); err != nil {
		log.Fatalf("%s: %v\n%s", cmd, err, output)
	}
	confighash, peer, copies = filepath.Join(dir, "confighash"), filepath.Join(dir, "peer"), filepath.Join(dir, "copy")
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// sizes returns only the first sizes with -short, because the others take minutes.
func sizes(short int, all ...int) []int {
	if testing.Short() {
		return all[:short]
	}
	return all
}

func input(b *testing.B, s shape, n int, spec string) string {
	b.Helper()
	path := filepath.Join(b.TempDir(), "input.yaml")
	if err := s.write(path, n, spec); err != nil {
		b.Fatal(err)
	}
	return path
}

// run runs a program and returns its peak memory in bytes, or 0 on Windows.
func run(b *testing.B, stdin string, stdout io.Writer, program string, args ...string) int64 {
	b.Helper()
	in, err := os.Open(stdin)
	if err != nil {
		b.Fatal(err)
	}
	defer in.Close()
	cmd := exec.Command(program, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		b.Fatalf("%s: %v", cmd, err)
	}
	peak := reflect.Indirect(reflect.ValueOf(cmd.ProcessState.SysUsage())).FieldByName("Maxrss")
	switch {
	case !peak.IsValid():
		return 0
	case runtime.GOOS == "darwin":
		return peak.Int()
	}
	return peak.Int() * 1024 // Linux and the BSDs count in KiB
}

func process(b *testing.B, name, stdin, program string, args ...string) {
	b.Helper()
	b.Run(name, func(b *testing.B) {
		var peak int64
		for b.Loop() {
			peak = max(peak, run(b, stdin, nil, program, args...))
		}
		b.ReportMetric(float64(peak)/1e6, "peak-MB")
	})
}

// BenchmarkList compares the function with a no-op function of the kpt SDK, and with parsers of the items.
func BenchmarkList(b *testing.B) {
	for _, n := range sizes(3, 100, 2_000, 20_000, 100_000) {
		b.Run(fmt.Sprintf("resources=%d", n), func(b *testing.B) {
			rename := input(b, shapes[0], n, "{mode: Rename}")
			annotate := input(b, shapes[0], n, "{mode: Annotate}")
			reloader := input(b, shapes[0], n, "{mode: Annotate, policy: Reloader, reloader: {autoReloadAll: true}}")
			process(b, "by=kpt-sdk", rename, peer, "kpt-sdk")
			process(b, "by=yaml.v3", rename, peer, "yaml.v3")
			process(b, "by=yamldoc", rename, peer, "yamldoc")
			process(b, "by=Rename", rename, confighash)
			process(b, "by=Annotate", annotate, confighash)
			process(b, "by=Reloader", reloader, confighash)
		})
	}
}

// BenchmarkShapes measures how the time grows with the size of packages.
func BenchmarkShapes(b *testing.B) {
	for _, s := range shapes {
		for _, mode := range []string{"Rename", "Annotate"} {
			b.Run(fmt.Sprintf("shape=%s/mode=%s", s.name, mode), func(b *testing.B) {
				var args []string
				if s.name == "stream" {
					args = []string{"--mode", mode}
				}
				for _, n := range sizes(2, 20_000, 40_000, 80_000) {
					process(b, fmt.Sprintf("resources=%d", n), input(b, s, n, "{mode: "+mode+"}"), confighash, args...)
				}
			})
		}
	}
}

// BenchmarkKeys compares granularity Key with the other modes.
func BenchmarkKeys(b *testing.B) {
	for _, s := range keyShapes {
		for _, n := range []int{2_000, 20_000} {
			b.Run(fmt.Sprintf("shape=%s/resources=%d", s.name, n), func(b *testing.B) {
				process(b, "by=Rename", input(b, s, n, "{mode: Rename}"), confighash)
				process(b, "by=Annotate", input(b, s, n, "{mode: Annotate}"), confighash)
				process(b, "by=Key", input(b, s, n, "{mode: Rename, rename: {granularity: Key}}"), confighash)
			})
		}
	}
}

// BenchmarkKinds compares custom resources of 200 kinds with Deployments.
func BenchmarkKinds(b *testing.B) {
	output, err := exec.Command(confighash, "references").Output()
	if err != nil {
		b.Fatal(err)
	}
	var kinds []string
	for line := range strings.Lines(string(output)) {
		if columns := strings.Fields(line); strings.Contains(columns[0], ".") && !strings.Contains(line, "*") && len(kinds) < 200 {
			kinds = append(kinds, fmt.Sprintf("apiVersion: %s/v1\nkind: %s\n", columns[0], columns[1]))
		}
	}
	custom := shape{form: list, at: func(number int) []string {
		documents := applications(number)
		documents[0] = strings.Replace(documents[0], "apiVersion: apps/v1\nkind: Deployment\n", kinds[number%len(kinds)], 1)
		return documents
	}}
	process(b, "of=Deployment", input(b, shapes[0], 20_000, "{mode: Rename}"), confighash)
	process(b, "of=custom", input(b, custom, 20_000, "{mode: Rename}"), confighash)
}

// BenchmarkKustomize compares kustomize's generators with the function on plain resources: within kustomize, with
// kustomize linked in (confighash build), and as a filter.
func BenchmarkKustomize(b *testing.B) {
	kustomize := os.Getenv("KUSTOMIZE")
	if kustomize == "" {
		b.Skip("make bench sets KUSTOMIZE")
	}
	for _, n := range sizes(3, 25, 100, 500, 800, 1600) {
		b.Run(fmt.Sprintf("resources=%d", 4*n), func(b *testing.B) {
			var all []application
			for number := range n {
				all = append(all, application{number, "info"})
			}
			files := render("kustomizations", map[string]any{"Applications": all, "Function": confighash})
			dir := b.TempDir()
			if err := txtar.Write(txtar.Parse([]byte(files)), dir); err != nil {
				b.Fatal(err)
			}
			process(b, "by=generators", os.DevNull, kustomize, "build", filepath.Join(dir, "generated"))
			process(b, "by=plain", os.DevNull, kustomize, "build", filepath.Join(dir, "plain"))
			process(b, "by=build", os.DevNull, confighash, "build", "--mode", "Rename", filepath.Join(dir, "plain"))
			process(b, "by=transformer", os.DevNull, kustomize, "build", "--enable-alpha-plugins", "--enable-exec", filepath.Join(dir, "function"))
			process(b, "by=filter", filepath.Join(dir, "plain", "resources.yaml"), confighash, "--mode", "Rename")
		})
	}
}

// BenchmarkImpact compares confighash impact with reading as many resources.
func BenchmarkImpact(b *testing.B) {
	const n = 20_000
	set := func(debug int) string {
		return input(b, shape{form: list, at: func(number int) []string {
			if number < debug {
				return application{number, "debug"}.documents()
			}
			return applications(number)
		}}, n, "{mode: Rename}")
	}
	both := input(b, shapes[0], 2*n, "{mode: Annotate}")
	process(b, "by=yaml.v3", both, peer, "yaml.v3")
	process(b, "by=yamldoc", both, peer, "yamldoc")
	process(b, "by=Annotate", both, confighash)
	impact := func(name, from, to string) {
		process(b, name, os.DevNull, confighash, "impact", "--from", from, "--to", to)
	}
	before, all := set(0), set(n)
	impact("by=impact-of-one", before, set(1))
	impact("by=impact-of-all", before, all)
	from, to := renamed(b, before), renamed(b, all)
	impact("by=impact-that-rolls", from, to)
	process(b, "by=impact-html", os.DevNull, confighash, "impact", "--from", from, "--to", to, "-o", "html")
	process(b, "by=graph-html", os.DevNull, confighash, "graph", from, "-o", "html")
	process(b, "by=lint", os.DevNull, confighash, "lint", from)
}

// renamed returns a file with the output of mode Rename for another.
func renamed(b *testing.B, path string) string {
	b.Helper()
	f, err := os.Create(path + "-renamed.yaml")
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	run(b, path, f, confighash)
	return f.Name()
}

// BenchmarkGC compares gc for kubectl's output with renaming as many resources.
func BenchmarkGC(b *testing.B) {
	for _, n := range sizes(1, 5_000, 50_000) {
		b.Run(fmt.Sprintf("resources=%d", n), func(b *testing.B) {
			in := input(b, shapes[0], n, "{mode: Rename}")
			process(b, "by=Rename", in, confighash)
			process(b, "by=gc", os.DevNull, confighash, "gc", "--from", renamed(b, in))
		})
	}
}

// BenchmarkStart compares the start of the process with that of another Go program.
func BenchmarkStart(b *testing.B) {
	three := input(b, shapes[0], 3, "{mode: Rename}")
	process(b, "by=copy", three, copies)
	process(b, "by=confighash", three, confighash)
}

// BenchmarkProcess is for profiles: it runs in this process, with the executable's setting of the garbage collector. It
// is the last, because the processes that a process starts inherit its peak memory.
func BenchmarkProcess(b *testing.B) {
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	for _, mode := range []string{"Rename", "Annotate"} {
		data, err := os.ReadFile(input(b, shapes[0], 20_000, "{mode: "+mode+"}"))
		if err != nil {
			b.Fatal(err)
		}
		b.Run("mode="+mode, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := function.Process(data, io.Discard, function.Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
