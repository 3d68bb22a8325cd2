// Package v1alpha1 holds the functionConfig ConfigHash: its types, its
// defaults, how it is read and checked, and its JSON Schema.
//
//   - Reading is strict: an unknown field, a wrong type, an unknown value and a
//     key that stands twice are errors. All of them are collected, in the
//     document's order, each with its path.
//   - kpt's flat form, a ConfigMap that holds the same fields by dotted path, is
//     read to the same ConfigHash.
//   - fields.go describes every field once: name, meaning, type, default and
//     allowed values. The reader and the schema are both made from that
//     description.
//   - A null stands for the default. Aliases and merge keys are resolved.
//   - The salt is a secret: no error quotes it.
package v1alpha1
