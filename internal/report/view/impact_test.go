package view

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/confighash/confighash/internal/impact"
	"github.com/confighash/confighash/internal/report"
	"github.com/confighash/confighash/pkg/api/v1alpha1"
	"github.com/confighash/confighash/test/support/golden"
)

func ref(apiVersion, kind, name string) impact.Ref {
	return impact.Ref{APIVersion: apiVersion, Kind: kind, Namespace: "shop", Name: name}
}

func deployment(name string) impact.Ref { return ref("apps/v1", "Deployment", name) }

func configMap(name string) impact.Ref { return ref("v1", "ConfigMap", name) }

func secret(name string) impact.Ref { return ref("v1", "Secret", name) }

func replicas(n int64) *int64 { return new(n) }

func key(name string, c impact.Change) impact.Key {
	return impact.Key{Name: name, Change: c, Consumed: true}
}

func unused(name string, c impact.Change) impact.Key { return impact.Key{Name: name, Change: c} }

// by is a cause by an object.
func by(o impact.Ref, c impact.Change, via string, keys ...impact.Key) impact.Cause {
	return impact.Cause{Change: c, Object: &o, Keys: keys, Via: strings.Split(via, ",")}
}

func field(path string, c impact.Change) impact.Cause { return impact.Cause{Change: c, Field: path} }

func image(path, from, to string) impact.Cause {
	c := impact.Changed
	if from == "" {
		c = impact.Added
	} else if to == "" {
		c = impact.Removed
	}
	return impact.Cause{Change: c, Field: path, From: from, To: to}
}

const rollingUpdate = "RollingUpdate, maxUnavailable 25%, maxSurge 25%"

// reports are the reports in the golden files.
var reports = map[string]*impact.Report{
	"empty": {APIVersion: v1alpha1.APIVersion, Kind: impact.Kind},
	"aside": {
		APIVersion: v1alpha1.APIVersion, Kind: impact.Kind,
		Summary: impact.Summary{Unconsumed: 2, Disappearing: 1},
		Objects: []impact.Object{
			{Ref: configMap("notes"), Change: impact.Changed, Evidence: []string{"Role shop/web names it in resourceNames"}, Keys: []impact.Key{unused("README", impact.Changed)}},
			{Ref: configMap("old"), Change: impact.Removed, Keys: []impact.Key{unused("A", impact.Removed)}},
			{Ref: configMap("retired"), Change: impact.Removed, Keys: []impact.Key{unused("A", impact.Removed)}},
			{Ref: secret("tls"), Change: impact.Changed, Keys: []impact.Key{unused("tls.crt", impact.Changed), unused("tls.key", impact.Changed)},
				Readers: []impact.Ref{ref("networking.k8s.io/v1", "Ingress", "web")}},
		},
		Disappearing: []impact.Disappearing{{Ref: configMap("old"), NeededBy: []impact.Need{
			{Ref: ref("batch/v1", "CronJob", "report"), Why: impact.RunningJobs},
		}}},
	},
	"shop":    shop(),
	"effects": effects(),
	"hostile": hostile(hostileNames),
	// Only a few, so that there is a diagram.
	"hostile-diagram": hostile([]string{
		"x\"]; n1 --> n2", "end", "style: #35;", "direction LR", "%%{init: {}}%%", "#quot;", "ﬂ°°35¶ß", "<script>alert(1)</script>", "- list", "1. list", "1) list",
		"__init__", "www.example.com", "`code`", "\x1b[31mred\x1b[0m", "\\N&lt;", "日本語 👩‍💻", strings.Repeat("x", 253),
	}),
}

// shop is a typical report of a merge request.
func shop() *impact.Report {
	app := impact.Cause{Change: impact.Changed, Object: new(configMap("app-config-c8d7f2gk4h")), FormerName: "app-config-57g4m9hb2t",
		Keys: []impact.Key{key("LOG_LEVEL", impact.Changed), key("FEATURE_X", impact.Added)}, Via: []string{"env"}}
	appFrom := app
	appFrom.Via = []string{"envFrom", "volume"}
	appFrom.Keys = append(appFrom.Keys, unused("NOTES", impact.Changed))
	return &impact.Report{
		APIVersion: v1alpha1.APIVersion, Kind: impact.Kind,
		Summary: impact.Summary{Refused: 1, Stale: 1, Rolls: 2, Unconsumed: 1, Disappearing: 1},
		Workloads: []impact.Workload{
			{Ref: ref("batch/v1", "Job", "migrate"), Effect: impact.Refused, Reason: "its pod template cannot change once it exists",
				TemplateChanges: true, Causes: []impact.Cause{image("spec.template.spec.containers[migrate].image", "shop:1.0", "shop:1.1")},
				Fix: "before the apply: kubectl delete job/migrate -n shop; or create a new one each time, as a hook or with generateName"},
			{Ref: deployment("admin"), Effect: impact.Stale, Replicas: replicas(1), Strategy: "Recreate",
				Causes: []impact.Cause{by(configMap("feature-flags"), impact.Changed, "subPath", key("flags.json", impact.Changed))},
				Fix:    "run confighash over the manifests, or, after the apply: kubectl rollout restart deployment/admin -n shop"},
			{Ref: deployment("web"), Effect: impact.Rolls, TemplateChanges: true, Replicas: replicas(12), Strategy: rollingUpdate,
				Causes: []impact.Cause{
					app,
					image("spec.template.spec.containers[web].image", "shop:1.0", "shop:1.1"),
					field("spec.template.spec.containers[web].env[LOG_LEVEL]", impact.Added),
					field("spec.template.spec.containers[web].resources.limits.memory", impact.Changed),
				}},
			{Ref: ref("apps/v1", "StatefulSet", "queue"), Effect: impact.Rolls, TemplateChanges: true, Replicas: replicas(3), Strategy: "RollingUpdate, partition 0",
				Causes: []impact.Cause{appFrom}},
		},
		Objects: []impact.Object{
			{Ref: configMap("app-config-c8d7f2gk4h"), FormerName: "app-config-57g4m9hb2t", Change: impact.Changed,
				Keys:      []impact.Key{key("LOG_LEVEL", impact.Changed), key("FEATURE_X", impact.Added), key("NOTES", impact.Changed)},
				Consumers: []impact.Ref{deployment("web"), ref("apps/v1", "StatefulSet", "queue")}},
			{Ref: configMap("feature-flags"), Change: impact.Changed, Keys: []impact.Key{key("flags.json", impact.Changed)},
				Consumers: []impact.Ref{deployment("admin")}},
			{Ref: configMap("notes"), Change: impact.Changed, Keys: []impact.Key{unused("README", impact.Changed)}},
		},
		Disappearing: []impact.Disappearing{{Ref: configMap("app-config-57g4m9hb2t"), Successor: "app-config-c8d7f2gk4h", NeededBy: []impact.Need{
			{Ref: deployment("web"), Why: impact.Rollout}, {Ref: ref("apps/v1", "StatefulSet", "queue"), Why: impact.Rollout},
		}}},
	}
}

// effects has every effect, every change and every reason to need an object.
func effects() *impact.Report {
	var many []impact.Key
	for i := range 20 {
		many = append(many, key(fmt.Sprintf("KEY_%02d", i), impact.Changed))
	}
	var needed []impact.Need
	for i := range 14 {
		needed = append(needed, impact.Need{Ref: deployment(fmt.Sprintf("worker-%02d", i)), Why: impact.Rollout})
	}
	var fields []impact.Cause
	for i := range 11 {
		fields = append(fields, field(fmt.Sprintf("spec.template.metadata.labels[label-%02d]", i), impact.Changed))
	}
	return &impact.Report{
		APIVersion: v1alpha1.APIVersion, Kind: impact.Kind,
		Summary: impact.Summary{Refused: 1, Kills: 1, Stale: 2, Rolls: 3, Waits: 1, RunsAgain: 1, NextRuns: 1, Unknown: 1, Starts: 1, Stops: 1, Unconsumed: 3, Disappearing: 3},
		Workloads: []impact.Workload{
			{Ref: ref("batch/v1", "Job", "import"), Effect: impact.Refused, TemplateChanges: true,
				Causes: []impact.Cause{by(secret("import-key"), impact.Added, "volume", key("key", impact.Added))}},
			{Ref: ref("kubeflow.org/v1", "PyTorchJob", "train"), Effect: impact.Kills, TemplateChanges: true,
				Causes: []impact.Cause{by(configMap("train"), impact.Changed, "env", key("EPOCHS", impact.Changed))}},
			{Ref: deployment("cache"), Effect: impact.Stale, Replicas: replicas(0),
				Causes: []impact.Cause{by(configMap("cache"), impact.Changed, "env", key("SIZE", impact.Removed))}},
			{Ref: deployment("tolerant"), Effect: impact.Stale, Accepted: true, Replicas: replicas(2), Strategy: rollingUpdate,
				Causes: []impact.Cause{by(configMap("cache"), impact.Changed, "volume", unused("SIZE", impact.Removed))}},
			{Ref: deployment("api"), Effect: impact.Rolls, TemplateChanges: true, Replicas: replicas(6), Strategy: rollingUpdate,
				Causes: []impact.Cause{
					by(configMap("api"), impact.Changed, "envFrom", many...),
					by(secret("api"), impact.Removed, "env", key("TOKEN", impact.Removed)),
					{Change: impact.Renamed, Object: new(configMap("names-b")), FormerName: "names-a", Via: []string{"volume"}},
				}},
			{Ref: deployment("fields"), Effect: impact.Rolls, TemplateChanges: true, Causes: fields},
			{Ref: deployment("shapes"), Effect: impact.Rolls, TemplateChanges: true, Causes: []impact.Cause{
				field("spec.template.spec.containers[sidecar]", impact.Added),
				field("spec.template.spec.initContainers", impact.Reordered),
				field("spec.template.spec.initContainers[setup]", impact.Removed),
				image("spec.template.spec.initContainers[wait].image", "busybox:1.36", "busybox:1.37"),
			}},
			{Ref: ref("apps/v1", "DaemonSet", "logs"), Effect: impact.Waits, TemplateChanges: true, Strategy: "OnDelete", Reason: "its strategy is OnDelete",
				Causes: []impact.Cause{by(configMap("logs"), impact.Changed, "volume", key("fluent-bit.conf", impact.Changed))},
				Fix:    "delete its pods one by one"},
			{Ref: ref("batch/v1", "Job", "seed-64f9hkf8k2"), Effect: impact.RunsAgain, Reason: "it was seed-2t7fh6k8m4",
				Causes: []impact.Cause{by(configMap("seed"), impact.Changed, "envFrom", key("ROWS", impact.Changed))}},
			{Ref: ref("batch/v1", "CronJob", "report"), Effect: impact.NextRuns, TemplateChanges: true, Causes: []impact.Cause{
				image("spec.jobTemplate.spec.template.spec.containers[report].image", "report:1", "report:2"),
				field("spec.jobTemplate.spec.template.spec.volumes[scratch]", impact.Added),
			}},
			{Ref: ref("example.com/v1", "Database", "orders"), Effect: impact.Unknown, TemplateChanges: true,
				Causes: []impact.Cause{by(secret("orders"), impact.Changed, "reference", key("password", impact.Changed))}},
			{Ref: deployment("new"), Effect: impact.Starts, TemplateChanges: true, Replicas: replicas(1)},
			{Ref: deployment("gone"), Effect: impact.Stops, TemplateChanges: true},
		},
		Objects: []impact.Object{
			{Ref: configMap("api"), Change: impact.Changed, Keys: many, Consumers: []impact.Ref{deployment("api")}},
			{Ref: configMap("fixed"), Change: impact.Changed, Keys: []impact.Key{key("A", impact.Changed)}, Consumers: []impact.Ref{deployment("api")},
				Refused: "it is immutable", Fix: "give it another name"},
			{Ref: configMap("notes"), Change: impact.Added, Keys: []impact.Key{unused("a", impact.Added), unused("b", impact.Added)}},
			{Ref: configMap("order"), Change: impact.Renamed, FormerName: "ordre"},
			{Ref: secret("tls"), Change: impact.Changed, Keys: []impact.Key{unused("(hidden)", impact.Changed)}, Readers: []impact.Ref{
				ref("networking.k8s.io/v1", "Ingress", "web"), {APIVersion: "example.com/v1", Kind: "Gateway", Name: "edge"},
			}},
		},
		Disappearing: []impact.Disappearing{
			{Ref: configMap("worker-1"), Successor: "worker-2", NeededBy: needed},
			{Ref: secret("api"), NeededBy: []impact.Need{
				{Ref: deployment("api"), Why: impact.StillNamed},
				{Ref: ref("apps/v1", "DaemonSet", "logs"), Why: impact.StillRunning},
			}},
			{Ref: secret("import-key-1"), Successor: "import-key-2", NeededBy: []impact.Need{{Ref: ref("batch/v1", "CronJob", "import"), Why: impact.RunningJobs}}},
		},
		Refused: []impact.Refusal{{Ref: ref("v1", "PersistentVolumeClaim", "data"), Field: "spec.storageClassName", Reason: "a claim that is bound keeps its class", Fix: "make a new claim"}},
	}
}

// hostile has names that would be markup if they were not escaped.
func hostile(names []string) *impact.Report {
	r := &impact.Report{APIVersion: v1alpha1.APIVersion, Kind: impact.Kind, Summary: impact.Summary{Rolls: len(names)}}
	for i, n := range names {
		o := impact.Ref{APIVersion: "v1", Kind: "ConfigMap", Namespace: n, Name: n}
		w := impact.Workload{Ref: impact.Ref{APIVersion: "apps/v1", Kind: "Deployment", Namespace: n, Name: n}, Effect: impact.Rolls, TemplateChanges: true,
			Causes: []impact.Cause{
				{Change: impact.Changed, Object: &o, FormerName: n, Keys: []impact.Key{key(n, impact.Changed), unused(n, impact.Added)}, Via: []string{n}},
				image("spec.template.spec.containers["+n+"].image", n, n),
				field("spec.template.spec.containers["+n+"].env["+n+"]", impact.Added),
				field(n, impact.Removed),
			}}
		if i%4 == 0 {
			w.Strategy, w.Reason, w.Fix = n, n+" says "+n, "ask "+n+", or "+n+": now"
		}
		r.Workloads = append(r.Workloads, w)
	}
	return r
}

// huge is too large for a comment.
func huge() *impact.Report {
	r := &impact.Report{APIVersion: v1alpha1.APIVersion, Kind: impact.Kind}
	for i := range 2000 {
		w := impact.Workload{Ref: deployment(fmt.Sprintf("worker-%04d", i)), Effect: impact.Effects()[i%7], TemplateChanges: true, Replicas: new(int64(i)), Strategy: rollingUpdate,
			Causes: []impact.Cause{by(configMap(fmt.Sprintf("config-%02d", i%50)), impact.Changed, "env", key("LEVEL", impact.Changed))}}
		r.Workloads = append(r.Workloads, w)
	}
	r.Sum()
	return r
}

func TestImpact_looksLikeItsGoldenFiles(t *testing.T) {
	for name, r := range reports {
		r.Sum()
		compareAll(t, "impact/"+name, Impact(r))
		golden.Compare(t, filepath.Join("testdata", "impact", name+".json"), write(t, Impact(whole(r)), report.JSON))
	}
}

// whole returns a report without nil lists, as Compare does.
func whole(r *impact.Report) *impact.Report {
	whole := *r
	whole.Workloads = append([]impact.Workload{}, r.Workloads...)
	whole.Objects = append([]impact.Object{}, r.Objects...)
	whole.Refused = append([]impact.Refusal{}, r.Refused...)
	whole.Disappearing = append([]impact.Disappearing{}, r.Disappearing...)
	return &whole
}

// A new value in reports needs a golden file.
func TestImpact_goldenFilesShowEverything(t *testing.T) {
	shown := map[any]bool{}
	for _, r := range reports {
		for _, w := range r.Workloads {
			shown[w.Effect] = true
			for _, c := range w.Causes {
				shown[c.Change] = true
			}
		}
		for _, d := range r.Disappearing {
			for _, n := range d.NeededBy {
				shown[n.Why] = true
			}
		}
	}
	for _, e := range impact.Effects() {
		if !shown[e] {
			t.Errorf("no golden file shows effect %s", e)
		}
		if outcomeOf(e).effect != e {
			t.Errorf("effect %s has no words", e)
		}
		if outcomeOf(e).one == "" && !slices.Contains([]impact.Effect{impact.Refused, impact.Rolls, impact.Kills}, e) {
			t.Errorf("effect %s does not count in the sum", e)
		}
	}
	for _, c := range changes {
		if !shown[c] {
			t.Errorf("no golden file shows change %s", c)
		}
	}
	for _, w := range whys {
		if !shown[w] {
			t.Errorf("no golden file shows need %s", w)
		}
	}
}

// Markdown stays below its limit, and the text has every workload.
func TestImpact_huge(t *testing.T) {
	r := huge()
	for _, limit := range []int{report.DefaultLimit, 20_000, 3_000, leastLimit, 1} {
		page := Impact(r).Page().Markdown(Impact(r).Diagram(), limit)
		most := max(limit, leastLimit)
		if len(page) > most {
			t.Errorf("%d bytes, limit %d", len(page), limit)
		}
		if drawn := strings.Contains(page, "```mermaid\n"); drawn != (limit == report.DefaultLimit) {
			t.Errorf("limit %d: a diagram: %t", limit, drawn)
		}
		if most >= 3_000 && len(page) < most/2 {
			t.Errorf("limit %d: %d bytes leave much of it", limit, len(page))
		}
		if want := "`confighash impact` on a terminal shows"; !strings.Contains(page, want) {
			t.Errorf("limit %d: %q is missing", limit, want)
		}
		if limit == report.DefaultLimit && !strings.Contains(page, "\n- and ") {
			t.Errorf("nothing counts what is left out:\n%s", page)
		}
		checkMarkdown(t, "impact", page, limit)
	}
	text := write(t, Impact(r), report.Text)
	for _, w := range r.Workloads {
		if !strings.Contains(text, "  "+w.String()+" ") {
			t.Errorf("text without %s", w.Ref)
		}
	}
}

// GitHub links some plain words: GH-1, and commits.
func TestImpact_showsAnUnknownStrategyAsCode(t *testing.T) {
	for strategy, want := range map[string]string{
		"RollingUpdate":                       " · RollingUpdate\n",
		rollingUpdate:                         " · " + rollingUpdate + "\n",
		"RollingUpdate, partition 12":         " · RollingUpdate, partition 12\n",
		"maxUnavailable 1":                    " · maxUnavailable 1\n",
		"blueGreen":                           " · blueGreen\n",
		"GH-1":                                " · `GH-1`\n",
		"OnDelete, GH-1":                      " · OnDelete, `GH-1`\n",
		"maxSurge " + strings.Repeat("1", 40): " · maxSurge `" + strings.Repeat("1", 40) + "`\n",
		strings.Repeat("a1", 20):              " · `" + strings.Repeat("a1", 20) + "`\n",
	} {
		r := &impact.Report{Workloads: []impact.Workload{{Ref: deployment("web"), Effect: impact.Rolls, Strategy: strategy}}}
		if text := write(t, Impact(r), report.Markdown); !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
}

// A refused object without users counts as both. One that dangles is listed once.
func TestImpact_sumCountsWhatIsListed(t *testing.T) {
	r := &impact.Report{
		Objects: []impact.Object{
			{Ref: configMap("fixed"), Change: impact.Changed, Refused: "it is immutable"},
			{Ref: configMap("notes"), Change: impact.Changed},
			{Ref: configMap("retired"), Change: impact.Removed},
		},
		Disappearing: []impact.Disappearing{
			{Ref: configMap("lost"), NeededBy: []impact.Need{{Ref: deployment("web"), Why: impact.StillNamed}, {Ref: deployment("api"), Why: impact.Rollout}}},
			{Ref: configMap("old"), NeededBy: []impact.Need{{Ref: deployment("api"), Why: impact.Rollout}}},
		},
	}
	r.Sum()
	text := write(t, Impact(r), report.Text)
	for _, want := range []string{
		"Nothing restarts. 1 apply is refused, 1 reference dangles, 2 objects that no pod gets by env or volume differ, 1 object that something may need disappears.\n",
		"\n  refused  ConfigMap shop/fixed\n", "\n  unconsumed  ConfigMap shop/fixed\n", "\n  unconsumed  ConfigMap shop/notes\n", "\n  gone  ConfigMap shop/retired removed\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	if n := strings.Count(text, "\n  unconsumed "); n != 2 {
		t.Errorf("%d objects are listed as unconsumed, want 2:\n%s", n, text)
	}
}

// For growing numbers of keys and changed fields, the cost is proportional to what is shown.
func TestImpact_costIsProportionalToWhatItShows(t *testing.T) {
	objects := func(n int) []impact.Cause {
		keys := make([]impact.Key, n)
		for i := range keys {
			keys[i] = key(fmt.Sprint("KEY_", i), impact.Changed)
			keys[i].Consumed = i%2 == 0
		}
		return []impact.Cause{by(configMap("app"), impact.Changed, "env", keys...)}
	}
	fields := func(n int) []impact.Cause {
		causes := make([]impact.Cause, n)
		for i := range causes {
			causes[i] = field(fmt.Sprintf("spec.template.metadata.labels[label-%d]", i), impact.Changed)
		}
		return causes
	}
	for _, tc := range []struct {
		label   string
		causes  func(n int) []impact.Cause
		formats []report.Format
	}{
		{"keys", objects, []report.Format{report.Text, report.Markdown, report.Dot}},
		{"fields", fields, []report.Format{report.Text}}, // a diagram looks for those with the same fields
	} {
		for _, f := range tc.formats {
			var allocations [2]float64
			for i, n := range []int{50, 5_000} {
				r := &impact.Report{}
				causes := tc.causes(n)
				for w := range 20 {
					r.Workloads = append(r.Workloads, impact.Workload{Ref: deployment(fmt.Sprint("web-", w)), Effect: impact.Rolls, Causes: causes})
				}
				for _, c := range causes {
					if c.Object != nil {
						r.Objects = append(r.Objects, impact.Object{Ref: *c.Object, Change: c.Change, Keys: c.Keys})
					}
				}
				allocations[i] = testing.AllocsPerRun(1, func() { write(t, Impact(r), f) })
			}
			if allocations[1] > allocations[0]*1.2 {
				t.Errorf("%s, %s: %.0f allocations for 50, and %.0f for 5000", tc.label, f, allocations[0], allocations[1])
			}
		}
	}
}
