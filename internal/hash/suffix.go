// Package digest computes what stands for the content of ConfigMaps, Secrets and
// what makes Secrets: the suffix of a name, and the checksum in an annotation.
//
// # Suffixes
//
// The suffix is what kustomize's generators append: what kustomize's own hasher
// (sigs.k8s.io/kustomize/api/hasher v0.21.2) makes of kind, data, binaryData,
// stringData and a Secret's type. The hasher itself is not used, but to test
// against: it writes the object as YAML and reads it again, which takes time
// with the square of the number of keys (minutes for 100,000). Name, namespace, labels,
// annotations and immutable do not count; nor do the order of keys, the YAML
// style, and comments. Every scalar counts as the string that stands there: 1e3,
// yes, 0x1F and ~ are never read as a number, a boolean or null, as an
// apiserver, which wants strings, does not either.
//
// With a salt, the suffix is that of a ConfigMap whose only value is the
// HMAC-SHA256, keyed with the salt, of the content, so that it cannot be
// computed from a guessed content without the salt. The content is encoded for
// it as a sequence of strings, each led by its length in bytes in decimal and a
// colon: the kind, the type where there is one, and for each field in the order
// given above that is present, its name, the number of its entries, and its
// keys and values, sorted by key.
//
// # Checksums
//
// A checksum covers what containers get: kind, name, keys and bytes. Labels,
// annotations, a Secret's type, immutable, the order of keys, the YAML style and
// comments do not count, nor does it matter whether the bytes stand in data,
// stringData or binaryData. A checksum is 64 digits of lower-case hexadecimal: the
// first 56 of a SHA-256, or, with a salt, of an HMAC-SHA256 keyed with the salt, and
// 8 that mark it, so that the function knows its own annotations from those that
// charts stamp by hand: the first 8 of the SHA-256 of "confighash.dev/mark/v1" and
// the 56 before. What is hashed is a sequence of strings, each led by its length in
// bytes in decimal and a colon. The checksum of one object is made of
//
//	confighash.dev/source/v1
//	the object's kind
//	its name; NAMESPACE/NAME where its namespace is not the consumer's
//	for each key consumed that it has, sorted by key:
//	    the key
//	    the SHA-256 of the bytes under it, in lower-case hexadecimal
//
// and that of a workload of
//
//	confighash.dev/workload/v1
//	the checksums of its objects, sorted
//
// So for a workload that consumes the key "x" with the value "1" of the
// ConfigMap "app", and of nothing else, the checksum of the ConfigMap is made of
//
//	24:confighash.dev/source/v19:ConfigMap3:app1:x64:6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b
//
// The kind of an object that SOPS encrypted is led by "sops/", and its bytes are
// the text that stands there. Objects that make Secrets count by the parts that
// the catalogue names: the elements of a mapping by their keys, in place of the
// Secret's, and other parts as Tree returns them, under the path that leads to
// them, its keys divided by slashes.
//
// The digests of testdata/checksums.yaml are vectors for other programs.
package hash

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/yamldoc"
)

// Length is the length of a suffix in bytes.
const Length = 10

// Content is what counts of a ConfigMap or a Secret.
type Content struct {
	Kind   string
	Type   *string // of a Secret, nil where there is none
	Fields []Field // in the order data, binaryData, stringData
}

// A Field is a field of a Content that maps keys to values.
type Field struct {
	Name    string
	Entries []Entry // in the order of the document
}

// An Entry is a key of a Field with its value.
type Entry struct {
	Key, Value string
	// Bare tells a key that stands there without a value. It may be the end of
	// the value before, which holds a comma and should have been quoted, and so
	// is not to be told.
	Bare bool
}

// Keys returns the keys of all fields, sorted.
func (c Content) Keys() []string {
	n := 0
	for _, f := range c.Fields {
		n += len(f.Entries)
	}
	if n == 0 {
		return nil
	}
	keys := make([]string, 0, n)
	for _, f := range c.Fields {
		for _, e := range f.Entries {
			keys = append(keys, e.Key)
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// Bare returns the keys of all fields that stand there without a value, nil
// where there are none.
func (c Content) Bare() map[string]bool {
	var bare map[string]bool
	for _, f := range c.Fields {
		for _, e := range f.Entries {
			if e.Bare {
				if bare == nil {
					bare = map[string]bool{}
				}
				bare[e.Key] = true
			}
		}
	}
	return bare
}

// ContentOf reads the content of item, a ConfigMap or a Secret as kind says.
//
// Errors: a field is no mapping, a value is no scalar, a key stands twice. They
// name the key, never the value.
func ContentOf(kind string, item *yaml.Node) (Content, error) {
	c := Content{Kind: kind}
	names := []string{"data", "binaryData"}
	if kind == "Secret" {
		names = []string{"data", "stringData"}
		if typ := lookup(item, "type"); typ != nil && !isNull(typ) {
			if typ.Kind != yaml.ScalarNode {
				return c, fmt.Errorf("type is no string")
			}
			c.Type = &typ.Value
		}
	}
	for _, name := range names {
		node := lookup(item, name)
		if node == nil || isNull(node) {
			continue
		}
		if node.Kind != yaml.MappingNode {
			return c, fmt.Errorf("%s must be a mapping of keys to strings", name)
		}
		f := Field{Name: name, Entries: make([]Entry, 0, len(node.Content)/2)}
		if err := f.read(node); err != nil {
			return c, err
		}
		c.Fields = append(c.Fields, f)
	}
	return c, nil
}

// read appends the entries of node, those that merge keys bring in included.
func (f *Field) read(node *yaml.Node) error {
	for i := 0; i+1 < len(node.Content); i += 2 {
		if yamldoc.Resolve(node.Content[i]).Kind != yaml.ScalarNode {
			return fmt.Errorf("%s: a key is no string", f.Name)
		}
	}
	if key := yamldoc.Duplicate(node); key != nil {
		return fmt.Errorf("%s: %s stands twice; keep one", f.Name, yamldoc.NameOf(node, key))
	}
	err := yamldoc.Each(node, new(yamldoc.Budget), func(key string, value *yaml.Node, _ bool) error {
		value = yamldoc.Resolve(value)
		if value.Kind != yaml.ScalarNode {
			return fmt.Errorf("the value of %q is no string; quote it, or write it as a block", key)
		}
		f.Entries = append(f.Entries, Entry{Key: key, Value: value.Value, Bare: isNull(value) && value.Value == ""})
		return nil
	})
	if err != nil {
		return fmt.Errorf("%s: %w", f.Name, err)
	}
	return nil
}

// Suffix returns the suffix of a content: ten characters of kustomize's hash
// alphabet, keyed with salt where that is not empty.
func Suffix(c Content, salt string) (string, error) {
	if salt != "" {
		c = salted(c, salt)
	}
	// The hasher looks for the name at a path that no object has, and so
	// counts it as empty, as it does a missing field.
	object := map[string]any{"kind": c.Kind, "name": "", "data": ""}
	if c.Kind == "Secret" {
		object["type"] = ""
	}
	if c.Type != nil {
		object["type"] = *c.Type
	}
	for _, f := range c.Fields {
		entries := make(map[string]string, len(f.Entries))
		for _, e := range f.Entries {
			entries[e.Key] = e.Value
		}
		object[f.Name] = entries
	}
	encoded, err := json.Marshal(object) // sorts the keys
	if err != nil {
		return "", fmt.Errorf("encoding the content: %w", err)
	}
	sum := sha256.Sum256(encoded)
	suffix := []byte(hex.EncodeToString(sum[:])[:Length])
	for i, c := range suffix {
		if to, ok := alphabet[c]; ok {
			suffix[i] = to
		}
	}
	return string(suffix), nil
}

// alphabet replaces hexadecimal digits so that no suffix can be a word, as
// kubectl's and kustomize's hashes do.
var alphabet = map[byte]byte{'0': 'g', '1': 'h', '3': 'k', 'a': 'm', 'e': 't'}

// IsSuffix reports whether s has the form of a suffix.
func IsSuffix(s string) bool {
	return len(s) == Length && strings.Trim(s, "2456789bcdfghkmt") == ""
}

// Suffixed reports whether name ends in what has the form of a suffix.
func Suffixed(name string) bool {
	at := len(name) - Length
	return at > 1 && name[at-1] == '-' && IsSuffix(name[at:])
}

// salted returns the content that stands for c under salt.
func salted(c Content, salt string) Content {
	mac := hmac.New(sha256.New, []byte(salt))
	write(mac, c.Kind)
	if c.Type != nil {
		write(mac, *c.Type)
	}
	for _, f := range c.Fields {
		write(mac, f.Name)
		write(mac, strconv.Itoa(len(f.Entries)))
		sorted := slices.Clone(f.Entries)
		slices.SortFunc(sorted, func(a, b Entry) int { return strings.Compare(a.Key, b.Key) })
		for _, e := range sorted {
			write(mac, e.Key)
			write(mac, e.Value)
		}
	}
	return Content{Kind: "ConfigMap", Fields: []Field{{
		Name: "data", Entries: []Entry{{Key: "hmac", Value: hex.EncodeToString(mac.Sum(nil))}},
	}}}
}

// write writes s led by its length. A hash does not fail.
func write(h hash.Hash, s string) {
	_, _ = h.Write(strconv.AppendInt(nil, int64(len(s)), 10))
	_, _ = h.Write([]byte{':'})
	_, _ = h.Write([]byte(s))
}

// lookup returns the value of key in a mapping, or nil.
func lookup(m *yaml.Node, key string) *yaml.Node {
	m = yamldoc.Resolve(m)
	if m.Kind != yaml.MappingNode {
		return nil
	}
	value, _ := yamldoc.Get(m, key, new(yamldoc.Budget))
	if value == nil {
		return nil
	}
	return yamldoc.Resolve(value)
}

func isNull(node *yaml.Node) bool {
	return node.Kind == yaml.ScalarNode && node.Tag == "!!null"
}
