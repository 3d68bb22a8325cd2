// Package graph holds the facts of all items of an input, and resolves their
// references to one another.
//
// A Resource is what remains of an item when its tree is gone: who it is, who
// it was earlier in a kustomize build, what it refers to and where that
// stands. A Graph finds the ConfigMap or Secret that a reference means.
package graph

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"reflect"
	"strings"
	"sync"

	"github.com/confighash/confighash/internal/yamldoc"

	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/edit"
	"github.com/confighash/confighash/internal/hash"
	"github.com/confighash/confighash/internal/kustomize"
	"github.com/confighash/confighash/internal/manifest"
	"github.com/confighash/confighash/internal/reference"
	"github.com/confighash/confighash/pkg/api/v1alpha1"
)

// A Resource is the facts of an item.
type Resource struct {
	// Chunk and Root say where the item stands.
	Chunk *manifest.Chunk
	Root  yamldoc.Path
	// Line is the line of the input on which the item begins.
	Line int

	APIVersion, Group, Version, Kind string
	// Namespace is the namespace as written: empty where there is none.
	Namespace string
	// Name is metadata.name, and NameAt where it stands.
	Name   string
	NameAt edit.Scalar
	// GenerateName tells that the apiserver will make the name.
	GenerateName bool
	// Labels and Annotations are those of the item itself.
	Labels, Annotations map[string]string

	// ClusterScoped tells a kind that belongs to no namespace, as the catalogue
	// or a CustomResourceDefinition in the input has it.
	ClusterScoped bool
	// ScopeUnknown tells an object without a namespace whose kind neither of
	// the two knows: it may belong to one or to none.
	ScopeUnknown bool
	// References are the item's references, in document order, and Edges what New
	// resolved them to, in the same order.
	References []reference.Reference
	Edges      []Edge
	// Mistaken are scalars that kustomize takes for references and that are none.
	Mistaken []edit.Scalar
	// Reads are names that its programs probably read objects by: those of pods,
	// and those that a ConfigMap holds for variables.
	Reads []reference.Read
	// Exports are values of the item that other items' references need.
	Exports map[string]string
	// PodTemplates are the places in the item that pods are made from.
	PodTemplates []PodTemplate
	// History is what kustomize's build annotations say.
	History kustomize.History

	Object
}

// An Object is what only ConfigMaps, Secrets and what represents Secrets have.
type Object struct {
	// Target is the bit of a ConfigMap or a Secret, 0 for other kinds.
	Target catalog.Target

	// Values are what it holds, sorted by key, and ValuesErr why that cannot be
	// said. They are read only if Builder.Values is set.
	Values    []hash.Value
	ValuesErr error
	// Undecoded are keys whose values ought to be base64 and are not.
	Undecoded []string
	// SOPS tells that the values are encrypted by SOPS.
	SOPS bool
	// StandsFor: a controller makes a Secret of the object. SecretLabels and
	// SecretAnnotations are those that the Secret gets.
	StandsFor                       bool
	SecretLabels, SecretAnnotations map[string]string

	// The following are of ConfigMaps and Secrets alone.

	// Type is a Secret's type.
	Type string
	// Keys are the keys of the object's data, sorted, and Bare those that no
	// message may tell, since they may be part of a value.
	Keys []string
	Bare map[string]bool
	// Mentions tells a Secret in whose values the name of an object may be: they
	// hold the word configmap or secret, or a path where operators mount ConfigMaps.
	Mentions bool
	// Content is what counts for the hash, and ContentErr why it cannot be
	// told. It is kept only where the content itself holds references,
	// whose rewriting changes it.
	Content *hash.Content
	// Suffix is the suffix of the content as it stands, and SuffixErr why
	// there is none.
	Suffix    string
	SuffixErr error
	// Base is the name less the suffix that an earlier run recorded, or that
	// kustomize's generators gave it.
	Base string
	// Immutable tells an object that says immutable: true.
	Immutable bool
	// Encrypted tells an object that SOPS encrypted in such a way that its
	// name must not change.
	Encrypted bool
}

// A PodTemplate is a place in an item that pods are made from.
type PodTemplate struct {
	reference.PodTemplate
	// Known is what the catalogue says of it, or else a rollout.
	Known *catalog.PodTemplate
	// Change is what follows when the template changes, and Reason why, where
	// the catalogue names one for this case.
	Change catalog.Change
	Reason string
	// Fix is how to have the pods replaced, if the catalogue names a way for this case,
	// and Minor are the changes that do something else in this case.
	Fix   string
	Minor []catalog.MinorChange
	// Runs tells that each run has pods of its own, which end with it.
	Runs bool
}

// String returns kind, namespace and name, as messages name a resource.
func (r *Resource) String() string { return r.Called("") }

// Called is String with another name, if that is not empty.
func (r *Resource) Called(name string) string {
	name = Clip(cmp.Or(name, r.Name))
	if name == "" {
		return Clip(r.Kind) + " without a name (" + r.Place() + ")"
	}
	if r.Namespace != "" {
		name = Clip(r.Namespace) + "/" + name
	}
	return Clip(r.Kind) + " " + name
}

// Names returns the name of the resource and those that it had earlier in the
// build.
func (r *Resource) Names() []string {
	names := []string{r.Name}
	for _, id := range r.History.Previous {
		names = append(names, id.Name)
	}
	return names
}

// Place says where the resource stands, for a person to find.
func (r *Resource) Place() string { return r.Chunk.At(r.Line) }

// Places says where two resources stand.
func Places(a, b *Resource) string {
	if first, second := a.Place(), b.Place(); !strings.HasPrefix(first, "line ") {
		return first + " and " + second
	}
	return fmt.Sprintf("lines %d and %d", a.Line, b.Line)
}

// Recorded returns the suffix that an earlier run appended, or "".
func (r *Resource) Recorded() string { return r.Annotations[v1alpha1.AnnotationHash] }

// Ignored reports whether the resource asks to be left alone.
func (r *Resource) Ignored() bool { return r.Annotations[v1alpha1.AnnotationIgnore] == "true" }

// Builder makes Resources of items. It is safe for concurrent use.
type Builder struct {
	Catalog *catalog.Catalog
	Finder  *reference.Finder
	// Values asks for what checksums need: Resource.Values in place of
	// Resource.Suffix.
	Values bool
	// Bases asks, with Values, for Resource.Base without a suffix that
	// kustomize's generators gave.
	Bases bool
	// Salt keys the suffixes.
	Salt string
	// FunctionConfig is the functionConfig, if any. kpt hands over the file
	// that it comes from as an item as well.
	FunctionConfig *yaml.Node

	own ownConfig
}

// An ownConfig is what is known of the functionConfig, where that is a ConfigMap.
type ownConfig struct {
	once    sync.Once
	fields  fields
	content hash.Content
	err     error
}

// Build returns the facts of the items of a chunk, without those that are
// passed over altogether. It has the signature that manifest.Parse wants.
func (b *Builder) Build(chunk *manifest.Chunk, items []manifest.Item) ([]*Resource, error) {
	resources := make([]*Resource, 0, len(items))
	for _, item := range items {
		r, err := b.build(chunk, item)
		if err != nil {
			return nil, err
		}
		if r != nil {
			resources = append(resources, r)
		}
	}
	return resources, nil
}

func (b *Builder) build(chunk *manifest.Chunk, item manifest.Item) (*Resource, error) {
	line := chunk.Line + max(item.Node.Line, 1) - 1
	r := &Resource{Chunk: chunk, Root: item.Root, Line: line}
	fields, err := readFields(item.Node, item.Shared)
	r.APIVersion, r.Kind, r.Name, r.Namespace = fields.apiVersion, fields.kind, fields.name, fields.namespace
	if err != nil {
		r.Kind = cmp.Or(r.Kind, "item")
		return nil, fmt.Errorf("%s: %s: %w", chunk.At(line), r, err)
	}
	if r.Kind == "" {
		return nil, fmt.Errorf("%s: kind is missing; every item must be a Kubernetes resource with apiVersion and kind", chunk.At(line))
	}
	if r.APIVersion == "" {
		return nil, fmt.Errorf("%s: %s: apiVersion is missing; every item must be a Kubernetes resource with apiVersion and kind", chunk.At(line), r)
	}
	if group, version, ok := strings.Cut(r.APIVersion, "/"); ok {
		r.Group, r.Version = group, version
	} else {
		r.Version = r.APIVersion
	}
	r.NameAt = fields.nameAt
	r.GenerateName = fields.generateName && r.Name == ""
	r.Labels, r.Annotations = fields.labels, fields.annotations
	if local, ok := r.Annotations["config.kubernetes.io/local-config"]; ok && local != "false" {
		return nil, nil //nolint:nilnil // nothing to tell of it, and no error
	}
	if b.Catalog.PassedOver(r.Group, r.Kind) || isFunctionConfig(r) || b.isOwnConfig(r, item.Node) {
		return nil, nil //nolint:nilnil // as above
	}
	if r.History, err = kustomize.HistoryOf(r.Annotations); err != nil {
		return nil, fmt.Errorf("%s: %w", r, err)
	}
	if r.Group == "" {
		switch r.Kind {
		case "ConfigMap":
			r.Target = catalog.ConfigMap
		case "Secret":
			r.Target = catalog.Secret
		}
	}
	kind, err := b.Catalog.Kind(r.Group, r.Version, r.Kind)
	if err != nil {
		return nil, err
	}
	if kind != nil {
		r.ClusterScoped = kind.ClusterScoped
	}
	if r.Namespace == "" {
		known, err := catalog.Builtin().Knows(r.Group, r.Version, r.Kind)
		if err != nil {
			return nil, err
		}
		r.ScopeUnknown = !known
	}
	found, err := b.Finder.Find(r.Group, r.Version, r.Kind, item.Node)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r, err)
	}
	r.References, r.Mistaken, r.Reads, r.Exports = found.References, found.Mistaken, found.Reads, found.Exports
	for _, t := range found.PodTemplates {
		known := &catalog.PodTemplate{Change: catalog.Rollout} // as far as its shape tells
		if t.Index >= 0 {
			known = &kind.PodTemplates[t.Index]
		}
		r.PodTemplates = append(r.PodTemplates, podTemplate(t, known, item.Node))
	}
	if item.Shared {
		for i := range r.References {
			r.References[i].At.Shared = true
			if at := r.References[i].NamespaceAt; at != nil {
				at.Shared = true
			}
		}
	}
	switch {
	case r.Target != 0:
		b.target(r, item.Node, fields)
	case kind != nil && kind.StandIn != nil:
		b.standIn(r, kind.StandIn, item.Node)
	}
	return r, nil
}

// podTemplate adds to a template what the catalogue says of a change.
func podTemplate(t reference.PodTemplate, known *catalog.PodTemplate, item *yaml.Node) PodTemplate {
	found := PodTemplate{PodTemplate: t, Known: known, Change: known.Change, Runs: known.Runs}
	for i := range known.Except {
		if except := &known.Except[i]; reference.Holds(except.When, item) {
			found.Change, found.Reason, found.Fix = except.Change, except.Reason, except.Fix
			break
		}
	}
	for _, minor := range known.Minor {
		if reference.Holds(minor.When, item) {
			found.Minor = append(found.Minor, minor)
		}
	}
	return found
}

// isFunctionConfig reports whether the item configures a function for
// kustomize, or an older kpt, to run, whatever its kind.
func isFunctionConfig(r *Resource) bool {
	for _, key := range []string{"config.kubernetes.io/function", "config.k8s.io/function"} {
		if _, ok := r.Annotations[key]; ok {
			return true
		}
	}
	return false
}

// isOwnConfig reports whether the item is the ConfigMap that configures this
// run: of the same name and content.
func (b *Builder) isOwnConfig(r *Resource, item *yaml.Node) bool {
	if b.FunctionConfig == nil || r.APIVersion != "v1" || r.Kind != "ConfigMap" {
		return false
	}
	own := &b.own
	own.once.Do(func() {
		if own.fields, own.err = readFields(b.FunctionConfig, false); own.err == nil {
			own.content, own.err = hash.ContentOf(r.Kind, b.FunctionConfig)
		}
	})
	if own.err != nil || own.fields.apiVersion != r.APIVersion || own.fields.kind != r.Kind || own.fields.name != r.Name || own.fields.namespace != r.Namespace {
		return false
	}
	content, err := hash.ContentOf(r.Kind, item)
	return err == nil && reflect.DeepEqual(content, own.content)
}

// target fills in what only ConfigMaps and Secrets have.
func (b *Builder) target(r *Resource, item *yaml.Node, fields fields) {
	r.Encrypted, r.Immutable, r.SOPS = fields.encrypted, fields.immutable, fields.sops
	r.Base = base(r.Name, r.Recorded())
	content, err := hash.ContentOf(r.Kind, item)
	if err != nil {
		r.SuffixErr, r.ValuesErr = err, err
		return
	}
	if content.Type != nil {
		r.Type = *content.Type
	}
	r.Keys, r.Bare = content.Keys(), content.Bare()
	r.Mentions = r.Target == catalog.Secret && !b.Values && mentions(content)
	if b.Values {
		r.Values, r.Undecoded = hash.ValuesOf(content, r.SOPS)
		if b.Bases && r.Base == r.Name && hash.Suffixed(r.Name) {
			suffix, _ := hash.Suffix(content, "") // what fails has none
			r.Base = without(r.Base, suffix)
		}
		return
	}
	if r.Suffix, err = hash.Suffix(content, b.Salt); err != nil {
		r.SuffixErr = err
		return
	}
	// What kustomize generated and hashed comes through a pipe with its suffix,
	// which is not to be followed by another.
	kustomizes := r.Suffix
	if b.Salt != "" {
		kustomizes, _ = hash.Suffix(content, "") // as it succeeded with the salt
	}
	r.Base = without(r.Base, kustomizes)
	for _, ref := range r.References {
		if InContent(ref.At.Path) {
			r.Content = &content
		}
	}
}

// mentions reports whether a Secret's values may name an object.
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

// without returns name less a suffix at its end.
func without(name, suffix string) string {
	if base, ok := strings.CutSuffix(name, "-"+suffix); ok && base != "" {
		return base
	}
	return name
}

// InContent reports whether path leads into what a ConfigMap's or Secret's
// hash counts.
func InContent(path yamldoc.Path) bool {
	s := string(path)
	return strings.HasPrefix(s, "data.") || strings.HasPrefix(s, "data[") ||
		strings.HasPrefix(s, "stringData.") || strings.HasPrefix(s, "stringData[")
}

// base returns name without the suffix recorded in it. Prefixes and suffixes
// may have come since, so the suffix is looked for from the end.
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

// Compare orders resources for people: by kind, namespace and name, then by
// place.
func Compare(a, b *Resource) int { return compare(a, b, a.Name, b.Name) }

// compare is Compare with other names.
func compare(a, b *Resource, nameOfA, nameOfB string) int {
	return cmp.Or(
		cmp.Compare(a.Kind, b.Kind),
		cmp.Compare(a.Namespace, b.Namespace),
		cmp.Compare(nameOfA, nameOfB),
		cmp.Compare(a.Line, b.Line),
	)
}
