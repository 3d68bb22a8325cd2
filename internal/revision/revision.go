// Package revision writes commits of a Git repository into folders. It runs the program git; the working tree, the
// index and the branches stay the same.
package revision

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
)

// A Tree holds the files of a commit.
type Tree struct {
	// Name is the commit as the user named it.
	Name string
	// Root is the folder with the files.
	Root string
}

// A Pair holds the files of two commits of the repository that contains the working directory.
type Pair struct {
	Before, After Tree
	// Uncommitted is a file that differs from its commit, if After is checked out.
	Uncommitted string

	top, prefix string // the working tree, and the working directory's path in it
	dir         string
}

// Open writes the files of two commits, given as for git diff: BASE, or BASE..HEAD, or BASE...HEAD to compare with the
// merge base; without HEAD, it is what is checked out.
//
// It fails if git is missing or refuses, finds no repository, or does not know a commit.
func Open(ctx context.Context, commits string) (*Pair, error) {
	p := &Pair{}
	base, head, branch := strings.Cut(commits, "...")
	if !branch {
		base, head, _ = strings.Cut(commits, "..")
	}
	checkedOut := head == ""
	if checkedOut {
		head = "HEAD"
	}
	if base == "" || strings.ContainsAny(base[:1]+head[:1], "-^") {
		return nil, fmt.Errorf("%q names no commits; give BASE or BASE..HEAD, such as origin/main", commits)
	}
	repository, err := git(ctx, nil, "rev-parse", "--absolute-git-dir")
	if err != nil {
		return nil, err
	}
	// A bare repository has neither.
	p.top, _ = git(ctx, nil, "rev-parse", "--show-toplevel")
	p.prefix, _ = git(ctx, nil, "rev-parse", "--show-prefix")
	if checkedOut && p.top != "" { // without the option it would write the index
		p.Uncommitted, _ = git(ctx, nil, "--no-optional-locks", "diff", "--name-only", "--ignore-submodules", "HEAD")
	}
	before, noBase := commit(ctx, base)
	after, noHead := commit(ctx, head)
	if err := cmp.Or(noBase, noHead); err != nil {
		return nil, err
	}
	if branch {
		if before, err = git(ctx, nil, "merge-base", before, after); err != nil {
			return nil, fmt.Errorf("%s and %s have no common commit here; fetch more of their history", base, head)
		}
	}
	if p.dir, err = temporary(); err != nil {
		return nil, fmt.Errorf("%w; let TMPDIR name a folder for temporary files", err)
	}
	p.Before, p.After = Tree{base, filepath.Join(p.dir, "before")}, Tree{head, filepath.Join(p.dir, "after")}
	if err = cmp.Or(p.Before.write(ctx, repository, before), p.After.write(ctx, repository, after)); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

// temporary creates a folder, and returns its path without symbolic links, as kustomize and git name files.
func temporary() (string, error) {
	dir, err := os.MkdirTemp("", "confighash-")
	if err != nil {
		return "", err
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(dir)
}

// Close removes the files.
func (p *Pair) Close() error { return os.RemoveAll(p.dir) }

// Path converts a user's path to one in the repository, with slashes, and reports whether it is inside. Relative paths
// start at the working directory.
func (p *Pair) Path(name string) (string, bool) {
	if filepath.IsAbs(name) {
		relative, err := filepath.Rel(p.top, name)
		return filepath.ToSlash(relative), err == nil && p.top != "" && filepath.IsLocal(relative)
	}
	inside := path.Join(p.prefix, filepath.ToSlash(name))
	return inside, filepath.IsLocal(inside)
}

// Dir returns the path of the working directory within a tree.
func (p *Pair) Dir(t *Tree) string { return filepath.Join(t.Root, filepath.FromSlash(p.prefix)) }

// Shown returns a path in the repository as the user would write it.
func (p *Pair) Shown(inside string) string {
	relative, _ := filepath.Rel(filepath.FromSlash(p.prefix), filepath.FromSlash(inside)) // both are relative, without ..
	return filepath.ToSlash(relative)
}

func commit(ctx context.Context, name string) (string, error) {
	digest, err := git(ctx, nil, "rev-parse", "--verify", "--quiet", name+"^{commit}")
	if err != nil {
		return "", fmt.Errorf("%q is not a commit that this clone has; check the name, or fetch it (a CI job often has the last commit alone)", name)
	}
	return digest, nil
}

// write writes only the files of a commit, as git checkout would: the user's settings must not make git move
// submodules, start a daemon, or write beside the index.
func (t *Tree) write(ctx context.Context, repository, digest string) error {
	if err := os.Mkdir(t.Root, 0o700); err != nil {
		return err
	}
	index := "GIT_INDEX_FILE=" + t.Root + ".index"
	_, err := git(ctx, []string{index}, "-C", t.Root, "-c", "core.hooksPath=/dev/null", "-c", "core.sparseCheckout=false",
		"-c", "core.fsmonitor=false", "-c", "core.splitIndex=false",
		"--git-dir="+repository, "--work-tree="+t.Root, "read-tree", "--reset", "-u", "--no-recurse-submodules", digest)
	if err != nil {
		return fmt.Errorf("%s: %w", t.Name, err)
	}
	return nil
}

// git runs git, and returns the first line of its output.
func git(ctx context.Context, env []string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Env = append(os.Environ(), append(env, "LC_ALL=C")...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return "", errors.New("the program git is not on the PATH; install it, or compare files by --from and --to")
	case err != nil:
		reason, _, _ := strings.Cut(strings.TrimSpace(stderr.String()), "\n")
		reason = cmp.Or(strings.TrimPrefix(strings.TrimPrefix(reason, "fatal: "), "error: "), err.Error())
		if strings.Contains(reason, "dubious ownership") { // as in a CI job's container
			reason += "; if you trust it, let git know by git config --global --add safe.directory"
		}
		return "", fmt.Errorf("git: %s", reason)
	}
	line, _, _ := strings.Cut(string(out), "\n")
	return line, nil
}
