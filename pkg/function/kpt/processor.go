package kpt

import (
	"github.com/kptdev/krm-functions-sdk/go/fn"
	"go.yaml.in/yaml/v3"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/confighash/confighash/pkg/api/v1alpha1"
	"github.com/confighash/confighash/pkg/function"
)

// A Processor is the function as an fn.ResourceListProcessor. The zero value follows the ResourceList's functionConfig.
type Processor struct {
	// Config configures the function. If it is set, the ResourceList's functionConfig belongs to another function and
	// is ignored.
	Config *v1alpha1.ConfigHash
	// Namespace is for items without one. It takes precedence over the functionConfig's.
	Namespace string
	// Salt is used if the functionConfig has no salt. The environment is not read.
	Salt string
}

var _ fn.ResourceListProcessor = Processor{}

// Process edits the items of list and appends to its results. It neither adds, removes nor reorders items.
//
// If items or the functionConfig are invalid, it returns false: the results say why, and no item has changed. The error
// is always nil.
func (p Processor) Process(list *fn.ResourceList) (bool, error) {
	// The SDK gives access to its nodes only by transferring them.
	nodes := make([]*kyaml.RNode, len(list.Items))
	items := make([]*yaml.Node, len(list.Items))
	for i, item := range list.Items {
		if !item.IsEmpty() { // the function reports an empty item
			nodes[i] = item.MoveToResourceNode()
			items[i] = nodes[i].YNode()
		}
	}
	var config *yaml.Node
	if !list.FunctionConfig.IsEmpty() {
		config = list.FunctionConfig.CopyToResourceNode().YNode()
	}
	out, err := function.Nodes(items, config, function.Options{Config: p.Config, Namespace: p.Namespace, Salt: p.Salt})
	for i, item := range list.Items {
		if nodes[i] != nil {
			*item = *fn.MoveToKubeObject(nodes[i])
		}
	}
	for _, r := range out.Results {
		result := &fn.Result{
			Message: r.Message, Severity: fn.Severity(r.Severity),
			ResourceRef: (*fn.ResourceRef)(r.ResourceRef), File: (*fn.File)(r.File),
		}
		if r.Field != nil {
			result.Field = &fn.Field{Path: r.Field.Path}
		}
		list.Results = append(list.Results, result)
	}
	return err == nil, nil
}
