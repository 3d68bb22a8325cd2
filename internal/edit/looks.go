package edit

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/yamldoc"
)

// dropOuterComments removes comments from n's tree that the unchanged text before or after it contains.
func dropOuterComments(n *yaml.Node, before, after string) {
	drop := func(comment *string, text string) {
		if line, _, _ := strings.Cut(*comment, "\n"); line != "" && strings.Contains(text, line) {
			*comment = ""
		}
	}
	for first := n; ; first = first.Content[0] {
		drop(&first.HeadComment, before)
		if len(first.Content) == 0 {
			break
		}
	}
	for last := n; ; last = last.Content[len(last.Content)-1] {
		drop(&last.FootComment, after)
		if !isBlock(last) {
			break
		}
		if last.Kind == yaml.MappingNode {
			drop(&last.Content[len(last.Content)-2].FootComment, after)
		}
	}
}

// nameNulls spells out nulls that are keys or in flow collections: yaml.v3 turns implicit ones into empty strings. A
// key gets a tag, so that it stays the same key.
func nameNulls(n *yaml.Node, inFlow bool) {
	inFlow = inFlow || n.Style&yaml.FlowStyle != 0
	for i, child := range n.Content {
		switch {
		case !yamldoc.IsNull(child) || child.Value != "":
		case n.Kind == yaml.MappingNode && i%2 == 0, child.Anchor != "": // an alias may be a key
			child.Style |= yaml.TaggedStyle
		case inFlow:
			child.Value = "null"
		}
		nameNulls(child, inFlow)
	}
}

// tagMerges changes the tag of merge keys, because yaml.v3 would write out !!merge.
func tagMerges(n *yaml.Node, from, to string) {
	for i, child := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 && child.Value == "<<" && child.Tag == from && child.Style == 0 {
			child.Tag = to
		}
		tagMerges(child, from, to)
	}
}

// quoteStrings double-quotes those strings selected by which that span lines or have unusual characters.
func quoteStrings(n *yaml.Node, which func(*yaml.Node) bool) {
	if n.Kind == yaml.ScalarNode && n.ShortTag() == "!!str" && n.Style&yaml.DoubleQuotedStyle == 0 {
		if (isBlockScalar(n) || !staysPlain(n.Value, false)) && which(n) {
			n.Style = n.Style&yaml.TaggedStyle | yaml.DoubleQuotedStyle
		}
	}
	for _, child := range n.Content {
		quoteStrings(child, which)
	}
}

func survives(n *yaml.Node) bool {
	alone := *n
	alone.HeadComment, alone.LineComment, alone.FootComment = "", "", ""
	text, _ := yaml.Marshal(map[string]*yaml.Node{"key": &alone}) // no text after an error
	doc, err := parse(text)
	return err == nil && len(doc.Content[0].Content) == 2 && same(&alone, doc.Content[0].Content[1], nil)
}

// placeComments moves line comments to where yaml.v3 reads them back unchanged: after a key if its value is on lines of
// its own, otherwise after the value. A comment after an alias would land on a later line, and one between a key and an
// anchor or a tag would move these to the margin: such a comment is moved above the entry.
func placeComments(n *yaml.Node) {
	for i, child := range n.Content {
		holder := child
		if n.Kind == yaml.MappingNode && i%2 == 1 {
			holder = n.Content[i-1]
			from, to := child, holder
			if !isBlock(child) {
				from, to = holder, child
			}
			if to.LineComment == "" {
				from.LineComment, to.LineComment = "", from.LineComment
			}
			if from.LineComment != "" || child.Anchor != "" || child.Style&yaml.TaggedStyle != 0 {
				liftComment(holder, holder)
			}
		}
		if child.Kind == yaml.AliasNode || isBlock(child) {
			liftComment(child, holder)
		}
		placeComments(child)
	}
}

func liftComment(from, to *yaml.Node) {
	to.HeadComment = strings.Trim(to.HeadComment+"\n"+from.LineComment, "\n")
	from.LineComment = ""
}

// dropComments removes the comments from n's tree, or only from the flow collections in it, where yaml.v3 places
// comments so that they swallow what follows.
func dropComments(n *yaml.Node, onlyFlow bool) {
	if onlyFlow = onlyFlow && n.Style&yaml.FlowStyle == 0; !onlyFlow {
		n.HeadComment, n.LineComment, n.FootComment = "", "", ""
	}
	for _, child := range n.Content {
		dropComments(child, onlyFlow)
	}
}

func isBlock(n *yaml.Node) bool {
	return len(n.Content) > 0 && n.Style&yaml.FlowStyle == 0
}

func isBlockScalar(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0
}

func lastLeaf(n *yaml.Node) *yaml.Node {
	for len(n.Content) > 0 {
		n = n.Content[len(n.Content)-1]
	}
	return n
}
