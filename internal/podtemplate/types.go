package podtemplate

import (
	_ "embed" // for the types
	"fmt"
	"iter"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/yamldoc"
)

//go:embed types.yaml
var typesText []byte

type typ struct {
	base base
	// For a structure:
	fields   map[string]*field
	defaults []*field // those that have a value if they are absent
	// For a list or a map:
	element *typ
	keys    []string // what identifies the elements of a list
	without []string // keys of a map that are not stored
	// For a quantity:
	rounded bool // up to thousandths
}

// A base is a type of types.yaml that is a single word.
type base string

const (
	aString       base = "string"
	aBool         base = "bool"
	anInt         base = "int"
	aQuantity     base = "quantity"
	anIntOrString base = "intOrString"
	aTime         base = "time"
	anything      base = "any"
	skipped       base = "skipped" // it may change
	aStructure    base = "structure"
	aList         base = "list of "
	aMap          base = "map of "
)

type field struct {
	name     string
	typ      *typ
	optional bool // an explicit zero value counts
	// nullCounts: null is a zero value, unlike a missing field.
	nullCounts bool
	flags      flags
	// other is the field of which this is another name.
	other *field

	fill fill
	// value is the default, if fill is filledByValue.
	value node
	// sibling is the name of the field whose tag decides if fill is filledByTag; otherwise, this field may change if
	// sibling has the value skipIf. If the field without is present, there is no default.
	sibling, skipIf, without string
}

// fill is what the API server puts in place of an absent value.
type fill uint8

const (
	notFilled       fill = iota
	filledByValue        // a scalar
	filledByMapping      // a mapping of defaults only
	filledIfAlone        // the same, if the structure has no entry other than name
	filledByTag          // the pull policy for the tag of an image
)

// types are the types of types.yaml. Tests load all of them.
var types = sync.OnceValue(func() map[string]*typ {
	all, err := parseTypes(typesText)
	if err != nil {
		panic("types.yaml: " + err.Error())
	}
	return all
})

func parseTypes(data []byte) (map[string]*typ, error) {
	document, err := yamldoc.Parse(data)
	if err != nil {
		return nil, err
	}
	all := map[string]*typ{}
	for name := range entries(document.Content[0]) {
		all[name] = &typ{base: aStructure, fields: map[string]*field{}}
	}
	for name, lines := range entries(document.Content[0]) {
		for field, line := range entries(lines) {
			if err := parseField(all, all[name], field, line.Value); err != nil {
				return nil, fmt.Errorf("%s: %s: %w", name, field, err)
			}
		}
	}
	return all, nil
}

func entries(m *yaml.Node) iter.Seq2[string, *yaml.Node] {
	return func(yield func(string, *yaml.Node) bool) {
		for i := 0; i+1 < len(m.Content) && yield(m.Content[i].Value, m.Content[i+1]); i += 2 {
		}
	}
}

func parseField(all map[string]*typ, t *typ, name, line string) error {
	f := &field{name: name}
	line, notes, _ := strings.Cut(line, ", ")
	line, value, hasDefault := strings.Cut(line, " = ")
	line, f.optional = strings.CutPrefix(line, "optional ")
	var err error
	if f.typ, err = parseType(all, line); err != nil {
		return err
	}
	if b := f.typ.base; b == aList || b == aMap || b == aStructure && !f.optional {
		f.flags |= hollow
	}
	if hasDefault {
		f.parseDefault(value)
		t.defaults = append(t.defaults, f)
	}
	t.fields[name] = f
	for note := range strings.SplitSeq(notes, ", ") {
		other, isOther := strings.CutPrefix(note, "also ")
		without, isWithout := strings.CutPrefix(note, "without ")
		condition, isSkipped := strings.CutPrefix(note, "skipped if ")
		switch {
		case note == "":
		case note == "rounded" && f.typ.base == aMap:
			f.typ.element.rounded = true
		case note == "shown":
			f.flags |= shown
		case note == "null counts":
			f.nullCounts = true
		case isWithout && f.typ.base == aMap:
			f.typ.without = strings.Split(without, " and ")
		case isSkipped && hasDefault:
			f.sibling, f.skipIf, _ = strings.Cut(condition, " is ")
		case isOther:
			t.fields[other] = &field{name: other, typ: f.typ, other: f}
		default:
			return fmt.Errorf("the note %q is unknown", note)
		}
	}
	return nil
}

func parseType(all map[string]*typ, line string) (t *typ, err error) {
	for _, b := range []base{aList, aMap} {
		element, ok := strings.CutPrefix(line, string(b))
		if !ok {
			continue
		}
		element, keys, hasKeys := strings.Cut(element, " by ")
		t = &typ{base: b}
		if hasKeys {
			t.keys = strings.Split(keys, " and ")
		}
		t.element, err = parseType(all, element)
		return t, err
	}
	switch b := base(line); b {
	case aString, aBool, anInt, aQuantity, anIntOrString, aTime, anything, skipped:
		return &typ{base: b}, nil
	}
	if all[line] == nil {
		return nil, fmt.Errorf("the type %q is unknown", line)
	}
	return all[line], nil
}

func (f *field) parseDefault(value string) {
	sibling, isTag := strings.CutPrefix(value, "by the tag of ")
	value, f.without, _ = strings.Cut(value, " without ")
	switch {
	case isTag:
		f.fill, f.sibling = filledByTag, sibling
	case value == "{}" && f.without == "another source":
		f.fill = filledIfAlone
	case value == "{}":
		f.fill = filledByMapping
	case strings.HasPrefix(value, `"`):
		f.fill, f.value = filledByValue, node{kind: text, value: strings.Trim(value, `"`)}
	default:
		f.fill, f.value = filledByValue, scalarOf(&yaml.Node{Kind: yaml.ScalarNode, Value: value})
	}
}

func otherName(name string) string {
	for other, f := range types()["PodSpec"].fields {
		if f.other != nil && f.other.name == name {
			return other
		}
	}
	return name
}

// IsField reports whether a pod spec, or a container in one, has a field of that name: custom resources have such
// fields among others.
func IsField(name string) bool {
	return types()["PodSpec"].fields[name] != nil || types()["Container"].fields[name] != nil
}
