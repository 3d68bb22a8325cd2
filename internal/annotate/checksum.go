package annotate

import (
	"slices"
	"strconv"

	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/hash"
	"github.com/confighash/confighash/internal/yamldoc"
	"github.com/confighash/confighash/pkg/api/v1alpha1"
)

// A source is an object, and the part of it that counts.
type source struct {
	object *graph.Resource
	whole  bool
	keys   []string // sorted; unused if whole
}

// A sumKey is an object as consumers in one namespace see it.
type sumKey struct {
	object    *graph.Resource
	namespace string // the object's, if it is not the consumer's
}

// checksums returns the annotations for sources, and the sources that contribute to them, in the memory of sources.
func (b *builder) checksums(r *graph.Resource, sources []source) (annotations map[string]string, counted []source) {
	counted = sources[:0]
	if b.spec.Annotate.Scope == v1alpha1.ScopeSource {
		annotations = make(map[string]string, len(sources))
	}
	var sums []string
	for _, s := range sources {
		sum := b.checksum(r, &s)
		if sum == "" {
			continue
		}
		if annotations != nil {
			annotations[b.sourceKey(r, s.object)] = sum
		}
		sums, counted = append(sums, sum), append(counted, s)
	}
	if b.spec.Annotate.Scope == v1alpha1.ScopeWorkload && len(sums) > 0 {
		annotations = map[string]string{b.spec.Annotate.Key: hash.Checksum(sums, b.spec.Salt)}
	}
	return annotations, counted
}

// checksum returns the checksum of the part of a source that counts, "" if that is empty.
func (b *builder) checksum(r *graph.Resource, s *source) string {
	object := s.object
	id := sumKey{object, b.graph.NamespaceOf(object)}
	if id.namespace == b.graph.NamespaceOf(r) {
		id.namespace = ""
	}
	if !b.fit(object) {
		return ""
	}
	whole := s.whole || object.NameOnly || b.spec.Annotate.Granularity == v1alpha1.GranularityObject || object.StandsFor && len(b.alwaysOf(object)) == len(object.Values)
	if sum, ok := b.sums[id]; ok && whole {
		return sum
	}
	values := object.Values
	if !whole {
		values = b.narrowed(object, s.keys)
	}
	sum := b.sum(id, values)
	if whole {
		b.sums[id] = sum
	}
	return sum
}

func (b *builder) sum(id sumKey, values []hash.Value) string {
	if len(values) == 0 {
		return ""
	}
	object := id.object
	return hash.Source{
		Kind: object.Kind, Namespace: id.namespace, Name: object.Name, Encrypted: object.SOPS, Values: values,
	}.Checksum(b.spec.Salt)
}

// narrowed returns the values under keys, which are sorted, and those of a stand-in that always count. It iterates over
// the shorter list: an object may have far more keys than anyone takes, or far fewer.
func (b *builder) narrowed(object *graph.Resource, keys []string) []hash.Value {
	values, found := object.Values, slices.Clone(b.alwaysOf(object))
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
			at, _ := hash.Find(values, key)
			for ; at < len(values) && values[at].Key == key; at++ {
				take(values[at])
			}
		}
	}
	hash.SortValues(found)
	return found
}

func (b *builder) alwaysOf(object *graph.Resource) []hash.Value {
	if !object.StandsFor {
		return nil
	}
	found, ok := b.always[object]
	if !ok {
		found = slices.DeleteFunc(slices.Clone(object.Values), func(v hash.Value) bool { return !v.Always })
		b.always[object] = found
	}
	return found
}

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

// fit reports whether the content of an object is valid. It reports an error in it only once.
func (b *builder) fit(object *graph.Resource) bool {
	if b.checked[object] {
		return object.ValuesErr == nil
	}
	b.checked[object] = true
	if object.ValuesErr != nil {
		b.plan.Errorf(object, "", "%s", object.ValuesErr)
		return false
	}
	if len(object.Undecoded) > 0 && !object.Context {
		field, plain := "data", "stringData"
		if object.Kind == "ConfigMap" {
			field, plain = "binaryData", "data"
		}
		quoted := make([]string, len(object.Undecoded))
		for i, key := range object.Undecoded {
			quoted[i] = strconv.Quote(key)
		}
		b.plan.Warnf(object, yamldoc.Path(field), "the value of %s is not base64, so it counts as the text that is written; an API server refuses it unless something replaces it before: encode it, or write it under %s",
			graph.Enumerate(quoted), plain)
	}
	return true
}
