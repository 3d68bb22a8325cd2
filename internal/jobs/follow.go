package jobs

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/edit"
	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/hash"
	"github.com/confighash/confighash/internal/kustomize"
	"github.com/confighash/confighash/internal/manifest"
	"github.com/confighash/confighash/internal/yamldoc"
)

// maxVariants bounds how many Jobs with the same former name are distinguished by their layers.
const maxVariants = 100

// An index has the Jobs that get new names, by their current and earlier names, and without the suffix of an earlier
// run. The namespace "" stands for any.
type index struct {
	jobs map[graph.ID][]*graph.Resource
	// now has the Jobs by their current names only, nil for those that keep them.
	now map[graph.ID]*graph.Resource
}

func idOf(namespace, name string) graph.ID { return graph.ID{Namespace: namespace, Name: name} }

func newIndex(g *graph.Graph, names map[*graph.Resource]string) index {
	x := index{jobs: map[graph.ID][]*graph.Resource{}, now: map[graph.ID]*graph.Resource{}}
	for _, r := range g.All() {
		if !r.IsJob() {
			continue
		}
		now := g.NamespaceOf(r)
		id := idOf(now, r.Name)
		if _, named := names[r]; !named {
			x.now[id] = cmp.Or(x.now[id], nil) // known, but without a new name
			continue
		}
		enter := func(namespace, name string) {
			for _, in := range []string{namespace, now, ""} {
				id := idOf(in, name)
				if list := x.jobs[id]; len(list) == 0 || list[len(list)-1] != r {
					x.jobs[id] = append(list, r)
				}
			}
		}
		x.now[id] = r
		enter(now, r.Name)
		enter(now, r.Base)
		for _, id := range r.History.Previous {
			enter(id.Namespace, id.Name)
		}
	}
	return x
}

// resolve returns the Job that a mention means. It is nil if that Job gets no new name, or the mention is ambiguous.
func (x *index) resolve(g *graph.Graph, referrer *graph.Resource, m mention) *graph.Resource {
	namespace := cmp.Or(m.namespace, g.NamespaceOf(referrer))
	id := idOf(namespace, m.name)
	if r, known := x.now[id]; known {
		return r
	}
	found := x.jobs[id]
	if found == nil && hash.Suffixed(m.name) { // it may be the name from another run
		found = x.jobs[idOf(namespace, m.name[:len(m.name)-1-hash.Length])]
	}
	if len(found) > 1 && len(found) <= maxVariants {
		found = slices.DeleteFunc(slices.Clone(found), func(r *graph.Resource) bool { return !kustomize.SameAffixes(r.History, referrer.History, true) })
	}
	if len(found) != 1 {
		return nil
	}
	return found[0]
}

// A followed is the result for the mentions in a resource.
type followed struct {
	resource  *graph.Resource
	rewritten []mention // sorted by place
	findings  []graph.Finding
}

// follow plans the edits of references to Jobs, and warns of other text that names them.
func (n *namer) follow() {
	batches := slices.DeleteFunc(graph.Batches(n.graph.Resources), func(b graph.Batch) bool {
		return !bytes.Contains(b.Chunk.Text, []byte("ob")) && !bytes.ContainsAny(b.Chunk.Text, `\\*`) // neither Job nor job occurs, even escaped or by an alias
	})
	all, _ := graph.EachItem(batches, n.followIn) // it parsed before, so it cannot fail
	for _, f := range all {
		if len(f.rewritten) > 0 {
			edits := rewrite(n.plan.Edits[f.resource], f.rewritten)
			delete(n.plan.Edits, f.resource)
			n.plan.Edit(f.resource, edits...)
		}
		n.plan.Add(f.findings...)
	}
}

// rewrite returns edits with those of the mentions. The same value may also name objects, whose edits are among the
// edits.
func rewrite(edits []edit.Edit, mentions []mention) []edit.Edit {
	planned := map[yamldoc.Path]int{}
	for i, e := range edits {
		if set, ok := e.(edit.SetScalar); ok && len(mentions) > 0 {
			planned[set.At.Path] = i
		}
	}
	for _, m := range mentions {
		i, ok := planned[m.at.Path]
		if !ok {
			i = len(edits)
			planned[m.at.Path] = i
			edits = append(edits, edit.SetScalar{At: m.at, Value: m.at.Value})
		}
		set, _ := edits[i].(edit.SetScalar)
		set.Value = m.in(set.Value)
		edits[i] = set
	}
	return edits
}

func (n *namer) followIn(r *graph.Resource, item *yaml.Node) (followed, error) {
	f, found := followed{resource: r}, find(r, item)
	for _, m := range found.mentions {
		job := n.index.resolve(n.graph, r, m)
		switch {
		case job == nil:
		case job != r && !n.strips && n.names[r] != "" && strings.HasPrefix(string(m.at.Path), "spec"):
			found.texts = append(found.texts, m) // the hash of a Job must not depend on that of another
		default:
			if m.to = n.names[job]; m.to != m.name {
				f.rewritten = append(f.rewritten, m)
			}
			if n.plan.Full {
				f.findings = append(f.findings, graph.Finding{Severity: manifest.Info, Resource: r, Path: m.at.Path, Message: "refers to " + m.to + ", which is named after what it runs"})
			}
		}
	}
	reported := map[string]bool{}
	if n.strips {
		return f, nil
	}
	for _, m := range found.texts {
		job := n.index.resolve(n.graph, r, m)
		if job == nil || n.names[job] == m.name {
			continue
		}
		message := fmt.Sprintf("%q is the former name of the Job that is now %s, and this text does not follow it: keep the name with the annotation confighash.dev/ignore: \"true\" on the Job, or find the Job by a label", m.name, n.names[job])
		if key := string(m.at.Path) + message; !reported[key] {
			reported[key] = true
			f.findings = append(f.findings, graph.Finding{Severity: manifest.Warning, Resource: r, Path: m.at.Path, Message: message})
		}
	}
	return f, nil
}
