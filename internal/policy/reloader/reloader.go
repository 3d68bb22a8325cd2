// Package reloader decides what Stakater Reloader would decide: whether a
// change of a ConfigMap or a Secret rolls a workload, by the annotations of the
// workload, of its pod template and of the object.
//
// The decision is that of ShouldReload in Reloader's pkg/common, quirks
// included, so that manifests have the same effect here as there:
//
//   - An object that is to be ignored never rolls a workload.
//   - The pod template's annotations count only if the workload itself has
//     none of those that ask about this kind of object. An empty one, or one
//     that says no, is one of them.
//   - What a workload excludes is compared letter by letter, and read from the
//     workload's own metadata alone.
//   - Names are regular expressions between ^ and $, without a group: a|b is
//     a name that begins with a, or one that ends in b. Every comma separates two
//     of them. Invalid ones are skipped.
//   - search and match must both be exactly "true"; the auto annotations may be
//     whatever strconv.ParseBool takes for true.
//   - The flag --auto-reload-all counts only if no auto annotation has a
//     value.
//
// The caller checks that both are in the same namespace, and what a Decision with
// Auto asks for, that a container uses the object.
package reloader

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/confighash/confighash/internal/pattern"
	"github.com/confighash/confighash/pkg/api/v1alpha1"
)

// The kinds that Reloader watches. Of a SecretProviderClass it watches the
// versions that the driver reports from the cluster, not the spec.
const (
	ConfigMap           = "ConfigMap"
	Secret              = "Secret"
	SecretProviderClass = "SecretProviderClass"
)

// Kinds are the kinds that Reloader watches.
var Kinds = [...]string{ConfigMap, Secret, SecretProviderClass}

// Handles reports whether Reloader rolls workloads of a kind, by its own flags
// and annotations.
func Handles(group, kind string) bool {
	switch group {
	case "apps":
		return kind == "Deployment" || kind == "DaemonSet" || kind == "StatefulSet"
	case "batch":
		return kind == "CronJob" || kind == "Job"
	case "argoproj.io":
		return kind == "Rollout"
	}
	return false
}

// A Controller decides as a Reloader with certain flags does. It caches what it has
// read, and is not safe for concurrent use.
type Controller struct {
	// Budget bounds the matching of names. Once it is exhausted, no pattern matches.
	Budget *pattern.Budget

	autoReloadAll bool
	auto, search  string // the keys on workloads, about objects of any kind
	match, ignore string // the keys on objects
	pausePeriod   string // the key on workloads about how they roll
	kinds         [len(Kinds)]kindKeys

	rules       map[request]*rules
	last        [len(Kinds)]*rules // those of the last workload
	expressions map[string]expression
	sum         pattern.Sum // of expressions
}

// kindKeys are the keys on workloads about objects of one kind.
type kindKeys struct{ auto, named, exclude string }

// New returns a Controller with the flags that settings represent.
func New(settings v1alpha1.Reloader) *Controller {
	key := func(name string) string { return cmp.Or(settings.AnnotationKeys[name], name) }
	c := &Controller{
		autoReloadAll: settings.AutoReloadAll,
		auto:          key("reloader.stakater.com/auto"),
		search:        key("reloader.stakater.com/search"),
		match:         key("reloader.stakater.com/match"),
		ignore:        key("reloader.stakater.com/ignore"),
		pausePeriod:   key("deployment.reloader.stakater.com/pause-period"),
		rules:         map[request]*rules{},
		expressions:   map[string]expression{},
	}
	for i, plural := range [...]string{"configmaps", "secrets", "secretproviderclasses"} {
		singular := strings.ToLower(Kinds[i])
		c.kinds[i] = kindKeys{
			auto:    key(singular + ".reloader.stakater.com/auto"),
			named:   key(singular + ".reloader.stakater.com/reload"),
			exclude: plural + ".exclude.reloader.stakater.com/reload",
		}
	}
	return c
}

// An Object is a ConfigMap, a Secret or a SecretProviderClass, or what represents
// one.
type Object struct {
	Kind string
	// Names holds the present name and others by which annotations may refer to the
	// object: earlier ones, and the one without a hash.
	Names       []string
	Annotations map[string]string
}

// A Decision is whether a change of an object rolls a workload.
type Decision struct {
	Reload bool
	// Auto reports that a workload rolls only if one of its containers uses the
	// object. Without it, an object that was named counts in any case.
	Auto bool
	// Reason is why, as the end of a sentence in which "it" is the object.
	Reason string
}

// A Workload is what the annotations of a workload ask for.
type Workload struct {
	controller *Controller
	rules      [len(Kinds)]*rules
}

// A setting is the value of an annotation, and whether there is one at all.
type setting struct {
	value   string
	present bool
}

// A request holds the annotations that are in force for one kind of object.
type request struct {
	kind                       int
	named, search, auto, typed setting
	podTemplate                bool // whether these are on the pod template
	exclude                    string
}

// asks reports whether there is any of the annotations for which Reloader ignores those
// of the pod template.
func (r request) asks() bool {
	return r.named.present || r.search.present || r.auto.present || r.typed.present
}

// rules are a request prepared for decisions.
type rules struct {
	of          request
	excluded    map[string]bool
	patterns    []Pattern
	literals    map[string]int // indices in patterns
	expressions []int          // those of the others
	auto        string         // why every object that a container uses counts, "" if not
	denial      string         // why other objects do not count
}

// Read reads the annotations of a workload and of its pod template.
func (c *Controller) Read(workload, podTemplate map[string]string) *Workload {
	w := &Workload{controller: c}
	for kind := range Kinds {
		r := c.request(kind, workload)
		if !r.asks() {
			r = c.request(kind, podTemplate)
			r.podTemplate = r.asks()
		}
		r.exclude = workload[c.kinds[kind].exclude]
		w.rules[kind] = c.rulesFor(r)
	}
	return w
}

// request reads the annotations of one place that ask for reloads.
func (c *Controller) request(kind int, annotations map[string]string) request {
	get := func(key string) setting {
		value, ok := annotations[key]
		return setting{value, ok}
	}
	k := c.kinds[kind]
	return request{kind: kind, named: get(k.named), search: get(c.search), auto: get(c.auto), typed: get(k.auto)}
}

// rulesFor prepares a request, once for all workloads that ask for the same.
func (c *Controller) rulesFor(r request) *rules {
	// The pod templates of a workload mostly ask for the same. To compare texts that are
	// in one place is cheaper than to hash them.
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
	made := &rules{of: r, excluded: map[string]bool{}, literals: map[string]int{}, auto: c.autoReason(r), denial: c.denial(r)}
	for _, name := range items(r.exclude) {
		made.excluded[name] = true
	}
	made.patterns = c.patterns(c.kinds[r.kind].named, r.podTemplate, r.named.value)
	for i, p := range made.patterns {
		if p.Literal {
			made.literals[p.Text] = i
		} else {
			made.expressions = append(made.expressions, i)
		}
	}
	return made
}

// autoReason says why every object of the kind that a container uses counts, "" if not.
func (c *Controller) autoReason(r request) string {
	switch {
	case parseBool(r.auto.value):
		return place(c.auto, r.podTemplate) + " is " + quote(r.auto.value)
	case parseBool(r.typed.value):
		return place(c.kinds[r.kind].auto, r.podTemplate) + " is " + quote(r.typed.value)
	case c.autoReloadAll && r.auto.value == "" && r.typed.value == "":
		return "spec.reloader.autoReloadAll is true"
	}
	return ""
}

// denial is the reason if nothing says that an object counts.
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

// Decide returns whether a change of the object rolls the workload.
func (w *Workload) Decide(o Object) Decision {
	kind := slices.Index(Kinds[:], o.Kind)
	if kind < 0 {
		return Decision{Reason: "Reloader does not watch objects of the kind " + o.Kind}
	}
	c, r := w.controller, w.rules[kind]
	if o.Annotations[c.ignore] == "true" {
		return Decision{Reason: "it has " + c.ignore + `: "true"`}
	}
	for _, name := range o.Names {
		if r.excluded[name] {
			return Decision{Reason: c.kinds[kind].exclude + " lists it"}
		}
	}
	if p := r.naming(o.Names); p != nil {
		return Decision{Reload: true, Reason: p.reason}
	}
	if r.of.search.value == "true" && o.Annotations[c.match] == "true" {
		return Decision{Reload: true, Auto: true, Reason: place(c.search, r.of.podTemplate) + ` is "true", and it has ` + c.match + `: "true"`}
	}
	if r.auto != "" {
		return Decision{Reload: true, Auto: true, Reason: r.auto}
	}
	return Decision{Reason: r.denial}
}

// naming returns the first pattern that matches any of the names, nil if none does.
func (r *rules) naming(names []string) *Pattern {
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
		if slices.ContainsFunc(names, r.patterns[i].Match) {
			return &r.patterns[i]
		}
	}
	if first < len(r.patterns) {
		return &r.patterns[first]
	}
	return nil
}

// Same reports whether two workloads ask for the same, in metadata of their own.
func (w *Workload) Same(other *Workload) bool {
	return w.rules == other.rules && !slices.ContainsFunc(w.rules[:], func(r *rules) bool { return r.of.podTemplate })
}

// Patterns returns the patterns that are in force for objects of a kind.
// The caller must not change them.
func (w *Workload) Patterns(kind string) []Pattern {
	i := slices.Index(Kinds[:], kind)
	if i < 0 {
		return nil
	}
	return w.rules[i].patterns
}

// parseBool reads a value as Reloader does: what strconv does not know is false.
func parseBool(value string) bool {
	b, err := strconv.ParseBool(value)
	return err == nil && b
}

// place names an annotation, and the pod template if it is there.
func place(key string, podTemplate bool) string {
	if podTemplate {
		return key + " on the pod template"
	}
	return key
}

func quote(s string) string { return strconv.Quote(s) }
