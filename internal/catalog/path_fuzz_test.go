package catalog

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// endsIn panics if a test takes too long: a fuzzer only keeps its input after a panic.
func endsIn(d time.Duration) (stop func()) {
	timer := time.AfterFunc(d, func() { panic("no end after " + d.String()) })
	return func() { timer.Stop() }
}

// FuzzParsePath checks for any text: String of a parsed path parses to the same path, and the path leads through the
// keys it consists of.
func FuzzParsePath(f *testing.F) {
	for _, text := range []string{
		"", "a", "a/b-c/d", `metadata/annotations/example.com\/a`, "spec/containers[]/name", "spec/**/*Ref/name", "/a", "a/", "a//b", "[]", "a[][]", `a\\/b\`, "../../a", "/metadata/name",
		"**/**/*a*b**c/**", `\/`, `[]\/[]`,
	} {
		f.Add(text, "a/b/name")
	}
	f.Fuzz(func(t *testing.T, text, keys string) {
		defer endsIn(30 * time.Second)()
		if relative := new(Relative); relative.UnmarshalText([]byte(text)) == nil && (len(relative.Path) == 0 || relative.Root && relative.Up > 0) {
			t.Errorf("%q reads as %+v", text, relative)
		}
		path, err := ParsePath(text)
		if err != nil {
			return
		}
		again, err := ParsePath(path.String())
		if err != nil {
			t.Fatalf("%q: its text %q: %v", path, path.String(), err)
		}
		if diff := cmp.Diff(path, again); diff != "" {
			t.Fatalf("%q is written as %q (-read +read again):\n%s", text, path.String(), diff)
		}
		var own []string
		for _, segment := range path {
			if segment != AnyDepth {
				own = append(own, string(segment))
			}
		}
		if !path.Matches(own) {
			t.Errorf("%q does not lead through %q", text, own)
		}
		if others := strings.Split(keys, "/"); len(path) > 0 && path.Matches(others) && len(others) < len(own) {
			t.Errorf("%q leads through %q, which are too few", text, others)
		}
		if _, err := FieldSpec(ConfigMap, text); err != nil {
			t.Errorf("%q: as a fieldSpec: %v", text, err)
		}
	})
}

// FuzzFormat checks every format of the catalogue with any value: the name found can get a suffix, and is then found
// with it at the same place, with the same namespace and key.
func FuzzFormat(f *testing.F) {
	var formats []*Format
	for _, tc := range formatCases() {
		formats = append(formats, formatOf(f, tc.pattern))
		f.Add(uint8(len(formats)-1), tc.value)
	}
	f.Fuzz(func(t *testing.T, which uint8, value string) {
		format := formats[int(which)%len(formats)]
		m, ok := format.Match(value)
		if !ok {
			return
		}
		for _, s := range []Span{m.Name, m.Namespace, m.Key} {
			if s.Start < 0 || s.Start > s.End || s.End > len(value) {
				t.Fatalf("%s on %q: %+v", format, value, m)
			}
		}
		name := value[m.Name.Start:m.Name.End]
		if !isName(name) {
			t.Fatalf("%s on %q finds %q, which is not a name", format, value, name)
		}
		const suffix = "-4h2mbtbbt6"
		renamed := value[:m.Name.End] + suffix + value[m.Name.End:]
		again, ok := format.Match(renamed)
		if !ok {
			t.Fatalf("%s fits %q, but not %q", format, value, renamed)
		}
		if got := renamed[again.Name.Start:again.Name.End]; got != name+suffix || again.Name.Start != m.Name.Start {
			t.Errorf("%s finds %q in %q, but %q in %q", format, name, value, got, renamed)
		}
		for _, pair := range [][2]Span{{m.Namespace, again.Namespace}, {m.Key, again.Key}} {
			if was, is := value[pair[0].Start:pair[0].End], renamed[pair[1].Start:pair[1].End]; was != is {
				t.Errorf("%s finds %q in %q, but %q in %q", format, was, value, is, renamed)
			}
		}
		if m.Target != again.Target {
			t.Errorf("%s: %s becomes %s", format, m.Target, again.Target)
		}
	})
}

// FuzzParseFormat checks any pattern: it is rejected, or finds names within the given value.
func FuzzParseFormat(f *testing.F) {
	for _, tc := range formatCases() {
		f.Add(tc.pattern, tc.value)
	}
	for _, pattern := range []string{"", "{", "}", "]", "[[{name}]]", "[{name}", "{name}{name}", "[{any}[{any}[{any}]]]{secret}", `\d{name}(?P<x>`} {
		f.Add(pattern, "a/b")
	}
	f.Fuzz(func(t *testing.T, pattern, value string) {
		defer endsIn(30 * time.Second)()
		if len(pattern) > 1000 {
			return
		}
		format := new(Format)
		if err := format.UnmarshalText([]byte(pattern)); err != nil {
			if !strings.HasPrefix(err.Error(), "format ") {
				t.Errorf("the error names no format: %v", err)
			}
			return
		}
		if format.String() != pattern {
			t.Errorf("%q is written as %q", pattern, format)
		}
		m, ok := format.Match(value)
		if ok && !isName(value[m.Name.Start:m.Name.End]) {
			t.Errorf("%s on %q finds no name: %+v", format, value, m)
		}
	})
}
