// Package function is the KRM function as a whole: a ResourceList or a stream
// of manifests in, the same out, with objects renamed and references rewritten, or
// with checksums on the pod templates that consume them.
package function

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/confighash/confighash/internal/annotate"
	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/edit"
	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/hash"
	"github.com/confighash/confighash/internal/leftover"
	"github.com/confighash/confighash/internal/manifest"
	"github.com/confighash/confighash/internal/plan"
	"github.com/confighash/confighash/internal/policy"
	"github.com/confighash/confighash/internal/reference"
	"github.com/confighash/confighash/internal/rename"
	"github.com/confighash/confighash/internal/unresolved"
	"github.com/confighash/confighash/pkg/api/v1alpha1"
)

// Options say what a functionConfig in the input does not.
type Options struct {
	// Config is the functionConfig for an input that has none, made by
	// v1alpha1.New or v1alpha1.Parse. It is checked as one that is read.
	Config *v1alpha1.ConfigHash
	// Namespace goes before the functionConfig's namespace where it is not
	// empty. FilterNamespace is that of a stream where neither sets it.
	Namespace, FilterNamespace string
	// Salt stands for the functionConfig's salt where that is empty.
	Salt string
	// Summarize asks for a Summary of what is done to a stream.
	Summarize bool
}

// An Output is what a run has to say beside the manifests.
type Output struct {
	// Results are the warnings, and what else the functionConfig's report
	// asks for, as a ResourceList has them.
	Results []manifest.Result
	// Messages are the same as sentences.
	Messages []Message
	// Summary is what was done, where Options.Summarize asks for it. A
	// ResourceList has none.
	Summary *Summary
}

// A Message is a Result as a sentence.
type Message struct {
	Severity manifest.Severity
	Text     string
}

// Process reads manifests from data and writes them, transformed, to w.
//
// An error means that input or functionConfig is at fault; its text is one
// sentence a line. A ResourceList is written all the same then, with nothing
// changed but its results; of a stream nothing is written. An error in writing
// is a *WriteError. data must not change until Process returns; nothing that it
// returns shares memory with it.
func Process(data []byte, w io.Writer, o Options) (out *Output, err error) {
	defer func() { err = settled(err) }()
	in, err := manifest.Split(data)
	if err != nil {
		return nil, err
	}
	config, err := configOf(in, o)
	if err != nil {
		return nil, fail(in, w, err)
	}
	summarize := o.Summarize && !in.IsResourceList
	g, p, err := planFor(in, informed(config, summarize))
	if err != nil {
		return nil, fail(in, w, err)
	}
	replaced, err := apply(g, p)
	if err != nil {
		return nil, fail(in, w, err)
	}
	out = report(p.Findings, config.Spec.Report)
	if summarize {
		out.Summary = summaryOf(g, p, config.Spec.Mode)
	}
	if err := in.Write(w, replaced, out.Results); err != nil {
		return nil, &WriteError{err}
	}
	return out, nil
}

// settled copies the text of err, so that the error does not retain the input.
func settled(err error) error {
	if err == nil {
		return nil
	}
	var all []error
	for _, e := range Errors(err) {
		if w := (*WriteError)(nil); !errors.As(e, &w) {
			e = errors.New(e.Error())
		}
		all = append(all, e)
	}
	return errors.Join(all...)
}

// A WriteError is an error in writing the output.
type WriteError struct{ Err error }

func (e *WriteError) Error() string { return "writing the output: " + e.Err.Error() }

// Unwrap returns the error of the writer.
func (e *WriteError) Unwrap() error { return e.Err }

// configOf finds the functionConfig and completes it from the options.
func configOf(in *manifest.Input, o Options) (*v1alpha1.ConfigHash, error) {
	config := o.Config
	switch {
	case in.FunctionConfig != nil && config != nil:
		return nil, errors.New("the ResourceList has a functionConfig, and --config or --mode gives another; give one of them")
	case config == nil && in.FunctionConfig == nil && !in.IsResourceList:
		return nil, errors.New("the input is no ResourceList, so the functionConfig must be given: --mode Rename, or --config FILE")
	}
	var err error
	if config == nil {
		config, err = v1alpha1.Parse(in.FunctionConfig)
	} else {
		config, err = config.Complete()
	}
	if err != nil {
		return nil, err
	}
	c := *config
	if in.IsResourceList {
		o.FilterNamespace = ""
	}
	c.Spec.Namespace = cmp.Or(o.Namespace, c.Spec.Namespace, o.FilterNamespace, "default")
	c.Spec.Salt = hash.ShortSalt(cmp.Or(c.Spec.Salt, o.Salt))
	return &c, nil
}

// planFor reads the items and plans what the functionConfig asks for.
func planFor(in *manifest.Input, config *v1alpha1.ConfigHash) (*graph.Graph, *plan.Plan, error) {
	spec := &config.Spec
	cat, err := catalogOf(spec)
	if err != nil {
		return nil, nil, err
	}
	finder := reference.NewFinder(cat)
	finder.Discover = *spec.Discover
	builder := &graph.Builder{
		Catalog: cat, Finder: finder, Salt: spec.Salt,
		Values: spec.Mode == v1alpha1.ModeAnnotate, Bases: true, FunctionConfig: in.FunctionConfig,
	}
	chunks, facts, err := manifest.Parse(in, builder.Build)
	if err != nil {
		return nil, nil, plan.Join(Errors(err))
	}
	g := graph.New(slices.Concat(facts...), spec.Namespace)
	p, err := policy.New(g, cat, spec)
	if err != nil {
		return nil, nil, err
	}
	transformed, names, err := transform(g, p, spec)
	if err != nil {
		return nil, nil, err
	}
	transformed.Add(leftover.Selectors(chunks, g, names)...)
	transformed.Add(unresolved.Find(g, p, spec.Unresolved, spec.Mode == v1alpha1.ModeRename)...)
	transformed.Add(unresolved.MissingKeys(g, names)...)
	return g, transformed, transformed.Err()
}

// transform plans what the mode says. It returns the names of renamed objects,
// as they will be, too.
func transform(g *graph.Graph, p *policy.Policy, spec *v1alpha1.Spec) (*plan.Plan, map[*graph.Resource]string, error) {
	if spec.Mode == v1alpha1.ModeAnnotate {
		stamped, err := annotate.New(g, p, spec)
		return stamped, nil, err
	}
	renamed, err := rename.New(g, p, spec)
	if err != nil {
		return nil, nil, err
	}
	renamed.Add(leftover.Search(g, renamed.Names)...)
	return &renamed.Plan, renamed.Names, nil
}

// catalogOf returns the catalogue with what the functionConfig adds to it.
func catalogOf(spec *v1alpha1.Spec) (*catalog.Catalog, error) {
	var extra []catalog.Extra
	for i, r := range spec.References {
		for j, f := range r.FieldSpecs {
			rules, err := catalog.FieldSpec(catalog.TargetOf(string(r.Kind)), f.Path)
			if err != nil {
				return nil, fmt.Errorf("spec.references[%d].fieldSpecs[%d].path: %w", i, j, err)
			}
			extra = append(extra, catalog.Extra{Group: f.Group, Version: f.Version, Kind: f.Kind, References: rules})
		}
	}
	for i, t := range spec.PodTemplates {
		podSpec, err := catalog.ParsePath(t.Path + "/spec")
		if err != nil {
			return nil, fmt.Errorf("spec.podTemplates[%d].path: %w", i, err)
		}
		annotations, err := catalog.ParsePath(t.Path + "/metadata/annotations")
		if err != nil {
			return nil, fmt.Errorf("spec.podTemplates[%d].path: %w", i, err)
		}
		extra = append(extra, catalog.Extra{Group: t.Group, Version: t.Version, Kind: t.Kind, PodTemplates: []catalog.PodTemplate{{
			Spec: podSpec, HasSpec: true, Annotations: annotations, HasAnnotations: true, Change: catalog.Rollout,
		}}})
	}
	extra = append(extra, reloaderKeys(spec)...)
	if extra == nil {
		return catalog.Builtin(), nil
	}
	return catalog.Builtin().With(extra...), nil
}

// reloaderKeys returns the references in annotations of Reloader's that its
// flags call otherwise: they name objects all the same.
func reloaderKeys(spec *v1alpha1.Spec) []catalog.Extra {
	var extra []catalog.Extra
	for _, named := range []struct {
		key    string
		target catalog.Target
	}{
		{"configmap.reloader.stakater.com/reload", catalog.ConfigMap},
		{"secret.reloader.stakater.com/reload", catalog.Secret},
	} {
		used := spec.Reloader.AnnotationKeys[named.key]
		if spec.Policy != v1alpha1.PolicyReloader || used == "" || used == named.key {
			continue
		}
		extra = append(extra, catalog.Extra{References: []catalog.Rule{{
			Path:    catalog.Path{catalog.AnyDepth, "metadata", "annotations", catalog.Segment(used)},
			Targets: named.target, Formats: []*catalog.Format{catalog.Plain}, Separator: ",",
		}}})
	}
	return extra
}

// apply carries a plan out, chunk by chunk.
func apply(g *graph.Graph, p *plan.Plan) (map[*manifest.Chunk][]byte, error) {
	var edited []*graph.Resource
	for _, r := range g.Resources {
		if len(p.Edits[r]) > 0 {
			edited = append(edited, r)
		}
	}
	batches := graph.Batches(edited)
	texts, err := graph.EachBatch(batches, func(b graph.Batch) ([]byte, error) {
		return applyTo(b.Chunk, b.Resources, p)
	})
	if err != nil {
		return nil, err
	}
	replaced := make(map[*manifest.Chunk][]byte, len(texts))
	for i, b := range batches {
		if !bytes.Equal(texts[i], b.Chunk.Text) {
			replaced[b.Chunk] = texts[i]
		}
	}
	return replaced, nil
}

// applyTo carries out what a plan has for the resources of one chunk.
func applyTo(chunk *manifest.Chunk, resources []*graph.Resource, p *plan.Plan) ([]byte, error) {
	items := make([]edit.Item, len(resources))
	for i, r := range resources {
		items[i] = edit.Item{Root: r.Root, Edits: p.Edits[r]}
	}
	text, err := edit.Apply(chunk.Text, items)
	if err == nil {
		return text, nil
	}
	// By itself, an item tells whose error it is. Each try reads all of the text,
	// so one that holds thousands of items gets by with the line.
	for i, r := range resources[:min(len(resources), 100)] {
		if _, err := edit.Apply(chunk.Text, items[i:i+1]); err != nil {
			return nil, graph.Finding{Severity: manifest.Error, Resource: r, Message: err.Error()}
		}
	}
	return nil, fmt.Errorf("%s: %w", chunk.At(chunk.Line), err)
}

// maxWarnings bounds how many warnings are reported: one takes hundreds of times as
// much memory as the word that it may be about.
const maxWarnings = 10_000

// report makes results of the findings that report asks for.
func report(findings []graph.Finding, asked v1alpha1.Report) *Output {
	out := &Output{}
	warnings := 0
	for _, f := range graph.SortFindings(findings) {
		if f.Severity == manifest.Info && asked != v1alpha1.ReportFull {
			continue
		}
		if f.Severity == manifest.Warning {
			if warnings++; warnings > maxWarnings {
				continue
			}
		}
		out.Results = append(out.Results, f.Result())
		out.Messages = append(out.Messages, Message{f.Severity, f.String()})
	}
	if more := warnings - maxWarnings; more > 0 {
		message := fmt.Sprintf("%d more warnings are not listed", more)
		out.Results = append(out.Results, manifest.Result{Severity: manifest.Warning, Message: message})
		out.Messages = append(out.Messages, Message{manifest.Warning, message})
	}
	return out
}

// fail writes a ResourceList unchanged but for its results, which say what is
// wrong, and returns err.
func fail(in *manifest.Input, w io.Writer, err error) error {
	if !in.IsResourceList {
		return err
	}
	if werr := in.Write(w, nil, errorResults(err)); werr != nil {
		return errors.Join(err, &WriteError{werr})
	}
	return err
}

// errorResults returns the results that say what is wrong.
func errorResults(err error) []manifest.Result {
	var results []manifest.Result
	for _, e := range Errors(err) {
		var finding graph.Finding
		if errors.As(e, &finding) {
			results = append(results, finding.Result())
			continue
		}
		results = append(results, manifest.Result{Severity: manifest.Error, Message: strings.TrimSpace(e.Error())})
	}
	return results
}

// Errors returns the errors that err joins, each of which is a sentence or an
// explanation of its own.
func Errors(err error) []error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	var all []error
	for _, e := range joined.Unwrap() {
		all = append(all, Errors(e)...)
	}
	return all
}
