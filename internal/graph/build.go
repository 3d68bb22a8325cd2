package graph

import (
	"cmp"
	"encoding/base64"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/hash"
	"github.com/confighash/confighash/internal/kustomize"
	"github.com/confighash/confighash/internal/manifest"
	"github.com/confighash/confighash/internal/reference"
	"github.com/confighash/confighash/pkg/api/v1alpha1"
)

// Builder makes Resources from items. It is safe for concurrent use.
type Builder struct {
	Catalog *catalog.Catalog
	Finder  *reference.Finder
	// Values makes Build fill Resource.Values, for checksums, in place of Resource.Suffix.
	Values bool
	// Parts makes Build fill Resource.Values in addition to Resource.Suffix.
	Parts bool
	// Bases, with Values, removes suffixes of kustomize's generators from Resource.Base.
	Bases bool
	// Salt is the key of the suffixes.
	Salt string
	// Versions treats earlier versions like other objects, not as Resource.Kept.
	Versions bool
	// Context says that the items are from other builds, where a list of names counts as the objects in it.
	Context bool
	// FunctionConfig is the functionConfig, if any. kpt passes its file as an item as well.
	FunctionConfig *yaml.Node
}

// Build returns the facts of the items of a chunk. It has the signature that manifest.Parse expects. It fails if a
// field that every resource has is invalid.
func (b *Builder) Build(chunk *manifest.Chunk, items []manifest.Item) ([]*Resource, error) {
	resources := make([]*Resource, 0, len(items))
	for _, item := range items {
		if b.Context {
			named, err := namesIn(chunk, item)
			if err != nil {
				return nil, err
			}
			resources = append(resources, named...)
		}
		r, err := b.build(chunk, item)
		if err != nil {
			return nil, err
		}
		resources = append(resources, r)
	}
	return resources, nil
}

func (b *Builder) build(chunk *manifest.Chunk, item manifest.Item) (*Resource, error) {
	r := &Resource{Chunk: chunk, Root: item.Root, Line: chunk.Line + max(item.Node.Line, 1) - 1, Context: b.Context}
	err := r.readFields(item.Node, item.Shared)
	if err := r.identify(err); err != nil {
		return nil, fmt.Errorf("%s: %w", r.Place(), err)
	}
	r.GenerateName = r.GenerateName && r.Name == ""
	if r.PassedOver = b.Catalog.PassedOver(r.Group, r.Kind) || isForTools(r) || b.isOwnConfig(r, item.Node); r.PassedOver {
		return r, nil
	}
	if r.History, err = kustomize.HistoryOf(r.Annotations); err != nil {
		return nil, fmt.Errorf("%s: %w", r, err)
	}
	if r.Group == "" {
		r.Target = catalog.TargetOf(r.Kind)
	}
	if r.Target == 0 {
		r.Encrypted, r.Immutable, r.SOPS = false, false, false
	}
	kind := b.Catalog.Kind(r.Group, r.Version, r.Kind)
	r.ClusterScoped = kind != nil && kind.ClusterScoped
	r.ScopeUnknown = r.Namespace == "" && !catalog.Builtin().Knows(r.Group, r.Version, r.Kind)
	if r.Found, err = b.Finder.Find(r.Group, r.Version, r.Kind, item.Node); err != nil {
		return nil, fmt.Errorf("%s: %w", r, err)
	}
	for i := range r.References {
		ref := &r.References[i]
		ref.At.Shared = ref.At.Shared || item.Shared
		if ref.NamespaceAt != nil {
			ref.NamespaceAt.Shared = ref.NamespaceAt.Shared || item.Shared
		}
	}
	switch {
	case r.Target != 0:
		b.target(r, item.Node)
	case r.IsJob():
		r.Base = base(r.Name, r.Recorded())
	case kind != nil && kind.StandIn != nil:
		b.standIn(r, kind.StandIn, item.Node)
	}
	return r, nil
}

// identify sets the fields that every resource must have. wrong is the error of reading them.
func (r *Resource) identify(wrong error) error {
	switch {
	case wrong != nil:
		r.Kind = cmp.Or(r.Kind, "item")
		return fmt.Errorf("%s: %w", r, wrong)
	case r.Kind == "":
		return errors.New("kind is missing; every item must be a Kubernetes resource with apiVersion and kind")
	case r.APIVersion == "":
		return fmt.Errorf("%s: apiVersion is missing; every item must be a Kubernetes resource with apiVersion and kind", r)
	}
	var found bool
	if r.Group, r.Version, found = strings.Cut(r.APIVersion, "/"); !found {
		r.Group, r.Version = "", r.APIVersion
	}
	return nil
}

// isForTools reports whether the item is not meant for the cluster: kpt's local configuration, or the configuration of
// a function that kustomize, or an older kpt, runs.
func isForTools(r *Resource) bool {
	local, given := r.Annotations["config.kubernetes.io/local-config"]
	_, isFunction := r.Annotations["config.kubernetes.io/function"]
	_, wasFunction := r.Annotations["config.k8s.io/function"]
	return given && local != "false" || isFunction || wasFunction
}

// isOwnConfig reports whether the item is the ConfigMap that configures this run, by name and content.
func (b *Builder) isOwnConfig(r *Resource, item *yaml.Node) bool {
	if b.FunctionConfig == nil || r.APIVersion != "v1" || r.Kind != "ConfigMap" {
		return false
	}
	var own Resource
	err := own.readFields(b.FunctionConfig, false)
	if err != nil || own.APIVersion != r.APIVersion || own.Kind != r.Kind || own.Name != r.Name || own.Namespace != r.Namespace {
		return false
	}
	config, err := hash.ContentOf(r.Kind, b.FunctionConfig)
	content, errOfItem := hash.ContentOf(r.Kind, item)
	return err == nil && errOfItem == nil && reflect.DeepEqual(content, config)
}

// target sets the fields that only ConfigMaps and Secrets have.
func (b *Builder) target(r *Resource, item *yaml.Node) {
	if _, superseded := r.Annotations[v1alpha1.AnnotationSuperseded]; superseded && !b.Versions {
		r.Kept = true
	}
	r.Base = base(r.Name, r.Recorded())
	if r.Base != r.Name {
		r.Part = r.Annotations[v1alpha1.AnnotationKeys]
	}
	content, err := hash.ContentOf(r.Kind, item)
	if err != nil {
		r.SuffixErr, r.ValuesErr = err, err
		if _, ok := errors.AsType[*hash.Unsubstituted](err); ok {
			r.Values, _ = hash.ValuesOf(content, true)
			for i := range r.Values {
				r.Values[i].Always = true // any key may come from the variable
			}
		}
		return
	}
	if content.Type != nil {
		r.Type = *content.Type
	}
	r.Keys, r.Bare, r.BinaryKeys = content.Keys()
	r.Mentions = r.Target == catalog.Secret && !b.Values && mentions(content)
	if b.Values || b.Parts || r.Part != "" {
		r.Values, r.Undecoded = hash.ValuesOf(content, r.SOPS)
	}
	if b.Values {
		if b.Bases && r.Base == r.Name && hash.Suffixed(r.Name) {
			r.Base = without(r.Base, hash.Suffix(content, ""))
		}
		return
	}
	if r.Part != "" {
		r.Suffix = hash.PartSuffix(r.Kind, r.Type, r.Part, r.Values, b.Salt)
		return
	}
	r.Suffix = hash.Suffix(content, b.Salt)
	// Through a pipe, an object that kustomize generated arrives with kustomize's suffix, and must not get another.
	kustomizes := r.Suffix
	if b.Salt != "" {
		kustomizes = hash.Suffix(content, "")
	}
	r.Base = without(r.Base, kustomizes)
	for _, ref := range r.References {
		if InContent(ref.At.Path) {
			r.Content = &content
		}
	}
}

func mentions(content hash.Content) bool {
	for _, f := range content.Fields {
		for _, e := range f.Entries {
			text := e.Value
			if f.Name == "data" {
				decoded, err := base64.StdEncoding.DecodeString(text)
				if err != nil {
					continue
				}
				text = string(decoded)
			}
			if reference.About(text) != 0 || strings.Contains(text, "/configs/") {
				return true
			}
		}
	}
	return false
}

func without(name, suffix string) string {
	if base, ok := strings.CutSuffix(name, "-"+suffix); ok && base != "" {
		return base
	}
	return name
}

// base returns name without the recorded suffix. Prefixes and suffixes may have been added since, so it searches from
// the end.
func base(name, recorded string) string {
	if len(recorded) != hash.Length {
		return name
	}
	i := strings.LastIndex(name, "-"+recorded)
	if i <= 0 {
		return name
	}
	return name[:i] + name[i+1+len(recorded):]
}
