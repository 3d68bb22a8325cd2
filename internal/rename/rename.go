// Package rename plans the mode Rename: ConfigMaps and Secrets get a hash of
// their content appended to their names, and every reference follows.
//
// A plan says for each object what it will be called, and lists the edits that
// carry it out. It depends on what stands in the input alone, not on what an
// earlier run did: names are computed from the name less the recorded suffix,
// references are rewritten to complete present names. So a second run finds
// nothing to do.
package rename

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/confighash/confighash/internal/yamldoc"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/edit"
	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/hash"
	"github.com/confighash/confighash/internal/kustomize"
	"github.com/confighash/confighash/internal/manifest"
	"github.com/confighash/confighash/internal/plan"
	"github.com/confighash/confighash/internal/policy"
	"github.com/confighash/confighash/internal/reference"
	"github.com/confighash/confighash/pkg/api/v1alpha1"
)

// maxNameLength is the length of a DNS-1123 subdomain, which the names of
// ConfigMaps and Secrets are.
const maxNameLength = 253

// A Plan is what a Rename changes and what it has to tell.
type Plan struct {
	plan.Plan
	// Names are the names of the objects that take part, as they will be.
	Names map[*graph.Resource]string
}

// New plans the Rename of g. Its error is that of plan.Plan.Err.
func New(g *graph.Graph, p *policy.Policy, spec *v1alpha1.Spec) (*Plan, error) {
	b := &builder{
		graph:   g,
		policy:  p,
		spec:    spec,
		plan:    &Plan{Names: map[*graph.Resource]string{}},
		targets: map[*graph.Resource]*target{},
		met:     map[visit]*graph.Resource{},
		notes:   map[visit]string{}, prospects: map[visit]prospect{},
	}
	b.findReaders()
	b.resolve()
	b.ask()
	b.choose()
	b.plan.Add(b.policy.Problems()...)
	b.name()
	b.checkNames()
	if b.plan.Err() == nil {
		b.rewrite()
		b.editTargets()
		b.warnOfKustomize()
		b.tellMissed()
		b.tellDoubts()
		b.tellOrder()
	}
	if err := b.plan.Err(); err != nil {
		return nil, err
	}
	for i, f := range b.plan.Findings {
		b.plan.Findings[i].Name = b.plan.Names[f.Resource]
	}
	return b.plan, nil
}

// A target is what is known of a ConfigMap or a Secret.
type target struct {
	referred bool            // something refers to it that asks for nothing else
	asked    bool            // something that refers to it opts in
	unknown  bool            // a reference to it is unknown to kustomize
	producer *graph.Resource // what pins its name
	implicit bool            // by looking for it under a name that no field says
	pinned   *graph.Resource // what may refer to it, or to another of the name
	reader   *policy.Refusal // why a program probably reads it by its name
	restored bool            // it gets back the name of before an earlier run
	named    bool            // the name in Plan.Names is final
	naming   bool            // the name is being computed
	suffix   string
	votes    votes
	derived  *derived      // how the name follows from another one's, if it does
	mentions []*graph.Edge // references in its own content
}

type builder struct {
	graph    *graph.Graph
	policy   *policy.Policy
	spec     *v1alpha1.Spec
	plan     *Plan
	targets  map[*graph.Resource]*target
	mentions []*graph.Edge
	missed   []missed
	readers  readers
	doubts   []*graph.Edge // tentative references that may mean two kinds
	// met are lists of candidates that have been looked through, each with the first
	// who did: thousands of references may mean the same thousands of objects.
	met map[visit]*graph.Resource
	// notes and prospects are what was found of such lists.
	notes     map[visit]string
	prospects map[visit]prospect
}

// A visit is a list of candidates, by where it begins, and why it was looked through.
type visit struct {
	list **graph.Resource
	why  string
}

// again reports whether r, or another before, has looked through the candidates for
// that reason. A candidate may leave itself out, so two may look.
func (b *builder) again(candidates []*graph.Resource, r *graph.Resource, why string) bool {
	if len(candidates) == 1 {
		return false // which is no more than the reference
	}
	for _, v := range []visit{{&candidates[0], why}, {&candidates[0], why + " again"}} {
		by, met := b.met[v]
		switch {
		case !met:
			b.met[v] = r
			return false
		case by == r || r.Target == 0 && by.Target == 0:
			return true
		}
	}
	return true
}

func (b *builder) errorf(r *graph.Resource, path yamldoc.Path, format string, args ...any) {
	b.plan.Tell(manifest.Error, r, path, format, args...)
}

func (b *builder) tell(severity manifest.Severity, r *graph.Resource, path yamldoc.Path, format string, args ...any) {
	b.plan.Tell(severity, r, path, format, args...)
}

func (b *builder) target(r *graph.Resource) *target {
	t := b.targets[r]
	if t == nil {
		t = &target{}
		b.targets[r] = t
	}
	return t
}

// resolve finds what each reference means: who pins names, and who refers to
// what.
func (b *builder) resolve() {
	for _, r := range b.graph.Resources {
		for i := range r.Edges {
			m := &r.Edges[i]
			ref := m.Ref
			if b.doubtful(m) {
				continue
			}
			for _, match := range m.Matches {
				b.read(r, ref, match.Candidates)
				if len(match.Candidates) > 1 && b.again(match.Candidates, r, countsAs(r, ref)) {
					continue
				}
				for _, c := range match.Candidates {
					b.count(r, ref, c, b.known(r, ref, c))
				}
			}
			if len(ref.Derived) > 0 {
				b.derive(m)
			}
			if ref.Role == catalog.Producer || m.Targets == 0 {
				continue
			}
			b.mentions = append(b.mentions, m)
			if r.Content != nil && graph.InContent(ref.At.Path) {
				t := b.target(r)
				t.mentions = append(t.mentions, m)
			}
		}
	}
}

// countsAs says how a reference of r counts for the objects that it may mean.
func countsAs(r *graph.Resource, ref *reference.Reference) string {
	namespace := ""
	if ref.Kustomize && !r.ClusterScoped && ref.Namespace == "" {
		namespace = r.Namespace // see follows
	}
	return fmt.Sprint("count", ref.Role, ref.List, ref.Follows, ref.Kustomize, ref.Namespace != "", r.ClusterScoped, r.Ignored(), policy.OptsIn(r), " ", namespace)
}

// known reports whether kustomize follows ref, which means c. It does not read
// which kinds a rule of RBAC is about, so it may take a name for that of the other
// kind.
func (b *builder) known(r *graph.Resource, ref *reference.Reference, c *graph.Resource) bool {
	if !follows(r, ref, c) || !ref.List {
		return follows(r, ref, c)
	}
	return len(b.graph.Resolve(r, ref, catalog.AnyTarget&^c.Target).Candidates) == 0
}

// follows reports whether kustomize follows a field like that of ref to where c is.
// It reads namespaces as they are written, and so loses what a chart that it
// inflates refers to (kustomize 5.8).
func follows(r *graph.Resource, ref *reference.Reference, c *graph.Resource) bool {
	return ref.Kustomize && (r.ClusterScoped || ref.Namespace != "" || cmp.Or(r.Namespace, "default") == cmp.Or(c.Namespace, "default"))
}

// count enters that ref of r may mean c. known tells that kustomize follows it.
func (b *builder) count(r *graph.Resource, ref *reference.Reference, c *graph.Resource, known bool) {
	t := b.target(c)
	switch {
	case ref.Role == catalog.Producer:
		if t.producer == nil {
			t.producer, t.implicit = r, ref.Default && ref.Name != ref.At.Value
		}
	case r != c && !r.Ignored():
		t.referred = t.referred || !ref.Follows
		t.asked = t.asked || !ref.Follows && policy.OptsIn(r)
		t.unknown = t.unknown || !known
	}
}

// choose decides which objects take part, and tells why others do not.
func (b *builder) choose() {
	for _, r := range b.graph.Resources {
		if r.Target == 0 {
			continue
		}
		t := b.target(r)
		if refusal := b.refusal(r, t); refusal != nil {
			b.leave(r, refusal)
			continue
		}
		if r.Name == "" {
			b.errorf(r, "metadata.name", "a name is missing; a %s needs one", r.Kind)
			continue
		}
		b.plan.Names[r] = "" // computed by name
	}
	b.settleDerived()
}

// leave tells why r is not renamed.
func (b *builder) leave(r *graph.Resource, refusal *policy.Refusal) {
	if refusal.Severity == manifest.Info && !b.informs() {
		return
	}
	b.plan.Add(graph.Finding{
		Severity: refusal.Severity, Resource: r, Message: "not renamed: " + refusal.Reason,
		Outcome: graph.LeftAlone, Reason: cmp.Or(refusal.Group, refusal.Reason),
	})
}

// informs reports whether anybody wants to know what is no problem.
func (b *builder) informs() bool { return b.spec.Report == v1alpha1.ReportFull }

// inform adds information, if it is wanted.
func (b *builder) inform(f graph.Finding) {
	if b.informs() {
		f.Severity = manifest.Info
		b.plan.Add(f)
	}
}

// refusal tells why r is not renamed, nil if it is.
func (b *builder) refusal(r *graph.Resource, t *target) *policy.Refusal {
	info := func(reason string) *policy.Refusal {
		return &policy.Refusal{Reason: reason, Severity: manifest.Info}
	}
	if refusal := b.policy.Chosen(r, t.asked); refusal != nil {
		return refusal
	}
	read := b.readByName(r, t)
	switch {
	case t.implicit:
		return &policy.Refusal{
			Reason:   fmt.Sprintf("%s looks for it under this name as long as no field of it says another", t.producer),
			Group:    "another resource looks for it under this name",
			Severity: manifest.Warning,
		}
	case t.producer != nil:
		return &policy.Refusal{
			Reason:   fmt.Sprintf("%s has a controller write it under this name", t.producer),
			Group:    "a controller writes it under this name",
			Severity: manifest.Warning,
		}
	case t.pinned != nil:
		return &policy.Refusal{
			Reason:   pinned(r, t.pinned),
			Group:    "a reference may mean it or another of this name",
			Severity: manifest.Warning,
		}
	case r.History.NeedsHash:
		switch {
		case b.spec.Rename.Generated == v1alpha1.GeneratedLeave:
			return info("kustomize generated it and appends the hash itself (spec.rename.generated: Leave)")
		case b.spec.Rename.Generated == v1alpha1.GeneratedAuto && !t.unknown:
			return info("kustomize generated it, appends the hash itself and knows every reference to it (spec.rename.generated: Auto)")
		}
	case r.History.Generated && r.Recorded() == "": // otherwise it was adopted in an inner layer
		return info("kustomize generated it with disableNameSuffixHash, which asks for a name that stays")
	case !b.wanted(t) && read == nil:
		return info("nothing in the input refers to it (spec.rename.unreferenced: Keep)")
	}
	if b.policy.AsksWorkloads() {
		if refusal := t.votes.refusal(); refusal != nil {
			return refusal
		}
	}
	if r.Name == "" && r.GenerateName {
		return info("the apiserver will make its name of generateName")
	}
	if refusal := b.policy.Renamable(r); refusal != nil || read == nil || asksFor(r) {
		return refusal
	}
	b.restore(r)
	return read
}

// wanted reports whether something is a reason to rename an object.
func (b *builder) wanted(t *target) bool {
	return t.referred || t.derived != nil || b.spec.Rename.Unreferenced == v1alpha1.UnreferencedRename
}

// name computes the names of all objects that take part.
func (b *builder) name() {
	for _, r := range b.graph.Resources {
		if _, takes := b.plan.Names[r]; takes {
			b.nameOf(r, nil)
		}
	}
}

// nameOf returns the name that r will have. An object that refers to others in
// its content is named after them.
func (b *builder) nameOf(r *graph.Resource, chain []*graph.Resource) string {
	if _, takes := b.plan.Names[r]; !takes {
		return r.Name
	}
	t := b.target(r)
	if t.named {
		return b.plan.Names[r]
	}
	if t.naming {
		b.errorf(r, "", "its content refers to itself by way of %s; a hash of it cannot be computed", describeChain(chain, r))
		t.named = true
		return r.Name
	}
	if t.derived != nil {
		lead := b.nameOf(t.derived.lead, chain)
		t.named, t.suffix = true, b.target(t.derived.lead).suffix
		b.plan.Names[r] = lead + t.derived.suffix
		return b.plan.Names[r]
	}
	t.naming = true
	suffix, err := b.suffixOf(r, t, append(chain, r))
	t.naming = false
	if !t.named { // otherwise part of a cycle, which is told
		if err != nil {
			b.errorf(r, "", "%v", err)
		}
		t.named, t.suffix = true, suffix
		b.plan.Names[r] = r.Base + "-" + suffix
	}
	return b.plan.Names[r]
}

func describeChain(chain []*graph.Resource, to *graph.Resource) string {
	if i := slices.Index(chain, to); i >= 0 {
		chain = chain[i:]
	}
	const most = 20
	var names []string
	for _, r := range chain[:min(len(chain), most)] {
		names = append(names, r.String())
	}
	if more := len(chain) - most; more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, ", ")
}

// suffixOf returns the suffix of r's content as it will be.
func (b *builder) suffixOf(r *graph.Resource, t *target, chain []*graph.Resource) (string, error) {
	if r.SuffixErr != nil {
		return "", r.SuffixErr
	}
	rewrites := map[yamldoc.Path]*rewriting{}
	for i := range t.mentions {
		b.rewriteMention(t.mentions[i], rewrites, chain)
	}
	if len(rewrites) == 0 {
		return r.Suffix, nil
	}
	content := hash.Content{Kind: r.Content.Kind, Type: r.Content.Type}
	for _, f := range r.Content.Fields {
		f.Entries = slices.Clone(f.Entries)
		for i, e := range f.Entries {
			if rw := rewrites[yamldoc.Path(f.Name).Key(e.Key)]; rw != nil {
				f.Entries[i].Value = rw.value()
			}
		}
		content.Fields = append(content.Fields, f)
	}
	return hash.Suffix(content, b.spec.Salt)
}

// checkNames holds the new names against the rules of names and against one
// another.
func (b *builder) checkNames() {
	type id struct {
		target          catalog.Target
		namespace, name string
	}
	taken := map[id]*graph.Resource{}
	now := map[id]*graph.Resource{}
	for _, r := range b.graph.Resources {
		if r.Target == 0 || r.Name == "" {
			continue
		}
		name, takes := b.plan.Names[r]
		if !takes {
			name = r.Name
		}
		namespace := b.graph.NamespaceOf(r)
		if takes && len(name) > maxNameLength {
			b.errorf(r, "metadata.name", "with the hash, the name %q would be %d characters long; %d are allowed, so at most %d before the hash",
				name, len(name), maxNameLength, maxNameLength-1-hash.Length)
		}
		present := id{r.Target, namespace, r.Name}
		if other := now[present]; other != nil {
			if takes || b.takes(other) {
				b.errorf(r, "metadata.name", "the input holds %s %s/%s twice (%s); keep one",
					r.Kind, namespace, r.Name, graph.Places(other, r))
			}
			continue
		}
		now[present] = r
		future := id{r.Target, namespace, name}
		if other := taken[future]; other != nil {
			renamed := r
			if !takes {
				renamed, other = other, r
			}
			b.errorf(renamed, "metadata.name", "its new name %q would be that of %s (%s) in the same namespace; rename or remove one",
				name, other, other.Place())
			continue
		}
		taken[future] = r
	}
}

func (b *builder) takes(r *graph.Resource) bool {
	_, named := b.plan.Names[r]
	return named && !b.target(r).restored
}

// history returns the identities under which references of layers around may
// look for r: the name that it has, the name that it would have without an inner
// layer's suffix, and the name that it gets. The last one is an earlier name
// too, in kustomize's eyes, when another variant of the same base gets a prefix:
// unless both variants have it in their histories, kustomize makes references to
// it follow the one that has (found with 5.8.2).
func history(r *graph.Resource, name string) []kustomize.Identity {
	id := kustomize.Identity{Kind: r.Kind, Namespace: cmp.Or(r.Namespace, "default"), Name: r.Name}
	ids := []kustomize.Identity{id, id, id}
	ids[1].Name, ids[2].Name = r.Base, name
	return ids
}

// withOptions returns the value that an annotation gets. Argo CD reads two of
// them as lists of options divided by commas: an object keeps those that it has,
// unless the new value sets the same one.
func withOptions(key, has, value string) string {
	if has == "" || key != "argocd.argoproj.io/sync-options" && key != "argocd.argoproj.io/compare-options" {
		return value
	}
	name := func(option string) string {
		name, _, _ := strings.Cut(strings.TrimSpace(option), "=")
		return name
	}
	options, set := strings.Split(has, ","), strings.Split(value, ",")
	options = slices.DeleteFunc(options, func(o string) bool {
		return slices.ContainsFunc(set, func(s string) bool { return name(s) == name(o) })
	})
	return strings.Join(append(options, set...), ",")
}

// editTargets plans the edits of the renamed objects themselves.
func (b *builder) editTargets() {
	for _, r := range b.graph.Resources {
		name, named := b.plan.Names[r]
		if !named {
			continue
		}
		var edits []edit.Edit
		annotate := func(key, value string) {
			if r.Annotations[key] != value {
				edits = append(edits, edit.SetEntry{Parent: "metadata.annotations", Key: key, Value: value, After: "name"})
			}
		}
		if name != r.Name {
			edits = append(edits, edit.SetScalar{At: r.NameAt, Value: name})
			if r.History.Built {
				for _, a := range kustomize.Append(r.Annotations, history(r, name)...) {
					annotate(a.Key, a.Value)
				}
			}
		}
		if r.History.NeedsHash {
			edits = append(edits, edit.RemoveEntry{Parent: "metadata.annotations", Key: kustomize.NeedsHashSuffix})
		}
		if b.target(r).restored {
			b.plan.Edit(r, append(edits, edit.RemoveEntry{Parent: "metadata.annotations", Key: v1alpha1.AnnotationHash})...)
			continue
		}
		annotate(v1alpha1.AnnotationHash, b.target(r).suffix)
		for _, key := range slices.Sorted(maps.Keys(b.spec.Rename.Annotations)) {
			annotate(key, withOptions(key, r.Annotations[key], b.spec.Rename.Annotations[key]))
		}
		// Content under a derived name may change without it.
		if b.spec.Rename.Immutable && !r.Immutable && b.target(r).derived == nil {
			edits = append(edits, edit.SetEntry{Key: "immutable", Value: "true", Bool: true, After: "kind"})
		}
		b.plan.Edit(r, edits...)
		b.inform(graph.Finding{Resource: r, Message: "named after its content", Outcome: graph.Named})
	}
}
