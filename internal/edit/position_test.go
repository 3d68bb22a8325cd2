package edit

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// TestOffset_countsCharactersOfLongLines compares each offset with a count from the line's start, forwards and
// backwards.
func TestOffset_countsCharactersOfLongLines(t *testing.T) {
	long := strings.Repeat("aé漢🙂", 2000)
	txt := &Text{bytes: []byte("first\n" + long + "\nlast")}
	at := len("first\n")
	columns := utf8.RuneCountInString(long) + 1
	back := &Text{bytes: txt.bytes}
	wantBack := len("first\n" + long)
	for column := 1; column <= columns; column++ {
		got, ok := txt.Offset(2, column)
		if !ok || got != at {
			t.Fatalf("column %d: got %d, %t, want %d", column, got, ok, at)
		}
		got, ok = back.Offset(2, columns-column+1)
		if !ok || got != wantBack {
			t.Fatalf("column %d, coming back: got %d, %t, want %d", columns-column+1, got, ok, wantBack)
		}
		_, size := utf8.DecodeLastRune(txt.bytes[:wantBack])
		wantBack -= size
		_, size = utf8.DecodeRune(txt.bytes[at:])
		at += size
	}
	for _, beyond := range [][2]int{{3, 6}, {3, 5000}, {4, 1}, {0, 1}, {1, 0}} {
		if at, ok := txt.Offset(beyond[0], beyond[1]); ok {
			t.Errorf("line %d, column %d is said to be at %d", beyond[0], beyond[1], at)
		}
	}
}
