package edit

import (
	"go.yaml.in/yaml/v3"
)

// OnTree carries the edits out on the nodes of a document that a program holds, and
// changes no other nodes but aliases and merge keys on the way. It fails as OnNodes
// does; some of the edits may be done then.
func OnTree(root *yaml.Node, items []Item) error {
	for _, item := range items {
		for _, e := range item.Edits {
			if err := check(e); err != nil {
				return err
			}
		}
	}
	t, err := newTree(root)
	if err != nil {
		return err
	}
	return t.edit(items)
}
