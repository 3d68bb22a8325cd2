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

// A Controller decides as a Reloader with certain flags does. It caches expressions, and
// is not safe for concurrent use.
type Controller struct {
	// Budget bounds the matching of names. Once it is exhausted, no pattern matches.
	Budget *pattern.Budget

	autoReloadAll bool
	auto, search  string // the keys on workloads, about objects of any kind
	match, ignore string // the keys on objects
	pausePeriod   string // the key on workloads about how they roll
	kinds         [len(Kinds)]kindKeys

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
	requests   [len(Kinds)]*request
	excluded   [len(Kinds)]map[string]bool
}

// A request is what the annotations of one place ask for objects of one kind.
type request struct {
	annotations map[string]string
	podTemplate bool // whether they are on the pod template
	asks        bool // whether any of them keeps Reloader from reading the pod template's
	patterns    []Pattern
	literals    map[string]int // indices in patterns
	expressions []int          // those of the others
}

// Read reads the annotations in the metadata of a workload.
func (c *Controller) Read(annotations map[string]string) *Workload {
	w := &Workload{controller: c}
	for i, k := range c.kinds {
		w.requests[i] = c.request(k, annotations, false)
		w.excluded[i] = map[string]bool{}
		for _, name := range items(annotations[k.exclude]) {
			w.excluded[i][name] = true
		}
	}
	return w
}

// WithPodTemplate returns w with the annotations of a pod template, for the kinds of
// objects about which the workload itself has none.
func (w *Workload) WithPodTemplate(annotations map[string]string) *Workload {
	with := *w
	for i, own := range w.requests {
		if own.asks {
			continue
		}
		if r := w.controller.request(w.controller.kinds[i], annotations, true); r.asks {
			with.requests[i] = r
		}
	}
	return &with
}

func (c *Controller) request(k kindKeys, annotations map[string]string, podTemplate bool) *request {
	r := &request{annotations: annotations, podTemplate: podTemplate, literals: map[string]int{}}
	for _, key := range []string{c.auto, c.search, k.auto, k.named} {
		if _, ok := annotations[key]; ok {
			r.asks = true
		}
	}
	r.patterns = c.patterns(k.named, podTemplate, annotations[k.named])
	for i, p := range r.patterns {
		if p.Literal != "" {
			r.literals[p.Text] = i
		} else {
			r.expressions = append(r.expressions, i)
		}
	}
	return r
}

// Decide returns whether a change of the object rolls the workload.
func (w *Workload) Decide(o Object) Decision {
	kind := slices.Index(Kinds[:], o.Kind)
	if kind < 0 {
		return Decision{Reason: "Reloader does not watch objects of the kind " + o.Kind}
	}
	c, r := w.controller, w.requests[kind]
	if o.Annotations[c.ignore] == "true" {
		return Decision{Reason: "it has " + c.ignore + `: "true"`}
	}
	for _, name := range o.Names {
		if w.excluded[kind][name] {
			return Decision{Reason: c.kinds[kind].exclude + " lists it"}
		}
	}
	if p := r.naming(o.Names); p != nil {
		return Decision{Reload: true, Reason: p.reason}
	}
	if r.annotations[c.search] == "true" && o.Annotations[c.match] == "true" {
		return Decision{Reload: true, Auto: true, Reason: place(c.search, r.podTemplate) + ` is "true", and it has ` + c.match + `: "true"`}
	}
	if reason := c.automatic(r, c.kinds[kind].auto); reason != "" {
		return Decision{Reload: true, Auto: true, Reason: reason}
	}
	return Decision{Reason: c.denial(r, c.kinds[kind])}
}

// automatic says why every object of a kind that a container uses counts, "" if not.
func (c *Controller) automatic(r *request, typed string) string {
	for _, key := range []string{c.auto, typed} {
		if parseBool(r.annotations[key]) {
			return place(key, r.podTemplate) + " is " + strconv.Quote(r.annotations[key])
		}
	}
	if c.autoReloadAll && r.annotations[c.auto] == "" && r.annotations[typed] == "" {
		return "spec.reloader.autoReloadAll is true"
	}
	return ""
}

// denial is the reason if nothing says that an object counts.
func (c *Controller) denial(r *request, k kindKeys) string {
	var reasons []string
	for _, key := range []string{k.named, c.search, c.auto, k.auto} {
		value, ok := r.annotations[key]
		if !ok {
			continue
		}
		reason := place(key, r.podTemplate)
		switch {
		case key == k.named:
			reason += " does not name it"
		case key == c.search && value == "true":
			reason += ` is "true" but it has no ` + c.match + `: "true"`
		default:
			reason += " is " + strconv.Quote(value)
		}
		reasons = append(reasons, reason)
	}
	if reasons == nil {
		return "no annotation of Reloader's asks for it"
	}
	return strings.Join(reasons, ", and ")
}

// naming returns the first pattern that matches any of the names, nil if none does.
func (r *request) naming(names []string) *Pattern {
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

// Patterns returns the patterns that are in force for objects of a kind.
// The caller must not change them.
func (w *Workload) Patterns(kind string) []Pattern {
	if i := slices.Index(Kinds[:], kind); i >= 0 {
		return w.requests[i].patterns
	}
	return nil
}

// AsksInPodTemplate reports whether the annotations in force for objects of a kind are
// those of the pod template.
func (w *Workload) AsksInPodTemplate(kind string) bool {
	i := slices.Index(Kinds[:], kind)
	return i >= 0 && w.requests[i].podTemplate
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
