package policy

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/reference"
	"github.com/confighash/confighash/pkg/api/v1alpha1"
)

func TestLint_reportsUnknownKeysAndWrongValues(t *testing.T) {
	type annotations = map[string]string
	reloader := v1alpha1.Spec{Policy: v1alpha1.PolicyReloader}
	wave := v1alpha1.Spec{Policy: v1alpha1.PolicyWave}
	workload := func(own, podTemplate annotations) *graph.Resource {
		template := reference.PodTemplate{Annotations: podTemplate, AnnotationsAt: "spec.template.metadata.annotations"}
		return &graph.Resource{Kind: "Deployment", Annotations: own, Found: reference.Found{PodTemplates: []reference.PodTemplate{template}}}
	}
	configMap := func(a annotations) *graph.Resource {
		return &graph.Resource{Kind: "ConfigMap", Object: graph.Object{Target: catalog.ConfigMap}, Annotations: a}
	}
	for _, tc := range []struct {
		label    string
		spec     v1alpha1.Spec
		resource *graph.Resource
		want     []string
	}{
		{"another policy", v1alpha1.Spec{Policy: v1alpha1.PolicyAll}, workload(annotations{"reloader.stakater.com/autos": "yes"}, nil), nil},
		{
			"annotations of others", reloader,
			workload(annotations{"example.com/auto": "yes", "myreloader.stakater.com/auto": "yes", "example.com/reloader.stakater.com": "yes"}, nil), nil,
		},
		{"annotations in order", reloader, workload(annotations{"reloader.stakater.com/auto": "true"}, annotations{"reloader.stakater.com/search": "true"}), nil},
		{"what opts out", reloader, workload(annotations{"reloader.stakater.com/autos": "", v1alpha1.AnnotationIgnore: "true"}, nil), nil},
		{
			"a wrong value", reloader, workload(nil, annotations{"reloader.stakater.com/auto": "yes"}),
			[]string{`spec.template.metadata.annotations["reloader.stakater.com/auto"]: is "yes", which Reloader takes for false; write "true" or "false"`},
		},
		{
			"misspelled keys", reloader, workload(annotations{"secrets.reloader.stakater.com/reload": "a", "configmap.exclude.reloader.stakater.com/reload": "a"}, nil),
			[]string{
				`metadata.annotations["configmap.exclude.reloader.stakater.com/reload"]: is not an annotation that Reloader reads in the metadata of a Deployment; correct its key, or remove it`,
				`metadata.annotations["secrets.reloader.stakater.com/reload"]: is not an annotation that Reloader reads in the metadata of a Deployment; correct its key, or remove it`,
			},
		},
		{
			"a key like no other", reloader, workload(annotations{"x.reloader.stakater.com/configmaps-and-secrets-of-others": ""}, nil),
			[]string{`metadata.annotations["x.reloader.stakater.com/configmaps-and-secrets-of-others"]: is not an annotation that Reloader reads in the metadata of a Deployment; correct its key, or remove it`},
		},
		{
			"a key of workloads on an object", reloader, configMap(annotations{"reloader.stakater.com/auto": "true"}),
			[]string{`metadata.annotations["reloader.stakater.com/auto"]: is not an annotation that Reloader reads in the metadata of a ConfigMap; correct its key, or remove it`},
		},
		{
			"a key of workloads on a pod template", reloader, workload(nil, annotations{"secrets.exclude.reloader.stakater.com/reload": "a"}),
			[]string{`spec.template.metadata.annotations["secrets.exclude.reloader.stakater.com/reload"]: is not an annotation that Reloader reads in a pod template; correct its key, or remove it`},
		},
		{
			"a default key that is replaced", v1alpha1.Spec{Policy: v1alpha1.PolicyReloader, Reloader: v1alpha1.Reloader{AnnotationKeys: annotations{"reloader.stakater.com/auto": "example.com/auto"}}},
			workload(annotations{"reloader.stakater.com/auto": "true", "example.com/auto": "true"}, nil),
			[]string{`metadata.annotations["reloader.stakater.com/auto"]: is not an annotation that Reloader reads in the metadata of a Deployment; did you mean example.com/auto?`},
		},
		{"wave's annotations in order", wave, workload(annotations{"wave.pusher.com/update-on-config-change": "true"}, nil), nil},
		{
			"a misspelled key and a wrong value of wave", wave, workload(annotations{"wave.pusher.com/extra-configmap": "a", "wave.pusher.com/update-on-config-change": "True"}, nil),
			[]string{
				`metadata.annotations["wave.pusher.com/extra-configmap"]: is not an annotation that wave reads in the metadata of a Deployment; correct its key, or remove it`,
				`metadata.annotations["wave.pusher.com/update-on-config-change"]: is "True", which wave takes for false; write "true" or "false"`,
			},
		},
		{
			"what wave wrote", wave, workload(nil, annotations{"wave.pusher.com/config-hash": "x"}),
			[]string{`spec.template.metadata.annotations["wave.pusher.com/config-hash"]: is not an annotation that wave reads in a pod template; correct its key, or remove it`},
		},
	} {
		t.Run(tc.label, func(t *testing.T) {
			p, err := New(graph.New([]*graph.Resource{tc.resource}, "default"), catalog.Builtin(), &tc.spec)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range p.Lint() {
				got = append(got, string(f.Path)+": "+f.Message)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
