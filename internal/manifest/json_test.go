package manifest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/confighash/confighash/internal/yamldoc"
	"github.com/confighash/confighash/test/support/property"
)

// itemsOf returns the names of an input's items, by chunk.
func itemsOf(t testing.TB, in *Input) [][]string {
	t.Helper()
	_, names, err := Parse(in, func(_ *Chunk, items []Item) ([]string, error) {
		var names []string
		for _, item := range items {
			names = append(names, fmt.Sprintf("%s:%d", yamldoc.Value(item.Node, "name").Value, item.Node.Line))
		}
		return names, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func TestSplit_json(t *testing.T) {
	tests := []struct {
		name, in string
		want     [][]string // the items of each chunk, with their lines in it
		lines    []int      // of the chunks
	}{
		{"a List on one line", `{"kind":"List","items":[{"name":"a"},{"name":"b"}]}`, [][]string{{"a:1"}, {"b:1"}}, []int{1, 1}},
		{"a List over lines", "{\n  \"items\": [\n    {\n      \"name\": \"a\"\n    },\n    {\"name\": \"b\"}\n  ],\n  \"kind\": \"ConfigMapList\"\n}\n", [][]string{{"a:1"}, {"b:1"}}, []int{3, 6}},
		{"brackets in strings", `{"kind":"List","items":[{"name":"a","x":"}],[{\"\\"},{"name":"b"}]}`, [][]string{{"a:1"}, {"b:1"}}, []int{1, 1}},
		{"values one after the other", "{\"name\":\"a\"}\n{\"kind\":\"List\",\"items\":[\n{\"name\":\"b\"}]} {\"name\":\"c\"}", [][]string{{"a:1"}, {"b:1"}, {"c:1"}}, []int{1, 3, 3}},
		{"a List of Lists", `{"kind":"List","items":[{"kind":"List","items":[{"name":"a"},{"name":"b"}]}]}`, [][]string{{"a:1", "b:1"}}, []int{1}},
		{"a resource with items", `{"kind":"Widget","name":"w","items":[{"name":"a"}]}`, [][]string{{"w:1"}}, []int{1}},
		{"an empty List", `{"kind":"List","items":[]}`, [][]string{nil}, []int{1}},
		{"an escaped kind", `{"\u006bind":"\u004cist","items":[{"name":"a"}]}`, [][]string{{"a:1"}}, []int{1}},
		{"a ResourceList", "{\"apiVersion\":\"config.kubernetes.io/v1\",\n\"kind\":\"ResourceList\",\"items\":[{\"name\":\"a\"},\n{\"name\":\"b\"}]}\n", [][]string{{"a:1"}, {"b:1"}}, []int{2, 3}},
		{"a functionConfig with an escape that YAML does not know", `{"apiVersion":"config.kubernetes.io/v1","functionConfig":{"metadata":{"name":"a\/b"}},"kind":"ResourceList","items":[{"name":"a"}]}`, [][]string{{"a:1"}}, []int{1}},
		{"a ResourceList with an escape that YAML does not know", `{"apiVersion":"config.kubernetes.io\/v1","kind":"ResourceList","items":[{"name":"a\/b"},{"name":"\ud83d\ude00"}]}`, [][]string{{"a/b:1"}, {"\U0001f600:1"}}, []int{1, 1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in, err := Split([]byte(tt.in))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, itemsOf(t, in)); diff != "" {
				t.Errorf("items (-want +got):\n%s", diff)
			}
			var lines []int
			for _, d := range in.documents {
				for _, p := range d.parts {
					if p.chunk != nil {
						lines = append(lines, p.chunk.Line)
					}
				}
			}
			if diff := cmp.Diff(tt.lines, lines); diff != "" {
				t.Errorf("lines (-want +got):\n%s", diff)
			}
			var out bytes.Buffer
			if err := in.Write(&out, nil, nil); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.in, out.String()); diff != "" {
				t.Errorf("written (-want +got):\n%s", diff)
			}
		})
	}
}

// TestSplit_jsonLeftWhole has ResourceLists that are parsed as a whole.
func TestSplit_jsonLeftWhole(t *testing.T) {
	for in, want := range map[string]string{
		`{"apiVersion":"config.kubernetes.io/v1","kind":"ResourceList","items":[{"name":"a"},3]}`:              "line 1: found a scalar; every item must be a Kubernetes resource: a mapping with apiVersion and kind",
		`{"apiVersion":"config.kubernetes.io/v1","kind":"ResourceList","items":{"name":"a"}}`:                  "line 1: items of the ResourceList is a mapping; it must be a sequence of resources",
		`{"apiVersion":"config.kubernetes.io/v1","kind":"ResourceList","items":[],"items":[{"name":"a"}]}`:     `line 1: the ResourceList has the key "items" twice; keep one`,
		`{"apiVersion":"config.kubernetes.io/v9","kind":"ResourceList","items":[{"name":"a"}]}`:                `line 1: the ResourceList has apiVersion "config.kubernetes.io/v9"; config.kubernetes.io/v1 and config.kubernetes.io/v1alpha1 are known`,
		`{"apiVersion":"config.kubernetes.io/v1","kind":"ResourceList","items":[{"name":"a"}]}{"name":"b"}`:    "",
		`{"apiVersion":"config.kubernetes.io/v1","kind":"ResourceList"}`:                                       "",
		`{"apiVersion":"config.kubernetes.io/v1","kind":"ResourceList","items":null}`:                          "",
		`{"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList", "items": [], "functionConfig": {}}`: "",
	} {
		in, err := Split([]byte(in))
		if err == nil {
			_, _, err = Parse(in, func(*Chunk, []Item) (any, error) { return nil, nil })
		}
		if want != "" && (err == nil || err.Error() != want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// TestParse_jsonThatIsNotYAML has items with a character that JSON allows and YAML does not. They are reported
// separately, and the ResourceList can be written.
func TestParse_jsonThatIsNotYAML(t *testing.T) {
	text := `{"apiVersion":"config.kubernetes.io/v1","functionConfig":{` + strings.Repeat(" ", 300) + "},\n\"items\":[{\"name\":\"a\"},\n{\"name\":\"\x7f\"}],\"kind\":\"ResourceList\"}"
	in, err := Split([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = Parse(in, func(*Chunk, []Item) (any, error) { return nil, nil })
	if want := "line 3: not valid YAML: control characters are not allowed"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	var out bytes.Buffer
	if err := in.Write(&out, nil, nil); err != nil || out.String() != text {
		t.Errorf("%v, written %s", err, &out)
	}
}

// TestWrite_jsonResults writes random JSON ResourceLists, with former results at any place, and compares the output
// with what it must contain.
func TestWrite_jsonResults(t *testing.T) {
	property.Check(t, func(rt *rapid.T) {
		entries := []string{`"apiVersion": "config.kubernetes.io/v1"`, `"kind":"ResourceList"`}
		items := rapid.IntRange(1, 3).Draw(rt, "items")
		entries = append(entries, `"items":[`+strings.TrimSuffix(strings.Repeat("{\"name\":\"a\"} , ", items), " , ")+"]")
		if rapid.Bool().Draw(rt, "functionConfig") {
			entries = append(entries, `"functionConfig": {"kind":"ConfigHash"}`)
		}
		if rapid.Bool().Draw(rt, "results") {
			entries = append(entries, `"results" : [{"message":"former ],}"}]`)
		}
		entries = rapid.Permutation(entries).Draw(rt, "order")
		between := rapid.SampledFrom([]string{",", ", ", ",\n  ", " ,"}).Draw(rt, "between")
		text := rapid.SampledFrom([]string{"{", "{\n  ", "\n{ "}).Draw(rt, "lead") + strings.Join(entries, between) +
			rapid.SampledFrom([]string{"}", "\n}\n", " }"}).Draw(rt, "end")
		var results []Result
		for range rapid.IntRange(0, 2).Draw(rt, "new results") {
			results = append(results, Result{Message: "new", Severity: Warning})
		}
		in, err := Split([]byte(text))
		if err != nil {
			rt.Fatal(err)
		}
		if got := len(itemsOf(t, in)); got != items {
			rt.Fatalf("%d chunks, want %d", got, items)
		}
		var out bytes.Buffer
		if err := in.Write(&out, nil, results); err != nil {
			rt.Fatal(err)
		}
		var again bytes.Buffer
		if in, err := Split(out.Bytes()); err != nil {
			rt.Fatal(err)
		} else if err := in.Write(&again, nil, results); err != nil {
			rt.Fatal(err)
		}
		if !bytes.Equal(out.Bytes(), again.Bytes()) && !strings.Contains(text, "former") {
			rt.Errorf("written %s\nand then %s", out.Bytes(), again.Bytes())
		}
		var want, got map[string]any
		if err := json.Unmarshal([]byte(text), &want); err != nil {
			rt.Fatal(err)
		}
		if err := json.Unmarshal(out.Bytes(), &got); err != nil {
			rt.Fatalf("%v: %s", err, out.Bytes())
		}
		delete(want, "results")
		if len(results) > 0 {
			encoded, _ := json.Marshal(results)
			var decoded any
			_ = json.Unmarshal(encoded, &decoded)
			want["results"] = decoded
		}
		if diff := cmp.Diff(want, got); diff != "" {
			rt.Errorf("(-want +got):\n%s\n%s\n%s", diff, text, out.Bytes())
		}
	})
}
