package graph

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"github.com/confighash/confighash/internal/yamldoc"

	"github.com/confighash/confighash/internal/manifest"
)

// A Finding is a diagnostic about a resource.
type Finding struct {
	Severity manifest.Severity
	Resource *Resource
	Path     yamldoc.Path // the field it is about, or ""
	// Name is the resource's name in the output, if that differs. Findings about the output use it, so that a second
	// run reports the same.
	Name    string
	Message string
}

// String returns the finding as a sentence that begins with the resource and the field.
func (f Finding) String() string {
	return sentence(f.Resource.Called(f.Name), ClipPath(f.Path), f.Message)
}

func (f *Finding) name() string { return cmp.Or(f.Name, f.Resource.Name) }

// Error returns String, so that a Finding is an error.
func (f Finding) Error() string { return f.String() }

// Errors returns all errors that err joins, recursively.
func Errors(err error) []error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	var all []error
	for _, e := range joined.Unwrap() {
		all = append(all, Errors(e)...)
	}
	return all
}

// Prefixed prepends words to each of the errors that err joins.
func Prefixed(words string, err error) error {
	if err == nil {
		return nil
	}
	all := Errors(err)
	for i, e := range all {
		all[i] = fmt.Errorf("%s: %w", words, e)
	}
	return errors.Join(all...)
}

// Result converts the finding to a result of the KRM functions specification. It shares no memory with the input.
func (f Finding) Result() manifest.Result {
	r := f.Resource
	result := manifest.Result{
		Message:  f.Message,
		Severity: f.Severity,
		ResourceRef: &manifest.ResourceRef{
			APIVersion: Clip(r.APIVersion), Kind: Clip(r.Kind), Name: Clip(f.name()), Namespace: Clip(r.Namespace),
		},
	}
	if f.Path != "" {
		result.Field = &manifest.Field{Path: ClipPath(f.Path)}
	}
	if path := cmp.Or(r.Annotations["internal.config.kubernetes.io/path"], r.Annotations["config.kubernetes.io/path"]); path != "" {
		index, _ := strconv.Atoi(cmp.Or(r.Annotations["internal.config.kubernetes.io/index"], r.Annotations["config.kubernetes.io/index"]))
		result.File = &manifest.File{Path: ClipPath(path), Index: index}
	}
	return result
}

// A Sentence is the text of a finding, or of several findings with the same cause.
type Sentence struct {
	Severity manifest.Severity
	Text     string
}

// A cause is what findings about several resources have in common.
type cause struct {
	severity manifest.Severity
	path     string // with any index
	message  string
}

var index = regexp.MustCompile(`\[[0-9]+\]`)

func (f *Finding) cause() cause {
	return cause{f.Severity, index.ReplaceAllString(ClipPath(f.Path), "[*]"), f.Message}
}

// Sentences converts sorted findings to sentences. From three resources on, findings of the same cause share a sentence
// that names the first resources; information is never merged.
func Sentences(findings []Finding) []Sentence {
	const least, shown = 3, 3
	type group struct {
		first int // index of the first finding
		path  string
		names []string
	}
	groups := map[cause]*group{}
	for i := range findings {
		f := &findings[i]
		c, name := f.cause(), f.Resource.Called(f.Name)
		g := groups[c]
		if g == nil {
			g = &group{first: i, path: ClipPath(f.Path)}
			groups[c] = g
		}
		if g.path != ClipPath(f.Path) {
			g.path = c.path
		}
		if len(g.names) == 0 || g.names[len(g.names)-1] != name {
			g.names = append(g.names, name)
		}
	}
	var all []Sentence
	for i := range findings {
		f := &findings[i]
		switch g := groups[f.cause()]; {
		case f.Severity == manifest.Info || len(g.names) < least:
			all = append(all, Sentence{f.Severity, f.String()})
		case g.first == i:
			if more := len(g.names) - shown; more > 1 {
				g.names = append(g.names[:shown], fmt.Sprintf("%d more", more))
			}
			all = append(all, Sentence{f.Severity, sentence(Enumerate(g.names), g.path, f.Message)})
		}
	}
	return all
}

func sentence(who, path, message string) string {
	if path != "" {
		message = path + ": " + message
	}
	return who + ": " + message
}

// SortFindings returns the findings, worst first, without duplicates.
func SortFindings(findings []Finding) []Finding {
	rank := map[manifest.Severity]int{manifest.Error: 0, manifest.Warning: 1, manifest.Info: 2}
	findings = slices.Clone(findings)
	slices.SortStableFunc(findings, func(a, b Finding) int {
		return cmp.Or(
			cmp.Compare(rank[a.Severity], rank[b.Severity]),
			compare(a.Resource, b.Resource, a.name(), b.name()),
			cmp.Compare(a.Path, b.Path),
			cmp.Compare(a.Message, b.Message),
		)
	})
	return slices.CompactFunc(findings, func(a, b Finding) bool {
		return a.Severity == b.Severity && a.Resource == b.Resource && a.Path == b.Path && a.Message == b.Message
	})
}
