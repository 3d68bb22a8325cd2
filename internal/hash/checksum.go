package hash

import (
	"bytes"
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
)

// The first strings of the encodings of checksums. A changed encoding, which would roll every workload once, needs new
// ones.
const (
	sourceVersion   = "confighash.dev/source/v1"
	workloadVersion = "confighash.dev/workload/v1"
	markVersion     = "confighash.dev/mark/v1"
	treeVersion     = "confighash.dev/tree/v1"
	partVersion     = "confighash.dev/part/v1"
)

// A Value is the value of a key of an object.
type Value struct {
	Key string
	// Sum is the SHA-256 of the bytes.
	Sum [sha256.Size]byte
	// Binary: the value is in binaryData, which env and envFrom do not read.
	Binary bool
	// Always: the value counts whichever keys are consumed.
	Always bool
}

// ValuesOf returns the values of a ConfigMap or a Secret, sorted by key: the bytes that containers get. As in the API
// server, a Secret's stringData wins over its data, and a ConfigMap's binaryData over its data.
//
// Values that SOPS encrypted count as their text. So do values that should be base64 but are not; their keys are also
// returned. An API server rejects them, unless something replaces them before.
func ValuesOf(c Content, encrypted bool) (values []Value, undecoded []string) {
	for _, f := range c.Fields {
		encoded := !encrypted && (f.Name == "binaryData" || f.Name == "data" && c.Kind == "Secret")
		values = slices.Grow(values, len(f.Entries))
		for _, e := range f.Entries {
			content := []byte(e.Value)
			if encoded {
				// As in encoding/json, line breaks are ignored.
				if decoded, err := base64.StdEncoding.DecodeString(e.Value); err == nil {
					content = decoded
				} else {
					undecoded = append(undecoded, e.Key)
				}
			}
			values = append(values, Value{Key: e.Key, Sum: sha256.Sum256(content), Binary: f.Name == "binaryData"})
		}
	}
	// The last field that has the key wins.
	slices.Reverse(values)
	slices.SortStableFunc(values, func(a, b Value) int { return strings.Compare(a.Key, b.Key) })
	values = slices.CompactFunc(values, func(a, b Value) bool { return a.Key == b.Key })
	slices.Sort(undecoded)
	return values, undecoded
}

// Find returns the index of the first value of a key among sorted values, and whether there is one.
func Find(values []Value, key string) (int, bool) {
	return slices.BinarySearchFunc(values, key, func(v Value, key string) int { return strings.Compare(v.Key, key) })
}

// SortValues sorts values by key, then by content.
func SortValues(values []Value) {
	slices.SortFunc(values, func(a, b Value) int {
		return cmp.Or(strings.Compare(a.Key, b.Key), bytes.Compare(a.Sum[:], b.Sum[:]))
	})
}

// A Source is the consumed part of an object.
type Source struct {
	// Kind is the object's kind. Namespace is its namespace if that is not the consumer's.
	Kind, Namespace, Name string
	// Encrypted: the values are SOPS ciphertext.
	Encrypted bool
	// Values are the consumed values, sorted by key.
	Values []Value
}

// Checksum returns the checksum of a source: 64 hexadecimal digits, keyed with salt unless that is empty.
func (s Source) Checksum(salt string) string {
	kind, name := s.Kind, s.Name
	if s.Encrypted {
		kind = "sops/" + kind
	}
	if s.Namespace != "" {
		name = s.Namespace + "/" + name
	}
	encoded := appendStrings(make([]byte, 0, 100*(1+len(s.Values))), sourceVersion, kind, name)
	for i := range s.Values {
		v := &s.Values[i]
		encoded = hex.AppendEncode(appendNumber(appendStrings(encoded, v.Key), 2*len(v.Sum)), v.Sum[:])
	}
	return marked(encoded, salt)
}

// Checksum combines the checksums of several sources, in any order: 64 hexadecimal digits, keyed with salt unless that
// is empty.
func Checksum(sums []string, salt string) string {
	sorted := slices.Sorted(slices.Values(sums))
	return marked(appendStrings(appendStrings(nil, workloadVersion), sorted...), salt)
}

// appendStrings appends strings to an encoding, each preceded by its length in bytes.
func appendStrings(b []byte, texts ...string) []byte {
	for _, s := range texts {
		b = append(appendNumber(b, len(s)), s...)
	}
	return b
}

// appendNumber appends a number to an encoding, in decimal and followed by a colon.
func appendNumber(b []byte, n int) []byte {
	return append(strconv.AppendInt(b, int64(n), 10), ':')
}

// ShortSalt returns a salt equivalent to salt that is no longer than one block of HMAC, which would hash a longer one
// each time.
func ShortSalt(salt string) string {
	if len(salt) <= sha256.BlockSize {
		return salt
	}
	sum := sha256.Sum256([]byte(salt))
	return string(sum[:])
}

func digest(encoded []byte, salt string) string {
	if salt == "" {
		sum := sha256.Sum256(encoded)
		return hex.EncodeToString(sum[:])
	}
	h := hmac.New(sha256.New, []byte(salt))
	_, _ = h.Write(encoded) // it does not fail
	return hex.EncodeToString(h.Sum(nil))
}

// markLength is how many of a checksum's digits identify it as this function's.
const markLength = 8

func marked(encoded []byte, salt string) string {
	digits := digest(encoded, salt)[:2*sha256.Size-markLength]
	return digits + mark(digits)
}

// mark returns the digits that mark a checksum as this function's.
func mark(digits string) string {
	return digest([]byte(markVersion+digits), "")[:markLength]
}

// IsChecksum reports whether s is a checksum from this package. One from another program, such as Helm's sha256sum, is
// mistaken for one with a probability of 2^-32.
func IsChecksum(s string) bool {
	const at = 2*sha256.Size - markLength
	return len(s) == at+markLength && strings.Trim(s, "0123456789abcdef") == "" && s[at:] == mark(s[:at])
}
