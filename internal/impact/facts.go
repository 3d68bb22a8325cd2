package impact

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/podtemplate"
	"github.com/confighash/confighash/internal/yamldoc"
)

// facts are what a comparison needs of a workload beside its references. They are
// read only of workloads to which something may happen.
type facts struct {
	templates []*podtemplate.Template // beside Resource.PodTemplates
	// accounts: a template names its service account by both fields.
	accounts []bool
	// rest is the whole spec of a custom resource of which a template is only a part.
	rest      *podtemplate.Template
	suspended bool
	replicas  *int64
	strategy  string
	partition int64
	// fixed and claims are what may not change outside of pod templates.
	fixed    []fixedField
	staying  []stayingField
	claims   *podtemplate.Template
	claimsAt yamldoc.Path
}

// readFacts reads the facts of resources, and adds them to found.
func readFacts(resources []*graph.Resource, found map[*graph.Resource]*facts) error {
	batches := graph.Batches(resources)
	read, err := graph.EachBatch(batches, func(b graph.Batch) ([]*facts, error) {
		var read []*facts
		err := b.Parse(func(r *graph.Resource, item *yaml.Node) error {
			f, err := factsOf(r, item)
			if err != nil {
				return fmt.Errorf("%s: %w", r, err)
			}
			read = append(read, f)
			return nil
		})
		return read, err
	})
	if err != nil {
		return err
	}
	for i, b := range batches {
		for j, r := range b.Resources {
			found[r] = read[i][j]
		}
	}
	return nil
}

func factsOf(r *graph.Resource, item *yaml.Node) (*facts, error) {
	f := &facts{}
	for i := range r.PodTemplates {
		t, err := readTemplate(r, &r.PodTemplates[i], item)
		if err != nil {
			return nil, err
		}
		f.templates = append(f.templates, t)
		spec := r.PodTemplates[i].Spec
		f.accounts = append(f.accounts, scalarAt(item, spec.Key("serviceAccount")) != "" && scalarAt(item, spec.Key("serviceAccountName")) != "")
	}
	if n, err := strconv.ParseInt(scalarAt(item, "spec.replicas"), 0, 64); err == nil {
		f.replicas = &n
	}
	f.partition, _ = strconv.ParseInt(scalarAt(item, "spec.updateStrategy.rollingUpdate.partition"), 0, 64)
	f.strategy = strategyOf(r, item)
	if n := nodeAt(item, "spec.suspend"); n != nil {
		f.suspended, _ = yamldoc.Bool(n)
	}
	if isPartial(r) {
		rest, err := podtemplate.ReadParts(podtemplate.Parts{Spec: nodeAt(item, "spec"), SpecAt: "spec"}, podtemplate.Options{})
		if err != nil {
			return nil, err
		}
		f.rest = rest
	}
	var err error
	if f.fixed, err = fixedFields(r, item); err != nil {
		return nil, err
	}
	if f.staying, err = stayingFields(r, item); err != nil {
		return nil, err
	}
	f.claimsAt, f.claims, err = claimsOf(r, item)
	return f, err
}

// rootOf returns the path of a whole template, with metadata and spec, and false
// for one whose parts stand apart.
func rootOf(t *graph.PodTemplate) (yamldoc.Path, bool) {
	if !t.HasSpec || t.AnnotationsAt == "" {
		return "", false
	}
	root, ok := strings.CutSuffix(string(t.Spec), ".spec")
	if t.Spec == "spec" {
		root, ok = "", true
	}
	return yamldoc.Path(root), ok && t.AnnotationsAt == yamldoc.Path(root).Key("metadata").Key("annotations")
}

// isPartial reports whether a resource is a custom one that is more than a workload
// around one pod template: an operator makes pods of more than what is known.
func isPartial(r *graph.Resource) bool {
	return !slices.Contains(builtin, r.Group) && slices.ContainsFunc(r.PodTemplates, func(t graph.PodTemplate) bool {
		root, whole := rootOf(&t)
		return !whole || root != "spec.template"
	})
}

// builtin are the groups whose pod templates the API server completes by defaults.
var builtin = []string{"", "apps", "batch", "extensions"}

func readTemplate(r *graph.Resource, t *graph.PodTemplate, item *yaml.Node) (*podtemplate.Template, error) {
	o := podtemplate.Options{Builtin: slices.Contains(builtin, r.Group)}
	if root, whole := rootOf(t); whole && (root != "" || r.Kind != "Pod") {
		o.At = root
		return podtemplate.Read(nodeAt(item, root), o)
	}
	parts := podtemplate.Parts{SpecAt: t.Spec, AnnotationsAt: t.AnnotationsAt}
	if t.HasSpec {
		parts.Spec = nodeAt(item, t.Spec)
	}
	if t.AnnotationsAt != "" {
		parts.Annotations = nodeAt(item, t.AnnotationsAt)
	}
	return podtemplate.ReadParts(parts, o)
}

// nodeAt returns the node at a path, nil where there is none.
func nodeAt(n *yaml.Node, path yamldoc.Path) *yaml.Node {
	steps, err := path.Steps()
	if err != nil {
		return nil
	}
	n = yamldoc.Resolve(n)
	for _, step := range steps {
		switch {
		case step.Index >= 0:
			if n.Kind != yaml.SequenceNode || step.Index >= len(n.Content) {
				return nil
			}
			n = n.Content[step.Index]
		case n.Kind != yaml.MappingNode:
			return nil
		default:
			if n, _ = yamldoc.Get(n, step.Key, new(yamldoc.Budget)); n == nil {
				return nil
			}
		}
		n = yamldoc.Resolve(n)
	}
	return n
}

// scalarAt returns the scalar at a path, "" where there is none.
func scalarAt(item *yaml.Node, path yamldoc.Path) string {
	n := nodeAt(item, path)
	if n == nil || n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
		return ""
	}
	return n.Value
}

// strategyOf says how a workload wants its pods replaced: the type, and what it says
// of the rollout.
func strategyOf(r *graph.Resource, item *yaml.Node) string {
	for _, field := range []yamldoc.Path{"spec.strategy", "spec.updateStrategy"} {
		n := nodeAt(item, field)
		if n == nil || n.Kind != yaml.MappingNode {
			continue
		}
		kind := scalarAt(n, "type")
		if kind == "" && r.Group == "apps" {
			kind = "RollingUpdate"
		}
		var parts []string
		rolling := nodeAt(n, "rollingUpdate")
		if kind == "" && nodeAt(n, "canary") != nil {
			kind = "canary"
		} else if kind == "" && nodeAt(n, "blueGreen") != nil {
			kind = "blueGreen"
		}
		if rolling != nil && rolling.Kind == yaml.MappingNode {
			_ = yamldoc.Each(rolling, new(yamldoc.Budget), func(key string, value *yaml.Node, _ bool) error {
				if value = yamldoc.Resolve(value); value.Kind == yaml.ScalarNode && value.Tag != "!!null" {
					parts = append(parts, key+" "+value.Value)
				}
				return nil
			})
		}
		slices.Sort(parts)
		if kind != "" {
			parts = slices.Insert(parts, 0, kind)
		}
		if len(parts) > 0 {
			return strings.Join(parts, ", ")
		}
	}
	if r.Group == "apps" && slices.Contains([]string{"Deployment", "StatefulSet", "DaemonSet"}, r.Kind) {
		return "RollingUpdate"
	}
	return ""
}
