package function

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/pkg/api/v1alpha1"
	"github.com/confighash/confighash/test/support/property"
)

// places returns the offsets at which to break a text of n bytes: one in eight, or in a long run each several times.
func places(n int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := range max(1, property.Cases(n)/8) {
			if !yield((8*i + 8*i/n) % n) {
				return
			}
		}
	}
}

// A planted value is detected by each of its parts of a certain length, so that half a value is found too. Messages
// contain none of its letters and digits.
type planted struct {
	value, digits string
	parts         map[string]bool
}

const (
	partOfValue  = 6
	partOfBase64 = 8
	partOfDigits = 10
)

func plant(r *rand.Rand) *planted {
	draw := func(alphabet string, n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = alphabet[r.IntN(len(alphabet))]
		}
		return string(b)
	}
	p := &planted{value: "Q" + draw("BCDFGHJKLMNPQRSTVWXZ", 23), digits: "7" + draw("0123456789", 23), parts: map[string]bool{}}
	p.find(p.value, partOfValue)
	p.find(p.digits, partOfDigits)
	for _, value := range []string{p.value, p.digits} {
		for lead := range 3 {
			// Skip digits that depend on adjacent bytes too.
			encoded := base64.RawStdEncoding.EncodeToString([]byte(strings.Repeat("-", lead) + value))
			p.find(encoded[(lead*8+5)/6:len(encoded)-1], partOfBase64)
		}
	}
	return p
}

// find registers every part of text with that length.
func (p *planted) find(text string, length int) {
	for i := 0; i+length <= len(text); i++ {
		p.parts[text[i:i+length]] = true
	}
}

// in returns how many parts of the value are in text, and the last of them.
func (p *planted) in(text string) (n int, last string) {
	for _, length := range []int{partOfValue, partOfBase64, partOfDigits} {
		for i := 0; i+length <= len(text); i++ {
			if p.parts[text[i:i+length]] {
				n++
				last = text[i : i+length]
			}
		}
	}
	return n, last
}

// fill inserts the value into a template: (v) is the value, (n) digits, (b), (b1) and (b2) the base64 of the value
// alone and after other bytes, (j) the base64 of JSON with the value.
func (p *planted) fill(template string) string {
	encode := func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }
	return strings.NewReplacer(
		"(v)", p.value, "(n)", p.digits, "(b)", encode(p.value), "(b1)", encode("x"+p.value), "(b2)", encode("user:"+p.value),
		"(j)", encode(`{"auths":{"ghcr.io":{"auth":"`+encode("me:"+p.value)+`","password":"`+p.value+`"}}}`),
	).Replace(template)
}

func TestPlanted_isFoundByHalf(t *testing.T) {
	p := plant(rand.New(rand.NewPCG(property.Seed(), 0)))
	for _, template := range []string{"(v)", "(b)", "(b1)", "(b2)", "(j)", "(n)", "stringData: {pass: (v)}"} {
		text := p.fill(template)
		if n, _ := p.in(text); n == 0 {
			t.Errorf("nothing is found in %s", text)
		}
	}
	for _, half := range []string{p.value[:8], p.value[16:], p.digits[:12], p.digits[12:]} {
		if n, _ := p.in("a " + half + " b"); n == 0 {
			t.Errorf("nothing is found in %s", half)
		}
	}
	if n, one := p.in(consumers); n > 0 {
		t.Errorf("%q is found, but nothing is planted", one)
	}
}

const secretHead = "apiVersion: v1\nkind: Secret\nmetadata:\n  name: creds\n"

// inStringData are contents of stringData whose values YAML may read differently.
var inStringData = map[string]string{
	"block":              "  pass: (v)\n  user: x(v)y # (v)\n# (v)\n",
	"digits":             "  pass: (n)\n  float: 1.(n)e3\n  minus: -(n)\n  octal: 0o(n)\n",
	"alias":              "  pass: *(v)\n  user: a\n",
	"alias of itself":    "  pass: &(v) [*(v)]\n",
	"anchor":             "  pass: &(v) a\n  user: *(v)\n",
	"anchored":           "  pass: &p (v)\n  user: *p\n",
	"anchor alone":       "  pass: &(v)\n",
	"tag":                "  pass: !(v)\n  user: !(v) a\n  more: !!(v) b\n  verbatim: !<(v)> c\n",
	"tagged a number":    "  pass: !!int (v)\n  user: !!float (v)\n  bool: !!bool (v)\n",
	"tagged otherwise":   "  pass: !!binary (v)\n  null: !!null (v)\n  time: !!timestamp (v)\n  map: !!map (v)\n",
	"undefined tag":      "  pass: !(v)!x a\n",
	"merge":              "  <<: (v)\n  pass: (v)\n",
	"open quote":         "  pass: \"(v)\n  user: a\n",
	"open single quote":  "  pass: '(v)\n  user: a\n",
	"after a quote":      "  pass: \"a\"(v)\n",
	"unknown escapes":    "  pass: \"\\q(v)\"\n  user: \"\\x(v)\"\n",
	"escapes":            "  pass: \"\\x41(v)\\n(v)\\u00e9\"\n",
	"at":                 "  pass: @(v)\n",
	"backquote":          "  pass: `(v)\n",
	"colon":              "  pass: a: (v)\n",
	"percent":            "  pass: %(v)\n",
	"a line of percent":  "  pass: a\n---\n%(v)\n",
	"tab":                "\tpass: (v)\n",
	"tab after it":       "  pass:\t(v)\t\n  user: a\t(v)\n",
	"control character":  "  pass: \x01(v)\n",
	"delete":             "  pass: (v)\x7f(v)\n",
	"null byte":          "  pass: (v)\x00\n",
	"byte order mark":    "  pass: \ufeff(v)\n",
	"no UTF-8":           "  pass: (v)\xff(v)\n",
	"noncharacter":       "  pass: (v)\ufffe\n",
	"key twice":          "  pass: (v)\n  pass: x(v)\n",
	"null":               "  pass: ~\n  user: # (v)\n# (v)\n",
	"a mapping":          "  pass: {a: (v)}\n",
	"a list":             "  pass:\n  - (v)\n  - (b)\n",
	"on the next line":   "  pass:\n  (v)\n  user: a\n",
	"key a list":         "  ? [(v)]\n  : (v)\n",
	"key a mapping":      "  {a: (v)}: (v)\n",
	"key over lines":     "  a\n  b: (v)\n",
	"literal":            "  pass: |\n    (v)\n    a: (v)\n\n    # (v)\n  user: |2-\n     (v)\n",
	"literal too short":  "  pass: |\n  (v)\n  user: a\n",
	"literal at zero":    "  pass: |\n(v)\n",
	"literal header":     "  pass: |(v)\n  user: >(v)\n",
	"literal of tabs":    "  pass: |\n    \n\t(v)\n",
	"literal and marker": "  pass: |\n    (v)\n---\n(v)\n",
	"markers":            "  pass: |\n---(v)\n--- (v)\n",
	"manifest":           "  pass: |\n    apiVersion: v1\n    kind: Secret\n    metadata: {name: creds}\n    stringData: {pass: (v)}\n",
	"PEM":                "  pass:\n    -----BEGIN PRIVATE KEY-----\n    (v)\n    -----END PRIVATE KEY-----\n",
	"PEM too short":      "  pass: |\n  -----BEGIN PRIVATE KEY-----\n  (v)\n",
	"carriage returns":   "  pass: (v)\r\n  user: |\r\n    (v)\r\n",
	"lone returns":       "  pass: (v)\r  user: (v)\r---\r(v)\n",
	"line separators":    "  pass: (v)\u2028(v)\u0085---\u2028(v)\n",
	"like a reference":   "  secretName: (v)\n  configMapRef: (v)\n  ssl-certificate: (v)/(v)\n",
}

// secretShapes are Secrets, and resources that contain or stand for one.
var secretShapes = map[string]string{
	"base64":          secretHead + "data:\n  pass: (b)\n  one: (b1)\n  user: (b2)\n  folded: >-\n    (b)\n  wrapped: |\n    (b)\n    (b)\n",
	"no base64":       secretHead + "data:\n  pass: (v)!!\n  user: (b)=(b)\n",
	"binaryData":      secretHead + "binaryData:\n  pass: (b)\n",
	"merged":          secretHead + "x-data: &d {pass: (v)}\nstringData:\n  <<: [*d, {user: (v)}]\n",
	"merged twice":    secretHead + "x-data: &d {pass: (v)}\nstringData:\n  <<: *d\n  <<: [*d]\n",
	"directive":       "%TAG ! tag:(v),2002:\n%(v) 1.2\n---\n" + secretHead + "stringData:\n  pass: !x (v)\n",
	"directive twice": "%TAG !(v)! tag:a\n%TAG !(v)! tag:b\n---\n" + secretHead + "stringData:\n  pass: (v)\n",
	"data twice":      secretHead + "data:\n  pass: (b)\nstringData:\n  pass: (v)\ndata:\n  pass: (b1)\n",
	"annotation twice": "apiVersion: v1\nkind: Secret\nmetadata:\n  name: creds\n  annotations:\n    confighash.dev/ignore: (v)\n    confighash.dev/ignore: (v)\n" +
		"stringData:\n  pass: (v)\n",
	"data null":          secretHead + "data: null\nstringData: ~\n# (v)\n",
	"data a scalar":      secretHead + "data: (b)\n",
	"data a list":        secretHead + "stringData: [(v), (v)]\n",
	"type a mapping":     secretHead + "type: {(v): (v)}\nstringData:\n  pass: (v)\n",
	"flow":               "{apiVersion: v1, kind: Secret, metadata: {name: creds}, stringData: {pass: (v), user: \"(v)\"}}\n",
	"comma in flow":      secretHead + "stringData: {pass: a,(v), user: b}\n",
	"commas in flow":     secretHead + "stringData: {pass: a,(v),(v)}\n",
	"no blank in flow":   secretHead + "stringData: {pass:(v), user: a, \"pass\":(v)}\n",
	"bracket in flow":    secretHead + "stringData: {pass: a](v), user: b}\n",
	"brace in flow":      secretHead + "stringData: {pass: {(v)}, user: {a: (v)}}\n",
	"open flow":          secretHead + "stringData: {pass: (v)\nimmutable: true\n",
	"JSON":               `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"creds"},"data":{"pass":"(b)"},"stringData":{"user":"(v)\u00e9\/"}}` + "\n",
	"open JSON":          `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"creds"},"stringData":{"pass":"(v)"` + "\n",
	"JSON without value": `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"creds"},"stringData":{"pass":"a","(v)"}}` + "\n",
	"JSON in a row": `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"creds"},"data":{"pass":"(b)"}} ` +
		`{"apiVersion":"v1","kind":"Secret","stringData":["(v)"]}` + "\n",
	"applied before": "apiVersion: v1\nkind: Secret\nmetadata:\n  name: creds\n  annotations:\n    kubectl.kubernetes.io/last-applied-configuration: |\n" +
		"      {\"apiVersion\":\"v1\",\"data\":{\"pass\":\"(b)\"},\"kind\":\"Secret\",\"stringData\":{\"user\":\"(v)\"}}\ndata:\n  pass: (b)\n",
	"annotations a list": "apiVersion: v1\nkind: Secret\nmetadata:\n  name: creds\n  annotations: [(v)]\n",
	"metadata a list":    "apiVersion: v1\nkind: Secret\nmetadata: [(v)]\nstringData: {pass: (v)}\n",
	"no kind":            "apiVersion: v1\nmetadata:\n  name: creds\nstringData:\n  pass: (v)\n",
	"no apiVersion":      "kind: Secret\nmetadata:\n  name: creds\nstringData:\n  pass: (v)\n",
	"no name":            "apiVersion: v1\nkind: Secret\nstringData:\n  pass: (v)\n",
	"text":               "(v)\n",
	"texts":              "- (v)\n- (b)\n",
	"List": "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Secret\n  metadata: {name: creds}\n  stringData:\n    pass: (v)\n" +
		"- apiVersion: v1\n  kind: SecretList\n  items:\n  - {apiVersion: v1, kind: Secret, metadata: {name: other}, data: {pass: (b)}}\n",
	"List of texts":   "apiVersion: v1\nkind: List\nitems:\n- (v)\n",
	"List of a value": "apiVersion: v1\nkind: SecretList\nitems:\n  pass: (v)\n",
	"items twice":     "{apiVersion: v1, kind: List, items: [{apiVersion: v1, kind: Secret, metadata: {name: creds}, stringData: {pass: (v)}}], items: [(v)]}\n",
	"shared":          secretHead + "x: &s\n  pass: (v)\nstringData: *s\ndata: *s\n",
	"aliases":         secretHead + "x: &a [(v), (v)]\ny: &b [*a, *a, *a]\nz: &c [*b, *b, *b]\nstringData: {pass: *c}\n",
	"service account": secretHead + "type: kubernetes.io/service-account-token\ndata:\n  token: (b)\n",
	"bootstrap token": secretHead + "type: bootstrap.kubernetes.io/token\nstringData:\n  token-secret: (v)\n",
	"Helm release":    secretHead + "type: helm.sh/release.v1\ndata:\n  release: (b)\n",
	"Docker":          secretHead + "type: kubernetes.io/dockerconfigjson\ndata:\n  .dockerconfigjson: (j)\n",
	"Docker, no text": secretHead + "type: kubernetes.io/dockerconfigjson\nstringData:\n  .dockerconfigjson: {\"auths\": {\"ghcr.io\": {\"auth\": \"(b)\"}}}\n",
	"SOPS": secretHead + "data:\n  pass: ENC[AES256_GCM,data:(b),iv:(b1),tag:(b2),type:str]\n" +
		"sops:\n  mac: ENC[(b)]\n  age: [{recipient: a, enc: \"(v)\"}]\n",
	"SealedSecret": "apiVersion: bitnami.com/v1alpha1\nkind: SealedSecret\nmetadata: {name: creds}\nspec:\n  encryptedData:\n    pass: (b)\n    other: [(v)]\n" +
		"  template:\n    data: {user: \"{{ .pass }}(v)\"}\n    metadata: {annotations: {a: b}}\n",
	"SealedSecret, twice":   "apiVersion: bitnami.com/v1alpha1\nkind: SealedSecret\nmetadata: {name: creds}\nspec:\n  encryptedData:\n    pass: (b)\n    pass: (b1)\n",
	"SealedSecret, no data": "apiVersion: bitnami.com/v1alpha1\nkind: SealedSecret\nmetadata: {name: creds}\nspec:\n  encryptedData: (v)\n",
	"ExternalSecret": "apiVersion: external-secrets.io/v1\nkind: ExternalSecret\nmetadata: {name: creds}\nspec:\n  target:\n    template:\n" +
		"      data: {pass: \"(v)\", pass: a}\n  data:\n  - {secretKey: pass, remoteRef: {key: (v)}}\n",
	"in a ConfigMap": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: creds}\ndata:\n  secret.yaml: |\n    apiVersion: v1\n    kind: Secret\n" +
		"    metadata: {name: creds}\n    stringData: {pass: (v)}\n  pass: (v)\nbinaryData:\n  raw: (b)\n  bad: (v)!\n",
	"in a custom resource": "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: creds}\nspec:\n  template:\n    apiVersion: v1\n    kind: Secret\n" +
		"    metadata: {name: creds}\n    stringData: {pass: (v), secretName: (v)}\n  password: (v)\n",
	"in a ManifestWork": "apiVersion: work.open-cluster-management.io/v1\nkind: ManifestWork\nmetadata: {name: creds}\nspec:\n  workload:\n    manifests:\n" +
		"    - {apiVersion: v1, kind: Secret, metadata: {name: creds}, stringData: {pass: (v)}}\n",
	"in a Template": "apiVersion: template.openshift.io/v1\nkind: Template\nmetadata: {name: creds}\nobjects:\n" +
		"- {apiVersion: v1, kind: Secret, metadata: {name: creds}, stringData: {pass: (v), pass: b}}\nparameters: [{name: P, value: (v)}]\n",
	"in an environment": "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: creds}\n" +
		"spec: {template: {spec: {containers: [{name: c, image: i, env: [{name: PASS, value: (v)}], args: [--password=(v)]}]}}}\n",
	"of another group": "apiVersion: example.com/v1\nkind: Secret\nmetadata: {name: creds}\nstringData:\n  pass: (v)\n",
	"twice":            secretHead + "stringData:\n  pass: (v)\n---\n" + secretHead + "data:\n  pass: (b)\n",
	"two namespaces": secretHead + "stringData:\n  pass: (v)\n---\n" +
		"apiVersion: v1\nkind: Secret\nmetadata: {name: creds, namespace: other}\ndata:\n  pass: (b)\n",
	"cycle": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: creds, annotations: {replicator.v1.mittwald.de/replicate-from: default/creds}}\n" +
		"data: {ssl-certificate: default/creds, ssl-dh-param: default/creds, pass: (v)}\n---\n" +
		"apiVersion: v1\nkind: Secret\nmetadata: {name: creds, annotations: {replicator.v1.mittwald.de/replicate-from: default/creds}}\nstringData: {pass: (v)}\n",
	"renamed before": "apiVersion: v1\nkind: Secret\nmetadata: {name: creds-4h2mbtbbt6, annotations: {confighash.dev/hash: 4h2mbtbbt6}}\nstringData: {pass: (v)}\n",
	"ignored":        "apiVersion: v1\nkind: Secret\nmetadata: {name: creds, annotations: {confighash.dev/ignore: \"true\"}}\nstringData: {pass: (v)}\n",
	"name too long":  "apiVersion: v1\nkind: Secret\nmetadata: {name: " + strings.Repeat("c", 250) + "}\nstringData: {pass: (v)}\n",
	"bad history": "apiVersion: v1\nkind: Secret\nmetadata:\n  name: creds\n  annotations: {internal.config.kubernetes.io/previousNames: \"a,b\", " +
		"internal.config.kubernetes.io/previousKinds: Secret}\nstringData: {pass: (v)}\n",
}

func init() {
	for label, values := range inStringData {
		secretShapes["value: "+label] = secretHead + "stringData:\n" + values
	}
}

// consumers refer to creds so that there is much to report.
const consumers = `apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {url: "http://creds/x", note: "creds and default/creds", ssl-certificate: default/creds}
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  annotations:
    secret.reloader.stakater.com/reload: creds,nowhere
    wave.pusher.com/update-on-config-change: "true"
    wave.pusher.com/extra-secrets: creds
    confighash.dev/roll: "true"
    confighash.dev/extra-sources: Secret/creds,Secret/none
spec:
  template:
    spec:
      volumes:
      - {name: v, secret: {secretName: creds, items: [{key: absent, path: p}]}}
      - {name: m, configMap: {name: creds}}
      containers:
      - name: c
        image: creds
        args: [--secret=creds, --from=default/creds]
        envFrom: [{secretRef: {name: creds}}, {configMapRef: {name: settings}}]
        env: [{name: A, valueFrom: {secretKeyRef: {name: creds, key: missing}}}]
        volumeMounts: [{name: v, mountPath: /v}, {name: m, mountPath: /m}]
---
apiVersion: batch/v1
kind: Job
metadata: {name: job}
spec: {template: {spec: {containers: [{name: c, envFrom: [{secretRef: {name: creds}}]}]}}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: role}
rules: [{apiGroups: [""], resources: [secrets, configmaps], resourceNames: [creds, settings]}]
---
apiVersion: example.com/v1
kind: Database
metadata: {name: db}
spec: {passwordSecretRef: {name: creds, key: absent}, text: "see creds"}
`

// secretConfigs exercise both modes in many ways, and report as much as possible.
func secretConfigs() []*v1alpha1.ConfigHash {
	var all []*v1alpha1.ConfigHash
	add := func(mode v1alpha1.Mode, policy v1alpha1.Policy, change func(*v1alpha1.Spec)) {
		c := v1alpha1.New(mode, policy)
		c.Spec.Report, c.Spec.Unresolved = v1alpha1.ReportFull, v1alpha1.UnresolvedWarn
		if change != nil {
			change(&c.Spec)
		}
		all = append(all, c)
	}
	for _, policy := range []v1alpha1.Policy{v1alpha1.PolicyAll, v1alpha1.PolicyOptIn, v1alpha1.PolicyReloader, v1alpha1.PolicyWave} {
		add(v1alpha1.ModeRename, policy, nil)
		add(v1alpha1.ModeAnnotate, policy, nil)
	}
	add(v1alpha1.ModeRename, v1alpha1.PolicyAll, func(s *v1alpha1.Spec) {
		s.Rename.Unreferenced, s.Rename.Immutable, s.Rename.Generated = v1alpha1.UnreferencedRename, true, v1alpha1.GeneratedAdopt
		s.Unresolved = v1alpha1.UnresolvedError
	})
	add(v1alpha1.ModeRename, v1alpha1.PolicyAll, func(s *v1alpha1.Spec) {
		s.Rename.Unreferenced, s.Salt = v1alpha1.UnreferencedRename, "grains"
	})
	add(v1alpha1.ModeRename, v1alpha1.PolicyAll, func(s *v1alpha1.Spec) {
		s.Rename.Granularity, s.Report = v1alpha1.GranularityKey, v1alpha1.ReportFull
	})
	add(v1alpha1.ModeAnnotate, v1alpha1.PolicyAll, func(s *v1alpha1.Spec) {
		s.Annotate.Granularity, s.Unresolved = v1alpha1.GranularityObject, v1alpha1.UnresolvedError
	})
	add(v1alpha1.ModeAnnotate, v1alpha1.PolicyAll, func(s *v1alpha1.Spec) {
		s.Annotate.Scope, s.Annotate.Key, s.Salt = v1alpha1.ScopeSource, "example.com/sum", "grains"
	})
	return all
}

// A leakage runs the function and looks for planted values in all its messages.
type leakage struct {
	*planted
	failures, successes int
}

// run runs the function once. It returns what leaked, "" if nothing did.
func (l *leakage) run(input string, o Options) (leak string) {
	defer func() {
		if r := recover(); r != nil {
			leak = fmt.Sprintf("a panic: %v", r)
		}
		if leak != "" {
			leak += "\n----- of\n" + input
		}
	}()
	var b bytes.Buffer
	out, err := Process([]byte(input), &b, o)
	before, _ := l.in(input)
	// A Secret that holds keys of another repeats their values.
	adds := strings.Contains(input, "granularity: Key") || o.Config != nil && o.Config.Spec.Rename.Granularity == v1alpha1.GranularityKey
	if after, one := l.in(b.String()); after > before && !adds {
		return fmt.Sprintf("the output holds %q more often than the input:\n%s", one, b.String())
	}
	if err != nil {
		l.failures++
		if n, one := l.in(err.Error()); n > 0 {
			return fmt.Sprintf("an error holds %q: %v", one, err)
		}
		return ""
	}
	l.successes++
	for _, m := range out.Messages {
		if n, one := l.in(m.Text); n > 0 {
			return fmt.Sprintf("a message holds %q: %s", one, m.Text)
		}
	}
	results, err := yaml.Marshal(out.Results)
	if err != nil {
		return err.Error()
	}
	if n, one := l.in(string(results)); n > 0 {
		return fmt.Sprintf("the results hold %q: %s", one, results)
	}
	if adds {
		return ""
	}
	return l.strayed(input, b.String())
}

// check is run for the diff, which may show everything but Secrets.
func (l *leakage) check(input string, o Options) string {
	var b bytes.Buffer
	if _, _, err := Check([]byte(input), &b, o); err != nil {
		return "" // run gets the same error
	}
	if n, one := l.in(b.String()); n > 0 {
		return fmt.Sprintf("the diff holds %q:\n%s\n----- of\n%s", one, b.String(), input)
	}
	return ""
}

// strayed looks for a value in a document that did not have it before.
func (l *leakage) strayed(input, output string) string {
	was, is := strings.Split("\n"+input, "\n---"), strings.Split("\n"+output, "\n---")
	if len(was) != len(is) {
		return fmt.Sprintf("the output has %d documents, the input %d", len(is), len(was))
	}
	for i := range is {
		before, _ := l.in(was[i])
		if after, one := l.in(is[i]); after > 0 && before == 0 {
			return fmt.Sprintf("a document holds %q now:\n%s", one, is[i])
		}
	}
	return ""
}

// asResourceList makes a ResourceList from documents, each of which becomes an item.
func asResourceList(functionConfig string, streams ...string) string {
	var b strings.Builder
	b.WriteString("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nfunctionConfig: " + functionConfig + "\nitems:\n")
	for _, stream := range streams {
		for document := range strings.SplitSeq(stream, "\n---\n") {
			lead := "- "
			for line := range strings.Lines(document) {
				if strings.TrimSpace(line) != "" {
					b.WriteString(lead)
					lead = "  "
				}
				b.WriteString(strings.TrimSuffix(line, "\n") + "\n")
			}
		}
	}
	return b.String()
}

// forEach calls do for each element on all processors, each time with fresh values and a new random source, and reports
// what do returns. wantFailures and wantSuccesses are the minimum numbers of failed and successful runs.
func forEach[T any](t *testing.T, all []T, wantFailures, wantSuccesses int, do func(*leakage, *rand.Rand, T) string) {
	t.Helper()
	var mu sync.Mutex
	var group sync.WaitGroup
	next, failures, successes := 0, 0, 0
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			for {
				mu.Lock()
				i := next
				next++
				mu.Unlock()
				if i >= len(all) {
					return
				}
				r := rand.New(rand.NewPCG(property.Seed(), uint64(i)))
				l := &leakage{planted: plant(r)}
				if leak := do(l, r, all[i]); leak != "" {
					t.Errorf("%v: %s", all[i], leak)
				}
				mu.Lock()
				failures, successes = failures+l.failures, successes+l.successes
				mu.Unlock()
			}
		})
	}
	group.Wait()
	t.Logf("%d runs failed, %d did not", failures, successes)
	wantFailures, wantSuccesses = min(wantFailures, property.Cases(wantFailures)), min(wantSuccesses, property.Cases(wantSuccesses))
	if !t.Failed() && (failures < wantFailures || successes < wantSuccesses) {
		t.Errorf("%d runs failed and %d did not, want at least %d and %d", failures, successes, wantFailures, wantSuccesses)
	}
}

const renameConfig = "{apiVersion: v1, kind: ConfigMap, data: {mode: Rename, report: Full, unresolved: Warn}}"

func TestSecrets_nothingShowsAValue(t *testing.T) {
	configs := secretConfigs()
	forEach(t, slices.Sorted(maps.Keys(secretShapes)), 1000, 1000, func(l *leakage, _ *rand.Rand, label string) string {
		secret := l.fill(secretShapes[label])
		asText, err := yaml.Marshal(map[string]any{"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList", "items": []string{secret}})
		if err != nil {
			return err.Error()
		}
		for _, input := range []string{secret + "---\n" + consumers, consumers + "---\n" + secret, secret, string(asText)} {
			for _, config := range configs {
				if leak := l.run(input, Options{Config: config}); leak != "" {
					return leak
				}
			}
			for _, config := range configs[:2] { // one for each mode
				if leak := l.check(input, Options{Config: config}); leak != "" && strings.HasPrefix(secret, secretHead) {
					return leak
				}
			}
		}
		annotate := strings.Replace(renameConfig, "Rename", "Annotate", 1)
		for _, input := range []string{asResourceList(renameConfig, secret, consumers), asResourceList(annotate, consumers, secret)} {
			if leak := l.run(input, Options{}); leak != "" {
				return leak
			}
		}
		return ""
	})
}

// breaks change the meaning of a value, or of the text around it.
var breaks = []string{
	"*", "&", "!", "!!", "!<", "%", "@", "`", "|", ">", "|\n", "\"", "'", "\\", "#", " #", ":", ": ", " : ", ",", ", ", "{", "}", "[", "]", "? ", "- ",
	"\t", "\n", "\n ", "\n  ", "\n    ", "\r", "\r\n", "\n---\n", "\n--- ", "\n...\n", "\x00", "\x01", "\x7f", "\u0085", "\u2028", "\ufeff", "\ufffe",
	"\xff", "\xc3", "<<: ", "<<: *x\n  ", "&x ", "*x ", "!!int ", "!!binary ", "!!map ", "!!null ", "~", "\\u", "\\x", "\"\\q", "x: ", "a: *", "=", "==",
	"\nmetadata: ", "\nitems: ", "\ndata: ", "\n%", "\n@",
}

// broken breaks text at byte at. It does not turn values into names by copying, because names may be shown.
func (l *leakage) broken(r *rand.Rand, text string, at int) string {
	with := breaks[r.IntN(len(breaks))]
	switch r.IntN(10) {
	case 0:
		return text[:at] // the end is lost
	case 1:
		return text[:at] + text[min(at+1+r.IntN(3), len(text)):]
	case 2:
		from := r.IntN(len(text))
		copied := text[from:min(from+1+r.IntN(40), len(text))]
		if n, _ := l.in(copied); n == 0 && !strings.Contains(copied, ":") {
			with = copied
		}
		return text[:at] + with + text[at:]
	case 3:
		return text[:at] + with + text[min(at+1, len(text)):]
	default:
		return text[:at] + with + text[at:]
	}
}

// TestSecrets_noErrorShowsAValue breaks Secrets at each of their bytes, to surprise the parser and the code that relies
// on it.
func TestSecrets_noErrorShowsAValue(t *testing.T) {
	configs := secretConfigs()
	forEach(t, slices.Sorted(maps.Keys(secretShapes)), property.Cases(100), property.Cases(100), func(l *leakage, r *rand.Rand, label string) string {
		secret := l.fill(secretShapes[label])
		for n := range places(len(secret)) {
			broken := l.broken(r, secret, n)
			input, o := broken+"\n---\n"+consumers, Options{Config: configs[r.IntN(len(configs))]}
			switch r.IntN(4) {
			case 0:
				input = consumers + "---\n" + broken
			case 1:
				input, o = asResourceList(renameConfig, broken, consumers), Options{}
			}
			if l.isKey(input) {
				continue
			}
			if leak := l.run(input, o); leak != "" {
				return leak
			}
		}
		return ""
	})
}

// isKey reports whether a part of a value is now a key with its own value, which may be reported like any key.
func (l *leakage) isKey(input string) bool {
	var visit func(n *yaml.Node) bool
	visit = func(n *yaml.Node) bool {
		for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
			if found, _ := l.in(n.Content[i].Value); found > 0 && n.Content[i+1].Tag != "!!null" {
				return true
			}
		}
		return slices.ContainsFunc(n.Content, visit)
	}
	decoder := yaml.NewDecoder(strings.NewReader(input))
	for {
		var document yaml.Node
		if decoder.Decode(&document) != nil {
			return false
		}
		if visit(&document) {
			return true
		}
	}
}

// saltShapes are specs with a salt, in various styles. Those with indented fields are of a ConfigHash, the others of a
// ConfigMap.
var saltShapes = []string{
	"\n  apiVersion: confighash.dev/v1alpha1\n  kind: ConfigHash\n  metadata: {name: roll}\n  spec:\n    mode: Rename\n    salt: (v)\n    report: Full",
	"\n  apiVersion: confighash.dev/v1alpha1\n  kind: ConfigHash\n  spec:\n    salt: \"(v)\"\n    mode: Some",
	"\n  apiVersion: confighash.dev/v1alpha1\n  kind: ConfigHash\n  spec:\n    mode: Annotate\n    salt: |\n      (v)",
	"{apiVersion: confighash.dev/v1alpha1, kind: ConfigHash, spec: {mode: Rename, salt: (v)}}",
	"{apiVersion: confighash.dev/v1alpha1, kind: ConfigHash, spec: {mode: Rename, salt: a,(v),(v)}}",
	"{apiVersion: confighash.dev/v1alpha1, kind: ConfigHash, spec: {mode: Rename, salt:(v), salt=(v), \"salt\":(v)}}",
	"{apiVersion: confighash.dev/v1alpha1, kind: ConfigHash, spec: {mode: Rename, salt: !(v)}}",
	"{apiVersion: confighash.dev/v1alpha1, kind: ConfigHash, spec: {mode: Rename, salt: !!binary (v)}}",
	"{apiVersion: confighash.dev/v1alpha1, kind: ConfigHash, spec: {mode: Rename, salt: *(v)}}",
	"{apiVersion: confighash.dev/v1alpha1, kind: ConfigHash, spec: {mode: Rename, salt: (n), slat: (v), rename: {salt: (v)}}}",
	"{apiVersion: confighash.dev/v1alpha1, kind: ConfigHash, spec: {mode: Rename, salt: [(v)], include: (v), references: [(v)]}}",
	"{apiVersion: confighash.dev/v1alpha1, kind: ConfigHash, spec: {mode: Rename, salt: {(v): (v)}, annotate: (v)}}",
	"{apiVersion: v1, kind: ConfigMap, data: {mode: Rename, salt: (v)}}",
	"{apiVersion: v1, kind: ConfigMap, data: {mode: Rename, salt: !(v), include: \"*(v)\"}}",
	"{apiVersion: v1, kind: ConfigMap, data: {mode: Rename, salt: (v), salt: (v), podTemplates: \"[(v)\"}}",
	"{apiVersion: v1, kind: ConfigMap, data: {mode: Annotate, salt:(v), include: \"[(v)\"}}",
}

// TestSecrets_nothingShowsTheSalt breaks functionConfigs at each of their bytes.
func TestSecrets_nothingShowsTheSalt(t *testing.T) {
	const manifests = secretHead + "stringData: {pass: a}\n---\n" + consumers
	forEach(t, saltShapes, 100, 10, func(l *leakage, r *rand.Rand, shape string) string {
		config := l.fill(shape)
		if leak := l.run(asResourceList(config, manifests), Options{}); leak != "" {
			return leak
		}
		for n := range places(2 * len(config)) {
			broken := l.broken(r, config, n%len(config))
			if l.isKey(broken) {
				continue
			}
			if leak := l.run(asResourceList(broken, manifests), Options{}); leak != "" {
				return leak
			}
		}
		for _, c := range secretConfigs() {
			for _, o := range []Options{{Config: c, Salt: l.value}, {Config: withSalt(*c, l.value)}} {
				if leak := l.run(manifests, o); leak != "" {
					return leak
				}
			}
		}
		return ""
	})
}

func withSalt(c v1alpha1.ConfigHash, salt string) *v1alpha1.ConfigHash {
	c.Spec.Salt = salt
	return &c
}

// TestSecrets_noScriptShowsAValue plants values into the inputs of testdata/script, which cause most messages.
func TestSecrets_noScriptShowsAValue(t *testing.T) {
	scripts, err := filepath.Glob(filepath.Join("..", "..", "testdata", "script", "*.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	forEach(t, scripts, 500, 3000, func(l *leakage, r *rand.Rand, script string) string {
		text, err := os.ReadFile(script)
		if err != nil {
			return err.Error()
		}
		configs := secretConfigs()
		files := txtar.Parse(text).Files
		for _, f := range files {
			var root yaml.Node
			if yaml.Unmarshal(f.Data, &root) == nil {
				if config, err := v1alpha1.Parse(&root); err == nil {
					configs = append(configs, config)
				}
			}
		}
		for _, f := range files {
			input, err := l.plantedIn(f.Data)
			if err != nil || input == "" {
				continue // no manifests, or broken ones
			}
			if leak := l.run(input, Options{}); leak != "" { // ResourceLists
				return leak
			}
			for _, config := range configs {
				if leak := l.run(input, Options{Config: config}); leak != "" {
					return leak
				}
			}
			for range property.Cases(3) {
				broken := l.broken(r, input, r.IntN(len(input)))
				if leak := l.run(broken, Options{Config: configs[r.IntN(len(configs))]}); leak != "" {
					return leak
				}
			}
		}
		return ""
	})
}

// plantedIn returns a stream with values planted in its ConfigMaps and Secrets, "" if it has none.
func (l *leakage) plantedIn(data []byte) (string, error) {
	var b bytes.Buffer
	encoder := yaml.NewEncoder(&b)
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	for places := 0; ; {
		var document yaml.Node
		err := decoder.Decode(&document)
		switch {
		case errors.Is(err, io.EOF) && places == 0:
			return "", nil
		case errors.Is(err, io.EOF):
			return b.String(), nil
		case err != nil:
			return "", err
		}
		places += l.plantIn(&document)
		if err := encoder.Encode(&document); err != nil {
			return "", err
		}
	}
}

// plantIn plants values in n and below, and returns the number of places. A ConfigMap keeps its values: they may be
// names, which are reported.
func (l *leakage) plantIn(n *yaml.Node) int {
	places := 0
	if kind := valueOf(n, "kind"); kind != nil && (kind.Value == "Secret" || kind.Value == "ConfigMap" && valueOf(n, "data", "mode") == nil) {
		for i, field := range []string{"data", "stringData", "binaryData"} {
			values := valueOf(n, field)
			if values == nil || values.Kind != yaml.MappingNode {
				continue
			}
			for j := 1; kind.Value == "Secret" && j < len(values.Content); j += 2 {
				if v := values.Content[j]; v.Kind == yaml.ScalarNode {
					v.SetString(l.fill([]string{"(b)", "(v)", "(b2)"}[i]))
				}
			}
			values.Content = append(values.Content, scalar("planted."+strconv.Itoa(i)), scalar(l.fill([]string{"(b)", "(v)\nof (v)", "(b1)"}[i])))
			places++
		}
		if plain := map[string]string{"Secret": "stringData", "ConfigMap": "data"}[kind.Value]; valueOf(n, plain) == nil {
			n.Content = append(n.Content, scalar(plain), &yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{scalar("planted"), scalar(l.value)}})
			places++
		}
	}
	for _, child := range n.Content {
		places += l.plantIn(child)
	}
	return places
}

func scalar(value string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: value}
}

// valueOf returns the value at keys, nil if there is none.
func valueOf(n *yaml.Node, keys ...string) *yaml.Node {
	for _, key := range keys {
		var next *yaml.Node
		for i := 0; n != nil && n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
			if n.Content[i].Value == key {
				next = n.Content[i+1]
			}
		}
		n = next
	}
	return n
}
