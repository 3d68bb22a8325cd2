package rename

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/hash"
	"github.com/confighash/confighash/pkg/api/v1alpha1"
)

// A part is an object with the keys of another one that pods take, named after these.
type part struct {
	of *graph.Resource
	// keys are those that count, as hash.Keys lists them, and holds those that the object
	// has to have, nil for all. It may need more: the kubelet wants all that a volume
	// lists, mounted or not, and the API server those of the Secret's type.
	keys         string
	holds        map[string]bool
	name, suffix string
}

// A pod is what takes one part of an object: what shares a restart shares an object, and no
// container sees more of a part than its own fields ask for.
type pod struct {
	of       *graph.Resource
	referrer *graph.Resource
	template int
}

// requiredKeys are the keys without which the API server refuses a Secret of a type
// (ValidateSecret in kubernetes 1.36). basic-auth needs one of the two.
var requiredKeys = map[string][]string{
	"kubernetes.io/basic-auth":       {"username", "password"},
	"kubernetes.io/dockercfg":        {".dockercfg"},
	"kubernetes.io/dockerconfigjson": {".dockerconfigjson"},
	"kubernetes.io/ssh-auth":         {"ssh-privatekey"},
	"kubernetes.io/tls":              {"tls.crt", "tls.key"},
}

// maxKeyList bounds an annotation: a pod with a longer list takes all keys.
const maxKeyList = 10_000

// split gives each pod a part of the objects that it gets keys of, by what mode Annotate
// counts. Everything else that refers to an object needs all of it, under the name without a
// hash. An object that nothing else needs becomes one of its parts.
//
// Objects whose name follows from another's, or that refer to others in their content, stay
// whole, as do those of SOPS, whose integrity code covers all values.
func (b *builder) split() {
	if b.spec.Rename.Granularity != v1alpha1.GranularityKey {
		return
	}
	for _, r := range b.graph.All() {
		if t := b.targets[r.Index]; t != nil && t.derived != nil && t.derived.lead != nil {
			b.target(t.derived.lead).leads = true
		}
	}
	var pods []pod
	takes := map[pod][]*graph.Edge{}
	for _, e := range slices.Concat(b.edges, b.outside, b.doubts) {
		lists := [][]*graph.Resource{e.Strangers}
		for _, match := range e.Matches {
			lists = append(lists, match.Candidates)
		}
		for _, list := range lists {
			if len(list) == 1 && b.splits(list[0]) && gets(e) {
				p := pod{list[0], e.Referrer, e.Ref.PodTemplate}
				if takes[p] == nil {
					pods = append(pods, p)
				}
				takes[p] = append(takes[p], e)
			} else if len(list) > 0 && !b.again(list, e.Referrer, "whole") {
				for _, c := range list {
					b.target(c).whole = true
				}
			}
		}
	}
	for _, p := range pods {
		t := b.target(p.of)
		if t.parts == nil {
			t.parts, t.binary = map[string]*part{}, map[string]bool{}
			for i := range p.of.Values {
				if v := &p.of.Values[i]; v.Binary {
					t.binary[v.Key] = true
				}
			}
		}
		b.take(p.of, takes[p])
	}
	b.settleParts()
}

// splits reports whether pods get parts of an object.
func (b *builder) splits(r *graph.Resource) bool {
	t := b.targets[r.Index]
	return t != nil && t.takes && !t.leads && t.derived == nil && len(t.edges) == 0 && r.Part == "" && !r.SOPS && r.ValuesErr == nil
}

// gets reports whether the containers of a pod get keys by a reference that can be rewritten.
func gets(e *graph.Edge) bool {
	r, ref := e.Referrer, e.Ref
	return ref.Consumed && len(r.PodTemplates) > 0 && !r.Context && !r.Ignored() && !ref.Default && !ref.List && len(e.Matches) == 1
}

// take enters the part that references of one pod take.
func (b *builder) take(r *graph.Resource, edges []*graph.Edge) {
	t := b.target(r)
	counts, holds := map[string]bool{}, map[string]bool{}
	for _, key := range requiredKeys[r.Type] {
		holds[key] = true
	}
	for _, e := range edges {
		for _, key := range e.Ref.Keys {
			counts[key] = true
		}
		for _, key := range e.Ref.Required {
			holds[key] = true
		}
	}
	if b.immutable(r) { // what does not count could not change
		for key := range holds {
			if _, has := slices.BinarySearch(r.Keys, key); has {
				counts[key] = true
			}
		}
	}
	maps.Copy(holds, counts)
	delete(counts, "")
	keys := hash.Keys(slices.Sorted(maps.Keys(counts)))
	if len(keys) > maxKeyList || slices.ContainsFunc(edges, func(e *graph.Edge) bool { return e.Ref.Keys == nil }) {
		keys, holds = hash.AllKeys, nil
	}
	if keys == "" { // a path in a volume that is not a file
		t.whole = true
		return
	}
	if b.fieldsCount(r, edges, counts, holds == nil) {
		keys += hash.FieldsCount
	}
	p := t.parts[keys]
	if p == nil {
		suffix := hash.PartSuffix(r.Kind, r.Type, keys, r.Values, b.spec.Salt)
		p = &part{of: r, keys: keys, holds: holds, suffix: suffix, name: r.Base + "-" + suffix}
		t.parts[keys] = p
	} else {
		maps.Copy(p.holds, holds)
	}
	for _, e := range edges {
		b.parts[e] = p
	}
}

// immutable reports whether r will be.
func (b *builder) immutable(r *graph.Resource) bool { return r.Immutable || b.spec.Rename.Immutable }

// fieldsCount reports whether values that pods take of r are in binaryData and that matters: env
// does not read it, and what is immutable cannot get them there under the same name.
func (b *builder) fieldsCount(r *graph.Resource, edges []*graph.Edge, counts map[string]bool, all bool) bool {
	binary := b.target(r).binary
	has := func(key string) bool { return binary[key] }
	switch {
	case len(binary) == 0:
		return false
	case b.immutable(r):
		return all || slices.ContainsFunc(slices.Collect(maps.Keys(counts)), has)
	}
	return slices.ContainsFunc(edges, func(e *graph.Edge) bool {
		return e.Ref.Via != catalog.ViaVolume && e.Ref.Via != catalog.ViaSubPath && (e.Ref.Keys == nil || slices.ContainsFunc(e.Ref.Keys, has))
	})
}

// settleParts decides what becomes of the objects whose parts pods take. kustomize may know
// references of outer layers, which nobody else sees.
func (b *builder) settleParts() {
	known := map[graph.ID]*graph.Resource{}
	sources := map[graph.ID]bool{} // of those that are not earlier versions
	for _, r := range slices.Concat(b.graph.Resources, b.graph.Kept) {
		if r.Part != "" {
			known[b.graph.ID(r)] = r
			id := b.graph.BaseID(r)
			sources[id] = sources[id] || !r.Kept
		}
	}
	b.checkSources(known)
	for _, r := range b.graph.Resources {
		if !b.splits(r) {
			continue
		}
		t := b.target(r)
		if !t.whole && len(t.parts) == 0 && !sources[b.graph.BaseID(r)] {
			continue // it gets one name, since spec.rename.unreferenced asks for that
		}
		t.whole = t.whole || r.History.Built || len(t.parts) == 0
		t.added = slices.SortedFunc(maps.Values(t.parts), func(a, b *part) int { return cmp.Compare(a.keys, b.keys) })
		t.added = slices.DeleteFunc(t.added, func(p *part) bool {
			id := b.graph.ID(r)
			id.Name = p.name
			if twin := known[id]; twin != nil && twin.Kept {
				b.plan.Errorf(twin, "metadata.name", "%s (%s) makes an object of this name again, and this is an earlier version of it; remove this one", r, r.Place())
			}
			t.whole = t.whole || known[id] != nil
			return known[id] != nil
		})
		t.named = true
		if !t.whole {
			t.own, t.added = t.added[0], t.added[1:]
			t.suffix, b.plan.Names[r] = t.own.suffix, t.own.name
			continue
		}
		t.takes = false
		if r.Base != r.Name && !b.graph.Holds(r.Target, b.graph.NamespaceOf(r), r.Base) {
			t.restored, b.plan.Names[r] = true, r.Base
		}
		if len(t.parts) == 0 {
			b.leave(r, info("no pod in the input gets keys of it (spec.rename.granularity: Key)"))
		}
	}
}

// checkSources refuses objects that have changed since parts were made of them: the pods would
// keep what they had.
func (b *builder) checkSources(parts map[graph.ID]*graph.Resource) {
	sources := map[graph.ID]*graph.Resource{}
	for _, r := range b.graph.Resources {
		if len(parts) > 0 && r.Target != 0 && r.Part == "" {
			sources[b.graph.ID(r)] = r
		}
	}
	suffix := func(r *graph.Resource, keys string) string {
		return hash.PartSuffix(r.Kind, r.Type, strings.TrimSuffix(keys, hash.FieldsCount)+hash.FieldsCount, r.Values, b.spec.Salt)
	}
	for _, p := range parts {
		source := sources[b.graph.BaseID(p)]
		if source != nil && !p.Kept && suffix(source, p.Part) != suffix(p, p.Part) {
			b.plan.Errorf(p, "", "%s (%s) has changed since this object was made of it; list confighash in the outermost kustomization alone, or render the sources again", source, source.Place())
		}
	}
}
