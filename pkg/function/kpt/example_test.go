package kpt_test

import (
	"fmt"

	"github.com/kptdev/krm-functions-sdk/go/fn"

	"github.com/confighash/confighash/pkg/api/v1alpha1"
	"github.com/confighash/confighash/pkg/function/kpt"
)

const input = `apiVersion: config.kubernetes.io/v1
kind: ResourceList
functionConfig:
  apiVersion: v1
  kind: ConfigMap
  metadata:
    name: settings
  data:
    level: debug
items:
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
              name: web-settings
- apiVersion: v1
  kind: ConfigMap
  metadata:
    name: web-settings
  data:
    LOG_LEVEL: info
`

// The function is the last step of a function that changes ConfigMaps: their consumers follow in the same run. With
// fn.AsMain in place of fn.Run, this is a program for kpt.
func Example() {
	setLevel := fn.ResourceListProcessorFunc(func(list *fn.ResourceList) (bool, error) {
		level, _, err := list.FunctionConfig.NestedString("data", "level")
		if err != nil {
			return false, err
		}
		for _, item := range list.Items.Where(func(o *fn.KubeObject) bool { return o.GetKind() == "ConfigMap" }) {
			if err := item.SetNestedString(level, "data", "LOG_LEVEL"); err != nil {
				return false, err
			}
		}
		return true, nil
	})
	roll := kpt.Processor{Config: v1alpha1.New(v1alpha1.ModeRename, v1alpha1.PolicyAll)}

	out, err := fn.Run(fn.Chain(setLevel, roll), []byte(input))
	if err != nil {
		fmt.Println(err)
	}
	fmt.Print(string(out))
	// Output:
	// apiVersion: config.kubernetes.io/v1
	// kind: ResourceList
	// items:
	// - apiVersion: apps/v1
	//   kind: Deployment
	//   metadata:
	//     name: web
	//   spec:
	//     template:
	//       spec:
	//         containers:
	//         - name: web
	//           envFrom:
	//           - configMapRef:
	//               name: web-settings-47668c6k28
	// - apiVersion: v1
	//   kind: ConfigMap
	//   metadata:
	//     name: web-settings-47668c6k28
	//     annotations:
	//       confighash.dev/hash: 47668c6k28
	//   data:
	//     LOG_LEVEL: debug
	// functionConfig:
	//   apiVersion: v1
	//   kind: ConfigMap
	//   metadata:
	//     name: settings
	//   data:
	//     level: debug
}
