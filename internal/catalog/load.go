package catalog

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unique"

	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/yamldoc"
)

//go:embed data/*.yaml
var files embed.FS

// The files of data that belong to no group, and the one whose group has
// another name.
const (
	coreFile        = "core"
	anyFile         = "any"
	subtreesFile    = "subtrees"
	neverRenameFile = "never-rename"
	readByNameFile  = "read-by-name"
	passedOverFile  = "passed-over"
	discoverFile    = "discover"
	lookAlikesFile  = "look-alikes"
)

var reserved = []string{coreFile, anyFile, subtreesFile, neverRenameFile, readByNameFile, passedOverFile, discoverFile, lookAlikesFile}

// The subtrees that a pod template brings with it.
const (
	podSpecSubtree        = "podSpec"
	podAnnotationsSubtree = "podAnnotations"
)

// maxDepth bounds subtrees within subtrees.
const maxDepth = 16

// A Catalog answers questions about kinds. It is safe for concurrent use.
type Catalog struct {
	extra []Extra

	mu         sync.Mutex
	kinds      map[unique.Handle[gvk]]*Kind
	said       map[string]*Kind // by which documents and extras say it
	everywhere *Kind
	shapes     *Shapes
	files      map[string][]document
	subtrees   map[string][]rawRule

	neverRename func() ([]NameRule, error)
	readByName  func() (*readers, error)
	passedOver  func() (map[groupKind]bool, error)
	lookAlikes  func() ([]LookAlike, error)
}

type (
	gvk       struct{ group, version, kind string }
	groupKind struct{ group, kind string }
)

// A document is a part of a file that is not parsed yet.
type document struct {
	names []string // the kinds or the subtree that its first line names
	text  string
	// versioned tells that some of it is of some versions alone.
	versioned bool
}

// Extra is what a user adds to the catalogue. An empty Group, Version, or
// Kind stands for all.
type Extra struct {
	Group, Version, Kind string
	References           []Rule
	PodTemplates         []PodTemplate
}

var builtin = sync.OnceValue(func() *Catalog { return newCatalog(nil) })

// Builtin returns the catalogue of the data files. Nothing is parsed before
// it is asked for.
func Builtin() *Catalog { return builtin() }

// With returns a catalogue that says all that c does, and extra.
func (c *Catalog) With(extra ...Extra) *Catalog {
	return newCatalog(slices.Concat(c.extra, extra))
}

func newCatalog(extra []Extra) *Catalog {
	return &Catalog{
		extra:       extra,
		kinds:       map[unique.Handle[gvk]]*Kind{},
		said:        map[string]*Kind{},
		files:       map[string][]document{},
		subtrees:    map[string][]rawRule{},
		neverRename: sync.OnceValues(loadNeverRename),
		readByName:  sync.OnceValues(loadReadByName),
		passedOver:  sync.OnceValues(loadPassedOver),
		lookAlikes:  sync.OnceValues(loadLookAlikes),
	}
}

// maxRemembered bounds how many kinds are remembered by their names: many more
// than any build holds.
const maxRemembered = 4096

// Kind returns what is known of a kind, and nil if that is nothing beyond
// what Any says. Kinds of which the same is known share it. An error is a defect of
// the data.
func (c *Catalog) Kind(group, version, kind string) (*Kind, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	// The names may be parts of an input, which the catalogue outlives. A handle has
	// copies of them.
	name := unique.Make(gvk{group, version, kind})
	if cached, ok := c.kinds[name]; ok {
		return cached, nil
	}
	found, err := c.kind(group, version, kind)
	if err == nil && len(c.kinds) < maxRemembered {
		c.kinds[name] = found
	}
	return found, err
}

// kind is Kind for one that is not remembered.
func (c *Catalog) kind(group, version, kind string) (*Kind, error) {
	type source struct {
		file string
		document
	}
	var sources []source
	var extra []Extra
	var key []byte
	for _, file := range c.groupFiles(group) {
		for i, d := range c.documents(file) {
			if slices.Contains(d.names, kind) || slices.Contains(d.names, "*") {
				sources = append(sources, source{file, d})
				key = append(strconv.AppendInt(append(append(key, file...), ' '), int64(i), 10), ',')
			}
		}
	}
	for i, e := range c.extra {
		if (e.Group == "" || e.Group == group) && (e.Version == "" || e.Version == version) && (e.Kind == "" || e.Kind == kind) {
			extra = append(extra, e)
			key = append(strconv.AppendInt(key, int64(i), 10), ',')
		}
	}
	if key == nil {
		return nil, nil //nolint:nilnil // nothing is known, and there is no error
	}
	if c.versioned() || slices.ContainsFunc(sources, func(s source) bool { return s.versioned }) {
		key = append(key, version...)
	}
	if said, ok := c.said[string(key)]; ok {
		return said, nil
	}
	found := &Kind{}
	for _, s := range sources {
		if err := c.add(found, s.document, version); err != nil {
			return nil, fmt.Errorf("catalogue: data/%s.yaml: %s: %w", s.file, kind, err)
		}
	}
	for _, e := range extra {
		if err := c.addExtra(found, e); err != nil {
			return nil, err
		}
	}
	c.said[string(key)] = found
	return found, nil
}

// versioned reports whether references of a subtree are of some versions alone.
func (c *Catalog) versioned() bool {
	return slices.ContainsFunc(c.documents(subtreesFile), func(d document) bool { return d.versioned })
}

// Any returns what holds for every kind. An error is a defect of the data.
func (c *Catalog) Any() (*Kind, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.everywhere != nil {
		return c.everywhere, nil
	}
	found := &Kind{}
	for _, d := range c.documents(anyFile) {
		if err := c.add(found, d, ""); err != nil {
			return nil, fmt.Errorf("catalogue: data/%s.yaml: %w", anyFile, err)
		}
	}
	c.everywhere = found
	return found, nil
}

// StandInKinds returns the kinds whose objects stand for Secrets, sorted.
func (c *Catalog) StandInKinds() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	entries, _ := files.ReadDir("data") // it is embedded
	var kinds []string
	for _, entry := range entries {
		for _, d := range c.documents(strings.TrimSuffix(entry.Name(), ".yaml")) {
			if strings.Contains(d.text, "\nstandIn:") {
				kinds = append(kinds, d.names...)
			}
		}
	}
	slices.Sort(kinds)
	return slices.Compact(kinds)
}

// groupFiles returns the names of the files that tell of a group's kinds.
func (c *Catalog) groupFiles(group string) []string {
	switch {
	case group == "":
		return []string{coreFile}
	case slices.Contains(reserved, group):
		return nil
	}
	if len(group) > maxGroup {
		return nil
	}
	var names []string
	for name, rest := group, group; ; name = "_." + rest {
		if _, ok := c.files[name]; ok || hasFile(name) {
			names = append(names, name)
		}
		var found bool
		if _, rest, found = strings.Cut(rest, "."); !found {
			return names
		}
	}
}

// maxGroup is how long the name of a group can be (a DNS-1123 subdomain).
const maxGroup = 253

// hasFile reports whether there is a data file of that name.
func hasFile(name string) bool {
	file, err := files.Open("data/" + name + ".yaml")
	if err != nil {
		return false
	}
	_ = file.Close()
	return true
}

// add adds to k what a document says.
func (c *Catalog) add(k *Kind, d document, version string) error {
	var raw rawKind
	if err := decode([]byte(d.text), &raw); err != nil {
		return err
	}
	return c.addKind(k, &raw, version)
}

// documents splits a file that exists, and finds none in others.
func (c *Catalog) documents(file string) []document {
	if known, ok := c.files[file]; ok {
		return known
	}
	var documents []document
	if text, err := files.ReadFile("data/" + file + ".yaml"); err == nil {
		documents = splitDocuments(string(text))
	}
	c.files[file] = documents
	return documents
}

// splitDocuments takes a file apart by the lines between its documents. A
// document whose first line names nothing, such as a comment, is left out.
func splitDocuments(text string) []document {
	var documents []document
	for _, part := range strings.Split(text, "\n---\n") {
		first, _, _ := strings.Cut(part, "\n")
		if subtree, ok := strings.CutPrefix(first, "subtree: "); ok {
			documents = append(documents, document{[]string{subtree}, part, strings.Contains(part, "versions:")})
			continue
		}
		list, ok := strings.CutPrefix(first, "kinds: [")
		if !ok {
			continue
		}
		names := strings.Split(strings.TrimSuffix(list, "]"), ", ")
		for i, name := range names {
			names[i] = strings.Trim(name, `"`)
		}
		documents = append(documents, document{names, part, strings.Contains(part, "versions:")})
	}
	return documents
}

// decodeStrict parses one document. An unknown field is an error.
func decodeStrict(text string, into any) error {
	decoder := yaml.NewDecoder(strings.NewReader(text))
	decoder.KnownFields(true)
	return decoder.Decode(into)
}

// decode parses one document, or nothing, in less time than decodeStrict. That no
// field in the data is unknown, tests see to.
func decode(text []byte, into any) error {
	tree, err := yamldoc.Parse(text)
	if err != nil || tree.Kind == 0 {
		return err
	}
	return tree.Decode(into)
}

func decodeFile(file string, into any) error {
	text, err := files.ReadFile("data/" + file + ".yaml")
	if err != nil {
		return err
	}
	if err := decode(text, into); err != nil {
		return fmt.Errorf("catalogue: data/%s.yaml: %w", file, err)
	}
	return nil
}

// oneOrMore is a list that may be written as its only element.
type oneOrMore[T any] []T

func (l *oneOrMore[T]) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind == yaml.SequenceNode {
		return node.Decode((*[]T)(l))
	}
	var one T
	if err := node.Decode(&one); err != nil {
		return err
	}
	*l = []T{one}
	return nil
}

// The raw types are the data files' form.
type rawKind struct {
	Kinds        []string         `yaml:"kinds"`
	Scope        string           `yaml:"scope"`
	Immutable    *rawImmutable    `yaml:"immutable"`
	PodTemplates []rawPodTemplate `yaml:"podTemplates"`
	Workload     *Workload        `yaml:"workload"`
	References   []rawRule        `yaml:"references"`
	Exports      []rawExport      `yaml:"exports"`
	StandIn      *rawStandIn      `yaml:"standIn"`
	// Manifests and ForeignManifests lead to whole objects.
	Manifests        []string `yaml:"manifests"`
	ForeignManifests []string `yaml:"foreignManifests"`
	Note             string   `yaml:"note"`
	Source           string   `yaml:"source"`
}

type rawImmutable struct {
	Paths  []string `yaml:"paths"`
	Reason string   `yaml:"reason"`
}

type rawPodTemplate struct {
	// Path leads to a whole template; Spec and Annotations replace it where
	// the two parts stand elsewhere.
	Path        *string        `yaml:"path"`
	Spec        *string        `yaml:"spec"`
	Annotations *string        `yaml:"annotations"`
	Subtree     string         `yaml:"subtree"`
	Kustomize   bool           `yaml:"kustomize"`
	Change      Change         `yaml:"change"`
	Runs        bool           `yaml:"runs"`
	Except      []rawException `yaml:"except"`
	Note        string         `yaml:"note"`
	Source      string         `yaml:"source"`
}

type rawException struct {
	When   []Condition `yaml:"when"`
	Change Change      `yaml:"change"`
	Reason string      `yaml:"reason"`
}

type rawExport struct {
	Key  string      `yaml:"key"`
	Path string      `yaml:"path"`
	When []Condition `yaml:"when"`
}

type rawStandIn struct {
	Content      []rawPart `yaml:"content"`
	Metadata     string    `yaml:"metadata"`
	CopiedUnless string    `yaml:"copiedUnless"`
	Sealed       bool      `yaml:"sealed"`
}

type rawPart struct {
	Path    string   `yaml:"path"`
	Keys    bool     `yaml:"keys"`
	WholeIf string   `yaml:"wholeIf"`
	Omit    []string `yaml:"omit"`
}

type rawSubtree struct {
	Subtree    string    `yaml:"subtree"`
	References []rawRule `yaml:"references"`
	Note       string    `yaml:"note"`
}

type rawRule struct {
	Path             string              `yaml:"path"`
	Subtree          string              `yaml:"subtree"`
	Target           Target              `yaml:"target"`
	Of               *GroupKind          `yaml:"of"`
	Role             Role                `yaml:"role"`
	Format           oneOrMore[string]   `yaml:"format"`
	List             string              `yaml:"list"`
	Embedded         []rawRule           `yaml:"embedded"`
	Namespace        *Relative           `yaml:"namespace"`
	NamespaceDefault string              `yaml:"namespaceDefault"`
	Elsewhere        bool                `yaml:"elsewhere"`
	Kind             *KindField          `yaml:"kind"`
	KindFrom         *KindFrom           `yaml:"kindFrom"`
	Key              *Relative           `yaml:"key"`
	Items            *Relative           `yaml:"items"`
	Optional         *Relative           `yaml:"optional"`
	Default          oneOrMore[Relative] `yaml:"default"`
	DefaultName      string              `yaml:"defaultName"`
	When             []Condition         `yaml:"when"`
	Versions         []string            `yaml:"versions"`
	Names            bool                `yaml:"names"`
	Derived          []string            `yaml:"derived"`
	Tentative        bool                `yaml:"tentative"`
	Kustomize        bool                `yaml:"kustomize"`
	Consumed         bool                `yaml:"consumed"`
	Via              Via                 `yaml:"via"`
	MountedBy        []string            `yaml:"mountedBy"`
	Follows          bool                `yaml:"follows"`
	Pins             rawPins             `yaml:"pins"`
	Note             string              `yaml:"note"`
	Source           string              `yaml:"source"`
}

type rawPins struct {
	Reason string      `yaml:"reason"`
	When   []Condition `yaml:"when"`
}

// addKind adds what one document says.
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
	for _, e := range raw.Exports {
		path, err := ParsePath(e.Path)
		if err != nil {
			return err
		}
		k.Exports = append(k.Exports, Export{Key: e.Key, Path: path, When: e.When})
	}
	k.Workload = cmp.Or(raw.Workload, k.Workload)
	if raw.StandIn != nil {
		if err := k.addStandIn(raw.StandIn); err != nil {
			return err
		}
	}
	if err := addPaths(&k.Manifests, raw.Manifests); err != nil {
		return err
	}
	if err := addPaths(&k.ForeignManifests, raw.ForeignManifests); err != nil {
		return err
	}
	if raw.Immutable == nil {
		return nil
	}
	k.Immutable = raw.Immutable.Reason
	for _, text := range raw.Immutable.Paths {
		path, err := ParsePath(text)
		if err != nil {
			return err
		}
		for i := first; i < len(k.References); i++ {
			if k.References[i].Path.hasPrefix(path) {
				k.References[i].Immutable = true
			}
		}
	}
	return nil
}

func (k *Kind) addStandIn(raw *rawStandIn) error {
	k.StandIn = &StandIn{Sealed: raw.Sealed}
	for _, part := range raw.Content {
		path, err := ParsePath(part.Path)
		if err != nil {
			return err
		}
		wholeIf, err := ParsePath(part.WholeIf)
		if err != nil {
			return err
		}
		k.StandIn.Content = append(k.StandIn.Content, Part{Path: path, Keys: part.Keys, WholeIf: wholeIf, Omit: part.Omit})
	}
	var err error
	if k.StandIn.Metadata, err = ParsePath(raw.Metadata); err != nil {
		return err
	}
	k.StandIn.CopiedUnless, err = ParsePath(raw.CopiedUnless)
	return err
}

// addPaths parses texts and adds what they say to paths.
func addPaths(paths *[]Path, texts []string) error {
	for _, text := range texts {
		path, err := ParsePath(text)
		if err != nil {
			return err
		}
		*paths = append(*paths, path)
	}
	return nil
}

func (c *Catalog) addPodTemplate(k *Kind, raw *rawPodTemplate, at expansion) error {
	t := PodTemplate{Change: raw.Change, Runs: raw.Runs, Note: raw.Note, Subtree: raw.Subtree}
	for _, e := range raw.Except {
		t.Except = append(t.Except, Exception(e))
	}
	if raw.Path == nil && raw.Spec == nil && raw.Annotations == nil {
		return errors.New("a pod template needs a path")
	}
	if raw.Path != nil {
		path, err := ParsePath(*raw.Path)
		if err != nil {
			return err
		}
		t.Spec, t.HasSpec = path.join(Path{"spec"}), true
		t.Annotations, t.HasAnnotations = path.join(Path{"metadata", "annotations"}), true
	}
	for _, part := range []struct {
		text *string
		path *Path
		has  *bool
	}{{raw.Spec, &t.Spec, &t.HasSpec}, {raw.Annotations, &t.Annotations, &t.HasAnnotations}} {
		if part.text == nil {
			continue
		}
		path, err := ParsePath(*part.text)
		if err != nil {
			return err
		}
		*part.path, *part.has = path, len(path) > 0
	}
	if raw.Subtree != "" && !t.HasSpec {
		return fmt.Errorf("a pod template has the subtree %s and no spec", raw.Subtree)
	}
	return c.addTemplate(k, t, cmp.Or(raw.Subtree, podSpecSubtree), raw.Kustomize, at)
}

// addTemplate adds a pod template, and the references that all of them have.
// The subtree is that of its spec.
func (c *Catalog) addTemplate(k *Kind, t PodTemplate, subtree string, kustomize bool, at expansion) error {
	k.PodTemplates = append(k.PodTemplates, t)
	at.root = true
	at.kustomize = kustomize
	if t.HasSpec {
		at.prefix = t.Spec
		if err := c.expandSubtree(&k.References, subtree, at); err != nil {
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
		if err := c.addTemplate(k, t, podSpecSubtree, false, expansion{}); err != nil {
			return err
		}
	}
	k.References = append(k.References, e.References...)
	return nil
}

// An expansion is what the references of a subtree get from where they are
// brought in.
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
	raw, err := c.subtree(name)
	if err != nil {
		return err
	}
	if err := c.expand(into, raw, at); err != nil {
		return fmt.Errorf("subtree %s: %w", name, err)
	}
	return nil
}

func (c *Catalog) subtree(name string) ([]rawRule, error) {
	if known, ok := c.subtrees[name]; ok {
		return known, nil
	}
	for _, d := range c.documents(subtreesFile) {
		if d.names[0] != name {
			continue
		}
		var raw rawSubtree
		if err := decode([]byte(d.text), &raw); err != nil {
			return nil, fmt.Errorf("subtree %s: %w", name, err)
		}
		c.subtrees[name] = raw.References
		return raw.References, nil
	}
	return nil, fmt.Errorf("no subtree %q", name)
}

func (c *Catalog) expand(into *[]Rule, raw []rawRule, at expansion) error {
	for i := range raw {
		r := &raw[i]
		if len(r.Versions) > 0 && !slices.Contains(r.Versions, at.version) {
			continue
		}
		if err := c.expandRule(into, r, at); err != nil {
			return fmt.Errorf("reference %q: %w", r.Path, err)
		}
	}
	return nil
}

func (c *Catalog) expandRule(into *[]Rule, r *rawRule, at expansion) error {
	path, err := ParsePath(r.Path)
	if err != nil {
		return err
	}
	rule := Rule{
		Path: at.prefix.join(path), Targets: r.Target, Role: r.Role, Separator: r.List,
		Namespace: r.Namespace, NamespaceDefault: r.NamespaceDefault, Elsewhere: r.Elsewhere || at.elsewhere,
		Kind: r.Kind, KindFrom: r.KindFrom, Key: r.Key, Optional: r.Optional, Default: r.Default, DefaultName: r.DefaultName,
		When: slices.Concat(at.when, r.When), Names: r.Names, Tentative: r.Tentative,
		Kustomize: r.Kustomize && (at.kustomize || !at.root), Of: r.Of, Consumed: r.Consumed, Via: cmp.Or(r.Via, ViaReference), Items: r.Items,
		Derived: r.Derived, Follows: r.Follows, Pins: r.Pins.Reason, PinsWhen: r.Pins.When, Note: r.Note, Source: r.Source,
	}
	if rule.Consumed {
		rule.Via = rule.Path.via()
	}
	if len(at.mountedBy) > 0 {
		rule.Mount = &Mount{Up: len(rule.Path) - 1 - at.podSpec, By: at.mountedBy}
	}
	if rule.Role == Consumer {
		rule.Role = at.role
	}
	if r.Subtree != "" {
		at.prefix, at.when, at.role, at.elsewhere = rule.Path, rule.When, rule.Role, rule.Elsewhere
		at.kustomize, at.root = rule.Kustomize, true
		if len(r.MountedBy) > 0 {
			at.mountedBy, at.podSpec = r.MountedBy, len(rule.Path)-1
		}
		return c.expandSubtree(into, r.Subtree, at)
	}
	if len(r.Embedded) > 0 {
		inner := at
		inner.prefix, inner.when, inner.root, inner.kustomize = nil, nil, true, false
		inner.mountedBy = nil
		inner.role, inner.elsewhere = rule.Role, rule.Elsewhere
		if err := c.expand(&rule.Embedded, r.Embedded, inner); err != nil {
			return err
		}
		*into = append(*into, rule)
		return nil
	}
	for _, pattern := range r.Format {
		format, err := ParseFormat(pattern)
		if err != nil {
			return err
		}
		rule.Formats = append(rule.Formats, format)
		rule.Targets |= format.Target()
	}
	if len(rule.Formats) == 0 {
		rule.Formats = []*Format{Plain}
	}
	if (rule.Targets == 0) == (rule.Of == nil) {
		return errors.New("want either a target or of")
	}
	*into = append(*into, rule)
	return nil
}

// FieldSpec returns the rules for a path as kustomize's nameReference has it:
// the field is a name, or a mapping with a name and perhaps a namespace. What
// it names counts as consumed.
func FieldSpec(target Target, path string) ([]Rule, error) {
	field, err := ParsePath(path)
	if err != nil {
		return nil, err
	}
	if len(field) == 0 {
		return nil, errors.New("an empty path leads to no field")
	}
	plain := Rule{Path: field, Targets: target, Formats: []*Format{Plain}, Consumed: true, Via: field.via()}
	inside := plain
	inside.Path = field.join(Path{"name"})
	inside.Namespace = &Relative{Path: Path{"namespace"}}
	return []Rule{plain, inside}, nil
}
