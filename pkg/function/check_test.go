package function

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/confighash/confighash/pkg/api/v1alpha1"
)

const hiddenRemark = "(a line of a Secret that may hold its values is not shown)"

// For all inputs of the scripts, the diff leads to the output of Process.
func TestCheck_isTheDifferenceThatProcessMakes(t *testing.T) {
	scripts, err := filepath.Glob(filepath.Join("..", "..", "testdata", "script", "*.txtar"))
	if err != nil || len(scripts) == 0 {
		t.Fatal("no scripts", err)
	}
	applied, same := 0, 0
	for _, script := range scripts {
		archive, err := txtar.ParseFile(script)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range archive.Files {
			if filepath.Ext(f.Name) != ".yaml" || bytes.Contains(f.Data, []byte("kind: ResourceList")) {
				continue
			}
			for _, mode := range []v1alpha1.Mode{v1alpha1.ModeRename, v1alpha1.ModeAnnotate} {
				switch checkOne(t, fmt.Sprintf("%s, %s, %s", filepath.Base(script), f.Name, mode), f.Data, mode) {
				case 1:
					applied++
				case 0:
					same++
				}
			}
		}
	}
	if applied < 50 || same < 50 {
		t.Errorf("only %d diffs and %d inputs without one", applied, same)
	}
}

// checkOne compares Check with Process. It returns 1 if there is a diff, 0 if there is none, -1 if there is an error or
// a hidden line.
func checkOne(t *testing.T, label string, input []byte, mode v1alpha1.Mode) int {
	t.Helper()
	var output, diff bytes.Buffer
	o := Options{Config: v1alpha1.New(mode, v1alpha1.PolicyAll)}
	want, wantErr := Process(input, &output, o)
	changed, out, err := Check(input, &diff, o)
	if wantErr != nil {
		if err == nil || err.Error() != wantErr.Error() || diff.Len() > 0 {
			t.Errorf("%s: the error is %v and not %v, with %q", label, err, wantErr, &diff)
		}
		return -1
	}
	if err != nil {
		t.Errorf("%s: %v", label, err)
		return -1
	}
	if d := cmp.Diff(want, out); d != "" {
		t.Errorf("%s: (-Process +Check):\n%s", label, d)
	}
	if changed == bytes.Equal(input, output.Bytes()) || changed != (diff.Len() > 0) {
		t.Errorf("%s: changed is %t:\n%s", label, changed, &diff)
	}
	if bytes.Contains(diff.Bytes(), []byte(hiddenRemark)) {
		return -1
	}
	got, err := patched(string(input), diff.String())
	if err != nil {
		t.Errorf("%s: %v\n%s", label, err, &diff)
	} else if d := cmp.Diff(output.String(), got); d != "" {
		t.Errorf("%s: (-Process +the diff applied):\n%s", label, d)
	}
	if changed {
		return 1
	}
	return 0
}

// patched applies a unified diff, exactly at its line numbers.
func patched(text, diff string) (string, error) {
	const noBreak = "\\ No newline at end of file\n"
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n" + noBreak
	}
	diff = strings.ReplaceAll(diff, "\n"+noBreak, "\n\x00")
	lines := strings.SplitAfter(strings.ReplaceAll(text, "\n"+noBreak, "\x00\n"), "\n")
	var out strings.Builder
	next := 1
	for line := range strings.Lines(strings.ReplaceAll(diff, "\n\x00", "\x00\n")) {
		switch {
		case strings.HasPrefix(line, "--- input"), strings.HasPrefix(line, "+++ output"):
		case line[0] == '@':
			var old, olds, now, nows int
			if _, err := fmt.Sscanf(line, "@@ -%d,%d +%d,%d @@", &old, &olds, &now, &nows); err != nil {
				return "", fmt.Errorf("%q: %w", line, err)
			}
			if olds == 0 {
				old++
			}
			for ; next < old; next++ {
				out.WriteString(lines[next-1])
			}
			written := strings.Count(out.String(), "\n") + 1
			if nows == 0 {
				now++
			}
			if written != now {
				return "", fmt.Errorf("%q: the new side is at line %d", line, written)
			}
		case line[0] == '+':
			out.WriteString(line[1:])
		case line[1:] != lines[next-1]:
			return "", fmt.Errorf("line %d is %q and not %q", next, lines[next-1], line[1:])
		default:
			if line[0] == ' ' {
				out.WriteString(line[1:])
			}
			next++
		}
	}
	for ; next <= len(lines); next++ {
		out.WriteString(lines[next-1])
	}
	return strings.ReplaceAll(out.String(), "\x00\n", ""), nil
}

func TestCheck_showsNoValueOfASecret(t *testing.T) {
	const value = "hunter2-marker"
	encoded := base64.StdEncoding.EncodeToString([]byte(value))
	const secret = "apiVersion: v1\nkind: Secret\n"
	pod := "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {volumes: [{name: v, secret: {secretName: s}}]}\n"
	list := func(item string) string {
		return "apiVersion: v1\nkind: List\nitems:\n- " + strings.ReplaceAll(strings.TrimSpace(item), "\n", "\n  ") + "\n- " +
			strings.ReplaceAll(strings.TrimSpace(pod), "\n", "\n  ") + "\n"
	}
	block := secret + "metadata:\n  name: s\nstringData:\n  a: " + value + "\n"
	for label, manifests := range map[string]string{
		"values after the name":    block,
		"values before the name":   "stringData:\n  a: " + value + "\n" + secret + "metadata: {name: s}\n",
		"values around":            "kind: Secret\ndata:\n  a: " + encoded + "\nmetadata:\n  name: s\nstringData: {b: " + value + "}\napiVersion: v1\n",
		"a block scalar":           "stringData:\n  a: |\n    x\n    " + value + "\n    y\nmetadata: {name: s}\n" + secret,
		"a long quoted scalar":     "stringData: {a: \"x\n  y " + value + "\n  z\"}\nmetadata: {name: s}\n" + secret,
		"a long plain scalar":      "stringData:\n  a: x\n    y\n    " + value + "\nmetadata: {name: s}\n" + secret,
		"on one line":              "{apiVersion: v1, kind: Secret, stringData: {a: " + value + "}, metadata: {name: s}}\n",
		"a value ends on the line": "{apiVersion: v1, kind: Secret, stringData: {a: \"x\n  " + value + "\"}, metadata: {name: s}}\n",
		"JSON":                     "{\"apiVersion\": \"v1\",\n\"kind\": \"Secret\", \"stringData\": {\"a\": \"" + value + "\"},\n\"metadata\": {\"name\": \"s\"}}\n",
		"escapes":                  "apiVersion: v1\nkind: \"S\\x65cret\"\n\"d\\x61ta\": {a: " + encoded + "}\nmetadata:\n  name: s\n",
		"an anchor":                secret + "x: &x\n  a: " + value + "\nmetadata:\n  name: s\nstringData: *x\n",
		"a merge key":              "x: &x\n  apiVersion: v1\n  kind: Secret\n  stringData: {a: " + value + "}\n<<: *x\nmetadata:\n  name: s\n",
		"a kind that is merged in": "x: &x {apiVersion: v1, kind: Secret}\n<<: *x\nstringData: {a: " + value + "}\nmetadata:\n  name: s\n",
		"a kind from a mapping":    "<<: {apiVersion: v1, kind: Secret}\nmetadata:\n  name: s\nstringData:\n  a: " + value + "\n",
		"values from a mapping":    secret + "<<: {metadata: {name: s}, stringData: {a: " + value + "}}\n",
		"values from a list":       secret + "<<: [{metadata: {name: s}}, {stringData: {a: " + value + "}}]\n",
		"a comment":                secret + "# a: " + value + "\nmetadata:\n  # " + value + "\n  name: s\n  # " + value + "\nstringData: {a: b}\n",
		"kubectl's copy":           secret + "metadata:\n  annotations:\n    kubectl.kubernetes.io/last-applied-configuration: '{\"data\":{\"a\":\"" + encoded + "\"}}'\n  name: s\ndata: {a: " + encoded + "}\n",
		"managed fields":           secret + "metadata:\n  managedFields:\n  - x: " + value + "\n  name: s\ndata: {a: " + encoded + "}\n",
		"an unknown field":         secret + "metadata:\n  name: s\nspec:\n  a: " + value + "\ndata: {a: " + encoded + "}\n",
		"carriage returns":         strings.ReplaceAll(block, "\n", "\r"),
		"CRLF":                     strings.ReplaceAll(block, "\n", "\r\n"),
		"a line separator":         secret + "x: \"\u2028\"\nstringData:\n  a: " + value + "\nmetadata:\n  name: s\n",
		"no line break at the end": secret + "metadata: {name: s}\nstringData: {a: " + value + "}",
	} {
		for shape, input := range map[string]string{
			"documents": pod + "---\n" + manifests, "a List": list(manifests), "a List that is not split": "# &\n" + list(manifests) + "x: [\n]\n",
			"JSON after it": "{\"apiVersion\": \"v1\", \"kind\": \"Pod\", \"metadata\": {\"name\": \"p\"}, \"spec\": {\"volumes\": [{\"name\": \"v\", \"secret\": {\"secretName\": \"s\"}}]}} " + manifests,
		} {
			t.Run(label+", in "+shape, func(t *testing.T) {
				config := v1alpha1.New(v1alpha1.ModeRename, v1alpha1.PolicyAll)
				config.Spec.Rename.Unreferenced = v1alpha1.UnreferencedRename
				var diff bytes.Buffer
				changed, _, err := Check([]byte(input), &diff, Options{Config: config})
				if err != nil && shape == "documents" {
					t.Fatal(err)
				}
				if err != nil { // the two exclude each other
					diff.WriteString(err.Error())
					changed = true
				}
				if !changed {
					t.Error("nothing is changed")
				}
				if strings.Contains(diff.String(), value) || strings.Contains(diff.String(), encoded) {
					t.Errorf("a value is shown:\n%s", &diff)
				}
			})
		}
	}
}

// TestCheck_showsNothingOfNeighbors has JSON Lists in which other items begin or end on the lines of the one that
// changes.
func TestCheck_showsNothingOfNeighbors(t *testing.T) {
	const (
		workload = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d"},"spec":{"template":{"spec":{"containers":[{"name":"c","envFrom":[{"secretRef":{"name":"s"}}]}]}}}}`
		list     = `{"apiVersion":"v1","kind":"List","items":[` + "\n%s\n]}\n"
	)
	for label, items := range map[string]string{
		"before":       "{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"metadata\":{\"name\":\"s\"},\n\"data\":{\"p\":\"aHVudGVyMg==\"}}, " + workload,
		"after it":     "{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"stringData\":{\"a\":\"b\"},\"metadata\":{\"name\":\"s\"}},\n" + workload + ",{\"data\":{\"p\":\"aHVudGVyMg==\"},\n\"kind\":\"Secret\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"t\"}}",
		"on all sides": "{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"metadata\":{\"name\":\"s\"},\"data\":{\"p\":\"aHVudGVyMg==\"}}," + workload,
	} {
		t.Run(label, func(t *testing.T) {
			var diff bytes.Buffer
			changed, _, err := Check(fmt.Appendf(nil, list, items), &diff, Options{Config: v1alpha1.New(v1alpha1.ModeAnnotate, v1alpha1.PolicyAll)})
			if err != nil || !changed {
				t.Fatal(changed, err)
			}
			if strings.Contains(diff.String(), "aHVudGVyMg") || !strings.Contains(diff.String(), hiddenRemark) {
				t.Errorf("shown:\n%s", &diff)
			}
		})
	}
	t.Run("without Secrets", func(t *testing.T) {
		var diff bytes.Buffer
		input := fmt.Appendf(nil, list, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"},"data":{"a":"b"}},`+strings.ReplaceAll(workload, "secretRef", "configMapRef"))
		input = bytes.ReplaceAll(input, []byte(`{"name":"s"}`), []byte(`{"name":"c"}`))
		if _, _, err := Check(input, &diff, toRename()); err != nil || !strings.Contains(diff.String(), `"name":"c-4h2mbtbbt6"`) {
			t.Errorf("%v, shown:\n%s", err, &diff)
		}
	})
}

func TestCheck_reportsErrorsOfTheWriter(t *testing.T) {
	input := "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: b}\n---\napiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {volumes: [{name: v, configMap: {name: a}}]}\n"
	r, w := io.Pipe()
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	var writeError *WriteError
	if _, _, err := Check([]byte(input), w, toRename()); !errors.As(err, &writeError) {
		t.Errorf("got %v", err)
	}
}
