package view

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/confighash/confighash/internal/impact"
	"github.com/confighash/confighash/internal/report"
	"github.com/confighash/confighash/pkg/api/v1alpha1"
	"github.com/confighash/confighash/test/support/property"
)

var (
	changes = []impact.Change{impact.Added, impact.Changed, impact.Removed, impact.Renamed, impact.Reordered}
	whys    = []impact.Why{impact.StillNamed, impact.StillRunning, impact.RunningJobs, impact.Rollout}
)

// anyReport draws a report in which any name may be hostile.
func anyReport(t *rapid.T) *impact.Report {
	var valid []string
	for _, n := range hostileNames {
		if utf8.ValidString(n) {
			valid = append(valid, n)
		}
	}
	text := rapid.OneOf(rapid.SampledFrom(valid), rapid.String(), rapid.StringMatching(`[a-z]([-a-z0-9]{0,8}[a-z0-9])?`))
	refs := rapid.Custom(func(t *rapid.T) impact.Ref {
		return impact.Ref{APIVersion: text.Draw(t, "apiVersion"), Kind: text.Draw(t, "kind"), Namespace: text.Draw(t, "namespace"), Name: text.Draw(t, "name"), Source: rapid.SampledFrom([]string{"", "", "app"}).Draw(t, "source")}
	})
	change := rapid.SampledFrom(changes)
	keys := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) impact.Key {
		return impact.Key{Name: text.Draw(t, "key"), Change: change.Draw(t, "change"), Consumed: rapid.Bool().Draw(t, "consumed")}
	}), 0, 12)
	fields := rapid.OneOf(text, rapid.Map(text, func(s string) string { return "spec.template.spec.containers[" + s + "].image" }))
	cause := rapid.Custom(func(t *rapid.T) impact.Cause {
		c := impact.Cause{Change: change.Draw(t, "change")}
		if rapid.Bool().Draw(t, "field") {
			c.Field, c.From, c.To = fields.Draw(t, "path"), text.Draw(t, "from"), text.Draw(t, "to")
			return c
		}
		c.Object, c.FormerName = new(refs.Draw(t, "object")), text.Draw(t, "former")
		c.Keys, c.Via = keys.Draw(t, "keys"), rapid.SliceOfN(text, 0, 3).Draw(t, "via")
		return c
	})
	workload := rapid.Custom(func(t *rapid.T) impact.Workload {
		w := impact.Workload{
			Ref: refs.Draw(t, "workload"), Effect: rapid.SampledFrom(impact.Effects()).Draw(t, "effect"),
			Reason: text.Draw(t, "reason"), Strategy: text.Draw(t, "strategy"), Fix: text.Draw(t, "fix"),
			Accepted: rapid.Bool().Draw(t, "accepted"), TemplateChanges: rapid.Bool().Draw(t, "changes"),
			Causes: rapid.SliceOfN(cause, 0, 5).Draw(t, "causes"),
		}
		if rapid.Bool().Draw(t, "scaled") {
			w.Replicas = new(rapid.Int64().Draw(t, "replicas"))
		}
		return w
	})
	object := rapid.Custom(func(t *rapid.T) impact.Object {
		return impact.Object{
			Ref: refs.Draw(t, "object"), FormerName: text.Draw(t, "former"), Change: change.Draw(t, "change"), Keys: keys.Draw(t, "keys"),
			Consumers: rapid.SliceOfN(refs, 0, 2).Draw(t, "consumers"), Readers: rapid.SliceOfN(refs, 0, 12).Draw(t, "readers"),
			Refused: text.Draw(t, "refused"), Fix: text.Draw(t, "fix"), Evidence: rapid.SliceOfN(text, 0, 12).Draw(t, "evidence"),
		}
	})
	need := rapid.Custom(func(t *rapid.T) impact.Need {
		return impact.Need{Ref: refs.Draw(t, "needer"), Why: rapid.SampledFrom(whys).Draw(t, "why")}
	})
	gone := rapid.Custom(func(t *rapid.T) impact.Disappearing {
		return impact.Disappearing{Ref: refs.Draw(t, "gone"), Successor: text.Draw(t, "successor"), NeededBy: rapid.SliceOfN(need, 0, 12).Draw(t, "needs")}
	})
	refusal := rapid.Custom(func(t *rapid.T) impact.Refusal {
		return impact.Refusal{Ref: refs.Draw(t, "refused"), Field: fields.Draw(t, "field"), Reason: text.Draw(t, "reason"), Fix: text.Draw(t, "fix")}
	})
	r := &impact.Report{
		APIVersion: v1alpha1.APIVersion, Kind: impact.Kind,
		Workloads:    rapid.SliceOfN(workload, 0, 25).Draw(t, "workloads"),
		Objects:      rapid.SliceOfN(object, 0, 4).Draw(t, "objects"),
		Disappearing: rapid.SliceOfN(gone, 0, 4).Draw(t, "disappearing"),
		Refused:      rapid.SliceOfN(refusal, 0, 4).Draw(t, "refusals"),
	}
	r.Sum()
	return r
}

func TestImpact_anyNamesStayNames(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		r := anyReport(t)
		limit := rapid.SampledFrom([]int{report.DefaultLimit, leastLimit, 2_000, 5_000, 20_000}).Draw(t, "limit")

		checkFormats(t, "impact", Impact(r), limit)
		checkTotals(t, r)
		var back impact.Report
		decoder := json.NewDecoder(strings.NewReader(write(t, Impact(r), report.JSON)))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&back); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(r, &back, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("JSON (-want +got):\n%s", diff)
		}
	})
}

// checkTotals fails if a workload does not count exactly once for each of its causes, or a budget does not cover all
// restarts.
func checkTotals(t *rapid.T, r *impact.Report) {
	restarts, workloads := 0, 0
	for i := range r.Causes {
		total, n := &r.Causes[i], 0
		for _, of := range total.Effects {
			n += of
		}
		if n != len(total.Workloads) || n > len(r.Workloads) || total.Restarts() > r.Summary.Restarts() || total.Pods.Known > r.Summary.Pods.Known {
			t.Fatalf("a total of %d workloads: %+v", n, total)
		}
		workloads += n
	}
	causes := 0
	for i := range r.Workloads {
		if w := &r.Workloads[i]; w.Effect == impact.Rolls || w.Effect == impact.Kills {
			restarts++
		}
		causes += len(r.Workloads[i].Causes)
	}
	if workloads > causes || (workloads == 0) != (causes == 0) {
		t.Fatalf("%d workloads in totals, of %d causes", workloads, causes)
	}
	for n, within := range map[int]bool{restarts: true, restarts - 1: false} {
		if got := (Budget{Workloads: &n}).Exceeds(r) == ""; got != within {
			t.Fatalf("%d workloads restart, and %d are within the budget: %t", restarts, n, got)
		}
	}
}
