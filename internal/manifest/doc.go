// Package manifest splits a ResourceList, or a stream of YAML or JSON documents, into
// chunks of bytes that have its items ([Split]), parses them ([Parse]), and writes
// them back ([Input.Write]). What is not replaced keeps the bytes that it had.
//
// The first characters of lines show where items begin, without parsing the whole:
//
//   - A line that starts with "---" or "..." is a document marker wherever it
//     is: YAML allows it neither in a quoted scalar nor, at column 0, in a
//     block scalar.
//   - In a block sequence at column c, a line of c spaces, "-" and a space
//     begins the next item. If it were inside a quoted scalar or a flow
//     collection, the text before it would end in the middle of one, and so
//     would not parse; inside a block or a plain scalar it would be indented
//     further.
//
// So each Chunk is parsed by itself, and a chunk that does not parse, or has more or
// less than one item, shows that the document cannot be split: anchors reach across
// items, items are in flow style, or it is not YAML at all. Then the whole document
// is parsed as one chunk, with the same result, or the parser's error.
package manifest
