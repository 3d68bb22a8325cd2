// Package impact predicts the effect of applying one set of manifests over another: which workloads roll and why, which
// keep an earlier configuration, what the API server refuses, and what is removed while something may still need it.
//
// [Compare] compares what the API server stores. A workload rolls if its pod template differs there; package catalog
// knows what else its kind does on such a change. It does not matter whether confighash has processed the manifests: an
// object that was renamed is identified by its name without the hash.
package impact
