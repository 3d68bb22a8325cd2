package function_test

import (
	"fmt"
	"os"

	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/pkg/api/v1alpha1"
	"github.com/confighash/confighash/pkg/function"
)

const shop = `apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
data:
  LOG_LEVEL: info
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  template:
    spec:
      containers:
      - name: web
        envFrom:
        - configMapRef:
            name: settings # all of it
`

// Manifests as text, renamed as kustomize's generators would.
func ExampleProcess() {
	out, err := function.Process([]byte(shop), os.Stdout, function.Options{
		Config: v1alpha1.New(v1alpha1.ModeRename, v1alpha1.PolicyAll),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, m := range out.Messages {
		fmt.Println(m.Severity, m.Text)
	}
	// Output:
	// apiVersion: v1
	// kind: ConfigMap
	// metadata:
	//   name: settings-hf678c7m2b
	//   annotations:
	//     confighash.dev/hash: hf678c7m2b
	// data:
	//   LOG_LEVEL: info
	// ---
	// apiVersion: apps/v1
	// kind: Deployment
	// metadata:
	//   name: web
	// spec:
	//   template:
	//     spec:
	//       containers:
	//       - name: web
	//         envFrom:
	//         - configMapRef:
	//             name: settings-hf678c7m2b # all of it
}

// A pipeline for rendered manifests fails if somebody forgot to run the function.
func ExampleCheck() {
	changed, _, err := function.Check([]byte(shop), os.Stdout, function.Options{
		Config: v1alpha1.New(v1alpha1.ModeAnnotate, v1alpha1.PolicyAll),
	})
	fmt.Println(changed, err)
	// Output:
	// --- input
	// +++ output
	// @@ -11,6 +11,9 @@ Deployment web
	//    name: web
	//  spec:
	//    template:
	// +    metadata:
	// +      annotations:
	// +        checksum/config: d4b3338366bddde7ab5736367ffc2749ea2a4faa38b43970004d9565b71118eb
	//      spec:
	//        containers:
	//        - name: web
	// true <nil>
}

// Resources that a program has parsed keep their nodes.
func ExampleNodes() {
	var pod, secret yaml.Node
	if err := yaml.Unmarshal([]byte("{apiVersion: v1, kind: Pod, metadata: {name: job}, spec: {volumes: [{name: v, secret: {secretName: key}}]}}"), &pod); err != nil {
		panic(err)
	}
	if err := yaml.Unmarshal([]byte("{apiVersion: v1, kind: Secret, metadata: {name: key}, stringData: {token: t}}"), &secret); err != nil {
		panic(err)
	}
	out, err := function.Nodes([]*yaml.Node{&pod, &secret}, nil, function.Options{
		Config: v1alpha1.New(v1alpha1.ModeRename, v1alpha1.PolicyAll),
	})
	if err != nil {
		panic(err)
	}
	for _, n := range []*yaml.Node{&pod, &secret} {
		text, err := yaml.Marshal(n)
		if err != nil {
			panic(err)
		}
		fmt.Print(string(text))
	}
	for _, r := range out.Results {
		fmt.Println(r.Severity, r.ResourceRef.Kind, r.Field.Path)
	}
	// Output:
	// {apiVersion: v1, kind: Pod, metadata: {name: job}, spec: {volumes: [{name: v, secret: {secretName: key-b47thbgd5h}}]}}
	// {apiVersion: v1, kind: Secret, metadata: {name: key-b47thbgd5h, annotations: {confighash.dev/hash: b47thbgd5h}}, stringData: {token: t}}
	// warning Pod spec.volumes[0].secret.secretName
}
