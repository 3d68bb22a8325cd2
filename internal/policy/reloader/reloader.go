// Package reloader decides what Stakater Reloader would decide: whether a
// change of a ConfigMap or a Secret rolls a workload, by the annotations of the
// workload, of its pod template and of the object.
//
// The decision is that of ShouldReload in Reloader's pkg/common, quirks
// included, so that manifests mean here what they mean there:
//
//   - An object that is to be ignored never rolls a workload.
//   - The pod template's annotations count only where the workload itself has
//     none of those that ask about this kind of object. An empty one, or one
//     that says no, is there all the same.
//   - What a workload excludes is compared letter by letter, and read from the
//     workload's own metadata alone.
//   - Names are regular expressions between ^ and $, without a group: a|b is
//     a name that begins with a, or one that ends in b. Every comma parts two
//     of them. Invalid ones are skipped.
//   - search and match must both be exactly "true"; the auto annotations may be
//     whatever strconv.ParseBool takes for true.
//   - The flag --auto-reload-all counts only where no auto annotation has a
//     value.
//
// What it leaves to the caller: that both stand in the same namespace, and what
// a Decision with Auto asks for, that a container uses the object.
//
// The Lint functions tell what Reloader reads otherwise than it was meant.
package reloader

import (
	"slices"
	"strconv"
	"strings"

	"github.com/confighash/confighash/internal/pattern"
	"github.com/confighash/confighash/pkg/api/v1alpha1"
)

// A Controller decides as a Reloader with certain flags does. It keeps what it
// has read once; it is not safe for concurrent use.
type Controller struct {
	// Budget bounds the matching of names. Once it is exhausted, no pattern matches.
	Budget *pattern.Budget

	keys
	autoReloadAll bool
	reads         map[string]audience // the keys in force, and where they are read
	replaced      map[string]string   // from default keys to those used instead
	rules         map[request]*rules
	last          [len(kinds)]*rules // those of the last workload
	expressions   map[string]expression
	sum           pattern.Sum // of expressions
	sorted        struct {    // the list that itemsOf was asked for last
		value string
		items []string
	}
}

// New returns a Controller with the flags that settings stand for.
func New(settings v1alpha1.Reloader) *Controller {
	c := &Controller{
		keys:          newKeys(settings),
		autoReloadAll: settings.AutoReloadAll,
		replaced:      settings.AnnotationKeys,
		rules:         map[request]*rules{},
		expressions:   map[string]expression{},
	}
	c.reads = c.audiences()
	return c
}

// An Object is a ConfigMap, a Secret or a SecretProviderClass, or what stands
// for one.
type Object struct {
	Kind string
	// Names holds the present name and those by which the object may be meant
	// as well: earlier ones, and the one without a hash.
	Names       []string
	Annotations map[string]string
}

// A Decision is whether a change of an object rolls a workload.
type Decision struct {
	Reload bool
	// Auto tells that a workload rolls only if one of its containers uses the
	// object. Without it, an object that was named counts in any case.
	Auto bool
	// Reason is why, as the end of a sentence in which "it" is the object.
	Reason string
}

// A Workload is what the annotations of a workload ask for.
type Workload struct {
	controller *Controller
	rules      [len(kinds)]*rules
}

// A setting is the value of an annotation, and whether there is one at all.
type setting struct {
	value   string
	present bool
}

func get(annotations map[string]string, key string) setting {
	value, ok := annotations[key]
	return setting{value, ok}
}

// A request holds the annotations that are in force for one kind of object.
type request struct {
	kind                       int
	named, search, auto, typed setting
	podTemplate                bool // where these stand
	exclude                    setting
}

// asks reports whether any of the annotations is there by which a workload
// itself keeps its pod template from being read.
func (r request) asks() bool {
	return r.named.present || r.search.present || r.auto.present || r.typed.present
}

// rules are a request made ready for use.
type rules struct {
	of           request
	excluded     map[string]bool
	patterns     []Pattern
	literals     map[string]int // places in patterns
	expressions  []int          // those of the others
	excessive    string
	search, auto bool

	byExclude, bySearch, byAuto, otherwise string // reasons
}

// Read reads the annotations of a workload and of its pod template.
func (c *Controller) Read(workload, podTemplate map[string]string) *Workload {
	w := &Workload{controller: c}
	for kind := range kinds {
		w.rules[kind] = c.rulesFor(c.request(kind, workload, podTemplate))
	}
	return w
}

// request finds the annotations that are in force for a kind of object.
func (c *Controller) request(kind int, workload, podTemplate map[string]string) request {
	r := c.requestAt(kind, workload)
	if !r.asks() {
		r = c.requestAt(kind, podTemplate)
		r.podTemplate = r.asks()
	}
	r.exclude = get(workload, c.kinds[kind].exclude)
	return r
}

// requestAt reads the annotations of one place that ask for reloads.
func (c *Controller) requestAt(kind int, annotations map[string]string) request {
	return request{
		kind:   kind,
		named:  get(annotations, c.kinds[kind].named),
		search: get(annotations, c.search),
		auto:   get(annotations, c.auto),
		typed:  get(annotations, c.kinds[kind].auto),
	}
}

// rulesFor makes a request ready, once for all workloads that ask for the same.
func (c *Controller) rulesFor(r request) *rules {
	// The pod templates of a workload ask for the same, in the same texts.
	if last := c.last[r.kind]; last != nil && last.of == r {
		return last
	}
	made, ok := c.rules[r]
	if !ok {
		made = c.newRules(r)
		c.rules[r] = made
	}
	c.last[r.kind] = made
	return made
}

func (c *Controller) newRules(r request) *rules {
	k := c.kinds[r.kind]
	made := &rules{of: r, excluded: map[string]bool{}, literals: map[string]int{}, search: r.search.value == "true"}
	for _, name := range items(r.exclude.value) {
		made.excluded[name] = true
	}
	made.patterns, made.excessive = c.patterns(k.named, r.podTemplate, r.named.value)
	for i, p := range made.patterns {
		if p.Literal {
			made.literals[p.Text] = i
		} else {
			made.expressions = append(made.expressions, i)
		}
	}
	made.byExclude = k.exclude + " lists it"
	made.bySearch = place(c.search, r.podTemplate) + ` is "true", and it has ` + c.match + `: "true"`
	made.auto, made.byAuto = c.isAuto(r)
	made.otherwise = c.denial(r)
	return made
}

// isAuto reports whether every object of the kind that a container uses counts,
// and why.
func (c *Controller) isAuto(r request) (auto bool, reason string) {
	is := func(key string, s setting) string { return place(key, r.podTemplate) + " is " + quote(s.value) }
	switch {
	case parseBool(r.auto.value):
		return true, is(c.auto, r.auto)
	case parseBool(r.typed.value):
		return true, is(c.kinds[r.kind].auto, r.typed)
	case c.autoReloadAll && r.auto.value == "" && r.typed.value == "":
		return true, "spec.reloader.autoReloadAll is true"
	}
	return false, ""
}

// denial is the reason where nothing says that an object counts.
func (c *Controller) denial(r request) string {
	var reasons []string
	say := func(s setting, key, what string) {
		if s.present {
			reasons = append(reasons, place(key, r.podTemplate)+what)
		}
	}
	k := c.kinds[r.kind]
	say(r.named, k.named, " does not name it")
	if r.search.value == "true" {
		say(r.search, c.search, ` is "true" but it has no `+c.match+`: "true"`)
	} else {
		say(r.search, c.search, " is "+quote(r.search.value))
	}
	say(r.auto, c.auto, " is "+quote(r.auto.value))
	say(r.typed, k.auto, " is "+quote(r.typed.value))
	if reasons == nil {
		return "no annotation of Reloader's asks for it"
	}
	return strings.Join(reasons, ", and ")
}

// Decide tells whether a change of the object rolls the workload.
func (w *Workload) Decide(o Object) Decision {
	kind := kindIndex(o.Kind)
	if kind < 0 {
		return Decision{Reason: "Reloader does not watch objects of the kind " + o.Kind}
	}
	c, r := w.controller, w.rules[kind]
	if o.Annotations[c.ignore] == "true" {
		return Decision{Reason: "it has " + c.ignore + `: "true"`}
	}
	for _, name := range o.Names {
		if r.excluded[name] {
			return Decision{Reason: r.byExclude}
		}
	}
	if p := w.naming(r, o.Names); p != nil {
		return Decision{Reload: true, Reason: p.reason}
	}
	if r.search && o.Annotations[c.match] == "true" {
		return Decision{Reload: true, Auto: true, Reason: r.bySearch}
	}
	if r.auto {
		return Decision{Reload: true, Auto: true, Reason: r.byAuto}
	}
	return Decision{Reason: r.otherwise}
}

// naming returns the first pattern that means an object by any of its names, nil if
// none does.
func (w *Workload) naming(r *rules, names []string) *Pattern {
	first := len(r.patterns)
	for _, name := range names {
		if i, ok := r.literals[name]; ok {
			first = min(first, i)
		}
	}
	for _, i := range r.expressions {
		if i > first {
			break
		}
		for _, name := range names {
			if r.patterns[i].Match(name) {
				return &r.patterns[i]
			}
		}
	}
	if first < len(r.patterns) {
		return &r.patterns[first]
	}
	return nil
}

// Excessive returns a pattern of objects of a kind that is too much to be followed, as
// one without an expression; nil if there is none.
func (w *Workload) Excessive(kind string) *Pattern {
	i := kindIndex(kind)
	if i < 0 || w.rules[i].excessive == "" {
		return nil
	}
	r := w.rules[i]
	return &Pattern{Text: r.excessive, Key: w.controller.kinds[i].named, PodTemplate: r.of.podTemplate}
}

// Same reports whether two workloads ask for the same, in metadata of their own.
func (w *Workload) Same(other *Workload) bool {
	return w.rules == other.rules && !slices.ContainsFunc(w.rules[:], func(r *rules) bool { return r.of.podTemplate })
}

// Patterns returns the valid patterns that are in force for objects of a kind.
// The caller must not change them.
func (w *Workload) Patterns(kind string) []Pattern {
	i := kindIndex(kind)
	if i < 0 {
		return nil
	}
	return w.rules[i].patterns
}

// parseBool reads a value as Reloader does: what strconv does not know is false.
func parseBool(value string) bool {
	if value == "" { // of which strconv would make an error
		return false
	}
	b, err := strconv.ParseBool(value)
	return err == nil && b
}

// place says where an annotation stands.
func place(key string, podTemplate bool) string {
	if podTemplate {
		return key + " on the pod template"
	}
	return key
}

func quote(s string) string { return strconv.Quote(s) }
