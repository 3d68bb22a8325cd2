// Package cli is the command line of confighash: its commands, flags, exit codes and
// messages. Main is the program.
package cli

import (
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/confighash/confighash/internal/report"
	"github.com/confighash/confighash/pkg/function"
)

// gcPercent lets garbage grow to several times what is in use before it is collected.
// Most of it is the trees of items that are done, and small compared with what a reader
// of the whole input would keep.
const gcPercent = 400

// Main runs the command with this process's arguments and streams, and exits. linked is
// the version of the program, or empty if the linker did not set it.
func Main(linked string) {
	if linked != "" {
		version = linked
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	// If the reader goes away, that is an error of writing like any other: it is reported,
	// and the exit code is 1.
	signal.Ignore(syscall.SIGPIPE)
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// memoryBase and memoryPerByte are how much memory garbage may fill before it is
// collected in any case: well below the 150 MiB and 300 bytes for each byte of input that
// docs/internals/reliability.md promises.
const (
	memoryBase    = 96 << 20
	memoryPerByte = 150
)

// boundGarbage sets when garbage is collected, for an input of that size, unless the
// environment does.
func boundGarbage(size int) {
	if os.Getenv("GOGC") == "" && os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryBase + memoryPerByte*int64(size))
	}
}

// run is Main without the process. It returns the exit code.
func run(args []string, stdin, stdout, stderr *os.File) int {
	root := NewRoot(stdin, stdout, stderr)
	if strings.HasPrefix(filepath.Base(os.Args[0]), "kubectl-") { // kubectl runs it as a plugin
		root.Annotations = map[string]string{cobra.CommandDisplayNameAnnotation: "kubectl confighash"}
	}
	out := &firstError{w: stdout}
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(out)
	root.SetErr(stderr)
	refuseUnknown(root)
	cmd, err := root.ExecuteC()
	if err == nil && out.err != nil {
		err = fault(&function.WriteError{Err: out.err})
	}
	if err == nil {
		return 0
	}
	failure := asFailure(cmd, err)
	for _, line := range failure.lines {
		say(stderr, "error", line)
	}
	return failure.code
}

// A firstError is a writer that keeps its first error: cobra ignores errors when it
// prints help or a version.
type firstError struct {
	w   io.Writer
	err error
}

func (f *firstError) Write(p []byte) (int, error) {
	if f.err == nil {
		_, f.err = f.w.Write(p)
	}
	return len(p), nil
}

// hasColours reports whether f is a terminal that may be sent colours: by
// https://no-color.org, and if it can show them.
func hasColours(f *os.File) bool {
	t := os.Getenv("TERM")
	return os.Getenv("NO_COLOR") == "" && t != "" && t != "dumb" && term.IsTerminal(int(f.Fd()))
}

// say writes a message to stderr: on a terminal, with its severity in a colour. Names in it
// may hold characters that would steer a terminal.
func say(stderr *os.File, severity, text string) {
	heading := severity + ":"
	if colour := map[string]string{"error": "31", "warning": "33"}[severity]; colour != "" && hasColours(stderr) {
		heading = "\x1b[" + colour + "m" + heading + "\x1b[0m"
	}
	fmt.Fprintf(stderr, "%s %s\n", heading, report.Printable(text, '\n', '\t'))
}
