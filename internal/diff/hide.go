package diff

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"

	"go.yaml.in/yaml/v3"
)

// Hidden is the tag of the nodes that [Hide] makes.
const Hidden = "!hidden"

// Hide replaces each node of a manifest's tree that may hold a Secret's value with a scalar tagged Hidden. Equal nodes
// get equal values. The tree must not have aliases or merge keys.
func Hide(n *yaml.Node) {
	switch kind := kindOf(n); {
	case kind == "Secret", kind == "SecretList":
		eachSecret(n, 0, func(_ *yaml.Node, e entry) { HideNode(e.value) })
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

// HideNode turns n into a scalar tagged Hidden, whose value is a digest of n.
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
