package impact

import (
	"cmp"
	"slices"
	"strings"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/podtemplate"
	"github.com/confighash/confighash/internal/reference"
	"github.com/confighash/confighash/internal/yamldoc"
)

// A templatePair is a pod template of a workload in the two sets.
type templatePair struct {
	index    int // in the new resource's PodTemplates, or in the old one's if it was removed
	template *reference.PodTemplate
	was      *reference.PodTemplate   // nil if it is new
	diffs    []podtemplate.Difference // those that count for the kind's controller or the API server
	rest     []podtemplate.Difference // those in a custom resource's spec outside of its templates
	accounts bool                     // the old one has both serviceAccount and serviceAccountName
	minor    outcome                  // set if the catalogue allows diffs in an otherwise immutable template
}

// templates pairs the pod templates of a workload by their place.
func (c *comparison) templates(s *subject) []*templatePair {
	place := func(t *reference.PodTemplate) [2]yamldoc.Path { return [2]yamldoc.Path{t.Spec, t.AnnotationsAt} }
	olds := make(map[[2]yamldoc.Path]int, len(s.old.PodTemplates))
	for i := range s.old.PodTemplates {
		olds[place(&s.old.PodTemplates[i])] = i
	}
	var pairs []*templatePair
	add := func(p *templatePair) {
		p.judge(workloadOf(s.new), s.before.suspended)
		pairs = append(pairs, p)
	}
	partial := isPartial(s.new)
	for i := range s.new.PodTemplates {
		t := &s.new.PodTemplates[i]
		p := &templatePair{index: i, template: t}
		if j, ok := olds[place(t)]; ok {
			delete(olds, place(t))
			p.was, p.accounts = &s.old.PodTemplates[j], s.before.accounts[j]
			p.diffs = podtemplate.Diff(s.before.templates[j], s.after.templates[i])
			for k := range p.diffs {
				d := &p.diffs[k]
				d.Old, d.New = placeOf(p.was, d.Old), placeOf(t, d.New)
			}
		} else {
			p.diffs = []podtemplate.Difference{{What: podtemplate.Added}}
		}
		if partial {
			p.moveFields()
		}
		if i == 0 && s.before.rest != nil && s.after.rest != nil {
			c.splitRest(s, p, podtemplate.Diff(s.before.rest, s.after.rest))
		}
		add(p)
	}
	for i := range s.old.PodTemplates {
		t := &s.old.PodTemplates[i]
		if _, removed := olds[place(t)]; removed {
			add(&templatePair{index: i, template: t, diffs: []podtemplate.Difference{{What: podtemplate.Removed}}})
		}
	}
	return pairs
}

// splitRest splits the differences in a custom resource's spec outside of its templates. If a reference to a consumed
// object changes only because the object has another name, that is a change of the first template, p; all other
// differences are the rest.
func (c *comparison) splitRest(s *subject, p *templatePair, all []podtemplate.Difference) {
	roots := yamldoc.Roots{}
	for _, r := range []*graph.Resource{s.old, s.new} {
		for i, t := range r.PodTemplates {
			roots.Add(t.Spec, i)
			roots.Add(t.AnnotationsAt, i)
		}
	}
	delete(roots, "") // not a place
	isConsumed := func(o *object) bool { return s.byObject[o] != nil && s.byObject[o].consumed }
	for _, d := range all {
		renamed, follows := c.follows(s, &d)
		switch {
		case roots.Holding(d.Old) >= 0 || roots.Holding(d.New) >= 0:
		case d.What == podtemplate.Changed && follows && slices.ContainsFunc(renamed, isConsumed):
			p.diffs = append(p.diffs, d)
		default:
			p.rest = append(p.rest, d)
		}
	}
}

// moveFields moves differences to the rest if the template is not one mapping and they are not in a pod spec.
func (p *templatePair) moveFields() {
	if p.template.Spec == "" || p.template.Whole && p.template.Root != "" {
		return
	}
	p.diffs = slices.DeleteFunc(p.diffs, func(d podtemplate.Difference) bool {
		name, inSpec := strings.CutPrefix(d.Path, "spec.")
		if !inSpec || podtemplate.IsField(name[:strings.IndexAny(name+".", ".[")]) {
			return false
		}
		d.Path = p.fieldOf(&d)
		p.rest = append(p.rest, d)
		return true
	})
}

func (p *templatePair) judge(known *catalog.WorkloadRule, suspended bool) {
	p.diffs = slices.DeleteFunc(p.diffs, func(d podtemplate.Difference) bool {
		switch {
		case p.staysAsIs(&d), known.Amounts && d.What == podtemplate.Respelled:
			return true
		case isPod(p.template) && !p.inSpec(&d):
			return true // a Pod's own metadata may change without a restart
		}
		return d.What == podtemplate.Added && within(&d, known.MayAdd) || d.What == podtemplate.Removed && within(&d, known.MayRemove)
	})
	replaced := !slices.ContainsFunc(p.diffs, func(d podtemplate.Difference) bool { return d.What != podtemplate.Changed })
	const image, initImage = "spec.containers[*].image", "spec.initContainers[*].image"
	switch {
	case suspended && p.only(known.WhileSuspended):
		p.minor = outcome{effect: NextRuns, reason: "this may change while it is suspended"}
	case known.Images && replaced && p.only([]string{initImage}):
		p.minor = outcome{effect: NextRuns, reason: "an init container runs when the Pod starts"}
	case known.Images && replaced && p.only([]string{image, initImage}):
		p.minor = outcome{effect: Rolls, reason: "its containers restart in place, with the new image"}
	}
}

func (p *templatePair) only(fields []string) bool {
	return !slices.ContainsFunc(p.diffs, func(d podtemplate.Difference) bool { return !within(&d, fields) })
}

// within reports whether a difference is in one of fields, where [*] stands for any list element.
func within(d *podtemplate.Difference, fields []string) bool {
	return slices.ContainsFunc(fields, func(field string) bool {
		before, after, anyElement := strings.Cut(field, "[*]")
		rest, ok := strings.CutPrefix(d.Path, before)
		if ok && anyElement {
			_, rest, _ = strings.Cut(rest, "]")
			rest, ok = strings.CutPrefix(rest, after)
		}
		return ok && (rest == "" || strings.ContainsAny(rest[:1], ".["))
	})
}

// staysAsIs reports whether an apply leaves the stored field unchanged. One case is an implicit default that would now
// differ, such as the imagePullPolicy after a change of the tag. The other is a removed serviceAccountName without
// serviceAccount: the API server had copied it there, and restores it.
func (p *templatePair) staysAsIs(d *podtemplate.Difference) bool {
	switch d.What {
	case podtemplate.Changed:
		return d.Path != "" && d.Old == "" && d.New == ""
	case podtemplate.Removed:
		return p.template.Spec != "" && d.Path == "spec.serviceAccountName" && !p.accounts
	}
	return false
}

func (p *templatePair) inSpec(d *podtemplate.Difference) bool {
	return p.template.Spec != "" && (d.Path == "" || d.Path == "spec" || strings.HasPrefix(d.Path, "spec."))
}

// fieldOf returns the path of a difference in the whole resource.
func (p *templatePair) fieldOf(d *podtemplate.Difference) string {
	t := p.template
	switch {
	case d.Path != "":
		return string(placeOf(t, yamldoc.Path(d.Path)))
	case t.Whole && t.Root != "":
		return string(t.Root)
	}
	return string(cmp.Or(t.Spec, t.AnnotationsAt))
}

// placeOf converts a path in a pod template to one in the whole resource, "" if path is empty.
func placeOf(t *reference.PodTemplate, path yamldoc.Path) yamldoc.Path {
	switch {
	case path == "":
		return ""
	case t.Whole:
		return t.Root.Join(path)
	}
	if rest, ok := strings.CutPrefix(string(path), "spec"); ok {
		return t.Spec + yamldoc.Path(rest)
	}
	if rest, ok := strings.CutPrefix(string(path), "metadata.annotations"); ok {
		return t.AnnotationsAt + yamldoc.Path(rest)
	}
	return path
}
