package properties_test

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/confighash/confighash/pkg/api/v1alpha1"
	"github.com/confighash/confighash/pkg/function"
	"github.com/confighash/confighash/test/support/gen"
	"github.com/confighash/confighash/test/support/harness"
	"github.com/confighash/confighash/test/support/property"
)

// A jobPackage is a random Job, with the ConfigMap that it consumes and resources that refer to it.
type jobPackage struct {
	plainPackage
	job, configMap harness.Object
	mode           v1alpha1.Mode
	salt           string
}

func randomJob(d *gen.Dice) *jobPackage {
	words := []any{"a", "yes", "1e3", "~", "0x1F", "null", " x ", "a: b", "#", "", "migrate", "two\nlines\n", true, false, bare("3"), bare("0")}
	word := func() any { return gen.Pick(d, words) }
	name := strings.Repeat("m", d.Between(1, 60))
	container := map[string]any{"name": "m", "image": d.Fresh("image"), "envFrom": []any{map[string]any{"configMapRef": map[string]any{"name": "app"}}}}
	for _, key := range []string{"args", "command"} {
		if list := []any{}; d.Chance(60) {
			for range d.Between(0, 3) {
				list = append(list, word())
			}
			container[key] = list
		}
	}
	labels := map[string]any{"app": "migrate", "helm.sh/chart": d.Fresh("chart")}
	if d.Chance(50) {
		labels[gen.Pick(d, []string{"job-name", "batch.kubernetes.io/job-name"})] = name
	}
	spec := map[string]any{
		"template": map[string]any{
			"metadata": map[string]any{"labels": labels},
			"spec":     map[string]any{"restartPolicy": "Never", "containers": []any{container}},
		},
	}
	for _, key := range []string{"backoffLimit", "parallelism", "suspend", "podFailurePolicy", "unknown"} {
		if d.Chance(40) {
			spec[key] = gen.Pick(d, []any{word(), map[string]any{"rules": []any{word(), map[string]any{"b": word(), "a": word()}}}})
		}
	}
	p := &jobPackage{
		job: harness.Object{
			"apiVersion": "batch/v1", "kind": "Job",
			"metadata": map[string]any{"name": name, "namespace": "prod", "labels": map[string]any{"version": d.Fresh("v")}}, "spec": spec,
		},
		configMap: harness.Object{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "app", "namespace": "prod"}, "data": map[string]any{"k": d.Fresh("value")}},
		mode:      gen.Pick(d, []v1alpha1.Mode{v1alpha1.ModeRename, v1alpha1.ModeAnnotate}),
		salt:      gen.Pick(d, []string{"", "", "pepper"}),
	}
	referrer := harness.Object{
		"apiVersion": "kustomize.toolkit.fluxcd.io/v1", "kind": "Kustomization",
		"metadata": map[string]any{"name": "flux", "namespace": "flux-system", "annotations": map[string]any{
			"config.kubernetes.io/depends-on": "batch/namespaces/prod/Job/" + name + "," + "/namespaces/prod/ConfigMap/app",
		}},
		"spec": map[string]any{"healthChecks": []any{map[string]any{"apiVersion": "batch/v1", "kind": "Job", "name": name, "namespace": "prod"}}},
	}
	for _, o := range []harness.Object{p.job, p.configMap, referrer} {
		p.documents = append(p.documents, &document{value: o})
	}
	p.restyle(d)
	return p
}

// restyle changes the style of the package.
func (p *jobPackage) restyle(d *gen.Dice) {
	p.style, p.form = d.Seed(), gen.Pick(d, []form{stream, kindList, jsonStream})
	p.anchors, p.crlf = !p.form.isJSON() && d.Chance(30), !p.form.isJSON() && d.Chance(10)
	d.Shuffle(len(p.documents), func(i, j int) { p.documents[i], p.documents[j] = p.documents[j], p.documents[i] })
}

func (p *jobPackage) process(text string) (string, error) {
	var out bytes.Buffer
	_, err := function.Process([]byte(text), &out, function.Options{Config: v1alpha1.New(p.mode, v1alpha1.PolicyAll), Salt: p.salt, Jobs: v1alpha1.JobsRename})
	return out.String(), err
}

// named processes the package and returns the name of the Job.
func (p *jobPackage) named() (string, error) {
	text := p.text(nil)
	out, err := p.process(text)
	if err != nil {
		return "", err
	}
	again, err := p.process(out)
	if err != nil || again != out {
		return "", fmt.Errorf("a second run differs: %w\n%s\n%s", err, out, again)
	}
	stripped, err := strip(out)
	if err != nil {
		return "", err
	}
	if p.mode == v1alpha1.ModeRename {
		if err := p.same("stripped", text, stripped); err != nil {
			return "", err
		}
	}
	documents, err := p.parse(out)
	if err != nil {
		return "", err
	}
	found := ""
	for _, o := range documents {
		if o.Kind() == "Job" {
			found = o.Name()
		}
	}
	if n := strings.Count(out, found); n < 3+len(jobLabels(p.job)) && !p.anchors {
		return "", fmt.Errorf("%s is there %d times\n%s", found, n, out)
	}
	return found, nil
}

func jobLabels(job harness.Object) (found []string) {
	for key := range harness.At(job, "spec", "template", "metadata", "labels").(map[string]any) {
		if strings.HasSuffix(key, "job-name") {
			found = append(found, key)
		}
	}
	return found
}

// scalars returns functions that change each scalar in a value, except for those that name the Job.
func scalars(value any, set func(any)) (changes []func()) {
	switch value := value.(type) {
	case map[string]any:
		for key, child := range value {
			if !strings.HasSuffix(key, "job-name") {
				changes = append(changes, scalars(child, func(v any) { value[key] = v })...)
			}
		}
	case []any:
		for i, child := range value {
			changes = append(changes, scalars(child, func(v any) { value[i] = v })...)
		}
	default:
		changes = append(changes, func() { set(fmt.Sprint("another ", value)) })
	}
	return changes
}

// A Job's name depends on its whole spec and on what it consumes, and on nothing else: not on style, order or labels of
// the Job.
func TestJobs_areNamedAfterAllThatTheyRun(t *testing.T) {
	tooLong := 0
	property.ForAll(t, packages/2, randomJob, func(d *gen.Dice, p *jobPackage) error {
		name, err := p.named()
		base := p.job.Name()
		if len(base) > 63-11 {
			tooLong++
			if err == nil || !strings.Contains(err.Error(), "would be "+strconv.Itoa(len(base)+11)+" characters long; 63 are allowed") {
				return fmt.Errorf("%s got the name %s: %w", base, name, err)
			}
			return nil
		}
		if err != nil {
			return err
		}
		if len(name) > 63 || !strings.HasPrefix(name, base+"-") {
			return fmt.Errorf("the new name of %s is %s", base, name)
		}
		p.restyle(d)
		p.job["metadata"].(map[string]any)["labels"] = map[string]any{"version": "another"}
		if same, err := p.named(); err != nil || same != name {
			return fmt.Errorf("in another style, %s is %s: %w", name, same, err)
		}
		if changes := scalars(p.job["spec"], nil); d.Chance(70) {
			gen.Pick(d, changes)()
		} else {
			p.configMap["data"] = map[string]any{"k": "another"}
		}
		if other, err := p.named(); err != nil || other == name {
			return fmt.Errorf("another spec has the name %s: %w\n%s", other, err, p.text(nil))
		}
		return nil
	})
	if tooLong == 0 && !testing.Short() {
		t.Error("no name was too long")
	}
}

// Two Jobs that differ only in their names have the same suffix, since a Job does not run its name.
func TestJobs_ownNamesDoNotCount(t *testing.T) {
	property.ForAll(t, packages/10, randomJob, func(_ *gen.Dice, p *jobPackage) error {
		suffixes := []string{}
		for _, base := range []string{"one", "another"} {
			p.job["metadata"].(map[string]any)["name"] = base
			p.documents = []*document{{value: p.job}, {value: p.configMap}}
			for _, key := range jobLabels(p.job) {
				harness.At(p.job, "spec", "template", "metadata", "labels").(map[string]any)[key] = base
			}
			out, err := p.process(p.text(nil))
			if err != nil {
				return err
			}
			documents, err := p.parse(out)
			if err != nil {
				return err
			}
			i := slices.IndexFunc(documents, func(o harness.Object) bool { return o.Kind() == "Job" })
			suffixes = append(suffixes, strings.TrimPrefix(documents[i].Name(), base))
		}
		if suffixes[0] != suffixes[1] {
			return fmt.Errorf("the suffixes are %v", suffixes)
		}
		return nil
	})
}
