package properties_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/confighash/confighash/test/support/gen"
	"github.com/confighash/confighash/test/support/harness"
	"github.com/confighash/confighash/test/support/property"

	"github.com/google/go-cmp/cmp"
	yamlv3 "go.yaml.in/yaml/v3"
	"sigs.k8s.io/kustomize/api/hasher"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"
)

func forEachPackage(t *testing.T, check func(p *plainPackage) error) {
	t.Helper()
	property.ForAll(t, packages, randomPackage, func(_ *gen.Dice, p *plainPackage) error {
		if err := check(p); err != nil {
			return fmt.Errorf("%w\npackage:\n%s", err, p.text(nil))
		}
		return nil
	})
}

// process runs the function on a package's text.
func (p *plainPackage) process(text string) (string, error) {
	var args []string
	if !p.form.isList() {
		args = []string{"--config", harness.ReadByName()}
	}
	out, err := harness.Run([]byte(text), harness.Binary, args...)
	return string(out), err
}

// refresh recomputes the references of the documents.
func (p *plainPackage) refresh() {
	held := map[*subject]bool{}
	for _, d := range p.documents {
		if d.subject != nil {
			held[d.subject] = true
			d.subject.referenced = false
		}
	}
	for _, d := range p.documents {
		if d.subject == nil {
			eachMention(d.value, func(s *subject) { s.referenced = held[s] })
		}
	}
}

func eachMention(value any, found func(*subject)) {
	switch value := value.(type) {
	case harness.Object:
		eachMention(map[string]any(value), found)
	case map[string]any:
		for key, child := range value {
			if key != "resourceNames" { // it follows a rename but does not cause one
				eachMention(child, found)
			}
		}
	case []any:
		for _, child := range value {
			eachMention(child, found)
		}
	case mention:
		found(value.of)
	}
}

// expect compares the output for an input with the package, and returns the names in the output. change is what was
// done to the text after the package was written.
func (p *plainPackage) expect(out string, change func(string) string) (names, error) {
	p.refresh()
	documents, err := p.parse(out)
	if err != nil {
		return nil, fmt.Errorf("unreadable output: %w\n%s", err, out)
	}
	if len(documents) != len(p.documents) {
		return nil, fmt.Errorf("number of documents: %d went in, %d came out\n%s", len(p.documents), len(documents), out)
	}
	given := names{}
	for i, d := range p.documents {
		s := d.subject
		if s == nil {
			continue
		}
		suffix := harness.StringAt(documents[i], "metadata", "annotations", harness.HashAnnotation)
		want := s.name
		if suffix != "" {
			want += "-" + suffix
			given[s] = want
		}
		if renamed, due := suffix != "", s.referenced && !s.leftAlone; renamed != due {
			return nil, fmt.Errorf("renaming of %s %s/%s: is %t, want %t\n%s", s.kind, s.namespace, s.name, renamed, due, out)
		}
		if got := documents[i].Name(); got != want {
			return nil, fmt.Errorf("name of %s %s/%s: got %q, want %q", s.kind, s.namespace, s.name, got, want)
		}
	}
	want := change(p.text(given))
	if p.anchors {
		wanted, err := p.parse(want)
		if err != nil {
			return nil, err
		}
		for _, d := range documents {
			d.DropHashAnnotation()
		}
		if diff := cmp.Diff(wanted, documents); diff != "" {
			return nil, fmt.Errorf("documents differ: (-want +got)\n%s", diff)
		}
		return given, nil
	}
	got := p.withoutResults(out)
	if p.form == jsonResourceList {
		// The function separates results from what comes before.
		lastBrace := regexp.MustCompile(`\s*\}\s*$`)
		want, got = lastBrace.ReplaceAllString(want, "}"), lastBrace.ReplaceAllString(got, "}")
	}
	got, err = withoutInsertions(want, got)
	if err != nil {
		return nil, fmt.Errorf("bytes differ: %w", err)
	}
	if got != want {
		return nil, fmt.Errorf("bytes differ: (-want +got)\n%s", cmp.Diff(strings.SplitAfter(want, "\n"), strings.SplitAfter(got, "\n")))
	}
	return given, nil
}

// parse reads a text of the package's form.
func (p *plainPackage) parse(text string) ([]harness.Object, error) {
	decoder := yamlv3.NewDecoder(strings.NewReader(text))
	var documents []harness.Object
	for {
		var o map[string]any
		if err := decoder.Decode(&o); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		if o != nil {
			documents = append(documents, o)
		}
	}
	if !p.form.isList() && p.form != kindList {
		return documents, nil
	}
	if len(documents) != 1 {
		return nil, fmt.Errorf("%d documents", len(documents))
	}
	items, ok := documents[0]["items"].([]any)
	if !ok {
		return nil, errors.New("no items")
	}
	documents = nil
	for _, item := range items {
		documents = append(documents, item.(map[string]any))
	}
	return documents, nil
}

var quotedHash = regexp.MustCompile(`(confighash\.dev/hash: )"(\w+)"`)

var resultsAtEnd = regexp.MustCompile(`(?s)(\nresults:\r?\n.*$|,?\s*"results":\s*\[.*\]\s*(\}\s*)$)`)

// withoutResults removes the function's results from a ResourceList.
func (p *plainPackage) withoutResults(out string) string {
	if !p.form.isList() {
		return out
	}
	switch span := resultsAtEnd.FindStringSubmatchIndex(out); {
	case span == nil:
		return out
	case p.form == jsonResourceList:
		return out[:span[0]] + out[span[4]:span[5]]
	default:
		return out[:span[0]+1]
	}
}

// insertions matches the forms of an added annotation: an entry in existing annotations, or new annotations with that
// entry; in block style, in flow style, in JSON.
var insertions = []*regexp.Regexp{
	regexp.MustCompile(`[ ]*confighash\.dev/hash: ['"]?[0-9a-z]{10}['"]?\r?\n`),
	regexp.MustCompile(`[ ]*annotations:\r?\n[ ]*confighash\.dev/hash: ['"]?[0-9a-z]{10}['"]?\r?\n`),
	regexp.MustCompile(`,?\s*['"]?confighash\.dev/hash['"]?:\s*['"]?[0-9a-z]{10}['"]?`),
	regexp.MustCompile(`['"]?confighash\.dev/hash['"]?:\s*['"]?[0-9a-z]{10}['"]?,\s*`),
	regexp.MustCompile(`,?\s*['"]?annotations['"]?:\s*\{\s*['"]?confighash\.dev/hash['"]?:\s*['"]?[0-9a-z]{10}['"]?\s*\}`),
	regexp.MustCompile(`['"]?annotations['"]?:\s*\{\s*['"]?confighash\.dev/hash['"]?:\s*['"]?[0-9a-z]{10}['"]?\s*\},\s*`),
}

// withoutInsertions removes the annotations from got that want does not have. It fails if got differs in anything else.
func withoutInsertions(want, got string) (string, error) {
	for {
		equal := commonPrefix(want, got)
		if equal == len(want) && equal == len(got) {
			return got, nil
		}
		const window = 400
		from, to := max(0, equal-window), min(len(got), equal+window)
		best, bestEqual := "", equal
		for _, insertion := range insertions {
			for _, span := range insertion.FindAllStringIndex(got[from:to], -1) {
				without := got[:from+span[0]] + got[from+span[1]:]
				if without == want {
					return without, nil
				}
				if e := commonPrefix(want, without); e > bestEqual {
					best, bestEqual = without, e
				}
			}
		}
		if bestEqual == equal {
			return "", fmt.Errorf("from byte %d on: want %q, got %q", equal,
				want[max(0, equal-40):min(len(want), equal+80)], got[max(0, equal-40):min(len(got), equal+80)])
		}
		got = best
	}
}

func commonPrefix(a, b string) int {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	return i
}

func unchanged(text string) string { return text }

// If the packages are not as intended, the tests below prove little.
func TestPackages_readAsMeant(t *testing.T) {
	var subjects, referenced, anchors int
	forEachPackage(t, func(p *plainPackage) error {
		p.refresh()
		documents, err := p.parse(p.text(nil))
		if err != nil {
			return err
		}
		var want []harness.Object
		for _, d := range p.documents {
			if d.subject != nil {
				subjects++
				if d.subject.referenced {
					referenced++
				}
			}
			meant, err := decodeBare(plain(d.value, nil))
			if err != nil {
				return err
			}
			want = append(want, meant.(map[string]any))
		}
		if p.anchors {
			anchors++
		}
		if diff := cmp.Diff(want, documents); diff != "" {
			return fmt.Errorf("meaning: (-meant +read)\n%s", diff)
		}
		return nil
	})
	if referenced < subjects/3 || anchors == 0 {
		t.Errorf("of %d ConfigMaps and Secrets %d are referenced, %d packages have anchors: the packages say too little", subjects, referenced, anchors)
	}
}

// decodeBare replaces bare scalars by their YAML values, and maps of strings by maps.
func decodeBare(value any) (any, error) {
	switch value := value.(type) {
	case map[string]any:
		for key, child := range value {
			decoded, err := decodeBare(child)
			if err != nil {
				return nil, err
			}
			value[key] = decoded
		}
	case []any:
		for i, child := range value {
			decoded, err := decodeBare(child)
			if err != nil {
				return nil, err
			}
			value[i] = decoded
		}
	case bare:
		var decoded any
		err := yamlv3.Unmarshal([]byte(value), &decoded)
		return decoded, err
	}
	return value, nil
}

// Invariants 2 and 3: only the names of renamed objects, the references to them and the annotation differ; and each
// reference still means the same object.
func TestRename_changesOnlyNamesAndTheirReferences(t *testing.T) {
	forEachPackage(t, func(p *plainPackage) error {
		out, err := p.process(p.text(nil))
		if err != nil {
			return err
		}
		_, err = p.expect(out, unchanged)
		return err
	})
}

// Invariant 1: f(f(x)) = f(x).
func TestRename_again_changesNothing(t *testing.T) {
	forEachPackage(t, func(p *plainPackage) error {
		once, err := p.process(p.text(nil))
		if err != nil {
			return err
		}
		twice, err := p.process(once)
		if err != nil {
			return fmt.Errorf("second run: %w", err)
		}
		if once != twice {
			return fmt.Errorf("second run: (-once +twice)\n%s", cmp.Diff(strings.SplitAfter(once, "\n"), strings.SplitAfter(twice, "\n")))
		}
		return nil
	})
}

// Invariant 4: a changed value changes its object's name, thereby the template of every consumer, and no other byte.
// Running on the edited output of an earlier run has the same result as running on the edited input.
func TestRename_editedValue_rollsOnlyItsConsumers(t *testing.T) {
	edited := 0
	forEachPackage(t, func(p *plainPackage) error {
		p.refresh()
		text := p.text(nil)
		once, err := p.process(text)
		if err != nil {
			return err
		}
		before, err := p.expect(once, unchanged)
		if err != nil {
			return err
		}
		for _, d := range p.documents {
			s := d.subject
			if s == nil || !s.referenced {
				continue
			}
			edited++
			edit := func(text string) string {
				return strings.ReplaceAll(text, s.token, wrappedBase64("edited"))
			}
			fresh, err := p.process(edit(text))
			if err != nil {
				return err
			}
			after, err := p.expect(fresh, edit)
			if err != nil {
				return fmt.Errorf("edited input: %w", err)
			}
			for _, other := range p.documents {
				o := other.subject
				if o == nil {
					continue
				}
				if changed := before.of(o) != after.of(o); changed != (o == s && !s.leftAlone) {
					return fmt.Errorf("names after an edit of %s %s: %s %s was %q, is %q", s.kind, s.name, o.kind, o.name, before.of(o), after.of(o))
				}
			}
			again, err := p.process(edit(once))
			if err != nil {
				return fmt.Errorf("edited output: %w", err)
			}
			// A hash of digits alone has quotes, and they stay for the next one.
			plain := func(out string) string { return quotedHash.ReplaceAllString(p.withoutResults(out), "$1$2") }
			if again, fresh := plain(again), plain(fresh); again != fresh {
				return fmt.Errorf("edited output: (-input edited, then run +run, edited and run again)\n%s",
					cmp.Diff(strings.SplitAfter(fresh, "\n"), strings.SplitAfter(again, "\n")))
			}
		}
		return nil
	})
	if edited < property.Cases(packages)/5 {
		t.Errorf("only %d values were edited", edited)
	}
}

// Invariant 4, the other half: names do not depend on anything but content: not on labels, annotations, the order of
// keys, style, comments or place.
func TestRename_restyled_givesTheSameNames(t *testing.T) {
	forEachPackage(t, func(p *plainPackage) error {
		out, err := p.process(p.text(nil))
		if err != nil {
			return err
		}
		before, err := p.expect(out, unchanged)
		if err != nil {
			return err
		}
		d := gen.Seeded(p.style + 1)
		p.style++
		p.crlf = !p.form.isJSON() && d.Chance(50)
		d.Shuffle(len(p.documents), func(i, j int) { p.documents[i], p.documents[j] = p.documents[j], p.documents[i] })
		for _, document := range p.documents {
			if document.subject == nil || d.Chance(50) {
				continue
			}
			metadata := document.value["metadata"].(map[string]any)
			metadata["labels"] = map[string]any{"changed": gen.Pick(d, gen.AwkwardTexts)}
			annotations, _ := metadata["annotations"].(map[string]any)
			annotations = maps.Clone(annotations) // shrinking checks the same package again
			if annotations == nil {
				annotations = map[string]any{}
			}
			annotations["example.com/changed"] = gen.Pick(d, gen.AwkwardTexts)
			metadata["annotations"] = annotations
		}
		out, err = p.process(p.text(nil))
		if err != nil {
			return err
		}
		after, err := p.expect(out, unchanged)
		if err != nil {
			return fmt.Errorf("otherwise written: %w", err)
		}
		if !maps.Equal(before, after) {
			return fmt.Errorf("names: was %v, is %v", slices.Sorted(maps.Values(before)), slices.Sorted(maps.Values(after)))
		}
		return nil
	})
}

// Invariant 5: the suffix is the one that kustomize gives.
func TestRename_namesAsKustomizeHashes(t *testing.T) {
	forEachPackage(t, func(p *plainPackage) error {
		out, err := p.process(p.text(nil))
		if err != nil {
			return err
		}
		given, err := p.expect(out, unchanged)
		if err != nil {
			return err
		}
		for _, d := range p.documents {
			name, renamed := given[d.subject]
			if d.subject == nil || !renamed || holdsBare(d.value) {
				continue
			}
			text, err := json.Marshal(plain(d.value, nil))
			if err != nil {
				return err
			}
			node, err := kyaml.Parse(yamlInJSON.Replace(string(text)))
			if err != nil {
				return err
			}
			suffix, err := (&hasher.Hasher{}).Hash(node)
			if err != nil {
				return err
			}
			if want := d.subject.name + "-" + suffix; name != want {
				return fmt.Errorf("suffix: %s is named %q, kustomize names it %q", d.subject.kind, name, want)
			}
		}
		return nil
	})
}

func holdsBare(value any) bool {
	switch value := value.(type) {
	case harness.Object:
		return holdsBare(map[string]any(value))
	case map[string]any:
		return slices.ContainsFunc(slices.Collect(maps.Values(value)), holdsBare)
	}
	_, ok := value.(bare)
	return ok
}
