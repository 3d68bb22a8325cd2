package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// results is the content of results.json.
type results struct {
	Date       string       `json:"date"`
	Kubernetes string       `json:"kubernetes"`
	Machine    string       `json:"machine"`
	Tools      []toolResult `json:"tools"`
	Rows       []rowResult  `json:"rows,omitempty"`
}

// toolResult is the result of one tool in all rows.
type toolResult struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Ours    bool   `json:"ours,omitempty"` // a mode of confighash
	// NotRun is why it did not run.
	NotRun string `json:"notRun,omitempty"`
	// Missed, Extra and Double count restarts of workloads; Refused counts applies.
	Missed  int `json:"missed"`
	Extra   int `json:"extra"`
	Double  int `json:"double"`
	Refused int `json:"refused"`
	// Stale counts workloads whose pods finally find a wrong value. Lost counts those whose old pods no longer find
	// their configuration.
	Stale int `json:"stale"`
	Lost  int `json:"lost"`
	// Mixed counts ReplicaSets created with the old image when the new configuration already existed.
	Mixed int `json:"mixed"`
	// Reinstalled are the workloads that changed again after their creation.
	Reinstalled int `json:"reinstalled"`
	// Restarted are the workloads that changed when the controller was restarted, except the one that had to.
	Restarted int `json:"restarted"`
	// Requests are the controller's, in all rows but the last, and those of the applies.
	Requests map[string]int `json:"requests"`
	// Rights are the verbs that the controller used, by resource.
	Rights map[string][]string `json:"rights,omitempty"`
	// Memory is the controller's peak memory, in bytes.
	Memory int64 `json:"memory,omitempty"`
	// AloneSeconds is the time from the apply to the last change of a template in the row with 200 Deployments,
	// AloneRequests the number of all requests in it.
	AloneSeconds  float64        `json:"aloneSeconds"`
	AloneApply    float64        `json:"aloneApply"`
	AloneRequests map[string]int `json:"aloneRequests"`
}

type rowResult struct {
	Change string          `json:"change"`
	Needs  []int           `json:"needs"` // by workload
	Cells  map[string]cell `json:"cells"` // by tool
}

// cell is the result of one tool in one row.
type cell struct {
	Got     []int  `json:"got"` // restarts by workload
	Stale   bool   `json:"stale,omitempty"`
	Lost    bool   `json:"lost,omitempty"`
	Refused string `json:"refused,omitempty"`
}

// count evaluates a run and stores the results in it.
func (r *run) count() error {
	w := r.watch
	w.mu.Lock()
	defer w.mu.Unlock()
	// The events of several watches are merged in the order of their versions.
	slices.SortStableFunc(w.events, func(a, b event) int { return int(a.version - b.version) })
	byNamespace := map[string][]event{}
	for _, e := range w.events {
		byNamespace[e.namespace] = append(byNamespace[e.namespace], e)
	}

	result := toolResult{Name: r.tool.name, Version: r.tool.version, Ours: r.tool.ours, Memory: r.memory}
	cells := map[*row]cell{}
	for _, row := range r.rows {
		events := byNamespace[row.Namespace]
		after := r.installed
		if row.Alone {
			after = r.installedAlone
		}
		names := workloadNames(row)
		changes := restarts(events, after, 1<<62)
		atInstall := restarts(events, 0, after)
		whenStarted := restarts(events, r.restarted[0], r.restarted[1])
		c := cell{
			Refused: r.refused[row],
			Stale:   row.Value != "" && valueAtEnd(events, "Deployment d") != row.Value,
			Lost:    slices.Contains(*row.Steps, "prune") && loses(events),
		}
		for _, name := range names {
			got := changes[name]
			if row.Install {
				got = atInstall[name]
			}
			c.Got = append(c.Got, got)
			result.add(c, got, row.needs(shortName(name)))
			result.Reinstalled += min(1, atInstall[name])
			if !row.Down {
				result.Restarted += whenStarted[name]
			}
		}
		cells[row] = c
		if c.Refused != "" {
			result.Refused++
		}
		result.Mixed += mixed(row, events)
	}
	result.AloneApply = seconds(r.alone.applied.Sub(r.alone.began))
	result.AloneSeconds = seconds(r.alone.last.Sub(r.alone.began))
	if err := r.countRequests(&result); err != nil {
		return err
	}
	r.result, r.cells = result, cells
	return nil
}

// add adds the result for a workload with got restarts.
func (t *toolResult) add(c cell, got, needs int) {
	t.Missed += max(0, needs-got)
	if needs == 0 {
		t.Extra += got
	} else {
		t.Double += max(0, got-needs)
	}
	if c.Stale {
		t.Stale++
	}
	if c.Lost {
		t.Lost++
	}
}

func seconds(d time.Duration) float64 {
	return float64(d.Round(100*time.Millisecond)) / float64(time.Second)
}

// workloadNames returns "Kind name" of the workloads of a row.
func workloadNames(r *row) []string {
	var names []string
	for _, w := range r.workloads(r.Before, map[string]object{r.Pod: {"containers": []any{}}}) {
		names = append(names, w["kind"].(string)+" "+w["metadata"].(object)["name"].(string))
	}
	return names
}

// shortName returns the workload's word in rows.yaml.
func shortName(workload string) string {
	_, name, _ := strings.Cut(workload, " ")
	return name
}

// restarts counts the changes of templates by workload, and the Jobs after the first. The workload of a Job is "Job
// job", whatever a tool appends to its name; for a CronJob's Job, it is the CronJob.
func restarts(events []event, after, until int64) map[string]int {
	count := map[string]int{}
	last := map[string]event{}
	jobs := 0
	for _, e := range events {
		key := e.kind + " " + e.name
		before, known := last[key]
		last[key] = e
		counts := e.version > after && e.version <= until
		switch e.kind {
		case "Deployment", "StatefulSet", "DaemonSet":
			if known && counts && !e.deleted && before.digest != e.digest {
				count[key]++
			}
		case "Job":
			if e.deleted || known && !before.deleted {
				continue
			}
			if owner, name, _ := strings.Cut(e.owner, " "); owner == "CronJob" {
				if counts {
					count["CronJob "+name]++
				}
			} else if jobs++; jobs > 1 && counts {
				count["Job job"]++
			}
		}
	}
	return count
}

// configuration returns the value that pods of a template find for the key A, given the ConfigMaps at some time.
func configuration(template object, configMaps map[string]event) string {
	for _, at := range references(template) {
		if e, ok := configMaps[at.name]; ok && at.kind == "ConfigMap" && !e.deleted {
			if value, ok := e.data["A"]; ok {
				return value
			}
		}
	}
	return ""
}

// valueAtEnd returns the value that pods of a workload finally find for the key A.
func valueAtEnd(events []event, workload string) string {
	configMaps, templates := map[string]event{}, map[string]object{}
	for _, e := range events {
		if e.kind == "ConfigMap" {
			configMaps[e.name] = e
		}
		templates[e.kind+" "+e.name] = e.template
	}
	return configuration(templates[workload], configMaps)
}

// mixed counts, for a change of image and configuration, the ReplicaSets created with only one of the two changed.
func mixed(r *row, events []event) int {
	if r.After.Image == "" || r.After.Image == r.Before.Image || r.Before.ConfigMaps["app"]["A"] == r.After.ConfigMaps["app"]["A"] {
		return 0
	}
	count := 0
	configMaps, seen := map[string]event{}, map[string]bool{}
	for _, e := range events {
		switch e.kind {
		case "ConfigMap":
			configMaps[e.name] = e
		case "ReplicaSet":
			if seen[e.name] {
				continue
			}
			seen[e.name] = true
			containers := e.template["spec"].(object)["containers"].([]any)
			newImage := containers[0].(object)["image"] == r.After.Image
			newValue := configuration(e.template, configMaps) == r.After.ConfigMaps["app"]["A"]
			if newImage != newValue {
				count++
			}
		}
	}
	return count
}

// loses reports whether a ReplicaSet that still has to create pods refers to a deleted ConfigMap.
func loses(events []event) bool {
	last := map[string]event{}
	for _, e := range events {
		last[e.kind+" "+e.name] = e
	}
	for _, e := range last {
		if e.kind != "ReplicaSet" || e.deleted || e.replicas == 0 {
			continue
		}
		for _, at := range references(e.template) {
			if there, ok := last["ConfigMap "+at.name]; at.kind == "ConfigMap" && (!ok || there.deleted) {
				return true
			}
		}
	}
	return false
}

// countRequests reads the audit log.
func (r *run) countRequests(result *toolResult) error {
	file, err := os.Open(filepath.Join(r.plane.Dir(), "audit.log"))
	if err != nil {
		return err
	}
	defer file.Close()
	result.Requests, result.AloneRequests = map[string]int{}, map[string]int{}
	rights, seen := map[string]map[string]bool{}, map[string]bool{}
	decoder := json.NewDecoder(bufio.NewReader(file))
	for decoder.More() {
		var request struct {
			AuditID, Verb            string
			User                     struct{ Username string }
			ObjectRef                struct{ APIGroup, Resource string }
			RequestReceivedTimestamp time.Time
		}
		if err := decoder.Decode(&request); err != nil {
			return fmt.Errorf("audit.log: %w", err)
		}
		user := request.User.Username
		if seen[request.AuditID] || user != deployer && user != controller {
			continue
		}
		seen[request.AuditID] = true
		if request.RequestReceivedTimestamp.Before(r.alone.began) || r.alone.began.IsZero() {
			result.Requests[user]++
		} else {
			result.AloneRequests[user]++
		}
		if resource := request.ObjectRef.Resource; user == controller && resource != "" {
			if rights[resource] == nil {
				rights[resource] = map[string]bool{}
			}
			rights[resource][request.Verb] = true
		}
	}
	for resource, verbs := range rights {
		if result.Rights == nil {
			result.Rights = map[string][]string{}
		}
		result.Rights[resource] = slices.Sorted(maps.Keys(verbs))
	}
	return nil
}
