package v1alpha1

import (
	"errors"
	"fmt"
	"regexp"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/confighash/confighash/internal/pattern"
)

// A format is a rule for strings, in the reader and in the schema.
type format struct {
	enum       []string // the allowed strings, if there are only a few
	what       string   // a noun for such a string
	pattern    string   // for the whole string
	maxLength  int
	tooLong    string // matches strings with a part that is too long
	taken      string // matches strings that others use
	mayBeEmpty bool   // unless the field is required
	// check returns what is wrong, "" if nothing. It is for rules that JSON Schema cannot express: "format: regex" has
	// another syntax than Go's.
	check func(string) string
}

const (
	alnum        = `[A-Za-z0-9]`
	labelPattern = `[a-z0-9](?:[-a-z0-9]*[a-z0-9])?`
	// The prefix of an annotation's key may have upper case, unlike a label's.
	prefixPattern = alnum + `(?:[-A-Za-z0-9]*` + alnum + `)?`
	keyPattern    = `(?:` + prefixPattern + `(?:\.` + prefixPattern + `)*/)?(?:` + alnum + `[-A-Za-z0-9_.]{0,61})?` + alnum
	keyLength     = 253 + 1 + 63
	longPrefix    = `^[^/]{254}`
	kindPattern   = `[A-Za-z](?:[-A-Za-z0-9]*` + alnum + `)?`

	// A path of one step has no dots: no object has such a top-level field, and "spec.template" is a mistake by people
	// used to other paths.
	stepPattern = `(?:[^/\\\[\] \t\r\n]|\\/)+(?:\[\])?`
	pathPattern = `/?(?:(?:[^/\\\[\]. \t\r\n]|\\/)+(?:\[\])?|` + stepPattern + `(?:/` + stepPattern + `)+)`
)

const (
	labelRule      = "at most 63 lower-case letters, digits and dashes, with a letter or a digit at both ends"
	annotationRule = "an annotation key: at most 63 letters, digits, dashes, underscores and dots, with a letter or a digit at both ends, perhaps after a domain and a slash"
)

// formats are the formats that struct tags name. Their patterns follow the API server, which checks an annotation's key
// by the rule for label keys, ignoring case.
var formats = map[string]format{
	"regex":         {check: checkRegex, mayBeEmpty: true},
	"labelSelector": {check: checkLabelSelector, mayBeEmpty: true},
	"namespace":     {what: "a namespace: " + labelRule, pattern: labelPattern, maxLength: 63},
	"version":       {what: "an API version: " + labelRule, pattern: labelPattern, maxLength: 63, mayBeEmpty: true},
	"group": {
		what:    "an API group: lower-case letters, digits and dashes, in parts divided by dots; the version has a field of its own",
		pattern: labelPattern + `(?:\.` + labelPattern + ")*", maxLength: 253, mayBeEmpty: true,
	},
	"kind": {what: "a kind: a kind is one word of letters and digits, as in Deployment", pattern: kindPattern, maxLength: 63, mayBeEmpty: true},
	"path": {
		what:    `a path: write names between single slashes, as in spec/template, without spaces; a list's name may end in []; a slash within a name is written \/`,
		pattern: pathPattern,
	},
	"keyPattern": {
		what:    "the key of a label or an annotation, such as helm.sh/chart; * stands for any characters but a slash, as in checksum/*",
		pattern: `(?:[-A-Za-z0-9.*]+/)?[-A-Za-z0-9_.*]+`, maxLength: keyLength,
	},
	"annotation":  {what: annotationRule, pattern: keyPattern, tooLong: longPrefix, maxLength: keyLength},
	"reloaderKey": {enum: reloaderKeys},
	// An annotation that this function writes. Setting annotations of kustomize or kpt would lose references and files.
	"ownAnnotation": {
		what: annotationRule, pattern: keyPattern, tooLong: longPrefix, maxLength: keyLength,
		taken: `^confighash\.dev/(?:hash|ignore|roll|extra-sources(?:-checksum)?|keys|lint-ignore|superseded)$|^(?:(?:internal\.)?config\.kubernetes\.io|(?:kustomize\.)?config\.k8s\.io)/`,
	},
}

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

// checkRegex returns what is wrong with a selector's expression. It tries the expression alone, so that the parentheses
// of anchors do not let "a)|(b" pass, and as anchored by kustomize, which breaks an open quote at the end (\Qa).
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

// wrong returns what is wrong with s, "" if nothing.
func (f *format) wrong(s string) string {
	switch {
	case f.check != nil:
		return f.check(s)
	case f.pattern == "":
	case matches(f.taken, s):
		return fmt.Sprintf("%q belongs to this function, to kustomize or to kpt; choose another key", s)
	case f.maxLength > 0 && len(s) > f.maxLength, matches(f.tooLong, s), !matches("^"+f.pattern+"$", s):
		return fmt.Sprintf("%q is not %s", s, f.what)
	}
	return ""
}

// matches compiles the pattern each time: a functionConfig has few such strings. No string matches "".
func matches(pattern, s string) bool {
	return pattern != "" && regexp.MustCompile(pattern).MatchString(s)
}
