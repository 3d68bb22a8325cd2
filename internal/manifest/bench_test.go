package manifest

import (
	"bytes"
	"fmt"
	"testing"
)

// BenchmarkParse splits and parses inputs of 20,000 resources in each form: the minimum time for any use of them.
func BenchmarkParse(b *testing.B) {
	const resources = 20_000
	forms := []struct{ name, head, first, line, between, end string }{
		{"stream", "", "", "", "---\n", ""},
		{"ResourceList", "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n", "- ", "  ", "", ""},
		{"JSON", "", "", "", "", ""},
	}
	for _, form := range forms {
		var text bytes.Buffer
		text.WriteString(form.head)
		for i := range resources {
			if i > 0 {
				text.WriteString(form.between)
			}
			if form.name == "JSON" {
				if i == 0 {
					text.WriteString(`{"apiVersion":"v1","items":[`)
				} else {
					text.WriteString(",\n")
				}
				fmt.Fprintf(&text, `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"app-%d","labels":{"app":"app-%[1]d"}},"spec":{"template":{"spec":{"containers":[{"name":"app","image":"app:1","envFrom":[{"configMapRef":{"name":"settings-%[1]d"}}]}]}}}}`, i)
				continue
			}
			resource := fmt.Sprintf("apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: app-%d\n  labels:\n    app: app-%[1]d\nspec:\n  template:\n    spec:\n      containers:\n      - name: app\n        image: app:1\n        envFrom:\n        - configMapRef:\n            name: settings-%[1]d\n", i)
			text.WriteString(form.first + string(bytes.ReplaceAll([]byte(resource[:len(resource)-1]), []byte("\n"), []byte("\n"+form.line))) + "\n")
		}
		if form.name == "JSON" {
			text.WriteString("],\"kind\":\"List\"}\n")
		}
		b.Run(form.name+"/split", func(b *testing.B) {
			b.SetBytes(int64(text.Len()))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Split(text.Bytes()); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(form.name+"/parse", func(b *testing.B) {
			b.SetBytes(int64(text.Len()))
			b.ReportAllocs()
			for b.Loop() {
				in, err := Split(text.Bytes())
				if err != nil {
					b.Fatal(err)
				}
				_, counts, err := Parse(in, func(_ *Chunk, items []Item) (int, error) { return len(items), nil })
				if err != nil || len(counts) != resources {
					b.Fatal(len(counts), err)
				}
			}
		})
	}
}
