// Package lint finds what will go wrong with ConfigMaps and Secrets once manifests are applied. It combines the results
// of other packages: unresolved finds what is missing, usage what is used, rename what is read by name, and policy what
// controllers restart.
package lint

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/hash"
	"github.com/confighash/confighash/internal/typo"
	"github.com/confighash/confighash/pkg/api/v1alpha1"
)

// Kind identifies a Report in JSON.
const Kind = "Lint"

// A Severity says how certain an outage is. Its values are the levels of SARIF.
type Severity string

// The severities.
const (
	Error   Severity = "error"   // pods do not start, or keep earlier configuration
	Warning Severity = "warning" // the same, unless something outside of the manifests prevents it
	Note    Severity = "note"    // nothing breaks from this alone
)

// Severities returns all severities, worst first.
func Severities() []Severity { return []Severity{Error, Warning, Note} }

// A Rule is a kind of problem. docs/lint.md has a section on each.
type Rule struct {
	Name string
	// Severity is the severity of most of its findings.
	Severity Severity
	// Title describes the problem in a sentence.
	Title string
}

const (
	missingObject = "missing-object"
	missingKey    = "missing-key"
	nearMiss      = "near-miss"
	wrongSuffix   = "wrong-suffix"
	staleConsumer = "stale-consumer"
	readByName    = "read-by-name"
	unusedObject  = "unused-object"
	unusedIgnore  = "unused-ignore"
)

// Rules returns all rules, worst first.
func Rules() []Rule {
	return []Rule{
		{missingKey, Error, "A pod needs a key that the ConfigMap or Secret does not have."},
		{nearMiss, Error, "A reference leads to nothing, and nearly names an object of the manifests."},
		{wrongSuffix, Error, "A name ends in a hash that does not match the content."},
		{missingObject, Warning, "A ConfigMap or Secret that something needs is not in the manifests."},
		{staleConsumer, Warning, "A change of the configuration would not restart the pods that read it when they start."},
		{readByName, Note, "A program probably reads the object by its name through the API."},
		{unusedObject, Note, "Nothing in the manifests uses the object."},
		{unusedIgnore, Note, "An annotation accepts findings that are not there."},
	}
}

// RuleNames returns the names of all rules, worst first.
func RuleNames() []string {
	var names []string
	for _, rule := range Rules() {
		names = append(names, rule.Name)
	}
	return names
}

// A Report is the result of a run. Its findings are sorted by place.
type Report struct {
	APIVersion string    `json:"apiVersion"`
	Kind       string    `json:"kind"`
	Findings   []Finding `json:"findings"`
	// Accepted are the findings that annotations of the resources accept.
	Accepted []Finding `json:"accepted"`
	// Known counts the findings that are left out because they existed before the change.
	Known int `json:"known,omitempty"`
}

// NewReport returns a report without findings. Its lists are not nil, so that they are [] in JSON.
func NewReport() *Report { return &Report{v1alpha1.APIVersion, Kind, []Finding{}, []Finding{}, 0} }

// AddNew adds the findings that are new after a change, and counts the others as known. Hashes in names are ignored.
func (r *Report) AddNew(before, after *Report) {
	suffixed := regexp.MustCompile(`-[` + hash.Alphabet + `]{10}\b`)
	identity := func(f Finding) string {
		return suffixed.ReplaceAllString(fmt.Sprintf("%s %s %s %s", f.Rule, f.Resource, f.Field, f.Message), "")
	}
	known := map[string]bool{}
	for _, f := range before.Findings {
		known[identity(f)] = true
	}
	for _, f := range after.Findings {
		if known[identity(f)] {
			r.Known++
		} else {
			r.Findings = append(r.Findings, f)
		}
	}
	r.Accepted = append(r.Accepted, after.Accepted...)
}

// A Finding is a place in the manifests where something is wrong.
type Finding struct {
	Rule     string   `json:"rule"`
	Severity Severity `json:"severity"`
	// File is the file's name from the command line or its folder, or stdin.
	File string `json:"file"`
	// Line and Column count from 1. Column is 0 if unknown.
	Line     int      `json:"line"`
	Column   int      `json:"column,omitempty"`
	Resource Resource `json:"resource"`
	// Field is the path of the field in the resource.
	Field   string `json:"field"`
	Message string `json:"message"`
	Fix     string `json:"fix"`
	// Reason is the annotation's reason for accepting the finding, if it gives one.
	Reason string `json:"reason,omitempty"`
}

// A Resource identifies a resource in the manifests.
type Resource struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace,omitempty"`
	Name       string `json:"name,omitempty"`
}

// String returns kind, namespace and name.
func (r Resource) String() string {
	return r.Kind + " " + strings.TrimPrefix(r.Namespace+"/"+cmp.Or(r.Name, "(no name)"), "/")
}

// Fails reports whether any finding is more than a note.
func (r *Report) Fails() bool {
	return slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Severity != Note })
}

type acceptance struct {
	rules  []string
	reason string
	used   map[string]bool // the rules that found something
}

// acceptanceOf returns what a resource accepts: comma-separated rules, optionally followed by two hyphens and a reason.
func acceptanceOf(r *graph.Resource) (acceptance, error) {
	a := acceptance{used: map[string]bool{}}
	value, found := r.Annotations[v1alpha1.AnnotationLintIgnore]
	if !found {
		return a, nil
	}
	rules, reason, _ := strings.Cut(value, "--")
	a.reason = graph.Clip(strings.TrimSpace(reason))
	for rule := range strings.SplitSeq(rules, ",") {
		rule = strings.TrimSpace(rule)
		if !slices.Contains(RuleNames(), rule) {
			return a, fmt.Errorf("%s, %s: %s: metadata.annotations[%q]: %q is not a rule; list some of %s, divided by commas%s",
				r.File, r.Place(), r, v1alpha1.AnnotationLintIgnore, graph.Clip(rule), strings.Join(RuleNames(), ", "), typo.DidYouMean(rule, RuleNames()))
		}
		a.rules = append(a.rules, rule)
	}
	return a, nil
}
