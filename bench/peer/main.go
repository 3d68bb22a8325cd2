// Command peer is what the function is compared with. Its argument says what it does: kpt-sdk
// is a function of the kpt SDK that does nothing; yaml.v3 and yamldoc parse the items of a
// ResourceList as the function does, as many at a time as there are processors, and drop the
// trees.
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
		os.Args = os.Args[:1] // the SDK reads the files that arguments name
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

// parse parses the items of stdin, with a parser for each processor.
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
				// All lines of the item but the first are indented: as the element of a
				// list it is whole again.
				if err := parse(append([]byte("- "), items[i-1]...)); err != nil {
					log.Fatal(err)
				}
			}
		})
	}
	group.Wait()
}
