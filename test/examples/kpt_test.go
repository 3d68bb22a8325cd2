//go:build !windows

package examples_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/confighash/confighash/test/support/golden"
	"github.com/confighash/confighash/test/support/harness"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/kustomize/kyaml/fn/framework"
	kyamlexec "sigs.k8s.io/kustomize/kyaml/fn/runtime/exec"
	"sigs.k8s.io/kustomize/kyaml/fn/runtime/runtimeutil"
	"sigs.k8s.io/kustomize/kyaml/kio"
	"sigs.k8s.io/kustomize/kyaml/resid"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"
	"sigs.k8s.io/yaml"
)

// examplesImage matches the image in the examples. The version does not matter to the tests, but it must be the same
// everywhere.
var examplesImage = regexp.MustCompile(`ghcr\.io/confighash/confighash:v\d+\.\d+\.\d+\b`)

// A kptExample is a package in the form of kpt's function catalogue: .expected says how to run it, and contains the
// resulting git diff.
type kptExample struct {
	name, source string
	TestType     string            `json:"testType"`
	Image        string            `json:"image"`
	Args         map[string]string `json:"args"`
}

func kptExamples(t *testing.T) []kptExample {
	t.Helper()
	configs, err := filepath.Glob(filepath.Join("..", "..", "examples", "confighash-*", ".expected", "config.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if len(configs) < 5 {
		t.Fatalf("there are %d examples, want at least 5", len(configs))
	}
	var found []kptExample
	for _, path := range configs {
		source := filepath.Dir(filepath.Dir(path))
		e := kptExample{name: filepath.Base(source), source: source}
		if err := yaml.UnmarshalStrict(harness.ReadFile(t, path), &e); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		found = append(found, e)
	}
	return found
}

// checkOut returns a copy of the example in a separate repository, edited by edit and committed. It includes .expected,
// as for anyone who gets the package; .krmignore hides that from kpt.
func (e kptExample) checkOut(t *testing.T, edit func(dir string)) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), e.name)
	if err := os.CopyFS(dir, os.DirFS(e.source)); err != nil {
		t.Fatal(err)
	}
	if edit != nil {
		edit(dir)
	}
	git(t, dir, "init", "--quiet")
	git(t, dir, "add", "--all")
	git(t, dir, "commit", "--quiet", "--message", "before")
	return dir
}

// git runs git in a folder, without the user's settings, and returns its output.
func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skipf("git is not installed: %v", err)
	}
	cmd := exec.Command("git", append([]string{"-c", "core.abbrev=7"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=test", "GIT_AUTHOR_EMAIL=test@example.com",
		"GIT_COMMITTER_NAME=test", "GIT_COMMITTER_EMAIL=test@example.com")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// checkDiff compares the changes in dir with the example's diff.patch. As newer versions of kpt than 1.0.0-beta.56
// record a rendering in the Kptfile, that file is ignored.
func (e kptExample) checkDiff(t *testing.T, dir string) {
	t.Helper()
	golden.Compare(t, filepath.Join(e.source, ".expected", "diff.patch"), git(t, dir, "diff", "--", ".", ":!Kptfile"))
}

// functionConfig returns the functionConfig that kpt would pass.
func (e kptExample) functionConfig(t *testing.T, dir string) *kyaml.RNode {
	t.Helper()
	flat := func(data map[string]string) *kyaml.RNode {
		config := kyaml.MustParse("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: function-input\n")
		config.SetDataMap(data)
		return config
	}
	if e.TestType == "eval" {
		return flat(e.Args)
	}
	var kptfile struct {
		Pipeline struct {
			Mutators []struct {
				Image, ConfigPath string
				ConfigMap         map[string]string
			}
		}
	}
	if err := yaml.Unmarshal(harness.ReadFile(t, filepath.Join(dir, "Kptfile")), &kptfile); err != nil {
		t.Fatal(err)
	}
	if n := len(kptfile.Pipeline.Mutators); n != 1 {
		t.Fatalf("the Kptfile lists %d mutators, want one", n)
	}
	mutator := kptfile.Pipeline.Mutators[0]
	if mutator.ConfigPath == "" {
		return flat(mutator.ConfigMap)
	}
	return kyaml.MustParse(string(harness.ReadFile(t, filepath.Join(dir, mutator.ConfigPath))))
}

// The packages are read and written with the library that kpt uses.
func TestKptExamples_changeAsExpectedAndOnce(t *testing.T) {
	for _, e := range kptExamples(t) {
		t.Run(e.name, func(t *testing.T) {
			dir := e.checkOut(t, nil)
			config := e.functionConfig(t, dir)
			for range 2 {
				files := &kio.LocalPackageReadWriter{
					PackagePath:        dir,
					PackageFileName:    "Kptfile",
					IncludeSubpackages: true,
					PreserveSeqIndent:  true,
				}
				function := &kyamlexec.Filter{
					Path:           harness.Binary,
					WorkingDir:     dir,
					FunctionFilter: runtimeutil.FunctionFilter{FunctionConfig: config, GlobalScope: true},
				}
				err := kio.Pipeline{Inputs: []kio.Reader{files}, Filters: []kio.Filter{function}, Outputs: []kio.Writer{files}}.Execute()
				if err != nil {
					t.Fatal(err)
				}
				e.checkDiff(t, dir)
			}
		})
	}
}

func TestKptExamples_nameOneImage(t *testing.T) {
	found := make(map[string]bool)
	err := filepath.WalkDir(filepath.Join("..", "..", "examples"), func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		for _, image := range examplesImage.FindAllString(string(harness.ReadFile(t, path)), -1) {
			found[image] = true
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"../../fn/definition.yaml", "../../docs/kpt.md"} {
		for _, image := range examplesImage.FindAllString(string(harness.ReadFile(t, path)), -1) {
			found[image] = true
		}
	}
	if len(found) != 1 {
		t.Errorf("the examples, definition.yaml and docs/kpt.md name %d images, want one: %v", len(found), found)
	}
}

// openAPISchema returns the output of `confighash schema` in terms of OpenAPI 3.0, which expresses null as nullable and
// has neither propertyNames nor if.
func openAPISchema(t *testing.T) map[string]any {
	t.Helper()
	printed, err := harness.Run(nil, harness.Binary, "schema")
	if err != nil {
		t.Fatal(err)
	}
	var schema map[string]any
	if err := json.Unmarshal(printed, &schema); err != nil {
		t.Fatal(err)
	}
	translateSchema(schema)
	return schema
}

func translateSchema(schema map[string]any) {
	for _, word := range []string{"$schema", "propertyNames", "if", "then"} {
		delete(schema, word)
	}
	if types, ok := schema["type"].([]any); ok {
		types = slices.DeleteFunc(types, func(name any) bool { return name == "null" })
		schema["type"], schema["nullable"] = types[0], true
	}
	for _, word := range []string{"items", "additionalProperties", "not"} {
		if inner, ok := schema[word].(map[string]any); ok {
			translateSchema(inner)
		}
	}
	properties, _ := schema["properties"].(map[string]any)
	for _, property := range properties {
		if inner, ok := property.(map[string]any); ok {
			translateSchema(inner)
		}
	}
}

// definition.yaml contains the schema that the function prints, after a handwritten part.
func TestKptDefinition_holdsTheSchema(t *testing.T) {
	const path, mark = "../../fn/definition.yaml", "        openAPIV3Schema:\n"
	content := string(harness.ReadFile(t, path))
	head, _, ok := strings.Cut(content, mark)
	if !ok {
		t.Fatalf("%s has no line %q", path, mark)
	}
	var schema bytes.Buffer
	encoder := kyaml.NewEncoder(&schema)
	if err := encoder.Encode(openAPISchema(t)); err != nil {
		t.Fatal(err)
	}
	want := head + mark
	for line := range strings.Lines(schema.String()) {
		want += "          " + line
	}
	golden.Compare(t, path, want)
}

// A checked is a functionConfig for kyaml to validate with a schema. S is the type of schemas.
type checked[S any] struct {
	schema S
	Spec   any `json:"spec"`
}

func checkedBy[S any](schema S) *checked[S] { return &checked[S]{schema: schema} }

func (c *checked[S]) Schema() (S, error) { return c.schema, nil }

func TestKptDefinition_acceptsWhatTheFunctionAccepts(t *testing.T) {
	definition := string(harness.ReadFile(t, "../../fn/definition.yaml"))
	gvk := resid.NewGvk("confighash.dev", "v1alpha1", "ConfigHash")
	schema, err := framework.SchemaFromFunctionDefinition(gvk, definition)
	if err != nil {
		t.Fatal(err)
	}
	const head = "apiVersion: confighash.dev/v1alpha1\nkind: ConfigHash\nmetadata:\n  name: roll\nspec:\n"
	tests := []struct {
		label, config string
		refused       string
	}{
		{"a mode", head + "  mode: Rename\n", ""},
		{"a null where there is a default", head + "  mode: Rename\n  namespace: null\n", ""},
		{"everything of the example", string(harness.ReadFile(t, "../../examples/confighash-policy/policies/confighash.yaml")), ""},
		{"no mode", head + "  policy: All\n", "spec.mode"},
		{"a mode that there is not", head + "  mode: Rname\n", "spec.mode"},
		{"an unknown field", head + "  mode: Rename\n  polcy: All\n", "spec.polcy"},
		{"a wrong type", head + "  mode: Rename\n  discover: sometimes\n", "spec.discover"},
	}
	for _, test := range tests {
		t.Run(test.label, func(t *testing.T) {
			err := framework.LoadFunctionConfig(kyaml.MustParse(test.config), checkedBy(schema))
			switch {
			case test.refused == "" && err != nil:
				t.Errorf("the definition refuses it: %v", err)
			case test.refused != "" && (err == nil || !strings.Contains(err.Error(), test.refused)):
				t.Errorf("the definition says %v, want an error about %s", err, test.refused)
			}
			file := filepath.Join(t.TempDir(), "confighash.yaml")
			if err := os.WriteFile(file, []byte(test.config), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err = harness.Run([]byte("{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n"), harness.Binary, "--config", file)
			if (err != nil) != (test.refused != "") {
				t.Errorf("the function says %v, the definition refuses %q", err, test.refused)
			}
		})
	}
}

// kpt's catalogue rejects unknown fields and tags.
func TestKptMetadata_isValidInTheCatalogue(t *testing.T) {
	var metadata struct {
		Image              string   `json:"image"`
		Description        string   `json:"description"`
		Tags               []string `json:"tags"`
		SourceURL          string   `json:"sourceURL"`
		ExamplePackageURLs []string `json:"examplePackageURLs"`
		License            string   `json:"license"`
		Hidden             bool     `json:"hidden"`
	}
	if err := yaml.UnmarshalStrict(harness.ReadFile(t, "../../fn/metadata.yaml"), &metadata); err != nil {
		t.Fatal(err)
	}
	if metadata.Image != "ghcr.io/confighash/confighash" {
		t.Errorf("the image is %s, want ghcr.io/confighash/confighash, without a tag", metadata.Image)
	}
	if diff := cmp.Diff([]string{"mutator"}, metadata.Tags); diff != "" {
		t.Errorf("tags (-want +got):\n%s", diff)
	}
	var want []string
	for _, e := range kptExamples(t) {
		want = append(want, "https://github.com/confighash/confighash/tree/main/examples/"+e.name)
		if !strings.Contains(string(harness.ReadFile(t, filepath.Join(e.source, "README.md"))), "# confighash: ") {
			t.Errorf("the README of %s has no heading of the catalogue's form", e.name)
		}
	}
	if diff := cmp.Diff(want, metadata.ExamplePackageURLs); diff != "" {
		t.Errorf("the examples (-want +metadata.yaml):\n%s", diff)
	}

	readme := string(harness.ReadFile(t, "../../fn/README.md"))
	for _, section := range []string{"Short", "Long"} {
		begin := strings.Index(readme, "<!--mdtogo:"+section+"-->\n")
		if begin < 0 || !strings.Contains(readme[begin:], "\n<!--mdtogo-->") {
			t.Errorf("README.md has no section between <!--mdtogo:%s--> and <!--mdtogo-->", section)
		}
	}
	if !strings.Contains(strings.Join(strings.Fields(readme), " "), metadata.Description) {
		t.Errorf("README.md does not say what metadata.yaml does: %q", metadata.Description)
	}
}

// All YAML in docs/kpt.md and in the function's own page is part of an example, or a valid functionConfig.
func TestKptDocs_yamlIsFromTheExamplesOrValid(t *testing.T) {
	var examples strings.Builder
	err := filepath.WalkDir(filepath.Join("..", "..", "examples"), func(path string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && strings.Contains(path, "confighash-") {
			examples.Write(harness.ReadFile(t, path))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range []string{filepath.Join("..", "..", "docs", "kpt.md"), "../../fn/README.md"} {
		for _, block := range harness.FencedBlocks(t, page, "yaml") {
			if strings.Contains(examples.String(), block) {
				continue
			}
			config := block
			if strings.HasPrefix(config, "spec:\n") {
				config = "apiVersion: confighash.dev/v1alpha1\nkind: ConfigHash\nmetadata: {name: roll}\n" + config
			}
			list := "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: []\nfunctionConfig:\n  " +
				strings.ReplaceAll(strings.TrimSpace(config), "\n", "\n  ") + "\n"
			if _, err := harness.Run([]byte(list), harness.Binary); err != nil {
				t.Errorf("%s: %v\nfor\n%s", page, err, block)
			}
		}
	}
}
