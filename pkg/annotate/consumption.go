package annotate

import (
	"slices"

	"github.com/confighash/confighash/pkg/graph"
	"github.com/confighash/confighash/pkg/policy"
	"github.com/confighash/confighash/pkg/reference"
	"github.com/confighash/confighash/pkg/stream"
)

// A consumption gathers what one pod template consumes.
type consumption struct {
	*builder
	referrer *graph.Resource
	template *graph.PodTemplate
	workload *policy.Workload
	uses     []*use
}

// A use is an object that the pods use, or that annotations name.
type use struct {
	object   *graph.Resource
	kind     string // what it is taken for
	consumed bool
	whole    bool
	keys     []string
	verdict  *policy.Verdict // nil to ask the policy
	from     *use            // the object that stands for a Secret and is made with it
}

// consume adds what a reference of r means. A verdict that is given needs no
// policy.
func (c *consumption) consume(r *graph.Resource, ref *reference.Reference, verdict *policy.Verdict) {
	if ref.Of != nil {
		if object := c.graph.Other(r, *ref.Of, ref.Name); object != nil && object.StandsFor {
			c.use(object, object.Kind, ref.Keys, verdict)
		}
		return
	}
	m := c.graph.Mention(r, ref)
	found := false
	for _, match := range m.Matches {
		if len(match.Candidates) > 1 && c.wants(match.Candidates, verdict) {
			c.ambiguous(r, ref, match.Candidates)
			continue
		}
		c.use(match.Candidates[0], match.Candidates[0].Kind, ref.Keys, verdict)
		found = true
	}
	for _, target := range m.Targets.Each() {
		for _, producer := range c.graph.Producers(r, ref, target) {
			if producer.StandsFor {
				c.use(producer, target.String(), ref.Keys, verdict)
				found = true
			}
		}
	}
	if !found && len(m.Strangers) > 0 && c.wants(m.Strangers, verdict) {
		c.plan.Tell(stream.Warning, r, ref.At.Path,
			"%q does not count: %s were called so in layers with other prefixes or suffixes; refer to the one that is meant by its present name",
			ref.Name, c.present(m.Strangers))
	}
}

// use adds an object that the pods consume, and what it is made with.
func (c *consumption) use(object *graph.Resource, kind string, keys []string, verdict *policy.Verdict) {
	u := c.add(object, kind, keys, true)
	if verdict != nil {
		u.verdict = verdict
	}
	if !object.StandsFor {
		return
	}
	for i := range object.References {
		ref := &object.References[i]
		if !ref.Consumed {
			continue
		}
		m := c.graph.Mention(object, ref)
		for _, match := range m.Matches {
			c.ingredient(u, ref, match.Candidates)
		}
		for _, target := range m.Targets.Each() {
			for _, producer := range c.graph.Producers(object, ref, target) {
				if producer.StandsFor && producer != object {
					c.uses = append(c.uses, &use{object: producer, kind: target.String(), consumed: true, whole: ref.Keys == nil, keys: ref.Keys, from: u})
				}
			}
		}
	}
}

// ingredient adds what an object that stands for a Secret refers to.
func (c *consumption) ingredient(u *use, ref *reference.Reference, candidates []*graph.Resource) {
	if ref.ControllerNamespace && len(candidates) > 1 {
		// The Secret is made in the workload's namespace, of what is there.
		candidates = slices.DeleteFunc(slices.Clone(candidates), func(candidate *graph.Resource) bool {
			return c.graph.NamespaceOf(candidate) != c.graph.NamespaceOf(c.referrer)
		})
	}
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
	i := slices.IndexFunc(c.uses, func(u *use) bool { return u.object == object && u.kind == kind && u.from == nil })
	if i < 0 {
		c.uses = append(c.uses, &use{object: object, kind: kind})
		i = len(c.uses) - 1
	}
	u := c.uses[i]
	if !consumed {
		return u
	}
	u.consumed = true
	if keys == nil {
		u.whole = true
	}
	u.keys = append(u.keys, keys...)
	return u
}

// sources returns the objects that count, sorted, each once.
func (c *consumption) sources() []source {
	counts := make(map[*graph.Resource]int, len(c.uses))
	var sources []source
	for _, u := range c.uses {
		verdict := c.judge(u)
		if !verdict.Rolls {
			if u.consumed && u.from == nil {
				c.plan.Tell(stream.Info, c.referrer, templatePath(c.template), "%s does not count: %s", u.object, verdict.Reason)
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
		sources[i].keys = append(sources[i].keys, u.keys...)
	}
	for i := range sources {
		slices.Sort(sources[i].keys)
	}
	slices.SortStableFunc(sources, func(a, b source) int { return graph.Compare(a.object, b.object) })
	return sources
}

// judge asks the policy whether a change of an object is to roll the workload,
// and whether all of it counts.
func (c *consumption) judge(u *use) policy.Verdict {
	if u.from == nil && u.verdict == nil {
		return c.workload.Judge(u.object, u.kind, u.consumed)
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
	return slices.ContainsFunc(objects, func(object *graph.Resource) bool {
		return c.rolls(&use{object: object, kind: object.Kind, consumed: true, verdict: verdict})
	})
}

// ambiguous tells that nothing says which of several objects is meant.
func (c *consumption) ambiguous(r *graph.Resource, ref *reference.Reference, objects []*graph.Resource) {
	first, second := objects[0], objects[1]
	if first.Name == second.Name && c.graph.NamespaceOf(first) == c.graph.NamespaceOf(second) {
		c.plan.Tell(stream.Error, second, "metadata.name", "the input holds %s %s/%s twice (lines %d and %d); keep one",
			first.Kind, c.graph.NamespaceOf(first), first.Name, first.Line, second.Line)
		return
	}
	c.plan.Tell(stream.Error, r, ref.At.Path, "%s %q is ambiguous: %s may be meant; rename one, or take them out with spec.exclude",
		first.Kind, ref.Name, c.present(objects))
}

// present returns the namespaces and names that resources have, sorted.
func (b *builder) present(resources []*graph.Resource) string {
	names := make([]string, len(resources))
	for i, r := range resources {
		names[i] = b.graph.NamespaceOf(r) + "/" + r.Name
	}
	slices.Sort(names)
	return enumerate(names)
}
