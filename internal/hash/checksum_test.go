package hash

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"

	"github.com/confighash/confighash/test/support/property"
)

// vectors are the test vectors of testdata/checksums.yaml.
type vectors struct {
	Sources []struct {
		Label, Object string
		Keys          []string
		Namespace     *string
		Salt          string
		Checksum      string
	}
	Workloads []struct {
		Label    string
		Sources  []string
		Salt     string
		Checksum string
	}
	Trees []struct {
		Part yaml.Node
		Omit []string
		Tree string
	}
}

func readVectors(t *testing.T) vectors {
	t.Helper()
	text, err := os.ReadFile("testdata/checksums.yaml")
	if err != nil {
		t.Fatal(err)
	}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	var v vectors
	if err := decoder.Decode(&v); err != nil {
		t.Fatal(err)
	}
	if len(v.Sources) < 10 || len(v.Workloads) < 2 || len(v.Trees) < 5 {
		t.Fatalf("%d, %d and %d vectors", len(v.Sources), len(v.Workloads), len(v.Trees))
	}
	return v
}

// netstrings is the encoding from the package comment, written independently of the implementation.
func netstrings(parts ...string) string {
	encoded := ""
	for _, part := range parts {
		encoded += fmt.Sprintf("%d:%s", len(part), part)
	}
	return encoded
}

// sum is SHA-256, or HMAC-SHA256 as RFC 2104 defines it.
func sum(message, salt string) string {
	if salt == "" {
		return fmt.Sprintf("%x", sha256.Sum256([]byte(message)))
	}
	if len(salt) > 64 {
		hashed := sha256.Sum256([]byte(salt))
		salt = string(hashed[:])
	}
	inner, outer := make([]byte, 64), make([]byte, 64)
	for i := range 64 {
		inner[i], outer[i] = 0x36, 0x5c
		if i < len(salt) {
			inner[i] ^= salt[i]
			outer[i] ^= salt[i]
		}
	}
	first := sha256.Sum256([]byte(string(inner) + message))
	return fmt.Sprintf("%x", sha256.Sum256([]byte(string(outer)+string(first[:]))))
}

// checksumOf computes a checksum as the package comment defines it.
func checksumOf(message, salt string) string {
	digits := sum(message, salt)[:56]
	return digits + sum("confighash.dev/mark/v1"+digits, "")[:8]
}

// A manifest is a ConfigMap or Secret as another program would read it.
type manifest struct {
	Kind                         string
	Metadata                     struct{ Name, Namespace string }
	Data, BinaryData, StringData map[string]yaml.Node
	Sops                         map[string]any
}

// elsewhere computes the checksum of an object as another program would.
func elsewhere(t *testing.T, text string, keys []string, namespace *string, salt string) string {
	t.Helper()
	// Match the decoder's default names of keys.
	text = strings.NewReplacer("binaryData:", "binarydata:", "stringData:", "stringdata:").Replace(text)
	var m manifest
	if err := yaml.Unmarshal([]byte(text), &m); err != nil {
		t.Fatal(err)
	}
	content := map[string]string{}
	for _, field := range []struct {
		values  map[string]yaml.Node
		encoded bool
	}{
		{m.Data, m.Kind == "Secret"}, {m.BinaryData, true}, {m.StringData, false},
	} {
		for key, value := range field.values {
			content[key] = value.Value
			decoded, err := base64.StdEncoding.DecodeString(strings.ReplaceAll(value.Value, "\n", ""))
			if field.encoded && m.Sops == nil && err == nil {
				content[key] = string(decoded)
			}
		}
	}
	kind, name := m.Kind, m.Metadata.Name
	if m.Sops != nil {
		kind = "sops/" + kind
	}
	if namespace != nil && *namespace != m.Metadata.Namespace {
		name = m.Metadata.Namespace + "/" + name
	}
	parts := []string{"confighash.dev/source/v1", kind, name}
	for _, key := range slices.Sorted(maps.Keys(content)) {
		if keys == nil || slices.Contains(keys, key) {
			parts = append(parts, key, sum(content[key], ""))
		}
	}
	return checksumOf(netstrings(parts...), salt)
}

// here computes the checksum with the package.
func here(t testing.TB, text string, keys []string, namespace *string, salt string) string {
	t.Helper()
	source := sourceOf(t, text)
	var m manifest
	if err := yaml.Unmarshal([]byte(text), &m); err != nil {
		t.Fatal(err)
	}
	source.Name = m.Metadata.Name
	if namespace != nil && *namespace != m.Metadata.Namespace {
		source.Namespace = m.Metadata.Namespace
	}
	if keys != nil {
		source.Values = slices.DeleteFunc(source.Values, func(v Value) bool { return !slices.Contains(keys, v.Key) })
	}
	return source.Checksum(salt)
}

// sourceOf returns a source with all values of an object.
func sourceOf(t testing.TB, text string) Source {
	t.Helper()
	item := parse(t, text)
	kind := lookup(item, "kind").Value
	content, err := ContentOf(kind, item)
	if err != nil {
		t.Fatal(err)
	}
	encrypted := lookup(item, "sops") != nil
	values, _ := ValuesOf(content, encrypted)
	return Source{Kind: kind, Encrypted: encrypted, Values: values}
}

func parse(t testing.TB, text string) *yaml.Node {
	t.Helper()
	var document yaml.Node
	if err := yaml.Unmarshal([]byte(text), &document); err != nil {
		t.Fatal(err)
	}
	return document.Content[0]
}

func TestSource_vectors(t *testing.T) {
	for _, v := range readVectors(t).Sources {
		t.Run(v.Label, func(t *testing.T) {
			if got := elsewhere(t, v.Object, v.Keys, v.Namespace, v.Salt); got != v.Checksum {
				t.Errorf("the vector is wrong: %s, by another program %s", v.Checksum, got)
			}
			if got := here(t, v.Object, v.Keys, v.Namespace, v.Salt); got != v.Checksum {
				t.Errorf("got %s, want %s", got, v.Checksum)
			}
		})
	}
}

func TestChecksum_vectors(t *testing.T) {
	for _, v := range readVectors(t).Workloads {
		t.Run(v.Label, func(t *testing.T) {
			parts := slices.Concat([]string{"confighash.dev/workload/v1"}, slices.Sorted(slices.Values(v.Sources)))
			if got := checksumOf(netstrings(parts...), v.Salt); got != v.Checksum {
				t.Errorf("the vector is wrong: %s, by another program %s", v.Checksum, got)
			}
			given := slices.Clone(v.Sources)
			if got := Checksum(v.Sources, v.Salt); got != v.Checksum {
				t.Errorf("got %s, want %s", got, v.Checksum)
			}
			if !slices.Equal(given, v.Sources) {
				t.Error("Checksum changes the order of what it is given")
			}
		})
	}
}

func TestTree_vectors(t *testing.T) {
	for _, v := range readVectors(t).Trees {
		got, err := Tree(&v.Part, v.Omit...)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != v.Tree {
			t.Errorf("line %d: got %s, want %s", v.Part.Line, got, v.Tree)
		}
	}
}

// The package comment has one complete encoding.
func TestSource_matchesThePackageComment(t *testing.T) {
	text, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	example := regexp.MustCompile(`\n//\t(24:confighash\S+)\n`).FindStringSubmatch(string(text))
	if example == nil {
		t.Fatal("the package comment has no example")
	}
	const object = "{kind: ConfigMap, metadata: {name: app}, data: {x: '1', y: '2'}}"
	if got, want := here(t, object, []string{"x"}, nil, ""), checksumOf(example[1], ""); got != want {
		t.Errorf("got %s, want the checksum of the example, %s", got, want)
	}
}

func TestValuesOf(t *testing.T) {
	type value struct {
		Key, Bytes string
	}
	for _, tc := range []struct {
		label, object string
		encrypted     bool
		want          []value
		undecoded     []string
	}{
		{"a ConfigMap's data", "{kind: ConfigMap, data: {b: czE=, a: ''}}", false, []value{{"a", ""}, {"b", "czE="}}, nil},
		{"and binaryData, which go first", "{kind: ConfigMap, binaryData: {a: czE=, b: ''}, data: {a: x, c: y}}", false, []value{{"a", "s1"}, {"b", ""}, {"c", "y"}}, nil},
		{"a Secret has no binaryData", "{kind: Secret, binaryData: {a: czE=}, data: {b: czE=}}", false, []value{{"b", "s1"}}, nil},
		{"a ConfigMap no stringData", "{kind: ConfigMap, stringData: {a: czE=}, data: {b: czE=}}", false, []value{{"b", "czE="}}, nil},
		{"stringData wins, wherever it is", "{kind: Secret, stringData: {a: x}, data: {a: czE=, b: czE=}}", false, []value{{"a", "x"}, {"b", "s1"}}, nil},
		{"invalid base64", "{kind: Secret, data: {c: czE, b: 'a b', a: czE=}, stringData: {d: '%'}}", false,
			[]value{{"a", "s1"}, {"b", "a b"}, {"c", "czE"}, {"d", "%"}}, []string{"b", "c"}},
		{"base64 in lines", "{kind: Secret, data: {a: \"cz\\nE=\\r\\n\"}}", false, []value{{"a", "s1"}}, nil},
		{"base64 for URLs is another", "{kind: Secret, data: {a: '_-8='}}", false, []value{{"a", "_-8="}}, []string{"a"}},
		{"encrypted, nothing is decoded", "{kind: Secret, data: {a: czE=, b: 'ENC[x]'}}", true, []value{{"a", "czE="}, {"b", "ENC[x]"}}, nil},
		{"nothing", "{kind: Secret}", false, nil, nil},
		{"null", "{kind: ConfigMap, data: null, binaryData: }", false, nil, nil},
	} {
		t.Run(tc.label, func(t *testing.T) {
			item := parse(t, tc.object)
			content, err := ContentOf(lookup(item, "kind").Value, item)
			if err != nil {
				t.Fatal(err)
			}
			got, undecoded := ValuesOf(content, tc.encrypted)
			var want []Value
			for _, v := range tc.want {
				binary := slices.ContainsFunc(content.Fields, func(f Field) bool {
					return f.Name == "binaryData" && slices.ContainsFunc(f.Entries, func(e Entry) bool { return e.Key == v.Key })
				})
				want = append(want, Value{Key: v.Key, Sum: sha256.Sum256([]byte(v.Bytes)), Binary: binary})
			}
			if len(got)+len(want) > 0 {
				if diff := gocmp.Diff(want, got); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			}
			if diff := gocmp.Diff(tc.undecoded, undecoded); diff != "" {
				t.Errorf("not decoded (-want +got):\n%s", diff)
			}
		})
	}
}

var (
	keyGen   = rapid.StringMatching(`[a-c.]{1,3}`)
	bytesGen = rapid.OneOf(rapid.SliceOfN(rapid.Byte(), 0, 8), rapid.Just([]byte("1")), rapid.Just([]byte("a1")))
)

// TestSource_countsBytesInAnyField writes the same content in random fields and orders.
func TestSource_countsBytesInAnyField(t *testing.T) {
	property.Check(t, func(rt *rapid.T) {
		content := rapid.MapOf(keyGen, bytesGen).Draw(rt, "content")
		kind := rapid.SampledFrom([]string{"ConfigMap", "Secret"}).Draw(rt, "kind")
		checksum := func(label string) string {
			fields := map[string][]Entry{}
			for _, key := range rapid.Permutation(slices.Sorted(maps.Keys(content))).Draw(rt, label+" order") {
				text := string(content[key])
				encoded := base64.StdEncoding.EncodeToString(content[key])
				plain := rapid.Bool().Draw(rt, label+" plain")
				switch {
				case kind == "Secret" && plain:
					fields["stringData"] = append(fields["stringData"], Entry{Key: key, Value: text})
				case kind == "Secret":
					fields["data"] = append(fields["data"], Entry{Key: key, Value: encoded})
				case plain:
					fields["data"] = append(fields["data"], Entry{Key: key, Value: text})
				default:
					fields["binaryData"] = append(fields["binaryData"], Entry{Key: key, Value: encoded})
				}
			}
			c := Content{Kind: kind}
			for _, name := range []string{"data", "binaryData", "stringData"} {
				if fields[name] != nil {
					c.Fields = append(c.Fields, Field{name, fields[name]})
				}
			}
			values, undecoded := ValuesOf(c, false)
			if undecoded != nil {
				rt.Fatalf("%q are not decoded", undecoded)
			}
			return Source{Kind: kind, Name: "n", Values: values}.Checksum("")
		}
		if a, b := checksum("one"), checksum("other"); a != b {
			rt.Fatalf("the same content has the checksums %s and %s", a, b)
		}
	})
}

func sourceGen() *rapid.Generator[Source] {
	return rapid.Custom(func(t *rapid.T) Source {
		content := rapid.MapOfN(keyGen, bytesGen, 0, 3).Draw(t, "content")
		s := Source{
			Kind:      rapid.StringMatching(`[AB1]{1,2}`).Draw(t, "kind"),
			Namespace: rapid.StringMatching(`[ab1]{0,2}`).Draw(t, "namespace"),
			Name:      rapid.StringMatching(`[ab1]{1,2}`).Draw(t, "name"),
			Encrypted: rapid.Bool().Draw(t, "encrypted"),
		}
		for _, key := range slices.Sorted(maps.Keys(content)) {
			s.Values = append(s.Values, Value{Key: key, Sum: sha256.Sum256(content[key])})
		}
		return s
	})
}

// neighbour returns a source that differs from s in one small change, and whether there is such a change.
func neighbour(t *rapid.T, s Source) (Source, bool) {
	s.Values = slices.Clone(s.Values)
	i := 0
	if len(s.Values) > 0 {
		i = rapid.IntRange(0, len(s.Values)-1).Draw(t, "value")
	}
	none := len(s.Values) == 0
	switch rapid.IntRange(0, 9).Draw(t, "change") {
	case 0: // characters move across the boundary between kind and name
		s.Kind, s.Name = s.Kind+s.Name[:1], s.Name[1:]+"a"
	case 1: // between namespace and name
		s.Namespace, s.Name = s.Namespace+s.Name[:1], cmp.Or(s.Name[1:], "b")
	case 2: // the length of the name is part of the kind
		s.Kind += strconv.Itoa(len(s.Name))
	case 3: // between the name and the first key
		if none {
			return s, false
		}
		s.Name += s.Values[0].Key[:1]
		s.Values[0].Key = s.Values[0].Key[1:]
	case 4: // between two keys
		if len(s.Values) < 2 || i == len(s.Values)-1 {
			return s, false
		}
		s.Values[i].Key += s.Values[i+1].Key[:1]
	case 5:
		if none {
			return s, false
		}
		s.Values[i].Sum[rapid.IntRange(0, 31).Draw(t, "byte")] ^= 1
	case 6:
		if none {
			return s, false
		}
		s.Values = slices.Delete(s.Values, i, i+1)
	case 7:
		s.Values = append(s.Values, Value{Key: "zz"})
	case 8:
		s.Encrypted = !s.Encrypted
	case 9: // two keys exchange their values
		if len(s.Values) < 2 || i == 0 || s.Values[0].Sum == s.Values[i].Sum {
			return s, false
		}
		s.Values[0].Sum, s.Values[i].Sum = s.Values[i].Sum, s.Values[0].Sum
	}
	return s, true
}

func TestSource_distinguishesDifferentSources(t *testing.T) {
	property.Check(t, func(rt *rapid.T) {
		s := sourceGen().Draw(rt, "source")
		salt := rapid.SampledFrom([]string{"", "s"}).Draw(rt, "salt")
		other, ok := neighbour(rt, s)
		if !ok {
			other = sourceGen().Draw(rt, "other source")
		}
		same := gocmp.Equal(s, other) || len(s.Values)+len(other.Values) == 0 && s.Kind == other.Kind &&
			s.Namespace == other.Namespace && s.Name == other.Name && s.Encrypted == other.Encrypted
		if equal := s.Checksum(salt) == other.Checksum(salt); equal != same {
			rt.Fatalf("the checksums are equal: %t, of\n%+v\n%+v", equal, s, other)
		}
	})
}

// TestSource_isKeyedWithTheSalt compares checksums with and without a salt with the definitions of HMAC and of the
// encoding.
func TestSource_isKeyedWithTheSalt(t *testing.T) {
	property.Check(t, func(rt *rapid.T) {
		s := sourceGen().Draw(rt, "source")
		salt := rapid.StringN(0, 100, -1).Draw(rt, "salt")
		kind, name := s.Kind, s.Name
		if s.Encrypted {
			kind = "sops/" + kind
		}
		if s.Namespace != "" {
			name = s.Namespace + "/" + name
		}
		parts := []string{"confighash.dev/source/v1", kind, name}
		for _, v := range s.Values {
			parts = append(parts, v.Key, fmt.Sprintf("%x", v.Sum))
		}
		checksum := s.Checksum(salt)
		if want := checksumOf(netstrings(parts...), salt); checksum != want {
			rt.Fatalf("got %s, want %s", checksum, want)
		}
		if (checksum == s.Checksum("")) != (salt == "") {
			rt.Fatalf("the salt %q makes no difference", salt)
		}
		if want := checksumOf(netstrings("confighash.dev/workload/v1", checksum), salt); Checksum([]string{checksum}, salt) != want {
			rt.Fatalf("got %s, want %s", Checksum([]string{checksum}, salt), want)
		}
	})
}

func TestChecksum_distinguishesSetsOfSources(t *testing.T) {
	sums := make([]string, 4)
	for i := range sums {
		sums[i] = Source{Kind: "ConfigMap", Name: strconv.Itoa(i)}.Checksum("")
	}
	set := rapid.SliceOfN(rapid.SampledFrom(sums), 0, 4)
	property.Check(t, func(rt *rapid.T) {
		one, other := set.Draw(rt, "one"), set.Draw(rt, "other")
		same := slices.Equal(slices.Sorted(slices.Values(one)), slices.Sorted(slices.Values(other)))
		if equal := Checksum(one, "") == Checksum(other, ""); equal != same {
			rt.Fatalf("the checksums are equal: %t", equal)
		}
		if shuffled := rapid.Permutation(one).Draw(rt, "shuffled"); Checksum(shuffled, "s") != Checksum(one, "s") {
			rt.Fatal("the order counts")
		}
	})
	if Checksum(sums[:1], "") == sums[0] {
		t.Error("a workload's checksum is that of its only source")
	}
}

func TestIsChecksum(t *testing.T) {
	checksum := Source{}.Checksum("")
	for _, tc := range []struct {
		text string
		want bool
	}{
		{checksum, true},
		{Checksum(nil, "salt"), true},
		{checksumOf("anything", ""), true},
		{sum("anything", ""), false}, // Helm's
		{strings.Repeat("0", 64), false},
		{strings.ToUpper(checksum), false},
		{checksum[1:], false},
		{checksum + "0", false},
		{checksum[:63] + "g", false},
		{"g" + checksum[1:], false},
		{" " + checksum[1:], false},
		{"", false},
	} {
		if got := IsChecksum(tc.text); got != tc.want {
			t.Errorf("%q: got %t", tc.text, got)
		}
	}
}

// treeGen generates trees of string, nil, []any and map[string]any.
func treeGen(depth int) *rapid.Generator[any] {
	return rapid.Custom(func(t *rapid.T) any {
		kinds := 4
		if depth == 0 {
			kinds = 2
		}
		switch rapid.IntRange(0, kinds-1).Draw(t, "kind") {
		case 0:
			return rapid.SampledFrom([]string{"", "a", "s1:a", "n", "null", "~", "1", "m0:", "é", "a1:b"}).Draw(t, "text")
		case 1:
			return nil
		case 2:
			return rapid.SliceOfN(treeGen(depth-1), 0, 3).Draw(t, "list")
		default:
			return rapid.MapOfN(rapid.SampledFrom([]string{"a", "b", "ab", "1", "", "<<", "s1:a"}), treeGen(depth-1), 0, 3).Draw(t, "mapping")
		}
	})
}

// nodes writes a tree as YAML nodes in a random order and style, partly as aliases and merge keys.
func nodes(t *rapid.T, tree any) *yaml.Node {
	n := &yaml.Node{}
	switch tree := tree.(type) {
	case nil:
		n.Kind, n.Tag, n.Value = yaml.ScalarNode, "!!null", rapid.SampledFrom([]string{"", "~", "null"}).Draw(t, "null")
	case string:
		n.Kind, n.Tag, n.Value = yaml.ScalarNode, "!!str", tree
		n.Style = rapid.SampledFrom([]yaml.Style{0, yaml.DoubleQuotedStyle, yaml.LiteralStyle}).Draw(t, "style")
	case []any:
		n.Kind, n.Tag = yaml.SequenceNode, "!!seq"
		for _, element := range tree {
			n.Content = append(n.Content, nodes(t, element))
		}
	case map[string]any:
		n.Kind, n.Tag = yaml.MappingNode, "!!map"
		merged := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
		for _, key := range rapid.Permutation(slices.Sorted(maps.Keys(tree))).Draw(t, "order") {
			to := n
			if rapid.IntRange(0, 4).Draw(t, "merged") == 0 {
				to = merged
			}
			to.Content = append(to.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: key}, nodes(t, tree[key]))
		}
		if len(merged.Content) > 0 {
			// The merged value of an existing key does not count.
			if len(n.Content) > 0 && n.Content[0].Value != "" {
				merged.Content = append(merged.Content, n.Content[0], &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: "not this"})
			}
			n.Content = slices.Concat([]*yaml.Node{{Kind: yaml.ScalarNode, Tag: "!!merge", Value: "<<"}, merged}, n.Content)
		}
		if rapid.IntRange(0, 4).Draw(t, "a null more") == 0 && tree["more"] == nil {
			n.Content = append(n.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: "more"}, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null"})
		}
	}
	if rapid.IntRange(0, 4).Draw(t, "aliased") == 0 {
		n.Anchor = "x"
		return &yaml.Node{Kind: yaml.AliasNode, Value: "x", Alias: n}
	}
	return n
}

// withoutNulls returns a tree without the entries that do not count.
func withoutNulls(tree any) any {
	switch tree := tree.(type) {
	case []any:
		list := []any{}
		for _, element := range tree {
			list = append(list, withoutNulls(element))
		}
		return list
	case map[string]any:
		mapping := map[string]any{}
		for key, value := range tree {
			if value != nil {
				mapping[key] = withoutNulls(value)
			}
		}
		return mapping
	}
	return tree
}

var errMalformed = errors.New("malformed")

// decode reads the output of Tree.
func decode(text string) (tree any, rest string, err error) {
	if text == "" {
		return nil, "", errMalformed
	}
	kind, text := text[0], text[1:]
	if kind == 'n' {
		return nil, text, nil
	}
	if kind == 's' {
		return decodeString(text)
	}
	n, text, err := decodeNumber(text)
	if err != nil {
		return nil, "", err
	}
	switch kind {
	case 'l':
		list := []any{}
		for range n {
			var element any
			if element, text, err = decode(text); err != nil {
				return nil, "", err
			}
			list = append(list, element)
		}
		return list, text, nil
	case 'm':
		mapping := map[string]any{}
		last := ""
		for i := range n {
			var key string
			if key, text, err = decodeString(text); err != nil {
				return nil, "", err
			}
			if i > 0 && key <= last {
				return nil, "", fmt.Errorf("%q is not after %q", key, last)
			}
			last = key
			if mapping[key], text, err = decode(text); err != nil {
				return nil, "", err
			}
		}
		return mapping, text, nil
	}
	return nil, "", errMalformed
}

func decodeNumber(text string) (n int, rest string, err error) {
	digits, rest, found := strings.Cut(text, ":")
	if n, err = strconv.Atoi(digits); err != nil || !found || n < 0 || strconv.Itoa(n) != digits {
		return 0, "", errMalformed
	}
	return n, rest, nil
}

func decodeString(text string) (s, rest string, err error) {
	n, rest, err := decodeNumber(text)
	if err != nil || n > len(rest) {
		return "", "", errMalformed
	}
	return rest[:n], rest[n:], nil
}

// TestTree_canBeReadAgain shows that the encoding contains exactly what counts of a part, since every way to write the
// part has an encoding that decodes to it.
func TestTree_canBeReadAgain(t *testing.T) {
	property.Check(t, func(rt *rapid.T) {
		tree := treeGen(3).Draw(rt, "tree")
		encoded, err := Tree(nodes(rt, tree))
		if err != nil {
			rt.Fatal(err)
		}
		decoded, rest, err := decode(string(encoded))
		if err != nil || rest != "" {
			rt.Fatalf("%s: %v, %q is left", encoded, err, rest)
		}
		if diff := gocmp.Diff(withoutNulls(tree), decoded); diff != "" {
			rt.Fatalf("%s (-want +got):\n%s", encoded, diff)
		}
		again, err := Tree(nodes(rt, tree))
		if err != nil || !bytes.Equal(again, encoded) {
			rt.Fatalf("the same tree is %s and %s (%v)", encoded, again, err)
		}
	})
}

func TestTree_ignoresStyle(t *testing.T) {
	for _, tc := range []struct{ label, a, b string }{
		{"flow and block", "{a: [b, {c: d}]}", "# the same\na:\n- b # here\n-\n  c: d\n"},
		{"the order of keys", "{a: 1, b: 2}", "{b: 2, a: 1}"},
		{"quotes", `{a: "b", 'c': d}`, "{a: b, c: 'd'}"},
		{"a block of text", "a: |\n  b\n  c\n", `{a: "b\nc\n"}`},
		{"numbers are strings", "{a: 012, b: 1e3, c: yes}", `{a: "012", b: "1e3", c: "yes"}`},
		{"entries that are null", "{a: b, c: null, d: ~, e: }", "{a: b}"},
		{"aliases", "{a: &a {b: [c]}, d: *a}", "{a: {b: [c]}, d: {b: [c]}}"},
		{"merge keys", "{x: &x {a: 1, b: 2}, y: {<<: *x, b: 3}}", "{x: {a: 1, b: 2}, y: {a: 1, b: 3}}"},
		{"tags", "{a: !!str 1, b: !custom c}", "{a: 1, b: c}"},
	} {
		t.Run(tc.label, func(t *testing.T) {
			a, errA := Tree(parse(t, tc.a))
			b, errB := Tree(parse(t, tc.b))
			if errA != nil || errB != nil {
				t.Fatal(errA, errB)
			}
			if !bytes.Equal(a, b) {
				t.Errorf("%s and %s", a, b)
			}
		})
	}
}

func TestTree_omitsOnlyKeysOfThePartItself(t *testing.T) {
	got, err := Tree(parse(t, "{a: {a: 1, b: 2}, b: 3, c: [{a: 4}], <<: {d: 5, b: 6}}"), "a", "d")
	if err != nil {
		t.Fatal(err)
	}
	if want := "m2:1:bs1:31:cl1:m1:1:as1:4"; string(got) != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, err = Tree(parse(t, "[{a: 1}]"), "a"); err != nil || string(got) != "l1:m1:1:as1:1" {
		t.Errorf("of a list: %s (%v)", got, err)
	}
}

func TestTree_errors(t *testing.T) {
	text := "a: &a " + strings.Repeat("x", 1_000_000) + "\n"
	bomb := "a: &a [" + strings.Repeat("x, ", 10) + "]\n"
	for i := 'b'; i < 'h'; i++ {
		bomb += fmt.Sprintf("%c: &%c [%s]\n", i, i, strings.Repeat(fmt.Sprintf("*%c, ", i-1), 10))
	}
	for _, tc := range []struct{ label, part, want string }{
		{"a key that appears twice", "{a: {hunter2: 1, b: c, hunter2: hunter3}}", `the key "hunter2" appears twice; keep one`},
		{"a key that is not a string", "x: 1\ny:\n  [a]: b\n", "a key is not a string"},
		{"aliases for much text", text + "b: [" + strings.Repeat("*a, ", 200) + "]", "aliases and merge keys expand to more than the 100000 nodes that are followed"},
		{"merge keys for much text", text + "b: &b {c: *a}\nd: [" + strings.Repeat("{<<: *b}, ", 200) + "]", "aliases and merge keys expand to more than the 100000 nodes that are followed"},
		{"merge keys for text in a list", "a: &a {b: [" + strings.Repeat("x, ", 1000) + "]}\nd: [" + strings.Repeat("{<<: *a}, ", 200) + "]", "aliases and merge keys expand to more than the 100000 nodes that are followed"},
		{"aliases without end", bomb, "aliases and merge keys expand to more than the 100000 nodes that are followed"},
		{"more levels than an API server takes", strings.Repeat("[", 1100) + strings.Repeat("]", 1100), "more than 1000 levels deep"},
		{"an alias of what contains it", "a: &a [*a]", "more than 1000 levels deep"},
	} {
		t.Run(tc.label, func(t *testing.T) {
			if _, err := Tree(parse(t, tc.part)); err == nil || err.Error() != tc.want {
				t.Errorf("got %v, want %s", err, tc.want)
			}
		})
	}
}

func FuzzTree(f *testing.F) {
	for _, seed := range []string{
		"{a: [b, {c: d}], e: null}", "a: &a {b: c}\nd: {<<: *a, b: e}\nf: [*a, *a]\n", "a: &a [*a]", "{a: 1, a: 2}", "[[a]]: b",
		"- |\n  text\n- >-\n  more\n- \"\\x00\"\n", "!!binary YQ==: !x {}", "? {a: b}\n: c", "<<: [{a: b}, {a: c}]\n", "\"<<\": a",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var document yaml.Node
		if yaml.Unmarshal([]byte(text), &document) != nil || len(document.Content) == 0 {
			return
		}
		encoded, err := Tree(document.Content[0])
		if err == nil {
			if _, rest, err := decode(string(encoded)); err != nil || rest != "" {
				t.Fatalf("%q: %v, %q is left", encoded, err, rest)
			}
		}
		if !reverse(&document) {
			return
		}
		reversed, reversedErr := Tree(document.Content[0])
		if (err == nil) != (reversedErr == nil) || !bytes.Equal(encoded, reversed) {
			t.Fatalf("%q (%v), with keys in reverse %q (%v)", encoded, err, reversed, reversedErr)
		}
	})
}

// reverse reverses the entries of all mappings. It returns false if their order matters, because a mapping has several
// merge keys.
func reverse(n *yaml.Node) bool {
	if n.Kind == yaml.MappingNode {
		merges := 0
		var reversed []*yaml.Node
		for i := len(n.Content) - 2; i >= 0; i -= 2 {
			if n.Content[i].Tag == "!!merge" {
				merges++
			}
			reversed = append(reversed, n.Content[i], n.Content[i+1])
		}
		if merges > 1 {
			return false
		}
		n.Content = reversed
	}
	for _, child := range n.Content {
		if !reverse(child) {
			return false
		}
	}
	return true
}
