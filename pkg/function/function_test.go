package function

import (
	"bytes"
	"fmt"
	"io"
	"testing"

	"github.com/confighash/confighash/pkg/api/v1alpha1"
)

// applications returns a stream of n Deployments, ConfigMaps, Secrets and
// Services.
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

// BenchmarkProcess measures the function as a whole; doubling the input must
// not do more than double the time.
func BenchmarkProcess(b *testing.B) {
	for _, n := range []int{500, 1000, 5000} {
		data := applications(n)
		b.Run(fmt.Sprintf("resources=%d", 4*n), func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				if _, err := Process(data, io.Discard, Options{Config: v1alpha1.New(v1alpha1.ModeRename, "")}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
