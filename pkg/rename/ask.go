package rename

import (
	"fmt"

	"github.com/confighash/confighash/pkg/graph"
	"github.com/confighash/confighash/pkg/policy"
	"github.com/confighash/confighash/pkg/stream"
)

// votes are what the workloads that refer to an object say, where the policy
// asks them: a renamed object rolls every one of them.
type votes struct {
	yes, no *graph.Resource // the first that says so
	why     string          // why not
}

// ask asks the workloads about the objects that their pod templates refer to,
// and warns of objects that they name and do not refer to: no rename rolls
// them.
func (b *builder) ask() {
	if !b.policy.AsksWorkloads() {
		return
	}
	b.plan.Add(b.policy.Lint()...)
	byReferrer := map[*graph.Resource][]*graph.Mention{}
	for i := range b.mentions {
		if m := &b.mentions[i]; m.Ref.PodTemplate >= 0 {
			byReferrer[m.Referrer] = append(byReferrer[m.Referrer], m)
		}
	}
	for _, r := range b.graph.Resources {
		if r.Ignored() {
			continue
		}
		for i := range r.PodTemplates {
			b.askWorkload(r, b.policy.Workload(r, &r.PodTemplates[i]), i, byReferrer[r])
		}
	}
}

func (b *builder) askWorkload(r *graph.Resource, w *policy.Workload, template int, mentions []*graph.Mention) {
	var objects []*graph.Resource
	consumed := map[*graph.Resource]bool{}
	for _, m := range mentions {
		if m.Ref.PodTemplate != template {
			continue
		}
		for _, match := range m.Matches {
			for _, c := range match.Candidates {
				if _, met := consumed[c]; !met {
					objects = append(objects, c)
				}
				consumed[c] = consumed[c] || m.Ref.Consumed
			}
		}
	}
	for _, object := range objects {
		v := &b.target(object).votes
		switch verdict := w.Judge(object, object.Kind, consumed[object]); {
		case verdict.Rolls && v.yes == nil:
			v.yes = r
		case !verdict.Rolls && v.no == nil:
			v.no, v.why = r, verdict.Reason
		}
	}
	named, unmet := w.Named()
	b.plan.Add(unmet...)
	for _, n := range named {
		if _, met := consumed[n.Object]; !met && w.Judge(n.Object, n.Kind, false).Rolls {
			b.tell(stream.Warning, r, "metadata.annotations",
				"they name %s, to which the pod template does not refer, so a changed name does not roll it; mode Annotate does", n.Object)
		}
	}
}

// refusal tells why the workloads keep an object from being renamed, nil if
// they do not.
func (v *votes) refusal() *policy.Refusal {
	switch {
	case v.yes == nil && v.no == nil:
		return &policy.Refusal{Reason: "no workload refers to it that could ask for it", Severity: stream.Info}
	case v.yes == nil:
		return &policy.Refusal{Reason: fmt.Sprintf("no workload asks for it; of %s, %s", v.no, v.why), Severity: stream.Info}
	case v.no != nil:
		return &policy.Refusal{
			Reason: fmt.Sprintf("%s asks for it, but %s refers to it as well and does not: %s; a new name would roll both, mode Annotate rolls the one",
				v.yes, v.no, v.why),
			Severity: stream.Warning,
		}
	}
	return nil
}
