package diff

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/confighash/confighash/internal/manifest"
)

// changeOf returns a change from line 10 of the old side to line 20 of the new one.
func changeOf(before, after string) manifest.Change {
	return manifest.Change{Old: []byte(before), New: []byte(after), OldLine: 10, NewLine: 20}
}

func written(t *testing.T, d Diff, changes ...manifest.Change) string {
	t.Helper()
	var b bytes.Buffer
	if err := d.Write(&b, changes); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

const secretHead = "apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\n"

func TestWrite_showsHunksByLinesOfTheInput(t *testing.T) {
	numbers := func(replaced string) string {
		var b strings.Builder
		for i := range 12 {
			if line := fmt.Sprint("a: ", i); i == 1 || i == 10 {
				b.WriteString(line + replaced + "\n")
			} else {
				b.WriteString(line + "\n")
			}
		}
		return b.String()
	}
	for _, test := range []struct{ label, before, after, want string }{
		{"a line", "a: b\n", "a: c\n", "@@ -10,1 +20,1 @@\n-a: b\n+a: c\n"},
		{"no line before", "", "a: c\n", "@@ -9,0 +20,1 @@\n+a: c\n"},
		{"no line after", "a: b\n", "", "@@ -10,1 +19,0 @@\n-a: b\n"},
		{"a last line without a break", "a: b", "a: c", "@@ -10,1 +20,1 @@\n-a: b\n\\ No newline at end of file\n+a: c\n\\ No newline at end of file\n"},
		{"two hunks", numbers(""), numbers("x"), "@@ -10,5 +20,5 @@\n a: 0\n-a: 1\n+a: 1x\n a: 2\n a: 3\n a: 4\n@@ -17,5 +27,5 @@\n a: 7\n a: 8\n a: 9\n-a: 10\n+a: 10x\n a: 11\n"},
	} {
		got := written(t, Diff{Secrets: true}, changeOf(test.before, test.after))
		if diff := cmp.Diff("--- input\n+++ output\n"+test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.label, diff)
		}
	}
}

func TestWrite_hidesTheValuesOfSecrets(t *testing.T) {
	const hidden = "(a line of a Secret that may hold its values is not shown)\n"
	for _, test := range []struct{ label, before, after, want string }{
		{"a name, next to data", secretHead + "data:\n  a: hunter2\n", strings.Replace(secretHead, "db", "db-1", 1) + "data:\n  a: hunter2\n",
			"@@ -10,6 +20,6 @@\n apiVersion: v1\n kind: Secret\n metadata:\n-  name: db\n+  name: db-1\n " + hidden + " " + hidden},
		{"a value", secretHead + "data:\n  a: hunter1\n", secretHead + "data:\n  a: hunter2\n", "@@ -12,4 +22,4 @@\n metadata:\n   name: db\n " + hidden + "-" + hidden + "+" + hidden},
		{"flow style", "{kind: Secret, metadata: {name: a}, data: {x: hunter1}}\n", "{kind: Secret, metadata: {name: b}, data: {x: hunter1}}\n", "@@ -10,1 +20,1 @@\n-" + hidden + "+" + hidden},
		{"an annotation that copies", secretHead + "  annotations:\n    a: b\n    c: '{hunter1}'\n", secretHead + "  annotations:\n    a: c\n    c: '{hunter1}'\n",
			"@@ -12,5 +22,5 @@\n metadata:\n   name: db\n   annotations:\n-    a: b\n+    a: c\n " + hidden},
		{"in a SecretList", "kind: SecretList\nitems:\n- type: a\n  data: {x: hunter1}\n- data:\n    x: hunter2\n  type: c\n", "kind: SecretList\nitems:\n- type: b\n  data: {x: hunter1}\n- data:\n    x: hunter2\n  type: d\n",
			"@@ -10,7 +20,7 @@\n kind: SecretList\n items:\n-- type: a\n+- type: b\n " + hidden + " " + hidden + " " + hidden + "-  type: c\n+  type: d\n"},
		{"a comment", secretHead + "# hunter1\ntype: a\n", secretHead + "# hunter1\ntype: b\n", "@@ -12,4 +22,4 @@\n metadata:\n   name: db\n " + hidden + "-type: a\n+type: b\n"},
		{"anchors", secretHead + "type: &a x\ndata: {a: hunter1}\n", secretHead + "type: &a y\ndata: {a: hunter1}\n", "@@ -11,5 +21,5 @@\n " + hidden + " " + hidden + " " + hidden + "-" + hidden + "+" + hidden + " " + hidden},
		{"not YAML", "kind: Secret\na: [hunter1\n", "kind: Secret\na: [hunter2\n", "@@ -10,2 +20,2 @@\n " + hidden + "-" + hidden + "+" + hidden},
		{"a reference to one", "kind: Pod\nref: {kind: Secret, name: a}\n", "kind: Pod\nref: {kind: Secret, name: b}\n",
			"@@ -10,2 +20,2 @@\n kind: Pod\n-ref: {kind: Secret, name: a}\n+ref: {kind: Secret, name: b}\n"},
	} {
		got := written(t, Diff{Secrets: true}, changeOf(test.before, test.after))
		if diff := cmp.Diff("--- input\n+++ output\n"+test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.label, diff)
		}
		if strings.Contains(got, "hunter") {
			t.Errorf("%s: shows a value:\n%s", test.label, got)
		}
	}
}

func TestWrite_hidesLinesOfSeveralItemsIfThereAreSecrets(t *testing.T) {
	mixed := changeOf("[{a: b}, {c: hunter2}]\n", "[{a: x}, {c: hunter2}]\n")
	mixed.Mixed = true
	heading := func(int) string { return "Pod p" }
	if got := written(t, Diff{Secrets: true, Heading: heading}, mixed); strings.Contains(got, "hunter2") || strings.Contains(got, "Pod") {
		t.Errorf("got %s", got)
	}
	if got := written(t, Diff{Heading: heading}, mixed); !strings.Contains(got, "+[{a: x}") || strings.Contains(got, "Pod") {
		t.Errorf("got %s", got)
	}
}

func TestWrite_headsAHunkWithTheResourceOfItsFirstChange(t *testing.T) {
	d := Diff{Heading: func(line int) string { return fmt.Sprint("line ", line) }}
	got := written(t, d, changeOf("a: b\nc: d\n", "a: b\nc: e\n"))
	if want := "--- input\n+++ output\n@@ -10,2 +20,2 @@ line 11\n a: b\n-c: d\n+c: e\n"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestWrite_writesNothingWithoutChanges(t *testing.T) {
	if got := written(t, Diff{}); got != "" {
		t.Errorf("got %q", got)
	}
}

type brokenWriter struct{ left int }

var errBroken = errors.New("broken")

func (w *brokenWriter) Write(p []byte) (int, error) {
	if w.left--; w.left < 0 {
		return 0, errBroken
	}
	return len(p), nil
}

func TestWrite_returnsTheWritersError(t *testing.T) {
	for writes := range 2 {
		err := Diff{}.Write(&brokenWriter{writes}, []manifest.Change{changeOf("a: b\n", "a: c\n")})
		if !errors.Is(err, errBroken) {
			t.Errorf("after %d writes: got %v", writes, err)
		}
	}
}
