package cluster

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
)

// observeTimeout is how long Rollouts waits for controllers, which need some hundredths of a second.
const observeTimeout = time.Minute

// Revision identifies what a workload makes its pods from. If it changes, the workload has rolled.
type Revision struct {
	// Template identifies the pod template: the ReplicaSet of a Deployment, the ControllerRevision of a StatefulSet or
	// a DaemonSet, the uid of a Job or a Pod; for a CronJob, and for a ReplicaSet or a ReplicationController without an
	// owner, a digest of the stored template.
	Template string
	// Number counts the templates of a Deployment, StatefulSet or DaemonSet. A return to an earlier template, for
	// example by `kubectl rollout undo`, gets its name and a new number. Other kinds have no number.
	Number int64
}

// Snapshot holds the revision of each workload of a namespace, by "Kind namespace/name". It leaves out what a workload
// created: the ReplicaSets of a Deployment, the Jobs of a CronJob, and all pods.
type Snapshot map[string]Revision

// Rolled returns the workloads that are in both snapshots and rolled between them, as "Kind namespace/name", sorted.
func Rolled(before, after Snapshot) []string {
	var rolled []string
	for _, workload := range slices.Sorted(maps.Keys(before)) {
		if now, ok := after[workload]; ok && now != before[workload] {
			rolled = append(rolled, workload)
		}
	}
	return rolled
}

// Rollouts returns the current revisions of a namespace's workloads. It waits until the controllers have observed their
// latest generation and created revisions, so every change applied before is in the snapshot, and no rollout is still
// to come. It does not wait for pods, as none run.
func (c *ControlPlane) Rollouts(ctx context.Context, namespace string) (Snapshot, error) {
	ctx, cancel := context.WithTimeout(ctx, observeTimeout)
	defer cancel()
	var snapshot Snapshot
	err := c.until(ctx, func() (err error) {
		snapshot, err = c.rollouts(ctx, namespace)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("the workloads of namespace %s do not settle: %w", namespace, err)
	}
	return snapshot, nil
}

// rollouts returns the current snapshot, or an error if a controller has not observed the latest generation of a
// workload.
func (c *ControlPlane) rollouts(ctx context.Context, namespace string) (Snapshot, error) {
	state, err := c.read(ctx, namespace)
	if err != nil {
		return nil, err
	}
	snapshot := Snapshot{}
	var late []error
	for i := range state.workloads {
		w := &state.workloads[i]
		if w.Metadata.controlled() || w.Metadata.DeletionTimestamp != "" {
			continue
		}
		revision, err := state.revision(w)
		if err != nil {
			late = append(late, fmt.Errorf("%s: %w", w, err))
		}
		snapshot[w.String()] = revision
	}
	return snapshot, errors.Join(late...)
}

// state is the API server's state of workloads and their revisions.
type state struct {
	workloads   []workload
	replicaSets []workload // those of Deployments and others
	revisions   []controllerRevision
}

// read reads the state of a namespace, with the workloads first: the revisions of the generation read are then
// complete.
func (c *ControlPlane) read(ctx context.Context, namespace string) (*state, error) {
	s := &state{}
	for _, list := range []struct{ kind, path string }{
		{"CronJob", "/apis/batch/v1/namespaces/%s/cronjobs"},
		{"DaemonSet", "/apis/apps/v1/namespaces/%s/daemonsets"},
		{"Deployment", "/apis/apps/v1/namespaces/%s/deployments"},
		{"Job", "/apis/batch/v1/namespaces/%s/jobs"},
		{"Pod", "/api/v1/namespaces/%s/pods"},
		{"ReplicationController", "/api/v1/namespaces/%s/replicationcontrollers"},
		{"StatefulSet", "/apis/apps/v1/namespaces/%s/statefulsets"},
		{"ReplicaSet", "/apis/apps/v1/namespaces/%s/replicasets"},
	} {
		var into struct{ Items []workload }
		if err := c.Get(ctx, fmt.Sprintf(list.path, namespace), &into); err != nil {
			return nil, err
		}
		for i := range into.Items {
			into.Items[i].kind = list.kind // the items of a list have no kind
		}
		s.workloads = append(s.workloads, into.Items...)
		if list.kind == "ReplicaSet" {
			s.replicaSets = into.Items
		}
	}
	var into struct{ Items []controllerRevision }
	if err := c.Get(ctx, "/apis/apps/v1/namespaces/"+namespace+"/controllerrevisions", &into); err != nil {
		return nil, err
	}
	s.revisions = into.Items
	return s, nil
}

// metadata is the relevant part of an object's metadata.
type metadata struct {
	Name, Namespace, UID string
	Generation           int64
	Annotations          map[string]string
	CreationTimestamp    string
	DeletionTimestamp    string
	OwnerReferences      []struct {
		UID        string
		Controller bool
	}
}

// controlled reports whether another object created this one.
func (m *metadata) controlled() bool {
	for _, owner := range m.OwnerReferences {
		if owner.Controller {
			return true
		}
	}
	return false
}

// controlledBy reports whether other created this object.
func (m *metadata) controlledBy(other *metadata) bool {
	for _, owner := range m.OwnerReferences {
		if owner.Controller && owner.UID == other.UID {
			return true
		}
	}
	return false
}

// workload is a workload of any kind; fields that a kind does not have are empty.
type workload struct {
	kind     string
	Metadata metadata
	Spec     struct {
		Template, JobTemplate json.RawMessage
		Paused                bool
	}
	Status struct {
		ObservedGeneration int64
		UpdateRevision     string
	}
}

// String returns the workload's name in a Snapshot.
func (w *workload) String() string {
	return w.kind + " " + w.Metadata.Namespace + "/" + w.Metadata.Name
}

// controllerRevision is a current or earlier template of a StatefulSet or a DaemonSet.
type controllerRevision struct {
	Metadata metadata
	Revision int64
}

// errNotObserved says that a controller has not observed a workload yet.
var errNotObserved = errors.New("its controller has not seen its latest generation")

func (s *state) revision(w *workload) (Revision, error) {
	switch w.kind {
	case "Job", "Pod":
		return Revision{Template: w.Metadata.UID}, nil
	case "CronJob":
		return stored(w.Spec.JobTemplate)
	case "ReplicaSet", "ReplicationController":
		return stored(w.Spec.Template)
	}
	if w.Status.ObservedGeneration < w.Metadata.Generation {
		return Revision{}, errNotObserved
	}
	switch w.kind {
	case "Deployment":
		return s.replicaSet(w)
	case "StatefulSet":
		// The status gets the generation and the revision at the same time.
		for i := range s.revisions {
			if r := &s.revisions[i]; r.Metadata.Name == w.Status.UpdateRevision && r.Metadata.controlledBy(&w.Metadata) {
				return Revision{Template: r.Metadata.Name, Number: r.Revision}, nil
			}
		}
	case "DaemonSet":
		// The status does not name the revision, but the controller writes the revision first.
		var newest Revision
		for i := range s.revisions {
			if r := &s.revisions[i]; r.Metadata.controlledBy(&w.Metadata) && r.Revision > newest.Number {
				newest = Revision{Template: r.Metadata.Name, Number: r.Revision}
			}
		}
		if newest.Number > 0 {
			return newest, nil
		}
	}
	return Revision{}, errors.New("there is no ControllerRevision of it")
}

// replicaSet returns the ReplicaSet with a Deployment's template, to which it rolls. An observed generation is not
// sufficient: a change that also scales is observed before its ReplicaSet is created.
func (s *state) replicaSet(deployment *workload) (Revision, error) {
	want, err := template(deployment)
	if err != nil {
		return Revision{}, err
	}
	var newest, present Revision
	var since string // creation time of present
	for i := range s.replicaSets {
		r := &s.replicaSets[i]
		if !r.Metadata.controlledBy(&deployment.Metadata) {
			continue
		}
		// If there is no number yet, the controller still has to add it.
		number, _ := strconv.ParseInt(r.Metadata.Annotations[revisionAnnotation], 10, 64)
		revision := Revision{Template: r.Metadata.Name, Number: number}
		if number > newest.Number {
			newest = revision
		}
		got, err := template(r)
		if err != nil {
			return Revision{}, err
		}
		// If several have the same template, the controller uses the oldest. It compares quantities by value.
		if equality.Semantic.DeepEqual(got, want) && (since == "" || r.Metadata.CreationTimestamp < since) {
			present, since = revision, r.Metadata.CreationTimestamp
		}
	}
	switch {
	case deployment.Spec.Paused:
		// It stays with the current one until it is resumed.
		return newest, nil
	case since == "":
		return Revision{}, errors.New("there is no ReplicaSet with its template")
	case present != newest:
		return Revision{}, errors.New("the ReplicaSet with its template is not yet the newest")
	}
	return present, nil
}

const (
	// revisionAnnotation is the Deployment controller's counter.
	revisionAnnotation = "deployment.kubernetes.io/revision"
	// hashLabel is added to the template of a ReplicaSet.
	hashLabel = "pod-template-hash"
)

// template returns the pod template of a Deployment or ReplicaSet, without the label in which they differ.
func template(w *workload) (*corev1.PodTemplateSpec, error) {
	template := &corev1.PodTemplateSpec{}
	if err := json.Unmarshal(w.Spec.Template, template); err != nil {
		return nil, fmt.Errorf("%s: spec.template: %w", w, err)
	}
	delete(template.Labels, hashLabel)
	return template, nil
}

// stored returns a digest of a stored template.
func stored(template json.RawMessage) (Revision, error) {
	var compact bytes.Buffer
	if err := json.Compact(&compact, template); err != nil {
		return Revision{}, err
	}
	digest := sha256.Sum256(compact.Bytes())
	return Revision{Template: hex.EncodeToString(digest[:8])}, nil
}
