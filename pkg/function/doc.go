// Package function is the KRM function as a library. It restarts workloads when their ConfigMaps and Secrets change: it
// renames these by a hash of their content and rewrites references to them, or stamps checksums on pod templates.
//
//   - [Process] takes manifests as text: a ResourceList or a stream of documents.
//   - [Check] compares the output of Process with its input.
//   - [Nodes] takes resources that a program holds as yaml.Nodes.
//
// The functionConfig in the input, or [Options], configures the function; package
// [github.com/confighash/confighash/pkg/api/v1alpha1] has its types. Programs built on kyaml or on kpt's SDK use the
// processors of packages kyaml and kpt.
//
// Pass everything that is applied together in one call: the function cannot see missing ConfigMaps or consumers. It
// reads no files, no cluster and no environment variables, so it cannot find out what is running.
//
// Calls are independent and may be concurrent. The output for the same input stays the same within a minor version, as
// other names and checksums restart pods. Texts of messages may change; compare [Result.Severity] and
// [Result.ResourceRef] instead.
package function
