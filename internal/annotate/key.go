package annotate

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"sync"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/hash"
)

// maxKeyName is the maximum length of the name part of an annotation's key (k8s.io/apimachinery/pkg/api/validation,
// ValidateAnnotations).
const maxKeyName = 63

// hashLength is how many hexadecimal digits replace what is cut off.
const hashLength = 10

// sourceKey returns the key of the annotation with the checksum of one object that r consumes: PREFIX/kind.name, or
// PREFIX/kind.namespace_name for an object of another namespace.
func (b *builder) sourceKey(r, object *graph.Resource) string {
	name := object.Name
	if ns := b.graph.NamespaceOf(object); ns != "" && ns != b.graph.NamespaceOf(r) {
		name = ns + "_" + name
	}
	return prefixOf(b.spec.Annotate.Key) + "/" + keyName(strings.ToLower(object.Kind)+"."+name)
}

func prefixOf(key string) string {
	prefix, _, _ := strings.Cut(key, "/")
	return prefix
}

// keyName turns an object's name into the name part of a key. A name that is too long or has characters that keys may
// not have is cut and cleaned; a hash of the full name keeps the keys of different objects different.
func keyName(name string) string {
	const divide, letters = "-_.", "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	cleaned := strings.Map(func(c rune) rune {
		if strings.ContainsRune(letters+divide, c) {
			return c
		}
		return '_'
	}, name)
	if cleaned == strings.TrimRight(name, divide) && len(name) <= maxKeyName {
		return name
	}
	sum := sha256.Sum256([]byte(name))
	if most := maxKeyName - 1 - hashLength; len(cleaned) > most {
		cleaned = cleaned[:most]
	}
	return cleaned + "-" + hex.EncodeToString(sum[:])[:hashLength]
}

// isOwn reports whether this function wrote an annotation: the value is one of its checksums, and the key is the
// functionConfig's or PREFIX/kind.name.
func (b *builder) isOwn(key, value string) bool {
	if !hash.IsChecksum(value) {
		return false
	}
	if key == b.spec.Annotate.Key {
		return true
	}
	prefix, name, _ := strings.Cut(key, "/")
	kind, _, ok := strings.Cut(name, ".")
	return ok && prefix == prefixOf(b.spec.Annotate.Key) && sourceKinds()[kind]
}

// sourceKinds returns the kinds that may be sources, in lower case.
var sourceKinds = sync.OnceValue(func() map[string]bool {
	kinds := map[string]bool{}
	for _, k := range slices.Concat(catalog.AnyTarget.Kinds(), catalog.Builtin().StandInKinds()) {
		kinds[strings.ToLower(k)] = true
	}
	return kinds
})
