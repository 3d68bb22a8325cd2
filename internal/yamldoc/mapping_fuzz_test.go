package yamldoc

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/test/support/corpus"
)

// FuzzEach compares the results of Each and Get with the mapping that yaml.v3 decodes.
func FuzzEach(f *testing.F) {
	for _, text := range corpus.Odd() {
		f.Add([]byte(text))
	}
	for _, text := range []string{
		"{<<: {a: 1}, a: 2, b: 3}", "{a: 2, <<: [{a: 1, b: 1}, {b: 2, c: 3}]}", "x: &x {a: 1, <<: {b: 2, c: 3}}\n<<: *x\nb: 4", "<<: &m {a: 1}\nc: {<<: *m}", "'<<': {a: 1}", "<<: a", "<<: [a]",
		"a: &a {<<: {b: c}}\n<<: [*a, *a, {b: d}]", "&k a: 1\n*k : 2", "x: &x y\n*x : z",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		root, want := mappingOf(text)
		if want == nil {
			return
		}
		got := map[string]any{}
		visited := map[string]bool{}
		err := Each(root, new(Budget), func(key string, value *yaml.Node, _ bool) error {
			if visited[key] {
				return fmt.Errorf("%q is visited twice", key)
			}
			visited[key] = true
			one, _ := Get(root, key, new(Budget))
			if one != value {
				return fmt.Errorf("Get and Each disagree on %q", key)
			}
			var v any
			if err := value.Decode(&v); err != nil {
				return err
			}
			got[key] = v
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(fmt.Sprint(want), fmt.Sprint(got)); diff != "" {
			t.Errorf("(-yaml.v3 +got):\n%s", diff)
		}
	})
}

// hasDuplicates reports whether a mapping at or below n has a duplicate key.
func hasDuplicates(n *yaml.Node, depth int) bool {
	if n.Kind == yaml.MappingNode && Duplicate(n) != nil || depth > 100 {
		return true
	}
	return slices.ContainsFunc(n.Content, func(child *yaml.Node) bool { return hasDuplicates(child, depth+1) })
}

// mappingOf returns the mapping in text, and the one that yaml.v3 decodes; nil if text is not a mapping, or yaml.v3
// rejects it.
func mappingOf(text []byte) (root *yaml.Node, decoded map[string]any) {
	defer func() {
		if recover() != nil {
			root, decoded = nil, nil
		}
	}()
	var doc yaml.Node
	if len(text) > 4096 || yaml.Unmarshal(text, &doc) != nil || len(doc.Content) == 0 || doc.Content[0].Kind != yaml.MappingNode {
		return nil, nil
	}
	root = doc.Content[0]
	if hasDuplicates(&doc, 0) {
		return nil, nil // the caller decides which one counts
	}
	for i := 0; i < len(root.Content); i += 2 {
		if key := Resolve(root.Content[i]); key.Kind != yaml.ScalarNode || key.ShortTag() != "!!str" && !IsMerge(key) || IsMerge(key) && root.Content[i].Kind == yaml.AliasNode {
			return nil, nil // keys of other types are written differently
		}
	}
	if root.Decode(&decoded) != nil {
		return nil, nil
	}
	return root, decoded
}
