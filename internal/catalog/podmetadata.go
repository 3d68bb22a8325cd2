package catalog

import (
	"slices"
	"strings"
)

// PodMetadata is the knowledge about labels and annotations of pod templates.
type PodMetadata struct {
	// Changes are the keys whose values charts change with each version.
	Changes struct {
		Labels      KeyPatterns `yaml:"labels"`
		Annotations KeyPatterns `yaml:"annotations"`
	} `yaml:"changes"`
	// Checksums are annotations by which a chart replaces pods when configuration changes.
	Checksums KeyPatterns `yaml:"checksums"`
	Selectors struct {
		// Fields hold selectors of pods. Not are fields within them, or of the same form, that select something else.
		Fields Segments `yaml:"fields"`
		Not    Segments `yaml:"not"`
		// Local are groups whose kinds, with a selector directly in the spec, select only pods of their own namespace.
		Local []string `yaml:"local"`
	} `yaml:"selectors"`
	// Read are programs that read labels or annotations of pods.
	Read []KeyReader `yaml:"read"`
}

// A KeyReader is a program that reads labels or annotations of pods.
type KeyReader struct {
	Keys KeyPatterns `yaml:"keys"`
	// By names the program.
	By string `yaml:"by"`
	// Source is documentation.
	Source string `yaml:"source"`
}

// KeyPatterns are keys of labels or annotations, in which * stands for any characters except a slash.
type KeyPatterns []string

// Match reports whether one of the patterns matches a key.
func (p KeyPatterns) Match(key string) bool {
	return slices.ContainsFunc(p, func(pattern string) bool {
		prefix, name, _ := strings.Cut(pattern, "/")
		keyPrefix, keyName, _ := strings.Cut(key, "/")
		return Segment(prefix).Matches(keyPrefix) && Segment(name).Matches(keyName) && strings.Contains(pattern, "/") == strings.Contains(key, "/")
	})
}

// Segments are keys of mappings, in which * stands for any characters.
type Segments []Segment

// Match reports whether one of them matches a key.
func (s Segments) Match(key string) bool {
	return slices.ContainsFunc(s, func(segment Segment) bool { return segment.Matches(key) })
}

// PodMetadata returns what is known of the labels and annotations of pod templates. It is
// shared and must not be changed.
func (c *Catalog) PodMetadata() *PodMetadata { return podMetadata() }

var podMetadata = readOnce[PodMetadata](podMetadataFile)

// Reader returns the program that reads a key of pods, nil if none is known.
func (m *PodMetadata) Reader(key string) *KeyReader {
	if i := slices.IndexFunc(m.Read, func(r KeyReader) bool { return r.Keys.Match(key) }); i >= 0 {
		return &m.Read[i]
	}
	return nil
}
