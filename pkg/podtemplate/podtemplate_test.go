package podtemplate

import (
	"fmt"
	"testing"

	"github.com/confighash/confighash/pkg/yamltree"
)

func read1(t testing.TB, text string, o Options) *Template {
	t.Helper()
	var p yamltree.Parser
	tree, err := p.Parse([]byte(text))
	if err != nil {
		t.Fatalf("%v in:\n%s", err, text)
	}
	template, err := Read(tree, o)
	if err != nil {
		t.Fatalf("%v in:\n%s", err, text)
	}
	return template
}

// told returns the differences, each in a line: what people read, the two ways, the
// images.
func told(found []Difference) []string {
	var lines []string
	for _, d := range found {
		line := d.String()
		if d.OldImage != "" || d.NewImage != "" {
			line += fmt.Sprintf(": %s -> %s", d.OldImage, d.NewImage)
		}
		lines = append(lines, line)
	}
	return lines
}

// inContainer is a template of one container with more fields.
func inContainer(fields string) string {
	return "spec: {containers: [{name: web, image: nginx:1.29, " + fields + "}]}"
}

// inSpec is a template with more fields of the pod spec.
func inSpec(fields string) string {
	return "spec: {containers: [{name: web, image: nginx:1.29}], " + fields + "}"
}
