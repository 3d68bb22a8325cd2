package function

import (
	"fmt"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/pkg/api/v1alpha1"
)

// summary returns a sentence with the numbers of what the run does. A second run, which changes nothing, counts the
// same objects and workloads.
func (r *run) summary() string {
	done := fmt.Sprintf("workloads with a checksum: %d", r.stamped)
	if r.spec.Mode == v1alpha1.ModeRename {
		n := len(r.added)
		for resource, name := range r.names {
			if name != resource.Base {
				n++
			}
		}
		done = fmt.Sprintf("objects named after their content: %d", n)
	}
	return fmt.Sprintf("%d of %d resources changed; %s", len(r.plan.Edits), len(r.graph.Resources), done)
}

// idle returns why nothing is named after its content or stamped: "" if something is, or if out explains it.
func (r *run) idle(out *Output) string {
	if len(r.plan.Edits)+len(r.names)+len(out.Messages) > 0 || r.stamped > 0 || r.spec.Jobs == v1alpha1.JobsRename {
		return ""
	}
	objects, led := false, false
	var lost *graph.Edge
	for _, resource := range r.graph.Resources {
		objects = objects || resource.Target != 0 || resource.StandsFor
		for i := range resource.Edges {
			switch e := &resource.Edges[i]; {
			case len(e.Matches) > 0 || e.Made():
				led = true
			case lost == nil && e.Ref.Role == catalog.Consumer && !e.Ref.Tentative && !e.Ref.Optional:
				lost = e
			}
		}
	}
	why := "what is referred to is left alone; spec.report: Full gives the reasons"
	switch {
	case len(r.graph.Resources) == 0:
		why = "the input has no resources"
	case !objects:
		why = "the input has no ConfigMap or Secret"
	case !led:
		why = "nothing in the input refers to its ConfigMaps and Secrets"
	case len(r.left) > 0:
		why = r.left[0].String()
		if len(r.left) > 1 {
			why += "; spec.report: Full gives the other reasons"
		}
	case r.spec.Policy != v1alpha1.PolicyAll:
		why = fmt.Sprintf("nothing in the input asks for it by annotations of the policy %s", r.spec.Policy)
	}
	if lost != nil {
		why += fmt.Sprintf("; %s refers to %s %q, which is not in the input", lost.Referrer, lost.Targets, graph.Clip(lost.Ref.Name))
	}
	return why
}
