package impact

import (
	"fmt"
	"slices"
	"strings"

	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/hash"
	"github.com/confighash/confighash/internal/podtemplate"
	"github.com/confighash/confighash/internal/usage"
	"github.com/confighash/confighash/internal/yamldoc"
)

type causes struct {
	*comparison
	subject *subject
	counted map[*influence]bool // the ones that count
	// consumed: pods consume one of them. gone: they include objects that were added or removed; all: they include
	// every object in a checksum.
	consumed, gone, all bool
	fields              []Cause
	ignored             int // how many of the objects are ignored on purpose
}

func (c *causes) list() []Cause {
	var all []Cause
	for _, i := range c.subject.influences {
		if !c.counted[i] {
			continue
		}
		o := i.object
		ref := c.ref(o.pair)
		all = append(all, Cause{Change: o.change(), Object: &ref, FormerName: o.formerName(), Keys: i.keys(), Via: i.via()})
		if i.ignored() {
			c.ignored++
		}
	}
	return append(all, c.fields...)
}

func (c *causes) count(i *influence) {
	c.counted[i] = true
	c.consumed = c.consumed || i.consumed
}

func (c *causes) countRenamed(several []*object) {
	for _, o := range several {
		if i := c.subject.byObject[o]; i != nil && o.renamed() {
			c.count(i)
		}
	}
}

func (c *causes) add(p *templatePair) {
	for _, i := range c.subject.on[p.index] {
		if i.configures() {
			c.count(i.whole)
		}
	}
	explained := c.explain(p)
	for k := range p.rest {
		if d := &p.rest[k]; d.What != podtemplate.Changed || !c.follow(d) {
			c.fields = append(c.fields, causeOf(d, d.Path))
		}
	}
	for k := range p.diffs {
		if d := &p.diffs[k]; !explained[k] {
			c.fields = append(c.fields, causeOf(d, p.fieldOf(d)))
		}
	}
}

func causeOf(d *podtemplate.Difference, field string) Cause {
	change := [...]Change{
		podtemplate.Changed: Changed, podtemplate.Added: Added, podtemplate.Removed: Removed,
		podtemplate.Reordered: Reordered, podtemplate.Respelled: Changed,
	}[d.What]
	return Cause{Change: change, Field: field, From: graph.Clip(d.From), To: graph.Clip(d.To)}
}

// explain counts the objects whose new names or checksums account for differences of a template, and returns which
// differences these are.
func (c *causes) explain(p *templatePair) []bool {
	explained := make([]bool, len(p.diffs))
	added := c.addedElements(p)
	checksums := p.checksums()
	var stamps []int
	for k, d := range p.diffs {
		switch {
		case d.What == podtemplate.Changed && checksums[d.New]:
			stamps = append(stamps, k)
		case d.What == podtemplate.Changed:
			explained[k] = c.follow(&d)
		case d.What == podtemplate.Removed && !explained[k]:
			was, olds := c.element(c.subject.usedAt, d.Path, d.Old)
			if same := added[was]; len(same) > 0 {
				explained[k], explained[same[0]], added[was] = true, true, same[1:]
				_, news := c.element(c.subject.usesAt, d.Path, p.diffs[same[0]].New)
				c.countRenamed(append(olds, news...))
			}
		}
	}
	if len(stamps) > 0 && c.stamped() {
		for _, k := range stamps {
			explained[k] = true
		}
	}
	return explained
}

func (p *templatePair) checksums() map[yamldoc.Path]bool {
	places := map[yamldoc.Path]bool{}
	for key, value := range p.template.Annotations {
		if hash.IsChecksum(value) {
			places[p.template.AnnotationsAt.Key(key)] = true
		}
	}
	return places
}

// stamped counts the objects that a changed checksum includes, and reports whether there are any: those that configure
// the pods, or else others that they consume.
func (c *causes) stamped() bool {
	if consumed := c.consumed; !c.all && (!consumed || !c.gone) {
		for _, i := range c.subject.influences {
			if i.consumed && i.object.differs() && !i.object.renamed() && (!consumed || !i.object.both()) {
				c.count(i)
			}
		}
		c.gone, c.all = true, !consumed
	}
	return len(c.counted) > 0
}

// addedElements returns the differences that are added list elements, by the key that element returns.
func (c *causes) addedElements(p *templatePair) map[[2]string][]int {
	c.indexUses(c.subject)
	added := map[[2]string][]int{}
	for k := range p.diffs {
		if d := &p.diffs[k]; d.What == podtemplate.Added {
			if is, _ := c.element(c.subject.usesAt, d.Path, d.New); is[1] != "" {
				added[is] = append(added[is], k)
			}
		}
	}
	return added
}

// element returns the list of a removed or added element, and its content with objects in place of their names. It only
// handles imagePullSecrets, whose elements hold nothing but a name.
func (c *causes) element(uses map[yamldoc.Path][]*usage.Use, path string, at yamldoc.Path) (what [2]string, named []*object) {
	if list := listOf(path); strings.HasSuffix(list, "imagePullSecrets") && strings.HasSuffix(listOf(string(at)), "imagePullSecrets") {
		what[0] = list
		what[1], named = c.skeleton(uses[at.Key("name")])
	}
	return what, named
}

func listOf(path string) string { return path[:max(strings.LastIndexByte(path, '['), 0)] }

// follow reports whether a difference is only due to the new names of objects, and counts these.
func (c *causes) follow(d *podtemplate.Difference) bool {
	named, follows := c.follows(c.subject, d)
	c.countRenamed(named)
	return follows
}

// follows reports whether two scalars of a resource differ only in the names of objects that both sets have, and
// returns the objects.
func (c *comparison) follows(s *subject, d *podtemplate.Difference) ([]*object, bool) {
	c.indexUses(s)
	was, olds := c.skeleton(s.usedAt[d.Old])
	is, news := c.skeleton(s.usesAt[d.New])
	if was == "" || was != is {
		return nil, false
	}
	return append(olds, news...), true
}

func (c *comparison) indexUses(s *subject) {
	byPath := func(uses []usage.Use) map[yamldoc.Path][]*usage.Use {
		index := make(map[yamldoc.Path][]*usage.Use, len(uses))
		for i := range uses {
			at := uses[i].Ref.At.Path
			index[at] = append(index[at], &uses[i])
		}
		return index
	}
	if s.usesAt == nil {
		s.usesAt, s.usedAt = byPath(s.uses), byPath(s.used)
	}
}

// skeleton returns the value that contains uses, with objects in place of their names; "" if it names no object.
func (c *comparison) skeleton(uses []*usage.Use) (string, []*object) {
	here := slices.SortedStableFunc(slices.Values(uses), func(a, b *usage.Use) int { return a.Ref.Start - b.Ref.Start })
	here = slices.CompactFunc(here, func(a, b *usage.Use) bool { return a.Ref.Start == b.Ref.Start })
	if len(here) == 0 {
		return "", nil
	}
	value := here[0].Ref.At.Value
	var b strings.Builder
	var named []*object
	end := 0
	for _, u := range here {
		o := c.objects.of[u.Object]
		if o == nil || u.Ref.Start < end || u.Ref.End > len(value) {
			return "", nil
		}
		fmt.Fprintf(&b, "%s\x00%p\x00", value[end:u.Ref.Start], o)
		named, end = append(named, o), u.Ref.End
	}
	b.WriteString(value[end:])
	return b.String(), named
}
