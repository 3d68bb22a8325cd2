//go:build cluster

package cluster_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/confighash/confighash/internal/impact"
	"github.com/confighash/confighash/test/cluster"
	"github.com/confighash/confighash/test/support/property"
)

var (
	predictedPackages = flag.Int("predicted.packages", 145, "how many random packages TestImpact_predictsWhatRolls applies")
	predictedSeed     = flag.Uint64("predicted.seed", 0, "the first package's seed; 0 takes a random one")
)

// predictedWorkers is how many packages are applied concurrently: while one waits for controllers, others keep the
// machine busy.
const predictedWorkers = 4

// TestImpact_predictsWhatRolls applies random packages and random changes of them, and compares the effect with the
// prediction of confighash impact for the two builds. Each package is applied three times: unchanged, and built by
// confighash in both modes.
//
// A workload has rolled if:
//
//   - Deployment: it rolls to another ReplicaSet, or back to an earlier one. If it is
//     paused, before or after, it makes none for now; then the stored template must
//     differ, with quantities compared by value, as its controller does;
//   - StatefulSet, DaemonSet: the revision to which it updates is another one, or an
//     earlier one again, even if OnDelete or a partition keeps the pods;
//   - CronJob: the stored spec.jobTemplate.spec.template differs;
//   - ReplicaSet without an owner: the stored template differs, by value;
//   - Pod: the stored spec differs, by value; its containers restart in place;
//   - Job: never, as its template cannot change.
//
// Stale workloads are compared with the bytes that the containers get, according to intakeOf for the stored objects.
// Workloads that roll although their template is the same are compared with what held their pods back before: a pause,
// a partition, OnDelete. Dangling objects are compared with the stored templates that need an object which the new
// manifests no longer have.
//
// To test thousands of packages, or to repeat a failure:
//
//	hack/e2e-cluster -run TestImpact_predictsWhatRolls -timeout 3h -predicted.packages=5000
//	hack/e2e-cluster -run TestImpact_predictsWhatRolls -predicted.seed=SEED -predicted.packages=1
func TestImpact_predictsWhatRolls(t *testing.T) {
	first := *predictedSeed
	if first == 0 {
		first = property.Seed()
	}
	t.Logf("the first seed is %d", first)
	var next atomic.Uint64
	var workers sync.WaitGroup
	var seen tally
	for range predictedWorkers {
		workers.Go(func() {
			for {
				i := next.Add(1) - 1
				if i >= uint64(*predictedPackages) {
					return
				}
				t.Run(fmt.Sprint(first+i), func(t *testing.T) { predict(t, first+i, &seen) })
			}
		})
	}
	workers.Wait()
	t.Log(seen.String())
	// If the generator caused no rollouts any more, the test would prove nothing.
	if *predictedPackages >= 100 {
		for _, what := range []impact.Effect{
			impact.Refused, impact.Stale, impact.Rolls, impact.Waits, impact.NextRuns, impact.Starts, impact.Stops, letGo, dangling,
		} {
			if seen.count[string(what)] == 0 {
				t.Errorf("no package had %s", what)
			}
		}
	}
}

// Outcomes that are counted in addition to effects.
const (
	letGo    = "let go"
	dangling = "dangling"
)

// tally counts outcomes.
type tally struct {
	sync.Mutex
	count map[string]int
}

func (c *tally) add(what string, n int) {
	c.Lock()
	defer c.Unlock()
	if c.count == nil {
		c.count = map[string]int{}
	}
	c.count[what] += n
}

func (c *tally) String() string {
	c.Lock()
	defer c.Unlock()
	var parts []string
	for _, what := range slices.Sorted(maps.Keys(c.count)) {
		parts = append(parts, fmt.Sprintf("%s %d", what, c.count[what]))
	}
	return strings.Join(parts, ", ")
}

// builder is one way to build a package's manifests.
type builder struct {
	mode string // "" for unchanged manifests
	spec []string
}

func (b builder) String() string {
	if b.mode == "" {
		return "no confighash"
	}
	return strings.Join(append([]string{b.mode}, b.spec...), ", ")
}

// builders returns the ways to build a package: without confighash, and in its two modes, sometimes with options.
func (g *generator) builders() []builder {
	rename, annotate := builder{mode: "Rename"}, builder{mode: "Annotate"}
	if g.chance(25) {
		rename.spec = append(rename.spec, one(g.dice, "rename: {immutable: true}", "rename: {unreferenced: Rename}", "rename: {annotations: {kept: 'yes'}}"))
	}
	if g.chance(35) {
		annotate.spec = append(annotate.spec, one(g.dice, "annotate: {granularity: Object}", "annotate: {scope: Source}", "annotate: {key: example.com/sum}"))
	}
	if g.chance(10) {
		rename.spec = append(rename.spec, "salt: pepper")
	}
	return []builder{{}, rename, annotate}
}

// build returns the documents to apply.
func (b builder) build(ctx context.Context, namespace, dir string, manifests []*manifest) ([]document, error) {
	var text strings.Builder
	for _, m := range manifests {
		text.WriteString("---\n" + m.text())
	}
	if b.mode == "" {
		return documentsOf(text.String())
	}
	config := filepath.Join(dir, "config.yaml")
	lines := append([]string{"apiVersion: confighash.dev/v1alpha1", "kind: ConfigHash", "metadata: {name: test}", "spec:", "  mode: " + b.mode}, b.spec...)
	for i := 5; i < len(lines); i++ {
		lines[i] = "  " + lines[i]
	}
	if err := os.WriteFile(config, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		return nil, err
	}
	out, err := confighash(ctx, text.String(), "--config", config, "--namespace", namespace)
	if err != nil {
		return nil, fmt.Errorf("%w\n%s", err, text.String())
	}
	return documentsOf(out)
}

// confighash runs bin/confighash. Exit codes that report on manifests are not errors.
func confighash(ctx context.Context, stdin string, args ...string) (string, error) {
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, filepath.Join(root, "bin", "confighash"), args...)
	cmd.Stdin = strings.NewReader(stdin)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return stdout.String(), fmt.Errorf("confighash %s: %w\n%s", strings.Join(args, " "), err, stderr.String())
	}
	return stdout.String(), nil
}

// document is a resource to apply.
type document struct{ text, apiVersion, kind, name string }

func (d *document) id() string { return d.kind + " " + d.name }

func documentsOf(stream string) ([]document, error) {
	var all []document
	for text := range strings.SplitSeq("\n"+stream, "\n---\n") {
		if strings.TrimSpace(text) == "" {
			continue
		}
		var object metav1.PartialObjectMetadata
		if err := yaml.Unmarshal([]byte(text), &object); err != nil {
			return nil, fmt.Errorf("%w\n%s", err, text)
		}
		all = append(all, document{strings.Trim(text, "\n") + "\n", object.APIVersion, object.Kind, object.Name})
	}
	return all, nil
}

// streamOf joins documents.
func streamOf(documents []document) string {
	var b strings.Builder
	for _, d := range documents {
		b.WriteString("---\n" + strings.TrimSuffix(d.text, "\n") + "\n")
	}
	return b.String()
}

// resources are the kinds in packages, with their paths in the API.
var resources = []struct{ apiVersion, kind, path string }{
	{"v1", "ConfigMap", "/api/v1/namespaces/%s/configmaps"},
	{"v1", "Secret", "/api/v1/namespaces/%s/secrets"},
	{"apps/v1", "Deployment", "/apis/apps/v1/namespaces/%s/deployments"},
	{"apps/v1", "StatefulSet", "/apis/apps/v1/namespaces/%s/statefulsets"},
	{"apps/v1", "DaemonSet", "/apis/apps/v1/namespaces/%s/daemonsets"},
	{"apps/v1", "ReplicaSet", "/apis/apps/v1/namespaces/%s/replicasets"},
	{"batch/v1", "CronJob", "/apis/batch/v1/namespaces/%s/cronjobs"},
	{"batch/v1", "Job", "/apis/batch/v1/namespaces/%s/jobs"},
	{"v1", "Pod", "/api/v1/namespaces/%s/pods"},
}

func pathOf(kind, namespace string) string {
	for _, r := range resources {
		if r.kind == kind {
			return fmt.Sprintf(r.path, namespace)
		}
	}
	panic("no path for " + kind)
}

// refusals are the API server's messages, by "Kind name".
type refusals map[string]string

// applier applies documents to a namespace. It returns the API server's refusals; an error is something else.
type applier struct {
	name  string
	apply func(ctx context.Context, namespace string, documents []document) (refusals, error)
}

// appliers are the ways to apply. The first is the equivalent of kubectl apply --server-side.
var appliers = []applier{
	{"server-side apply", func(ctx context.Context, namespace string, documents []document) (refusals, error) {
		refused := refusals{}
		for i := range documents {
			d := &documents[i]
			path := pathOf(d.kind, namespace) + "/" + d.name + "?fieldManager=kubectl&force=true&fieldValidation=Strict"
			err := plane.Patch(ctx, path, cluster.ApplyPatch, []byte(d.text), nil)
			status := (*cluster.StatusError)(nil)
			switch {
			case errors.As(err, &status) && (status.Code == http.StatusUnprocessableEntity || status.Code == http.StatusForbidden):
				refused[d.id()] = status.Message
			case err != nil:
				return nil, err
			}
		}
		return refused, nil
	}},
	{"kubectl apply --server-side", kubectlApply("--server-side")},
	{"kubectl apply", kubectlApply("--server-side=false")},
}

func kubectlApply(flags ...string) func(context.Context, string, []document) (refusals, error) {
	return func(ctx context.Context, namespace string, documents []document) (refusals, error) {
		args := append([]string{"apply", "-n", namespace, "-o", "name", "-f", "-"}, flags...)
		result, err := plane.Kubectl(ctx, streamOf(documents), args...)
		if err != nil {
			return nil, err
		}
		applied := map[string]bool{}
		for line := range strings.FieldsSeq(result.Stdout) {
			kind, name, _ := strings.Cut(line, "/")
			kind, _, _ = strings.Cut(kind, ".")
			applied[kind+" "+name] = true
		}
		refused := refusals{}
		for i := range documents {
			if d := &documents[i]; !applied[strings.ToLower(d.kind)+" "+d.name] {
				refused[d.id()] = result.Stderr
			}
		}
		if (result.Code != 0) != (len(refused) > 0) {
			return nil, fmt.Errorf("kubectl %s: exit code %d\n%s%s", strings.Join(args, " "), result.Code, result.Stdout, result.Stderr)
		}
		return refused, nil
	}
}

// stored is the content of a namespace, except for what controllers made.
type stored struct {
	holdings
	templates map[string]*corev1.PodTemplateSpec // by "Kind name"
	paused    map[string]bool
	held      map[string]int // how far the pods are held back
	snapshot  cluster.Snapshot
}

// observe waits until the controllers have observed the applied manifests, and returns the stored objects.
func observe(ctx context.Context, namespace string) (*stored, error) {
	snapshot, err := plane.Rollouts(ctx, namespace)
	if err != nil {
		return nil, err
	}
	s := &stored{
		holdings:  holdings{map[string]*corev1.ConfigMap{}, map[string]*corev1.Secret{}},
		templates: map[string]*corev1.PodTemplateSpec{}, paused: map[string]bool{}, held: map[string]int{}, snapshot: snapshot,
	}
	var (
		configMaps   corev1.ConfigMapList
		secrets      corev1.SecretList
		deployments  appsv1.DeploymentList
		statefulSets appsv1.StatefulSetList
		daemonSets   appsv1.DaemonSetList
		replicaSets  appsv1.ReplicaSetList
		cronJobs     batchv1.CronJobList
		jobs         batchv1.JobList
		pods         corev1.PodList
	)
	for i, list := range []any{&configMaps, &secrets, &deployments, &statefulSets, &daemonSets, &replicaSets, &cronJobs, &jobs, &pods} {
		if err := plane.Get(ctx, fmt.Sprintf(resources[i].path, namespace), list); err != nil {
			return nil, err
		}
	}
	for i := range configMaps.Items {
		s.configMaps[configMaps.Items[i].Name] = &configMaps.Items[i]
	}
	for i := range secrets.Items {
		s.secrets[secrets.Items[i].Name] = &secrets.Items[i]
	}
	add := func(kind string, m *metav1.ObjectMeta, template *corev1.PodTemplateSpec) {
		if metav1.GetControllerOfNoCopy(m) == nil && m.DeletionTimestamp == nil {
			s.templates[kind+" "+m.Name] = template
		}
	}
	for i := range deployments.Items {
		d := &deployments.Items[i]
		add("Deployment", &d.ObjectMeta, &d.Spec.Template)
		if d.Spec.Paused {
			s.paused["Deployment "+d.Name] = true
			s.held["Deployment "+d.Name] = math.MaxInt
		}
	}
	for i := range statefulSets.Items {
		set := &statefulSets.Items[i]
		add("StatefulSet", &set.ObjectMeta, &set.Spec.Template)
		if set.Spec.UpdateStrategy.Type == appsv1.OnDeleteStatefulSetStrategyType {
			s.held["StatefulSet "+set.Name] = math.MaxInt
		} else if u := set.Spec.UpdateStrategy.RollingUpdate; u != nil && u.Partition != nil {
			s.held["StatefulSet "+set.Name] = int(*u.Partition)
		}
	}
	for i := range daemonSets.Items {
		set := &daemonSets.Items[i]
		add("DaemonSet", &set.ObjectMeta, &set.Spec.Template)
		if set.Spec.UpdateStrategy.Type == appsv1.OnDeleteDaemonSetStrategyType {
			s.held["DaemonSet "+set.Name] = math.MaxInt
		}
	}
	for i := range replicaSets.Items {
		add("ReplicaSet", &replicaSets.Items[i].ObjectMeta, &replicaSets.Items[i].Spec.Template)
	}
	for i := range cronJobs.Items {
		add("CronJob", &cronJobs.Items[i].ObjectMeta, &cronJobs.Items[i].Spec.JobTemplate.Spec.Template)
	}
	for i := range jobs.Items {
		add("Job", &jobs.Items[i].ObjectMeta, &jobs.Items[i].Spec.Template)
	}
	for i := range pods.Items {
		p := &pods.Items[i]
		add("Pod", &p.ObjectMeta, &corev1.PodTemplateSpec{Spec: p.Spec})
	}
	return s, nil
}

// rolled returns the workloads that rolled between two observations, sorted; the test's comment defines rolling.
func rolled(before, after *stored) ([]string, error) {
	revisions := map[string]bool{}
	for _, workload := range cluster.Rolled(before.snapshot, after.snapshot) {
		kind, name, _ := strings.Cut(workload, " ")
		_, name, _ = strings.Cut(name, "/")
		revisions[kind+" "+name] = true
	}
	var found []string
	for _, workload := range slices.Sorted(maps.Keys(before.templates)) {
		old, now := before.templates[workload], after.templates[workload]
		if now == nil {
			continue
		}
		var did bool
		switch kind, _, _ := strings.Cut(workload, " "); {
		case kind == "Deployment" && (before.paused[workload] || after.paused[workload]):
			did = !equality.Semantic.DeepEqual(old, now)
			if after.paused[workload] && revisions[workload] {
				return nil, fmt.Errorf("%s is paused and rolled", workload)
			}
		case kind == "Deployment", kind == "StatefulSet", kind == "DaemonSet":
			did = revisions[workload]
		case kind != "CronJob":
			did = !equality.Semantic.DeepEqual(old, now)
		default:
			was, err := json.Marshal(old)
			if err != nil {
				return nil, err
			}
			is, err := json.Marshal(now)
			if err != nil {
				return nil, err
			}
			did = !bytes.Equal(was, is)
		}
		if did {
			found = append(found, workload)
		}
	}
	return found, nil
}

// predict applies the package of a seed, and changes of it.
func predict(t *testing.T, seed uint64, seen *tally) {
	g := &generator{dice: newDice(seed)}
	g.newPackage()
	before := snapshotOf(g.manifests)
	g.change()
	after := snapshotOf(g.manifests)
	back := g.chance(50)
	how := appliers[0]
	if g.chance(15) {
		how = appliers[g.between(1, 2)]
	}
	for i, b := range g.builders() {
		from := b
		if b.mode != "" && g.chance(5) {
			from = builder{} // confighash is new to the package
		}
		p := &prophecy{
			ctx: t.Context(), seed: seed, how: how, builder: b, dir: t.TempDir(), seen: seen,
			namespace: fmt.Sprintf("predicted-%d-%d", seed, i),
			// A workload that no longer consumes anything when confighash first runs gets no checksum, and had none.
			ignoring: g.ignoring || from.mode != b.mode,
		}
		if err := p.run(from, before, after, back); err != nil {
			t.Errorf("-predicted.seed=%d -predicted.packages=1: %s, %s:\n%v", seed, b, how.name, err)
		}
	}
}

func snapshotOf(manifests []*manifest) []*manifest {
	var all []*manifest
	for _, m := range manifests {
		all = append(all, &manifest{clone(m.value), m.style})
	}
	return all
}

// prophecy is a package in a namespace.
type prophecy struct {
	ctx            context.Context
	seed           uint64
	how            applier
	builder        builder
	namespace, dir string
	ignoring       bool
	seen           *tally
}

// run applies one package, then another, and, with back, the first again.
func (p *prophecy) run(from builder, before, after []*manifest, back bool) error {
	if err := plane.CreateNamespace(p.ctx, p.namespace); err != nil {
		return err
	}
	defer p.clear()
	old, err := from.build(p.ctx, p.namespace, p.dir, before)
	if err != nil {
		return err
	}
	refused, err := p.how.apply(p.ctx, p.namespace, old)
	if err == nil && len(refused) > 0 {
		err = errors.New("the API server does not take the first package")
	}
	if err != nil {
		return fmt.Errorf("%w: %v\n%s", err, refused, streamOf(old))
	}
	was, err := observe(p.ctx, p.namespace)
	if err != nil {
		return fmt.Errorf("%w\n%s", err, streamOf(old))
	}
	next, err := p.builder.build(p.ctx, p.namespace, p.dir, after)
	if err != nil {
		return err
	}
	refused, err = p.step(old, next, was)
	if err != nil || len(refused) > 0 || !back {
		return err // after a refusal, no manifests describe the current state
	}
	for _, d := range old {
		if !holds(next, d.id()) {
			if err := plane.Delete(p.ctx, pathOf(d.kind, p.namespace)+"/"+d.name); err != nil {
				return err
			}
		}
	}
	if was, err = observe(p.ctx, p.namespace); err != nil {
		return err
	}
	_, err = p.step(next, old, was)
	return err
}

// holds reports whether documents include one with the id.
func holds(documents []document, id string) bool {
	return slices.ContainsFunc(documents, func(d document) bool { return d.id() == id })
}

// step predicts the effect of an apply, applies, and compares.
func (p *prophecy) step(old, next []document, was *stored) (refusals, error) {
	for name, documents := range map[string][]document{"old.yaml": old, "new.yaml": next} {
		if err := os.WriteFile(filepath.Join(p.dir, name), []byte(streamOf(documents)), 0o600); err != nil {
			return nil, err
		}
	}
	out, err := confighash(p.ctx, "", "impact", "--from", filepath.Join(p.dir, "old.yaml"), "--to", filepath.Join(p.dir, "new.yaml"),
		"--namespace", p.namespace, "-o", "json", "--exit-code")
	code := 0
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() > 1 {
		code = exit.ExitCode()
	} else if err != nil {
		return nil, fmt.Errorf("%w\nold:\n%s\nnew:\n%s", err, streamOf(old), streamOf(next))
	}
	var report impact.Report
	if err := json.Unmarshal([]byte(out), &report); err != nil {
		return nil, fmt.Errorf("%w\n%s", err, out)
	}
	refused, err := p.how.apply(p.ctx, p.namespace, next)
	if err != nil {
		return nil, fmt.Errorf("%w\nold:\n%s\nnew:\n%s", err, streamOf(old), streamOf(next))
	}
	is, err := observe(p.ctx, p.namespace)
	if err != nil {
		return nil, fmt.Errorf("%w\nold:\n%s\nnew:\n%s", err, streamOf(old), streamOf(next))
	}
	did, err := rolled(was, is)
	if err != nil {
		return nil, err
	}
	outcome := &outcome{old: old, next: next, report: &report, code: code, rolled: did, refused: refused, was: was, is: is}
	wrong := outcome.compare()
	if p.builder.mode != "" && !p.ignoring {
		wrong = append(wrong, outcome.noneStale()...)
	}
	p.count(outcome)
	if len(wrong) > 0 {
		return nil, fmt.Errorf("%s\nrolled: %v\nrefused: %v\nold:\n%s\nnew:\n%s\nreport:\n%s", strings.Join(wrong, "\n"), did, refused, streamOf(old), streamOf(next), out)
	}
	return refused, nil
}

func (p *prophecy) count(o *outcome) {
	p.seen.add("applies", 1)
	for i := range o.report.Workloads {
		p.seen.add(string(o.report.Workloads[i].Effect), 1)
	}
	p.seen.add("rolled", len(o.rolled))
	p.seen.add(letGo, len(o.letGo(nil)))
	p.seen.add(dangling, len(o.dangling()))
	for i := range o.report.Workloads {
		if w := &o.report.Workloads[i]; w.Kind == "Job" && w.Effect == impact.NextRuns && w.TemplateChanges {
			p.seen.add("suspended Jobs changed", 1)
		}
	}
	p.seen.add("refused", len(o.refused))
}

// clear deletes the content of the namespace. An empty namespace costs nothing, but deleting it costs a lot.
func (p *prophecy) clear() {
	ctx := context.WithoutCancel(p.ctx)
	for _, r := range resources {
		// Leftovers do no harm.
		_ = plane.Delete(ctx, fmt.Sprintf(r.path, p.namespace))
	}
}

// outcome is the actual effect, with the predicted one.
type outcome struct {
	old     []document
	next    []document
	report  *impact.Report
	code    int
	rolled  []string
	refused refusals
	was, is *stored
}

// compare returns the wrong predictions.
func (o *outcome) compare() []string {
	var wrong []string
	same := func(what string, predicted, happened []string) {
		slices.Sort(predicted)
		slices.Sort(happened)
		if diff := cmp.Diff(slices.Compact(predicted), slices.Compact(happened)); diff != "" {
			wrong = append(wrong, what+" (-predicted +happened):\n"+diff)
		}
	}
	predicted := map[string]*impact.Workload{}
	var rolls, refused, stale, released []string
	for i := range o.report.Workloads {
		w := &o.report.Workloads[i]
		id := w.Kind + " " + w.Name
		predicted[id] = w
		if w.TemplateChanges {
			rolls = append(rolls, id)
		}
		switch {
		case w.Effect == impact.Refused:
			refused = append(refused, id)
		case !w.TemplateChanges && (w.Effect == impact.Stale || w.Effect == impact.NextRuns):
			stale = append(stale, id)
		case !w.TemplateChanges && w.Effect == impact.Rolls:
			released = append(released, id)
		}
	}
	same("rolls", rolls, slices.Clone(o.rolled))
	for i := range o.report.Objects {
		if object := &o.report.Objects[i]; object.Refused != "" {
			refused = append(refused, object.Kind+" "+object.Name)
		}
	}
	for i := range o.report.Refused {
		refused = append(refused, o.report.Refused[i].Kind+" "+o.report.Refused[i].Name)
	}
	same("refused", refused, slices.Collect(maps.Keys(o.refused)))

	// A refused object changes nothing, but the workloads that should get it are behind.
	wanted := holdings{maps.Clone(o.is.configMaps), maps.Clone(o.is.secrets)}
	for i := range o.next {
		if d := &o.next[i]; o.refused[d.id()] != "" {
			if err := wanted.add(d); err != nil {
				return append(wrong, err.Error())
			}
		}
	}
	// Objects that are not in the new manifests are pruned sooner or later.
	for i := range o.old {
		if d := &o.old[i]; !holds(o.next, d.id()) {
			wanted.remove(d)
		}
	}
	var behind []string
	for workload, template := range o.is.templates {
		was, both := o.was.templates[workload]
		if !both || !holds(o.next, workload) || slices.Contains(o.rolled, workload) || o.refused[workload] != "" {
			continue
		}
		if intakeOf(&was.Spec, o.was.holdings).changed(intakeOf(&template.Spec, wanted)) {
			behind = append(behind, workload)
		}
	}
	same("stays behind", stale, behind)
	same("is let go", released, o.letGo(behind))

	var missing []string
	for i := range o.report.Disappearing {
		d := &o.report.Disappearing[i]
		for _, need := range d.NeededBy {
			if id := need.Kind + " " + need.Name; need.Why == impact.StillNamed && o.refused[id] == "" {
				missing = append(missing, id+" needs "+d.Kind+" "+d.Name)
			}
		}
	}
	same("dangles", missing, o.dangling())
	if want := o.exitCode(); o.code != want {
		wrong = append(wrong, fmt.Sprintf("exit code %d, want %d", o.code, want))
	}
	return wrong
}

// letGo returns the workloads whose pods are no longer held back, except those whose template differs or that are
// behind.
func (o *outcome) letGo(behind []string) []string {
	var found []string
	for workload, was := range o.was.held {
		is, both := o.is.held[workload], o.is.templates[workload] != nil && holds(o.next, workload)
		if both && is < was && o.refused[workload] == "" &&
			!slices.Contains(o.rolled, workload) && !slices.Contains(behind, workload) {
			found = append(found, workload)
		}
	}
	return found
}

// dangling returns the stored templates that need an object which the new manifests no longer have.
func (o *outcome) dangling() []string {
	var found []string
	for workload, template := range o.is.templates {
		if !holds(o.next, workload) || o.refused[workload] != "" {
			continue
		}
		for object := range required(&template.Spec) {
			if holds(o.old, object) && !holds(o.next, object) {
				found = append(found, workload+" needs "+object)
			}
		}
	}
	return found
}

// add adds a ConfigMap or a Secret from a manifest.
func (h *holdings) add(d *document) error {
	switch d.kind {
	case "ConfigMap":
		c := &corev1.ConfigMap{}
		h.configMaps[d.name] = c
		return yaml.Unmarshal([]byte(d.text), c)
	case "Secret":
		s := &corev1.Secret{}
		h.secrets[d.name] = s
		if err := yaml.Unmarshal([]byte(d.text), s); err != nil {
			return err
		}
		if s.Data == nil {
			s.Data = map[string][]byte{}
		}
		for key, value := range s.StringData {
			s.Data[key] = []byte(value)
		}
	}
	return nil
}

func (h *holdings) remove(d *document) {
	switch d.kind {
	case "ConfigMap":
		delete(h.configMaps, d.name)
	case "Secret":
		delete(h.secrets, d.name)
	}
}

// noneStale returns workloads that stay stale although confighash builds all manifests.
func (o *outcome) noneStale() []string {
	var wrong []string
	for i := range o.report.Workloads {
		if w := &o.report.Workloads[i]; w.Effect == impact.Stale && w.Kind != "Job" && w.Kind != "Pod" {
			wrong = append(wrong, fmt.Sprintf("%s %s is stale", w.Kind, w.Name))
		}
	}
	return wrong
}

// exitCode returns the expected code of --exit-code: 4 if something is behind, was refused or dangles, 3 if something
// rolled or is no longer held back, 0 otherwise.
func (o *outcome) exitCode() int {
	if len(o.refused) > 0 || len(o.dangling()) > 0 {
		return 4
	}
	code := 0
	if len(o.rolled) > 0 {
		code = 3
	}
	for i := range o.report.Workloads {
		w := &o.report.Workloads[i]
		configured := slices.ContainsFunc(w.Causes, func(c impact.Cause) bool { return c.Object != nil })
		if !w.Accepted && (w.Effect == impact.Stale || w.Effect == impact.Waits && configured) {
			return 4
		}
		if w.Effect == impact.Rolls {
			code = 3 // compare checks that it rolled or is no longer held back
		}
	}
	return code
}
