// Package keep decides which earlier versions of renamed objects a run carries along, so that a tool that prunes keeps
// them for old pods and rollbacks.
//
// A version is an object whose name ends in a hash. The versions of one kind, namespace and base name are a line. The
// output of the last run gives the order of each line, newest first: the current version, then those marked as
// superseded, by number. [Lines] returns what to carry along now, and has the rules.
package keep

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/edit"
	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/kustomize"
	"github.com/confighash/confighash/internal/manifest"
	"github.com/confighash/confighash/internal/plan"
	"github.com/confighash/confighash/internal/yamldoc"
	"github.com/confighash/confighash/pkg/api/v1alpha1"
)

// Kept is the result for earlier versions.
type Kept struct {
	// Added are the versions to append to the output, each as a document.
	Added [][]byte
	// Marks are edits of versions in the input whose number changed. Removed are versions in the input that are no
	// longer carried along.
	Marks   map[*graph.Resource]edit.Edit
	Removed []*graph.Resource
	// Versions is how many versions the output holds.
	Versions int
}

type line struct {
	id       graph.ID          // with the base name
	versions []*graph.Resource // newest first
	last     *graph.Resource   // the current one in the last run
	current  string            // the object's name in this run, "" if it gets no hash
	stays    bool              // the name comes from another run
}

// Lines returns the last n versions of each object of now that gets a hash, from the last run's output and from now
// itself. names has the new names.
//
//   - If an object gets the name of a version, it is that version again, and the newer
//     versions become older ones.
//   - If an object is gone or no longer gets a hash, its versions stay for the users that
//     still exist, until anything else changes.
//   - Versions of an object that another run names stay as they are.
//
// written returns the output of this run without versions; it is called only if an object is gone.
//
// before is the last run's output, nil if unknown. Then it fails if a version is current again. It also fails if an
// object had two current versions, or if a version cannot be written as a separate document.
func Lines(before, now *graph.Graph, names map[*graph.Resource]string, n int, written func() (*graph.Graph, error)) (*Kept, error) {
	kept := &Kept{Marks: map[*graph.Resource]edit.Edit{}, Versions: len(now.Kept)}
	here := map[graph.ID]*graph.Resource{} // versions in the input that are not yet handled
	for _, r := range now.Kept {
		here[now.ID(r)] = r
	}
	var twins []error
	remove := func(id graph.ID) {
		if r := here[id]; r != nil {
			kept.Removed = append(kept.Removed, r)
			kept.Versions--
		}
		delete(here, id)
	}
	for _, r := range now.Resources {
		if r.Target != 0 {
			id := now.ID(r).Of(cmp.Or(names[r], r.Name))
			if twin := here[id]; twin != nil && before == nil {
				twins = append(twins, graph.Finding{Severity: manifest.Error, Resource: twin, Path: "metadata.name",
					Message: fmt.Sprintf("%s (%s) gets this name again, and this is an earlier version of it; remove this one, or give --previous", r, r.Place())})
			}
			remove(id)
		}
	}
	if before == nil {
		return kept, plan.Join(twins)
	}
	k := &keeper{before: before, now: now, names: names, lines: map[graph.ID]*line{}, written: written}
	if err := k.read(); err != nil {
		return nil, err
	}
	for _, id := range slices.SortedFunc(maps.Keys(k.lines), compareIDs) {
		l := k.lines[id]
		if l.stays {
			continue
		}
		needed, err := k.needed(l)
		if err != nil {
			return nil, err
		}
		carried := l.versions[:min(n, len(l.versions))]
		if !needed {
			carried = nil
		}
		for i, r := range carried {
			own := here[now.ID(r)]
			if own == nil {
				kept.Versions++
			}
			if err := kept.carry(r, own, strconv.Itoa(i+1)); err != nil {
				return nil, err
			}
		}
		for _, r := range l.versions[len(carried):] {
			remove(now.ID(r))
		}
	}
	return kept, nil
}

// Own replaces the resources in kept, which are of another graph with the same versions, by those of g.
func (kept *Kept) Own(g *graph.Graph) {
	own := map[graph.ID]*graph.Resource{}
	for _, r := range g.Kept {
		own[g.ID(r)] = r
	}
	marks := map[*graph.Resource]edit.Edit{}
	for r, mark := range kept.Marks {
		marks[own[g.ID(r)]] = mark
	}
	kept.Marks = marks
	for i, r := range kept.Removed {
		kept.Removed[i] = own[g.ID(r)]
	}
}

// carry gives the version r its number. own is the same version in the input, or nil.
func (kept *Kept) carry(r, own *graph.Resource, number string) error {
	mark := edit.SetEntry{Parent: "metadata.annotations", Key: v1alpha1.AnnotationSuperseded, Value: number, After: "name"}
	if own != nil {
		if own.Annotations[mark.Key] != number {
			kept.Marks[own] = mark
		}
		return nil
	}
	edits := []edit.Edit{mark}
	for _, key := range kustomize.Places {
		if _, ok := r.Annotations[key]; ok { // it belongs to the current version
			edits = append(edits, edit.RemoveEntry{Parent: mark.Parent, Key: key})
		}
	}
	text, err := r.Chunk.Document(r.Root)
	if err == nil {
		text, err = edit.Apply(text, []edit.Item{{Edits: edits}})
	}
	if err != nil {
		return fmt.Errorf("%s: %s cannot be kept: %w", r.File, r, err)
	}
	kept.Added = append(kept.Added, text)
	return nil
}

func compareIDs(a, b graph.ID) int {
	return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
}

type keeper struct {
	before, now *graph.Graph
	names       map[*graph.Resource]string
	lines       map[graph.ID]*line
	used        map[*graph.Resource]bool // in the last run, by resources that still exist
	written     func() (*graph.Graph, error)
	changed     func() (bool, error)
}

// lineOf returns the ID of an object's line. Any other resource is its own line.
func lineOf(g *graph.Graph, r *graph.Resource) graph.ID {
	id := g.ID(r)
	if r.Target != 0 {
		id.Name = r.Lineage()
	}
	return id
}

func (k *keeper) read() error {
	k.changed = sync.OnceValues(k.hasChanged)
	here := map[graph.ID]bool{}
	for _, r := range k.now.Resources {
		here[lineOf(k.now, r)] = true
	}
	k.forgetOthers(here)
	known := map[graph.ID]bool{}
	add := func(g *graph.Graph, r *graph.Resource) *line {
		known[g.ID(r)] = true
		id := lineOf(g, r)
		l := k.lines[id]
		if l == nil {
			l = &line{id: id}
			k.lines[id] = l
		}
		l.versions = append(l.versions, r)
		return l
	}
	for _, r := range k.before.Resources {
		if r.Target == 0 || r.Base == r.Name {
			continue
		}
		l := add(k.before, r)
		if l.last != nil {
			return fmt.Errorf("%s has two current versions, %s in %s and %s in %s; give what the last run of this build wrote, and nothing of another one",
				r.Called(r.Base), l.last.Name, l.last.File, r.Name, r.File)
		}
		l.last = r
	}
	for _, r := range k.before.Kept {
		add(k.before, r)
	}
	for _, r := range k.now.Kept {
		if !known[k.now.ID(r)] && k.lines[lineOf(k.now, r)] != nil {
			add(k.now, r)
		}
	}
	for _, r := range k.now.Resources {
		l, name := k.lines[lineOf(k.now, r)], k.names[r]
		switch {
		case r.Target == 0, l == nil:
		case name != "" && name != r.Base: // it gets a hash
			l.current = name
		case name == "" && r.Name != r.Base:
			l.stays = true
		}
	}
	for _, l := range k.lines {
		l.versions = slices.DeleteFunc(l.versions, func(r *graph.Resource) bool { return r.Name == l.current })
		slices.SortStableFunc(l.versions, func(a, b *graph.Resource) int { return cmp.Compare(age(a), age(b)) })
	}
	k.use(here)
	return nil
}

func age(r *graph.Resource) int {
	if !r.Kept {
		return 0
	}
	n, err := strconv.Atoi(r.Annotations[v1alpha1.AnnotationSuperseded])
	if err != nil {
		return math.MaxInt
	}
	return n
}

// forgetOthers leaves out files of other builds in the same folder: those that have resources other than versions, none
// of which exists now.
func (k *keeper) forgetOthers(here map[graph.ID]bool) {
	ours, others := map[string]bool{}, map[string]bool{}
	for _, r := range k.before.Resources {
		ours[r.File] = ours[r.File] || here[lineOf(k.before, r)]
		others[r.File] = others[r.File] || r.Target == 0 || r.Base == r.Name
	}
	other := func(r *graph.Resource) bool { return others[r.File] && !ours[r.File] }
	k.before.Resources = slices.DeleteFunc(k.before.Resources, other)
	k.before.Kept = slices.DeleteFunc(k.before.Kept, other)
}

// use records which objects of the last run were used by resources that still exist.
func (k *keeper) use(here map[graph.ID]bool) {
	k.used = map[*graph.Resource]bool{}
	for _, r := range k.before.Resources {
		if !here[lineOf(k.before, r)] {
			continue
		}
		for i := range r.Edges {
			for _, match := range r.Edges[i].Current() {
				if len(match.Candidates) == 1 {
					k.used[match.Candidates[0]] = true
				}
			}
		}
	}
}

func (k *keeper) needed(l *line) (bool, error) {
	switch {
	case l.current != "":
		return true, nil
	case l.last != nil:
		return k.used[l.last], nil
	}
	changed, err := k.changed()
	return !changed, err
}

// hasChanged reports whether the outputs of this run and the last one differ apart from versions.
func (k *keeper) hasChanged() (bool, error) {
	var former []string
	for _, l := range k.lines {
		if l.last != nil && !l.stays && l.last.Name != l.current {
			return true, nil
		}
		names := []string{l.current}
		for _, r := range l.versions {
			names = append(names, r.Name)
		}
		for _, name := range names {
			if name != "" {
				former = append(former, name, l.id.Name)
			}
		}
	}
	written, err := k.written()
	if err != nil {
		return false, err
	}
	strip := strings.NewReplacer(former...)
	return !maps.Equal(k.others(k.before, strip), k.others(written, strip)), nil
}

// others counts the resources other than versions, by content.
func (k *keeper) others(g *graph.Graph, strip *strings.Replacer) map[[sha256.Size]byte]int {
	all := slices.DeleteFunc(slices.Clone(g.Resources), func(r *graph.Resource) bool {
		return r.Target != 0 && k.lines[lineOf(g, r)] != nil
	})
	sums, _ := graph.EachItem(graph.Batches(all), func(_ *graph.Resource, item *yaml.Node) ([sha256.Size]byte, error) {
		yamldoc.RemoveAnnotations(item, kustomize.Places...) // they depend on where the item was read
		text, err := manifest.JSON(item)
		return sha256.Sum256([]byte(strip.Replace(string(text)))), err
	}) // it parsed before, so it cannot fail
	counts := map[[sha256.Size]byte]int{}
	for _, sum := range sums {
		counts[sum]++
	}
	return counts
}
