package leftover

import (
	"iter"
	"regexp"
	"strings"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/hash"
)

// words yields the start and end of each word in text. Trailing dots are left out, as they may end a sentence.
func words[T string | []byte](text T) iter.Seq2[int, int] {
	return func(yield func(start, end int) bool) {
		for at := 0; at < len(text); {
			for at < len(text) && !isWord[text[at]] {
				at++
			}
			start := at
			for at < len(text) && isWord[text[at]] {
				at++
			}
			end := at
			for end > start && text[end-1] == '.' {
				end--
			}
			if end > start && !yield(start, end) {
				return
			}
		}
	}
}

// isWord has the bytes that can be part of a name or of a longer word.
var isWord = func() (is [256]bool) {
	for c := range is {
		is[c] = c >= 0x80 || strings.IndexByte("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._", byte(c)) >= 0
	}
	return is
}()

// A filter is a set of names, hashed by length and some of the bytes, which quickly rules out most other words.
type filter [1 << 10]uint64

func (f *filter) add(name string) {
	slot, bit := place(name)
	f[slot] |= bit
}

// mayHave reports whether word, with or without a suffix, may be one of the names.
func mayHave[T string | []byte](f *filter, word T) bool {
	if slot, bit := place(word); f[slot]&bit != 0 {
		return true
	}
	dash := len(word) - 1 - hash.Length
	if dash <= 0 || word[dash] != '-' {
		return false
	}
	slot, bit := place(word[:dash])
	return f[slot]&bit != 0
}

func place[T string | []byte](name T) (slot uint, bit uint64) {
	sum := uint(len(name))
	for i := len(name) - 1; i >= 0; i -= 1 + len(name)/4 {
		sum = sum*31 + uint(name[i])
	}
	return sum / 64 % uint(len(filter{})), 1 << (sum % 64)
}

// folder splits before at the last word in front of a trailing slash. It returns false if before does not end with a
// slash.
func folder(before string) (rest, word string, ok bool) {
	before, ok = strings.CutSuffix(before, "/")
	start := len(before)
	for ok && start > 0 && isWord[before[start-1]] {
		start--
	}
	return before[:start], before[start:], ok
}

// argument returns what directly precedes a name: a flag, a key, or the first part of configmap/name.
func argument(before string) string {
	const most = 60
	before = before[max(0, len(before)-most):]
	trimmed := strings.TrimRight(before, " \t\n:=\"'")
	return trimmed[strings.LastIndexAny(trimmed, " \t\n,;")+1:]
}

// victoriaMetrics is where the operator of VictoriaMetrics mounts ConfigMaps.
const victoriaMetrics = "/etc/vm/configs/"

var (
	configMapWord = regexp.MustCompile(`(?i)config[-_]?map`)
	secretWord    = regexp.MustCompile(`(?i)secret[-_]?(?:name|ref)`)
)

// aboutInSecret returns the kinds that a name after before can have in the content of a Secret. The word secret alone
// does not count, because a secret probably follows it.
func aboutInSecret(before string) catalog.Target {
	_, word, _ := folder(before)
	switch strings.ToLower(word) {
	case "configmap", "configmaps":
		return catalog.ConfigMap
	case "secret", "secrets":
		return catalog.Secret
	}
	argument := argument(before)
	switch {
	case strings.HasSuffix(before, victoriaMetrics), configMapWord.MatchString(argument):
		return catalog.ConfigMap
	case secretWord.MatchString(argument):
		return catalog.Secret
	}
	return 0
}

// isTools reports whether an annotation belongs to a tool that handles manifests. Such annotations contain files and
// earlier names.
func isTools(key string) bool {
	domain, _, _ := strings.Cut(key, "/")
	switch domain {
	case "confighash.dev", "kubectl.kubernetes.io":
		return true
	}
	return strings.HasSuffix(domain, "config.kubernetes.io") || strings.HasSuffix(domain, "config.k8s.io") ||
		strings.HasSuffix(domain, "kpt.dev")
}
