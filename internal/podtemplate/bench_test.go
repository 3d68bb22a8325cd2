package podtemplate

import (
	"testing"

	"github.com/confighash/confighash/internal/yamldoc"
)

// typical is a pod template of about sixty lines.
const typical = `metadata:
  labels:
    app.kubernetes.io/name: web
    app.kubernetes.io/instance: web
    app.kubernetes.io/version: "1.29"
  annotations:
    checksum/config: 1f40fc92da241694750979ee6cf582f2d5d7d28e18335de05abc54d0560e0f53
spec:
  serviceAccountName: web
  securityContext:
    runAsNonRoot: true
    fsGroup: 1000
  initContainers:
    - name: migrate
      image: ghcr.io/example/web:1.29
      command: [/bin/web, migrate]
      envFrom:
        - secretRef:
            name: database
  containers:
    - name: web
      image: ghcr.io/example/web:1.29
      args:
        - --config=/etc/web/config.yaml
        - --listen=:8080
      ports:
        - name: http
          containerPort: 8080
          protocol: TCP
      env:
        - name: LOG_LEVEL
          valueFrom:
            configMapKeyRef:
              name: web
              key: LOG_LEVEL
        - name: PASSWORD
          valueFrom:
            secretKeyRef:
              name: database
              key: password
      resources:
        requests:
          cpu: 100m
          memory: 128Mi
        limits:
          memory: 256Mi
      livenessProbe:
        httpGet:
          path: /healthz
          port: http
        initialDelaySeconds: 5
      readinessProbe:
        httpGet:
          path: /ready
          port: http
      volumeMounts:
        - name: config
          mountPath: /etc/web
          readOnly: true
  volumes:
    - name: config
      configMap:
        name: web
`

func BenchmarkRead(b *testing.B) {
	tree, err := yamldoc.Parse([]byte(typical))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Read(tree, builtin); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDiff(b *testing.B) {
	before, after := readText(b, typical, builtin), readText(b, typical, builtin)
	b.ReportAllocs()
	for b.Loop() {
		if found := Diff(before, after); found != nil {
			b.Fatal(found)
		}
	}
}
