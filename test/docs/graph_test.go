package docs_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/confighash/confighash/test/support/harness"

	"github.com/google/go-cmp/cmp"
)

// TestGraphPage_showsWhatIsPrinted runs confighash graph on the manifests of docs/graph.md.
func TestGraphPage_showsWhatIsPrinted(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "graph.md"))
	if err != nil {
		t.Fatal(err)
	}
	block := func(language string) string {
		m := regexp.MustCompile("(?s)\n```" + language + "\n(.*?)```\n").FindSubmatch(page)
		if m == nil {
			t.Fatalf("docs/graph.md shows no %s", language)
		}
		return string(m[1])
	}
	cmd := exec.Command(harness.Binary, "graph")
	cmd.Stdin = strings.NewReader(block("yaml"))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if diff := cmp.Diff(block("text"), string(out)); diff != "" {
		t.Errorf("(-docs/graph.md +confighash graph):\n%s", diff)
	}
}

// TestGraph_showsNoValue uses objects whose values are letters that occur nowhere else, in every format.
func TestGraph_showsNoValue(t *testing.T) {
	const marker = "qxzhuntertwo"
	const manifests = `apiVersion: v1
kind: Secret
metadata: {name: s, annotations: {note: a}}
stringData: {a: ` + marker + `, ssl-certificate: default/` + marker + `}
data: {b: ` + marker + `}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: c}
data: {a: ` + marker + `, ssl-certificate: default/` + marker + `, proxy-set-headers: default/h, application.yaml: "secretRef: {name: ` + marker + `}"}
binaryData: {b: ` + marker + `}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: h}
---
apiVersion: bitnami.com/v1alpha1
kind: SealedSecret
metadata: {name: sealed}
spec: {encryptedData: {a: ` + marker + `}}
---
apiVersion: v1
kind: Pod
metadata: {name: p}
spec: {containers: [{name: p, env: [{name: A, value: ` + marker + `}], envFrom: [{secretRef: {name: s}}, {configMapRef: {name: c}}, {secretRef: {name: sealed}}]}]}
`
	for _, test := range []struct {
		more  string
		fails bool
	}{
		{"", false},
		{"---\nkind: Secret\nstringData: {a: *" + marker + "}\n", true},
		{"---\napiVersion: v1\nkind: Secret\nmetadata: {name: [" + marker + "]}\n", false},
		{"---\napiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {a: " + marker + "}\n", true}, // a duplicate
	} {
		for _, args := range []string{"", "-o json", "-o markdown", "-o dot", "--by workload"} {
			cmd := exec.Command(harness.Binary, append([]string{"graph"}, strings.Fields(args)...)...)
			cmd.Stdin = strings.NewReader(manifests + test.more)
			out, err := cmd.CombinedOutput()
			if failed := err != nil; failed != test.fails {
				t.Errorf("graph %s of %q: %v\n%s", args, test.more, err, out)
			}
			if strings.Contains(strings.ToLower(string(out)), marker[:6]) {
				t.Errorf("graph %s of %q tells a value:\n%s", args, test.more, out)
			}
		}
	}
}
