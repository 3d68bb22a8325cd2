package impact

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/yamldoc"
)

// addEvidence adds why a program probably reads r, which one describes, through the API, if no pod consumes it or its
// change is refused.
func (c *comparison) addEvidence(one *Object, r *graph.Resource, sidecars func() map[string][]sidecar) {
	if !one.Unconsumed() && one.Refused == "" {
		return
	}
	o := catalog.Object{Kind: r.Kind, Namespace: c.after.NamespaceOf(r), Name: r.Base, Type: r.Type, Labels: r.Labels, Annotations: r.Annotations}
	if rule := catalog.Builtin().NameRule(o); rule != nil {
		one.Evidence = append(one.Evidence, rule.Reason)
	}
	for _, reader := range one.Readers {
		if strings.HasPrefix(reader.APIVersion, "rbac.authorization.k8s.io/") {
			one.Evidence = append(one.Evidence, reader.String()+" names it in resourceNames")
		}
	}
	for _, key := range slices.Sorted(maps.Keys(r.Labels)) {
		for _, s := range sidecars()[key] {
			if s.value == "" || s.value == r.Labels[key] {
				one.Evidence = append(one.Evidence, s.text)
			}
		}
	}
	if one.Refused != "" && len(one.Evidence) > 0 {
		one.Fix = "delete it before the apply" // it has to keep its name
	}
}

// A sidecar is a container that loads all objects with a label, such as kiwigrid/k8s-sidecar, whose variables LABEL and
// LABEL_VALUE are the label's key and value.
type sidecar struct{ value, text string }

// sidecarsOf returns the sidecars of g by the key of their label, at most three per key.
func sidecarsOf(g *graph.Graph) map[string][]sidecar {
	found := map[string][]sidecar{}
	candidates := slices.DeleteFunc(slices.Clone(g.Resources), func(r *graph.Resource) bool {
		return len(r.PodTemplates) == 0 || !bytes.Contains(r.Chunk.Text, []byte("LABEL"))
	})
	for _, b := range graph.Batches(candidates) {
		left := len(b.Chunk.Text)                                    // how many variables to look at: aliases can make more than there are in the text
		_ = b.Parse(func(r *graph.Resource, item *yaml.Node) error { // it parsed before
			for i := range r.PodTemplates {
				spec := r.PodTemplates[i].Spec
				for _, container := range append(elementsAt(item, spec.Key("containers")), elementsAt(item, spec.Key("initContainers"))...) {
					variables := map[string]string{}
					for _, e := range elementsAt(container, "env") {
						if left--; left >= 0 {
							variables[yamldoc.StringOf(yamldoc.At(e, "name"))] = yamldoc.StringOf(yamldoc.At(e, "value"))
						}
					}
					if key := variables["LABEL"]; key != "" && len(found[key]) < 3 {
						found[key] = append(found[key], sidecar{variables["LABEL_VALUE"],
							"container " + yamldoc.StringOf(yamldoc.At(container, "name")) + " of " + refOf(g, r).String() + " looks for objects with the label " + key})
					}
				}
			}
			return nil
		})
	}
	return found
}
