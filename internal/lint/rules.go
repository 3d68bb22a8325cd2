package lint

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/edit"
	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/hash"
	"github.com/confighash/confighash/internal/policy"
	"github.com/confighash/confighash/internal/reference"
	"github.com/confighash/confighash/internal/rename"
	"github.com/confighash/confighash/internal/unresolved"
	"github.com/confighash/confighash/internal/usage"
	"github.com/confighash/confighash/pkg/api/v1alpha1"
)

type linter struct {
	graph   *graph.Graph
	spec    *v1alpha1.Spec
	catalog *catalog.Catalog
	// policies are the functionConfig's, or All, then those of Reloader and wave.
	policies   []*policy.Policy
	names      map[*graph.Resource]string // new names in mode Rename
	severities map[string]Severity        // of the rules that are not disabled
	accepts    []acceptance               // by graph.Resource.Index
	reported   map[report]bool
	derived    map[*graph.Resource]bool // objects named with a suffix (Rule.Derived), which are used with the object of the name
	found      *Report
}

// A report identifies what is reported only once: a workload may use many keys of one object.
type report struct {
	rule    string
	of      *graph.Resource
	message string
}

// Check returns the problems in g, whose resources must have been built with suffixes (load.Options.Suffixes) and with
// the same functionConfig. It leaves out disabled rules, findings that confighash.dev/lint-ignore accepts, and
// resources with confighash.dev/ignore.
//
// spec, unless nil, is the completed spec of the functionConfig that the manifests will go through. Problems that this
// run will fix are not reported.
//
// It fails if an annotation names an unknown rule, references or annotations of Reloader may mean too many objects, or
// the run of the functionConfig would fail.
func Check(g *graph.Graph, spec *v1alpha1.Spec, disabled ...string) (*Report, error) {
	l := &linter{
		graph: g, accepts: make([]acceptance, len(g.Resources)), reported: map[report]bool{}, severities: map[string]Severity{},
		derived: map[*graph.Resource]bool{}, found: NewReport(),
	}
	for _, rule := range Rules() {
		if !slices.Contains(disabled, rule.Name) {
			l.severities[rule.Name] = rule.Severity
		}
	}
	errs := make([]error, len(g.Resources))
	for i, r := range g.Resources {
		l.accepts[i], errs[i] = acceptanceOf(r)
	}
	if err := cmp.Or(errors.Join(errs...), l.plan(spec)); err != nil {
		return nil, err
	}
	l.misses()
	l.keys()
	l.suffixes()
	read := rename.ReadByName(g, l.policies[0])
	l.read(read)
	if err := cmp.Or(l.stale(), l.unused(read)); err != nil {
		return nil, err
	}
	l.ignores()
	for _, list := range [][]Finding{l.found.Findings, l.found.Accepted} {
		slices.SortStableFunc(list, func(a, b Finding) int {
			return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
		})
	}
	return l.found, nil
}

// plan prepares the policies and the effect of the functionConfig's run.
func (l *linter) plan(spec *v1alpha1.Spec) error {
	l.spec, l.catalog = &v1alpha1.Spec{Policy: v1alpha1.PolicyAll}, catalog.Builtin()
	if spec != nil {
		l.spec = spec
		var err error
		if l.catalog, err = reference.Catalog(spec); err != nil {
			return err
		}
	}
	controllers := []*v1alpha1.Spec{{Policy: v1alpha1.PolicyReloader, Reloader: l.spec.Reloader}, {Policy: v1alpha1.PolicyWave}}
	for _, s := range append([]*v1alpha1.Spec{l.spec}, controllers...) {
		p, err := policy.New(l.graph, l.catalog, s)
		if err != nil {
			return err
		}
		l.policies = append(l.policies, p)
	}
	if l.spec.Mode != v1alpha1.ModeRename {
		return nil
	}
	planned, err := rename.New(l.graph, l.policies[0], l.spec, nil)
	if err == nil {
		l.names = planned.Names
	}
	return err
}

func (l *linter) add(rule string, severity Severity, r *graph.Resource, at edit.Scalar, message, fix string) {
	id := report{rule, r, message}
	if r.Ignored() || l.severities[rule] == "" || l.reported[id] {
		return
	}
	l.reported[id] = true
	f := Finding{
		Rule: rule, Severity: severity, File: r.File, Line: r.Line, Field: graph.ClipPath(string(at.Path)), Message: message, Fix: fix,
		Resource: Resource{graph.Clip(r.APIVersion), graph.Clip(r.Kind), graph.Clip(r.Namespace), graph.Clip(r.Name)},
	}
	if at.Line > 0 {
		f.Line, f.Column = r.Chunk.Position(int(at.Line), int(at.Column))
	}
	a := l.accepts[r.Index]
	if !slices.Contains(a.rules, rule) {
		l.found.Findings = append(l.found.Findings, f)
		return
	}
	a.used[rule], f.Reason = true, a.reason
	l.found.Accepted = append(l.found.Accepted, f)
}

// unneeded matches references without which pods start unless containers consume them: the kubelet pulls images without
// an imagePullSecret, and ignores volumes that no container mounts.
var unneeded = regexp.MustCompile(`\bimagePullSecrets\[|\bvolumes\[\d+\]\.(configMap|secret|projected)\.`)

func (l *linter) misses() {
	for _, m := range unresolved.Misses(l.graph, l.policies[0], l.spec.Mode == v1alpha1.ModeRename) {
		// What an RBAC rule names may be created at run time, and in the content of a Secret, a name is part of a value.
		if m.Ref.Follows || m.Referrer.Target == catalog.Secret && graph.InContent(m.Ref.At.Path) {
			continue
		}
		called := fmt.Sprintf("%s %q", m.Targets, graph.Clip(strings.TrimPrefix(m.Ref.Namespace+"/"+m.Ref.Name, "/")))
		problem, fix, _ := strings.Cut(m.Near, "; ")
		rule := nearMiss
		switch {
		case len(m.Matches) > 0:
			which := "a hash"
			if m.Matches[0].Stale {
				which = "another hash"
			}
			problem = fmt.Sprintf("%s is not in the manifests, but %s is, whose name has %s", called, m.Matches[0].Candidates[0], which)
			fix = "let confighash --mode Rename rewrite the reference, or correct the name"
		case m.Near != "":
		case m.Ref.Optional, len(m.Referrer.PodTemplates) > 0 && strings.HasPrefix(string(m.Ref.At.Path), "metadata.annotations"):
			continue // pods start without objects named by annotations
		default:
			rule, problem = missingObject, called+" is not in the manifests"
			fix = "add it, make the reference optional, or accept the finding if something else puts it into the cluster"
		}
		severity := l.severities[rule]
		if rule == missingObject && !m.Ref.Consumed && unneeded.MatchString(string(m.Ref.At.Path)) {
			severity, fix = Note, "add it, or remove the reference: pods start without it"
		}
		l.add(rule, severity, m.Referrer, m.Ref.At, problem, fix)
	}
}

func (l *linter) keys() {
	for _, lack := range unresolved.Lacks(l.graph) {
		if len(lack.Current()) > 0 || l.spec.Mode == v1alpha1.ModeRename { // otherwise the object is missing
			severity := Error
			if len(lack.Object.Keys) == 0 {
				severity = Warning // a controller may fill it
			}
			l.add(missingKey, severity, lack.Referrer, lack.Ref.At,
				fmt.Sprintf("%s has no key %s, so the pod cannot start; it has %s", lack.Object, lack.Missing, lack.Has),
				"correct the key, add it, or make the reference optional")
		}
	}
}

func (l *linter) suffixes() {
	for _, r := range l.graph.Resources {
		for i := range r.Edges {
			for j := range r.Edges[i].Derived {
				for _, match := range r.Edges[i].Derived[j].Matches {
					for _, object := range match.Candidates {
						l.derived[object] = true
					}
				}
			}
		}
	}
	for _, r := range l.graph.Resources {
		if r.Target == 0 || r.SuffixErr != nil || l.derived[r] || l.names[r] != "" {
			continue // the run will fix it
		}
		const fix = "change the sources, and let kustomize or confighash --mode Rename make the name again"
		switch recorded := r.Recorded(); {
		case recorded != "" && r.Base != r.Name && recorded != r.Suffix && strings.Contains(r.Name, "-"+recorded):
			l.add(wrongSuffix, l.severities[wrongSuffix], r, r.NameAt, fmt.Sprintf("%q in its name is not the hash of its content: the content has changed since, and pods that use it do not restart", recorded),
				fix+"; if the hash is keyed with a salt, set CONFIGHASH_SALT")
		case recorded == "" && r.Base == r.Name && hash.Suffixed(r.Name) && !r.SOPS:
			l.add(wrongSuffix, Warning, r, r.NameAt, fmt.Sprintf("its name ends in %q, which looks like a hash and does not match the content", r.Name[len(r.Name)-hash.Length:]),
				fix+", or give it a name without one")
		}
	}
}

func (l *linter) read(read map[*graph.Resource]string) {
	for _, r := range l.graph.Resources {
		switch why, found := read[r]; {
		case !found:
		case r.Base == r.Name && l.names[r] == "":
			l.add(readByName, Note, r, r.NameAt, "a program probably reads it by this name: "+why, "keep this name; mode Rename does")
		case r.Base == r.Name:
			l.add(readByName, Warning, r, r.NameAt, "a program probably reads it by this name, which the functionConfig has changed: "+why, "set spec.rename.readByName to Keep")
		default:
			l.add(readByName, Warning, r, r.NameAt, "a program probably reads it by name, and the name has a hash: "+why, fmt.Sprintf("keep the name %q, as mode Rename does by default", graph.Clip(r.Base)))
		}
	}
}

func (l *linter) unused(read map[*graph.Resource]string) error {
	unused, err := usage.Unused(l.graph, l.catalog)
	for _, r := range unused {
		if _, read := read[r]; !read && !l.derived[r] && r.Name != "" {
			l.add(unusedObject, Note, r, r.NameAt, "nothing in the manifests uses it", "remove it, or accept the finding if a program reads it through the API or other manifests use it")
		}
	}
	return err
}

// ignores finds annotations that accept a rule without findings. It must run after all rules.
func (l *linter) ignores() {
	at := edit.Scalar{Path: `metadata.annotations["` + v1alpha1.AnnotationLintIgnore + `"]`}
	for _, r := range l.graph.Resources {
		a := l.accepts[r.Index]
		for _, rule := range a.rules {
			if rule != unusedIgnore && !a.used[rule] && l.severities[rule] != "" {
				l.add(unusedIgnore, Note, r, at, fmt.Sprintf("its annotation accepts %s, which finds nothing here", rule), "remove the rule from the annotation")
			}
		}
	}
}

// stale finds objects that pods read only when they start, although no change of the object restarts them.
func (l *linter) stale() error {
	fix := "run the manifests through confighash, or give the pod template a checksum annotation"
	if l.spec.Mode != "" {
		fix = "let the functionConfig cover it, for example by mode Annotate, or give the pod template a checksum annotation"
	}
	finder := usage.NewFinder(l.graph)
	for _, r := range l.graph.Resources {
		uses, err := finder.Of(r)
		if err != nil {
			return err
		}
		meant := map[*reference.Reference]*graph.Resource{} // the first object of a reference; its ingredients come later
		uses = slices.DeleteFunc(uses, func(u usage.Use) bool {
			meant[u.Ref] = cmp.Or(meant[u.Ref], u.Object)
			return meant[u.Ref] != u.Object || !readOnce(&u)
		})
		for i := range r.PodTemplates {
			t := &r.PodTemplates[i]
			if len(uses) == 0 || r.Ignored() || !rolls(t) || checksummed(t) {
				continue
			}
			for _, u := range uses {
				if (u.Template < 0 || u.Template == i) && !l.restarted(r, t, &u) {
					l.add(staleConsumer, l.severities[staleConsumer], r, u.Ref.At, fmt.Sprintf("its pods read %s once, when they start, and nothing restarts them when it changes", u.Object), fix)
				}
			}
		}
	}
	for _, p := range l.policies {
		if problems := p.Problems(); len(problems) > 0 {
			return problems[0]
		}
	}
	return nil
}

// readOnce reports whether pods read an object only when they start, and its content can change under its name.
func readOnce(u *usage.Use) bool {
	o := u.Object
	once := u.Via == catalog.ViaEnv || u.Via == catalog.ViaEnvFrom || u.Via == catalog.ViaSubPath
	hashed := o.Target != 0 && o.Base != o.Name || o.History.NeedsHash
	return u.Consumed && once && !hashed && !o.Immutable && !o.Ignored()
}

// rolls reports whether running pods are replaced when the template changes.
func rolls(t *reference.PodTemplate) bool {
	return !t.Runs && (t.Change == catalog.Rollout || t.Change == catalog.NewRevision || t.Change == catalog.Deferred)
}

// checksummed reports whether an annotation of the template is a checksum from this or another tool. It is unknown what
// another tool's checksum covers.
func checksummed(t *reference.PodTemplate) bool {
	for key, value := range t.Annotations {
		key = strings.ReplaceAll(strings.ToLower(key), "hashicorp", "") // vault.hashicorp.com/agent-inject
		if strings.Contains(key, "checksum") || strings.Contains(key, "hash") || hash.IsChecksum(value) {
			return true
		}
	}
	return false
}

// restarted reports whether the run of the functionConfig, Reloader or wave restarts the pods of a template for a
// changed object.
func (l *linter) restarted(r *graph.Resource, t *reference.PodTemplate, u *usage.Use) bool {
	use := policy.Use{Object: u.Object, Kind: u.Object.Kind, Consumed: true}
	if u.Object.StandsFor && u.Ref.Of == nil {
		use.Kind = catalog.Secret.String()
	}
	follows := l.policies
	if l.spec.Mode != v1alpha1.ModeAnnotate {
		follows = follows[1:] // Rename only does what l.names says, and without a mode nothing is done
	}
	return l.names[u.Object] != "" || slices.ContainsFunc(follows, func(p *policy.Policy) bool { return p.Workload(r, t).Judge(use).Rolls })
}
