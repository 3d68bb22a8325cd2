package function_test

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/test/support/corpus"
)

// FuzzProcess_restyled is FuzzProcess for the tests' manifests in other styles, with aliases and merge keys, and with
// some values and entries moved. A fuzzer hardly gets there by changing bytes.
func FuzzProcess_restyled(f *testing.F) {
	texts := corpus.Manifests(f, 4<<10)
	for i := range texts {
		f.Add(uint16(i), uint64(i), uint32(i)*2_654_435_761)
	}
	f.Fuzz(func(t *testing.T, which uint16, seed uint64, choice uint32) {
		text := restyle(texts[int(which)%len(texts)], rand.New(rand.NewPCG(seed, 0)))
		if text == nil || len(text) > maxInput {
			return
		}
		defer func() {
			if t.Failed() {
				t.Logf("of the text:\n%s", text)
			}
		}()
		checkProcess(t, text, configFrom(choice))
	})
}

// restyle writes the documents of a text in another style. It returns nil if it cannot, or if the result is not YAML.
func restyle(text string, rng *rand.Rand) (out []byte) {
	defer func() {
		if recover() != nil {
			out = nil // the encoder panics at its limits
		}
	}()
	var b bytes.Buffer
	encoder := yaml.NewEncoder(&b)
	encoder.SetIndent(2 + rng.IntN(3))
	if rng.IntN(2) == 0 {
		encoder.CompactSeqIndent()
	}
	decoder := yaml.NewDecoder(strings.NewReader(text))
	for {
		var doc yaml.Node
		err := decode(decoder, &doc)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil
		}
		if root := doc.Content[0]; root.Kind == yaml.MappingNode {
			for i := 0; i+1 < len(root.Content); i += 2 {
				if root.Content[i].Value == "results" {
					root.Content = slices.Delete(root.Content, i, i+2) // references to them would be dangling
					break
				}
			}
		}
		r := restyler{rng: rng}
		r.collect(&doc, nil, nil)
		for range rng.IntN(6) {
			r.change()
		}
		if encoder.Encode(&doc) != nil {
			return nil
		}
	}
	if encoder.Close() != nil || yaml.Unmarshal(b.Bytes(), new(yaml.Node)) != nil {
		return nil
	}
	return b.Bytes()
}

// A restyler changes one document.
type restyler struct {
	rng   *rand.Rand
	nodes []place // in the order of the text
}

// A place is a node with its parent and ancestors.
type place struct {
	node, parent *yaml.Node
	above        map[*yaml.Node]bool
	isKey        bool
}

func (r *restyler) collect(n, parent *yaml.Node, above map[*yaml.Node]bool) {
	within := map[*yaml.Node]bool{n: true}
	for a := range above {
		within[a] = true
	}
	for i, child := range n.Content {
		r.nodes = append(r.nodes, place{node: child, parent: n, above: within, isKey: n.Kind == yaml.MappingNode && i%2 == 0})
		r.collect(child, n, within)
	}
}

var awkwardTexts = []string{"", "~", "yes", "12", "a", "app", "a-4h2mbtbbt6", "a b", "a: b", "#", "it's \"q\"", "two\nlines\n", " x", "é", strings.Repeat("n", 250), "<<", "ns/app", "ConfigMap", "Secret", "Pod", "List"}

// change makes one change to the document.
func (r *restyler) change() {
	if len(r.nodes) < 3 {
		return
	}
	i := 1 + r.rng.IntN(len(r.nodes)-1)
	at := r.nodes[i]
	n, other := at.node, r.nodes[r.rng.IntN(i)]
	isFree := !at.above[other.node] && other.node.Kind != yaml.AliasNode
	switch r.rng.IntN(7) {
	case 0, 1:
		if n.Kind == yaml.ScalarNode && !at.isKey {
			n.Style = []yaml.Style{0, yaml.DoubleQuotedStyle, yaml.SingleQuotedStyle, yaml.LiteralStyle, yaml.FoldedStyle, yaml.TaggedStyle}[r.rng.IntN(6)]
		} else {
			n.Style ^= yaml.FlowStyle
		}
	case 2: // an alias instead of the node
		if isFree && !at.isKey && !other.isKey {
			r.anchor(other.node)
			*n = yaml.Node{Kind: yaml.AliasNode, Alias: other.node, Value: other.node.Anchor}
		}
	case 3: // a merge key
		if isFree && n.Kind == yaml.MappingNode && other.node.Kind == yaml.MappingNode {
			r.anchor(other.node)
			n.Content = append(n.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!merge", Value: "<<"},
				&yaml.Node{Kind: yaml.AliasNode, Alias: other.node, Value: other.node.Anchor})
		}
	case 4:
		if n.Kind == yaml.ScalarNode && !at.isKey {
			n.Value, n.Tag = awkwardTexts[r.rng.IntN(len(awkwardTexts))], "!!str"
			if other.node.Kind == yaml.ScalarNode && r.rng.IntN(2) == 0 {
				n.Value, n.Tag = other.node.Value, other.node.Tag
			}
		}
	case 5: // the same node twice, in a list
		if at.parent.Kind == yaml.SequenceNode {
			at.parent.Content = append(at.parent.Content, n)
		}
	case 6:
		n.LineComment = "# it's {"
	}
}

// anchor gives n an anchor if it has none.
func (r *restyler) anchor(n *yaml.Node) {
	if n.Anchor == "" {
		n.Anchor = "n" + string(rune('a'+r.rng.IntN(26))) + string(rune('a'+r.rng.IntN(26)))
	}
}
