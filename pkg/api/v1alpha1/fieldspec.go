package v1alpha1

// A Gvk is a type of objects, or a rule for types: group, version and kind. It
// has the fields of kustomize's resid.Gvk (sigs.k8s.io/kustomize/kyaml
// v0.21.2), whose package brings the OpenAPI schema of Kubernetes along.
type Gvk struct {
	Group   string `json:"group,omitempty" yaml:"group,omitempty"`
	Version string `json:"version,omitempty" yaml:"version,omitempty"`
	Kind    string `json:"kind,omitempty" yaml:"kind,omitempty"`
}

// A FieldSpec is a field of a kind. It has the fields of kustomize's
// types.FieldSpec (sigs.k8s.io/kustomize/api v0.21.2). Empty parts of group,
// version and kind match any.
type FieldSpec struct {
	Gvk `json:",inline,omitempty" yaml:",inline,omitempty"`
	// Path separates its steps by slashes.
	Path string `json:"path,omitempty" yaml:"path,omitempty"`
	// CreateIfNotPresent is part of kustomize's syntax. It has no meaning here.
	CreateIfNotPresent bool `json:"create,omitempty" yaml:"create,omitempty"`
}
