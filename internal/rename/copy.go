package rename

import (
	"bytes"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync/atomic"

	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/edit"
	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/kustomize"
	"github.com/confighash/confighash/internal/manifest"
	"github.com/confighash/confighash/internal/yamldoc"
	"github.com/confighash/confighash/pkg/api/v1alpha1"
)

// maxAdded bounds the total size of the parts that a run adds: many pods may each take a different part of a large
// object.
const maxAdded = 50 << 20

// A copier makes the parts that are added.
type copier struct {
	*builder
	size *atomic.Int64 // total of all parts
	r    *graph.Resource
	made [][]byte
}

// add returns the added parts as documents.
func (b *builder) add() ([][]byte, error) {
	sources := slices.DeleteFunc(slices.Clone(b.graph.Resources), func(r *graph.Resource) bool { return len(b.target(r).added) == 0 })
	var size atomic.Int64
	lists, err := graph.EachBatch(graph.Batches(sources), func(batch graph.Batch) (documents [][]byte, err error) {
		render := func(r *graph.Resource, text []byte) error {
			c := copier{builder: b, size: &size, r: r}
			if !bytes.HasSuffix(text, []byte("\n")) {
				text = append(slices.Clip(text), '\n') // so that the last entry can be removed
			}
			err := c.copy(text, len(r.Keys), b.target(r).added)
			documents = append(documents, c.made...)
			return err
		}
		if r := batch.Resources[0]; len(batch.Resources) == 1 {
			text, err := batch.Chunk.Document(r.Root)
			if err == nil {
				err = render(r, text)
			}
			return documents, err
		}
		err = batch.Parse(func(r *graph.Resource, item *yaml.Node) error {
			text, err := manifest.JSON(item)
			if err == nil {
				err = render(r, text)
			}
			return err
		})
		return documents, err
	})
	return slices.Concat(lists...), err
}

// manyKeys is the number of keys in a text from which it pays to remove the keys that none of several parts has first.
const manyKeys = 32

// copy makes parts from a text with that many keys of the object. It divides the parts until each text has few unneeded
// keys, so that the work is proportional to the size of the parts.
func (c *copier) copy(text []byte, keys int, parts []*part) error {
	if len(parts) == 1 {
		return c.copyOne(text, parts[0])
	}
	if keys > manyKeys {
		if all := union(parts); all != nil && len(all) <= keys/2 {
			narrowed, err := edit.Apply(text, []edit.Item{{Edits: keep(all)}})
			if err != nil {
				return c.failed(err)
			}
			text, keys = narrowed, len(all)
		}
	}
	half := len(parts) / 2
	if err := c.copy(text, keys, parts[:half]); err != nil {
		return err
	}
	return c.copy(text, keys, parts[half:])
}

// union returns the keys that any of parts holds, nil for all.
func union(parts []*part) map[string]bool {
	all := map[string]bool{}
	for _, p := range parts {
		if p.holds == nil {
			return nil
		}
		maps.Copy(all, p.holds)
	}
	return all
}

func (c *copier) copyOne(text []byte, p *part) error {
	document, err := edit.Apply(text, []edit.Item{{Edits: c.copied(c.r, p)}})
	switch {
	case err != nil:
		return c.failed(err)
	case c.size.Add(int64(len(document))) > maxAdded:
		return errors.New("the objects that spec.rename.granularity: Key adds have more than 50 MiB in all; let fewer pods take other keys of large objects, or use granularity: Object")
	}
	c.made = append(c.made, document)
	return nil
}

func (c *copier) failed(err error) error {
	return graph.Finding{Severity: manifest.Error, Resource: c.r, Message: err.Error()}
}

// copied returns the edits that turn a copy of the object into a part.
func (b *builder) copied(r *graph.Resource, p *part) []edit.Edit {
	edits := []edit.Edit{edit.SetEntry{Parent: "metadata", Key: "name", Value: p.name}}
	for _, key := range slices.Sorted(maps.Keys(r.Annotations)) {
		if key == kustomize.ID || strings.HasPrefix(key, "internal.config.kubernetes.io/") || slices.Contains(kustomize.Places, key) {
			edits = append(edits, edit.RemoveEntry{Parent: "metadata.annotations", Key: key})
		}
	}
	return slices.Concat(edits, b.marks(r, p.suffix), p.narrow())
}

// narrow returns the edits that reduce an object to the keys of a part.
func (p *part) narrow() []edit.Edit {
	edits := []edit.Edit{edit.SetEntry{Parent: "metadata.annotations", Key: v1alpha1.AnnotationKeys, Value: p.keys, After: "name"}}
	if p.holds == nil {
		return edits
	}
	return append(edits, keep(p.holds)...)
}

// keep returns the edits that remove all other keys from an object.
func keep(keys map[string]bool) (edits []edit.Edit) {
	for _, field := range []string{"data", "stringData", "binaryData"} {
		edits = append(edits, edit.KeepEntries{Parent: yamldoc.Path(field), Keys: keys})
	}
	return edits
}
