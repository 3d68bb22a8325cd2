package main_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"
)

// hashAnnotation is what the function leaves on an object it renamed and
// kustomize does not.
const hashAnnotation = "confighash.dev/hash"

// binary is the function under test. TestMain builds it unless the flag names
// one that is built already.
var binary string

func init() {
	flag.StringVar(&binary, "confighash", "", "absolute path of the function to test; built from this module if empty")
}

func TestMain(m *testing.M) {
	// kustomize runs this very program as a function of a chain: see
	// forgetEarlierNames.
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

// buildAndRun builds the function and runs the tests on it.
func buildAndRun(m *testing.M) int {
	if binary != "" {
		return m.Run()
	}
	dir, err := os.MkdirTemp("", "confighash-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	binary = filepath.Join(dir, "confighash")
	build := exec.Command("go", "build", "-o", binary, "github.com/confighash/confighash/fn")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "cannot build the function: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// kustomizeBinary returns the path of a kustomize: $KUSTOMIZE, or the one
// that the Makefile keeps in bin/tools, which is built where it is missing.
var kustomizeBinary = sync.OnceValues(func() (string, error) {
	return toolBinary("kustomize", "sigs.k8s.io/kustomize/kustomize/v5@v5.8.2")
})

// toolBinary returns the path of a program that the tests run: what the
// environment variable of its name says, or the one that the Makefile keeps in
// bin/tools, which is built where it is missing.
func toolBinary(name, source string) (string, error) {
	if path := os.Getenv(strings.ToUpper(name)); path != "" {
		return path, nil
	}
	tools, err := filepath.Abs(filepath.Join("..", "bin", "tools"))
	if err != nil {
		return "", err
	}
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

// A builder is one way to run `kustomize build`; it returns what kustomize
// would print.
type builder func(dir string) ([]byte, error)

// buildInProcess runs kustomize as a library, on files on disk. Its error ends
// with what the function wrote to stderr.
func buildInProcess(dir string) (out []byte, err error) {
	stderr, err := os.CreateTemp(dir, "stderr-")
	if err != nil {
		return nil, err
	}
	// kustomize lets a function write to the stderr of its own process.
	own := os.Stderr
	os.Stderr = stderr
	defer func() {
		os.Stderr = own
		if err != nil {
			said, _ := os.ReadFile(stderr.Name())
			err = fmt.Errorf("%w\n%s", err, said)
		}
		stderr.Close()
	}()
	plugins := types.EnabledPluginConfig(types.BploUseStaticallyLinked)
	plugins.FnpLoadingOptions.EnableExec = true
	plugins.HelmConfig.Enabled = false
	options := krusty.MakeDefaultOptions()
	options.PluginConfig = plugins
	resources, err := krusty.MakeKustomizer(options).Run(filesys.MakeFsOnDisk(), dir)
	if err != nil {
		return nil, err
	}
	return resources.AsYaml()
}

// buildByExec runs the kustomize binary.
func buildByExec(dir string) ([]byte, error) {
	kustomize, err := kustomizeBinary()
	if err != nil {
		return nil, err
	}
	return run(nil, kustomize, "build", "--enable-alpha-plugins", "--enable-exec", dir)
}

// run runs a program on stdin and returns its stdout; its error holds stderr.
func run(stdin []byte, name string, args ...string) ([]byte, error) {
	var stdout, stderr bytes.Buffer
	cmd := exec.Command(name, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(stdin), &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return stdout.Bytes(), fmt.Errorf("%s %s: %w\n%s", filepath.Base(name), strings.Join(args, " "), err, &stderr)
	}
	return stdout.Bytes(), nil
}

// An object is a parsed document. Strings stay strings and numbers
// json.Numbers, so that nothing is equal by conversion.
type object map[string]any

// objects parses a stream and returns its documents by identity.
func objects(stream []byte) (map[string]object, error) {
	found := make(map[string]object)
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
		var o object
		if err := decoder.Decode(&o); err != nil {
			return nil, fmt.Errorf("%w in\n%s", err, document)
		}
		id := o.identity()
		if _, ok := found[id]; ok {
			return nil, fmt.Errorf("two objects are %s", id)
		}
		found[id] = o
	}
	return found, nil
}

// identity is what an API server tells objects apart by.
func (o object) identity() string {
	return fmt.Sprintf("%v %v %s/%s", o["apiVersion"], o["kind"], o.namespace(), o.name())
}

func (o object) kind() string      { return stringAt(o, "kind") }
func (o object) name() string      { return stringAt(o, "metadata", "name") }
func (o object) namespace() string { return stringAt(o, "metadata", "namespace") }

// stringAt returns the string that keys lead to, or "".
func stringAt(from map[string]any, keys ...string) string {
	value, _ := at(from, keys...).(string)
	return value
}

// at returns the value that keys lead to, or nil.
func at(from map[string]any, keys ...string) any {
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

// withoutHashAnnotation drops the one annotation that kustomize does not
// write, and the annotations if that was all of them.
func (o object) withoutHashAnnotation() {
	metadata, _ := o["metadata"].(map[string]any)
	annotations, _ := metadata["annotations"].(map[string]any)
	if _, ok := annotations[hashAnnotation]; !ok {
		return
	}
	delete(annotations, hashAnnotation)
	if len(annotations) == 0 {
		delete(metadata, "annotations")
	}
}

// diff compares what two builds print, object by object and without regard to
// their order, in which kustomize moves what a function renames to the end.
// With lost, references that name no object on either side are equal if one
// is part of the other.
func diff(want, got []byte, lost bool) (string, error) {
	wanted, err := objects(want)
	if err != nil {
		return "", fmt.Errorf("want: %w", err)
	}
	gotten, err := objects(got)
	if err != nil {
		return "", fmt.Errorf("got: %w", err)
	}
	names := make(map[string]bool)
	for _, set := range []map[string]object{wanted, gotten} {
		for _, o := range set {
			o.withoutHashAnnotation()
			names[o.name()] = true
		}
	}
	var options cmp.Options
	if lost {
		options = append(options, cmp.FilterPath(outsideData, cmp.FilterValues(func(want, got string) bool {
			return !names[want] && !names[got] && (strings.Contains(want, got) || strings.Contains(got, want))
		}, cmp.Ignore())))
	}
	return cmp.Diff(wanted, gotten, options), nil
}

// outsideData tells that a path leads to what may be a reference.
func outsideData(path cmp.Path) bool {
	return !slices.ContainsFunc(path, func(step cmp.PathStep) bool {
		index, ok := step.(cmp.MapIndex)
		return ok && slices.Contains([]string{"data", "binaryData"}, index.Key().String())
	})
}

// files are contents by slash-separated path.
type files map[string]string

// write puts the files beneath dir.
func (f files) write(dir string) error {
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
func (f files) String() string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(f)) {
		fmt.Fprintf(&b, "-- %s --\n%s", name, f[name])
		if content := f[name]; content != "" && !strings.HasSuffix(content, "\n") {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// functionConfig is the functionConfig of the binary as a file under
// `transformers:`, with spec in YAML.
func functionConfig(spec string) string {
	return `apiVersion: confighash.dev/v1alpha1
kind: ConfigHash
metadata:
  name: roll
  annotations:
    config.kubernetes.io/function: |
      exec: {path: ` + binary + `}
spec: ` + spec + "\n"
}

const forgetArgument = "forget-earlier-names"

// forgetConfig is the functionConfig that runs forgetEarlierNames.
func forgetConfig() (string, error) {
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

// forgetEarlierNames is a function that takes kustomize's memory of earlier
// names from what confighash renamed. kustomize mends references by that
// memory; without it only those references are right that confighash wrote.
func forgetEarlierNames(in io.Reader, out io.Writer) error {
	list, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	var parsed struct {
		APIVersion string   `json:"apiVersion"`
		Kind       string   `json:"kind"`
		Items      []object `json:"items"`
	}
	if err := yaml.Unmarshal(list, &parsed); err != nil {
		return err
	}
	if parsed.Kind != "ResourceList" {
		return errors.New("stdin holds no ResourceList")
	}
	for _, item := range parsed.Items {
		annotations, _ := at(item, "metadata", "annotations").(map[string]any)
		if _, renamed := annotations[hashAnnotation]; !renamed {
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
