package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"strconv"
	"sync"
	"time"

	"github.com/confighash/confighash/test/cluster"
)

// An event is a stored change.
type event struct {
	kind, namespace, name string
	version               int64 // the resource version, which increases over all objects
	at                    time.Time
	deleted               bool
	owner                 string // "Kind name" of the object that created this one
	template              object // of a workload
	digest                [sha256.Size]byte
	replicas              int64
	data                  map[string]string // of a ConfigMap
}

// watched are the collections to watch.
var watched = map[string]string{
	"/api/v1/configmaps":         "ConfigMap",
	"/apis/apps/v1/daemonsets":   "DaemonSet",
	"/apis/apps/v1/deployments":  "Deployment",
	"/apis/apps/v1/replicasets":  "ReplicaSet",
	"/apis/apps/v1/statefulsets": "StatefulSet",
	"/apis/batch/v1/cronjobs":    "CronJob",
	"/apis/batch/v1/jobs":        "Job",
}

// watcher collects events.
type watcher struct {
	mu     sync.Mutex
	events []event
	last   map[string]event // by kind, namespace and name
	moved  time.Time        // when a template last changed or an object was created
	err    error
}

// watch collects events until ctx ends.
func watch(ctx context.Context, p *cluster.ControlPlane) *watcher {
	w := &watcher{last: map[string]event{}, moved: time.Now()}
	for path, kind := range watched {
		go func() {
			err := p.Watch(ctx, path, func(change cluster.WatchEvent) error { return w.add(kind, change) })
			w.mu.Lock()
			defer w.mu.Unlock()
			w.err = errors.Join(w.err, err)
		}()
	}
	return w
}

func (w *watcher) add(kind string, change cluster.WatchEvent) error {
	var stored struct {
		Metadata struct {
			Name, Namespace, ResourceVersion string
			OwnerReferences                  []struct{ Kind, Name string }
		}
		Spec struct {
			Replicas    int64
			Template    json.RawMessage
			JobTemplate json.RawMessage
		}
		Data map[string]string
	}
	if err := json.Unmarshal(change.Object, &stored); err != nil {
		return err
	}
	e := event{
		kind: kind, namespace: stored.Metadata.Namespace, name: stored.Metadata.Name, at: time.Now(),
		deleted: change.Type == "DELETED", replicas: stored.Spec.Replicas, data: stored.Data,
	}
	for _, owner := range stored.Metadata.OwnerReferences {
		e.owner = owner.Kind + " " + owner.Name
	}
	var err error
	if e.version, err = strconv.ParseInt(stored.Metadata.ResourceVersion, 10, 64); err != nil {
		return err
	}
	template := stored.Spec.Template
	if template == nil {
		template = stored.Spec.JobTemplate
	}
	if template != nil {
		if err := json.Unmarshal(template, &e.template); err != nil {
			return err
		}
		// Maps are encoded with sorted keys.
		encoded, err := json.Marshal(e.template)
		if err != nil {
			return err
		}
		e.digest = sha256.Sum256(encoded)
	}

	w.mu.Lock()
	defer w.mu.Unlock()
	w.events = append(w.events, e)
	key := kind + " " + e.namespace + "/" + e.name
	before, known := w.last[key]
	w.last[key] = e
	if !known || before.digest != e.digest || before.deleted != e.deleted {
		w.moved = e.at
	}
	return nil
}

// quiet is how long nothing must happen to count as the end. Controllers here act within seconds, and wave's limit
// delays it by a second at most.
const quiet = 8 * time.Second

// settle waits until nothing has happened for that long.
func (w *watcher) settle(ctx context.Context) error {
	began := time.Now()
	for {
		w.mu.Lock()
		idle, err := min(time.Since(w.moved), time.Since(began)), w.err
		w.mu.Unlock()
		if err != nil {
			return err
		}
		if idle >= quiet {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(quiet - idle):
		}
	}
}

// lastMove returns when a template last changed or an object was created.
func (w *watcher) lastMove() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.moved
}
