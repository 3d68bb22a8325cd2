// Package kyaml is the function for programs that are built on kustomize's
// kyaml: a processor for the framework of KRM functions, and so the function
// for any [sigs.k8s.io/kustomize/kyaml/yaml.RNode] that a program holds.
//
// As a function of its own, that reads a ResourceList from stdin and its
// functionConfig in it:
//
//	func main() {
//		err := framework.Execute(kyaml.Processor{Salt: os.Getenv("CONFIGHASH_SALT")}, nil)
//		if err != nil {
//			fmt.Fprintln(os.Stderr, err)
//			os.Exit(1)
//		}
//	}
//
// In a program with a functionConfig of its own, or with none, say in Config
// what to do, and call Process with the items:
//
//	list := &framework.ResourceList{Items: nodes}
//	p := kyaml.Processor{Config: v1alpha1.New(v1alpha1.ModeRename, v1alpha1.PolicyAll)}
//	err := p.Process(list)
//
// The nodes are changed where they stand, and what there is to tell of them is in
// list.Results. Hand over all that is applied together in one call: what is
// not among the items, the function does not see, neither a ConfigMap nor who
// refers to it.
//
// What comes out is what the executable gives. Programs that are built on the SDK
// of kpt take [github.com/confighash/confighash/pkg/function/kpt], and those that
// hold manifests as text take Process of
// [github.com/confighash/confighash/pkg/function]: it links neither framework.
package kyaml
