package podtemplate

import (
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// A format is how a quantity was written, and is stored again.
type format uint8

const (
	decimalSI       format = iota // 500m, 1k
	decimalExponent               // 1e3
	binarySI                      // 1Ki
)

// Suffixes, by how many thousands, from a thousand millionth on, and by how many times
// 1024 they stand for.
var (
	decimalSuffixes = [...]string{"n", "u", "m", "", "k", "M", "G", "T", "P", "E"}
	binarySuffixes  = [...]string{"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"}
)

// decimalSuffix returns the suffix for an exponent of 10. Beyond the last there is
// none, in apimachinery too: 1000E is stored as 1.
func decimalSuffix(exponent int32) string {
	if i := exponent/3 + 3; 0 <= i && int(i) < len(decimalSuffixes) {
		return decimalSuffixes[i]
	}
	return ""
}

// nano is the exponent of the smallest part of a quantity that is kept, milli the
// one that is kept of resources.
const (
	nano  = -9
	milli = -3
)

// An amount is unscaled * 10^exponent.
type amount struct {
	unscaled *big.Int
	exponent int32
}

// quantityText returns a quantity as the API server stores it, which is to the
// letter what k8s.io/apimachinery/pkg/api/resource makes of it. It reports false for
// what is none.
func quantityText(s string, rounded bool) (string, bool) {
	s = strings.TrimSpace(s)
	p, ok := parseQuantity(s)
	if !ok {
		return s, false
	}
	value, exponent, isSmall := p.small()
	if !isSmall && p.bare {
		return s, false
	}
	if isSmall {
		// As written, where that is one of the forms it might be stored in.
		asWritten := exponent%3 == 0 && !strings.HasSuffix(p.digits, "000") && p.digits[0] != '0'
		if p.format == binarySI {
			asWritten = value&7 != 0 && p.whole()
		}
		if asWritten && (!rounded || exponent >= milli) {
			return s, true
		}
		if p.format == binarySI && !p.negative && value > 0 {
			return smallBinaryText(value << p.exponent), true
		}
	}
	a := p.amount()
	if rounded {
		a = a.roundUp(milli)
	}
	return a.text(p.format), true
}

// sameQuantity reports whether two quantities in the form of quantityText are the
// same amount.
func sameQuantity(a, b string) bool {
	p, ok := parseQuantity(a)
	q, alsoOK := parseQuantity(b)
	if !ok || !alsoOK {
		return a == b
	}
	x, y := p.amount(), q.amount()
	x.strip()
	y.strip()
	return x.unscaled.Cmp(y.unscaled) == 0 && (x.exponent == y.exponent || x.unscaled.Sign() == 0)
}

// A parsed is a quantity taken apart.
type parsed struct {
	negative bool
	bare     bool   // a suffix alone, which apimachinery takes for 0 where it is small
	digits   string // without zeros in front, and without the point
	fraction int    // how many of the digits stand behind the point
	exponent int32  // of 10, or of 2 if the format is binarySI
	format   format
}

// whole reports whether p has no point in it.
func (p *parsed) whole() bool { return p.fraction == 0 }

// parseQuantity takes a quantity apart.
func parseQuantity(s string) (p parsed, ok bool) {
	if s == "" {
		return p, false
	}
	rest := s
	if rest[0] == '-' || rest[0] == '+' {
		p.negative = rest[0] == '-'
		rest = rest[1:]
	}
	zeros := len(rest)
	rest = strings.TrimLeft(rest, "0")
	zeros -= len(rest)
	whole := digits(rest)
	p.digits = rest[:whole]
	if whole == 0 {
		p.digits = "0"
	}
	rest = rest[whole:]
	if strings.HasPrefix(rest, ".") {
		p.fraction = digits(rest[1:])
		p.digits += rest[1 : 1+p.fraction]
		rest = rest[1+p.fraction:]
	}
	p.bare = zeros+whole+p.fraction == 0
	p.exponent, p.format, ok = parseSuffix(rest)
	return p, ok
}

func parseSuffix(s string) (exponent int32, f format, ok bool) {
	if s == "" {
		return 0, decimalSI, true
	}
	if i := slices.Index(decimalSuffixes[:], s); i >= 0 {
		return int32(i)*3 + nano, decimalSI, true //nolint:gosec // there are ten
	}
	if i := slices.Index(binarySuffixes[:], s); i >= 0 {
		return int32(i) * 10, binarySI, true //nolint:gosec // there are seven
	}
	if len(s) < 2 || s[0] != 'e' && s[0] != 'E' {
		return 0, 0, false
	}
	e, err := strconv.ParseInt(s[1:], 10, 64)
	return int32(e), decimalExponent, err == nil //nolint:gosec // cut off in apimachinery too
}

// small returns p where apimachinery holds it in 64 bits, which decides whether it
// keeps the text.
func (p *parsed) small() (value int64, exponent int32, ok bool) {
	length := len(p.digits)
	if p.format == binarySI {
		if !p.whole() || length+int(float32(p.exponent)*3/10) > 14 {
			return 0, 0, false
		}
		value, err := strconv.ParseInt(p.digits, 10, 64)
		return value, 0, err == nil && (value == 0 || value<<p.exponent>>p.exponent == value && value<<p.exponent > 0)
	}
	exponent = p.exponent - int32(p.fraction) //nolint:gosec // at most the length of a text
	if length > 18 || exponent < nano {
		return 0, 0, false
	}
	value, err := strconv.ParseInt(p.digits, 10, 64)
	return value, exponent, err == nil
}

// maxBinary is what a binary quantity is cut down to.
var maxBinary = big.NewInt(math.MaxInt64)

// amount returns what p stands for, to the nano.
func (p *parsed) amount() amount {
	unscaled, ok := new(big.Int).SetString(p.digits, 10)
	if !ok || unscaled.Sign() == 0 {
		return amount{new(big.Int), 0}
	}
	a := amount{unscaled, -int32(p.fraction)} //nolint:gosec // at most the length of a text
	if p.format == binarySI {
		unscaled.Lsh(unscaled, uint(p.exponent)) //nolint:gosec // one of binarySuffixes'
	} else {
		a.exponent += p.exponent
	}
	a = a.roundUp(nano)
	if p.format == binarySI && a.exponent <= 0 && a.whole().Cmp(maxBinary) >= 0 {
		a = amount{new(big.Int).Set(maxBinary), 0}
	}
	if p.negative {
		a.unscaled.Neg(a.unscaled)
	}
	return a
}

// whole returns the part of a in front of the point; a has no positive exponent.
func (a amount) whole() *big.Int {
	return new(big.Int).Quo(a.unscaled, power10(-a.exponent))
}

func power10(exponent int32) *big.Int {
	return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(exponent)), nil)
}

// roundUp rounds away from zero to a multiple of 10^exponent.
func (a amount) roundUp(exponent int32) amount {
	if a.exponent >= exponent || a.unscaled.Sign() == 0 {
		return a
	}
	sign := int64(a.unscaled.Sign())
	if less := int64(exponent) - int64(a.exponent); less > int64(len(a.unscaled.String())) {
		// Far below: do not raise 10 to what a text of a few bytes asks for.
		return amount{big.NewInt(sign), exponent}
	}
	quotient, rest := new(big.Int).QuoRem(a.unscaled, power10(exponent-a.exponent), new(big.Int))
	if rest.Sign() != 0 {
		quotient.Add(quotient, big.NewInt(sign))
	}
	return amount{quotient, exponent}
}

// strip moves factors of 10 into the exponent.
func (a *amount) strip() {
	ten, quotient, rest := big.NewInt(10), new(big.Int), new(big.Int)
	for a.unscaled.Sign() != 0 {
		quotient.QuoRem(a.unscaled, ten, rest)
		if rest.Sign() != 0 {
			return
		}
		a.unscaled, quotient = quotient, a.unscaled
		a.exponent++
	}
}

// text writes a in a format.
func (a amount) text(f format) string {
	if a.unscaled.Sign() == 0 {
		return "0"
	}
	a.strip()
	if f == binarySI && a.exponent >= 0 {
		value := new(big.Int).Mul(a.unscaled, power10(a.exponent))
		if value.CmpAbs(big.NewInt(1024)) >= 0 {
			return binaryText(value)
		}
	}
	if f == binarySI {
		f = decimalSI
	}
	exponent := a.exponent
	unscaled := a.unscaled
	for exponent%3 != 0 {
		unscaled = new(big.Int).Mul(unscaled, big.NewInt(10))
		exponent--
	}
	number := unscaled.String()
	if f == decimalSI {
		return number + decimalSuffix(exponent)
	}
	if exponent == 0 {
		return number
	}
	return number + "e" + strconv.Itoa(int(exponent))
}

// smallBinaryText writes an amount of 64 bits that is a whole number, in the binary
// format.
func smallBinaryText(value int64) string {
	times := 0
	for value%1024 == 0 && times < len(binarySuffixes)-1 {
		value /= 1024
		times++
	}
	if times == 0 && value < 1024 {
		return amount{big.NewInt(value), 0}.text(decimalSI)
	}
	return strconv.FormatInt(value, 10) + binarySuffixes[times]
}

func binaryText(value *big.Int) string {
	k, quotient, rest := big.NewInt(1024), new(big.Int), new(big.Int)
	times := 0
	for times < len(binarySuffixes)-1 {
		quotient.QuoRem(value, k, rest)
		if rest.Sign() != 0 {
			break
		}
		value, quotient = quotient, value
		times++
	}
	return value.String() + binarySuffixes[times]
}
