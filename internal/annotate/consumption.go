package annotate

import (
	"fmt"
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
	template *graph.PodTemplate
	workload *policy.Workload
	uses     []*use
	known    map[useKey]*use
	wanted   map[**graph.Resource]bool // what wants has found
}

// A useKey is an object, and the kind that it is taken for.
type useKey struct {
	object *graph.Resource
	kind   string
}

// A use is an object that the pods use, or that annotations name.
type use struct {
	object   *graph.Resource
	kind     string // what it is taken for
	consumed bool
	named    bool // by the annotations that the policy stands for
	whole    bool
	keys     []string
	verdict  *policy.Verdict // nil to ask the policy
	judged   *policy.Verdict // what judge has found
	from     *use            // the object that stands for a Secret and is made with it
}

// consume adds what a reference of r means. A verdict that is given needs no
// policy.
func (c *consumption) consume(e *graph.Edge, verdict *policy.Verdict) {
	r, ref := e.Referrer, e.Ref
	means, strangers := c.graph.Meanings(e), e.Strangers
	if len(means) == 0 {
		c.lost(e)
	}
	for _, m := range means {
		if m.StandsFor {
			for _, producer := range m.Objects {
				if !c.use(producer, m.Kind, ref.Keys, verdict) {
					return
				}
			}
			continue
		}
		if len(m.Objects) > 1 && c.wants(m.Objects, verdict) {
			c.ambiguous(r, ref, m.Objects)
			continue
		}
		c.use(m.Objects[0], m.Kind, ref.Keys, verdict)
	}
	if len(means) == 0 && len(strangers) > 0 && c.wants(strangers, verdict) {
		c.plan.Warnf(r, ref.At.Path,
			"%q does not count: ambiguous between %s, which had this name in other kustomize layers; use the current name",
			ref.Name, c.graph.Places(strangers))
	}
}

// lost warns of a reference that kustomize left without the suffix that it gave
// the object.
func (c *consumption) lost(e *graph.Edge) {
	for _, match := range e.Matches {
		if lost := match.Lost(); lost != nil && !e.Made() {
			c.plan.Warnf(e.Referrer, e.Ref.At.Path, "%q is not in the input, but %s is, with the suffix that kustomize gives: kustomize did not write it into this field; mode Rename does",
				e.Ref.Name, lost)
		}
	}
}

// use adds an object that the pods consume, and what it is made with. It reports
// false once there is too much of that.
func (c *consumption) use(object *graph.Resource, kind string, keys []string, verdict *policy.Verdict) bool {
	if !c.spend(c.referrer, templatePath(c.template)) {
		return false
	}
	u := c.add(object, kind, keys, true)
	if verdict != nil {
		u.verdict = verdict
	}
	if object.StandsFor {
		c.make(u, object)
	}
	return true
}

// make adds what an object that represents a Secret is made with.
func (c *consumption) make(u *use, object *graph.Resource) {
	c.graph.Ingredients(object, c.referrer, func(ref *reference.Reference, meaning graph.Meaning) (into, more bool) {
		if !c.spend(c.referrer, templatePath(c.template)) {
			return false, false
		}
		if !meaning.StandsFor {
			c.ingredient(u, ref, meaning.Objects)
			return false, true
		}
		maker := meaning.Objects[0]
		c.uses = append(c.uses, &use{object: maker, kind: meaning.Kind, consumed: true, whole: ref.Keys == nil, keys: ref.Keys, from: u})
		return c.policy.Chosen(maker, true) == nil, true
	})
}

// ingredient adds what an object that stands for a Secret refers to.
func (c *consumption) ingredient(u *use, ref *reference.Reference, candidates []*graph.Resource) {
	uses := make([]*use, len(candidates))
	for i, candidate := range candidates {
		// Apart from what the pods consume themselves, of which others decide.
		uses[i] = &use{object: candidate, kind: candidate.Kind, consumed: true, whole: ref.Keys == nil, keys: ref.Keys, from: u}
	}
	switch {
	case len(uses) == 1:
		c.uses = append(c.uses, uses[0])
	case slices.ContainsFunc(uses, c.rolls):
		c.ambiguous(u.object, ref, candidates)
	}
}

// add adds an object. Without being consumed it counts only if it is named.
func (c *consumption) add(object *graph.Resource, kind string, keys []string, consumed bool) *use {
	u := c.known[useKey{object, kind}]
	if u == nil {
		u = &use{object: object, kind: kind}
		if c.known == nil {
			c.known = map[useKey]*use{}
		}
		c.known[useKey{object, kind}] = u
		c.uses = append(c.uses, u)
	}
	if !consumed {
		return u
	}
	u.consumed = true
	if keys == nil {
		u.whole = true
	}
	u.keys = join(u.keys, keys)
	return u
}

// join returns the keys of two lists, the second of which stays as it is: thousands of
// sources may share it.
func join(a, b []string) []string {
	if len(a) == 0 {
		return slices.Clip(b)
	}
	return append(a, b...)
}

// sources returns the objects that count, sorted, each once.
func (c *consumption) sources() []source {
	counts := make(map[*graph.Resource]int, len(c.uses))
	var sources []source
	for _, u := range c.uses {
		verdict := c.judge(u)
		if !verdict.Rolls {
			if u.consumed && u.from == nil && c.informs() {
				c.leave(graph.Finding{
					Severity: manifest.Info, Resource: c.referrer, Path: templatePath(c.template), Object: u.object,
					Message: fmt.Sprintf("%s does not count: %s", u.object, verdict.Reason), Reason: verdict.Reason,
				})
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
	for i := range sources {
		if s := &sources[i]; s.whole {
			s.keys = nil
		} else if !slices.IsSorted(s.keys) {
			slices.Sort(s.keys)
		}
	}
	slices.SortStableFunc(sources, func(a, b source) int { return graph.Compare(a.object, b.object) })
	return sources
}

// unselected returns the keys of consumed objects that the selectors take out,
// which another function may be there for.
func (c *consumption) unselected() map[string]bool {
	var keys map[string]bool
	for _, u := range c.uses {
		if u.consumed && !c.policy.Selected(u.object) {
			if keys == nil {
				keys = map[string]bool{}
			}
			keys[c.sourceKey(c.referrer, u.object)] = true
		}
	}
	return keys
}

// judge asks the policy whether a change of an object is to roll the workload,
// and whether all of it counts.
func (c *consumption) judge(u *use) policy.Verdict {
	if u.judged == nil {
		verdict := c.verdict(u)
		u.judged = &verdict
	}
	return *u.judged
}

func (c *consumption) verdict(u *use) policy.Verdict {
	if u.from == nil && u.verdict == nil {
		return c.workload.Judge(policy.Use{Object: u.object, Kind: u.kind, Consumed: u.consumed, Named: u.named})
	}
	if refusal := c.policy.Chosen(u.object, true); refusal != nil {
		return policy.Verdict{Reason: refusal.Reason}
	}
	if u.from != nil {
		return policy.Verdict{Rolls: c.judge(u.from).Rolls}
	}
	return *u.verdict
}

// rolls reports whether judge says so.
func (c *consumption) rolls(u *use) bool { return c.judge(u).Rolls }

// wants reports whether one of several objects would count.
func (c *consumption) wants(objects []*graph.Resource, verdict *policy.Verdict) bool {
	if verdict != nil {
		return c.wantsAny(objects, verdict)
	}
	wanted, ok := c.wanted[&objects[0]]
	if !ok {
		if c.wanted == nil {
			c.wanted = map[**graph.Resource]bool{}
		}
		wanted = c.wantsAny(objects, nil)
		c.wanted[&objects[0]] = wanted
	}
	return wanted
}

func (c *consumption) wantsAny(objects []*graph.Resource, verdict *policy.Verdict) bool {
	return slices.ContainsFunc(objects, func(object *graph.Resource) bool {
		return c.rolls(&use{object: object, kind: object.Kind, consumed: true, verdict: verdict})
	})
}

// ambiguous tells that nothing says which of several objects is meant.
func (c *consumption) ambiguous(r *graph.Resource, ref *reference.Reference, objects []*graph.Resource) {
	first, second := objects[0], objects[1]
	if first.Name == second.Name && c.graph.NamespaceOf(first) == c.graph.NamespaceOf(second) {
		c.plan.Errorf(second, "metadata.name", "the input holds %s %s/%s twice (%s); keep one",
			first.Kind, c.graph.NamespaceOf(first), first.Name, graph.Places(first, second))
		return
	}
	severity := manifest.Error
	if ref.Tentative { // found by its shape, so it may be no reference at all
		severity = manifest.Warning
	}
	c.plan.Reportf(severity, r, ref.At.Path, "%s %q is ambiguous: %s may be meant; rename one, or take them out with spec.exclude",
		first.Kind, ref.Name, c.graph.Places(objects))
}
