// Package impact foretells what an apply of one set of manifests does where
// another one runs: which workloads roll and why, which stay with an earlier
// configuration, what the API server refuses, and what goes while it may still be
// needed.
//
// It compares what the API server stores. A workload rolls if its pod template
// differs there; whatever else its kind does on such a change, package catalog
// knows. Whether manifests have been through this project's function does not
// matter: an object that was renamed is the same one under its name without the
// hash.
package impact
