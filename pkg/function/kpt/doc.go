// Package kpt is the function for programs that are built on the SDK of kpt,
// github.com/kptdev/krm-functions-sdk/go/fn: a processor of its resource
// lists.
//
// As a function of its own, that reads a ResourceList from stdin and its
// functionConfig in it:
//
//	func main() {
//		if err := fn.AsMain(kpt.Processor{Salt: os.Getenv("CONFIGHASH_SALT")}); err != nil {
//			os.Exit(1)
//		}
//	}
//
// As a step of a function with a functionConfig of its own, say in Config what
// to do:
//
//	roll := kpt.Processor{Config: v1alpha1.New(v1alpha1.ModeRename, v1alpha1.PolicyAll)}
//	err := fn.AsMain(fn.Chain(generate, roll))
//
// The function belongs behind whatever makes or changes ConfigMaps, Secrets and
// workloads: it sees only what the list holds.
//
// What comes out is what the executable gives. Programs that are built on kyaml alone
// take [github.com/confighash/confighash/pkg/function/kyaml], and those that hold
// manifests as text take Process of
// [github.com/confighash/confighash/pkg/function]; neither links the SDK.
package kpt
