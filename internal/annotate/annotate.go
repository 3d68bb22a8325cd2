// Package annotate plans mode Annotate. Names stay. Every pod template that consumes ConfigMaps or Secrets gets an
// annotation with a checksum of what it consumes, so that its pods are replaced exactly when that changes.
//
// The checksum covers what containers get through env, envFrom and the volumes that one of them mounts, narrowed to the
// keys they take, and what annotations name. For a Secret that a controller makes, it covers what the controller makes
// it from. Package hash defines the checksum's encoding.
package annotate

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/edit"
	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/hash"
	"github.com/confighash/confighash/internal/manifest"
	"github.com/confighash/confighash/internal/plan"
	"github.com/confighash/confighash/internal/policy"
	"github.com/confighash/confighash/internal/reference"
	"github.com/confighash/confighash/internal/yamldoc"
	"github.com/confighash/confighash/pkg/api/v1alpha1"
)

// A Plan holds the changes and findings of mode Annotate.
type Plan struct {
	plan.Plan
	// gaps lists the stamped annotations of each resource, with any consumed configuration that their checksums leave
	// out.
	gaps map[*graph.Resource][]gap
}

// A gap is an object that no checksum includes, or a reference to an object outside the input.
type gap struct {
	at     yamldoc.Path // of the annotations
	object *graph.Resource
	edge   *graph.Edge
}

// Covers returns the stamped pod template annotations of r. The value is a clause about consumed configuration that the
// checksum leaves out, "" if it leaves out nothing.
func (p *Plan) Covers(r *graph.Resource) map[yamldoc.Path]string {
	covers := map[yamldoc.Path]string{}
	for _, g := range p.gaps[r] {
		switch covers[g.at] = ""; {
		case g.object != nil:
			covers[g.at] = fmt.Sprintf("the checksum does not include %s", g.object)
		case g.edge != nil:
			covers[g.at] = fmt.Sprintf("%s %q is not in the input", g.edge.Targets, g.edge.Ref.Name)
		}
	}
	return covers
}

// Stamped returns how many resources have or get a checksum.
func (p *Plan) Stamped() int { return len(p.gaps) }

// New plans the checksums of the pod templates in g, whose facts must hold values (graph.Builder.Values). Its error is
// that of plan.Plan.Err.
func New(g *graph.Graph, p *policy.Policy, spec *v1alpha1.Spec) (*Plan, error) {
	b := &builder{
		graph: g, policy: p, spec: spec, plan: &Plan{Plan: plan.Plan{Full: spec.Report == v1alpha1.ReportFull}, gaps: map[*graph.Resource][]gap{}},
		sums: map[sumKey]string{}, checked: map[*graph.Resource]bool{}, always: map[*graph.Resource][]hash.Value{},
		uses: 300_000 + 100*len(g.All()),
	}
	for _, r := range g.All() {
		b.uses += len(r.References)
	}
	b.left = b.uses
	b.plan.Add(p.Lint()...)
	for _, r := range g.Resources {
		b.resource(r)
	}
	b.plan.Add(p.Problems()...)
	if err := b.plan.Err(); err != nil {
		return nil, err
	}
	return b.plan, nil
}

type builder struct {
	graph  *graph.Graph
	policy *policy.Policy
	spec   *v1alpha1.Spec
	plan   *Plan
	sums   map[sumKey]string
	// always holds the values that count for a Secret's stand-in whichever keys are consumed.
	always map[*graph.Resource][]hash.Value
	// checked holds the objects whose content has been validated.
	checked map[*graph.Resource]bool
	// uses limits how often objects may be used; left is what remains.
	uses, left int
}

func (b *builder) resource(r *graph.Resource) {
	if r.Ignored() {
		if len(r.PodTemplates) > 0 {
			b.plan.Inform(graph.Finding{Resource: r, Message: "not stamped: " + v1alpha1.AnnotationIgnore + " takes it out"})
		}
		return
	}
	extra := b.extraSources(r)
	if len(r.PodTemplates) == 0 {
		if len(extra) > 0 {
			b.plan.Warnf(r, extraSourcesAt, "no pod template of %s is known here, so nothing is stamped; put the annotation on a workload, or describe the kind's pod template in spec.podTemplates", graph.Indefinite(r.Kind))
		}
		return
	}
	for _, c := range b.consumptions(r) {
		for _, e := range extra {
			if !b.spend(r, extraSourcesAt) {
				return
			}
			c.consume(e, true)
		}
		named, unmet := c.workload.Named()
		for _, n := range named {
			c.add(n.Object, n.Kind).named = true
		}
		b.plan.Add(unmet...)
		sources := c.sources()
		if !b.stamp(r, c.template, sources, c.unselected()) {
			continue
		}
		c.gap.at = c.template.AnnotationsAt
		b.plan.gaps[r] = append(b.plan.gaps[r], c.gap)
	}
}

// consumptions returns what the pod templates of r consume. Templates with the same annotations share a consumption. It
// returns nil once the limit of uses is reached.
func (b *builder) consumptions(r *graph.Resource) []*consumption {
	byTemplate := make([][]*graph.Edge, len(r.PodTemplates))
	var general []*graph.Edge // of all templates
	for i := range r.Edges {
		switch e := &r.Edges[i]; {
		case !e.Ref.Consumed:
		case e.Ref.PodTemplate < 0:
			general = append(general, e)
		default:
			byTemplate[e.Ref.PodTemplate] = append(byTemplate[e.Ref.PodTemplate], e)
		}
	}
	var all []*consumption
	known := map[yamldoc.Path]*consumption{}
	for i := range r.PodTemplates {
		t := &r.PodTemplates[i]
		c := known[t.AnnotationsAt]
		if c == nil || t.AnnotationsAt == "" {
			c = &consumption{builder: b, referrer: r, template: t, workload: b.policy.Workload(r, t), notes: graph.Notes{}}
			all = append(all, c)
			if t.AnnotationsAt != "" {
				known[t.AnnotationsAt] = c
			}
		}
		for _, e := range slices.Concat(byTemplate[i], general) {
			c.consume(e, false)
		}
		if b.left <= 0 {
			return nil
		}
	}
	return all
}

var extraSourcesAt = yamldoc.Path("metadata.annotations").Key(v1alpha1.AnnotationExtraSources)

// extraSources returns what confighash.dev/extra-sources names, and reports errors in that annotation.
func (b *builder) extraSources(r *graph.Resource) []*graph.Edge {
	value, met := r.Annotations[v1alpha1.AnnotationExtraSources], map[string]bool{}
	for element := range strings.SplitSeq(value, ",") {
		element = strings.TrimSpace(element)
		kind, name, _ := strings.Cut(element, "/")
		_, fits := catalog.Plain.Match(name)
		if known := fits && catalog.TargetOf(kind) != 0; !known && !met[element] && strings.TrimSpace(value) != "" {
			b.plan.Errorf(r, extraSourcesAt, "%q is neither ConfigMap/NAME nor Secret/NAME; list objects of the same namespace, divided by commas", element)
		}
		met[element] = true
	}
	extra := r.ExtraSources()
	for _, e := range extra {
		if len(e.Current()) == 0 && !e.Made() {
			severity := manifest.Warning
			if b.spec.Unresolved == v1alpha1.UnresolvedError {
				severity = manifest.Error
			}
			b.plan.Reportf(severity, r, extraSourcesAt, "%s %q is not in the input; correct the name, or remove it", e.Ref.Targets, e.Ref.Name)
		}
	}
	return extra
}

// spend counts a use of an object and returns false once the limit is reached: through the sources of a Secret, a few
// references can use thousands of objects each.
func (b *builder) spend(r *graph.Resource, path yamldoc.Path) bool {
	if b.left--; b.left == 0 {
		b.plan.Errorf(r, path, "with those before it, workloads use objects more than %d times; let fewer pod templates share references, and fewer objects go into one Secret", b.uses)
	}
	return b.left > 0
}

// stamp plans the edits of a pod template's annotations, and reports whether they hold a checksum. others are keys that
// the run of another function may have set.
func (b *builder) stamp(r *graph.Resource, t *reference.PodTemplate, sources []source, others map[string]bool) bool {
	if why, severity := refusal(t); why != "" && !b.policy.NamesJob(r) {
		if len(sources) > 0 && (severity != manifest.Info || b.plan.Full) {
			b.plan.Reportf(severity, r, templatePath(t), "not stamped, although it consumes %s: %s", b.list(sources), why)
		}
		return false
	}
	wanted, counted := b.checksums(r, sources)
	if len(wanted) > 0 {
		if t.Change == catalog.InPlace {
			b.plan.Warnf(r, templatePath(t), "stamped, but a changed annotation restarts nothing here: %s; mode Rename does", cmp.Or(t.Reason, t.Change.Reason()))
		}
		if b.plan.Full {
			b.informStamped(r, t, counted)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(wanted)) {
		if t.Annotations[key] != wanted[key] {
			b.plan.Edit(r, edit.SetEntry{Parent: t.AnnotationsAt, Key: key, Value: wanted[key]})
		}
	}
	var stale []string
	for key, value := range t.Annotations {
		if wanted[key] == "" && !others[key] && b.isOwn(key, value) {
			stale = append(stale, key)
		}
	}
	slices.Sort(stale)
	for _, key := range stale {
		b.plan.Inform(graph.Finding{
			Resource: r, Path: t.AnnotationsAt.Key(key),
			Message: "removed: an earlier run wrote it, and nothing that is consumed now calls for it",
		})
		b.plan.Edit(r, edit.RemoveEntry{Parent: t.AnnotationsAt, Key: key})
	}
	return len(wanted) > 0 && t.Change != catalog.InPlace
}

func (b *builder) informStamped(r *graph.Resource, t *reference.PodTemplate, counted []source) {
	message := "stamped with the checksum of " + b.list(counted)
	if t.Change == catalog.Deferred {
		message += "; " + cmp.Or(t.Reason, t.Change.Reason())
	}
	b.plan.Inform(graph.Finding{Resource: r, Path: templatePath(t), Message: message})
}

func templatePath(t *reference.PodTemplate) yamldoc.Path {
	return cmp.Or(t.AnnotationsAt, t.Spec)
}

// refusal returns why a pod template is not stamped and how severe that is, or "" if it is stamped.
func refusal(t *reference.PodTemplate) (string, manifest.Severity) {
	switch why, expected := t.Change.Unstamped(); {
	case why == "" && t.AnnotationsAt != "":
		return "", ""
	case why == "":
		return "the resource has no field for annotations of its pods", manifest.Warning
	case expected:
		return cmp.Or(t.Reason, why), manifest.Info
	default:
		return cmp.Or(t.Reason, why), manifest.Warning
	}
}

// list names the objects of sources, and the keys that count unless all do.
func (b *builder) list(sources []source) string {
	names := make([]string, len(sources))
	for i := range sources {
		names[i] = sources[i].object.String()
		if keys := b.keysOf(&sources[i]); len(keys) > 0 {
			names[i] += " (" + graph.Enumerate(keys) + ")"
		}
	}
	return graph.Enumerate(names)
}
