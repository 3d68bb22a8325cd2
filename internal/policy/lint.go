package policy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/yamldoc"
)

// A controller is the controller whose annotations a policy follows, for messages.
type controller struct {
	name string
	// domain is the ending of its keys' prefixes.
	domain string
	// renamed maps default keys to those that are read instead.
	renamed map[string]string
	// The annotations that it reads, each with a check that returns what is wrong with a value.
	workload, podTemplate, object map[string]func(value string) string
}

const metadataAnnotations yamldoc.Path = "metadata.annotations"

// Lint returns warnings about annotations in the controller's domain that it does not read at their place, or whose
// values it does not understand.
func (p *Policy) Lint() []graph.Finding {
	c := p.controller
	if c == nil {
		return nil
	}
	var findings []graph.Finding
	for _, r := range p.graph.Resources {
		if r.Ignored() {
			continue
		}
		own := "the metadata of " + graph.Indefinite(r.Kind)
		if r.Target != 0 || r.StandsFor {
			findings = append(findings, c.lint(r, own, metadataAnnotations, r.Annotations, c.object)...)
		}
		if len(r.PodTemplates) > 0 {
			findings = append(findings, c.lint(r, own, metadataAnnotations, r.Annotations, c.workload)...)
		}
		for i := range r.PodTemplates {
			t := &r.PodTemplates[i]
			findings = append(findings, c.lint(r, "a pod template", t.AnnotationsAt, t.Annotations, c.podTemplate)...)
		}
	}
	return findings
}

// lint checks the annotations of one place, where the controller reads those in known.
func (c *controller) lint(r *graph.Resource, place string, path yamldoc.Path, annotations map[string]string, known map[string]func(string) string) []graph.Finding {
	var findings []graph.Finding
	for key, value := range annotations {
		message := ""
		if check := known[key]; check != nil {
			message = check(value)
		} else if prefix, _, _ := strings.Cut(key, "/"); prefix == c.domain || strings.HasSuffix(prefix, "."+c.domain) {
			remedy := "correct its key, or remove it"
			if renamed := c.renamed[key]; known[renamed] != nil {
				remedy = "did you mean " + renamed + "?"
			}
			message = fmt.Sprintf("is not an annotation that %s reads in %s; %s", c.name, place, remedy)
		}
		if message != "" {
			findings = append(findings, warning(r, path.Key(key), message))
		}
	}
	slices.SortFunc(findings, func(a, b graph.Finding) int { return strings.Compare(string(a.Path), string(b.Path)) })
	return findings
}
