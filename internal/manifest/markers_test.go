package manifest

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// The implementation does not look at every line, so it is compared with a search that does.
func TestMarkers_areAllFound(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	pieces := []string{"---", "...", "--- a", "----", "....", "a", " ---", "-", ".", "", "\r", "--- # c", "---\t"}
	for range 20_000 {
		var lines []string
		for range random.IntN(8) {
			lines = append(lines, pieces[random.IntN(len(pieces))])
		}
		text := []byte(strings.Join(lines, "\n"))
		var want []int
		for at := 0; at < len(text); at = lineEnd(text, at) {
			if isMarker(text[at:lineEnd(text, at)]) {
				want = append(want, at)
			}
		}
		if got := slices.Collect(markers(text)); !slices.Equal(got, want) {
			t.Fatalf("%q has markers at %d, found %d", text, want, got)
		}
	}
}
