// Command peer is the baseline for the function. Its argument selects one: kpt-sdk is a no-op function of the kpt SDK;
// yaml.v3 and yamldoc parse the items of a ResourceList, in parallel like the function, and discard the trees.
package main

import (
	"bytes"
	"io"
	"log"
	"os"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/kptdev/krm-functions-sdk/go/fn"
	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/yamldoc"
)

func main() {
	switch os.Args[1] {
	case "kpt-sdk":
		os.Args = os.Args[:1] // the SDK would read files named by arguments
		nothing := func(*fn.ResourceList) (bool, error) { return true, nil }
		if err := fn.AsMain(fn.ResourceListProcessorFunc(nothing)); err != nil {
			os.Exit(1)
		}
	case "yaml.v3":
		parse(func() func([]byte) error {
			return func(text []byte) error { return yaml.Unmarshal(text, &yaml.Node{}) }
		})
	case "yamldoc":
		parse(func() func([]byte) error {
			var parser yamldoc.Parser
			return func(text []byte) error {
				_, err := parser.Parse(text)
				return err
			}
		})
	}
}

func parse(parser func() func([]byte) error) {
	data, err := io.ReadAll(os.Stdin)
	if err != nil {
		log.Fatal(err)
	}
	data, _, _ = bytes.Cut(data, []byte("\nfunctionConfig:"))
	items := bytes.Split(data, []byte("\n- "))[1:]
	var next atomic.Int64
	var group sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			parse := parser()
			for i := next.Add(1); int(i) <= len(items); i = next.Add(1) {
				// Only the item's first line is not indented. As a list element it is valid YAML again.
				if err := parse(append([]byte("- "), items[i-1]...)); err != nil {
					log.Fatal(err)
				}
			}
		})
	}
	group.Wait()
}
