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

// An event is a change that the API server stored.
type event struct {
	kind, namespace, name string
	version               int64 // the resource version, which counts up for all objects together
	at                    time.Time
	deleted               bool
	owner                 string // "Kind name" of the object that made this one
	template              object // of a workload
	digest                [sha256.Size]byte
	replicas              int64
	data                  map[string]string // of a ConfigMap
}

// watched are the collections that a watcher watches.
var watched = map[string]string{
	"/api/v1/configmaps":         "ConfigMap",
	"/apis/apps/v1/daemonsets":   "DaemonSet",
	"/apis/apps/v1/deployments":  "Deployment",
	"/apis/apps/v1/replicasets":  "ReplicaSet",
	"/apis/apps/v1/statefulsets": "StatefulSet",
	"/apis/batch/v1/cronjobs":    "CronJob",
	"/apis/batch/v1/jobs":        "Job",
}

// watcher collects what happens.
type watcher struct {
	mu     sync.Mutex
	events []event
	last   map[string]event // by kind, namespace and name
	moved  time.Time        // when a template changed last, or an object came
	err    error
}

// watch starts to collect until ctx ends.
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

// add adds an event.
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
		// Maps encode in the order of their keys.
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

// quiet is how long nothing may happen until it is taken for the end. Controllers here
// act within seconds, and wave's limit makes it wait a second at most.
const quiet = 8 * time.Second

// settle waits until nothing has happened for some time.
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

// lastMove returns when a template changed last, or an object came.
func (w *watcher) lastMove() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.moved
}
