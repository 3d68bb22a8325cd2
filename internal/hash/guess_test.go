package hash

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"
)

// guess finds the value of a Secret's only key from its suffix, as anyone could who sees the object's name. For each
// guess it computes the input of kustomize's hash.
type guess struct {
	before, after string
	text          []byte
}

func newGuess(key string) *guess {
	return &guess{
		before: `{"data":{"` + key + `":"`, after: `"},"kind":"Secret","name":"","type":""}`,
	}
}

// fits compares the first five bytes of value's hash with wanted, the hash before its letters are replaced.
func (g *guess) fits(value string, wanted [Length / 2]byte) bool {
	g.text = append(g.text[:0], g.before...)
	g.text = base64.StdEncoding.AppendEncode(g.text, []byte(value))
	g.text = append(g.text, g.after...)
	sum := sha256.Sum256(g.text)
	return [Length / 2]byte(sum[:]) == wanted
}

// wanted returns the bytes that a suffix stands for: all of its 40 bits.
func wanted(t testing.TB, suffix string) (bytes [Length / 2]byte) {
	t.Helper()
	digits := strings.NewReplacer("g", "0", "h", "1", "k", "3", "m", "a", "t", "e").Replace(suffix)
	decoded, err := hex.DecodeString(digits)
	if err != nil {
		t.Fatal(err)
	}
	return [Length / 2]byte(decoded)
}

func pin(t testing.TB, salt string) string {
	t.Helper()
	encoded := base64.StdEncoding.EncodeToString([]byte("4711"))
	return Suffix(Content{Kind: "Secret", Fields: []Field{{Name: "data", Entries: []Entry{{Key: "pin", Value: encoded}}}}}, salt)
}

func TestSuffix_givesAwayAShortSecretWithoutASalt(t *testing.T) {
	for salt, want := range map[string]string{"": "4711", "grains": ""} {
		suffix, found := wanted(t, pin(t, salt)), ""
		g := newGuess("pin")
		for n := range 10_000 {
			if value := fmt.Sprintf("%04d", n); g.fits(value, suffix) {
				found += value
			}
		}
		if found != want {
			t.Errorf("with the salt %q, guessing finds %q, want %q", salt, found, want)
		}
	}
}

// docs/secrets.md has the number of guesses per second from this benchmark.
func BenchmarkGuess(b *testing.B) {
	suffix, g := wanted(b, pin(b, "")), newGuess("pin")
	value := []byte("aaaaaaaa")
	for b.Loop() {
		for i := range value { // the next guess
			if value[i]++; value[i] <= 'z' {
				break
			}
			value[i] = 'a'
		}
		if g.fits(string(value), suffix) {
			b.Fatal("a guess was right")
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "guesses/s")
}
