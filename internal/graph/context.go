package graph

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/hash"
	"github.com/confighash/confighash/internal/manifest"
	"github.com/confighash/confighash/internal/yamldoc"
	"github.com/confighash/confighash/pkg/api/v1alpha1"
)

// NamesKind is the kind of [Names].
const NamesKind = "Names"

// Names lists objects with hashed names: what one build publishes for others.
type Names struct {
	APIVersion string       `yaml:"apiVersion"`
	Kind       string       `yaml:"kind"`
	Names      []HashedName `yaml:"names"`
}

// A HashedName is an object's name with and without the hash.
type HashedName struct {
	Kind       string `yaml:"kind"`
	Namespace  string `yaml:"namespace"`
	Name       string `yaml:"name"`
	HashedName string `yaml:"hashedName"`
}

// NamesOf returns the sorted names of the objects in g that are named after their content.
func NamesOf(g *Graph) *Names {
	list := &Names{APIVersion: v1alpha1.APIVersion, Kind: NamesKind, Names: []HashedName{}}
	for _, r := range slices.SortedFunc(slices.Values(g.Resources), Compare) {
		if r.Target != 0 && r.Base != r.Name && r.Part == "" {
			list.Names = append(list.Names, HashedName{r.Kind, g.NamespaceOf(r), r.Base, r.Name})
		}
	}
	return list
}

// namesIn returns the objects that an item lists, if it is a [Names].
func namesIn(chunk *manifest.Chunk, item manifest.Item) ([]*Resource, error) {
	var list Resource
	err := list.readFields(item.Node, item.Shared)
	if err != nil || list.APIVersion != v1alpha1.APIVersion || list.Kind != NamesKind {
		return nil, nil // build reports the error
	}
	first := chunk.Line + max(item.Node.Line, 1) - 1
	var names Names
	if err := item.Node.Decode(&names); err != nil {
		return nil, fmt.Errorf("%s: Names: %w", chunk.At(first), err)
	}
	var objects []*Resource
	var errs []error
	lines := yamldoc.Value(item.Node, "names")
	for i, n := range names.Names {
		line := first
		if lines != nil && i < len(yamldoc.Resolve(lines).Content) {
			line = chunk.Line + max(yamldoc.Resolve(lines).Content[i].Line, 1) - 1
		}
		target := catalog.TargetOf(n.Kind)
		wrong := ""
		switch {
		case target == 0:
			wrong = fmt.Sprintf("kind is %q; it must be ConfigMap or Secret", Clip(n.Kind))
		case n.Namespace == "":
			wrong = "namespace is missing; write the one in which the object is"
		case !slices.Contains(withoutSuffix(n.HashedName), n.Name):
			wrong = fmt.Sprintf("hashedName is %q, which is not the name %q with a hash; write the list with confighash names", Clip(n.HashedName), Clip(n.Name))
		}
		if wrong != "" {
			errs = append(errs, fmt.Errorf("%s: names[%d]: %s", chunk.At(line), i, wrong))
			continue
		}
		objects = append(objects, &Resource{
			Chunk: chunk, Root: item.Root, Line: line, Context: true,
			APIVersion: "v1", Version: "v1", Kind: n.Kind, Namespace: n.Namespace, Name: n.HashedName,
			Object: Object{
				Target: target, Base: n.Name, NameOnly: true,
				// The name contains the hash of the content, so it stands for the content.
				Values: []hash.Value{{Sum: sha256.Sum256([]byte(n.HashedName)), Always: true}},
			},
		})
	}
	return objects, errors.Join(errs...)
}

// CheckContext returns, for each file of the context, the first conflict of an object or a workload with the input,
// under its current name or without the hash, or with another file of the context: a reference could mean either. Other
// resources, such as Namespaces, may be in several builds.
func (g *Graph) CheckContext() error {
	single := func(r *Resource) bool {
		return r.Name != "" && (r.Target != 0 || r.StandsFor || len(r.PodTemplates) > 0)
	}
	taken := map[ID]*Resource{}
	if len(g.Context) > 0 {
		for _, r := range g.Resources {
			if single(r) {
				taken[g.ID(r)], taken[g.BaseID(r)] = r, r
			}
		}
	}
	reported := map[string]bool{}
	var errs []error
	for _, r := range g.Context {
		if !single(r) {
			continue
		}
		other := taken[g.ID(r)]
		if own := taken[g.BaseID(r)]; own != nil && !own.Context {
			other = own
		}
		switch {
		case other == nil:
			taken[g.ID(r)] = r
		case !reported[r.File]:
			reported[r.File] = true
			errs = append(errs, clash(other, r))
		}
	}
	return errors.Join(errs...)
}

// clash returns the error that other and r of the context are the same object.
func clash(other, r *Resource) error {
	if other.Context {
		return fmt.Errorf("--context: %s, %s: %s is in the context twice (%s, %s); keep one, and give the manifests of one cluster at a time",
			r.File, r.Place(), r, other.File, other.Place())
	}
	return fmt.Errorf("--context: %s, %s: %s is in the input as well, as %s (%s); give what other builds write, not what this one does",
		r.File, r.Place(), r, other, other.Place())
}
