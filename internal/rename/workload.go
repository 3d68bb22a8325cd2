package rename

import (
	"fmt"
	"slices"

	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/policy"
	"github.com/confighash/confighash/pkg/api/v1alpha1"
)

// votes are the votes of the workloads that refer to an object, if the policy asks them: renaming the object rolls all
// of them.
type votes struct {
	yes, no *graph.Resource // the first to vote so
	why     string          // reason of no
}

func (v *votes) refuse(workload *graph.Resource, why string) {
	if v.no == nil {
		v.no, v.why = workload, why
	}
}

// A missed is a workload with the objects that it names but does not refer to: a pattern can name thousands.
type missed struct {
	workload *graph.Resource
	objects  []*graph.Resource
}

// ask asks the workloads about the objects that their pod templates refer to, and finds objects that they name but do
// not refer to, whose renames do not roll them.
func (b *builder) ask() {
	if !b.policy.AsksWorkloads() {
		return
	}
	b.plan.Add(b.policy.Lint()...)
	type template struct {
		of    *graph.Resource
		index int
	}
	byTemplate := map[template][]*graph.Edge{}
	for _, e := range slices.Concat(b.edges, b.outside) {
		if e.Ref.PodTemplate >= 0 {
			t := template{e.Referrer, e.Ref.PodTemplate}
			byTemplate[t] = append(byTemplate[t], e)
		}
	}
	for _, r := range b.graph.All() {
		for i := range r.PodTemplates {
			edges := byTemplate[template{r, i}]
			if !r.Ignored() {
				b.askWorkload(r, b.policy.Workload(r, &r.PodTemplates[i]), edges)
				continue
			}
			// A new name would roll the workload, so it votes no.
			for _, e := range edges {
				for _, match := range e.Matches {
					if b.again(match.Candidates, r, "refuse") {
						continue
					}
					for _, c := range match.Candidates {
						b.target(c).votes.refuse(r, v1alpha1.AnnotationIgnore+" takes the workload out")
					}
				}
			}
		}
	}
}

func (b *builder) askWorkload(r *graph.Resource, w *policy.Workload, edges []*graph.Edge) {
	objects, consumed := referredTo(edges)
	named, unmet := w.Named()
	if !r.Context {
		b.plan.Add(unmet...)
	}
	names := map[*graph.Resource]bool{}
	for _, n := range named {
		names[n.Object] = true
	}
	for _, object := range objects {
		v := &b.target(object).votes
		switch verdict := w.Judge(policy.Use{Object: object, Kind: object.Kind, Consumed: consumed[object], Named: names[object]}); {
		case !verdict.Rolls:
			v.refuse(r, verdict.Reason)
		case v.yes == nil:
			v.yes = r
		}
	}
	m := missed{workload: r}
	for _, n := range named {
		if _, met := consumed[n.Object]; !met && w.Judge(policy.Use{Object: n.Object, Kind: n.Kind, Named: true}).Rolls {
			m.objects = append(m.objects, n.Object)
		}
	}
	if m.objects != nil && !r.Context {
		b.missed = append(b.missed, m)
	}
}

// referredTo returns the objects that edges may mean, without duplicates, and which of them are consumed.
func referredTo(edges []*graph.Edge) (objects []*graph.Resource, consumed map[*graph.Resource]bool) {
	type list struct {
		candidates **graph.Resource
		consumed   bool
	}
	met := map[list]bool{}
	consumed = map[*graph.Resource]bool{}
	for _, e := range edges {
		for _, match := range e.Matches {
			one := list{&match.Candidates[0], e.Ref.Consumed}
			if met[one] {
				continue
			}
			met[one] = true
			for _, c := range match.Candidates {
				if _, met := consumed[c]; !met {
					objects = append(objects, c)
				}
				consumed[c] = consumed[c] || e.Ref.Consumed
			}
		}
	}
	return objects, consumed
}

func (b *builder) warnOfMissed() {
	for _, m := range b.missed {
		names := make([]string, len(m.objects))
		for i, object := range m.objects {
			names[i] = object.Called(b.plan.Names[object])
		}
		when := "that changes"
		if len(names) > 1 {
			when = "those change"
		}
		b.plan.Warnf(m.workload, "metadata.annotations",
			"they name %s, to which the pod template does not refer, so mode Rename rolls nothing when %s; mode Annotate does",
			graph.Enumerate(names), when)
	}
}

func (v *votes) refusal() *policy.Refusal {
	switch {
	case v.yes == nil && v.no == nil:
		return info("no workload refers to it that could ask for it")
	case v.yes == nil:
		return info(fmt.Sprintf("no workload asks for it; of %s, %s", v.no, v.why))
	case v.no != nil:
		return warning("%s asks for it, but %s refers to it as well and does not: %s; a new name would roll both, mode Annotate rolls the one", v.yes, v.no, v.why)
	}
	return nil
}
