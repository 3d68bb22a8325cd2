package graph

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/validate/content"
)

// CheckNamespace returns an error that says why a namespace given outside of manifests
// cannot be the name of one, nil if it can or if none is given.
func CheckNamespace(s string) error {
	if wrong := content.IsDNS1123Label(s); s != "" && len(wrong) > 0 {
		return fmt.Errorf("%q is not a namespace: %s", s, strings.Join(wrong, "; "))
	}
	return nil
}
