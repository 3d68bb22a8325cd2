package annotate

import (
	"slices"

	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/manifest"
	"github.com/confighash/confighash/internal/policy"
	"github.com/confighash/confighash/internal/reference"
)

// A consumption gathers what one pod template consumes.
type consumption struct {
	*builder
	referrer *graph.Resource
	template *reference.PodTemplate
	workload *policy.Workload
	uses     []*use
	known    map[useKey]*use // if there are many
	notes    graph.Notes     // of the missing objects
	gap      gap             // the first object that is consumed but does not count
}

// A useKey is an object, and the kind as which it is used.
type useKey struct {
	object *graph.Resource
	kind   string
}

// A use is an object that the pods consume or that annotations name.
type use struct {
	object   *graph.Resource
	kind     string // as which it is used
	consumed bool
	named    bool // by the annotations that the policy knows
	extra    bool // by confighash.dev/extra-sources, so no policy decides
	whole    bool
	keys     []string
	verdict  *policy.Verdict // set by judge
	from     *use            // the stand-in whose Secret is made from it
}

// take records that the pods consume keys of the object, all of them if nil.
func (u *use) take(keys []string) {
	u.consumed = true
	u.whole = u.whole || keys == nil
	u.keys = join(u.keys, keys)
}

// join returns the keys of both lists. It does not change b, which thousands of sources may share.
func join(a, b []string) []string {
	if len(a) == 0 {
		return slices.Clip(b)
	}
	return append(a, b...)
}

// consume adds the objects that a reference means. extra: confighash.dev/extra-sources names them.
func (c *consumption) consume(e *graph.Edge, extra bool) {
	meanings := c.graph.Meanings(e)
	if len(meanings) == 0 {
		c.warnOfNone(e, extra)
		if c.gap.edge == nil && !e.Ref.Tentative {
			c.gap.edge = e
		}
	}
	for _, m := range meanings {
		objects := m.Objects
		if !m.StandsFor {
			if len(objects) > 1 && c.wants(objects, extra) {
				c.ambiguous(e.Referrer, e.Ref, objects)
				continue
			}
			objects = objects[:1]
		}
		for _, object := range objects {
			if !c.spend(c.referrer, templatePath(c.template)) {
				return
			}
			u := c.add(object, m.Kind)
			u.take(e.Ref.Keys)
			u.extra = u.extra || extra
			if object.StandsFor {
				c.make(u, object)
			}
		}
	}
}

// warnOfNone warns if kustomize did not add an object's suffix to a reference, or if the reference may mean objects of
// other layers.
func (c *consumption) warnOfNone(e *graph.Edge, extra bool) {
	for _, match := range e.Matches {
		switch lost := match.Lost(); {
		case lost == nil || e.Made():
		case lost.Context:
			c.plan.Warnf(e.Referrer, e.Ref.At.Path, "%q is not in the input, but another build has %s, with a hash; mode Rename writes that name into this field",
				e.Ref.Name, lost)
		default:
			c.plan.Warnf(e.Referrer, e.Ref.At.Path, "%q is not in the input, but %s is, with the suffix that kustomize gives: kustomize did not write it into this field; mode Rename does",
				e.Ref.Name, lost)
		}
	}
	if len(e.Strangers) > 0 && c.wants(e.Strangers, extra) {
		c.plan.Warnf(e.Referrer, e.Ref.At.Path,
			"%q does not count: ambiguous between %s, which had this name in other kustomize layers; use the current name",
			e.Ref.Name, c.graph.Places(e.Strangers))
	}
}

// make adds the objects that a stand-in's Secret is made from. What the pods consume themselves is judged by other
// rules.
func (c *consumption) make(u *use, object *graph.Resource) {
	c.graph.Ingredients(object, c.referrer, func(ref *reference.Reference, m graph.Meaning) (into, more bool) {
		if !c.spend(c.referrer, templatePath(c.template)) {
			return false, false
		}
		part := &use{object: m.Objects[0], kind: m.Kind, from: u}
		part.take(ref.Keys)
		if len(m.Objects) == 1 {
			c.uses = append(c.uses, part)
			return m.StandsFor && c.policy.Chosen(part.object, true) == nil, true
		}
		if slices.ContainsFunc(m.Objects, func(object *graph.Resource) bool {
			return c.judge(&use{object: object, kind: object.Kind, consumed: true, from: u}).Rolls
		}) {
			c.ambiguous(object, ref, m.Objects)
		}
		return false, true
	})
}

// add adds an object. If it is not consumed, it counts only if it is named.
func (c *consumption) add(object *graph.Resource, kind string) *use {
	const few = 16
	id := useKey{object, kind}
	if c.known == nil {
		for _, u := range c.uses {
			if u.from == nil && u.object == object && u.kind == kind {
				return u
			}
		}
	} else if u := c.known[id]; u != nil {
		return u
	}
	u := &use{object: object, kind: kind}
	c.uses = append(c.uses, u)
	switch {
	case c.known != nil:
		c.known[id] = u
	case len(c.uses) > few:
		c.known = map[useKey]*use{}
		for _, u := range c.uses {
			if u.from == nil {
				c.known[useKey{u.object, u.kind}] = u
			}
		}
	}
	return u
}

func (c *consumption) sources() []source {
	counts := make(map[*graph.Resource]int, len(c.uses))
	var sources []source
	for _, u := range c.uses {
		verdict := c.judge(u)
		if u.consumed && c.gap.object == nil && (!verdict.Rolls || u.object.NameOnly) {
			c.gap.object = u.object
		}
		if !verdict.Rolls {
			if u.consumed && u.from == nil && c.plan.Full {
				c.plan.Reportf(manifest.Info, c.referrer, templatePath(c.template), "%s does not count: %s", u.object, verdict.Reason)
			}
			continue
		}
		i, ok := counts[u.object]
		if !ok {
			i = len(sources)
			counts[u.object] = i
			sources = append(sources, source{object: u.object})
		}
		sources[i].whole = sources[i].whole || u.whole || verdict.Whole
		sources[i].keys = join(sources[i].keys, u.keys)
	}
	for _, s := range sources {
		if !s.whole && !slices.IsSorted(s.keys) {
			slices.Sort(s.keys)
		}
	}
	slices.SortStableFunc(sources, func(a, b source) int { return graph.Compare(a.object, b.object) })
	return sources
}

func (c *consumption) unselected() map[string]bool {
	keys := map[string]bool{}
	for _, u := range c.uses {
		if u.consumed && !c.policy.Selected(u.object) {
			keys[c.sourceKey(c.referrer, u.object)] = true
		}
	}
	return keys
}

// judge returns whether a change of the object rolls the workload, and whether the whole object counts.
func (c *consumption) judge(u *use) policy.Verdict {
	if u.verdict == nil {
		verdict := c.verdict(u)
		u.verdict = &verdict
	}
	return *u.verdict
}

func (c *consumption) verdict(u *use) policy.Verdict {
	if u.from == nil && !u.extra {
		return c.workload.Judge(policy.Use{Object: u.object, Kind: u.kind, Consumed: u.consumed, Named: u.named})
	}
	if refusal := c.policy.Chosen(u.object, true); refusal != nil {
		return policy.Verdict{Reason: refusal.Reason}
	}
	if u.from != nil {
		return policy.Verdict{Rolls: c.judge(u.from).Rolls}
	}
	return policy.Verdict{Rolls: true, Whole: true}
}

func (c *consumption) wants(objects []*graph.Resource, extra bool) bool {
	return graph.Once(c.notes, objects, extra, func() bool {
		return slices.ContainsFunc(objects, func(object *graph.Resource) bool {
			return c.judge(&use{object: object, kind: object.Kind, consumed: true, extra: extra}).Rolls
		})
	})
}

// ambiguous reports that a reference may mean several objects.
func (c *consumption) ambiguous(r *graph.Resource, ref *reference.Reference, objects []*graph.Resource) {
	first, second := objects[0], objects[1]
	if first.Name == second.Name && c.graph.NamespaceOf(first) == c.graph.NamespaceOf(second) {
		c.plan.Errorf(second, "metadata.name", "the input holds %s %s/%s twice (%s); keep one",
			first.Kind, c.graph.NamespaceOf(first), first.Name, graph.Places(first, second))
		return
	}
	severity := manifest.Error
	if ref.Tentative { // found by its shape, so it may not be a reference at all
		severity = manifest.Warning
	}
	c.plan.Reportf(severity, r, ref.At.Path, "%s %q is ambiguous: %s may be meant; rename one, or take them out with spec.exclude",
		first.Kind, ref.Name, c.graph.Places(objects))
}
