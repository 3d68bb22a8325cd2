package hash

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Length is the length of a suffix in bytes.
const Length = 10

// Suffix returns the suffix of a content: ten characters of kustomize's hash
// alphabet, keyed with salt unless that is empty.
func Suffix(c Content, salt string) (string, error) {
	if salt != "" {
		c = salted(c, salt)
	}
	// kustomize's hasher looks for the name at a path that no object has, and so counts
	// it as empty, as it does a missing field.
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
	return alphabet.Replace(hex.EncodeToString(sum[:Length/2])), nil
}

// alphabet replaces hexadecimal digits so that no suffix can be a word, as in kubectl
// and kustomize.
var alphabet = strings.NewReplacer("0", "g", "1", "h", "3", "k", "a", "m", "e", "t")

// IsSuffix reports whether s has the form of a suffix.
func IsSuffix(s string) bool {
	return len(s) == Length && strings.Trim(s, "2456789bcdfghkmt") == ""
}

// Suffixed reports whether name ends with a dash and the form of a suffix.
func Suffixed(name string) bool {
	at := len(name) - Length
	return at > 1 && name[at-1] == '-' && IsSuffix(name[at:])
}

// salted returns the content whose suffix is that of c with salt.
func salted(c Content, salt string) Content {
	encoded := appendStrings(nil, c.Kind)
	if c.Type != nil {
		encoded = appendStrings(encoded, *c.Type)
	}
	for _, f := range c.Fields {
		encoded = appendStrings(encoded, f.Name, strconv.Itoa(len(f.Entries)))
		sorted := slices.Clone(f.Entries)
		slices.SortFunc(sorted, func(a, b Entry) int { return strings.Compare(a.Key, b.Key) })
		for _, e := range sorted {
			encoded = appendStrings(encoded, e.Key, e.Value)
		}
	}
	return Content{Kind: "ConfigMap", Fields: []Field{{
		Name: "data", Entries: []Entry{{Key: "hmac", Value: digest(encoded, salt)}},
	}}}
}
