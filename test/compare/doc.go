// Command compare makes the same changes under confighash, Reloader, wave, kapp, Helm and
// kustomize, on a control plane of Kubernetes for each, and counts what restarts.
//
// The changes are in rows.yaml. Each has a namespace with a Deployment, a StatefulSet
// and a DaemonSet. All rows are installed, then all make their first step, and so on, so
// that a tool is waited for once a step. A restart is a change of the stored pod
// template, or a new Job, on the API server's watch.
//
// `make compare` builds the tools and runs it; results.json and the tables of
// docs/compare.md are what it writes.
package main
