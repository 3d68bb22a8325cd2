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
		label string
		in    string
		root  yamldoc.Path
		edit  edit.Edit
		want  string
	}{{
		label: "not YAML",
		in:    "a: [topsecret",
		edit:  edit.RemoveEntry{Key: "b"},
		want:  "cannot parse the text: yaml: line 1: did not find expected ',' or ']'",
	}, {
		label: "nothing",
		in:    "# topsecret\n",
		edit:  edit.RemoveEntry{Key: "b"},
		want:  "the text has no YAML document",
	}, {
		label: "two documents",
		in:    "a: topsecret\n---\na: b\n",
		edit:  edit.RemoveEntry{Key: "b"},
		want:  "the text has several YAML documents; edit one at a time",
	}, {
		label: "UTF-16",
		in:    "\xff\xfea\x00:\x00 \x00b\x00",
		edit:  edit.SetEntry{Key: "c", Value: "d"},
		want:  "found text in UTF-16 where UTF-8 is needed",
	}, {
		label: "not a mapping",
		in:    "metadata: {annotations: [topsecret]}",
		edit:  edit.SetEntry{Parent: "metadata.annotations", Key: "a", Value: "b"},
		want:  "metadata.annotations: found a sequence where a mapping is needed",
	}, {
		label: "not a mapping on the way",
		in:    "metadata: topsecret",
		edit:  edit.SetEntry{Parent: "metadata.annotations", Key: "a", Value: "b"},
		want:  "metadata: found a scalar where a mapping is needed",
	}, {
		label: "not a scalar",
		in:    "metadata: {annotations: {a: [topsecret]}}",
		edit:  edit.SetEntry{Parent: "metadata.annotations", Key: "a", Value: "b"},
		want:  "metadata.annotations.a: found a sequence where a scalar is needed",
	}, {
		label: "no element",
		in:    "a: [topsecret]",
		edit:  edit.SetEntry{Parent: "a[1]", Key: "a", Value: "b"},
		want:  "a: there is no element 1, only 1 in all",
	}, {
		label: "elements are not created",
		in:    "b: topsecret",
		edit:  edit.SetEntry{Parent: "a[1]", Key: "a", Value: "b"},
		want:  "a: there is no element 1, and elements are not created",
	}, {
		label: "no item",
		in:    "items: [topsecret]",
		root:  "items[2]",
		edit:  edit.SetEntry{Key: "a", Value: "b"},
		want:  "items: there is no element 2, only 1 in all",
	}, {
		label: "a key twice",
		in:    "metadata:\n  annotations: {a: topsecret}\n  annotations: {}\n",
		edit:  edit.SetEntry{Parent: "metadata.annotations", Key: "a", Value: "b"},
		want:  "metadata.annotations: duplicate key in its mapping, in lines 2 and 3; remove one",
	}, {
		label: "an entry twice",
		in:    "a: topsecret\n\"a\": b\n",
		edit:  edit.RemoveEntry{Key: "a"},
		want:  "a: duplicate key in its mapping, in lines 1 and 2; remove one",
	}, {
		label: "another value",
		in:    "a: topsecret",
		edit:  edit.SetScalar{At: at("a", "old"), Value: "new"},
		want:  "a: found another value than the one to replace; the text must be the one the edit was made for",
	}, {
		label: "no scalar there",
		in:    "a: {b: topsecret}",
		edit:  edit.SetScalar{At: at("a.c", "old"), Value: "new"},
		want:  "a.c: found nothing where a scalar is needed",
	}, {
		label: "no element to split",
		in:    "a: &a topsecret",
		edit:  edit.SetScalar{At: at("a", "topsecret"), Value: "b", More: []string{"c"}},
		want:  "a: found a mapping where a sequence is needed",
	}, {
		label: "no UTF-8",
		in:    "a: topsecret",
		edit:  edit.SetScalar{At: at("a", "topsecret"), Value: "topsecret\xff"},
		want:  "a: the string to set is not valid UTF-8",
	}, {
		label: "no boolean",
		in:    "a: topsecret",
		edit:  edit.SetEntry{Key: "b", Value: "topsecret", Bool: true},
		want:  `b: the boolean to set is neither "true" nor "false"`,
	}, {
		label: "no path",
		in:    "a: topsecret",
		edit:  edit.SetEntry{Parent: "a..b", Key: "b", Value: "c"},
		want:  `path "a..b.b": empty key before ".b.b"`,
	}, {
		label: "an anchor in itself",
		in:    "a: &a {b: *a, c: topsecret}",
		edit:  edit.SetEntry{Parent: "a", Key: "c", Value: "d"},
		want:  "the anchor in line 1 holds an alias of itself, in line 1",
	}, {
		label: "merge of a scalar",
		in:    "a: {<<: topsecret}",
		edit:  edit.SetEntry{Parent: "a", Key: "c", Value: "d"},
		want:  `a["<<"]: found a scalar where a mapping is needed`,
	}, {
		label: "aliases of much",
		in:    wide,
		edit:  edit.SetScalar{At: at("a[0]", "topsecret"), Value: "new"},
		want:  "a: aliases expand to more than 200000 nodes; write the values out, or use fewer aliases",
	}} {
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
	// What follows the scalar is not YAML at all.
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
	// yaml.v3 does not read \/, but other readers of JSON hand it on.
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
