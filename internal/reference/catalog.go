package reference

import (
	"fmt"
	"slices"
	"strings"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/pkg/api/v1alpha1"
)

// Catalog returns the built-in catalogue with the functionConfig's additions. It fails if one is invalid.
func Catalog(spec *v1alpha1.Spec) (*catalog.Catalog, error) {
	var extra []catalog.Extra
	for i, r := range spec.References {
		for j, f := range r.FieldSpecs {
			rules, err := catalog.FieldSpec(catalog.TargetOf(string(r.Kind)), f.Path)
			if err != nil {
				return nil, fmt.Errorf("spec.references[%d].fieldSpecs[%d].path: %w", i, j, err)
			}
			extra = append(extra, catalog.Extra{Group: f.Group, Version: f.Version, Kind: f.Kind, References: rules})
		}
	}
	for i, t := range spec.PodTemplates {
		podSpec, err := catalog.ParsePath(t.Path + "/spec")
		if err != nil {
			return nil, fmt.Errorf("spec.podTemplates[%d].path: %w", i, err)
		}
		annotations := slices.Concat(podSpec[:len(podSpec)-1], catalog.Path{"metadata", "annotations"})
		extra = append(extra, catalog.Extra{Group: t.Group, Version: t.Version, Kind: t.Kind, PodTemplates: []catalog.TemplateRule{{
			Spec: podSpec, Annotations: annotations, Change: catalog.Rollout,
		}}})
	}
	extra = append(extra, reloaderKeys(spec)...)
	if extra == nil {
		return catalog.Builtin(), nil
	}
	return catalog.Builtin().With(extra...), nil
}

// reloaderKeys returns rules for Reloader's annotations that name objects, if its flags set other keys for them.
func reloaderKeys(spec *v1alpha1.Spec) []catalog.Extra {
	var extra []catalog.Extra
	for _, target := range catalog.AnyTarget.Each() {
		key := strings.ToLower(target.String()) + ".reloader.stakater.com/reload"
		used := spec.Reloader.AnnotationKeys[key]
		if spec.Policy != v1alpha1.PolicyReloader || used == "" || used == key {
			continue
		}
		extra = append(extra, catalog.Extra{References: []catalog.Rule{{
			Path:    catalog.Path{catalog.AnyDepth, "metadata", "annotations", catalog.Segment(used)},
			Targets: target, Formats: []*catalog.Format{catalog.Plain}, Separator: ",",
		}}})
	}
	return extra
}
