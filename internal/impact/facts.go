package impact

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/podtemplate"
	"github.com/confighash/confighash/internal/reference"
	"github.com/confighash/confighash/internal/yamldoc"
)

// facts are what a comparison needs to know about a resource besides its references. They are read only for resources
// to which something may happen.
type facts struct {
	templates []*podtemplate.Template // of Resource.PodTemplates
	accounts  []bool                  // whether a template has both serviceAccount and serviceAccountName
	rest      *podtemplate.Template   // the whole spec, if isPartial
	suspended bool
	replicas  *int64
	strategy  string
	partition int64
	fixed     *podtemplate.Template // fields outside of the templates that cannot change; may be nil
}

func readFacts(resources []*graph.Resource) (map[*graph.Resource]*facts, error) {
	found := make(map[*graph.Resource]*facts, len(resources))
	for _, r := range resources {
		found[r] = &facts{}
	}
	_, err := graph.EachBatch(graph.Batches(resources), func(b graph.Batch) (struct{}, error) {
		return struct{}{}, b.Parse(func(r *graph.Resource, item *yaml.Node) error {
			return graph.Prefixed(r.String(), found[r].read(r, item))
		})
	})
	return found, err
}

func (f *facts) read(r *graph.Resource, item *yaml.Node) (err error) {
	for i := range r.PodTemplates {
		t, err := readTemplate(r, &r.PodTemplates[i], item)
		if err != nil {
			return err
		}
		f.templates = append(f.templates, t)
		spec := r.PodTemplates[i].Spec
		f.accounts = append(f.accounts, yamldoc.StringOf(yamldoc.At(item, spec.Key("serviceAccount"))) != "" && yamldoc.StringOf(yamldoc.At(item, spec.Key("serviceAccountName"))) != "")
	}
	if n, err := strconv.ParseInt(yamldoc.StringOf(yamldoc.At(item, "spec.replicas")), 0, 64); err == nil {
		f.replicas = &n
	}
	if at := workloadOf(r).Partition; at != "" {
		f.partition, _ = strconv.ParseInt(yamldoc.StringOf(yamldoc.At(item, yamldoc.Path(at))), 0, 64)
	}
	if n := yamldoc.At(item, "spec.suspend"); n != nil {
		f.suspended, _ = yamldoc.Bool(n)
	}
	f.strategy = strategyOf(r, item)
	if isPartial(r) {
		if f.rest, err = podtemplate.Read(mapOf("spec", yamldoc.At(item, "spec")), false); err != nil {
			return err
		}
	}
	if kind := kindOf(r); podtemplate.IsFixed(kind) {
		f.fixed, err = podtemplate.ReadFixed(kind, item)
	}
	return err
}

// isPartial reports whether a custom resource is more than a workload around one pod template: its operator makes pods
// from more than the catalogue knows.
func isPartial(r *graph.Resource) bool {
	return !workloadOf(r).BuiltIn && slices.ContainsFunc(r.PodTemplates, func(t reference.PodTemplate) bool {
		return !t.Whole || t.Root != "spec.template"
	})
}

func workloadOf(r *graph.Resource) *catalog.WorkloadRule {
	kind := catalog.Builtin().Kind(r.Group, r.Version, r.Kind)
	if kind == nil || kind.Workload == nil {
		return &catalog.WorkloadRule{}
	}
	return kind.Workload
}

func readTemplate(r *graph.Resource, t *reference.PodTemplate, item *yaml.Node) (*podtemplate.Template, error) {
	template := yamldoc.At(item, t.Root)
	if !t.Whole || isPod(t) {
		template = mapOf("", nil)
		if t.AnnotationsAt != "" {
			template = mapOf("metadata", mapOf("annotations", yamldoc.At(item, t.AnnotationsAt)))
		}
		if t.Spec != "" {
			template.Content = append(template.Content, mapOf("spec", yamldoc.At(item, t.Spec)).Content...)
		}
	}
	return podtemplate.Read(template, workloadOf(r).BuiltIn)
}

// mapOf returns a mapping with one entry, or an empty one if value is nil.
func mapOf(key string, value *yaml.Node) *yaml.Node {
	m := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	if value != nil {
		m.Content = []*yaml.Node{{Kind: yaml.ScalarNode, Tag: "!!str", Value: key}, value}
	}
	return m
}

func elementsAt(n *yaml.Node, path yamldoc.Path) []*yaml.Node {
	if n = yamldoc.At(n, path); n == nil || n.Kind != yaml.SequenceNode {
		return nil
	}
	return n.Content
}

// strategyOf returns how a workload replaces its pods: the type, and the limits of a rolling update.
func strategyOf(r *graph.Resource, item *yaml.Node) string {
	byDefault := workloadOf(r).Strategy
	for _, field := range []yamldoc.Path{"spec.strategy", "spec.updateStrategy"} {
		n := yamldoc.At(item, field)
		if n == nil || n.Kind != yaml.MappingNode {
			continue
		}
		var parts []string
		if rolling := yamldoc.At(n, "rollingUpdate"); rolling != nil && rolling.Kind == yaml.MappingNode {
			_ = yamldoc.Each(rolling, new(yamldoc.Budget), func(key string, value *yaml.Node, _ bool) error {
				if value = yamldoc.Resolve(value); value.Kind == yaml.ScalarNode && value.Tag != "!!null" {
					parts = append(parts, key+" "+value.Value)
				}
				return nil
			})
		}
		slices.Sort(parts)
		kind := cmp.Or(yamldoc.StringOf(yamldoc.At(n, "type")), byDefault)
		for _, other := range []yamldoc.Path{"canary", "blueGreen"} {
			if kind == "" && yamldoc.At(n, other) != nil {
				kind = string(other)
			}
		}
		if kind != "" {
			parts = slices.Insert(parts, 0, kind)
		}
		if len(parts) > 0 {
			return strings.Join(parts, ", ")
		}
	}
	return byDefault
}
