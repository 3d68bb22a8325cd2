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

// A part is an object that holds those keys of another one that pods take, and is named after them.
type part struct {
	of *graph.Resource
	// keys are the keys that count, in the form of hash.Keys; holds are those that the object must have, nil for all.
	// holds may have more: the kubelet needs every key that a volume lists, mounted or not, and the API server the keys
	// of the Secret's type.
	keys         string
	holds        map[string]bool
	name, suffix string
}

// A pod identifies the user of a part. Templates that restart together share a part, and no container sees more of it
// than its own fields ask for.
type pod struct {
	of       *graph.Resource
	referrer *graph.Resource
	template int
}

// requiredKeys are the keys without which the API server rejects a Secret of a type (ValidateSecret in kubernetes
// 1.36). basic-auth needs one of the two.
var requiredKeys = map[string][]string{
	"kubernetes.io/basic-auth":       {"username", "password"},
	"kubernetes.io/dockercfg":        {".dockercfg"},
	"kubernetes.io/dockerconfigjson": {".dockerconfigjson"},
	"kubernetes.io/ssh-auth":         {"ssh-privatekey"},
	"kubernetes.io/tls":              {"tls.crt", "tls.key"},
}

// maxKeyList bounds the length of an annotation: a pod with a longer list takes all keys.
const maxKeyList = 10_000

// split gives each pod a part of the objects from which it takes keys; the keys that count are the same as in mode
// Annotate. Everything else that refers to an object needs the whole object, under the name without a hash. An object
// that nothing else needs becomes one of its parts.
//
// Objects whose name is derived from another's, or whose content has references, stay whole. So do those of SOPS, whose
// MAC covers all values.
func (b *builder) split() {
	if b.spec.Rename.Granularity != v1alpha1.GranularityKey {
		return
	}
	for _, r := range b.graph.All() {
		if d := b.target(r).derived; d != nil && d.lead != nil {
			b.target(d.lead).leads = true
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
			t.parts = map[string]*part{}
		}
		b.take(p.of, takes[p])
	}
	b.settleParts()
}

// splits reports whether pods get parts of an object.
func (b *builder) splits(r *graph.Resource) bool {
	t := b.target(r)
	return t.takes && !t.leads && t.derived == nil && len(t.edges) == 0 && r.Part == "" && !r.SOPS && r.ValuesErr == nil
}

// gets reports whether the containers of a pod get keys by a reference that can be rewritten.
func gets(e *graph.Edge) bool {
	r, ref := e.Referrer, e.Ref
	return ref.Consumed && len(r.PodTemplates) > 0 && !r.Context && !r.Ignored() && !ref.Default && !ref.List && len(e.Matches) == 1
}

// take records the part that the references of one pod take.
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
	if b.immutable(r) { // other keys could not be changed
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
		b.plan.parts[e] = p
	}
}

// immutable reports whether r is or becomes immutable.
func (b *builder) immutable(r *graph.Resource) bool { return r.Immutable || b.spec.Rename.Immutable }

// fieldsCount reports whether values that pods take from r are in binaryData, and that matters: env does not read
// binaryData, and an immutable object cannot move them under the same name.
func (b *builder) fieldsCount(r *graph.Resource, edges []*graph.Edge, counts map[string]bool, all bool) bool {
	has := func(key string) bool {
		i, ok := hash.Find(r.Values, key)
		return ok && r.Values[i].Binary
	}
	switch {
	case len(r.BinaryKeys) == 0:
		return false
	case b.immutable(r):
		return all || slices.ContainsFunc(slices.Collect(maps.Keys(counts)), has)
	}
	return slices.ContainsFunc(edges, func(e *graph.Edge) bool {
		return e.Ref.Via != catalog.ViaVolume && e.Ref.Via != catalog.ViaSubPath && (e.Ref.Keys == nil || slices.ContainsFunc(e.Ref.Keys, has))
	})
}

// settleParts decides what happens to objects whose parts pods take. An object stays if kustomize may know references
// from outer layers, which are not visible here.
func (b *builder) settleParts() {
	known := map[graph.ID]*graph.Resource{}
	sources := map[graph.ID]bool{} // those that are not earlier versions
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
			continue // it gets one name, as spec.rename.unreferenced asks for
		}
		t.whole = t.whole || r.History.Built || len(t.parts) == 0
		t.added = slices.SortedFunc(maps.Values(t.parts), func(a, b *part) int { return cmp.Compare(a.keys, b.keys) })
		t.added = slices.DeleteFunc(t.added, func(p *part) bool {
			twin := known[b.graph.ID(r).Of(p.name)]
			if twin != nil && twin.Kept {
				b.plan.Errorf(twin, "metadata.name", "%s (%s) makes an object of this name again, and this is an earlier version of it; remove this one", r, r.Place())
			}
			t.whole = t.whole || twin != nil
			return twin != nil
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

// checkSources rejects objects that have changed since parts were made from them: the pods would keep the old content.
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
