package hostile

import (
	"fmt"
	"strings"
)

// Shapes returns all shapes.
func Shapes() []Shape {
	var all []Shape
	for _, some := range [][]Shape{layers(), names(), pods(), policies(), texts(), configs(), aliases(), identities()} {
		all = append(all, some...)
	}
	return all
}

// inNamespaces returns objects of the same name, each in its own namespace.
func inNamespaces(n int, kind, name string) string {
	return each(n, object(kind, "n#", name, ""))
}

func spread(n int) string {
	return each(n, configMap("n#", "a", "")+workload("n#", "w", "", takes("a")))
}

// layers are about the layers by which kustomize narrows several objects of one name.
func layers() []Shape {
	return []Shape{
		{Name: "one object with long lists of prefixes and suffixes", Make: func(n int) string {
			return each(19, configMap("n#", "a", built("x", "x"))) + configMap("m", "a", built(list(n, "p#"), list(n, "p#"))) + role("p", "configmaps", "a")
		}},
		{Name: "many objects with lists of prefixes and suffixes", Make: func(n int) string {
			return each(n/20+16, configMap("n#", "a", built(list(20, "p#"), list(20, "p#")))) + role("p", "configmaps", "a")
		}},
		{Name: "a referrer with long lists of prefixes and suffixes", Make: func(n int) string {
			return each(20, configMap("n#", "a", built("x", "x"))) + "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: p" + built(list(n, "p#"), list(n, "p#")) + "}\nrules: [{apiGroups: [\"\"], resources: [configmaps], verbs: [get], resourceNames: [a]}]\n"
		}},
		{Name: "long lists of prefixes times references", Make: func(n int) string {
			return each(5, configMap("n#", "a", built(list(n, "p#"), ""))) + "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: p" + built(list(n, "p#"), "") + "}\nrules: [{apiGroups: [\"\"], resources: [configmaps], verbs: [get], resourceNames: [" + strings.Repeat("a,", n) + "a]}]\n"
		}},
		{Name: "variants of one base times references", Make: func(n int) string {
			return each(n, configMap("", "v#", called(1, "a"))) + workload("", "w", "", "containers: [{name: c, envFrom: ["+strings.Repeat("{configMapRef: {name: a}},", n)+"]}]")
		}},
		{Name: "variants of one base times workloads", Make: func(n int) string {
			return each(n, configMap("", "v#", called(1, "a")+"")) + each(n, workload("", "w#", "", takes("a")))
		}},
		{Name: "variants of other layers times references", Make: func(n int) string {
			return each(n, configMap("", "v#", ", annotations: {internal.config.kubernetes.io/previousNames: a, internal.config.kubernetes.io/previousNamespaces: default, internal.config.kubernetes.io/previousKinds: ConfigMap, internal.config.kubernetes.io/prefixes: p#}")+workload("", "x#", "", takes("v#"))) +
				"apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: w" + built("other", "") + "}\nspec: {template: {spec: {containers: [{name: c, envFrom: [" + strings.Repeat("{configMapRef: {name: a}},", n) + "]}]}}}\n"
		}},
		{Name: "an object with many earlier names", Make: func(n int) string {
			return configMap("", "a", called(n, list(n, "a#"))) + workload("", "w", "", takes("a"))
		}},
		{Name: "objects with the same earlier names", Make: func(n int) string {
			return each(n/10+1, configMap("", "a#", called(10, "b0,b1,b2,b3,b4,b5,b6,b7,b8,b9"))) + each(n/10+1, workload("", "w#", "", takes("a#")))
		}},
	}
}

// names are about names times namespaces, references and words.
func names() []Shape {
	return []Shape{
		{Name: "a name with many suffixes", Make: func(n int) string {
			return workload("", "w", "", takes("app"+strings.Repeat("-4h2mbtbbt6", n)))
		}},
		{Name: "a name with many suffixes, of an object", Make: func(n int) string {
			name := "app" + strings.Repeat("-4h2mbtbbt6", n)
			return configMap("", name, "") + workload("", "w", "", takes(name+"-4h2mbtbbt6"))
		}},
		{Name: "one name in an RBAC rule times namespaces", Make: func(n int) string {
			return spread(n/4) + role("p", "configmaps", strings.Repeat("a,", n)+"a")
		}},
		{Name: "one name in an RBAC rule of both kinds times namespaces", Make: func(n int) string {
			return spread(n/4) + inNamespaces(n/4, "Secret", "a") + role("p", "configmaps, secrets", strings.Repeat("a,", n)+"a")
		}},
		{Name: "ClusterRoles times namespaces", Make: func(n int) string {
			return inNamespaces(n, "ConfigMap", "a") + each(n, role("p#", "configmaps", "a"))
		}},
		{Name: "custom resources of the cluster times namespaces", Make: func(n int) string {
			return inNamespaces(n, "Secret", "a") + each(n, "apiVersion: cert-manager.io/v1\nkind: ClusterIssuer\nmetadata: {name: i#}\nspec: {ca: {secretName: a}}\n---\n") +
				each(n, "apiVersion: external-secrets.io/v1\nkind: ClusterSecretStore\nmetadata: {name: s#}\nspec: {provider: {vault: {auth: {tokenSecretRef: {name: a, key: k}}}}}\n---\n")
		}},
		{Name: "resources of an RBAC rule times its names", Make: func(n int) string {
			return configMap("", "a", "") + role("p", strings.TrimSuffix(strings.Repeat("configmaps,", n), ","), list(4*n, "a#"))
		}},
		{Name: "keys of an RBAC rule times its names", Make: func(n int) string {
			return configMap("", "a", "") + "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: p}\nrules: [{" + list(n, "x#: y") + ", apiGroups: [\"\"], verbs: [get], resourceNames: [" + list(3*n, "a#") + "], resources: [configmaps]}]\n"
		}},
		{Name: "names of both kinds in an RBAC rule", Make: func(n int) string {
			return each(n, configMap("", "a#", "")+object("Secret", "", "a#", "")+workload("", "w#", "", takes("a#")+", volumes: [{name: v, secret: {secretName: a#}}]")) + strings.Replace(role("p", "configmaps, secrets", list(n, "a#")), "ClusterRole", "Role", 1)
		}},
		{Name: "words of a cluster-scoped resource times namespaces", Make: func(n int) string {
			return spread(n/4) + "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: p, annotations: {d: \"" + strings.Repeat("a ", 2*n) + "\"}}\nrules: []\n"
		}},
		{Name: "places of a cluster-scoped resource times namespaces", Make: func(n int) string {
			return spread(n/4) + "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: p, annotations: {" + list(n, "d#: a") + "}}\nrules: []\n"
		}},
		{Name: "cluster-scoped resources with a former name times namespaces", Make: func(n int) string {
			return spread(n) + each(n, "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: p#, annotations: {d: a}}\nrules: []\n---\n")
		}},
		{Name: "words that are former names", Make: func(n int) string {
			return each(n/20+1, configMap("", "a#", "")+workload("", "w#", "", takes("a#"))) + workload("", "w", "", "containers: [{name: c, args: ["+list(n, `"a1 a2 a3 a4 a5 #"`)+"]}]")
		}},
		{Name: "words of variants of one base", Make: func(n int) string {
			return each(n, configMap("", "v#", called(1, "a"))+workload("", "w#", "", takes("v#"))) + workload("", "w", "", "containers: [{name: c, args: ["+list(n, `"--configmap=a"`)+"]}]")
		}},
		{Name: "variants with the same words", Make: func(n int) string {
			return each(n, configMap("", "v#", called(1, "a"))+workload("", "w#", "", takes("v#")+", x: [{y: --configmap=a}]"))
		}},
		{Name: "a ConfigMap's keys times references to others", Make: func(n int) string {
			return "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {" + list(n, "k#: v") + "}\n---\n" +
				workload("", "w", "", "containers: [{name: c, env: ["+list(n, "{name: e, valueFrom: {configMapKeyRef: {name: a, key: m#}}}")+"]}]")
		}},
		{Name: "a ConfigMap's keys times workloads that lack one", Make: func(n int) string {
			return "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {" + list(n, "k#: VALUE") + "}\n---\n" +
				each(n/2, workload("", "w#", "", "containers: [{name: c, env: [{name: e, valueFrom: {configMapKeyRef: {name: a, key: m#}}}]}]"))
		}},
		{Name: "a ConfigMap's keys times workloads that take two", Make: func(n int) string {
			return "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {" + list(n, "k#: VALUE") + "}\n---\n" +
				each(n/2, workload("", "w#", "", "containers: [{name: c, env: [{name: e, valueFrom: {configMapKeyRef: {name: a, key: k1}}}, {name: f, valueFrom: {configMapKeyRef: {name: a, key: k#}}}]}]"))
		}},
		{Name: "ConfigMaps whose content names each the next", Make: func(n int) string {
			var b strings.Builder
			for i := range n {
				fmt.Fprintf(&b, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c%d, namespace: d}\ndata: {proxy-set-headers: d/c%d, k: VALUE}\n---\n", i, i+1)
			}
			return b.String()
		}},
		{Name: "a ring of ConfigMaps whose content names each the next", Make: func(n int) string {
			var b strings.Builder
			for i := range n {
				fmt.Fprintf(&b, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c%d, namespace: d}\ndata: {proxy-set-headers: d/c%d, add-headers: d/c%d}\n---\n", i, (i+1)%n, (i+1)%n)
			}
			return b.String()
		}},
		{Name: "a chain of ConfigMaps whose content names each the next", Make: func(n int) string {
			return each(n, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c#x, namespace: d}\ndata: {proxy-set-headers: d/c#y, k: VALUE}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c#y, namespace: d}\ndata: {k: VALUE}\n---\n")
		}},
		{Name: "makers of one Secret times references", Make: func(n int) string {
			return each(n, "apiVersion: external-secrets.io/v1\nkind: ExternalSecret\nmetadata: {name: e#}\nspec: {target: {name: a}}\n---\n") +
				workload("", "w", "", "containers: [{name: c, envFrom: ["+strings.Repeat("{secretRef: {name: a}},", n)+"]}]")
		}},
		{Name: "makers of one Secret times workloads", Make: func(n int) string {
			return each(n, "apiVersion: external-secrets.io/v1\nkind: ExternalSecret\nmetadata: {name: e#}\nspec: {target: {name: a}, x: VALUE}\n---\n") +
				each(n, workload("", "w#", "", "containers: [{name: c, envFrom: [{secretRef: {name: a}}]}]"))
		}},
		{Name: "makers of Secrets with common ingredients", Make: func(n int) string {
			return each(n, configMap("", "t#", "")) + "apiVersion: external-secrets.io/v1\nkind: ExternalSecret\nmetadata: {name: a}\nspec: {target: {template: {templateFrom: [" + list(n, "{configMap: {name: t#}}") + "]}}}\n---\n" +
				each(n, workload("", "w#", "", "containers: [{name: c, envFrom: [{secretRef: {name: a}}]}]"))
		}},
		{Name: "makers of Secrets in a chain", Make: func(n int) string {
			var b strings.Builder
			for i := range n {
				fmt.Fprintf(&b, "apiVersion: external-secrets.io/v1\nkind: ExternalSecret\nmetadata: {name: e%d}\nspec: {target: {template: {templateFrom: [{secret: {name: e%d}}]}}}\n---\n", i, i+1)
			}
			return b.String() + each(n, workload("", "w#", "", "containers: [{name: c, envFrom: [{secretRef: {name: e#}}]}]"))
		}},
		{Name: "keys of a SealedSecret times workloads", Make: func(n int) string {
			return "apiVersion: bitnami.com/v1alpha1\nkind: SealedSecret\nmetadata: {name: a}\nspec: {encryptedData: {" + list(n, "k#: VALUE") + "}}\n---\n" +
				each(n, workload("", "w#", "", "containers: [{name: c, env: [{name: e, valueFrom: {secretKeyRef: {name: a, key: k#}}}]}]"))
		}},
		{Name: "values of a SealedSecret with a template times workloads", Make: func(n int) string {
			return "apiVersion: bitnami.com/v1alpha1\nkind: SealedSecret\nmetadata: {name: a}\nspec: {template: {data: {x: y}}, encryptedData: {" + list(n, "k#: VALUE") + "}}\n---\n" +
				each(n, workload("", "w#", "", "containers: [{name: c, env: [{name: e, valueFrom: {secretKeyRef: {name: a, key: k#}}}]}]"))
		}},
		{Name: "objects that many workloads consume", Make: func(n int) string {
			return configMap("", "a", "") + each(n, workload("", "w#", "", takes("a")))
		}},
		{Name: "a workload that consumes many objects", Make: func(n int) string {
			return each(n, configMap("", "a#", "")) + workload("", "w", "", "containers: [{name: c, envFrom: ["+list(n, "{configMapRef: {name: a#}}")+"]}]")
		}},
		{Name: "references to what is not there", Make: func(n int) string {
			return workload("", "w", "", "containers: [{name: c, envFrom: ["+list(n, "{configMapRef: {name: a#}}")+"]}]")
		}},
		{Name: "objects of one name and namespace", Make: func(n int) string {
			return strings.Repeat(configMap("", "a", ""), n) + each(n, workload("", "w#", "", takes("a")))
		}},
		{Name: "names that are prefixes of each other", Make: func(n int) string {
			return each(n, configMap("", "a#", "")+workload("", "w#", "", takes("a#-4h2mbtbbt6")))
		}},
		{Name: "credentials with derived names", Make: func(n int) string {
			return each(n, object("Secret", "istio-system", "g#", "")+object("Secret", "istio-system", "g#-cacert", "")) +
				"apiVersion: networking.istio.io/v1\nkind: Gateway\nmetadata: {name: g, namespace: istio-system}\nspec: {servers: [" + list(n, "{tls: {credentialName: g#}}") + "]}\n"
		}},
		{Name: "derived names in a chain", Make: func(n int) string {
			var b strings.Builder
			name := "g"
			for range min(n, 3000) {
				b.WriteString(object("Secret", "i", name, ""))
				fmt.Fprintf(&b, "apiVersion: networking.istio.io/v1\nkind: Gateway\nmetadata: {name: g, namespace: i}\nspec: {servers: [{tls: {credentialName: %s}}]}\n---\n", name)
				name += "-cacert"
				if len(name) > 240 {
					name = fmt.Sprintf("g%d", b.Len())
				}
			}
			return b.String()
		}},
		{Name: "policy bindings whose kind a policy decides", Make: func(n int) string {
			return inNamespaces(n, "ConfigMap", "a") + "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: p}\nspec: {paramKind: {apiVersion: v1, kind: ConfigMap}}\n---\n" +
				each(n, "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicyBinding\nmetadata: {name: b#}\nspec: {policyName: p, paramRef: {name: a}}\n---\n")
		}},
	}
}

// pods are about the content of pod templates.
func pods() []Shape {
	return []Shape{
		{Name: "mounts times items", Make: func(n int) string {
			return configMap("", "a", "") + workload("", "w", "", "containers: [{name: c, volumeMounts: ["+list(n, "{name: v, mountPath: /m, subPath: s#}")+"]}], volumes: [{name: v, configMap: {name: a, items: ["+list(n, "{key: k#, path: p#}")+"]}}]")
		}},
		{Name: "mounts of folders times items in them", Make: func(n int) string {
			return configMap("", "a", "") + workload("", "w", "", "containers: [{name: c, volumeMounts: ["+list(n, "{name: v, mountPath: /m#, subPath: s}")+"]}], volumes: [{name: v, configMap: {name: a, items: ["+list(n, "{key: k#, path: s/p#}")+"]}}]")
		}},
		{Name: "mounts of folders in folders times items in all of them", Make: func(n int) string {
			deep := strings.Repeat("s/", 100)
			return configMap("", "a", "") + workload("", "w", "", "containers: [{name: c, volumeMounts: ["+list(n/10, "{name: v, subPath: "+deep+"x#}")+"]}], volumes: [{name: v, configMap: {name: a, items: ["+list(n/10, "{key: k#, path: "+deep+"x#/y}")+"]}}]")
		}},
		{Name: "mounts times sources of a projected volume", Make: func(n int) string {
			return each(n, configMap("", "a#", "")) + workload("", "w", "", "containers: [{name: c, volumeMounts: ["+list(n, "{name: v, mountPath: /m#, subPath: s#}")+"]}], volumes: [{name: v, projected: {sources: ["+list(n, "{configMap: {name: a#}}")+"]}}]")
		}},
		{Name: "mounts times sources with items of a projected volume", Make: func(n int) string {
			return each(n, configMap("", "a#", "")) + workload("", "w", "", "containers: [{name: c, volumeMounts: ["+list(n, "{name: v, mountPath: /m#, subPath: s#}")+"]}], volumes: [{name: v, projected: {sources: ["+list(n, "{configMap: {name: a#, items: [{key: k, path: s#}]}}")+"]}}]")
		}},
		{Name: "a long subPath", Make: func(n int) string {
			return configMap("", "a", "") + workload("", "w", "", "containers: [{name: c, volumeMounts: [{name: v, mountPath: /m, subPath: "+strings.Repeat("a/", 10*n)+"}]}], volumes: [{name: v, configMap: {name: a, items: [{key: k, path: "+strings.Repeat("a/", 10*n)+"b}]}}]")
		}},
		{Name: "containers times volumes", Make: func(n int) string {
			return each(n, configMap("", "a#", "")) + workload("", "w", "", "containers: ["+list(n, "{name: c#, volumeMounts: [{name: v#, mountPath: /m}]}")+"], volumes: ["+list(n, "{name: v#, configMap: {name: a#}}")+"]")
		}},
		{Name: "pod templates of one custom resource times references", Make: func(n int) string {
			return configMap("", "a", "") + thing("t", "{pools: ["+list(n, "{metadata: {}, spec: {containers: [{name: c, envFrom: [{configMapRef: {name: a}}]}]}}")+"]}")
		}},
		{Name: "pod templates of a JobSet", Make: func(n int) string {
			return configMap("", "a", "") + "apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nmetadata: {name: j}\nspec: {replicatedJobs: [" + list(n, "{name: j#, template: {spec: {template: {spec: {"+takes("a")+"}}}}}") + "]}\n"
		}},
		{Name: "pod templates of a custom resource times references outside of them", Make: func(n int) string {
			return each(n, configMap("", "a#", "")) + thing("t", "{envFrom: ["+list(n, "{configMapRef: {name: a#}}")+"], pools: ["+list(n, "{metadata: {}, spec: {containers: [{name: c, image: i}]}}")+"]}")
		}},
		{Name: "pod templates of a RayCluster", Make: func(n int) string {
			return each(n, configMap("", "a#", "")) + "apiVersion: ray.io/v1\nkind: RayCluster\nmetadata: {name: j}\nspec: {workerGroupSpecs: [" + list(n, "{template: {spec: {"+takes("a#")+"}}}") + "]}\n"
		}},
		{Name: "workloads with many annotations", Make: func(n int) string {
			return each(n, configMap("", "a#", "")) + "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: w, annotations: {" + list(n, "x#: y") + "}}\nspec: {template: {metadata: {annotations: {" + list(n, "x#: y") + "}}, spec: {containers: [{name: c, envFrom: [" + list(n, "{configMapRef: {name: a#}}") + "]}]}}}\n"
		}},
		{Name: "stale checksums of one pod template", Make: func(n int) string {
			return configMap("", "a", "") + "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: w}\nspec:\n  template:\n    metadata:\n      annotations:\n" + each(n, "        checksum/configmap.b#: 4611a971403690302cea0de83d8b47fb27c9ddce17b8f465a14a1f1a7fd9345b\n") + "    spec: {" + takes("a") + "}\n"
		}},
		{Name: "stale checksums of one pod template in flow style", Make: func(n int) string {
			return configMap("", "a", "") + "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: w}\nspec: {template: {metadata: {annotations: {" + list(n, "checksum/configmap.b#: 4611a971403690302cea0de83d8b47fb27c9ddce17b8f465a14a1f1a7fd9345b") + "}}, spec: {" + takes("a") + "}}}\n"
		}},
		{Name: "manifests in a manifest", Make: func(n int) string {
			return configMap("", "a", "") + "apiVersion: work.open-cluster-management.io/v1\nkind: ManifestWork\nmetadata: {name: m}\nspec: {workload: {manifests: [" + list(n, "{apiVersion: apps/v1, kind: Deployment, metadata: {name: w}, spec: {template: {spec: {"+takes("a")+"}}}}") + "]}}\n---\n" +
				"apiVersion: addons.cluster.x-k8s.io/v1beta1\nkind: ClusterResourceSet\nmetadata: {name: m}\nspec: {resources: [" + list(n, "{kind: ConfigMap, name: a}") + "]}\n---\n"
		}},
		{Name: "manifests in templates", Make: func(n int) string {
			return configMap("", "a", "") + "apiVersion: template.openshift.io/v1\nkind: Template\nmetadata: {name: m}\nobjects: [" + list(n, "{apiVersion: v1, kind: ConfigMap, metadata: {name: b#}}, {apiVersion: apps/v1, kind: Deployment, metadata: {name: w}, spec: {template: {spec: {"+takes("b#")+"}}}}") + "]\n---\n"
		}},
		{Name: "names in an annotation that is a document", Make: func(n int) string {
			return configMap("", "a", "") + workload("", "w", "config.kubernetes.io/apply-time-mutation: '["+list(n, `{"sourceRef": {"kind": "ConfigMap", "name": "a"}}`)+"]'", takes("a"))
		}},
		{Name: "names in an annotation that is a document of many lines", Make: func(n int) string {
			return configMap("", "a", "") + "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: w\n  annotations:\n    config.kubernetes.io/apply-time-mutation: |\n" + strings.Repeat("      - sourceRef: {kind: ConfigMap, name: a}\n", n) + "spec: {template: {spec: {" + takes("a") + "}}}\n"
		}},
		{Name: "names in an annotation with commas", Make: func(n int) string {
			return configMap("", "a", "") + workload("", "w", "config.kubernetes.io/depends-on: '"+list(n, "/namespaces/default/ConfigMap/a")+"'", takes("a"))
		}},
		{Name: "extra sources times pod templates", Make: func(n int) string {
			return configMap("", "a", "") + "apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nmetadata: {name: j, annotations: {confighash.dev/extra-sources: '" + list(n, "ConfigMap/a") + "'}}\nspec: {replicatedJobs: [" + list(n, "{name: j#, template: {spec: {template: {spec: {containers: [{name: c}]}}}}}") + "]}\n"
		}},
		{Name: "extra sources that are none", Make: func(n int) string {
			return workload("", "w", "confighash.dev/extra-sources: '"+list(10*n, "x")+"'", takes("a"))
		}},
	}
}

// policies are about the annotations of Reloader and of wave.
func policies() []Shape {
	const reload = "configmap.reloader.stakater.com/reload"
	asReloader := func(int) string { return "policy: Reloader" }
	asWave := func(int) string { return "policy: Wave" }
	return []Shape{
		{Name: "patterns that repeat", Spec: asReloader, Make: func(n int) string {
			return workload("", "w", reload+": '"+list(n, "(?:a{999}|b#)")+"'", takes("a"))
		}},
		{Name: "patterns times objects", Spec: asReloader, Make: func(n int) string {
			return each(n, configMap("", "a#", "")) + workload("", "w", reload+": '"+list(n, ".*x#y")+"'", takes("a"))
		}},
		{Name: "patterns with a common beginning times objects", Spec: asReloader, Make: func(n int) string {
			return each(n, configMap("", "app-a#", "")) + workload("", "w", reload+": '"+list(n, "app-.*x#")+"'", takes("app-a1"))
		}},
		{Name: "workloads with patterns times objects", Spec: asReloader, Make: func(n int) string {
			return each(n, configMap("", "a#", "")) + each(n, workload("", "w#", reload+": 'a.*#0'", takes("a1")))
		}},
		{Name: "workloads with one pattern times objects", Spec: asReloader, Make: func(n int) string {
			return each(n, configMap("", "a#", "")) + each(n, workload("", "w#", reload+": 'a.*'", takes("a1")))
		}},
		{Name: "names that mean nothing", Spec: asReloader, Make: func(n int) string {
			return workload("", "w", reload+": '"+list(4*n, "x#")+"'", takes("a"))
		}},
		{Name: "names of SecretProviderClasses", Spec: asReloader, Make: func(n int) string {
			return each(n, "apiVersion: secrets-store.csi.x-k8s.io/v1\nkind: SecretProviderClass\nmetadata: {name: s#}\nspec: {x: VALUE}\n---\n") + workload("", "w", "secretproviderclass.reloader.stakater.com/reload: '"+list(n, "s#")+"'", takes("a"))
		}},
		{Name: "excluded names times objects", Spec: asReloader, Make: func(n int) string {
			return each(n, configMap("", "a#", "")) + workload("", "w", "reloader.stakater.com/auto: 'true', configmaps.exclude.reloader.stakater.com/reload: '"+list(4*n, "x#")+"'", "containers: [{name: c, envFrom: ["+list(n, "{configMapRef: {name: a#}}")+"]}]")
		}},
		{Name: "named objects times consumed ones", Spec: asReloader, Make: func(n int) string {
			return each(n, configMap("", "a#", "")) + workload("", "w", reload+": '"+list(n, "a#")+"'", "containers: [{name: c, envFrom: ["+list(n, "{configMapRef: {name: a#}}")+"]}]")
		}},
		{Name: "one name many times, of variants of one base", Spec: asReloader, Make: func(n int) string {
			return each(n, configMap("", "v#", called(1, "a"))) + workload("", "w", reload+": '"+list(10*n, "a")+"'", takes("a"))
		}},
		{Name: "an object with many earlier names times patterns", Spec: asReloader, Make: func(n int) string {
			return configMap("", "a", called(n, list(n, "a#"))) + each(n, workload("", "w#", reload+": '.*x#'", takes("a")))
		}},
		{Name: "annotations that nobody reads", Spec: asReloader, Make: func(n int) string {
			return workload("", "w", list(n, "x#.reloader.stakater.com/reloaded: y"), takes("a"))
		}},
		{Name: "a long annotation that nobody reads", Spec: asReloader, Make: func(n int) string {
			return workload("", "w", strings.Repeat("x", 10*n)+".reloader.stakater.com/reload: y", takes("a"))
		}},
		{Name: "wave's names of what is not there", Spec: asWave, Make: func(n int) string {
			return workload("", "w", "wave.pusher.com/update-on-config-change: 'true', wave.pusher.com/extra-configmaps: '"+list(4*n, "x#")+"'", takes("a"))
		}},
		{Name: "wave's names that are none", Spec: asWave, Make: func(n int) string {
			return workload("", "w", "wave.pusher.com/update-on-config-change: 'true', wave.pusher.com/extra-configmaps: '"+list(4*n, "X#/")+"'", takes("a"))
		}},
		{Name: "wave's names of many objects for many workloads", Spec: asWave, Make: func(n int) string {
			return each(n, configMap("", "v#", called(1, "a"))) + each(n, workload("", "w#", "wave.pusher.com/update-on-config-change: 'true', wave.pusher.com/extra-configmaps: a", takes("a")))
		}},
		{Name: "a workload's names times pod templates with annotations", Spec: asReloader, Make: func(n int) string {
			return "apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nmetadata: {name: j, annotations: {" + reload + ": '" + list(n, "x#") + "'}}\nspec: {replicatedJobs: [" +
				list(n, "{name: j#, template: {spec: {template: {metadata: {annotations: {secret.reloader.stakater.com/reload: y#}}, spec: {containers: [{name: c}]}}}}}") + "]}\n"
		}},
		{Name: "a pod template's annotations times pod templates", Spec: asReloader, Make: func(n int) string {
			return "apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nmetadata: {name: j, annotations: {" + reload + ": '" + list(n, "x#") + "'}}\nspec: {replicatedJobs: [" + list(n, "{name: j#, template: {spec: {template: {spec: {containers: [{name: c}]}}}}}") + "]}\n"
		}},
	}
}

// often splits n into pieces of at most most, and joins their texts.
func often(n, most int, text func(n int) string) string {
	var b strings.Builder
	for ; n > 0; n -= most {
		b.WriteString(text(min(n, most)))
	}
	return b.String()
}

// texts are about text that is deep, long or repetitive.
func texts() []Shape {
	deep := func(n int, open, inner, end string) string {
		return strings.Repeat(open, n) + inner + strings.Repeat(end, n)
	}
	return []Shape{
		{Name: "mappings in mappings", Make: func(n int) string {
			return spread(2) + often(n, 9000, func(n int) string { return thing("t", deep(n, "{kkkkkkkkkkkkkkkkkkkk: ", "a", "}")) })
		}},
		{Name: "names deep in mappings", Make: func(n int) string {
			return object("Secret", "", "a", "") + thing("t", deep(min(n, 4000), "{kkkkkkkkkkkkkkkkkkkk: ", "["+list(n, "{secretRef: {name: a}}")+"]", "}"))
		}},
		{Name: "former names deep in mappings", Make: func(n int) string {
			return spread(2) + "apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: t, namespace: n1}\nspec: " + deep(min(n, 4000), "{kkkkkkkkkkkkkkkkkkkk: ", "["+list(n, "--configmap=a")+"]", "}") + "\n"
		}},
		{Name: "names under a long key", Make: func(n int) string {
			return object("Secret", "", "a", "") + thing("t", "{? "+strings.Repeat("k", 10*n)+" : ["+list(n, "{secretRef: {name: a}}")+"]}")
		}},
		{Name: "lists in lists", Make: func(n int) string {
			return spread(2) + often(10*n, 4000, func(n int) string { return thing("t", deep(n, "[", "a", "]")) })
		}},
		{Name: "lists in block style", Make: func(n int) string {
			return spread(2) + often(10*n, 4000, func(n int) string { return thing("t", "\n"+strings.Repeat("- ", n)+"a") })
		}},
		{Name: "pod templates deep in mappings", Make: func(n int) string {
			return configMap("", "a", "") + thing("t", deep(min(n, 4000), "{kkkkkkkkkkkkkkkkkkkk: ", "["+list(n/4, "{metadata: {}, spec: {containers: [{name: c, envFrom: [{configMapRef: {name: a}}]}]}}")+"]", "}"))
		}},
		{Name: "one line", Make: func(n int) string { return spread(1) + thing("t", "{a: "+strings.Repeat("x", 60*n)+"}") }},
		{Name: "one line of words", Make: func(n int) string { return spread(1) + thing("t", "{a: '"+strings.Repeat("x ", 30*n)+"'}") }},
		{Name: "escapes", Make: func(n int) string { return spread(1) + thing("t", "{a: \""+strings.Repeat(`\x61\n`, 10*n)+"\"}") }},
		{Name: "a value of many lines", Make: func(n int) string { return spread(1) + thing("t", "\n  a: x\n"+strings.Repeat("    y\n", 10*n)) }},
		{Name: "a quoted value of many lines", Make: func(n int) string {
			return spread(1) + thing("t", "\n  a: \"x\n"+strings.Repeat("    y\n", 10*n)+"    z\"")
		}},
		{Name: "a block value of many lines", Make: func(n int) string { return spread(1) + thing("t", "\n  a: |\n"+strings.Repeat("    y\n", 10*n)) }},
		{Name: "empty lines", Make: func(n int) string { return spread(1) + strings.Repeat("\n", 60*n) + spread(1) }},
		{Name: "comments", Make: func(n int) string { return spread(1) + strings.Repeat("# x\n", 15*n) + spread(1) }},
		{Name: "comments in a document that is encoded again", Make: func(n int) string {
			return configMap("", "a", "") + "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: &n w}\nx: *n\ny:\n" + strings.Repeat("# x\n- a # b\n", 5*n) + "spec: {template: {spec: {containers: [&c {name: c, envFrom: [{configMapRef: {name: a}}]}, *c]}}}\n"
		}},
		{Name: "empty documents", Make: func(n int) string { return spread(1) + strings.Repeat("---\n", 15*n) }},
		{Name: "documents that end", Make: func(n int) string { return spread(1) + strings.Repeat("...\n", 15*n) }},
		{Name: "keys of a mapping", Make: func(n int) string { return spread(1) + thing("t", "{"+list(4*n, "k#: v")+"}") }},
		{Name: "keys of the root", Make: func(n int) string { return spread(1) + each(2*n, "k#: v\n") + thing("t", "{}") }},
		{Name: "labels", Make: func(n int) string {
			return configMap("", "a", ", labels: {"+list(4*n, "k#: v")+"}") + workload("", "w", "", takes("a"))
		}},
		{Name: "a List in one document", Make: func(n int) string {
			return "{apiVersion: v1, kind: List, items: [" + list(n, "{apiVersion: v1, kind: ConfigMap, metadata: {name: a#}, data: {k: VALUE}}, {apiVersion: apps/v1, kind: Deployment, metadata: {name: w#}, spec: {template: {spec: {"+takes("a#")+"}}}}") + "]}\n"
		}},
		{Name: "a List in block style", Make: func(n int) string {
			return "apiVersion: v1\nkind: List\nitems:\n" + each(n, "- {apiVersion: v1, kind: ConfigMap, metadata: {name: a#}, data: {k: VALUE}}\n- {apiVersion: apps/v1, kind: Deployment, metadata: {name: w#}, spec: {template: {spec: {"+takes("a#")+"}}}}\n")
		}},
		{Name: "a List with lone carriage returns", Make: func(n int) string {
			return "apiVersion: v1\nkind: List\nitems:\r" + each(n, "- {apiVersion: v1, kind: ConfigMap, metadata: {name: a#}, data: {k: VALUE}}\r- {apiVersion: apps/v1, kind: Deployment, metadata: {name: w#}, spec: {template: {spec: {"+takes("a#")+"}}}}\n")
		}},
		{Name: "a List whose last item is broken", Make: func(n int) string {
			return "apiVersion: v1\nkind: List\nitems:\n" + each(n, "- {apiVersion: v1, kind: ConfigMap, metadata: {name: a#}, data: {k: VALUE}}\n") + "- {\n"
		}},
		{Name: "JSON documents", Make: func(n int) string {
			return each(n, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a#"},"data":{"k":"VALUE"}} `)
		}},
		{Name: "JSON with escapes of YAML's", Make: func(n int) string {
			return `{"apiVersion":"v1","kind":"List","items":[` + list(n, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a#"},"data":{"k":"\ud83d\ude00\/VALUE"}}`) + `]}`
		}},
		{Name: "a JSON List", Make: func(n int) string {
			return `{"apiVersion":"v1","kind":"List","items":[` + list(n, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a#"},"data":{"k":"VALUE"}},{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"w#"},"spec":{"template":{"spec":{"containers":[{"name":"c","envFrom":[{"configMapRef":{"name":"a#"}}]}]}}}}`) + `]}`
		}},
		{Name: "broken documents", Make: func(n int) string { return strings.Repeat("a: b: c\n---\n", 5*n) }},
		{Name: "items without a kind", Make: func(n int) string { return strings.Repeat("apiVersion: v1\n---\n", 4*n) }},
		{Name: "Secrets for a diff", Make: func(n int) string {
			return each(n, object("Secret", "", "s#", "")+workload("", "w#", "", "containers: [{name: c, envFrom: [{secretRef: {name: s#}}]}]"))
		}},
		{Name: "a long name", Make: func(n int) string {
			name := strings.Repeat("a", 60*n)
			return configMap("", name, "") + workload("", "w", "", takes(name))
		}},
		{Name: "a long name times findings", Make: func(n int) string {
			return spread(2) + "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: " + strings.Repeat("w", 30*n) + ", namespace: n1}\nspec: {template: {spec: {containers: [{name: c, args: [" + list(n, "--configmap=a,x#") + "]}]}}}\n"
		}},
		{Name: "a long namespace times findings", Make: func(n int) string {
			long := strings.Repeat("w", 30*n)
			return configMap(long, "a", "") + workload(long, "w", "", "containers: [{name: c, envFrom: [{configMapRef: {name: a}}], args: ["+list(n, "--configmap=a,x#")+"]}]")
		}},
		{Name: "a long kind times findings", Make: func(n int) string {
			return spread(2) + "apiVersion: example.com/v1\nkind: " + strings.Repeat("W", 30*n) + "\nmetadata: {name: w, namespace: n1}\nspec: {args: [" + list(n, "--configmap=a,x#") + "]}\n"
		}},
		{Name: "a long file name times findings", Make: func(n int) string {
			return spread(2) + "apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: w, namespace: n1, annotations: {config.kubernetes.io/path: " + strings.Repeat("w", 30*n) + "}}\nspec: {args: [" + list(n, "--configmap=a,x#") + "]}\n"
		}},
		{Name: "a long key of a ConfigMap times findings", Make: func(n int) string {
			return "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {? " + strings.Repeat("k", 30*n) + " : VALUE}\n---\n" + workload("", "w", "", "containers: [{name: c, env: ["+list(n, "{name: e, valueFrom: {configMapKeyRef: {name: a, key: m#}}}")+"]}]")
		}},
		{Name: "a long name that others find by a pattern", Make: func(n int) string {
			return configMap("", strings.Repeat("a", 30*n), "") + each(n, workload("", "w#", "configmap.reloader.stakater.com/reload: 'a.*'", takes("b")))
		}, Spec: func(int) string { return "policy: Reloader" }},
		{Name: "a long name of one that makes Secrets", Make: func(n int) string {
			long := strings.Repeat("a", 30*n)
			return "apiVersion: bitnami.com/v1alpha1\nkind: SealedSecret\nmetadata: {name: " + long + "}\nspec: {}\n---\n" + each(n, object("Secret", "", "s#", "")) +
				"apiVersion: isindir.github.com/v1alpha3\nkind: SopsSecret\nmetadata: {name: " + long + "}\nspec: {secretTemplates: [" + list(n, "{name: s#}") + "]}\n"
		}},
		{Name: "a long ConfigMap whose name is not unique", Make: func(n int) string {
			long := strings.Repeat("a", 30*n)
			return each(3, configMap("n#", long, "")) + role("p", "configmaps", long) + each(n, role("p#", "configmaps", "b"))
		}},
	}
}

// configs are about functionConfigs.
func configs() []Shape {
	apps := func(n int) string {
		return each(n, configMap("", "a#", "")) + each(n/4, workload("", "w#", "", takes("a#")))
	}
	return []Shape{
		{Name: "selectors times objects", Make: apps, Spec: func(n int) string { return "exclude: [" + list(n, "{name: x#}") + "]" }},
		{Name: "selectors with patterns times objects", Make: apps, Spec: func(n int) string { return "exclude: [" + list(n, "{name: '.*x#y'}") + "]" }},
		{Name: "selectors with labels times objects", Make: apps, Spec: func(n int) string { return "exclude: [" + list(n, "{labelSelector: 'x=#'}") + "]" }},
		{Name: "selectors with long label selectors times objects", Make: apps, Spec: func(n int) string {
			return "exclude: [{labelSelector: '" + list(n, "x!=#") + "'}]"
		}},
		{Name: "selectors that repeat", Make: apps, Spec: func(n int) string { return "exclude: [" + list(n, "{name: '(?:a{999}|b#)'}") + "]" }},
		{Name: "selectors times earlier names", Make: func(n int) string {
			return configMap("", "a", called(n, list(n, "a#"))) + workload("", "w", "", takes("a"))
		}, Spec: func(n int) string { return "exclude: [" + list(n, "{name: x#}") + "]" }},
		{Name: "annotations for renamed objects times objects", Make: apps, Spec: func(n int) string {
			return "rename: {unreferenced: Rename, annotations: {" + list(n, "example.com/x#: y") + "}}"
		}},
		{Name: "a long annotation for renamed objects times objects", Make: apps, Spec: func(n int) string {
			return "rename: {unreferenced: Rename, annotations: {example.com/x: " + strings.Repeat("y", 20*n) + "}}"
		}},
		{Name: "a long salt times objects", Make: apps, Spec: func(n int) string { return "salt: " + strings.Repeat("s", 60*n) }},
		{Name: "references of the functionConfig times kinds", Make: func(n int) string {
			return each(n, "apiVersion: example.com/v1\nkind: K#\nmetadata: {name: t}\nspec: {a: b}\n---\n")
		}, Spec: func(n int) string {
			return "references: [{kind: ConfigMap, fieldSpecs: [" + list(n, "{path: spec/x#, kind: Y#}") + "]}]"
		}},
		{Name: "references of the functionConfig for all kinds times kinds", Make: func(n int) string {
			return each(n, "apiVersion: example.com/v1\nkind: K#\nmetadata: {name: t}\nspec: {a: b}\n---\n")
		}, Spec: func(n int) string {
			return "references: [{kind: ConfigMap, fieldSpecs: [" + list(n, "{path: spec/x#}") + "]}]"
		}},
		{Name: "references of the functionConfig at one field", Make: func(n int) string {
			return configMap("", "a", "") + thing("t", "{x: ["+list(4*n, "a")+"]}")
		}, Spec: func(n int) string {
			return "references: [{kind: ConfigMap, fieldSpecs: [" + list(n, "{path: spec/x}") + "]}]"
		}},
		{Name: "pod templates of the functionConfig", Make: func(n int) string {
			return each(n, thing("t#", "{x: {y: {spec: {containers: [{name: c}]}}}}"))
		}, Spec: func(n int) string { return "podTemplates: [" + list(n, "{path: spec/x/y, kind: Thing}") + "]" }},
		{Name: "keys of Reloader's", Make: apps, Spec: func(n int) string {
			return "policy: Reloader, reloader: {annotationKeys: {" + list(n, "configmap.reloader.stakater.com/reload: x#") + "}}"
		}},
		{Name: "fields that nobody knows", Make: apps, Spec: func(n int) string { return list(n, "x#: y") }},
		{Name: "a mode that nobody knows", Make: apps, Spec: func(n int) string { return "policy: " + strings.Repeat("x", 40*n) }},
	}
}

// aliases are about aliases and merge keys.
func aliases() []Shape {
	laughs := func(depth int, first, open, element, end string) string {
		var b strings.Builder
		fmt.Fprintf(&b, "x0: &x0 %s\n", first)
		for i := 1; i < depth; i++ {
			fmt.Fprintf(&b, "x%d: &x%d %s%s%s\n", i, i, open, strings.ReplaceAll(strings.ReplaceAll(element, "*", fmt.Sprintf("*x%d", i-1)), "KEY", "k"), end)
		}
		return b.String()
	}
	return []Shape{
		{Name: "references reached by aliases", Make: func(n int) string {
			return configMap("", "a", "") + "x: &x [" + strings.TrimSuffix(strings.Repeat("{configMapRef: {name: a}},", n), ",") + "]\n" + workload("", "w", "", "containers: ["+list(n, "{name: c, envFrom: *x}")+"]")
		}},
		{Name: "documents with references reached by aliases of aliases", Make: func(n int) string {
			return configMap("", "a", "") + strings.Repeat("apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: w}\n"+laughs(5, "{configMapRef: {name: a}}", "[", "*,*,*,*,*,*,*,*,*,*", "]")+"spec: {template: {spec: {containers: [{envFrom: *x4}]}}}\n---\n", n/10+1)
		}},
		{Name: "documents with an alias each", Make: func(n int) string {
			return configMap("", "a", "") + each(n/2, "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: w#, labels: &l {a: b, c: d}}\nspec: {selector: {matchLabels: *l}, template: {metadata: {labels: *l}, spec: {"+takes("a")+"}}}\n---\n")
		}},
		{Name: "documents with names reached by aliases of aliases", Make: func(n int) string {
			return strings.Repeat(thing("t", "\n"+indent(laughs(6, "{secretRef: {name: a}}", "[", "*,*,*,*,*,*,*,*,*,*", "]"))), n/10+1)
		}},
		{Name: "objects that merge one mapping", Make: func(n int) string {
			return "apiVersion: v1\nkind: List\nx: &x {" + list(n, "k#: v") + "}\nitems:\n" + each(n/4, "- {apiVersion: v1, kind: ConfigMap, metadata: {name: a#}, data: {<<: *x}}\n")
		}},
		{Name: "objects that share one mapping", Make: func(n int) string {
			return "apiVersion: v1\nkind: List\nx: &x {" + list(n, "k#: v") + "}\nitems:\n" + each(n/4, "- {apiVersion: v1, kind: ConfigMap, metadata: {name: a#}, data: *x}\n- {apiVersion: apps/v1, kind: Deployment, metadata: {name: w#}, spec: {template: {spec: {"+takes("a#")+"}}}}\n")
		}},
		{Name: "objects that share labels", Make: func(n int) string {
			return "apiVersion: v1\nkind: List\nx: &x {" + list(n, "k#: v") + "}\nitems:\n" + each(n/4, "- {apiVersion: v1, kind: ConfigMap, metadata: {name: a#, labels: *x, annotations: *x}}\n")
		}},
		{Name: "objects that share a long text", Make: func(n int) string {
			return "apiVersion: v1\nkind: List\nx: &x " + strings.Repeat("y", 40*n) + "\nitems:\n" + each(n/4, "- {apiVersion: v1, kind: ConfigMap, metadata: {name: a#}, data: {k: *x}}\n")
		}},
		{Name: "objects that share a long name", Make: func(n int) string {
			return "apiVersion: v1\nkind: List\nx: &x " + strings.Repeat("y", 40*n) + "\nitems:\n" + each(n/4, "- {apiVersion: v1, kind: ConfigMap, metadata: {name: *x, namespace: n#}, data: {k: v}}\n- {apiVersion: apps/v1, kind: Deployment, metadata: {name: w#, namespace: n#}, spec: {template: {spec: {"+takes("*x")+"}}}}\n")
		}},
		{Name: "things that share a long text", Make: func(n int) string {
			return spread(1) + "apiVersion: v1\nkind: List\nx: &x '" + strings.Repeat("a ", 20*n) + "'\nitems:\n" + each(n/4, "- {apiVersion: example.com/v1, kind: Thing, metadata: {name: t#}, spec: {k: *x}}\n")
		}},
		{Name: "merge keys in a chain", Make: func(n int) string {
			var b strings.Builder
			b.WriteString(configMap("", "a", "") + "x0: &x0 {a: b}\n")
			for i := 1; i < n; i++ {
				fmt.Fprintf(&b, "x%d: &x%d {<<: *x%d, k%d: v}\n", i, i, i-1, i)
			}
			return b.String() + thing("t", fmt.Sprintf("{<<: *x%d, secretRef: {name: a}}", n-1))
		}},
		{Name: "a mapping with merge keys times references in it", Make: func(n int) string {
			return configMap("", "a", "") + "x: &x {" + list(n, "k#: v") + "}\n" + "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: p}\nrules: [{<<: *x, apiGroups: [\"\"], resources: [configmaps], resourceNames: [" + list(3*n, "a#") + "]}]\n"
		}},
		{Name: "an annotation that is a document with aliases", Make: func(n int) string {
			return each(n/10+1, workload("", "w#", "config.kubernetes.io/apply-time-mutation: "+fmt.Sprintf("%q", laughs(7, "[{sourceRef: {kind: ConfigMap, name: a}}]", "[", "*,*,*,*,*,*,*,*,*,*", "]")), takes("a")))
		}},
		{Name: "one anchor with many aliases that is edited", Make: func(n int) string {
			return configMap("", "a", "") + "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: w}\nspec: {template: {spec: {containers: [&c {name: c, envFrom: [{configMapRef: {name: a}}]}, " + list(4*n, "*c") + "]}}}\n"
		}},
	}
}

func indent(text string) string {
	return "  " + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n  ")
}

// identities are about kinds, groups and versions.
func identities() []Shape {
	return []Shape{
		{Name: "kinds", Make: func(n int) string {
			return each(n, "apiVersion: example.com/v1\nkind: K#\nmetadata: {name: t}\nspec: {a: b}\n---\n")
		}},
		{Name: "versions of a Deployment", Make: func(n int) string {
			return each(n, "apiVersion: apps/v#\nkind: Deployment\nmetadata: {name: t}\n---\n")
		}},
		{Name: "kinds of a group that is known", Make: func(n int) string {
			return each(n, "apiVersion: a.crossplane.io/v1\nkind: K#\nmetadata: {name: t}\nspec: {a: b}\n---\n")
		}},
		{Name: "groups that are known", Make: func(n int) string {
			return each(n, "apiVersion: a#.upbound.io/v1\nkind: K\nmetadata: {name: t}\nspec: {a: b}\n---\n")
		}},
		{Name: "a group of many parts", Make: func(n int) string {
			return "apiVersion: " + strings.Repeat("a.", 30*n) + "io/v1\nkind: K\nmetadata: {name: t}\nspec: {a: b}\n"
		}},
		{Name: "kinds in manifests", Make: func(n int) string {
			return "apiVersion: work.open-cluster-management.io/v1\nkind: ManifestWork\nmetadata: {name: m}\nspec: {workload: {manifests: [" + list(n, "{apiVersion: apps/v#, kind: Deployment, metadata: {name: w}}") + "]}}\n"
		}},
		{Name: "namespaces", Make: spread},
	}
}
