package yamldoc

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"

	"github.com/confighash/confighash/test/support/property"
)

func parse(t rapid.TB, text string) *yaml.Node {
	t.Helper()
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
		t.Fatalf("%v in:\n%s", err, text)
	}
	return doc.Content[0]
}

// TestEach_readsAsTheDecoderDoes compares the entries of random mappings with merge keys with yaml.v3's decoding.
func TestEach_readsAsTheDecoderDoes(t *testing.T) {
	property.Check(t, func(rt *rapid.T) {
		var text strings.Builder
		names := []string{}
		for i := range rapid.IntRange(1, 5).Draw(rt, "mappings") {
			fmt.Fprintf(&text, "m%d: &m%d\n", i, i)
			if len(names) > 0 && rapid.Bool().Draw(rt, "merges") {
				sources := rapid.SliceOfN(rapid.SampledFrom(names), 1, 3).Draw(rt, "sources")
				if len(sources) == 1 {
					fmt.Fprintf(&text, "  <<: *%s\n", sources[0])
				} else {
					fmt.Fprintf(&text, "  <<: [*%s]\n", strings.Join(sources, ", *"))
				}
			}
			for key := range rapid.MapOfN(rapid.SampledFrom([]string{"a", "b", "c", "d"}), rapid.Bool(), 1, 3).Draw(rt, "keys") {
				fmt.Fprintf(&text, "  %s: m%d\n", key, i)
			}
			names = append(names, fmt.Sprintf("m%d", i))
		}
		root := parse(rt, text.String())
		last := Resolve(root.Content[len(root.Content)-1])
		var want map[string]string
		if err := last.Decode(&want); err != nil {
			rt.Fatal(err)
		}
		got := map[string]string{}
		if err := Each(last, new(Budget), func(key string, value *yaml.Node, _ bool) error {
			if _, twice := got[key]; twice {
				rt.Errorf("%s is visited twice", key)
			}
			got[key] = value.Value
			return nil
		}); err != nil {
			rt.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			rt.Fatalf("(-decoder +Each) in:\n%s%s", text.String(), diff)
		}
		for key, value := range want {
			if node, _ := Get(last, key, new(Budget)); node == nil || node.Value != value {
				rt.Fatalf("Get(%s) is %v, want %s in:\n%s", key, node, value, text.String())
			}
		}
	})
}

func TestEach_isBounded(t *testing.T) {
	text := "l0: &l0 {k: v}\n"
	for i := 1; i <= 20; i++ {
		text += fmt.Sprintf("l%d: &l%d {<<: [%s]}\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*l%d,", i-1), 10), ","))
	}
	root := parse(t, text)
	visits := 0
	err := Each(root.Content[len(root.Content)-1], new(Budget), func(string, *yaml.Node, bool) error { visits++; return nil })
	if err != nil || visits != 1 {
		t.Errorf("10^20 merges of one entry: %d visits, %v", visits, err)
	}
	var budget Budget
	for range maxAliased {
		if err := budget.Spend(); err != nil {
			t.Fatal(err)
		}
	}
	if err := budget.Spend(); err == nil || !strings.Contains(err.Error(), "more than the 100000 nodes") {
		t.Errorf("a spent budget says %v", err)
	}
}

func TestDuplicate(t *testing.T) {
	for text, want := range map[string]string{
		"{a: b, c: d}":                 "",
		"{a: b, c: d, a: e}":           "a",
		"{x: &a a, a: b, *a : c}":      "a",
		"{x: &m {a: b}, a: c, <<: *m}": "",
		"{1: a, '1': b}":               "1",
	} {
		got := ""
		if key := Duplicate(parse(t, text)); key != nil {
			got = Resolve(key).Value
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}
