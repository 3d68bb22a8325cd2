package podtemplate

import (
	_ "embed" // for the types
	"errors"
	"fmt"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/yamldoc"
)

//go:embed types.yaml
var typesText []byte

// types are what templates are made of.
type types struct {
	template, metadata *typ
	// others are the other names of fields, by their names.
	others map[string]string
}

// A typ is the type of a value.
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

// A field is one of a structure.
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

var loadTypes = sync.OnceValues(func() (*types, error) {
	all, err := parseTypes(typesText)
	if err != nil {
		return nil, fmt.Errorf("types.yaml: %w", err)
	}
	t := &types{template: all["PodTemplateSpec"], metadata: all["ObjectMeta"], others: map[string]string{}}
	if t.template == nil || t.metadata == nil {
		return nil, errors.New("types.yaml: a type is missing")
	}
	for _, structure := range all {
		for name, f := range structure.fields {
			if f.other != nil {
				t.others[f.other.name] = name
			}
		}
	}
	return t, nil
})

// otherName returns the other name of a field.
func otherName(name string) string {
	t, err := loadTypes()
	if err != nil {
		return name
	}
	return t.others[name]
}

// parseTypes reads types.yaml.
func parseTypes(data []byte) (map[string]*typ, error) {
	document, err := yamldoc.Parse(data)
	if err != nil {
		return nil, err
	}
	all := map[string]*typ{}
	root := document.Content[0]
	for i := 0; i+1 < len(root.Content); i += 2 {
		all[root.Content[i].Value] = &typ{base: aStructure, fields: map[string]*field{}}
	}
	for i := 0; i+1 < len(root.Content); i += 2 {
		name, lines := root.Content[i].Value, root.Content[i+1]
		for j := 0; j+1 < len(lines.Content); j += 2 {
			if err := parseField(all, all[name], lines.Content[j].Value, lines.Content[j+1].Value); err != nil {
				return nil, fmt.Errorf("%s: %s: %w", name, lines.Content[j].Value, err)
			}
		}
	}
	for i := 0; i+1 < len(root.Content); i += 2 {
		all[root.Content[i].Value].findDefaults(root.Content[i+1])
	}
	return all, nil
}

// findDefaults lists the fields with defaults, in the order of the lines.
func (t *typ) findDefaults(lines *yaml.Node) {
	for j := 0; j+1 < len(lines.Content); j += 2 {
		f := t.fields[lines.Content[j].Value]
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

// parseField reads a line of a type.
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

// parseType reads a type as a line names it.
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

// parseDefault reads what comes after the equals sign of a line.
func (f *field) parseDefault(value string) {
	if sibling, ok := strings.CutPrefix(value, "by the tag of "); ok {
		f.fill, f.sibling = filledByTag, sibling
		return
	}
	switch value {
	case "{}":
		f.fill = filledByMapping
	case "{} without another source":
		f.fill = filledIfAlone
	case `""`:
		f.fill, f.value = filledByValue, scalar{kind: text}
	default:
		f.fill, f.value = filledByValue, resolve(value)
	}
}

// IsField reports whether a pod spec, or a container in one, has a field of that name:
// custom resources have such fields among others.
func IsField(name string) bool {
	t, err := loadTypes()
	if err != nil {
		return false
	}
	spec := t.template.fields["spec"].typ
	return spec.fields[name] != nil || spec.fields["containers"].typ.element.fields[name] != nil
}
