package properties_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"

	"github.com/confighash/confighash/pkg/api/v1alpha1"
	"github.com/confighash/confighash/pkg/function"
)

// A history is a state of sources over time: three objects, each with one of a few contents or none, and two workloads
// that use the existing objects in their namespaces.
type history struct {
	contents [3]int // -1: the object is gone
	image    int
}

var historyObjects = [3]struct{ kind, namespace, name, field string }{
	{"ConfigMap", "prod", "app", "data"},
	{"Secret", "prod", "app", "stringData"},
	{"ConfigMap", "dev", "app", "data"},
}

func (h history) items() []string {
	var items []string
	for i, o := range historyObjects {
		if h.contents[i] >= 0 {
			items = append(items, fmt.Sprintf("apiVersion: v1\nkind: %s\nmetadata:\n  name: %s # %d\n  namespace: %s\n\n%s:\n  \"k\": 'v%d'\n  l: |\n    a\n\n      b\n",
				o.kind, o.name, h.contents[i], o.namespace, o.field, h.contents[i]))
		}
	}
	for _, namespace := range []string{"prod", "dev"} {
		from := ""
		for i, o := range historyObjects {
			if o.namespace == namespace && h.contents[i] >= 0 {
				from += fmt.Sprintf("        - %s: {name: %s}\n", map[string]string{"ConfigMap": "configMapRef", "Secret": "secretRef"}[o.kind], o.name)
			}
		}
		if from != "" {
			from = "        envFrom:\n" + from
		}
		items = append(items, fmt.Sprintf("apiVersion: batch/v1\nkind: Job\nmetadata: {name: migrate, namespace: %s}\nspec:\n  template:\n    metadata:\n      labels: {chart: c-%d}\n    spec:\n      containers:\n      - name: c\n        image: i\n%s",
			namespace, h.image, from), fmt.Sprintf("apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: %s}\nspec:\n  template:\n    spec:\n      containers:\n      - name: c\n        image: i:%d\n%s",
			namespace, h.image, from))
	}
	return items
}

// written returns items in one of the shapes of manifests.
func written(items []string, shape string) string {
	var b strings.Builder
	switch shape {
	case "stream":
		b.WriteString(strings.Join(items, "---\n"))
	case "stream without an end":
		b.WriteString(strings.TrimSuffix(strings.Join(items, "...\n---\n"), "\n"))
	case "CRLF":
		b.WriteString(strings.ReplaceAll(strings.Join(items, "---\n"), "\n", "\r\n"))
	case "JSON":
		for _, item := range items {
			b.WriteString(asJSON(item) + "\n")
		}
	case "ResourceList in JSON", "List in JSON":
		version := map[bool]string{true: "v1", false: "config.kubernetes.io/v1"}[shape == "List in JSON"]
		list := []string{}
		for _, item := range items {
			list = append(list, asJSON(item))
		}
		fmt.Fprintf(&b, `{"apiVersion": %q, "kind": %q, "items": [%s]}`, version, strings.TrimSuffix(shape, " in JSON"), strings.Join(list, ", "))
	case "ResourceList with an anchor":
		b.WriteString(strings.Replace(written(items, "ResourceList"), "namespace: prod", "namespace: &prod prod", 1))
	case "List", "ResourceList":
		b.WriteString("apiVersion: " + map[string]string{"List": "v1", "ResourceList": "config.kubernetes.io/v1"}[shape] + "\nkind: " + shape + "\nitems:\n")
		for _, item := range items {
			b.WriteString("- " + strings.ReplaceAll(strings.TrimSuffix(item, "\n"), "\n", "\n  ") + "\n")
		}
	}
	return b.String()
}

func asJSON(item string) string {
	var value map[string]any
	if err := yaml.Unmarshal([]byte(item), &value); err != nil {
		panic(err)
	}
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// A version is the tested part of a ConfigMap or Secret.
type version struct{ id, content, age string }

func versionsIn(t *rapid.T, text string) []version {
	var found []version
	var visit func(n *yaml.Node)
	visit = func(n *yaml.Node) {
		var o struct {
			Kind     string
			Metadata struct {
				Name, Namespace string
				Annotations     map[string]string
			}
			Data       map[string]string
			StringData map[string]string `yaml:"stringData"`
			Items      []yaml.Node
		}
		if err := n.Decode(&o); err != nil {
			t.Fatal(err)
		}
		for i := range o.Items {
			visit(&o.Items[i])
		}
		if o.Kind == "ConfigMap" || o.Kind == "Secret" {
			base := strings.TrimSuffix(o.Metadata.Name, "-"+o.Metadata.Annotations[v1alpha1.AnnotationHash])
			found = append(found, version{o.Kind + " " + o.Metadata.Namespace + "/" + base, o.Data["k"] + o.StringData["k"], o.Metadata.Annotations[v1alpha1.AnnotationSuperseded]})
		}
	}
	decoder := yaml.NewDecoder(strings.NewReader(strings.ReplaceAll(text, "}\n{", "}\n---\n{")))
	for {
		var n yaml.Node
		if decoder.Decode(&n) != nil {
			return found
		}
		visit(&n)
	}
}

// TestKeep_agesAsTheHistoryDoes compares the versions that a sequence of runs keeps with a simple model.
func TestKeep_agesAsTheHistoryDoes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		shapes := []string{"stream", "List", "ResourceList"} // these keep the bytes of a version
		plain := rapid.Bool().Draw(t, "plain")
		if !plain {
			shapes = append(shapes, "stream without an end", "CRLF", "JSON", "List in JSON", "ResourceList in JSON", "ResourceList with an anchor")
		}
		config := v1alpha1.New(v1alpha1.ModeRename, v1alpha1.PolicyAll)
		config.Spec.Jobs = rapid.SampledFrom([]v1alpha1.Jobs{v1alpha1.JobsLeave, v1alpha1.JobsRename}).Draw(t, "jobs")
		if rapid.Bool().Draw(t, "drop") {
			config.Spec.PodMetadata.DropLabels = []string{"chart"}
		}
		keep := rapid.IntRange(0, 3).Draw(t, "keep")
		last := history{contents: [3]int{-1, -1, -1}, image: -1}
		var kept [3][]int
		previous, texts := "", map[string]string{}
		for range rapid.IntRange(1, 12).Draw(t, "runs") {
			now := history{image: rapid.IntRange(0, 1).Draw(t, "image")}
			for i := range now.contents {
				now.contents[i] = rapid.IntRange(-1, 3).Draw(t, "content")
			}
			var want []version
			for i, o := range historyObjects {
				id := o.kind + " " + o.namespace + "/" + o.name
				list := kept[i]
				if last.contents[i] >= 0 {
					list = slices.Insert(slices.Clone(list), 0, last.contents[i])
				}
				list = slices.DeleteFunc(slices.Clone(list), func(v int) bool { return v == now.contents[i] })
				if now.contents[i] < 0 && last.contents[i] < 0 && now != last {
					list = nil
				}
				kept[i] = list[:min(keep, len(list))]
				for age, v := range kept[i] {
					want = append(want, version{id, "v" + strconv.Itoa(v), strconv.Itoa(age + 1)})
				}
				if now.contents[i] >= 0 {
					want = append(want, version{id, "v" + strconv.Itoa(now.contents[i]), ""})
				}
			}
			shape := rapid.SampledFrom(shapes).Draw(t, "shape")
			run := func(input, previous string) string {
				var out bytes.Buffer
				o := function.Options{Config: config, Keep: &keep, Previous: []function.Manifests{{Name: "previous.yaml", Data: []byte(previous)}}}
				if _, err := function.Process([]byte(input), &out, o); err != nil {
					t.Fatalf("%v\n%s\nprevious:\n%s", err, input, previous)
				}
				return out.String()
			}
			input := written(now.items(), shape)
			out := run(input, previous)
			sorted := func(list []version) []version {
				return slices.SortedFunc(slices.Values(list), func(a, b version) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
			}
			if diff := cmp.Diff(sorted(want), sorted(versionsIn(t, out)), cmp.AllowUnexported(version{})); diff != "" {
				t.Fatalf("(-want +got):\n%s\nprevious:\n%s\noutput:\n%s", diff, previous, out)
			}
			for _, again := range [][2]string{{input, out}, {out, out}, {out, previous}} {
				if got := run(again[0], again[1]); got != out {
					t.Fatalf("another run changes it (-want +got):\n%s", cmp.Diff(out, got))
				}
			}
			for line := range strings.Lines(out) {
				if strings.Contains(shape, "JSON") && shape != "List in JSON" && !json.Valid([]byte(line)) {
					t.Fatalf("not JSON: %s", line)
				}
			}
			if plain && shape == "stream" {
				sameBytes(t, out, texts)
			}
			previous, last = out, now
		}
	})
}

// sameBytes checks that versions have the same bytes, except for their number, as when they were current. texts
// remembers those.
func sameBytes(t *rapid.T, out string, texts map[string]string) {
	for document := range strings.SplitSeq(out, "---\n") {
		if strings.Contains(document, "kind: Job") || !strings.Contains(document, v1alpha1.AnnotationHash) {
			continue
		}
		_, name, _ := strings.Cut(document, "  name: ")
		kind, _, _ := strings.Cut(document, "metadata")
		id := kind + strings.Fields(name)[0] + map[bool]string{true: "prod"}[strings.Contains(document, "namespace: prod")]
		before, after, isKept := strings.Cut(document, "    "+v1alpha1.AnnotationSuperseded+": ")
		if isKept {
			document = before + after[strings.Index(after, "\n")+1:]
		}
		if known, ok := texts[id]; ok && known != document {
			t.Fatalf("the bytes of a version changed (-want +got):\n%s", cmp.Diff(known, document))
		}
		texts[id] = document
	}
}
