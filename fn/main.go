// The command confighash renames ConfigMaps and Secrets by their content, and
// makes every reference follow. It is a KRM function: it reads a ResourceList,
// or a stream of manifests, from stdin and writes it to stdout.
package main

import (
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
)

// version is set by the linker.
var version = "dev"

// gcPercent lets garbage grow to several times what is in use before it is
// collected. Most of it is the trees of items that are done with, small beside
// what a reader of the whole input would keep.
const gcPercent = 400

func main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	// A reader that goes away is an error of writing like any other, to be
	// told and to exit 1 for.
	signal.Ignore(syscall.SIGPIPE)
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run is main without the process. It returns the exit code.
func run(args []string, stdin, stdout, stderr *os.File) int {
	root := newRoot(stdin, stdout, stderr)
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.Execute()
	if err == nil {
		return 0
	}
	failure := asFailure(err)
	for _, line := range failure.lines {
		fmt.Fprintf(stderr, "error: %s\n", line)
	}
	return failure.code
}
