package catalog

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// A Format says which part of a value is a name. It is written as a pattern that the whole value must match:
//
//	{name}       a name that a ConfigMap or Secret may have
//	{configMap}  the same, and the object is a ConfigMap
//	{secret}     the same, and the object is a Secret
//	{namespace}  the object's namespace
//	{key}        a key of its data
//	{any}        any text, as short as possible
//	[ ]          optional part
//
// Everything else is literal: "kubernetes://{name}", "[{namespace}/]{name}", "configmap:{configMap}[/{key}]". Templates
// such as ${pvc.name}, and URLs, do not match, because names cannot have their characters.
type Format struct {
	pattern  string
	target   Target
	compiled *regexp.Regexp // nil for {name}
}

// A Span is a range of bytes in a value, empty if there is none.
type Span struct{ Start, End int }

// A Match is the result of matching a Format.
type Match struct {
	Name, Namespace, Key Span
	// Target is the kind that the format itself determines, or 0.
	Target Target
}

// Plain is the Format {name}.
var Plain = &Format{pattern: "{name}"}

// syntax translates a pattern to a regular expression.
var syntax = sync.OnceValue(func() *strings.Replacer {
	const name = `(?P<name>[A-Za-z0-9](?:[-._A-Za-z0-9]*[A-Za-z0-9])?)`
	pairs := []string{
		"{name}", name, "{configMap}", name, "{secret}", name,
		"{namespace}", `(?P<namespace>[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)`,
		"{key}", `(?P<key>[-._A-Za-z0-9]+)`,
		"{any}", `(?:.+?)`,
		"[", "(?:", "]", ")?",
	}
	for _, c := range `\.+*?()|{}^$` {
		pairs = append(pairs, string(c), regexp.QuoteMeta(string(c)))
	}
	return strings.NewReplacer(pairs...)
})

// UnmarshalText reads a pattern.
func (f *Format) UnmarshalText(text []byte) error {
	f.pattern = string(text)
	if f.isPlain() {
		return nil
	}
	expression := syntax().Replace(f.pattern)
	compiled, err := regexp.Compile(`\A(?s:` + expression + `)\z`)
	if err != nil || strings.Contains(expression, `\{`) || strings.Count(expression, "(?P<name>") != 1 {
		return fmt.Errorf("format %q: want one name, known placeholders and pairs of brackets", f.pattern)
	}
	f.compiled = compiled
	switch {
	case strings.Contains(f.pattern, "{configMap}"):
		f.target = ConfigMap
	case strings.Contains(f.pattern, "{secret}"):
		f.target = Secret
	}
	return nil
}

func (f *Format) isPlain() bool { return f.pattern == Plain.pattern }

// String returns the pattern.
func (f *Format) String() string { return f.pattern }

// Target returns the kind that the format itself determines, or 0.
func (f *Format) Target() Target { return f.target }

// Match finds the name in value. It returns false if value does not match.
func (f *Format) Match(value string) (Match, bool) {
	if f.compiled == nil {
		return Match{Name: Span{0, len(value)}}, isName(value)
	}
	found := f.compiled.FindStringSubmatchIndex(value)
	if found == nil {
		return Match{}, false
	}
	span := func(group string) Span {
		at := 2 * f.compiled.SubexpIndex(group)
		if at < 0 || found[at] < 0 {
			return Span{}
		}
		return Span{found[at], found[at+1]}
	}
	m := Match{Name: span("name"), Namespace: span("namespace"), Key: span("key"), Target: f.target}
	return m, m.Name != Span{}
}

// isName reports whether value has only characters of names. Like kustomize, it is more lenient than the API server:
// upper case and underscores pass.
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
