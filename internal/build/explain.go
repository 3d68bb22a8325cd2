package build

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// Patterns of kustomize's messages. They are compiled only after a failure, since the function must start fast.
//
// kustomize wraps an error in the layers it came through, from the outermost. An entry of resources is tried as a file
// first, then as a folder, and both errors are reported.
const (
	aLayer  = `(?s)^.*(?:recursed accumulation of|couldn't make target for) path '([^']*)': `
	aQuoted = `(?s)^.*(?:accumulateDirectory: |loader\.New )(".*")$`
	anEntry = `(?s)^(?:accumulating resources: )?(?:accumulation err=')?(?:accumulating|merging) resources from '([^']*)': (.*)$`
	aFolder = `(?s)^(.*)': must build at directory: .*$`
)

// clearer are patterns, and what takes the place of their matches, which have Go types, or content of generators and
// patches that may be secret.
var clearer = [][2]string{
	{"(?s)trouble configuring builtin (\\S+) with config: `.*`: ", "$1: "},
	{`(?s)literal sources \[.*\]: invalid literal source .*, expected`, "a literal of a generator is not"},
	{`(?s)literal sources \[.*\]: `, ""},
	{`(?s)has invalid utf8 bytes : .*`, "is not UTF-8"},
	{`(?s)\[patch: ".*"\]`, "a patch in the kustomization"},
	{`(?s)(patch and path(?: can't be set at the same time)?)(?: in)?\n.*`, "$1"},
	{`(?s)(decoding|for patch) [[{].*[]}]`, "$1 a patch in the kustomization"},
	{`(?s)merging from generator .*?: id `, ""},
	{`resid\.ResId\{Gvk:resid\.Gvk\{Group:"[^"]*", Version:"[^"]*", Kind:"([^"]*)"[^}]*\}, Name:"([^"]*)"[^}]*\}`, "$1 $2"},
	{`\.\[no(?:Grp|Ns)\]`, ""},
	{`(?:must build at directory: )?(?:not a valid directory: )?evalsymlink failure on '([^']*)' : l?stat [^:]*: `, "$1: "},
	{`MalformedYAMLError: (.*) in File: \S+$`, "$1"},
	{`(?s)^.*(external plugins disabled; unable to load external plugin '[^']*')`, "$1; give --enable-alpha-plugins, or build without it"},
}

func find(pattern, text string) []string { return regexp.MustCompile(pattern).FindStringSubmatch(text) }

// explain says in a sentence or two what is wrong with a build, and in which file.
func (s *source) explain(dir string, err error) error {
	text := err.Error()
	at, name := "", s.name(dir)
	for {
		if m := find(aQuoted, text); m != nil {
			if inner, err := strconv.Unquote(m[1]); err == nil {
				text = inner
				continue
			}
		}
		m := find(aLayer, text)
		if m == nil {
			break
		}
		at, text = m[1], text[len(m[0]):]
	}
	if at == "" && s.root != "" {
		at = filepath.Dir(s.root)
	}
	for path := range s.met {
		if filepath.Dir(path) == at && at != filepath.Dir(s.root) {
			name = Relative(path)
		}
	}
	if m := find(anEntry, text); m != nil {
		if inner := find(aFolder, m[2]); inner != nil {
			text = m[1] + ": " + inner[1]
		} else if _, after, ok := strings.Cut(m[2], "' must resolve to a file': "); ok {
			text = m[1] + ": " + after
		} else {
			text = m[1] + ": " + m[2]
		}
	}
	for _, c := range clearer {
		text = regexp.MustCompile(c[0]).ReplaceAllString(text, c[1])
	}
	text = strings.Join(strings.Fields(text), " ")
	if entry, rest, ok := strings.Cut(text, ": "); ok {
		if reason, twice := strings.CutPrefix(rest, filepath.Join(at, entry)+": "); twice {
			text = entry + ": " + reason
		}
	}
	if at != "" {
		text = strings.ReplaceAll(text, at+string(filepath.Separator), "")
	}
	return errors.New(name + ": " + strings.TrimPrefix(text, dir+": "))
}

// Relative returns a path relative to the working directory, with slashes, if it is below it.
func Relative(path string) string {
	if wd, err := os.Getwd(); err == nil {
		if r, err := filepath.Rel(wd, path); err == nil && filepath.IsLocal(r) {
			return filepath.ToSlash(r)
		}
	}
	return path
}
