package usage

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/test/support/property"
)

// Values consist of letters that occur nowhere else.
const marker = "qxz"

var (
	someName      = rapid.SampledFrom([]string{"a", "b", "c", "kube-root-ca.crt"})
	someNamespace = rapid.SampledFrom([]string{"", "n, namespace: shop", "n, namespace: ops"})
	someKey       = rapid.SampledFrom([]string{"k", "l", "m"})
	someOption    = rapid.SampledFrom([]string{"", ", optional: true"})
)

// metadata draws the metadata of a resource.
func metadata(t *rapid.T, name string) string {
	return "{name: " + name + strings.TrimPrefix(someNamespace.Draw(t, "namespace"), "n") + "}"
}

// someManifests draws a stream of distinct resources.
var someManifests = rapid.Custom(func(t *rapid.T) string {
	var all []string
	seen := map[string]bool{}
	add := func(head, meta, rest string) {
		if !seen[head+meta] {
			seen[head+meta] = true
			all = append(all, head+"\nmetadata: "+meta+"\n"+rest)
		}
	}
	for range rapid.IntRange(0, 8).Draw(t, "objects") {
		meta := metadata(t, someName.Draw(t, "name"))
		switch rapid.IntRange(0, 4).Draw(t, "kind") {
		case 0, 1:
			add("apiVersion: v1\nkind: ConfigMap", meta, fmt.Sprintf("data: {%s: %s1, ssl-certificate: %s/%s}\n", someKey.Draw(t, "key"), marker, marker, marker))
		case 2:
			add("apiVersion: v1\nkind: Secret", meta, fmt.Sprintf("stringData: {%s: %s2}\n", someKey.Draw(t, "key"), marker))
		case 3:
			add("apiVersion: bitnami.com/v1alpha1\nkind: SealedSecret", meta, fmt.Sprintf("spec: {encryptedData: {%s: %s3}}\n", someKey.Draw(t, "key"), marker))
		case 4:
			add("apiVersion: external-secrets.io/v1\nkind: ExternalSecret", meta, fmt.Sprintf(
				"spec: {target: {name: %s, template: {templateFrom: [{configMap: {name: %s, items: [{key: %s}]}}]}}}\n",
				someName.Draw(t, "name"), someName.Draw(t, "name"), someKey.Draw(t, "key")))
		}
	}
	for range rapid.IntRange(0, 4).Draw(t, "users") {
		meta := metadata(t, someName.Draw(t, "name"))
		switch rapid.IntRange(0, 3).Draw(t, "kind") {
		case 0:
			add("apiVersion: networking.k8s.io/v1\nkind: Ingress", meta, "spec: {tls: [{secretName: "+someName.Draw(t, "name")+"}]}\n")
		case 1:
			add("apiVersion: cert-manager.io/v1\nkind: Certificate", meta, "spec: {secretName: "+someName.Draw(t, "name")+"}\n")
		default:
			add("apiVersion: apps/v1\nkind: Deployment", meta, "spec: {template: {spec: "+podSpec(t)+"}}\n")
		}
	}
	return strings.Join(rapid.Permutation(all).Draw(t, "order"), "---\n")
})

func podSpec(t *rapid.T) string {
	var env, envFrom, mounts, volumes []string
	for i := range rapid.IntRange(0, 6).Draw(t, "references") {
		kind, of := "configMap", "name"
		if rapid.Bool().Draw(t, "secret") {
			kind, of = "secret", "secretName"
		}
		name, key, optional := someName.Draw(t, "name"), someKey.Draw(t, "key"), someOption.Draw(t, "optional")
		switch rapid.IntRange(0, 4).Draw(t, "way") {
		case 0:
			env = append(env, fmt.Sprintf("{name: E%d, valueFrom: {%sKeyRef: {name: %s, key: %s%s}}}", i, kind, name, key, optional))
		case 1:
			envFrom = append(envFrom, fmt.Sprintf("{%sRef: {name: %s%s}}", kind, name, optional))
		case 2:
			mounts = append(mounts, fmt.Sprintf("{name: v%d, mountPath: /%d, subPath: %s}", i, i, key))
			fallthrough
		case 3:
			mounts = append(mounts, fmt.Sprintf("{name: v%d, mountPath: /m%d}", i, i))
			fallthrough
		default:
			items := ""
			if rapid.Bool().Draw(t, "items") {
				items = fmt.Sprintf(", items: [{key: %s, path: p}]", key)
			}
			volumes = append(volumes, fmt.Sprintf("{name: v%d, %s: {%s: %s%s%s}}", i, kind, of, name, items, optional))
		}
	}
	return fmt.Sprintf("{volumes: [%s], containers: [{name: c, env: [%s], envFrom: [%s], volumeMounts: [%s]}]}",
		strings.Join(volumes, ", "), strings.Join(env, ", "), strings.Join(envFrom, ", "), strings.Join(mounts, ", "))
}

func TestNew_hasEachUseAndNoValue(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		manifests := someManifests.Draw(t, "manifests")
		g := read(t, manifests)
		drawn, err := New(g, catalog.Builtin())
		if err != nil {
			t.Fatal(err)
		}
		type way struct {
			from, to string
			via      catalog.Via
			consumed bool
		}
		edges := map[way]Edge{}
		for _, e := range drawn.Edges {
			at := way{e.From, e.To, e.Via, e.Consumed}
			if _, twice := edges[at]; twice {
				t.Fatalf("two edges for %v", at)
			}
			edges[at] = e
		}
		id := func(group, kind, namespace, name string) string {
			return strings.TrimSuffix(kind+"."+group, ".") + " " + strings.TrimPrefix(namespace+"/"+name, "/")
		}
		keys := map[way][]string{} // taken by some use
		whole := map[way]bool{}    // taken as a whole
		for _, r := range g.Resources {
			uses, err := NewFinder(g).Of(r)
			if err != nil {
				t.Fatal(err)
			}
			for _, u := range uses {
				at := way{
					id(r.Group, r.Kind, g.NamespaceOf(r), r.Name),
					id(u.Object.Group, u.Object.Kind, g.NamespaceOf(u.Object), u.Object.Name), u.Via, u.Consumed,
				}
				e, ok := edges[at]
				if !ok {
					t.Fatalf("%v is not an edge of\n%s", at, described(drawn))
				}
				if e.Optional && !u.Ref.Optional {
					t.Fatalf("%v is optional, and %s is not", at, u.Ref.At.Path)
				}
				whole[at] = whole[at] || u.Keys == nil
				keys[at] = append(keys[at], u.Keys...)
			}
		}
		objects := map[string]*Object{}
		for i := range drawn.Objects {
			objects[drawn.Objects[i].ID] = &drawn.Objects[i]
		}
		used := map[string]bool{}
		for at, e := range edges {
			o := objects[at.to]
			if o == nil {
				t.Fatalf("%v leads to no object", at)
			}
			used[at.to] = true
			if !whole[at] && keys[at] == nil { // the object is not in the set
				if !o.Missing && !o.Known && len(o.MadeBy) == 0 {
					t.Fatalf("%v is not a use, and the object is there", at)
				}
				continue
			}
			if o.Missing {
				t.Fatalf("%v is missing", at)
			}
			slices.Sort(keys[at])
			if want := slices.Compact(keys[at]); whole[at] != (e.Keys == nil) || !whole[at] && !slices.Equal(want, e.Keys) {
				t.Fatalf("%v has the keys %q, want %q (all: %v)", at, e.Keys, want, whole[at])
			}
		}
		for name, o := range objects {
			if o.Unused && used[name] || o.Missing && !used[name] || o.Missing && o.Unused {
				t.Fatalf("%s: missing %v, unused %v, used %v", name, o.Missing, o.Unused, used[name])
			}
		}
		text, err := json.Marshal(drawn)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), marker) {
			t.Fatalf("a value is in the graph: %s", text)
		}
		// The order of the set does not matter.
		documents := strings.Split(manifests, "---\n")
		slices.Reverse(documents)
		if again := described(draw(t, strings.Join(documents, "---\n"))); again != described(drawn) {
			t.Fatalf("in another order:\n%s\n%s", described(drawn), again)
		}
	})
}

// Each ID belongs to one node, and each edge leads from one node to another.
func TestNew_idsAreDistinct(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		hostile := rapid.SampledFrom([]string{"a", "b", "a/b", "b/a", ""})
		var documents []string
		for range rapid.IntRange(0, 12).Draw(t, "resources") {
			documents = append(documents, fmt.Sprintf("apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: %q, namespace: %q}\nspec: {template: {spec: {containers: [{envFrom: [{configMapRef: {name: a}}]}]}}}\n",
				hostile.Draw(t, "name"), hostile.Draw(t, "namespace")))
		}
		drawn := draw(t, strings.Join(documents, "---\n"))
		ids := map[string]int{}
		for i := range drawn.Workloads {
			ids[drawn.Workloads[i].ID]++
		}
		for i := range drawn.Objects {
			ids[drawn.Objects[i].ID]++
		}
		for id, n := range ids {
			if n != 1 {
				t.Fatalf("%q is the ID of %d nodes", id, n)
			}
		}
		for _, e := range drawn.Edges {
			if ids[e.From] != 1 || ids[e.To] != 1 {
				t.Fatalf("%q -> %q leads from nowhere, or there", e.From, e.To)
			}
		}
	})
}
