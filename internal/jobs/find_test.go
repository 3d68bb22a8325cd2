package jobs

import (
	"fmt"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/graph"
)

// found returns the mentions in an item, and those in its text.
func found(t *testing.T, item string) (mentions, texts string) {
	t.Helper()
	var n yaml.Node
	if err := yaml.Unmarshal([]byte(item), &n); err != nil {
		t.Fatalf("%v\n%s", err, item)
	}
	f := find(&graph.Resource{Kind: "Anything"}, n.Content[0])
	list := func(all []mention) string {
		var names []string
		for _, m := range all {
			names = append(names, m.namespace+"/"+m.name)
		}
		return strings.Join(names, " ")
	}
	return list(f.mentions), list(f.texts)
}

// TestFind_knowsEachFormOfTheCatalogue writes each form in the catalogue, and the same for another group and for
// several kinds.
func TestFind_knowsEachFormOfTheCatalogue(t *testing.T) {
	known := catalog.Builtin().JobNames()
	concrete := strings.NewReplacer("*", "k8s", "{namespace}", "prod", "{name}", "migrate")
	check := func(item, mentions, text string) {
		t.Helper()
		if m, texts := found(t, item); m != mentions || strings.Contains(texts, "/migrate") != (text != "") {
			t.Errorf("%s\nmentions %q, and %q in text; want %q and %q", item, m, texts, mentions, text)
		}
	}
	for _, f := range known.Fields {
		for _, is := range f.Is {
			is := concrete.Replace(string(is))
			check(fmt.Sprintf("spec: [{%s: %s, %s: migrate}]", f.If, is, f.Name), "/migrate", "")
			check(fmt.Sprintf("spec: [{%s: other%s, %s: migrate}]", f.If, is, f.Name), "", "")
			check(fmt.Sprintf("spec: [{%s: [%s, pods], %s: [migrate]}]", f.If, is, f.Name), "", "/migrate")
			for _, group := range f.Group {
				check(fmt.Sprintf("spec: [{%s: %s, %s: batch, %s: migrate}]", f.If, is, group, f.Name), "/migrate", "")
				check(fmt.Sprintf("spec: [{%s: %s, %s: batch.volcano.sh, %s: migrate}]", f.If, is, group, f.Name), "", "")
			}
		}
	}
	for _, label := range known.Labels {
		key := concrete.Replace(string(label))
		check(fmt.Sprintf("spec: {selector: {matchLabels: {%q: migrate}}}", key), "/migrate", "")
		check(fmt.Sprintf("spec: {data: {%q: migrate}}", key), "", "")
	}
	for _, a := range known.Annotations {
		one := concrete.Replace(a.Format.String())
		check(fmt.Sprintf("metadata: {annotations: {%s: %q}}", concrete.Replace(string(a.Key)), one+" , other"), "prod/migrate", "")
		check(fmt.Sprintf("metadata: {annotations: {example.com/note: %q}}", one), "", "/migrate")
	}
}

func TestFind_namesInText(t *testing.T) {
	for text, want := range map[string]string{
		"kubectl wait job/migrate":              "/migrate",
		"kubectl wait jobs.batch/migrate -n a":  "/migrate",
		"kubectl delete job migrate":            "/migrate",
		"job-name == 'migrate'":                 "/migrate",
		`kube_job_failed{job_name=~"migrate"}`:  "/migrate",
		`kube_job_failed{x="y",job="migrate"}`:  "/migrate",
		"MIGRATION_JOB=migrate":                 "/migrate",
		"--job-name=migrate":                    "/migrate",
		"a jobless text names migrate in vain":  "",
		"kubectl wait cronjob/migrate":          "",
		"job\nmigrate":                          "",
		"kubectl wait --for=delete pod/migrate": "",
	} {
		if _, texts := found(t, fmt.Sprintf("spec: {args: [%q]}", text)); texts != want {
			t.Errorf("%q names %q, want %q", text, texts, want)
		}
	}
}
