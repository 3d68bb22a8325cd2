package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// fromRoot changes to the module's directory, where the program runs.
func fromRoot(t *testing.T) {
	t.Helper()
	t.Chdir(filepath.Join("..", ".."))
}

func TestRows_areWhole(t *testing.T) {
	rows, pods, err := readRows()
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) < 45 {
		t.Errorf("%d changes, want at least 45", len(rows))
	}
	seen := map[string]bool{}
	for _, r := range rows {
		if seen[r.Change] {
			t.Errorf("the change %q is there twice", r.Change)
		}
		seen[r.Change] = true
		for _, s := range []state{r.Before, r.After} {
			for _, name := range []string{r.Pod, s.Pod} {
				if name != "" && pods[name] == nil {
					t.Errorf("%s: the pod template %q is not in rows.yaml", r.Change, name)
				}
			}
			if _, err := r.sources(s); err != nil {
				t.Errorf("%s: %v", r.Change, err)
			}
			if len(r.workloads(s, pods)) == 0 {
				t.Errorf("%s has no workload", r.Change)
			}
		}
	}
}

// TestPage_hasTheResults fails if the tables or the changes were edited without a run.
func TestPage_hasTheResults(t *testing.T) {
	fromRoot(t)
	var all results
	content, err := os.ReadFile(resultsFile)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(content, &all); err != nil {
		t.Fatal(err)
	}
	if again, err := encode(all); err != nil || !bytes.Equal(again, content) {
		t.Errorf("%s is not as make compare writes it: %v", resultsFile, err)
	}
	shown, err := os.ReadFile(pageFile)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(shown), begin+page(&all)+end) {
		t.Errorf("%s does not show %s; run make compare", pageFile, resultsFile)
	}
	rows, _, err := readRows()
	if err != nil {
		t.Fatal(err)
	}
	var want, got []string
	for _, r := range rows {
		want = append(want, r.Change)
	}
	for _, r := range all.Rows {
		got = append(got, r.Change)
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s has other changes than rows.yaml; run make compare", resultsFile)
	}
}

func TestReferences(t *testing.T) {
	_, pods, err := readRows()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]ref{
		"env":             {{"ConfigMap", "app"}},
		"envSecret":       {{"Secret", "app"}},
		"envFromBoth":     {{"ConfigMap", "app"}, {"Secret", "app"}},
		"projected":       {{"ConfigMap", "app"}},
		"projectedSecret": {{"Secret", "app"}},
		"items":           {{"ConfigMap", "app"}},
		"initEnv":         {{"ConfigMap", "app"}},
		"pull":            nil,
	} {
		if got := references(pods[name]); !slices.Equal(got, want) {
			t.Errorf("references(%s) = %v, want %v", name, got, want)
		}
	}
}

// story parses lines "VERSION Kind name [CONTENT]" as events. The content is the value of A in a ConfigMap, "IMAGE
// CONFIGMAP" in a template, the owner of a Job, or "deleted".
func story(lines ...string) []event {
	var events []event
	for i, line := range lines {
		words := strings.Fields(line)
		e := event{version: int64(i + 1), kind: words[0], name: words[1], replicas: 1}
		rest := words[2:]
		switch {
		case len(rest) == 1 && rest[0] == "deleted":
			e.deleted = true
		case e.kind == "ConfigMap":
			e.data = map[string]string{"A": rest[0]}
		case e.kind == "Job" && len(rest) == 2:
			e.owner = strings.Join(rest, " ")
		case len(rest) == 2:
			e.template = object{"spec": object{"containers": []any{object{
				"image": rest[0], "envFrom": []any{object{"configMapRef": object{"name": rest[1]}}},
			}}}}
			copy(e.digest[:], rest[0]+" "+rest[1])
		}
		events = append(events, e)
	}
	return events
}

func TestRestarts_countsTemplatesAndJobs(t *testing.T) {
	events := story(
		"Deployment d shop:1 app", // 1: the install
		"Job job",
		"CronJob cronjob",
		"Deployment d shop:1 app",      // 4: a label, a status
		"Deployment d shop:1 app-2",    // 5: a restart
		"Deployment d shop:2 app-2",    // 6: another
		"Job job deleted",              // 7
		"Job job",                      // 8: it runs again
		"Job started CronJob cronjob",  // 9
		"Job job-4f2",                  // 10: and under another name
		"Job job-4f2",                  // 11: its status
		"Deployment other shop:1 app",  // 12: a creation
		"StatefulSet s shop:1 app",     // 13
		"StatefulSet s shop:2 app",     // 14
		"StatefulSet s shop:2 app",     // 15
		"ReplicaSet d-1 shop:1 app",    // 16: not a workload
		"ReplicaSet d-1 shop:1 app-2",  // 17
		"Deployment other deleted",     // 18
		"Deployment late shop:1 app",   // 19
		"Deployment late shop:1 app-2", // 20: after the end
	)
	got := restarts(events, 4, 19)
	want := map[string]int{"Deployment d": 2, "Job job": 2, "CronJob cronjob": 1, "StatefulSet s": 1}
	for name, n := range want {
		if got[name] != n {
			t.Errorf("%s restarted %d times, want %d", name, got[name], n)
		}
	}
	if len(got) != len(want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestMixed_findsTheOldImageWithTheNewConfiguration(t *testing.T) {
	change := &row{
		Before: state{ConfigMaps: map[string]data{"app": {"A": "1"}}},
		After:  state{Image: "shop:2", ConfigMaps: map[string]data{"app": {"A": "2"}}},
	}
	inPlace := story("ConfigMap app 1", "ReplicaSet d-1 shop:1 app", "ConfigMap app 2", "ReplicaSet d-2 shop:2 app", "ReplicaSet d-1 shop:1 app")
	if got := mixed(change, inPlace); got != 0 {
		t.Errorf("a ReplicaSet for each template: %d, want 0", got)
	}
	stamped := story("ConfigMap app 1", "ReplicaSet d-1 shop:1 app", "ConfigMap app 2", "ReplicaSet d-3 shop:1 app", "ReplicaSet d-2 shop:2 app")
	if got := mixed(change, stamped); got != 1 {
		t.Errorf("a ReplicaSet in between: %d, want 1", got)
	}
}

func TestLoses_findsPodsWithoutTheirObject(t *testing.T) {
	pruned := story("ConfigMap app-1 1", "ReplicaSet d-1 shop:1 app-1", "ConfigMap app-2 2", "ReplicaSet d-2 shop:1 app-2", "ConfigMap app-1 deleted")
	if !loses(pruned) {
		t.Error("the object of a ReplicaSet with pods is gone, and that is not seen")
	}
	if pruned[1].replicas = 0; loses(pruned) {
		t.Error("a ReplicaSet without pods loses nothing")
	}
}

func TestValueAtEnd(t *testing.T) {
	events := story("ConfigMap app 1", "Deployment d shop:1 app", "ConfigMap app 2", "Deployment d shop:1 app")
	if got := valueAtEnd(events, "Deployment d"); got != "2" {
		t.Errorf("got %q, want 2", got)
	}
	renamed := story("ConfigMap app-1 1", "Deployment d shop:1 app-1", "ConfigMap app-2 2", "Deployment d shop:1 app-2", "Deployment d shop:1 app-1")
	if got := valueAtEnd(renamed, "Deployment d"); got != "1" {
		t.Errorf("got %q, want 1", got)
	}
}

func TestNumbers_showWhatIsWrong(t *testing.T) {
	for _, test := range []struct {
		got, needs []int
		want       string
	}{
		{[]int{1, 1, 1}, []int{1, 1, 1}, "1"},
		{[]int{0, 0, 0}, []int{1, 1, 1}, "**0**"},
		{[]int{1, 1, 1}, []int{1, 1, 0}, "1, 1, **1**"},
		{[]int{2, 1, 1, 1}, []int{1, 1, 1, 1}, "**5 in all**"},
	} {
		if got := numbers(test.got, test.needs); got != test.want {
			t.Errorf("numbers(%v, %v) = %q, want %q", test.got, test.needs, got, test.want)
		}
	}
}
