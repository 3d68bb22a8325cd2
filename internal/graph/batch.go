package graph

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/manifest"
	"github.com/confighash/confighash/internal/yamldoc"
)

// A Batch holds the resources of one chunk of the input, which are parsed and written together.
type Batch struct {
	Chunk     *manifest.Chunk
	Resources []*Resource
}

// Batches groups resources by chunk. The order of the resources is kept, both among and within batches.
func Batches(resources []*Resource) []Batch {
	batches := make([]Batch, 0, len(resources))
	shared := map[*manifest.Chunk]int{} // only chunks with several items
	for i, r := range resources {
		at, ok := shared[r.Chunk]
		if ok {
			batches[at].Resources = append(batches[at].Resources, r)
			continue
		}
		if !r.alone() {
			shared[r.Chunk] = len(batches)
		}
		batches = append(batches, Batch{r.Chunk, resources[i : i+1 : i+1]})
	}
	return batches
}

// alone reports whether r is its whole chunk.
func (r *Resource) alone() bool { return r.Root == "" || r.Root == "[0]" }

// SameTexts caches which chunks of two inputs have the same text, as a chunk may have many resources.
type SameTexts map[[2]*manifest.Chunk]bool

// Have reports whether two resources are at the same place of the same text.
func (s SameTexts) Have(a, b *Resource) bool {
	if a.Root != b.Root {
		return false
	}
	chunks := [2]*manifest.Chunk{a.Chunk, b.Chunk}
	same, known := s[chunks]
	if !known {
		same = bytes.Equal(a.Chunk.Text, b.Chunk.Text)
		s[chunks] = same
	}
	return same
}

// ChunksOf returns the chunks of resources that are to be left out. It fails if one of the chunks has other items as
// well.
func ChunksOf(resources []*Resource) (map[*manifest.Chunk]bool, error) {
	chunks := map[*manifest.Chunk]bool{}
	var errs []error
	for _, r := range resources {
		chunks[r.Chunk] = true
		if !r.alone() {
			errs = append(errs, fmt.Errorf("%s: %s: an earlier version in a list that cannot be divided cannot be left out; write the list in block style, or as JSON", r.Place(), r))
		}
	}
	return chunks, errors.Join(errs...)
}

// EachBatch calls visit with each batch, concurrently on all processors, and returns the results in the order of the
// batches. It joins all errors.
func EachBatch[T any](batches []Batch, visit func(Batch) (T, error)) ([]T, error) {
	values := make([]T, len(batches))
	errs := make([]error, len(batches))
	manifest.Parallel(len(batches), func(i int) {
		values[i], errs[i] = visit(batches[i])
	})
	return values, errors.Join(errs...)
}

// EachItem calls visit with each resource and its item as EachBatch does, and returns the results in the order of the
// batches. It stops at the first error of a chunk.
func EachItem[T any](batches []Batch, visit func(r *Resource, item *yaml.Node) (T, error)) ([]T, error) {
	lists, err := EachBatch(batches, func(b Batch) (list []T, err error) {
		err = b.Parse(func(r *Resource, item *yaml.Node) error {
			value, err := visit(r, item)
			list = append(list, value)
			return err
		})
		return list, err
	})
	return slices.Concat(lists...), err
}

// Parse parses the chunk again and calls visit with each resource and its item, until a call fails. visit must not keep
// nodes, as the tree is dropped afterwards.
func (b Batch) Parse(visit func(r *Resource, item *yaml.Node) error) error {
	return b.Chunk.Visit(func(items []manifest.Item) error {
		nodes := make(map[yamldoc.Path]*yaml.Node, len(items))
		for _, item := range items {
			nodes[item.Root] = item.Node
		}
		for _, r := range b.Resources {
			if err := visit(r, nodes[r.Root]); err != nil {
				return err
			}
		}
		return nil
	})
}
