package kustomize_test

import (
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/pkg/api/v1alpha1"
	"github.com/confighash/confighash/pkg/function"
)

// A referenceRow is a field of a kind that names a ConfigMap or a Secret, from a survey of custom resource definitions
// and operators' sources that is independent of the catalogue (testdata/references.tsv.gz).
type referenceRow struct {
	group, kind, path, target, role, format string
	namespaceRule, namespacePath, kindPath  string
}

func (r referenceRow) String() string {
	return fmt.Sprintf("%s %s %s: %s %s, %s, %s", r.group, r.kind, r.path, r.role, r.target, r.format, r.namespaceRule)
}

var referenceRows = sync.OnceValues(func() ([]referenceRow, error) {
	f, err := os.Open(filepath.Join("..", "..", "testdata", "references.tsv.gz"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	unzipped, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	reader := csv.NewReader(unzipped)
	reader.Comma, reader.LazyQuotes = '\t', true
	lines, err := reader.ReadAll()
	if err != nil {
		return nil, err
	}
	rows := make([]referenceRow, len(lines))
	for i, l := range lines {
		rows[i] = referenceRow{l[0], l[1], l[2], l[3], l[4], l[5], l[6], l[7], l[8]}.real()
	}
	return rows, nil
})

// real replaces "every pod template" and the like by a real kind.
func (r referenceRow) real() referenceRow {
	switch r.kind {
	case "any":
		r.group, r.kind = "example.com", "Thing"
	case "every pod template":
		r.group, r.kind, r.path = "apps", "Deployment", "spec/template/"+r.path
	case "Pod and every podSpec":
		r.group, r.kind, r.path = "apps", "Deployment", "spec/template/spec/"+r.path
		if r.namespacePath != "" {
			r.namespacePath = "spec/template/spec/" + r.namespacePath
		}
	}
	if r.group == "*" {
		r.group = map[string]string{"CronJob": "batch", "Job": "batch", "Rollout": "argoproj.io", "DeploymentConfig": "apps.openshift.io"}[r.kind]
		if r.group == "" {
			r.group = "apps"
		}
	}
	r.path = strings.ReplaceAll(r.path, "<alias>", "app")
	return r
}

// plain reports whether the row is a plain name in the referrer's own namespace.
func (r referenceRow) plain() bool {
	return r.role == "consumer" && r.format == "name" && r.namespaceRule == "referrer"
}

const (
	rowTarget = "the-target"
	rowKey    = "the-key"
	elsewhere = "elsewhere"
)

// namespace returns the namespace of the row's target.
func (r referenceRow) namespace() string {
	switch {
	case r.group == "config.openshift.io":
		return "openshift-config"
	case r.namespacePath != "", r.namespaceRule == "controller", r.namespaceRule == "workload", strings.Contains(r.value(), elsewhere):
		return elsewhere
	}
	return "default"
}

// targetKind returns the kind that the row's field names in the test.
func (r referenceRow) targetKind() string {
	if r.target == "both" {
		return "Secret"
	}
	return r.target
}

// value returns the field's value in YAML.
func (r referenceRow) value() string {
	kind := r.targetKind()
	switch r.format {
	case "list of names", "list of names/wildcards":
		return "[" + rowTarget + "]"
	case "comma list of names":
		return "another," + rowTarget
	case "comma list of [namespace/]name", "namespace/name", "namespace/name (required)":
		return elsewhere + "/" + rowTarget
	case "secret-name[/key]":
		return rowTarget + "/" + rowKey
	case "list of [VAR=]configmap:name[/key] | secret:name[/key]":
		return "[V=" + strings.ToLower(kind) + ":" + rowTarget + "/" + rowKey + "]"
	case "JSON object, key secretName":
		return `'{"secretName":"` + rowTarget + `"}'`
	case "list ENV=secret[:key]":
		return "A=" + rowTarget + ":" + rowKey
	case "JSON list/map of core Volume":
		return `'[{"name":"v","secret":{"secretName":"` + rowTarget + `"}}]'`
	case `comma list of group/[namespaces/<ns>/]Kind/name; core objects start with "/"`:
		return "/namespaces/" + elsewhere + "/" + kind + "/" + rowTarget
	case "YAML list, sourceRef{kind,group,apiVersion,name,namespace}":
		return `'[{sourceRef: {kind: ` + kind + `, name: ` + rowTarget + `, namespace: ` + elsewhere + `}}]'`
	case "YAML {apiVersion,kind,name}":
		return `'{apiVersion: v1, kind: ` + kind + `, name: ` + rowTarget + `}'`
	case "PEM or k8s://namespace/name":
		return "k8s://" + elsewhere + "/" + rowTarget
	case "pullsecret:namespace/name or secret:namespace/name#field":
		return "pullsecret:" + elsewhere + "/" + rowTarget
	case "git:secret:[namespace/]name":
		return "git:secret:" + elsewhere + "/" + rowTarget
	}
	return rowTarget
}

var unescapedSlash = regexp.MustCompile(`(?:[^/\\]|\\.)+`)

// set puts a value at a path of the survey.
func set(object map[string]any, path string, value any) {
	segments := unescapedSlash.FindAllString(path, -1)
	for i, s := range segments {
		s = strings.ReplaceAll(s, `\/`, "/")
		if strings.Contains(s, "*") {
			s = strings.ReplaceAll(s, "*", "any")
		}
		if i == len(segments)-1 {
			object[s] = value
			return
		}
		next, ok := object[s].(map[string]any)
		if !ok {
			next = map[string]any{}
			object[s] = next
		}
		object = next
	}
}

// referrer returns a minimal object that refers to the row's target.
func (r referenceRow) referrer(t *testing.T) string {
	t.Helper()
	version := "v1"
	if r.group != "" {
		version = r.group + "/v1"
	}
	object := map[string]any{"apiVersion": version, "kind": r.kind, "metadata": map[string]any{"name": "referrer"}}
	var value any
	if err := yaml.Unmarshal([]byte(r.value()), &value); err != nil {
		t.Fatal(err)
	}
	set(object, r.path, value)
	if r.namespacePath != "" {
		set(object, r.namespacePath, elsewhere)
	}
	if r.kindPath != "" {
		set(object, r.kindPath, r.targetKind())
	}
	if before, ok := strings.CutSuffix(r.path, "csi/volumeAttributes/secretName"); ok {
		set(object, before+"csi/driver", "file.csi.azure.com")
	}
	if before, ok := strings.CutSuffix(r.path, "allowedSecrets"); ok && r.group == "dapr.io" {
		set(object, before+"storeName", "kubernetes") // the names are those of a secret store
	}
	if r.group == "rbac.authorization.k8s.io" {
		set(object, "rules/apiGroups", []any{""})
		set(object, "rules/resources", []any{strings.ToLower(r.targetKind()) + "s"})
	}
	text, err := yaml.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	s := string(text)
	if strings.HasSuffix(r.kind, "AdmissionPolicyBinding") {
		// The policy determines the kind of its parameters.
		s = strings.Replace(s, "spec:\n", "spec:\n  policyName: policy\n", 1)
		s += "---\napiVersion: admissionregistration.k8s.io/v1\nkind: " + strings.TrimSuffix(r.kind, "Binding") +
			"\nmetadata: {name: policy}\nspec: {paramKind: {apiVersion: v1, kind: " + r.targetKind() + "}}\n"
	}
	return s
}

// manifests returns the row's target and its referrer.
func (r referenceRow) manifests(t *testing.T) string {
	t.Helper()
	data := "data"
	if r.targetKind() == "Secret" {
		data = "stringData"
	}
	return fmt.Sprintf("apiVersion: v1\nkind: %s\nmetadata: {name: %s, namespace: %s}\n%s: {%s: x}\n---\n%s",
		r.targetKind(), rowTarget, r.namespace(), data, rowKey, r.referrer(t))
}

// renamed runs mode Rename with rules only and reports whether the target was renamed, and whether the referrer
// follows.
func (r referenceRow) renamed(t *testing.T, discover bool) (renamed, follows bool) {
	t.Helper()
	config := v1alpha1.New(v1alpha1.ModeRename, "")
	config.Spec.Discover = &discover
	config.Spec.Rename.ReadByName = v1alpha1.ReadByNameRename
	if r.group == "rbac.authorization.k8s.io" { // resourceNames follow a rename but never cause one
		config.Spec.Rename.Unreferenced = v1alpha1.UnreferencedRename
	}
	var out bytes.Buffer
	if _, err := function.Process([]byte(r.manifests(t)), &out, function.Options{Config: config}); err != nil {
		t.Errorf("%s: %v", r, err)
		return false, false
	}
	target, referrer, _ := strings.Cut(out.String(), "\n---\n")
	renamed = strings.Contains(target, "name: "+rowTarget+"-")
	return renamed, strings.Contains(referrer, rowTarget+"-") && !regexp.MustCompile(rowTarget+`(?:[^-\w]|$)`).MatchString(referrer)
}

func TestReferences_followEveryRowOfTheSurvey(t *testing.T) {
	rows, err := referenceRows()
	if err != nil {
		t.Fatal(err)
	}
	plain, followed := 0, 0
	var lost []string
	for _, r := range rows {
		renamed, follows := r.renamed(t, false)
		switch {
		case r.role == "producer":
			if renamed || follows {
				t.Errorf("%s: what a controller writes is renamed", r)
			}
			continue
		case renamed != follows:
			t.Errorf("%s: renamed %t, followed %t", r, renamed, follows)
		case r.plain():
			plain++
			if follows {
				followed++
			}
		}
		if !follows {
			lost = append(lost, r.String())
		}
	}
	t.Logf("%d rows, %d of them plain names in the referrer's namespace, %d of which are followed", len(rows), plain, followed)
	if plain < 11_000 || float64(followed) < 0.99*float64(plain) {
		t.Errorf("%d of %d plain names are followed, want 99 %%", followed, plain)
	}
	slices.Sort(lost)
	if diff := cmp.Diff(notFollowed, lost); diff != "" {
		t.Errorf("other rows are not followed (-known +now):\n%s", diff)
	}
}

// notFollowed are the rows that are not followed, sorted: a Trigger has its own interceptors directly beneath spec, and
// those are followed.
var notFollowed = []string{
	"triggers.tekton.dev Trigger spec/triggers/interceptors/params/value/secretRef/secretName: consumer Secret, name, referrer",
}

// withheld returns the row with another group, so that no rule covers it.
func (r referenceRow) withheld() referenceRow {
	r.group = strings.TrimSuffix("withheld.example."+r.group, ".")
	return r
}

// TestReferences_areDiscoveredByShape removes the rules of every second group, and measures what shapes alone find.
func TestReferences_areDiscoveredByShape(t *testing.T) {
	rows, err := referenceRows()
	if err != nil {
		t.Fatal(err)
	}
	groups := map[string]int{}
	var consumers, found, producers, hit int
	lost := map[string]int{}
	for _, r := range rows {
		if _, met := groups[r.group]; !met {
			groups[r.group] = len(groups)
		}
		if groups[r.group]%2 == 0 || r.format != "name" || r.namespaceRule == "controller" || r.namespaceRule == "workload" || strings.HasPrefix(r.path, "metadata/") {
			continue
		}
		_, follows := r.withheld().renamed(t, true)
		switch r.role {
		case "producer":
			producers++
			if follows {
				hit++
			}
		default:
			consumers++
			if follows {
				found++
			} else {
				lost[lastKeys(r.path)]++
			}
		}
	}
	t.Logf("%d of %d fields of %d groups without rules are discovered (%.1f %%); of %d fields that tell a controller what to write, %d are taken for references",
		found, consumers, len(groups)/2, 100*float64(found)/float64(consumers), producers, hit)
	for _, path := range slices.SortedFunc(maps.Keys(lost), func(a, b string) int { return lost[b] - lost[a] })[:min(len(lost), 20)] {
		t.Logf("not discovered: %d of the form …/%s", lost[path], path)
	}
	if float64(found) < 0.9*float64(consumers) {
		t.Errorf("%d of %d are discovered, want 90 %%", found, consumers)
	}
}

func lastKeys(path string) string {
	segments := strings.Split(path, "/")
	return strings.Join(segments[max(0, len(segments)-2):], "/")
}

// TestReferences_ofLookAlikesDoNotCount puts an object's name into fields that only look like references.
func TestReferences_ofLookAlikesDoNotCount(t *testing.T) {
	hits, lookAlikes := 0, catalog.Builtin().Shapes().LookAlikes
	for _, l := range lookAlikes {
		r := referenceRow{
			group: strings.Replace(l.Group, "*", "example.com", 1), kind: strings.Replace(l.Kinds[0], "*", "Thing", 1),
			path: strings.ReplaceAll(strings.ReplaceAll(l.Path.String(), "**", "spec"), "*", "any"),
			role: "consumer", target: "Secret", format: "name", namespaceRule: "referrer",
		}
		if _, follows := r.renamed(t, true); follows {
			t.Errorf("%s: taken for a reference, and is %s", r, l.Note)
		}
		if _, follows := r.withheld().renamed(t, true); follows {
			hits++
		}
	}
	t.Logf("of %d fields that look like references, %d would be taken for one in a kind of which nothing is known", len(lookAlikes), hits)
	if len(lookAlikes) < 24 {
		t.Errorf("%d look-alikes, want at least 24", len(lookAlikes))
	}
}
