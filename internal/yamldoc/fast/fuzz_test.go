package fast

import "testing"

// FuzzParser compares the parser's tree for any text with yaml.v3's.
func FuzzParser(f *testing.F) {
	for _, text := range documents(f) {
		if len(text) < 4096 {
			f.Add(text)
		}
	}
	for _, text := range samples {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var p Parser
		if check(t, &p, text) {
			check(t, &p, text) // reuses the memory
		}
	})
}
