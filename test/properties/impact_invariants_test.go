package properties_test

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/confighash/confighash/test/support/gen"
	"github.com/confighash/confighash/test/support/harness"
	"github.com/confighash/confighash/test/support/property"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/confighash/confighash/internal/graph/load"
	"github.com/confighash/confighash/internal/impact"
	"github.com/confighash/confighash/pkg/api/v1alpha1"
	"github.com/confighash/confighash/pkg/function"
)

// impactOf predicts the effect of applying after over before.
func (p *consumerPackage) impactOf(before, after string) (*impact.Report, error) {
	o := load.Options{Namespace: p.spec.namespace}
	old, err := load.Graph([]string{load.Stdin}, strings.NewReader(before), o)
	if err != nil {
		return nil, mismatchf("unreadable before", "%v", err)
	}
	now, err := load.Graph([]string{load.Stdin}, strings.NewReader(after), o)
	if err != nil {
		return nil, mismatchf("unreadable after", "%v", err)
	}
	return impact.Compare(old, now)
}

// workloadID returns the same ID for a workload in manifests and in reports.
func (p *consumerPackage) workloadID(kind, namespace, name string) string {
	return kind + " " + cmp.Or(namespace, p.spec.namespace) + "/" + name
}

// predicted reports whether impact can predict o from the manifests alone: only a functionConfig has a Runner's pod
// template.
func predicted(o harness.Object) bool { return o.Kind() != "Runner" && !isPassedOver(o) }

// doubled reports whether two resources have the same identity.
func (p *consumerPackage) doubled(objects []harness.Object) bool {
	seen := map[string]bool{}
	for _, o := range objects {
		id := harness.StringAt(o, "apiVersion") + " " + p.workloadID(o.Kind(), o.Namespace(), o.Name())
		if seen[id] && o.Name() != "" {
			return true
		}
		seen[id] = true
	}
	return false
}

// ids returns the identities of resources, sorted.
func (p *consumerPackage) ids(objects []harness.Object) []string {
	var all []string
	for _, o := range objects {
		all = append(all, p.workloadID(o.Kind(), o.Namespace(), o.Name()))
	}
	slices.Sort(all)
	return all
}

// After Annotate, impact reports a changed pod template for exactly the workloads whose template changes. Before, the
// workloads that stay stale, or get the new configuration with the next run, are exactly those that consume other
// content.
func TestImpact_predictsWhatChangesRoll(t *testing.T) {
	rolled, stale := map[string]int{}, map[string]int{}
	forEachConsumers(t, func(d *gen.Dice, p *consumerPackage) error {
		if p.spec.discover = true; p.doubled(p.objects(t)) {
			return nil // duplicates in one set are an error
		}
		before, err := p.stamp(newChecksumMeanings())
		if err != nil {
			return err
		}
		if same, err := p.impactOf(before.in, before.in); err != nil || len(same.Workloads)+len(same.Objects)+len(same.Disappearing)+len(same.Refused) > 0 {
			return cmp.Or(err, mismatchf("something of nothing", "%+v", same))
		}
		for i, c := range changes {
			if (p.turn+i)%6 != 0 {
				continue
			}
			changed := p.clone()
			what, ok := c.apply(d, changed)
			if !ok {
				continue
			}
			after, err := changed.stamp(newChecksumMeanings())
			if err != nil {
				return err
			}
			n, err := p.predictsRolls(before, after)
			if err != nil {
				return mismatchf("rolls by "+c.name, "%v\n%s", err, what)
			}
			rolled[c.name] += n
			if !slices.Equal(p.ids(before.inItems), p.ids(after.inItems)) || p.spec.policy != "All" || p.spec.exclude != "" || p.spec.granularity != "Key" {
				continue // added and removed ones are tested elsewhere
			}
			if n, err = p.predictsStale(before, after); err != nil {
				return mismatchf("stale by "+c.name, "%v\n%s", err, what)
			}
			stale[c.name] += n
		}
		return nil
	})
	for _, counts := range []map[string]int{rolled, stale} {
		total := 0
		for n := range maps.Values(counts) {
			total += n
		}
		if total < property.Cases(packages)/10 && !testing.Short() {
			t.Errorf("%v: that says too little", counts)
		}
	}
}

// Under Rename, an object is identified by its name without the hash: the differences are the same as without
// confighash, and no workload that can roll stays stale.
func TestImpact_knowsRenamedObjects(t *testing.T) {
	renamed := 0
	forEachConsumers(t, func(d *gen.Dice, p *consumerPackage) error {
		p.form, p.spec.namespace = stream, "default"
		if p.doubled(p.objects(t)) {
			return nil
		}
		for i, c := range changes {
			if (p.turn+i)%6 != 0 {
				continue
			}
			changed := p.clone()
			if _, ok := c.apply(d, changed); !ok {
				continue
			}
			texts := []string{p.text(), changed.text()}
			plain, err := p.impactOf(texts[0], texts[1])
			if err != nil {
				return err
			}
			for i, text := range texts {
				var out bytes.Buffer
				config := v1alpha1.New(v1alpha1.ModeRename, v1alpha1.PolicyAll)
				config.Spec.Rename.Unreferenced = "Rename"
				if _, err := function.Process([]byte(text), &out, function.Options{Config: config}); err != nil {
					return nil // errors of Rename are tested elsewhere
				}
				texts[i] = out.String()
			}
			report, err := p.impactOf(texts[0], texts[1])
			if err != nil {
				return err
			}
			differences := func(r *impact.Report) []string {
				var all []string
				for _, o := range r.Objects {
					if o.Kind != "ConfigMap" && o.Kind != "Secret" || o.Refused != "" && len(o.Keys) == 0 {
						continue // it refers to others, or can only change under another name
					}
					all = append(all, fmt.Sprint(o.Kind, " ", o.Namespace, " ", o.Change, " ", keyNames(o.Keys)))
					if o.FormerName != "" {
						renamed++
					}
				}
				slices.Sort(all)
				return all
			}
			if diff := gocmp.Diff(differences(plain), differences(report)); diff != "" {
				return mismatchf("other objects by "+c.name, "(-plain +renamed)\n%s\n--- before\n%s\n--- after\n%s", diff, texts[0], texts[1])
			}
		}
		return nil
	})
	if renamed < property.Cases(packages)/10 {
		t.Errorf("%d objects were renamed: that says too little", renamed)
	}
}

func keyNames(keys []impact.Key) []string {
	var names []string
	for _, k := range keys {
		names = append(names, k.Name+" "+string(k.Change))
	}
	return names
}

// objects returns the resources of the package.
func (p *consumerPackage) objects(t *testing.T) []harness.Object {
	t.Helper()
	objects, err := readManifests(p.text())
	if err != nil {
		t.Fatal(err)
	}
	return objects
}

// predictsRolls compares reports of the outputs with their pod templates, and returns how many workloads roll.
func (p *consumerPackage) predictsRolls(before, after *stampedPackage) (int, error) {
	report, err := p.impactOf(before.out, after.out)
	if err != nil {
		return 0, err
	}
	want := map[string]bool{}
	templates := before.templates(p.spec)
	now := after.templates(p.spec)
	for _, o := range after.outItems {
		for i := range p.spec.rollingTemplates(o) {
			was, both := templates[templateID(o, i)]
			if predicted(o) && both && o.Name() != "" && !gocmp.Equal(was, now[templateID(o, i)]) {
				want[p.workloadID(o.Kind(), o.Namespace(), o.Name())] = true
			}
		}
	}
	got := map[string]bool{}
	for _, w := range report.Workloads {
		if w.TemplateChanges && w.Kind != "Runner" {
			got[p.workloadID(w.Kind, w.Namespace, w.Name)] = true
		}
		if w.TemplateChanges && len(w.Causes) == 0 {
			return 0, mismatchf("no cause", "%s", w.Ref)
		}
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		return 0, mismatchf("other workloads roll", "(-want +got)\n%s\n%+v\n--- before\n%s\n--- after\n%s", diff, report.Workloads, before.out, after.out)
	}
	return len(want), nil
}

// predictsStale compares reports of the inputs with the oracle, and returns how many workloads get other content.
func (p *consumerPackage) predictsStale(before, after *stampedPackage) (int, error) {
	report, err := p.impactOf(before.in, after.in)
	if err != nil {
		return 0, err
	}
	want := map[string]bool{}
	for _, o := range after.inItems {
		for i := range p.spec.rollingTemplates(o) {
			id := templateID(o, i)
			if _, stamped := after.wanted[id]; predicted(o) && stamped && o.Name() != "" && !maps.Equal(before.wanted[id], after.wanted[id]) {
				want[p.workloadID(o.Kind(), o.Namespace(), o.Name())] = true
			}
		}
	}
	ignored := map[string]bool{}
	for _, o := range after.inItems {
		if harness.StringAt(o, "metadata", "annotations", "confighash.dev/ignore") == "true" {
			if o.Kind() == "ExternalSecret" {
				return 0, nil // the oracle leaves out what it is made with, too
			}
			ignored[p.workloadID(o.Kind(), o.Namespace(), o.Name())] = true
		}
	}
	got := map[string]bool{}
	for _, w := range report.Workloads {
		if !slices.ContainsFunc(w.Causes, func(c impact.Cause) bool {
			return c.Object == nil || !ignored[p.workloadID(c.Object.Kind, c.Object.Namespace, c.Object.Name)]
		}) {
			continue // the oracle leaves these out
		}
		if w.Accepted || ignored[p.workloadID(w.Kind, w.Namespace, w.Name)] || slices.Contains([]string{"Runner", "Job", "Pod"}, w.Kind) || w.TemplateChanges {
			continue
		}
		if w.Effect == impact.Stale || w.Effect == impact.NextRuns || w.Effect == impact.Unknown {
			got[p.workloadID(w.Kind, w.Namespace, w.Name)] = true
		}
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		return 0, mismatchf("others stay stale", "(-want +got)\n%s\n%+v\n--- before\n%s\n--- after\n%s", diff, report.Workloads, before.in, after.in)
	}
	return len(want), nil
}
