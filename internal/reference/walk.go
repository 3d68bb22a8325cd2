package reference

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/edit"
	"github.com/confighash/confighash/internal/yamldoc"
)

// maxDepth is how deep aliases are followed, far deeper than an API server
// would: they can make a short text stand for a document without end.
const maxDepth = 1_000

// A walker goes through one document by the states of a trie.
type walker struct {
	finder *Finder
	root   *yaml.Node
	// steps lead to the present node, the first base of them to root.
	steps yamldoc.Trail
	base  int
	// frames are the mappings around the present node, outermost first.
	frames []frame
	// states holds the sets of states of all levels, the present one last.
	states []*state
	found  []Reference
	// mistaken and reads are Found's.
	mistaken []edit.Scalar
	reads    []Read
	// read are the parts of pod specs whose arguments have been read.
	read map[*yaml.Node]bool
	// manifests counts those around the present one.
	manifests int
	// aliases counts those on the way, budget the nodes met behind any.
	aliases int
	budget  *yamldoc.Budget
	// mounts holds those of the pod specs met so far, keys how many keys of
	// objects they stand for.
	mounts map[*yaml.Node]mounts
	keys   int
	// indices holds the entries of mappings with many, or with merge keys.
	indices map[*yaml.Node]map[string]entry
	// around holds what stood around the last name that a rule was tried for.
	around map[*rule]*surroundings
	serial int // of the frame that was made last
	// wrong is what keeps all of the item from being followed.
	wrong error
	// within is the scalar whose value the document is, if it is embedded, and
	// positions are those in it.
	within    *edit.Scalar
	positions *edit.Positions
	// skip are keys of the root that are not followed.
	skip []string
	// defined are the ConfigMaps and Secrets among an item's manifests, to
	// which the references of the others refer.
	defined map[object]bool
}

// An object is a ConfigMap or a Secret, by its name.
type object struct {
	target catalog.Target
	name   string
}

// A frame is a mapping on the way.
type frame struct {
	mapping *yaml.Node
	depth   int // of its path in walker.steps
	shared  bool
	serial  int // no two frames of one walker share it
}

// push enters a mapping.
func (w *walker) push(n *yaml.Node, depth int, shared bool) {
	w.serial++
	w.frames = append(w.frames, frame{n, depth, shared, w.serial})
}

// tooDeep reports whether the present path is too long to be followed, which is
// what is wrong with the item then.
func (w *walker) tooDeep() bool {
	if !w.steps.TooDeep() {
		return false
	}
	if w.wrong == nil {
		w.wrong = fmt.Errorf("%s: a name is so deep that its path has more than %d characters; move it up, or shorten the keys above it", w.steps.Head(), yamldoc.MaxPath)
	}
	return true
}

// find walks through an item.
func (r *rules) find(f *Finder, item *yaml.Node) (Found, error) {
	root := unwrap(item)
	if root == nil {
		return Found{}, nil
	}
	w := walkers.Get().(*walker)
	defer w.release()
	w.finder, w.root = f, root
	if err := w.run(r); err != nil {
		return Found{}, err
	}
	for _, d := range r.defaults {
		w.useDefault(d)
	}
	w.dropDefined()
	if w.wrong != nil {
		return Found{}, w.wrong
	}
	if r.shapes != nil {
		if err := w.discover(r.shapes); err != nil {
			return Found{}, err
		}
	}
	found := Found{References: w.found, Mistaken: w.mistaken}
	found.PodTemplates = w.podTemplates(r.podTemplates)
	if r.shapes != nil {
		found.PodTemplates = w.discoverPodTemplates(r.shapes, found.PodTemplates)
	}
	found.Reads = w.readData(w.reads)
	if w.wrong != nil {
		return Found{}, w.wrong
	}
	if len(found.PodTemplates) > 0 {
		roots := rootsOf(found.PodTemplates)
		for i := range found.References {
			ref := &found.References[i]
			ref.PodTemplate = roots.Holding(ref.At.Path)
		}
	}
	for i := range r.exports {
		if value, ok := w.export(&r.exports[i]); ok {
			if found.Exports == nil {
				found.Exports = map[string]string{}
			}
			found.Exports[r.exports[i].Key] = value
		}
	}
	return found, nil
}

// walkers holds idle ones, for the memory of their stacks.
var walkers = sync.Pool{New: func() any { return &walker{budget: new(yamldoc.Budget)} }}

func (w *walker) release() {
	clear(w.steps[:cap(w.steps)])
	clear(w.frames[:cap(w.frames)])
	clear(w.states[:cap(w.states)])
	*w.budget = 0
	*w = walker{steps: w.steps[:0], frames: w.frames[:0], states: w.states[:0], budget: w.budget}
	walkers.Put(w)
}

func unwrap(item *yaml.Node) *yaml.Node {
	if item != nil && item.Kind == yaml.DocumentNode {
		if len(item.Content) == 0 {
			return nil
		}
		return item.Content[0]
	}
	return item
}

func (w *walker) run(r *rules) error {
	w.states = r.root.enter(w.states[:0])
	return w.walk(w.root, w.states, false)
}

// walk goes on at n, which is in the given states. What it adds to the stacks
// it takes off again.
func (w *walker) walk(n *yaml.Node, states []*state, shared bool) error {
	if w.aliases > 0 {
		if err := w.budget.Spend(); err != nil {
			return err
		}
		if len(w.steps) > maxDepth {
			return fmt.Errorf("%s: an alias leads back to itself, or more than %d levels deep", w.steps.Head(), maxDepth)
		}
	}
	shared = shared || n.Anchor != ""
	switch n.Kind {
	case yaml.AliasNode:
		if w.within != nil {
			return nil // what is shared there cannot be replaced
		}
		w.aliases++
		err := w.walk(n.Alias, states, true)
		w.aliases--
		return err
	case yaml.SequenceNode:
		for i, element := range n.Content {
			w.steps.Index(i)
			if err := w.walk(element, states, shared); err != nil {
				return err
			}
			w.steps.Back()
		}
		return nil
	case yaml.MappingNode:
		for _, s := range states {
			switch {
			case w.skip != nil && len(w.steps) > w.base && w.isObject(n):
				return nil // another object's fields, which go who knows where
			case s.foreign:
				return nil
			case s.manifests:
				return w.manifest(n, shared)
			}
		}
		w.push(n, len(w.steps), shared)
		err := yamldoc.Each(n, w.budget, func(key string, value *yaml.Node, merged bool) error {
			return w.entry(key, value, states, shared, merged)
		})
		w.frames = w.frames[:len(w.frames)-1]
		return err
	case yaml.ScalarNode:
		return w.scalar(n, states, shared)
	}
	return nil
}

func (w *walker) entry(key string, value *yaml.Node, states []*state, shared, merged bool) error {
	if len(w.skip) > 0 && len(w.steps) == w.base && slices.Contains(w.skip, key) {
		return nil
	}
	before := len(w.states)
	for _, s := range states {
		w.states = s.follow(key, w.states)
	}
	next := w.states[before:]
	if len(next) == 0 {
		return nil
	}
	if merged {
		w.aliases++
	}
	w.steps.Key(key)
	err := w.walk(value, next, shared || merged)
	w.steps.Back()
	if merged {
		w.aliases--
	}
	w.states = w.states[:before]
	return err
}

// scalar takes the first rule for n that fits.
func (w *walker) scalar(n *yaml.Node, states []*state, shared bool) error {
	var candidates []*rule
	for _, s := range states {
		switch {
		case len(s.rules) == 0:
		case candidates == nil:
			candidates = s.rules
		default:
			candidates = slices.Concat(candidates, s.rules)
			slices.SortFunc(candidates, func(a, b *rule) int { return cmp.Compare(a.order, b.order) })
		}
	}
	if len(candidates) == 0 || !isString(n) {
		return nil
	}
	for _, r := range candidates {
		done, err := w.try(r, n, shared)
		if done || err != nil {
			return err
		}
	}
	return nil
}

// isString reports whether n holds a string that is not empty. What YAML takes
// for a number, a boolean or a date is the string that stands there, as it is
// where an object's own name is read.
func isString(n *yaml.Node) bool {
	if n.Kind != yaml.ScalarNode || n.Value == "" {
		return false
	}
	switch n.ShortTag() {
	case "!!str", "!!timestamp", "!!int", "!!float", "!!bool":
		return true
	}
	return false
}

// try takes n by one rule. It reports whether the rule fits.
func (w *walker) try(r *rule, n *yaml.Node, shared bool) (bool, error) {
	around := w.surroundings(r)
	if !around.hold {
		w.mistake(r, n, shared)
		return false, nil
	}
	if r.embedded != nil {
		return w.embed(r, n, shared)
	}
	if around.targets == 0 && r.Of == nil {
		w.mistake(r, n, shared)
		return false, nil
	}
	if r.Separator == "" {
		return w.take(r, around, n, shared, 0, len(n.Value)), nil
	}
	fits := false
	for start := 0; start <= len(n.Value); {
		end := strings.Index(n.Value[start:], r.Separator)
		if end < 0 {
			end = len(n.Value)
		} else {
			end += start
		}
		from, to := trim(n.Value, start, end)
		if w.take(r, around, n, shared, from, to) {
			fits = true
		}
		start = end + len(r.Separator)
	}
	return fits, nil
}

// surroundings are what a rule has to know of what stands around a name: the same
// for all names of a list.
type surroundings struct {
	frame   int // the serial number of the mapping around
	hold    bool
	targets catalog.Target
	// ref is a reference with all that does not depend on the name; nil until
	// a name is found.
	ref *Reference
}

// surroundings returns those of the present node.
func (w *walker) surroundings(r *rule) *surroundings {
	serial := 0
	if len(w.frames) > 0 {
		serial = w.frames[len(w.frames)-1].serial
	}
	inList := len(w.steps) > w.base && w.steps[len(w.steps)-1].Index >= 0
	if inList {
		if known := w.around[r]; known != nil && known.frame == serial {
			return known
		}
	}
	s := &surroundings{frame: serial, hold: w.holdAll(r.When)}
	if s.hold && r.embedded == nil {
		s.targets = w.targets(r.Rule)
	}
	if inList {
		if w.around == nil {
			w.around = map[*rule]*surroundings{}
		}
		w.around[r] = s
	}
	return s
}

// mistake notes n, to which a rule does not apply, where kustomize applies it.
func (w *walker) mistake(r *rule, n *yaml.Node, shared bool) {
	if !r.Names || !r.Kustomize {
		return
	}
	if at, _, located := w.locate(n, shared); located {
		w.mistaken = append(w.mistaken, at)
	}
}

// trim leaves out white space at both ends of value[start:end].
func trim(value string, start, end int) (int, int) {
	text := value[start:end]
	start += len(text) - len(strings.TrimLeft(text, " \t\r\n"))
	return start, start + len(strings.TrimSpace(text))
}

// take adds the reference in n.Value[start:end], if it fits one of the rule's
// formats.
func (w *walker) take(r *rule, around *surroundings, n *yaml.Node, shared bool, start, end int) bool {
	for _, format := range r.Formats {
		m, fits := format.Match(n.Value[start:end])
		if !fits {
			continue
		}
		if m.Target != 0 {
			m.Target &= around.targets
		} else {
			m.Target = around.targets
		}
		if m.Target == 0 && r.Of == nil {
			continue
		}
		at, offset, located := w.locate(n, shared)
		if !located {
			return false
		}
		if around.ref == nil {
			around.ref = w.reference(r.Rule)
		}
		shift := func(s catalog.Span) (int, int) { return s.Start + start + offset, s.End + start + offset }
		ref := *around.ref
		ref.Targets, ref.Name, ref.At = m.Target, n.Value[start+m.Name.Start:start+m.Name.End], at
		ref.Kustomize = r.Kustomize && w.within == nil && m.Name == catalog.Span{Start: 0, End: len(n.Value)}
		ref.Start, ref.End = shift(m.Name)
		if m.Namespace != (catalog.Span{}) {
			ref.Namespace, ref.ControllerNamespace = n.Value[start+m.Namespace.Start:start+m.Namespace.End], false
			ref.NamespaceStart, ref.NamespaceEnd = shift(m.Namespace)
			ref.NamespaceAt = &at
		}
		if m.Key != (catalog.Span{}) {
			ref.Keys = []string{n.Value[start+m.Key.Start : start+m.Key.End]}
			ref.Required = ref.Keys
		}
		w.found = append(w.found, ref)
		return true
	}
	return false
}

// reference returns a reference by a rule, but for what the name's own value tells.
func (w *walker) reference(r *catalog.Rule) *Reference {
	ref := &Reference{
		Role: r.Role, Of: r.Of, Derived: r.Derived, List: r.Names, PodTemplate: -1,
		Consumed: r.Consumed, Via: cmp.Or(r.Via, catalog.ViaReference), Tentative: r.Tentative, Immutable: r.Immutable, Follows: r.Follows,
	}
	if r.Pins.Reason != "" && w.holdAll(r.Pins.When) {
		ref.Pins = r.Pins.Reason
	}
	w.namespace(r, ref)
	if key := w.text(r.Key); key != "" {
		ref.Keys = []string{key}
	}
	ref.Required = ref.Keys
	if ref.Consumed && (r.Items != nil || r.Mount != nil) {
		w.consume(r, ref)
	}
	ref.Optional = w.isTrue(r.Optional)
	if r.KindFrom != nil {
		ref.KindFrom = &KindFrom{r.KindFrom.Group, r.KindFrom.Kind, w.text(&r.KindFrom.Name), r.KindFrom.Export}
	}
	return ref
}

// namespace finds the namespace where the value does not tell it.
func (w *walker) namespace(r *catalog.Rule, ref *Reference) {
	ref.Namespace, ref.ControllerNamespace = r.NamespaceDefault, r.Elsewhere
	if r.Namespace == nil {
		return
	}
	field, ok := w.lookup(*r.Namespace)
	if !ok || !isString(field.node) {
		return
	}
	// A template such as ${pvc.namespace} tells no namespace, but that it is
	// not the referrer's.
	if !isNamespace(field.node.Value) {
		ref.Namespace, ref.ControllerNamespace = "", true
		return
	}
	at, offset, located := w.locateAt(w.pathOf(&field), field.node, field.shared)
	if located {
		ref.NamespaceAt = &at
		ref.NamespaceStart, ref.NamespaceEnd = offset, offset+len(field.node.Value)
	}
	ref.Namespace, ref.ControllerNamespace = field.node.Value, false
}

func isNamespace(value string) bool {
	for i := range len(value) {
		if c := value[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' {
			return false
		}
	}
	return value != ""
}

// targets returns the kinds that a rule's reference may name here, and 0 if
// it names neither.
func (w *walker) targets(r *catalog.Rule) catalog.Target {
	k := r.Kind
	if k == nil {
		return r.Targets
	}
	told := false
	for _, group := range k.Group {
		field, ok := w.lookup(group)
		if !ok || isNull(field.node) {
			continue
		}
		told = true
		if field.node.Value != "" && field.node.Value != "v1" {
			return 0
		}
	}
	if !told && k.GroupDefault != "" {
		return 0
	}
	field, ok := w.lookup(k.Path)
	if !ok || isNull(field.node) || field.node.Kind == yaml.ScalarNode && field.node.Value == "" {
		return k.Default & r.Targets
	}
	var targets catalog.Target
	for _, value := range scalars(field.node) {
		targets |= kindOf(k, value)
	}
	return targets & r.Targets
}

func kindOf(k *catalog.KindField, value string) catalog.Target {
	if len(k.Values) == 0 {
		if k.IgnoreCase {
			for _, kind := range catalog.AnyTarget.Kinds() {
				if strings.EqualFold(kind, value) {
					return catalog.TargetOf(kind)
				}
			}
		}
		return catalog.TargetOf(value)
	}
	if !k.IgnoreCase {
		return k.Values[value]
	}
	for name, target := range k.Values {
		if strings.EqualFold(name, value) {
			return target
		}
	}
	return 0
}

// holdAll reports whether all conditions hold at the present node.
func (w *walker) holdAll(conditions []catalog.Condition) bool {
	for i := range conditions {
		if !w.holds(&conditions[i]) {
			return false
		}
	}
	return true
}

func (w *walker) holds(c *catalog.Condition) bool {
	if len(c.Any) > 0 {
		return slices.ContainsFunc(c.Any, func(one catalog.Condition) bool { return w.holds(&one) })
	}
	var node *yaml.Node
	if c.Path != nil {
		if field, ok := w.lookup(*c.Path); ok && !isNull(field.node) {
			node = field.node
		}
	}
	if c.Present != nil && *c.Present != (node != nil) {
		return false
	}
	is := func(values []string) bool {
		if node == nil || node.Kind != yaml.ScalarNode {
			return false
		}
		if value, ok := yamldoc.Bool(node); ok && slices.Contains(values, strconv.FormatBool(value)) {
			return true
		}
		return slices.Contains(values, node.Value)
	}
	if len(c.In) > 0 && !is(c.In) || len(c.NotIn) > 0 && is(c.NotIn) {
		return false
	}
	return len(c.Contains) == 0 || node != nil && node.Kind == yaml.SequenceNode &&
		slices.ContainsFunc(scalars(node), func(v string) bool { return slices.Contains(c.Contains, v) })
}

// Holds reports whether all conditions hold of an item, their paths taken
// from its root: those of a catalog.Exception, for example.
func Holds(conditions []catalog.Condition, item *yaml.Node) bool {
	w := &walker{root: unwrap(item), budget: new(yamldoc.Budget)}
	if w.root == nil {
		return false
	}
	w.frames = []frame{{mapping: w.root}}
	return w.holdAll(conditions)
}

// useDefault adds the reference that stands for an absent field.
func (w *walker) useDefault(r *rule) {
	restore := w.descend(r.Path)
	defer restore()
	if len(w.frames) == len(r.Path) {
		last := catalog.Relative{Path: r.Path[len(r.Path)-1:]}
		if field, ok := w.lookup(last); ok && !isNull(field.node) && field.node.Value != "" {
			return
		}
	}
	targets := w.targets(r.Rule)
	if targets == 0 || !w.holdAll(r.When) {
		return
	}
	for _, from := range r.Default {
		field, ok := w.lookup(from)
		if !ok || !isString(field.node) {
			continue
		}
		if _, fits := catalog.Plain.Match(field.node.Value); !fits {
			return
		}
		at := edit.ScalarAt(w.pathOf(&field), field.node, field.shared)
		role, name := r.Role, at.Value
		if r.DefaultName != "" {
			role, name = catalog.Producer, strings.ReplaceAll(r.DefaultName, "{}", name)
		}
		ref := Reference{
			Role: role, Targets: targets, Name: name, At: at, End: len(at.Value),
			PodTemplate: -1, Via: catalog.ViaReference, Immutable: r.Immutable, Default: true,
		}
		w.namespace(r.Rule, &ref)
		w.found = append(w.found, ref)
		return
	}
}

// export reads a value that others ask for.
func (w *walker) export(e *catalog.Export) (string, bool) {
	restore := w.descend(e.Path)
	defer restore()
	if len(w.frames) < len(e.Path) || !w.holdAll(e.When) {
		return "", false
	}
	field, ok := w.lookup(catalog.Relative{Path: e.Path[len(e.Path)-1:]})
	if !ok || !isString(field.node) {
		return "", false
	}
	return field.node.Value, true
}

// descend makes frames of the mappings on the way to the last key of path,
// one for each key, as far as they are there. It passes through no lists.
func (w *walker) descend(path catalog.Path) (restore func()) {
	n, shared := w.root, false
	for i := range path {
		if n.Kind == yaml.AliasNode {
			n, shared = n.Alias, true
		}
		shared = shared || n.Anchor != ""
		if n.Kind != yaml.MappingNode {
			break
		}
		w.push(n, w.base+i, shared)
		if i == len(path)-1 {
			break
		}
		next, merged := w.get(n, string(path[i]))
		if next == nil {
			break
		}
		w.steps.Key(string(path[i]))
		n, shared = next, shared || merged
	}
	return func() { w.frames, w.steps = w.frames[:0], w.steps[:w.base] }
}

// A field is a node that a lookup found.
type field struct {
	node   *yaml.Node // never an alias
	depth  int        // in walker.steps, of the mapping that the way begins at
	way    catalog.Path
	shared bool
}

// pathOf returns the path of a field.
func (w *walker) pathOf(f *field) yamldoc.Path {
	path := w.steps[:f.depth].Path()
	for _, key := range f.way {
		path = path.Key(string(key))
	}
	return path
}

// lookup goes to a field from the mapping around the present node.
func (w *walker) lookup(r catalog.Relative) (field, bool) {
	at := frame{mapping: w.root, depth: w.base}
	if !r.Root {
		if r.Up >= len(w.frames) {
			return field{}, false
		}
		at = w.frames[len(w.frames)-1-r.Up]
	}
	found := field{node: at.mapping, depth: at.depth, way: r.Path, shared: at.shared}
	for i := 0; ; i++ {
		if found.node.Kind == yaml.AliasNode {
			found.node, found.shared = found.node.Alias, true
		}
		found.shared = found.shared || found.node.Anchor != ""
		if i == len(r.Path) {
			break
		}
		if found.node.Kind != yaml.MappingNode {
			return field{}, false
		}
		next, merged := w.get(found.node, string(r.Path[i]))
		if next == nil {
			return field{}, false
		}
		found.node, found.shared = next, found.shared || merged
	}
	return found, true
}

// text returns the scalar that r leads to, and "" if r is nil or leads to
// none.
func (w *walker) text(r *catalog.Relative) string {
	if r == nil {
		return ""
	}
	field, ok := w.lookup(*r)
	if !ok || field.node.Kind != yaml.ScalarNode || isNull(field.node) {
		return ""
	}
	return field.node.Value
}

// isTrue reports whether what stands in a relative field is true to kubectl.
func (w *walker) isTrue(r *catalog.Relative) bool {
	if r == nil {
		return false
	}
	field, ok := w.lookup(*r)
	if !ok {
		return false
	}
	value, _ := yamldoc.Bool(field.node)
	return value
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" }

// scalars returns the values of n, or of its elements if it is a list.
func scalars(n *yaml.Node) []string {
	switch n.Kind {
	case yaml.ScalarNode:
		return []string{n.Value}
	case yaml.SequenceNode:
		var values []string
		for _, element := range n.Content {
			if element.Kind == yaml.AliasNode {
				element = element.Alias
			}
			if element.Kind == yaml.ScalarNode {
				values = append(values, element.Value)
			}
		}
		return values
	}
	return nil
}

// get is yamldoc.Get, in less time where a mapping has many entries.
func (w *walker) get(m *yaml.Node, key string) (value *yaml.Node, merged bool) {
	const many = 64
	if len(m.Content) < 2*many && !yamldoc.HasMerge(m) {
		return yamldoc.Get(m, key, w.budget)
	}
	index, ok := w.indices[m]
	if !ok {
		index = make(map[string]entry, len(m.Content)/2)
		// The walk that shares the budget reports that it is spent.
		_ = yamldoc.Each(m, w.budget, func(name string, value *yaml.Node, merged bool) error {
			if _, twice := index[name]; !twice {
				index[name] = entry{value, merged}
			}
			return nil
		})
		if w.indices == nil {
			w.indices = map[*yaml.Node]map[string]entry{}
		}
		w.indices[m] = index
	}
	found := index[key]
	return found.value, found.merged
}

// An entry is one of a mapping.
type entry struct {
	value  *yaml.Node
	merged bool
}

func (w *walker) path() yamldoc.Path { return w.steps.Path() }
