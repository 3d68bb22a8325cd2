package catalog

// A Change is the effect of a changed pod template.
type Change uint8

const (
	// Rollout: the running pods are replaced.
	Rollout Change = iota
	// Deferred: the running pods are replaced later, when somebody acts.
	Deferred
	// FuturePods: running pods stay, new ones use the new template.
	FuturePods
	// NewRevision: a new revision is made beside the earlier one.
	NewRevision
	// InPlace: if only annotations or labels change, pods are patched without a restart.
	InPlace
	// CreateOnce: the template is read once, when the object is created.
	CreateOnce
	// Destructive: running work is killed.
	Destructive
	// Forbidden: the API server refuses the change.
	Forbidden
	// Operator: an operator decides, in a way that the catalogue does not know.
	Operator
	// Recreated: each time, the object is created again, with its current content.
	Recreated
	// NoChange: nothing reads the template.
	NoChange
)

var changes = [...]struct {
	name string // as in data files
	// meaning says what happens, as the references command prints it.
	meaning string
	// reason applies if a template has none of its own.
	reason string
	// unstamped says why mode Annotate leaves the template alone, "" if it stamps it; unsurprised says that users would
	// not expect the change to roll.
	unstamped   string
	unsurprised bool
	// harm is the effect of a changed name in the template.
	harm string
}{
	Rollout:     {name: "rollout", meaning: "the running pods are replaced"},
	Deferred:    {name: "deferred", meaning: "the running pods are replaced when somebody acts", reason: "its pods are replaced when somebody acts"},
	FuturePods:  {name: "futurePods", meaning: "running pods stay, and later ones follow it"},
	NewRevision: {name: "newRevision", meaning: "a revision is made next to the earlier one"},
	InPlace: {
		name: "inPlace", meaning: "running pods are patched without a restart if only annotations or labels change",
		reason: "running pods are patched in place",
	},
	CreateOnce: {
		name: "createOnce", meaning: "nothing happens, because it is read once, when the object is created",
		reason:    "its pod template is read once, when it is created",
		unstamped: "its pod template is read once, when it is created; replace it when its configuration changes",
	},
	Destructive: {
		name: "destructive", meaning: "running work is killed",
		reason:    "a changed pod template stops what is running",
		unstamped: "a changed pod template kills what is running",
		harm:      "what is running is killed when that changes",
	},
	Forbidden: {
		name: "forbidden", meaning: "the API server refuses it",
		reason:    "its pod template cannot change once it exists",
		unstamped: "what it runs cannot change once it exists; replace it when its configuration changes",
		harm:      "an apply is refused when that changes",
	},
	Operator: {
		name: "operator", meaning: "an operator decides, in a way not known here",
		reason:    "its operator decides",
		unstamped: "what a changed pod template does is up to its operator; add it to spec.podTemplates if it rolls",
	},
	Recreated: {
		name: "recreated", meaning: "the object is created again each time",
		unstamped: "it is created each time", unsurprised: true,
	},
	NoChange: {
		name: "none", meaning: "nothing happens, because nothing reads it",
		unstamped: "nothing makes pods of its template", unsurprised: true,
	},
}

// String returns the change as data files write it.
func (c Change) String() string { return changes[c].name }

// UnmarshalText reads a change as data files write it.
func (c *Change) UnmarshalText(text []byte) error {
	return enumOf(c, text, len(changes))
}

// Meaning returns the effect on the pods, as a clause about a changed template.
func (c Change) Meaning() string { return changes[c].meaning }

// Reason returns why the pods are not simply replaced, as the end of a sentence about the workload; "" if the Change
// explains itself. The Reason of an Exception is more precise.
func (c Change) Reason() string { return changes[c].reason }

// Unstamped returns why mode Annotate gives such a template no checksum, "" if it does. expected reports whether users
// expect that, so that no warning is needed.
func (c Change) Unstamped() (why string, expected bool) {
	return changes[c].unstamped, changes[c].unsurprised
}

// Harm returns the effect of a changed name in the template, "" unless it needs a warning.
func (c Change) Harm() string { return changes[c].harm }
