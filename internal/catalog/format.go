package catalog

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// A Format says which part of a value is a name. It is written as a pattern
// that the whole value must match:
//
//	{name}       a name that a ConfigMap or Secret may have
//	{configMap}  the same, and the object is a ConfigMap
//	{secret}     the same, and the object is a Secret
//	{namespace}  the object's namespace
//	{key}        a key of its data
//	{any}        any text, as little of it as will do
//	[ ]          what is between them may be absent
//
// and all else stands for itself: "kubernetes://{name}",
// "[{namespace}/]{name}", "configmap:{configMap}[/{key}]". Templates such as
// ${pvc.name}, and URLs, match none of them by the characters names have.
type Format struct {
	pattern  string
	fixed    Target
	compiled *regexp.Regexp // nil for {name}
	groups   [4]int         // the group of name, namespace, and key
}

// A Span is a run of bytes in a value. It is empty if there is none.
type Span struct{ Start, End int }

// A Match is what a Format finds in a value.
type Match struct {
	Name, Namespace, Key Span
	// Target is the kind that the format itself says is named, or 0.
	Target Target
}

const (
	nameGroup = iota
	namespaceGroup
	keyGroup
)

var placeholders = map[string]struct {
	expression string
	group      int
	target     Target
}{
	"{name}":      {`([A-Za-z0-9](?:[-._A-Za-z0-9]*[A-Za-z0-9])?)`, nameGroup, 0},
	"{configMap}": {`([A-Za-z0-9](?:[-._A-Za-z0-9]*[A-Za-z0-9])?)`, nameGroup, ConfigMap},
	"{secret}":    {`([A-Za-z0-9](?:[-._A-Za-z0-9]*[A-Za-z0-9])?)`, nameGroup, Secret},
	"{namespace}": {`([a-z0-9](?:[-a-z0-9]*[a-z0-9])?)`, namespaceGroup, 0},
	"{key}":       {`([-._A-Za-z0-9]+)`, keyGroup, 0},
	"{any}":       {`(?:.+?)`, -1, 0},
}

// Plain is the Format {name}.
var Plain = &Format{pattern: "{name}"}

var formats sync.Map // pattern to *Format

func parseFormat(pattern string) (*Format, error) {
	if pattern == Plain.pattern {
		return Plain, nil
	}
	if known, ok := formats.Load(pattern); ok {
		return known.(*Format), nil
	}
	f, err := compileFormat(pattern)
	if err != nil {
		return nil, fmt.Errorf("format %q: %w", pattern, err)
	}
	formats.Store(pattern, f)
	return f, nil
}

var tokens = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{[^}]*\}?|[][]|[^][{]+`) })

func compileFormat(pattern string) (*Format, error) {
	f := &Format{pattern: pattern}
	var expression strings.Builder
	expression.WriteString(`\A(?s:`)
	groups, depth := 0, 0
	for _, token := range tokens().FindAllString(pattern, -1) {
		switch token[0] {
		case '[':
			depth++
			expression.WriteString("(?:")
		case ']':
			if depth--; depth < 0 {
				return nil, fmt.Errorf("] without [")
			}
			expression.WriteString(")?")
		case '{':
			p, known := placeholders[token]
			if !known {
				return nil, fmt.Errorf("no placeholder %s", token)
			}
			if p.group >= 0 {
				if f.groups[p.group] != 0 {
					return nil, fmt.Errorf("%s occurs twice", token)
				}
				groups++
				f.groups[p.group] = groups
			}
			f.fixed |= p.target
			expression.WriteString(p.expression)
		default:
			expression.WriteString(regexp.QuoteMeta(token))
		}
	}
	if depth != 0 {
		return nil, fmt.Errorf("[ without ]")
	}
	if f.groups[nameGroup] == 0 {
		return nil, fmt.Errorf("it holds no name")
	}
	var err error
	f.compiled, err = regexp.Compile(expression.String() + `)\z`)
	return f, err
}

// String returns the pattern.
func (f *Format) String() string { return f.pattern }

// Target returns the kind that the format itself says is named, or 0.
func (f *Format) Target() Target { return f.fixed }

// Match finds the name in value. It fails if value does not fit.
func (f *Format) Match(value string) (Match, bool) {
	if f.compiled == nil {
		return Match{Name: Span{0, len(value)}}, isName(value)
	}
	found := f.compiled.FindStringSubmatchIndex(value)
	if found == nil {
		return Match{}, false
	}
	span := func(group int) Span {
		at := 2 * f.groups[group]
		if at == 0 || found[at] < 0 {
			return Span{}
		}
		return Span{found[at], found[at+1]}
	}
	m := Match{Name: span(nameGroup), Namespace: span(namespaceGroup), Key: span(keyGroup), Target: f.fixed}
	return m, m.Name != Span{}
}

// isName reports whether value is of the characters of a name. It is more
// lenient than the API server, as kustomize is: upper case and underscores
// pass.
func isName(value string) bool {
	for i := range len(value) {
		switch c := value[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		case c == '-' || c == '.' || c == '_':
			if i == 0 || i == len(value)-1 {
				return false
			}
		default:
			return false
		}
	}
	return value != ""
}
