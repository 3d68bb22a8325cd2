// Package cli is the command line of confighash: its commands, flags, exit codes and messages. Main is the program.
package cli

import (
	"bytes"
	"cmp"
	"fmt"
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

// gcPercent lets garbage grow to several times the live heap before it is collected. Most of it is the trees of
// finished items, which is small compared with keeping the whole input in memory.
const gcPercent = 400

// Main runs the command with this process's arguments and streams, and exits. linked is the program's version, or empty
// if the linker did not set it.
func Main(linked string) {
	version = cmp.Or(linked, version)
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	// A closed pipe is then reported like any other write error, with exit code 1.
	signal.Ignore(syscall.SIGPIPE)
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// memoryBase and memoryPerByte set the memory limit of the garbage collector: well below the 150 MiB and 300 bytes for
// each byte of input that docs/internals/reliability.md promises.
const (
	memoryBase    = 96 << 20
	memoryPerByte = 150
)

// boundGarbage sets the memory limit for an input of that size, unless the environment configures the garbage
// collector.
func boundGarbage(size int) {
	if os.Getenv("GOGC") == "" && os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryBase + memoryPerByte*int64(size))
	}
}

// run is Main without its effects on the process. It returns the exit code.
func run(args []string, stdin, stdout, stderr *os.File) int {
	root := NewRoot(stdin, stdout, stderr)
	if strings.HasPrefix(filepath.Base(os.Args[0]), "kubectl-") { // run as a plugin of kubectl
		root.Annotations = map[string]string{cobra.CommandDisplayNameAnnotation: "kubectl confighash"}
	}
	var out bytes.Buffer // cobra ignores errors when it prints help or a version
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(&out)
	root.SetErr(stderr)
	refuseUnknown(root)
	cmd, err := root.ExecuteC()
	if _, unwritten := out.WriteTo(stdout); err == nil && unwritten != nil {
		err = fault(&function.WriteError{Err: unwritten})
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

// hasColours reports whether f is a terminal that can show colours, and the user has not opted out
// (https://no-color.org).
func hasColours(f *os.File) bool {
	t := os.Getenv("TERM")
	return os.Getenv("NO_COLOR") == "" && t != "" && t != "dumb" && term.IsTerminal(int(f.Fd()))
}

// say writes a message to stderr, on a terminal with a coloured severity. It escapes control characters, which names in
// the message may have.
func say(stderr *os.File, severity, text string) {
	heading := severity + ":"
	if colour := map[string]string{"error": "31", "warning": "33"}[severity]; colour != "" && hasColours(stderr) {
		heading = "\x1b[" + colour + "m" + heading + "\x1b[0m"
	}
	fmt.Fprintf(stderr, "%s %s\n", heading, report.Printable(text, '\n', '\t'))
}
