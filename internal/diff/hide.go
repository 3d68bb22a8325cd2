package diff

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"

	"go.yaml.in/yaml/v3"
)

// Hidden is the tag of nodes that [Hide] made.
const Hidden = "!hidden"

// Hide replaces each node of a manifest's tree that may hold a Secret's value by a scalar
// with the tag Hidden. Two of them have the same value if the nodes had. The tree must
// have no aliases and no merge keys.
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
