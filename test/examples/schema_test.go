//go:build !windows

package examples_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/confighash/confighash/test/support/harness"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/yaml"

	"github.com/confighash/confighash/pkg/api/v1alpha1"
)

// The types of Argo CD, Argo Workflows, Porch and kpt that the examples use, with the fields that these projects
// document and the examples need. Any other field fails a test: look it up in their documentation before adding it
// here.

// typed is the head of an object.
type typed struct {
	metav1.TypeMeta `json:",inline"`
	Metadata        metav1.ObjectMeta `json:"metadata"`
}

// cmp-server/plugin of Argo CD.
type configManagementPlugin struct {
	typed `json:",inline"`
	Spec  struct {
		Version  string        `json:"version"`
		Init     pluginCommand `json:"init"`
		Generate pluginCommand `json:"generate"`
		Discover struct {
			FileName string `json:"fileName"`
		} `json:"discover"`
		Parameters struct {
			Static []struct {
				Name           string `json:"name"`
				Title          string `json:"title"`
				Tooltip        string `json:"tooltip"`
				Required       bool   `json:"required"`
				ItemType       string `json:"itemType"`
				CollectionType string `json:"collectionType"`
				String         string `json:"string"`
			} `json:"static"`
		} `json:"parameters"`
		PreserveFileMode bool `json:"preserveFileMode"`
		ProvideGitCreds  bool `json:"provideGitCreds"`
	} `json:"spec"`
}

type pluginCommand struct {
	Command []string `json:"command"`
	Args    []string `json:"args"`
}

// line returns the command with its arguments.
func (c pluginCommand) line() []string { return append(append([]string{}, c.Command...), c.Args...) }

type argoApplication struct {
	typed `json:",inline"`
	Spec  argoApplicationSpec `json:"spec"`
}

type argoApplicationSpec struct {
	Project        string     `json:"project"`
	Source         argoSource `json:"source"`
	SourceHydrator *struct {
		DrySource  argoSource `json:"drySource"`
		SyncSource struct {
			TargetBranch string `json:"targetBranch"`
			Path         string `json:"path"`
		} `json:"syncSource"`
		HydrateTo *struct {
			TargetBranch string `json:"targetBranch"`
		} `json:"hydrateTo"`
	} `json:"sourceHydrator"`
	Destination struct {
		Server    string `json:"server"`
		Name      string `json:"name"`
		Namespace string `json:"namespace"`
	} `json:"destination"`
	SyncPolicy struct {
		Automated *struct {
			Enabled    *bool `json:"enabled"`
			Prune      bool  `json:"prune"`
			SelfHeal   bool  `json:"selfHeal"`
			AllowEmpty bool  `json:"allowEmpty"`
		} `json:"automated"`
		SyncOptions []string `json:"syncOptions"`
	} `json:"syncPolicy"`
	RevisionHistoryLimit *int64 `json:"revisionHistoryLimit"`
}

type argoSource struct {
	RepoURL        string `json:"repoURL"`
	TargetRevision string `json:"targetRevision"`
	Path           string `json:"path"`
	Plugin         *struct {
		Name       string          `json:"name"`
		Env        []corev1.EnvVar `json:"env"`
		Parameters []struct {
			Name   string            `json:"name"`
			String string            `json:"string"`
			Array  []string          `json:"array"`
			Map    map[string]string `json:"map"`
		} `json:"parameters"`
	} `json:"plugin"`
}

type argoApplicationSet struct {
	typed `json:",inline"`
	Spec  struct {
		GoTemplate        bool     `json:"goTemplate"`
		GoTemplateOptions []string `json:"goTemplateOptions"`
		Generators        []struct {
			Git struct {
				RepoURL     string `json:"repoURL"`
				Revision    string `json:"revision"`
				Directories []struct {
					Path    string `json:"path"`
					Exclude bool   `json:"exclude"`
				} `json:"directories"`
				RequeueAfterSeconds *int64 `json:"requeueAfterSeconds"`
			} `json:"git"`
		} `json:"generators"`
		Template struct {
			Metadata metav1.ObjectMeta   `json:"metadata"`
			Spec     argoApplicationSpec `json:"spec"`
		} `json:"template"`
		TemplatePatch string `json:"templatePatch"`
	} `json:"spec"`
}

// argoCD has the fields that the Argo CD operator reads for the repo-server.
type argoCD struct {
	typed `json:",inline"`
	Spec  struct {
		Repo struct {
			SidecarContainers []corev1.Container `json:"sidecarContainers"`
			Volumes           []corev1.Volume    `json:"volumes"`
		} `json:"repo"`
	} `json:"spec"`
}

type argoProject struct {
	typed `json:",inline"`
	Spec  struct {
		Description  string   `json:"description"`
		SourceRepos  []string `json:"sourceRepos"`
		Destinations []struct {
			Server    string `json:"server"`
			Name      string `json:"name"`
			Namespace string `json:"namespace"`
		} `json:"destinations"`
		ClusterResourceWhitelist []metav1.GroupKind `json:"clusterResourceWhitelist"`
	} `json:"spec"`
}

type argoWorkflowTemplate struct {
	typed `json:",inline"`
	Spec  struct {
		Entrypoint            string                `json:"entrypoint"`
		Arguments             workflowArguments     `json:"arguments"`
		Parallelism           *int64                `json:"parallelism"`
		ActiveDeadlineSeconds *int64                `json:"activeDeadlineSeconds"`
		PodGC                 workflowPodGC         `json:"podGC"`
		TTLStrategy           workflowTTLStrategy   `json:"ttlStrategy"`
		ServiceAccountName    string                `json:"serviceAccountName"`
		AutomountToken        *bool                 `json:"automountServiceAccountToken"`
		Executor              workflowExecutor      `json:"executor"`
		SecurityContext       *podSecurityContext   `json:"securityContext"`
		Volumes               []corev1.Volume       `json:"volumes"`
		Templates             []workflowSubtemplate `json:"templates"`
	} `json:"spec"`
}

type podSecurityContext = corev1.PodSecurityContext

type workflowPodGC struct {
	Strategy string `json:"strategy"`
}

type workflowTTLStrategy struct {
	SecondsAfterCompletion *int32 `json:"secondsAfterCompletion"`
}

type workflowExecutor struct {
	ServiceAccountName string `json:"serviceAccountName"`
}

type workflowArguments struct {
	Parameters []workflowParameter `json:"parameters"`
	Artifacts  []workflowArtifact  `json:"artifacts"`
}

type workflowParameter struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type workflowArtifact struct {
	Name    string `json:"name"`
	Path    string `json:"path"`
	From    string `json:"from"`
	Archive *struct {
		None *struct{} `json:"none"`
	} `json:"archive"`
	Git *struct {
		Repo           string                    `json:"repo"`
		Revision       string                    `json:"revision"`
		Depth          uint64                    `json:"depth"`
		UsernameSecret *corev1.SecretKeySelector `json:"usernameSecret"`
		PasswordSecret *corev1.SecretKeySelector `json:"passwordSecret"`
	} `json:"git"`
	S3 *struct {
		Key string `json:"key"`
	} `json:"s3"`
}

type workflowSubtemplate struct {
	Name          string            `json:"name"`
	Inputs        workflowArguments `json:"inputs"`
	Outputs       workflowArguments `json:"outputs"`
	RetryStrategy *struct {
		Limit       string `json:"limit"`
		RetryPolicy string `json:"retryPolicy"`
	} `json:"retryStrategy"`
	Steps [][]struct {
		Name      string            `json:"name"`
		Template  string            `json:"template"`
		Arguments workflowArguments `json:"arguments"`
		WithParam string            `json:"withParam"`
	} `json:"steps"`
	Script *workflowScript `json:"script"`
}

type workflowScript struct {
	corev1.Container `json:",inline"`
	Source           string `json:"source"`
}

type porchFunctionConfig struct {
	typed `json:",inline"`
	Spec  struct {
		Image       string   `json:"image"`
		Prefixes    []string `json:"prefixes"`
		PodExecutor *struct {
			Tags                    []string        `json:"tags"`
			TimeToLive              metav1.Duration `json:"timeToLive"`
			MaxParallelExecutions   int             `json:"maxParallelExecutions"`
			PreferredMaxQueueLength int             `json:"preferredMaxQueueLength"`
			TemplateOverrides       struct {
				ServiceAccountName string              `json:"serviceAccountName"`
				SecurityContext    *podSecurityContext `json:"securityContext"`
				InitContainer      containerOverrides  `json:"initContainer"`
				Container          containerOverrides  `json:"container"`
			} `json:"templateOverrides"`
		} `json:"podExecutor"`
		BinaryExecutor *struct {
			Tags []string `json:"tags"`
			Path string   `json:"path"`
		} `json:"binaryExecutor"`
	} `json:"spec"`
}

type containerOverrides struct {
	Resources corev1.ResourceRequirements `json:"resources"`
	EnvFrom   []corev1.EnvFromSource      `json:"envFrom"`
	Env       []corev1.EnvVar             `json:"env"`
}

type kptfile struct {
	typed    `json:",inline"`
	Pipeline struct {
		Mutators []struct {
			Image      string `json:"image"`
			Exec       string `json:"exec"`
			ConfigPath string `json:"configPath"`
		} `json:"mutators"`
	} `json:"pipeline"`
}

// newByKind returns a value of an object's type, nil if the type is unknown.
func newByKind(kind metav1.TypeMeta) any {
	switch kind.APIVersion + " " + kind.Kind {
	case "v1 ConfigMap":
		return new(corev1.ConfigMap)
	case "v1 Secret":
		return new(corev1.Secret)
	case "v1 Namespace":
		return new(corev1.Namespace)
	case "v1 ServiceAccount":
		return new(corev1.ServiceAccount)
	case "apps/v1 Deployment":
		return new(appsv1.Deployment)
	case "batch/v1 Job":
		return new(batchv1.Job)
	case "rbac.authorization.k8s.io/v1 Role":
		return new(rbacv1.Role)
	case "rbac.authorization.k8s.io/v1 RoleBinding":
		return new(rbacv1.RoleBinding)
	case "kustomize.config.k8s.io/v1beta1 Kustomization":
		return new(types.Kustomization)
	case "argoproj.io/v1alpha1 ConfigManagementPlugin":
		return new(configManagementPlugin)
	case "argoproj.io/v1alpha1 Application":
		return new(argoApplication)
	case "argoproj.io/v1alpha1 ApplicationSet":
		return new(argoApplicationSet)
	case "argoproj.io/v1beta1 ArgoCD":
		return new(argoCD)
	case "argoproj.io/v1alpha1 AppProject":
		return new(argoProject)
	case "argoproj.io/v1alpha1 WorkflowTemplate":
		return new(argoWorkflowTemplate)
	case "config.porch.kpt.dev/v1alpha1 FunctionConfig":
		return new(porchFunctionConfig)
	case "kpt.dev/v1 Kptfile":
		return new(kptfile)
	}
	return nil
}

// decodeStrictly parses an object as its kind; an unknown field is an error.
func decodeStrictly(document []byte) (any, error) {
	var kind metav1.TypeMeta
	if err := yaml.Unmarshal(document, &kind); err != nil {
		return nil, err
	}
	if kind.Kind == v1alpha1.Kind {
		return v1alpha1.ParseYAML(document)
	}
	object := newByKind(kind)
	if object == nil {
		return nil, fmt.Errorf("no type is known for %s %s", kind.APIVersion, kind.Kind)
	}
	asJSON, err := yaml.YAMLToJSONStrict(document)
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(asJSON))
	decoder.DisallowUnknownFields()
	return object, decoder.Decode(object)
}

func decodeAllStrictly(stream []byte) ([]any, error) {
	var all []any
	for document := range strings.SplitSeq("\n"+string(stream), "\n---\n") {
		if strings.TrimSpace(document) == "" {
			continue
		}
		object, err := decodeStrictly([]byte(document))
		if err != nil {
			return nil, fmt.Errorf("%w in\n%s", err, document)
		}
		all = append(all, object)
	}
	return all, nil
}

// examplesDir is the folder of the examples.
var examplesDir = filepath.Join("..", "..", "examples")

// example reads the only object in a file of the examples.
func example[T any](t *testing.T, path string) *T {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(examplesDir, filepath.FromSlash(path)))
	if err != nil {
		t.Fatal(err)
	}
	object, err := decodeStrictly(content)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	typed, ok := object.(*T)
	if !ok {
		t.Fatalf("%s holds %T, want %T", path, object, typed)
	}
	return typed
}

func TestExamples_filesHoldNoFieldThatTheirKindsLack(t *testing.T) {
	files := 0
	read := func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if filepath.Ext(path) != ".yaml" && entry.Name() != "Kptfile" {
			return nil
		}
		if strings.Contains(filepath.ToSlash(path), "/plugin-helm/package/") || strings.Contains(filepath.ToSlash(path), "/argo-helm/") {
			return nil // a chart, and values of one, which have their own test
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		files++
		if _, err := decodeAllStrictly(content); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		return nil
	}
	for _, dir := range []string{"argocd", "fleet"} {
		if err := filepath.WalkDir(filepath.Join(examplesDir, dir), read); err != nil {
			t.Fatal(err)
		}
	}
	if files < 30 {
		t.Errorf("%d files were read, want at least 30", files)
	}
}

func TestExamples_kustomizationsBuild(t *testing.T) {
	kustomize, err := harness.Kustomize()
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"argocd/base", "argocd/plugin", "argocd/plugin-helm", "argocd/exec", "fleet/argocd", "fleet/workflow"} {
		out, err := harness.Run(nil, kustomize, "build", filepath.Join(examplesDir, filepath.FromSlash(dir)))
		if err != nil {
			t.Errorf("%s: %v", dir, err)
			continue
		}
		if _, err := decodeAllStrictly(out); err != nil {
			t.Errorf("%s: %v", dir, err)
		}
	}
}

func TestDecodeStrictly_refusesWhatAKindLacks(t *testing.T) {
	tests := []struct{ label, document string }{
		{"a field of a plugin", "apiVersion: argoproj.io/v1alpha1\nkind: ConfigManagementPlugin\nspec: {generate: {cmd: [x]}}\n"},
		{"a field of a container in a workflow", "apiVersion: argoproj.io/v1alpha1\nkind: WorkflowTemplate\nspec: {templates: [{script: {imagePullPolice: x}}]}\n"},
		{"a field of a Deployment", "apiVersion: apps/v1\nkind: Deployment\nspec: {replica: 1}\n"},
		{"a kind", "apiVersion: v1\nkind: Config\n"},
		{"a field of a functionConfig", "apiVersion: confighash.dev/v1alpha1\nkind: ConfigHash\nspec: {mode: Rename, modus: Rename}\n"},
	}
	for _, test := range tests {
		if _, err := decodeStrictly([]byte(test.document)); err == nil {
			t.Errorf("%s: no error for\n%s", test.label, test.document)
		} else if errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", test.label, err)
		}
	}
}
