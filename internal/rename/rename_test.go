package rename

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/edit"
	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/manifest"
	"github.com/confighash/confighash/internal/policy"
	"github.com/confighash/confighash/internal/reference"
	"github.com/confighash/confighash/pkg/api/v1alpha1"
)

func planOf(t *testing.T, manifests string, change func(*v1alpha1.Spec)) (*Plan, error) {
	t.Helper()
	in, err := manifest.Split([]byte(manifests))
	if err != nil {
		t.Fatal(err)
	}
	c := catalog.Builtin()
	b := &graph.Builder{Catalog: c, Finder: reference.NewFinder(c)}
	_, found, err := manifest.Parse(in, b.Build)
	if err != nil {
		t.Fatal(err)
	}
	spec := v1alpha1.New(v1alpha1.ModeRename, "").Spec
	if change != nil {
		change(&spec)
	}
	g := graph.New(slices.Concat(found...), "default")
	p, err := policy.New(g, c, &spec)
	if err != nil {
		t.Fatal(err)
	}
	return New(g, p, &spec, nil)
}

// describe lists the edits of a plan, one per line.
func describe(p *Plan) []string {
	var lines []string
	byLine := func(a, b *graph.Resource) int { return a.Line - b.Line }
	for _, r := range slices.SortedFunc(maps.Keys(p.Edits), byLine) {
		for _, e := range p.Edits[r] {
			switch e := e.(type) {
			case edit.SetScalar:
				values := slices.Concat([]string{e.Value}, e.More)
				lines = append(lines, fmt.Sprintf("%s: %s = %s", r, e.At.Path, strings.Join(values, " and ")))
			case edit.SetEntry:
				lines = append(lines, fmt.Sprintf("%s: %s[%s] = %s", r, e.Parent, e.Key, e.Value))
			case edit.RemoveEntry:
				lines = append(lines, fmt.Sprintf("%s: %s[%s] removed", r, e.Parent, e.Key))
			}
		}
	}
	return lines
}

const app = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: app}\ndata: {a: b}\n---\n"

func TestNew_plansEdits(t *testing.T) {
	const pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {volumes: [{name: v, configMap: {name: app}}]}\n"
	for _, tc := range []struct {
		label, manifests string
		change           func(*v1alpha1.Spec)
		want             []string
	}{
		{
			"an object and a reference", app + pod, nil,
			[]string{
				"ConfigMap app: metadata.name = app-4h2mbtbbt6",
				"ConfigMap app: metadata.annotations[confighash.dev/hash] = 4h2mbtbbt6",
				"Pod p: spec.volumes[0].configMap.name = app-4h2mbtbbt6",
			},
		},
		{"nothing refers to it", app, nil, nil},
		{
			"nothing refers to it, and it is asked for", app,
			func(s *v1alpha1.Spec) { s.Rename.Unreferenced = v1alpha1.UnreferencedRename },
			[]string{
				"ConfigMap app: metadata.name = app-4h2mbtbbt6",
				"ConfigMap app: metadata.annotations[confighash.dev/hash] = 4h2mbtbbt6",
			},
		},
		{
			"an ignored workload does not cause a rename, but its references follow", app + strings.Replace(pod, "{name: p}", "{name: p, annotations: {confighash.dev/ignore: 'true'}}", 1),
			nil, nil,
		},
		{
			"done already", strings.Replace(app, "{name: app}", "{name: app-4h2mbtbbt6, annotations: {confighash.dev/hash: 4h2mbtbbt6}}", 1) +
				strings.Replace(pod, "{name: app}", "{name: app-4h2mbtbbt6}", 1), nil, nil,
		},
		{
			"immutable and annotations, in order", app,
			func(s *v1alpha1.Spec) {
				s.Rename = v1alpha1.Rename{Unreferenced: v1alpha1.UnreferencedRename, Immutable: true, Annotations: map[string]string{"b/b": "2", "a/a": "1"}}
			},
			[]string{
				"ConfigMap app: metadata.name = app-4h2mbtbbt6",
				"ConfigMap app: metadata.annotations[confighash.dev/hash] = 4h2mbtbbt6",
				"ConfigMap app: metadata.annotations[a/a] = 1",
				"ConfigMap app: metadata.annotations[b/b] = 2",
				"ConfigMap app: [immutable] = true",
			},
		},
		{
			"several names in one value", app + strings.ReplaceAll(app, "name: app", "name: other") +
				"apiVersion: v1\nkind: Service\nmetadata: {name: s, annotations: {konghq.com/ca-certificates-configmaps: 'app, none,other'}}\n", nil,
			[]string{
				"ConfigMap app: metadata.name = app-4h2mbtbbt6",
				"ConfigMap app: metadata.annotations[confighash.dev/hash] = 4h2mbtbbt6",
				"ConfigMap other: metadata.name = other-4h2mbtbbt6",
				"ConfigMap other: metadata.annotations[confighash.dev/hash] = 4h2mbtbbt6",
				`Service s: metadata.annotations["konghq.com/ca-certificates-configmaps"] = app-4h2mbtbbt6, none,other-4h2mbtbbt6`,
			},
		},
		{
			"the kind of a parameter stands in another object",
			app + "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: p}\nspec: {paramKind: {apiVersion: v1, kind: ConfigMap}}\n---\n" +
				"apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicyBinding\nmetadata: {name: b}\nspec: {policyName: p, paramRef: {name: app, namespace: default}}\n---\n" +
				"apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicyBinding\nmetadata: {name: other}\nspec: {policyName: q, paramRef: {name: app, namespace: default}}\n", nil,
			[]string{
				"ConfigMap app: metadata.name = app-4h2mbtbbt6",
				"ConfigMap app: metadata.annotations[confighash.dev/hash] = 4h2mbtbbt6",
				"ValidatingAdmissionPolicyBinding b: spec.paramRef.name = app-4h2mbtbbt6",
			},
		},
	} {
		t.Run(tc.label, func(t *testing.T) {
			p, err := planOf(t, tc.manifests, tc.change)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, describe(p)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestNew_namesObjectsAfterThoseTheyReferTo(t *testing.T) {
	chain := "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: %s, namespace: n}\ndata: {proxy-set-headers: %s, own: x}\n---\n"
	// c -> b -> a, in an order that does not begin with either end.
	manifests := fmt.Sprintf(chain, "b", "n/a") + fmt.Sprintf(chain, "c", "n/b") + strings.Replace(app, "{name: app}", "{name: a, namespace: n}", 1)
	all := func(s *v1alpha1.Spec) { s.Rename.Unreferenced = v1alpha1.UnreferencedRename }
	before, err := planOf(t, manifests, all)
	if err != nil {
		t.Fatal(err)
	}
	after, err := planOf(t, strings.Replace(manifests, "{a: b}", "{a: c}", 1), all)
	if err != nil {
		t.Fatal(err)
	}
	names := func(p *Plan) map[string]string {
		m := map[string]string{}
		for r, name := range p.Names {
			m[r.Name] = name
		}
		return m
	}
	was, is := names(before), names(after)
	for _, name := range []string{"a", "b", "c"} {
		if was[name] == is[name] || !strings.HasPrefix(is[name], name+"-") {
			t.Errorf("%s is named %s and then %s; a change at the end of the chain changes all", name, was[name], is[name])
		}
	}
}

func TestNew_reportsEveryError(t *testing.T) {
	_, err := planOf(t, strings.Replace(app, "{a: b}", "[a]", 1)+
		"apiVersion: v1\nkind: Secret\nmetadata: {name: s}\ndata: {a: {b: c}}\n---\n"+
		"apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {volumes: [{name: v, configMap: {name: app}}, {name: w, secret: {secretName: s}}]}\n", nil)
	want := "ConfigMap app: data must be a mapping of keys to strings\n" +
		`Secret s: data: the value of "a" is not a string; quote it, or write it as a block`
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestNew_keepsTheOptionsThatArgoCDReads(t *testing.T) {
	for _, tc := range []struct{ label, has, want string }{
		{"none", "", "Prune=false"},
		{"others", "ServerSideApply=true,Validate=false", "ServerSideApply=true,Validate=false,Prune=false"},
		{"the same one", "Prune=confirm, ServerSideApply=true", " ServerSideApply=true,Prune=false"},
		{"of an earlier run", "ServerSideApply=true,Prune=false", "ServerSideApply=true,Prune=false"},
	} {
		t.Run(tc.label, func(t *testing.T) {
			if got := withOptions("argocd.argoproj.io/sync-options", tc.has, "Prune=false"); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
			if got := withOptions("example.com/any", tc.has, "Prune=false"); got != "Prune=false" {
				t.Errorf("another annotation gets %q", got)
			}
		})
	}
}
