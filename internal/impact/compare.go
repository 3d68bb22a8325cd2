package impact

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/confighash/confighash/internal/yamldoc"

	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/manifest"
	"github.com/confighash/confighash/internal/usage"
)

// Compare tells what happens when the manifests of after are applied where those of
// before run. The facts of both graphs must hold values and bases
// (graph.Builder.Values and Bases). The Report shares no memory with them.
//
// Objects whose content cannot be told (graph.Resource.ValuesErr) count as empty. It
// fails where a workload cannot be read; the error names it.
func Compare(before, after *graph.Graph) (*Report, error) {
	c := &comparison{
		before: before, after: after, objects: matchObjects(before, after), facts: map[*graph.Resource]*facts{},
		texts: map[[2]*manifest.Chunk]bool{}, names: map[*graph.Resource]map[yamldoc.Path]string{},
	}
	c.renames = slices.ContainsFunc(after.Resources, func(r *graph.Resource) bool { return r.Target != 0 && r.Recorded() != "" })
	if err := c.match(); err != nil {
		return nil, err
	}
	if err := c.read(); err != nil {
		return nil, err
	}
	report := &Report{APIVersion: APIVersion, Kind: Kind, Workloads: []Workload{}, Objects: []Object{}, Disappearing: []Disappearing{}, Refused: []Refusal{}}
	for _, s := range c.subjects {
		if s.isWorkload() {
			if s.result = c.workload(s); s.result != nil {
				report.Workloads = append(report.Workloads, *s.result)
			}
		} else if refusal := c.refusal(s); refusal != nil {
			report.Refused = append(report.Refused, *refusal)
		}
	}
	objects, err := c.changedObjects()
	if err != nil {
		return nil, err
	}
	report.Objects = append(report.Objects, objects...)
	report.Disappearing = append(report.Disappearing, c.disappearing()...)
	report.finish()
	return report, nil
}

type comparison struct {
	before, after *graph.Graph
	objects       *objects
	subjects      []*subject // in the new set's order, then those that are gone
	facts         map[*graph.Resource]*facts
	renames       bool                        // mode Rename has been over the new set
	texts         map[[2]*manifest.Chunk]bool // whether they differ
	// names are those of objects that are whole values, by their paths, of the
	// resources asked about.
	names map[*graph.Resource]map[yamldoc.Path]string
}

// A subject is a resource that uses objects, or makes pods, as it is in the two sets.
type subject struct {
	old, new   *graph.Resource // nil in a set that does not have it
	uses, used []usage.Use     // of the new set, and of the old one
	influences []*influence
	// on are the influences on each of several templates, byObject all of them.
	on       map[int][]*influence
	byObject map[*object]*influence
	// usesAt and usedAt are uses and used by their paths, once somebody asked.
	usesAt, usedAt map[yamldoc.Path][]*usage.Use
	result         *Workload
}

// now returns the resource as the new set has it, or else the old one.
func (s *subject) now() *graph.Resource {
	if s.new != nil {
		return s.new
	}
	return s.old
}

func (s *subject) isWorkload() bool {
	return s.new != nil && len(s.new.PodTemplates) > 0 || s.old != nil && len(s.old.PodTemplates) > 0
}

// differs reports whether the text of a resource does, in any way.
func (c *comparison) differs(s *subject) bool {
	if s.old == nil || s.new == nil || s.old.Root != s.new.Root {
		return true
	}
	pair := [2]*manifest.Chunk{s.old.Chunk, s.new.Chunk}
	differs, ok := c.texts[pair]
	if !ok {
		differs = !bytes.Equal(s.old.Chunk.Text, s.new.Chunk.Text)
		c.texts[pair] = differs
	}
	return differs
}

// match pairs the resources that use objects or make pods.
func (c *comparison) match() error {
	before, after := usage.NewFinder(c.before), usage.NewFinder(c.after)
	type id struct{ group, kind, namespace, name string }
	known := map[id]*subject{}
	counts := func(r *graph.Resource) bool { return len(r.PodTemplates) > 0 || len(r.References) > 0 || isFixed(r) }
	// Those that the API server names are told apart by their order.
	nameless := [2]map[id]int{{}, {}}
	idOf := func(set int, g *graph.Graph, r *graph.Resource) id {
		one := id{r.Group, r.Kind, g.NamespaceOf(r), r.Name}
		if r.Name == "" {
			nameless[set][one]++
			one.name = "\x00" + strconv.Itoa(nameless[set][one])
		}
		return one
	}
	for _, r := range c.after.Resources {
		if !counts(r) {
			continue
		}
		uses, err := after.Of(r)
		if err != nil {
			return err
		}
		s := &subject{new: r, uses: uses}
		c.subjects = append(c.subjects, s)
		known[idOf(1, c.after, r)] = s
	}
	for _, r := range c.before.Resources {
		if !counts(r) {
			continue
		}
		s := known[idOf(0, c.before, r)]
		if s == nil {
			s = &subject{}
			c.subjects = append(c.subjects, s)
		}
		var err error
		if s.used, err = before.Of(r); err != nil {
			return err
		}
		s.old = r
	}
	c.pairHooks()
	for _, s := range c.subjects {
		c.influence(s)
	}
	return nil
}

// pairHooks pairs the hooks of Helm that are in one set each and whose names differ in
// one part alone, which is random at each rendering: those of tests above all. Such a
// hook neither starts nor stops with an apply.
func (c *comparison) pairHooks() {
	type pattern struct{ kind, namespace, hook, name string }
	var patterns [2]map[pattern][]*subject // of the new set, and of the old one
	each := func(g *graph.Graph, r *graph.Resource, do func(pattern)) {
		hook, ok := r.Annotations["helm.sh/hook"]
		if !ok || len(r.Name) > 63 {
			return
		}
		start := 0
		for part := range strings.SplitSeq(r.Name, "-") {
			end := start + len(part)
			if isRandom(part) {
				do(pattern{r.Kind, g.NamespaceOf(r), hook, r.Name[:start] + strings.Repeat("*", len(part)) + r.Name[end:]})
			}
			start = end + 1
		}
	}
	for n := range patterns {
		patterns[n] = map[pattern][]*subject{}
	}
	for _, s := range c.subjects {
		switch {
		case s.old == nil:
			each(c.after, s.new, func(p pattern) { patterns[0][p] = append(patterns[0][p], s) })
		case s.new == nil:
			each(c.before, s.old, func(p pattern) { patterns[1][p] = append(patterns[1][p], s) })
		}
	}
	for _, s := range c.subjects {
		if s.new == nil {
			continue
		}
		each(c.after, s.new, func(p pattern) {
			gone := patterns[1][p]
			if s.old == nil && len(patterns[0][p]) == 1 && len(gone) == 1 && gone[0].old != nil {
				s.old, s.used = gone[0].old, gone[0].used
				gone[0].old = nil
			}
		})
	}
	c.subjects = slices.DeleteFunc(c.subjects, func(s *subject) bool { return s.old == nil && s.new == nil })
}

// isRandom reports whether a part of a name may be one that a chart makes at random.
func isRandom(part string) bool {
	return len(part) >= 4 && len(part) <= 10 && strings.Trim(part, "abcdefghijklmnopqrstuvwxyz0123456789") == ""
}

// read reads the facts of the workloads to which something may happen.
func (c *comparison) read() error {
	var wanted []*graph.Resource
	for _, s := range c.subjects {
		if s.old == nil || s.new == nil || !s.isWorkload() && !isFixed(s.new) {
			continue
		}
		if c.differs(s) {
			wanted = append(wanted, s.old, s.new)
		} else if slices.ContainsFunc(s.influences, func(i *influence) bool { return i.object.differs() }) {
			wanted = append(wanted, s.new)
		}
	}
	return readFacts(wanted, c.facts)
}

// differs reports whether anything about the object does.
func (o *object) differs() bool { return !o.both() || len(o.keys) > 0 || o.renamed() }

// An influence is an object that a subject uses, in either set.
type influence struct {
	object *object
	uses   []*usage.Use // those of the new set first
	// present are how many of uses are of the new set.
	present int
	// consumed: pods get any of the object.
	consumed bool
	// on are the places in uses of those by which each of several templates gets it.
	on   map[int][]int
	ways []string // once somebody asked
}

// influence finds the objects that s uses, sorted.
func (c *comparison) influence(s *subject) {
	if len(s.uses)+len(s.used) == 0 {
		return
	}
	s.byObject = make(map[*object]*influence, len(s.uses))
	for n, uses := range [][]usage.Use{s.uses, s.used} {
		for i := range uses {
			use := &uses[i]
			o := c.objects.of[use.Object]
			if o == nil {
				continue
			}
			one := s.byObject[o]
			if one == nil {
				one = &influence{object: o}
				s.byObject[o] = one
				s.influences = append(s.influences, one)
			}
			one.uses = append(one.uses, use)
			one.consumed = one.consumed || use.Consumed
			if n == 0 {
				one.present++
			}
		}
	}
	slices.SortStableFunc(s.influences, func(a, b *influence) int { return graph.Compare(a.object.now(), b.object.now()) })
	if templates := max(templatesOf(s.new), templatesOf(s.old)); templates > 1 {
		s.divide(templates)
	}
}

func templatesOf(r *graph.Resource) int {
	if r == nil {
		return 0
	}
	return len(r.PodTemplates)
}

// divide sorts out which influences, and which of their uses, count for which of
// several templates.
func (s *subject) divide(templates int) {
	s.on = map[int][]*influence{}
	for _, i := range s.influences {
		i.on = map[int][]int{}
		for at, u := range i.uses {
			switch {
			case !u.Consumed:
			case u.Template >= 0:
				i.on[u.Template] = append(i.on[u.Template], at)
			default:
				for t := range templates {
					i.on[t] = append(i.on[t], at)
				}
			}
		}
		for t := range i.on {
			s.on[t] = append(s.on[t], i)
		}
	}
}

// influencesOn returns the influences on one of the templates.
func (s *subject) influencesOn(template int) []*influence {
	if s.on == nil {
		return s.influences
	}
	return s.on[template]
}

// anyUse reports whether a condition, which holds only of uses by which pods get the
// object, holds of one of the first uses that counts for a template.
func (i *influence) anyUse(template, first int, holds func(*usage.Use) bool) bool {
	if i.on != nil {
		return slices.ContainsFunc(i.on[template], func(at int) bool { return at < first && holds(i.uses[at]) })
	}
	return slices.ContainsFunc(i.uses[:first], holds)
}

// taken returns the places of the keys that differ and that one of the uses gets, or
// that these are all of them.
func (o *object) taken(uses []*usage.Use) (places []int, all bool) {
	always := false
	for _, u := range uses {
		switch {
		case !u.Consumed:
			continue
		case u.Keys == nil, len(o.always) == len(o.keys):
			return nil, true
		case len(u.Keys) > len(o.keys):
			for k := range o.keys {
				if u.Gets(o.keys[k].name) {
					places = append(places, k)
				}
			}
		default:
			for _, key := range u.Keys {
				if k, found := o.find(key); found {
					places = append(places, k)
				}
			}
		}
		if !always {
			places = append(places, o.always...)
			always = true
		}
	}
	slices.Sort(places)
	places = slices.Compact(places)
	return places, len(places) == len(o.keys)
}

// takes reports whether a use gets any of the keys that differ, if it gets any at all.
func (o *object) takes(u *usage.Use) bool {
	if len(o.keys) == 0 || u.Keys == nil || len(o.always) > 0 {
		return len(o.keys) > 0
	}
	if len(u.Keys) > len(o.keys) {
		return slices.ContainsFunc(o.keys, func(k keyChange) bool { _, found := slices.BinarySearch(u.Keys, k.name); return found })
	}
	return slices.ContainsFunc(u.Keys, func(key string) bool { _, found := o.find(key); return found })
}

// find returns where a key is among those that differ.
func (o *object) find(key string) (place int, found bool) {
	return slices.BinarySearchFunc(o.keys, key, func(k keyChange, key string) int { return strings.Compare(k.name, key) })
}

// maxLeft bounds how many keys are listed that differ, of an object of which a
// workload gets others that do.
const maxLeft = 100

// keys returns the keys that differ. Workloads that get all of them, or none, share
// the list.
func (i *influence) keys() []Key {
	o := i.object
	consumed, all := o.taken(i.uses)
	if all || len(consumed) == 0 {
		return o.sharedKeys(all)
	}
	var keys []Key
	for k, left := 0, maxLeft; len(consumed) > 0 || left > 0 && k < len(o.keys); {
		switch isConsumed := len(consumed) > 0 && consumed[0] == k; {
		case isConsumed:
			consumed = consumed[1:]
			fallthrough
		case left > 0:
			if !isConsumed {
				left--
			}
			keys = append(keys, o.keys[k].told(isConsumed))
			k++
		default:
			k = consumed[0]
		}
	}
	return keys
}

// sharedKeys returns the keys that differ, where all are consumed, or none.
func (o *object) sharedKeys(consumed bool) []Key {
	if o.shared[consumed] == nil {
		keys := make([]Key, len(o.keys))
		for k := range o.keys {
			keys[k] = o.keys[k].told(consumed)
		}
		if o.shared == nil {
			o.shared = map[bool][]Key{}
		}
		o.shared[consumed] = keys
	}
	return o.shared[consumed]
}

// told returns a key as a report has it.
func (k *keyChange) told(consumed bool) Key {
	return Key{Name: graph.Clip(k.Name), Change: k.Change, Consumed: consumed}
}

// configures reports whether pods of a template get something else than before, if
// the template stays as it is: the object is in both sets, under the name that the new
// manifest refers to, and differs in what they get; or it comes or goes, and they run
// without what they get of it.
func (i *influence) configures(template int) bool {
	o := i.object
	if o.both() {
		return i.anyUse(template, i.present, func(u *usage.Use) bool { return u.Consumed && o.takes(u) })
	}
	return i.anyUse(template, len(i.uses), func(u *usage.Use) bool { return u.Consumed && u.Ref.Optional && o.takes(u) })
}

// via returns the ways by which the pods get what differs, or else all ways, sorted.
func (i *influence) via() []string {
	if i.ways != nil {
		return i.ways
	}
	ways := func(counts func(*usage.Use) bool) []string {
		var all []string
		for _, u := range i.uses {
			if via := string(u.Via); !slices.Contains(all, via) && counts(u) {
				all = append(all, via)
			}
		}
		slices.Sort(all)
		return all
	}
	i.ways = ways(func(u *usage.Use) bool { return u.Consumed && i.object.takes(u) })
	if i.ways == nil {
		i.ways = ways(func(*usage.Use) bool { return true })
	}
	return i.ways
}

// missing returns a key that new pods of a template need and that the object has no
// longer, "" if there is none.
func (i *influence) missing(template int) string {
	o := i.object
	first := len(o.keys)
	if o.new == nil {
		return ""
	}
	i.anyUse(template, i.present, func(u *usage.Use) bool {
		if u.Consumed && !u.Ref.Optional {
			for _, key := range u.Ref.Required {
				if k, found := o.find(key); found && o.keys[k].Change == Removed {
					first = min(first, k)
				}
			}
		}
		return false
	})
	if first == len(o.keys) {
		return ""
	}
	return graph.Clip(o.keys[first].Name)
}

// generated stands for a name that the API server makes, of generateName.
const generated = "(generated)"

// refOf names a resource of g.
func refOf(g *graph.Graph, r *graph.Resource) Ref {
	return Ref{
		APIVersion: graph.Clip(r.APIVersion), Kind: graph.Clip(r.Kind),
		Namespace: graph.Clip(g.NamespaceOf(r)), Name: cmp.Or(graph.Clip(r.Name), generated),
	}
}

// ref names the object as the new set has it, or else as the old one does.
func (c *comparison) ref(o *object) Ref {
	if o.new != nil {
		return refOf(c.after, o.new)
	}
	return refOf(c.before, o.old)
}

// formerName returns the name in the old set, where that is another.
func (o *object) formerName() string {
	if o.renamed() {
		return graph.Clip(o.old.Name)
	}
	return ""
}

// refOf names the subject.
func (c *comparison) subjectRef(s *subject) Ref {
	if s.new != nil {
		return refOf(c.after, s.new)
	}
	return refOf(c.before, s.old)
}

func compareRefs(a, b Ref) int {
	return cmp.Or(
		strings.Compare(a.Kind, b.Kind), strings.Compare(a.Namespace, b.Namespace),
		strings.Compare(a.Name, b.Name), strings.Compare(a.APIVersion, b.APIVersion),
	)
}

// changedObjects returns the objects whose content differs, or that came or went.
func (c *comparison) changedObjects() ([]Object, error) {
	type use struct{ consumers, readers []Ref }
	users := map[*object]*use{}
	type changedKey struct {
		object *object
		key    int // its place, -1 for all
	}
	consumed := map[changedKey]bool{}
	for _, s := range c.subjects {
		for _, i := range s.influences {
			o := i.object
			if !o.differs() && o.refused == "" {
				continue
			}
			if s.new == nil && o.new != nil {
				continue // it used the object, and is gone
			}
			u := users[o]
			if u == nil {
				u = &use{}
				users[o] = u
			}
			var gets []int
			all := false
			if s.isWorkload() {
				gets, all = o.taken(i.uses)
				// A refused change may be one of no key, such as that of immutable.
				all = all && len(o.keys) > 0 || o.refused != "" && len(o.keys) == 0 && i.consumed
			}
			for _, k := range gets {
				consumed[changedKey{o, k}] = true
			}
			if all {
				consumed[changedKey{o, -1}] = true
			}
			if all || len(gets) > 0 {
				u.consumers = append(u.consumers, c.subjectRef(s))
			} else if s.now() != o.now() {
				u.readers = append(u.readers, c.subjectRef(s))
			}
		}
	}
	var found []Object
	var sources []*graph.Resource
	for _, o := range c.objects.all {
		change := o.change()
		if change == Renamed {
			continue
		}
		one := Object{Ref: c.ref(o), FormerName: o.formerName(), Change: change, Refused: o.refused, Fix: o.fix}
		for k := range o.keys {
			one.Keys = append(one.Keys, o.keys[k].told(consumed[changedKey{o, -1}] || consumed[changedKey{o, k}]))
		}
		if u := users[o]; u != nil {
			slices.SortFunc(u.consumers, compareRefs)
			slices.SortFunc(u.readers, compareRefs)
			one.Consumers, one.Readers = slices.Compact(u.consumers), slices.Compact(u.readers)
		}
		found, sources = append(found, one), append(sources, o.now())
	}
	c.addEvidence(found, sources)
	return found, nil
}

// finish sorts a report and counts what is in it.
func (r *Report) finish() {
	effects := Effects()
	rank := make(map[Effect]int, len(effects))
	for i, e := range effects {
		rank[e] = i
	}
	slices.SortStableFunc(r.Workloads, func(a, b Workload) int {
		return cmp.Or(cmp.Compare(rank[a.Effect], rank[b.Effect]), compareRefs(a.Ref, b.Ref))
	})
	slices.SortStableFunc(r.Objects, func(a, b Object) int { return compareRefs(a.Ref, b.Ref) })
	slices.SortStableFunc(r.Disappearing, func(a, b Disappearing) int { return compareRefs(a.Ref, b.Ref) })
	slices.SortStableFunc(r.Refused, func(a, b Refusal) int { return compareRefs(a.Ref, b.Ref) })
	s := &r.Summary
	for i := range r.Workloads {
		switch r.Workloads[i].Effect {
		case Refused:
			s.Refused++
		case Kills:
			s.Kills++
		case Stale:
			s.Stale++
		case Rolls:
			s.Rolls++
		case Waits:
			s.Waits++
		case NextRuns:
			s.NextRuns++
		case Unknown:
			s.Unknown++
		case Starts:
			s.Starts++
		case Stops:
			s.Stops++
		}
	}
	for i := range r.Objects {
		if r.Objects[i].Unconsumed() {
			s.Unconsumed++
		}
	}
	s.Disappearing = len(r.Disappearing)
}
