package catalog

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// The subtrees of every pod template.
const (
	podSpecSubtree        = "podSpec"
	podAnnotationsSubtree = "podAnnotations"
)

// A rawKind is a Kind in the form of the data files.
type rawKind struct {
	Kinds     []string `yaml:"kinds"`
	Immutable *struct {
		Paths  []Path `yaml:"paths"`
		Reason string `yaml:"reason"`
	} `yaml:"immutable"`
	PodTemplates []rawTemplate `yaml:"podTemplates"`
	References   []Entry       `yaml:"references"`
	Kind         `yaml:",inline"`
	Note         string `yaml:"note"`
	Source       string `yaml:"source"`
}

type rawTemplate struct {
	TemplateRule `yaml:",inline"`
	// Path leads to a whole template. Spec and Annotations are below it unless they give their own paths.
	Path      *Path  `yaml:"path"`
	Kustomize bool   `yaml:"kustomize"`
	Source    string `yaml:"source"`
}

// An Entry is a reference in the form of the data files.
type Entry struct {
	Rule `yaml:",inline"`
	// Subtree names the references to insert at Path. The Rule then holds only what they have in common.
	Subtree string `yaml:"subtree"`
	// Inner becomes the Embedded of the Rule.
	Inner []Entry `yaml:"embedded"`
	// MountedBy are the pod spec's lists of containers that mount the volumes of the subtree.
	MountedBy []string `yaml:"mountedBy"`
}

// A subtree is a list of references that many kinds share.
type subtree struct {
	Name       string  `yaml:"subtree"`
	References []Entry `yaml:"references"`
	// Note is documentation.
	Note string `yaml:"note"`
}

// add adds a document's content to k.
func (c *Catalog) add(k *Kind, d document) {
	var raw rawKind
	decode(d.text, &raw)
	k.ClusterScoped = k.ClusterScoped || raw.ClusterScoped
	first := len(k.References)
	var at expansion
	for i := range raw.PodTemplates {
		t := &raw.PodTemplates[i]
		if t.Path != nil && t.Spec == nil {
			t.Spec = t.Path.join(Path{"spec"})
		}
		if t.Path != nil && t.Annotations == nil {
			t.Annotations = t.Path.join(Path{"metadata", "annotations"})
		}
		at.kustomize = t.Kustomize
		c.addTemplate(k, t.TemplateRule, at)
	}
	at.kustomize = false
	c.expand(&k.References, raw.References, at)
	k.Workload, k.StandIn = cmp.Or(raw.Workload, k.Workload), cmp.Or(raw.StandIn, k.StandIn)
	k.Exports = append(k.Exports, raw.Exports...)
	k.Manifests = append(k.Manifests, raw.Manifests...)
	k.ForeignManifests = append(k.ForeignManifests, raw.ForeignManifests...)
	if raw.Immutable == nil {
		return
	}
	k.Immutable = raw.Immutable.Reason
	for i := first; i < len(k.References); i++ {
		r := &k.References[i]
		r.Immutable = r.Immutable || slices.ContainsFunc(raw.Immutable.Paths, r.Path.hasPrefix)
	}
}

func (c *Catalog) addTemplate(k *Kind, t TemplateRule, at expansion) {
	if t.Spec == nil && (t.Annotations == nil || t.Subtree != "") {
		panic(errors.New("catalogue: a pod template has no path, or a subtree and no spec"))
	}
	k.PodTemplates = append(k.PodTemplates, t)
	at.root = true
	if t.Spec != nil {
		at.prefix = t.Spec
		c.expand(&k.References, c.subtree(cmp.Or(t.Subtree, podSpecSubtree)), at)
	}
	if t.Annotations != nil {
		at.prefix = t.Annotations
		c.expand(&k.References, c.subtree(podAnnotationsSubtree), at)
	}
}

// An expansion is what the references of a subtree inherit from the entry that includes it.
type expansion struct {
	prefix    Path
	role      Role
	elsewhere bool
	when      []Condition
	mountedBy []string
	podSpec   int  // the length of the path to the pod spec of mountedBy
	root      bool // within a subtree: Kustomize of its rules needs that of the including entry too
	kustomize bool
}

func (c *Catalog) subtree(name string) []Entry {
	if known, ok := c.subtrees[name]; ok {
		return known
	}
	all := c.documents(subtreesFile)
	i := slices.IndexFunc(all, func(d document) bool { return d.names[0] == name })
	if i < 0 {
		panic(fmt.Errorf("catalogue: no subtree %q", name))
	}
	var written subtree
	decode(all[i].text, &written)
	c.subtrees[name] = written.References
	return written.References
}

func (c *Catalog) expand(into *[]Rule, entries []Entry, at expansion) {
	for i := range entries {
		c.expandEntry(into, &entries[i], at)
	}
}

func (c *Catalog) expandEntry(into *[]Rule, e *Entry, at expansion) {
	rule := e.Rule
	rule.Path = at.prefix.join(e.Path)
	rule.Role = cmp.Or(e.Role, at.role)
	rule.Elsewhere = e.Elsewhere || at.elsewhere
	rule.When = slices.Concat(at.when, e.When)
	rule.Kustomize = e.Kustomize && (at.kustomize || !at.root)
	if rule.Via = cmp.Or(e.Via, ViaReference); e.Consumed {
		rule.Via = rule.Path.via()
	}
	if len(at.mountedBy) > 0 {
		rule.Mount = &Mount{Up: len(rule.Path) - 1 - at.podSpec, By: at.mountedBy}
	}
	at.role, at.elsewhere, at.root = rule.Role, rule.Elsewhere, true
	switch {
	case e.Subtree != "":
		at.prefix, at.when, at.kustomize = rule.Path, rule.When, rule.Kustomize
		if len(e.MountedBy) > 0 {
			at.mountedBy, at.podSpec = e.MountedBy, len(rule.Path)-1
		}
		c.expand(into, c.subtree(e.Subtree), at)
		return
	case len(e.Inner) > 0:
		at.prefix, at.when, at.kustomize, at.mountedBy = nil, nil, false, nil
		c.expand(&rule.Embedded, e.Inner, at)
	default:
		for _, format := range e.Formats {
			rule.Targets |= format.Target()
		}
		if rule.Formats == nil {
			rule.Formats = []*Format{Plain}
		}
		if (rule.Targets == 0) == (rule.Of == nil) {
			panic(fmt.Errorf("catalogue: reference %q: want either a target or of", e.Path))
		}
	}
	*into = append(*into, rule)
}
