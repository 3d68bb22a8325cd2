package properties_test

import (
	"bytes"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/confighash/confighash/pkg/api/v1alpha1"
	"github.com/confighash/confighash/pkg/function"
	"github.com/confighash/confighash/test/support/gen"
	"github.com/confighash/confighash/test/support/harness"
)

// A splitPackage is a random package under granularity: Key, with its input and output.
type splitPackage struct {
	*consumerPackage
	text, out         string
	inItems, outItems []harness.Object
}

func (p *consumerPackage) splitConfig() *v1alpha1.ConfigHash {
	config := v1alpha1.New(v1alpha1.ModeRename, v1alpha1.PolicyAll)
	s := &config.Spec
	s.Rename.Granularity = v1alpha1.GranularityKey
	s.Rename.Immutable = p.spec.immutable
	if p.spec.unreferenced {
		s.Rename.Unreferenced = v1alpha1.UnreferencedRename
	}
	s.Salt, s.Namespace, s.Discover = p.spec.salt, p.spec.namespace, &p.spec.discover
	if p.spec.runners {
		s.PodTemplates = []v1alpha1.PodTemplate{{Group: "example.com", Kind: "Runner", Path: "spec/workers/template"}}
	}
	if p.spec.exclude != "" {
		s.Exclude = []v1alpha1.Selector{{Kind: "ConfigMap", Name: p.spec.exclude}}
	}
	return config
}

// splitText runs the function. A ResourceList has its own functionConfig, so other tests cover it.
func (p *consumerPackage) splitText(text string, keep int, previous []function.Manifests) (string, error) {
	o := function.Options{Config: p.splitConfig(), Previous: previous}
	if previous != nil {
		o.Keep = &keep
	}
	var out bytes.Buffer
	if _, err := function.Process([]byte(text), &out, o); err != nil {
		return "", mismatchf("the function fails", "%v", err)
	}
	return out.String(), nil
}

func (p *consumerPackage) split() (*splitPackage, error) {
	if p.form.isList() {
		p.form += 3 // the same style in a stream
	}
	p.spec.policy, p.spec.granularity = "All", "Key"
	for _, d := range p.documents {
		if metadata := entries(d.value, "metadata"); slices.Contains([]string{"Stranger", "Runner"}, d.value.Kind()) && metadata["namespace"] == nil {
			metadata["namespace"] = p.spec.namespace // otherwise its scope is unknown, and it may mean any namespace
		}
	}
	s := &splitPackage{consumerPackage: p, text: p.text()}
	var err error
	if s.out, err = p.splitText(s.text, 0, nil); err != nil {
		return nil, err
	}
	if s.inItems, err = readManifests(s.text); err != nil {
		return nil, fmt.Errorf("unreadable input: %w", err)
	}
	if s.outItems, err = readManifests(s.out); err != nil {
		return nil, mismatchf("unreadable output", "%v\n%s", err, s.out)
	}
	return s, nil
}

// forEachSplit runs a check on random packages and shows those that fail.
func forEachSplit(t *testing.T, check func(d *gen.Dice, s *splitPackage) error) {
	t.Helper()
	forEachOf(t, 3*packages, randomConsumers, func(d *gen.Dice, p *consumerPackage) error {
		p.spec.immutable, p.spec.unreferenced = d.Chance(15), d.Chance(30)
		s, err := p.split()
		if err != nil {
			return err
		}
		if err := check(d, s); err != nil {
			return fmt.Errorf("%w\noutput:\n%s", err, s.out)
		}
		return nil
	})
}

// pods returns the pod specs of resources by the ID of the template, including templates that do not roll.
func (s *splitPackage) pods(items []harness.Object) map[string]map[string]any {
	pods := map[string]map[string]any{}
	for _, o := range items {
		if isPassedOver(o) {
			continue
		}
		for i, template := range s.spec.rollingTemplates(o) {
			pods[templateID(o, i)] = entries(template, "spec")
		}
		switch o.Kind() {
		case "Job":
			pods[templateID(o, 0)] = entries(o, "spec", "template", "spec")
		case "Pod":
			pods[templateID(o, 0)] = entries(o, "spec")
		}
	}
	return pods
}

// A kubelet has the objects that pods can get.
type kubelet struct {
	objects   map[string]map[string]string // the values, by kind, namespace and name
	variables map[string]map[string]string // without binaryData, which env and envFrom do not read
}

func (s *splitPackage) kubelet(items []harness.Object) *kubelet {
	k := &kubelet{map[string]map[string]string{}, map[string]map[string]string{}}
	for _, o := range items {
		if kind := o.Kind(); !isPassedOver(o) && (kind == "ConfigMap" || kind == "Secret") {
			id := kind + "/" + s.spec.place(o) + "/" + o.Name()
			k.objects[id], k.variables[id] = valuesOf(o), valuesOf(o)
			for key := range entries(o, "binaryData") {
				delete(k.variables[id], key)
			}
		}
	}
	return k
}

func isOptional(ref map[string]any) bool { return fmt.Sprint(ref["optional"]) == "true" }

// sees returns what the containers of a pod get, by container and by variable or path, including missing parts.
func (k *kubelet) sees(spec map[string]any, namespace string) map[string]string {
	seen := map[string]string{}
	volumes := map[string]map[string]string{}
	for _, volume := range elements(spec, "volumes") {
		volumes[harness.StringAt(volume, "name")] = k.files(volume, namespace)
	}
	for _, list := range []string{"containers", "initContainers", "ephemeralContainers"} {
		for i, container := range elements(spec, list) {
			put := func(key, value string) { seen[fmt.Sprintf("%s[%d] %s", list, i, key)] = value }
			k.environment(container, namespace, put)
			for n, mount := range elements(container, "volumeMounts") {
				within := harness.StringAt(mount, "subPath")
				if expression := harness.StringAt(mount, "subPathExpr"); !strings.Contains(expression, "$(") && within == "" {
					within = expression
				}
				within = strings.TrimPrefix(path.Clean("/"+within), "/")
				for file, value := range volumes[harness.StringAt(mount, "name")] {
					if within == "" || file == within || strings.HasPrefix(file, within+"/") || strings.HasPrefix(file, "?") {
						put(fmt.Sprintf("mount %d: %s", n, file), value)
					}
				}
			}
		}
	}
	return seen
}

// environment calls put for the environment of a container.
func (k *kubelet) environment(container map[string]any, namespace string, put func(key, value string)) {
	for i, source := range elements(container, "envFrom") {
		for field, kind := range map[string]string{"configMapRef": "ConfigMap", "secretRef": "Secret"} {
			if ref := entries(source, field); ref != nil {
				values, ok := k.variables[kind+"/"+namespace+"/"+harness.StringAt(ref, "name")]
				if !ok {
					put(fmt.Sprintf("envFrom %d", i), "no object")
				}
				for key, value := range values {
					put(fmt.Sprintf("envFrom %d: %s", i, key), value)
				}
			}
		}
	}
	for i, variable := range elements(container, "env") {
		for field, kind := range map[string]string{"configMapKeyRef": "ConfigMap", "secretKeyRef": "Secret"} {
			if ref := entries(variable, "valueFrom", field); ref != nil {
				value, ok := k.variables[kind+"/"+namespace+"/"+harness.StringAt(ref, "name")][harness.StringAt(ref, "key")]
				put(fmt.Sprintf("env %d", i), fmt.Sprint(ok, value))
			}
		}
	}
}

// files returns the files of a volume. An entry with a question mark stands for a failure of the kubelet.
func (k *kubelet) files(volume map[string]any, namespace string) map[string]string {
	files := map[string]string{}
	source := func(kind, name string, from map[string]any) {
		values, ok := k.objects[kind+"/"+namespace+"/"+name]
		if !ok && !isOptional(from) {
			files["?"+kind] = "no object"
		}
		if items := elements(from, "items"); len(items) > 0 {
			for _, item := range items {
				key := harness.StringAt(item, "key")
				value, ok := values[key]
				if !ok && !isOptional(from) {
					files["? key "+key] = "no key"
				} else if ok {
					files[strings.TrimPrefix(path.Clean("/"+harness.StringAt(item, "path")), "/")] = value
				}
			}
			return
		}
		maps.Copy(files, values)
	}
	eachSource(volume, source)
	return files
}

// named returns the Secrets and ConfigMaps that are named somewhere but that no container gets.
func (s *splitPackage) named(items []harness.Object) map[string]bool {
	names := map[string]bool{}
	for _, o := range items {
		for _, from := range elements(o, "spec", "target", "template", "templateFrom") {
			names["ConfigMap/"+s.spec.place(o)+"/"+harness.StringAt(from, "configMap", "name")] = true
			names["Secret/"+s.spec.place(o)+"/"+harness.StringAt(from, "secret", "name")] = true
		}
	}
	for id, spec := range s.pods(items) {
		namespace := s.placeOf(items, id)
		for _, pull := range elements(spec, "imagePullSecrets") {
			names["Secret/"+namespace+"/"+harness.StringAt(pull, "name")] = true
		}
	}
	return names
}

func (s *splitPackage) placeOf(items []harness.Object, id string) string {
	for _, o := range items {
		if strings.HasPrefix(id, o.Identity()+" #") {
			return s.spec.place(o)
		}
	}
	return ""
}

func TestGranularityKey_containersSeeTheSame(t *testing.T) {
	split := 0
	forEachSplit(t, func(_ *gen.Dice, s *splitPackage) error {
		again, err := s.splitText(s.out, 0, nil)
		if err != nil {
			return err
		}
		if diff := cmp.Diff(s.out, again); diff != "" {
			return mismatchf("a second run", "(-first +second):\n%s", diff)
		}
		before, after := s.kubelet(s.inItems), s.kubelet(s.outItems)
		pods := s.pods(s.outItems)
		for id, spec := range s.pods(s.inItems) {
			namespace := s.placeOf(s.inItems, id)
			if diff := cmp.Diff(before.sees(spec, namespace), after.sees(pods[id], namespace)); diff != "" {
				return mismatchf("what containers see", "%s (-before +after):\n%s", id, diff)
			}
		}
		for id := range s.named(s.inItems) {
			if diff := cmp.Diff(before.objects[id], after.objects[id]); before.objects[id] != nil && diff != "" {
				return mismatchf("what is named", "%s (-before +after):\n%s", id, diff)
			}
		}
		for _, o := range s.outItems {
			if harness.StringAt(o, "metadata", "annotations", v1alpha1.AnnotationKeys) != "" {
				split++
			}
		}
		return nil
	})
	if split == 0 {
		t.Error("no package had an object of which pods take keys")
	}
}

// isSplit reports whether the keys of an object are in parts now.
func (s *splitPackage) isSplit(o harness.Object) bool {
	kind, annotations := o.Kind(), entries(o, "metadata", "annotations")
	oracle := s.oracle(s.inItems)
	if kind != "ConfigMap" && kind != "Secret" || isPassedOver(o) || oracle.isTakenOut(o) || o["sops"] != nil || len(valuesOf(o)) == 0 && !optsIn(o) || annotations["kustomize.config.k8s.io/needs-hash"] != nil {
		return false
	}
	for _, other := range s.inItems {
		if s.spec.place(other) != s.spec.place(o) || isPassedOver(other) {
			continue
		}
		if other.Kind() != kind && oracle.isCalled(other, kind, o.Name()) {
			return false // it makes it
		}
		for listed := range strings.SplitSeq(harness.StringAt(other, "metadata", "annotations", "confighash.dev/extra-sources"), ",") {
			if strings.TrimSpace(listed) == kind+"/"+o.Name() && !optsIn(o) {
				return false
			}
		}
	}
	return true
}

// taken returns what each template takes from split objects, and those objects.
func (s *splitPackage) taken() (map[string]taking, map[string]harness.Object) {
	split := map[string]harness.Object{}
	for _, o := range s.inItems {
		if s.isSplit(o) {
			split[s.spec.place(o)+" "+o.Kind()+"/"+o.Name()] = o
		}
	}
	all := map[string]taking{}
	oracle := s.oracle(slices.Collect(maps.Values(split)))
	for _, workload := range s.inItems {
		if isPassedOver(workload) {
			continue
		}
		ignored := harness.StringAt(workload, "metadata", "annotations", "confighash.dev/ignore") == "true"
		bare := maps.Clone(workload) // without confighash.dev/extra-sources
		bare["metadata"] = map[string]any{"name": workload.Name(), "namespace": workload.Namespace()}
		for i, template := range s.spec.rollingTemplates(workload) {
			t := taking{}
			for id, values := range oracle.takes(bare, template) {
				if at := s.spec.place(workload) + " " + id; split[at] != nil && !ignored {
					t[at] = values
					s.tellFields(split[at], template, values)
				}
			}
			all[templateID(workload, i)] = t
		}
	}
	return all, split
}

// tellFields marks the values of a ConfigMap in binaryData, if that matters: they cannot be variables, and an immutable
// object cannot move them.
func (s *splitPackage) tellFields(o harness.Object, template map[string]any, values map[string]string) {
	binary := entries(o, "binaryData")
	counts := o["immutable"] != nil || s.spec.immutable
	for _, list := range []string{"containers", "initContainers", "ephemeralContainers"} {
		for _, container := range elements(template, "spec", list) {
			for _, variable := range elements(container, "env") {
				ref := entries(variable, "valueFrom", "configMapKeyRef")
				counts = counts || harness.StringAt(ref, "name") == o.Name() && binary[harness.StringAt(ref, "key")] != nil
			}
			for _, source := range elements(container, "envFrom") {
				counts = counts || harness.StringAt(entries(source, "configMapRef"), "name") == o.Name()
			}
		}
	}
	for key := range binary {
		if _, takes := values[key]; takes && counts && o.Kind() == "ConfigMap" {
			values[key] += " in binaryData"
		}
	}
}

func (s *splitPackage) templates() map[string]string {
	all := map[string]string{}
	for _, o := range s.outItems {
		for i, template := range s.spec.rollingTemplates(o) {
			// The checksum of unsplit objects may be the only annotation.
			if metadata := entries(template, "metadata"); metadata != nil {
				annotations := entries(metadata, "annotations")
				if delete(annotations, v1alpha1.AnnotationExtraSum); len(annotations) == 0 {
					delete(metadata, "annotations")
				}
				if len(metadata) == 0 {
					delete(template, "metadata")
				}
			}
			all[templateID(o, i)] = canonical(template)
		}
	}
	return all
}

func TestGranularityKey_rollsForTheKeysThatPodsTake(t *testing.T) {
	rolled, stayed := 0, 0
	forEachSplit(t, func(d *gen.Dice, s *splitPackage) error {
		changed := s.clone()
		c := &changes[s.turn%len(changes)]
		what, ok := c.apply(d, changed)
		if !ok || c.name == "the type of a Secret" { // a type cannot change under a name
			return nil
		}
		later, err := changed.split()
		if err != nil {
			return err
		}
		before, objects := s.taken()
		after, objectsLater := later.taken()
		was, is := s.templates(), later.templates()
		// An object that is gone, or has no keys any more, may have had none that the pods take. An immutable object is
		// also named after keys that no container sees.
		mayRoll := !maps.EqualFunc(objects, objectsLater, func(_, _ harness.Object) bool { return true })
		for _, all := range []map[string]harness.Object{objects, objectsLater} {
			for _, o := range all {
				mayRoll = mayRoll || o["immutable"] != nil || s.spec.immutable
			}
		}
		for id, takes := range after {
			if was[id] == "" {
				continue // the workload is new
			}
			want := cmp.Diff(before[id], takes) != ""
			if !want && mayRoll {
				continue
			}
			if got := was[id] != is[id]; got != want {
				return mismatchf(c.name, "%s: %s rolls: %v, want %v\ntakes %v\nthen %v\nthen:\n%s", what, id, got, want, before[id], takes, later.out)
			}
			if want {
				rolled++
			} else if len(takes) > 0 {
				stayed++
			}
		}
		return nil
	})
	if rolled == 0 || stayed == 0 {
		t.Errorf("%d templates rolled, %d stayed; want some of each", rolled, stayed)
	}
	t.Logf("%d templates rolled, %d stayed", rolled, stayed)
}
