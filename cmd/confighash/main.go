// The command confighash renames ConfigMaps and Secrets by their content, or stamps
// checksums of it, so that a changed configuration restarts the pods that use it. It is a
// KRM function: it reads a ResourceList, or a stream of manifests, from stdin and writes it
// to stdout.
package main

import "github.com/confighash/confighash/internal/cli"

// version is set by the linker.
var version string

func main() {
	cli.Main(version)
}
