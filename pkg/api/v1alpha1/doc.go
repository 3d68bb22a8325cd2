// Package v1alpha1 holds the functionConfig ConfigHash: its types, defaults and rules, and its JSON Schema.
//
//   - [Parse] and [ParseYAML] read a ConfigHash, or kpt's flat form, a
//     ConfigMap with the same fields by dotted path.
//   - [New] makes one with all defaults. A program may also fill in a
//     [ConfigHash] itself; [ConfigHash.Complete] checks it and sets the defaults.
//   - [Schema] describes a document for editors and validators.
//
// Reading is strict: an unknown field, a wrong type, an unknown value and a duplicate key are errors. [Errors] holds
// all of them, each with its path. No error quotes the salt.
//
// The struct tags of [ConfigHash] define every field once: its name (required unless the tag has omitempty or
// omitzero), meaning, default, allowed values and format. Parse, Complete and the schema all follow them.
//
// Package function implements what a functionConfig does to manifests. Names, types and meanings of fields stay the
// same within v1alpha1; new fields may be added, so set fields by name and compare only what you need.
package v1alpha1
