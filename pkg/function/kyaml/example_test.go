package kyaml_test

import (
	"fmt"
	"os"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/fn/framework"
	"sigs.k8s.io/kustomize/kyaml/kio"

	"github.com/confighash/confighash/pkg/api/v1alpha1"
	"github.com/confighash/confighash/pkg/function/kyaml"
)

// A function for kustomize or kpt reads a ResourceList and writes it: framework.Execute does that, by default from
// stdin to stdout.
func Example() {
	const input = `apiVersion: config.kubernetes.io/v1
kind: ResourceList
functionConfig:
  apiVersion: confighash.dev/v1alpha1
  kind: ConfigHash
  metadata:
    name: roll-on-config-change
  spec:
    mode: Annotate
items:
- apiVersion: v1
  kind: ConfigMap
  metadata:
    name: web-settings
  data:
    LOG_LEVEL: info
- apiVersion: apps/v1
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
              name: web-settings # all of it
`
	err := framework.Execute(kyaml.Processor{}, &kio.ByteReadWriter{
		Reader: strings.NewReader(input), Writer: os.Stdout, KeepReaderAnnotations: true,
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// apiVersion: config.kubernetes.io/v1
	// kind: ResourceList
	// items:
	// - apiVersion: v1
	//   kind: ConfigMap
	//   metadata:
	//     name: web-settings
	//   data:
	//     LOG_LEVEL: info
	// - apiVersion: apps/v1
	//   kind: Deployment
	//   metadata:
	//     name: web
	//   spec:
	//     template:
	//       metadata:
	//         annotations:
	//           checksum/config: 4611a971403690302cea0de83d8b47fb27c9ddce17b8f465a14a1f1a7fd9345b
	//       spec:
	//         containers:
	//         - name: web
	//           envFrom:
	//           - configMapRef:
	//               name: web-settings # all of it
	// functionConfig:
	//   apiVersion: confighash.dev/v1alpha1
	//   kind: ConfigHash
	//   metadata:
	//     name: roll-on-config-change
	//   spec:
	//     mode: Annotate
}

// A program that holds resources as RNodes transforms them in memory.
func ExampleProcessor_Process() {
	nodes, err := kio.FromBytes([]byte(`apiVersion: v1
kind: ConfigMap
metadata:
  name: web-settings
data:
  LOG_LEVEL: info
---
apiVersion: batch/v1
kind: Job
metadata:
  name: migrate
spec:
  template:
    spec:
      containers:
      - name: migrate
        envFrom:
        - configMapRef:
            name: web-settings
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	config := v1alpha1.New(v1alpha1.ModeRename, v1alpha1.PolicyAll)
	config.Spec.Namespace = "shop"
	list := &framework.ResourceList{Items: nodes}
	if err := (kyaml.Processor{Config: config}).Process(list); err != nil {
		fmt.Println(err)
		return
	}
	for _, n := range list.Items {
		fmt.Println(n.GetKind(), n.GetName())
	}
	for _, r := range list.Results {
		fmt.Println(r.Severity, r.ResourceRef.Kind, r.ResourceRef.Name)
	}
	// Output:
	// ConfigMap web-settings-hf678c7m2b
	// Job migrate
	// warning Job migrate
}
