package hash

import (
	"bytes"
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"hash"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/yamldoc"
)

// What the encodings of checksums begin with. A change of the encoding, which
// would roll every workload once, needs new ones.
const (
	sourceVersion   = "confighash.dev/source/v1"
	workloadVersion = "confighash.dev/workload/v1"
	markVersion     = "confighash.dev/mark/v1"
)

// A Value is what an object holds under a key.
type Value struct {
	Key string
	// Sum is the SHA-256 of the bytes.
	Sum [sha256.Size]byte
	// Always tells that the value counts whichever keys are consumed.
	Always bool
}

// ValuesOf returns what a ConfigMap or a Secret holds, sorted by key: the bytes
// that containers get. A Secret's stringData goes before its data, as in the API
// server, and a ConfigMap's binaryData before its data.
//
// Values that SOPS encrypted count as the text that stands there. So do those
// that ought to be base64 and are not, whose keys are returned as well: an API
// server refuses them, unless something replaces them before.
func ValuesOf(c Content, encrypted bool) (values []Value, undecoded []string) {
	n := 0
	for _, f := range c.Fields {
		n += len(f.Entries)
	}
	values = make([]Value, 0, n)
	for _, f := range c.Fields {
		encoded := !encrypted && (f.Name == "binaryData" || f.Name == "data" && c.Kind == "Secret")
		for _, e := range f.Entries {
			content := []byte(e.Value)
			if encoded {
				// As in encoding/json, line breaks do not count.
				if decoded, err := base64.StdEncoding.DecodeString(e.Value); err == nil {
					content = decoded
				} else {
					undecoded = append(undecoded, e.Key)
				}
			}
			values = append(values, Value{Key: e.Key, Sum: sha256.Sum256(content)})
		}
	}
	// The last field that has the key is the one that counts.
	slices.SortStableFunc(values, func(a, b Value) int { return strings.Compare(a.Key, b.Key) })
	kept := values[:0]
	for i, v := range values {
		if i+1 == len(values) || values[i+1].Key != v.Key {
			kept = append(kept, v)
		}
	}
	slices.Sort(undecoded)
	return kept, undecoded
}

// SortValues sorts values by key, and those of one key by their content.
func SortValues(values []Value) {
	slices.SortFunc(values, func(a, b Value) int {
		return cmp.Or(strings.Compare(a.Key, b.Key), bytes.Compare(a.Sum[:], b.Sum[:]))
	})
}

// A Source is an object, or what is consumed of it.
type Source struct {
	// Kind is the object's kind, Namespace its namespace where that is not
	// the consumer's.
	Kind, Namespace, Name string
	// Encrypted tells that the values are the ciphertext of SOPS.
	Encrypted bool
	// Values are those that count, sorted by key.
	Values []Value
}

// Checksum returns the checksum of a source: 64 hexadecimal digits, keyed with
// salt where that is not empty.
func (s Source) Checksum(salt string) string {
	h := newHash(salt)
	kind, name := s.Kind, s.Name
	if s.Encrypted {
		kind = "sops/" + kind
	}
	if s.Namespace != "" {
		name = s.Namespace + "/" + name
	}
	write(h, sourceVersion)
	write(h, kind)
	write(h, name)
	for i := range s.Values {
		write(h, s.Values[i].Key)
		write(h, hex.EncodeToString(s.Values[i].Sum[:]))
	}
	return marked(h.Sum(nil))
}

// Checksum returns the checksum of several sources, of which sums are the
// checksums, in whatever order. The result is 64 hexadecimal digits, keyed with
// salt where that is not empty.
func Checksum(sums []string, salt string) string {
	h := newHash(salt)
	write(h, workloadVersion)
	for _, sum := range slices.Sorted(slices.Values(sums)) {
		write(h, sum)
	}
	return marked(h.Sum(nil))
}

// ShortSalt returns a salt that keys hashes as salt does, in no more than a block of
// HMAC's, which it otherwise hashes anew for each of them.
func ShortSalt(salt string) string {
	if len(salt) <= sha256.BlockSize {
		return salt
	}
	sum := sha256.Sum256([]byte(salt))
	return string(sum[:])
}

// markLength is how many of a checksum's digits mark it as one of this
// function's.
const markLength = 8

// marked returns the digits of a sum, of which the last ones give way to the
// mark.
func marked(sum []byte) string {
	digits := hex.EncodeToString(sum)
	digits = digits[:len(digits)-markLength]
	return digits + mark(digits)
}

// mark returns the mark of the digits before it.
func mark(digits string) string {
	sum := sha256.Sum256([]byte(markVersion + digits))
	return hex.EncodeToString(sum[:])[:markLength]
}

// IsChecksum reports whether s is a checksum that this package made. That of
// another program, such as Helm's sha256sum, is taken for one once in 2^32
// times.
func IsChecksum(s string) bool {
	at := hex.EncodedLen(sha256.Size) - markLength
	return len(s) == at+markLength && strings.Trim(s, "0123456789abcdef") == "" && s[at:] == mark(s[:at])
}

func newHash(salt string) hash.Hash {
	if salt == "" {
		return sha256.New()
	}
	return hmac.New(sha256.New, []byte(salt))
}

// Tree returns what stands for a part of a resource that is no ConfigMap or
// Secret, whatever the order of its keys, its YAML style, and its comments:
//
//	a scalar    s, the string that stands there
//	null        n
//	a mapping   m, the number of entries, and each key and value, sorted by key
//	a sequence  l, the number of elements, and each of them
//
// where strings are led by their length in bytes in decimal and a colon, and
// numbers followed by a colon. Entries of mappings that are null do not count.
// omit names keys of the part itself that do not count either.
//
// Errors: a key that is no scalar or stands twice, aliases without end.
func Tree(part *yaml.Node, omit ...string) ([]byte, error) {
	t := tree{budget: new(yamldoc.Budget)}
	if err := t.write(part, 0, omit); err != nil {
		return nil, err
	}
	return t.out.Bytes(), nil
}

type tree struct {
	out    bytes.Buffer
	budget *yamldoc.Budget
}

// maxDepth is how deep a tree may be, far deeper than an API server takes.
const maxDepth = 1_000

func (t *tree) write(n *yaml.Node, depth int, omit []string) error {
	if depth > maxDepth {
		return fmt.Errorf("more than %d levels deep", maxDepth)
	}
	if n.Kind == yaml.AliasNode {
		n = yamldoc.Resolve(n)
		if err := t.spend(n); err != nil {
			return err
		}
	}
	switch n.Kind {
	case yaml.MappingNode:
		return t.writeMapping(n, depth, omit)
	case yaml.SequenceNode:
		t.out.WriteByte('l')
		t.number(len(n.Content))
		for _, element := range n.Content {
			if err := t.write(element, depth+1, nil); err != nil {
				return err
			}
		}
	default:
		if isNull(n) {
			t.out.WriteByte('n')
			return nil
		}
		t.out.WriteByte('s')
		t.string(n.Value)
	}
	return nil
}

// spend takes the nodes behind an alias or a merge key from the budget, one of
// them once for each thousand bytes: a short text must not stand for a tree that
// fills the memory.
func (t *tree) spend(n *yaml.Node) error {
	for range 1 + len(n.Value)/1_000 {
		if err := t.budget.Spend(); err != nil {
			return err
		}
	}
	for _, child := range n.Content {
		if err := t.spend(child); err != nil {
			return err
		}
	}
	return nil
}

func (t *tree) writeMapping(n *yaml.Node, depth int, omit []string) error {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if yamldoc.Resolve(n.Content[i]).Kind != yaml.ScalarNode {
			return fmt.Errorf("line %d: a key is no string", n.Content[i].Line)
		}
	}
	if key := yamldoc.Duplicate(n); key != nil {
		return fmt.Errorf("%s stands twice; keep one", yamldoc.NameOf(n, key))
	}
	type entry struct {
		key   string
		value *yaml.Node
	}
	var entries []entry
	err := yamldoc.Each(n, t.budget, func(key string, value *yaml.Node, merged bool) error {
		if merged {
			if err := t.spend(value); err != nil {
				return err
			}
		}
		if !isNull(yamldoc.Resolve(value)) && !slices.Contains(omit, key) {
			entries = append(entries, entry{key, value})
		}
		return nil
	})
	if err != nil {
		return err
	}
	slices.SortFunc(entries, func(a, b entry) int { return strings.Compare(a.key, b.key) })
	t.out.WriteByte('m')
	t.number(len(entries))
	for _, e := range entries {
		t.string(e.key)
		if err := t.write(e.value, depth+1, nil); err != nil {
			return err
		}
	}
	return nil
}

func (t *tree) number(n int) {
	t.out.WriteString(strconv.Itoa(n))
	t.out.WriteByte(':')
}

func (t *tree) string(s string) {
	t.number(len(s))
	t.out.WriteString(s)
}
