package rename

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/kustomize"
	"github.com/confighash/confighash/internal/manifest"
	"github.com/confighash/confighash/internal/policy"
	"github.com/confighash/confighash/internal/reference"
	"github.com/confighash/confighash/pkg/api/v1alpha1"
)

// readers is the evidence that programs read objects by their names.
type readers struct {
	// bound holds the ClusterRoles that bindings in the input name, and the
	// namespaces that the bindings apply to: "" for all.
	bound map[string]map[string]bool
	// named holds the first flag or variable that holds a name.
	named map[readID]reader
}

type readID struct {
	target          catalog.Target
	namespace, name string
}

type reader struct {
	resource *graph.Resource
	read     *reference.Read
}

// findReaders gathers what is looked up later for each object.
func (b *builder) findReaders() {
	b.readers = readers{bound: map[string]map[string]bool{}, named: map[readID]reader{}}
	for _, r := range b.graph.Resources {
		if role := r.Exports["clusterRole"]; role != "" && r.Group == "rbac.authorization.k8s.io" {
			if b.readers.bound[role] == nil {
				b.readers.bound[role] = map[string]bool{}
			}
			b.readers.bound[role][b.graph.NamespaceOf(r)] = true
		}
		for i := range r.Reads {
			read := &r.Reads[i]
			for _, target := range read.Targets.Each() {
				id := readID{target, read.Namespace, read.Name}
				if id.namespace == "" {
					id.namespace = b.graph.NamespaceOf(r)
				}
				if _, met := b.readers.named[id]; !met {
					b.readers.named[id] = reader{r, read}
				}
			}
		}
	}
}

// read enters that a reference of r is a reason for the objects that it may mean
// to keep their names.
func (b *builder) read(r *graph.Resource, ref *reference.Reference, candidates []*graph.Resource) {
	var reader *policy.Refusal
	switch {
	case ref.Pins != "":
		reader = &policy.Refusal{
			Reason: fmt.Sprintf("%s %s (%s)", r, ref.Pins, ref.At.Path), Group: groupOf(ref), Severity: manifest.Warning,
		}
	case runsFirst(r) && !ref.Follows && ref.Role != catalog.Producer:
		reader = &policy.Refusal{
			Reason: fmt.Sprintf("%s refers to it (%s) and runs as a hook before anything of a new name is applied; make it a hook of the same phase, or use mode Annotate for it", r, ref.At.Path),
			Group:  "a hook that runs before the apply refers to it", Severity: manifest.Warning,
		}
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

func groupOf(ref *reference.Reference) string {
	switch {
	case ref.Follows:
		return "an RBAC rule lets a program use it by name"
	case ref.Via == catalog.ViaExtraSource:
		return v1alpha1.AnnotationExtraSources + " names it"
	}
	return "its name is copied where it cannot change"
}

// boundIn returns the namespaces in which what r says holds. A ClusterRole holds
// where it is bound, and everywhere if nothing in the input binds it.
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

// runsFirst reports whether r is a hook that Argo CD or Helm runs before it
// applies the rest.
func runsFirst(r *graph.Resource) bool {
	has := func(annotation string, phases ...string) bool {
		value := r.Annotations[annotation]
		return value != "" && slices.ContainsFunc(strings.Split(value, ","), func(s string) bool { return slices.Contains(phases, strings.TrimSpace(s)) })
	}
	return has("argocd.argoproj.io/hook", "PreSync") || has("helm.sh/hook", "pre-install", "pre-upgrade", "pre-rollback")
}

// readByName returns why a program probably reads r by its name, nil if nothing
// says so. It is information if nothing else refers to r: nobody expects a new
// name then.
func (b *builder) readByName(r *graph.Resource, t *target) *policy.Refusal {
	if b.spec.Rename.ReadByName == v1alpha1.ReadByNameRename || r.History.NeedsHash || r.History.Generated {
		return nil // what kustomize generated is its own
	}
	found := t.reader
	if found == nil {
		found = b.readers.of(b.graph.NamespaceOf(r), r)
	}
	if b.wanted(t) {
		known := b.policy.ReadByName(r)
		if known == nil && r.SuffixErr == nil && len(r.Keys) == 0 {
			known = &policy.Refusal{
				Reason:   "it holds no data, so its hash never changes, and a controller may fill it in by this name",
				Group:    "it holds no data",
				Severity: manifest.Info,
			}
		}
		found = cmp.Or(known, found)
	}
	if found == nil {
		return nil
	}
	refusal := *found
	if !t.referred || hashedByKustomize(r) {
		refusal.Severity = manifest.Info
	}
	refusal.Group = "read by name: " + refusal.Group
	refusal.Reason += `; to rename it anyway, set its annotation confighash.dev/roll: "true"`
	return &refusal
}

// asksFor reports whether the object itself asks for a name with a hash: by our
// annotation, or by kustomize's.
func asksFor(r *graph.Resource) bool {
	return r.Annotations[v1alpha1.AnnotationRoll] == "true" || r.Annotations[kustomize.NeedsHash] == "true"
}

// of returns the flag or the variable that holds the name of an object. It says
// the same in a second run: a ConfigMap with the variable has another name then.
func (rs *readers) of(namespace string, r *graph.Resource) *policy.Refusal {
	for _, name := range []string{r.Name, r.Base} {
		if by, ok := rs.named[readID{r.Target, namespace, name}]; ok && by.resource != r {
			return &policy.Refusal{
				Reason:   fmt.Sprintf("%s gives this name to a program: %s (%s)", by.resource.Called(by.resource.Base), by.read.By, by.read.At),
				Group:    "a flag or a variable names it",
				Severity: manifest.Warning,
			}
		}
	}
	return nil
}

// hashedByKustomize reports whether r came through a pipe with the name that
// kustomize gave it.
func hashedByKustomize(r *graph.Resource) bool { return r.Base != r.Name && r.Recorded() == "" }

// restore gives an object that keeps its name the one that it had before an
// earlier run, unless another object has that name.
func (b *builder) restore(r *graph.Resource) {
	if r.Recorded() == "" || r.Base == r.Name || b.graph.Holds(r.Target, b.graph.NamespaceOf(r), r.Base) {
		return
	}
	t := b.target(r)
	t.restored, t.named = true, true
	b.plan.Names[r] = r.Base
}
