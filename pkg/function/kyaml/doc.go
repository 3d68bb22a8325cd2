// Package kyaml runs the function in programs built on kustomize's kyaml: [Processor] is a processor for the framework
// of KRM functions, and so for any [sigs.k8s.io/kustomize/kyaml/yaml.RNode] that a program holds.
//
// A separate function reads a ResourceList from stdin, with its functionConfig:
//
//	func main() {
//		err := framework.Execute(kyaml.Processor{Salt: os.Getenv("CONFIGHASH_SALT")}, nil)
//		if err != nil {
//			fmt.Fprintln(os.Stderr, err)
//			os.Exit(1)
//		}
//	}
//
// A program with another functionConfig, or with none, sets Config and calls Process with the items:
//
//	list := &framework.ResourceList{Items: nodes}
//	p := kyaml.Processor{Config: v1alpha1.New(v1alpha1.ModeRename, v1alpha1.PolicyAll)}
//	err := p.Process(list)
//
// Process edits the nodes in place and appends to list.Results. Pass everything that is applied together in one call:
// the function cannot see missing ConfigMaps or consumers.
//
// The output is the executable's, with the same promise of stability as in
// [github.com/confighash/confighash/pkg/function]. Programs built on kpt's SDK use
// [github.com/confighash/confighash/pkg/function/kpt]; those that hold manifests as text use Process of package
// function, which links neither framework.
package kyaml
