package function

import (
	"cmp"
	"errors"
	"io"
	"slices"

	"github.com/confighash/confighash/internal/annotate"
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
	// Config is the functionConfig for an input that has none. Process completes
	// and checks it.
	Config *v1alpha1.ConfigHash
	// Namespace, if not empty, takes precedence over the functionConfig's
	// namespace. FilterNamespace is that of a stream if neither sets it.
	Namespace, FilterNamespace string
	// Salt takes the place of the functionConfig's salt if that is empty.
	Salt string
	// Summarize asks for a Summary of what is done to a stream.
	Summarize bool
}

// Process reads manifests from data and writes them, transformed, to w.
//
// An error means that input or functionConfig is wrong; its text is one sentence a
// line, and Errors returns them one by one. A ResourceList is still written then,
// with nothing changed but its results; of a stream nothing is written. An error in
// writing is a *WriteError. data must not change until Process returns; nothing that
// it returns shares memory with it.
func Process(data []byte, w io.Writer, o Options) (*Output, error) {
	in, err := manifest.Split(data)
	if err != nil {
		return nil, err
	}
	r, err := newRun(in, o)
	if err != nil {
		if in.IsResourceList {
			if werr := in.Write(w, nil, errorResults(err)); werr != nil {
				err = errors.Join(err, &WriteError{werr})
			}
		}
		return nil, err
	}
	out, results := report(r.plan.Findings, r.report)
	if r.summarize {
		out.Summary = summaryOf(r)
	}
	if err := in.Write(w, r.replaced, results); err != nil {
		return nil, &WriteError{err}
	}
	return out, nil
}

// A run is what becomes of an input.
type run struct {
	spec      v1alpha1.Spec
	report    v1alpha1.Report // what the functionConfig asks for
	summarize bool
	graph     *graph.Graph
	plan      *plan.Plan
	replaced  map[*manifest.Chunk][]byte // the new texts of those that change
}

func newRun(in *manifest.Input, o Options) (*run, error) {
	spec, err := specOf(in, o)
	if err != nil {
		return nil, err
	}
	r := &run{spec: *spec, report: spec.Report, summarize: o.Summarize && !in.IsResourceList}
	if r.summarize {
		r.spec.Report = v1alpha1.ReportFull // a summary counts everything
	}
	if err := r.makePlan(in); err != nil {
		return nil, err
	}
	r.replaced, err = r.plan.Apply(r.graph)
	return r, err
}

// specOf returns the spec of the functionConfig, completed from the options.
func specOf(in *manifest.Input, o Options) (*v1alpha1.Spec, error) {
	config := o.Config
	switch {
	case in.FunctionConfig != nil && config != nil:
		return nil, errors.New("the ResourceList has a functionConfig, and --config or --mode gives another; give one of them")
	case config == nil && in.FunctionConfig == nil && !in.IsResourceList:
		return nil, errors.New("the input is not a ResourceList, so the functionConfig must be given: --mode Rename, or --config FILE")
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
	spec := &config.Spec
	if in.IsResourceList {
		o.FilterNamespace = ""
	}
	spec.Namespace = cmp.Or(o.Namespace, spec.Namespace, o.FilterNamespace, "default")
	spec.Salt = hash.ShortSalt(cmp.Or(spec.Salt, o.Salt))
	return spec, nil
}

// makePlan reads the items and plans what the functionConfig asks for.
func (r *run) makePlan(in *manifest.Input) error {
	spec := &r.spec
	cat, err := reference.Catalog(spec)
	if err != nil {
		return err
	}
	finder := reference.NewFinder(cat)
	finder.Discover = *spec.Discover
	builder := &graph.Builder{
		Catalog: cat, Finder: finder, Salt: spec.Salt,
		Values: spec.Mode == v1alpha1.ModeAnnotate, Bases: true, FunctionConfig: in.FunctionConfig,
	}
	chunks, facts, err := manifest.Parse(in, builder.Build)
	if err != nil {
		return plan.Join(Errors(err))
	}
	g := graph.New(slices.Concat(facts...), spec.Namespace)
	p, err := policy.New(g, cat, spec)
	if err != nil {
		return err
	}
	var names map[*graph.Resource]string // of renamed objects, as they will be
	if spec.Mode == v1alpha1.ModeAnnotate {
		r.plan, err = annotate.New(g, p, spec)
	} else {
		var renamed *rename.Plan
		if renamed, err = rename.New(g, p, spec); err == nil {
			r.plan, names = &renamed.Plan, renamed.Names
			r.plan.Add(leftover.Search(chunks, g, names)...)
		}
	}
	if err != nil {
		return err
	}
	r.graph = g
	r.plan.Add(unresolved.Find(g, p, spec.Unresolved, spec.Mode == v1alpha1.ModeRename)...)
	r.plan.Add(unresolved.MissingKeys(g, names)...)
	return r.plan.Err()
}
