package catalog

import (
	"fmt"
	"slices"
	"strings"

	"github.com/confighash/confighash/internal/yamldoc"
)

// A Segment is one step of a Path: a key, a pattern of keys in which "*"
// stands for any run of characters, or AnyDepth.
type Segment string

// AnyDepth is the Segment that stands for any number of keys, including zero.
const AnyDepth Segment = "**"

// IsPattern reports whether s can match more than one key.
func (s Segment) IsPattern() bool { return strings.Contains(string(s), "*") }

// Matches reports whether s is key, or a pattern that matches it.
func (s Segment) Matches(key string) bool {
	before, after, isPattern := strings.Cut(string(s), "*")
	if !isPattern {
		return before == key
	}
	key, found := strings.CutPrefix(key, before)
	for found {
		var middle string
		if middle, after, isPattern = strings.Cut(after, "*"); !isPattern {
			return strings.HasSuffix(key, middle)
		}
		_, key, found = strings.Cut(key, middle)
	}
	return false
}

// A Path leads through the keys of mappings to a field. Lists on the way are passed through implicitly. The empty Path
// is its starting point.
type Path []Segment

// ParsePath reads a path as kustomize's fieldSpecs and this package's data write it: keys separated by slashes, "\/"
// for a slash within a key, and optionally "[]" after a key that holds a list. It may start with a slash. It returns an
// error if a key is empty.
func ParsePath(text string) (Path, error) {
	if text == "" {
		return nil, nil
	}
	var path Path
	key := ""
	parts := strings.Split(strings.TrimPrefix(text, "/"), "/")
	for i, part := range parts {
		if before, escaped := strings.CutSuffix(part, `\`); escaped && i < len(parts)-1 {
			key += before + "/"
			continue
		}
		if key = strings.TrimSuffix(key+part, "[]"); key == "" {
			return nil, fmt.Errorf("path %q: empty key", text)
		}
		path, key = append(path, Segment(key)), ""
	}
	return path, nil
}

// String returns the path as ParsePath reads it.
func (p Path) String() string {
	keys := make([]string, len(p))
	for i, segment := range p {
		keys[i] = strings.ReplaceAll(string(segment), "/", `\/`)
		if strings.HasSuffix(keys[i], "[]") {
			keys[i] += "[]" // only the last one marks a list
		}
	}
	return strings.Join(keys, "/")
}

// From appends p, which has no patterns, to the path at.
func (p Path) From(at yamldoc.Path) yamldoc.Path {
	for _, key := range p {
		at = at.Key(string(key))
	}
	return at
}

func (p Path) join(q Path) Path { return slices.Concat(p, q) }

func (p Path) hasPrefix(prefix Path) bool {
	return len(p) >= len(prefix) && slices.Equal(p[:len(prefix)], prefix)
}

// Matches reports whether p leads through those keys.
func (p Path) Matches(keys []string) bool {
	if len(p) == 0 {
		return len(keys) == 0
	}
	if p[0] == AnyDepth {
		return len(p) == 1 || p[1:].Matches(keys) || len(keys) > 0 && p.Matches(keys[1:])
	}
	return len(keys) > 0 && p[0].Matches(keys[0]) && p[1:].Matches(keys[1:])
}

// A Relative is the way from the mapping that holds a reference to another field.
type Relative struct {
	// Root: the way starts from the object's root.
	Root bool
	// Up is the number of mappings to leave before following Path.
	Up int
	// Path is the way down from there. It has no patterns.
	Path Path
}

// UnmarshalText reads what ParsePath does.
func (p *Path) UnmarshalText(text []byte) (err error) {
	*p, err = ParsePath(string(text))
	return err
}

// UnmarshalText reads "key", "../key/of/a/sibling", or "/from/the/root".
func (r *Relative) UnmarshalText(text []byte) (err error) {
	rest, root := strings.CutPrefix(string(text), "/")
	*r = Relative{Root: root}
	for !root && strings.HasPrefix(rest, "../") {
		r.Up++
		rest = rest[len("../"):]
	}
	if r.Path, err = ParsePath(rest); err != nil {
		return err
	}
	if len(r.Path) == 0 {
		return fmt.Errorf("path %q leads to no field", text)
	}
	if i := slices.IndexFunc(r.Path, Segment.IsPattern); i >= 0 {
		return fmt.Errorf("path %q: %q is a pattern; want one field", text, r.Path[i])
	}
	return nil
}
