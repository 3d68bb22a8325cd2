// Package reloader reproduces the decisions of Stakater Reloader: whether a change of a ConfigMap or a Secret rolls a
// workload, by the annotations of the workload, of its pod template and of the object.
//
// The decision is that of ShouldReload in Reloader's pkg/common, quirks included, so that manifests have the same
// effect here as there:
//
//   - An ignored object never rolls a workload.
//   - The pod template's annotations count only if the workload itself has
//     no annotation about this kind of object, not even an empty or negative one.
//   - Excluded names are literal, and read only from the workload's own metadata.
//   - Names are regular expressions between ^ and $, without a group: a|b is
//     a name that begins with a, or one that ends in b. Every comma separates two
//     of them. Invalid ones are skipped.
//   - search and match must both be exactly "true"; the auto annotations may be
//     whatever strconv.ParseBool accepts as true.
//   - The flag --auto-reload-all counts only if no auto annotation has a value.
//
// The caller checks that both are in the same namespace and, for a Decision with Auto, that a container uses the
// object.
package reloader

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/confighash/confighash/internal/pattern"
	"github.com/confighash/confighash/pkg/api/v1alpha1"
)

// The kinds that Reloader watches. For a SecretProviderClass it watches the versions that the driver reports from the
// cluster, not the spec.
const (
	ConfigMap           = "ConfigMap"
	Secret              = "Secret"
	SecretProviderClass = "SecretProviderClass"
)

// Kinds are the kinds that Reloader watches.
var Kinds = [...]string{ConfigMap, Secret, SecretProviderClass}

// Handles reports whether Reloader rolls workloads of a kind, by its own flags and annotations.
func Handles(group, kind string) bool {
	handled := []string{"apps/Deployment", "apps/DaemonSet", "apps/StatefulSet", "batch/CronJob", "batch/Job", "argoproj.io/Rollout"}
	return slices.Contains(handled, group+"/"+kind)
}

// A Controller decides like Reloader with certain flags. It caches expressions, and is not safe for concurrent use.
type Controller struct {
	// Budget bounds the matching of names. Once it is exhausted, no pattern matches.
	Budget *pattern.Budget

	autoReloadAll bool
	auto, search  string // keys on workloads, for objects of any kind
	match, ignore string // keys on objects
	pausePeriod   string // key on workloads that configures rollouts
	kinds         map[string]kindKeys

	expressions map[string]pattern.Expression
	sum         pattern.Sum // of expressions
}

// kindKeys are the keys on workloads for objects of one kind.
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
		kinds:         map[string]kindKeys{},
		expressions:   map[string]pattern.Expression{},
	}
	for i, plural := range [...]string{"configmaps", "secrets", "secretproviderclasses"} {
		singular := strings.ToLower(Kinds[i])
		c.kinds[Kinds[i]] = kindKeys{
			auto:    key(singular + ".reloader.stakater.com/auto"),
			named:   key(singular + ".reloader.stakater.com/reload"),
			exclude: plural + ".exclude.reloader.stakater.com/reload",
		}
	}
	return c
}

// An Object is a ConfigMap, a Secret or a SecretProviderClass, or a stand-in for one.
type Object struct {
	Kind string
	// Names are the names by which annotations may refer to the object: current, earlier, and without a hash.
	Names       []string
	Annotations map[string]string
}

// A Decision says whether a change of an object rolls a workload.
type Decision struct {
	Reload bool
	// Auto: the workload rolls only if one of its containers uses the object. Otherwise the object was named, and
	// counts in any case.
	Auto bool
	// Reason is the end of a sentence in which "it" is the object.
	Reason string
}

// Requests are the requests in a workload's annotations.
type Requests struct {
	// AutoReloadAll: the flag --auto-reload-all is set and applies to the workload.
	AutoReloadAll bool

	controller *Controller
	requests   map[string]request // by kind
}

// A request holds the annotations of one place for objects of one kind.
type request struct {
	annotations map[string]string
	podTemplate bool // whether they are on the pod template
	patterns    []Pattern
	literals    map[string]int // indices in patterns
	expressions []int          // indices of the other patterns
	excluded    map[string]bool
}

// Read reads the annotations in a workload's metadata.
func (c *Controller) Read(annotations map[string]string) *Requests {
	w := &Requests{AutoReloadAll: c.autoReloadAll, controller: c, requests: map[string]request{}}
	for _, kind := range Kinds {
		r := c.request(c.kinds[kind], annotations, false)
		for _, name := range items(annotations[c.kinds[kind].exclude]) {
			r.excluded[name] = true
		}
		w.requests[kind] = r
	}
	return w
}

// WithPodTemplate returns w with the annotations of a pod template, for kinds of objects about which the workload
// itself has none.
func (w *Requests) WithPodTemplate(annotations map[string]string) *Requests {
	c, with := w.controller, *w
	with.requests = maps.Clone(w.requests)
	for _, kind := range Kinds {
		own, k := w.requests[kind], c.kinds[kind]
		if !c.asks(k, own.annotations) && c.asks(k, annotations) {
			r := c.request(k, annotations, true)
			r.excluded = own.excluded
			with.requests[kind] = r
		}
	}
	return &with
}

// asks reports whether any annotation is about objects of a kind. If a workload has one, Reloader does not read the pod
// template's.
func (c *Controller) asks(k kindKeys, annotations map[string]string) bool {
	return slices.ContainsFunc([]string{c.auto, c.search, k.auto, k.named}, func(key string) bool {
		_, ok := annotations[key]
		return ok
	})
}

func (c *Controller) request(k kindKeys, annotations map[string]string, podTemplate bool) request {
	r := request{annotations: annotations, podTemplate: podTemplate, literals: map[string]int{}, excluded: map[string]bool{}}
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
func (w *Requests) Decide(o Object) Decision {
	c, r := w.controller, w.requests[o.Kind]
	k, watched := c.kinds[o.Kind]
	switch {
	case !watched:
		return Decision{Reason: "Reloader does not watch objects of the kind " + o.Kind}
	case o.Annotations[c.ignore] == "true":
		return Decision{Reason: "it has " + c.ignore + `: "true"`}
	case slices.ContainsFunc(o.Names, func(name string) bool { return r.excluded[name] }):
		return Decision{Reason: k.exclude + " lists it"}
	}
	if p := r.naming(o.Names); p != nil {
		return Decision{Reload: true, Reason: p.reason()}
	}
	if r.annotations[c.search] == "true" && o.Annotations[c.match] == "true" {
		return Decision{Reload: true, Auto: true, Reason: place(c.search, r.podTemplate) + ` is "true", and it has ` + c.match + `: "true"`}
	}
	for _, key := range []string{c.auto, k.auto} {
		if on, _ := strconv.ParseBool(r.annotations[key]); on {
			return Decision{Reload: true, Auto: true, Reason: place(key, r.podTemplate) + " is " + strconv.Quote(r.annotations[key])}
		}
	}
	if w.AutoReloadAll && r.annotations[c.auto] == "" && r.annotations[k.auto] == "" {
		return Decision{Reload: true, Auto: true, Reason: "spec.reloader.autoReloadAll is true"}
	}
	return Decision{Reason: c.denial(&r, k)}
}

// denial is the reason if no annotation includes an object.
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
		if i < first && slices.ContainsFunc(names, r.patterns[i].Match) {
			first = i
		}
	}
	if first == len(r.patterns) {
		return nil
	}
	return &r.patterns[first]
}

// Patterns returns the patterns that apply to objects of a kind. The slice must not be changed.
func (w *Requests) Patterns(kind string) []Pattern { return w.requests[kind].patterns }

// AsksInPodTemplate reports whether the annotations that apply to objects of a kind are the pod template's.
func (w *Requests) AsksInPodTemplate(kind string) bool { return w.requests[kind].podTemplate }

// place names an annotation, and the pod template if it is there.
func place(key string, podTemplate bool) string {
	if podTemplate {
		return key + " on the pod template"
	}
	return key
}
