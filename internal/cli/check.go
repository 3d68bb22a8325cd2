package cli

import (
	"bufio"
	"os"

	"github.com/confighash/confighash/pkg/function"
)

// check compares stdin with what the function makes of it.
func check(f flags, stdin, stdout, stderr *os.File) error {
	data, options, err := f.read(stdin)
	if err != nil {
		return fault(err)
	}
	w := bufio.NewWriterSize(stdout, 1<<20)
	changed, out, err := function.Check(data, w, options)
	if err := flush(w, err); err != nil {
		return err
	}
	tell(stderr, out)
	if changed {
		return &failure{code: exitDiffers}
	}
	return nil
}
