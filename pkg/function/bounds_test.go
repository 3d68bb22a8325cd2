package function_test

import (
	"bytes"
	"cmp"
	"flag"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/graph/load"
	"github.com/confighash/confighash/internal/impact"
	"github.com/confighash/confighash/internal/lint"
	"github.com/confighash/confighash/internal/usage"
	"github.com/confighash/confighash/pkg/api/v1alpha1"
	"github.com/confighash/confighash/pkg/function"
	"github.com/confighash/confighash/test/support/hostile"
	"github.com/confighash/confighash/test/support/property"
)

// boundsSize returns the size of a hostile input, in bytes.
func boundsSize() int {
	if property.IsLong() {
		return 40 << 10
	}
	return 16 << 10
}

// The bounds that docs/internals/reliability.md promises.
const (
	memoryBase    = 150 << 20
	memoryPerByte = 300
)

// A command reads manifests. It may fail.
type command struct {
	name string
	run  func(t testing.TB, manifests, spec string)
}

var commands = []command{
	{"Rename", processing(v1alpha1.ModeRename)},
	{"Annotate", processing(v1alpha1.ModeAnnotate)},
	{"check", func(t testing.TB, manifests, spec string) {
		_, _, _ = function.Check([]byte(manifests), io.Discard, function.Options{Config: configWith(t, v1alpha1.ModeRename, spec)})
	}},
	{"graph", func(t testing.TB, manifests, _ string) {
		if set := read(t, manifests); set != nil {
			_, _ = usage.New(set, catalog.Builtin())
		}
	}},
	{"impact", func(t testing.TB, manifests, _ string) {
		before, after := read(t, manifests), read(t, strings.ReplaceAll(manifests, hostile.Value, "another"))
		if before != nil && after != nil {
			_, _ = impact.Compare(before, after)
		}
	}},
	{"lint", func(t testing.TB, manifests, spec string) {
		config, err := configWith(t, v1alpha1.ModeRename, spec).Complete()
		if err != nil {
			t.Fatal(err)
		}
		if set, err := load.Of([]load.File{{Data: []byte(manifests)}}, load.Options{Suffixes: true, Spec: &config.Spec}); err == nil {
			_, _ = lint.Check(set, &config.Spec)
			_, _ = lint.Check(set, nil)
		}
	}},
}

func processing(mode v1alpha1.Mode) func(t testing.TB, manifests, spec string) {
	return func(t testing.TB, manifests, spec string) {
		_, _ = function.Process([]byte(manifests), io.Discard, function.Options{Config: configWith(t, mode, spec)})
	}
}

// configWith returns a functionConfig with more fields, nil if they are invalid.
func configWith(t testing.TB, mode v1alpha1.Mode, spec string) *v1alpha1.ConfigHash {
	t.Helper()
	if spec != "" {
		spec = ", " + spec
	}
	var document yaml.Node
	if err := yaml.Unmarshal([]byte("{apiVersion: confighash.dev/v1alpha1, kind: ConfigHash, metadata: {name: r}, spec: {mode: "+string(mode)+spec+"}}"), &document); err != nil {
		t.Fatal(err)
	}
	config, err := v1alpha1.Parse(document.Content[0])
	if err != nil {
		return v1alpha1.New(mode, "")
	}
	return config
}

// read returns the graph of manifests, nil if they are invalid.
func read(t testing.TB, text string) *graph.Graph {
	t.Helper()
	path := filepath.Join(t.TempDir(), "all.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	g, _ := load.Graph([]string{path}, os.Stdin, load.Options{})
	return g
}

// measure runs a command and returns the total number of bytes allocated, which stands for its time, and the peak in
// use.
func measure(run func()) (allocated, peak uint64) {
	defer debug.SetGCPercent(debug.SetGCPercent(50))
	runtime.GC()
	read := func() (allocated, live uint64) {
		samples := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}, {Name: "/memory/classes/heap/objects:bytes"}}
		metrics.Read(samples)
		return samples[0].Value.Uint64(), samples[1].Value.Uint64()
	}
	before, _ := read()
	done, sampled := make(chan struct{}), make(chan uint64)
	go func() {
		most := uint64(0)
		ticker := time.NewTicker(5 * time.Millisecond)
		defer ticker.Stop()
		for {
			_, live := read()
			most = max(most, live)
			select {
			case <-done:
				sampled <- most
				return
			case <-ticker.C:
			}
		}
	}()
	run()
	close(done)
	peak = <-sampled
	after, _ := read()
	return after - before, peak
}

// checkBounds checks that a command's memory and work are proportional to its input. What references may mean in total
// is bounded by a constant, hence the base of the allocated bytes.
func checkBounds(t *testing.T, c command, manifests, spec string) {
	t.Helper()
	const allocatedPerByte = 3_000
	size := len(manifests) + len(spec)
	allocated, peak := measure(func() { c.run(t, manifests, spec) })
	if most := memoryBase + memoryPerByte*size; peak > uint64(most) {
		t.Errorf("%s uses %d bytes for %d bytes of input, want at most %d", c.name, peak, size, most)
	}
	if most := memoryBase + allocatedPerByte*size; allocated > uint64(most) {
		t.Errorf("%s allocates %d bytes in all for %d bytes of input, want at most %d", c.name, allocated, size, most)
	}
}

func TestBounds_holdForEveryShape(t *testing.T) {
	for _, shape := range hostile.Shapes() {
		t.Run(shape.Name, func(t *testing.T) {
			text, spec := shape.At(boundsSize())
			for _, c := range commands {
				checkBounds(t, c, text, spec)
			}
		})
	}
}

// Shapes share names, so a mixture of them can multiply in a way that no single one does.
func TestBounds_holdForMixturesOfShapes(t *testing.T) {
	shapes := hostile.Shapes()
	for i := range property.Cases(10) {
		seed := property.Seed() + uint64(i)
		dice := rand.New(rand.NewPCG(seed, 0))
		chosen := make([]hostile.Shape, 2+dice.IntN(3))
		for i := range chosen {
			chosen[i] = shapes[dice.IntN(len(shapes))]
		}
		var all, spec string
		for _, shape := range chosen {
			text, more := shape.At(boundsSize() / len(chosen))
			all += text + "\n---\n"
			spec = cmp.Or(spec, more)
		}
		for _, c := range commands {
			checkBounds(t, c, all, spec)
		}
		if t.Failed() {
			t.Fatalf("seed %d: %q", seed, names(chosen))
		}
	}
}

func names(shapes []hostile.Shape) []string {
	all := make([]string, len(shapes))
	for i, s := range shapes {
		all[i] = s.Name
	}
	return all
}

// FuzzBounds checks for any bytes that no command needs more memory than promised.
func FuzzBounds(f *testing.F) {
	// TestBounds_holdForEveryShape measures the shapes; here they are seeds.
	if property.IsLong() || flag.Lookup("test.fuzz").Value.String() != "" {
		for _, shape := range hostile.Shapes() {
			text, _ := shape.At(2 << 10)
			f.Add([]byte(text))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > maxInput || bytes.IndexByte(data, 0) >= 0 {
			return
		}
		for _, c := range commands {
			if _, peak := measure(func() { c.run(t, string(data), "") }); peak > uint64(memoryBase+memoryPerByte*len(data)) {
				t.Errorf("%s uses %d bytes for %d bytes of input", c.name, peak, len(data))
			}
		}
	})
}
