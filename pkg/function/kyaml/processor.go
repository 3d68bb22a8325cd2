package kyaml

import (
	"go.yaml.in/yaml/v3"
	"sigs.k8s.io/kustomize/kyaml/fn/framework"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/confighash/confighash/pkg/api/v1alpha1"
	"github.com/confighash/confighash/pkg/function"
)

// A Processor is the function as a framework.ResourceListProcessor. The zero value follows the ResourceList's
// functionConfig.
type Processor struct {
	// Config configures the function. If it is set, the ResourceList's functionConfig belongs to another function and
	// is ignored.
	Config *v1alpha1.ConfigHash
	// Namespace is for items without one. It takes precedence over the functionConfig's.
	Namespace string
	// Salt is used if the functionConfig has no salt. The environment is not read.
	Salt string
}

var _ framework.ResourceListProcessor = Processor{}

// Process edits the items of list in place and appends to its results. It neither adds, removes nor reorders items.
//
// An error means that items or the functionConfig are invalid. It is also in the results, and no item has changed.
func (p Processor) Process(list *framework.ResourceList) error {
	items := make([]*yaml.Node, len(list.Items))
	for i, item := range list.Items {
		items[i] = item.YNode() // nil for a nil item, which the function reports
	}
	var config *yaml.Node
	if !list.FunctionConfig.IsNilOrEmpty() {
		config = list.FunctionConfig.YNode()
	}
	out, err := function.Nodes(items, config, function.Options{Config: p.Config, Namespace: p.Namespace, Salt: p.Salt})
	for _, r := range out.Results {
		result := &framework.Result{Message: r.Message, Severity: framework.Severity(r.Severity), File: (*framework.File)(r.File)}
		if ref := r.ResourceRef; ref != nil {
			result.ResourceRef = &kyaml.ResourceIdentifier{
				TypeMeta: kyaml.TypeMeta{APIVersion: ref.APIVersion, Kind: ref.Kind},
				NameMeta: kyaml.NameMeta{Name: ref.Name, Namespace: ref.Namespace},
			}
		}
		if r.Field != nil {
			result.Field = &framework.Field{Path: r.Field.Path}
		}
		list.Results = append(list.Results, result)
	}
	return err
}
