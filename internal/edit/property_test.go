package edit_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/confighash/confighash/internal/yamldoc"
	"github.com/confighash/confighash/test/support/property"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"

	"github.com/confighash/confighash/internal/edit"
)

// values are the strings of the edits.
var values = []string{
	"app", "app-6ct58987ht", "12", "yes", "~", "", "null", "1e-45678", "0x1F", "1:20", "a: b", "a #b", "a,b", "[x", "it's", `say "x"`, `back\slash`,
	"two\nlines", " lead", "trail ", "\ttab", "\u0085nel", "ls\u2028ps\u2029", "\ufeffbom", "é€𝄞", "a:", "-", "- a", "? a", "<<", "=", "---", "...", "*a", "&a", "!a", "%a", "@a",
	"\x7f", "\x01", "\r\n", "\n", " \n x", "|", "{}", "null ", "a/b", "2001-01-02", "ns/name", "\ufffd", strings.Repeat("long ", 60),
}

// A site has the scalars and mappings of an item.
type site struct {
	scalars  []edit.Scalar
	elements []bool // whether the scalar is an element of a sequence
	mappings []yamldoc.Path
	keys     [][]string // of mappings
}

// collect finds the nodes below n that can be edited.
func (s *site) collect(n *yaml.Node, path yamldoc.Path, shared, element bool, depth int) {
	if len(s.scalars)+len(s.mappings) > 200 || depth > 20 {
		return
	}
	if shared = shared || n.Anchor != "" || n.Kind == yaml.AliasNode; n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	switch n.Kind {
	case yaml.ScalarNode:
		s.scalars, s.elements = append(s.scalars, edit.ScalarAt(path, n, shared)), append(s.elements, element)
	case yaml.SequenceNode:
		for i, child := range n.Content {
			s.collect(child, path.Index(i), shared, true, depth+1)
		}
	case yaml.MappingNode:
		var keys []string
		s.entries(n, path, shared, depth, map[string]bool{}, &keys)
		s.mappings, s.keys = append(s.mappings, path), append(s.keys, keys)
	}
}

func (s *site) entries(n *yaml.Node, path yamldoc.Path, shared bool, depth int, seen map[string]bool, keys *[]string) {
	var merged []*yaml.Node
	for i := 0; i < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if key.ShortTag() == "!!merge" {
			merged = []*yaml.Node{value}
			if value.Kind == yaml.SequenceNode {
				merged = value.Content
			}
			continue
		}
		if key.Kind == yaml.ScalarNode && !seen[key.Value] {
			seen[key.Value] = true
			*keys = append(*keys, key.Value)
			s.collect(value, path.Key(key.Value), shared, false, depth+1)
		}
	}
	for _, source := range merged {
		if source.Kind == yaml.AliasNode {
			source = source.Alias
		}
		if source.Kind == yaml.MappingNode {
			s.entries(source, path, true, depth+1, seen, keys)
		}
	}
}

// rootsOf returns the paths of possible items of a document.
func rootsOf(root *yaml.Node) []yamldoc.Path {
	roots := []yamldoc.Path{""}
	list, path := root, yamldoc.Path("")
	if root.Kind == yaml.MappingNode {
		for i := 0; i < len(root.Content); i += 2 {
			if root.Content[i].Value == "items" && root.Content[i+1].Kind == yaml.SequenceNode {
				list, path = root.Content[i+1], "items"
			}
		}
	}
	if list.Kind == yaml.SequenceNode {
		roots = nil
		for i := range list.Content {
			roots = append(roots, path.Index(i))
		}
	}
	return roots
}

// randomItems plans random edits for the text's items.
func randomItems(root *yaml.Node, rng *rand.Rand) []edit.Item {
	var items []edit.Item
	for _, path := range rootsOf(root) {
		if rng.IntN(3) == 0 && len(items) > 0 {
			continue
		}
		node, shared := nodeAt(root, path)
		var found site
		found.collect(node, "", shared, false, 0)
		item := edit.Item{Root: path}
		split := map[yamldoc.Path]bool{}
		for range 1 + rng.IntN(4) {
			e := randomEdit(found, rng)
			if set, ok := e.(edit.SetScalar); ok && len(set.More) > 0 {
				if split[set.At.Path] {
					continue // the order of the elements would be undefined
				}
				split[set.At.Path] = true
			}
			if e != nil {
				item.Edits = append(item.Edits, e)
			}
		}
		if items = append(items, item); len(items) == 4 {
			break
		}
	}
	return items
}

func nodeAt(root *yaml.Node, path yamldoc.Path) (n *yaml.Node, shared bool) {
	steps, err := path.Steps()
	if err != nil {
		panic(err)
	}
	for _, step := range steps {
		shared = shared || root.Anchor != ""
		if step.Index >= 0 {
			root = root.Content[step.Index]
		} else {
			root, _ = valueOf(root, step.Key)
		}
	}
	return root, shared
}

func randomEdit(found site, rng *rand.Rand) edit.Edit {
	value := values[rng.IntN(len(values))]
	if len(found.scalars) > 0 && (rng.IntN(2) == 0 || len(found.mappings) == 0) {
		i := rng.IntN(len(found.scalars))
		at := found.scalars[i]
		switch {
		case rng.IntN(10) == 0:
			value = at.Value
		case found.elements[i] && rng.IntN(3) == 0:
			return edit.SetScalar{At: at, Value: value, More: []string{values[rng.IntN(len(values))], "third"}}
		}
		return edit.SetScalar{At: at, Value: value}
	}
	if len(found.mappings) == 0 {
		return nil
	}
	i := rng.IntN(len(found.mappings))
	parent, key, after := found.mappings[i], []string{"new", "newer", values[rng.IntN(len(values))]}[rng.IntN(3)], "name"
	if keys := found.keys[i]; len(keys) > 0 {
		if rng.IntN(2) == 0 {
			key = keys[rng.IntN(len(keys))]
		}
		after = keys[rng.IntN(len(keys))]
	}
	switch rng.IntN(8) {
	case 0, 1:
		return edit.RemoveEntry{Parent: parent, Key: key}
	case 2:
		kept := map[string]bool{"new": true}
		for _, key := range found.keys[i] {
			kept[key] = rng.IntN(2) == 0
		}
		return edit.KeepEntries{Parent: parent, Keys: kept}
	}
	for rng.IntN(3) == 0 {
		parent, key = parent.Key(key), []string{"new", "newer"}[rng.IntN(2)]
	}
	if rng.IntN(4) == 0 {
		return edit.SetEntry{Parent: parent, Key: key, Value: []string{"true", "false"}[rng.IntN(2)], Bool: true, After: after}
	}
	return edit.SetEntry{Parent: parent, Key: key, Value: value, After: after}
}

// checkEdits makes random edits on text and compares the result with the same edits on its meaning. It reports whether
// the text was suitable.
func checkEdits(t rapid.TB, source string, seed uint64) (served, spliced bool) {
	root, err := decodeOne([]byte(source))
	if err != nil || root.Kind == yaml.ScalarNode || strings.HasPrefix(source, "\xff\xfe") || strings.HasPrefix(source, "\xfe\xff") {
		return false, false
	}
	left := maxPlain
	meaning, err := toPlain(root, &left, 0)
	if err != nil {
		return false, false
	}
	meaning = meaning.copy()
	items := randomItems(root, rand.New(rand.NewPCG(seed, 0)))
	describe := func() string {
		var out strings.Builder
		fmt.Fprintf(&out, "seed %d, text:\n%s\n%q\nedits:\n", seed, source, source)
		for _, item := range items {
			for _, e := range item.Edits {
				fmt.Fprintf(&out, "  %s: %T %+q\n", item.Root, e, fmt.Sprintf("%+v", e))
			}
		}
		return out.String()
	}
	for _, item := range items {
		steps, err := item.Root.Steps()
		if err != nil {
			t.Fatal(err)
		}
		part, rest, err := meaning.walk(steps)
		if err != nil || len(rest) > 0 {
			return false, false
		}
		if part.apply(item.Edits) != nil {
			// Splice does not notice if it need not parse.
			if _, err := edit.OnNodes([]byte(source), items); err == nil {
				t.Fatalf("OnNodes accepts an edit that it must refuse\n%s", describe())
			}
			return true, false
		}
	}
	meaning.sort()

	before := bytes.Clone([]byte(source))
	fromNodes, err := edit.OnNodes([]byte(source), items)
	if err != nil && strings.Contains(err.Error(), "cannot be written as YAML that reads back the same") && strings.Contains(source, ">+") {
		return false, false // yaml.v3 sometimes loses line breaks after folded lines
	}
	if err != nil {
		t.Fatalf("OnNodes: %v\n%s", err, describe())
	}
	checkOthers(t, source, string(fromNodes), root, items, describe)
	applied, err := edit.Apply(before, items)
	if err != nil {
		t.Fatalf("Apply: %v\n%s", err, describe())
	}
	if diff := diffPlain(meaning, plainDocument(t, applied)); diff != "" {
		t.Fatalf("Apply (-want +got):\n%s\n%s\ngave:\n%s", diff, describe(), applied)
	}
	got, ok, err := edit.Splice(before, items)
	if err != nil {
		t.Fatalf("Splice: %v\n%s", err, describe())
	}
	if string(before) != source {
		t.Fatalf("Splice has changed the text it was given\n%s", describe())
	}
	if diff := diffPlain(meaning, plainDocument(t, fromNodes)); diff != "" {
		t.Fatalf("OnNodes (-want +got):\n%s\n%s\ngave:\n%s", diff, describe(), fromNodes)
	}
	if !ok {
		got = applied
	} else {
		if again, err := decodeOne(got); err != nil || again == nil {
			t.Fatalf("Splice: %v\n%s\ngave:\n%s", err, describe(), got)
		}
		if diff := diffPlain(meaning, plainDocument(t, got)); diff != "" {
			t.Fatalf("Splice (-want +got):\n%s\n%s\ngave:\n%s", diff, describe(), got)
		}
		checkUntouched(t, source, string(got), items, describe)
	}
	if json.Valid([]byte(source)) && !json.Valid(got) {
		t.Fatalf("JSON becomes something else\n%s\ngave:\n%s", describe(), got)
	}
	if ok && !removes(items) && endsInBreak(source) != endsInBreak(string(got)) {
		t.Fatalf("the end of the text changes\n%s\ngave:\n%s", describe(), got)
	}
	for _, out := range [][]byte{fromNodes, applied, got} {
		if followed(source) == nil {
			continue
		}
		if diff := diffPlain(meaning, followed(string(out))); diff != "" {
			t.Fatalf("another document after it changes the text (-want +got):\n%s\n%s\ngave:\n%s", diff, describe(), out)
		}
	}
	checkTwice(t, got, items, describe)
	return true, ok
}

func endsInBreak(s string) bool { return strings.HasSuffix(breaks.Replace(s), "\n") }

// followed returns the meaning of text if another document follows, nil if none can.
func followed(text string) *plain {
	if !endsInBreak(text) {
		return nil
	}
	decoder := yaml.NewDecoder(strings.NewReader(text + "---\nnext\n"))
	var first, second yaml.Node
	if decoder.Decode(&first) != nil || decoder.Decode(&second) != nil || second.Content[0].Value != "next" {
		return nil
	}
	left := 10 * maxPlain
	out, err := toPlain(first.Content[0], &left, 0)
	if err != nil {
		return nil
	}
	out.sort()
	return out
}

// removes reports whether the edits may remove a line.
func removes(items []edit.Item) bool {
	for _, item := range items {
		for _, e := range item.Edits {
			switch e.(type) {
			case edit.RemoveEntry, edit.KeepEntries:
				return true
			}
		}
	}
	return false
}

// checkTwice makes the same edits on their result.
func checkTwice(t rapid.TB, once []byte, items []edit.Item, describe func() string) {
	root, err := decodeOne(once)
	if err != nil {
		t.Fatal(err)
	}
	final := make(map[string]string) // the same place may have been edited twice
	var again []edit.Item
	for _, item := range items {
		node, shared := nodeAt(root, item.Root)
		var found site
		found.collect(node, "", shared, false, 0)
		made := edit.Item{Root: item.Root}
		for _, e := range item.Edits {
			var path yamldoc.Path
			switch typed := e.(type) {
			case edit.KeepEntries:
				return // earlier edits may be of an entry that it removes
			case edit.RemoveEntry:
				path = typed.Parent.Key(typed.Key)
			case edit.SetEntry:
				path = typed.Parent.Key(typed.Key)
			case edit.SetScalar:
				if len(typed.More) > 0 {
					return
				}
				path = typed.At.Path
				for _, at := range found.scalars {
					if at.Path == path {
						typed.At = at
					}
				}
				e = typed
			}
			place := string(item.Root.Join(path))
			if final[place] != "" {
				return
			}
			final[place] = "once"
			made.Edits = append(made.Edits, e)
		}
		again = append(again, made)
	}
	for place := range final {
		for other := range final {
			if place != other && strings.HasPrefix(other, place) {
				return // one edit replaces the place of another
			}
		}
	}
	twice, err := edit.Apply(once, again)
	if err != nil {
		t.Fatalf("a second time: %v\n%s\nonce:\n%s", err, describe(), once)
	}
	if diff := cmp.Diff(string(once), string(twice)); diff != "" {
		t.Fatalf("a second time (-once +twice):\n%s\n%s", diff, describe())
	}
}

// checkOthers checks items without edits that share nothing: OnNodes must not change them if each begins a line with
// its dash.
func checkOthers(t rapid.TB, source, got string, root *yaml.Node, items []edit.Item, describe func() string) {
	list, prefix := root, yamldoc.Path("")
	if root.Kind == yaml.MappingNode {
		list, _ = valueOf(root, "items")
		if prefix = "items"; list == nil || list != root.Content[len(root.Content)-1] {
			return
		}
	}
	lines := strings.SplitAfter(source, "\n")
	if list.Kind != yaml.SequenceNode || list.Style&yaml.FlowStyle != 0 || list.Anchor != "" || strings.Count(breaks.Replace(source), "\n") != len(lines)-1 {
		return
	}
	for _, item := range list.Content {
		lead := ""
		if item.Line <= len(lines) && item.Column <= len(lines[item.Line-1]) {
			lead = lines[item.Line-1][:item.Column-1]
		}
		if item.Kind != yaml.MappingNode || item.Column != list.Column+2 || lead != strings.Repeat(" ", list.Column-1)+"- " {
			return
		}
	}
	if strings.Contains(strings.Join(lines[:list.Content[0].Line-1], ""), "*") {
		return
	}
	edited := make(map[yamldoc.Path]bool)
	for _, item := range items {
		edited[item.Root] = true
	}
	for i, item := range list.Content {
		end := len(lines)
		if i+1 < len(list.Content) {
			end = list.Content[i+1].Line - 1
		}
		was := strings.Join(lines[item.Line-1:end], "")
		if !edited[prefix.Index(i)] && !strings.ContainsAny(was, "&*") && !strings.Contains(got, was) {
			t.Fatalf("item %d changes, which no edit concerns:\n%s\n%s\ngave:\n%s", i, was, describe(), got)
		}
	}
}

// checkUntouched checks that all other bytes are unchanged.
func checkUntouched(t rapid.TB, source, got string, items []edit.Item, describe func() string) {
	scalars, added := true, true
	lines := make(map[int32]bool)
	for _, item := range items {
		for _, e := range item.Edits {
			switch e := e.(type) {
			case edit.SetScalar:
				added = false
				scalars = scalars && len(e.More) == 0
				lines[e.At.Line] = true
			case edit.SetEntry:
				scalars = false
				root, err := decodeOne([]byte(source))
				if err != nil {
					t.Fatal(err)
				}
				node, _ := nodeAt(root, item.Root)
				left := maxPlain
				meaning, err := toPlain(node, &left, 0)
				if err != nil {
					t.Fatal(err)
				}
				steps, err := e.Parent.Key(e.Key).Steps()
				if err != nil {
					t.Fatal(err)
				}
				if end, rest, err := meaning.walk(steps); err != nil || len(rest) == 0 || end.isNull() {
					added = false
				}
			default:
				scalars, added = false, false
			}
		}
	}
	if added {
		// Everything but the white space in {} is still there, in order.
		was, at := white.Replace(source), 0
		for _, c := range []byte(white.Replace(got)) {
			if at < len(was) && c == was[at] {
				at++
			}
		}
		if at < len(was) {
			t.Fatalf("bytes are lost from %q on\n%s\ngave:\n%s", was[at:], describe(), got)
		}
	}
	if scalars {
		was, is := strings.Split(breaks.Replace(source), "\n"), strings.Split(breaks.Replace(got), "\n")
		if len(was) != len(is) {
			t.Fatalf("%d lines become %d\n%s\ngave:\n%s", len(was), len(is), describe(), got)
		}
		for i := range was {
			if was[i] != is[i] && !lines[int32(i+1)] {
				t.Fatalf("line %d changes from %q to %q\n%s", i+1, was[i], is[i], describe())
			}
		}
	}
}

var white = strings.NewReplacer(" ", "", "\n", "", "\r", "", "\t", "")

var breaks = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n")

// seeds returns texts of many shapes: the rows of the tables and files.
func seeds(t rapid.TB) []string {
	var out []string
	for _, rows := range [][]row{scalarRows, splitRows, entryRows, removeRows, nodeRows} {
		for _, row := range rows {
			out = append(out, row.in, row.want)
		}
	}
	for _, row := range listRows {
		out = append(out, row.in, row.want)
	}
	files, err := filepath.Glob("testdata/seeds/*")
	if err != nil || len(files) == 0 {
		t.Fatalf("found no files in testdata/seeds (%v)", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, string(text), strings.ReplaceAll(string(text), "\n", "\r\n"), "\ufeff"+string(text))
		if !strings.HasPrefix(string(text), "-") {
			out = append(out, "  - "+strings.ReplaceAll(string(text), "\n", "\n    "))
		}
	}
	return out
}

func TestEdits_bothWaysMeanTheSameOnSeeds(t *testing.T) {
	served, spliced := 0, 0
	for _, text := range seeds(t) {
		for seed := range uint64(property.Cases(20)) {
			ok, bytes := checkEdits(t, text, seed)
			if ok {
				served++
			}
			if bytes {
				spliced++
			}
		}
	}
	if least := min(200, property.Cases(200)); served < least || spliced < least {
		t.Errorf("only %d edits served, of which %d were spliced", served, spliced)
	}
	t.Logf("%d edits, %d of them in bytes", served, spliced)
}

func FuzzSplice(f *testing.F) {
	for i, text := range seeds(f) {
		f.Add(text, uint64(i))
	}
	f.Fuzz(func(t *testing.T, text string, seed uint64) {
		if len(text) < 2000 {
			checkEdits(t, text, seed)
		}
	})
}

func TestEdits_bothWaysMeanTheSame(t *testing.T) {
	served, spliced, all := 0, 0, 0
	property.Check(t, func(t *rapid.T) {
		text := (&writer{t: t}).document()
		all++
		ok, bytes := checkEdits(t, text, rapid.Uint64().Draw(t, "seed"))
		if ok {
			served++
		}
		if bytes {
			spliced++
		}
	})
	if served < all/3 || spliced < all/10 {
		t.Errorf("of %d texts only %d served, of which %d were spliced", all, served, spliced)
	}
	t.Logf("%d texts, %d served, %d of them in bytes", all, served, spliced)
}
