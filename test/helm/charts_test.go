package helm_test

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/confighash/confighash/test/support/golden"
	"github.com/confighash/confighash/test/support/harness"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"sigs.k8s.io/kustomize/api/hasher"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"
	"sigs.k8s.io/yaml"
)

// forEachChart runs a check on every chart, rendered once.
func forEachChart(t *testing.T, check func(t *testing.T, c chart, rendered string)) {
	t.Helper()
	for _, c := range charts(t) {
		t.Run(c.label, func(t *testing.T) {
			check(t, c, c.render(t))
		})
	}
}

// A renaming is an object that Rename gave another name.
type renaming struct {
	kind, before, now string
}

// renamings returns the renamed objects in an output, by new name.
func renamings(t *testing.T, out []harness.Object) map[string]renaming {
	t.Helper()
	found := map[string]renaming{}
	for _, o := range out {
		suffix := harness.StringAt(o, "metadata", "annotations", harness.HashAnnotation)
		if suffix == "" {
			continue
		}
		before, ok := strings.CutSuffix(o.Name(), "-"+suffix)
		if !ok {
			t.Fatalf("%s has the annotation %s: %s, which its name does not end in", o.Identity(), harness.HashAnnotation, suffix)
		}
		if already, ok := found[o.Name()]; ok {
			t.Fatalf("%s and the %s are both renamed to one name", o.Identity(), already.kind)
		}
		found[o.Name()] = renaming{o.Kind(), before, o.Name()}
	}
	return found
}

// onlyOwnLines checks that out equals in, except for the function's own lines, and lines that undo converts back.
func onlyOwnLines(in, out string, own func(line string) bool, undo func(before, now string) bool) error {
	was := strings.Split(in, "\n")
	for n, now := range strings.Split(out, "\n") {
		switch {
		case len(was) > 0 && (now == was[0] || undo(was[0], now)):
			was = was[1:]
		case own(now):
		case len(was) == 0:
			return fmt.Errorf("line %d, %q, was not there", n+1, now)
		default:
			return fmt.Errorf("line %d is %q, was %q", n+1, now, was[0])
		}
	}
	if len(was) > 0 {
		return fmt.Errorf("%q and what follows is not there any more", was[0])
	}
	return nil
}

// dropAnnotation removes an annotation from an object or pod template, and the annotations if they become empty.
func dropAnnotation(from map[string]any, key string) {
	metadata, _ := from["metadata"].(map[string]any)
	annotations, _ := metadata["annotations"].(map[string]any)
	delete(annotations, key)
	if len(annotations) == 0 {
		delete(metadata, "annotations")
	}
	if len(metadata) == 0 {
		delete(from, "metadata")
	}
}

func TestCharts_rename_changesOnlyNamesAndTheirReferences(t *testing.T) {
	forEachChart(t, func(t *testing.T, c chart, rendered string) {
		out := filter(t, rendered, "Rename")
		want, got := parseManifests(t, rendered), parseManifests(t, out)
		renamed := renamings(t, got)

		var names []string
		for _, r := range renamed {
			names = append(names, r.kind+" "+r.before)
		}
		slices.Sort(names)
		if diff := cmp.Diff(c.renamed, names, cmpopts.EquateEmpty()); diff != "" && !c.unknown {
			t.Errorf("other objects are renamed (-want +got):\n%s", diff)
		}

		former := func(s string) string {
			if r, ok := renamed[s]; ok {
				return r.before
			}
			return s
		}
		for _, all := range [][]harness.Object{want, got} {
			for _, o := range all {
				dropAnnotation(o, harness.HashAnnotation)
			}
		}
		if diff := cmp.Diff(want, got, cmp.Transformer("former", func(s string) formerName { return formerName(former(s)) })); diff != "" {
			t.Errorf("more than names has changed (-rendered +filtered):\n%s", diff)
		}

		var replacements []string
		for _, r := range renamed {
			replacements = append(replacements, r.now, r.before)
		}
		formerNames := strings.NewReplacer(replacements...)
		emptied := regexp.MustCompile(`\{` + harness.HashAnnotation + `: "?[a-z0-9]+"?\}`)
		ownLine := regexp.MustCompile(`^ +(annotations:|` + harness.HashAnnotation + `: "?[a-z0-9]+"?)$`)
		err := onlyOwnLines(rendered, out, ownLine.MatchString, func(before, now string) bool {
			return before == formerNames.Replace(emptied.ReplaceAllString(now, "{}"))
		})
		if err != nil {
			t.Error(err)
		}
	})
}

// A formerName is a string with the former name of a renamed object.
type formerName string

func TestCharts_rename_podsConsumeTheSameObjects(t *testing.T) {
	forEachChart(t, func(t *testing.T, _ chart, rendered string) {
		want, got := parseManifests(t, rendered), parseManifests(t, filter(t, rendered, "Rename"))
		renamed := renamings(t, got)
		for i, o := range want {
			w, runsPods := workloads[o.Kind()]
			if !runsPods {
				continue
			}
			former := map[use]bool{}
			for u := range consumedBy(t, got[i], w) {
				before := u
				if r, ok := renamed[u.name]; ok && r.kind == u.kind {
					before.name = r.before
				}
				former[before] = true
				if hasSource(want, before) && !hasSource(got, u) {
					t.Errorf("%s consumes the %s %s, which has another name now", o.Identity(), u.kind, u.name)
				}
			}
			if diff := cmp.Diff(consumedBy(t, o, w), former); diff != "" {
				t.Errorf("%s consumes other objects (-rendered +filtered):\n%s", o.Identity(), diff)
			}
		}
	})
}

// hasSource reports whether all includes the object of a use.
func hasSource(all []harness.Object, u use) bool {
	return slices.ContainsFunc(all, func(o harness.Object) bool {
		return isSource(o) && o.Kind() == u.kind && placeOf(o) == u.namespace && o.Name() == u.name
	})
}

// The webhook fills the Secret named by --secret-name, and a hook that runs before the apply reads the settings.
func TestCharts_rename_keepsNamesThatProgramsRead(t *testing.T) {
	out, said := filterAndListen(t, ownChart("shop").render(t), "Rename")
	for _, name := range []string{"demo-webhook-tls", "demo-settings"} {
		if !strings.Contains(out, "  name: "+name+"\n") || strings.Contains(out, name+"-") {
			t.Errorf("%s does not keep its name in\n%s", name, out)
		}
	}
	if want := "warning: ConfigMap prod/demo-settings: not renamed: Job demo-migrate refers to it"; !strings.Contains(said, want) {
		t.Errorf("no %q in\n%s", want, said)
	}
}

func TestCharts_rename_namesAsKustomizeHashes(t *testing.T) {
	forEachChart(t, func(t *testing.T, _ chart, rendered string) {
		before := map[string]harness.Object{}
		for _, o := range parseManifests(t, rendered) {
			before[o.Kind()+" "+o.Name()] = o
		}
		for _, r := range renamings(t, parseManifests(t, filter(t, rendered, "Rename"))) {
			text, err := yaml.Marshal(before[r.kind+" "+r.before])
			if err != nil {
				t.Fatal(err)
			}
			suffix, err := (&hasher.Hasher{}).Hash(kyaml.MustParse(string(text)))
			if err != nil {
				t.Fatal(err)
			}
			if want := r.before + "-" + suffix; r.now != want {
				t.Errorf("%s %s is renamed to %s, kustomize would say %s", r.kind, r.before, r.now, want)
			}
		}
	})
}

func TestCharts_again_changesNothing(t *testing.T) {
	for _, mode := range []string{"Rename", "Annotate"} {
		t.Run(mode, func(t *testing.T) {
			forEachChart(t, func(t *testing.T, _ chart, rendered string) {
				once := filter(t, rendered, mode)
				if diff := cmp.Diff(once, filter(t, rendered, mode)); diff != "" {
					t.Errorf("the same input gives something else (-first +second):\n%s", diff)
				}
				if diff := cmp.Diff(once, filter(t, once, mode)); diff != "" {
					t.Errorf("a second run changes the first one's output (-once +twice):\n%s", diff)
				}
			})
		})
	}
}

// The chart web as rendered by helm and as passed on by the function, for comparison.
func TestCharts_web_isAsShown(t *testing.T) {
	rendered := ownChart("web").render(t)
	tests := []struct {
		file, text string
	}{
		{"web.yaml", rendered},
		{"web.rename.yaml", filter(t, rendered, "Rename")},
		{"web.annotate.yaml", filter(t, rendered, "Annotate")},
	}
	for _, test := range tests {
		t.Run(test.file, func(t *testing.T) {
			golden.Compare(t, filepath.Join("..", "..", "testdata", "charts", test.file), test.text)
		})
	}
}
