package podtemplate

import (
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
)

// maxQuantity is the length up to which a quantity is parsed, with an exponent of up to
// maxExponent. Package resource computes powers of 10 of any size: 1e-999999999 takes
// minutes.
const (
	maxQuantity = 128
	maxExponent = len("e-999")
)

// parseQuantity parses a quantity. It returns false for what is not one, and for those
// that it would take too long to parse, which are compared as texts.
func parseQuantity(s string) (resource.Quantity, bool) {
	s = strings.TrimSpace(s)
	if e := strings.IndexAny(s, "eE"); len(s) > maxQuantity || e >= 0 && len(s)-e > maxExponent {
		return resource.Quantity{}, false
	}
	q, err := resource.ParseQuantity(s)
	return q, err == nil
}

func quantityText(s string, rounded bool) (string, bool) {
	q, ok := parseQuantity(s)
	if !ok {
		return s, false
	}
	if rounded {
		q.RoundUp(resource.Milli)
	}
	return q.String(), true
}

// sameQuantity reports whether two quantities in the form of quantityText are the
// same amount.
func sameQuantity(a, b string) bool {
	p, ok := parseQuantity(a)
	q, alsoOK := parseQuantity(b)
	return ok && alsoOK && p.Cmp(q) == 0
}
