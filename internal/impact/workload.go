package impact

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/podtemplate"
	"github.com/confighash/confighash/internal/reference"
	"github.com/confighash/confighash/pkg/api/v1alpha1"
)

// workload predicts the effect on a workload, nil if there is none.
func (c *comparison) workload(s *subject) *Workload {
	switch {
	case s.new == nil:
		return &Workload{Ref: c.ref(s.pair), Effect: Stops}
	case s.old == nil:
		return &Workload{Ref: c.ref(s.pair), Effect: Starts}
	case s.after == nil:
		return nil // nothing differs
	}
	w := &Workload{Ref: c.ref(s.pair), Replicas: s.after.replicas, Strategy: s.after.strategy}
	causes := &causes{comparison: c, subject: s, counted: map[*influence]bool{}}
	for _, pair := range c.templates(s) {
		o := c.outcome(s, pair)
		if o.effect == "" {
			continue
		}
		causes.add(pair)
		w.TemplateChanges = w.TemplateChanges || len(pair.diffs) > 0 && o.effect != Refused
		if w.Effect == "" || compareEffects(o.effect, w.Effect) < 0 {
			w.Effect, w.Reason, w.Fix = o.effect, o.reason, o.fix
		}
	}
	if fields, o := c.refused(s, w.Effect == Refused); len(fields) > 0 {
		for _, field := range fields {
			causes.fields = append(causes.fields, Cause{Change: Changed, Field: field})
		}
		w.Effect, w.Reason, w.Fix, w.TemplateChanges = o.effect, o.reason, o.fix, false
	}
	if s.renamed() && s.new.IsJob() {
		w.Effect, w.Reason, w.Fix, w.TemplateChanges = RunsAgain, "it was "+s.formerName(), "", false
	}
	if w.Effect == "" {
		return nil
	}
	w.Causes = causes.list()
	ignored := s.new.Ignored() || len(w.Causes) > 0 && len(w.Causes) == causes.ignored
	w.Accepted = ignored && (w.Effect == Stale || w.Effect == Waits)
	if w.Accepted && w.Effect == Stale {
		w.Reason = v1alpha1.AnnotationIgnore + " takes it out"
	}
	if w.Avoidable = w.avoidable(s); w.Avoidable != nil && w.Fix == "" {
		w.Fix = "drop " + graph.Enumerate(w.Avoidable) + " from pod templates with spec.podMetadata"
	}
	return w
}

type outcome struct {
	effect      Effect
	reason, fix string
}

var effects = map[catalog.Change]Effect{
	catalog.Rollout: Rolls, catalog.NewRevision: Rolls, catalog.InPlace: Rolls,
	catalog.Deferred: Waits, catalog.FuturePods: NextRuns, catalog.Recreated: NextRuns,
	catalog.CreateOnce: Stale, catalog.Destructive: Kills, catalog.Forbidden: Refused, catalog.Operator: Unknown,
}

func (c *comparison) outcome(s *subject, p *templatePair) outcome {
	t := p.template
	configured := slices.ContainsFunc(s.on[p.index], (*influence).configures)
	var o outcome
	switch {
	case t.Change == catalog.NoChange:
		return outcome{}
	case len(p.diffs) > 0:
		o = c.changed(s, p, configured)
	case configured:
		o = c.configured(s, p)
	case len(p.rest) > 0 && t.Runs:
		return outcome{effect: NextRuns}
	case len(p.rest) > 0:
		return outcome{effect: Unknown, reason: "it is not known what its operator does with fields other than those of its pods"}
	case p.was != nil && p.was.Change == catalog.Deferred && t.Change == catalog.Rollout,
		t.Change == catalog.Rollout && s.after.partition < s.before.partition:
		return outcome{effect: Rolls, reason: "nothing holds back its pods any longer: those with an earlier template, if there are any, are replaced"}
	default:
		return outcome{}
	}
	for _, i := range s.on[p.index] {
		if key := i.missing(); key != "" && o.effect != Refused {
			o.reason = fmt.Sprintf("new pods cannot start: %s no longer has the key %s, which they need", i.object.new, key)
			o.fix = "keep the key, or remove what needs it"
			break
		}
	}
	return o
}

func (c *comparison) changed(s *subject, p *templatePair, configured bool) outcome {
	t := p.template
	o := outcome{effect: effects[t.Change], reason: t.Reason}
	switch t.Change {
	case catalog.Rollout, catalog.NewRevision:
		if t.Index < 0 {
			o.reason = "its kind is not known; in most kinds, a pod template of this form rolls"
		}
		o.partitioned(s.after)
	case catalog.Deferred:
		o.fix = cmp.Or(c.fill(workloadOf(s.new).Resume, s.new), "delete its pods, or resume it, after the apply")
	case catalog.FuturePods:
		if !t.Runs {
			o.effect, o.fix = Waits, deletePods
			o.reason = cmp.Or(o.reason, graph.Indefinite(s.new.Kind)+" uses the new template for new pods only")
		}
	case catalog.InPlace:
		if slices.ContainsFunc(p.diffs, func(d podtemplate.Difference) bool { return p.inSpec(&d) }) {
			break
		}
		o.effect, o.reason = NextRuns, cmp.Or(o.reason, "running pods are patched in place")
		if configured {
			o.effect, o.fix = Stale, "use mode Rename, which changes the names that it refers to, or "+restartPods
			if c.kept(s, p) != "" {
				o.fix = restartPods
			}
		}
	case catalog.Recreated, catalog.NoChange: // nothing to add
	case catalog.CreateOnce, catalog.Forbidden:
		if p.minor.effect != "" {
			return p.minor
		}
		o.reason, o.fix = reasonOf(t), c.replacement(s.new)
		if isPod(t) {
			o.reason = "this cannot change in the spec of a Pod"
		}
	case catalog.Destructive:
		o.reason, o.fix = reasonOf(t), "apply it when what runs may stop"
	case catalog.Operator:
		o.reason = reasonOf(t)
	}
	return o
}

func isPod(t *reference.PodTemplate) bool { return t.Whole && t.Root == "" }

// partitioned takes a rollout partition into account: pods below it keep their template.
func (o *outcome) partitioned(f *facts) {
	replicas := int64(1)
	if f.replicas != nil {
		replicas = *f.replicas
	}
	switch {
	case f.partition <= 0:
	case f.partition >= replicas && replicas > 0:
		o.effect, o.fix = Waits, "lower updateStrategy.rollingUpdate.partition"
		o.reason = fmt.Sprintf("partition %d keeps all of its pods", f.partition)
	default:
		o.reason = fmt.Sprintf("partition %d keeps the pods below that number", f.partition)
	}
}

func (c *comparison) configured(s *subject, p *templatePair) outcome {
	t := p.template
	switch {
	case t.Change == catalog.Operator:
		return outcome{effect: Unknown, reason: reasonOf(t)}
	case t.Runs || t.Change == catalog.Recreated:
		return outcome{effect: NextRuns, reason: t.Reason}
	case s.before.hasNone() || s.after.hasNone():
		return outcome{effect: NextRuns, reason: "it has no pods now"}
	}
	o := outcome{effect: Stale}
	if refused := refusedOnly(s.on[p.index]); refused != nil {
		o.reason = "the API server refuses the change of " + refused.new.String() + ", so nothing gets it"
		return o
	}
	if filesOnly(s.on[p.index]) {
		o.reason = "the mounted files are updated after a minute or so, but not what programs have already read from them"
	}
	switch {
	case t.Change == catalog.Forbidden, t.Change == catalog.CreateOnce:
		o.fix = c.replacement(s.new)
		if t.Change == catalog.Forbidden && !isPod(t) {
			o.reason = "it does not run again"
		}
	case t.Change == catalog.Destructive:
		o.fix = "restart it when what runs may stop"
	case t.Change == catalog.FuturePods, t.Change == catalog.Deferred, s.after.partition > 0:
		o.fix = deletePods
	default:
		o.fix = c.restart(s, p)
	}
	return o
}

func (f *facts) hasNone() bool { return f.replicas != nil && *f.replicas == 0 }

// refusedOnly returns an object whose change is refused, if the change of every object that configures a template is
// refused; otherwise nil.
func refusedOnly(influences []*influence) *object {
	var found *object
	for _, i := range influences {
		if i.configures() {
			if i.object.refused == "" {
				return nil
			}
			found = i.object
		}
	}
	return found
}

// filesOnly reports whether changes reach the pods of a template only as files that the kubelet keeps up to date.
func filesOnly(influences []*influence) bool {
	return !slices.ContainsFunc(influences, func(i *influence) bool {
		return i.configures() && !slices.Equal(i.via(), []string{string(catalog.ViaVolume)})
	})
}

// reasonOf returns why a changed template does not simply replace pods.
func reasonOf(t *reference.PodTemplate) string { return cmp.Or(t.Reason, t.Change.Reason()) }
