package cli

import "runtime/debug"

// version is what the linker gave the program; see Main.
var version = "dev"

// stampedVersion returns the version of this program: the linker's, or, where
// `go install MODULE@VERSION` made it without one, the module's.
func stampedVersion() string {
	if version != "dev" {
		return version // without a look at the build's information: a start counts
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return version
	}
	return versionOf(version, info.Main)
}

// versionOf returns the version of main, or stamped where it is a build from a
// working copy: that has no digest.
func versionOf(stamped string, main debug.Module) string {
	if main.Sum == "" || main.Version == "" {
		return stamped
	}
	return main.Version
}
