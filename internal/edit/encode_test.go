package edit_test

import (
	"testing"

	"github.com/confighash/confighash/internal/yamldoc"

	"github.com/google/go-cmp/cmp"

	"github.com/confighash/confighash/internal/edit"
)

var listRows = []struct {
	label    string
	plans    map[yamldoc.Path][]plan
	in, want string
}{{
	label: "items that share nothing",
	plans: map[yamldoc.Path][]plan{"[1]": {set("name", "new")}},
	in:    "# top\n\n- name: a # a\n\n  b:   [x,y]\n\n# about the second\n- name: &x b # b\n\n  # over c\n  c: *x\n\n  # foot\n# about the third\n-   name: c\n\n    d: |+\n      e\n\n- f\n",
	want:  "# top\n\n- name: a # a\n\n  b:   [x,y]\n\n# about the second\n- name: new # b\n  # over c\n  c: b\n\n  # foot\n# about the third\n-   name: c\n\n    d: |+\n      e\n\n- f\n",
}, {
	label: "items that share an anchor",
	plans: map[yamldoc.Path][]plan{"[0]": {set("name", "new")}},
	in:    "- name: &x a\n\n- b:   1\n\n  c: [2,3]\n# about the alias\n- # inner\n  d: *x\n\n- e:   4",
	want:  "- name: new\n\n- b:   1\n\n  c: [2,3]\n# about the alias\n- # inner\n  d: a\n\n- e:   4",
}, {
	label: "one in bytes, one on nodes",
	plans: map[yamldoc.Path][]plan{"[0]": {set("name", "new")}, "[1]": {set("name", "newer"), entry("", "k", "v")}},
	in:    "- name: &x a\n  b: *x\n\n-   name:   c\n\n    d:   4\n",
	want:  "- name: new\n  b: a\n\n-   name:   newer\n    k: v\n\n    d:   4\n",
}, {
	label: "a List",
	plans: map[yamldoc.Path][]plan{"items[1]": {set("name", "new")}},
	in:    "kind:   List\n\nitems:\n\n  # first\n  - name:   a\n\n  - name: &x b\n\n    c: *x\n\n  # behind\n\nmetadata:   {}\n",
	want:  "kind:   List\n\nitems:\n\n  # first\n  - name:   a\n\n  - name: new\n    c: b\n\n  # behind\n\nmetadata:   {}\n",
}, {
	label: "a List whose own entry has an alias",
	plans: map[yamldoc.Path][]plan{"items[0]": {set("name", "new")}},
	in:    "kind: List\nitems:\n- name: &x a\n\n- b\nmetadata: {name: *x}\n",
	want:  "kind: List\nitems:\n- name: new\n- b\nmetadata: {name: a}\n",
}, {
	label: "a dash on its own line",
	plans: map[yamldoc.Path][]plan{"[1]": {set("name", "new")}},
	in:    "- a:   b\n- # here\n\n  name: &x c\n  d: *x\n-\n  e:   f\n",
	want:  "- a:   b\n- # here\n\n  name: new\n  d: c\n-\n  e:   f\n",
}, {
	label: "the same comment in each",
	plans: map[yamldoc.Path][]plan{"[1]": {set("name", "new")}},
	in:    "- # generated\n  name: a\n- # generated\n  name: &x b\n  # end\n- # generated\n  name: c\n  # end\n",
	want:  "- # generated\n  name: a\n- # generated\n  name: new\n  # end\n- # generated\n  name: c\n  # end\n",
}, {
	label: "a flow sequence",
	plans: map[yamldoc.Path][]plan{"[0]": {set("name", "new")}},
	in:    "[{name: &x a},  {b: *x}]\n",
	want:  "[{name: new}, {b: a}]\n",
}, {
	label: "an element that ends in a literal with its empty lines",
	plans: map[yamldoc.Path][]plan{"[0]": {set("name", "new")}, "[1]": {set("name", "newer")}},
	in:    "- name: &x a\n  c: |+\n    d\n\n- name: &y b\n  c: |+\n    d\n\n",
	want:  "- name: new\n  c: |+\n    d\n\n- name: newer\n  c: |+\n    d\n\n",
}}

func TestApply_leavesOtherItemsOfTheTextAsTheyAre(t *testing.T) {
	for _, row := range listRows {
		t.Run(row.label, func(t *testing.T) {
			items := itemsOf(t, row.in, row.plans)
			got, err := edit.Apply([]byte(row.in), items)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(row.want, string(got)); diff != "" {
				t.Errorf("Apply (-want +got):\n%s", diff)
			}
			again, err := edit.Apply(got, itemsOf(t, string(got), row.plans))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(got), string(again)); diff != "" {
				t.Errorf("a second time (-once +twice):\n%s", diff)
			}
		})
	}
}
