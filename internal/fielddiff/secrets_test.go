package fielddiff_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/confighash/confighash/internal/fielddiff"
	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/graph/load"
	"github.com/confighash/confighash/internal/report"
	"github.com/confighash/confighash/internal/report/view"
)

func read(text string) (*graph.Graph, error) {
	return load.Graph([]string{load.Stdin}, strings.NewReader(text), load.Options{})
}

// compare returns all output of a comparison, and whether it succeeds.
func compare(before, after string) (out string, ok bool) {
	old, err := read(before)
	if err != nil {
		return err.Error(), false
	}
	now, err := read(after)
	if err != nil {
		return err.Error(), false
	}
	found, err := fielddiff.Compare(old, now)
	if err != nil {
		return err.Error(), false
	}
	for _, f := range found.Ambiguous {
		out += f.Error() + "\n"
	}
	page := view.Diff(found).Page()
	data, err := json.Marshal(found)
	if err != nil {
		return err.Error(), false
	}
	return out + page.Text(true) + page.Markdown(&report.Diagram{}, report.DefaultLimit) + string(data), true
}

const secret = "apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\n"

// shapes are manifests with a Secret's value: (v) is the value, (b) its base64.
var shapes = map[string]string{
	"data":              secret + "data:\n  pass: (b)\n  other: (b)\n",
	"stringData":        secret + "stringData:\n  pass: (v)\n  conf: |\n    a=(v)\n    b=1\n",
	"a hashed name":     "apiVersion: v1\nkind: Secret\nmetadata:\n  name: db-6ct58987ht\n  annotations: {confighash.dev/hash: 6ct58987ht}\nstringData: {pass: (v)}\n",
	"flow":              "{apiVersion: v1, kind: Secret, metadata: {name: db}, stringData: {pass: (v)}}\n",
	"JSON":              `{"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "db"}, "data": {"pass": "(b)"}}` + "\n",
	"an alias":          "apiVersion: v1\nkind: Secret\nmetadata: {name: db}\nstringData: {pass: &p (v), again: *p}\n",
	"a merge key":       "apiVersion: v1\nkind: Secret\nmetadata: {name: db}\nstringData: {<<: {pass: (v)}}\n",
	"a copy":            secret + "  annotations:\n    kubectl.kubernetes.io/last-applied-configuration: |\n      {\"stringData\":{\"pass\":\"(v)\"}}\n    note: '{(v)}'\nstringData: {pass: (v)}\n",
	"another field":     secret + "spec: {pass: (v)}\nstatus: (v)\nstringData: {a: b}\n",
	"in metadata":       secret + "  finalizers: [(v)]\n  managedFields: [{(v): (v)}]\nstringData: {a: b}\n",
	"no string":         secret + "data:\n  pass: [(b)]\n",
	"a key by itself":   secret + "stringData:\n  pass: a\n  (v):\n",
	"of another group":  "apiVersion: example.com/v1\nkind: Secret\nmetadata: {name: db}\ndata: {pass: (v)}\nspec: {pass: (v)}\n",
	"a list":            "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Secret\n  metadata: {name: db}\n  stringData: {pass: (v)}\n",
	"a SecretList":      "apiVersion: v1\nkind: SecretList\nitems:\n- apiVersion: v1\n  kind: Secret\n  metadata: {name: db}\n  stringData: {pass: (v)}\n",
	"within another":    "apiVersion: work.open-cluster-management.io/v1\nkind: ManifestWork\nmetadata: {name: w}\nspec:\n  workload:\n    manifests:\n    - apiVersion: v1\n      kind: Secret\n      metadata: {name: db}\n      stringData: {pass: (v)}\n    - apiVersion: v1\n      kind: SecretList\n      items: [{metadata: {name: a}, stringData: {pass: (v)}}]\n",
	"copied of another": "apiVersion: example.com/v1\nkind: Holder\nmetadata:\n  name: w\n  annotations:\n    kubectl.kubernetes.io/last-applied-configuration: '{\"spec\":{\"kind\":\"Secret\",\"metadata\":{},\"data\":{\"pass\":\"(v)\"}}}'\nspec: {kind: Secret, metadata: {}, data: {pass: (v)}}\n",
}

func fill(shape, value string) string {
	return strings.NewReplacer("(v)", value, "(b)", base64.StdEncoding.EncodeToString([]byte(value))).Replace(shape)
}

// leaks returns a part of a value, or of its base64, that text contains.
func leaks(text, value string) string {
	for _, secret := range []string{value, base64.RawStdEncoding.EncodeToString([]byte(value))} {
		const part = 6
		for i := 0; i+part <= len(secret); i++ {
			if strings.Contains(text, secret[i:i+part]) {
				return secret[i : i+part]
			}
		}
	}
	return ""
}

func TestCompare_showsNoValueOfASecret(t *testing.T) {
	values := []string{"QXZWVKJHGFDPNB", "QXZWVKJHGFDPNBTRCMLS", "ZZJXKQVWPYGBHD"}
	const other = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: shown}\ndata: {a: b}\n---\n"
	compared := 0
	for label, shape := range shapes {
		for _, pair := range [][2]string{
			{fill(shape, values[0]), fill(shape, values[1])},
			{fill(shape, values[0]), fill(shape, values[2])},
			{fill(shape, values[0]), other},
			{other, fill(shape, values[0])},
			{other + secret, other + fill(shape, values[0])},
			{strings.Replace(fill(shape, values[0]), "pass", "word", 1), fill(shape, values[0])},
			{fill(shape, values[0]), strings.Replace(fill(shape, values[0]), "name: db", "name: db\n  labels: {a: b}", 1)},
		} {
			out, ok := compare(pair[0], pair[1])
			if ok {
				compared++
			}
			for _, value := range values {
				if part := leaks(out, value); part != "" {
					t.Errorf("%s: %q is shown:\n%s\nof\n%s\nand\n%s", label, part, out, pair[0], pair[1])
				}
			}
		}
	}
	if compared < 5*len(shapes) {
		t.Errorf("only %d pairs were compared", compared)
	}
}

// A changed value is noticed wherever it is hidden.
func TestCompare_noticesWhatItHides(t *testing.T) {
	for label, shape := range shapes {
		out, ok := compare(fill(shape, "one"), fill(shape, "two"))
		if ok && !strings.Contains(out, "1 resource changes") {
			t.Errorf("%s: nothing changes:\n%s", label, out)
		}
		if out, ok = compare(fill(shape, "one"), fill(shape, "one")); ok && !strings.Contains(out, "Nothing changes") {
			t.Errorf("%s: something changes:\n%s", label, out)
		}
	}
}

// A value is the same in whichever field of a Secret it is.
func TestCompare_readsStringDataAsData(t *testing.T) {
	out, ok := compare(fill(secret+"data: {pass: (b)}\n", "one"), fill(secret+"stringData: {pass: (v)}\n", "one"))
	if !ok || !strings.Contains(out, "Nothing changes") {
		t.Errorf("got %t, %s", ok, out)
	}
}

func ExampleCompare() {
	old, _ := read("{apiVersion: v1, kind: Pod, metadata: {name: web}, spec: {containers: [{name: app, image: 'app:1'}]}}")
	now, _ := read("{apiVersion: v1, kind: Pod, metadata: {name: web}, spec: {containers: [{name: app, image: 'app:2'}]}}")
	found, _ := fielddiff.Compare(old, now)
	fmt.Print(found.Changed[0].Lines)
	// Output:
	// -spec.containers[app].image: app:1
	// +spec.containers[app].image: app:2
}
