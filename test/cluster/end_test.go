//go:build cluster

package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/confighash/confighash/test/cluster"
)

// scratchPattern matches the directories of runs.
const scratchPattern = "confighash-e2e-cluster-*"

// parentInterval is how often to check whether go is still running.
const parentInterval = time.Second

// untilAsked runs f, in a separate directory for all temporary files, until it returns or its context ends: on an
// interrupt, or when go, which started this program, ends. It returns f's exit code.
//
// If this program is killed, or ended by -timeout, the directory stays. The next run removes it.
func untilAsked(f func(context.Context) int) int {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	signals := make(chan os.Signal, 1)
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(s) { // for nohup
			signal.Notify(signals, s)
		}
	}
	// go reads this program's output. If go is gone, a write must only fail.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	parent := os.Getppid()
	go func() {
		for {
			select {
			case s := <-signals:
				signal.Stop(signals) // a second one ends the program
				cancel(errors.New(s.String()))
			case <-time.After(parentInterval):
				if os.Getppid() != parent {
					cancel(errors.New("the program that started the tests has ended"))
				}
			}
		}
	}()

	removeLeft(os.TempDir())
	s, err := newScratch(os.TempDir(), parent, madeByGo())
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	code := f(ctx)
	if err := context.Cause(ctx); err != nil {
		fmt.Fprintf(os.Stderr, "stopped: %v\n", err)
		s.outliveParent()
	}
	if err := s.remove(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

// scratch is the directory of a run, which holds a lock on it. Its file "go" contains the process that started the run,
// and the directory of that process's build.
type scratch struct {
	path string
	lock *os.File
	made string
	from int
}

// newScratch creates a directory and makes it the place of temporary files.
func newScratch(in string, parent int, made string) (*scratch, error) {
	s := &scratch{from: parent, made: made}
	for s.lock == nil {
		path, err := os.MkdirTemp(in, scratchPattern)
		if err != nil {
			return nil, err
		}
		s.path = path
		// Until it is locked, another run may consider it abandoned.
		if s.lock, err = lock(path, 0); err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	if err := os.WriteFile(filepath.Join(s.path, "go"), fmt.Appendf(nil, "%d %s", parent, s.made), 0o600); err != nil {
		return nil, err
	}
	return s, errors.Join(os.Setenv("TMPDIR", s.path), os.Setenv("GOTMPDIR", ""))
}

// madeByGo returns the directory of go's build, or "". go removes it when it ends.
func madeByGo() string {
	program, err := os.Executable()
	if err != nil || os.Getenv(childVariable) != "" {
		return "" // not made by a child's parent
	}
	directory := filepath.Dir(filepath.Dir(program)) // go-build1234/b001/cluster.test
	if !strings.HasPrefix(filepath.Base(directory), "go-build") {
		return ""
	}
	return directory
}

// lock locks a directory until Close, or the end of this process. The error is os.ErrNotExist if the directory is gone.
func lock(path string, how int) (*os.File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|how); err != nil {
		f.Close()
		return nil, err
	}
	// The previous holder of the lock may have removed the directory.
	is, err := f.Stat()
	if err == nil {
		var now os.FileInfo
		if now, err = os.Lstat(path); err == nil && !os.SameFile(is, now) {
			err = os.ErrNotExist
		}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// outliveParent removes go's build for this run if go has ended too and cannot do so. It waits a moment, as both get a
// signal at the same time.
func (s *scratch) outliveParent() {
	for range 20 {
		if os.Getppid() != s.from {
			if s.made != "" {
				_ = os.RemoveAll(s.made) // the next run tries again
			}
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func (s *scratch) remove() error {
	defer s.lock.Close()
	var err error
	for range 10 {
		// Unfinished tests may still write.
		if err = os.RemoveAll(s.path); err == nil {
			return nil
		}
		time.Sleep(20 * time.Millisecond)
	}
	return err
}

// removeLeft removes the directories of this user's earlier runs. It ignores errors, which do not concern this run.
func removeLeft(in string) {
	paths, _ := filepath.Glob(filepath.Join(in, scratchPattern))
	for _, path := range paths {
		info, err := os.Lstat(path)
		if err != nil || !info.IsDir() {
			continue
		}
		if stat, ok := info.Sys().(*syscall.Stat_t); !ok || int(stat.Uid) != os.Getuid() {
			continue
		}
		held, err := lock(path, syscall.LOCK_NB)
		if err != nil {
			continue
		}
		var parent int
		var made string
		if content, err := os.ReadFile(filepath.Join(path, "go")); err == nil {
			_, _ = fmt.Sscanf(string(content), "%d", &parent)
			_, made, _ = strings.Cut(string(content), " ")
		}
		// A running go removes its own.
		if parent == 0 || syscall.Kill(parent, 0) != nil {
			if strings.HasPrefix(filepath.Base(made), "go-build") {
				_ = os.RemoveAll(made)
			}
			_ = os.RemoveAll(path)
		}
		held.Close()
	}
}

// childVariable turns this program into a child of a test.
const childVariable = "CONFIGHASH_CLUSTER_CHILD"

const (
	// controlPlaneChild starts a control plane, prints its processes and waits.
	controlPlaneChild = "control plane"
	// idleChild prints its process and its directory, and waits.
	idleChild = "idle"
)

func runChild(ctx context.Context, child string) int {
	if child == idleChild {
		fmt.Println(os.Getpid(), os.TempDir())
		<-ctx.Done()
		return 1
	}
	c, err := cluster.Start(ctx, options)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Println(c.PIDs())
	<-ctx.Done()
	if err := c.Stop(); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	return 1
}

// startIdle starts a shell and, in it, an idle child whose directory is in dir. It returns the shell, the child and the
// child's directory.
func startIdle(t *testing.T, dir string) (shell *os.Process, pid int, scratch string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", "-c", `"$0"; :`, os.Args[0])
	cmd.Env = append(os.Environ(), childVariable+"="+idleChild, "TMPDIR="+dir)
	output, into, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer output.Close()
	cmd.Stdout, cmd.Stderr = into, into // soon nobody reads it, as if go were gone
	err = cmd.Start()
	into.Close()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Fscan(output, &pid, &scratch); err != nil {
		rest, _ := io.ReadAll(output)
		t.Fatalf("%v, before %q", err, rest)
	}
	t.Cleanup(func() {
		_ = syscall.Kill(pid, syscall.SIGKILL)
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // its error is that it was killed
	})
	return cmd.Process, pid, scratch
}

func awaitGone(t *testing.T, pid int) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); runs(pid); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("process %d still runs", pid)
		}
	}
}

func TestUntilAsked_removesItsDirectory(t *testing.T) {
	for _, tc := range []struct {
		name string
		end  func(shell *os.Process, pid int) error
	}{
		{"interrupted", func(_ *os.Process, pid int) error { return syscall.Kill(pid, syscall.SIGINT) }},
		{"terminated", func(_ *os.Process, pid int) error { return syscall.Kill(pid, syscall.SIGTERM) }},
		{"hung up", func(_ *os.Process, pid int) error { return syscall.Kill(pid, syscall.SIGHUP) }},
		{"without its parent", func(shell *os.Process, _ int) error { return shell.Kill() }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			shell, pid, scratch := startIdle(t, t.TempDir())
			if _, err := os.Stat(filepath.Join(scratch, "go")); err != nil {
				t.Fatal(err)
			}
			if err := tc.end(shell, pid); err != nil {
				t.Fatal(err)
			}
			awaitGone(t, pid)
			if _, err := os.Stat(scratch); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("%s is still there: %v", scratch, err)
			}
		})
	}
}

func TestRemoveLeft_removesAbandonedDirectories(t *testing.T) {
	dir := t.TempDir()
	_, _, held := startIdle(t, dir)
	shell, killed, left := startIdle(t, dir)
	if err := syscall.Kill(killed, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	awaitGone(t, killed)
	if _, err := shell.Wait(); err != nil { // it waits for the child
		t.Fatal(err)
	}
	built := filepath.Join(dir, "go-build1")
	if err := os.MkdirAll(filepath.Join(built, "b001"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(left, "go"), fmt.Appendf(nil, "%d %s", shell.Pid, built), 0o600); err != nil {
		t.Fatal(err)
	}
	// A run whose go is still running.
	waiting := filepath.Join(dir, strings.Replace(scratchPattern, "*", "waiting", 1))
	if err := os.Mkdir(waiting, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(waiting, "go"), fmt.Appendf(nil, "%d ", os.Getpid()), 0o600); err != nil {
		t.Fatal(err)
	}

	removeLeft(dir)
	for path, want := range map[string]bool{held: true, left: false, built: false, waiting: true} {
		if _, err := os.Stat(path); (err == nil) != want {
			t.Errorf("%s is there: %t, want %t", path, err == nil, want)
		}
	}
}
