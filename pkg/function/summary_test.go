package function

import (
	"bytes"
	"testing"

	"github.com/confighash/confighash/pkg/api/v1alpha1"
)

func TestProcess_summarizesAStream(t *testing.T) {
	const input = `{apiVersion: v1, kind: ConfigMap, metadata: {name: app}, data: {a: b}}
---
{apiVersion: v1, kind: Secret, metadata: {name: db}, stringData: {a: b}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: alone}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec: {template: {spec: {containers: [{name: web, envFrom: [{configMapRef: {name: app}}, {secretRef: {name: db}}]}]}}}
`
	for mode, want := range map[v1alpha1.Mode][2]string{
		v1alpha1.ModeRename: {
			"3 of 4 resources changed; objects named after their content: 2",
			"0 of 4 resources changed; objects named after their content: 2",
		},
		v1alpha1.ModeAnnotate: {
			"1 of 4 resources changed; workloads with a checksum: 1",
			"0 of 4 resources changed; workloads with a checksum: 1",
		},
	} {
		in := []byte(input)
		for i := range want { // a second run counts the same
			var written bytes.Buffer
			out, err := Process(in, &written, Options{Config: v1alpha1.New(mode, v1alpha1.PolicyAll)})
			if err != nil {
				t.Fatal(err)
			}
			if out.Summary != want[i] || out.Idle != "" {
				t.Errorf("mode %s, run %d: got %q and %q, want %q", mode, i+1, out.Summary, out.Idle, want[i])
			}
			in = written.Bytes()
		}
	}
}
