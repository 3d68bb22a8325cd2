package graph

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/validate/content"
)

// CheckNamespace returns an error that explains why a namespace given outside of manifests is not a valid name, nil if
// it is valid or empty.
func CheckNamespace(s string) error {
	if wrong := content.IsDNS1123Label(s); s != "" && len(wrong) > 0 {
		return fmt.Errorf("%q is not a namespace: %s", s, strings.Join(wrong, "; "))
	}
	return nil
}
