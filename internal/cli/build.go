package cli

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/confighash/confighash/internal/build"
	"github.com/confighash/confighash/internal/typo"
	"github.com/confighash/confighash/pkg/api/v1alpha1"
	"github.com/confighash/confighash/pkg/function"
)

// buildFlags are the flags of commands that build kustomizations.
type buildFlags struct {
	flags
	build.Options
}

func (f *buildFlags) addKustomize(cmd *cobra.Command) {
	k := &f.Kustomize
	cmd.Flags().StringVar(&k.LoadRestrictor, "load-restrictor", "LoadRestrictionsRootOnly", "whether kustomizations read files outside of their folder: LoadRestrictionsRootOnly, or `LoadRestrictionsNone`")
	cmd.Flags().BoolVar(&k.EnableHelm, "enable-helm", false, "let kustomize render charts")
	cmd.Flags().StringVar(&k.HelmCommand, "helm-command", "helm", "the helm `program` that renders them")
	cmd.Flags().StringArrayVar(&k.HelmAPIVersions, "helm-api-versions", nil, "`version` of an API that charts take to be there; can be repeated")
	cmd.Flags().StringVar(&k.HelmKubeVersion, "helm-kube-version", "", "`version` of Kubernetes that charts take to be there")
	cmd.Flags().BoolVar(&k.EnableAlphaPlugins, "enable-alpha-plugins", false, "let kustomize run other functions and plugins")
	cmd.Flags().BoolVar(&k.EnableExec, "enable-exec", false, "let kustomize run functions that are programs; only for kustomizations that you trust")
	cmd.Flags().BoolVar(&k.Network, "network", false, "let functions in containers that ask for it use the network")
	complete(cmd, "load-restrictor", values("LoadRestrictionsNone", "LoadRestrictionsRootOnly"))
	for _, name := range []string{"helm-api-versions", "helm-kube-version"} {
		complete(cmd, name, values())
	}
}

func newBuild(stdout, stderr *os.File) *cobra.Command {
	var f buildFlags
	var output string
	var argoCD bool
	cmd := &cobra.Command{
		Use:   "build [DIR|URL]…",
		Short: "Build a kustomization and run the function over it",
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := errors.Join(f.checkKeep(cmd), f.Check()); err != nil {
				return err
			}
			if argoCD {
				if err := f.takeParameters(); err != nil {
					return fault(err)
				}
			}
			if len(args) == 0 {
				args = []string{"."}
			}
			if len(args) > 1 && output == "" {
				return errors.New("several folders are given, and each needs a file of its own; give --output FOLDER")
			}
			files, err := f.files(args, output, stderr)
			if err != nil {
				return fault(err)
			}
			return fault(write(files, stdout))
		},
		ValidArgsFunction: cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs),
	}
	f.add(cmd)
	f.addKustomize(cmd)
	cmd.Flags().BoolVar(&f.AllowEmpty, "allow-empty", false, "accept a kustomization that builds no resources")
	cmd.Flags().BoolVar(&argoCD, "argocd", false, "as a plugin of Argo CD, take mode and policy from the Application's parameters, unless the folder says them, and the namespace from its destination")
	cmd.Flags().StringVarP(&output, "output", "o", "", "`file` or folder to write to, instead of stdout")
	return cmd
}

// takeParameters reads the parameters that Argo CD's plugin server passes in the environment. Argo CD keeps earlier
// objects for the pods that still use them, and does not count them when it compares.
// https://argo-cd.readthedocs.io/en/stable/operator-manual/config-management-plugins/
func (f *buildFlags) takeParameters() error {
	config, err := configOf("the parameter ", cmp.Or(os.Getenv("PARAM_MODE"), string(v1alpha1.ModeRename)), os.Getenv("PARAM_POLICY"))
	if err := cmp.Or(checkParameters(os.Getenv("ARGOCD_APP_PARAMETERS")), err); err != nil {
		return err
	}
	f.namespace, f.Default = cmp.Or(f.namespace, os.Getenv("ARGOCD_APP_NAMESPACE")), config
	f.Default.Spec.Rename.Annotations = map[string]string{
		"argocd.argoproj.io/compare-options": "IgnoreExtraneous",
		"argocd.argoproj.io/sync-options":    "Prune=false",
	}
	return nil
}

// checkParameters rejects parameters that takeParameters would ignore: with a misspelt mode, objects would be renamed
// that somebody wants annotated. text is the JSON of all parameters, or "". Argo CD ignores the case of their names.
func checkParameters(text string) error {
	var parameters []struct {
		Name   string  `json:"name"`
		String *string `json:"string"`
	}
	if json.Unmarshal([]byte(cmp.Or(text, "[]")), &parameters) != nil {
		return errors.New("ARGOCD_APP_PARAMETERS is not a list of parameters in JSON, each with a name and a string")
	}
	known := []string{"mode", "policy"}
	for _, p := range parameters {
		if !slices.Contains(known, strings.ToLower(p.Name)) {
			return fmt.Errorf("the parameter %q is not one of mode, policy%s", p.Name, typo.DidYouMean(p.Name, known))
		}
		if p.String == nil {
			return fmt.Errorf("the parameter %s is not a string; write string: VALUE", p.Name)
		}
	}
	return nil
}

// files builds each folder, and returns the files to write by name; "" is stdout.
func (f *buildFlags) files(dirs []string, output string, stderr *os.File) (map[string][]byte, error) {
	options, _, err := f.options()
	if err != nil {
		return nil, err
	}
	f.Function = options
	files := map[string][]byte{}
	var all []error
	for _, dir := range dirs {
		target, err := targetOf(dir, output, len(dirs) > 1)
		if err != nil {
			return nil, err
		}
		text, said, err := build.Run(dir, f.Options)
		if err != nil {
			all = append(all, function.Errors(err)...)
			continue
		}
		prefix := ""
		if len(dirs) > 1 {
			prefix = dir + ": "
		}
		tell(stderr, prefix, said)
		if !f.quiet {
			summarize(stderr, prefix, said)
		}
		if info, err := os.Stat(output); err != nil || !info.IsDir() || len(dirs) > 1 {
			files[target] = text
		} else if files, err = build.Files(text, output); err != nil {
			return nil, err
		}
	}
	return files, errors.Join(all...)
}

// targetOf returns the file for a folder's output.
func targetOf(dir, output string, several bool) (string, error) {
	if !several {
		return output, nil
	}
	path := filepath.Clean(dir)
	if filepath.IsAbs(path) {
		path = build.Relative(path)
	}
	if strings.Contains(dir, "://") || path == "." || !filepath.IsLocal(path) {
		return "", fmt.Errorf("%s: of several folders each must be below the working directory, since its path names the file; build it by itself", dir)
	}
	return filepath.Join(output, path+".yaml"), nil
}

func write(files map[string][]byte, stdout *os.File) error {
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if name == "" {
			if _, err := stdout.Write(files[name]); err != nil {
				return &function.WriteError{Err: err}
			}
			continue
		}
		if err := os.MkdirAll(filepath.Dir(name), fs.ModePerm); err != nil {
			return err
		}
		if err := os.WriteFile(name, files[name], 0o666); err != nil { //nolint:gosec // as kustomize and any shell do
			return err
		}
	}
	return nil
}
