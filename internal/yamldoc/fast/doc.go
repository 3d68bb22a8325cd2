// Package fast parses the part of YAML that most manifests use, faster than yaml.v3 does. Only package yamldoc uses it.
//
// That part is: mappings and sequences in block style, scalars on one line, literal scalars, and flow collections.
// [Parser] reads it in one pass over the bytes. It leaves a document with anything else (anchors, aliases, tags,
// complex keys, other scalars over several lines, tabs, other line breaks, anything that may be invalid) to yaml.v3: it
// never rejects a text itself.
//
// Its trees equal those of yaml.v3, including lines and columns, but without comments.
package fast
