package podtemplate

import (
	_ "embed" // for the types
	"errors"
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
	// Of a structure:
	fields   map[string]*field
	defaults []*field // that have a value if they are absent
	// Of a list or a map:
	element *typ
	keys    []string // that identify the elements of a list
	without []string // keys that a map is stored without
	// Of a quantity:
	rounded bool // up to thousandths
}

type base uint8

const (
	aString base = iota
	aBool
	anInt
	aQuantity
	anIntOrString
	aTime
	anything
	aStructure
	aList
	aMap
)

var bases = map[string]base{
	"string": aString, "bool": aBool, "int": anInt, "quantity": aQuantity,
	"intOrString": anIntOrString, "time": aTime, "any": anything,
}

type field struct {
	name     string
	typ      *typ
	index    int  // among the structure's
	optional bool // an explicit zero value counts
	flags    flags
	// other is the field for which this is another name.
	other *field

	fill fill
	// value is the default, if fill is filledByValue, and sibling the name of the
	// field whose tag decides, if it is filledByTag.
	value   scalar
	sibling string
}

// fill is what the API server puts in place of an absent value.
type fill uint8

const (
	notFilled       fill = iota
	filledByValue        // a scalar
	filledByMapping      // an empty mapping
	filledIfAlone        // an empty mapping, if the structure has no other entry but name
	filledByTag          // the pull policy that goes with the tag of an image
	filledWithin         // a structure that is always there and has defaults in it
)

var templateType = sync.OnceValues(func() (*typ, error) {
	all, err := parseTypes(typesText)
	if err != nil {
		return nil, fmt.Errorf("types.yaml: %w", err)
	}
	return all["PodTemplateSpec"], nil
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
	for name, lines := range entries(document.Content[0]) {
		all[name].findDefaults(lines)
	}
	return all, nil
}

func entries(m *yaml.Node) iter.Seq2[string, *yaml.Node] {
	return func(yield func(string, *yaml.Node) bool) {
		for i := 0; i+1 < len(m.Content) && yield(m.Content[i].Value, m.Content[i+1]); i += 2 {
		}
	}
}

// findDefaults lists the fields with defaults, in the order of the lines.
func (t *typ) findDefaults(lines *yaml.Node) {
	for name := range entries(lines) {
		f := t.fields[name]
		if f.fill == notFilled && !f.optional && f.typ.base == aStructure && f.typ.fills(map[*typ]bool{}) {
			f.fill = filledWithin
		}
		if f.fill != notFilled {
			t.defaults = append(t.defaults, f)
		}
	}
}

// fills reports whether an absent t is not empty once defaults are filled in.
func (t *typ) fills(seen map[*typ]bool) bool {
	if seen[t] {
		return false
	}
	seen[t] = true
	for _, f := range t.fields {
		if f.fill != notFilled || !f.optional && f.typ.base == aStructure && f.typ.fills(seen) {
			return true
		}
	}
	return false
}

// maxFields is how many fields a type may have: a reader marks those it met in the
// bits of a word.
const maxFields = 64

func parseField(all map[string]*typ, t *typ, name, line string) error {
	f := &field{name: name, index: len(t.fields)}
	if f.index >= maxFields {
		return errors.New("the type has too many fields")
	}
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
	}
	t.fields[name] = f
	for note := range strings.SplitSeq(notes, ", ") {
		other, isOther := strings.CutPrefix(note, "also ")
		without, isWithout := strings.CutPrefix(note, "without ")
		switch {
		case note == "":
		case note == "rounded" && f.typ.base == aMap:
			f.typ.element.rounded = true
		case note == "shown":
			f.flags |= shown
		case isWithout && f.typ.base == aMap:
			f.typ.without = strings.Split(without, " and ")
		case isOther:
			t.fields[other] = &field{name: other, typ: f.typ, index: len(t.fields), other: f}
		default:
			return fmt.Errorf("the note %q is unknown", note)
		}
	}
	return nil
}

func parseType(all map[string]*typ, line string) (*typ, error) {
	if element, ok := strings.CutPrefix(line, "list of "); ok {
		element, keys, hasKeys := strings.Cut(element, " by ")
		of, err := parseType(all, element)
		t := &typ{base: aList, element: of}
		if hasKeys {
			t.keys = strings.Split(keys, " and ")
		}
		return t, err
	}
	if element, ok := strings.CutPrefix(line, "map of "); ok {
		of, err := parseType(all, element)
		return &typ{base: aMap, element: of}, err
	}
	if structure := all[line]; structure != nil {
		return structure, nil
	}
	if b, ok := bases[line]; ok {
		return &typ{base: b}, nil
	}
	return nil, fmt.Errorf("the type %q is unknown", line)
}

func (f *field) parseDefault(value string) {
	sibling, isTag := strings.CutPrefix(value, "by the tag of ")
	switch {
	case isTag:
		f.fill, f.sibling = filledByTag, sibling
	case value == "{}":
		f.fill = filledByMapping
	case value == "{} without another source":
		f.fill = filledIfAlone
	case value == `""`:
		f.fill, f.value = filledByValue, scalar{kind: text}
	default:
		f.fill, f.value = filledByValue, resolve(value)
	}
}

func otherName(name string) string {
	template, _ := templateType() // Read reports an error
	for other, f := range template.fields["spec"].typ.fields {
		if f.other != nil && f.other.name == name {
			return other
		}
	}
	return name
}

// IsField reports whether a pod spec, or a container in one, has a field of that name:
// custom resources have such fields among others.
func IsField(name string) bool {
	template, err := templateType()
	if err != nil {
		return false // Read reports it
	}
	spec := template.fields["spec"].typ
	return spec.fields[name] != nil || spec.fields["containers"].typ.element.fields[name] != nil
}
