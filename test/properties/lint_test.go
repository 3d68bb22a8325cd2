package properties_test

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/confighash/confighash/internal/graph/load"
	"github.com/confighash/confighash/internal/lint"
	"github.com/confighash/confighash/pkg/api/v1alpha1"
	"github.com/confighash/confighash/pkg/function"
)

func lintOf(t *rapid.T, text string) *lint.Report { return lintFor(t, text, nil) }

// lintFor lints manifests on which a functionConfig will run, unless it is nil.
func lintFor(t *rapid.T, text string, config *v1alpha1.ConfigHash) *lint.Report {
	var spec *v1alpha1.Spec
	if config != nil {
		complete, err := config.Complete()
		if err != nil {
			t.Fatal(err)
		}
		spec = &complete.Spec
	}
	g, err := load.Graph([]string{load.Stdin}, strings.NewReader(text), load.Options{Suffixes: true, Spec: spec})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	found, err := lint.Check(g, spec)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return found
}

// throughMode runs a mode over manifests.
func throughMode(t *rapid.T, mode v1alpha1.Mode, text string) string {
	return through(t, v1alpha1.New(mode, v1alpha1.PolicyAll), text)
}

func through(t *rapid.T, config *v1alpha1.ConfigHash, text string) string {
	var out bytes.Buffer
	if _, err := function.Process([]byte(text), &out, function.Options{Config: config}); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return out.String()
}

// lintWays are ways to get an object, and whether pods read it only when they start.
var lintWays = []struct {
	once bool
	spec string
}{
	{true, "containers: [{name: c, envFrom: [{REF: {name: NAME}}]}]"},
	{true, "containers: [{name: c, env: [{name: K, valueFrom: {KEYREF: {name: NAME, key: key}}}]}]"},
	{true, "containers: [{name: c, volumeMounts: [{name: v, mountPath: /v, subPath: key}]}], volumes: [{name: v, projected: {sources: [{SOURCE: {name: NAME}}]}}]"},
	{false, "containers: [{name: c, volumeMounts: [{name: v, mountPath: /v}]}], volumes: [{name: v, projected: {sources: [{SOURCE: {name: NAME}}]}}]"},
}

// covers make a workload restart: an annotation of the workload, or of its pods.
var covers = []struct{ workload, pods string }{
	{`reloader.stakater.com/auto: "true"`, ""},
	{`KIND.reloader.stakater.com/reload: NAME`, ""},
	{`wave.pusher.com/update-on-config-change: "true"`, ""},
	{"", "checksum/config: 0a1b2c"},
	{"", "example.com/settings-hash: v1"},
}

var objectKinds = []string{"ConfigMap", "Secret"}

// fill replaces words of a consumer's text.
func fill(text string, object int) string {
	kind := objectKinds[object%2]
	lower := strings.ToLower(kind[:1]) + kind[1:]
	return strings.NewReplacer("NAME", objectName(object), "KIND", strings.ToLower(kind), "KEYREF", lower+"KeyRef", "REF", lower+"Ref", "SOURCE", lower).Replace(text)
}

func objectName(object int) string {
	return []string{"orders", "customers-file", "billing", "warehouse", "catalogue"}[object]
}

func objectText(object int, data string) string {
	field := map[string]string{"ConfigMap": "data", "Secret": "stringData"}[objectKinds[object%2]]
	return fmt.Sprintf("apiVersion: v1\nkind: %s\nmetadata: {name: %s}\n%s: {%s}\n", objectKinds[object%2], objectName(object), field, data)
}

func workloadText(name, own, pods, spec string) string {
	return fmt.Sprintf("apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: %s, annotations: {%s}}\nspec: {template: {metadata: {annotations: {%s}}, spec: {%s}}}\n", name, own, pods, spec)
}

// cleanPackage draws manifests without findings: each object is used, and each consumer is covered. It returns the
// documents, and the number of objects.
func cleanPackage(t *rapid.T) ([]string, int) {
	objects := rapid.IntRange(1, 5).Draw(t, "objects")
	var documents []string
	for o := range objects {
		documents = append(documents, objectText(o, fmt.Sprintf("key: v%d, other: w", o)))
	}
	for w := range objects + rapid.IntRange(0, 3).Draw(t, "more") {
		object := w % objects
		way := lintWays[rapid.IntRange(0, len(lintWays)-1).Draw(t, "way")]
		own, pods := "", ""
		if way.once {
			cover := covers[rapid.IntRange(0, len(covers)-1).Draw(t, "cover")]
			own, pods = cover.workload, cover.pods
		}
		documents = append(documents, fill(workloadText(fmt.Sprintf("w%d", w), own, pods, way.spec), object))
	}
	return rapid.Permutation(documents).Draw(t, "order"), objects
}

// defects are changes of a clean package that each cause one finding of one rule.
var defects = map[string]func(t *rapid.T, documents []string, objects int) []string{
	"missing-object": func(_ *rapid.T, documents []string, _ int) []string {
		return append(documents, workloadText("bad", "", "", "containers: [{name: c, envFrom: [{secretRef: {name: nowhere-to-be-seen}}], env: [{name: A, valueFrom: {secretKeyRef: {name: nowhere-to-be-seen, key: a}}}]}]"))
	},
	"missing-key": func(t *rapid.T, documents []string, objects int) []string {
		object := rapid.IntRange(0, objects-1).Draw(t, "object")
		return append(documents, fill(workloadText("bad", "", "checksum/config: a", "containers: [{name: c, env: [{name: A, valueFrom: {KEYREF: {name: NAME, key: gone}}}]}]"), object))
	},
	"near-miss": func(t *rapid.T, documents []string, objects int) []string {
		object := rapid.IntRange(0, objects-1).Draw(t, "object")
		name := objectName(object)
		at := rapid.IntRange(1, 4).Draw(t, "letter")
		switch rapid.IntRange(0, 3).Draw(t, "mistake") {
		case 0:
			name = name[:at] + "q" + name[at:]
		case 1:
			name = name[:at] + "q" + name[at+1:]
		case 2:
			name += "-hmg6f82fh6"
		case 3: // of another namespace
			return append(documents, strings.Replace(fill(workloadText("bad", "", "", "containers: [{name: c, envFrom: [{REF: {name: NAME}}]}]"), object), "metadata: {", "metadata: {namespace: elsewhere, ", 1))
		}
		return append(documents, strings.ReplaceAll(fill(workloadText("bad", "", "", "containers: [{name: c, envFrom: [{REF: {name: NAME}}]}]"), object), objectName(object), name))
	},
	"wrong-suffix": func(t *rapid.T, documents []string, _ int) []string {
		recorded := ""
		if rapid.Bool().Draw(t, "recorded") {
			recorded = ", annotations: {confighash.dev/hash: hmg6f82fh6}"
		}
		return append(documents,
			"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: stale-hmg6f82fh6"+recorded+"}\ndata: {x: edited}\n",
			workloadText("bad", "", "checksum/config: a", "containers: [{name: c, envFrom: [{configMapRef: {name: stale-hmg6f82fh6}}]}]"))
	},
	"stale-consumer": func(t *rapid.T, documents []string, objects int) []string {
		object := rapid.IntRange(0, objects-1).Draw(t, "object")
		way := lintWays[rapid.IntRange(0, 2).Draw(t, "way")]
		own := rapid.SampledFrom([]string{"", `wave.pusher.com/update-on-config-change: "false"`, "KIND.reloader.stakater.com/reload: another"}).Draw(t, "own")
		return append(documents, fill(workloadText("bad", own, "", way.spec), object))
	},
	"read-by-name": func(t *rapid.T, documents []string, objects int) []string {
		object := rapid.IntRange(0, objects-1).Draw(t, "object")
		return append(documents, fill(workloadText("bad", "", "", "containers: [{name: c, args: [--KIND=NAME]}]"), object))
	},
	"unused-object": func(_ *rapid.T, documents []string, _ int) []string {
		return append(documents, "apiVersion: v1\nkind: Secret\nmetadata: {name: idle}\nstringData: {a: b}\n")
	},
	"unused-ignore": func(t *rapid.T, documents []string, _ int) []string {
		rules := rapid.SampledFrom([]string{"missing-key", "unused-object, unused-ignore", "stale-consumer -- of old"}).Draw(t, "rules")
		return append(documents, workloadText("idler", v1alpha1.AnnotationLintIgnore+": '"+rules+"'", "", "containers: [{name: c}]"))
	},
}

// accept annotates the resource of that name.
func accept(text, name, rules string) string {
	documents := strings.Split(text, "---\n")
	named := regexp.MustCompile(`(?m)^metadata: \{[^\n]*name: ` + name + `[,}]`)
	for i, d := range documents {
		if !named.MatchString(d) {
			continue
		}
		annotation := fmt.Sprintf("annotations: {%s: '%s', ", v1alpha1.AnnotationLintIgnore, rules)
		if strings.Contains(d, "annotations: {") {
			documents[i] = strings.Replace(d, "annotations: {", annotation, 1)
		} else {
			documents[i] = strings.Replace(d, "metadata: {", "metadata: {"+annotation+"}, ", 1)
		}
	}
	return strings.Join(documents, "---\n")
}

// Manifests without findings have none after either mode, and after both.
func TestLint_findsNothingAfterAModeIfNothingBefore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		documents, _ := cleanPackage(t)
		text := strings.Join(documents, "---\n")
		renamed, annotated := throughMode(t, v1alpha1.ModeRename, text), throughMode(t, v1alpha1.ModeAnnotate, text)
		for what, text := range map[string]string{"plain": text, "renamed": renamed, "annotated": annotated, "both": throughMode(t, v1alpha1.ModeAnnotate, renamed)} {
			if found := lintOf(t, text).Findings; len(found) > 0 {
				t.Fatalf("%s: %+v\n%s", what, found, text)
			}
		}
	})
}

// Each defect is found once, at its place and only by its rule, and not at all once it is accepted; and both modes
// cover each consumer.
func TestLint_findsEachDefectOnce(t *testing.T) {
	for _, rule := range lint.RuleNames() {
		t.Run(rule, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				documents, objects := cleanPackage(t)
				text := strings.Join(defects[rule](t, documents, objects), "---\n")
				found := lintOf(t, text).Findings
				if rule == "unused-ignore" && strings.Contains(text, rule) {
					found = lintOf(t, strings.Replace(text, ", unused-ignore", "", 1)).Findings
				}
				if len(found) != 1 || found[0].Rule != rule {
					t.Fatalf("%+v\n%s", found, text)
				}
				f := found[0]
				if rule == "unused-ignore" {
					return
				}
				at := regexp.MustCompile(`^[a-z0-9-]+`).FindString(strings.Split(text, "\n")[f.Line-1][f.Column-1:])
				if at != f.Resource.Name && (at == "" || !strings.Contains(f.Message, at)) {
					t.Fatalf("%+v is at %q\n%s", f, at, text)
				}
				accepted := accept(text, f.Resource.Name, rule+" -- so it is")
				left := lintOf(t, accepted)
				if len(left.Findings) > 0 || len(left.Accepted) != 1 {
					t.Fatalf("accepted: %+v\n%s", left, accepted)
				}
				if got := left.Accepted[0]; got.Reason != "so it is" || got.Rule != rule || got.Field != f.Field {
					t.Fatalf("accepted %+v, want %+v", got, f)
				}
				others := slices.DeleteFunc(lint.RuleNames(), func(other string) bool { return other == rule || other == "unused-ignore" })
				left = lintOf(t, accept(text, f.Resource.Name, strings.Join(others, ", ")))
				if len(left.Findings) != 1+len(others) || len(left.Accepted) > 0 {
					t.Fatalf("with other rules accepted: %+v\n%s", left, text)
				}
				if rule != "stale-consumer" {
					return
				}
				for _, mode := range []v1alpha1.Mode{v1alpha1.ModeRename, v1alpha1.ModeAnnotate} {
					if left := lintOf(t, throughMode(t, mode, text)).Findings; len(left) > 0 {
						t.Fatalf("after mode %s: %+v\n%s", mode, left, text)
					}
				}
			})
		})
	}
}

// With a functionConfig, lint finds the same before the run as without it after the run.
func TestLint_judgesWhatAFunctionConfigMakes(t *testing.T) {
	fixed := 0
	rapid.Check(t, func(t *rapid.T) {
		documents, objects := cleanPackage(t)
		for _, rule := range lint.RuleNames() {
			if rule == "stale-consumer" || rule != "unused-ignore" && rapid.IntRange(0, 2).Draw(t, rule) == 0 {
				documents = defects[rule](t, documents, objects)
				documents[len(documents)-1] = strings.ReplaceAll(documents[len(documents)-1], "name: bad,", "name: bad-"+rule+",")
			}
		}
		text := strings.Join(documents, "---\n")
		config := v1alpha1.New(
			rapid.SampledFrom([]v1alpha1.Mode{v1alpha1.ModeRename, v1alpha1.ModeAnnotate}).Draw(t, "mode"),
			rapid.SampledFrom([]v1alpha1.Policy{v1alpha1.PolicyAll, v1alpha1.PolicyAll, v1alpha1.PolicyAll, v1alpha1.PolicyOptIn, v1alpha1.PolicyReloader, v1alpha1.PolicyWave}).Draw(t, "policy"))
		config.Spec.Salt = "pepper"
		for _, list := range []*[]v1alpha1.Selector{&config.Spec.Include, &config.Spec.Exclude} {
			if rapid.IntRange(0, 2).Draw(t, "selector") == 0 {
				*list = []v1alpha1.Selector{{Kind: rapid.SampledFrom(objectKinds).Draw(t, "kind")}}
			}
		}
		places := func(found []lint.Finding) []string {
			var all []string
			for _, f := range found {
				all = append(all, strings.Join([]string{f.Rule, string(f.Severity), f.Resource.Kind, suffix.ReplaceAllString(f.Resource.Name, ""), f.Field}, " "))
			}
			slices.Sort(all)
			return all
		}
		found := lintFor(t, text, config).Findings
		after := through(t, config, text)
		if diff := cmp.Diff(places(lintFor(t, after, config).Findings), places(found)); diff != "" {
			t.Fatalf("(-after the run +before it):\n%s\n%+v\n%s\n%s", diff, config.Spec, text, after)
		}
		if len(lintOf(t, text).Findings) != len(found) {
			fixed++
		}
	})
	t.Logf("%d runs changed what lint finds", fixed)
	if fixed == 0 {
		t.Error("no run changed what lint finds")
	}
}

var suffix = regexp.MustCompile(`(-[2456789bcdfghkmt]{10})+$`)
