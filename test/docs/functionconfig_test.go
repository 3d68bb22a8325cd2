package docs_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/confighash/confighash/pkg/api/v1alpha1"
)

func TestFunctionConfigPage_showsEachField(t *testing.T) {
	shown := strings.Join(readPage(t, "docs/functionconfig.md").yaml, "")
	var check func(typ reflect.Type, indent string)
	check = func(typ reflect.Type, indent string) {
		for field := range typ.Fields() {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			if !strings.Contains(shown, "\n"+indent+name+":") {
				t.Errorf("no block of docs/functionconfig.md shows %s%s", indent, name)
			}
			if field.Type.Kind() == reflect.Struct {
				check(field.Type, indent+"  ")
			}
		}
	}
	check(reflect.TypeFor[v1alpha1.Spec](), "  ")
}
