package usage

import (
	"cmp"

	"github.com/confighash/confighash/internal/catalog"
)

// APIVersion and Kind are those of a Graph in JSON.
const (
	APIVersion = "confighash.dev/v1alpha1"
	Kind       = "Graph"
)

// A Graph says who uses what in a set of manifests. Its lists are sorted. It holds no
// value of a ConfigMap or a Secret.
type Graph struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	// Workloads are the resources with a pod template, used objects or not.
	Workloads []Node `json:"workloads"`
	// Readers are other resources that refer to an object, without objects.
	Readers []Node `json:"readers"`
	// Objects are those in the set, and those that something in it refers to.
	Objects []Object `json:"objects"`
	Edges   []Edge   `json:"edges"`
}

// A Node is a resource.
type Node struct {
	// ID is what Edges call the node, as in "Deployment.apps shop/web".
	ID         string `json:"id"`
	APIVersion string `json:"apiVersion,omitempty"`
	// Kind is "ConfigMap or Secret" if nothing says which it is.
	Kind string `json:"kind"`
	// Namespace is "" for a cluster-scoped resource, and if nothing says.
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
	// Place is where a resource without a name is, as in "line 12".
	Place string `json:"place,omitempty"`
	// Context: another build writes it.
	Context bool `json:"context,omitempty"`
}

// String returns kind, namespace and name.
func (n *Node) String() string { return n.Kind + " " + n.path() }

func (n *Node) path() string {
	path := cmp.Or(n.Name, "(no name, "+n.Place+")")
	if n.Namespace != "" {
		path = n.Namespace + "/" + path
	}
	return path
}

// An Object is a ConfigMap, a Secret, or what represents a Secret.
type Object struct {
	Node
	// Missing: it is neither in the set, nor made by what is, nor Known.
	// Optional: each reference to it allows that.
	Missing  bool `json:"missing,omitempty"`
	Optional bool `json:"optional,omitempty"`
	// Known: the catalogue says that the cluster or a controller makes it or looks for
	// it.
	Known bool `json:"known,omitempty"`
	// Unused: it is in the set, nothing there refers to it or makes it, and it is not
	// Known.
	Unused bool `json:"unused,omitempty"`
	// Source is the name of the object whose keys it holds for its users, if it is a part of
	// another one, and SourceKeys those that count for its name; without them, all do.
	Source     string   `json:"source,omitempty"`
	SourceKeys []string `json:"sourceKeys,omitempty"`
	// MadeBy are the resources of the set that make it, or write it.
	MadeBy []Node `json:"madeBy,omitempty"`
	// Makes are the Secrets that are made of what represents one.
	Makes []Node `json:"makes,omitempty"`
}

// An Edge is a way by which a resource uses an object.
type Edge struct {
	// From is the ID of the user, To that of the object.
	From string      `json:"from"`
	To   string      `json:"to"`
	Via  catalog.Via `json:"via"`
	// Keys are those that count, sorted; null means all.
	Keys []string `json:"keys"`
	// Consumed: the user's pods, or what a controller makes of it, get the content.
	Consumed bool `json:"consumed"`
	// Optional: the object may be absent.
	Optional bool `json:"optional,omitempty"`
}

// Ways are all ways, in the order in which edges between the same two are sorted.
func Ways() []catalog.Via {
	return []catalog.Via{catalog.ViaEnv, catalog.ViaEnvFrom, catalog.ViaVolume, catalog.ViaSubPath, catalog.ViaExtraSource, catalog.ViaReference}
}
