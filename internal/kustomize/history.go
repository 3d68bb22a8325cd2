// Package kustomize reads and writes the annotations in which a build of kustomize records an object's history: the
// names it had earlier, and whether kustomize will append a hash to its name.
//
// kustomize rewrites references once, after all layers are built, based on these annotations (api/filters/nameref in
// v0.21.2). A transformer between the layers sees changed names and unchanged references, and has to record its own
// changes here.
package kustomize

import (
	"fmt"
	"slices"
	"strings"
)

// Annotations of kustomize's build, from api/internal/utils and
// api/internal/plugins/utils in v0.21.2. kustomize removes the internal ones
// from its output.
const (
	PreviousNames      = "internal.config.kubernetes.io/previousNames"
	PreviousNamespaces = "internal.config.kubernetes.io/previousNamespaces"
	PreviousKinds      = "internal.config.kubernetes.io/previousKinds"
	Prefixes           = "internal.config.kubernetes.io/prefixes"
	Suffixes           = "internal.config.kubernetes.io/suffixes"
	GeneratorBehavior  = "internal.config.kubernetes.io/generatorBehavior"
	NeedsHashSuffix    = "internal.config.kubernetes.io/needsHashSuffix"
	ID                 = "kustomize.config.k8s.io/id"
	NeedsHash          = "kustomize.config.k8s.io/needs-hash"

	enabled = "enabled"
)

// Places are the annotations in which kpt, and kustomize's commands, keep the file of an item and its index there.
var Places = []string{
	"config.kubernetes.io/path", "config.kubernetes.io/index",
	"internal.config.kubernetes.io/path", "internal.config.kubernetes.io/index",
	"internal.config.kubernetes.io/seqindent", "internal.config.kubernetes.io/annotations-migration-resource-id",
}

// An Identity is a name that an object had earlier in the build.
type Identity struct {
	Kind, Namespace, Name string
}

// A History is the content of an object's build annotations.
type History struct {
	Previous           []Identity // oldest first
	Prefixes, Suffixes []string   // innermost first
	// Built: kustomize runs the function, and has numbered the object to find it in the output.
	Built bool
	// Generated: the object comes from a kustomize generator. NeedsHash: kustomize will append a hash to its name at
	// the end.
	Generated, NeedsHash bool
}

// HistoryOf reads the build annotations. It fails if the lists of earlier names, namespaces and kinds differ in length.
func HistoryOf(annotations map[string]string) (History, error) {
	var h History
	_, h.Built = annotations[ID]
	_, h.Generated = annotations[GeneratorBehavior]
	h.NeedsHash = annotations[NeedsHashSuffix] == enabled
	h.Prefixes = list(annotations, Prefixes)
	h.Suffixes = list(annotations, Suffixes)
	names, namespaces, kinds := list(annotations, PreviousNames), list(annotations, PreviousNamespaces), list(annotations, PreviousKinds)
	if len(names) != len(namespaces) || len(names) != len(kinds) {
		return h, fmt.Errorf("the annotations %s, %s and %s list %d, %d and %d entries; kustomize writes as many in each",
			PreviousNames, PreviousNamespaces, PreviousKinds, len(names), len(namespaces), len(kinds))
	}
	for i := range names {
		h.Previous = append(h.Previous, Identity{Kind: kinds[i], Namespace: namespaces[i], Name: names[i]})
	}
	return h, nil
}

func list(annotations map[string]string, key string) []string {
	value, ok := annotations[key]
	if !ok {
		return nil
	}
	return strings.Split(value, ",")
}

// An Annotation is an annotation to be set.
type Annotation struct{ Key, Value string }

// Append returns the annotations that add ids to the history, except for those it already has.
func (h *History) Append(ids ...Identity) []Annotation {
	var kinds, names, namespaces []string
	held := slices.Clone(h.Previous)
	for _, id := range ids {
		if !slices.Contains(held, id) {
			held = append(held, id)
		}
	}
	for _, id := range held {
		kinds, names, namespaces = append(kinds, id.Kind), append(names, id.Name), append(namespaces, id.Namespace)
	}
	return []Annotation{
		{PreviousKinds, strings.Join(kinds, ",")},
		{PreviousNames, strings.Join(names, ",")},
		{PreviousNamespaces, strings.Join(namespaces, ",")},
	}
}

// SameAffixes reports whether two objects are in the same layers, judging by their prefixes and suffixes, as in
// kustomize's PrefixesSuffixesEquals. With allowEmpty, an object without any fits every other.
func SameAffixes(a, b History, allowEmpty bool) bool {
	return sameAffixes(a.Prefixes, b.Prefixes, allowEmpty) && sameAffixes(a.Suffixes, b.Suffixes, allowEmpty)
}

// sameAffixes reports whether the longer list ends with the shorter one.
func sameAffixes(a, b []string, allowEmpty bool) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(a) == 0 {
		return allowEmpty || len(b) == 0
	}
	return slices.Equal(a, b[len(b)-len(a):])
}
