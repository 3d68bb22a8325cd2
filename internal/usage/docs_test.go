package usage

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/confighash/confighash/pkg/api/v1alpha1"
)

// A documentedField is a row of a table in docs/graph-json.md, or a field of a type. An embedded field has a row
// without a name.
type documentedField struct {
	Name, Type string
	Always     bool
}

func graphPage(t *testing.T) string {
	t.Helper()
	page := ""
	for _, name := range []string{"graph.md", "graph-json.md"} {
		text, err := os.ReadFile(filepath.Join("..", "..", "docs", name))
		if err != nil {
			t.Fatal(err)
		}
		page += string(text)
	}
	return page
}

var fieldRow = regexp.MustCompile("(?m)^\\| `(\\w+)` \\| ([^|]*) \\| (yes|) ?\\|")

// documented returns the description of a type in docs/graph-json.md.
func documented(t *testing.T, page, name string) []documentedField {
	t.Helper()
	_, section, found := strings.Cut(page, "\n#### "+name+"\n")
	if !found {
		t.Fatalf("docs/graph-json.md has no heading %s", name)
	}
	section, _, _ = strings.Cut(section, "\n#### ")
	var fields []documentedField
	if strings.Contains(section, "\nAll fields of Node, and\n") {
		fields = append(fields, documentedField{"", "Node", true})
	}
	for _, m := range fieldRow.FindAllStringSubmatch(section, -1) {
		fields = append(fields, documentedField{m[1], m[2], m[3] != ""})
	}
	return fields
}

// called returns the name of a type in docs/graph-json.md.
func called(t *testing.T, typ reflect.Type) string {
	t.Helper()
	switch typ.Kind() {
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "boolean"
	case reflect.Slice:
		return "list of " + called(t, typ.Elem())
	case reflect.Struct:
		return typ.Name()
	}
	t.Fatalf("docs/graph-json.md has no word for %s", typ)
	return ""
}

func TestDocs_describeEachFieldOfTheJSON(t *testing.T) {
	page := graphPage(t)
	for _, typ := range []reflect.Type{reflect.TypeFor[Graph](), reflect.TypeFor[Node](), reflect.TypeFor[Object](), reflect.TypeFor[Edge]()} {
		var want []documentedField
		for field := range typ.Fields() {
			name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
			if name == "" && !field.Anonymous {
				t.Fatalf("%s.%s has no name in JSON", typ, field.Name)
			}
			want = append(want, documentedField{name, called(t, field.Type), options != "omitempty"})
		}
		if diff := cmp.Diff(want, documented(t, page, typ.Name())); diff != "" {
			t.Errorf("docs/graph-json.md, %s (-type +page):\n%s", typ.Name(), diff)
		}
	}
}

func TestDocs_describeEachWay(t *testing.T) {
	page := graphPage(t)
	row := regexp.MustCompile("(?m)^\\| `via` .*$").FindString(page)
	for _, via := range Ways() {
		if !strings.Contains(row, "`"+string(via)+"`") {
			t.Errorf("docs/graph-json.md does not say that via may be %s: %s", via, row)
		}
		if !strings.Contains(page, "\n| `"+string(via)+"` | ") {
			t.Errorf("docs/graph.md does not explain %s", via)
		}
	}
	for _, value := range []string{v1alpha1.APIVersion, Kind} {
		if !strings.Contains(page, "| `"+value+"` |") {
			t.Errorf("docs/graph-json.md does not name %s", value)
		}
	}
}
