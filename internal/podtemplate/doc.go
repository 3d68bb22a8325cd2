// Package podtemplate tells whether two pod templates are the same to the API
// server, and where they differ.
//
// A workload rolls when its pod template, as the API server stores it, differs from
// the one before. The server decodes a manifest into Go types, which forget whether an
// empty value was written or left out, and fills in defaults. So much of what can
// differ in text is no difference: the order of keys, quotes, 0644 for 420, 1000m for 1,
// protocol: TCP or none. [Read] brings a template into a form in which what is
// stored alike is alike, and [Diff] compares two of them.
//
// What the types and the defaults are is data, in types.yaml. Texts are read as kubectl
// reads them, by YAML 1.1: yes is true, and 010 is 8.
//
// It is not for Pods: to these the API server adds defaults that it does not add to
// templates, and admission adds more. Nor does it know what admission webhooks do to a
// workload, or which feature gates are off: a server that drops a field for that stores
// the same with it and without, and a difference is told. In Kubernetes 1.36 those are
// clusterTrustBundle and podCertificate in projected volumes, schedulingGroup, and
// stopSignal in lifecycle.
package podtemplate
