package reloader

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/confighash/confighash/pkg/api/v1alpha1"
	"github.com/confighash/confighash/test/support/property"
)

// An oracle decides step by step according to Reloader's documented rules, independently of Controller.
type oracle struct {
	autoReloadAll bool
	key           func(string) string
}

func (o oracle) decide(workload, podTemplate map[string]string, kind, name string, object map[string]string) (reload, auto bool) {
	if object[o.key("reloader.stakater.com/ignore")] == "true" {
		return false, false
	}
	singular := strings.ToLower(kind)
	plural := map[string]string{"configmap": "configmaps", "secret": "secrets", "secretproviderclass": "secretproviderclasses"}[singular]
	named := o.key(singular + ".reloader.stakater.com/reload")
	typed := o.key(singular + ".reloader.stakater.com/auto")
	general, search := o.key("reloader.stakater.com/auto"), o.key("reloader.stakater.com/search")

	in := workload
	if !slices.ContainsFunc([]string{named, typed, general, search}, func(key string) bool { _, ok := workload[key]; return ok }) {
		in = podTemplate
	}
	for excluded := range strings.SplitSeq(workload[plural+".exclude.reloader.stakater.com/reload"], ",") {
		if strings.TrimSpace(excluded) == name {
			return false, false
		}
	}
	for pattern := range strings.SplitSeq(in[named], ",") {
		if matched, err := regexp.MatchString("^"+strings.TrimSpace(pattern)+"$", name); err == nil && matched {
			return true, false
		}
	}
	if in[search] == "true" && object[o.key("reloader.stakater.com/match")] == "true" {
		return true, true
	}
	yes := func(value string) bool {
		return slices.Contains([]string{"1", "t", "T", "true", "TRUE", "True"}, value)
	}
	if yes(in[general]) || yes(in[typed]) || o.autoReloadAll && in[general]+in[typed] == "" {
		return true, true
	}
	return false, false
}

// Generators of annotations and settings.
var (
	flagKeys = []string{
		"reloader.stakater.com/auto", "configmap.reloader.stakater.com/auto", "secret.reloader.stakater.com/auto",
		"configmap.reloader.stakater.com/reload", "secret.reloader.stakater.com/reload",
		"reloader.stakater.com/search", "reloader.stakater.com/match", "reloader.stakater.com/ignore",
	}
	otherKeys = []string{
		"secretproviderclass.reloader.stakater.com/auto", "secretproviderclass.reloader.stakater.com/reload",
		"configmaps.exclude.reloader.stakater.com/reload", "secrets.exclude.reloader.stakater.com/reload",
		"secretproviderclasses.exclude.reloader.stakater.com/reload", "reloader.stakater.com/rollout-strategy",
		"deployment.reloader.stakater.com/pause-period", "reloader.stakater.com/last-reloaded-from",
		"configmap.exclude.reloader.stakater.com/reload", "example.com/x", "example.com/y",
	}
	someAnnotations = rapid.MapOfN(
		rapid.SampledFrom(slices.Concat(flagKeys, flagKeys, otherKeys)),
		rapid.OneOf(
			rapid.SampledFrom([]string{"true", "false", "", "True", "1", "yes", "true ", "restart"}),
			rapid.StringOfN(rapid.SampledFrom([]rune("ab-.*|,, ([)]^$\\{1}?/")), 0, 6, -1),
		), 0, 4)
	someSettings = rapid.Custom(func(t *rapid.T) v1alpha1.Reloader {
		s := v1alpha1.Reloader{AutoReloadAll: rapid.Bool().Draw(t, "autoReloadAll")}
		if rapid.Bool().Draw(t, "flags") {
			s.AnnotationKeys = rapid.MapOfN(rapid.SampledFrom(flagKeys), rapid.SampledFrom(append([]string{"example.com/x", "example.com/y"}, flagKeys...)), 0, 3).Draw(t, "keys")
		}
		return s
	})
	someName = rapid.StringMatching(`[ab]([ab.-]?[ab]){0,2}`)
	someKind = rapid.SampledFrom(Kinds[:])
)

func TestDecide_followsTheRules(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		settings := someSettings.Draw(t, "settings")
		c := New(settings)
		o := oracle{settings.AutoReloadAll, func(key string) string {
			if used, ok := settings.AnnotationKeys[key]; ok {
				return used
			}
			return key
		}}
		// Several workloads share one Controller, which has caches.
		for range 4 {
			workload, podTemplate := someAnnotations.Draw(t, "workload"), someAnnotations.Draw(t, "podTemplate")
			w := c.Read(workload).WithPodTemplate(podTemplate)
			for range 4 {
				kind, name, object := someKind.Draw(t, "kind"), someName.Draw(t, "name"), someAnnotations.Draw(t, "object")
				got := w.Decide(Object{Kind: kind, Names: []string{name}, Annotations: object})
				reload, auto := o.decide(workload, podTemplate, kind, name, object)
				if got.Reload != reload || got.Auto != auto {
					t.Fatalf("%s %s: got %+v, want %t, %t", kind, name, got, reload, auto)
				}
				byPattern := slices.ContainsFunc(w.Patterns(kind), func(p Pattern) bool { return p.Match(name) })
				if got.Reload && !got.Auto && !byPattern {
					t.Fatalf("%s %s: %+v, and no pattern matches", kind, name, got)
				}
			}
		}
	})
}

func BenchmarkDecide(b *testing.B) {
	const workloads = 20_000
	annotations := make([]map[string]string, workloads)
	for i := range annotations {
		annotations[i] = map[string]string{"app.kubernetes.io/name": "app", "reloader.stakater.com/auto": "true"}
		if i%2 == 0 {
			annotations[i] = map[string]string{"configmap.reloader.stakater.com/reload": "app-" + strconv.Itoa(i) + ",shared-.*"}
		}
	}
	other := map[string]string{"prometheus.io/scrape": "true"}
	objects := []Object{
		{Kind: ConfigMap, Names: []string{"shared-4h2mbtbbt6", "shared"}, Annotations: maps.Clone(other)},
		{Kind: Secret, Names: []string{"tls"}},
	}
	b.ReportAllocs()
	for b.Loop() {
		c := New(v1alpha1.Reloader{})
		for _, a := range annotations {
			w := c.Read(a).WithPodTemplate(other)
			for _, o := range objects {
				w.Decide(o)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/workloads, "ns/workload")
}
