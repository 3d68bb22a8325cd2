package helm_test

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/confighash/confighash/test/support/harness"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// checksumKey is the default annotation of Annotate, which Helm's documentation also uses.
const checksumKey = "checksum/config"

// checksums returns an annotation of the pod templates that roll, by workload.
func checksums(t *testing.T, text, key string) map[string]string {
	t.Helper()
	found := map[string]string{}
	for id, template := range podTemplates(t, text) {
		if checksum := harness.StringAt(template, "metadata", "annotations", key); checksum != "" {
			found[id] = checksum
		}
	}
	return found
}

// podTemplates returns the pod templates that roll, by workload.
func podTemplates(t *testing.T, text string) map[string]map[string]any {
	t.Helper()
	found := map[string]map[string]any{}
	for _, o := range parseManifests(t, text) {
		if w, ok := workloads[o.Kind()]; ok && w.rolls {
			found[o.Identity()] = podTemplateOf(o, w)
		}
	}
	return found
}

// differing returns, sorted, the keys whose values differ.
func differing[V any](one, other map[string]V) []string {
	var keys []string
	for key, value := range one {
		if counterpart, ok := other[key]; !ok || !cmp.Equal(value, counterpart) {
			keys = append(keys, key)
		}
	}
	for key := range other {
		if _, ok := one[key]; !ok {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}

func TestCharts_annotate_changesOnlyChecksums(t *testing.T) {
	forEachChart(t, func(t *testing.T, _ chart, rendered string) {
		out := filter(t, rendered, "Annotate")
		want, got := parseManifests(t, rendered), parseManifests(t, out)
		for _, all := range [][]harness.Object{want, got} {
			for _, o := range all {
				if w, ok := workloads[o.Kind()]; ok && w.rolls {
					dropAnnotation(podTemplateOf(o, w), checksumKey)
				}
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("more than %s has changed (-rendered +filtered):\n%s", checksumKey, diff)
		}

		// A checksum that could be read as a number is quoted.
		const pair = checksumKey + `: ("[0-9a-f]{64}"|[0-9a-f]{64})`
		var (
			stamped = regexp.MustCompile(`^ +` + pair + `$`)
			ownLine = regexp.MustCompile(`^ +(metadata:|annotations:|` + pair + `)$`)
			filled  = regexp.MustCompile(`\{` + pair + `\}`)
		)
		err := onlyOwnLines(rendered, out, ownLine.MatchString, func(before, now string) bool {
			return stamped.MatchString(before) && stamped.MatchString(now) ||
				before == filled.ReplaceAllString(now, "{}")
		})
		if err != nil {
			t.Error(err)
		}
	})
}

func TestCharts_annotate_stampsOnlyConsumersOfValues(t *testing.T) {
	forEachChart(t, func(t *testing.T, _ chart, rendered string) {
		all := parseManifests(t, rendered)
		var want []string
		for _, source := range all {
			if !isSource(source) {
				continue
			}
			for _, value := range usesOf(source) {
				want = append(want, rolledBy(t, all, value)...)
			}
		}
		slices.Sort(want)
		want = slices.Compact(want)
		stamped := differing(checksums(t, rendered, checksumKey), checksums(t, filter(t, rendered, "Annotate"), checksumKey))
		if diff := cmp.Diff(want, stamped, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("other workloads are stamped (-consumers +stamped):\n%s", diff)
		}
	})
}

// Common parts of charts must not cause a warning: hooks, references to objects made elsewhere, empty Secrets, volumes
// that nothing mounts.
func TestCharts_annotate_warnsOfNothing(t *testing.T) {
	forEachChart(t, func(t *testing.T, c chart, rendered string) {
		if c.unknown {
			t.Skip("what is to be said of this chart is not known")
		}
		if _, said := filterAndListen(t, rendered, "Annotate"); said != "" && !strings.HasPrefix(said, "info: nothing is renamed or stamped: ") {
			t.Errorf("the function says\n%s", said)
		}
	})
}

func TestCharts_annotate_editedValue_rollsOnlyItsConsumers(t *testing.T) {
	forEachChart(t, func(t *testing.T, _ chart, rendered string) {
		var (
			all    = parseManifests(t, rendered)
			before = podTemplates(t, filter(t, rendered, "Annotate"))
		)
		for _, source := range all {
			if !isSource(source) {
				continue
			}
			added := use{source.Kind(), placeOf(source), source.Name(), "added-by-test"}
			for _, changed := range append(usesOf(source), added) {
				documents := parseDocuments(t, rendered)
				for _, document := range documents {
					for _, o := range flatten(document) {
						if o.Identity() == source.Identity() {
							setKey(t, o, changed.key)
						}
					}
				}
				after := podTemplates(t, filter(t, encodeDocuments(t, documents), "Annotate"))
				if diff := cmp.Diff(rolledBy(t, all, changed), differing(before, after), cmpopts.EquateEmpty()); diff != "" {
					t.Errorf("a change of %s %s, key %s, rolls others (-want +got):\n%s", changed.kind, changed.name, changed.key, diff)
				}
			}
		}
	})
}

func TestCharts_annotate_labelsOfSourcesRollNothing(t *testing.T) {
	forEachChart(t, func(t *testing.T, _ chart, rendered string) {
		documents := parseDocuments(t, rendered)
		for _, document := range documents {
			for _, o := range flatten(document) {
				if isSource(o) {
					metadata := o["metadata"].(map[string]any)
					for _, field := range []string{"labels", "annotations"} {
						values, ok := metadata[field].(map[string]any)
						if !ok {
							values = map[string]any{}
							metadata[field] = values
						}
						values["example.com/added"] = "by-test"
					}
				}
			}
		}
		before := podTemplates(t, filter(t, rendered, "Annotate"))
		after := podTemplates(t, filter(t, encodeDocuments(t, documents), "Annotate"))
		if rolled := differing(before, after); len(rolled) > 0 {
			t.Errorf("labels, annotations and another way of writing roll %q", rolled)
		}
	})
}

// Helm's idiom takes the checksum of a rendered template, including its labels. One of them is the chart's version, so
// every release of a chart rolls the workloads with such a checksum.
func TestCharts_annotate_newChartVersion_changesHelmsChecksumsButNotOurs(t *testing.T) {
	for _, c := range charts(t) {
		if c.unknown || len(c.renamed) == 0 {
			continue
		}
		t.Run(c.label, func(t *testing.T) {
			before, after := c.render(t), c.packaged(t, "9.9.9").render(t)
			byHand := checksums(t, before, checksumKey)
			changed := differing(byHand, checksums(t, after, checksumKey))
			if diff := cmp.Diff(slices.Sorted(maps.Keys(byHand)), changed, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("Helm's checksums change on others (-want +got):\n%s", diff)
			}
			ours := checksums(t, filter(t, before, "Annotate"), checksumKey)
			if diff := cmp.Diff(ours, checksums(t, filter(t, after, "Annotate"), checksumKey)); diff != "" {
				t.Errorf("a new version of the chart changes checksums (-before +after):\n%s", diff)
			}
		})
	}
}

const (
	webServer = "apps/v1 Deployment /demo-server"
	webWorker = "apps/v1 Deployment /demo-worker"
	webProxy  = "apps/v1 Deployment /demo-proxy"
)

func TestCharts_annotate_replacesOnlyHelmsChecksumsWithItsOwnKey(t *testing.T) {
	const otherKey = "checksum/database"
	rendered := ownChart("web").render(t)
	out := filter(t, rendered, "Annotate")
	want := []string{webProxy, webServer, webWorker}
	if diff := cmp.Diff(want, differing(checksums(t, rendered, checksumKey), checksums(t, out, checksumKey))); diff != "" {
		t.Errorf("%s of other workloads is replaced or new (-want +got):\n%s", checksumKey, diff)
	}
	helms := checksums(t, rendered, otherKey)
	if diff := cmp.Diff([]string{webServer}, slices.Collect(maps.Keys(helms))); diff != "" {
		t.Fatalf("other workloads bear Helm's %s (-want +got):\n%s", otherKey, diff)
	}
	if diff := cmp.Diff(helms, checksums(t, out, otherKey)); diff != "" {
		t.Errorf("Helm's %s is not what it was (-rendered +filtered):\n%s", otherKey, diff)
	}
}

func TestCharts_annotate_anothersKeyRollsHelmsConsumersButNotOurs(t *testing.T) {
	c := ownChart("web")
	light, dark := c.render(t, "--set", "theme=light"), c.render(t, "--set", "theme=dark")
	rolled := differing(checksums(t, light, checksumKey), checksums(t, dark, checksumKey))
	if diff := cmp.Diff([]string{webServer, webWorker}, rolled); diff != "" {
		t.Errorf("Helm's checksums roll others (-want +got):\n%s", diff)
	}
	rolled = differing(podTemplates(t, filter(t, light, "Annotate")), podTemplates(t, filter(t, dark, "Annotate")))
	// Helm's own checksum is replaced in both, so the server rolls because of ours.
	if diff := cmp.Diff([]string{webProxy, webServer}, rolled); diff != "" {
		t.Errorf("our checksums roll others (-want +got):\n%s", diff)
	}
}

func TestCharts_annotate_optIn_keepsHelmsChecksums(t *testing.T) {
	rendered := ownChart("web").render(t)
	if diff := cmp.Diff(rendered, filter(t, rendered, "Annotate", "--policy", "OptIn")); diff != "" {
		t.Errorf("nothing opted in, and yet there are changes (-rendered +filtered):\n%s", diff)
	}
	const proxy = "  name: demo-proxy\n"
	if strings.Count(rendered, proxy) != 1 {
		t.Fatalf("no single %q in\n%s", proxy, rendered)
	}
	optedIn := strings.Replace(rendered, proxy, proxy+"  annotations:\n    confighash.dev/roll: \"true\"\n", 1)
	out := filter(t, optedIn, "Annotate", "--policy", "OptIn")
	if diff := cmp.Diff([]string{webProxy}, differing(checksums(t, optedIn, checksumKey), checksums(t, out, checksumKey))); diff != "" {
		t.Errorf("others than those that opted in are stamped (-want +got):\n%s", diff)
	}
}

func TestCharts_annotate_underAnotherKey_keepsHelmsChecksums(t *testing.T) {
	const key = "example.com/checksum"
	config := filepath.Join(t.TempDir(), "confighash.yaml")
	err := os.WriteFile(config, []byte(harness.FunctionConfig(`{mode: Annotate, annotate: {key: `+key+`}}`)), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	rendered := ownChart("web").render(t)
	out, err := harness.Run([]byte(rendered), harness.Binary, "--config", config)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(checksums(t, rendered, checksumKey), checksums(t, string(out), checksumKey)); diff != "" {
		t.Errorf("Helm's checksums are not what they were (-rendered +filtered):\n%s", diff)
	}
	ours := slices.Sorted(maps.Keys(checksums(t, string(out), key)))
	if diff := cmp.Diff([]string{webProxy, webServer, webWorker}, ours); diff != "" {
		t.Errorf("other workloads bear %s (-want +got):\n%s", key, diff)
	}
}
