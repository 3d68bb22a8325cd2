package properties_test

import (
	"bytes"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/confighash/confighash/test/support/gen"
	"github.com/confighash/confighash/test/support/harness"
	"github.com/confighash/confighash/test/support/property"

	"github.com/google/go-cmp/cmp"
	"github.com/kptdev/krm-functions-sdk/go/fn"
	"github.com/rogpeppe/go-internal/txtar"
	yamlv3 "go.yaml.in/yaml/v3"
	"sigs.k8s.io/kustomize/kyaml/fn/framework"
	"sigs.k8s.io/kustomize/kyaml/kio"

	"github.com/confighash/confighash/pkg/function/kpt"
	"github.com/confighash/confighash/pkg/function/kyaml"
)

// A library is a way to run the function in a program that is built on a framework for KRM functions.
type library struct {
	name string
	// run runs the function.
	run func(list []byte) ([]byte, error)
	// copy runs a function that changes nothing.
	copy func(list []byte) ([]byte, error)
	// own is the framework's generic error message.
	own string
	// reorders: the framework adds annotations to items while the function runs, so that the function's may be at
	// another place.
	reorders bool
}

var libraries = []library{
	{
		name: "kyaml",
		run:  func(list []byte) ([]byte, error) { return execute(kyaml.Processor{}, list) },
		copy: func(list []byte) ([]byte, error) {
			return execute(framework.ResourceListProcessorFunc(func(*framework.ResourceList) error { return nil }), list)
		},
		reorders: true,
	},
	{
		name: "kpt",
		run:  func(list []byte) ([]byte, error) { return fn.Run(kpt.Processor{}, list) },
		copy: func(list []byte) (out []byte, err error) {
			// As of 1.1.1 the SDK panics on an item that is an alias.
			defer func() {
				if r := recover(); r != nil {
					err = fmt.Errorf("panic: %v", r)
				}
			}()
			return fn.Run(fn.ResourceListProcessorFunc(func(*fn.ResourceList) (bool, error) { return true, nil }), list)
		},
		own: "error: function failure",
	},
}

func execute(p framework.ResourceListProcessor, list []byte) ([]byte, error) {
	var out bytes.Buffer
	err := framework.Execute(p, &kio.ByteReadWriter{Reader: bytes.NewReader(list), Writer: &out, KeepReaderAnnotations: true})
	return out.Bytes(), err
}

// TestLibraries_doWhatTheBinaryDoes runs the function in a program of each framework and as a binary, whose output goes
// through the same framework once more. The results must be the same: byte by byte or, if the framework reorders items,
// including comments.
func TestLibraries_doWhatTheBinaryDoes(t *testing.T) {
	packages := scriptPackages(t)
	for _, dir := range []string{"example", "kpt-example"} {
		packages["testdata/"+dir] = packageOnDisk(t, filepath.Join("..", "..", "testdata", dir))
	}
	for i := range property.Cases(60) {
		seed := property.Seed() + uint64(i)
		p := randomPackage(gen.Seeded(seed))
		p.anchors = false // a library expands aliases of nodes in other items
		packages[fmt.Sprintf("the package of seed %d", seed)] = []byte(p.text(nil))
	}
	for _, l := range libraries {
		t.Run(l.name, func(t *testing.T) {
			t.Parallel()
			var changed, failed, unread int
			for label, text := range packages {
				for _, mode := range []string{"", "Rename", "Annotate"} {
					list, err := asResourceList(text, mode)
					if err != nil {
						unread++
						continue
					}
					outcome, err := l.compare(list)
					if err != nil {
						t.Errorf("%s, mode %q: %v\n%s", label, mode, err, list)
					}
					switch outcome {
					case libraryChanged:
						changed++
					case libraryFailed:
						failed++
					case libraryUnread:
						unread++
					}
				}
			}
			t.Logf("of %d packages, each as it is and in either mode, %d changed, %d were refused, %d the framework cannot read", len(packages), changed, failed, unread)
			if changed < 200 || failed < 20 {
				t.Error("too little to compare")
			}
		})
	}
}

// The outcomes of a comparison.
const (
	libraryUnchanged = iota
	libraryChanged
	libraryFailed
	libraryUnread // the framework cannot read it
)

// compare runs the library and the binary on a ResourceList.
func (l library) compare(list []byte) (int, error) {
	plain, err := l.copy(list)
	if err != nil {
		return libraryUnread, nil //nolint:nilerr // nothing to compare
	}
	var said bytes.Buffer
	cmd := exec.Command(harness.Binary)
	cmd.Stdin, cmd.Stderr = bytes.NewReader(list), &said
	printed, wantErr := cmd.Output()
	if len(printed) == 0 {
		return libraryUnread, nil // not a ResourceList for the binary
	}
	want, err := l.copy(printed)
	if err != nil {
		return libraryUnread, fmt.Errorf("the binary's output: %w", err)
	}
	got, gotErr := l.run(list)
	switch {
	case wantErr == nil && gotErr != nil && bytes.Contains(list, []byte("granularity: Key")):
		return libraryFailed, nil // nodes cannot be added
	case wantErr == nil && gotErr != nil:
		return libraryFailed, fmt.Errorf("the library's error is %w, the binary has none", gotErr)
	case wantErr != nil && gotErr == nil:
		return libraryFailed, fmt.Errorf("the library has no error, the binary says %s", &said)
	}
	shown := withoutPlaces
	if l.reorders {
		shown = canonicalYAML
	}
	if yamlv3.Unmarshal(want, new(any)) != nil {
		return libraryUnread, nil // the framework has put an alias before its anchor
	}
	if diff := cmp.Diff(shown(want), shown(got)); diff != "" && !differInPlacesOfComments(want, got) {
		return libraryChanged, errors.New("(-binary +library):\n" + diff)
	}
	switch {
	case gotErr != nil:
		return libraryFailed, l.compareErrors(said.String(), gotErr)
	case bytes.Equal(plain, got):
		return libraryUnchanged, nil
	}
	return libraryChanged, nil
}

// compareErrors compares the binary's stderr with the library's error.
func (l library) compareErrors(said string, err error) error {
	if l.own != "" {
		if err.Error() != l.own {
			return fmt.Errorf("the error is %w", err)
		}
		return nil
	}
	// The binary prefixes each sentence with the functionConfig.
	stderr := regexp.MustCompile(`\nerror: (Config(Hash|Map) "[^"]*": )?`).ReplaceAllString("\n"+strings.TrimSpace(said), "\n")
	return asError(cmp.Diff(withoutPlaces([]byte(stderr)), withoutPlaces([]byte("\n"+strings.TrimSpace(err.Error())))))
}

func asError(diff string) error {
	if diff == "" {
		return nil
	}
	return errors.New("errors (-binary +library):\n" + diff)
}

// places matches the places of items without a name in messages: only the binary has lines.
var places = regexp.MustCompile(`lines \d+ and \d+|items\[\d+\] and items\[\d+\]|line \d+|items\[\d+\]`)

func withoutPlaces(text []byte) string {
	return places.ReplaceAllString(string(text), "HERE")
}

// differInPlacesOfComments reports whether two texts have the same lines and the same meaning. A comment with a blank
// line below belongs to the entry above for yaml.v3; the binary adds an entry above it, and a library one below.
func differInPlacesOfComments(want, got []byte) bool {
	lines := func(text []byte) []string {
		all := strings.Split(withoutPlaces(text), "\n")
		slices.Sort(all)
		return slices.Compact(all)
	}
	meaning := func(text []byte) string { return comments.ReplaceAllString(canonicalYAML(text), "") }
	return slices.Equal(lines(want), lines(got)) && meaning(want) == meaning(got)
}

// comments matches the comments in canonical YAML.
var comments = regexp.MustCompile(`(?m) comments .*$`)

// canonicalYAML returns the meaning of YAML and its comments, with sorted keys and regardless of style.
func canonicalYAML(text []byte) string {
	var document yamlv3.Node
	if err := yamlv3.Unmarshal([]byte(withoutPlaces(text)), &document); err != nil {
		return err.Error() + "\n" + string(text)
	}
	var b strings.Builder
	canonicalNode(&b, &document, "")
	return b.String()
}

func canonicalNode(b *strings.Builder, n *yamlv3.Node, at string) {
	fmt.Fprintf(b, "%s: %s %q anchor %q comments %q %q %q\n", at, n.ShortTag(), n.Value, n.Anchor, n.HeadComment, n.LineComment, n.FootComment)
	if n.Kind != yamlv3.MappingNode {
		for i, child := range n.Content {
			canonicalNode(b, child, fmt.Sprintf("%s[%d]", at, i))
		}
		return
	}
	var entries []string
	for i := 0; i+1 < len(n.Content); i += 2 {
		var entry strings.Builder
		canonicalNode(&entry, n.Content[i], at+"."+n.Content[i].Value+" key")
		canonicalNode(&entry, n.Content[i+1], at+"."+n.Content[i].Value)
		entries = append(entries, entry.String())
	}
	slices.Sort(entries)
	b.WriteString(strings.Join(entries, ""))
}

// asResourceList returns the resources of a ResourceList or a stream as a ResourceList without results, with mode in
// its functionConfig if it has one.
func asResourceList(text []byte, mode string) ([]byte, error) {
	items := &yamlv3.Node{Kind: yamlv3.SequenceNode}
	config := &yamlv3.Node{}
	decoder := yamlv3.NewDecoder(bytes.NewReader(text))
	for first := true; ; first = false {
		var document yamlv3.Node
		if err := decoder.Decode(&document); err != nil {
			if first || err.Error() != "EOF" {
				return nil, err
			}
			break
		}
		root := document.Content[0]
		if given := entryOf(root, "functionConfig"); given != nil && mode == "" {
			config = given
		}
		if kind := entryOf(root, "kind"); kind == nil || kind.Value != "ResourceList" {
			items.Content = append(items.Content, root)
		} else if listed := entryOf(root, "items"); listed != nil {
			items.Content = listed.Content
		}
	}
	switch {
	case mode != "":
		if err := config.Encode(map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "config"}, "data": map[string]any{"mode": mode}}); err != nil {
			return nil, err
		}
	case config.Kind == 0:
		return nil, errors.New("there is no functionConfig")
	}
	var list yamlv3.Node
	if err := list.Encode(map[string]any{"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList"}); err != nil {
		return nil, err
	}
	for _, e := range []struct {
		key   string
		value *yamlv3.Node
	}{{"functionConfig", config}, {"items", items}} {
		list.Content = append(list.Content, &yamlv3.Node{Kind: yamlv3.ScalarNode, Value: e.key}, e.value)
	}
	return yamlv3.Marshal(&list)
}

// entryOf returns the value of a key of a mapping, nil if it is missing.
func entryOf(n *yamlv3.Node, key string) *yamlv3.Node {
	for i := 0; n.Kind == yamlv3.MappingNode && i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}

// scriptPackages returns the manifests in testdata/script.
func scriptPackages(t *testing.T) map[string][]byte {
	t.Helper()
	scripts, err := filepath.Glob(filepath.Join("..", "..", "testdata", "script", "*.txtar"))
	if err != nil || len(scripts) == 0 {
		t.Fatalf("scripts are %v, %v", scripts, err)
	}
	packages := map[string][]byte{}
	for _, script := range scripts {
		archive, err := txtar.ParseFile(script)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range archive.Files {
			if strings.Contains(f.Name, "want") || filepath.Ext(f.Name) != ".yaml" {
				continue
			}
			packages[filepath.Base(script)+" "+f.Name] = f.Data
		}
	}
	return packages
}

// packageOnDisk returns a package as kpt reads it from a folder.
func packageOnDisk(t *testing.T, dir string) []byte {
	t.Helper()
	nodes, err := kio.LocalPackageReader{PackagePath: dir, MatchFilesGlob: append([]string{"Kptfile"}, kio.DefaultMatch...)}.Read()
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	w := kio.ByteWriter{Writer: &b, KeepReaderAnnotations: true}
	if err := w.Write(nodes); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestLibraries_doNotLinkEachOther checks that a program links only what it uses, and the binary neither
// framework.
func TestLibraries_doNotLinkEachOther(t *testing.T) {
	const (
		module         = "github.com/confighash/confighash/"
		kyamlFramework = "sigs.k8s.io/kustomize/kyaml/fn/framework"
		sdk            = "github.com/kptdev/krm-functions-sdk/go/fn"
	)
	for _, test := range []struct {
		program string
		links   []string
		not     []string
	}{
		{"fn", nil, []string{kyamlFramework, sdk}},
		{"pkg/function", nil, []string{kyamlFramework, sdk, "sigs.k8s.io/kustomize/kyaml/kio"}},
		{"pkg/function/kyaml", []string{kyamlFramework}, []string{sdk}},
		{"pkg/function/kpt", []string{sdk}, []string{module + "pkg/function/kyaml"}},
	} {
		out, err := harness.Run(nil, "go", "list", "-deps", module+test.program)
		if err != nil {
			t.Fatal(err)
		}
		linked := strings.Split(string(out), "\n")
		for _, path := range test.links {
			if !slices.Contains(linked, path) {
				t.Errorf("%s does not link %s", test.program, path)
			}
		}
		for _, path := range test.not {
			if slices.Contains(linked, path) {
				t.Errorf("%s links %s", test.program, path)
			}
		}
	}
}
