package manifest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf16"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/yamldoc"
)

// maxListDepth bounds how deep Lists may hold Lists, maxAliasedItems how many
// items of a document aliases may stand for.
const (
	maxListDepth    = 16
	maxAliasedItems = 10_000
)

// Parse parses the chunks of in, as many at a time as there are processors,
// and calls visit with each and its items, at the same time from several
// goroutines. The trees are dropped when visit returns, so visit must not keep
// nodes. The results come back in the order of the input, beside their chunks.
//
// A document that turns out not to be splittable becomes one chunk, and visit
// is called for it once more: what it returned for its parts is dropped.
//
// Errors: a document is not valid YAML, or one of its items is no resource: a
// mapping. An error of visit is returned as it is. Where there are several,
// all are joined, in the order of the input.
func Parse[T any](in *Input, visit func(*Chunk, []Item) (T, error)) ([]*Chunk, []T, error) {
	type slot struct {
		doc   int
		chunk *Chunk
		value T
		err   error
		unfit bool // the chunk is not what it was split as
	}
	var slots []slot
	aliased := aliasedInAll
	for i := range in.documents {
		aliased += len(in.documents[i].text)
		for _, p := range in.documents[i].parts {
			if p.chunk != nil {
				slots = append(slots, slot{doc: i, chunk: p.chunk})
			}
		}
	}
	run := func(s *slot, later bool) {
		parser, _ := parsers.Get().(*yamldoc.Parser)
		defer parsers.Put(parser)
		items, err := s.chunk.items(parser)
		if err != nil {
			s.err, s.unfit = err, true
			return
		}
		switch n := s.chunk.aliased; {
		case n == 0:
		case !later:
			return
		case aliased < n:
			s.err = fmt.Errorf("%s: the aliases of this document, and of those before it, stand for more than is followed: %d nodes, and one for each byte of the input; write out what they stand for, or use fewer", s.chunk.At(s.chunk.Line), aliasedInAll)
			return
		default:
			aliased -= n
		}
		s.value, s.err = visit(s.chunk, items)
	}
	Parallel(len(slots), func(i int) { run(&slots[i], false) })
	// What aliases stand for is bounded in all, so these come one by one.
	for i := range slots {
		if s := &slots[i]; s.chunk.aliased > 0 && s.err == nil {
			run(s, true)
		}
	}

	chunks := make([]*Chunk, 0, len(slots))
	values := make([]T, 0, len(slots))
	var errs []error
	for i := 0; i < len(slots); {
		doc := slots[i].doc
		end, unfit := i, false
		for ; end < len(slots) && slots[end].doc == doc; end++ {
			unfit = unfit || slots[end].unfit
		}
		group := slots[i:end]
		i = end
		if unfit && !group[0].chunk.json && (len(group) > 1 || group[0].chunk.form == formElement) {
			d := &in.documents[doc]
			parts := d.parts
			d.whole()
			if in.IsResourceList {
				if _, err := in.wholeResourceList(d); err != nil {
					d.parts = parts // so it can be written, with results that tell of the error
					errs = append(errs, err)
					continue
				}
			}
			group = []slot{{doc: doc, chunk: d.parts[0].chunk}}
			run(&group[0], true)
		}
		for _, s := range group {
			chunks, values = append(chunks, s.chunk), append(values, s.value)
			if s.err != nil {
				errs = append(errs, s.err)
			}
		}
	}
	return chunks, values, errors.Join(errs...)
}

// parsers are those not in use, for the memory they have.
var parsers = sync.Pool{New: func() any { return new(yamldoc.Parser) }}

// Parallel calls work for 0 to n-1 on all processors.
func Parallel(n int, work func(int)) {
	workers := min(runtime.GOMAXPROCS(0), n)
	if workers <= 1 {
		for i := range n {
			work(i)
		}
		return
	}
	var next atomic.Int64
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				work(i)
			}
		})
	}
	group.Wait()
}

// Visit parses the chunk, again if Parse did before, and calls visit with its items.
// The tree is dropped when visit returns, so visit must not keep nodes.
func (c *Chunk) Visit(visit func([]Item) error) error {
	parser, _ := parsers.Get().(*yamldoc.Parser)
	defer parsers.Put(parser)
	items, err := c.items(parser)
	if err != nil {
		return err
	}
	return visit(items)
}

// items parses the chunk and finds its items. They are valid until parser is used
// again.
func (c *Chunk) items(parser *yamldoc.Parser) ([]Item, error) {
	tree := c.tree
	c.tree = nil // the tree goes when the items have been visited
	if tree == nil {
		var err error
		if tree, err = parser.Parse(c.Text); err != nil && c.original == nil {
			if text, ok := yamlEscapes(c.Text); ok {
				c.original, c.Text = c.Text, text
				tree, err = parser.Parse(c.Text)
			}
		}
		if err != nil {
			return nil, c.parseError(err)
		}
	}
	if len(tree.Content) == 0 {
		if c.form == formElement {
			return nil, fmt.Errorf("%s: an item is empty", c.At(c.Line))
		}
		return nil, nil
	}
	root := tree.Content[0]
	c.aliased = aliasedIn(root, c.Text)
	switch c.form {
	case formElement:
		if root.Kind != yaml.SequenceNode || len(root.Content) != 1 || root.Anchor != "" {
			return nil, fmt.Errorf("%s: not one item of a sequence", c.At(c.Line))
		}
		return c.expand(nil, Item{Root: yamldoc.Path("").Index(0), Node: root.Content[0]}, 0)
	case formList:
		items := entry(root, "items")
		if items == nil {
			return nil, nil
		}
		return c.elements(nil, Item{Root: yamldoc.Path("").Key("items"), Node: items, Shared: root.Anchor != ""}, 0)
	default:
		return c.expand(nil, Item{Node: root}, 0)
	}
}

// aliasedInAll is how many nodes the aliases of an input may stand for, beside as many
// as it has bytes: many times what people share in manifests.
const aliasedInAll = 50_000

// aliasedIn returns how many more nodes a tree has where its aliases are written out, a
// long text for several of them, and no more than tooMany.
func aliasedIn(root *yaml.Node, text []byte) int {
	if bytes.IndexByte(text, '*') < 0 || bytes.IndexByte(text, '&') < 0 {
		return 0
	}
	const tooMany = 1 << 40
	behind := map[*yaml.Node]int{} // of nodes with an anchor
	var size func(n *yaml.Node) (all, own int)
	size = func(n *yaml.Node) (all, own int) {
		if n.Kind == yaml.AliasNode {
			all, known := behind[n.Alias]
			if !known { // it stands in what it stands for
				return tooMany, 0
			}
			return all, 0
		}
		all = 1 + len(n.Value)/32
		own = all
		for _, child := range n.Content {
			more, ours := size(child)
			all, own = min(all+more, tooMany), own+ours
		}
		if n.Anchor != "" {
			behind[n] = all
		}
		return all, own
	}
	all, own := size(root)
	return all - own
}

// expand appends item to found, or, where it is a List, what it lists.
func (c *Chunk) expand(found []Item, item Item, depth int) ([]Item, error) {
	if depth > maxListDepth {
		return nil, fmt.Errorf("%s: Lists are nested more than %d deep", c.At(c.lineOf(item.Node)), maxListDepth)
	}
	node := item.Node
	for node.Kind == yaml.AliasNode {
		node, item.Shared = node.Alias, true
	}
	at := c.At(c.lineOf(item.Node))
	if node.Kind != yaml.MappingNode {
		if c.form == formDocument && item.Root == "" && node.Tag == "!!null" {
			return found, nil // a document that says null, or nothing
		}
		return nil, fmt.Errorf("%s: found %s; every item must be a Kubernetes resource: a mapping with apiVersion and kind", at, describe(node))
	}
	item.Node = node
	item.Shared = item.Shared || node.Anchor != ""
	kind := entry(node, "kind")
	if kind != nil && strings.HasSuffix(kind.Value, "List") {
		if items := entry(node, "items"); items != nil {
			if key := yamldoc.Duplicate(node); key != nil {
				return nil, fmt.Errorf("%s: the List has %s twice; keep one", c.At(c.lineOf(key)), yamldoc.NameOf(node, key))
			}
			list := item
			list.Root, list.Node = item.Root.Key("items"), items
			return c.elements(found, list, depth+1)
		}
	}
	if item.Shared && len(found) >= maxAliasedItems {
		return nil, fmt.Errorf("%s: aliases stand for more than the %d items that are followed", at, maxAliasedItems)
	}
	return append(found, item), nil
}

// elements appends the elements of the sequence list to found.
func (c *Chunk) elements(found []Item, list Item, depth int) ([]Item, error) {
	if list.Node.Tag == "!!null" {
		return found, nil
	}
	if list.Node.Kind != yaml.SequenceNode {
		return nil, fmt.Errorf("%s: items of a List is %s; it must be a sequence of resources", c.At(c.lineOf(list.Node)), describe(list.Node))
	}
	shared := list.Shared || list.Node.Anchor != ""
	var err error
	for i, element := range list.Node.Content {
		found, err = c.expand(found, Item{Root: list.Root.Index(i), Node: element, Shared: shared}, depth)
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// lineOf returns the line of the input on which node stands.
func (c *Chunk) lineOf(node *yaml.Node) int {
	return c.Line + max(node.Line, 1) - 1
}

// yamlEscapes returns JSON with those escapes written otherwise that YAML does
// not have, or that this parser does not know: \/ and surrogate pairs. Around the
// JSON there may be comments. It reports false for any other text.
func yamlEscapes(text []byte) ([]byte, bool) {
	start := skipComments(text, 0)
	decoder := json.NewDecoder(bytes.NewReader(text[start:]))
	var value json.RawMessage
	if decoder.Decode(&value) != nil {
		return nil, false
	}
	end := start + int(decoder.InputOffset())
	if skipComments(text, end) < len(text) {
		return nil, false
	}
	out := append(make([]byte, 0, len(text)), text[:start]...)
	for i := start; i < end; i++ {
		if text[i] != '\\' || i+1 == len(text) {
			out = append(out, text[i])
			continue
		}
		switch r := escaped(text[i:]); {
		case text[i+1] == '/':
			out = append(out, '/')
		case utf16.IsSurrogate(r):
			pair := utf16.DecodeRune(r, escaped(text[i+6:]))
			if out = utf8.AppendRune(out, pair); pair != utf8.RuneError {
				i += 6
			}
			i += 4
		default:
			out = append(out, text[i], text[i+1])
		}
		i++
	}
	return append(out, text[end:]...), true
}

// skipComments returns where the first thing behind at stands that is neither
// space nor comment.
func skipComments(text []byte, at int) int {
	for {
		rest := bytes.TrimLeft(text[at:], " \t\r\n")
		at = len(text) - len(rest)
		if len(rest) == 0 || rest[0] != '#' {
			return at
		}
		if end := bytes.IndexByte(rest, '\n'); end >= 0 {
			at += end
		} else {
			at = len(text)
		}
	}
}

// escaped returns the character of the escape \uXXXX that text begins with, 0 if
// it begins with none.
func escaped(text []byte) rune {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return 0
	}
	r, err := strconv.ParseUint(string(text[2:6]), 16, 16)
	if err != nil {
		return 0
	}
	return rune(r)
}
