// Package build runs kustomize in this process, and then the function over its output.
//
// The output is that of `kustomize build DIR | confighash`, except for two things that a pipe does not convey: names
// that a generator's disableNameSuffixHash keeps, and the references that `configurations:` declare.
package build

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/provider"
	"sigs.k8s.io/kustomize/api/resmap"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/kustomize/kyaml/openapi"

	"github.com/confighash/confighash/internal/kustomize"
	"github.com/confighash/confighash/pkg/api/v1alpha1"
	"github.com/confighash/confighash/pkg/function"
)

// Kustomize holds the flags of `kustomize build`, by their names.
type Kustomize struct {
	LoadRestrictor                          string
	EnableHelm                              bool
	HelmCommand, HelmKubeVersion            string
	HelmAPIVersions                         []string
	EnableAlphaPlugins, EnableExec, Network bool
}

// Options say how to build.
type Options struct {
	Kustomize
	// Function holds the options of the function. Without a Config, the functionConfig is the file confighash.yaml
	// beside the kustomization, or what the kustomization lists under transformers.
	Function function.Options
	// Default is the functionConfig if there is no other.
	Default *v1alpha1.ConfigHash
	// Optional: without a functionConfig, the output is kustomize's.
	Optional bool
	// AllowEmpty permits a build without resources.
	AllowEmpty bool
}

// Check fails if a flag has a value that kustomize does not know.
func (k Kustomize) Check() error {
	switch k.LoadRestrictor {
	case "", types.LoadRestrictionsRootOnly.String(), types.LoadRestrictionsNone.String():
		return nil
	}
	return fmt.Errorf("--load-restrictor must be %s or %s, not %q", types.LoadRestrictionsRootOnly, types.LoadRestrictionsNone, k.LoadRestrictor)
}

// options converts the flags as kustomize v5.8.2 does in HonorKustomizeFlags.
func (k Kustomize) options() *krusty.Options {
	o := krusty.MakeDefaultOptions()
	o.Reorder = krusty.ReorderOptionUnspecified
	if k.LoadRestrictor == types.LoadRestrictionsNone.String() {
		o.LoadRestrictions = types.LoadRestrictionsNone
	}
	if k.EnableAlphaPlugins {
		o.PluginConfig = types.EnabledPluginConfig(types.BploUseStaticallyLinked)
		o.PluginConfig.FnpLoadingOptions = types.FnPluginLoadingOptions{EnableExec: k.EnableExec, Network: k.Network, NetworkName: "bridge"}
	} else {
		o.PluginConfig.HelmConfig.Enabled = k.EnableHelm
	}
	helm := &o.PluginConfig.HelmConfig
	helm.Command, helm.ApiVersions, helm.KubeVersion = k.HelmCommand, k.HelmAPIVersions, k.HelmKubeVersion
	return o
}

// Run builds the kustomization in a directory or at a URL. It returns the manifests and the function's messages.
func Run(dir string, o Options) ([]byte, *function.Output, error) {
	in, err := Read(dir, o)
	if err != nil {
		return nil, nil, err
	}
	if in.Config == nil {
		return unmark(in.Text), new(function.Output), nil
	}
	o.Function.Config = in.Config
	var out bytes.Buffer
	said, err := function.Process(in.Text, &out, o.Function)
	if err != nil {
		var all []error
		for _, e := range function.Errors(err) {
			all = append(all, fmt.Errorf("%s: %w", in.Name, e))
		}
		return nil, nil, errors.Join(all...)
	}
	return unmark(out.Bytes()), said, nil
}

// An Input is the function's input in [Run].
type Input struct {
	// Name is the path of the kustomization.
	Name string
	// Text is the manifests. Objects whose names must stay are marked.
	Text []byte
	// Config is nil if there is none and Options.Optional is set.
	Config *v1alpha1.ConfigHash
}

// Read does the part of [Run] before the function runs.
func Read(dir string, o Options) (*Input, error) {
	s := &source{FileSystem: filesys.MakeFsOnDisk(), options: o.options(), around: map[string]bool{}, met: map[string]bool{}}
	defer func() {
		if s.schema {
			openapi.ResetOpenAPI() // the next kustomization has another schema, and reading one takes long
		}
	}()
	built, err := krusty.MakeKustomizer(s.options).Run(s, dir)
	if err != nil {
		return nil, s.explain(dir, err)
	}
	if built.Size() == 0 && !o.AllowEmpty {
		return nil, fmt.Errorf("%s: it builds no resources; if that is right, give --allow-empty", s.name(dir))
	}
	config, err := s.functionConfig(dir, o.Function.Config, o.Default)
	if err != nil {
		return nil, err
	}
	if config == nil && !o.Optional {
		return nil, errors.New(s.missing(dir))
	}
	text, err := manifests(built)
	return &Input{s.name(dir), text, config}, err
}

// fixed is the annotation that marks what a generator made with disableNameSuffixHash. kustomize drops its own
// annotation from the output; manifests replaces fixed by that one, which the function knows from kustomize's builds
// around it.
const fixed = "confighash.dev/generated-without-suffix"

// Values of the annotation that the function gets. They say whether the object has other annotations, which must stay.
const (
	alone = "alone"
	along = "along"
)

// manifests returns the resources as kustomize writes them, with a mark on those whose generator keeps their names.
func manifests(built resmap.ResMap) ([]byte, error) {
	for _, r := range built.Resources() {
		annotations := r.GetAnnotations()
		if _, ok := annotations[fixed]; !ok {
			continue
		}
		delete(annotations, fixed)
		annotations[kustomize.GeneratorBehavior] = along
		if len(annotations) == 1 {
			annotations[kustomize.GeneratorBehavior] = alone
		}
		if err := r.SetAnnotations(annotations); err != nil {
			return nil, err
		}
	}
	return built.AsYaml()
}

// unmark removes the marks. kustomize writes each on one line, and the function does not edit marked objects.
func unmark(text []byte) []byte {
	line := "    " + kustomize.GeneratorBehavior + ": "
	text = bytes.ReplaceAll(text, []byte("  annotations:\n"+line+alone+"\n"), nil)
	return bytes.ReplaceAll(text, []byte(line+along+"\n"), nil)
}

// Files divides manifests into files of a folder, as kustomize does if --output is one.
func Files(text []byte, folder string) (map[string][]byte, error) {
	all, err := resmap.NewFactory(provider.NewDefaultDepProvider().GetResourceFactory()).NewResMapFromBytes(text)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	namespaces := all.GroupedByCurrentNamespace()
	for _, r := range all.Resources() {
		data, err := r.AsYAML()
		if err != nil {
			return nil, err
		}
		name := r.GetGvk().StringWoEmptyField() + "_" + r.GetName()
		if namespace := r.CurId().EffectiveNamespace(); len(namespaces) > 1 && namespaces[namespace] != nil {
			name = namespace + "_" + name
		}
		files[filepath.Join(folder, strings.ToLower(name)+".yaml")] = data
	}
	return files, nil
}

// functionConfig returns the functionConfig, including the references that the tree declares: given, or else the
// tree's, or else otherwise. It is nil if there is none.
func (s *source) functionConfig(dir string, given, otherwise *v1alpha1.ConfigHash) (*v1alpha1.ConfigHash, error) {
	if given == nil {
		var first string
		for _, file := range s.outer {
			config, err := v1alpha1.ParseYAML(file.data)
			switch {
			case err != nil:
				return nil, fmt.Errorf("%s: %w", file.name, err)
			case given == nil:
				given, first = config, file.name
			case !reflect.DeepEqual(given.Spec, config.Spec):
				return nil, fmt.Errorf("%s: both %s and %s are functionConfigs for it, and they differ; remove one of them, or choose with --config", s.name(dir), first, file.name)
			}
		}
	}
	if given = cmp.Or(given, otherwise); given == nil {
		return nil, nil //nolint:nilnil // the caller knows whether one is needed
	}
	config := *given
	config.Spec.References = slices.Concat(config.Spec.References, s.references)
	return &config, nil
}

func (s *source) missing(dir string) string {
	if len(s.inner) > 0 {
		return fmt.Sprintf("%s: it lists no confighash under transformers, %s is for an inner layer; list it in the outermost kustomization, or give --config", s.name(dir), s.inner[0].name)
	}
	return fmt.Sprintf("%s: nothing says what to do: give --mode Rename or Annotate, or --config FILE, or put a confighash.yaml beside it", s.name(dir))
}

func (s *source) name(dir string) string {
	if s.root == "" || strings.Contains(dir, "://") {
		return dir
	}
	return filepath.ToSlash(filepath.Join(dir, filepath.Base(s.root)))
}
