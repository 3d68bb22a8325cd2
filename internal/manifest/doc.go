// Package stream takes a ResourceList, or a stream of YAML or JSON documents,
// apart into the runs of bytes that hold its items, and puts it together
// again. What is not replaced leaves as the bytes that came.
//
// Items are told apart by their first lines alone, without parsing the whole:
//
//   - A line that starts with "---" or "..." is a document marker wherever it
//     stands: YAML allows it neither in a quoted scalar nor, at column 0, in a
//     block scalar.
//   - In a block sequence at column c, a line of c spaces, "-" and a space
//     begins the next item. Were it inside a quoted scalar or a flow
//     collection, the text before it would end in the middle of one, and so
//     would not parse; inside a block or a plain scalar it would be indented
//     further.
//
// So each Chunk is parsed by itself, and a chunk that does not parse, or holds
// more or less than one item, means that the document cannot be split: anchors
// reach across items, items stand in flow style, or it is not YAML at all.
// Then the whole document is parsed as one chunk, to the same result, or to
// the error of the parser.
package manifest
