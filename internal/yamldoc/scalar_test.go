package yamldoc_test

import (
	"fmt"
	"testing"

	"go.yaml.in/yaml/v3"
	kubectl "sigs.k8s.io/yaml"

	"github.com/confighash/confighash/internal/yamldoc"
)

func TestBool_readsAsKubectlDoes(t *testing.T) {
	for _, text := range []string{
		"true", "True", "TRUE", "tRUE", "yes", "Yes", "YES", "yEs", "y", "Y", "on", "On", "ON", "false", "False", "FALSE", "no", "No", "NO",
		"n", "N", "off", "Off", "OFF", `"true"`, `'yes'`, "!!bool true", `!!bool "yes"`, "!!str true", "1", "null", "{}", "[]", "trueish",
	} {
		var document yaml.Node
		if err := yaml.Unmarshal([]byte("field: "+text), &document); err != nil {
			t.Fatal(err)
		}
		value, ok := yamldoc.Bool(document.Content[0].Content[1])
		var read struct{ Field any }
		if err := kubectl.Unmarshal([]byte("field: "+text), &read); err != nil {
			t.Fatal(err)
		}
		want, isBool := read.Field.(bool)
		if fmt.Sprint(value, ok) != fmt.Sprint(want, isBool) {
			t.Errorf("%s is %v, %v; kubectl reads %#v", text, value, ok, read.Field)
		}
	}
}
