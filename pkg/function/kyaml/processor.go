package kyaml

import (
	"go.yaml.in/yaml/v3"
	"sigs.k8s.io/kustomize/kyaml/fn/framework"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/confighash/confighash/pkg/api/v1alpha1"
	"github.com/confighash/confighash/pkg/function"
)

// A Processor is the function as a framework.ResourceListProcessor. The zero
// value does what the ResourceList's functionConfig says.
type Processor struct {
	// Config says what to do. Where it is given, the ResourceList's
	// functionConfig is another's: it is not read.
	Config *v1alpha1.ConfigHash
	// Namespace is where items that name no namespace will be applied. It goes
	// before that of the functionConfig.
	Namespace string
	// Salt stands for the functionConfig's salt where that is empty. The
	// environment is not read.
	Salt string
}

var _ framework.ResourceListProcessor = Processor{}

// Process transforms the items of list where they stand, and appends to its
// results. It changes neither which items there are nor their order.
//
// An error means that items or functionConfig are at fault. The results tell of
// it as well, and no item has changed.
func (p Processor) Process(list *framework.ResourceList) error {
	items := make([]*yaml.Node, len(list.Items))
	for i, item := range list.Items {
		if item != nil { // of nil, the function says which it is
			items[i] = item.YNode()
		}
	}
	var config *yaml.Node
	if !list.FunctionConfig.IsNilOrEmpty() {
		config = list.FunctionConfig.YNode()
	}
	out, err := function.Nodes(items, config, function.Options{Config: p.Config, Namespace: p.Namespace, Salt: p.Salt})
	for _, r := range out.Results {
		list.Results = append(list.Results, result(r))
	}
	return err
}

// result returns a result as the framework has it.
func result(r function.Result) *framework.Result {
	out := &framework.Result{Message: r.Message, Severity: framework.Severity(r.Severity)}
	if ref := r.ResourceRef; ref != nil {
		out.ResourceRef = &kyaml.ResourceIdentifier{
			TypeMeta: kyaml.TypeMeta{APIVersion: ref.APIVersion, Kind: ref.Kind},
			NameMeta: kyaml.NameMeta{Name: ref.Name, Namespace: ref.Namespace},
		}
	}
	if r.Field != nil {
		out.Field = &framework.Field{Path: r.Field.Path}
	}
	if r.File != nil {
		out.File = &framework.File{Path: r.File.Path, Index: r.File.Index}
	}
	return out
}
