package docs_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/confighash/confighash/test/support/harness"
)

// TestSecrets_noCommandShowsTheSalt runs command lines and files with errors around a salt, and looks for it in all
// output.
func TestSecrets_noCommandShowsTheSalt(t *testing.T) {
	const salt = "QXZHUNTERTWO"
	const manifests = "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {a: b}\n---\n" +
		"apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {volumes: [{name: v, secret: {secretName: s}}]}\n"
	const spec = "apiVersion: confighash.dev/v1alpha1\nkind: ConfigHash\nmetadata: {name: roll}\n"
	tests := []struct {
		label, config, stdin string
		args                 []string
		code                 int
	}{
		{label: "by the environment", args: []string{"--mode", "Rename"}},
		{label: "checked", args: []string{"--mode", "Rename", "--check"}, code: 3},
		{label: "in a file", config: spec + "spec: {mode: Rename, salt: " + salt + "}"},
		{label: "taken for an alias", config: spec + "spec: {mode: Rename, salt: *" + salt + "}", code: 1},
		{label: "taken for a tag", config: spec + "spec: {mode: Rename, salt: !" + salt + "}", code: 1},
		{label: "with a comma", config: spec + "spec: {mode: Rename, salt: a," + salt + "}", code: 1},
		{label: "without a blank", config: spec + "spec: {mode: Rename, salt:" + salt + "}", code: 1},
		{label: "an open quote", config: spec + "spec: {mode: Rename, salt: \"" + salt + "}", code: 1},
		{label: "an unknown field", config: spec + "spec: {mode: Rename, slat: " + salt + "}", code: 1},
		{label: "as kpt has it", args: []string{"--mode", "Rename", "salt=" + salt}, code: 2},
		{label: "as a flag", args: []string{"--mode", "Rename", "--salt=" + salt}, code: 2},
		{label: "no manifests", args: []string{"--mode", "Rename"}, stdin: "a: *" + salt + "\n", code: 1},
		{label: "an alias of itself", args: []string{"--mode", "Rename"}, stdin: "kind: Secret\nstringData: {a: &" + salt + " [*" + salt + "]}\n", code: 1},
	}
	for _, test := range tests {
		t.Run(test.label, func(t *testing.T) {
			args := test.args
			if test.config != "" {
				file := filepath.Join(t.TempDir(), "confighash.yaml")
				if err := os.WriteFile(file, []byte(test.config+"\n"), 0o600); err != nil {
					t.Fatal(err)
				}
				args = []string{"--config", file}
			}
			stdin := test.stdin
			if stdin == "" {
				stdin = manifests
			}
			var printed bytes.Buffer
			cmd := exec.Command(harness.Binary, args...)
			cmd.Env = append(os.Environ(), "CONFIGHASH_SALT="+salt)
			cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &printed, &printed
			_ = cmd.Run() // the exit code is enough
			if code := cmd.ProcessState.ExitCode(); code != test.code {
				t.Errorf("exit code %d, want %d:\n%s", code, test.code, &printed)
			}
			if strings.Contains(printed.String(), salt[:6]) || strings.Contains(printed.String(), salt[6:]) {
				t.Errorf("the salt is printed:\n%s", &printed)
			}
		})
	}
}

// TestSecretsPage_commandsPassTheSaltOn runs the builds in docs/secrets.md, with the function itself in place of a
// container.
func TestSecretsPage_commandsPassTheSaltOn(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "secrets.md"))
	if err != nil {
		t.Fatal(err)
	}
	kustomize, err := harness.Kustomize()
	if err != nil {
		t.Fatal(err)
	}
	const (
		manifests = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: app}\ndata: {a: b}\n---\n" +
			"apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {volumes: [{name: v, configMap: {name: app}}]}\n"
		// Like docker, it only passes on the given variables.
		docker = "#!/bin/sh\ncase \" $* \" in *' -e CONFIGHASH_SALT '*) exec confighash;; esac\nexec env -u CONFIGHASH_SALT confighash\n"
		plain  = "name: app-4h2mbtbbt6\n"
	)
	functionConfig := func(container string) string {
		return "apiVersion: confighash.dev/v1alpha1\nkind: ConfigHash\nmetadata:\n  name: roll\n  annotations:\n" + container + "spec: {mode: Rename}\n"
	}
	const annotation = "    config.kubernetes.io/function: |\n      container:\n        image: confighash:latest\n"
	for _, test := range []struct {
		label, shown, command, config string
		salted                        bool
	}{
		{"filter", "kustomize build . | confighash --mode Rename\n", "", "", true},
		{"option", "kustomize build --enable-alpha-plugins --env CONFIGHASH_SALT .\n", "", functionConfig(annotation), true},
		{"annotation", "    envs: [CONFIGHASH_SALT]\n", "kustomize build --enable-alpha-plugins .", functionConfig(annotation + "        envs: [CONFIGHASH_SALT]\n"), true},
		{"neither", "", "kustomize build --enable-alpha-plugins .", functionConfig(annotation), false},
	} {
		t.Run(test.label, func(t *testing.T) {
			if !strings.Contains(string(page), "  "+test.shown) {
				t.Fatalf("docs/secrets.md does not show %q", test.shown)
			}
			if test.command == "" {
				test.command = test.shown
			}
			dir := t.TempDir()
			content := harness.Files{"manifests.yaml": manifests, "kustomization.yaml": "resources: [manifests.yaml]\n", "bin/docker": docker}
			if test.config != "" {
				content["confighash.yaml"] = test.config
				content["kustomization.yaml"] += "transformers: [confighash.yaml]\n"
			}
			if err := content.Write(dir); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(filepath.Join(dir, "bin", "docker"), 0o755); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command("sh", "-c", test.command)
			path := strings.Join([]string{filepath.Join(dir, "bin"), filepath.Dir(harness.Binary), filepath.Dir(kustomize), os.Getenv("PATH")}, ":")
			cmd.Dir, cmd.Env = dir, append(os.Environ(), "PATH="+path, "CONFIGHASH_SALT=grains")
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			if salted := !strings.Contains(string(out), plain); salted != test.salted || strings.Count(string(out), "name: app-") < 2 {
				t.Errorf("salted is %v, want %v:\n%s", salted, test.salted, out)
			}
		})
	}
}
