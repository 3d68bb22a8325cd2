//go:build e2e && !windows

package examples_test

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/confighash/confighash/test/support/harness"

	"github.com/google/go-cmp/cmp"
)

// examplesByKpt runs every example with kpt, twice, with line instead of the image in its Kptfile, or flags if it is
// run by eval.
func examplesByKpt(t *testing.T, line string, flags ...string) {
	t.Helper()
	kpt := harness.Kpt(t)
	for _, e := range kptExamples(t) {
		t.Run(e.name, func(t *testing.T) {
			dir := e.checkOut(t, func(dir string) {
				if e.TestType == "render" {
					image := examplesImage.FindString(string(harness.ReadFile(t, filepath.Join(dir, "Kptfile"))))
					harness.ReplaceIn(t, filepath.Join(dir, "Kptfile"), "image: "+image+"\n", line+"\n")
				}
			})
			args := []string{"fn", "render", dir, "--allow-exec"}
			if e.TestType == "eval" {
				args = slices.Concat([]string{"fn", "eval", dir}, flags, []string{"--"})
				for _, key := range slices.Sorted(maps.Keys(e.Args)) {
					args = append(args, key+"="+e.Args[key])
				}
			}
			for range 2 {
				harness.MustRun(t, nil, kpt, args...)
				e.checkDiff(t, dir)
			}
		})
	}
}

func TestE2E_kptExamplesByExec(t *testing.T) {
	examplesByKpt(t, "exec: "+harness.Binary, "--exec", harness.Binary)
}

// taggedImage returns the image under test under a name with a slash: kpt looks for a name without one in its own
// catalogue.
func taggedImage(t *testing.T) string {
	t.Helper()
	const tag = "localhost/confighash-examples:e2e"
	harness.MustRun(t, nil, "docker", "tag", harness.ImageUnderTest(t), tag)
	t.Cleanup(func() { harness.MustRun(t, nil, "docker", "rmi", tag) })
	return tag
}

func TestE2E_kptExamplesByImage(t *testing.T) {
	tag := taggedImage(t)
	examplesByKpt(t, "image: "+tag, "--image", tag)
}

// The commands of the examples' pages, with a repository on disk instead of the remote one, and the image under test
// instead of the published one.
func TestE2E_kptExamples_commandsOfTheirPagesRun(t *testing.T) {
	tag := taggedImage(t)
	k := newKptUser(t)
	repository, config := t.TempDir(), filepath.Join(t.TempDir(), "gitconfig")
	for _, e := range kptExamples(t) {
		copied := filepath.Join(repository, "examples", e.name)
		if err := os.CopyFS(copied, os.DirFS(e.source)); err != nil {
			t.Fatal(err)
		}
		for path, content := range harness.Contents(t, copied) {
			content = examplesImage.ReplaceAllString(content, tag)
			if err := os.WriteFile(filepath.Join(copied, filepath.FromSlash(path)), []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	git(t, repository, "init", "--quiet")
	git(t, repository, "add", "--all")
	git(t, repository, "commit", "--quiet", "--message", "examples")
	instead := "[url \"file://" + repository + "/.git\"]\n\tinsteadOf = https://github.com/confighash/confighash\n"
	if err := os.WriteFile(config, []byte(instead), 0o600); err != nil {
		t.Fatal(err)
	}
	k.env = append(k.env, "GIT_CONFIG_GLOBAL="+config)

	for _, e := range kptExamples(t) {
		t.Run(e.name, func(t *testing.T) {
			blocks := harness.FencedBlocks(t, filepath.Join(repository, "examples", e.name, "README.md"), "shell")
			for _, block := range blocks {
				k.sh(t, strings.TrimSpace(block))
			}
			changed := false
			for _, content := range harness.Contents(t, filepath.Join(k.dir, e.name)) {
				changed = changed || strings.Contains(content, "\n    confighash.dev/hash: ") ||
					strings.Contains(content, "\n        checksum/config")
			}
			if len(blocks) < 2 || !changed {
				t.Errorf("%d commands ran, and the package has neither a hash nor a checksum", len(blocks))
			}
		})
	}
}

// An upstream is a repository with a package web, to which a test commits.
type upstream struct {
	dir string
}

func newUpstream(t *testing.T) upstream {
	t.Helper()
	u := upstream{t.TempDir()}
	web := filepath.Join(u.dir, "web")
	if err := os.CopyFS(web, os.DirFS(filepath.Join("..", "..", "testdata", "kpt-example"))); err != nil {
		t.Fatal(err)
	}
	// kpt records the upstream name of a resource in a comment at its metadata.
	for _, name := range []string{"config.yaml", filepath.Join("web", "deployment.yaml")} {
		path := filepath.Join(web, name)
		unnoted := regexp.MustCompile(` # kpt-merge:.*`).ReplaceAll(harness.ReadFile(t, path), nil)
		if err := os.WriteFile(path, unnoted, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	git(t, u.dir, "init", "--quiet")
	u.publish(t, "v1")
	return u
}

// publish commits the current package as version.
func (u upstream) publish(t *testing.T, version string) {
	t.Helper()
	git(t, u.dir, "add", "--all")
	git(t, u.dir, "commit", "--quiet", "--allow-empty", "--message", version)
	git(t, u.dir, "tag", version)
}

func (u upstream) file(name string) string {
	return filepath.Join(u.dir, "web", filepath.FromSlash(name))
}

// A kptUser has kpt, a working copy and the function on the PATH.
type kptUser struct {
	dir string
	env []string
}

func newKptUser(t *testing.T) kptUser {
	t.Helper()
	kpt := harness.Kpt(t)
	home, bin := t.TempDir(), t.TempDir()
	if err := os.Symlink(harness.Binary, filepath.Join(bin, "confighash")); err != nil {
		t.Fatal(err)
	}
	k := kptUser{dir: t.TempDir(), env: append(os.Environ(),
		"HOME="+home, "KPT_CACHE_DIR="+filepath.Join(home, "cache"), "GIT_CONFIG_GLOBAL="+os.DevNull,
		"PATH="+strings.Join([]string{bin, filepath.Dir(kpt), os.Getenv("PATH")}, string(os.PathListSeparator)))}
	git(t, k.dir, "init", "--quiet")
	return k
}

// sh runs a command line in the working copy, and commits the changes.
func (k kptUser) sh(t *testing.T, line string) {
	t.Helper()
	cmd := exec.Command("sh", "-c", line)
	cmd.Dir, cmd.Env = k.dir, k.env
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", line, err, out)
	}
	git(t, k.dir, "add", "--all")
	git(t, k.dir, "commit", "--quiet", "--allow-empty", "--message", line)
}

func (k kptUser) get(t *testing.T, u upstream) {
	t.Helper()
	k.sh(t, "kpt pkg get file://"+u.dir+"/.git/web@v1 web")
}

// render renders the package twice, and checks that the second time changes nothing.
func (k kptUser) render(t *testing.T) {
	t.Helper()
	k.sh(t, "kpt fn render web --allow-exec")
	first := harness.Contents(t, filepath.Join(k.dir, "web"))
	k.sh(t, "kpt fn render web --allow-exec")
	if diff := cmp.Diff(first, harness.Contents(t, filepath.Join(k.dir, "web"))); diff != "" {
		t.Errorf("a second render changes the package (-first +second):\n%s", diff)
	}
}

// update takes over a version of upstream and renders it.
func (k kptUser) update(t *testing.T, version string) {
	t.Helper()
	k.sh(t, "kpt pkg update web@"+version)
	k.render(t)
}

// named returns the current names of the objects called base, where they are defined, and where the Deployment refers
// to them.
func (k kptUser) named(t *testing.T, base string) (defined, referred []string) {
	t.Helper()
	web := filepath.Join(k.dir, "web")
	names := regexp.MustCompile(`(?m)(?:name|secretName): "?(` + base + `(?:-[a-z0-9]{10})*)"?(?:\}| |$)`)
	find := func(name string) (found []string) {
		for _, match := range names.FindAllSubmatch(harness.ReadFile(t, filepath.Join(web, name)), -1) {
			found = append(found, string(match[1]))
		}
		return found
	}
	return find("config.yaml"), find("web/deployment.yaml")
}

// checkNamed checks that exactly one object is named base plus a suffix, and that the Deployment refers only to it, and
// returns its name.
func (k kptUser) checkNamed(t *testing.T, base string) string {
	t.Helper()
	defined, referred := k.named(t, base)
	if len(defined) != 1 || !regexp.MustCompile(`^`+base+`-[a-z0-9]{10}$`).MatchString(defined[0]) {
		t.Fatalf("%s is defined as %q, want once, with one suffix", base, defined)
	}
	if len(referred) == 0 {
		t.Fatalf("nothing refers to %s", base)
	}
	for _, name := range referred {
		if name != defined[0] {
			t.Errorf("a reference is to %s, want %s", name, defined[0])
		}
	}
	return defined[0]
}

// config returns the content of the package's config.yaml.
func (k kptUser) config(t *testing.T) string {
	t.Helper()
	return string(harness.ReadFile(t, filepath.Join(k.dir, "web", "config.yaml")))
}

func TestE2E_kptUpdate_mergesIntoWhatRenameRenamed(t *testing.T) {
	u, k := newUpstream(t), newKptUser(t)
	k.get(t, u)
	k.render(t)
	settings, database := k.checkNamed(t, "web-settings"), k.checkNamed(t, "web-database")

	harness.ReplaceIn(t, u.file("config.yaml"), "LOG_LEVEL: info", "LOG_LEVEL: debug")
	u.publish(t, "v2")
	harness.ReplaceIn(t, filepath.Join(k.dir, "web", "config.yaml"), "workers 4", "workers 8")
	k.update(t, "v2")
	if now := k.checkNamed(t, "web-settings"); now == settings {
		t.Errorf("web-settings changed and is still %s", now)
	}
	if now := k.checkNamed(t, "web-database"); now != database {
		t.Errorf("web-database did not change and is %s, was %s", now, database)
	}
	for _, want := range []string{"LOG_LEVEL: debug", "workers 8"} {
		if !strings.Contains(k.config(t), want) {
			t.Errorf("the merge lost %q:\n%s", want, k.config(t))
		}
	}

	// kpt replaces the whole list, with names without suffixes.
	harness.ReplaceIn(t, u.file("web/deployment.yaml"), "envFrom:\n", "envFrom:\n            - secretRef: {name: web-database}\n")
	u.publish(t, "v3")
	k.sh(t, "kpt pkg update web@v3")
	if _, referred := k.named(t, "web-settings"); !slices.Contains(referred, "web-settings") {
		t.Errorf("the references are to %q after the update: docs/kpt.md says that one of them lost its suffix", referred)
	}
	k.render(t)
	k.checkNamed(t, "web-settings")
	k.checkNamed(t, "web-database")
}

func TestE2E_kptUpdate_keepsWhatUpstreamDeletesIfItWasRenamed(t *testing.T) {
	for _, test := range []struct {
		mode string
		left int
	}{{"Rename", 1}, {"Annotate", 0}} {
		t.Run(test.mode, func(t *testing.T) {
			u, k := newUpstream(t), newKptUser(t)
			harness.ReplaceIn(t, u.file("confighash.yaml"), "mode: Rename", "mode: "+test.mode)
			git(t, u.dir, "tag", "--delete", "v1")
			u.publish(t, "v1")
			k.get(t, u)
			k.render(t)

			config := string(harness.ReadFile(t, u.file("config.yaml")))
			_, secret, _ := strings.Cut(config, "---\n")
			if err := os.WriteFile(u.file("config.yaml"), []byte(secret), 0o600); err != nil {
				t.Fatal(err)
			}
			u.publish(t, "v2")
			k.update(t, "v2")
			if n := strings.Count(k.config(t), "kind: ConfigMap"); n != test.left {
				t.Errorf("%d ConfigMaps are left, docs/kpt.md says %d:\n%s", n, test.left, k.config(t))
			}
		})
	}
}

// The reason why docs/kpt.md recommends publishing packages unrendered.
func TestE2E_kptUpdate_ofARenderedUpstreamLosesLocalEdits(t *testing.T) {
	u, k := newUpstream(t), newKptUser(t)
	kpt := harness.Kpt(t)
	render := func() {
		harness.ReplaceIn(t, u.file("Kptfile"), "exec: confighash\n", "exec: "+harness.Binary+"\n")
		harness.MustRun(t, nil, kpt, "fn", "render", u.file(""), "--allow-exec")
		harness.ReplaceIn(t, u.file("Kptfile"), "exec: "+harness.Binary+"\n", "exec: confighash\n")
	}
	render()
	git(t, u.dir, "tag", "--delete", "v1")
	u.publish(t, "v1")
	k.get(t, u)
	harness.ReplaceIn(t, filepath.Join(k.dir, "web", "config.yaml"), "workers 4", "workers 8")
	k.render(t)
	edited := k.checkNamed(t, "web-settings")

	harness.ReplaceIn(t, u.file("config.yaml"), "LOG_LEVEL: info", "LOG_LEVEL: debug")
	render()
	u.publish(t, "v2")
	k.update(t, "v2")
	defined, referred := k.named(t, "web-settings")
	if len(defined) != 2 || !slices.Contains(defined, edited) || slices.Contains(referred, edited) {
		t.Errorf("defined are %q, referred to %q: docs/kpt.md says that %s stays and nothing refers to it", defined, referred, edited)
	}
}

// Every command of docs/kpt.md in order, and all YAML.
func TestE2E_kptDocs_commandsRun(t *testing.T) {
	u, k := newUpstream(t), newKptUser(t)
	k.get(t, u)
	harness.ReplaceIn(t, u.file("config.yaml"), "LOG_LEVEL: info", "LOG_LEVEL: debug")
	u.publish(t, "v2")
	ran := 0
	for _, block := range harness.FencedBlocks(t, filepath.Join("..", "..", "docs", "kpt.md"), "sh") {
		for line := range strings.Lines(block) {
			line = strings.TrimSpace(line)
			if strings.Contains(line, "--check") {
				// It exits with 3 if the package is not rendered.
				line = "kpt fn render web --allow-exec && " + line
			}
			k.sh(t, line)
			ran++
		}
	}
	if ran < 6 {
		t.Errorf("docs/kpt.md shows %d commands, want at least 6", ran)
	}
	for _, base := range []string{"web-settings", "web-database"} {
		k.checkNamed(t, base)
	}
	inPlace := harness.ReadFile(t, filepath.Join(k.dir, "web", "config.yaml"))
	elsewhere := harness.ReadFile(t, filepath.Join(k.dir, "rendered", "config.yaml"))
	if diff := cmp.Diff(string(inPlace), string(elsewhere)); diff != "" {
		t.Errorf("rendered elsewhere it is something else (-web +rendered):\n%s", diff)
	}
}
