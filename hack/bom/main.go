// Command bom writes the licence notices and the bill of materials of a release, for the modules linked into the
// executable. It needs only Go and those modules, so it also runs in the image's builder, without a network.
//
//	bom notices                      their licences and notices, as text
//	bom sbom [-version V] BINARY     a software bill of materials, CycloneDX 1.6
//
// Both write to stdout and are reproducible. Run them from the repository's root: make notices, make sbom.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

const usage = "usage: bom notices | bom sbom [-version V] BINARY"

// released lists the platforms of a release, which the notices cover.
var released = []platform{
	{"linux", "amd64"}, {"linux", "arm64"},
	{"darwin", "amd64"}, {"darwin", "arm64"},
	{"windows", "amd64"}, {"windows", "arm64"},
}

func main() {
	if err := run(os.Stdout, ".", os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bom:", err)
		os.Exit(1)
	}
}

// run executes a command on the module in root.
func run(out io.Writer, root string, args []string) error {
	if len(args) == 0 {
		return errors.New(usage)
	}
	flags := flag.NewFlagSet(args[0], flag.ContinueOnError)
	version := flags.String("version", "dev", "the version of the binary, as it was stamped with")
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	var text bytes.Buffer
	switch {
	case args[0] == "notices" && flags.NArg() == 0:
		modules, err := linked(root, released...)
		if err != nil {
			return err
		}
		goroot, err := exec.Command("go", "env", "GOROOT").Output()
		if err != nil {
			return fmt.Errorf("go env GOROOT: %w", err)
		}
		if err := writeNotices(&text, strings.TrimSpace(string(goroot)), modules); err != nil {
			return err
		}
	case args[0] == "sbom" && flags.NArg() == 1:
		if err := writeSBOM(&text, root, flags.Arg(0), *version); err != nil {
			return err
		}
	default:
		return errors.New(usage)
	}
	_, err := out.Write(text.Bytes())
	return err
}
