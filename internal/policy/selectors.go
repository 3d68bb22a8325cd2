package policy

import (
	"fmt"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/kustomize"
	"github.com/confighash/confighash/internal/pattern"
	"github.com/confighash/confighash/pkg/api/v1alpha1"
)

// selectors are those of one list.
type selectors struct {
	// byName holds those that mean one name alone, others the rest.
	byName map[string][]*matcher
	others []*matcher
}

// compile compiles selectors. It fails where they are too much to be followed.
func compile(list []v1alpha1.Selector) (*selectors, error) {
	s := &selectors{byName: map[string][]*matcher{}}
	size := 0
	met := map[v1alpha1.Selector]bool{}
	for i, one := range list {
		if met[one] {
			continue
		}
		met[one] = true
		c, err := newMatcher(one)
		if err != nil {
			return nil, err
		}
		if size += c.steps; size > pattern.MaxSize {
			return nil, fmt.Errorf("[%d] %w", i, pattern.ErrSize)
		}
		if name := c.name.literal; name != "" {
			s.byName[name] = append(s.byName[name], c)
		} else {
			s.others = append(s.others, c)
		}
	}
	return s, nil
}

func (s *selectors) isEmpty() bool { return len(s.byName)+len(s.others) == 0 }

// matchesAny reports whether one of selectors means the object, under any of
// the names and namespaces that it has, had earlier in a kustomize build, or
// had before an earlier run: as kustomize's selectors do. What stands for a
// Secret is meant as the Secret, too.
func (p *Policy) matchesAny(s *selectors, object *graph.Resource) bool {
	if s.isEmpty() {
		return false
	}
	ids := p.identities(object)
	matches := func(c *matcher, ids ...kustomize.Identity) bool {
		if !p.take(object, c.steps*(8+len(object.Kind)+len(object.Group))) || !means(c, object) {
			return false
		}
		for _, id := range ids {
			if p.take(object, c.steps*(1+len(id.Name)+len(id.Namespace))) && c.namespace.matches(id.Namespace) && c.name.matches(id.Name) {
				return true
			}
		}
		return false
	}
	for _, id := range ids {
		for _, c := range s.byName[id.Name] {
			if matches(c, id) {
				return true
			}
		}
	}
	for _, c := range s.others {
		if matches(c, ids...) {
			return true
		}
	}
	return false
}

// means reports whether a selector means objects of that kind with those labels and
// annotations.
func means(c *matcher, object *graph.Resource) bool {
	if !c.matchGVK(object.Group, object.Version, object.Kind) && (!object.StandsFor || !c.matchGVK("", "v1", "Secret")) {
		return false
	}
	return c.labels.Matches(labels.Set(object.Labels)) && c.annotations.Matches(labels.Set(object.Annotations)) ||
		object.StandsFor && c.labels.Matches(labels.Set(object.SecretLabels)) && c.annotations.Matches(labels.Set(object.SecretAnnotations))
}

// identities returns the names by which selectors mean an object, each with the
// namespace.
func (p *Policy) identities(object *graph.Resource) []kustomize.Identity {
	namespace := p.graph.NamespaceOf(object)
	ids := []kustomize.Identity{{Namespace: namespace, Name: object.Name}}
	if object.Base != object.Name {
		ids = append(ids, kustomize.Identity{Namespace: namespace, Name: object.Base})
	}
	if object.StandsFor {
		for _, name := range names(object, "Secret") {
			ids = append(ids, kustomize.Identity{Namespace: namespace, Name: name})
		}
	}
	return append(ids, object.History.Previous...)
}
