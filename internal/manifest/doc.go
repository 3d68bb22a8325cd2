// Package manifest splits a ResourceList, or a stream of YAML or JSON documents, into chunks of bytes that contain its
// items ([Split]), parses them ([Parse]), and writes them back ([Input.Write]). Bytes that are not replaced stay the
// same.
//
// The first characters of lines show where items begin, without parsing the whole:
//
//   - A line that starts with "---" or "..." is always a document marker: YAML
//     forbids it in a quoted scalar and, at column 0, in a block scalar.
//   - In a block sequence at column c, a line of c spaces, "-" and a space
//     begins the next item. If it were inside a quoted scalar or a flow
//     collection, the text before it would be incomplete and would not parse;
//     inside a block or a plain scalar it would be indented further.
//
// So each Chunk is parsed separately. If a chunk does not parse or does not have exactly one item, the document cannot
// be split: anchors are used across items, items are in flow style, or it is not YAML at all. Then the whole document
// is parsed as one chunk, with the same result, or the parser's error.
package manifest
