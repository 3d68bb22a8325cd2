package rename

import (
	"fmt"
	"slices"
	"strings"

	"github.com/confighash/confighash/internal/yamldoc"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/edit"
	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/manifest"
	"github.com/confighash/confighash/internal/reference"
)

// A rewriting is what becomes of one scalar that holds references.
type rewriting struct {
	at    edit.Scalar
	spans []span
	// values are what the scalar, an element of a list of names, becomes
	// where one name stands for several objects.
	values []string
}

// A span is a part of a scalar's value to be replaced.
type span struct {
	start, end int
	with       string
}

// value returns the scalar's value with its spans replaced.
func (w *rewriting) value() string {
	slices.SortFunc(w.spans, func(a, b span) int { return a.start - b.start })
	var s strings.Builder
	last := 0
	for _, p := range w.spans {
		if p.start < last {
			continue // the same name, found by two rules
		}
		s.WriteString(w.at.Value[last:p.start])
		s.WriteString(p.with)
		last = p.end
	}
	s.WriteString(w.at.Value[last:])
	return s.String()
}

// rewrite plans the edits of all references, and tells of those that cannot be
// applied.
func (b *builder) rewrite() {
	byResource := map[*graph.Resource]map[yamldoc.Path]*rewriting{}
	for i := range b.mentions {
		m := b.mentions[i]
		if len(m.Matches) == 0 {
			b.strange(m)
			continue
		}
		rewrites := byResource[m.Referrer]
		if rewrites == nil {
			rewrites = map[yamldoc.Path]*rewriting{}
			byResource[m.Referrer] = rewrites
		}
		b.rewriteMention(m, rewrites, nil)
	}
	for _, r := range b.graph.Resources {
		rewrites := byResource[r]
		if len(rewrites) == 0 {
			continue
		}
		paths := make([]yamldoc.Path, 0, len(rewrites))
		for path := range rewrites {
			paths = append(paths, path)
		}
		slices.Sort(paths)
		var lists held
		for _, path := range paths {
			w := rewrites[path]
			if len(w.values) > 1 {
				if lists == nil {
					lists = heldBy(r, rewrites)
				}
				w.values = lists.missing(w)
			}
			switch {
			case len(w.values) > 1:
				b.plan.Edit(r, edit.SplitScalar{At: w.at, Values: w.values})
			case len(w.values) == 1:
				if w.values[0] != w.at.Value {
					b.plan.Edit(r, edit.SetScalar{At: w.at, Value: w.values[0]})
				}
			case w.value() != w.at.Value:
				b.plan.Edit(r, edit.SetScalar{At: w.at, Value: w.value()})
			}
		}
	}
}

// A held is the names that the elements of lists hold, by the paths of the lists.
type held map[yamldoc.Path]map[string]bool

// add enters what an element holds.
func (h held) add(element yamldoc.Path, name string) {
	list := parent(element)
	if h[list] == nil {
		h[list] = map[string]bool{}
	}
	h[list][name] = true
}

// heldBy returns what the elements of r's lists hold, but for those that become
// several.
func heldBy(r *graph.Resource, rewrites map[yamldoc.Path]*rewriting) held {
	h := held{}
	for i := range r.References {
		at := r.References[i].At
		switch w := rewrites[at.Path]; {
		case w == nil:
			h.add(at.Path, at.Value)
		case len(w.values) <= 1:
			h.add(at.Path, w.value())
		}
	}
	return h
}

// missing returns those names of a list's element that no other element of the
// list holds: after an earlier run the element "app" may mean the ConfigMap
// app-6ct58987ht, which has an element of its own, and the Secret app.
func (h held) missing(w *rewriting) []string {
	others := h[parent(w.at.Path)]
	names := slices.DeleteFunc(slices.Clone(w.values), func(n string) bool { return others[n] })
	if len(names) == 0 {
		names = w.values[:1]
	}
	if len(names) == 1 {
		h.add(w.at.Path, w.at.Value)
	}
	return names
}

// parent returns the path of the sequence that holds the element at path.
func parent(path yamldoc.Path) yamldoc.Path {
	return path[:max(strings.LastIndexByte(string(path), '['), 0)]
}

// rewriteMention enters into rewrites what becomes of the scalars of a
// reference. chain is the objects whose names are being computed.
func (b *builder) rewriteMention(m *graph.Edge, rewrites map[yamldoc.Path]*rewriting, chain []*graph.Resource) {
	var names []string
	namespace, changes, takes := "", false, false
	for _, match := range m.Matches {
		name, object, ok := b.meaning(m, match, chain)
		if !ok {
			return
		}
		if object != nil {
			changes = true
			takes = takes || b.takes(object)
			if match.Moved {
				namespace = b.graph.NamespaceOf(object)
			}
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if !changes {
		return
	}
	if len(names) > 1 && !m.Ref.List {
		b.errorf(m.Referrer, m.Ref.At.Path, "%q is both a ConfigMap and a Secret, which get the names %s; the field holds one name",
			m.Ref.Name, strings.Join(names, " and "))
		return
	}
	if chain == nil && takes {
		b.refused(m, names)
	}
	if m.Ref.Default {
		return
	}
	if chain == nil && takes && b.informs() {
		b.follow(m, names)
	}
	w := at(rewrites, m.Ref.At)
	if w.at != m.Ref.At {
		b.errorf(m.Referrer, m.Ref.At.Path, "a key on the way to it stands twice in its mapping; keep one")
		return
	}
	if len(names) > 1 {
		w.values = names
		return
	}
	w.spans = append(w.spans, span{m.Ref.Start, m.Ref.End, names[0]})
	if namespace == "" {
		return
	}
	// The namespace is one of earlier in the build; kustomize's
	// api/filters/nameref mends it together with the name, too.
	if m.Ref.NamespaceAt != nil {
		n := at(rewrites, *m.Ref.NamespaceAt)
		if n.at != *m.Ref.NamespaceAt {
			b.errorf(m.Referrer, m.Ref.NamespaceAt.Path, "a key on the way to it stands twice in its mapping; keep one")
			return
		}
		n.spans = append(n.spans, span{m.Ref.NamespaceStart, m.Ref.NamespaceEnd, namespace})
	}
}

// follow tells of a reference to renamed objects, by the list where it is an
// element, for that may become two.
func (b *builder) follow(m *graph.Edge, names []string) {
	path := m.Ref.At.Path
	if m.Ref.List {
		path = parent(path)
	}
	for _, name := range names {
		b.inform(graph.Finding{
			Resource: m.Referrer, Path: path, Message: "refers to " + name + ", which is named after its content", Outcome: graph.Followed,
		})
	}
}

func at(rewrites map[yamldoc.Path]*rewriting, scalar edit.Scalar) *rewriting {
	w := rewrites[scalar.Path]
	if w == nil {
		w = &rewriting{at: scalar}
		rewrites[scalar.Path] = w
	}
	return w
}

// meaning returns the name that a reference to the objects of match gets, and
// the object whose complete present name that is: nil where the reference stays
// as it is. It reports false where they differ, which is told.
func (b *builder) meaning(m *graph.Edge, match graph.Match, chain []*graph.Resource) (string, *graph.Resource, bool) {
	p := b.prospect(m, match, chain)
	if p.hashed != nil && !follows(m.Referrer, m.Ref, p.hashed) && chain == nil {
		b.tell(manifest.Warning, m.Referrer, m.Ref.At.Path,
			"refers to %s, to whose name kustomize will append a hash, and this field will not follow: kustomize does not know it, or not in that namespace; set spec.rename.generated: Auto, and let the function rename %[1]s", p.hashed)
	}
	name := m.Ref.Name
	switch {
	case p.ambiguous || p.object != nil && p.stays && p.name != name:
		b.ambiguous(m, match)
		return "", nil, false
	case p.object != nil:
		name = p.name
	}
	return name, p.object, true
}

// A prospect is what becomes of references to one of several objects.
type prospect struct {
	name   string          // that they get
	object *graph.Resource // whose name that is, nil where there is none
	// ambiguous tells that they would get several names, stays that they keep
	// the name that they have where some of the objects are meant.
	ambiguous, stays bool
	hashed           *graph.Resource // to whose name kustomize will append a hash
}

// prospect returns that of a match, and looks at the objects once.
func (b *builder) prospect(m *graph.Edge, match graph.Match, chain []*graph.Resource) prospect {
	v := visit{list: &match.Candidates[0], why: "prospect"}
	if match.Based {
		v.why = fmt.Sprint("based", m.Referrer.Ignored())
	}
	p, ok := b.prospects[v]
	if ok {
		return p
	}
	for _, c := range match.Candidates {
		name := c.Name
		switch {
		case b.takes(c):
			name = b.nameOf(c, chain)
		case b.target(c).restored:
			name = c.Base
		case lost(m, match, c): // nothing has the name that is there
		default:
			p.stays = true
			if c.History.NeedsHash && p.hashed == nil {
				p.hashed = c
			}
			continue
		}
		p.ambiguous = p.ambiguous || p.object != nil && name != p.name
		p.name, p.object = name, c
	}
	if len(match.Candidates) > 1 {
		b.prospects[v] = p
	}
	return p
}

// anyTakes reports whether one of several objects takes part.
func (b *builder) anyTakes(objects []*graph.Resource) bool {
	return len(objects) > 0 && b.note(objects, "takes", func() string {
		if slices.ContainsFunc(objects, b.takes) {
			return "so"
		}
		return ""
	}) != ""
}

// note returns what find found of a list of objects, the first time.
func (b *builder) note(objects []*graph.Resource, what string, find func() string) string {
	if len(objects) == 1 {
		return find()
	}
	v := visit{&objects[0], what}
	found, ok := b.notes[v]
	if !ok {
		found = find()
		b.notes[v] = found
	}
	return found
}

// lost reports whether nothing bears the name by which m means c, which keeps its
// own: one with a suffix that a run recorded, or that kustomize gave it and did not
// write into the reference.
func lost(m *graph.Edge, match graph.Match, c *graph.Resource) bool {
	return match.Based && c.Recorded() != "" || match.Lost() == c && !c.Ignored() && !m.Referrer.Ignored()
}

func (b *builder) ambiguous(m *graph.Edge, match graph.Match) {
	b.errorf(m.Referrer, m.Ref.At.Path, "%s %q is ambiguous: %s may be meant; rename one, or take them out with spec.exclude",
		match.Candidates[0].Kind, m.Ref.Name, b.graph.Places(match.Candidates))
}

// strange warns of a reference to a name that several objects bear or bore,
// none of them of the referrer's layers. kustomize leaves it as it is.
func (b *builder) strange(m *graph.Edge) {
	if !b.anyTakes(m.Strangers) {
		return
	}
	// By their base names, which are the same in a second run.
	bases := b.note(m.Strangers, "bases", func() string {
		bases := make([]*graph.Resource, len(m.Strangers))
		for i, s := range m.Strangers {
			bare := *s
			bare.Name = s.Base
			bases[i] = &bare
		}
		return b.graph.Places(bases)
	})
	b.tell(manifest.Warning, m.Referrer, m.Ref.At.Path,
		"%q is left as it is: %s were called so in layers with other prefixes or suffixes; refer to the one that is meant by its present name",
		m.Ref.Name, bases)
}

// warnOfKustomize warns of names that kustomize will rewrite wrongly once the
// function is done: entries of RBAC rules that are former names of a renamed
// object to it, whatever the rule is about.
func (b *builder) warnOfKustomize() {
	for _, r := range b.graph.Resources {
		if !r.History.Built {
			continue
		}
		for _, at := range r.Mistaken {
			b.warnOfKustomizeAt(r, at.Path, at.Value)
		}
		become := b.valuesOf(r)
		for i := range r.References {
			ref := &r.References[i]
			if !ref.List || !ref.Kustomize {
				continue
			}
			values, edited := become[ref.At.Path]
			if !edited {
				values = []string{ref.At.Value}
			}
			for _, value := range values {
				b.warnOfKustomizeAt(r, ref.At.Path, value)
			}
		}
	}
}

// valuesOf returns what the scalars of r become that are edited.
func (b *builder) valuesOf(r *graph.Resource) map[yamldoc.Path][]string {
	become := map[yamldoc.Path][]string{}
	for _, e := range b.plan.Edits[r] {
		switch e := e.(type) {
		case edit.SetScalar:
			become[e.At.Path] = []string{e.Value}
		case edit.SplitScalar:
			become[e.At.Path] = e.Values
		}
	}
	return become
}

func (b *builder) warnOfKustomizeAt(r *graph.Resource, path yamldoc.Path, value string) {
	for _, kind := range catalog.AnyTarget.Each() {
		match := b.graph.Resolve(r, &reference.Reference{Name: value}, kind)
		if match.Based || len(match.Candidates) == 0 {
			continue // by a name that is in no history
		}
		name := b.note(match.Candidates, "kustomize "+value, func() string {
			for _, c := range match.Candidates {
				if b.takes(c) && b.plan.Names[c] != value {
					return b.plan.Names[c]
				}
			}
			return ""
		})
		if name != "" {
			b.tell(manifest.Warning, r, path,
				"kustomize will write %s here once the function is done, for it takes %q for the %s of that name, whatever the rule is about; give the %[3]s a name of its own, or run the function behind kustomize: kustomize build . | confighash",
				name, value, match.Candidates[0].Kind)
		}
	}
}

// refused warns of a reference in an object that an apply cannot change. It
// says so of what stands in the result, so that a second run says the same.
func (b *builder) refused(m *graph.Edge, names []string) {
	if i := m.Ref.PodTemplate; i >= 0 {
		t := &m.Referrer.PodTemplates[i]
		switch {
		case t.Change == catalog.Recreated:
			return // a hook of Argo CD or Helm, which delete the one before
		case t.Change == catalog.Destructive, t.Change == catalog.Forbidden && !m.Ref.Immutable:
			why := t.Change.Harm()
			if t.Reason != "" {
				why += ": " + t.Reason
			}
			b.tell(manifest.Warning, m.Referrer, m.Ref.At.Path, "refers to %s, which is named after its content; %s", strings.Join(names, " and "), why)
			return
		}
	}
	if !m.Ref.Immutable || m.Referrer.GenerateName {
		return
	}
	b.tell(manifest.Warning, m.Referrer, m.Ref.At.Path,
		"refers to %s, which is named after its content; this field of %s cannot be changed once it exists, so an apply is refused when the content has changed",
		strings.Join(names, " and "), graph.Indefinite(m.Referrer.Kind))
}
