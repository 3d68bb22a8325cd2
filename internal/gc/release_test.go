package gc

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
)

// deployment is a manifest that refers to app-5k8t4666t7.
const deployment = `apiVersion: apps/v1
kind: Deployment
metadata: {name: app}
spec: {template: {spec: {containers: [{name: c, envFrom: [{configMapRef: {name: app-5k8t4666t7}}]}]}}}
`

// packed returns a release in Helm's storage format.
func packed(t *testing.T, release map[string]any) string {
	t.Helper()
	text, err := json.Marshal(release)
	if err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(packed.Bytes())
}

func TestRead_keepsWhatARollbackOfHelmNeeds(t *testing.T) {
	manifest := map[string]any{"namespace": "shop", "manifest": "---\n" + deployment}
	hook := map[string]any{"namespace": "shop", "hooks": []any{map[string]any{"manifest": deployment}}}
	named := map[string]any{"namespace": "ops", "manifest": strings.Replace(deployment, "name: app}", "name: app, namespace: shop}", 1)}
	elsewhere := map[string]any{"namespace": "ops", "manifest": deployment}
	for name, tc := range map[string]struct {
		release map[string]any
		want    string
	}{
		"a manifest":                          {manifest, "refers to it (its manifest: spec.template.spec.containers[0].envFrom[0].configMapRef.name)"},
		"a hook":                              {hook, "refers to it (its manifest: spec.template.spec.containers[0].envFrom[0].configMapRef.name)"},
		"a manifest that names its namespace": {named, "refers to it"},
		"a release that applies elsewhere":    {elsewhere, ""},
	} {
		text := packed(t, tc.release)
		plain, err := json.Marshal(tc.release)
		if err != nil {
			t.Fatal(err)
		}
		for driver, object := range map[string]string{
			"secret":       fmt.Sprintf("{apiVersion: v1, kind: Secret, type: helm.sh/release.v1, metadata: {name: sh.helm.release.v1.app.v1, namespace: shop}, data: {release: %s}}", base64.StdEncoding.EncodeToString([]byte(text))),
			"configmap":    fmt.Sprintf("{apiVersion: v1, kind: ConfigMap, metadata: {name: sh.helm.release.v1.app.v1, namespace: shop, labels: {owner: helm}}, data: {release: %s}}", text),
			"without gzip": fmt.Sprintf("{apiVersion: v1, kind: ConfigMap, metadata: {name: sh.helm.release.v1.app.v1, namespace: shop, labels: {owner: helm}}, data: {release: %s}}", base64.StdEncoding.EncodeToString(plain)),
		} {
			set := NewSet()
			if err := set.Read([]byte("{apiVersion: v1, kind: ConfigMap, metadata: {name: app-5k8t4666t7, namespace: shop}, data: {k: v1}}\n---\n" + object)); err != nil {
				t.Fatal(err)
			}
			objects := set.Judge(Options{Now: time.Now()})
			if len(objects) != 1 || (objects[0].Kept == "") != (tc.want == "") || !strings.Contains(objects[0].Kept, tc.want) {
				t.Errorf("%s, %s: %s is kept because %q, want %q", name, driver, objects[0], objects[0].Kept, tc.want)
			}
		}
	}
}

func TestRead_refusesAReleaseThatItCannotRead(t *testing.T) {
	bomb := packed(t, map[string]any{"manifest": strings.Repeat("#", maxRelease)})
	for text, want := range map[string]string{
		"?":    "it is not base64",
		"c29":  "it is not base64",
		"Zm9v": "it is not the JSON of a release",
		packed(t, map[string]any{"manifest": "password: [hunter2"}): "its manifest does not parse",
		bomb: "it unpacks to more than 64 MiB",
	} {
		set := NewSet()
		err := set.Read(fmt.Appendf(nil, "{apiVersion: v1, kind: ConfigMap, metadata: {name: sh.helm.release.v1.app.v1, namespace: shop, labels: {owner: helm}}, data: {release: %q}}", text))
		switch {
		case err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "ConfigMap shop/sh.helm.release.v1.app.v1: "):
			t.Errorf("the release %.20q gives the error %v, want %q", text, err, want)
		case strings.Contains(err.Error(), "hunter2"):
			t.Errorf("the error shows a value: %v", err)
		}
	}
}
