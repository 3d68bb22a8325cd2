package impact

import (
	"slices"
	"strconv"
	"strings"

	"github.com/confighash/confighash/internal/yamldoc"

	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/hash"
	"github.com/confighash/confighash/internal/podtemplate"
	"github.com/confighash/confighash/internal/usage"
)

// A templatePair is a pod template of a workload as it is in the two sets.
type templatePair struct {
	index    int // in the new resource's PodTemplates, the old one's if it is gone
	template *graph.PodTemplate
	was      *graph.PodTemplate // nil if it is new
	diffs    []podtemplate.Difference
	// rest are differences of a custom resource's spec outside of its templates.
	rest     []podtemplate.Difference
	accounts bool // the old one names its service account by both fields
	// rolls: the API server stores another template, by what the kind's controller
	// goes by.
	rolls bool
	// metadataOnly: nothing of the pod spec differs. imagesOnly: images alone do.
	metadataOnly, imagesOnly bool
	// initOnly: images of init containers alone. suspended: what differs may change,
	// since the Job is suspended.
	initOnly, suspended bool
}

// templates pairs the pod templates of a workload by their place.
func (c *comparison) templates(s *subject, before, after *facts) []*templatePair {
	var pairs []*templatePair
	place := func(t *graph.PodTemplate) yamldoc.Path { return t.Spec + "\x00" + t.AnnotationsAt }
	olds := make(map[yamldoc.Path]int, len(s.old.PodTemplates))
	for i := range s.old.PodTemplates {
		olds[place(&s.old.PodTemplates[i])] = i
	}
	partial := isPartial(s.new)
	for i := range s.new.PodTemplates {
		t := &s.new.PodTemplates[i]
		p := &templatePair{index: i, template: t}
		pairs = append(pairs, p)
		j, ok := olds[place(t)]
		if !ok {
			p.diffs = []podtemplate.Difference{{What: podtemplate.Added}}
		} else if delete(olds, place(t)); before != after {
			p.diffs = podtemplate.Diff(before.templates[j], after.templates[i])
			p.accounts, p.was = before.accounts[j], &s.old.PodTemplates[j]
		} else {
			p.was = &s.old.PodTemplates[j]
		}
		if partial {
			p.bare()
		}
		if i == 0 && before != after && before.rest != nil && after.rest != nil {
			c.splitRest(s, p, podtemplate.Diff(before.rest, after.rest))
		}
		p.judge(s.new, before)
	}
	for i := range s.old.PodTemplates {
		t := &s.old.PodTemplates[i]
		if _, gone := olds[place(t)]; gone {
			p := &templatePair{index: i, template: t, diffs: []podtemplate.Difference{{What: podtemplate.Removed}}}
			p.judge(s.new, before)
			pairs = append(pairs, p)
		}
	}
	return pairs
}

// splitRest sorts out what differs in the spec of a custom resource, of which p is the
// first template. A field of a pod spec, and a reference by which the pods get an
// object that has another name now, is a change of the template; what else differs
// outside of the templates is the rest.
func (c *comparison) splitRest(s *subject, p *templatePair, all []podtemplate.Difference) {
	roots := yamldoc.Roots{}
	for _, r := range []*graph.Resource{s.old, s.new} {
		for i := range r.PodTemplates {
			t := &r.PodTemplates[i]
			if t.HasSpec {
				roots.Add(t.Spec, i)
			}
			roots.Add(t.AnnotationsAt, i)
		}
	}
	delete(roots, "") // is no place
	inTemplate := func(d *podtemplate.Difference) bool { return roots.Holding(d.Old) >= 0 || roots.Holding(d.New) >= 0 }
	for k := range all {
		d := &all[k]
		renamed, follows := c.follows(s, d.Old, d.New)
		switch {
		case inTemplate(d):
		case d.What == podtemplate.Changed && follows && consumes(s, renamed):
			p.diffs = append(p.diffs, *d)
		default:
			p.rest = append(p.rest, *d)
		}
	}
}

// bare moves what differs in a template without a template's form, whose fields stand
// among those of a custom resource, to the rest, unless it is a field of a pod spec.
func (p *templatePair) bare() {
	if _, whole := rootOf(p.template); !p.template.HasSpec || whole && p.template.Spec != "spec" {
		return
	}
	p.diffs = slices.DeleteFunc(p.diffs, func(d podtemplate.Difference) bool {
		name, inSpec := strings.CutPrefix(d.Path, "spec.")
		if end := strings.IndexAny(name, ".["); end >= 0 {
			name = name[:end]
		}
		if !inSpec || podtemplate.IsField(name) {
			return false
		}
		d.Path = p.fieldOf(&d)
		p.rest = append(p.rest, d)
		return true
	})
}

// consumes reports whether the pods of a subject get one of the objects.
func consumes(s *subject, several []*object) bool {
	return slices.ContainsFunc(several, func(o *object) bool {
		i := s.byObject[o]
		return i != nil && i.consumed
	})
}

// templateAt returns the path by which people know a template.
func templateAt(t *graph.PodTemplate) yamldoc.Path {
	if root, whole := rootOf(t); whole && root != "" {
		return root
	}
	if t.HasSpec {
		return t.Spec
	}
	return t.AnnotationsAt
}

// judge fills in what the differences amount to.
func (p *templatePair) judge(r *graph.Resource, before *facts) {
	if r.Group == "" && r.Kind == "Pod" {
		// A Pod's own metadata may change, and restarts nothing; and some more may.
		p.diffs = slices.DeleteFunc(p.diffs, func(d podtemplate.Difference) bool { return !p.inSpec(d) || mayChange(d) })
	}
	p.suspended = before.suspended && r.Group == "batch" && r.Kind == "Job" && !slices.ContainsFunc(p.diffs, func(d podtemplate.Difference) bool {
		inContainer := startsWith(d.Path, "spec.containers[", "spec.initContainers[")
		return !startsWith(d.Path, whileSuspended...) && (!inContainer || !strings.Contains(d.Path, "].resources"))
	})
	p.diffs = slices.DeleteFunc(p.diffs, p.leftAlone)
	if !respelledCounts(r) {
		p.diffs = slices.DeleteFunc(p.diffs, func(d podtemplate.Difference) bool { return d.What == podtemplate.Respelled })
	}
	p.rolls = len(p.diffs) > 0
	p.metadataOnly = !slices.ContainsFunc(p.diffs, p.inSpec)
	p.imagesOnly = !slices.ContainsFunc(p.diffs, func(d podtemplate.Difference) bool {
		return d.OldImage == "" && d.NewImage == "" || !startsWith(d.Path, "spec.containers[", "spec.initContainers[")
	})
	p.initOnly = p.imagesOnly && !slices.ContainsFunc(p.diffs, func(d podtemplate.Difference) bool { return !startsWith(d.Path, "spec.initContainers[") })
}

// whileSuspended is what may change of the template of a Job that is suspended, beside
// the resources of its containers, by validatePodTemplateUpdate in k8s.io/kubernetes v1.36 pkg/apis/batch/validation.
var whileSuspended = []string{
	"metadata.labels", "metadata.annotations", "spec.nodeSelector", "spec.tolerations", "spec.affinity.nodeAffinity", "spec.schedulingGates",
}

// mayChange reports whether a Pod may differ so, by ValidatePodUpdate in
// k8s.io/kubernetes v1.36 pkg/apis/core/validation.
func mayChange(d podtemplate.Difference) bool {
	return d.What == podtemplate.Added && startsWith(d.Path, "spec.tolerations", "spec.activeDeadlineSeconds") ||
		d.What == podtemplate.Removed && startsWith(d.Path, "spec.schedulingGates")
}

func startsWith(path string, several ...string) bool {
	return slices.ContainsFunc(several, func(s string) bool { return strings.HasPrefix(path, s) })
}

// leftAlone reports whether an apply leaves alone what differs: a default that nobody
// wrote, though it would be another one now, such as the imagePullPolicy of another
// tag; and a serviceAccountName that is no longer given, which the API server has noted
// in serviceAccount as well, unless that was given too, and takes from there again.
func (p *templatePair) leftAlone(d podtemplate.Difference) bool {
	switch d.What {
	case podtemplate.Changed:
		return d.Path != "" && d.Old == "" && d.New == ""
	case podtemplate.Removed:
		return p.template.HasSpec && d.Path == "spec.serviceAccountName" && !p.accounts
	}
	return false
}

// inSpec reports whether a difference is one of the pod spec.
func (p *templatePair) inSpec(d podtemplate.Difference) bool {
	return p.template.HasSpec && (d.Path == "" || d.Path == "spec" || strings.HasPrefix(d.Path, "spec."))
}

// respelledCounts reports whether it counts that a quantity is written otherwise. The
// controllers of Deployments and ReplicaSets compare amounts, and so does the API
// server where the template of a Job or a Pod must not change.
func respelledCounts(r *graph.Resource) bool {
	return !slices.Contains(builtin, r.Group) || !slices.Contains([]string{"Deployment", "ReplicaSet", "ReplicationController", "Job", "Pod"}, r.Kind)
}

// causes gathers why something happens to a workload.
type causes struct {
	*comparison
	subject *subject
	// counted are the influences that count.
	counted map[*influence]bool
	// told is that pods get one of them; gone that those are among them that came or
	// went, and all that all are of which a checksum can tell.
	told, gone, all bool
	fields          []Cause
	ignored         int // how many of the objects are left alone on purpose
}

// add adds what a template's differences, and its configuration, tell.
func (c *causes) add(p *templatePair, o outcome) {
	if o.effect == "" {
		return
	}
	for _, i := range c.subject.on[p.index] {
		if i.configures() {
			c.count(i.whole)
		}
	}
	c.sort(c.subject)
	stamps := p.stamps()
	added := c.addedElements(p)
	taken := make([]bool, len(p.diffs))
	stamped := false
	for k := range p.diffs {
		d := &p.diffs[k]
		switch {
		case d.What == podtemplate.Changed && stamps[d.New]:
			stamped, taken[k] = true, true
		case d.What == podtemplate.Changed:
			taken[k] = c.follow(d.Old, d.New)
		case d.What == podtemplate.Removed && !taken[k]:
			was, olds := c.element(c.subject.usedAt, d.Path, d.Old)
			if same := added[was]; len(same) > 0 {
				taken[k], taken[same[0]], added[was] = true, true, same[1:]
				_, news := c.element(c.subject.usesAt, d.Path, p.diffs[same[0]].New)
				c.countRenamed(append(olds, news...))
			}
		}
	}
	if stamped && !c.stamped() {
		// Nothing that is consumed accounts for it.
		for k := range p.diffs {
			if stamps[p.diffs[k].New] {
				taken[k] = false
			}
		}
	}
	for k := range p.rest {
		if d := &p.rest[k]; d.What != podtemplate.Changed || !c.follow(d.Old, d.New) {
			c.fields = append(c.fields, Cause{Change: changeOf(d), Field: strings.Clone(d.Path), From: strings.Clone(d.OldImage), To: strings.Clone(d.NewImage)})
		}
	}
	for k := range p.diffs {
		if !taken[k] {
			cause := p.fieldCause(&p.diffs[k])
			if from, to := c.nameAt(c.subject.old, p.diffs[k].Old), c.nameAt(c.subject.new, p.diffs[k].New); from != "" && to != "" {
				cause.From, cause.To = from, to
			}
			c.fields = append(c.fields, cause)
		}
	}
}

// fieldCause makes a cause of a difference.
func (p *templatePair) fieldCause(d *podtemplate.Difference) Cause {
	return Cause{Change: changeOf(d), Field: p.fieldOf(d), From: strings.Clone(d.OldImage), To: strings.Clone(d.NewImage)}
}

func changeOf(d *podtemplate.Difference) Change {
	return map[podtemplate.What]Change{
		podtemplate.Changed: Changed, podtemplate.Added: Added, podtemplate.Removed: Removed,
		podtemplate.Reordered: Reordered, podtemplate.Respelled: Changed,
	}[d.What]
}

// nameAt returns the name of an object that is the whole value at a path, "" if there
// is none.
func (c *comparison) nameAt(r *graph.Resource, at yamldoc.Path) string {
	names, ok := c.names[r]
	if !ok {
		names = map[yamldoc.Path]string{}
		for i := range r.References {
			ref := &r.References[i]
			if _, twice := names[ref.At.Path]; !twice && ref.Name == ref.At.Value {
				names[ref.At.Path] = ref.Name
			}
		}
		c.names[r] = names
	}
	if at == "" {
		return ""
	}
	return strings.Clone(graph.Clip(names[at]))
}

// fieldOf returns the path of a difference in the whole resource.
func (p *templatePair) fieldOf(d *podtemplate.Difference) string {
	if d.Path == "" {
		return string(templateAt(p.template))
	}
	if root, whole := rootOf(p.template); whole {
		return string(root.Join(yamldoc.Path(d.Path)))
	}
	for _, part := range []struct {
		name string
		at   yamldoc.Path
	}{{"spec", p.template.Spec}, {"metadata.annotations", p.template.AnnotationsAt}} {
		if rest, ok := strings.CutPrefix(d.Path, part.name); ok {
			return string(part.at) + rest
		}
	}
	return strings.Clone(d.Path)
}

// stamps returns the places of the checksums of this project's in a template.
func (p *templatePair) stamps() map[yamldoc.Path]bool {
	places := map[yamldoc.Path]bool{}
	if t := p.template; t.HasAnnotations {
		for key, value := range t.Annotations {
			if hash.IsChecksum(value) {
				places[t.AnnotationsAt.Key(key)] = true
			}
		}
	}
	return places
}

// addedElements returns which of the differences are elements that lists gained, as
// element has them.
func (c *causes) addedElements(p *templatePair) map[[2]string][]int {
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

// element returns the list of an element that went or came, and what it holds with
// objects in place of their names, where it may be there only because an object has
// another name: those of imagePullSecrets, which hold a name and nothing else.
func (c *causes) element(uses map[yamldoc.Path][]*usage.Use, path string, at yamldoc.Path) (what [2]string, named []*object) {
	if list := listOf(path); at != "" && strings.HasSuffix(list, "imagePullSecrets") && strings.HasSuffix(listOf(string(at)), "imagePullSecrets") {
		what[0] = list
		what[1], named = c.skeleton(uses[at.Key("name")])
	}
	return what, named
}

// count counts an influence.
func (c *causes) count(i *influence) {
	if c.counted == nil {
		c.counted = map[*influence]bool{}
	}
	c.counted[i] = true
	c.told = c.told || i.consumed
}

// stamped counts the objects of which a changed checksum tells, and reports whether
// there is any: those that configure the pods, or else consumed ones with keys that
// count although nobody takes them, or that came or went.
func (c *causes) stamped() bool {
	if told := c.told; !c.all && (!told || !c.gone) {
		for _, i := range c.subject.influences {
			if i.consumed && i.object.differs() && !i.object.renamed() && (!told || !i.object.both()) {
				c.count(i)
			}
		}
		c.gone, c.all = true, !told
	}
	return len(c.counted) > 0
}

// follow reports what follows does, and counts the objects.
func (c *causes) follow(before, after yamldoc.Path) bool {
	renamed, follows := c.follows(c.subject, before, after)
	c.countRenamed(renamed)
	return follows
}

// follows reports whether two scalars of a resource differ in nothing but the names of
// objects that both sets have, and which.
func (c *comparison) follows(s *subject, before, after yamldoc.Path) ([]*object, bool) {
	if before == "" || after == "" {
		return nil, false
	}
	c.sort(s)
	was, olds := c.skeleton(s.usedAt[before])
	is, news := c.skeleton(s.usesAt[after])
	if was == "" || was != is {
		return nil, false
	}
	return append(olds, news...), true
}

// countRenamed counts the objects that have another name now.
func (c *causes) countRenamed(renamed []*object) {
	for _, o := range renamed {
		if i := c.subject.byObject[o]; i != nil && o.renamed() {
			c.count(i)
		}
	}
}

// sort sorts the uses of a subject by where they stand.
func (c *comparison) sort(s *subject) {
	if s.usesAt == nil {
		s.usesAt, s.usedAt = byPath(s.uses), byPath(s.used)
	}
}

// byPath sorts uses by where they stand.
func byPath(uses []usage.Use) map[yamldoc.Path][]*usage.Use {
	sorted := make(map[yamldoc.Path][]*usage.Use, len(uses))
	for i := range uses {
		at := uses[i].Ref.At.Path
		sorted[at] = append(sorted[at], &uses[i])
	}
	return sorted
}

// skeleton returns what stands where those uses do, with objects in place of their
// names, and "" where no object is named there.
func (c *comparison) skeleton(uses []*usage.Use) (string, []*object) {
	here := slices.Clone(uses)
	slices.SortStableFunc(here, func(a, b *usage.Use) int { return a.Ref.Start - b.Ref.Start })
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
		b.WriteString(value[end:u.Ref.Start])
		b.WriteString("\x00" + c.idOf(o) + "\x00")
		named, end = append(named, o), u.Ref.End
	}
	b.WriteString(value[end:])
	return b.String(), named
}

// idOf returns what stands for an object in skeletons.
func (c *comparison) idOf(o *object) string {
	r := o.now()
	return r.Group + "/" + r.Kind + "/" + r.Namespace + "/" + r.Name + "/" + strconv.Itoa(r.Line)
}

// listOf returns the path of the list that holds the element at a path.
func listOf(path string) string { return path[:max(strings.LastIndexByte(path, '['), 0)] }

// list returns the causes: objects, then fields.
func (c *causes) list() []Cause {
	var all []Cause
	for _, i := range c.subject.influences {
		if !c.counted[i] {
			continue
		}
		ref := c.ref(i.object.pair)
		cause := Cause{Change: i.object.change(), Object: &ref, FormerName: i.object.formerName(), Keys: i.keys()}
		cause.Via = i.via()
		all = append(all, cause)
		if now := i.object.now(); now.Ignored() {
			c.ignored++
		}
	}
	return append(all, c.fields...)
}
