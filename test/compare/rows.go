package main

import (
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

//go:embed rows.yaml
var rowsYAML []byte

// object is a Kubernetes object or a part of one.
type object = map[string]any

// A row is one change, made in its own namespace.
type row struct {
	// Change describes the change, in Markdown.
	Change string `json:"change"`
	// Pod names the pod template of all workloads; Pods has other templates for some workloads.
	Pod  string            `json:"pod"`
	Pods map[string]object `json:"pods"`
	// Named is the ConfigMap that the workloads name in an annotation, because their program reads it through the API.
	Named string `json:"named"`
	// Workloads replace the default workloads, one each of d, s and ds.
	Workloads []string `json:"workloads"`
	// Before is installed first. After is applied by the step "apply"; what it leaves out is taken from Before.
	Before state `json:"before"`
	After  state `json:"after"`
	// Steps are the steps of the row, [apply] if there are none; see step.
	Steps *[]string `json:"steps"`
	// Apply is how it is applied: "server-side", or kubectl's default.
	Apply string `json:"apply"`
	// Needs is how often each workload should restart; NeedsOf has exceptions.
	Needs   int            `json:"needs"`
	NeedsOf map[string]int `json:"needsOf"`
	// Value is the value that the pods should finally find for the key A.
	Value string `json:"value"`
	// Install counts the restarts after the creation instead.
	Install bool `json:"install"`
	// Down makes the change while the controller is stopped. Alone makes it after all others, and measures the time.
	Down  bool `json:"down"`
	Alone bool `json:"alone"`

	// Namespace is where it happens.
	Namespace string `json:"-"`
}

// A state describes the manifests of a row at one time.
type state struct {
	Pod        string            `json:"pod"`
	Image      string            `json:"image"`
	Replicas   int               `json:"replicas"`
	Labels     map[string]string `json:"labels"`
	ConfigMaps map[string]data   `json:"configMaps"`
	Secrets    map[string]data   `json:"secrets"`
	Objects    []string          `json:"objects"` // the text of more ConfigMaps and Secrets
}

type data = map[string]string

// readRows returns the rows and the pod templates by name.
func readRows() ([]*row, map[string]object, error) {
	var file struct {
		Pods map[string]object `json:"pods"`
		Rows []*row            `json:"rows"`
	}
	if err := yaml.UnmarshalStrict(rowsYAML, &file); err != nil {
		return nil, nil, fmt.Errorf("rows.yaml: %w", err)
	}
	for i, r := range file.Rows {
		r.Namespace = fmt.Sprintf("row%02d", i+1)
		if r.Workloads == nil {
			r.Workloads = []string{"d", "s", "ds"}
		}
		if r.Steps == nil {
			r.Steps = &[]string{"apply"}
		}
		r.After = r.Before.with(r.After)
	}
	return file.Rows, file.Pods, nil
}

// with returns the state overridden by after. Objects are overridden together: a state with one kind of objects must
// have all.
func (s state) with(after state) state {
	if after.Pod != "" {
		s.Pod = after.Pod
	}
	if after.Image != "" {
		s.Image = after.Image
	}
	if after.Replicas != 0 {
		s.Replicas = after.Replicas
	}
	if after.Labels != nil {
		s.Labels = after.Labels
	}
	if after.ConfigMaps != nil || after.Secrets != nil || after.Objects != nil {
		s.ConfigMaps, s.Secrets, s.Objects = after.ConfigMaps, after.Secrets, after.Objects
	}
	return s
}

// phases divides the steps of the row at each "settle".
func (r *row) phases() [][]string {
	phases := [][]string{nil}
	for _, step := range *r.Steps {
		if step == "settle" {
			phases = append(phases, nil)
			continue
		}
		phases[len(phases)-1] = append(phases[len(phases)-1], step)
	}
	return phases
}

func (r *row) needs(workload string) int {
	if n, ok := r.NeedsOf[workload]; ok {
		return n
	}
	return r.Needs
}

// source is a ConfigMap or a Secret in a separate file.
type source struct {
	text   string
	object object
}

func (s source) name() string { return s.object["metadata"].(object)["name"].(string) }
func (s source) kind() string { return s.object["kind"].(string) }

func (r *row) sources(s state) ([]source, error) {
	var all []source
	for _, name := range slices.Sorted(maps.Keys(s.ConfigMaps)) {
		all = append(all, source{object: object{
			"apiVersion": "v1", "kind": "ConfigMap", "metadata": object{"name": name}, "data": s.ConfigMaps[name],
		}})
	}
	for _, name := range slices.Sorted(maps.Keys(s.Secrets)) {
		encoded := data{}
		for key, value := range s.Secrets[name] {
			encoded[key] = base64.StdEncoding.EncodeToString([]byte(value))
		}
		all = append(all, source{object: object{
			"apiVersion": "v1", "kind": "Secret", "metadata": object{"name": name}, "data": encoded,
		}})
	}
	for i := range all {
		all[i].text = text(all[i].object)
		// Convert maps of strings to the generic maps used everywhere else.
		if err := yaml.Unmarshal([]byte(all[i].text), &all[i].object); err != nil {
			return nil, err
		}
	}
	for _, raw := range s.Objects {
		raw = strings.ReplaceAll(raw, "elsewhere", r.Namespace+"-elsewhere")
		one := source{text: raw}
		if err := yaml.Unmarshal([]byte(raw), &one.object); err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
}

func (r *row) workloads(s state, pods map[string]object) []object {
	var all []object
	for _, kind := range r.Workloads {
		var count int
		if _, err := fmt.Sscanf(kind, "%d deployments", &count); err == nil {
			for i := range count {
				all = append(all, r.workload(s, pods, "d", fmt.Sprintf("d%03d", i)))
			}
			continue
		}
		all = append(all, r.workload(s, pods, kind, kind))
	}
	return all
}

// workload returns one workload. kind is its short word.
func (r *row) workload(s state, pods map[string]object, kind, name string) object {
	pod, ok := r.Pods[kind]
	if !ok {
		pod = pods[r.Pod]
		if s.Pod != "" {
			pod = pods[s.Pod]
		}
	}
	pod = clone(pod)
	if s.Image != "" {
		for _, container := range pod["containers"].([]any) {
			container.(object)["image"] = s.Image
		}
	}
	metadata := object{"name": name}
	if s.Labels != nil {
		metadata["labels"] = clone(s.Labels)
	}
	template := object{"metadata": object{"labels": object{"app": name}}, "spec": pod}
	selector := object{"matchLabels": object{"app": name}}
	replicas := max(1, s.Replicas)
	switch kind {
	case "d":
		return object{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata,
			"spec": object{"replicas": replicas, "selector": selector, "template": template}}
	case "s":
		return object{"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": metadata,
			"spec": object{"replicas": replicas, "serviceName": name, "selector": selector, "template": template}}
	case "ds":
		return object{"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": metadata,
			"spec": object{"selector": selector, "template": template}}
	}
	pod["restartPolicy"] = "Never"
	if kind == "job" {
		return object{"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": object{"template": template}}
	}
	return object{"apiVersion": "batch/v1", "kind": "CronJob", "metadata": metadata,
		"spec": object{"schedule": "0 0 29 2 *", "jobTemplate": object{"spec": object{"template": template}}}}
}

// clone returns a copy of a value in the generic types of JSON.
func clone[T any](value T) object {
	encoded, err := json.Marshal(value)
	if err != nil {
		panic(err) // it came from JSON
	}
	var copied object
	if err := json.Unmarshal(encoded, &copied); err != nil {
		panic(err)
	}
	return copied
}

// text returns an object as YAML.
func text(o object) string {
	encoded, err := yaml.Marshal(o)
	if err != nil {
		panic(err) // it came from YAML
	}
	return string(encoded)
}
