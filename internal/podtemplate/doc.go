// Package podtemplate reports where two pod templates differ for the API server.
//
// A workload rolls when its pod template, as the API server stores it, changes. The server decodes a manifest into Go
// types, which do not record whether an empty value was written or left out, and fills in defaults. So templates with
// different texts may be stored alike: they may differ in the order of keys, quotes, 0644 or 420, 1000m or 1, protocol:
// TCP or none. [Read] normalizes a template, and [Diff] compares two of them. [ReadFixed] does the same for the
// immutable fields of a resource outside of its templates, such as the selector of a Deployment.
//
// The types and the defaults are data, in types.yaml. Scalars are read like kubectl does, as YAML 1.1: yes is true, and
// 010 is 8.
//
// The package is not for Pods, to which the API server adds defaults that it does not add to templates, and admission
// adds more. Nor does it know what admission webhooks do to a workload, or which feature gates are off: a server that
// drops a field because of a gate stores the same with and without it, but Diff reports a difference. In Kubernetes
// 1.36 those fields are clusterTrustBundle and podCertificate in projected volumes, schedulingGroup, and stopSignal in
// lifecycle.
package podtemplate
