// Package fast reads the part of YAML that most manifests are written in, faster
// than yaml.v3 does. Only package yamldoc uses it.
//
// That part is: mappings and sequences in block style, scalars on one line, literal
// scalars, now and then a flow collection. [Parser] reads it in one pass over the
// bytes. It leaves a document with anything else (anchors, aliases, tags, complex
// keys, other scalars over several lines, tabs, other line breaks, anything that may be
// wrong) to yaml.v3: it never decides by itself that a text is invalid.
//
// Its trees are those of yaml.v3, to the line and the column, but without comments.
package fast
