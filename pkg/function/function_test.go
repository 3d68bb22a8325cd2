package function

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/confighash/confighash/pkg/api/v1alpha1"
)

func toRename() Options { return Options{Config: v1alpha1.New(v1alpha1.ModeRename, "")} }

func TestProcess_showsNoSecretValue(t *testing.T) {
	const marker = "hunter2-marker"
	encoded := base64.StdEncoding.EncodeToString([]byte(marker))
	secret := func(body string) string {
		return "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\n" + body + "\n"
	}
	pod := "---\napiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {volumes: [{name: v, secret: {secretName: s}}]}\n"
	for label, manifests := range map[string]string{
		"renamed":             secret("stringData: {a: "+marker+"}") + pod,
		"a key twice":         secret("stringData: {a: "+marker+", a: "+marker+"}") + pod,
		"a value of no use":   secret("stringData: {a: ["+marker+"]}") + pod,
		"data of no use":      secret("data: ["+marker+"]") + pod,
		"data a scalar":       secret("data: "+encoded) + pod,
		"twice":               secret("data: {a: "+encoded+"}") + "---\n" + secret("data: {b: "+encoded+"}") + pod,
		"an alias":            secret("x: &x {a: "+marker+"}\nstringData: *x") + pod,
		"an unknown anchor":   secret("data: {a: "+encoded+", b: *c}") + pod,
		"taken for an alias":  secret("stringData: {a: *"+marker+"}") + pod,
		"not YAML":            secret("data: {a: "+encoded+"\n\tb: "+encoded) + pod,
		"an open quote":       secret("stringData: {a: \""+marker+"}") + pod,
		"no kind":             strings.Replace(secret("stringData: {a: "+marker+"}"), "kind: Secret\n", "", 1),
		"annotations a list":  "apiVersion: v1\nkind: Secret\nmetadata: {name: s, annotations: [" + marker + "]}\n",
		"a document a scalar": marker,
	} {
		t.Run(label, func(t *testing.T) {
			check := func(where, text string) {
				t.Helper()
				if strings.Contains(text, marker) || strings.Contains(text, encoded) {
					t.Errorf("%s holds the value: %s", where, text)
				}
			}
			config := v1alpha1.New(v1alpha1.ModeRename, "")
			config.Spec.Report, config.Spec.Unresolved = v1alpha1.ReportFull, v1alpha1.UnresolvedWarn
			out, err := Process([]byte(manifests), io.Discard, Options{Config: config})
			if err != nil {
				check("the error", err.Error())
				return
			}
			for i, m := range out.Messages {
				check("a message", m.Text)
				check("a result", out.Results[i].Message)
			}
		})
	}
}

func TestProcess_writesAResourceListUnchangedOnFailure(t *testing.T) {
	const list = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nfunctionConfig: {apiVersion: v1, kind: ConfigMap, data: {mode: Rename}}\nitems:\n" +
		"- apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: a, annotations: {config.kubernetes.io/path: x.yaml, config.kubernetes.io/index: '2'}}\n  data: [a]\n" +
		"- apiVersion: v1\n  kind: Pod\n  metadata: {name: p}\n  spec: {volumes: [{name: v, configMap: {name: a}}]}\n"
	var b bytes.Buffer
	if _, err := Process([]byte(list), &b, Options{}); err == nil || err.Error() != "ConfigMap a: data must be a mapping of keys to strings" {
		t.Errorf("got %v", err)
	}
	const results = "results:\n- message: data must be a mapping of keys to strings\n  severity: error\n  resourceRef:\n    apiVersion: v1\n    kind: ConfigMap\n    name: a\n" +
		"  file:\n    path: x.yaml\n    index: 2\n"
	if diff := cmp.Diff(list+results, b.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestProcess_reportsParseErrorsInAResourceList(t *testing.T) {
	const list = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nfunctionConfig: {apiVersion: v1, kind: ConfigMap, data: {mode: Rename}}\nitems:\n" +
		"- kind: ConfigMap\n  m\n- kind: Pod\n"
	var b bytes.Buffer
	const want = "line 6: not valid YAML: could not find expected ':'"
	if _, err := Process([]byte(list), &b, Options{}); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	const results = "results:\n- message: 'line 6: not valid YAML: could not find expected '':'''\n  severity: error\n"
	if diff := cmp.Diff(list+results, b.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestProcess_writesNoStreamOnFailure(t *testing.T) {
	var b bytes.Buffer
	if _, err := Process([]byte("kind: ConfigMap\n---\n- a\n"), &b, toRename()); err == nil || b.Len() > 0 {
		t.Errorf("error %v, written %q", err, &b)
	}
}

func TestProcess_namesTheResourceThatCannotBeEdited(t *testing.T) {
	const manifests = "{apiVersion: v1, kind: ConfigMap, metadata: {name: app}, data: {a: b}}\n---\n" +
		"apiVersion: v1\nkind: List\nitems:\n" +
		"- {apiVersion: apps/v1, kind: Deployment, metadata: {name: good}, spec: {template: {spec: {containers: [{name: c, envFrom: [{configMapRef: {name: app}}]}]}}}}\n" +
		"- {apiVersion: apps/v1, kind: Deployment, metadata: {name: bad, namespace: default}, spec: {template: {metadata: {annotations: [a]}, spec: {containers: [{name: c, envFrom: [{configMapRef: {name: app}}]}]}}}}\n"
	_, err := Process([]byte(manifests), io.Discard, Options{Config: v1alpha1.New(v1alpha1.ModeAnnotate, "")})
	const want = "Deployment default/bad: spec.template.metadata.annotations: found a sequence where a mapping is needed"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// brokenWriter fails after that many bytes.
type brokenWriter int

func (w *brokenWriter) Write(b []byte) (int, error) {
	n := min(len(b), int(*w))
	*w -= brokenWriter(n)
	if n < len(b) {
		return n, errors.New("disk full")
	}
	return n, nil
}

func TestProcess_reportsAWriterThatFails(t *testing.T) {
	for _, room := range []brokenWriter{0, 10, 500} {
		_, err := Process(applications(1), &room, toRename())
		var writeError *WriteError
		if !errors.As(err, &writeError) || err.Error() != "writing the output: disk full" {
			t.Errorf("got %v", err)
		}
	}
}

// applications returns a stream of n Deployments, ConfigMaps, Secrets and Services.
func applications(n int) []byte {
	var b bytes.Buffer
	for i := range n {
		fmt.Fprintf(&b, `apiVersion: apps/v1
kind: Deployment
metadata:
  name: app-%[1]d
  labels:
    app.kubernetes.io/name: app-%[1]d
spec:
  replicas: 3
  selector:
    matchLabels:
      app.kubernetes.io/name: app-%[1]d
  template:
    metadata:
      labels:
        app.kubernetes.io/name: app-%[1]d
    spec:
      containers:
      - name: app
        image: registry.example.com/app:%[1]d
        ports:
        - name: http
          containerPort: 8080
        env:
        - name: PASSWORD
          valueFrom:
            secretKeyRef:
              name: app-%[1]d-credentials
              key: password
        envFrom:
        - configMapRef:
            name: app-%[1]d-settings
        resources:
          requests:
            cpu: 100m
            memory: 128Mi
        volumeMounts:
        - name: settings
          mountPath: /etc/app
      volumes:
      - name: settings
        configMap:
          name: app-%[1]d-settings
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: app-%[1]d-settings
data:
  LOG_LEVEL: info
  app.conf: |
    listen = 8080
    backend = backend-%[1]d.example.com
---
apiVersion: v1
kind: Secret
metadata:
  name: app-%[1]d-credentials
stringData:
  password: secret-%[1]d
---
apiVersion: v1
kind: Service
metadata:
  name: app-%[1]d
spec:
  selector:
    app.kubernetes.io/name: app-%[1]d
  ports:
  - port: 80
    targetPort: http
---
`, i)
	}
	return b.Bytes()
}

// BenchmarkProcess measures the whole function; the time must not grow faster than the input.
func BenchmarkProcess(b *testing.B) {
	for _, n := range []int{500, 1000, 5000} {
		data := applications(n)
		b.Run(fmt.Sprintf("resources=%d", 4*n), func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				if _, err := Process(data, io.Discard, toRename()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func TestProcess_refusesADuplicateReference(t *testing.T) {
	const manifests = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: b}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a-longer-name}\ndata: {a: b}\n---\n" +
		"apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {volumes: [{name: v, configMap: {name: a}, configMap: {name: a-longer-name}}]}\n"
	_, err := Process([]byte(manifests), io.Discard, toRename())
	if want := "Pod p: spec.volumes[0].configMap.name: duplicate key in an enclosing mapping; remove one"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TestProcess_sharesNoMemory changes the input after Process returns.
func TestProcess_sharesNoMemory(t *testing.T) {
	for name, in := range map[string]string{
		"results": `apiVersion: config.kubernetes.io/v1
kind: ResourceList
items:
- apiVersion: v1
  kind: Pod
  metadata: {name: a-pod, namespace: somewhere, annotations: {config.kubernetes.io/path: a/path.yaml}}
  spec: {containers: [{name: c, envFrom: [{configMapRef: {name: app}}]}]}
- {apiVersion: v1, kind: ConfigMap, metadata: {name: app, namespace: somewhere}}
functionConfig: {apiVersion: confighash.dev/v1alpha1, kind: ConfigHash, metadata: {name: x}, spec: {mode: Rename, report: Full}}
`,
		"an error": `apiVersion: config.kubernetes.io/v1
kind: ResourceList
items:
- {apiVersion: v1, kind: Secret, metadata: {name: app}, data: {a: "%"}}
- {apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {template: {spec: {containers: [{name: c, envFrom: [{secretRef: {name: app}}]}]}}}}
- {apiVersion: v1, kind: ConfigMap, metadata: {name: app}, data: {a: b}}
- {apiVersion: v1, kind: ConfigMap, metadata: {name: app}, data: {a: b}}
functionConfig: {apiVersion: confighash.dev/v1alpha1, kind: ConfigHash, metadata: {name: x}, spec: {mode: Rename, rename: {unreferenced: Rename}}}
`,
	} {
		t.Run(name, func(t *testing.T) {
			run := func(spoil bool) (*Output, string) {
				data := []byte(in)
				out, err := Process(data, io.Discard, Options{})
				if spoil {
					for i := range data {
						data[i] = '#'
					}
				}
				return out, fmt.Sprint(err)
			}
			want, wantErr := run(false)
			got, gotErr := run(true)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("output (-before +after):\n%s", diff)
			}
			if gotErr != wantErr {
				t.Errorf("the error was %s and is %s", wantErr, gotErr)
			}
			if want == nil && wantErr == "<nil>" || want != nil && len(want.Results) == 0 {
				t.Error("nothing is reported that could share memory")
			}
		})
	}
}

// TestProcess_stampsUnknownKindsThatMountClasses has a pod template in an unknown kind, whose only configuration comes
// from a CSI driver.
func TestProcess_stampsUnknownKindsThatMountClasses(t *testing.T) {
	const in = `apiVersion: example.com/v1
kind: Server
metadata: {name: web}
spec:
  template:
    spec:
      containers:
      - name: web
        volumeMounts: [{name: vault, mountPath: /vault}]
      volumes:
      - name: vault
        csi:
          driver: secrets-store.csi.k8s.io
          volumeAttributes: {secretProviderClass: db}
---
apiVersion: secrets-store.csi.x-k8s.io/v1
kind: SecretProviderClass
metadata: {name: db}
spec: {provider: vault}
`
	var out bytes.Buffer
	if _, err := Process([]byte(in), &out, Options{Config: v1alpha1.New(v1alpha1.ModeAnnotate, "")}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "checksum/config: ") {
		t.Errorf("not stamped:\n%s", &out)
	}
}
