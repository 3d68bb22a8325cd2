package impact

import "slices"

// APIVersion and Kind are those of a Report in JSON.
const (
	APIVersion = "confighash.dev/v1alpha1"
	Kind       = "Impact"
)

// A Report predicts what happens when the new set of manifests is applied over the old
// one. Its lists are sorted. It holds no value of a ConfigMap or a Secret.
type Report struct {
	APIVersion string  `json:"apiVersion"`
	Kind       string  `json:"kind"`
	Summary    Summary `json:"summary"`
	// Causes are why something happens to workloads, the biggest first.
	Causes []Total `json:"causes"`
	// Workloads are those to which something happens, worst first.
	Workloads []Workload `json:"workloads"`
	// Objects are those whose content differs, or that were added or removed.
	Objects []Object `json:"objects"`
	// Disappearing are objects that an apply that prunes removes and that something may
	// still need.
	Disappearing []Disappearing `json:"disappearing"`
	// Refused are resources other than workloads whose apply is refused.
	Refused []Refusal `json:"refused"`
}

// A Summary counts workloads by their effect, and objects.
type Summary struct {
	Refused int `json:"refused"`
	Kills   int `json:"kills"`
	Stale   int `json:"stale"`
	Rolls   int `json:"rolls"`
	Waits   int `json:"waits"`
	// RunsAgain counts Jobs with another name, by jobs: Rename.
	RunsAgain int `json:"runsAgain"`
	NextRuns  int `json:"nextRuns"`
	Unknown   int `json:"unknown"`
	Starts    int `json:"starts"`
	Stops     int `json:"stops"`

	// Avoidable are how many restart for metadata alone; see Workload.Avoidable.
	Avoidable    int `json:"avoidable"`
	Unconsumed   int `json:"unconsumed"`
	Disappearing int `json:"disappearing"`

	Pods Pods `json:"pods"`
}

// An Effect is what an apply does to a workload.
type Effect string

// The effects, worst first.
const (
	// Refused: the API server refuses the new manifest.
	Refused Effect = "Refused"
	// Kills: running work is stopped, and what it has done may be lost.
	Kills Effect = "Kills"
	// Stale: the pods keep the old configuration until restarted.
	Stale Effect = "Stale"
	// Rolls: the pods are replaced.
	Rolls Effect = "Rolls"
	// Waits: the pods are replaced after somebody acts.
	Waits Effect = "Waits"
	// RunsAgain: a Job is created again under another hash, and runs.
	RunsAgain Effect = "RunsAgain"
	// NextRuns: what runs stays; the next run or pod follows the new manifests.
	NextRuns Effect = "NextRuns"
	// Unknown: an operator decides.
	Unknown Effect = "Unknown"
	// Starts: the workload is new.
	Starts Effect = "Starts"
	// Stops: the workload is not in the new set, and an apply that prunes removes it.
	Stops Effect = "Stops"
)

// Effects are all effects, worst first.
func Effects() []Effect {
	return []Effect{Refused, Kills, Stale, Rolls, Waits, RunsAgain, NextRuns, Unknown, Starts, Stops}
}

// A Ref names a resource.
type Ref struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	// Namespace is where it will be applied, "" for a cluster-scoped one.
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
	// Source is the name of the object whose keys it holds, "" for any other object.
	Source string `json:"source,omitempty"`
	// Context: another build writes it.
	Context bool `json:"context,omitempty"`
}

// String returns kind, namespace and name, and whether another build writes it.
func (r Ref) String() string {
	text := r.Kind + " "
	if r.Namespace != "" {
		text += r.Namespace + "/"
	}
	if text += r.Name; r.Context {
		text += " (another build)"
	}
	return text
}

// A Workload is a resource with a pod template, to which something happens.
type Workload struct {
	Ref
	Effect Effect `json:"effect"`
	// Reason says why, if the kind alone does not: the end of a sentence.
	Reason string `json:"reason,omitempty"`
	// TemplateChanges: the API server will store another pod template.
	TemplateChanges bool `json:"templateChanges,omitempty"`
	// Accepted: an annotation of the workload says that it may stay stale.
	Accepted bool `json:"accepted,omitempty"`
	// Replicas is nil if the new manifest does not say.
	// Strategy is as in "RollingUpdate, maxUnavailable 1".
	Replicas *int64  `json:"replicas,omitempty"`
	Strategy string  `json:"strategy,omitempty"`
	Causes   []Cause `json:"causes,omitempty"`
	// Avoidable are the keys of labels and annotations of its pods that it restarts for, if
	// for nothing else, and spec.podMetadata drops them.
	Avoidable []string `json:"avoidable,omitempty"`
	// Fix says what to do about it, as a sentence without its full stop.
	Fix string `json:"fix,omitempty"`
}

// A Cause is an object that a workload uses and that changed, or a field of its
// own that did: one of Object and Field is set.
type Cause struct {
	Change Change `json:"change"`

	// FormerName is the object's name in the old set, if that is another.
	Object     *Ref   `json:"object,omitempty"`
	FormerName string `json:"formerName,omitempty"`
	Keys       []Key  `json:"keys,omitempty"`
	// Via are env, envFrom, volume, subPath, and reference for others.
	Via []string `json:"via,omitempty"`

	// Field is a path such as spec.template.spec.containers[web].image.
	Field string `json:"field,omitempty"`
	// From and To are the values of images, and of names of ConfigMaps and Secrets.
	From string `json:"from,omitempty"`
	To   string `json:"to,omitempty"`
}

// A Change is how something differs.
type Change string

// The changes.
const (
	Added   Change = "Added"
	Changed Change = "Changed"
	Removed Change = "Removed"
	// Renamed: an object has another name and the same content.
	Renamed Change = "Renamed"
	// Reordered: a list has the same elements in another order.
	Reordered Change = "Reordered"
)

// A Key is a key of an object that differs. A key of which the name may be part
// of a value is called "(hidden)".
type Key struct {
	Name   string `json:"name"`
	Change Change `json:"change"`
	// Consumed: pods of the workload, or in an Object those of any, get it.
	Consumed bool `json:"consumed"`
}

// An Object is a ConfigMap, a Secret, or what represents a Secret, that differs.
type Object struct {
	Ref
	FormerName string `json:"formerName,omitempty"`
	Change     Change `json:"change"`
	Keys       []Key  `json:"keys,omitempty"`
	// Consumers are workloads whose pods get what differs. Readers are others that
	// refer to the object.
	Consumers []Ref `json:"consumers,omitempty"`
	Readers   []Ref `json:"readers,omitempty"`
	// Evidence says why a program probably reads the object through the API.
	Evidence []string `json:"evidence,omitempty"`
	// Refused says why the API server refuses the change, and Fix what to do about it.
	Refused string `json:"refused,omitempty"`
	Fix     string `json:"fix,omitempty"`
}

// Unconsumed reports whether no pod gets what differs.
func (o *Object) Unconsumed() bool { return len(o.Consumers) == 0 && o.Change != Removed }

// A Disappearing object is not in the new set while something may need it.
type Disappearing struct {
	Ref
	// Successor is the object's name in the new set, if it has one.
	Successor string `json:"successor,omitempty"`
	// Unkept: the sets carry earlier versions of objects along, and the new one not this.
	Unkept   bool   `json:"unkept,omitempty"`
	NeededBy []Need `json:"neededBy"`
}

// A Need is why a resource needs an object that disappears.
type Need struct {
	Ref
	Why Why `json:"why"`
}

// A Why is a reason to need an object that disappears.
type Why string

// The reasons, worst first.
const (
	// StillNamed: the new manifest still refers to it.
	StillNamed Why = "StillNamed"
	// StillRunning: pods that nothing replaces refer to it.
	StillRunning Why = "StillRunning"
	// RunningJobs: Jobs that run now refer to it.
	RunningJobs Why = "RunningJobs"
	// Rollout: pods refer to it until they are replaced, and a rollback needs it.
	Rollout Why = "Rollout"
	// Rollback: a rollback to a template of before the old set needs it.
	Rollback Why = "Rollback"
)

// A Refusal is a resource whose new manifest the API server refuses.
type Refusal struct {
	Ref
	// Field is what may not change, and Reason why.
	Field  string `json:"field"`
	Reason string `json:"reason"`
	Fix    string `json:"fix,omitempty"`
}

// The exit codes that sum a Report up.
const (
	CodeNothing = 0 // nothing rolls
	CodeRolls   = 3 // something rolls
	CodeStale   = 4 // something stays as it is that should change
)

// ExitCode sums the report up: CodeStale if pods keep an old configuration, an apply is
// refused, a reference dangles or a version that is needed is not kept; or else CodeRolls if a pod template changes or
// something rolls; or else CodeNothing.
func (r *Report) ExitCode() int {
	switch {
	case len(r.Refused) > 0,
		slices.ContainsFunc(r.Workloads, Workload.stale),
		slices.ContainsFunc(r.Objects, func(o Object) bool { return o.Refused != "" }),
		slices.ContainsFunc(r.Disappearing, func(d Disappearing) bool { return d.Unkept || d.NeededBy[0].Why == StillNamed }):
		return CodeStale
	case slices.ContainsFunc(r.Workloads, func(w Workload) bool {
		return w.Effect != Stale && w.TemplateChanges || w.Effect == Rolls || w.Effect == RunsAgain
	}):
		return CodeRolls
	}
	return CodeNothing
}

// stale reports whether nothing brings the configuration to the workload's pods.
func (w Workload) stale() bool {
	configured := slices.ContainsFunc(w.Causes, func(c Cause) bool { return c.Object != nil })
	return !w.Accepted && (w.Effect == Stale || w.Effect == Refused || w.Effect == Waits && configured)
}
