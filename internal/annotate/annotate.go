// Package annotate plans the mode Annotate: names stay, and every pod template
// that consumes ConfigMaps or Secrets gets a checksum of what it consumes, in an
// annotation, so that its pods are replaced when that changes and only then.
//
// What counts is what containers get: by env and envFrom, by volumes that one of
// them mounts, narrowed to the keys that are taken, and what annotations name.
// Where a controller makes the Secret, what it makes it of counts instead. The
// encoding of the checksum is package digest's.
package annotate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/confighash/confighash/internal/yamldoc"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/edit"
	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/hash"
	"github.com/confighash/confighash/internal/manifest"
	"github.com/confighash/confighash/internal/plan"
	"github.com/confighash/confighash/internal/policy"
	"github.com/confighash/confighash/internal/reference"
	"github.com/confighash/confighash/pkg/api/v1alpha1"
)

// New plans the checksums of the pod templates in g. The facts of g must hold
// values (graph.Builder.Values). Its error is that of plan.Plan.Err.
func New(g *graph.Graph, p *policy.Policy, spec *v1alpha1.Spec) (*plan.Plan, error) {
	b := &builder{
		graph: g, policy: p, spec: spec, plan: &plan.Plan{},
		sums: map[sumKey]string{}, checked: map[*graph.Resource]bool{}, counting: map[*graph.Resource][]hash.Value{},
		uses: 300_000 + 100*len(g.Resources),
	}
	for _, r := range g.Resources {
		b.uses += len(r.References)
	}
	b.left = b.uses
	b.plan.Add(p.Lint()...)
	for _, r := range g.Resources {
		b.resource(r)
	}
	b.plan.Add(p.Problems()...)
	if err := b.plan.Err(); err != nil {
		return nil, err
	}
	return b.plan, nil
}

type builder struct {
	graph  *graph.Graph
	policy *policy.Policy
	spec   *v1alpha1.Spec
	plan   *plan.Plan
	// sums are the checksums of whole objects.
	sums map[sumKey]string
	// counting are the values that always count of what stands for a Secret.
	counting map[*graph.Resource][]hash.Value
	// checked are the objects whose content is known to be fit for use.
	checked map[*graph.Resource]bool
	// uses is how often objects may be used, left what is left of that.
	uses, left int
	// sourceKinds are the kinds that may be sources, in lower case.
	sourceKinds map[string]bool
}

// A sumKey is an object as consumers in a namespace see it.
type sumKey struct {
	object    *graph.Resource
	namespace string // the object's, where it is not the consumer's
}

// resource plans the annotations of all pod templates of r.
func (b *builder) resource(r *graph.Resource) {
	if r.Ignored() {
		if len(r.PodTemplates) > 0 {
			reason := v1alpha1.AnnotationIgnore + " takes it out"
			b.leave(graph.Finding{Severity: manifest.Info, Resource: r, Message: "not stamped: " + reason, Reason: reason})
		}
		return
	}
	extra := b.extraSources(r)
	if len(r.PodTemplates) == 0 {
		if len(extra) > 0 {
			b.plan.Warnf(r, reference.ExtraSourcesAt, "no pod template of %s is known here, so nothing is stamped; put the annotation on a workload, or tell of the kind's pod template in spec.podTemplates", graph.Indefinite(r.Kind))
		}
		return
	}
	byTemplate := make([][]*graph.Edge, len(r.PodTemplates))
	var general []*graph.Edge // of all templates
	for i := range r.Edges {
		switch e := &r.Edges[i]; {
		case !e.Ref.Consumed:
		case e.Ref.PodTemplate < 0:
			general = append(general, e)
		default:
			byTemplate[e.Ref.PodTemplate] = append(byTemplate[e.Ref.PodTemplate], e)
		}
	}
	var consumptions []*consumption
	known := map[yamldoc.Path]*consumption{}
	for i := range r.PodTemplates {
		t := &r.PodTemplates[i]
		// Templates may share their annotations.
		c := known[t.AnnotationsAt]
		if c == nil || !t.HasAnnotations {
			c = &consumption{builder: b, referrer: r, template: t, workload: b.policy.Workload(r, t)}
			consumptions = append(consumptions, c)
			if t.HasAnnotations {
				known[t.AnnotationsAt] = c
			}
		}
		for _, e := range slices.Concat(byTemplate[i], general) {
			c.consume(e, nil)
		}
		if b.left <= 0 {
			return
		}
	}
	for _, c := range consumptions {
		for _, e := range extra {
			if !b.spend(r, reference.ExtraSourcesAt) {
				return
			}
			c.consume(e, &policy.Verdict{Rolls: true, Whole: true})
		}
		named, unmet := c.workload.Named()
		for _, n := range named {
			c.add(n.Object, n.Kind, nil, false).named = true
		}
		b.plan.Add(unmet...)
		b.stamp(r, c.template, c.sources(), c.unselected())
	}
}

// A source is an object with what of it counts.
type source struct {
	object *graph.Resource
	whole  bool
	keys   []string // sorted, where it is not whole
}

// spend counts how often objects are used, and reports false once that is too much:
// a few references can use thousands of objects each, through what makes a Secret.
func (b *builder) spend(r *graph.Resource, path yamldoc.Path) bool {
	if b.left--; b.left == 0 {
		b.plan.Errorf(r, path, "with those before it, workloads use objects more than %d times; let fewer pod templates share references, and fewer objects go into one Secret", b.uses)
	}
	return b.left > 0
}

// stamp plans what becomes of the annotations of a pod template. others are keys
// that another function's run may have set.
func (b *builder) stamp(r *graph.Resource, t *graph.PodTemplate, sources []source, others map[string]bool) {
	if why, severity := refusal(t); why != "" {
		if len(sources) > 0 && (severity != manifest.Info || b.informs()) {
			message := fmt.Sprintf("not stamped, although it consumes %s: %s", b.list(sources), why)
			b.leave(graph.Finding{Severity: severity, Resource: r, Path: templatePath(t), Message: message, Reason: why})
		}
		return
	}
	wanted, counted := b.checksums(r, sources)
	if len(wanted) > 0 {
		if t.Change == catalog.InPlace {
			b.plan.Warnf(r, templatePath(t), "stamped, but a changed annotation restarts nothing here: %s; mode Rename does", cmp.Or(t.Reason, t.Change.Reason()))
		}
		if b.informs() {
			b.tellStamped(r, t, counted)
		}
	}
	keys := make([]string, 0, len(wanted))
	for key := range wanted {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	var edits []edit.Edit
	for _, key := range keys {
		if t.Annotations[key] != wanted[key] {
			edits = append(edits, edit.SetEntry{Parent: t.AnnotationsAt, Key: key, Value: wanted[key]})
		}
	}
	var stale []string
	for key, value := range t.Annotations {
		if _, ok := wanted[key]; !ok && !others[key] && b.isOwn(key, value) {
			stale = append(stale, key)
		}
	}
	slices.Sort(stale)
	for _, key := range stale {
		if b.informs() {
			b.plan.Add(graph.Finding{
				Severity: manifest.Info, Resource: r, Path: t.AnnotationsAt.Key(key), Outcome: graph.Unstamped,
				Message: "removed: an earlier run wrote it, and nothing that is consumed now calls for it",
			})
		}
		edits = append(edits, edit.RemoveEntry{Parent: t.AnnotationsAt, Key: key})
	}
	b.plan.Edit(r, edits...)
}

// tellStamped tells what the checksum of a pod template is of.
func (b *builder) tellStamped(r *graph.Resource, t *graph.PodTemplate, counted []source) {
	told := "stamped with the checksum of " + b.list(counted)
	if t.Change == catalog.Deferred {
		told += "; " + cmp.Or(t.Reason, t.Change.Reason())
	}
	b.plan.Add(graph.Finding{Severity: manifest.Info, Resource: r, Path: templatePath(t), Message: told, Outcome: graph.Stamped})
}

// leave adds a finding that tells why something is left alone.
func (b *builder) leave(f graph.Finding) {
	if f.Severity != manifest.Info || b.informs() {
		f.Outcome = graph.LeftAlone
		b.plan.Add(f)
	}
}

// informs reports whether anybody wants to know what is no problem.
func (b *builder) informs() bool { return b.spec.Report == v1alpha1.ReportFull }

// templatePath returns the path by which results mean a template.
func templatePath(t *graph.PodTemplate) yamldoc.Path {
	if t.HasAnnotations {
		return t.AnnotationsAt
	}
	return t.Spec
}

// refusal tells why a pod template is not stamped, "" if it is, and what that
// is worth to a user who would expect it.
func refusal(t *graph.PodTemplate) (string, manifest.Severity) {
	switch why, expected := t.Change.Unstamped(); {
	case why == "" && t.HasAnnotations:
		return "", ""
	case why == "":
		return "there is no place for annotations of its pods", manifest.Warning
	case expected:
		return cmp.Or(t.Reason, why), manifest.Info
	default:
		return cmp.Or(t.Reason, why), manifest.Warning
	}
}

// checksums returns the annotations that sources call for, and those of the
// sources that hold something of what counts.
func (b *builder) checksums(r *graph.Resource, sources []source) (annotations map[string]string, counted []source) {
	annotations = map[string]string{}
	var sums []string
	for i := range sources {
		s := &sources[i]
		sum := b.checksum(r, s)
		if sum == "" {
			continue
		}
		if b.spec.Annotate.Scope == v1alpha1.ScopeSource {
			annotations[b.sourceKey(r, s.object)] = sum
		}
		sums = append(sums, sum)
		counted = append(counted, *s)
	}
	if b.spec.Annotate.Scope == v1alpha1.ScopeWorkload && len(sums) > 0 {
		annotations[b.spec.Annotate.Key] = hash.Checksum(sums, b.spec.Salt)
	}
	return annotations, counted
}

// checksum returns the checksum of what counts of a source, "" if that is
// nothing.
func (b *builder) checksum(r *graph.Resource, s *source) string {
	object := s.object
	id := sumKey{object, b.graph.NamespaceOf(object)}
	if id.namespace == b.graph.NamespaceOf(r) {
		id.namespace = ""
	}
	if !b.fit(object) {
		return ""
	}
	whole := s.whole || b.spec.Annotate.Granularity == v1alpha1.GranularityObject || object.StandsFor && len(b.always(object)) == len(object.Values)
	if sum, ok := b.sums[id]; ok && whole {
		return sum
	}
	values := object.Values
	if !whole {
		values = b.narrowed(object, s.keys)
	}
	sum := ""
	if len(values) > 0 {
		sum = hash.Source{
			Kind: object.Kind, Namespace: id.namespace, Name: object.Name, Encrypted: object.SOPS, Values: values,
		}.Checksum(b.spec.Salt)
	}
	if whole {
		b.sums[id] = sum
	}
	return sum
}

// narrowed returns the values under keys, which are sorted, and of what stands
// for a Secret those that always count. An object may have many more keys than
// anybody takes, and the other way round.
func (b *builder) narrowed(object *graph.Resource, keys []string) []hash.Value {
	values, found := object.Values, slices.Clone(b.always(object))
	take := func(v hash.Value) {
		if !object.StandsFor || !v.Always {
			found = append(found, v)
		}
	}
	if len(keys) > len(values) {
		for _, v := range values {
			if _, consumed := slices.BinarySearch(keys, v.Key); consumed {
				take(v)
			}
		}
	} else {
		for _, key := range slices.Compact(slices.Clone(keys)) {
			at, _ := slices.BinarySearchFunc(values, key, func(v hash.Value, key string) int { return strings.Compare(v.Key, key) })
			for ; at < len(values) && values[at].Key == key; at++ {
				take(values[at])
			}
		}
	}
	hash.SortValues(found)
	return found
}

// always returns the values of what stands for a Secret that always count.
func (b *builder) always(object *graph.Resource) []hash.Value {
	if !object.StandsFor {
		return nil
	}
	found, ok := b.counting[object]
	if !ok {
		for _, v := range object.Values {
			if v.Always {
				found = append(found, v)
			}
		}
		b.counting[object] = found
	}
	return found
}

// fit reports whether the content of an object can be told, and tells once if
// there is anything wrong with it.
func (b *builder) fit(object *graph.Resource) bool {
	if b.checked[object] {
		return object.ValuesErr == nil
	}
	b.checked[object] = true
	if object.ValuesErr != nil {
		b.plan.Errorf(object, "", "%s", object.ValuesErr)
		return false
	}
	if len(object.Undecoded) > 0 {
		field, plain := "data", "stringData"
		if object.Kind == "ConfigMap" {
			field, plain = "binaryData", "data"
		}
		b.plan.Warnf(object, yamldoc.Path(field), "no base64 stands under %s, so it counts as the text that stands there; an API server refuses it unless something replaces it before: encode it, or write it under %s",
			graph.Enumerate(quoteAll(object.Undecoded)), plain)
	}
	return true
}

// list names the objects of sources, and the keys that count where not all do.
func (b *builder) list(sources []source) string {
	names := make([]string, len(sources))
	for i := range sources {
		names[i] = sources[i].object.String()
		if keys := b.keysOf(&sources[i]); len(keys) > 0 {
			names[i] += " (" + graph.Enumerate(keys) + ")"
		}
	}
	return graph.Enumerate(names)
}

// keysOf returns the keys of a source that count, nil if all of them do.
func (b *builder) keysOf(s *source) []string {
	if s.whole || b.spec.Annotate.Granularity == v1alpha1.GranularityObject {
		return nil
	}
	var keys []string
	for _, v := range b.narrowed(s.object, s.keys) {
		if !v.Always {
			keys = append(keys, v.Key)
		}
	}
	return keys
}

func quoteAll(names []string) []string {
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = fmt.Sprintf("%q", n)
	}
	return quoted
}

// extraSources reads confighash.dev/extra-sources.
func (b *builder) extraSources(r *graph.Resource) []*graph.Edge {
	for _, element := range reference.WrongExtraSources(r.Annotations[v1alpha1.AnnotationExtraSources]) {
		b.plan.Errorf(r, reference.ExtraSourcesAt, "%q is neither ConfigMap/NAME nor Secret/NAME; list objects of the same namespace, divided by commas", element)
	}
	extra := r.ExtraSources()
	for _, e := range extra {
		if len(e.Current()) == 0 && !e.Made() {
			severity := manifest.Warning
			if b.spec.Unresolved == v1alpha1.UnresolvedError {
				severity = manifest.Error
			}
			b.plan.Reportf(severity, r, reference.ExtraSourcesAt, "%s %q is not in the input; correct the name, or remove it", e.Ref.Targets, e.Ref.Name)
		}
	}
	return extra
}
