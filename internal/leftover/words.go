package leftover

import (
	"iter"
	"regexp"
	"strings"

	"github.com/confighash/confighash/internal/catalog"
)

// words yields where the words of text begin and end. The last dots of a word are left
// out: they may end a sentence.
func words[T string | []byte](text T) iter.Seq2[int, int] {
	return func(yield func(start, end int) bool) {
		for at := 0; at < len(text); {
			for at < len(text) && !isWord(text[at]) {
				at++
			}
			start := at
			for at < len(text) && isWord(text[at]) {
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

// isWord reports whether c can be part of a name, or of a longer word.
func isWord(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' ||
		c == '-' || c == '.' || c == '_' || c >= 0x80
}

// folder returns the word between the slash with which before ends and whatever
// precedes it, and what precedes it. It reports false if before does not end with a
// slash.
func folder(before string) (rest, word string, ok bool) {
	before, ok = strings.CutSuffix(before, "/")
	start := len(before)
	for ok && start > 0 && isWord(before[start-1]) {
		start--
	}
	return before[:start], before[start:], ok
}

// argument returns what is right before a name: a flag, a key, the first part of
// configmap/name.
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

// aboutInSecret returns the kinds that a name after before can have in the content of a
// Secret. After the word secret alone there is probably a secret.
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

// isTools reports whether an annotation belongs to a tool that handles manifests. Its
// value has files and earlier names.
func isTools(key string) bool {
	domain, _, _ := strings.Cut(key, "/")
	switch domain {
	case "confighash.dev", "kubectl.kubernetes.io":
		return true
	}
	return strings.HasSuffix(domain, "config.kubernetes.io") || strings.HasSuffix(domain, "config.k8s.io") ||
		strings.HasSuffix(domain, "kpt.dev")
}
