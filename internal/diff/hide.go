package diff

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"slices"

	"go.yaml.in/yaml/v3"
)

// Hidden is the tag of nodes that [Hide] made.
const Hidden = "!hidden"

// Hide replaces each node of a manifest's tree that may hold a Secret's value by a scalar
// with the tag Hidden. Two of them have the same value if the nodes had. The tree must
// have no aliases and no merge keys.
func Hide(n *yaml.Node) {
	kind, isManifest := "", false
	for _, e := range entries(n, 0) {
		switch e.key.Value {
		case "kind":
			kind = e.value.Value
		case "metadata", "data", "stringData":
			isManifest = true
		}
	}
	switch {
	case kind == "Secret" && isManifest, kind == "SecretList":
		hideSecret(n)
		return
	case n.Kind != yaml.MappingNode:
		for _, child := range n.Content {
			Hide(child)
		}
	}
	for _, e := range entries(n, 0) {
		if e.key.Value == "kubectl.kubernetes.io/last-applied-configuration" {
			HideNode(e.value)
		} else {
			Hide(e.value)
		}
	}
}

func hideSecret(n *yaml.Node) {
	for _, e := range entries(n, 0) {
		if e.key.Value == "metadata" && e.value.Kind == yaml.MappingNode {
			hideMetadata(e.value)
		} else if !slices.Contains(shown, e.key.Value) || e.value.Kind != yaml.ScalarNode {
			HideNode(e.value)
		}
	}
}

func hideMetadata(n *yaml.Node) {
	for _, e := range entries(n, 0) {
		switch e.key.Value {
		case "name", "namespace", "generateName", "labels":
		case "annotations":
			for _, a := range entries(e.value, 0) {
				if mayCopy(a.value) {
					HideNode(a.value)
				}
			}
		default:
			HideNode(e.value)
		}
	}
}

// HideNode makes n a scalar with the tag Hidden.
func HideNode(n *yaml.Node) {
	sum := sha256.New()
	digest(sum, n)
	*n = yaml.Node{Kind: yaml.ScalarNode, Tag: Hidden, Value: hex.EncodeToString(sum.Sum(nil))}
}

func digest(sum hash.Hash, n *yaml.Node) {
	fmt.Fprintf(sum, "%d %d %s %d %s", n.Kind, len(n.Tag), n.Tag, len(n.Value), n.Value)
	for _, child := range n.Content {
		digest(sum, child)
	}
	fmt.Fprint(sum, ".")
}
