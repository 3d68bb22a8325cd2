package reloader

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/confighash/confighash/pkg/api/v1alpha1"
)

type annotations = map[string]string

func TestLintWorkload_tellsWhatIsReadOtherwiseThanMeant(t *testing.T) {
	const (
		general    = "reloader.stakater.com/auto"
		search     = "reloader.stakater.com/search"
		configMaps = "configmap.reloader.stakater.com/reload"
		secrets    = "secret.reloader.stakater.com/reload"
		exclude    = "configmaps.exclude.reloader.stakater.com/reload"
		pause      = "deployment.reloader.stakater.com/pause-period"
		strategy   = "reloader.stakater.com/rollout-strategy"

		takenForFalse = `, which Reloader takes for false, and which keeps --auto-reload-all from applying; write "true" or "false"`
		notTrue       = `, and Reloader takes nothing but "true" for true; write "true"`
		noName        = ", which can be no name: Reloader reads neither patterns nor namespaces here; list the names themselves"
		otherSlash    = ", but no name has a slash, and Reloader looks in the workload's own namespace only; write the name alone"
		objectsOnly   = "is read on ConfigMaps, Secrets and SecretProviderClasses only; "
		workloadOnly  = "is read in the metadata of the workload itself only, not on the pod template; move it there"
		leftover      = "is written by Reloader into the cluster, and has no use in a manifest; remove it"
		versions      = "asks for reloads when the driver reports other versions in the cluster, which no build sees; here only the spec of a SecretProviderClass can count"
	)
	for _, tc := range []struct {
		label                 string
		kind                  string // Deployment, if empty
		settings              v1alpha1.Reloader
		workload, podTemplate annotations
		want                  []Problem
	}{
		{label: "no annotations"},
		{label: "annotations of others", workload: annotations{"example.com/auto": "yes", "myreloader.stakater.com/auto": "yes", "example.com/reloader.stakater.com": "yes"}},
		{
			label:    "all in order",
			workload: annotations{general: "true", search: "true", configMaps: "a,b-.*, (c|d)", exclude: "e, f.g-1"},
		},

		{
			label: "auto with a word", workload: annotations{general: "yes"},
			want: []Problem{{general, false, `is "yes"` + takenForFalse}},
		},
		{
			label: "typed auto with a blank", podTemplate: annotations{"secret.reloader.stakater.com/auto": "true "},
			want: []Problem{{"secret.reloader.stakater.com/auto", true, `is "true "` + takenForFalse}},
		},
		{label: "auto as strconv knows it", workload: annotations{general: "F", "configmap.reloader.stakater.com/auto": "1"}},
		{label: "an empty auto", workload: annotations{general: ""}},

		{
			label: "search as True", workload: annotations{search: "True"},
			want: []Problem{{search, false, `is "True"` + notTrue}},
		},
		{
			label: "search with a blank", podTemplate: annotations{search: " true"},
			want: []Problem{{search, true, `is " true"` + notTrue}},
		},
		{label: "search that says no", workload: annotations{search: "false"}},

		{
			label: "a namespace", workload: annotations{configMaps: "a,prod/app"},
			want: []Problem{{configMaps, false, `holds "prod/app"` + otherSlash + `, "app"`}},
		},
		{
			label: "a slash at the end", podTemplate: annotations{secrets: "app/"},
			want: []Problem{{secrets, true, `holds "app/"` + otherSlash}},
		},
		{
			label: "a slash in a group", workload: annotations{secrets: "(prod/app)"},
			want: []Problem{{secrets, false, `holds "(prod/app)"` + otherSlash}},
		},
		{
			label: "an invalid pattern", workload: annotations{configMaps: "app["},
			want: []Problem{{configMaps, false, `holds "app[", which is no regular expression (missing closing ]) and is skipped; correct it`}},
		},
		{
			label: "a class with a comma", workload: annotations{configMaps: "app[a,b]"},
			want: []Problem{{configMaps, false, `holds "app[a", which is no regular expression (missing closing ]) and is skipped; correct it, and mind that every comma parts two patterns`}},
		},
		{
			label: "an alternation without a group", workload: annotations{configMaps: "a|b"},
			want: []Problem{{configMaps, false, `holds "a|b", which Reloader reads as "^a|b$", with each anchor for one alternative only; write "(a|b)", or a comma for the |`}},
		},
		{
			label: "an alternation of which one is anchored", workload: annotations{configMaps: "a$|b"},
			want: []Problem{{configMaps, false, `holds "a$|b", which Reloader reads as "^a$|b$", with each anchor for one alternative only; write "(a$|b)", or a comma for the |`}},
		},
		{
			label:    "alternatives in a group, escaped, in a class, with anchors of their own or open ends",
			workload: annotations{configMaps: `(a|b), a\|b, [a|b], a$|^b, ^a$|^b$|^c$, a.*|.*b, \Qa|b\E, []|], [[:alpha:]|]`},
		},
		{
			label: "a comma in a repetition", workload: annotations{configMaps: "a{1,2}, b"},
			want: []Problem{{configMaps, false, `holds "a{1,2}", which Reloader parts at the comma; write the repetition without one, with ?, * or +, or list the names`}},
		},
		{
			label: "a comma in an open repetition", workload: annotations{configMaps: "x,a{12,}b"},
			want: []Problem{{configMaps, false, `holds "a{12,}b", which Reloader parts at the comma; write the repetition without one, with ?, * or +, or list the names`}},
		},
		{label: "repetitions without a comma, and a brace that opens none", workload: annotations{configMaps: "a{2},b{3},c{d,4}"}},
		{
			label: "a semicolon", workload: annotations{configMaps: "a;b"},
			want: []Problem{{configMaps, false, `holds "a;b", but no name has ";" in it; write commas between names`}},
		},
		{
			label: "a blank between names", workload: annotations{configMaps: "a\nb"},
			want: []Problem{{configMaps, false, `holds "a\nb", but no name has "\n" in it; write commas between names`}},
		},
		{
			label: "a wildcard", workload: annotations{configMaps: "app-*"},
			want: []Problem{{configMaps, false, `holds "app-*", in which the * repeats the "-" before it; write "app-.*" if any letters may stand there`}},
		},
		{label: "stars of regular expressions, and one that binds to the anchor", workload: annotations{configMaps: "app-.*,app-[a-z]*,(-a)*,*-app"}},
		{label: "empty items", workload: annotations{configMaps: ",a,,b,", exclude: ",a,"}},

		{
			label: "exclude with a pattern", workload: annotations{exclude: "a,app-.*"},
			want: []Problem{{exclude, false, `holds "app-.*"` + noName}},
		},
		{
			label: "exclude with a namespace", workload: annotations{general: "true", exclude: "prod/app"},
			want: []Problem{{exclude, false, `holds "prod/app"` + noName}},
		},
		{
			label: "exclude on the pod template", podTemplate: annotations{general: "true", exclude: "a"},
			want: []Problem{{exclude, true, workloadOnly}},
		},
		{
			label: "exclude in the singular", workload: annotations{"configmap.exclude.reloader.stakater.com/reload": "a"},
			want: []Problem{{"configmap.exclude.reloader.stakater.com/reload", false, "is no annotation of Reloader's; did you mean " + exclude + "?"}},
		},
		{
			label: "named in the plural", podTemplate: annotations{"secrets.reloader.stakater.com/reload": "a"},
			want: []Problem{{"secrets.reloader.stakater.com/reload", true, "is no annotation of Reloader's; did you mean " + secrets + "?"}},
		},
		{
			label: "a key like one that is read elsewhere", workload: annotations{"reloader.stakater.com/ignored": "true"},
			want: []Problem{{"reloader.stakater.com/ignored", false, "is no annotation of Reloader's; remove it, or correct its key"}},
		},
		{
			label: "a key like no other", workload: annotations{"reloader.stakater.com/enabled": "true", "x.reloader.stakater.com/configmaps-and-secrets-of-others": ""},
			want: []Problem{
				{"reloader.stakater.com/enabled", false, "is no annotation of Reloader's; remove it, or correct its key"},
				{"x.reloader.stakater.com/configmaps-and-secrets-of-others", false, "is no annotation of Reloader's; remove it, or correct its key"},
			},
		},

		{
			label: "ignore", workload: annotations{"reloader.stakater.com/ignore": "true"},
			want: []Problem{{"reloader.stakater.com/ignore", false, objectsOnly + `a workload is left alone when it has no annotation that asks for reloads, or reloader.stakater.com/auto: "false" under autoReloadAll`}},
		},
		{
			label: "match on the pod template", podTemplate: annotations{"reloader.stakater.com/match": "true"},
			want: []Problem{{"reloader.stakater.com/match", true, objectsOnly + "a workload looks for them by reloader.stakater.com/search"}},
		},

		{
			label: "what the controller wrote", workload: annotations{"deployment.reloader.stakater.com/paused-at": "2026-01-01T00:00:00Z"},
			podTemplate: annotations{"reloader.stakater.com/last-reloaded-from": "{}"},
			want: []Problem{
				{"deployment.reloader.stakater.com/paused-at", false, leftover},
				{"reloader.stakater.com/last-reloaded-from", true, leftover},
			},
		},
		{
			label: "a pause", workload: annotations{pause: "5m"},
			want: []Problem{{pause, false, "cannot be honoured: it has Reloader pause a Deployment that it rolled, and here a new pod template is applied as one; remove it with Reloader"}},
		},
		{
			label: "a pause of another kind", kind: "StatefulSet", workload: annotations{pause: "5m"},
			want: []Problem{{pause, false, "is read on Deployments only, not on a StatefulSet; remove it"}},
		},
		{
			label: "a pause on the pod template", podTemplate: annotations{pause: "5m"},
			want: []Problem{{pause, true, workloadOnly}},
		},
		{
			label: "a restart", kind: "Rollout", workload: annotations{strategy: "restart"},
			want: []Problem{{strategy, false, `is "restart", which cannot be honoured: it has Reloader set spec.restartAt in the cluster, and here the pod template changes, so that the Rollout takes its steps`}},
		},
		{
			label: "a restart as Restart", kind: "Rollout", workload: annotations{strategy: "Restart"},
			want: []Problem{{strategy, false, `is "Restart", which Reloader takes for "rollout"; write "rollout" or remove it`}},
		},
		{
			label: "a restart of another kind", workload: annotations{strategy: "restart"},
			want: []Problem{{strategy, false, "is read on Argo Rollouts only, not on a Deployment; remove it"}},
		},
		{label: "a rollout", kind: "Rollout", workload: annotations{strategy: "rollout"}},
		{
			label: "SecretProviderClasses", workload: annotations{"secretproviderclass.reloader.stakater.com/auto": "true", "secretproviderclass.reloader.stakater.com/reload": "a"},
			want: []Problem{
				{"secretproviderclass.reloader.stakater.com/auto", false, versions},
				{"secretproviderclass.reloader.stakater.com/reload", false, versions},
			},
		},
		{
			label: "no SecretProviderClasses",
			workload: annotations{
				"secretproviderclass.reloader.stakater.com/auto": "false", "secretproviderclass.reloader.stakater.com/reload": "",
				"secretproviderclasses.exclude.reloader.stakater.com/reload": "a",
			},
		},

		{
			label: "auto that the workload's name shadows", workload: annotations{configMaps: "a"}, podTemplate: annotations{general: "true"},
			want: []Problem{{general, true, "is not read for ConfigMap objects, because " + configMaps + " in the metadata of the workload itself keeps Reloader from reading the pod template; move it there"}},
		},
		{
			label: "all that the workload's auto shadows", workload: annotations{general: "false"},
			podTemplate: annotations{general: "true", search: "true", secrets: "a"},
			want: []Problem{
				{general, true, "is not read, because " + general + " in the metadata of the workload itself keeps Reloader from reading the pod template; move it there"},
				{search, true, "is not read, because " + general + " in the metadata of the workload itself keeps Reloader from reading the pod template; move it there"},
				{secrets, true, "is not read, because " + general + " in the metadata of the workload itself keeps Reloader from reading the pod template; move it there"},
			},
		},
		{
			label: "a name that the workload's search shadows", workload: annotations{search: "true"}, podTemplate: annotations{configMaps: "a"},
			want: []Problem{{configMaps, true, "is not read, because " + search + " in the metadata of the workload itself keeps Reloader from reading the pod template; move it there"}},
		},
		{
			label: "auto that the workload's typed one shadows", workload: annotations{"secret.reloader.stakater.com/auto": "false"}, podTemplate: annotations{general: "true"},
			want: []Problem{{general, true, "is not read for Secret objects, because secret.reloader.stakater.com/auto in the metadata of the workload itself keeps Reloader from reading the pod template; move it there"}},
		},
		{
			label: "auto that says no, shadowed under the flag", settings: v1alpha1.Reloader{AutoReloadAll: true},
			workload: annotations{search: "false"}, podTemplate: annotations{general: "false"},
			want: []Problem{{general, true, "is not read, because " + search + " in the metadata of the workload itself keeps Reloader from reading the pod template; move it there"}},
		},
		{
			label: "shadowed without a difference", workload: annotations{general: "true", configMaps: "a, b"},
			podTemplate: annotations{general: "1", search: "true", configMaps: "b,a", "secret.reloader.stakater.com/auto": "false"},
		},
		{label: "shadowed, and says nothing anyway", workload: annotations{configMaps: "a"}, podTemplate: annotations{general: "false", search: "false"}},
		{label: "a name of another kind shadows nothing", workload: annotations{configMaps: "a"}, podTemplate: annotations{secrets: "a"}},
		{
			label: "what is not read is not looked at", workload: annotations{general: "true"}, podTemplate: annotations{search: "True"},
		},

		{
			label: "a key that the flags replaced", settings: v1alpha1.Reloader{AnnotationKeys: annotations{general: "example.com/auto"}},
			workload: annotations{general: "true", "example.com/auto": "on"},
			want: []Problem{
				{"example.com/auto", false, `is "on"` + takenForFalse},
				{general, false, "is not read, for spec.reloader.annotationKeys puts example.com/auto in its place; use that"},
			},
		},
		{
			label:    "a key with two meanings, one of which is read here",
			settings: v1alpha1.Reloader{AnnotationKeys: annotations{search: "example.com/reload", "reloader.stakater.com/match": "example.com/reload"}},
			workload: annotations{"example.com/reload": "true"},
		},
		{
			label:    "default keys that changed places",
			settings: v1alpha1.Reloader{AnnotationKeys: annotations{configMaps: secrets, secrets: configMaps}},
			workload: annotations{configMaps: "a", secrets: "b"},
		},
	} {
		t.Run(tc.label, func(t *testing.T) {
			kind := tc.kind
			if kind == "" {
				kind = "Deployment"
			}
			c := New(tc.settings)
			got := append(c.LintWorkload(kind, tc.workload), c.LintPodTemplate(tc.workload, tc.podTemplate)...)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestLintObject_tellsWhatIsReadOtherwiseThanMeant(t *testing.T) {
	const (
		ignore  = "reloader.stakater.com/ignore"
		match   = "reloader.stakater.com/match"
		notTrue = `, and Reloader takes nothing but "true" for true; write "true"`
	)
	for _, tc := range []struct {
		label, kind string
		settings    v1alpha1.Reloader
		annotations annotations
		want        []Problem
	}{
		{label: "no annotations"},
		{label: "annotations of others", annotations: annotations{"example.com/ignore": "yes"}},
		{label: "all in order", annotations: annotations{ignore: "false", match: "true"}},
		{
			label: "ignore as 1", annotations: annotations{ignore: "1"},
			want: []Problem{{ignore, false, `is "1"` + notTrue}},
		},
		{
			label: "match as yes", annotations: annotations{match: "yes"},
			want: []Problem{{match, false, `is "yes"` + notTrue}},
		},
		{
			label: "what is read on workloads", kind: Secret,
			annotations: annotations{
				"reloader.stakater.com/auto": "true", "reloader.stakater.com/search": "true", "secret.reloader.stakater.com/auto": "true",
				"secret.reloader.stakater.com/reload": "a", "secrets.exclude.reloader.stakater.com/reload": "a",
			},
			want: []Problem{
				{"reloader.stakater.com/auto", false, "is read on workloads only, not on a Secret; move it to the workload"},
				{"reloader.stakater.com/search", false, "is read on workloads only, not on a Secret; move it to the workload"},
				{"secret.reloader.stakater.com/auto", false, "is read on workloads only, not on a Secret; move it to the workload"},
				{"secret.reloader.stakater.com/reload", false, "is read on workloads only, not on a Secret; move it to the workload"},
				{"secrets.exclude.reloader.stakater.com/reload", false, "is read on workloads only, not on a Secret; move it to the workload"},
			},
		},
		{
			label: "a misspelt key", annotations: annotations{"reloader.stakater.com/ingore": "true"},
			want: []Problem{{"reloader.stakater.com/ingore", false, "is no annotation of Reloader's; did you mean reloader.stakater.com/ignore?"}},
		},
		{
			label: "what the controller writes", annotations: annotations{"reloader.stakater.com/last-reloaded-from": "{}"},
			want: []Problem{{"reloader.stakater.com/last-reloaded-from", false, "is written by Reloader into the cluster, and has no use in a manifest; remove it"}},
		},
		{
			label: "keys that flags changed", settings: v1alpha1.Reloader{AnnotationKeys: annotations{ignore: "example.com/ignore", "reloader.stakater.com/auto": "example.com/auto"}},
			annotations: annotations{ignore: "true", "example.com/ignore": "on", "example.com/auto": "true"},
			want: []Problem{
				{"example.com/auto", false, "is read on workloads only, not on a ConfigMap; move it to the workload"},
				{"example.com/ignore", false, `is "on"` + notTrue},
				{ignore, false, "is not read, for spec.reloader.annotationKeys puts example.com/ignore in its place; use that"},
			},
		},
	} {
		t.Run(tc.label, func(t *testing.T) {
			kind := tc.kind
			if kind == "" {
				kind = ConfigMap
			}
			got := New(tc.settings).LintObject(kind, tc.annotations)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
