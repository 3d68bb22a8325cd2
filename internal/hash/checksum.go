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

// The first strings of the encodings that checksums are made of. A change of the
// encoding, which would roll every workload once, needs new ones.
const (
	sourceVersion   = "confighash.dev/source/v1"
	workloadVersion = "confighash.dev/workload/v1"
	markVersion     = "confighash.dev/mark/v1"
	treeVersion     = "confighash.dev/tree/v1"
	partVersion     = "confighash.dev/part/v1"
)

// A Value is what an object has under a key.
type Value struct {
	Key string
	// Sum is the SHA-256 of the bytes.
	Sum [sha256.Size]byte
	// Binary: it is in binaryData, which env and envFrom do not read.
	Binary bool
	// Always reports that the value counts whichever keys are consumed.
	Always bool
}

// ValuesOf returns what a ConfigMap or a Secret has, sorted by key: the bytes that
// containers get. As in the API server, a Secret's stringData wins over its data, and
// a ConfigMap's binaryData over its data.
//
// Values that SOPS encrypted count as their text. So do those that should be base64 and
// are not, whose keys are returned as well: an API server rejects them, unless
// something replaces them before.
func ValuesOf(c Content, encrypted bool) (values []Value, undecoded []string) {
	for _, f := range c.Fields {
		encoded := !encrypted && (f.Name == "binaryData" || f.Name == "data" && c.Kind == "Secret")
		values = slices.Grow(values, len(f.Entries))
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
			values = append(values, Value{Key: e.Key, Sum: sha256.Sum256(content), Binary: f.Name == "binaryData"})
		}
	}
	// The last field that has the key is the one that counts.
	slices.Reverse(values)
	slices.SortStableFunc(values, func(a, b Value) int { return strings.Compare(a.Key, b.Key) })
	values = slices.CompactFunc(values, func(a, b Value) bool { return a.Key == b.Key })
	slices.Sort(undecoded)
	return values, undecoded
}

// SortValues sorts values by key, and those of one key by their content.
func SortValues(values []Value) {
	slices.SortFunc(values, func(a, b Value) int {
		return cmp.Or(strings.Compare(a.Key, b.Key), bytes.Compare(a.Sum[:], b.Sum[:]))
	})
}

// A Source is an object, or what is consumed of it.
type Source struct {
	// Kind is the object's kind, Namespace its namespace if that is not the
	// consumer's.
	Kind, Namespace, Name string
	// Encrypted reports that the values are the ciphertext of SOPS.
	Encrypted bool
	// Values are those that count, sorted by key.
	Values []Value
}

// Checksum returns the checksum of a source: 64 hexadecimal digits, keyed with
// salt unless that is empty.
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

// Checksum returns the checksum of several sources, whose checksums are sums in any
// order: 64 hexadecimal digits, keyed with salt unless that is empty.
func Checksum(sums []string, salt string) string {
	sorted := slices.Sorted(slices.Values(sums))
	return marked(appendStrings(appendStrings(nil, workloadVersion), sorted...), salt)
}

// appendStrings appends strings to an encoding, each after its length in bytes.
func appendStrings(b []byte, texts ...string) []byte {
	for _, s := range texts {
		b = append(appendNumber(b, len(s)), s...)
	}
	return b
}

// appendNumber appends a number to an encoding, in decimal with a colon after it.
func appendNumber(b []byte, n int) []byte {
	return append(strconv.AppendInt(b, int64(n), 10), ':')
}

// ShortSalt returns a salt that keys hashes as salt does, no longer than one block of
// HMAC, which hashes a longer one again each time.
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

// markLength is how many of a checksum's digits mark it as one of this function's.
const markLength = 8

// marked returns the checksum of an encoding.
func marked(encoded []byte, salt string) string {
	digits := digest(encoded, salt)[:2*sha256.Size-markLength]
	return digits + mark(digits)
}

// mark returns the mark of the digits before it.
func mark(digits string) string {
	return digest([]byte(markVersion+digits), "")[:markLength]
}

// IsChecksum reports whether s is a checksum that this package made. That of
// another program, such as Helm's sha256sum, passes for one once in 2^32 times.
func IsChecksum(s string) bool {
	const at = 2*sha256.Size - markLength
	return len(s) == at+markLength && strings.Trim(s, "0123456789abcdef") == "" && s[at:] == mark(s[:at])
}
