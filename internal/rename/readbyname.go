package rename

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/edit"
	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/hash"
	"github.com/confighash/confighash/internal/kustomize"
	"github.com/confighash/confighash/internal/manifest"
	"github.com/confighash/confighash/internal/policy"
	"github.com/confighash/confighash/internal/reference"
	"github.com/confighash/confighash/pkg/api/v1alpha1"
)

// readers is the evidence that programs read objects by name.
type readers struct {
	// bound holds the namespaces to which bindings in the input apply, by ClusterRole; "" stands for all.
	bound map[string]map[string]bool
	// named holds, by object, the first flag or variable with its name.
	named map[graph.ID]reader
}

type reader struct {
	resource *graph.Resource
	read     *reference.Read
}

func (b *builder) findReaders() {
	b.readers = readers{bound: map[string]map[string]bool{}, named: map[graph.ID]reader{}}
	for _, r := range b.graph.All() {
		if role := r.Exports["clusterRole"]; role != "" && r.Group == "rbac.authorization.k8s.io" {
			if b.readers.bound[role] == nil {
				b.readers.bound[role] = map[string]bool{}
			}
			b.readers.bound[role][b.graph.NamespaceOf(r)] = true
		}
		for i := range r.Reads {
			read := &r.Reads[i]
			for _, kind := range read.Targets.Kinds() {
				id := graph.ID{Kind: kind, Namespace: cmp.Or(read.Namespace, b.graph.NamespaceOf(r)), Name: read.Name}
				if _, met := b.readers.named[id]; !met {
					b.readers.named[id] = reader{r, read}
				}
			}
		}
	}
}

// read records that a reference is a reason for its possible objects to keep their names.
func (b *builder) read(e *graph.Edge, candidates []*graph.Resource) {
	r, ref := e.Referrer, e.Ref
	var reader *policy.Refusal
	switch {
	case ref.Pins != "":
		at := ref.At.Path
		if ref.List { // two elements may become one, and others move up
			at = parent(at)
		}
		reader = warning("%s %s (%s)", r, ref.Pins, at)
	case runsFirst(r) && !ref.Follows && ref.Role != catalog.Producer:
		reader = warning("%s refers to it (%s) and runs as a hook before anything of a new name is applied; make it a hook of the same phase, or use mode Annotate for it", r, ref.At.Path)
	default:
		return
	}
	bound, everywhere := b.boundIn(r)
	scope := ""
	if !everywhere {
		scope = r.Name
	}
	if b.again(candidates, r, fmt.Sprint("read", ref.Pins != "", scope)) {
		return
	}
	for _, c := range candidates {
		t := b.target(c)
		if t.reader == nil && r != c && (everywhere || bound[b.graph.NamespaceOf(c)]) && (ref.Pins != "" || !runsFirst(c)) {
			t.reader = reader
		}
	}
}

// boundIn returns the namespaces in which r applies. A ClusterRole applies where it is bound, and everywhere if the
// input has no binding of it.
func (b *builder) boundIn(r *graph.Resource) (namespaces map[string]bool, everywhere bool) {
	if r.Kind != "ClusterRole" {
		return nil, true
	}
	for _, name := range r.Names() {
		if bound := b.readers.bound[name]; bound != nil {
			return bound, bound[""]
		}
	}
	return nil, true
}

func runsFirst(r *graph.Resource) bool {
	has := func(annotation string, phases ...string) bool {
		value := r.Annotations[annotation]
		return value != "" && slices.ContainsFunc(strings.Split(value, ","), func(s string) bool { return slices.Contains(phases, strings.TrimSpace(s)) })
	}
	return has("argocd.argoproj.io/hook", "PreSync") || has("helm.sh/hook", "pre-install", "pre-upgrade", "pre-rollback")
}

// ReadByName returns why programs probably read objects of g by name, as the end of a sentence about the object. It
// leaves out objects that ask for a name with a hash.
func ReadByName(g *graph.Graph, p *policy.Policy) map[*graph.Resource]string {
	b := newBuilder(g)
	b.policy = p
	b.findReaders()
	b.count()
	found := map[*graph.Resource]string{}
	for _, r := range g.Resources {
		if r.Target == 0 || asksFor(r) {
			continue
		}
		if evidence := b.evidence(r, b.target(r)); evidence != nil {
			found[r] = evidence.Reason
		}
	}
	return found
}

// readByName returns why an object that a program probably reads keeps its name, nil without evidence. It is
// information if nothing else refers to r, as nobody then expects a new name.
func (b *builder) readByName(r *graph.Resource, t *target) *policy.Refusal {
	if b.spec.Rename.ReadByName == v1alpha1.ReadByNameRename {
		return nil
	}
	found := b.evidence(r, t)
	if found == nil {
		return nil
	}
	refusal := *found
	if hashedByKustomize := r.Base != r.Name && r.Recorded() == ""; !t.referred || hashedByKustomize {
		refusal.Severity = manifest.Info
	}
	refusal.Reason += `; to rename it anyway, set its annotation confighash.dev/roll: "true"`
	return &refusal
}

// evidence returns why a program probably reads r by name, nil without evidence.
func (b *builder) evidence(r *graph.Resource, t *target) *policy.Refusal {
	if r.History.NeedsHash || r.History.Generated || r.Part != "" {
		return nil // programs do not expect generated names
	}
	found := cmp.Or(t.reader, b.namedFor(r))
	if !b.wanted(t) {
		return found
	}
	known := b.policy.ReadByName(r)
	if known == nil && r.SuffixErr == nil && len(r.Keys) == 0 {
		known = &policy.Refusal{
			Reason:   "it holds no data, so its hash never changes, and a controller may fill it in by this name",
			Severity: manifest.Info,
		}
	}
	return cmp.Or(known, found)
}

// asksFor reports whether an annotation of the object asks for a name with a hash: ours, or kustomize's.
func asksFor(r *graph.Resource) bool {
	return r.Annotations[v1alpha1.AnnotationRoll] == "true" || r.Annotations[kustomize.NeedsHash] == "true"
}

// namedFor returns the flag or variable that holds the name of an object. A second run, in which the ConfigMap with the
// variable has another name, reports the same.
func (b *builder) namedFor(r *graph.Resource) *policy.Refusal {
	if len(b.readers.named) == 0 {
		return nil
	}
	id := graph.ID{Kind: r.Kind, Namespace: b.graph.NamespaceOf(r)}
	for _, id.Name = range []string{r.Name, r.Base} {
		if by, ok := b.readers.named[id]; ok && by.resource != r {
			return warning("%s gives this name to a program: %s (%s)", by.resource.Called(by.resource.Base), by.read.By, by.read.At)
		}
	}
	return nil
}

// stampReaders adds a checksum of the objects in confighash.dev/extra-sources to the pod templates of workloads that
// have this annotation, since these objects keep their names.
func (b *builder) stampReaders() {
	for _, r := range b.graph.Resources {
		if len(r.PodTemplates) == 0 || r.Ignored() {
			continue
		}
		sums := b.sumsOfRead(r)
		for i := range r.PodTemplates {
			t := &r.PodTemplates[i]
			has, why := t.Annotations[v1alpha1.AnnotationExtraSum], ""
			if !b.policy.NamesJob(r) {
				why, _ = t.Change.Unstamped()
			}
			switch {
			case t.AnnotationsAt == "":
			case len(sums) > 0 && why == "":
				if sum := hash.Checksum(sums, b.spec.Salt); sum != has {
					b.plan.Edit(r, edit.SetEntry{Parent: t.AnnotationsAt, Key: v1alpha1.AnnotationExtraSum, Value: sum})
				}
				b.plan.Inform(graph.Finding{Resource: r, Path: t.AnnotationsAt, Message: "stamped with the checksum of what " + v1alpha1.AnnotationExtraSources + " names"})
			case has != "":
				b.plan.Edit(r, edit.RemoveEntry{Parent: t.AnnotationsAt, Key: v1alpha1.AnnotationExtraSum})
			}
		}
	}
}

// sumsOfRead returns a checksum of the final content of each object that confighash.dev/extra-sources names.
func (b *builder) sumsOfRead(r *graph.Resource) (sums []string) {
	for _, e := range r.ExtraSources() {
		for _, match := range e.Matches {
			c := match.Candidates[0]
			if len(match.Candidates) > 1 || b.policy.Chosen(c, true) != nil {
				continue
			}
			suffix, err := b.suffixOf(c, b.target(c), []*graph.Resource{c})
			if err != nil || suffix == "" {
				continue // its content is unknown
			}
			sums = append(sums, hash.Source{Kind: c.Kind, Name: c.Base, Values: []hash.Value{{Sum: sha256.Sum256([]byte(suffix))}}}.Checksum(b.spec.Salt))
			b.plan.read[e] = true
		}
	}
	return sums
}
