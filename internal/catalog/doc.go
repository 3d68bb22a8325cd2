// Package catalog holds what is known of Kubernetes kinds: which of their
// fields name a ConfigMap or a Secret, where their pod templates are and
// what a change to one does, what else provides a Secret, and what is never
// renamed. All of it is data, YAML files built into the program, which
// data/README.md describes; a further kind or field is a line there and no line of Go.
//
// [Builtin] returns the catalogue, and [Catalog.Kind] what it says of a kind. Files are
// split when a kind of their group is asked for, and only documents about that kind are
// parsed. A defect of the data is one of the program: it panics, and tests load all of it.
package catalog
