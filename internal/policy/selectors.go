package policy

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/kustomize"
	"github.com/confighash/confighash/internal/pattern"
	"github.com/confighash/confighash/pkg/api/v1alpha1"
)

// selectors are the compiled selectors of one list.
type selectors struct {
	// byName has the selectors that match a single name, others the rest.
	byName map[string][]*matcher
	others []*matcher
}

// compile compiles selectors. It fails if their total size is too large.
func compile(list []v1alpha1.Selector) (*selectors, error) {
	s := &selectors{byName: map[string][]*matcher{}}
	size := 0
	met := map[v1alpha1.Selector]bool{}
	for i, one := range list {
		if met[one] {
			continue
		}
		met[one] = true
		c := newMatcher(one)
		if size += c.steps; size > pattern.MaxSize {
			return nil, fmt.Errorf("[%d] %w", i, pattern.ErrSize)
		}
		if name := c.name.Literal; name != "" {
			s.byName[name] = append(s.byName[name], c)
		} else {
			s.others = append(s.others, c)
		}
	}
	return s, nil
}

// matchesAny reports whether one of the selectors matches the object. As in kustomize, it tries all names and
// namespaces that the object has, had earlier in a kustomize build, or had before an earlier run. A Secret's stand-in
// is also matched as the Secret.
func (p *Policy) matchesAny(s *selectors, object *graph.Resource) bool {
	ids := p.identities(object)
	for _, id := range ids {
		if slices.ContainsFunc(s.byName[id.Name], func(c *matcher) bool { return p.matches(c, object, id) }) {
			return true
		}
	}
	return slices.ContainsFunc(s.others, func(c *matcher) bool { return p.matches(c, object, ids...) })
}

func (p *Policy) matches(c *matcher, object *graph.Resource, ids ...kustomize.Identity) bool {
	if !p.take(object, c.steps*(8+len(object.Kind)+len(object.Group))) || !matchesKind(c, object) {
		return false
	}
	return slices.ContainsFunc(ids, func(id kustomize.Identity) bool {
		return p.take(object, c.steps*(1+len(id.Name)+len(id.Namespace))) && c.namespace.Match(id.Namespace, nil) && c.name.Match(id.Name, nil)
	})
}

func matchesKind(c *matcher, object *graph.Resource) bool {
	isKind := c.matchGVK(object.Group, object.Version, object.Kind) || object.StandsFor && c.matchGVK("", "v1", "Secret")
	return isKind && (c.labels.Matches(labels.Set(object.Labels)) && c.annotations.Matches(labels.Set(object.Annotations)) ||
		object.StandsFor && c.labels.Matches(labels.Set(object.SecretLabels)) && c.annotations.Matches(labels.Set(object.SecretAnnotations)))
}

func (p *Policy) identities(object *graph.Resource) []kustomize.Identity {
	namespace := p.graph.NamespaceOf(object)
	present := []string{object.Name}
	if object.Base != object.Name {
		present = append(present, object.Base)
	}
	if object.StandsFor {
		present = append(present, names(object, "Secret")...)
	}
	var ids []kustomize.Identity
	for _, name := range present {
		ids = append(ids, kustomize.Identity{Namespace: namespace, Name: name})
	}
	return append(ids, object.History.Previous...)
}

// A matcher is a compiled v1alpha1.Selector. It follows the rules of kustomize's types.SelectorRegex: expressions are
// anchored at both ends, and an empty one matches anything.
type matcher struct {
	group, version, kind pattern.Expression
	name, namespace      pattern.Expression
	labels, annotations  labels.Selector
	// steps is approximately the maximum number of steps for matching the selector against a byte of an object's name,
	// labels and the like.
	steps int
}

// newMatcher compiles s. Parse and Complete of v1alpha1 have checked its expressions and selectors.
func newMatcher(s v1alpha1.Selector) *matcher {
	c := &matcher{steps: 1 + (len(s.LabelSelector)+len(s.AnnotationSelector))/8}
	for _, part := range []struct {
		compiled *pattern.Expression
		expr     string
	}{{&c.group, s.Group}, {&c.version, s.Version}, {&c.kind, s.Kind}, {&c.name, s.Name}, {&c.namespace, s.Namespace}} {
		if part.expr == "" {
			continue
		}
		*part.compiled = pattern.Compile("^(?:", part.expr, ")$", new(pattern.Sum))
		c.steps += part.compiled.Size
	}
	c.labels, _ = labels.Parse(s.LabelSelector)
	c.annotations, _ = labels.Parse(s.AnnotationSelector)
	return c
}

func (m *matcher) matchGVK(group, version, kind string) bool {
	return m.group.Match(group, nil) && m.version.Match(version, nil) && m.kind.Match(kind, nil)
}
