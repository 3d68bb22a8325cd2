package v1alpha1

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/api/validate/content"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/confighash/confighash/internal/pattern"
)

// A format is a rule for strings, for the reader and for the schema. pattern, not and
// maxLength together allow what check does. A format without them is one that JSON
// Schema cannot express ("format: regex" has another syntax than Go's).
type format struct {
	check      func(string) string // what is wrong, or ""
	pattern    string              // of the whole string
	not        string
	maxLength  int
	mayBeEmpty bool // unless the field is required
}

const (
	alnum        = `[A-Za-z0-9]`
	labelPattern = `[a-z0-9](?:[-a-z0-9]*[a-z0-9])?`
	// The prefix of an annotation's key may hold upper case, unlike a label's.
	prefixPattern = alnum + `(?:[-A-Za-z0-9]*` + alnum + `)?`
	keyPattern    = `(?:` + prefixPattern + `(?:\.` + prefixPattern + `)*/)?(?:` + alnum + `[-A-Za-z0-9_.]{0,61})?` + alnum
	keyLength     = 253 + 1 + 63
	longPrefix    = `^[^/]{254}`
	kindPattern   = `[A-Za-z](?:[-A-Za-z0-9]*` + alnum + `)?`

	// A path of one step has no dots: no object has such a field at its top,
	// and "spec.template" is what people write who think of other paths.
	stepPattern = `(?:[^/\\\[\] \t\r\n]|\\/)+(?:\[\])?`
	pathPattern = `/?(?:(?:[^/\\\[\]. \t\r\n]|\\/)+(?:\[\])?|` + stepPattern + `(?:/` + stepPattern + `)+)`
)

// formats are those that struct tags name.
var formats = map[string]format{
	"regex":         {check: checkRegex, mayBeEmpty: true},
	"labelSelector": {check: checkLabelSelector, mayBeEmpty: true},
	"namespace":     {check: conforms("a namespace", content.IsDNS1123Label), pattern: labelPattern, maxLength: 63},
	"group":         {check: checkGroup, pattern: labelPattern + `(?:\.` + labelPattern + ")*", maxLength: 253, mayBeEmpty: true},
	"version":       {check: conforms("an API version", content.IsDNS1123Label), pattern: labelPattern, maxLength: 63, mayBeEmpty: true},
	"kind":          {check: checkKind, pattern: kindPattern, maxLength: 63, mayBeEmpty: true},
	"path":          {check: checkPath, pattern: pathPattern},
	"annotation":    {check: checkAnnotationKey, pattern: keyPattern, not: longPrefix, maxLength: keyLength},
	// An annotation that this function writes.
	"ownAnnotation": {check: checkOwnAnnotationKey, pattern: keyPattern, not: taken(), maxLength: keyLength},
}

// Compiled when first needed: most runs need neither.
var (
	kindRegexp = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("^" + kindPattern + "$") })
	pathRegexp = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("^" + pathPattern + "$") })
)

// The annotations of kustomize and kpt themselves. Setting them would lose
// references and files.
var reservedPrefixes = []string{
	"internal.config.kubernetes.io/", "config.kubernetes.io/", "config.k8s.io/", "kustomize.config.k8s.io/",
}

var functionAnnotations = []string{AnnotationHash, AnnotationIgnore, AnnotationRoll, AnnotationExtraSources}

// reloaderKeys are the annotation keys that Reloader has a flag for.
var reloaderKeys = []string{
	"reloader.stakater.com/auto",
	"configmap.reloader.stakater.com/auto",
	"secret.reloader.stakater.com/auto",
	"configmap.reloader.stakater.com/reload",
	"secret.reloader.stakater.com/reload",
	"reloader.stakater.com/search",
	"reloader.stakater.com/match",
	"reloader.stakater.com/ignore",
	"deployment.reloader.stakater.com/pause-period",
	"deployment.reloader.stakater.com/paused-at",
}

// checkRegex says what is wrong with a selector's expression. It tries the
// expression alone, so that the parentheses of anchors do not let "a)|(b" pass,
// and as kustomize anchors it, which breaks an open quote at the end (\Qa).
func checkRegex(expr string) string {
	for _, e := range []string{expr, "^(?:" + expr + ")$"} {
		_, err := new(pattern.Sum).Add(e)
		switch {
		case errors.Is(err, pattern.ErrSize):
			return fmt.Sprintf("%q %v", expr, err)
		case err != nil:
			return fmt.Sprintf("%q is not a regular expression: %v", expr, err)
		}
	}
	return ""
}

func checkLabelSelector(selector string) string {
	if _, err := labels.Parse(selector); err != nil {
		return fmt.Sprintf("%q is not a label selector: %v", selector, err)
	}
	return ""
}

func checkGroup(s string) string {
	if strings.Contains(s, "/") {
		return fmt.Sprintf("%q is not an API group: the version has a field of its own", s)
	}
	return conforms("an API group", content.IsDNS1123Subdomain)(s)
}

func checkKind(s string) string {
	if len(s) > 63 || !kindRegexp().MatchString(s) {
		return fmt.Sprintf("%q is not a kind: a kind is one word of letters and digits, as in Deployment", s)
	}
	return ""
}

func checkPath(path string) string {
	switch {
	case path == "":
		return "is empty; it names the way to the field, as in spec/template"
	case pathRegexp().MatchString(path):
		return ""
	case strings.Contains(path, ".") && !strings.Contains(path, "/"):
		return fmt.Sprintf("%q separates its steps by dots; kustomize's paths separate them by slashes: %q", path, strings.ReplaceAll(path, ".", "/"))
	}
	return fmt.Sprintf(`%q is not a path: write names between single slashes, without spaces; `+
		`a list's name may end in []; a slash within a name is written \/`, path)
}

// checkOwnAnnotationKey refuses annotations that this function, kustomize or kpt
// read.
func checkOwnAnnotationKey(key string) string {
	if slices.Contains(functionAnnotations, key) {
		return fmt.Sprintf("%q is an annotation of this function's own; choose another key", key)
	}
	for _, prefix := range reservedPrefixes {
		if strings.HasPrefix(key, prefix) {
			return fmt.Sprintf("%q belongs to kustomize and kpt, as all under %s does; choose another key", key, prefix)
		}
	}
	return checkAnnotationKey(key)
}

// taken returns the pattern of keys that checkOwnAnnotationKey refuses.
func taken() string {
	all := []string{longPrefix}
	for _, key := range functionAnnotations {
		all = append(all, "^"+regexp.QuoteMeta(key)+"$")
	}
	for _, prefix := range reservedPrefixes {
		all = append(all, "^"+regexp.QuoteMeta(prefix))
	}
	return strings.Join(all, "|")
}

// checkAnnotationKey follows the API server, which checks an annotation's key
// by the rule for label keys, ignoring case.
var checkAnnotationKey = conforms("an annotation key", func(key string) []string {
	return content.IsLabelKey(strings.ToLower(key))
})

// conforms returns a check by a function of Kubernetes, which lists problems.
func conforms(what string, check func(string) []string) func(string) string {
	return func(s string) string {
		if problems := check(s); len(problems) > 0 {
			return fmt.Sprintf("%q is not %s: %s", s, what, strings.Join(problems, "; "))
		}
		return ""
	}
}
