package function

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/confighash/confighash/internal/annotate"
	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/graph/load"
	"github.com/confighash/confighash/internal/hash"
	"github.com/confighash/confighash/internal/jobs"
	"github.com/confighash/confighash/internal/keep"
	"github.com/confighash/confighash/internal/kustomize"
	"github.com/confighash/confighash/internal/leftover"
	"github.com/confighash/confighash/internal/manifest"
	"github.com/confighash/confighash/internal/plan"
	"github.com/confighash/confighash/internal/podmeta"
	"github.com/confighash/confighash/internal/policy"
	"github.com/confighash/confighash/internal/reference"
	"github.com/confighash/confighash/internal/rename"
	"github.com/confighash/confighash/internal/unresolved"
	"github.com/confighash/confighash/pkg/api/v1alpha1"
)

// Options complement the functionConfig in the input.
type Options struct {
	// Config is the functionConfig for an input that has none. Process completes and checks it.
	Config *v1alpha1.ConfigHash
	// Namespace, if not empty, takes precedence over the functionConfig's namespace. FilterNamespace applies to a
	// stream if neither is set.
	Namespace, FilterNamespace string
	// Salt is used if the functionConfig has no salt.
	Salt string
	// Jobs, if not empty, takes precedence over the functionConfig's jobs.
	Jobs v1alpha1.Jobs
	// Keep, unless nil, takes precedence over the functionConfig's rename.keep: how many earlier versions of each
	// renamed object are carried along.
	Keep *int
	// Previous is the output of the last run, which is needed to keep versions: an empty list for the first run, nil if
	// it is not given.
	Previous []Manifests
	// Context is the final output of other builds: manifests, or lists of names. References may lead to its objects,
	// and its workloads count as users of the input's objects. It is never changed, written or counted.
	Context []Manifests

	inPlace bool // no item can be added
}

// Manifests are the content of a file, and its name in messages.
type Manifests struct {
	Name string
	Data []byte
}

// Process reads manifests from data and writes them, transformed, to w.
//
// An error means that the input or the functionConfig is invalid. Its text has one sentence per line, and Errors
// returns them separately. In that case, a ResourceList is still written with only its results changed, and a stream is
// not written. A write error is a *WriteError. data must not change until Process returns; nothing that it returns
// shares memory with data.
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
		return nil, of(in, err)
	}
	out, results := r.output(in)
	if err := in.Write(w, r.replaced, results); err != nil {
		return nil, &WriteError{err}
	}
	return out, nil
}

type run struct {
	spec     v1alpha1.Spec
	graph    *graph.Graph
	plan     *plan.Plan
	names    map[*graph.Resource]string // new names of renamed objects
	added    [][]byte                   // objects with keys of others
	replaced map[*manifest.Chunk][]byte // new texts of changed chunks
	kept     *keep.Kept                 // the earlier versions
	stamped  int                        // how many workloads have or get a checksum
	left     []graph.Finding            // why objects that are referred to keep their names
}

func newRun(in *manifest.Input, o Options) (*run, error) {
	spec, err := specOf(in, o)
	if err != nil {
		return nil, err
	}
	r := &run{spec: *spec}
	if err := r.makePlan(in, o); err != nil {
		return nil, err
	}
	r.replaced, err = r.plan.Apply(r.graph)
	if err != nil {
		return nil, err
	}
	r.kept, err = r.keep(in, o)
	if err != nil {
		return nil, err
	}
	if len(r.kept.Marks) > 0 {
		for version, mark := range r.kept.Marks {
			r.plan.Edit(version, mark)
		}
		if r.replaced, err = r.plan.Apply(r.graph); err != nil {
			return nil, err
		}
	}
	gone, err := graph.ChunksOf(r.kept.Removed)
	if err != nil {
		return nil, err
	}
	in.Drop(gone)
	return r, in.Append(slices.Concat(r.added, r.kept.Added), r.replaced)
}

func (r *run) keep(in *manifest.Input, o Options) (*keep.Kept, error) {
	n := r.spec.Rename.Keep
	if o.Keep != nil {
		n = *o.Keep
	}
	switch {
	case r.spec.Mode == v1alpha1.ModeAnnotate && (o.Keep != nil || o.Previous != nil):
		return nil, errors.New("mode Annotate makes no versions to keep; --keep and --previous are for mode Rename")
	case r.spec.Mode == v1alpha1.ModeAnnotate:
		return &keep.Kept{}, nil
	case n > 0 && o.Previous == nil:
		return nil, fmt.Errorf("%d earlier versions are to be kept, and nothing says what the last run wrote; give --previous PATH, or set spec.rename.keep to 0", n)
	case o.Previous != nil && o.Keep == nil && n == 0:
		return nil, errors.New("--previous is given, and no version is to be kept; give --keep N, or set spec.rename.keep")
	case o.Previous == nil:
		return keep.Lines(nil, r.graph, r.names, n, nil)
	}
	before, err := load.Of(filesOf(o.Previous), load.Options{Namespace: r.spec.Namespace})
	if err != nil {
		return nil, graph.Prefixed("--previous", err)
	}
	now, names := r.graph, r.names
	if len(r.added) > 0 { // they have versions too
		if now, err = r.written(in); err != nil {
			return nil, err
		}
		names = map[*graph.Resource]string{}
		for _, resource := range now.Resources {
			if resource.Recorded() != "" {
				names[resource] = resource.Name
			}
		}
	}
	kept, err := keep.Lines(before, now, names, n, func() (*graph.Graph, error) { return r.written(in) })
	if err == nil && now != r.graph {
		kept.Own(r.graph)
	}
	return kept, err
}

// written returns the output of this run without versions.
func (r *run) written(in *manifest.Input) (*graph.Graph, error) {
	var out bytes.Buffer
	if err := in.Write(&out, r.replaced, nil); err != nil {
		return nil, err
	}
	files := []load.File{{Data: out.Bytes()}}
	for _, part := range r.added {
		files = append(files, load.File{Data: part})
	}
	written, err := load.Of(files, load.Options{Namespace: r.spec.Namespace})
	if written != nil {
		err = nil // the API server reports duplicate resources
	}
	return written, err
}

// specOf returns the spec of the functionConfig, completed from the options.
func specOf(in *manifest.Input, o Options) (*v1alpha1.Spec, error) {
	config := o.Config
	switch {
	case in.FunctionConfig != nil && config != nil:
		return nil, errors.New("the ResourceList has a functionConfig, and --config or --mode gives another; give one of them")
	case config == nil && in.FunctionConfig == nil && !in.IsResourceList:
		return nil, errors.New("give --mode Rename, --mode Annotate or --config FILE: only a ResourceList has its own functionConfig")
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
	if o.Jobs != "" {
		if spec.Jobs, err = v1alpha1.ParseJobs(string(o.Jobs)); err != nil {
			return nil, err
		}
	}
	spec.Namespace = cmp.Or(o.Namespace, spec.Namespace, o.FilterNamespace, "default")
	spec.Salt = hash.ShortSalt(cmp.Or(spec.Salt, o.Salt))
	return spec, nil
}

func filesOf(manifests []Manifests) []load.File {
	files := make([]load.File, len(manifests))
	for i, f := range manifests {
		files[i] = load.File{Name: f.Name, Data: f.Data}
	}
	return files
}

// checkGranularity rejects adding objects if the next run would find both them and the objects they were made from,
// which then lack keys.
func checkGranularity(in *manifest.Input, g *graph.Graph, spec *v1alpha1.Spec, inPlace bool) error {
	if spec.Mode != v1alpha1.ModeRename || spec.Rename.Granularity != v1alpha1.GranularityKey || !in.IsResourceList {
		return nil
	}
	for _, r := range g.Resources {
		if !r.History.Built && (r.Annotations[kustomize.Places[0]] != "" || r.Annotations[kustomize.Places[2]] != "") {
			return errors.New("spec.rename.granularity: Key adds objects and takes keys out of others, and kpt may write that over the package that it read; " +
				"filter what kpt renders, as in kpt fn render --output unwrap | confighash --config FILE, or use granularity: Object")
		}
	}
	if inPlace {
		return errors.New("spec.rename.granularity: Key is for Process, which can add items; use granularity: Object")
	}
	return nil
}

// makePlan reads the items, and those of other builds, and plans the changes.
func (r *run) makePlan(in *manifest.Input, o Options) error {
	spec := &r.spec
	cat, err := reference.Catalog(spec)
	if err != nil {
		return err
	}
	finder := reference.NewFinder(cat)
	finder.Discover = *spec.Discover
	builder := func() *graph.Builder {
		return &graph.Builder{
			Catalog: cat, Finder: finder, Salt: spec.Salt,
			Values: spec.Mode == v1alpha1.ModeAnnotate, Bases: true, Parts: spec.Rename.Granularity == v1alpha1.GranularityKey, FunctionConfig: in.FunctionConfig,
		}
	}
	_, facts, err := manifest.Parse(in, builder().Build)
	others, errContext := load.Context(filesOf(o.Context), builder)
	if err = errors.Join(err, errContext); err != nil {
		return plan.Join(Errors(err))
	}
	g := graph.New(append(slices.Concat(facts...), others...), spec.Namespace)
	if err := cmp.Or(g.CheckContext(), checkGranularity(in, g, spec, o.inPlace)); err != nil {
		return plan.Join(Errors(err))
	}
	p, err := policy.New(g, cat, spec)
	if err != nil {
		return err
	}
	var covers podmeta.Covers
	called := func(*graph.Edge, *graph.Resource) string { return "" }
	if spec.Mode == v1alpha1.ModeAnnotate {
		annotated, err := annotate.New(g, p, spec)
		if err != nil {
			return err
		}
		r.plan, covers, r.stamped = &annotated.Plan, annotated.Covers, annotated.Stamped()
	} else {
		var formerNames []graph.Finding
		renamed, err := rename.New(g, p, spec, func(names map[*graph.Resource]string) { formerNames = leftover.Search(g, names) })
		if err != nil {
			return err
		}
		r.plan, r.names, r.added, r.left = &renamed.Plan, renamed.Names, renamed.Added, renamed.Left
		covers, called = renamed.Covers, renamed.Called
		r.plan.Add(formerNames...)
	}
	podmeta.Drop(r.plan, g, spec, covers)
	r.graph = g
	r.plan.Add(unresolved.Find(g, p, spec.Unresolved, spec.Mode == v1alpha1.ModeRename)...)
	r.plan.Add(unresolved.MissingKeys(g, r.names, called)...)
	if err := r.plan.Err(); err != nil {
		return err
	}
	jobs.Name(g, p, spec, r.plan, r.names)
	return r.plan.Err()
}
