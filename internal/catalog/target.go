package catalog

import (
	"fmt"
	"slices"
	"strings"
)

// A Target is a set of the kinds that a reference may name.
type Target uint8

// The kinds a reference may name, and the set of both.
const (
	ConfigMap Target = 1 << iota
	Secret

	AnyTarget = ConfigMap | Secret
)

// TargetOf returns the Target of one kind, 0 for other kinds.
func TargetOf(kind string) Target {
	switch kind {
	case "ConfigMap":
		return ConfigMap
	case "Secret":
		return Secret
	}
	return 0
}

// Has reports whether t holds all of other.
func (t Target) Has(other Target) bool { return t&other == other && other != 0 }

var targets = [...]struct {
	each  []Target
	kinds []string
	text  string
}{
	0:         {text: "none"},
	ConfigMap: {[]Target{ConfigMap}, []string{"ConfigMap"}, "ConfigMap"},
	Secret:    {[]Target{Secret}, []string{"Secret"}, "Secret"},
	AnyTarget: {[]Target{ConfigMap, Secret}, []string{"ConfigMap", "Secret"}, "ConfigMap or Secret"},
}

// Each returns the kinds in t as single Targets, sorted by name. The slice must not be changed.
func (t Target) Each() []Target { return targets[t].each }

// Kinds returns the names of the kinds in t, sorted. The slice must not be changed.
func (t Target) Kinds() []string { return targets[t].kinds }

// String returns the kinds in t for people.
func (t Target) String() string { return targets[t].text }

// UnmarshalText reads ConfigMap, Secret, or both.
func (t *Target) UnmarshalText(text []byte) error {
	if *t = TargetOf(string(text)); *t != 0 {
		return nil
	}
	if string(text) != "both" {
		return fmt.Errorf("target %q: want ConfigMap, Secret, or both", text)
	}
	*t = AnyTarget
	return nil
}

// A Role says who reads or writes the object of a reference.
type Role uint8

const (
	// Consumer: the object is read.
	Consumer Role = iota
	// Producer: a controller writes the object, so its name is fixed.
	Producer
	// Both: the object is read if it exists, and created otherwise.
	Both
)

var roleNames = [...]string{"consumer", "producer", "both"}

// String returns the role as data files write it.
func (r Role) String() string { return roleNames[r] }

// UnmarshalText reads consumer, producer, or both.
func (r *Role) UnmarshalText(text []byte) error {
	return enumOf(r, text, len(roleNames))
}

// enumOf sets value to the one of the first n values of its type whose String is text.
func enumOf[T interface {
	~uint8
	fmt.Stringer
}](value *T, text []byte, n int) error {
	for i := range n {
		if T(i).String() == string(text) {
			*value = T(i)
			return nil
		}
	}
	return fmt.Errorf("%q is not a word of the catalogue", text)
}

// A Via is how the containers of a pod get the content of an object.
type Via string

// The ways.
const (
	// ViaReference: the object is only named, or the way is not known.
	ViaReference Via = "reference"
	// ViaEnv: a key is an environment variable.
	ViaEnv Via = "env"
	// ViaEnvFrom: every key is an environment variable.
	ViaEnvFrom Via = "envFrom"
	// ViaVolume: files that the kubelet keeps up to date.
	ViaVolume Via = "volume"
	// ViaSubPath: files that stay as they are, because a container mounts them by subPath, or because only init
	// containers mount them.
	ViaSubPath Via = "subPath"
	// ViaExtraSource: the annotation confighash.dev/extra-sources names the object, for mode Annotate only.
	ViaExtraSource Via = "extra-sources"
)

// via derives how containers get the content of a field's object from the keys of a pod spec in p.
func (p Path) via() Via {
	switch {
	case slices.Contains(p, "envFrom"):
		return ViaEnvFrom
	case slices.Contains(p, "env"):
		return ViaEnv
	case slices.ContainsFunc(p, func(s Segment) bool { return strings.HasSuffix(strings.ToLower(string(s)), "volumes") }):
		return ViaVolume
	}
	return ViaReference
}
