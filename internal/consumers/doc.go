// Package consumers draws who uses what in one set of manifests: which workload
// gets which ConfigMap or Secret, by which way and which keys, what else refers to
// one, which of those that are referred to are not in the set, and which of those
// in the set nothing refers to.
//
// What a resource uses is for package usage to say; no policy has a say in it.
package consumers
