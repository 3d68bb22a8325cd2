package catalog

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestDocuments_listTheReportedKinds(t *testing.T) {
	documents := writtenDocuments(Builtin())
	groups := map[string]bool{}
	kinds, fields, entries, templates := 0, 0, 0, 0
	last := ""
	for _, d := range documents {
		if d.Group < last {
			t.Errorf("%q stands behind %q", d.Group, last)
		}
		last = d.Group
		groups[d.Group] = true
		kinds += len(d.Kinds)
		entries += len(d.Kinds) * len(d.Entries)
		fields += len(d.Kinds) * len(d.Kind.References)
		templates += len(d.Kinds) * len(d.Kind.PodTemplates)
	}
	for what, count := range map[string]struct{ got, least int }{
		"groups":        {len(groups), 163},
		"kinds":         {kinds, 530},
		"fields":        {fields, 13_000},
		"entries":       {entries, 2_100},
		"pod templates": {templates, 160},
	} {
		if count.got < count.least {
			t.Errorf("%d %s, want at least %d", count.got, what, count.least)
		}
	}
	if !groups[""] || !groups["*"] || !groups["*.crossplane.io"] || groups["subtrees"] {
		t.Error("want the core group, all groups and those that end alike, and no other lists")
	}
}

func TestDocuments_agreeWithKind(t *testing.T) {
	documents := Builtin().Documents()
	for _, d := range documents {
		if strings.HasPrefix(d.Group, "*") || strings.HasSuffix(d.Group, "crossplane.io") {
			continue // Several files describe these.
		}
		for _, name := range d.Kinds {
			k := Builtin().Kind(d.Group, "", name)
			if diff := cmp.Diff(k, d.Kind, cmp.AllowUnexported(Format{}), cmpopts.IgnoreFields(Format{}, "compiled")); diff != "" {
				t.Errorf("%s.%s (-kind +document):\n%s", name, d.Group, diff)
			}
		}
	}
}

func TestDocuments_keepSubtreesTogether(t *testing.T) {
	c := newCatalog(nil)
	c.files[subtreesFile] = splitDocuments("subtree: two\nreferences: [{path: b, target: Secret}, {path: c, target: ConfigMap}]\nnote: why")
	d := writtenDocument(c, "example.com", splitDocuments("kinds: [A]\nreferences:\n" +
		"- {path: x, subtree: two, role: producer, note: n, when: [{path: d, present: true}]}\n- {path: y, target: Secret, key: k}\nnote: of A\nsource: repo")[0])
	var got []string
	for _, e := range d.Entries {
		got = append(got, strings.Join([]string{e.Path.String(), e.Subtree, e.Targets.String(), e.Role.String(), e.Note}, " "))
	}
	if diff := cmp.Diff([]string{"x two none producer n", "y  Secret consumer "}, got); diff != "" {
		t.Errorf("entries (-want +got):\n%s", diff)
	}
	if len(d.Entries[0].When) != 1 || d.Entries[1].Key == nil || len(d.Kind.References) != 3 {
		t.Errorf("got %+v", d)
	}
	all := subtrees(c)
	if len(all) != 1 || all[0].Name != "two" || all[0].Note != "why" || len(all[0].References) != 2 {
		t.Errorf("got %+v", all)
	}
}

func TestDocuments_reportDefects(t *testing.T) {
	for _, tc := range []struct{ label, text, want string }{
		{"no such subtree", "kinds: [A]\nreferences: [{path: a, subtree: none}]", "no subtree"},
		{"a path with an empty key", "kinds: [A]\nreferences: [{path: a//b, subtree: container}]", "empty key"},
	} {
		err := defect(func() { newCatalog(nil).add(&Kind{}, splitDocuments(tc.text)[0]) })
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: error %v, want one with %q", tc.label, err, tc.want)
		}
	}
	c := newCatalog(nil)
	c.files[subtreesFile] = splitDocuments("subtree: bad\nreferences: [{path: a}]")
	if err := defect(func() { subtrees(c) }); err == nil || !strings.Contains(err.Error(), `reference "a"`) {
		t.Errorf("error %v, want one that names the reference", err)
	}
}

func TestSubtrees_areAllListed(t *testing.T) {
	all := subtrees(Builtin())
	if len(all) < 29 {
		t.Errorf("%d subtrees, want more", len(all))
	}
	if !slices.IsSortedFunc(all, func(a, b subtree) int { return strings.Compare(a.Name, b.Name) }) {
		t.Error("subtrees are not sorted")
	}
}
