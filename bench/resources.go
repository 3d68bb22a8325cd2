package main

import (
	"bufio"
	"compress/gzip"
	"encoding/base64"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// An application is one of many in a generated package: a Deployment and the
// Service, ConfigMap and Secret that go with it. Everything follows from its
// number.
type application int

func (a application) name() string { return fmt.Sprintf("app-%04d", int(a)) }

// kinds is the number of resources in one application.
const kinds = 4

// manifests returns the documents of all an application's resources but its
// ConfigMap and Secret.
func (a application) manifests() []string {
	return []string{
		strings.ReplaceAll(deployment, "APP", a.name()),
		strings.ReplaceAll(service, "APP", a.name()),
	}
}

// settings returns the data of the application's ConfigMap, in order. Every
// third one holds a file.
func (a application) settings() [][2]string {
	data := [][2]string{
		{"LOG_LEVEL", "info"},
		{"DATABASE_URL", "postgres://" + a.name() + "-db:5432/" + a.name()},
		{"CACHE_SIZE", fmt.Sprint(64 + int(a)%512)},
		{"FEATURES", "search,checkout,recommendations"},
	}
	if a%3 == 0 {
		var file strings.Builder
		for i := range 20 {
			fmt.Fprintf(&file, "route.%d = /%s/v%d\n", i, a.name(), i)
		}
		data = append(data, [2]string{"routes.conf", file.String()})
	}
	return data
}

// credentials returns the data of the application's Secret, in order.
func (a application) credentials() [][2]string {
	return [][2]string{
		{"password", fmt.Sprintf("correct-horse-%d", int(a))},
		{"username", a.name()},
	}
}

// configMap returns the application's ConfigMap as a document.
func (a application) configMap() string {
	var b strings.Builder
	fmt.Fprintf(&b, "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: %s-settings\n  labels:\n    app: %[1]s\ndata:\n", a.name())
	for _, entry := range a.settings() {
		if strings.Contains(entry[1], "\n") {
			fmt.Fprintf(&b, "  %s: |\n    %s\n", entry[0], strings.ReplaceAll(strings.TrimSuffix(entry[1], "\n"), "\n", "\n    "))
		} else {
			fmt.Fprintf(&b, "  %s: %q\n", entry[0], entry[1])
		}
	}
	return b.String()
}

// secret returns the application's Secret as a document.
func (a application) secret() string {
	var b strings.Builder
	fmt.Fprintf(&b, "apiVersion: v1\nkind: Secret\nmetadata:\n  name: %s-credentials\n  labels:\n    app: %[1]s\ntype: Opaque\ndata:\n", a.name())
	for _, entry := range a.credentials() {
		fmt.Fprintf(&b, "  %s: %s\n", entry[0], base64.StdEncoding.EncodeToString([]byte(entry[1])))
	}
	return b.String()
}

// documents returns all of the application's resources.
func (a application) documents() []string {
	return append(a.manifests(), a.configMap(), a.secret())
}

// writeFile writes a file through a buffer: a bench that held the text itself
// would pass its own peak of memory on to the programs it starts.
func writeFile(path string, write func(w io.Writer)) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	b := bufio.NewWriter(f)
	write(b)
	if err := b.Flush(); err != nil {
		_ = f.Close()
		return err
	}
	return f.Close()
}

// A customKind takes the place of Deployment.
type customKind struct{ group, kind string }

// customKinds returns the first n kinds of the survey that the tests hold the
// catalogue against.
func customKinds(n int) ([]customKind, error) {
	f, err := os.Open(filepath.Join("testdata", "references.tsv.gz"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	unzipped, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	var all []customKind
	lines := bufio.NewScanner(unzipped)
	for lines.Scan() && len(all) < n {
		columns := strings.SplitN(lines.Text(), "\t", 3)
		if k := (customKind{columns[0], columns[1]}); strings.Contains(k.group, ".") && !slices.Contains(all, k) {
			all = append(all, k)
		}
	}
	return all, lines.Err()
}

// writeResourceList writes the first n resources of a package as the input of
// a function, with that spec of a functionConfig. The kinds take turns in the
// place of Deployment, if there are any.
func writeResourceList(path string, n int, spec string, custom []customKind) error {
	return writeFile(path, func(w io.Writer) {
		fmt.Fprint(w, "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n")
		for i := range n {
			document := application(i / kinds).documents()[i%kinds]
			if len(custom) > 0 {
				k := custom[i/kinds%len(custom)]
				document = strings.Replace(document, "apiVersion: apps/v1\nkind: Deployment\n", "apiVersion: "+k.group+"/v1\nkind: "+k.kind+"\n", 1)
			}
			fmt.Fprintf(w, "- %s\n", strings.ReplaceAll(strings.TrimSuffix(document, "\n"), "\n", "\n  "))
		}
		fmt.Fprintf(w, functionConfig, spec)
	})
}

// writeKustomizations writes a package of n applications twice: beneath
// dir/generated with a generator for every ConfigMap and Secret, and beneath
// dir/plain with all of them as resources.
func writeKustomizations(dir string, n int) error {
	generated, plain := filepath.Join(dir, "generated"), filepath.Join(dir, "plain")
	for _, d := range []string{generated, plain} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return err
		}
	}
	all := func(documents func(application) []string) func(io.Writer) {
		return func(w io.Writer) {
			for i := range n {
				for _, document := range documents(application(i)) {
					fmt.Fprintf(w, "---\n%s", document)
				}
			}
		}
	}
	if err := writeFile(filepath.Join(generated, "resources.yaml"), all(application.manifests)); err != nil {
		return err
	}
	if err := writeFile(filepath.Join(plain, "resources.yaml"), all(application.documents)); err != nil {
		return err
	}
	if err := writeFile(filepath.Join(plain, "kustomization.yaml"), func(w io.Writer) {
		fmt.Fprint(w, "resources:\n- resources.yaml\n")
	}); err != nil {
		return err
	}
	return writeFile(filepath.Join(generated, "kustomization.yaml"), func(w io.Writer) {
		fmt.Fprint(w, "resources:\n- resources.yaml\nconfigMapGenerator:\n")
		for i := range n {
			writeGenerator(w, application(i), "settings", application(i).settings())
		}
		fmt.Fprint(w, "secretGenerator:\n")
		for i := range n {
			writeGenerator(w, application(i), "credentials", application(i).credentials())
		}
	})
}

func writeGenerator(w io.Writer, a application, role string, data [][2]string) {
	fmt.Fprintf(w, "- name: %s-%s\n  options:\n    labels:\n      app: %[1]s\n  literals:\n", a.name(), role)
	for _, entry := range data {
		fmt.Fprintf(w, "  - %q\n", entry[0]+"="+entry[1])
	}
}

const functionConfig = `functionConfig:
  apiVersion: confighash.dev/v1alpha1
  kind: ConfigHash
  metadata:
    name: roll
  spec: %s
`

const service = `apiVersion: v1
kind: Service
metadata:
  name: APP
  labels:
    app: APP
spec:
  selector:
    app: APP
  ports:
  - name: http
    port: 80
    targetPort: http
`

const deployment = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: APP
  labels:
    app: APP
spec:
  replicas: 2
  selector:
    matchLabels:
      app: APP
  template:
    metadata:
      labels:
        app: APP
    spec:
      serviceAccountName: APP
      containers:
      - name: APP
        image: registry.example.com/APP:1.4.2
        ports:
        - name: http
          containerPort: 8080
        env:
        - name: LOG_LEVEL
          valueFrom:
            configMapKeyRef:
              name: APP-settings
              key: LOG_LEVEL
        - name: DATABASE_PASSWORD
          valueFrom:
            secretKeyRef:
              name: APP-credentials
              key: password
        envFrom:
        - configMapRef:
            name: APP-settings
        readinessProbe:
          httpGet:
            path: /ready
            port: http
        resources:
          requests:
            cpu: 100m
            memory: 128Mi
          limits:
            memory: 256Mi
        volumeMounts:
        - name: settings
          mountPath: /etc/APP
      - name: proxy
        image: registry.example.com/proxy:3.1.0
        args: ["--upstream", "localhost:8080"]
        envFrom:
        - secretRef:
            name: APP-credentials
        volumeMounts:
        - name: credentials
          mountPath: /var/run/credentials
          readOnly: true
      volumes:
      - name: settings
        configMap:
          name: APP-settings
      - name: credentials
        secret:
          secretName: APP-credentials
`
