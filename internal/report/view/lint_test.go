package view_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"encoding/xml"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
	"github.com/xeipuuv/gojsonschema"

	"github.com/confighash/confighash/internal/graph/load"
	"github.com/confighash/confighash/internal/lint"
	"github.com/confighash/confighash/internal/report"
	"github.com/confighash/confighash/internal/report/view"
)

func check(t *testing.T, text string) *lint.Report {
	t.Helper()
	g, err := load.Graph([]string{load.Stdin}, strings.NewReader(text), load.Options{Suffixes: true})
	if err != nil {
		t.Fatal(err)
	}
	found, err := lint.Check(g, nil)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// defective has a finding of each rule. VALUE is in Secrets, BASE64 is the same encoded.
const defective = `apiVersion: v1
kind: Secret
metadata: {name: database, annotations: {confighash.dev/hash: hmg6f82fh6}}
stringData:
  password: VALUE
  VALUE:
---
apiVersion: v1
kind: Secret
metadata: {name: idle}
data: {password: BASE64}
---
apiVersion: v1
kind: Secret
metadata: {name: wrong-hmg6f82fh6, annotations: {confighash.dev/hash: hmg6f82fh6}}
stringData: {password: VALUE, ssl-certificate: default/VALUE}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: "web<&>\"'\u0001"}
spec:
  template:
    spec:
      containers:
      - name: c
        args: [--secret=idle]
        env:
        - {name: A, valueFrom: {secretKeyRef: {name: database, key: gone}}}
        envFrom: [{secretRef: {name: databse}}, {secretRef: {name: nowhere}}, {secretRef: {name: wrong-hmg6f82fh6}}]
---
apiVersion: v1
kind: Secret
metadata: {name: unused}
stringData: {password: VALUE}
---
apiVersion: v1
kind: Secret
metadata: {name: spare, annotations: {confighash.dev/lint-ignore: "unused-object, missing-key -- \u0001 kept"}}
stringData: {password: VALUE}
`

func defectiveWith(value string) string {
	return strings.NewReplacer("VALUE", value, "BASE64", base64.StdEncoding.EncodeToString([]byte(value))).Replace(defective)
}

// The position of a finding is the line and character of the name in the file, in any format.
func TestCheck_positionsMatchTheFile(t *testing.T) {
	const pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  containers:\n  - name: ü😀\n    envFrom:\n    - secretRef:\n        name: gone\n"
	indent := func(text, by string) string {
		return by + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n"+by) + "\n"
	}
	item := strings.Replace(indent(pod, "  "), "  ", "- ", 1)
	for label, text := range map[string]string{
		"a document":             pod,
		"CRLF":                   strings.ReplaceAll(pod, "\n", "\r\n"),
		"a byte order mark":      "\ufeff" + pod,
		"the second document":    "# of\n---\n\n# a Service\napiVersion: v1\nkind: Service\nmetadata: {name: s}\n--- # then\n" + pod,
		"a List":                 "apiVersion: v1\nkind: List\nitems:\n" + strings.ReplaceAll(item, "gone", "kube-root") + strings.ReplaceAll(item, "name: p", "name: q"),
		"a List in a List":       "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: List\n  items:\n" + indent(item, "  "),
		"a ResourceList":         "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nfunctionConfig: {apiVersion: v1, kind: ConfigMap, metadata: {name: f}}\nitems:\n" + item,
		"JSON":                   "{\n" + `"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": [{"name": "ü😀", "envFrom": [{"secretRef": {"name": "gone"}}]}]}}`,
		"an anchor and an alias": strings.Replace(pod, "- name", "- &c\n    name", 1) + "  - <<: *c\n    name: other\n",
	} {
		found := check(t, text).Findings
		before, _, _ := strings.Cut(text, "gone")
		before = strings.TrimPrefix(before, "\ufeff")
		line := strings.Count(before, "\n") + 1
		column := utf8.RuneCountInString(before[strings.LastIndex(before, "\n")+1:]) + 1
		if strings.HasSuffix(before, `"`) {
			column--
		}
		last := len(found) - 1
		if last < 0 || found[last].Line != line || found[last].Column != column {
			t.Errorf("%s: %+v, want line %d, column %d", label, found, line, column)
		}
	}
}

// formats returns a report in each format.
func formats(t *testing.T, r *lint.Report) map[string]string {
	t.Helper()
	all := map[string]string{}
	for format, write := range map[string]func(io.Writer) error{
		"text":  func(w io.Writer) error { return report.Write(w, view.Lint(r), report.Text, true) },
		"json":  func(w io.Writer) error { return report.Write(w, view.Lint(r), report.JSON, false) },
		"sarif": func(w io.Writer) error { return view.SARIF(w, r, "v1") },
		"junit": func(w io.Writer) error { return view.JUnit(w, r) },
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		all[format] = b.String()
	}
	return all
}

func TestFormats_haveEachRuleAndNoValueOfASecret(t *testing.T) {
	const value = "hunter2hunter2"
	for format, text := range formats(t, check(t, defectiveWith(value))) {
		for _, rule := range lint.RuleNames() {
			if !strings.Contains(text, rule) {
				t.Errorf("%s: no finding of %s", format, rule)
			}
		}
		for _, secret := range []string{value, base64.StdEncoding.EncodeToString([]byte(value))} {
			if strings.Contains(text, secret) {
				t.Errorf("%s shows a value:\n%s", format, text)
			}
		}
		if strings.Contains(text, "\u0001") {
			t.Errorf("%s has a control character", format)
		}
	}
}

// sarifSchema returns OASIS's schema, a constant in the module for the known fields, which itself only validates its
// own output.
func sarifSchema(t *testing.T) *gojsonschema.Schema {
	t.Helper()
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/owenrumney/go-sarif/v3").Output()
	if err != nil {
		t.Fatal(err)
	}
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(strings.TrimSpace(string(dir)), "pkg", "report", "v210", "sarif", "schema.go"), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var text string
	ast.Inspect(file, func(n ast.Node) bool {
		if literal, ok := n.(*ast.BasicLit); ok {
			text, err = strconv.Unquote(literal.Value)
		}
		return true
	})
	schema, invalid := gojsonschema.NewSchema(gojsonschema.NewStringLoader(text))
	if err := errors.Join(err, invalid); err != nil {
		t.Fatal(err)
	}
	return schema
}

// The log has no field unknown to SARIF, and what OASIS's schema requires.
func TestSARIF_isValid(t *testing.T) {
	schema := sarifSchema(t)
	for label, text := range map[string]string{"findings": defectiveWith("x"), "nothing": ""} {
		log := formats(t, check(t, text))["sarif"]
		var known sarif.Report
		decoder := json.NewDecoder(strings.NewReader(log))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&known); err != nil {
			t.Fatalf("%s: %v\n%s", label, err, log)
		}
		result, err := schema.Validate(gojsonschema.NewStringLoader(log))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range result.Errors() {
			t.Errorf("%s: %s", label, e)
		}
		for _, result := range known.Runs[0].Results {
			if id := *known.Runs[0].Tool.Driver.Rules[result.RuleIndex].ID; id != *result.RuleID {
				t.Errorf("the index of %s is that of %s", *result.RuleID, id)
			}
		}
	}
}

func TestJUnit_countsWhatFails(t *testing.T) {
	found := check(t, defectiveWith("x"))
	var suites struct {
		Suite struct {
			Tests    int `xml:"tests,attr"`
			Failures int `xml:"failures,attr"`
			Skipped  int `xml:"skipped,attr"`
			Cases    []struct {
				Failure *struct{} `xml:"failure"`
				Skipped *struct{} `xml:"skipped"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal([]byte(formats(t, found)["junit"]), &suites); err != nil {
		t.Fatal(err)
	}
	failures, skipped, want := 0, 0, 0
	for _, c := range suites.Suite.Cases {
		if c.Skipped != nil {
			skipped++
		}
		if c.Failure != nil {
			failures++
		}
	}
	for _, f := range found.Findings {
		if f.Severity != lint.Note {
			want++
		}
	}
	if s := suites.Suite; s.Skipped != skipped || skipped != len(found.Accepted) || skipped == 0 {
		t.Errorf("%d are skipped, of which there are %d, and %d are accepted", s.Skipped, skipped, len(found.Accepted))
	}
	if s := suites.Suite; s.Tests != len(s.Cases) || s.Failures != failures || failures != want || want == 0 {
		t.Errorf("%d tests, %d failures; there are %d cases, of which %d fail, and %d findings that count", s.Tests, s.Failures, len(s.Cases), failures, want)
	}
}

func TestDocs_describeRulesAndJSON(t *testing.T) {
	pageOf := func(name string) string {
		text, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	page := pageOf("lint.md")
	for _, rule := range lint.Rules() {
		if !strings.Contains(page, "\n### "+rule.Name+"\n") || !strings.Contains(page, "\n| [`"+rule.Name+"`](#"+rule.Name+") | "+string(rule.Severity)) {
			t.Errorf("docs/lint.md has no section on %s, or no row that calls it %s", rule.Name, rule.Severity)
		}
	}
	page = pageOf("lint-json.md")
	row := regexp.MustCompile("(?m)^\\| `(\\w+)` \\| [^|]* \\| (yes|) ?\\|")
	for _, typ := range []reflect.Type{reflect.TypeFor[lint.Report](), reflect.TypeFor[lint.Finding](), reflect.TypeFor[lint.Resource]()} {
		_, section, _ := strings.Cut(page, "\n## "+typ.Name()+"\n")
		section, _, _ = strings.Cut(section, "\n#")
		var want, documented []string
		for field := range typ.Fields() {
			name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
			want = append(want, name+map[bool]string{true: " always"}[options != "omitempty"])
		}
		for _, m := range row.FindAllStringSubmatch(section, -1) {
			documented = append(documented, m[1]+map[bool]string{true: " always"}[m[2] != ""])
		}
		if diff := cmp.Diff(want, documented); diff != "" {
			t.Errorf("docs/lint-json.md, %s (-type +page):\n%s", typ.Name(), diff)
		}
	}
}
