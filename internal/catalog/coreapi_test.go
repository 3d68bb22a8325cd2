package catalog

import (
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
	admissionv1 "k8s.io/api/admission/v1"
	admissionv1beta1 "k8s.io/api/admission/v1beta1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	admissionregistrationv1alpha1 "k8s.io/api/admissionregistration/v1alpha1"
	admissionregistrationv1beta1 "k8s.io/api/admissionregistration/v1beta1"
	apidiscoveryv2 "k8s.io/api/apidiscovery/v2"
	apidiscoveryv2beta1 "k8s.io/api/apidiscovery/v2beta1"
	apiserverinternalv1alpha1 "k8s.io/api/apiserverinternal/v1alpha1"
	appsv1 "k8s.io/api/apps/v1"
	appsv1beta1 "k8s.io/api/apps/v1beta1"
	appsv1beta2 "k8s.io/api/apps/v1beta2"
	authenticationv1 "k8s.io/api/authentication/v1"
	authenticationv1alpha1 "k8s.io/api/authentication/v1alpha1"
	authenticationv1beta1 "k8s.io/api/authentication/v1beta1"
	authorizationv1 "k8s.io/api/authorization/v1"
	authorizationv1beta1 "k8s.io/api/authorization/v1beta1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	batchv1beta1 "k8s.io/api/batch/v1beta1"
	certificatesv1 "k8s.io/api/certificates/v1"
	certificatesv1alpha1 "k8s.io/api/certificates/v1alpha1"
	certificatesv1beta1 "k8s.io/api/certificates/v1beta1"
	coordinationv1 "k8s.io/api/coordination/v1"
	coordinationv1alpha2 "k8s.io/api/coordination/v1alpha2"
	coordinationv1beta1 "k8s.io/api/coordination/v1beta1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	discoveryv1beta1 "k8s.io/api/discovery/v1beta1"
	eventsv1 "k8s.io/api/events/v1"
	eventsv1beta1 "k8s.io/api/events/v1beta1"
	extensionsv1beta1 "k8s.io/api/extensions/v1beta1"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	flowcontrolv1beta1 "k8s.io/api/flowcontrol/v1beta1"
	flowcontrolv1beta2 "k8s.io/api/flowcontrol/v1beta2"
	flowcontrolv1beta3 "k8s.io/api/flowcontrol/v1beta3"
	imagepolicyv1alpha1 "k8s.io/api/imagepolicy/v1alpha1"
	lifecyclev1alpha1 "k8s.io/api/lifecycle/v1alpha1"
	networkingv1 "k8s.io/api/networking/v1"
	networkingv1beta1 "k8s.io/api/networking/v1beta1"
	nodev1 "k8s.io/api/node/v1"
	nodev1alpha1 "k8s.io/api/node/v1alpha1"
	nodev1beta1 "k8s.io/api/node/v1beta1"
	policyv1 "k8s.io/api/policy/v1"
	policyv1beta1 "k8s.io/api/policy/v1beta1"
	rbacv1 "k8s.io/api/rbac/v1"
	rbacv1alpha1 "k8s.io/api/rbac/v1alpha1"
	rbacv1beta1 "k8s.io/api/rbac/v1beta1"
	resourcev1 "k8s.io/api/resource/v1"
	resourcev1alpha3 "k8s.io/api/resource/v1alpha3"
	resourcev1beta1 "k8s.io/api/resource/v1beta1"
	resourcev1beta2 "k8s.io/api/resource/v1beta2"
	schedulingv1 "k8s.io/api/scheduling/v1"
	schedulingv1alpha3 "k8s.io/api/scheduling/v1alpha3"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	storagev1 "k8s.io/api/storage/v1"
	storagev1alpha1 "k8s.io/api/storage/v1alpha1"
	storagev1beta1 "k8s.io/api/storage/v1beta1"
	storagemigrationv1 "k8s.io/api/storagemigration/v1"
	storagemigrationv1beta1 "k8s.io/api/storagemigration/v1beta1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// coreAPIs are all groups and versions of k8s.io/api. TestCoreAPIs_areAllExamined fails when one is missing.
var coreAPIs = runtime.SchemeBuilder{
	admissionv1.AddToScheme,
	admissionv1beta1.AddToScheme,
	admissionregistrationv1.AddToScheme,
	admissionregistrationv1alpha1.AddToScheme,
	admissionregistrationv1beta1.AddToScheme,
	apidiscoveryv2.AddToScheme,
	apidiscoveryv2beta1.AddToScheme,
	apiserverinternalv1alpha1.AddToScheme,
	appsv1.AddToScheme,
	appsv1beta1.AddToScheme,
	appsv1beta2.AddToScheme,
	authenticationv1.AddToScheme,
	authenticationv1alpha1.AddToScheme,
	authenticationv1beta1.AddToScheme,
	authorizationv1.AddToScheme,
	authorizationv1beta1.AddToScheme,
	autoscalingv1.AddToScheme,
	autoscalingv2.AddToScheme,
	batchv1.AddToScheme,
	batchv1beta1.AddToScheme,
	certificatesv1.AddToScheme,
	certificatesv1alpha1.AddToScheme,
	certificatesv1beta1.AddToScheme,
	coordinationv1.AddToScheme,
	coordinationv1alpha2.AddToScheme,
	coordinationv1beta1.AddToScheme,
	corev1.AddToScheme,
	discoveryv1.AddToScheme,
	discoveryv1beta1.AddToScheme,
	eventsv1.AddToScheme,
	eventsv1beta1.AddToScheme,
	extensionsv1beta1.AddToScheme,
	flowcontrolv1.AddToScheme,
	flowcontrolv1beta1.AddToScheme,
	flowcontrolv1beta2.AddToScheme,
	flowcontrolv1beta3.AddToScheme,
	imagepolicyv1alpha1.AddToScheme,
	lifecyclev1alpha1.AddToScheme,
	networkingv1.AddToScheme,
	networkingv1beta1.AddToScheme,
	nodev1.AddToScheme,
	nodev1alpha1.AddToScheme,
	nodev1beta1.AddToScheme,
	policyv1.AddToScheme,
	policyv1beta1.AddToScheme,
	rbacv1.AddToScheme,
	rbacv1alpha1.AddToScheme,
	rbacv1beta1.AddToScheme,
	resourcev1.AddToScheme,
	resourcev1alpha3.AddToScheme,
	resourcev1beta1.AddToScheme,
	resourcev1beta2.AddToScheme,
	schedulingv1.AddToScheme,
	schedulingv1alpha3.AddToScheme,
	schedulingv1beta1.AddToScheme,
	storagev1.AddToScheme,
	storagev1alpha1.AddToScheme,
	storagev1beta1.AddToScheme,
	storagemigrationv1.AddToScheme,
	storagemigrationv1beta1.AddToScheme,
}

// coreKinds returns the types of all kinds whose objects can be applied, and their packages.
func coreKinds(t *testing.T) (kinds map[schema.GroupVersionKind]reflect.Type, packages map[string]bool) {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := coreAPIs.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	kinds, packages = map[schema.GroupVersionKind]reflect.Type{}, map[string]bool{}
	for id, typ := range scheme.AllKnownTypes() {
		packages[typ.PkgPath()] = true
		if meta, ok := typ.FieldByName("ObjectMeta"); ok && meta.Type == reflect.TypeFor[metav1.ObjectMeta]() {
			kinds[id] = typ
		}
	}
	return kinds, packages
}

// TestCoreAPIs_areAllExamined compares the packages above with those of the module in go.mod, to detect new groups.
func TestCoreAPIs_areAllExamined(t *testing.T) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "k8s.io/api").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	root := strings.TrimSpace(string(out))
	_, packages := coreKinds(t)
	registered := 0
	err = filepath.WalkDir(root, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.Name() != "register.go" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(text), "AddToScheme") {
			return err
		}
		dir, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		registered++
		if name := "k8s.io/api/" + filepath.ToSlash(dir); !packages[name] {
			t.Errorf("%s is not among coreAPIs", name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if registered < 50 {
		t.Errorf("%d packages are found under %s, which cannot be all", registered, root)
	}
}

// A candidate is a field that, judging by its type or name, may hold the name of a ConfigMap or a Secret.
type candidate struct {
	path   Path
	target Target // as far as known from type and name
}

var (
	aboutTargets    = regexp.MustCompile(`(?i)secret|configmap`)
	referenceTypes  = regexp.MustCompile(`(Reference|Ref|Selector|Source|Projection|Kind)$`)
	opaqueTypes     = []reflect.Type{reflect.TypeFor[resource.Quantity](), reflect.TypeFor[runtime.RawExtension]()}
	metaPackage     = reflect.TypeFor[metav1.ObjectMeta]().PkgPath()
	namesOfAnything = []string{"resourceNames"}
)

// candidates returns the candidates in a type. The status is left out, as it is written by controllers and never
// applied.
func candidates(typ reflect.Type) []candidate {
	var found []candidate
	var visit func(typ reflect.Type, path Path, around []reflect.Type)
	visit = func(typ reflect.Type, path Path, around []reflect.Type) {
		switch typ.Kind() {
		case reflect.Pointer, reflect.Slice:
			visit(typ.Elem(), path, around)
		case reflect.Map:
			visit(typ.Elem(), path.join(Path{"*"}), around)
		case reflect.Struct:
			if typ.PkgPath() == metaPackage || slices.Contains(opaqueTypes, typ) || slices.Contains(around, typ) {
				return
			}
			around = append(slices.Clone(around), typ)
			for _, field := range reflect.VisibleFields(typ) {
				name, ok := jsonName(field)
				if !ok || len(path) == 0 && name == "status" {
					continue
				}
				at := path.join(Path{Segment(name)})
				if leaf := element(field.Type); leaf.Kind() == reflect.String {
					if isCandidate(typ, path, name) {
						found = append(found, candidate{at, targetOf(typ, at)})
					}
					continue
				}
				visit(field.Type, at, around)
			}
		}
	}
	visit(typ, nil, nil)
	return found
}

// jsonName returns the key of a field, and false if it has none, such as the embedded structs that VisibleFields lists
// beside their fields.
func jsonName(field reflect.StructField) (string, bool) {
	name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
	return name, name != "" && name != "-" && field.IsExported()
}

// element returns the element type of a pointer, list, or map.
func element(typ reflect.Type) reflect.Type {
	for typ.Kind() == reflect.Pointer || typ.Kind() == reflect.Slice || typ.Kind() == reflect.Map {
		typ = typ.Elem()
	}
	return typ
}

func isCandidate(in reflect.Type, path Path, name string) bool {
	if aboutTargets.MatchString(name) || slices.Contains(namesOfAnything, name) {
		return true
	}
	return name == "name" && (referenceTypes.MatchString(in.Name()) || len(path) > 0 && aboutTargets.MatchString(string(path[len(path)-1])))
}

// targetOf returns the kind that the type, or else the last two keys, mention.
func targetOf(in reflect.Type, path Path) Target {
	for _, text := range []string{in.Name(), strings.Join([]string{string(path[max(0, len(path)-2)]), string(path[len(path)-1])}, " ")} {
		var target Target
		if strings.Contains(strings.ToLower(text), "configmap") {
			target |= ConfigMap
		}
		if strings.Contains(strings.ToLower(text), "secret") {
			target |= Secret
		}
		if target != 0 {
			return target
		}
	}
	return 0
}

// covers reports whether a path, which may have patterns, matches a field.
func covers(pattern, path Path) bool {
	if len(pattern) == 0 {
		return len(path) == 0
	}
	if pattern[0] == AnyDepth {
		return covers(pattern[1:], path) || len(path) > 0 && covers(pattern, path[1:])
	}
	return len(path) > 0 && pattern[0].Matches(string(path[0])) && covers(pattern[1:], path[1:])
}

// An exclusion is a candidate that does not name a ConfigMap or Secret.
type exclusion struct {
	Kinds  []string `yaml:"kinds"`
	Path   string   `yaml:"path"`
	Reason string   `yaml:"reason"`

	path Path
	used bool
}

func exclusions(t *testing.T) []*exclusion {
	t.Helper()
	file, err := os.Open("testdata/excluded.yaml")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var list []*exclusion
	decoder := yaml.NewDecoder(file)
	decoder.KnownFields(true)
	if err := decoder.Decode(&list); err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		if e.path, err = ParsePath(e.Path); err != nil || e.Reason == "" || len(e.Kinds) == 0 {
			t.Fatalf("exclusion of %q in %q: kinds, a path, and a reason are needed; %v", e.Path, e.Kinds, err)
		}
	}
	return list
}

// TestCoreAPIs_everyFieldIsListedOrExcluded derives from the types of k8s.io/api which fields can name a ConfigMap or a
// Secret.
func TestCoreAPIs_everyFieldIsListedOrExcluded(t *testing.T) {
	kinds, _ := coreKinds(t)
	excluded := exclusions(t)
	listed := 0
	for id, typ := range kinds {
		k := Builtin().Kind(id.Group, id.Version, id.Kind)
		if k == nil {
			k = &Kind{}
		}
		for _, c := range candidates(typ) {
			at := slices.IndexFunc(k.References, func(r Rule) bool { return covers(r.Path, c.path) })
			if at >= 0 {
				listed++
				if r := k.References[at]; c.target != 0 && r.Targets != c.target {
					t.Errorf("%s: %s names a %s by its type and a %s by the catalogue", id, c.path, c.target, r.Targets)
				}
			}
			out := false
			for _, e := range excluded {
				if (slices.Contains(e.Kinds, id.Kind) || e.Kinds[0] == "*") && covers(e.path, c.path) {
					e.used, out = true, true
				}
			}
			switch {
			case at >= 0 && out:
				t.Errorf("%s: %s is both listed and excluded", id, c.path)
			case at < 0 && !out:
				t.Errorf("%s: %s is neither listed nor excluded", id, c.path)
			}
		}
	}
	if listed < 300 {
		t.Errorf("%d fields are listed, which cannot be all", listed)
	}
	for _, e := range excluded {
		if !e.used {
			t.Errorf("the exclusion of %s in %s is about no field", e.Path, e.Kinds)
		}
	}
}

// TestCoreAPIs_everyListedFieldExists finds rules of the catalogue for fields that no longer exist.
func TestCoreAPIs_everyListedFieldExists(t *testing.T) {
	kinds, _ := coreKinds(t)
	versions := map[GroupKind][]schema.GroupVersionKind{}
	groups := map[string]bool{}
	for id := range kinds {
		groups[id.Group] = true
		versions[GroupKind{id.Group, id.Kind}] = append(versions[GroupKind{id.Group, id.Kind}], id)
	}
	checked := 0
	groupDocuments(t, func(t *testing.T, file string, _ document, raw *rawKind) {
		group := file
		if file == coreFile {
			group = ""
		}
		if !groups[group] {
			return
		}
		for _, kind := range raw.Kinds {
			ids := versions[GroupKind{group, kind}]
			if len(ids) == 0 {
				t.Errorf("%s: k8s.io/api has no kind %s", file, kind)
			}
			is := map[string]bool{}
			for _, id := range ids {
				k := Builtin().Kind(id.Group, id.Version, id.Kind)
				for _, r := range k.References {
					is[r.Path.String()] = is[r.Path.String()] || isField(kinds[id], r.Path)
				}
				for _, e := range k.Exports {
					is[e.Path.String()] = is[e.Path.String()] || isField(kinds[id], e.Path)
				}
			}
			for path, there := range is {
				checked++
				if !there {
					t.Errorf("%s: %s has no field %s in any version", file, kind, path)
				}
			}
		}
	})
	if checked < 300 {
		t.Errorf("%d fields are checked, which cannot be all", checked)
	}
}

func isField(typ reflect.Type, path Path) bool {
	for typ.Kind() == reflect.Pointer || typ.Kind() == reflect.Slice {
		typ = typ.Elem()
	}
	switch {
	case typ == reflect.TypeFor[runtime.RawExtension]():
		return true // it may hold anything
	case len(path) == 0:
		return typ.Kind() == reflect.String
	}
	switch typ.Kind() {
	case reflect.Map:
		return isField(typ.Elem(), path[1:])
	case reflect.Struct:
		for _, field := range reflect.VisibleFields(typ) {
			if name, ok := jsonName(field); ok && path[0].Matches(name) && isField(field.Type, path[1:]) {
				return true
			}
		}
	}
	return false
}
