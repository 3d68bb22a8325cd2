package impact_test

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/confighash/confighash/internal/impact"
)

// documented returns the description of a type in docs/impact-json.md: for each field, the name, the type, and whether
// it is always present.
func documented(t *testing.T, page, name string) [][3]string {
	t.Helper()
	_, section, found := strings.Cut(page, "\n#### "+name+"\n")
	if !found {
		t.Fatalf("docs/impact-json.md has no heading %s", name)
	}
	section, _, _ = strings.Cut(section, "\n#### ")
	var rows [][3]string
	if strings.Contains(section, "\nAll fields of Ref, and\n") {
		rows = append(rows, [3]string{"", "Ref", "yes"})
	}
	for _, m := range regexp.MustCompile("(?m)^\\| `(\\w+)` \\| ([^|]*) \\| (yes|) ?\\|").FindAllStringSubmatch(section, -1) {
		rows = append(rows, [3]string{m[1], m[2], m[3]})
	}
	return rows
}

// typeOf returns the name of a type in docs/impact-json.md, and the type to describe next.
func typeOf(t *testing.T, typ reflect.Type) (string, reflect.Type) {
	t.Helper()
	switch typ.Kind() {
	case reflect.String:
		return "string", nil
	case reflect.Bool:
		return "boolean", nil
	case reflect.Int, reflect.Int64:
		return "integer", nil
	case reflect.Pointer:
		return typeOf(t, typ.Elem())
	case reflect.Slice:
		name, more := typeOf(t, typ.Elem())
		return "list of " + name, more
	case reflect.Map:
		return "map to integer", nil
	case reflect.Struct:
		return typ.Name(), typ
	}
	t.Fatalf("docs/impact-json.md has no word for %s", typ)
	return "", nil
}

func TestDocs_describeEachFieldOfTheJSON(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "impact-json.md"))
	if err != nil {
		t.Fatal(err)
	}
	types := []reflect.Type{reflect.TypeFor[impact.Report]()}
	known := map[reflect.Type]bool{types[0]: true}
	for ; len(types) > 0; types = types[1:] {
		typ := types[0]
		var want [][3]string
		for field := range typ.Fields() {
			name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
			if field.Anonymous {
				name = "" // its fields are among the others
			} else if name == "" {
				t.Fatalf("%s.%s has no name in JSON", typ, field.Name)
			}
			called, more := typeOf(t, field.Type)
			always := "yes"
			if options == "omitempty" {
				always = ""
			}
			want = append(want, [3]string{name, called, always})
			if more != nil && !known[more] {
				known[more] = true
				types = append(types, more)
			}
		}
		if diff := cmp.Diff(want, documented(t, string(text), typ.Name())); diff != "" {
			t.Errorf("docs/impact-json.md, %s (-type +page):\n%s", typ.Name(), diff)
		}
	}
	if len(known) < 9 {
		t.Errorf("%d types, want at least 9", len(known))
	}
}

// TestDocs_describeEachValueOfTheJSON looks for the values in the table's column with the meaning of fields.
func TestDocs_describeEachValueOfTheJSON(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "impact-json.md"))
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("report.go")
	if err != nil {
		t.Fatal(err)
	}
	vias, err := os.ReadFile(filepath.Join("..", "catalog", "target.go"))
	if err != nil {
		t.Fatal(err)
	}
	values := 0
	for field, typ := range map[string]string{"effect": "Effect", "change": "Change", "why": "Why", "via": "Via"} {
		row := regexp.MustCompile("(?m)^\\| `" + field + "` .*$").FindString(string(text))
		for _, m := range regexp.MustCompile(`(?m)^\t\w+ +`+typ+` += "([^"]+)"`).FindAllStringSubmatch(string(source)+string(vias), -1) {
			values++
			if !strings.Contains(row, "`"+m[1]+"`") {
				t.Errorf("docs/impact-json.md does not say that %s may be %s: %s", field, m[1], row)
			}
		}
	}
	if values < 9+5+4+6 {
		t.Errorf("%d values, want at least 24", values)
	}
	guide, err := os.ReadFile(filepath.Join("..", "..", "docs", "impact.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, effect := range impact.Effects() {
		if !strings.Contains(string(guide), "\n| `"+string(effect)+"` | ") {
			t.Errorf("docs/impact.md does not say what to do about %s", effect)
		}
	}
}
