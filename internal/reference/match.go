package reference

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/edit"
	"github.com/confighash/confighash/internal/yamldoc"
)

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

// try applies one rule to n. It reports whether the rule fits.
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
	fits, start := false, 0
	for element := range strings.SplitSeq(n.Value, r.Separator) {
		from := start + len(element) - len(strings.TrimLeftFunc(element, unicode.IsSpace))
		fits = w.take(r, around, n, shared, from, from+len(strings.TrimSpace(element))) || fits
		start += len(element) + len(r.Separator)
	}
	return fits, nil
}

// surroundings are the facts about the mapping around a name that a rule needs. They are the same for all names of a
// list.
type surroundings struct {
	frame   int // serial number of the surrounding mapping
	hold    bool
	targets catalog.Target
	// ref holds the parts of a reference that do not depend on the name, once a name was found.
	ref    Reference
	hasRef bool
}

// surroundings returns the surroundings of the current node, valid until the next call.
func (w *walker) surroundings(r *rule) *surroundings {
	s, serial := &w.present, 0
	if len(w.frames) > 0 {
		serial = w.frames[len(w.frames)-1].serial
	}
	if len(w.steps) > w.base && w.steps[len(w.steps)-1].Index >= 0 {
		if known := w.around[r]; known != nil && known.frame == serial {
			return known
		}
		if w.around == nil {
			w.around = map[*rule]*surroundings{}
		}
		s = &surroundings{}
		w.around[r] = s
	}
	*s = surroundings{frame: serial, hold: w.holdAll(r.When)}
	if s.hold && r.embedded == nil {
		s.targets = w.targets(r.Rule)
	}
	return s
}

// mistake records n if the rule does not apply to it, but kustomize does apply it.
func (w *walker) mistake(r *rule, n *yaml.Node, shared bool) {
	if !r.Names || !r.Kustomize {
		return
	}
	if at, _, located := w.locate(n, shared); located {
		w.mistaken = append(w.mistaken, at)
	}
}

// take adds the reference in n.Value[start:end] if it matches one of the rule's formats.
func (w *walker) take(r *rule, around *surroundings, n *yaml.Node, shared bool, start, end int) bool {
	for _, format := range r.Formats {
		m, fits := format.Match(n.Value[start:end])
		if !fits {
			continue
		}
		m.Target = cmp.Or(m.Target, catalog.AnyTarget) & around.targets
		if m.Target == 0 && r.Of == nil {
			continue
		}
		at, offset, located := w.locate(n, shared)
		if !located {
			return false
		}
		if !around.hasRef {
			around.hasRef = true
			w.describe(&around.ref, r.Rule)
		}
		shift := func(s catalog.Span) (int, int) { return s.Start + start + offset, s.End + start + offset }
		w.found = append(w.found, around.ref)
		ref := &w.found[len(w.found)-1]
		ref.Targets, ref.Name, ref.At = m.Target, n.Value[start+m.Name.Start:start+m.Name.End], at
		ref.Kustomize = r.Kustomize && w.within == nil && m.Name == catalog.Span{Start: 0, End: len(n.Value)}
		ref.Start, ref.End = shift(m.Name)
		if m.Namespace != (catalog.Span{}) {
			ref.Namespace, ref.ControllerNamespace = n.Value[start+m.Namespace.Start:start+m.Namespace.End], false
			ref.NamespaceStart, ref.NamespaceEnd = shift(m.Namespace)
			namespaceAt := at
			ref.NamespaceAt = &namespaceAt
		}
		if m.Key != (catalog.Span{}) {
			ref.Keys = []string{n.Value[start+m.Key.Start : start+m.Key.End]}
			ref.Required = ref.Keys
		}
		return true
	}
	return false
}

// describe sets the parts of a reference that do not depend on the value itself.
func (w *walker) describe(ref *Reference, r *catalog.Rule) {
	*ref = Reference{
		Role: r.Role, Of: r.Of, Derived: r.Derived, List: r.Names, PodTemplate: -1,
		Consumed: r.Consumed, Via: cmp.Or(r.Via, catalog.ViaReference), Tentative: r.Tentative, Immutable: r.Immutable, Follows: r.Follows,
	}
	if r.Pins.Reason != "" && w.holdAll(r.Pins.When) {
		ref.Pins = r.Pins.Reason
	}
	w.namespace(r, ref)
	if key := yamldoc.StringOf(w.nodeAt(r.Key)); key != "" {
		ref.Keys = []string{key}
	}
	ref.Required = ref.Keys
	if ref.Consumed && (r.Items != nil || r.Mount != nil) {
		w.consume(r, ref)
	}
	if optional := w.nodeAt(r.Optional); optional != nil {
		ref.Optional, _ = yamldoc.Bool(optional)
	}
	if r.KindFrom != nil {
		ref.KindFrom = &KindFrom{r.KindFrom.Group, r.KindFrom.Kind, yamldoc.StringOf(w.nodeAt(&r.KindFrom.Name)), r.KindFrom.Export}
	}
}

func (w *walker) namespace(r *catalog.Rule, ref *Reference) {
	ref.Namespace, ref.ControllerNamespace = r.NamespaceDefault, r.Elsewhere
	if r.Namespace == nil {
		return
	}
	field, ok := w.lookup(*r.Namespace)
	if !ok || !isString(field.node) {
		return
	}
	// A template such as ${pvc.namespace} gives no namespace, but shows that it is not the referrer's.
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
	return value != "" && strings.Trim(value, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}

// useDefault adds the reference that replaces a missing field.
func (w *walker) useDefault(r *rule) {
	own, ok := w.descend(r.Path)
	defer w.ascend()
	if ok && !yamldoc.IsNull(own.node) && own.node.Value != "" {
		return
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
