package rename

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/edit"
	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/manifest"
	"github.com/confighash/confighash/internal/yamldoc"
)

// A rewriting is the change of one scalar with references.
type rewriting struct {
	at    edit.Scalar
	spans []span
	// values replace the scalar, an element of a list of names, if one name means several objects.
	values []string
}

// A span is a part of a scalar's value to be replaced.
type span struct {
	start, end int
	with       string
}

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

func (b *builder) rewrite() {
	rewrites := map[yamldoc.Path]*rewriting{}
	for rest := b.edges; len(rest) > 0; { // sorted by referrer
		r := rest[0].Referrer
		for len(rest) > 0 && rest[0].Referrer == r {
			if e := rest[0]; len(e.Matches) == 0 {
				b.warnOfStrangers(e)
			} else {
				b.rewriteEdge(e, rewrites, nil)
			}
			rest = rest[1:]
		}
		b.edit(r, rewrites)
		clear(rewrites)
	}
}

func (b *builder) edit(r *graph.Resource, rewrites map[yamldoc.Path]*rewriting) {
	var lists held
	for _, path := range slices.Sorted(maps.Keys(rewrites)) {
		w := rewrites[path]
		if len(w.values) > 1 {
			if lists == nil {
				lists = heldBy(r, rewrites)
			}
			w.values = lists.missing(w)
		}
		values := w.values
		if len(values) == 0 {
			values = []string{w.value()}
		}
		if len(values) > 1 || values[0] != w.at.Value {
			b.plan.Edit(r, edit.SetScalar{At: w.at, Value: values[0], More: values[1:]})
		}
	}
}

// A held has the names in lists, by the paths of the lists.
type held map[yamldoc.Path]map[string]bool

func (h held) add(element yamldoc.Path, name string) {
	list := parent(element)
	if h[list] == nil {
		h[list] = map[string]bool{}
	}
	h[list][name] = true
}

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

// missing returns the names for a list element that no other element has: after an earlier run the element "app" may
// mean the ConfigMap app-6ct58987ht, which has its own element, and the Secret app.
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

// rewriteEdge adds the changes of a reference's scalars to rewrites. chain is the objects whose names are being
// computed, nil if there are none.
func (b *builder) rewriteEdge(e *graph.Edge, rewrites map[yamldoc.Path]*rewriting, chain []*graph.Resource) {
	var names []string
	namespace, changes, takes := "", false, false
	for _, match := range e.Matches {
		name, object, ok := b.meaning(e, match, chain)
		if !ok {
			return
		}
		if object != nil {
			changes = true
			takes = takes || b.hashed(object) || b.plan.parts[e] != nil
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
	if len(names) > 1 && !e.Ref.List {
		b.plan.Errorf(e.Referrer, e.Ref.At.Path, "%q is both a ConfigMap and a Secret, which get the names %s; the field holds one name",
			e.Ref.Name, strings.Join(names, " and "))
		return
	}
	if chain == nil && takes {
		b.warnOfRefusal(e, names)
	}
	if e.Ref.Default {
		return
	}
	if chain == nil && takes {
		b.follow(e, names)
	}
	w := b.at(e, rewrites, e.Ref.At)
	switch {
	case w == nil:
		return
	case len(names) > 1:
		w.values = names
		return
	}
	w.spans = append(w.spans, span{e.Ref.Start, e.Ref.End, names[0]})
	if namespace == "" || e.Ref.NamespaceAt == nil {
		return
	}
	// The namespace is from earlier in the build; kustomize's api/filters/nameref also rewrites it together with the
	// name.
	if n := b.at(e, rewrites, *e.Ref.NamespaceAt); n != nil {
		n.spans = append(n.spans, span{e.Ref.NamespaceStart, e.Ref.NamespaceEnd, namespace})
	}
}

// at returns the rewriting of a scalar. If another scalar has the same path, it reports an error and returns nil.
func (b *builder) at(e *graph.Edge, rewrites map[yamldoc.Path]*rewriting, scalar edit.Scalar) *rewriting {
	w := rewrites[scalar.Path]
	if w == nil {
		w = &rewriting{at: scalar}
		rewrites[scalar.Path] = w
	}
	if w.at != scalar {
		b.plan.Errorf(e.Referrer, scalar.Path, "duplicate key in an enclosing mapping; remove one")
		return nil
	}
	return w
}

// follow reports a reference to renamed objects. A list element is reported at its list, since it may become two.
func (b *builder) follow(e *graph.Edge, names []string) {
	if !b.plan.Full {
		return
	}
	path := e.Ref.At.Path
	if e.Ref.List {
		path = parent(path)
	}
	for _, name := range names {
		b.plan.Inform(graph.Finding{
			Resource: e.Referrer, Path: path, Message: "refers to " + name + ", which is named after its content",
		})
	}
}

// meaning returns the new name for a reference to the objects of match, and the object that will have it, nil if the
// reference stays the same. It returns false if the names differ, which it reports.
func (b *builder) meaning(e *graph.Edge, match graph.Match, chain []*graph.Resource) (string, *graph.Resource, bool) {
	if p := b.plan.parts[e]; p != nil {
		return p.name, p.of, true
	}
	p := b.prospect(e, match, chain)
	if p.hashed != nil && !follows(e.Referrer, e.Ref, p.hashed) && chain == nil {
		b.plan.Warnf(e.Referrer, e.Ref.At.Path,
			"refers to %s, to whose name kustomize will append a hash, and this field will not follow: kustomize does not know it, or not in that namespace; set spec.rename.generated: Auto, and let the function rename %[1]s", p.hashed)
	}
	name := e.Ref.Name
	switch {
	case p.ambiguous || p.object != nil && p.stays && p.name != name:
		b.plan.Errorf(e.Referrer, e.Ref.At.Path, "%s %q is ambiguous: %s may be meant; rename one, or take them out with spec.exclude",
			match.Candidates[0].Kind, name, b.graph.Places(match.Candidates))
		return "", nil, false
	case p.object != nil:
		name = p.name
	}
	return name, p.object, true
}

// A prospect is the new name for references to several candidates.
type prospect struct {
	name   string          // the new name
	object *graph.Resource // the object that gets it, nil if there is none
	// ambiguous: there are several new names. stays: for some of the objects, the reference would keep its name.
	ambiguous, stays bool
	hashed           *graph.Resource // kustomize will append a hash to its name
}

func (b *builder) prospect(e *graph.Edge, match graph.Match, chain []*graph.Resource) prospect {
	why := "prospect"
	if match.Based {
		why = fmt.Sprint("based", e.Referrer.Ignored())
	}
	return note(b, match.Candidates, why, func() (p prospect) {
		for _, c := range match.Candidates {
			name := c.Name
			switch {
			case b.hashed(c):
				name = b.nameOf(c, chain)
			case b.target(c).restored && (match.Based || c.Base != c.Name):
				name = c.Base
			case !b.strips && lost(e, match, c): // no object has the name that the reference has now
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
		return p
	})
}

// lost reports whether no object has the name by which e means c, which keeps its own name: the name has a suffix that
// a run recorded, or lacks one that kustomize gave c but did not write into the reference.
func lost(e *graph.Edge, match graph.Match, c *graph.Resource) bool {
	return match.Based && c.Recorded() != "" || match.Lost() == c && !c.Ignored() && !e.Referrer.Ignored()
}

// warnOfRefusal warns about a reference in an object that an apply cannot change, once for each object and what it
// refers to. It describes the result, so that a second run reports the same.
func (b *builder) warnOfRefusal(e *graph.Edge, names []string) {
	called := strings.Join(names, " and ")
	if b.policy.NamesJob(e.Referrer) {
		return // the changed Job is a new one
	}
	if i := e.Ref.PodTemplate; i >= 0 {
		t := &e.Referrer.PodTemplates[i]
		switch {
		case t.Change == catalog.Recreated, t.Change == catalog.NewRevision:
			return // Argo CD and Helm delete the previous hook, and kapp gives it a new name
		case t.Change == catalog.Destructive, t.Change == catalog.Forbidden && !e.Ref.Immutable:
			why := t.Change.Harm()
			if t.Reason != "" {
				why += ": " + t.Reason
			}
			b.warnOnce(e, fmt.Sprintf("refers to %s, which is named after its content; %s", called, why))
			return
		}
	}
	if e.Ref.Immutable && !e.Referrer.GenerateName {
		fix := ""
		if e.Referrer.Group == "batch" && e.Referrer.Kind == "Job" {
			fix = "; --jobs Rename, or spec.jobs, gives the Job another name then"
		}
		b.warnOnce(e, fmt.Sprintf(
			"refers to %s, which is named after its content; this field of %s cannot be changed once it exists, so an apply is refused when the content has changed%s",
			called, graph.Indefinite(e.Referrer.Kind), fix))
	}
}

// warnOnce warns at the first field of the referrer for which message is the same.
func (b *builder) warnOnce(e *graph.Edge, message string) {
	f := graph.Finding{Severity: manifest.Warning, Resource: e.Referrer, Message: message}
	if !b.warned[f] {
		b.warned[f] = true
		f.Path = e.Ref.At.Path
		b.plan.Add(f)
	}
}
