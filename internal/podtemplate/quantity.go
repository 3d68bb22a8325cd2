package podtemplate

import (
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
)

// maxQuantity bounds the length of a quantity that is parsed, and maxExponent the length of its exponent. Package
// resource computes powers of 10 of any size: 1e-999999999 takes minutes.
const (
	maxQuantity = 128
	maxExponent = len("e-999")
)

// parseQuantity parses a quantity. It returns false if it is invalid or would take too long to parse; such quantities
// are compared as texts.
func parseQuantity(s string) (resource.Quantity, bool) {
	s = strings.TrimSpace(s)
	if e := strings.IndexAny(s, "eE"); len(s) > maxQuantity || e >= 0 && len(s)-e > maxExponent {
		return resource.Quantity{}, false
	}
	q, err := resource.ParseQuantity(s)
	return q, err == nil
}

// sameQuantity reports whether two quantities have the same value.
func sameQuantity(a, b string) bool {
	p, ok := parseQuantity(a)
	q, alsoOK := parseQuantity(b)
	return ok && alsoOK && p.Cmp(q) == 0
}
