package build

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/api/konfig"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/provider"
	"sigs.k8s.io/kustomize/api/resmap"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"

	"github.com/confighash/confighash/pkg/api/v1alpha1"
)

// A source is the file system that kustomize reads. It removes confighash from the transformers of kustomizations, and
// records their functionConfigs and name references. So the function runs once, in this process, and needs no plugins.
type source struct {
	filesys.FileSystem
	options *krusty.Options
	root    string          // the kustomization that is built
	around  map[string]bool // the directories of the root and its components, whose transformers see every resource
	met     map[string]bool // the kustomizations already recorded
	schema  bool            // one of them brings an OpenAPI schema

	outer, inner []file // functionConfigs: those of the root and its components, and of inner layers
	references   []v1alpha1.Reference
}

type file struct {
	name string
	data []byte
}

// IsKustomization reports whether a file's name is one of a kustomization.
func IsKustomization(file string) bool {
	return slices.Contains(konfig.RecognizedKustomizationFileNames(), filepath.Base(file))
}

// HasKustomization reports whether kustomize can build a directory.
func HasKustomization(dir string) bool {
	return slices.ContainsFunc(konfig.RecognizedKustomizationFileNames(), func(name string) bool {
		_, err := os.Stat(filepath.Join(dir, name))
		return err == nil
	})
}

// ReadFile reads a file for kustomize, without confighash if it is a kustomization.
func (s *source) ReadFile(path string) ([]byte, error) {
	data, err := s.FileSystem.ReadFile(path)
	if err != nil || !IsKustomization(path) {
		return data, err
	}
	dir := filepath.Dir(path)
	isRoot := s.root == ""
	if isRoot {
		s.root, s.around[dir] = path, true
		if name := filepath.Join(dir, "confighash.yaml"); s.Exists(name) {
			beside, err := s.FileSystem.ReadFile(name)
			if err != nil {
				return nil, err
			}
			s.outer = append(s.outer, file{Relative(name), beside})
		}
	}
	noted := s.met[path]
	s.met[path] = true
	var k map[string]any
	if yaml.Unmarshal(data, &k) != nil {
		return data, nil // kustomize says what is wrong
	}
	if s.around[dir] {
		for _, component := range texts(k["components"]) {
			if at, _, err := s.CleanedAbs(filepath.Join(dir, component)); err == nil {
				s.around[at.String()] = true
			}
		}
	}
	_, openapi := k["openapi"]
	s.schema = s.schema || openapi
	transformers, functionConfigs := s.withoutFunction(path, texts(k["transformers"]))
	if !noted {
		s.addReferences(dir, texts(k["configurations"]))
		if s.around[dir] {
			s.outer = append(s.outer, functionConfigs...)
		} else {
			s.inner = append(s.inner, functionConfigs...)
		}
	}
	changed := functionConfigs != nil
	// With the annotations of buildMetadata, the output would mention the transformer.
	if isRoot && !isEmpty(k) && !slices.ContainsFunc(texts(k["buildMetadata"]), func(s string) bool { return strings.HasSuffix(s, "Annotations") }) {
		transformers, changed = append(transformers, markFixed(len(transformers))), true
	}
	if !changed {
		return data, nil
	}
	k["transformers"] = transformers
	return json.Marshal(k)
}

// markFixed returns the nth transformer of a list: one built into kustomize, which marks what a generator made with
// disableNameSuffixHash.
func markFixed(n int) string {
	return fmt.Sprintf(`apiVersion: builtin
kind: PatchTransformer
metadata:
  name: confighash-%d
patch: '[{"op": "add", "path": "/metadata/annotations/confighash.dev~1generated-without-suffix", "value": "true"}]'
target:
  annotationSelector: internal.config.kubernetes.io/generatorBehavior,!internal.config.kubernetes.io/needsHashSuffix
`, n)
}

// isEmpty reports whether a kustomization has no fields, which kustomize refuses.
func isEmpty(k map[string]any) bool {
	for key := range k {
		if key != "apiVersion" && key != "kind" {
			return false
		}
	}
	return true
}

func texts(list any) []string {
	var all []string
	items, _ := list.([]any)
	for _, item := range items {
		if text, ok := item.(string); ok {
			all = append(all, text)
		}
	}
	return all
}

// withoutFunction returns the transformers of the kustomization at path without confighash, and the functionConfigs of
// confighash. A no-op transformer takes its place, as kustomize refuses an empty kustomization.
func (s *source) withoutFunction(path string, transformers []string) (rest []string, found []file) {
	for _, entry := range transformers {
		loaded, err := s.load(filepath.Dir(path), entry)
		if err != nil {
			rest = append(rest, entry) // kustomize says what is wrong
			continue
		}
		name := Relative(filepath.Join(filepath.Dir(path), entry))
		if strings.Contains(entry, "\n") {
			name = Relative(path)
		}
		others, before := []string(nil), len(found)
		for _, r := range loaded.Resources() {
			text, err := r.AsYAML()
			switch {
			case err != nil:
			case r.GetGvk().Group == "confighash.dev" && r.GetKind() == v1alpha1.Kind:
				found = append(found, file{name, text})
				others = append(others, markFixed(len(rest)+len(others)))
			default:
				others = append(others, string(text))
			}
		}
		if len(found) == before {
			others = []string{entry}
		}
		rest = append(rest, others...)
	}
	return rest, found
}

// load reads an entry of transformers: an inline resource, a file of resources or a kustomization.
func (s *source) load(dir, entry string) (resmap.ResMap, error) {
	factory := resmap.NewFactory(provider.NewDefaultDepProvider().GetResourceFactory())
	if inline, err := factory.NewResMapFromBytes([]byte(entry)); err == nil {
		return inline, nil
	}
	path := filepath.Join(dir, entry)
	if s.IsDir(path) {
		o := *s.options
		o.Reorder = krusty.ReorderOptionNone
		return krusty.MakeKustomizer(&o).Run(s.FileSystem, path)
	}
	if s.options.LoadRestrictions == types.LoadRestrictionsRootOnly && !filepath.IsLocal(entry) {
		return nil, filepath.ErrBadPattern
	}
	data, err := s.FileSystem.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return factory.NewResMapFromBytes(data)
}

// addReferences records the references to ConfigMaps and Secrets in configurations.
func (s *source) addReferences(dir string, configurations []string) {
	for _, name := range configurations {
		var config struct {
			NameReference []struct {
				v1alpha1.Reference
				Kind string `json:"kind"`
			} `json:"nameReference"`
		}
		data, err := s.FileSystem.ReadFile(filepath.Join(dir, name))
		if err != nil || yaml.Unmarshal(data, &config) != nil {
			continue // kustomize says what is wrong
		}
		for _, r := range config.NameReference {
			if (r.Kind == "ConfigMap" || r.Kind == "Secret") && r.Group == "" && (r.Version == "" || r.Version == "v1") {
				r.Reference.Kind = v1alpha1.TargetKind(r.Kind)
				s.references = append(s.references, r.Reference)
			}
		}
	}
}
