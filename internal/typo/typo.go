// Package typo suggests corrections of mistyped words.
package typo

import "strings"

// most bounds how many letters may be missing, added or changed.
const most = 2

// Meant returns the known words nearest to word, ignoring case: those with a letter or two missing, added, changed or
// swapped, or that begin with it. It returns nil if none is near.
func Meant(word string, known []string) []string {
	var meant []string
	least := most
	for _, k := range known {
		switch d := distance(strings.ToLower(word), strings.ToLower(k)); {
		case d > least || 2*d >= len(k):
			continue
		case d < least:
			least, meant = d, nil
		}
		meant = append(meant, k)
	}
	return meant
}

// DidYouMean returns "; did you mean X?" for the words from [Meant], "" if there are none.
func DidYouMean(word string, known []string) string {
	if meant := Meant(word, known); meant != nil {
		return "; did you mean " + strings.Join(meant, " or ") + "?"
	}
	return ""
}

// distance counts the letters to add, remove, change, or swap with the next to turn a into b. It returns no more than
// most if b begins with a, and more than most, but not exactly, for words that are far apart.
func distance(a, b string) int {
	if len(a) > most && strings.HasPrefix(b, a) {
		return min(most, len(b)-len(a))
	}
	if max(len(a), len(b))-min(len(a), len(b)) > most {
		return most + 1
	}
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		for j := range rows[i] {
			switch {
			case i == 0 || j == 0:
				rows[i][j] = i + j
			case a[i-1] == b[j-1]:
				rows[i][j] = rows[i-1][j-1]
			default:
				rows[i][j] = 1 + min(rows[i-1][j], rows[i][j-1], rows[i-1][j-1])
				if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
					rows[i][j] = min(rows[i][j], 1+rows[i-2][j-2])
				}
			}
		}
	}
	return rows[len(a)][len(b)]
}
