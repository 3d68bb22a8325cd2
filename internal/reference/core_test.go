package reference

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/test/support/gen"
)

// A coreField is a field known to name a ConfigMap or a Secret, from a survey of the APIs that did not use the
// catalogue.
type coreField struct {
	Group, Kind, Path string
	Target            string // kinds separated by |
	Role              string // consumer if empty
	Format            string // the plain name if empty
	NamespacePath     string
	KindPath          string
}

func sibling(path catalog.Path, key string) catalog.Path {
	return append(slices.Clone(path[:len(path)-1]), catalog.Segment(key))
}

// coreFields reads the survey, with kinds that stand for several replaced by one of them.
func coreFields(t *testing.T) []coreField {
	t.Helper()
	text, err := os.ReadFile("testdata/core-references.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var fields []coreField
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		var f coreField
		if err := json.Unmarshal(lines.Bytes(), &f); err != nil {
			t.Fatal(err)
		}
		switch {
		case f.Kind == "every pod template":
			f.Group, f.Kind, f.Path = "apps", "Deployment", "spec/template/"+f.Path
		case f.Kind == "Pod and every podSpec":
			f.Kind, f.Path, f.NamespacePath = "Pod", "spec/"+f.Path, "spec/"+f.NamespacePath
		case f.Kind == "any":
			f.Group = "example.com"
		case f.Group == "*" && strings.HasSuffix(f.Kind, "Job"):
			f.Group = "batch"
		case f.Group == "*":
			f.Group = "apps"
		}
		fields = append(fields, f)
	}
	return fields
}

// values returns a value of a format that names the object "target" of a kind, and the namespace that it gives.
func values(format, kind string) (value any, namespace string) {
	switch format {
	case "", "name (may be a ${pvc.*} template)", "name (may be a template)", "polymorphic":
		return "target", ""
	case "list of names":
		return []any{"first", "target"}, ""
	case "comma list of names":
		return "first, target", ""
	case "comma list of [namespace/]name":
		return "first,other/target", "other"
	case "namespace/name", "namespace/name (required)", "name or namespace/name", "name, namespace/name or file://path":
		return "other/target", "other"
	case "list ENV=secret[:key]":
		return "A=target:key", ""
	case "JSON object, key secretName":
		return `{"issuer": "x", "secretName": "target"}`, ""
	case "JSON list/map of core Volume":
		if kind == "Secret" {
			return `{"v": {"secret": {"secretName": "target"}}}`, ""
		}
		return `[{"name": "v", "configMap": {"name": "target"}}]`, ""
	case `comma list of group/[namespaces/<ns>/]Kind/name; core objects start with "/"`:
		return "apps/namespaces/other/Deployment/target,/namespaces/other/" + kind + "/target", "other"
	case "YAML list, sourceRef{kind,group,apiVersion,name,namespace}":
		return "- sourceRef: {apiVersion: v1, kind: " + kind + ", namespace: other, name: target}", "other"
	case "YAML {apiVersion,kind,name}":
		return "apiVersion: v1\nkind: " + kind + "\nname: target\n", ""
	}
	return nil, ""
}

func TestFind_knowsEveryFieldOfTheSurvey(t *testing.T) {
	fields := coreFields(t)
	if len(fields) < 380 {
		t.Fatalf("the survey holds %d fields, want all of core", len(fields))
	}
	f := NewFinder(catalog.Builtin())
	for _, field := range fields {
		path, err := catalog.ParsePath(field.Path)
		if err != nil {
			t.Fatal(err)
		}
		for kind := range strings.SplitSeq(field.Target, "|") {
			value, namespace := values(field.Format, kind)
			if value == nil {
				t.Errorf("%s %s: format %q is not known here", field.Kind, field.Path, field.Format)
				continue
			}
			object := map[string]any{}
			gen.Set(object, path, value)
			if field.NamespacePath != "" {
				ns, err := catalog.ParsePath(field.NamespacePath)
				if err != nil {
					t.Fatal(err)
				}
				gen.Set(object, ns, "other")
				namespace = "other"
			}
			switch {
			case field.KindPath != "":
				at, err := catalog.ParsePath(field.KindPath)
				if err != nil {
					t.Fatal(err)
				}
				gen.Set(object, at, kind)
			case field.Format == "list of names":
				gen.Set(object, sibling(path, "apiGroups"), []any{""})
				gen.Set(object, sibling(path, "resources"), []any{"pods", strings.ToLower(kind) + "s"})
			case strings.Contains(field.Path, "csi/volumeAttributes"):
				gen.Set(object, sibling(path[:len(path)-1], "driver"), "file.csi.azure.com")
			}
			text, err := yaml.Marshal(object)
			if err != nil {
				t.Fatal(err)
			}
			found, err := f.Find(field.Group, "v1", field.Kind, parse(t, string(text)))
			if err != nil {
				t.Errorf("%s %s: %v", field.Kind, field.Path, err)
			}
			if !slices.ContainsFunc(found.References, func(r Reference) bool {
				return r.Name == "target" && r.Namespace == namespace && r.Targets.Has(catalog.TargetOf(kind)) &&
					r.Role.String() == cmp.Or(field.Role, "consumer")
			}) {
				t.Errorf("%s.%s %s: no %s %s/target is found in\n%s", field.Kind, field.Group, field.Path, kind, namespace, text)
			}
		}
	}
}
