// Command parse parses the items of a ResourceList as the function's items are
// parsed, each by itself and as many at a time as there are processors, and
// drops the trees. It does nothing else: what the function takes beyond it is for
// all the rest. Its argument says by what to parse: yaml.v3 or yamldoc.
package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"runtime"
	"sync"
	"sync/atomic"

	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/yamldoc"
)

func main() {
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "parse:", err)
		os.Exit(1)
	}
}

func run(by string) error {
	data, err := io.ReadAll(os.Stdin)
	if err != nil {
		return err
	}
	items := bytes.Split(data, []byte("\n- "))[1:]
	if last := len(items) - 1; last >= 0 {
		items[last], _, _ = bytes.Cut(items[last], []byte("\nfunctionConfig:"))
	}
	var next atomic.Int64
	var group sync.WaitGroup
	errs := make([]error, runtime.GOMAXPROCS(0))
	for w := range errs {
		group.Go(func() {
			var parser yamldoc.Parser
			for errs[w] == nil {
				i := int(next.Add(1)) - 1
				if i >= len(items) {
					return
				}
				// The item's own lines are two columns in, its first is not: as an
				// element of a list it is whole again.
				text := append([]byte("- "), items[i]...)
				if by == "yamldoc" {
					_, errs[w] = parser.Parse(text)
				} else {
					errs[w] = yaml.Unmarshal(text, &yaml.Node{})
				}
			}
		})
	}
	group.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	_, err = fmt.Println(len(items))
	return err
}
