package build

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// words are patterns of kustomize's messages. They are compiled only after a failure, since the function must start
// fast.
type words struct {
	layer, quoted, entry, folder *regexp.Regexp
	clearer                      []clearer
}

// A clearer rewrites a message of kustomize, without its Go types and without the content of generators and patches,
// which may be secret.
type clearer struct {
	pattern *regexp.Regexp
	with    string
}

// kustomize wraps an error in the layers it came through, from the outermost. An entry of resources is tried as a file
// first, then as a folder, and both errors are reported.
func newWords() *words {
	w := &words{
		layer:  regexp.MustCompile(`(?s)^.*(?:recursed accumulation of|couldn't make target for) path '([^']*)': `),
		quoted: regexp.MustCompile(`(?s)^.*(?:accumulateDirectory: |loader\.New )(".*")$`),
		entry:  regexp.MustCompile(`(?s)^(?:accumulating resources: )?(?:accumulation err=')?(?:accumulating|merging) resources from '([^']*)': (.*)$`),
		folder: regexp.MustCompile(`(?s)^(.*)': must build at directory: .*$`),
	}
	for _, c := range [][2]string{
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
	} {
		w.clearer = append(w.clearer, clearer{regexp.MustCompile(c[0]), c[1]})
	}
	return w
}

// explain says in a sentence or two what is wrong with a build, and in which file.
func (s *source) explain(dir string, err error) error {
	text, words := err.Error(), newWords()
	at, name := "", s.name(dir)
	for {
		if m := words.quoted.FindStringSubmatch(text); m != nil {
			if inner, err := strconv.Unquote(m[1]); err == nil {
				text = inner
				continue
			}
		}
		m := words.layer.FindStringSubmatch(text)
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
	if m := words.entry.FindStringSubmatch(text); m != nil {
		if inner := words.folder.FindStringSubmatch(m[2]); inner != nil {
			text = m[1] + ": " + inner[1]
		} else if _, after, ok := strings.Cut(m[2], "' must resolve to a file': "); ok {
			text = m[1] + ": " + after
		} else {
			text = m[1] + ": " + m[2]
		}
	}
	for _, c := range words.clearer {
		text = c.pattern.ReplaceAllString(text, c.with)
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
