// Command identity is a function that does nothing, written with the kpt SDK:
// what reading and writing a ResourceList costs there.
package main

import (
	"os"

	"github.com/kptdev/krm-functions-sdk/go/fn"
)

func main() {
	nothing := func(*fn.ResourceList) (bool, error) { return true, nil }
	if err := fn.AsMain(fn.ResourceListProcessorFunc(nothing)); err != nil {
		os.Exit(1)
	}
}
