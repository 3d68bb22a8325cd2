//go:build e2e && !windows

package examples_test

import (
	"archive/tar"
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/confighash/confighash/test/support/harness"

	"github.com/google/go-cmp/cmp"
)

// importImage creates an image of this machine's programs, by their paths in the image, and returns its name. It is
// removed when the test ends.
func importImage(t *testing.T, name string, programs map[string]string) string {
	t.Helper()
	var archive bytes.Buffer
	w := tar.NewWriter(&archive)
	for path, source := range programs {
		content, err := os.ReadFile(source)
		if err != nil {
			t.Fatal(err)
		}
		header := &tar.Header{Name: strings.TrimPrefix(path, "/"), Mode: 0o755, Size: int64(len(content))}
		if err := w.WriteHeader(header); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(content); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	name = "confighash-examples-" + name + ":" + strconv.Itoa(os.Getpid())
	harness.MustRun(t, archive.Bytes(), "docker", "import", "-", name)
	removeImage(t, name)
	return name
}

func removeImage(t *testing.T, name string) {
	t.Helper()
	t.Cleanup(func() { _, _ = harness.Run(nil, "docker", "image", "rm", "--force", name) })
}

// withLibraries returns a program and the libraries that it needs, by path.
func withLibraries(program string) map[string]string {
	programs := map[string]string{program: program}
	out, _ := exec.Command("ldd", program).CombinedOutput() // a static one has none
	for _, library := range regexp.MustCompile(`/[^ ]+`).FindAllString(string(out), -1) {
		if info, err := os.Stat(library); err == nil && info.Mode().IsRegular() {
			programs[library] = library
		}
	}
	return programs
}

// helmPluginImage builds the sidecar's image for charts with the example's Dockerfile, based on images with this
// machine's programs, and adds a chart.
func helmPluginImage(t *testing.T, pkg string) string {
	t.Helper()
	image := harness.ImageUnderTest(t)
	helm, err := harness.Helm()
	if err != nil {
		t.Fatal(err)
	}
	name := "confighash-examples-helm-plugin:" + strconv.Itoa(os.Getpid())
	arguments := strings.Fields(pluginBuild)
	arguments[len(arguments)-1] = filepath.Join(examplesDir, "argocd", "plugin-helm")
	arguments = append(arguments[1:], "--tag", name, "--build-arg", "BASE_IMAGE="+importImage(t, "shell", withLibraries("/bin/sh")),
		"--build-arg", "HELM_IMAGE="+importImage(t, "helm", map[string]string{"/usr/bin/helm": helm}), "--build-arg", "CONFIGHASH_IMAGE="+image)
	harness.MustRun(t, nil, "docker", arguments...)
	removeImage(t, "registry.example.com/argocd-confighash-helm:v0.1.0")
	removeImage(t, name)
	return withPackage(t, name, pkg)
}

// withPackage adds a package of the examples to an image as its working directory, and the files beside the package
// where a plugin's files are mounted.
func withPackage(t *testing.T, image, pkg string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "package"), os.DirFS(filepath.Join(examplesDir, filepath.FromSlash(pkg)))); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(filepath.Join(dir, "config"), os.DirFS(filepath.Join(examplesDir, filepath.FromSlash(path.Dir(pkg))))); err != nil {
		t.Fatal(err)
	}
	dockerfile := "FROM " + image + "\nCOPY config " + pluginConfig + "\nCOPY package /repository\nWORKDIR /repository\n"
	if err := (harness.Files{"Dockerfile": dockerfile}).Write(dir); err != nil {
		t.Fatal(err)
	}
	readable(t, dir)
	name := image + "-package"
	harness.MustRun(t, nil, "docker", "build", "--quiet", "--tag", name, dir)
	removeImage(t, name)
	return name
}

// readable makes everything beneath dir readable for every user.
func readable(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		return os.Chmod(path, 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// asSidecar returns the arguments of docker run for the sidecar's security context and Argo CD's environment.
func asSidecar(image string, line []string) []string {
	arguments := []string{
		"run", "--rm", "--read-only", "--network", "none", "--cap-drop", "ALL",
		"--security-opt", "no-new-privileges", "--tmpfs", "/tmp",
	}
	for _, variable := range pluginEnvironment() {
		arguments = append(arguments, "--env", variable)
	}
	arguments = append(arguments, "--entrypoint", line[0], image)
	return append(arguments, line[1:]...)
}

func TestE2EExamplesArgoCD_imageRendersAsExpected(t *testing.T) {
	image := withPackage(t, harness.ImageUnderTest(t), "argocd/plugin/package")
	line := example[configManagementPlugin](t, "argocd/plugin/plugin.yaml").Spec.Generate.line()
	expected(t, "argocd/plugin/expected.yaml", string(harness.MustRun(t, nil, "docker", asSidecar(image, line)...)))
	if out, err := harness.Run(nil, "docker", asSidecar(image, []string{"sh", "-c", "echo a shell"})...); err == nil {
		t.Errorf("the image has a shell: %s", out)
	}
}

func TestE2EExamplesArgoCD_helmImageRendersAsExpected(t *testing.T) {
	image := helmPluginImage(t, "argocd/plugin-helm/package")
	line := example[configManagementPlugin](t, "argocd/plugin-helm/plugin.yaml").Spec.Generate.line()
	expected(t, "argocd/plugin-helm/expected.yaml", string(harness.MustRun(t, nil, "docker", asSidecar(image, line)...)))

	if out := harness.MustRun(t, nil, "docker", "image", "inspect", "--format", "{{.Config.User}}", image); strings.TrimSpace(string(out)) != "999" {
		t.Errorf("the image's user is %s, want 999", out)
	}
	// The same for a folder that helm rejects.
	broken := asSidecar(image, []string{line[0], "-c", "cd /; . " + line[1]})
	if out, err := harness.Run(nil, "docker", broken...); err == nil || len(out) > 0 {
		t.Errorf("want an error and nothing on stdout: %v\n%s", err, out)
	}
}

// kpt stands for Porch's function runner: both pass the package to the image.
func TestE2EExamplesFleet_porchPackageRendersByContainer(t *testing.T) {
	kpt, image := harness.Kpt(t), harness.ImageUnderTest(t)
	dir := filepath.Join(t.TempDir(), "shop")
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(examplesDir, "fleet", "porch", "package"))); err != nil {
		t.Fatal(err)
	}
	named := example[kptfile](t, "fleet/porch/package/Kptfile").Pipeline.Mutators[0].Image
	harness.MustRun(t, nil, "docker", "tag", image, named)
	removeImage(t, named)
	harness.MustRun(t, nil, kpt, "fn", "render", "--image-pull-policy", "Never", dir)
	once, err := os.ReadFile(filepath.Join(dir, "web.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(once), "name: web-settings-hf678c7m2b\n"); n != 2 {
		t.Errorf("the new name stands %d times, want 2:\n%s", n, once)
	}
	harness.MustRun(t, nil, kpt, "fn", "render", "--image-pull-policy", "Never", dir)
	twice, err := os.ReadFile(filepath.Join(dir, "web.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(once), string(twice)); diff != "" {
		t.Errorf("a second render changes the package (-once +twice):\n%s", diff)
	}
}
