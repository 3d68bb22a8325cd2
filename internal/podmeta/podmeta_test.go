package podmeta_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/confighash/confighash/pkg/api/v1alpha1"
	"github.com/confighash/confighash/pkg/function"
	"github.com/confighash/confighash/test/support/gen"
	"github.com/confighash/confighash/test/support/property"
)

// A selecting is a selector of a package and the namespace in which it selects pods, "" for all.
type selecting struct {
	namespace string
	selector  labels.Selector
}

// A pod is a pod template of a package, with the index of its item.
type pod struct {
	item      int
	namespace string
}

// A chart is a random package of workloads and of selectors.
type chart struct {
	*gen.Dice
	items     []map[string]any
	pods      []pod
	selectors []selecting
	// compared are labels of pods whose values a topology constraint compares.
	compared map[string]bool
}

var keys = []string{"app", "helm.sh/chart", "app.kubernetes.io/version", "chart"}

func (c *chart) key() string       { return gen.Pick(c.Dice, keys) }
func (c *chart) value() string     { return gen.Pick(c.Dice, []string{"a", "b", "v1"}) }
func (c *chart) namespace() string { return gen.Pick(c.Dice, []string{"shop", "mail"}) }

func (c *chart) labels(percent int) map[string]any {
	set := map[string]any{}
	for _, key := range keys {
		if c.Chance(percent) {
			set[key] = c.value()
		}
	}
	return set
}

// labelSelector returns a selector, and records where it selects pods.
func (c *chart) labelSelector(namespace string) map[string]any {
	selector := map[string]any{}
	if c.Chance(80) {
		selector["matchLabels"] = c.labels(25)
	}
	if c.Chance(30) {
		operator := gen.Pick(c.Dice, []string{"In", "NotIn", "Exists", "DoesNotExist"})
		expression := map[string]any{"key": c.key(), "operator": operator}
		if strings.HasSuffix(operator, "In") {
			expression["values"] = []any{c.value()}
		}
		selector["matchExpressions"] = []any{expression}
	}
	var typed metav1.LabelSelector
	text, _ := yaml.Marshal(selector)
	var lower struct {
		MatchLabels      map[string]string `yaml:"matchLabels"`
		MatchExpressions []struct {
			Key, Operator string
			Values        []string
		} `yaml:"matchExpressions"`
	}
	_ = yaml.Unmarshal(text, &lower)
	typed.MatchLabels = lower.MatchLabels
	for _, e := range lower.MatchExpressions {
		typed.MatchExpressions = append(typed.MatchExpressions, metav1.LabelSelectorRequirement{Key: e.Key, Operator: metav1.LabelSelectorOperator(e.Operator), Values: e.Values})
	}
	parsed, err := metav1.LabelSelectorAsSelector(&typed)
	if err != nil {
		panic(err)
	}
	c.selectors = append(c.selectors, selecting{namespace, parsed})
	return selector
}

func (c *chart) flat(namespace string) map[string]any {
	set := c.labels(30)
	texts := labels.Set{}
	for key, value := range set {
		texts[key] = value.(string)
	}
	c.selectors = append(c.selectors, selecting{namespace, texts.AsSelector()})
	return set
}

func (c *chart) add(apiVersion, kind, namespace string, spec map[string]any) {
	c.items = append(c.items, map[string]any{
		"apiVersion": apiVersion, "kind": kind, "spec": spec,
		"metadata": map[string]any{"name": c.Fresh("n"), "namespace": namespace, "labels": c.labels(50)},
	})
}

func (c *chart) workload() {
	in := c.namespace()
	spec := map[string]any{"containers": []any{map[string]any{"name": "a", "image": "b"}}}
	if c.Chance(30) {
		spec["affinity"] = map[string]any{"podAntiAffinity": map[string]any{"requiredDuringSchedulingIgnoredDuringExecution": []any{
			map[string]any{"topologyKey": "host", "labelSelector": c.labelSelector(""), "namespaceSelector": map[string]any{}},
		}}}
	}
	if c.Chance(30) {
		key := c.key()
		c.compared[key] = true
		spec["topologySpreadConstraints"] = []any{map[string]any{"labelSelector": c.labelSelector(in), "matchLabelKeys": []any{key}}}
	}
	if c.Chance(20) {
		spec["nodeSelector"] = c.labels(50)
	}
	c.pods = append(c.pods, pod{len(c.items), in})
	template := map[string]any{"metadata": map[string]any{"labels": c.labels(70), "annotations": c.labels(30)}, "spec": spec}
	c.add("apps/v1", gen.Pick(c.Dice, []string{"Deployment", "StatefulSet"}), in, map[string]any{"selector": c.labelSelector(in), "template": template})
}

func randomChart(d *gen.Dice) *chart {
	c := &chart{Dice: d, compared: map[string]bool{}}
	for range c.Between(1, 3) {
		c.workload()
	}
	for range c.Between(0, 3) {
		switch in := c.namespace(); c.IntN(8) {
		case 0:
			c.add("v1", "Service", in, map[string]any{"selector": c.flat(in)})
		case 1:
			c.add("policy/v1", "PodDisruptionBudget", in, map[string]any{"selector": c.labelSelector(in)})
		case 2:
			c.add("networking.k8s.io/v1", "NetworkPolicy", in, map[string]any{"podSelector": c.labelSelector(in), "ingress": []any{
				map[string]any{"from": []any{map[string]any{"podSelector": c.labelSelector(""), "namespaceSelector": map[string]any{"matchLabels": c.labels(50)}}}},
			}})
		case 3:
			c.add("monitoring.coreos.com/v1", "PodMonitor", in, map[string]any{"selector": c.labelSelector(""), "namespaceSelector": map[string]any{"any": true}})
		case 4:
			c.add("security.istio.io/v1", "AuthorizationPolicy", in, map[string]any{"selector": c.labelSelector("")})
		case 5:
			c.add("networking.istio.io/v1", "Sidecar", in, map[string]any{"workloadSelector": map[string]any{"labels": c.flat("")}})
		case 6:
			c.add("networking.istio.io/v1", "DestinationRule", in, map[string]any{"host": "a", "subsets": []any{map[string]any{"name": "s", "labels": c.flat("")}}})
		case 7:
			c.add("apps/v1", "Deployment", in, map[string]any{"template": map[string]any{"spec": map[string]any{"volumes": []any{}, "containers": []any{
				map[string]any{"name": "a", "image": "b"},
			}}}, "volumeClaimTemplates": []any{map[string]any{"spec": map[string]any{"selector": map[string]any{"matchLabels": c.labels(50)}}}}})
		}
	}
	return c
}

func (c *chart) text() []byte {
	var out bytes.Buffer
	encoder := yaml.NewEncoder(&out)
	for _, item := range c.items {
		if err := encoder.Encode(item); err != nil {
			panic(err)
		}
	}
	return out.Bytes()
}

func read(data []byte) (items []map[string]any) {
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	for {
		var item map[string]any
		if err := decoder.Decode(&item); errors.Is(err, io.EOF) {
			return items
		} else if err != nil {
			panic(err)
		}
		items = append(items, item)
	}
}

func at(object any, path ...string) map[string]any {
	for _, key := range path {
		object = object.(map[string]any)[key]
	}
	found, _ := object.(map[string]any)
	return found
}

func labelsOf(item map[string]any) labels.Set {
	set := labels.Set{}
	for key, value := range at(item, "spec", "template", "metadata", "labels") {
		set[key] = value.(string)
	}
	return set
}

func drop(manifests []byte, mode v1alpha1.Mode) ([]byte, error) {
	config := v1alpha1.New(mode, "")
	config.Spec.PodMetadata = v1alpha1.PodMetadata{DropLabels: []string{"helm.sh/*", "app.kubernetes.io/version", "c*t", "app"}, DropAnnotations: []string{"*/chart", "app"}}
	var out bytes.Buffer
	_, err := function.Process(manifests, &out, function.Options{Config: config})
	return out.Bytes(), err
}

// Selected pods stay selected, and only metadata of pod templates changes.
func TestDrop_changesNoSelection(t *testing.T) {
	property.ForAll(t, 400, randomChart, func(_ *gen.Dice, c *chart) error {
		in := c.text()
		for _, mode := range []v1alpha1.Mode{v1alpha1.ModeRename, v1alpha1.ModeAnnotate} {
			out, err := drop(in, mode)
			if err != nil {
				return err
			}
			if again, err := drop(out, mode); err != nil || !bytes.Equal(again, out) {
				return fmt.Errorf("a second run differs: %w\n%s", err, again)
			}
			if err := c.check(in, out); err != nil {
				return fmt.Errorf("%w\n%s", err, in)
			}
		}
		return nil
	})
}

func (c *chart) check(in, out []byte) error {
	before, after := read(in), read(out)
	for _, p := range c.pods {
		was, is := labelsOf(before[p.item]), labelsOf(after[p.item])
		for _, s := range c.selectors {
			if (s.namespace == "" || s.namespace == p.namespace) && s.selector.Matches(was) != s.selector.Matches(is) {
				return fmt.Errorf("%s selects pods of item %d no more, or only now: %v", s.selector, p.item, is)
			}
		}
		for key := range c.compared {
			if was[key] != is[key] {
				return fmt.Errorf("item %d: a topology constraint compares %s", p.item, key)
			}
		}
		for _, field := range []string{"labels", "annotations"} {
			delete(at(before[p.item], "spec", "template", "metadata"), field)
			delete(at(after[p.item], "spec", "template", "metadata"), field)
		}
	}
	if diff := cmp.Diff(before, after); diff != "" {
		return errors.New("something else differs: " + diff)
	}
	left := strings.Split(string(in), "\n")
	for line := range strings.SplitSeq(string(out), "\n") {
		if emptied, ok := strings.CutSuffix(line, " {}"); ok { // it lost its last entry
			line = emptied
		}
		i := slices.IndexFunc(left, func(was string) bool { return strings.TrimSuffix(was, " {}") == line })
		if i < 0 {
			return fmt.Errorf("the input does not hold the line %q, or not there", line)
		}
		left = left[i+1:]
	}
	return nil
}

// What nothing selects is dropped; otherwise the test above would prove nothing.
func TestDrop_dropsWhatNothingNeeds(t *testing.T) {
	dropped := 0
	property.ForAll(t, 100, randomChart, func(_ *gen.Dice, c *chart) error {
		in := c.text()
		out, err := drop(in, v1alpha1.ModeRename)
		dropped += bytes.Count(in, []byte("\n")) - bytes.Count(out, []byte("\n"))
		return err
	})
	if dropped == 0 {
		t.Error("no line of any package is gone")
	}
}
