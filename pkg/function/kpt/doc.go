// Package kpt runs the function in programs built on kpt's SDK, github.com/kptdev/krm-functions-sdk/go/fn: [Processor]
// processes its resource lists.
//
// A separate function reads a ResourceList from stdin, with its functionConfig:
//
//	func main() {
//		if err := fn.AsMain(kpt.Processor{Salt: os.Getenv("CONFIGHASH_SALT")}); err != nil {
//			os.Exit(1)
//		}
//	}
//
// A step of a function with another functionConfig gets its own in Config:
//
//	roll := kpt.Processor{Config: v1alpha1.New(v1alpha1.ModeRename, v1alpha1.PolicyAll)}
//	err := fn.AsMain(fn.Chain(generate, roll))
//
// Run it after everything that makes or changes ConfigMaps, Secrets and workloads: it sees only what is in the list.
//
// The output is the executable's, with the same promise of stability as in
// [github.com/confighash/confighash/pkg/function]. Programs built only on kyaml use
// [github.com/confighash/confighash/pkg/function/kyaml]; those that hold manifests as text use Process of package
// function. Neither links the SDK.
package kpt
