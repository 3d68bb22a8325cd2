// Package harness is shared by tests of the built confighash: it has the program itself, the tools that run with it,
// and the parsed objects of their output.
package harness

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/lockedfile"
	"sigs.k8s.io/yaml"
)

// HashAnnotation is an annotation that the function, unlike kustomize, adds to a renamed object.
const HashAnnotation = "confighash.dev/hash"

// Binary is the confighash under test. Main builds it unless the flag -confighash names one.
var Binary string

func init() {
	flag.StringVar(&Binary, "confighash", "", "absolute path of the confighash to test; built from this module if empty")
}

// Root returns the directory of the tested module.
var Root = sync.OnceValue(func() string {
	dir, err := os.Getwd()
	for err == nil {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			break
		}
		dir = parent
	}
	panic("the tests do not run in a module")
})

// Main is for TestMain of packages whose tests run Binary. It exits.
func Main(m *testing.M) {
	// kustomize runs this same program as a function of a chain: see forgetEarlierNames.
	if len(os.Args) == 2 && os.Args[1] == forgetArgument {
		if err := forgetEarlierNames(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	flag.Parse()
	os.Exit(buildAndRun(m))
}

// MainWithShell is Main for tests that run sh commands, which Windows lacks.
func MainWithShell(m *testing.M) {
	if runtime.GOOS == "windows" {
		fmt.Println("skipped: the tests run commands for sh")
		os.Exit(0)
	}
	Main(m)
}

func buildAndRun(m *testing.M) int {
	if Binary != "" {
		return m.Run()
	}
	dir, err := os.MkdirTemp("", "confighash-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	if Binary, err = build(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// build returns a confighash in dir, built from the module. The packages of one `go test` share the linked program in
// the user's cache, which go build does not touch while the sources stay the same; the link in dir stays valid if they
// change.
func build(dir string) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	id := sha256.Sum256([]byte(Root()))
	shared := filepath.Join(cache, "confighash-test", hex.EncodeToString(id[:8]))
	if err := os.MkdirAll(shared, 0o755); err != nil {
		return "", err
	}
	unlock, err := lockedfile.MutexAt(filepath.Join(shared, "lock")).Lock()
	if err != nil {
		return "", err
	}
	defer unlock()
	name := "confighash"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	built, own := filepath.Join(shared, name), filepath.Join(dir, name)
	command := exec.Command("go", "build", "-o", built, "github.com/confighash/confighash/fn")
	command.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := command.CombinedOutput(); err != nil {
		return "", fmt.Errorf("cannot build confighash: %w\n%s", err, out)
	}
	if os.Link(built, own) == nil {
		return own, nil
	}
	content, err := os.ReadFile(built)
	if err != nil {
		return "", err
	}
	return own, os.WriteFile(own, content, 0o755)
}

// Kustomize returns the path of a kustomize: $KUSTOMIZE, or the one in bin/tools, which is built if it is missing.
var Kustomize = sync.OnceValues(func() (string, error) {
	return toolBinary("kustomize", "sigs.k8s.io/kustomize/kustomize/v5@v5.8.2")
})

// toolBinary returns the path of a program that the tests run: the value of the environment variable of its name, or
// the one in bin/tools, which is built if it is missing.
func toolBinary(name, source string) (string, error) {
	if path := os.Getenv(strings.ToUpper(name)); path != "" {
		return path, nil
	}
	tools := filepath.Join(Root(), "bin", "tools")
	path := filepath.Join(tools, name)
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	install := exec.Command("go", "install", source)
	install.Env = append(os.Environ(), "GOBIN="+tools, "GOFLAGS=-mod=mod")
	if out, err := install.CombinedOutput(); err != nil {
		return "", fmt.Errorf("cannot build %s: %w\n%s", name, err, out)
	}
	return path, nil
}

// A Builder is one way to run `kustomize build`; it returns kustomize's output.
type Builder func(dir string) ([]byte, error)

// BuildByExec runs the kustomize binary.
func BuildByExec(dir string) ([]byte, error) {
	kustomize, err := Kustomize()
	if err != nil {
		return nil, err
	}
	return Run(nil, kustomize, "build", "--enable-alpha-plugins", "--enable-exec", dir)
}

// Run runs a program on stdin and returns its stdout; its error holds stderr.
func Run(stdin []byte, name string, args ...string) ([]byte, error) {
	var stdout, stderr bytes.Buffer
	cmd := exec.Command(name, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(stdin), &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return stdout.Bytes(), fmt.Errorf("%s %s: %w\n%s", filepath.Base(name), strings.Join(args, " "), err, &stderr)
	}
	return stdout.Bytes(), nil
}

// An Object is a parsed document. Strings stay strings and numbers are json.Numbers, so that nothing is equal by
// conversion.
type Object map[string]any

// Objects parses a stream and returns its documents by identity.
func Objects(stream []byte) (map[string]Object, error) {
	found := make(map[string]Object)
	for document := range strings.SplitSeq("\n"+string(stream), "\n---\n") {
		if strings.TrimSpace(document) == "" {
			continue
		}
		asJSON, err := yaml.YAMLToJSONStrict([]byte(document))
		if err != nil {
			return nil, fmt.Errorf("%w in\n%s", err, document)
		}
		decoder := json.NewDecoder(bytes.NewReader(asJSON))
		decoder.UseNumber()
		var o Object
		if err := decoder.Decode(&o); err != nil {
			return nil, fmt.Errorf("%w in\n%s", err, document)
		}
		id := o.Identity()
		if _, ok := found[id]; ok {
			return nil, fmt.Errorf("two objects are %s", id)
		}
		found[id] = o
	}
	return found, nil
}

// Identity returns what identifies the object to an API server.
func (o Object) Identity() string {
	return fmt.Sprintf("%v %v %s/%s", o["apiVersion"], o["kind"], o.Namespace(), o.Name())
}

// Kind returns the kind, or "".
func (o Object) Kind() string { return StringAt(o, "kind") }

// Name returns the name, or "".
func (o Object) Name() string { return StringAt(o, "metadata", "name") }

// Namespace returns the namespace, or "".
func (o Object) Namespace() string { return StringAt(o, "metadata", "namespace") }

// StringAt returns the string that keys lead to, or "".
func StringAt(from map[string]any, keys ...string) string {
	value, _ := At(from, keys...).(string)
	return value
}

// At returns the value that keys lead to, or nil.
func At(from map[string]any, keys ...string) any {
	var value any = from
	for _, key := range keys {
		m, ok := value.(map[string]any)
		if !ok {
			return nil
		}
		value = m[key]
	}
	return value
}

// DropHashAnnotation drops the annotation that kustomize does not write, and the annotations if they become empty.
func (o Object) DropHashAnnotation() {
	metadata, _ := o["metadata"].(map[string]any)
	annotations, _ := metadata["annotations"].(map[string]any)
	if _, ok := annotations[HashAnnotation]; !ok {
		return
	}
	delete(annotations, HashAnnotation)
	if len(annotations) == 0 {
		delete(metadata, "annotations")
	}
}

// Diff compares the output of two builds object by object, regardless of their order: kustomize moves objects that a
// function renames to the end. As kustomize loses some references between layers, a reference in want that names no
// object equals one in got that names an object of its namespace if the two differ only in the hash. With lost, the
// former may also be a part of the latter, and references that name no object on either side are equal if one is part
// of the other.
func Diff(want, got []byte, lost bool) (string, error) {
	wanted, err := Objects(want)
	if err != nil {
		return "", fmt.Errorf("want: %w", err)
	}
	gotten, err := Objects(got)
	if err != nil {
		return "", fmt.Errorf("got: %w", err)
	}
	names, present := make(map[string]bool), make(map[string]bool)
	for _, set := range []map[string]Object{wanted, gotten} {
		for _, o := range set {
			o.DropHashAnnotation()
			names[o.Name()] = true
			present[o.Namespace()+"/"+o.Name()] = true
		}
	}
	found := func(path cmp.Path) bool {
		want, got := path.Last().Values()
		if len(path) < 2 || want.Kind() != reflect.String || got.Kind() != reflect.String {
			return false
		}
		referrer := gotten[path.Index(1).(cmp.MapIndex).Key().String()]
		hashed := len(got.String()) - len("-4h2mbtbbt6")
		return hashed > 0 && (got.String()[:hashed] == want.String() || lost && strings.Contains(got.String()[:hashed], want.String())) &&
			!names[want.String()] && present[referrer.Namespace()+"/"+got.String()]
	}
	options := cmp.Options{cmp.FilterPath(found, cmp.Ignore())}
	if lost {
		options = append(options, cmp.FilterPath(outsideData, cmp.FilterValues(func(want, got string) bool {
			return !names[want] && !names[got] && (strings.Contains(want, got) || strings.Contains(got, want))
		}, cmp.Ignore())))
	}
	return cmp.Diff(wanted, gotten, options), nil
}

// outsideData reports whether a path leads to a possible reference.
func outsideData(path cmp.Path) bool {
	return !slices.ContainsFunc(path, func(step cmp.PathStep) bool {
		index, ok := step.(cmp.MapIndex)
		return ok && slices.Contains([]string{"data", "binaryData"}, index.Key().String())
	})
}

// Files are contents by slash-separated path.
type Files map[string]string

// Write writes the files beneath dir.
func (f Files) Write(dir string) error {
	for name, content := range f {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// String shows the files as a txtar archive, to be pasted into a test.
func (f Files) String() string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(f)) {
		fmt.Fprintf(&b, "-- %s --\n%s", name, f[name])
		if content := f[name]; content != "" && !strings.HasSuffix(content, "\n") {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// FunctionConfig returns the functionConfig of the binary as a file under `transformers:`, with spec in YAML.
func FunctionConfig(spec string) string {
	return `apiVersion: confighash.dev/v1alpha1
kind: ConfigHash
metadata:
  name: roll
  annotations:
    config.kubernetes.io/function: |
      exec: {path: ` + Binary + `}
spec: ` + spec + "\n"
}

const forgetArgument = "forget-earlier-names"

// ForgetConfig returns the functionConfig that runs forgetEarlierNames.
func ForgetConfig() (string, error) {
	self, err := os.Executable()
	return `apiVersion: test.confighash.dev/v1
kind: ForgetEarlierNames
metadata:
  name: forget
  annotations:
    config.kubernetes.io/function: |
      exec:
        path: ` + self + `
        args: [` + forgetArgument + "]\n", err
}

// forgetEarlierNames is a function that removes kustomize's record of earlier names from objects that confighash
// renamed. kustomize rewrites references by that record; without it only the references that confighash wrote are
// right.
func forgetEarlierNames(in io.Reader, out io.Writer) error {
	list, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	var parsed struct {
		APIVersion string   `json:"apiVersion"`
		Kind       string   `json:"kind"`
		Items      []Object `json:"items"`
	}
	if err := yaml.Unmarshal(list, &parsed); err != nil {
		return err
	}
	if parsed.Kind != "ResourceList" {
		return errors.New("stdin holds no ResourceList")
	}
	for _, item := range parsed.Items {
		annotations, _ := At(item, "metadata", "annotations").(map[string]any)
		if _, renamed := annotations[HashAnnotation]; !renamed {
			continue
		}
		for _, earlier := range []string{"previousNames", "previousNamespaces", "previousKinds"} {
			delete(annotations, "internal.config.kubernetes.io/"+earlier)
		}
	}
	encoded, err := yaml.Marshal(parsed)
	if err != nil {
		return err
	}
	_, err = out.Write(encoded)
	return err
}
