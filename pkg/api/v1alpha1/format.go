package v1alpha1

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/api/validate/content"
)

// A format is a rule for strings: what the reader holds them against, and how
// the schema puts it. pattern, not and maxLength together say what check says;
// a format without them is one that JSON Schema cannot put ("format: regex"
// means another syntax than Go's).
type format struct {
	check     func(string) string // what is wrong, or nothing
	pattern   string
	not       string
	maxLength int
	// unset is what an absent value means, where that is weaker than the same
	// value written down.
	unset string
}

const (
	alnum        = `[A-Za-z0-9]`
	labelPattern = `[a-z0-9](?:[-a-z0-9]*[a-z0-9])?`
	// The prefix of an annotation's key may hold upper case, unlike a label's.
	prefixPattern = alnum + `(?:[-A-Za-z0-9]*` + alnum + `)?`
	keyPattern    = `^(?:` + prefixPattern + `(?:\.` + prefixPattern + `)*/)?(?:` + alnum + `[-A-Za-z0-9_.]{0,61})?` + alnum + `$`
	longPrefix    = `^[^/]{254}`
	kindPattern   = `[A-Za-z](?:[-A-Za-z0-9]*` + alnum + `)?`

	// A path of one step has no dots: no object has such a field at its top,
	// and "spec.template" is what people write who think of other paths.
	stepPattern = `(?:[^/\\\[\] \t\r\n]|\\/)+(?:\[\])?`
	pathPattern = `^/?(?:(?:[^/\\\[\]. \t\r\n]|\\/)+(?:\[\])?|` + stepPattern + `(?:/` + stepPattern + `)+)$`
)

// Compiled when first needed: most runs need neither.
var (
	kindRegexp = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("^" + kindPattern + "$") })
	pathRegexp = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pathPattern) })
)

// The annotations that carry kustomize's and kpt's own bookkeeping. Setting
// them would lose references and files.
var reservedPrefixes = []string{
	"internal.config.kubernetes.io/", "config.kubernetes.io/", "config.k8s.io/", "kustomize.config.k8s.io/",
}

var ownAnnotations = []string{AnnotationHash, AnnotationIgnore, AnnotationRoll, AnnotationExtraSources}

func regexFormat() format         { return format{check: checkRegex} }
func labelSelectorFormat() format { return format{check: checkLabelSelector} }

func namespaceFormat() format {
	return format{pattern: "^" + labelPattern + "$", maxLength: 63, check: checkNamespace, unset: "default"}
}

func checkNamespace(s string) string {
	return problem(s, "a namespace", content.IsDNS1123Label(s))
}

// CheckNamespace returns an error that says why s can be no namespace's name,
// nil if it can.
func CheckNamespace(s string) error {
	if wrong := checkNamespace(s); wrong != "" {
		return errors.New(wrong)
	}
	return nil
}

func groupFormat() format {
	pattern := "^(?:" + labelPattern + `(?:\.` + labelPattern + ")*)?$"
	return format{pattern: pattern, maxLength: 253, check: func(s string) string {
		switch {
		case s == "":
			return ""
		case strings.Contains(s, "/"):
			return fmt.Sprintf("%q is not an API group: the version stands in a field of its own", s)
		default:
			return problem(s, "an API group", content.IsDNS1123Subdomain(s))
		}
	}}
}

func versionFormat() format {
	return format{pattern: "^(?:" + labelPattern + ")?$", maxLength: 63, check: func(s string) string {
		if s == "" {
			return ""
		}
		return problem(s, "an API version", content.IsDNS1123Label(s))
	}}
}

// kindFormat is for kinds that may be empty, which match any.
func kindFormat() format {
	return format{pattern: "^(?:" + kindPattern + ")?$", maxLength: 63, check: func(s string) string {
		if s == "" {
			return ""
		}
		return checkKind(s)
	}}
}

func oneKindFormat() format {
	return format{pattern: "^" + kindPattern + "$", maxLength: 63, check: checkKind}
}

func checkKind(s string) string {
	if len(s) > 63 || !kindRegexp().MatchString(s) {
		return fmt.Sprintf("%q is not a kind: a kind is one word of letters and digits, as in Deployment", s)
	}
	return ""
}

func pathFormat() format {
	return format{pattern: pathPattern, check: checkPath}
}

func checkPath(path string) string {
	switch {
	case path == "":
		return "is empty; it names the way to the field, as in spec/template"
	case pathRegexp().MatchString(path):
		return ""
	case strings.Contains(path, ".") && !strings.Contains(path, "/"):
		return fmt.Sprintf("%q separates its steps by dots; kustomize's paths separate them by slashes: %q", path, strings.ReplaceAll(path, ".", "/"))
	default:
		return fmt.Sprintf(`%q is not a path: names stand between single slashes, without blanks; `+
			`a list's name may end in []; a slash within a name is written \/`, path)
	}
}

// annotationKeyFormat is for annotations that somebody else may write.
func annotationKeyFormat() format {
	return format{pattern: keyPattern, not: longPrefix, maxLength: 253 + 1 + 63, check: checkAnnotationKey}
}

// freeAnnotationKeyFormat is for annotations that this function is to write:
// those with a meaning to it, to kustomize or to kpt are refused.
func freeAnnotationKeyFormat() format {
	f := annotationKeyFormat()
	own := make([]string, len(ownAnnotations))
	for i, key := range ownAnnotations {
		own[i] = "^" + regexp.QuoteMeta(key) + "$"
	}
	reserved := make([]string, len(reservedPrefixes))
	for i, prefix := range reservedPrefixes {
		reserved[i] = "^" + regexp.QuoteMeta(prefix)
	}
	f.not = strings.Join(slices.Concat([]string{longPrefix}, own, reserved), "|")
	f.check = func(key string) string {
		if slices.Contains(ownAnnotations, key) {
			return fmt.Sprintf("%q is an annotation of this function's own; choose another key", key)
		}
		for _, prefix := range reservedPrefixes {
			if strings.HasPrefix(key, prefix) {
				return fmt.Sprintf("%q belongs to kustomize and kpt, as all under %s does; choose another key", key, prefix)
			}
		}
		return checkAnnotationKey(key)
	}
	return f
}

// checkAnnotationKey follows the API server, which holds an annotation's key
// against the rule for label keys with case ignored.
func checkAnnotationKey(key string) string {
	return problem(key, "an annotation key", content.IsLabelKey(strings.ToLower(key)))
}

func problem(s, what string, messages []string) string {
	if len(messages) == 0 {
		return ""
	}
	return fmt.Sprintf("%q is not %s: %s", s, what, strings.Join(messages, "; "))
}
