package usage

import (
	"cmp"
	"strings"

	"github.com/confighash/confighash/internal/catalog"
)

// Kind identifies a Graph in JSON.
const Kind = "Graph"

// A Graph holds who uses what in a set of manifests. Its lists are sorted. It holds no value of a ConfigMap or a
// Secret.
type Graph struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	// Workloads are the resources with a pod template, whether or not they use objects.
	Workloads []Node `json:"workloads"`
	// Readers are other resources that refer to an object and are not objects themselves.
	Readers []Node `json:"readers"`
	// Objects are the objects in the set, and those that something in it refers to.
	Objects []Object `json:"objects"`
	Edges   []Edge   `json:"edges"`
}

// A Node is a resource.
type Node struct {
	// ID identifies the node in Edges, for example "Deployment.apps shop/web".
	ID         string `json:"id"`
	APIVersion string `json:"apiVersion,omitempty"`
	// Kind is "ConfigMap or Secret" if it is unknown which.
	Kind string `json:"kind"`
	// Namespace is "" if the resource is cluster-scoped, or the namespace is unknown.
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
	// Place is the place of a resource without a name, for example "line 12".
	Place string `json:"place,omitempty"`
	// Context: the resource belongs to another build.
	Context bool `json:"context,omitempty"`
}

// String returns kind, namespace and name.
func (n *Node) String() string { return n.Kind + " " + n.path() }

func (n *Node) path() string {
	return strings.TrimPrefix(n.Namespace+"/"+cmp.Or(n.Name, "(no name, "+n.Place+")"), "/")
}

// An Object is a ConfigMap, a Secret or a stand-in for a Secret.
type Object struct {
	Node
	// Missing: it is not in the set, nothing there creates it, and it is not Known. Optional: every reference to it is
	// optional.
	Missing  bool `json:"missing,omitempty"`
	Optional bool `json:"optional,omitempty"`
	// Known: according to the catalogue, the cluster or a controller creates it or looks it up.
	Known bool `json:"known,omitempty"`
	// Unused: it is in the set, nothing there refers to it or creates it, and it is not Known.
	Unused bool `json:"unused,omitempty"`
	// Source is the name of the object whose keys it holds, if it is a part of another one, and SourceKeys the keys
	// that count for its name, null for all.
	Source     string   `json:"source,omitempty"`
	SourceKeys []string `json:"sourceKeys,omitempty"`
	// MadeBy are the resources of the set that create or write it.
	MadeBy []Node `json:"madeBy,omitempty"`
	// Makes are the Secrets made from a stand-in.
	Makes []Node `json:"makes,omitempty"`
}

// An Edge is one way in which a resource uses an object.
type Edge struct {
	// From is the ID of the user, To that of the object.
	From string      `json:"from"`
	To   string      `json:"to"`
	Via  catalog.Via `json:"via"`
	// Keys are the consumed keys, sorted; null means all.
	Keys []string `json:"keys"`
	// Consumed: the user's pods, or what a controller makes from it, get the content.
	Consumed bool `json:"consumed"`
	// Optional: the object may be absent.
	Optional bool `json:"optional,omitempty"`
}

// Ways returns all ways, in the order of edges between the same two nodes.
func Ways() []catalog.Via {
	return []catalog.Via{catalog.ViaEnv, catalog.ViaEnvFrom, catalog.ViaVolume, catalog.ViaSubPath, catalog.ViaExtraSource, catalog.ViaReference}
}
