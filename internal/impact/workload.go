package impact

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/confighash/confighash/internal/yamldoc"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/hash"
	"github.com/confighash/confighash/internal/usage"
	"github.com/confighash/confighash/pkg/api/v1alpha1"
)

// workload tells what happens to a workload, nil for nothing.
func (c *comparison) workload(s *subject) *Workload {
	w := &Workload{Ref: c.ref(s.pair)}
	switch {
	case s.new == nil:
		w.Effect = Stops
		return w
	case s.old == nil:
		w.Effect = Starts
		return w
	case c.facts[s.new] == nil:
		return nil // nothing differs
	}
	before, after := c.facts[s.old], c.facts[s.new]
	if before == nil {
		before = after // nothing of the resource itself differs
	}
	w.Replicas, w.Strategy = after.replicas, after.strategy
	fixed, stuck := before.touched(after), before.stuck(after)
	if slices.ContainsFunc(s.new.PodTemplates, func(t graph.PodTemplate) bool { return t.Change == catalog.Recreated }) {
		fixed, stuck = nil, nil // what is made again may have any fields
	}
	causes := &causes{comparison: c, subject: s}
	for _, pair := range c.templates(s, before, after) {
		o := c.outcome(s, pair, before, after)
		causes.add(pair, o)
		if o.effect == "" {
			continue
		}
		w.TemplateChanges = w.TemplateChanges || pair.rolls && o.effect != Refused
		if w.Effect == "" || slices.Index(Effects(), o.effect) < slices.Index(Effects(), w.Effect) {
			w.Effect, w.Reason, w.Fix = o.effect, o.reason, o.fix
		}
	}
	if len(fixed)+len(stuck) > 0 {
		for _, path := range append(fixed, stuck...) {
			causes.fields = append(causes.fields, Cause{Change: Changed, Field: string(path)})
		}
		w.Effect, w.TemplateChanges, w.Fix = Refused, false, c.replacement(s.new)
		if w.Reason = list(fixed) + " cannot change once it exists"; len(fixed) == 0 {
			w.Reason = "an apply leaves the default of " + list(stuck) + ", which does not go with what stands there now"
		}
	}
	if refusal := c.refusal(s); refusal != nil && w.Effect != Refused && !slices.Contains(builtin, s.new.Group) {
		causes.fields = append(causes.fields, Cause{Change: Changed, Field: refusal.Field})
		w.Effect, w.TemplateChanges, w.Reason, w.Fix = Refused, false, refusal.Reason, refusal.Fix
	}
	if w.Effect == "" {
		return nil
	}
	w.Causes = causes.list()
	w.Accepted = (w.Effect == Stale || w.Effect == Waits) && accepted(s, w.Causes, causes)
	if w.Accepted && w.Effect == Stale {
		w.Reason = v1alpha1.AnnotationIgnore + " takes it out"
	}
	return w
}

// list lists paths as a sentence does.
func list(paths []yamldoc.Path) string {
	names := make([]string, len(paths))
	for i, path := range paths {
		names[i] = string(path)
	}
	return graph.Enumerate(names)
}

// accepted reports whether an annotation says that the workload, or every object
// that counts, is left alone.
func accepted(s *subject, listed []Cause, all *causes) bool {
	if s.new.Ignored() {
		return true
	}
	objects := 0
	for i := range listed {
		if listed[i].Object != nil {
			objects++
		}
	}
	return objects > 0 && objects == all.ignored && objects == len(listed)
}

// An outcome is what a change does to the pods of one template.
type outcome struct {
	effect      Effect
	reason, fix string
	// configured: the pods get another configuration, or would after a restart.
	configured bool
}

// outcome tells what happens to the pods of a template.
func (c *comparison) outcome(s *subject, p *templatePair, before, after *facts) outcome {
	t := p.template
	o := outcome{reason: t.Reason}
	o.configured = slices.ContainsFunc(s.on[p.index], (*influence).configures)
	switch {
	case t.Change == catalog.NoChange:
		return outcome{}
	case !p.rolls && o.configured:
		o = c.inPlace(s, p, o, before, after)
		o.missing(s, p.index)
		return o
	case !p.rolls && len(p.rest) > 0:
		return elsewhere(t)
	case !p.rolls:
		return letGo(s, p, before, after)
	}
	switch t.Change {
	case catalog.Rollout, catalog.NewRevision:
		o.effect = Rolls
		if t.Index < 0 {
			o.reason = "nothing is known of its kind; a pod template of this form rolls in most"
		}
		if s.new.Kind == "StatefulSet" {
			o.partitioned(after)
		}
	case catalog.Deferred:
		o.effect, o.fix = Waits, resumption(c, s.new)
	case catalog.FuturePods:
		o.effect = NextRuns
		if !t.Runs {
			o.effect, o.fix = Waits, "delete its pods after the apply"
			o.reason = cmp.Or(o.reason, graph.Indefinite(s.new.Kind)+" makes new pods by the new template, and leaves alone those that run")
		}
	case catalog.InPlace:
		o.effect = Rolls
		if p.metadataOnly {
			o.effect, o.fix = NextRuns, ""
			o.reason = cmp.Or(o.reason, "running pods are patched in place")
			if o.configured {
				o.effect, o.fix = Stale, "let mode Rename change the names that it refers to, or restart its pods after the apply"
				if c.kept(s, p.index) != "" {
					o.fix = "restart its pods after the apply"
				}
			}
		}
	case catalog.CreateOnce:
		o.effect, o.fix = Stale, c.replacement(s.new)
		o.reason = cmp.Or(o.reason, "its pod template is read once, when it is created")
	case catalog.Destructive:
		o.effect, o.fix = Kills, "apply it when what runs may stop"
		o.reason = cmp.Or(o.reason, "a changed pod template stops what is running")
	case catalog.Forbidden:
		o.forbidden(c, s, p)
	case catalog.Recreated:
		o.effect = NextRuns
	case catalog.Operator:
		o.effect = Unknown
		o.reason = cmp.Or(o.reason, "its operator decides")
	}
	o.missing(s, p.index)
	return o
}

// missing tells where new pods cannot start, for want of a key.
func (o *outcome) missing(s *subject, template int) {
	for _, i := range s.on[template] {
		if key := i.missing(); key != "" && o.effect != Refused {
			o.reason = fmt.Sprintf("new pods cannot start: %s no longer has the key %s, which they need", i.object.new, key)
			o.fix = "keep the key, or let nothing need it"
			return
		}
	}
}

// elsewhere is the outcome where a custom resource differs outside of its templates.
func elsewhere(t *graph.PodTemplate) outcome {
	if t.Runs {
		return outcome{effect: NextRuns}
	}
	return outcome{effect: Unknown, reason: "what its operator makes of other fields than those of its pods is not known"}
}

// letGo is the outcome where nothing of a template differs, and what held its rollout
// back is gone.
func letGo(s *subject, p *templatePair, before, after *facts) outcome {
	if p.was != nil && p.was.Change == catalog.Deferred && p.template.Change == catalog.Rollout ||
		s.new.Kind == "StatefulSet" && p.template.Change == catalog.Rollout && after.partition < before.partition {
		return outcome{effect: Rolls, reason: "nothing holds its pods back any more: those of an earlier template, if there are any, are replaced"}
	}
	return outcome{}
}

// forbidden is the outcome where a template cannot change.
func (o *outcome) forbidden(c *comparison, s *subject, p *templatePair) {
	switch {
	case p.suspended:
		o.effect, o.reason = NextRuns, "it is suspended, and so this may change"
		return
	case s.new.Kind == "Pod" && p.initOnly:
		o.effect, o.reason = NextRuns, "an init container runs when the Pod starts"
		return
	case s.new.Kind == "Pod" && p.imagesOnly:
		o.effect, o.reason = Rolls, "its containers are started again in place, with the new image"
		return
	}
	o.effect, o.fix = Refused, c.replacement(s.new)
	o.reason = cmp.Or(o.reason, "its pod template cannot change once it exists")
	if s.new.Kind == "Pod" {
		o.reason = "this cannot change in the spec of a Pod"
	}
}

// partitioned takes the partition of a StatefulSet into account: pods below it keep
// the template that they have.
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

// inPlace is the outcome where configuration changes and the template does not.
func (c *comparison) inPlace(s *subject, p *templatePair, o outcome, before, after *facts) outcome {
	t := p.template
	if t.Change == catalog.Operator {
		o.effect = Unknown
		o.reason = cmp.Or(o.reason, "its operator decides")
		return o
	}
	if t.Runs || t.Change == catalog.Recreated {
		o.effect = NextRuns
		return o
	}
	if hasNone(before) || hasNone(after) {
		o.effect, o.reason = NextRuns, "it has no pods now"
		return o
	}
	o.effect, o.reason = Stale, ""
	if refused := c.refusedOnly(s, p.index); refused != nil {
		o.reason = "the API server refuses the change of " + refused.new.String() + ", so nothing gets it"
		return o
	}
	if c.filesOnly(s, p.index) {
		o.reason = "the mounted files follow after a minute or so, and what has read them does not"
	}
	switch {
	case t.Change == catalog.Forbidden && s.new.Kind != "Pod":
		o.reason, o.fix = "it does not run again", c.replacement(s.new)
	case t.Change == catalog.Forbidden, t.Change == catalog.CreateOnce:
		o.fix = c.replacement(s.new)
	case t.Change == catalog.Destructive:
		o.fix = "restart it when what runs may stop"
	case t.Change == catalog.FuturePods, t.Change == catalog.Deferred, s.new.Kind == "StatefulSet" && after.partition > 0:
		o.fix = "delete its pods after the apply"
	default:
		o.fix = c.restart(s, p)
	}
	return o
}

// refusedOnly returns an object whose change is refused, where that of every object that
// configures a template is, and nil elsewhere.
func (c *comparison) refusedOnly(s *subject, template int) *object {
	var found *object
	for _, i := range s.on[template] {
		if i.configures() {
			if i.object.refused == "" {
				return nil
			}
			found = i.object
		}
	}
	return found
}

// hasNone reports whether a workload asks for no pods.
func hasNone(f *facts) bool { return f.replicas != nil && *f.replicas == 0 }

// filesOnly reports whether what differs reaches the pods of a template only as files
// that the kubelet keeps up to date.
func (c *comparison) filesOnly(s *subject, template int) bool {
	for _, i := range s.on[template] {
		if i.configures() && !slices.Equal(i.via(), []string{string(usage.Volume)}) {
			return false
		}
	}
	return true
}

// restart says how to make a workload's pods read the configuration of a template.
func (c *comparison) restart(s *subject, p *templatePair) string {
	r := s.new
	by, comma := "restart its pods after the apply", " "
	if r.Group == "apps" && slices.Contains([]string{"Deployment", "StatefulSet", "DaemonSet"}, r.Kind) {
		by, comma = "after the apply: "+c.command("rollout restart", r), ", "
	}
	if r.Ignored() {
		return by
	}
	for _, value := range p.template.Annotations {
		if hash.IsChecksum(value) {
			return "run confighash over the manifests again, with a policy and selectors that count what changed, or" + comma + by
		}
	}
	if how := c.kept(s, p.index); how != "" {
		return "run confighash over the manifests" + how + "; or" + comma + by
	}
	return "run confighash over the manifests, or" + comma + by
}

// kept says how to run confighash if mode Rename does not help the pods of a template, ""
// if it does: what changed is named by an annotation alone, stands for a Secret, or has
// no hash although other objects have one.
func (c *comparison) kept(s *subject, template int) string {
	for _, i := range s.on[template] {
		now := i.object.now()
		switch {
		case !i.configures():
		case now.StandsFor, now.Encrypted, slices.Equal(i.via(), []string{string(usage.ExtraSource)}):
			return " with mode Annotate, since Rename keeps the name of " + c.ref(i.object.pair).String()
		case c.renames && now.Recorded() == "":
			return ", with mode Annotate if Rename keeps the name of " + c.ref(i.object.pair).String()
		}
	}
	return ""
}

// resumption says how a rollout goes on that waits.
func resumption(c *comparison, r *graph.Resource) string {
	switch {
	case r.Group == "apps" && r.Kind == "Deployment":
		return "after the apply: " + c.command("rollout resume", r)
	case r.Group == "apps":
		return "delete its pods after the apply"
	}
	return "delete its pods, or resume it, after the apply"
}

// replacement says how to replace a resource that cannot change.
func (c *comparison) replacement(r *graph.Resource) string {
	switch {
	case r.Group == "batch" && r.Kind == "Job":
		return "before the apply: " + c.command("delete", r) + "; or let it be made anew each time, as a hook or by generateName"
	case r.Group == "apps" && r.Kind == "StatefulSet":
		return "before the apply: " + c.command("delete", r) + " --cascade=orphan"
	case slices.Contains(builtin, r.Group):
		return "before the apply: " + c.command("delete", r)
	}
	return "delete it before the apply, so that it is made anew"
}

// command returns a kubectl command about a resource of Kubernetes' own. People copy
// it, so a name that is none stays out.
func (c *comparison) command(verb string, r *graph.Resource) string {
	command := "kubectl " + verb + " " + strings.ToLower(r.Kind) + "/" + plain(r.Name)
	if namespace := c.after.NamespaceOf(r); namespace != "" {
		command += " -n " + plain(namespace)
	}
	return command
}

// plain returns a name that a shell takes for one word, "NAME" for others, which no
// API server takes either.
func plain(name string) string {
	if strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-.") != "" {
		return "NAME"
	}
	return name
}

// refusal tells of a resource that makes no pods whether an apply of it is refused:
// where the name of an object stands that cannot change.
func (c *comparison) refusal(s *subject) *Refusal {
	if s.old == nil || s.new == nil || !s.differs || s.old.Name == "" {
		return nil
	}
	if before, after := c.facts[s.old], c.facts[s.new]; !s.isWorkload() && before != nil && after != nil {
		if fixed := before.touched(after); len(fixed) > 0 {
			return &Refusal{
				Ref: c.ref(s.pair), Field: list(fixed), Reason: list(fixed) + " cannot change once it exists",
				Fix: "delete it before the apply, or give the new one another name",
			}
		}
	}
	kind, err := catalog.Builtin().Kind(s.new.Group, s.new.Version, s.new.Kind)
	if err != nil || kind == nil || kind.Immutable == "" {
		return nil
	}
	was := make(map[yamldoc.Path]string, len(s.old.References))
	for i := range s.old.References {
		was[s.old.References[i].At.Path] = s.old.References[i].At.Value
	}
	for i := range s.new.References {
		at := &s.new.References[i].At
		if before, ok := was[at.Path]; s.new.References[i].Immutable && ok && before != at.Value {
			return &Refusal{
				Ref: c.ref(s.pair), Field: strings.Clone(string(at.Path)), Reason: kind.Immutable,
				Fix: "delete it before the apply, or take the object out of the renaming",
			}
		}
	}
	return nil
}
