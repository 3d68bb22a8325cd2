// Package kubename checks names that users give outside of manifests.
package kubename

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/validate/content"
)

// CheckNamespace returns an error that says why s cannot be the name of a
// namespace, nil if it can.
func CheckNamespace(s string) error {
	if wrong := content.IsDNS1123Label(s); len(wrong) > 0 {
		return fmt.Errorf("%q is not a namespace: %s", s, strings.Join(wrong, "; "))
	}
	return nil
}
