package reference

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/catalog"
)

// maxManifests bounds the nesting of manifests.
const maxManifests = 16

// manifest finds the references in a whole object within the item, by the catalogue's entry for its kind. They count
// only if the input has an object of that name: names in templates often contain parameters.
func (w *walker) manifest(n *yaml.Node, shared bool) error {
	group, version, found := strings.Cut(w.child(n, "apiVersion"), "/")
	if !found {
		group, version = "", group
	}
	kind := w.child(n, "kind")
	if kind == "" || version == "" {
		return nil
	}
	if w.manifests == maxManifests {
		return fmt.Errorf("%s: manifests hold manifests more than %d deep", w.steps.Head(), maxManifests)
	}
	r := w.finder.rules(gvk{group, version, kind})
	inner := &walker{
		finder: w.finder, root: n, steps: w.steps, base: len(w.steps),
		aliases: w.aliases, budget: w.budget, defined: w.defined, manifests: w.manifests + 1,
	}
	if err := inner.run(r, shared); err != nil {
		return err
	}
	w.wrong = cmp.Or(w.wrong, inner.wrong)
	metadata := w.at(n, "metadata")
	namespace, name := w.child(metadata, "namespace"), w.child(metadata, "name")
	if target := catalog.TargetOf(kind); target != 0 && group == "" {
		if w.defined == nil {
			w.defined = map[object]bool{}
		}
		w.defined[object{target, name}] = true
	}
	for _, ref := range inner.found {
		if ref.Namespace == "" && !ref.ControllerNamespace && isNamespace(namespace) {
			ref.Namespace = namespace
		}
		ref.At.Shared = ref.At.Shared || shared
		ref.Tentative, ref.inManifest = true, true
		// Pods are made from it only after somebody creates the object.
		ref.Consumed, ref.Via, ref.Immutable = false, catalog.ViaReference, false
		w.found = append(w.found, ref)
	}
	return nil
}

// dropDefined drops references between manifests of the same item.
func (w *walker) dropDefined() {
	w.found = slices.DeleteFunc(w.found, func(ref Reference) bool {
		return ref.inManifest && slices.ContainsFunc(ref.Targets.Each(), func(target catalog.Target) bool {
			return w.defined[object{target, ref.Name}]
		})
	})
}
