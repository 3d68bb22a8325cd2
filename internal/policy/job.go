package policy

import (
	"cmp"
	"fmt"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/pkg/api/v1alpha1"
)

// NamesJob reports whether r is a Job that is named after what it runs.
func (p *Policy) NamesJob(r *graph.Resource) bool {
	return p.jobs && r.IsJob() && p.Job(r) == nil
}

// Job returns why a Job keeps its name under jobs: Rename, nil if it does not. Selectors and the controllers of the
// policies Reloader and Wave only concern ConfigMaps and Secrets.
func (p *Policy) Job(r *graph.Resource) *Refusal {
	switch {
	case r.Ignored():
		return refuse(v1alpha1.AnnotationIgnore + " takes it out")
	case p.policy == v1alpha1.PolicyOptIn && !OptsIn(r):
		return refuse(fmt.Sprintf("policy OptIn, and it does not have %s: \"true\"", v1alpha1.AnnotationRoll))
	case r.Name == "" && r.GenerateName:
		return refuse("the API server will make its name from generateName")
	case r.Name == "" || len(r.PodTemplates) == 0:
		return refuse("it has no name or no pod template")
	}
	if t := &r.PodTemplates[0]; t.Change != catalog.Forbidden || t.Reason != "" {
		return refuse(cmp.Or(t.Reason, t.Change.Reason()))
	}
	return nil
}
