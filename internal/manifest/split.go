package manifest

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/yamldoc"
)

// A Chunk is a run of the input's bytes that parses as one YAML document: one
// item of a list with its "- ", one document of a stream, or a document with
// all its items where those cannot be split.
type Chunk struct {
	// Text is the chunk's bytes. They belong to the input: do not write.
	Text []byte
	// Line is the line of the input, from 1, on which Text begins.
	Line int

	form form
	json bool       // the chunk is JSON, as is all of its document
	tree *yaml.Node // where it had to be parsed to be recognised
	// header is what Text begins with that must stay in front: directives
	// and the document's marker.
	header []byte
	// original is what came, where Text had to be written otherwise to be
	// parsed.
	original []byte
	// item is the item's number, from 1, where items came without an input.
	item int
	// aliased is how much aliases add to the tree.
	aliased int
}

// form says where a chunk's items stand in its tree.
type form uint8

const (
	formDocument form = iota // the root is a resource, or a List of resources
	formElement              // the root is a sequence of exactly one resource
	formList                 // the root is a ResourceList, or a List: items
)

// An Input is an input taken apart.
type Input struct {
	// IsResourceList tells a ResourceList from a stream of documents.
	IsResourceList bool
	// FunctionConfig is the ResourceList's functionConfig, nil where there
	// is none. Positions in it are relative to the document.
	FunctionConfig *yaml.Node

	documents []document
	hasItems  bool // the ResourceList has the key items
	flow      bool // the ResourceList is in flow style (or JSON)
}

// A document is one document of the input: chunks with the bytes between them.
type document struct {
	text   []byte // all of it, without the markers around
	line   int
	header int // how much of text is directives and a marker
	parts  []part
}

// isBlank reports whether nothing stands in the document but comments.
func (d *document) isBlank() bool {
	return d.text == nil || isBlank(d.text[d.header:])
}

// A part is literal bytes, or a chunk.
type part struct {
	literal []byte
	chunk   *Chunk
	results bool // literal holds the ResourceList's former results: replaced
	closing bool // literal closes a ResourceList in JSON
}

// ResourceListGroup is the API group of ResourceList, by the KRM functions
// specification.
const ResourceListGroup = "config.kubernetes.io"

// Split takes data apart. It parses only what is not an item: the ends of a
// ResourceList with its functionConfig. data must not change while the Input
// is in use.
//
// Errors: data is not UTF-8 text, is a ResourceList with something behind it,
// or of an unknown version, or the ends of a ResourceList do not parse.
func Split(data []byte) (*Input, error) {
	if bytes.HasPrefix(data, []byte{0xff, 0xfe}) || bytes.HasPrefix(data, []byte{0xfe, 0xff}) {
		return nil, errors.New("the input is encoded as UTF-16; manifests must be UTF-8")
	}
	if !utf8.Valid(data) {
		at := 0
		for r, size := utf8.DecodeRune(data); r != utf8.RuneError || size != 1; r, size = utf8.DecodeRune(data[at:]) {
			at += size
		}
		return nil, fmt.Errorf("line %d: a byte is not UTF-8; manifests must be UTF-8", 1+bytes.Count(data[:at], []byte("\n")))
	}
	in := &Input{}
	docs := splitDocuments(data)
	for i := range docs {
		d := &docs[i]
		if d.isBlank() {
			continue
		}
		list, err := in.resourceList(d)
		if err != nil {
			return nil, err
		}
		if !list {
			break
		}
		for j := i + 1; j < len(docs); j++ {
			if !docs[j].isBlank() {
				return nil, fmt.Errorf("line %d: a document follows the ResourceList; a ResourceList must be the only document of its input", docs[j].line)
			}
		}
		in.documents = docs
		return in, nil
	}
	for i := range docs {
		if d := &docs[i]; d.text != nil {
			d.splitStream()
		}
	}
	in.documents = docs
	return in, nil
}

// splitDocuments splits data at its document markers. Markers and a byte order
// mark become documents without text, of one literal part; but a marker with
// content on its line, and directives with their marker, go with the document
// behind.
func splitDocuments(data []byte) []document {
	var docs []document
	literal := func(b []byte) {
		if len(b) > 0 {
			docs = append(docs, document{parts: []part{{literal: b}}})
		}
	}
	rest := data
	if bom := []byte("\xef\xbb\xbf"); bytes.HasPrefix(rest, bom) {
		literal(rest[:len(bom)])
		rest = rest[len(bom):]
	}
	line, start, startLine := 1, 0, 1
	header := 0 // how much of the document at hand is directives and marker
	flush := func(end int) {
		text := rest[start:end]
		if isDirectives(text) {
			literal(text)
		} else if len(text) > 0 {
			docs = append(docs, document{text: text, line: startLine, header: header, parts: []part{{literal: text}}})
		}
	}
	for at := 0; at < len(rest); line++ {
		end := lineEnd(rest, at)
		if isMarker(rest[at:end]) {
			content := bytes.Trim(rest[at+3:end], white)
			if isComment(content) {
				content = nil
			}
			switch isStart := rest[at] == '-'; {
			case !isStart && len(content) > 0:
				// That is no YAML, or becomes two documents to the parser.
			case isStart && bytes.Contains(rest[start:at], []byte("%TAG")) && isDirectives(rest[start:at]):
				// It says what the tags of the document behind mean. %YAML
				// says nothing that the parser would heed.
				header = at + 3 - start
			case isStart && len(content) > 0:
				// A document may begin on its marker's line, but not with a
				// block mapping.
				flush(at)
				start, startLine, header = at, line, 3
			default:
				flush(at)
				literal(rest[at:end])
				start, startLine, header = end, line+1, 0
			}
		}
		at = end
	}
	flush(len(rest))
	return docs
}

// white is YAML's white space, which is less than Unicode's.
const white = " \t\r\n"

// isMarker reports whether line, with its break, is a document marker.
func isMarker(line []byte) bool {
	if len(line) < 3 || (string(line[:3]) != "---" && string(line[:3]) != "...") {
		return false
	}
	return len(line) == 3 || line[3] == ' ' || line[3] == '\t' || line[3] == '\n' || line[3] == '\r'
}

// isDirectives reports whether text holds directives (%YAML, %TAG) and
// comments alone.
func isDirectives(text []byte) bool {
	found := false
	for at := 0; at < len(text); {
		end := lineEnd(text, at)
		line := bytes.Trim(text[at:end], white)
		switch {
		case len(line) == 0, isComment(line):
		case text[at] == '%' && !hasOtherBreaks(line):
			found = true
		default:
			return false
		}
		at = end
	}
	return found
}

// isBlank reports whether text holds comments and white space alone.
func isBlank(text []byte) bool {
	for at := 0; at < len(text); {
		end := lineEnd(text, at)
		if line := bytes.Trim(text[at:end], white); len(line) > 0 && !isComment(line) {
			return false
		}
		at = end
	}
	return true
}

// isComment reports whether line, which is without white space at both ends, is a
// comment to its end, for the parser as well.
func isComment(line []byte) bool {
	return len(line) > 0 && line[0] == '#' && !hasOtherBreaks(line)
}

// lineEnd returns where the line of text that holds at ends, behind its break.
func lineEnd(text []byte, at int) int {
	if i := bytes.IndexByte(text[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(text)
}

// hasOtherBreaks reports whether text has line breaks to the YAML parser that
// are none to lineEnd: a lone carriage return, NEL, LS or PS. Such a text is
// parsed whole.
func hasOtherBreaks(text []byte) bool {
	for _, b := range []string{"\u0085", "\u2028", "\u2029"} {
		if bytes.Contains(text, []byte(b)) {
			return true
		}
	}
	for rest := text; ; {
		i := bytes.IndexByte(rest, '\r')
		if i < 0 {
			return false
		}
		if i+1 >= len(rest) || rest[i+1] != '\n' {
			return true
		}
		rest = rest[i+1:]
	}
}

// A section is a top-level entry of a block mapping in the text.
type section struct {
	key        string
	text       []byte
	line       int // of the document, from 0
	value      []byte
	start, end int
}

// sections splits the text of a block mapping at column 0 into its entries. It
// reports false where text is anything else as far as can be seen. Comments
// and blank lines before an entry go with the entry before, or lead.
func sections(text []byte) (lead []byte, found []section, ok bool) {
	line := 0
	for at := 0; at < len(text); line++ {
		end := lineEnd(text, at)
		switch c := text[at]; {
		case c == ' ', c == '\t', c == '#', c == '\n', c == '\r':
			if len(found) == 0 && len(bytes.TrimSpace(text[at:end])) > 0 && c != '#' {
				return nil, nil, false
			}
		case c == '-' && isEntry(text[at+1:end]):
			if len(found) == 0 {
				return nil, nil, false
			}
		default:
			colon := bytes.IndexByte(text[at:end], ':')
			if colon < 0 || !isEntry(text[at+colon+1:end]) || !isPlainKey(text[at:at+colon]) {
				return nil, nil, false
			}
			if n := len(found); n > 0 {
				found[n-1].end = at
			}
			found = append(found, section{
				key: string(text[at : at+colon]), line: line, start: at, end: len(text),
				value: text[at+colon+1 : end],
			})
		}
		at = end
	}
	if len(found) == 0 {
		return nil, nil, false
	}
	for i := range found {
		found[i].text = text[found[i].start:found[i].end]
	}
	return text[:found[0].start], found, true
}

// isEntry reports whether b, what stands behind "-" or ":", makes that an
// indicator.
func isEntry(b []byte) bool {
	return len(b) == 0 || b[0] == ' ' || b[0] == '\t' || b[0] == '\n' || b[0] == '\r'
}

func isPlainKey(key []byte) bool {
	for _, c := range key {
		if (c < 'a' || 'z' < c) && (c < 'A' || 'Z' < c) {
			return false
		}
	}
	return len(key) > 0
}

// isEmptyValue reports whether nothing but white space or a comment stands
// behind a key.
func isEmptyValue(value []byte) bool {
	trimmed := bytes.TrimSpace(value)
	return len(trimmed) == 0 || trimmed[0] == '#' && len(value) > 0 && (value[0] == ' ' || value[0] == '\t')
}

// resourceList recognises d as a ResourceList and splits it. It reports false
// for any other document.
func (in *Input) resourceList(d *document) (bool, error) {
	if list, err := in.jsonResourceList(d); list || err != nil {
		return list, err
	}
	if hasOtherBreaks(d.text) {
		return in.wholeResourceList(d)
	}
	lead, found, ok := sections(d.text)
	if !ok {
		return in.wholeResourceList(d)
	}
	var head []byte
	seen := map[string]bool{}
	for _, s := range found {
		if seen[s.key] {
			return in.wholeResourceList(d) // whose parser says which key stands twice
		}
		seen[s.key] = true
		if s.key == "apiVersion" || s.key == "kind" {
			head = append(append(head, s.text...), '\n')
		}
	}
	var typ struct {
		APIVersion string `yaml:"apiVersion"`
		Kind       string `yaml:"kind"`
	}
	tree, err := parse(head)
	if err == nil {
		err = tree.Decode(&typ)
	}
	if err != nil {
		return in.wholeResourceList(d)
	}
	if typ.Kind != "ResourceList" {
		return false, nil
	}
	if err := checkVersion(typ.APIVersion, d.line); err != nil {
		return false, err
	}
	items := slices.IndexFunc(found, func(s section) bool { return s.key == "items" })
	if !endsParse(found, items) {
		return in.wholeResourceList(d)
	}
	in.IsResourceList, in.hasItems = true, items >= 0
	parts := []part{{literal: lead}}
	for _, s := range found {
		switch s.key {
		case "items":
			itemParts, ok := splitItems(s.text, s.value, d.line+s.line)
			if !ok {
				return in.wholeResourceList(d)
			}
			parts = append(parts, itemParts...)
		case "results":
			end := len(s.text) - trailingComments(s.text, 0)
			parts = append(parts, part{literal: s.text[:end], results: true}, part{literal: s.text[end:]})
		case "functionConfig":
			node, err := parse(s.text)
			if err != nil || len(node.Content) != 1 || len(node.Content[0].Content) != 2 {
				return in.wholeResourceList(d)
			}
			in.setFunctionConfig(node.Content[0].Content[1])
			parts = append(parts, part{literal: s.text})
		default:
			parts = append(parts, part{literal: s.text})
		}
	}
	d.parts = parts
	return true, nil
}

// wholeResourceList does what resourceList does by parsing the document.
func (in *Input) wholeResourceList(d *document) (bool, error) {
	if !bytes.Contains(d.text, []byte("ResourceList")) {
		return false, nil
	}
	tree, err := parse(d.text)
	if err != nil {
		// Concatenated JSON and other streams are for Parse to judge, but
		// what calls itself a ResourceList at its beginning is one.
		if head := d.text[:min(len(d.text), 200)]; bytes.Contains(head, []byte("ResourceList")) {
			return false, atLine(err, d.text, d.line)
		}
		return false, nil
	}
	if len(tree.Content) != 1 || tree.Content[0].Kind != yaml.MappingNode {
		return false, nil
	}
	root := tree.Content[0]
	if k := entry(root, "kind"); k == nil || k.Value != "ResourceList" {
		return false, nil
	}
	version := ""
	if v := entry(root, "apiVersion"); v != nil {
		version = v.Value
	}
	if err := checkVersion(version, d.line); err != nil {
		return false, err
	}
	if key := yamldoc.Duplicate(root); key != nil {
		return false, fmt.Errorf("line %d: the ResourceList has %s twice; keep one", d.line+key.Line-1, yamldoc.NameOf(root, key))
	}
	in.IsResourceList = true
	in.flow = root.Style&yaml.FlowStyle != 0
	in.setFunctionConfig(entry(root, "functionConfig"))
	items := entry(root, "items")
	in.hasItems = items != nil
	if items != nil && items.Kind != yaml.SequenceNode && items.Tag != "!!null" {
		return false, fmt.Errorf("line %d: items of the ResourceList is %s; it must be a sequence of resources", d.line+items.Line-1, describe(items))
	}
	chunk := d.chunk(formList)
	chunk.tree = tree
	d.parts = []part{{chunk: chunk}}
	return true, nil
}

// setFunctionConfig enters the functionConfig, unless it is null.
func (in *Input) setFunctionConfig(node *yaml.Node) {
	if node != nil && node.ShortTag() != "!!null" {
		in.FunctionConfig = node
	}
}

func checkVersion(apiVersion string, line int) error {
	switch apiVersion {
	case "config.kubernetes.io/v1", "config.kubernetes.io/v1beta1", "config.kubernetes.io/v1alpha1":
		return nil
	}
	return fmt.Errorf("line %d: the ResourceList has apiVersion %q; config.kubernetes.io/v1 and config.kubernetes.io/v1alpha1 are known", line, apiVersion)
}

// splitItems splits the section of the key items. line is the line of the
// input on which text begins.
func splitItems(text, value []byte, line int) ([]part, bool) {
	if !isEmptyValue(value) {
		// items: [] and items: null have nothing to split.
		if !isBlank(text[lineEnd(text, 0):]) {
			return nil, false
		}
		written, _, _ := bytes.Cut(value, []byte(" #"))
		switch word := bytes.TrimSpace(written); string(word) {
		case "[]":
			return []part{{literal: text}}, true
		case "null", "~":
			tail := value[bytes.Index(value, word)+len(word):]
			return []part{{literal: slices.Concat([]byte("items: []"), tail)}, {literal: text[lineEnd(text, 0):]}}, true
		}
		return nil, false
	}
	var parts []part
	at := lineEnd(text, 0)
	line++
	column := -1
	last := 0 // where the literal or the chunk at hand begins
	lastLine := line - 1
	var open bool
	emit := func(end int) {
		if !open {
			if end > last {
				parts = append(parts, part{literal: text[last:end]})
			}
			return
		}
		bodyEnd := end - trailingComments(text[last:end], column)
		parts = append(parts, part{chunk: &Chunk{Text: text[last:bodyEnd], Line: lastLine, form: formElement}})
		if bodyEnd < end {
			parts = append(parts, part{literal: text[bodyEnd:end]})
		}
	}
	for ; at < len(text); line++ {
		end := lineEnd(text, at)
		spaces := at
		for spaces < end && text[spaces] == ' ' {
			spaces++
		}
		c := spaces - at
		rest := text[spaces:end]
		if len(rest) > 0 && rest[0] == '-' && isEntry(rest[1:]) && (column < 0 || c == column) {
			emit(at)
			column, last, lastLine, open = c, at, line, true
		} else if column < 0 {
			if trimmed := bytes.TrimSpace(rest); len(trimmed) > 0 && trimmed[0] != '#' {
				return nil, false
			}
		}
		at = end
	}
	if column < 0 {
		first := slices.Concat([]byte("items: []"), value)
		if !bytes.HasSuffix(first, []byte("\n")) {
			first = append(first, '\n')
		}
		return []part{{literal: first}, {literal: text[lineEnd(text, 0):]}}, true
	}
	emit(len(text))
	return parts, true
}

// trailingComments returns how many bytes at the end of an item are comments
// that stand no deeper than the item's dash, with the blank lines behind them:
// they belong to what follows. Blank lines before the first comment stay: they
// may be part of a block scalar.
func trailingComments(text []byte, column int) int {
	length := 0
	for end := len(text); end > 0; {
		start := bytes.LastIndexByte(text[:end-1], '\n') + 1
		trimmed := bytes.TrimLeft(text[start:end], " ")
		indent := end - start - len(trimmed)
		if len(bytes.TrimSpace(trimmed)) > 0 {
			if trimmed[0] != '#' || indent > column {
				return length
			}
			length = len(text) - start
		}
		end = start
	}
	return length
}

// splitStream splits a document of a stream: Lists into their items,
// concatenated JSON into its values.
func (d *document) splitStream() {
	text := d.text
	if d.isBlank() {
		return
	}
	trimmed := bytes.TrimLeft(text, " \t\r\n")
	if trimmed[0] == '{' {
		if parts := splitJSON(text, d.line); parts != nil {
			d.parts = parts
			return
		}
	}
	if hasOtherBreaks(text) {
		d.whole()
		return
	}
	lead, found, ok := sections(text)
	if !ok {
		d.whole()
		return
	}
	isList, items := false, -1
	seen := map[string]bool{}
	for i, s := range found {
		if seen[s.key] {
			d.whole()
			return
		}
		seen[s.key] = true
		switch s.key {
		case "kind":
			isList = strings.HasSuffix(scalarOf(s.text), "List")
		case "items":
			items = i
		}
	}
	if !isList || items < 0 || !endsParse(found, items) {
		d.whole()
		return
	}
	parts := []part{{literal: lead}}
	for i, s := range found {
		if i != items {
			parts = append(parts, part{literal: s.text})
			continue
		}
		itemParts, ok := splitItems(s.text, s.value, d.line+s.line)
		if !ok || !slices.ContainsFunc(itemParts, func(p part) bool { return p.chunk != nil }) {
			d.whole() // of a List, items: null stays what it is
			return
		}
		parts = append(parts, itemParts...)
	}
	d.parts = parts
}

// scalarOf returns the value of an entry, if it is a scalar.
func scalarOf(entry []byte) string {
	tree, err := parse(entry)
	if err != nil || len(tree.Content) != 1 || len(tree.Content[0].Content) != 2 {
		return ""
	}
	return tree.Content[0].Content[1].Value
}

// endsParse reports whether the entries before and behind that of the items
// parse, so that they end where they seem to. -1 stands for no items.
func endsParse(found []section, items int) bool {
	ends := [][]section{found}
	if items >= 0 {
		ends = [][]section{found[:items], found[items+1:]}
	}
	for _, end := range ends {
		var text []byte
		for _, s := range end {
			text = append(append(text, s.text...), '\n')
		}
		tree, err := parse(text)
		if err != nil || len(end) > 0 && (len(tree.Content) != 1 || len(tree.Content[0].Content) != 2*len(end)) {
			return false
		}
	}
	return true
}

// whole makes the document one chunk.
func (d *document) whole() {
	d.parts = []part{{chunk: d.chunk(formDocument)}}
}

// chunk returns all of the document as a chunk.
func (d *document) chunk(f form) *Chunk {
	return &Chunk{Text: d.text, Line: d.line, form: f, header: d.text[:d.header]}
}

// entry returns the value of key in a mapping, its alias resolved, or nil.
func entry(m *yaml.Node, key string) *yaml.Node {
	for i := 0; i+1 < len(m.Content); i += 2 {
		if m.Content[i].Value == key {
			value := m.Content[i+1]
			for value.Kind == yaml.AliasNode {
				value = value.Alias
			}
			return value
		}
	}
	return nil
}

// describe names what a node is, for messages.
func describe(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a sequence"
	case yaml.ScalarNode:
		if n.Tag == "!!null" {
			return "null"
		}
		return "a scalar"
	}
	return "nothing"
}

// parse parses text as one YAML document, without its comments. The tree is
// empty where there is nothing in it.
func parse(text []byte) (*yaml.Node, error) { return yamldoc.Parse(text) }

// A ParseError is what the YAML parser had to say of the input.
type ParseError struct {
	Line    int // of the input, from 1
	Message string
}

func (e *ParseError) Error() string {
	return fmt.Sprintf("line %d: not valid YAML: %s", e.Line, e.Message)
}

// safe returns the parser's error without what it quotes of the text.
func safe(err error, text []byte) error {
	var told *ParseError
	if err = atLine(err, text, 1); errors.As(err, &told) {
		return errors.New(told.Message)
	}
	return err
}

// atLine makes a ParseError of the parser's error in a text that begins on line
// of the input. It leaves out what the parser quotes of the text where that may
// be a value: an unquoted password that begins with * is an alias to YAML.
func atLine(err error, text []byte, line int) error {
	message := strings.TrimPrefix(err.Error(), "yaml: ")
	if name, ok := quoted(message, "unknown anchor '", "' referenced"); ok {
		at := max(bytes.Index(text, []byte("*"+name)), 0)
		return &ParseError{
			Line:    line + bytes.Count(text[:at], []byte("\n")),
			Message: "an alias names an anchor that is not there; quote a value that begins with *",
		}
	}
	if name, ok := quoted(message, "anchor '", "' value contains itself"); ok {
		at := max(bytes.Index(text, []byte("*"+name)), 0)
		return &ParseError{Line: line + bytes.Count(text[:at], []byte("\n")), Message: "the value of an anchor contains itself"}
	}
	if strings.Contains(message, "control characters") {
		at := max(bytes.IndexFunc(text, isControl), 0)
		return &ParseError{Line: line + bytes.Count(text[:at], []byte("\n")), Message: message}
	}
	var relative int
	if n, _ := fmt.Sscanf(message, "line %d: ", &relative); n == 1 {
		_, message, _ = strings.Cut(message, ": ")
		if parserMessage().MatchString(message) {
			// The end of the text is on its last line.
			relative = min(relative+1, bytes.Count(bytes.TrimRight(text, "\n"), []byte("\n"))+1)
		}
		return &ParseError{Line: line + relative - 1, Message: message}
	}
	return &ParseError{Line: line, Message: message}
}

// parserMessage matches what yaml.v3's parser says, behind its scanner. Its lines
// it counts from 0, and leaves out where that is 0 (decode.go, parser.fail).
var parserMessage = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(did not find expected (<.*>|node content|key|'.' indicator|',' or '.')` +
		`|found undefined tag handle|found duplicate %[A-Z]+ directive|found incompatible YAML document)$`)
})

// isControl reports whether YAML allows no such character.
func isControl(r rune) bool {
	return r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0x7f || 0x80 <= r && r < 0xa0 && r != 0x85 || r == 0xfffe || r == 0xffff
}

// quoted returns what stands between prefix and suffix in message.
func quoted(message, prefix, suffix string) (string, bool) {
	rest, ok := strings.CutPrefix(message, prefix)
	if !ok {
		return "", false
	}
	return strings.CutSuffix(rest, suffix)
}

// An Item is a resource in the tree of a Chunk.
type Item struct {
	// Root leads from the root of the chunk's tree to the item.
	Root yamldoc.Path
	// Node is the item, a MappingNode.
	Node *yaml.Node
	// Shared tells that the item, or a node above it, is an alias or bears an
	// anchor.
	Shared bool
}
