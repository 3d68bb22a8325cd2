// Package podmeta drops labels and annotations that a chart changes with each version from pod templates, so that they
// do not replace pods (spec.podMetadata).
//
// A key stays if something may need it: a selector in the input, a field of the pod that reads it, a program that is
// known to look for it or, for a chart's own checksum, a workload that nothing else would roll. So the pods are found
// and configured as before, even if nobody reads the warnings.
package podmeta

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/edit"
	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/hash"
	"github.com/confighash/confighash/internal/manifest"
	"github.com/confighash/confighash/internal/plan"
	"github.com/confighash/confighash/internal/reference"
	"github.com/confighash/confighash/internal/yamldoc"
	"github.com/confighash/confighash/pkg/api/v1alpha1"
)

// Covers returns the pod template annotations that replace a chart's own checksums or complement names. The value is a
// clause about the pods' configuration that neither covers, "" if that is none.
type Covers func(*graph.Resource) map[yamldoc.Path]string

// Drop adds to p the edits that spec.podMetadata asks for in the pod templates of g.
func Drop(p *plan.Plan, g *graph.Graph, spec *v1alpha1.Spec, covers Covers) {
	d := &dropper{
		plan: p, graph: g, spec: spec, known: catalog.Builtin().PodMetadata(), covers: covers,
		fields: [...]field{{name: "labels", drop: spec.PodMetadata.DropLabels}, {name: "annotations", drop: spec.PodMetadata.DropAnnotations}},
	}
	if len(d.fields[labels].drop)+len(d.fields[annotations].drop) == 0 {
		return
	}
	batches := graph.Batches(slices.DeleteFunc(slices.Clone(g.All()), func(r *graph.Resource) bool { return r.Target != 0 }))
	all, err := graph.EachItem(batches, d.read)
	if err != nil {
		for _, e := range graph.Errors(err) {
			if f, ok := errors.AsType[graph.Finding](e); ok {
				p.Add(f)
			}
		}
		return
	}
	d.selectors = map[selected]*mention{}
	for _, f := range all {
		for i := range f.mentions {
			m := &f.mentions[i]
			at := selected{m.key, everywhere}
			if m.local {
				at.namespace = g.NamespaceOf(m.by)
			}
			d.selectors[at] = cmp.Or(d.selectors[at], m)
		}
	}
	for _, f := range all {
		d.dropFrom(f)
	}
}

const (
	labels = iota
	annotations
)

// A field is one of the two fields from which keys are dropped.
type field struct {
	name string
	drop catalog.KeyPatterns
}

type dropper struct {
	plan   *plan.Plan
	graph  *graph.Graph
	spec   *v1alpha1.Spec
	known  *catalog.PodMetadata
	covers Covers
	fields [2]field
	// selectors has the first selector that mentions a key, by the namespace where it selects pods.
	selectors map[selected]*mention
}

// A selected is a key in the selectors of one namespace, or of all if that is everywhere.
type selected struct{ key, namespace string }

const everywhere = "*"

// dropFrom plans the removals from the pod templates of a resource.
func (d *dropper) dropFrom(f *facts) {
	if f.resource.Ignored() || f.resource.Context {
		return
	}
	met := map[yamldoc.Path]bool{}
	for _, t := range f.templates {
		for which, keys := range t.keys {
			if met[t.at[which]] {
				continue
			}
			met[t.at[which]] = true
			for _, key := range slices.Sorted(maps.Keys(keys)) {
				d.key(f, &t, which, key)
			}
		}
	}
}

// key drops one key, or reports why it stays.
func (d *dropper) key(f *facts, t *template, which int, key string) {
	r, at := f.resource, t.at[which].Key(key)
	severity, why := manifest.Warning, ""
	switch m := d.selecting(r, key); {
	case d.isOwn(which, key, t.keys[which][key]):
		return
	case which == labels && m != nil && m.by == r:
		why = fmt.Sprintf("its %s selects by it", m.at)
	case which == labels && m != nil:
		why = fmt.Sprintf("%s of %s selects by it", m.at, m.by)
	case f.reads[which][key] != "":
		why = fmt.Sprintf("%s reads it", f.reads[which][key])
	case f.reads[which][""] != "":
		why = fmt.Sprintf("%s reads all of them", f.reads[which][""])
	default:
		if reader := d.known.Reader(key); reader != nil && !slices.Contains(d.fields[which].drop, key) {
			severity, why = manifest.Info, reader.By+" may read it; a pattern without * drops it"
		} else if which == annotations && d.known.Checksums.Match(key) {
			why = d.uncovered(f, t)
		}
	}
	switch {
	case why == "":
		d.plan.Edit(r, edit.RemoveEntry{Parent: t.at[which], Key: key})
		d.plan.Inform(graph.Finding{Resource: r, Path: at, Message: "dropped"})
	case severity == manifest.Info:
		d.plan.Inform(graph.Finding{Resource: r, Path: at, Message: "stays: " + why})
	default:
		d.plan.Warnf(r, at, "stays, although spec.podMetadata drops it: %s", why)
	}
}

// uncovered returns why a chart's own checksum has to stay: nothing else would roll the pods when some of their
// configuration changes. It returns "" if it can be dropped.
func (d *dropper) uncovered(f *facts, t *template) string {
	r := f.resource
	if f.covers == nil {
		f.covers, f.unseen = d.covers(r), d.unseen(r)
	}
	why, covered := f.covers[t.AnnotationsAt]
	switch {
	case !covered:
		return "nothing else would roll these pods"
	case f.unseen != nil:
		return fmt.Sprintf("by %s, its program may read %s %q through the API", f.unseen.At, f.unseen.Targets, f.unseen.Name)
	}
	return why
}

// unseen returns a name in a flag or a variable of r that is an object of the input to which r does not refer, nil if
// there is none.
func (d *dropper) unseen(r *graph.Resource) *reference.Read {
	named := map[string]bool{}
	for i := range r.References {
		named[r.References[i].Name] = true
	}
	for i := range r.Reads {
		read := &r.Reads[i]
		namespace := cmp.Or(read.Namespace, d.graph.NamespaceOf(r))
		if !named[read.Name] && slices.ContainsFunc(read.Targets.Each(), func(target catalog.Target) bool { return d.graph.Holds(target, namespace, read.Name) }) {
			return read
		}
	}
	return nil
}

// selecting returns a selector that mentions a label and may select the pods of r, nil if there is none.
func (d *dropper) selecting(r *graph.Resource, key string) *mention {
	return cmp.Or(d.selectors[selected{key, d.graph.NamespaceOf(r)}], d.selectors[selected{key, everywhere}])
}

// isOwn reports whether a key is this function's, or one that the policy reads: without it, the next run would have
// another result.
func (d *dropper) isOwn(which int, key, value string) bool {
	prefix, _, _ := strings.Cut(key, "/")
	return prefix == "confighash.dev" ||
		which == annotations && d.spec.Mode == v1alpha1.ModeAnnotate && (key == d.spec.Annotate.Key || hash.IsChecksum(value)) ||
		which == annotations && d.spec.Policy == v1alpha1.PolicyReloader &&
			(strings.HasSuffix("."+prefix, ".reloader.stakater.com") || slices.Contains(slices.Collect(maps.Values(d.spec.Reloader.AnnotationKeys)), key))
}
