package edit

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// TestOffset_countsCharactersOfLongLines compares the way by marks with
// counting from the line's start.
func TestOffset_countsCharactersOfLongLines(t *testing.T) {
	long := strings.Repeat("aé漢🙂", 2000)
	txt := &text{bytes: []byte("first\n" + long + "\nlast")}
	at := len("first\n")
	for column := 1; column <= utf8.RuneCountInString(long)+1; column++ {
		got, ok := txt.offset(2, column)
		if !ok || got != at {
			t.Fatalf("column %d: got %d, %t, want %d", column, got, ok, at)
		}
		_, size := utf8.DecodeRune(txt.bytes[at:])
		at += size
	}
	for _, beyond := range [][2]int{{3, 6}, {3, 5000}, {4, 1}, {0, 1}, {1, 0}} {
		if at, ok := txt.offset(beyond[0], beyond[1]); ok {
			t.Errorf("line %d, column %d is said to be at %d", beyond[0], beyond[1], at)
		}
	}
}
