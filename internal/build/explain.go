package build

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// kustomize wraps an error in the way that it took: the layers, from the outermost, and
// for each entry of resources that it tried it as a file first, then as a folder.
var (
	layerOf  = regexp.MustCompile(`(?s)^.*(?:recursed accumulation of|couldn't make target for) path '([^']*)': `)
	quotedIn = regexp.MustCompile(`(?s)^.*(?:accumulateDirectory: |loader\.New )(".*")$`)
	entryOf  = regexp.MustCompile(`(?s)^(?:accumulating resources: )?(?:accumulation err=')?(?:accumulating|merging) resources from '([^']*)': (.*)$`)
	asFolder = regexp.MustCompile(`(?s)^(.*)': must build at directory: .*$`)
)

// clearer says what kustomize prints in another way: without the content of generators,
// which may be secret, and without its own types.
var clearer = []struct {
	pattern *regexp.Regexp
	with    string
}{
	{regexp.MustCompile("(?s)trouble configuring builtin (\\S+) with config: `.*`: "), "$1: "},
	{regexp.MustCompile(`(?s)literal sources \[.*\]: invalid literal source .*, expected`), "a literal of a generator is not"},
	{regexp.MustCompile(`(?s)literal sources \[.*\]: `), ""},
	{regexp.MustCompile(`(?s)has invalid utf8 bytes : .*`), "is not UTF-8"},
	{regexp.MustCompile(`(?s)\[patch: ".*"\]`), "a patch in the kustomization"},
	{regexp.MustCompile(`(?s)(patch and path(?: can't be set at the same time)?)(?: in)?\n.*`), "$1"},
	{regexp.MustCompile(`(?s)(decoding|for patch) [[{].*[]}]`), "$1 a patch in the kustomization"},
	{regexp.MustCompile(`(?s)merging from generator .*?: id `), ""},
	{regexp.MustCompile(`resid\.ResId\{Gvk:resid\.Gvk\{Group:"[^"]*", Version:"[^"]*", Kind:"([^"]*)"[^}]*\}, Name:"([^"]*)"[^}]*\}`), "$1 $2"},
	{regexp.MustCompile(`\.\[no(?:Grp|Ns)\]`), ""},
	{regexp.MustCompile(`(?:must build at directory: )?(?:not a valid directory: )?evalsymlink failure on '([^']*)' : l?stat [^:]*: `), "$1: "},
	{regexp.MustCompile(`MalformedYAMLError: (.*) in File: \S+$`), "$1"},
	{regexp.MustCompile(`(?s)^.*(external plugins disabled; unable to load external plugin '[^']*')`), "$1; give --enable-alpha-plugins, or build without it"},
}

// explain says in a sentence or two what is wrong with a build, and in which file.
func (s *source) explain(dir string, err error) error {
	text := err.Error()
	at, name := "", s.name(dir)
	for {
		if m := quotedIn.FindStringSubmatch(text); m != nil {
			if inner, err := strconv.Unquote(m[1]); err == nil {
				text = inner
				continue
			}
		}
		m := layerOf.FindStringSubmatch(text)
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
			name = relative(path)
		}
	}
	if m := entryOf.FindStringSubmatch(text); m != nil {
		if inner := asFolder.FindStringSubmatch(m[2]); inner != nil {
			text = m[1] + ": " + inner[1]
		} else if _, after, ok := strings.Cut(m[2], "' must resolve to a file': "); ok {
			text = m[1] + ": " + after
		} else {
			text = m[1] + ": " + m[2]
		}
	}
	for _, c := range clearer {
		text = c.pattern.ReplaceAllString(text, c.with)
	}
	text = strings.Join(strings.Fields(text), " ")
	if entry, rest, ok := strings.Cut(text, ": "); ok {
		if reason, twice := strings.CutPrefix(rest, filepath.Join(at, entry)+": "); twice {
			text = entry + ": " + reason
		}
	}
	if at != "" {
		text = strings.ReplaceAll(text, at+"/", "")
	}
	return errors.New(name + ": " + strings.TrimPrefix(text, dir+": "))
}

// relative returns a path as seen from the working directory, if it is below.
func relative(path string) string {
	if wd, err := os.Getwd(); err == nil {
		if r, err := filepath.Rel(wd, path); err == nil && filepath.IsLocal(r) {
			return r
		}
	}
	return path
}
