package function

import (
	"bytes"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/confighash/confighash/pkg/api/v1alpha1"
)

// summaryOfResults counts what the results of report: Full say.
func summaryOfResults(mode v1alpha1.Mode, results []Result) *Summary {
	s := &Summary{Mode: mode}
	stamped, unstamped := map[ResourceRef]bool{}, map[ResourceRef]bool{}
	named := map[string]int{}
	for _, r := range results {
		info := r.Severity == SeverityInfo
		switch {
		case r.Severity == SeverityWarning:
			s.Warnings++
		case info && r.Message == "named after its content":
			named[r.ResourceRef.Kind]++
		case info && strings.HasPrefix(r.Message, "refers to "):
			s.References++
		case info && strings.HasPrefix(r.Message, "stamped with the checksum of "):
			stamped[*r.ResourceRef] = true
		case info && strings.HasPrefix(r.Message, "removed: "):
			unstamped[*r.ResourceRef] = true
		}
	}
	for _, kind := range []string{"ConfigMap", "Secret"} {
		if named[kind] > 0 {
			s.Named = append(s.Named, Count{kind, named[kind]})
		}
	}
	s.Stamped, s.Unstamped = len(stamped), len(unstamped)
	return s
}

// For every script's input, the summary counts what the results say, and changes
// nothing else in the output.
func TestProcess_summarizesTheFullReport(t *testing.T) {
	scripts, err := filepath.Glob(filepath.Join("..", "..", "testdata", "script", "*.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	for _, script := range scripts {
		archive, err := txtar.ParseFile(script)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range archive.Files {
			if filepath.Ext(f.Name) != ".yaml" || bytes.Contains(f.Data, []byte("kind: ResourceList")) {
				continue
			}
			for _, mode := range []v1alpha1.Mode{v1alpha1.ModeRename, v1alpha1.ModeAnnotate} {
				label := filepath.Base(script) + ", " + f.Name + ", " + string(mode)
				o := Options{Config: v1alpha1.New(mode, v1alpha1.PolicyAll)}
				var plain, summarized bytes.Buffer
				want, err := Process(f.Data, &plain, o)
				if err != nil {
					continue
				}
				o.Summarize = true
				got, err := Process(f.Data, &summarized, o)
				if err != nil {
					t.Fatalf("%s: %v", label, err)
				}
				if diff := cmp.Diff(want.Messages, got.Messages) + cmp.Diff(plain.String(), summarized.String()); diff != "" {
					t.Errorf("%s: what else comes out differs (-without +with a summary):\n%s", label, diff)
				}
				o.Summarize, o.Config.Spec.Report = false, v1alpha1.ReportFull
				full, err := Process(f.Data, io.Discard, o)
				if err != nil {
					t.Fatalf("%s: %v", label, err)
				}
				counted := *got.Summary
				left := 0
				for _, reason := range counted.LeftAlone {
					left += len(reason.Resources)
				}
				counted.Resources, counted.Changed, counted.LeftAlone = 0, 0, nil
				if diff := cmp.Diff(summaryOfResults(mode, full.Results), &counted); diff != "" {
					t.Errorf("%s: (-results +summary):\n%s", label, diff)
				}
				if (got.Summary.Changed > 0) != !bytes.Equal(f.Data, plain.Bytes()) {
					t.Errorf("%s: %d changed", label, got.Summary.Changed)
				}
				if said := leftAlone(full.Results); left > said || (left == 0) != (said == 0) {
					t.Errorf("%s: %d are left alone, and %d results say so", label, left, said)
				}
				compared++
			}
		}
	}
	if compared < 100 {
		t.Errorf("only %d inputs", compared)
	}
}

// leftAlone counts the results about something left alone.
func leftAlone(results []Result) int {
	n := 0
	for _, r := range results {
		if strings.HasPrefix(r.Message, "not renamed: ") || strings.HasPrefix(r.Message, "not stamped") || strings.Contains(r.Message, " does not count: ") {
			n++
		}
	}
	return n
}

func TestProcess_groupsWhatIsLeftAlone(t *testing.T) {
	secret := func(name, rest string) string {
		return "apiVersion: v1\nkind: Secret\nmetadata: {name: " + name + "}\n" + rest + "---\n"
	}
	sealed := func(name string) string {
		return secret(name, "") + "apiVersion: bitnami.com/v1alpha1\nkind: SealedSecret\nmetadata: {name: " + name + "}\nspec: {encryptedData: {a: AgB}}\n---\n"
	}
	input := sealed("b") + sealed("a") + secret("c", "") + secret("token", "type: bootstrap.kubernetes.io/token\n") + secret("d", "") + secret("e", "")
	o := toRename()
	o.Summarize = true
	out, err := Process([]byte(input), io.Discard, o)
	if err != nil {
		t.Fatal(err)
	}
	want := &Summary{
		Mode: v1alpha1.ModeRename, Resources: 8, Warnings: 2,
		LeftAlone: []Reason{
			{Text: "nothing in the input refers to it (spec.rename.unreferenced: Keep)", Resources: []string{"Secret c", "Secret d", "Secret e", "Secret token"}},
			{Text: "a controller writes it under this name", Warned: true, Resources: []string{"Secret a", "Secret b"}},
		},
	}
	if diff := cmp.Diff(want, out.Summary); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	o.Config = nil
	list := "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nfunctionConfig: {apiVersion: confighash.dev/v1alpha1, kind: ConfigHash, metadata: {name: c}, spec: {mode: Rename}}\nitems: []\n"
	if out, err = Process([]byte(list), io.Discard, o); err != nil || out.Summary != nil {
		t.Errorf("a ResourceList has the summary %v, error %v", out.Summary, err)
	}
}
