package catalog

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// A Catalog answers questions about kinds. It is safe for concurrent use.
type Catalog struct {
	extra []Extra

	mu         sync.Mutex
	kinds      map[gvk]*Kind
	said       map[string]*Kind // by the documents and extras that define it
	everywhere *Kind
	shapes     *Shapes
	files      map[string][]document
	subtrees   map[string][]Entry
}

type gvk struct{ group, version, kind string }

// Extra is a user's addition to the catalogue. An empty Group, Version or Kind matches all.
type Extra struct {
	Group, Version, Kind string
	References           []Rule
	PodTemplates         []TemplateRule
}

// Builtin returns the catalogue of the data files, which are parsed on demand.
var Builtin = sync.OnceValue(func() *Catalog { return newCatalog(nil) })

// With returns a catalogue with the content of c and extra.
func (c *Catalog) With(extra ...Extra) *Catalog {
	return newCatalog(slices.Concat(c.extra, extra))
}

func newCatalog(extra []Extra) *Catalog {
	return &Catalog{
		extra:    extra,
		kinds:    map[gvk]*Kind{},
		said:     map[string]*Kind{},
		files:    map[string][]document{},
		subtrees: map[string][]Entry{},
	}
}

// maxRemembered bounds how many kinds are cached by name; no build has nearly as many.
const maxRemembered = 4096

// Kind returns what is known about a kind, nil if that is no more than Any. Kinds with the same data share one Kind.
func (c *Catalog) Kind(group, version, kind string) *Kind {
	c.mu.Lock()
	defer c.mu.Unlock()
	if cached, ok := c.kinds[gvk{group, version, kind}]; ok {
		return cached
	}
	found := c.kind(group, version, kind)
	if len(c.kinds) < maxRemembered {
		// The names may be slices of the input, which the catalogue outlives.
		c.kinds[gvk{strings.Clone(group), strings.Clone(version), strings.Clone(kind)}] = found
	}
	return found
}

// kind is Kind without the cache.
func (c *Catalog) kind(group, version, kind string) *Kind {
	var found []document
	var extra []Extra
	var key []byte // identifies the documents and extras
	for _, file := range c.groupFiles(group) {
		for i, d := range c.documents(file) {
			if slices.Contains(d.names, kind) || slices.Contains(d.names, "*") {
				key = fmt.Appendf(key, "%s %d,", file, i)
				found = append(found, d)
			}
		}
	}
	for i, e := range c.extra {
		if cmp.Or(e.Group, group) == group && cmp.Or(e.Version, version) == version && cmp.Or(e.Kind, kind) == kind {
			key = fmt.Appendf(key, "%d,", i)
			extra = append(extra, e)
		}
	}
	if key == nil {
		return nil
	}
	if said, ok := c.said[string(key)]; ok {
		return said
	}
	k := &Kind{}
	for _, d := range found {
		c.add(k, d)
	}
	for _, e := range extra {
		for _, t := range e.PodTemplates {
			c.addTemplate(k, t, expansion{})
		}
		k.References = append(k.References, e.References...)
	}
	c.said[string(key)] = k
	return k
}

// Any returns what holds for every kind.
func (c *Catalog) Any() *Kind {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.everywhere == nil {
		c.everywhere = &Kind{}
		for _, d := range c.documents(anyFile) {
			c.add(c.everywhere, d)
		}
	}
	return c.everywhere
}

// StandInKinds returns the kinds whose objects represent Secrets, sorted.
func (c *Catalog) StandInKinds() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var kinds []string
	for _, d := range slices.Concat(slices.Collect(maps.Values(c.allDocuments()))...) {
		if strings.Contains(d.text, "\nstandIn:") {
			kinds = append(kinds, d.names...)
		}
	}
	slices.Sort(kinds)
	return slices.Compact(kinds)
}

// FieldSpec returns the rules for a path in the syntax of kustomize's nameReference. The field holds a name, or a
// mapping with a name and optionally a namespace. The object it names counts as consumed.
func FieldSpec(target Target, path string) ([]Rule, error) {
	field, err := ParsePath(path)
	if err != nil {
		return nil, err
	}
	plain := Rule{Path: field, Targets: target, Formats: []*Format{Plain}, Consumed: true, Via: field.via()}
	inside := plain
	inside.Path = field.join(Path{"name"})
	inside.Namespace = &Relative{Path: Path{"namespace"}}
	return []Rule{plain, inside}, nil
}
