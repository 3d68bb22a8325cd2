package hash

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Length is the length of a suffix in bytes.
const Length = 10

// Suffix returns the suffix of a content: ten characters of kustomize's hash alphabet, keyed with salt unless that is
// empty.
func Suffix(c Content, salt string) string {
	if salt != "" {
		c = salted(c, salt)
	}
	sum := sha256.Sum256(encode(c))
	return alphabet.Replace(hex.EncodeToString(sum[:Length/2]))
}

// An object is the input of kustomize's hash, in the form of encoding/json. kustomize's hasher looks for the name at a
// path that no object has, so the name is always empty, like a missing field.
type object struct {
	BinaryData any     `json:"binaryData,omitempty"`
	Data       any     `json:"data"`
	Kind       string  `json:"kind"`
	Name       string  `json:"name"`
	StringData any     `json:"stringData,omitempty"`
	Type       *string `json:"type,omitempty"`
}

func encode(c Content) []byte {
	o := object{Data: "", Kind: c.Kind, Type: c.Type}
	if c.Kind == "Secret" && c.Type == nil {
		o.Type = new(string)
	}
	for _, f := range c.Fields {
		values := make(map[string]string, len(f.Entries))
		for _, e := range f.Entries {
			values[e.Key] = e.Value
		}
		switch f.Name {
		case "binaryData":
			o.BinaryData = values
		case "data":
			o.Data = values
		default:
			o.StringData = values
		}
	}
	encoded, _ := json.Marshal(o) // cannot fail for strings
	return encoded
}

// TreeSuffix returns the suffix of an encoding from Tree, keyed with salt unless that is empty.
func TreeSuffix(encoded []byte, salt string) string {
	return alphabet.Replace(digest(slices.Concat([]byte(treeVersion), encoded), salt)[:Length])
}

// AllKeys stands for all keys of an object, in place of a result of Keys.
const AllKeys = "*"

// Keys joins keys to one text: each escaped as in a URL's path, separated by commas.
func Keys(keys []string) string {
	escaped := make([]string, len(keys))
	for i, key := range keys {
		escaped[i] = url.PathEscape(key)
	}
	return strings.Join(escaped, ",")
}

// FieldsCount at the end of a list of keys says that it matters which of them are in binaryData. The semicolon is
// unambiguous, as it would be escaped in a key.
const FieldsCount = ";binaryData"

// KeysOf returns the keys in a result of Keys, none for AllKeys.
func KeysOf(list string) []string {
	list = strings.TrimSuffix(list, FieldsCount)
	if list == AllKeys {
		return nil
	}
	keys := strings.Split(list, ",")
	for i, escaped := range keys {
		if key, err := url.PathUnescape(escaped); err == nil {
			keys[i] = key
		}
	}
	return keys
}

// PartSuffix returns the suffix of an object that holds keys of another, keyed with salt unless that is empty. keys is
// a result of Keys, or AllKeys, either with or without FieldsCount; only values of these keys count. Without
// FieldsCount, it does not matter which field has a value. The type of a Secret counts, since it cannot change under a
// name.
//
// values are sorted by key, as ValuesOf returns them.
func PartSuffix(kind, typ, keys string, values []Value, salt string) string {
	if kind == "Secret" && typ == "" {
		typ = "Opaque" // the API server's default
	}
	encoded := appendStrings(nil, partVersion, kind, typ, keys)
	add := func(v *Value) {
		sum := hex.EncodeToString(v.Sum[:])
		if v.Binary && strings.HasSuffix(keys, FieldsCount) {
			sum += FieldsCount
		}
		encoded = appendStrings(encoded, v.Key, sum)
	}
	if strings.TrimSuffix(keys, FieldsCount) == AllKeys {
		for i := range values {
			add(&values[i])
		}
	}
	for _, key := range KeysOf(keys) {
		if i, ok := Find(values, key); ok {
			add(&values[i])
		}
	}
	return alphabet.Replace(digest(encoded, salt)[:Length])
}

// alphabet replaces hexadecimal digits so that suffixes do not contain words, as in kubectl and kustomize.
var alphabet = strings.NewReplacer("0", "g", "1", "h", "3", "k", "a", "m", "e", "t")

// Alphabet has the characters of suffixes.
const Alphabet = "2456789bcdfghkmt"

// IsSuffix reports whether s has the form of a suffix.
func IsSuffix(s string) bool {
	return len(s) == Length && strings.Trim(s, Alphabet) == ""
}

// Suffixed reports whether name ends with a dash and what has the form of a suffix.
func Suffixed(name string) bool {
	at := len(name) - Length
	return at > 1 && name[at-1] == '-' && IsSuffix(name[at:])
}

// salted returns a content whose unsalted suffix is that of c with salt.
func salted(c Content, salt string) Content {
	encoded := appendStrings(nil, c.Kind)
	if c.Type != nil {
		encoded = appendStrings(encoded, *c.Type)
	}
	for _, f := range c.Fields {
		encoded = appendStrings(encoded, f.Name, strconv.Itoa(len(f.Entries)))
		byKey := func(a, b Entry) int { return strings.Compare(a.Key, b.Key) }
		for _, e := range slices.SortedFunc(slices.Values(f.Entries), byKey) {
			encoded = appendStrings(encoded, e.Key, e.Value)
		}
	}
	return Content{Kind: "ConfigMap", Fields: []Field{{
		Name: "data", Entries: []Entry{{Key: "hmac", Value: digest(encoded, salt)}},
	}}}
}
