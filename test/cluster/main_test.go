//go:build cluster

package cluster_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/confighash/confighash/test/cluster"
)

// root is the module's directory.
const root = "../.."

// binary is the confighash under test.
var binary = flag.String("confighash", filepath.Join(root, "bin", "confighash"), "path of the confighash to test")

// plane is the control plane that all tests share.
var plane *cluster.ControlPlane

// options are for all control planes here.
var options = cluster.Options{
	Binaries: filepath.Join(root, "bin", "tools", "kubernetes"),
	Etcd:     os.Getenv("ETCD"),
}

func TestMain(m *testing.M) {
	child := os.Getenv(childVariable)
	os.Exit(untilAsked(func(ctx context.Context) int {
		if child != "" {
			return runChild(ctx, child)
		}
		return startAndRun(ctx, m)
	}))
}

// startAndRun runs the tests on one control plane until ctx ends.
func startAndRun(ctx context.Context, m *testing.M) (code int) {
	began := time.Now()
	var err error
	plane, err = cluster.Start(ctx, options)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Printf("the control plane started in %.1f s\n", time.Since(began).Seconds())
	defer func() {
		if err := plane.Stop(); err != nil && ctx.Err() == nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}()
	ended := make(chan int, 1)
	go func() {
		code := m.Run()
		if code == 0 {
			if err := lasts(); err != nil {
				fmt.Fprintln(os.Stderr, err)
				code = 1
			}
		}
		ended <- code
	}()
	select {
	case code = <-ended:
		return code
	case <-ctx.Done():
		return 1
	}
}

// settleTime is how long lasts waits.
const settleTime = 2 * time.Second

// lasts checks some time after the last test that what the tests took for the end was the end: nothing rolled later.
// Checking once is enough for all tests.
func lasts() error {
	time.Sleep(settleTime)
	var errs []error
	for namespace, before := range settled {
		after, err := plane.Rollouts(context.Background(), namespace)
		if err != nil {
			errs = append(errs, err)
		} else if rolled := cluster.Rolled(before, after); rolled != nil {
			errs = append(errs, fmt.Errorf("after the test had ended rolled %v", rolled))
		}
	}
	return errors.Join(errs...)
}

// namespaces counts the namespaces of newNamespace.
var namespaces int

// newNamespace creates a namespace named after the test.
func newNamespace(t *testing.T) string {
	t.Helper()
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, strings.ToLower(t.Name()))
	namespaces++
	number := fmt.Sprintf("-%d", namespaces)
	name = strings.Trim(name[max(0, len(name)+len(number)-63):], "-") + number
	if err := plane.CreateNamespace(t.Context(), name); err != nil {
		t.Fatal(err)
	}
	return name
}

// kubectl runs kubectl, which must succeed.
func kubectl(t *testing.T, stdin string, args ...string) string {
	t.Helper()
	result, err := plane.Kubectl(t.Context(), stdin, args...)
	if err == nil && result.Code != 0 {
		err = errors.New(result.Stderr)
	}
	if err != nil {
		t.Fatalf("kubectl %s: %v", strings.Join(args, " "), err)
	}
	return result.Stdout
}

// rollouts returns the current revisions of a namespace's workloads.
func rollouts(t *testing.T, namespace string) cluster.Snapshot {
	t.Helper()
	snapshot, err := plane.Rollouts(t.Context(), namespace)
	if err != nil {
		t.Fatal(err)
	}
	return snapshot
}
