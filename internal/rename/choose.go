package rename

import (
	"cmp"
	"fmt"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/manifest"
	"github.com/confighash/confighash/internal/policy"
	"github.com/confighash/confighash/pkg/api/v1alpha1"
)

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
			b.plan.Errorf(r, "metadata.name", "a name is missing; a %s needs one", r.Kind)
			continue
		}
		t.takes = true
	}
	b.settleDerived()
}

func (b *builder) leave(r *graph.Resource, refusal *policy.Refusal) {
	f := graph.Finding{Severity: refusal.Severity, Resource: r, Message: "not renamed: " + refusal.Reason}
	b.plan.Add(f)
	if b.target(r).referred {
		b.plan.Left = append(b.plan.Left, f)
	}
}

// info returns a refusal that needs no action, unlike warning.
func info(reason string) *policy.Refusal {
	return &policy.Refusal{Reason: reason, Severity: manifest.Info}
}

func warning(format string, args ...any) *policy.Refusal {
	return &policy.Refusal{Reason: fmt.Sprintf(format, args...), Severity: manifest.Warning}
}

func (b *builder) refusal(r *graph.Resource, t *target) *policy.Refusal {
	if refusal := b.policy.Chosen(r, t.asked); refusal != nil {
		return refusal
	}
	read := cmp.Or(t.outside, b.readByName(r, t))
	switch {
	case t.implicit:
		return warning("%s looks for it under this name as long as no field of it says another", t.producer)
	case t.producer != nil:
		return warning("%s has a controller write it under this name", t.producer)
	case t.pinned != nil:
		return warning("%s", pinned(r, t.pinned))
	case r.History.NeedsHash:
		switch {
		case b.spec.Rename.Generated == v1alpha1.GeneratedLeave:
			return info("kustomize generated it and appends the hash itself (spec.rename.generated: Leave)")
		case b.spec.Rename.Generated == v1alpha1.GeneratedAuto && !t.unknown:
			return info("kustomize generated it, appends the hash itself and knows every reference to it (spec.rename.generated: Auto)")
		}
	case r.History.Generated && r.Recorded() == "": // otherwise an inner layer has adopted it
		return info("kustomize generated it with disableNameSuffixHash, so its name has to stay")
	case !b.wanted(t) && read == nil:
		return info("nothing in the input refers to it (spec.rename.unreferenced: Keep)")
	}
	if b.policy.AsksWorkloads() {
		if refusal := t.votes.refusal(); refusal != nil {
			return refusal
		}
	}
	if r.Name == "" && r.GenerateName {
		return info("the API server will make its name from generateName")
	}
	if refusal := b.policy.Renamable(r); refusal != nil || read == nil || asksFor(r) {
		return refusal
	}
	b.restore(r)
	return read
}

func (b *builder) wanted(t *target) bool {
	return t.referred || t.derived != nil || b.spec.Rename.Unreferenced == v1alpha1.UnreferencedRename
}

// restore gives an object that keeps its name the one from before an earlier run, unless another object has that name.
func (b *builder) restore(r *graph.Resource) {
	if r.Recorded() == "" || r.Base == r.Name || b.graph.Holds(r.Target, b.graph.NamespaceOf(r), r.Base) {
		return
	}
	t := b.target(r)
	t.restored, t.named = true, true
	b.plan.Names[r] = r.Base
}

// doubtful reports whether e is not rewritten because the object it means is unknown. If it certainly means one of
// several, none of them is renamed.
func (b *builder) doubtful(e *graph.Edge) bool {
	elsewhere := b.graph.Elsewhere(e)
	for _, list := range elsewhere {
		b.pin(list, e.Referrer)
	}
	switch {
	case e.Ref.Role == catalog.Producer:
		return false
	case len(elsewhere) > 0:
		return true
	case len(e.Matches) > 1 && e.Ref.Tentative && !e.Ref.List && !e.Referrer.Context:
		b.doubts = append(b.doubts, e)
		return true
	case b.graph.Unsure(e):
		for _, match := range e.Matches {
			b.pin(match.Candidates, e.Referrer)
		}
		return true
	}
	return false
}

// pin keeps the names of objects, because referrer may refer to any of them.
func (b *builder) pin(objects []*graph.Resource, referrer *graph.Resource) {
	if b.again(objects, referrer, "pin") {
		return
	}
	for _, c := range objects {
		if t := b.target(c); t.pinned == nil {
			t.pinned = referrer
		}
	}
}

// pinned returns why an object to which referrer may refer keeps its name.
func pinned(r, referrer *graph.Resource) string {
	if referrer.ScopeUnknown {
		return fmt.Sprintf("%s refers to a %s of this name, and nothing says in which namespace: it names none, and its kind may belong to none; write its namespace, or add the CustomResourceDefinition to the input", referrer, r.Kind)
	}
	return fmt.Sprintf("%s refers to a %s of this name, and nothing says in which of several namespaces; give one of them another name", referrer, r.Kind)
}
