package impact

import "slices"

// Kind identifies a Report in JSON.
const Kind = "Impact"

// A Report predicts the effect of applying the new set of manifests over the old one. Its lists are sorted. It holds no
// value of a ConfigMap or a Secret.
type Report struct {
	APIVersion string  `json:"apiVersion"`
	Kind       string  `json:"kind"`
	Summary    Summary `json:"summary"`
	// Causes are the reasons for effects on workloads, most restarts first.
	Causes []Total `json:"causes"`
	// Workloads are the workloads on which there is an effect, worst first.
	Workloads []Workload `json:"workloads"`
	// Objects are the objects that were added or removed, or whose content differs.
	Objects []Object `json:"objects"`
	// Disappearing are objects that an apply with pruning removes although something may still need them.
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
	// RunsAgain counts Jobs that get another name through jobs: Rename.
	RunsAgain int `json:"runsAgain"`
	NextRuns  int `json:"nextRuns"`
	Unknown   int `json:"unknown"`
	Starts    int `json:"starts"`
	Stops     int `json:"stops"`

	// Avoidable counts workloads that restart only for metadata; see Workload.Avoidable.
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
	// Kills: running work is stopped, and its progress may be lost.
	Kills Effect = "Kills"
	// Stale: the pods keep the old configuration until restarted.
	Stale Effect = "Stale"
	// Rolls: the pods are replaced.
	Rolls Effect = "Rolls"
	// Waits: the pods are replaced after somebody acts.
	Waits Effect = "Waits"
	// RunsAgain: a Job is created under another hash, and runs again.
	RunsAgain Effect = "RunsAgain"
	// NextRuns: running pods stay; the next run or pod uses the new manifests.
	NextRuns Effect = "NextRuns"
	// Unknown: an operator decides.
	Unknown Effect = "Unknown"
	// Starts: the workload is new.
	Starts Effect = "Starts"
	// Stops: the workload is not in the new set, and an apply with pruning removes it.
	Stops Effect = "Stops"
)

// Effects returns all effects, worst first.
func Effects() []Effect {
	return []Effect{Refused, Kills, Stale, Rolls, Waits, RunsAgain, NextRuns, Unknown, Starts, Stops}
}

// A Ref identifies a resource.
type Ref struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	// Namespace is the namespace in which it will be applied, "" if it is cluster-scoped.
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
	// Source is the name of the object whose keys it holds, "" for any other object.
	Source string `json:"source,omitempty"`
	// Context: the resource belongs to another build.
	Context bool `json:"context,omitempty"`
}

// String returns kind, namespace and name, and whether the resource belongs to another build.
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

// A Workload is a resource with a pod template on which there is an effect.
type Workload struct {
	Ref
	Effect Effect `json:"effect"`
	// Reason explains the effect if the kind does not, as the end of a sentence.
	Reason string `json:"reason,omitempty"`
	// TemplateChanges: the stored pod template changes.
	TemplateChanges bool `json:"templateChanges,omitempty"`
	// Accepted: an annotation of the workload allows it to stay stale.
	Accepted bool `json:"accepted,omitempty"`
	// Replicas is nil if the new manifest does not give it. Strategy is text such as "RollingUpdate, maxUnavailable 1".
	Replicas *int64  `json:"replicas,omitempty"`
	Strategy string  `json:"strategy,omitempty"`
	Causes   []Cause `json:"causes,omitempty"`
	// Avoidable are the keys of pod labels and annotations for which it restarts, if it restarts for nothing else and
	// spec.podMetadata can drop them.
	Avoidable []string `json:"avoidable,omitempty"`
	// Fix is what the user can do, as a sentence without its full stop.
	Fix string `json:"fix,omitempty"`
}

// A Cause is a changed object that a workload uses, or a changed field of its own: either Object or Field is set.
type Cause struct {
	Change Change `json:"change"`

	// FormerName is the object's name in the old set, if it differs.
	Object     *Ref   `json:"object,omitempty"`
	FormerName string `json:"formerName,omitempty"`
	Keys       []Key  `json:"keys,omitempty"`
	// Via has env, envFrom, volume and subPath, and reference for other ways.
	Via []string `json:"via,omitempty"`

	// Field is a path such as spec.template.spec.containers[web].image.
	Field string `json:"field,omitempty"`
	// From and To are set for images and names of ConfigMaps and Secrets.
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
	// Renamed: an object has the same content under another name.
	Renamed Change = "Renamed"
	// Reordered: a list has the same elements in another order.
	Reordered Change = "Reordered"
)

// A Key is a key of an object that differs. If the key may be part of a value, Name is "(hidden)".
type Key struct {
	Name   string `json:"name"`
	Change Change `json:"change"`
	// Consumed: pods of the workload or, in an Object, any pods consume it.
	Consumed bool `json:"consumed"`
}

// An Object is a ConfigMap, a Secret or a stand-in for a Secret that differs.
type Object struct {
	Ref
	FormerName string `json:"formerName,omitempty"`
	Change     Change `json:"change"`
	Keys       []Key  `json:"keys,omitempty"`
	// Consumers are workloads whose pods consume what differs. Readers are others that refer to the object.
	Consumers []Ref `json:"consumers,omitempty"`
	Readers   []Ref `json:"readers,omitempty"`
	// Evidence explains why a program probably reads the object through the API.
	Evidence []string `json:"evidence,omitempty"`
	// Refused is why the API server refuses the change, and Fix what to do about it.
	Refused string `json:"refused,omitempty"`
	Fix     string `json:"fix,omitempty"`
}

// Unconsumed reports whether no pod consumes what differs.
func (o *Object) Unconsumed() bool { return len(o.Consumers) == 0 && o.Change != Removed }

// A Disappearing object is not in the new set, but something may still need it.
type Disappearing struct {
	Ref
	// Successor is the object's name in the new set, if it has one.
	Successor string `json:"successor,omitempty"`
	// Unkept: the sets carry earlier versions of objects along, but the new one does not carry this one.
	Unkept   bool   `json:"unkept,omitempty"`
	NeededBy []Need `json:"neededBy"`
}

// A Need is a resource that needs a disappearing object, and why.
type Need struct {
	Ref
	Why Why `json:"why"`
}

// A Why is a reason to need a disappearing object.
type Why string

// The reasons, worst first.
const (
	// StillNamed: the new manifest still refers to it.
	StillNamed Why = "StillNamed"
	// StillRunning: pods that are not replaced refer to it.
	StillRunning Why = "StillRunning"
	// RunningJobs: running Jobs refer to it.
	RunningJobs Why = "RunningJobs"
	// Rollout: pods refer to it until they are replaced, and a rollback needs it.
	Rollout Why = "Rollout"
	// Rollback: a rollback to a template from before the old set needs it.
	Rollback Why = "Rollback"
)

// A Refusal is a resource whose new manifest the API server refuses.
type Refusal struct {
	Ref
	// Field is the field that must not change, and Reason why.
	Field  string `json:"field"`
	Reason string `json:"reason"`
	Fix    string `json:"fix,omitempty"`
}

// The exit codes that summarize a Report.
const (
	CodeNothing = 0 // nothing rolls
	CodeRolls   = 3 // something rolls
	CodeStale   = 4 // something keeps an old configuration
)

// ExitCode summarizes the report: CodeStale if pods keep an old configuration, an apply is refused, a reference dangles
// or a needed version is not kept; otherwise CodeRolls if a pod template changes or something rolls; otherwise
// CodeNothing.
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

// stale reports whether the new configuration does not reach the workload's pods.
func (w Workload) stale() bool {
	configured := slices.ContainsFunc(w.Causes, func(c Cause) bool { return c.Object != nil })
	return !w.Accepted && (w.Effect == Stale || w.Effect == Refused || w.Effect == Waits && configured)
}
