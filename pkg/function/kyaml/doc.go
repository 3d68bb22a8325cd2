// Package kyaml runs the function in programs built on kustomize's kyaml:
// [Processor] is a processor for the framework of KRM functions, and so for any
// [sigs.k8s.io/kustomize/kyaml/yaml.RNode] that a program holds.
//
// A function of its own reads a ResourceList from stdin, with its functionConfig:
//
//	func main() {
//		err := framework.Execute(kyaml.Processor{Salt: os.Getenv("CONFIGHASH_SALT")}, nil)
//		if err != nil {
//			fmt.Fprintln(os.Stderr, err)
//			os.Exit(1)
//		}
//	}
//
// A program with another functionConfig, or with none, says in Config what to do and
// calls Process with the items:
//
//	list := &framework.ResourceList{Items: nodes}
//	p := kyaml.Processor{Config: v1alpha1.New(v1alpha1.ModeRename, v1alpha1.PolicyAll)}
//	err := p.Process(list)
//
// Process edits the nodes in place and appends to list.Results. Pass everything that
// is applied together in one call: the function does not see what is missing,
// neither a ConfigMap nor its consumers.
//
// The output is the executable's, and stays the same as
// [github.com/confighash/confighash/pkg/function] promises. Programs built on kpt's
// SDK use [github.com/confighash/confighash/pkg/function/kpt]; those that hold
// manifests as text use Process of package function, which links neither framework.
package kyaml
