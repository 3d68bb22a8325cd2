// Command compare makes the same changes under confighash, Reloader, wave, kapp, Helm and kustomize, each on its own
// Kubernetes control plane, and counts what restarts.
//
// The changes are in rows.yaml. Each has a namespace with a Deployment, a StatefulSet and a DaemonSet. All rows are
// installed, then all make their first step, and so on, so that it waits for a tool only once per step. A restart is a
// change of the stored pod template, or a new Job, on the API server's watch.
//
// `make compare` builds the tools and runs it. It writes results.json and the tables of docs/compare.md.
package main
