// Package catalog holds the knowledge about Kubernetes kinds: which of their fields name a ConfigMap or a Secret, where
// their pod templates are and what a change of one does, what else provides a Secret, and which objects are never
// renamed. All of it is data: YAML files that are built into the program and described in data/README.md. Another kind
// or field takes a line there, not Go code.
//
// [Builtin] returns the catalogue, and [Catalog.Kind] its entry for a kind. A file is split into documents when a kind
// of its group is asked for, and only documents about that kind are parsed. An error in the data is a bug: it panics,
// and tests load all of it.
package catalog
