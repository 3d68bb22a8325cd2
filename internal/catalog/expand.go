package catalog

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// The subtrees that a pod template brings with it.
const (
	podSpecSubtree        = "podSpec"
	podAnnotationsSubtree = "podAnnotations"
)

// maxDepth bounds subtrees within subtrees.
const maxDepth = 16

type rawKind struct {
	Kinds     []string `yaml:"kinds"`
	Scope     string   `yaml:"scope"`
	Immutable *struct {
		Paths  []Path `yaml:"paths"`
		Reason string `yaml:"reason"`
	} `yaml:"immutable"`
	PodTemplates     []rawPodTemplate `yaml:"podTemplates"`
	Workload         *Workload        `yaml:"workload"`
	References       []Entry          `yaml:"references"`
	Exports          []Export         `yaml:"exports"`
	StandIn          *StandIn         `yaml:"standIn"`
	Manifests        []Path           `yaml:"manifests"`
	ForeignManifests []Path           `yaml:"foreignManifests"`
	Note             string           `yaml:"note"`
	Source           string           `yaml:"source"`
}

type rawPodTemplate struct {
	PodTemplate `yaml:",inline"`
	// Path leads to a whole template; SpecAt and AnnotationsAt replace its two parts.
	Path          *Path  `yaml:"path"`
	SpecAt        *Path  `yaml:"spec"`
	AnnotationsAt *Path  `yaml:"annotations"`
	Kustomize     bool   `yaml:"kustomize"`
	Source        string `yaml:"source"`
}

// An Entry is a reference as the data writes it.
type Entry struct {
	Rule `yaml:",inline"`
	// Subtree names the references that follow there, from Path on. The Rule
	// then says only what holds for all of them.
	Subtree string `yaml:"subtree"`
	// Patterns become the Formats of the Rule, and Inner its Embedded.
	Patterns oneOrMore[string] `yaml:"format"`
	Inner    []Entry           `yaml:"embedded"`
	// Versions are the API versions concerned, all if there are none.
	Versions []string `yaml:"versions"`
	// MountedBy are a pod spec's lists of containers that mount the volumes of
	// the subtree.
	MountedBy []string `yaml:"mountedBy"`
}

func (c *Catalog) add(k *Kind, d document, version string) error {
	var raw rawKind
	if err := decode([]byte(d.text), &raw); err != nil {
		return err
	}
	return c.addKind(k, &raw, version)
}

func (c *Catalog) addKind(k *Kind, raw *rawKind, version string) error {
	switch raw.Scope {
	case "", "Namespaced":
	case "Cluster":
		k.ClusterScoped = true
	default:
		return fmt.Errorf("scope %q: want Cluster or Namespaced", raw.Scope)
	}
	first := len(k.References)
	at := expansion{version: version}
	for i := range raw.PodTemplates {
		if err := c.addPodTemplate(k, &raw.PodTemplates[i], at); err != nil {
			return err
		}
	}
	if err := c.expand(&k.References, raw.References, at); err != nil {
		return err
	}
	k.Workload, k.StandIn = cmp.Or(raw.Workload, k.Workload), cmp.Or(raw.StandIn, k.StandIn)
	k.Exports = append(k.Exports, raw.Exports...)
	k.Manifests = append(k.Manifests, raw.Manifests...)
	k.ForeignManifests = append(k.ForeignManifests, raw.ForeignManifests...)
	if raw.Immutable == nil {
		return nil
	}
	k.Immutable = raw.Immutable.Reason
	for i := first; i < len(k.References); i++ {
		r := &k.References[i]
		r.Immutable = r.Immutable || slices.ContainsFunc(raw.Immutable.Paths, r.Path.hasPrefix)
	}
	return nil
}

func (c *Catalog) addPodTemplate(k *Kind, raw *rawPodTemplate, at expansion) error {
	t := raw.PodTemplate
	if raw.Path == nil && raw.SpecAt == nil && raw.AnnotationsAt == nil {
		return errors.New("a pod template needs a path")
	}
	if raw.Path != nil {
		t.Spec, t.HasSpec = raw.Path.join(Path{"spec"}), true
		t.Annotations, t.HasAnnotations = raw.Path.join(Path{"metadata", "annotations"}), true
	}
	if raw.SpecAt != nil {
		t.Spec, t.HasSpec = *raw.SpecAt, len(*raw.SpecAt) > 0
	}
	if raw.AnnotationsAt != nil {
		t.Annotations, t.HasAnnotations = *raw.AnnotationsAt, len(*raw.AnnotationsAt) > 0
	}
	if t.Subtree != "" && !t.HasSpec {
		return fmt.Errorf("a pod template has the subtree %s and no spec", t.Subtree)
	}
	at.kustomize = raw.Kustomize
	return c.addTemplate(k, t, at)
}

func (c *Catalog) addTemplate(k *Kind, t PodTemplate, at expansion) error {
	k.PodTemplates = append(k.PodTemplates, t)
	at.root = true
	if t.HasSpec {
		at.prefix = t.Spec
		if err := c.expandSubtree(&k.References, cmp.Or(t.Subtree, podSpecSubtree), at); err != nil {
			return err
		}
	}
	if t.HasAnnotations {
		at.prefix = t.Annotations
		return c.expandSubtree(&k.References, podAnnotationsSubtree, at)
	}
	return nil
}

func (c *Catalog) addExtra(k *Kind, e Extra) error {
	for _, t := range e.PodTemplates {
		if err := c.addTemplate(k, t, expansion{}); err != nil {
			return err
		}
	}
	k.References = append(k.References, e.References...)
	return nil
}

// An expansion is what the references of a subtree inherit from the entry that names
// the subtree.
type expansion struct {
	prefix    Path
	version   string
	role      Role
	elsewhere bool
	when      []Condition
	mountedBy []string
	podSpec   int  // the length of the path to the pod spec that mountedBy is of
	root      bool // within a subtree: kustomize says what the subtree's rules may say
	kustomize bool
	depth     int
}

func (c *Catalog) expandSubtree(into *[]Rule, name string, at expansion) error {
	if at.depth++; at.depth > maxDepth {
		return fmt.Errorf("subtree %s holds itself", name)
	}
	entries, err := c.subtree(name)
	if err != nil {
		return err
	}
	if err := c.expand(into, entries, at); err != nil {
		return fmt.Errorf("subtree %s: %w", name, err)
	}
	return nil
}

func (c *Catalog) subtree(name string) ([]Entry, error) {
	if known, ok := c.subtrees[name]; ok {
		return known, nil
	}
	for _, d := range c.documents(subtreesFile) {
		if d.names[0] != name {
			continue
		}
		var subtree Subtree
		if err := decode([]byte(d.text), &subtree); err != nil {
			return nil, fmt.Errorf("subtree %s: %w", name, err)
		}
		c.subtrees[name] = subtree.Entries
		return subtree.Entries, nil
	}
	return nil, fmt.Errorf("no subtree %q", name)
}

func (c *Catalog) expand(into *[]Rule, entries []Entry, at expansion) error {
	for i := range entries {
		e := &entries[i]
		if len(e.Versions) > 0 && !slices.Contains(e.Versions, at.version) {
			continue
		}
		if err := c.expandEntry(into, e, at); err != nil {
			return fmt.Errorf("reference %q: %w", e.Path, err)
		}
	}
	return nil
}

func (c *Catalog) expandEntry(into *[]Rule, e *Entry, at expansion) error {
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
		return c.expandSubtree(into, e.Subtree, at)
	case len(e.Inner) > 0:
		at.prefix, at.when, at.kustomize, at.mountedBy = nil, nil, false, nil
		if err := c.expand(&rule.Embedded, e.Inner, at); err != nil {
			return err
		}
	default:
		if err := rule.setFormats(e.Patterns); err != nil {
			return err
		}
	}
	*into = append(*into, rule)
	return nil
}

func (r *Rule) setFormats(patterns []string) error {
	r.Formats = nil
	for _, pattern := range patterns {
		format, err := parseFormat(pattern)
		if err != nil {
			return err
		}
		r.Formats = append(r.Formats, format)
		r.Targets |= format.Target()
	}
	if len(r.Formats) == 0 {
		r.Formats = []*Format{Plain}
	}
	if (r.Targets == 0) == (r.Of == nil) {
		return errors.New("want either a target or of")
	}
	return nil
}
