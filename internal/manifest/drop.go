package manifest

import (
	"bytes"
	"slices"
)

// Drop excludes chunks from Write, each with the marker, the comma or the comments before it. Each chunk must be
// exactly one item: a document, or an element of a list.
func (in *Input) Drop(gone map[*Chunk]bool) {
	if len(gone) == 0 {
		return
	}
	var starts []*document // the remaining documents
	first := false         // the last dropped document had no marker before it
	for i := range in.documents {
		d := &in.documents[i]
		isGone := d.drop(gone) && !slices.ContainsFunc(d.parts, func(p part) bool { return !p.removed && (p.chunk != nil || !isBlank(p.literal)) })
		last := len(starts) - 1
		switch {
		case isGone && last >= 0 && isStart(starts[last]):
			starts[last].parts[0].removed = true
			starts = starts[:last]
		case isGone:
			first = true
		case first && isStart(d):
			first, d.parts[0].removed = false, true
		default:
			starts = append(starts, d)
		}
		for k := range d.parts {
			d.parts[k].removed = d.parts[k].removed || isGone
		}
	}
}

// isStart reports whether d is only the marker of the next document.
func isStart(d *document) bool {
	return d.text == nil && bytes.HasPrefix(d.parts[0].literal, []byte("---"))
}

// drop marks the chunks of the document that are in gone as removed, and adds [] if a block list loses all elements. It
// reports whether there are such chunks.
func (d *document) drop(gone map[*Chunk]bool) bool {
	var kept []int
	inList, left, first, skip := false, 0, -1, false
	for i := range d.parts {
		p, last := &d.parts[i], len(kept)-1
		switch {
		case gone[p.chunk]:
			p.removed = true
			// The comma before it is removed too or, for the first element, the one after it.
			if skip = last < 0 || d.parts[kept[last]].chunk != nil || !isSeparator(d.parts[kept[last]].literal); !skip {
				d.parts[kept[last]].removed = true
				kept = kept[:last]
			}
			inList, first = inList || p.chunk.form == formElement, i
		case skip && p.chunk == nil && bytes.HasPrefix(p.literal, []byte(",")) && isSeparator(p.literal):
			skip, p.removed = false, true
		default:
			if p.chunk != nil {
				left++
			}
			kept = append(kept, i)
		}
	}
	if inList && left == 0 {
		d.parts = slices.Insert(d.parts, first, part{literal: []byte("  []\n"), added: true})
	}
	return first >= 0
}

// isSeparator reports whether a literal separates two elements of a list.
func isSeparator(literal []byte) bool {
	return isBlank(literal) || len(bytes.Trim(literal, white+",")) == 0
}
