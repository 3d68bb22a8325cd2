package edit_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/confighash/confighash/internal/yamldoc"

	"github.com/confighash/confighash/internal/edit"
)

func TestApply_refusesInASentenceWithoutValues(t *testing.T) {
	at := func(path yamldoc.Path, value string) edit.Scalar {
		return edit.Scalar{Path: path, Value: value, Line: 1, Column: 1}
	}
	wide := "a: &a [" + strings.Repeat("topsecret, ", 1000) + "]\nb: [" + strings.Repeat("*a, ", 1000) + "]\n"
	for _, row := range []struct {
		label, in string
		root      yamldoc.Path
		edit      edit.Edit
		want      string
	}{
		{"not YAML", "a: [topsecret", "", edit.RemoveEntry{Key: "b"},
			"cannot parse the text: yaml: line 1: did not find expected ',' or ']'"},
		{"nothing", "# topsecret\n", "", edit.RemoveEntry{Key: "b"},
			"the text has no YAML document"},
		{"two documents", "a: topsecret\n---\na: b\n", "", edit.RemoveEntry{Key: "b"},
			"the text has several YAML documents; edit one at a time"},
		{"not a mapping", "metadata: {annotations: [topsecret]}", "", edit.SetEntry{Parent: "metadata.annotations", Key: "a", Value: "b"},
			"metadata.annotations: found a sequence where a mapping is needed"},
		{"not a mapping on the way", "metadata: topsecret", "", edit.SetEntry{Parent: "metadata.annotations", Key: "a", Value: "b"},
			"metadata: found a scalar where a mapping is needed"},
		{"not a scalar", "metadata: {annotations: {a: [topsecret]}}", "", edit.SetEntry{Parent: "metadata.annotations", Key: "a", Value: "b"},
			"metadata.annotations.a: found a sequence where a scalar is needed"},
		{"no element", "a: [topsecret]", "", edit.SetEntry{Parent: "a[1]", Key: "a", Value: "b"},
			"a: element 1 does not exist; the list has 1"},
		{"elements are not created", "b: topsecret", "", edit.SetEntry{Parent: "a[1]", Key: "a", Value: "b"},
			"a: element 1 does not exist, and elements are not created"},
		{"no item", "items: [topsecret]", "items[2]", edit.SetEntry{Key: "a", Value: "b"},
			"items: element 2 does not exist; the list has 1"},
		{"a key twice", "metadata:\n  annotations: {a: topsecret}\n  annotations: {}\n", "", edit.SetEntry{Parent: "metadata.annotations", Key: "a", Value: "b"},
			"metadata.annotations: duplicate key in its mapping, in lines 2 and 3; remove one"},
		{"an entry twice", "a: topsecret\n\"a\": b\n", "", edit.RemoveEntry{Key: "a"},
			"a: duplicate key in its mapping, in lines 1 and 2; remove one"},
		{"another value", "a: topsecret", "", edit.SetScalar{At: at("a", "old"), Value: "new"},
			"a: found another value than the one to replace; the text must be the one the edit was made for"},
		{"no scalar there", "a: {b: topsecret}", "", edit.SetScalar{At: at("a.c", "old"), Value: "new"},
			"a.c: found nothing where a scalar is needed"},
		{"no element to split", "a: &a topsecret", "", edit.SetScalar{At: at("a", "topsecret"), Value: "b", More: []string{"c"}},
			"a: found a mapping where a sequence is needed"},
		{"no UTF-8", "a: topsecret", "", edit.SetScalar{At: at("a", "topsecret"), Value: "topsecret\xff"},
			"a: the string to set is not valid UTF-8"},
		{"no path", "a: topsecret", "", edit.SetEntry{Parent: "a..b", Key: "b", Value: "c"},
			`path "a..b.b": found no step at ".b.b"`},
		{"an anchor in itself", "a: &a {b: *a, c: topsecret}", "", edit.SetEntry{Parent: "a", Key: "c", Value: "d"},
			"the anchor in line 1 holds an alias of itself, in line 1"},
		{"merge of a scalar", "a: {<<: topsecret}", "", edit.SetEntry{Parent: "a", Key: "c", Value: "d"},
			`a["<<"]: found a scalar where a mapping is needed`},
		{"aliases of much", wide, "", edit.SetScalar{At: at("a[0]", "topsecret"), Value: "new"},
			"a: aliases expand to more than 200000 nodes; write the values out, or use fewer aliases"},
	} {
		t.Run(row.label, func(t *testing.T) {
			out, err := edit.Apply([]byte(row.in), []edit.Item{{Root: row.root, Edits: []edit.Edit{row.edit}}})
			if err == nil {
				t.Fatalf("no error, but %q", out)
			}
			if err.Error() != row.want {
				t.Errorf("got  %s\nwant %s", err, row.want)
			}
			if strings.Contains(err.Error(), "topsecret") {
				t.Errorf("the error shows a value")
			}
		})
	}
}

func TestSplice_doesNotParseForScalars(t *testing.T) {
	// The text after the scalar is not valid YAML.
	text := "a: b\n}{ : : ]"
	out, ok, err := edit.Splice([]byte(text), []edit.Item{{Edits: []edit.Edit{
		edit.SetScalar{At: edit.Scalar{Path: "a", Value: "b", Line: 1, Column: 4}, Value: "c"},
	}}})
	if got, want := string(out), "a: c\n}{ : : ]"; err != nil || !ok || got != want {
		t.Errorf("got %q, %v, %v; want %q", got, ok, err, want)
	}
}

func TestSplice_comparesWhatIsThereWithWhatItExpects(t *testing.T) {
	for _, row := range []struct {
		label, text string
		at          edit.Scalar
	}{
		{"another value", "a: c", edit.Scalar{Value: "b", Line: 1, Column: 4}},
		{"a longer value", "a: bc", edit.Scalar{Value: "b", Line: 1, Column: 4}},
		{"more words", "a: b c", edit.Scalar{Value: "b", Line: 1, Column: 4}},
		{"the end of a value", "a: ab", edit.Scalar{Value: "b", Line: 1, Column: 5}},
		{"a key", "b: a", edit.Scalar{Value: "b", Line: 1, Column: 1}},
		{"another style", "a: 'b'", edit.Scalar{Value: "b", Line: 1, Column: 4}},
		{"a quote that does not end", "a: \"b", edit.Scalar{Value: "b", Line: 1, Column: 4, Style: 2}},
		{"an anchor", "a: &b b", edit.Scalar{Value: "b", Line: 1, Column: 4}},
		{"shared", "a: b", edit.Scalar{Value: "b", Line: 1, Column: 4, Shared: true}},
		{"a line that is not there", "a: b", edit.Scalar{Value: "b", Line: 2, Column: 4}},
		{"a column that is not there", "a: b", edit.Scalar{Value: "b", Line: 1, Column: 40}},
		{"no position", "a: b", edit.Scalar{Value: "b"}},
	} {
		t.Run(row.label, func(t *testing.T) {
			out, ok, err := edit.Splice([]byte(row.text), []edit.Item{{Edits: []edit.Edit{edit.SetScalar{At: row.at, Value: "new"}}}})
			if ok || err != nil || out != nil {
				t.Errorf("got %q, %v, %v; want it handed over", out, ok, err)
			}
		})
	}
}

func TestSplice_readsEscapesOfJSON(t *testing.T) {
	// yaml.v3 rejects \/, but other readers of JSON pass it on.
	text := `{"a": "ns\/app"}`
	at := edit.Scalar{Path: "a", Value: "ns/app", Line: 1, Column: 7, Style: 2}
	out, ok, err := edit.Splice([]byte(text), []edit.Item{{Edits: []edit.Edit{edit.SetScalar{At: at, Value: "ns/app-1"}}}})
	if got, want := string(out), `{"a": "ns/app-1"}`; err != nil || !ok || got != want {
		t.Errorf("got %q, %v, %v; want %q", got, ok, err, want)
	}
}

func TestApply_editsSeveralItems(t *testing.T) {
	text := "items:\n- name: a\n- name: b\n  labels: {}\n- name: c\n"
	items := []edit.Item{
		{Root: "items[2]", Edits: []edit.Edit{edit.SetEntry{Parent: "annotations", Key: "k", Value: "v", After: "name"}}},
		{Root: "items[0]", Edits: []edit.Edit{edit.SetScalar{At: edit.Scalar{Path: "name", Value: "a", Line: 2, Column: 9}, Value: "a-1"}}},
		{Root: "items[1]", Edits: []edit.Edit{edit.SetEntry{Parent: "labels", Key: "k", Value: "v"}}},
	}
	got, err := edit.Apply([]byte(text), items)
	if err != nil {
		t.Fatal(err)
	}
	want := "items:\n- name: a-1\n- name: b\n  labels: {k: v}\n- name: c\n  annotations:\n    k: v\n"
	if string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestApply_readsMergeKeysOfMergeKeysOnce(t *testing.T) {
	text := "a0: &a0 {x: y}\n"
	for i := range 30 {
		text += fmt.Sprintf("a%d: &a%d {<<: [*a%d, *a%d]}\n", i+1, i+1, i, i)
	}
	for _, row := range []struct {
		key  string
		want string
	}{{"z", text}, {"x", text[:strings.LastIndex(text, "&")] + "{}\n"}} {
		out, err := edit.Apply([]byte(text), []edit.Item{{Edits: []edit.Edit{edit.RemoveEntry{Parent: "a30", Key: row.key}}}})
		if err != nil || string(out) != row.want {
			t.Errorf("%s: got %v\n%s\nwant\n%s", row.key, err, out, row.want)
		}
	}
}
