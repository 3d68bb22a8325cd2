package properties_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/confighash/confighash/test/support/gen"
	"github.com/confighash/confighash/test/support/harness"

	"github.com/confighash/confighash/internal/policy/reloader"
	"github.com/confighash/confighash/internal/policy/wave"
	"github.com/confighash/confighash/pkg/api/v1alpha1"
)

// Annotations of controllers with possible values, some of them mistaken.
var (
	reloaderWishes = map[string][]string{
		"reloader.stakater.com/auto":                      {"true", "false", "yes", "1"},
		"reloader.stakater.com/search":                    {"true", "1"},
		"configmap.reloader.stakater.com/auto":            {"true", "false"},
		"secret.reloader.stakater.com/auto":               {"true", "false"},
		"configmap.reloader.stakater.com/reload":          {"app", "app,db", "a.*|db", "web.config", "nothing", ""},
		"secret.reloader.stakater.com/reload":             {"app", "db, app", ".*", "1e[0-9]"},
		"configmaps.exclude.reloader.stakater.com/reload": {"app", "db,web.config"},
		"secrets.exclude.reloader.stakater.com/reload":    {"app", "1e3"},
	}
	reloaderMarks = map[string][]string{
		"reloader.stakater.com/match":  {"true", "false"},
		"reloader.stakater.com/ignore": {"true", "false"},
	}
	waveWishes = map[string][]string{
		"wave.pusher.com/update-on-config-change": {"true", "true", "true", "false", "yes"},
		"wave.pusher.com/extra-configmaps":        {"app", "db, team-a/app", "default/web.config", "nothing"},
		"wave.pusher.com/extra-secrets":           {"app", "team-a/db", "1e3,app"},
	}
)

// withWishes makes packages with annotations of a controller.
func withWishes(policy string, wishes, marks map[string][]string) func(*gen.Dice) *consumerPackage {
	return func(d *gen.Dice) *consumerPackage {
		p := randomConsumers(d)
		p.spec.policy, p.spec.autoReloadAll = policy, policy == "Reloader" && d.Chance(15)
		// Stand-ins for Secrets have several names; the controllers' own packages test that.
		p.documents = slices.DeleteFunc(p.documents, func(d *styledDocument) bool {
			return slices.Contains([]string{"SealedSecret", "ExternalSecret", "SecretProviderClass"}, d.value.Kind())
		})
		for _, document := range p.documents {
			o := document.value
			if sourceKinds[o.Kind()] != "" {
				annotate(d, o, marks, 35)
				continue
			}
			annotate(d, o, wishes, 30)
			for _, template := range p.spec.rollingTemplates(o) {
				annotate(d, template, wishes, 10)
			}
		}
		return p
	}
}

// annotate adds some annotations to metadata without aliases.
func annotate(d *gen.Dice, o map[string]any, from map[string][]string, percent int) {
	metadata := entries(o, "metadata")
	if metadata == nil {
		return
	}
	annotations, ok := metadata["annotations"].(map[string]any)
	if !ok && metadata["annotations"] != nil {
		return
	}
	for _, key := range slices.Sorted(maps.Keys(from)) {
		if !d.Chance(percent) {
			continue
		}
		if annotations == nil {
			annotations = map[string]any{}
			metadata["annotations"] = annotations
		}
		annotations[key] = gen.Pick(d, from[key])
	}
}

// texts returns the annotations of a resource or pod template.
func texts(o map[string]any) map[string]string {
	found := map[string]string{}
	for key, value := range entries(o, "metadata", "annotations") {
		if text, ok := value.(string); ok {
			found[key] = text
		}
	}
	return found
}

// asReloader decides with the package that reproduces Reloader.
func (c *consumptionOracle) asReloader(workload harness.Object, template map[string]any, source harness.Object, consumed bool) (counts, whole bool) {
	if c.place(source) != c.place(workload) || len(elements(template, "spec", "containers"))+len(elements(template, "spec", "initContainers")) == 0 {
		return false, false
	}
	// The flag applies to the workloads that Reloader handles.
	group, _, _ := strings.Cut(harness.StringAt(workload, "apiVersion"), "/")
	controller := reloader.New(v1alpha1.Reloader{AutoReloadAll: c.autoReloadAll && reloader.Handles(group, workload.Kind())})
	decision := controller.Read(texts(workload)).WithPodTemplate(texts(template)).
		Decide(reloader.Object{Kind: source.Kind(), Names: []string{source.Name()}, Annotations: texts(source)})
	return decision.Reload && (consumed || !decision.Auto), decision.Reload && !decision.Auto
}

// asWave decides with the package that reads wave's annotations.
func (c *consumptionOracle) asWave(workload harness.Object, _ map[string]any, source harness.Object, consumed bool) (counts, whole bool) {
	w := wave.Read(texts(workload))
	whole = slices.ContainsFunc(w.Extra, func(n wave.Name) bool {
		return n.Kind == source.Kind() && n.Name == source.Name() &&
			(n.Namespace == c.place(source) || n.Namespace == "" && c.place(workload) == c.place(source))
	})
	return w.Enabled && (consumed || whole), whole
}

func TestAnnotate_controllersAnnotations_rollWhatTheyAskFor(t *testing.T) {
	for _, test := range []struct {
		label    string
		generate func(*gen.Dice) *consumerPackage
	}{
		{"Reloader", withWishes("Reloader", reloaderWishes, reloaderMarks)},
		{"Wave", withWishes("Wave", waveWishes, nil)},
	} {
		t.Run(test.label, func(t *testing.T) {
			var stamped, rolled int
			// Only few of them have a workload that a change rolls.
			forEachOf(t, 3*packages, test.generate, func(d *gen.Dice, p *consumerPackage) error {
				bearing := newChecksumMeanings()
				before, err := p.stamp(bearing)
				if err != nil {
					return err
				}
				for _, wanted := range before.wanted {
					stamped += min(len(wanted), 1)
				}
				for i, c := range changes {
					if (p.turn+i)%8 != 0 {
						continue
					}
					n, _, err := p.undergo(d, &c, before, bearing)
					if err != nil {
						return err
					}
					rolled += n
				}
				return nil
			})
			if stamped == 0 || rolled == 0 {
				t.Errorf("%d pod templates are stamped, %d roll: the packages say too little", stamped, rolled)
			}
		})
	}
}
