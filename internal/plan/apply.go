package plan

import (
	"bytes"
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/edit"
	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/manifest"
)

// Apply returns the changed chunks of the resources of g, with their new texts. It fails if an edit does.
func (p *Plan) Apply(g *graph.Graph) (map[*manifest.Chunk][]byte, error) {
	batches := p.edited(g)
	texts, err := graph.EachBatch(batches, p.applyTo)
	if err != nil {
		return nil, err
	}
	replaced := make(map[*manifest.Chunk][]byte, len(texts))
	for i, b := range batches {
		if !bytes.Equal(texts[i], b.Chunk.Text) {
			replaced[b.Chunk] = texts[i]
		}
	}
	return replaced, nil
}

// ApplyToTrees makes the edits on the parsed trees of the chunks. If it fails, some of the edits may be done; so check
// first that Apply succeeds.
func (p *Plan) ApplyToTrees(g *graph.Graph, trees map[*manifest.Chunk]*yaml.Node) error {
	for _, b := range p.edited(g) {
		if err := edit.OnTree(trees[b.Chunk], p.items(b.Resources)); err != nil {
			return fmt.Errorf("%s: %w", b.Chunk.At(b.Chunk.Line), err)
		}
	}
	return nil
}

func (p *Plan) edited(g *graph.Graph) []graph.Batch {
	all := slices.Concat(g.Resources, g.Kept)
	slices.SortStableFunc(all, func(a, b *graph.Resource) int { return a.Line - b.Line })
	return graph.Batches(slices.DeleteFunc(all, func(r *graph.Resource) bool { return p.Edits[r] == nil }))
}

func (p *Plan) items(resources []*graph.Resource) []edit.Item {
	items := make([]edit.Item, len(resources))
	for i, r := range resources {
		items[i] = edit.Item{Root: r.Root, Edits: p.Edits[r]}
	}
	return items
}

func (p *Plan) applyTo(b graph.Batch) ([]byte, error) {
	items := p.items(b.Resources)
	text, err := edit.Apply(b.Chunk.Text, items)
	if err == nil {
		return text, nil
	}
	// Trying single items shows which one has the error. Each try reads the whole text, so in a chunk with thousands of
	// items the line must suffice.
	for i, r := range b.Resources[:min(len(b.Resources), 100)] {
		if _, err := edit.Apply(b.Chunk.Text, items[i:i+1]); err != nil {
			return nil, graph.Finding{Severity: manifest.Error, Resource: r, Message: err.Error()}
		}
	}
	return nil, fmt.Errorf("%s: %w", b.Chunk.At(b.Chunk.Line), err)
}
