package catalog

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestKind_isNilWithoutRules(t *testing.T) {
	for _, id := range []gvk{
		{"", "v1", "Namespace"},
		{"apps", "v1", "Unknown"},
		{"example.com", "v1", "Deployment"},
		{"core", "v1", "Pod"},
		{"any", "v1", "Thing"},
		{"subtrees", "v1", "podSpec"},
		{"../data/apps", "v1", "Deployment"},
	} {
		if k := Builtin().Kind(id.group, id.version, id.kind); k != nil {
			t.Errorf("%v: got %v, want nil", id, k)
		}
	}
}

func TestKind_parsesOnlyWhatIsAskedFor(t *testing.T) {
	c := newCatalog(nil)
	c.files["example.com"] = splitDocuments("# broken parts follow\n---\nkinds: [Broken]\n{\n---\nkinds: [Good]\nreferences: [{path: a, target: Secret}]")
	if k := c.Kind("example.com", "v1", "Good"); len(k.References) != 1 {
		t.Errorf("got %v, want one reference", k)
	}
	if err := defect(func() { c.kind("example.com", "v1", "Broken") }); err == nil {
		t.Error("no error for the broken part")
	}
	if len(c.subtrees) > 0 {
		t.Errorf("%d subtrees are parsed, want none", len(c.subtrees))
	}
}

func TestKind_splitsAFileOnce(t *testing.T) {
	c := newCatalog(nil)
	c.Kind("argoproj.io", "v1alpha1", "Rollout")
	first := c.files["argoproj.io"]
	c.Kind("argoproj.io", "v1alpha1", "Workflow")
	if again := c.files["argoproj.io"]; len(first) < 10 || &first[0] != &again[0] {
		t.Error("the file is split again for the second kind")
	}
	var read []string
	for file, documents := range c.files {
		if len(documents) > 0 {
			read = append(read, file)
		}
	}
	slices.Sort(read)
	if diff := cmp.Diff([]string{"argoproj.io", subtreesFile}, read); diff != "" {
		t.Errorf("files read (-want +got):\n%s", diff)
	}
}

func TestKind_mergesGroupsWithTheSameEndingAndKindsOfAnyName(t *testing.T) {
	c := newCatalog(nil)
	c.files["aws.example.com"] = splitDocuments("kinds: [Bucket]\nreferences: [{path: own, target: Secret}]")
	c.files["_.example.com"] = splitDocuments("kinds: [\"*\"]\nreferences: [{path: every, target: Secret}]")
	c.files["_.com"] = splitDocuments("kinds: [Other]\nreferences: [{path: other, target: Secret}]")
	for _, tc := range []struct {
		group, version, kind string
		want                 []string
	}{
		{"aws.example.com", "v2", "Bucket", []string{"own", "every"}},
		{"gcp.example.com", "v2", "Bucket", []string{"every"}},
		{"gcp.example.com", "v2", "Other", []string{"every", "other"}},
		{"example.com", "v2", "Other", []string{"other"}},
		{"example.org", "v2", "Other", nil},
	} {
		k := c.Kind(tc.group, tc.version, tc.kind)
		var got []string
		if k != nil {
			for _, r := range k.References {
				got = append(got, r.Path.String())
			}
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s/%s %s (-want +got):\n%s", tc.group, tc.version, tc.kind, diff)
		}
	}
}

func TestKind_inheritsFromSubtrees(t *testing.T) {
	c := newCatalog(nil)
	c.files[subtreesFile] = splitDocuments("subtree: inner\nreferences: [{path: b, target: Secret, kustomize: true}, {path: c, target: Secret, when: [{path: d, present: true}]}]")
	c.files["example.com"] = splitDocuments("kinds: [A]\nimmutable: {paths: [a], reason: r}\nreferences:\n" +
		"- {path: a, subtree: inner, role: producer, elsewhere: true, when: [{path: /x, in: [y]}]}\n" +
		"- {path: e, subtree: inner, kustomize: true}")
	k := c.Kind("example.com", "v1", "A")
	type facts struct {
		Path                            string
		Role                            Role
		Elsewhere, Kustomize, Immutable bool
		Conditions                      int
	}
	var got []facts
	for _, r := range k.References {
		got = append(got, facts{r.Path.String(), r.Role, r.Elsewhere, r.Kustomize, r.Immutable, len(r.When)})
	}
	want := []facts{
		{"a/b", Producer, true, false, true, 1},
		{"a/c", Producer, true, false, true, 2},
		{"e/b", Consumer, false, true, false, 0},
		{"e/c", Consumer, false, false, false, 1},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rules (-want +got):\n%s", diff)
	}
}

func TestKind_knowsPodTemplates(t *testing.T) {
	for _, tc := range []struct {
		group, kind, spec, annotations string
		change                         Change
		exceptions                     int
	}{
		{"", "Pod", "spec", "metadata/annotations", Forbidden, 3},
		{"", "PodTemplate", "template/spec", "template/metadata/annotations", NoChange, 0},
		{"", "ReplicationController", "spec/template/spec", "spec/template/metadata/annotations", FuturePods, 0},
		{"apps", "DaemonSet", "spec/template/spec", "spec/template/metadata/annotations", Rollout, 1},
		{"apps", "Deployment", "spec/template/spec", "spec/template/metadata/annotations", Rollout, 1},
		{"apps", "ReplicaSet", "spec/template/spec", "spec/template/metadata/annotations", FuturePods, 0},
		{"apps", "StatefulSet", "spec/template/spec", "spec/template/metadata/annotations", Rollout, 1},
		{"batch", "CronJob", "spec/jobTemplate/spec/template/spec", "spec/jobTemplate/spec/template/metadata/annotations", FuturePods, 0},
		{"batch", "Job", "spec/template/spec", "spec/template/metadata/annotations", Forbidden, 6},
	} {
		k := Builtin().Kind(tc.group, "v1", tc.kind)
		if len(k.PodTemplates) != 1 {
			t.Fatalf("%s: %d pod templates, want 1", tc.kind, len(k.PodTemplates))
		}
		p := k.PodTemplates[0]
		if p.Spec.String() != tc.spec || p.Annotations.String() != tc.annotations || p.Change != tc.change || len(p.Except) != tc.exceptions {
			t.Errorf("%s: %s, %s, %s, %d exceptions", tc.kind, p.Spec, p.Annotations, p.Change, len(p.Except))
		}
		if !slices.ContainsFunc(k.References, func(r Rule) bool { return r.Consumed && r.Path.hasPrefix(p.Spec) }) {
			t.Errorf("%s: nothing is consumed in its pod template", tc.kind)
		}
		if k.Workload == nil || !k.Workload.BuiltIn || !strings.Contains(k.Workload.Replace, "{}") {
			t.Errorf("%s: it is not known as a workload of Kubernetes' own", tc.kind)
		}
	}
}

// TestKind_knowsPodTemplatesOfCustomResources has one kind of each sort.
func TestKind_knowsPodTemplatesOfCustomResources(t *testing.T) {
	for _, tc := range []struct {
		group, kind, spec, annotations string
		change                         Change
		exceptions                     []Change
	}{
		{"apps.kruise.io", "CloneSet", "spec/template/spec", "spec/template/metadata/annotations", Rollout, []Change{Deferred, InPlace}},
		{"apps.openshift.io", "DeploymentConfig", "spec/template/spec", "spec/template/metadata/annotations", Rollout, []Change{Deferred}},
		{"argoproj.io", "Rollout", "spec/template/spec", "spec/template/metadata/annotations", Rollout, []Change{NoChange, Deferred}},
		{"argoproj.io", "Workflow", "", "spec/podMetadata/annotations", CreateOnce, []Change{Recreated}},
		{"argoproj.io", "WorkflowTemplate", "", "spec/podMetadata/annotations", FuturePods, nil},
		{"gateway.envoyproxy.io", "EnvoyProxy", "spec/provider/kubernetes/envoyDaemonSet", "spec/provider/kubernetes/envoyDaemonSet/pod/annotations", Rollout, nil},
		{"jobset.x-k8s.io", "JobSet", "spec/replicatedJobs/template/spec/template/spec", "spec/replicatedJobs/template/spec/template/metadata/annotations", Forbidden, nil},
		{"keda.sh", "ScaledJob", "spec/jobTargetRef/template/spec", "spec/jobTargetRef/template/metadata/annotations", Destructive, []Change{FuturePods}},
		{"kubevirt.io", "VirtualMachine", "", "spec/template/metadata/annotations", Deferred, nil},
		{"monitoring.coreos.com", "Prometheus", "spec", "spec/podMetadata/annotations", Rollout, []Change{Deferred}},
		{"ray.io", "RayCluster", "spec/headGroupSpec/template/spec", "spec/headGroupSpec/template/metadata/annotations", FuturePods, []Change{Destructive}},
		{"serving.knative.dev", "Service", "spec/template/spec", "spec/template/metadata/annotations", NewRevision, []Change{Forbidden}},
		{"sparkoperator.k8s.io", "SparkApplication", "", "spec/driver/annotations", Destructive, nil},
		{"tekton.dev", "TaskRun", "", "metadata/annotations", Forbidden, []Change{Recreated}},
	} {
		k := Builtin().Kind(tc.group, "v1", tc.kind)
		p := k.PodTemplates[0]
		var exceptions []Change
		for _, e := range p.Except {
			exceptions = append(exceptions, e.Change)
		}
		if p.Spec.String() != tc.spec || p.Annotations.String() != tc.annotations || p.Change != tc.change || !slices.Equal(exceptions, tc.exceptions) {
			t.Errorf("%s: %s, %s, %s, %v", tc.kind, p.Spec, p.Annotations, p.Change, exceptions)
		}
		if !slices.ContainsFunc(k.References, func(r Rule) bool { return r.Consumed }) {
			t.Errorf("%s: nothing is consumed in its pods", tc.kind)
		}
	}
}

// TestKind_anyVolumeOfAnOperatorsPodsMayBeMounted: an operator's containers, which no manifest shows, may mount the
// volumes in its kinds, so mounts are read only from whole pod specs.
func TestKind_anyVolumeOfAnOperatorsPodsMayBeMounted(t *testing.T) {
	for _, tc := range []struct {
		group, kind, volume string
		mounted             bool
	}{
		{"apps", "Deployment", "spec/template/spec/volumes/configMap/name", true},
		{"argoproj.io", "Rollout", "spec/template/spec/volumes/configMap/name", true},
		{"serving.knative.dev", "Service", "spec/template/spec/volumes/configMap/name", true},
		{"monitoring.coreos.com", "Prometheus", "spec/volumes/configMap/name", false},
		{"kafka.strimzi.io", "Kafka", "spec/kafka/template/pod/volumes/configMap/name", false},
	} {
		k := Builtin().Kind(tc.group, "v1", tc.kind)
		at := slices.IndexFunc(k.References, func(r Rule) bool { return r.Path.String() == tc.volume })
		if at < 0 || !k.References[at].Consumed || (k.References[at].Mount != nil) != tc.mounted {
			t.Errorf("%s: reference %d; want one that is consumed, and read for mounts: %v", tc.kind, at, tc.mounted)
		}
	}
}

func TestKind_ofAnOperatorsPodAnnotations(t *testing.T) {
	c := newCatalog(nil)
	c.files["example.com"] = splitDocuments("kinds: [A]\npodTemplates:\n- {annotations: spec/podAnnotations, change: operator}\n- {spec: spec/pod, change: createOnce}")
	k := c.Kind("example.com", "v1", "A")
	first, second := k.PodTemplates[0], k.PodTemplates[1]
	if first.Spec != nil || first.Annotations == nil || second.Spec == nil || second.Annotations != nil {
		t.Errorf("got %+v and %+v; want annotations alone and a spec alone", first, second)
	}
}

func TestCatalog_isSafeForConcurrentUse(t *testing.T) {
	c := Builtin().With(Extra{Kind: "Unknown"})
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for _, kind := range []string{"Deployment", "StatefulSet", "Unknown"} {
				if c.Kind("apps", "v1", kind) == nil {
					t.Errorf("%s: nothing is known of it", kind)
				}
			}
			if c.NeverRename(Object{Kind: "ConfigMap", Name: "kube-root-ca.crt"}) == nil || c.ReadByName(Object{Kind: "ConfigMap", Name: "argocd-cm"}) == nil {
				t.Error("a name is not known")
			}
		})
	}
	group.Wait()
}

func TestNeverRename_matchesWhatControllersFindByName(t *testing.T) {
	type marks = map[string]string
	for _, tc := range []struct {
		label, kind, namespace, name, typ string
		labels, annotations               marks
		want, warning                     bool
	}{
		{"token", "Secret", "a", "x", "kubernetes.io/service-account-token", nil, nil, true, false},
		{"bootstrap token", "Secret", "kube-system", "bootstrap-token-abc", "bootstrap.kubernetes.io/token", nil, nil, true, false},
		{"release of Helm", "Secret", "a", "sh.helm.release.v1.a.v1", "helm.sh/release.v1", nil, nil, true, false},
		{"opaque Secret", "Secret", "a", "x", "Opaque", nil, nil, false, false},
		{"Secret without a type", "Secret", "a", "x", "", nil, nil, false, false},
		{"root certificates", "ConfigMap", "a", "kube-root-ca.crt", "", nil, nil, true, false},
		{"a name that only begins so", "ConfigMap", "a", "kube-root-ca.crt-2", "", nil, nil, false, false},
		{"a dot is a dot", "ConfigMap", "a", "kube-root-ca-crt", "", nil, nil, false, false},
		{"a Secret of that name", "Secret", "a", "kube-root-ca.crt", "", nil, nil, false, false},
		{"coredns", "ConfigMap", "kube-system", "coredns", "", nil, nil, true, true},
		{"coredns elsewhere", "ConfigMap", "dns", "coredns", "", nil, nil, false, false},
		{"kubelet of a version", "ConfigMap", "kube-system", "kubelet-config-1.23", "", nil, nil, true, true},
		{"inventory", "ConfigMap", "a", "inventory", "", marks{"cli-utils.sigs.k8s.io/inventory-id": "x"}, nil, true, false},
		{"injected", "ConfigMap", "a", "ca", "", marks{"config.openshift.io/inject-trusted-cabundle": "true"}, nil, true, true},
		{"injected by annotation", "ConfigMap", "a", "ca", "", nil, marks{"service.beta.openshift.io/inject-cabundle": "true"}, true, true},
		{"not injected", "ConfigMap", "a", "ca", "", marks{"config.openshift.io/inject-trusted-cabundle": "false"}, nil, false, false},
		{"mirror", "Secret", "a", "x", "", nil, marks{"reflector.v1.k8s.emberstack.com/reflects": "b/x"}, true, true},
		{"Cluster API's", "Secret", "a", "prod-kubeconfig", "cluster.x-k8s.io/secret", nil, nil, true, true},
		{"pull secret of a ServiceAccount", "Secret", "a", "x", "kubernetes.io/dockercfg", nil, marks{"openshift.io/token-secret.name": "x"}, true, false},
		{"pull secret of a user", "Secret", "a", "x", "kubernetes.io/dockercfg", nil, nil, false, false},
		{"lock", "ConfigMap", "a", "x", "", nil, marks{"control-plane.alpha.kubernetes.io/leader": "{}"}, true, false},
		{"Argo CD by name", "ConfigMap", "gitops", "argocd-cm", "", nil, nil, true, true},
		{"Argo CD by label", "Secret", "a", "x", "", marks{"app.kubernetes.io/part-of": "argocd"}, nil, true, true},
		{"what Argo CD only mounts", "ConfigMap", "a", "rel-argocd-redis-health-configmap", "", marks{"app.kubernetes.io/part-of": "argocd"}, nil, false, false},
		{"certificate of Argo CD", "Secret", "gitops", "argocd-server-tls", "kubernetes.io/tls", nil, nil, true, true},
		{"part of something else", "Secret", "a", "x", "", marks{"app.kubernetes.io/part-of": "shop"}, nil, false, false},
		{"a name that begins as Argo CD's", "ConfigMap", "a", "argocd-cm-plugins", "", nil, nil, false, false},
		{"cluster of Argo CD", "Secret", "a", "x", "", marks{"argocd.argoproj.io/secret-type": "cluster"}, nil, true, true},
		{"metrics of Argo Rollouts", "Secret", "argo-rollouts", "datadog", "", nil, nil, true, true},
		{"a user's datadog", "Secret", "shop", "datadog", "", nil, nil, false, false},
		{"Knative", "ConfigMap", "knative-serving", "config-network", "", nil, nil, true, true},
		{"a user's config-network", "ConfigMap", "shop", "config-network", "", nil, nil, false, false},
		{"Tekton", "ConfigMap", "tekton-pipelines", "hubresolver-config", "", nil, nil, true, true},
		{"mesh of a revision", "ConfigMap", "istio-system", "istio-1-24-1", "", nil, nil, true, true},
		{"certificate of Istio's gateway", "Secret", "istio-system", "istio-ingressgateway-certs", "kubernetes.io/tls", nil, nil, false, false},
		{"remote cluster", "Secret", "istio-system", "x", "", marks{"istio/multiCluster": "true"}, nil, true, true},
		{"dashboard", "ConfigMap", "a", "x", "", marks{"grafana_dashboard": ""}, nil, true, true},
		{"authority of a Kafka", "Secret", "a", "prod-cluster-ca-cert", "", marks{"strimzi.io/cluster": "prod"}, nil, true, true},
		{"another Secret of a Kafka", "Secret", "a", "prod-listener", "", marks{"strimzi.io/cluster": "prod"}, nil, false, false},
		{"allowed to be copied", "Secret", "a", "x", "", nil, marks{"kubed.appscode.com/sync": ""}, true, false},
		{"allowed to be reflected", "ConfigMap", "a", "x", "", nil, marks{"reflector.v1.k8s.emberstack.com/reflection-allowed": "true"}, true, false},
		{"not allowed to be reflected", "ConfigMap", "a", "x", "", nil, marks{"reflector.v1.k8s.emberstack.com/reflection-allowed": "false"}, false, false},
		{"allowed to be replicated", "Secret", "a", "x", "", nil, marks{"replicator.v1.mittwald.de/replication-allowed": "true"}, true, false},
		{"certificate of a webhook", "Secret", "queues", "kueue-webhook-server-cert", "", nil, nil, true, false},
		{"any webhook's certificate", "Secret", "shop", "webhook-certs", "", nil, nil, false, false},
		{"Tekton's webhook's certificate", "Secret", "tekton-pipelines", "webhook-certs", "", nil, nil, true, false},
		{"version of Tekton", "ConfigMap", "tekton", "tekton-operator-info", "", nil, nil, true, false},
		{"a user's dashboard-info", "ConfigMap", "shop", "dashboard-info", "", nil, nil, false, false},
		{"Kubeflow Pipelines", "Secret", "alice", "mlpipeline-minio-artifact", "", nil, nil, true, true},
		{"settings of Kubernetes Dashboard", "Secret", "dash", "kubernetes-dashboard-key-holder", "", nil, nil, true, false},
		{"certificates that Kubernetes Dashboard mounts", "Secret", "dash", "kubernetes-dashboard-certs", "", nil, nil, false, false},
		{"mesh in its own namespace", "ConfigMap", "mesh", "istio", "", marks{"app.kubernetes.io/name": "istiod"}, nil, true, true},
		{"a user's ConfigMap about Istio", "ConfigMap", "shop", "istio", "", nil, nil, false, false},
		{"priorities of the autoscaler", "ConfigMap", "autoscaling", "cluster-autoscaler-priority-expander", "", nil, nil, true, true},
		{"anything else", "Deployment", "a", "x", "", nil, marks{"reflector.v1.k8s.emberstack.com/reflects": "b/x"}, false, false},
	} {
		t.Run(tc.label, func(t *testing.T) {
			o := Object{tc.kind, tc.namespace, tc.name, tc.typ, tc.labels, tc.annotations}
			rule := Builtin().NeverRename(o)
			if rule == nil {
				rule = Builtin().ReadByName(o)
			}
			if (rule != nil) != tc.want {
				t.Fatalf("matched by %v, want a match: %v", rule, tc.want)
			}
			if rule != nil && rule.Warning != tc.warning {
				t.Errorf("warning %v, want %v", rule.Warning, tc.warning)
			}
		})
	}
}

func TestNameRules_areComplete(t *testing.T) {
	for _, file := range []string{neverRenameFile, readByNameFile} {
		all, err := files.ReadFile("data/" + file + ".yaml")
		if err != nil {
			t.Fatal(err)
		}
		byName := loadNameRules(file).byName
		for text := range strings.SplitSeq(string(all), "\n---\n") {
			var raw NameRule
			if err := decodeStrict(text, &raw); err != nil {
				t.Errorf("%s: %v in\n%s", file, err, text)
			}
			if raw.Target == 0 || raw.Reason == "" || !strings.Contains(text, "\nwarning: ") {
				t.Errorf("%s: no target, no reason or no level in\n%s", file, text)
			}
			if len(raw.Types)+len(raw.Names)+len(raw.Patterns)+len(raw.Labels)+len(raw.Annotations) == 0 {
				t.Errorf("%s: it holds for everything:\n%s", file, text)
			}
			for _, name := range raw.Names {
				if len(byName[name]) == 0 {
					t.Errorf("%s: %s is not found by the first line of\n%s", file, name, text)
				}
			}
			for _, p := range raw.Patterns {
				if p.compile(); strings.Contains(p.text, "|") && !strings.Contains(p.text, "(") {
					t.Errorf("%s: %q: an alternative needs brackets around it", file, p.text)
				}
			}
		}
	}
}

func TestPassedOver_knowsWhatIsNeverApplied(t *testing.T) {
	for _, tc := range []struct {
		group, kind string
		want        bool
	}{
		{"kpt.dev", "Kptfile", true},
		{"kpt.dev", "ResourceGroup", true},
		{"kpt.dev", "Other", false},
		{"kustomize.config.k8s.io", "Kustomization", true},
		{"kustomize.config.k8s.io", "Component", true},
		{"kustomize.toolkit.fluxcd.io", "Kustomization", false},
		{"fn.kpt.dev", "ApplySetters", true},
		{"confighash.dev", "ConfigHash", true},
		{"", "ConfigMap", false},
	} {
		if got := Builtin().PassedOver(tc.group, tc.kind); got != tc.want {
			t.Errorf("%s %s: %v, want %v", tc.group, tc.kind, got, tc.want)
		}
	}
}

func BenchmarkKind_firstUse(b *testing.B) {
	for b.Loop() {
		c := newCatalog(nil)
		for _, kind := range []string{"Deployment", "StatefulSet"} {
			c.Kind("apps", "v1", kind)
		}
	}
}

func TestKind_hasWholeManifestsAndDerivedNames(t *testing.T) {
	c := newCatalog(nil)
	c.files["example.com"] = splitDocuments("kinds: [A]\nmanifests: [spec/objects, spec/one]\nforeignManifests: [spec/remote/*]\n" +
		"references: [{path: a, target: Secret, derived: [-ca]}]")
	k := c.Kind("example.com", "v1", "A")
	if diff := cmp.Diff([]Path{{"spec", "objects"}, {"spec", "one"}}, k.Manifests); diff != "" {
		t.Errorf("manifests (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]Path{{"spec", "remote", "*"}}, k.ForeignManifests); diff != "" {
		t.Errorf("foreign manifests (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"-ca"}, k.References[0].Derived); diff != "" {
		t.Errorf("derived names (-want +got):\n%s", diff)
	}
}

func TestLookAlikes_coverKindsByGroupAndSuffix(t *testing.T) {
	shapes := Builtin().Shapes()
	fields := shapes.LookAlikes
	if len(fields) < 25 {
		t.Errorf("%d fields, want all that are known", len(fields))
	}
	for i, l := range fields {
		if l.Note == "" || l.Path.String() == "" || !slices.IsSorted(l.Kinds) {
			t.Errorf("%s %s: a note, a path, and sorted kinds are wanted", l.Group, l.Path)
		}
		if i > 0 && l.Group < fields[i-1].Group {
			t.Errorf("%s stands behind %s", l.Group, fields[i-1].Group)
		}
	}
	for _, tc := range []struct {
		label, group, kind, path string
		want                     bool
	}{
		{"a kind by its name", "keda.sh", "TriggerAuthentication", "spec/azureKeyVault/secrets/name", true},
		{"another kind of the group", "keda.sh", "ScaledJob", "spec/azureKeyVault/secrets/name", false},
		{"another group", "example.com", "TriggerAuthentication", "spec/azureKeyVault/secrets/name", false},
		{"any kind of a group", "cilium.io", "CiliumNetworkPolicy", "**/headerMatches/name", true},
		{"any kind of groups that end so", "kibana.k8s.elastic.co", "Kibana", "spec/**/elasticsearchRefs/name", true},
		{"the end itself", "k8s.elastic.co", "Kibana", "spec/**/elasticsearchRefs/name", false},
		{"any kind of any group", "example.com", "Thing", "**/generatorRef/name", true},
		{"any kind of the core group", "", "Pod", "**/generatorRef/name", true},
	} {
		got := slices.ContainsFunc(fields, func(l LookAlike) bool {
			return l.Path.String() == tc.path && l.Covers(tc.group, tc.kind)
		})
		if got != tc.want {
			t.Errorf("%s: %v, want %v", tc.label, got, tc.want)
		}
	}
}
