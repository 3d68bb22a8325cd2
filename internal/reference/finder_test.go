package reference

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/catalog"
)

func parse(t testing.TB, text string) *yaml.Node {
	t.Helper()
	var document yaml.Node
	if err := yaml.Unmarshal([]byte(text), &document); err != nil {
		t.Fatal(err)
	}
	return document.Content[0]
}

// find runs a Finder on an object, whose rules depend on its apiVersion and kind.
func find(t testing.TB, text string) Found {
	t.Helper()
	item := parse(t, text)
	var meta struct {
		APIVersion string `yaml:"apiVersion"`
		Kind       string `yaml:"kind"`
	}
	if err := item.Decode(&meta); err != nil {
		t.Fatal(err)
	}
	group, version, found := strings.Cut(meta.APIVersion, "/")
	if !found {
		group, version = "", meta.APIVersion
	}
	got, err := NewFinder(catalog.Builtin()).Find(group, version, meta.Kind, item)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range got.References {
		if at := r.At.Value[r.Start:r.End]; at != r.Name {
			t.Errorf("%s: %q stands where the name %q should", r.At.Path, at, r.Name)
		}
		if r.NamespaceAt != nil {
			if at := r.NamespaceAt.Value[r.NamespaceStart:r.NamespaceEnd]; at != r.Namespace {
				t.Errorf("%s: %q stands where the namespace %q should", r.At.Path, at, r.Namespace)
			}
		}
	}
	return got
}

// describe renders a reference as "path: targets namespace/name" followed by its other properties.
func describe(r Reference) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s ", r.At.Path, strings.Join(r.Targets.Kinds(), "|"))
	if r.Namespace != "" {
		b.WriteString(r.Namespace + "/")
	}
	b.WriteString(r.Name)
	if r.Role != catalog.Consumer {
		b.WriteString(" " + r.Role.String())
	}
	for _, flag := range []struct {
		set  bool
		name string
	}{
		{r.At.Shared, "shared"},
		{r.ControllerNamespace, "elsewhere"},
		{r.List, "list"},
		{r.PodTemplate >= 0, "template"},
		{r.Keys != nil, "key=" + strings.Join(r.Keys, ",")},
		{r.Optional, "optional"},
		{r.Tentative, "tentative"},
		{r.Kustomize, "kustomize"},
		{r.Immutable, "immutable"},
		{r.Default, "default"},
	} {
		if flag.set {
			b.WriteString(" " + flag.name)
		}
	}
	if r.KindFrom != nil {
		fmt.Fprintf(&b, " from %s.%s %s %s", r.KindFrom.Kind, r.KindFrom.Group, r.KindFrom.Name, r.KindFrom.Export)
	}
	return b.String()
}

func TestFind_findsWhatObjectsName(t *testing.T) {
	for _, tc := range []struct {
		label, object string
		want          []string
	}{
		{"deployment", `
apiVersion: apps/v1
kind: Deployment
metadata:
  annotations:
    secret.reloader.stakater.com/reload: "first, sec.*,second"
    wave.pusher.com/extra-configmaps: other/far,near
spec:
  template:
    metadata:
      annotations:
        vault.hashicorp.com/tls-secret: vault-tls
        dapr.io/env-from-secret: "TOKEN=dapr-token:token, USER=dapr-user"
        sidecar.istio.io/userVolume: '[{"name":"v","secret":{"secretName":"istio-certs"}}]'
    spec:
      initContainers:
      - env:
        - {name: A, valueFrom: {secretKeyRef: {name: init, key: a}}}
      containers:
      - name: app
        env:
        - name: LITERAL
          value: settings
        - name: B
          valueFrom:
            configMapKeyRef: {name: settings, key: b, optional: true}
        envFrom:
        - configMapRef: {name: env}
        - secretRef: {name: env, optional: true}
      imagePullSecrets:
      - name: registry
      volumes:
      - name: a
        configMap: {name: files, items: [{key: k, path: p}]}
      - name: b
        secret: {secretName: tls}
      - name: c
        projected:
          sources:
          - secret: {name: p1}
          - configMap: {name: p2}
      - name: d
        csi: {driver: file.csi.azure.com, volumeAttributes: {secretName: azure, secretNamespace: storage}}
      - name: e
        csi: {driver: other.example.com, volumeAttributes: {secretName: unknown}, nodePublishSecretRef: {name: publish}}
`, []string{
			`metadata.annotations["secret.reloader.stakater.com/reload"]: Secret first`,
			`metadata.annotations["secret.reloader.stakater.com/reload"]: Secret second`,
			`metadata.annotations["wave.pusher.com/extra-configmaps"]: ConfigMap other/far`,
			`metadata.annotations["wave.pusher.com/extra-configmaps"]: ConfigMap near`,
			`spec.template.metadata.annotations["vault.hashicorp.com/tls-secret"]: Secret vault-tls template`,
			`spec.template.metadata.annotations["dapr.io/env-from-secret"]: Secret dapr-token template key=token`,
			`spec.template.metadata.annotations["dapr.io/env-from-secret"]: Secret dapr-user template`,
			`spec.template.metadata.annotations["sidecar.istio.io/userVolume"]: Secret istio-certs template`,
			`spec.template.spec.initContainers[0].env[0].valueFrom.secretKeyRef.name: Secret init template key=a kustomize`,
			`spec.template.spec.containers[0].env[1].valueFrom.configMapKeyRef.name: ConfigMap settings template key=b optional kustomize`,
			`spec.template.spec.containers[0].envFrom[0].configMapRef.name: ConfigMap env template kustomize`,
			`spec.template.spec.containers[0].envFrom[1].secretRef.name: Secret env template optional kustomize`,
			`spec.template.spec.imagePullSecrets[0].name: Secret registry template kustomize`,
			`spec.template.spec.volumes[0].configMap.name: ConfigMap files template key=k kustomize`,
			`spec.template.spec.volumes[1].secret.secretName: Secret tls template kustomize`,
			`spec.template.spec.volumes[2].projected.sources[0].secret.name: Secret p1 template kustomize`,
			`spec.template.spec.volumes[2].projected.sources[1].configMap.name: ConfigMap p2 template kustomize`,
			`spec.template.spec.volumes[3].csi.volumeAttributes.secretName: Secret storage/azure template`,
			`spec.template.spec.volumes[4].csi.nodePublishSecretRef.name: Secret publish template`,
		}},
		{"values that are not names", `
apiVersion: v1
kind: ServiceAccount
imagePullSecrets:
- name: 12
- name: null
- name: ""
- name: ~
- name: true
- name: "12"
- name: 2024-01-01
- name: ${REGISTRY}
- name: '{{ .Values.pull }}'
- plain
secrets:
- name: token
  namespace: ignored
`, []string{
			`imagePullSecrets[0].name: Secret 12 kustomize`,
			`imagePullSecrets[4].name: Secret true kustomize`,
			`imagePullSecrets[5].name: Secret 12 kustomize`,
			`imagePullSecrets[6].name: Secret 2024-01-01 kustomize`,
			`secrets[0].name: Secret token`,
		}},
		{"job and pod are immutable", `
apiVersion: batch/v1
kind: Job
metadata: {annotations: {secret.reloader.stakater.com/reload: s}}
spec: {template: {spec: {volumes: [{secret: {secretName: s}}]}}}
`, []string{
			`metadata.annotations["secret.reloader.stakater.com/reload"]: Secret s`,
			`spec.template.spec.volumes[0].secret.secretName: Secret s template kustomize immutable`,
		}},
		{"cronjob", `
apiVersion: batch/v1
kind: CronJob
spec: {jobTemplate: {spec: {template: {spec: {containers: [{envFrom: [{secretRef: {name: s}}]}]}}}}}
`, []string{`spec.jobTemplate.spec.template.spec.containers[0].envFrom[0].secretRef.name: Secret s template kustomize`}},
		{"persistent volume", `
apiVersion: v1
kind: PersistentVolume
spec:
  azureFile: {secretName: a, secretNamespace: storage}
  csi:
    nodeStageSecretRef: {name: b, namespace: storage}
    nodePublishSecretRef: {name: c}
`, []string{
			`spec.azureFile.secretName: Secret storage/a kustomize immutable`,
			`spec.csi.nodeStageSecretRef.name: Secret storage/b immutable`,
			`spec.csi.nodePublishSecretRef.name: Secret c immutable`,
		}},
		{"storage class", `
apiVersion: storage.k8s.io/v1
kind: StorageClass
parameters:
  csi.storage.k8s.io/node-stage-secret-name: ${pvc.name}
  csi.storage.k8s.io/node-stage-secret-namespace: ${pvc.namespace}
  csi.storage.k8s.io/node-publish-secret-name: fixed
  csi.storage.k8s.io/node-publish-secret-namespace: ${pvc.namespace}
  csi.storage.k8s.io/provisioner-secret-name: fixed
  csi.storage.k8s.io/provisioner-secret-namespace: storage
`, []string{
			`parameters["csi.storage.k8s.io/node-publish-secret-name"]: Secret fixed elsewhere immutable`,
			`parameters["csi.storage.k8s.io/provisioner-secret-name"]: Secret storage/fixed immutable`,
		}},
		{"role names count where the rule is about them", `
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
rules:
- {apiGroups: [""], resources: [configmaps], resourceNames: [a, b]}
- {apiGroups: [""], resources: [pods, secrets], resourceNames: [c]}
- {apiGroups: ["*"], resources: [secrets, configmaps], resourceNames: [d]}
- {apiGroups: [apps, ""], resources: ["*"], resourceNames: [e]}
- {apiGroups: [apps], resources: [deployments], resourceNames: [f]}
- {apiGroups: [apps], resources: ["*"], resourceNames: [g]}
- {apiGroups: [""], resources: [secrets/status], resourceNames: [h]}
- {resources: [secrets], resourceNames: [i]}
`, []string{
			`rules[0].resourceNames[0]: ConfigMap a list kustomize`,
			`rules[0].resourceNames[1]: ConfigMap b list kustomize`,
			`rules[1].resourceNames[0]: Secret c list kustomize`,
			`rules[2].resourceNames[0]: ConfigMap|Secret d list kustomize`,
			`rules[3].resourceNames[0]: ConfigMap|Secret e list kustomize`,
		}},
		{"ingress", `
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  annotations:
    nginx.ingress.kubernetes.io/auth-secret: other/basic
    nginx.ingress.kubernetes.io/auth-tls-secret: bare
    nginx.ingress.kubernetes.io/auth-proxy-set-headers: headers
    haproxy-ingress.github.io/auth-tls-secret: file:///etc/tls
    alb.ingress.kubernetes.io/auth-idp-oidc: '{"issuer":"https://x","secretName":"oidc"}'
spec:
  defaultBackend: {resource: {kind: ConfigMap, name: page}}
  tls:
  - hosts: [a]
    secretName: tls
  rules:
  - http: {paths: [{backend: {resource: {apiGroup: example.com, kind: Secret, name: no}}}]}
`, []string{
			`metadata.annotations["nginx.ingress.kubernetes.io/auth-secret"]: Secret other/basic`,
			`metadata.annotations["nginx.ingress.kubernetes.io/auth-tls-secret"]: Secret bare kustomize`,
			`metadata.annotations["nginx.ingress.kubernetes.io/auth-proxy-set-headers"]: ConfigMap headers`,
			`metadata.annotations["alb.ingress.kubernetes.io/auth-idp-oidc"]: Secret oidc`,
			`spec.defaultBackend.resource.name: ConfigMap page`,
			`spec.tls[0].secretName: Secret tls kustomize`,
		}},
		{"ingress with an issuer", `
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {annotations: {cert-manager.io/cluster-issuer: letsencrypt}}
spec: {tls: [{secretName: tls}]}
`, []string{`spec.tls[0].secretName: Secret tls producer kustomize`}},
		{"ingress for the default issuer", `
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {annotations: {kubernetes.io/tls-acme: "true"}}
spec: {tls: [{secretName: tls}]}
`, []string{`spec.tls[0].secretName: Secret tls producer kustomize`}},
		{"ingress that declines the default issuer", `
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {annotations: {kubernetes.io/tls-acme: "false", projectcontour.io/tls-cert-namespace: certs}}
spec: {tls: [{secretName: tls}]}
`, []string{`spec.tls[0].secretName: Secret certs/tls kustomize`}},
		{"ingress class", `
apiVersion: networking.k8s.io/v1
kind: IngressClass
spec: {parameters: {kind: ConfigMap, name: haproxy, namespace: ingress, scope: Namespace}}
`, []string{`spec.parameters.name: ConfigMap ingress/haproxy`}},
		{"ingress class with parameters of another kind", `
apiVersion: networking.k8s.io/v1
kind: IngressClass
spec: {parameters: {apiGroup: k8s.example.com, kind: IngressParameters, name: external}}
`, nil},
		{"policy binding", `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
spec: {policyName: replicas, paramRef: {name: limits, namespace: policies}}
`, []string{`spec.paramRef.name: ConfigMap|Secret policies/limits from ValidatingAdmissionPolicy.admissionregistration.k8s.io replicas paramKind`}},
		{"policy about objects by name", `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [""], apiVersions: [v1], operations: [DELETE], resources: [configmaps], resourceNames: [app]}
    - {apiGroups: [apps], apiVersions: [v1], operations: [DELETE], resources: [deployments], resourceNames: [app]}
`, []string{`spec.matchConstraints.resourceRules[0].resourceNames[0]: ConfigMap app list`}},
		{"data of a controller's ConfigMap", `
apiVersion: v1
kind: ConfigMap
metadata: {annotations: {reflector.v1.k8s.emberstack.com/reflects: other/source}}
data: {proxy-set-headers: ingress/headers, add-headers: headers, client-ca: a/b/c}
`, []string{
			`metadata.annotations["reflector.v1.k8s.emberstack.com/reflects"]: ConfigMap other/source`,
			`data.proxy-set-headers: ConfigMap ingress/headers tentative`,
		}},
		{"order and mutation of an apply", `
apiVersion: example.com/v1
kind: Unknown
metadata:
  annotations:
    config.kubernetes.io/depends-on: apps/namespaces/a/Deployment/x,/namespaces/a/ConfigMap/x, /namespaces/b/Secret/y
    config.kubernetes.io/apply-time-mutation: |
      - sourceRef:
          kind: ConfigMap
          name: é-is-no-name
      - sourceRef: {group: "", kind: Secret, namespace: b, name: 'source'}
        sourcePath: $.data.x
      - sourceRef:
          apiVersion: v1
          kind: ConfigMap
          name: "settings"
      - sourceRef: {group: apps, kind: ConfigMap, name: no}
    kapp.k14s.io/versioned-explicit-ref: |
      apiVersion: v1
      kind: ConfigMap
      name: kapp
    kapp.k14s.io/versioned-explicit-ref.second: '{apiVersion: v1, kind: Secret, name: kapp2}'
`, []string{
			`metadata.annotations["config.kubernetes.io/depends-on"]: ConfigMap a/x`,
			`metadata.annotations["config.kubernetes.io/depends-on"]: Secret b/y`,
			`metadata.annotations["config.kubernetes.io/apply-time-mutation"]: Secret b/source`,
			`metadata.annotations["config.kubernetes.io/apply-time-mutation"]: ConfigMap settings`,
			`metadata.annotations["kapp.k14s.io/versioned-explicit-ref"]: ConfigMap kapp`,
			`metadata.annotations["kapp.k14s.io/versioned-explicit-ref.second"]: Secret kapp2`,
		}},
		{"sealed secret", `
apiVersion: bitnami.com/v1alpha1
kind: SealedSecret
metadata: {name: sealed}
spec: {template: {metadata: {name: sealed}}}
`, []string{
			`metadata.name: Secret sealed producer`,
			`spec.template.metadata.name: Secret sealed producer`,
		}},
		{"external secret with a name", `
apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata: {name: app}
spec: {target: {name: app-secret, template: {templateFrom: [{configMap: {name: tpl}}]}}}
`, []string{
			`spec.target.name: Secret app-secret producer`,
			`spec.target.template.templateFrom[0].configMap.name: ConfigMap tpl`,
		}},
		{"external secret without a name", `
apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata: {name: app}
spec: {target: {name: "", template: {templateFrom: [{configMap: {name: tpl}}]}}}
`, []string{
			`spec.target.template.templateFrom[0].configMap.name: ConfigMap tpl`,
			`metadata.name: Secret app producer default`,
		}},
		{"external secret without a target", `
apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata: {name: app}
spec: {}
`, []string{`metadata.name: Secret app producer default`}},
		{"cluster external secret", `
apiVersion: external-secrets.io/v1
kind: ClusterExternalSecret
metadata: {name: app}
spec: {externalSecretName: given}
`, []string{`spec.externalSecretName: Secret given producer elsewhere default`}},
		{"certificate", `
apiVersion: cert-manager.io/v1
kind: Certificate
spec: {secretName: tls, keystores: {jks: {passwordSecretRef: {name: jks, key: password}}}}
`, []string{
			`spec.secretName: Secret tls producer`,
			`spec.keystores.jks.passwordSecretRef.name: Secret jks key=password`,
		}},
		{"cluster issuer", `
apiVersion: cert-manager.io/v1
kind: ClusterIssuer
spec: {acme: {privateKeySecretRef: {name: account}}}
`, []string{`spec.acme.privateKeySecretRef.name: Secret account producer elsewhere`}},
		{"json", `{"apiVersion":"v1","kind":"Pod","spec":{"containers":[{"envFrom":[{"secretRef":{"name":"s"}}]}]}}`,
			[]string{`spec.containers[0].envFrom[0].secretRef.name: Secret s template kustomize immutable`}},
		{"anchors and aliases", `
apiVersion: v1
kind: ReplicationController
spec:
  template:
    spec:
      initContainers:
      - envFrom: &from
        - secretRef: {name: s}
      - envFrom:
        - secretRef: {name: &name t}
      containers:
      - envFrom: *from
      - envFrom:
        - configMapRef: {name: *name}
        - configMapRef: {name: plain}
`, []string{
			`spec.template.spec.initContainers[0].envFrom[0].secretRef.name: Secret s shared template`,
			`spec.template.spec.initContainers[1].envFrom[0].secretRef.name: Secret t shared template`,
			`spec.template.spec.containers[0].envFrom[0].secretRef.name: Secret s shared template`,
			`spec.template.spec.containers[1].envFrom[0].configMapRef.name: ConfigMap t shared template`,
			`spec.template.spec.containers[1].envFrom[1].configMapRef.name: ConfigMap plain template`,
		}},
		{"anchor at the root", `&root
apiVersion: v1
kind: ServiceAccount
secrets: [{name: s}]
`, []string{`secrets[0].name: Secret s shared`}},
		{"merge keys", `
apiVersion: v1
kind: PersistentVolume
spec:
  base: &base {name: base, namespace: storage}
  more: &more {namespace: more, name: unused}
  csi:
    nodeStageSecretRef: {<<: *base}
    nodePublishSecretRef: {name: own, <<: [*base, *more]}
    nodeExpandSecretRef: {<<: {namespace: inline}, name: own}
    controllerExpandSecretRef: {"<<": no, name: quoted}
`, []string{
			`spec.csi.nodeStageSecretRef.name: Secret storage/base shared immutable`,
			`spec.csi.nodePublishSecretRef.name: Secret storage/own immutable`,
			`spec.csi.nodeExpandSecretRef.name: Secret inline/own immutable`,
			`spec.csi.controllerExpandSecretRef.name: Secret quoted immutable`,
		}},
		{"service that OpenShift certifies", `
apiVersion: v1
kind: Service
metadata: {annotations: {service.beta.openshift.io/serving-cert-secret-name: cert, konghq.com/ca-certificates-secrets: "a,b"}}
`, []string{
			`metadata.annotations["service.beta.openshift.io/serving-cert-secret-name"]: Secret cert producer`,
			`metadata.annotations["konghq.com/ca-certificates-secrets"]: Secret a`,
			`metadata.annotations["konghq.com/ca-certificates-secrets"]: Secret b`,
		}},
		{"same kind of another group", `
apiVersion: example.com/v1
kind: Deployment
spec: {template: {spec: {volumes: [{secret: {secretName: s}}]}}}
`, nil},
	} {
		t.Run(tc.label, func(t *testing.T) {
			var got []string
			for _, r := range find(t, tc.object).References {
				got = append(got, describe(r))
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("references (-want +got):\n%s", diff)
			}
		})
	}
}

func TestFind_exportsTheKindOfParameters(t *testing.T) {
	for _, tc := range []struct {
		label, object string
		want          map[string]string
	}{
		{"a core kind", "{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicy, spec: {paramKind: {apiVersion: v1, kind: ConfigMap}}}", map[string]string{"paramKind": "ConfigMap"}},
		{"a kind of another group", "{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicy, spec: {paramKind: {apiVersion: example.com/v1, kind: ConfigMap}}}", nil},
		{"no parameters", "{apiVersion: admissionregistration.k8s.io/v1, kind: MutatingAdmissionPolicy, spec: {}}", nil},
		{"a list in the way", "{apiVersion: admissionregistration.k8s.io/v1, kind: MutatingAdmissionPolicy, spec: []}", nil},
	} {
		t.Run(tc.label, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, find(t, tc.object).Exports); diff != "" {
				t.Errorf("exports (-want +got):\n%s", diff)
			}
		})
	}
}

func TestFind_locatesTheNamespace(t *testing.T) {
	got := find(t, `
apiVersion: v1
kind: PersistentVolume
spec:
  csi:
    nodeStageSecretRef: {name: a, namespace: &ns storage}
`).References[0]
	if got.NamespaceAt == nil {
		t.Fatal("no scalar for the namespace")
	}
	if want := "spec.csi.nodeStageSecretRef.namespace"; string(got.NamespaceAt.Path) != want {
		t.Errorf("namespace at %s, want %s", got.NamespaceAt.Path, want)
	}
	if !got.NamespaceAt.Shared || got.At.Shared {
		t.Errorf("shared: namespace %v, name %v; want true, false", got.NamespaceAt.Shared, got.At.Shared)
	}
}

func TestFind_leavesOutWhatCannotBeReplacedInAnEmbeddedDocument(t *testing.T) {
	for _, value := range []string{
		`'{"secretName":"\u0061bc"}'`,      // the name has an escape
		`"{a: &x oidc, secretName: *x}"`,   // two places share the name
		`"{secretName: [unterminated"`,     // not a document
		`""`,                               // nothing
		`"- {secretName: {deeper: oidc}}"`, // not a scalar
	} {
		found := find(t, "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {annotations: {alb.ingress.kubernetes.io/auth-idp-oidc: "+value+"}}\n")
		if len(found.References) > 0 {
			t.Errorf("%s: found %s", value, describe(found.References[0]))
		}
	}
}

func TestFind_refusesEndlessAliases(t *testing.T) {
	var bomb strings.Builder
	bomb.WriteString("apiVersion: v1\nkind: Pod\nx0: &x0 [{secretRef: {name: s}}]\n")
	for i := 1; i < 10; i++ {
		fmt.Fprintf(&bomb, "x%d: &x%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*x%d,", i-1), 10), ","))
	}
	bomb.WriteString("spec: {containers: [{envFrom: *x9}]}\n")
	var merges strings.Builder
	merges.WriteString("apiVersion: v1\nkind: Pod\nx0: &x0 {a: b}\n")
	for i := 1; i < 10; i++ {
		fmt.Fprintf(&merges, "x%d: &x%d {k%d: v, <<: [%s]}\n", i, i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*x%d,", i-1), 10), ","))
	}
	merges.WriteString("spec: {<<: *x9}\n")
	for _, tc := range []struct {
		label, object string
		refused       bool
	}{
		{"an alias bomb", bomb.String(), true},
		{"an alias to a node around it", "apiVersion: v1\nkind: Pod\nspec: {containers: &c [*c]}\n", true},
		{"a mapping within itself", "apiVersion: v1\nkind: Pod\nspec: {containers: &c [{envFrom: *c}]}\n", false},
		{"mappings merged many times over", merges.String(), false},
		{"a mapping merged into itself", "apiVersion: v1\nkind: Pod\nspec: &s {<<: *s}\n", false},
	} {
		t.Run(tc.label, func(t *testing.T) {
			_, err := NewFinder(catalog.Builtin()).Find("", "v1", "Pod", parse(t, tc.object))
			if refused := err != nil; refused != tc.refused {
				t.Errorf("error %v, want one: %v", err, tc.refused)
			}
		})
	}
}

func TestFind_isSafeForConcurrentUse(t *testing.T) {
	f := NewFinder(catalog.Builtin().With())
	item := parse(t, "{spec: {template: {spec: {volumes: [{secret: {secretName: s}}]}}}}")
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for _, kind := range []string{"Deployment", "StatefulSet", "DaemonSet", "Unknown"} {
				found, err := f.Find("apps", "v1", kind, item)
				if err != nil || len(found.References) != 1 && kind != "Unknown" {
					t.Errorf("%s: %d references, error %v", kind, len(found.References), err)
				}
			}
		})
	}
	group.Wait()
}

func TestFind_usesTheUsersRules(t *testing.T) {
	rules, err := catalog.FieldSpec(catalog.Secret, `spec/**/auth*/credentials`)
	if err != nil {
		t.Fatal(err)
	}
	f := NewFinder(catalog.Builtin().With(catalog.Extra{Group: "example.com", Kind: "Database", References: rules}))
	found, err := f.Find("example.com", "v7", "Database", parse(t, `
spec:
  authA: {credentials: a}
  deep: [{er: {authB: {credentials: {name: b, namespace: other}}}}]
  auth: {elsewhere: c}
credentials: d
`))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range found.References {
		got = append(got, describe(r))
	}
	want := []string{"spec.authA.credentials: Secret a", "spec.deep[0].er.authB.credentials.name: Secret other/b"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("references (-want +got):\n%s", diff)
	}
}

func TestFind_readsConditionsOfPodTemplates(t *testing.T) {
	for spec, want := range map[string]catalog.Change{
		"spec: {updateStrategy: {type: OnDelete}, ":                    catalog.Deferred,
		"base: &b {type: OnDelete}, spec: {updateStrategy: {<<: *b}, ": catalog.Deferred,
		"spec: {updateStrategy: {type: RollingUpdate}, ":               catalog.Rollout,
	} {
		item := parse(t, "{kind: StatefulSet, "+spec+"template: {metadata: {}, spec: {containers: [{name: a}]}}}}")
		found, err := NewFinder(catalog.Builtin()).Find("apps", "v1", "StatefulSet", item)
		if err != nil || len(found.PodTemplates) != 1 || found.PodTemplates[0].Change != want {
			t.Errorf("%s: found %+v, want %s (%v)", spec, found.PodTemplates, want, err)
		}
	}
}

func BenchmarkFind_deployment(b *testing.B) {
	item := parse(b, `
apiVersion: apps/v1
kind: Deployment
metadata: {name: app, labels: {app: app}, annotations: {a: b}}
spec:
  replicas: 3
  selector: {matchLabels: {app: app}}
  template:
    metadata: {labels: {app: app}, annotations: {prometheus.io/scrape: "true"}}
    spec:
      serviceAccountName: app
      containers:
      - name: app
        image: app:1
        ports: [{containerPort: 80}]
        resources: {limits: {cpu: 1}, requests: {cpu: 1}}
        env:
        - {name: A, value: a}
        - {name: B, valueFrom: {secretKeyRef: {name: s, key: b}}}
        - {name: C, valueFrom: {fieldRef: {fieldPath: status.podIP}}}
        envFrom: [{configMapRef: {name: c}}, {secretRef: {name: s}}]
        volumeMounts: [{name: v, mountPath: /v}]
      volumes: [{name: v, configMap: {name: c}}, {name: w, emptyDir: {}}]
`)
	f := NewFinder(catalog.Builtin())
	b.ReportAllocs()
	for b.Loop() {
		found, err := f.Find("apps", "v1", "Deployment", item)
		if err != nil || len(found.References) != 4 {
			b.Fatal(len(found.References), err)
		}
	}
}

func BenchmarkFind_kindWithoutRules(b *testing.B) {
	item := parse(b, "{apiVersion: v1, kind: Namespace, metadata: {name: n, labels: {a: b}, annotations: {c: d}}}")
	f := NewFinder(catalog.Builtin())
	b.ReportAllocs()
	for b.Loop() {
		if _, err := f.Find("", "v1", "Namespace", item); err != nil {
			b.Fatal(err)
		}
	}
}
