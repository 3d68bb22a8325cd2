package usage

import "github.com/confighash/confighash/internal/catalog"

// APIVersion and Kind are those of a Graph in JSON.
const (
	APIVersion = "confighash.dev/v1alpha1"
	Kind       = "Graph"
)

// A Graph says who uses what in a set of manifests. Its lists are sorted, the same
// from run to run. It holds no value of a ConfigMap or a Secret.
type Graph struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	// Workloads are the resources with a pod template, those that use nothing
	// among them.
	Workloads []Node `json:"workloads"`
	// Readers are other resources that refer to an object: an Ingress, a
	// ServiceAccount. An object that refers to another one is in Objects alone.
	Readers []Node `json:"readers"`
	// Objects are the ConfigMaps, the Secrets and what represents Secrets: all that
	// are in the set, and those that something in it refers to.
	Objects []Object `json:"objects"`
	// Edges lead from a workload, a reader or an object to an object.
	Edges []Edge `json:"edges"`
}

// A Node is a resource.
type Node struct {
	// ID is what Edges call the node: its kind, with the group if it has one, its
	// namespace and its name, as in "Deployment.apps shop/web".
	ID         string `json:"id"`
	APIVersion string `json:"apiVersion,omitempty"`
	// Kind is "ConfigMap or Secret" of an object that is not in the set, if
	// nothing says which it is.
	Kind string `json:"kind"`
	// Namespace is where it will be applied. It is "" for a cluster-scoped resource,
	// and for an object that is not in the set, if nothing says.
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
	// Place is where a resource without a name is, as in "line 12".
	Place string `json:"place,omitempty"`
}

// String returns kind, namespace and name.
func (n *Node) String() string { return n.Kind + " " + n.path() }

func (n *Node) path() string {
	path := n.Name
	if path == "" {
		path = "(no name, " + n.Place + ")"
	}
	if n.Namespace != "" {
		path = n.Namespace + "/" + path
	}
	return path
}

// An Object is a ConfigMap, a Secret, or what represents a Secret.
type Object struct {
	Node
	// Missing: something refers to it, and it is not in the set, nothing in the set
	// makes it, and it is not Known. Optional: each such reference allows that.
	Missing  bool `json:"missing,omitempty"`
	Optional bool `json:"optional,omitempty"`
	// Known: its name, its type or its marks say that the cluster or a controller
	// makes it or looks for it, so that it need not be in the set, and nothing in
	// the set need refer to it.
	Known bool `json:"known,omitempty"`
	// Unused: it is in the set, nothing there refers to it or makes it, and it is
	// not Known.
	Unused bool `json:"unused,omitempty"`
	// MadeBy are the resources of the set that make it, or write it.
	MadeBy []Node `json:"madeBy,omitempty"`
	// Makes are the Secrets that are made of what represents one.
	Makes []Node `json:"makes,omitempty"`
}

// An Edge is a way by which a resource uses an object.
type Edge struct {
	// From is the ID of the user, To that of the object.
	From string `json:"from"`
	To   string `json:"to"`
	// Via is env, envFrom, volume, subPath, extra-sources or reference.
	Via catalog.Via `json:"via"`
	// Keys are those that count, sorted; null means all.
	Keys []string `json:"keys"`
	// Consumed: the containers of the user's pods get the content, or what a
	// controller makes of the user holds it.
	Consumed bool `json:"consumed"`
	// Optional: the object may be absent.
	Optional bool `json:"optional,omitempty"`
}

// Ways are all ways, in the order in which edges between the same two are sorted.
func Ways() []catalog.Via {
	return []catalog.Via{catalog.ViaEnv, catalog.ViaEnvFrom, catalog.ViaVolume, catalog.ViaSubPath, catalog.ViaExtraSource, catalog.ViaReference}
}
