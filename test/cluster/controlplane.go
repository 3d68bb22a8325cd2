package cluster

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// Options configure Start.
type Options struct {
	// Binaries is the directory of kube-apiserver, kube-controller-manager and kubectl.
	Binaries string
	// Etcd is the etcd to run: a path, or a name on the PATH; "etcd" if empty.
	Etcd string
	// Dir holds data, keys and logs. If it is empty, Start creates a temporary directory, which Stop removes.
	Dir string
	// Users are the names of users in addition to the tests' own. They may do everything too; each has a kubeconfig,
	// and the audit log distinguishes their requests.
	Users []string
	// Audit makes the API server write audit.log in the directory: for each request a JSON line, an audit.k8s.io/v1
	// Event without bodies.
	Audit bool
}

// ControlPlane is a running control plane.
type ControlPlane struct {
	binaries, dir string
	temporary     bool
	audit         bool
	url, token    string
	client        *http.Client

	mu         sync.Mutex // guards the following, so that Stop may be called at any time
	components []*Program
	programs   []*Program // those of Run, which may end
}

// controllers are those that the tests observe, the garbage collector, and the one that empties deleted namespaces.
var controllers = []string{
	"cronjob-controller",
	"daemonset-controller",
	"deployment-controller",
	"garbage-collector-controller",
	"job-controller",
	"namespace-controller",
	"replicaset-controller",
	"statefulset-controller",
}

const (
	// startTimeout is far more than a start takes, even on a busy machine.
	startTimeout = 2 * time.Minute
	// pollInterval is the time between two attempts.
	pollInterval = 20 * time.Millisecond
	// ports is how many ports to try: after a free one is chosen, another program may take it before kube-apiserver
	// does.
	ports = 5
)

// errPortTaken says that another program listens on kube-apiserver's port.
var errPortTaken = errors.New("the port is taken")

// Start starts a control plane and returns when its API answers and its controllers work, after some seconds. ctx only
// applies to the start: the processes run until Stop, or until this program ends, for whatever reason.
//
// An error of a component includes the end of its log.
func Start(ctx context.Context, options Options) (_ *ControlPlane, err error) {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()

	c := &ControlPlane{token: rand.Text(), audit: options.Audit}
	if c.binaries, err = filepath.Abs(options.Binaries); err != nil {
		return nil, err
	}
	etcd := options.Etcd
	if etcd == "" {
		etcd = "etcd"
	}
	if etcd, err = exec.LookPath(etcd); err != nil {
		return nil, fmt.Errorf("cannot find etcd: %w", err)
	}
	if etcd, err = filepath.Abs(etcd); err != nil {
		return nil, err
	}
	if c.dir, err = filepath.Abs(options.Dir); err != nil {
		return nil, err
	}
	if options.Dir == "" {
		if c.dir, err = os.MkdirTemp("", "confighash-cluster-"); err != nil {
			return nil, err
		}
		c.temporary = true
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, c.Stop())
		}
	}()

	if err := c.writeKeys(); err != nil {
		return nil, err
	}
	users, err := c.writeTokens(options.Users)
	if err != nil {
		return nil, err
	}
	if err := c.startEtcd(etcd); err != nil {
		return nil, err
	}
	for try := 1; ; try++ {
		err := c.startAPIServer(ctx, users)
		if err == nil {
			break
		}
		if !errors.Is(err, errPortTaken) || try == ports {
			return nil, err
		}
	}
	if err := c.startControllerManager(ctx); err != nil {
		return nil, err
	}
	return c, nil
}

// Stop ends all processes, and removes their data if Start chose the directory. A second call does nothing. It may be
// called while the control plane is in use: the users get errors.
func (c *ControlPlane) Stop() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	// The data is not needed, so no process has to shut down cleanly.
	for _, program := range slices.Backward(slices.Concat(c.components, c.programs)) {
		program.Stop()
	}
	c.programs, c.components = nil, nil
	if c.client != nil {
		c.client.CloseIdleConnections()
	}
	if c.temporary {
		return os.RemoveAll(c.dir)
	}
	return nil
}

// Kubeconfig returns the path of a kubeconfig for other programs.
func (c *ControlPlane) Kubeconfig() string { return filepath.Join(c.dir, "kubeconfig") }

// KubeconfigOf returns the path of the kubeconfig of one of Options.Users.
func (c *ControlPlane) KubeconfigOf(user string) string { return c.Kubeconfig() + "-" + user }

// Dir returns the directory of data, keys and logs.
func (c *ControlPlane) Dir() string { return c.dir }

// Run runs another program as one of Options.Users until its Stop, or the control plane's. The program gets env and
// KUBECONFIG, and writes the log NAME.log.
func (c *ControlPlane) Run(name, user, path string, env []string, args ...string) (*Program, error) {
	program, err := startProgram(name, path, c.dir, append(env, "KUBECONFIG="+c.KubeconfigOf(user)), args)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.programs = append(c.programs, program)
	return program, nil
}

// startEtcd starts etcd. It listens on sockets in the control plane's directory: no port can be taken, and nobody else
// can write there.
func (c *ControlPlane) startEtcd(etcd string) error {
	return c.start("etcd", etcd,
		"--data-dir=etcd",
		"--listen-client-urls=unix://etcd.sock:1",
		"--advertise-client-urls=unix://etcd.sock:1",
		"--listen-peer-urls=unix://peer.sock:1",
		"--initial-advertise-peer-urls=unix://peer.sock:1",
		"--initial-cluster=default=unix://peer.sock:1",
		"--logger=zap",
		"--snapshot-count=10000", // newer versions' default, which needs less memory than 100000
		"--unsafe-no-fsync",
	)
}

// startAPIServer starts kube-apiserver on a free port, waits until it is ready, and writes the kubeconfig. The error is
// errPortTaken if another program took the port first.
func (c *ControlPlane) startAPIServer(ctx context.Context, users map[string]string) error {
	port, err := freePort()
	if err != nil {
		return err
	}
	c.url = fmt.Sprintf("https://127.0.0.1:%d", port)
	if err := c.writeKubeconfigs(users); err != nil {
		return err
	}
	args := []string{
		"--etcd-servers=unix://etcd.sock:1",
		"--bind-address=127.0.0.1",
		"--advertise-address=127.0.0.1",
		fmt.Sprintf("--secure-port=%d", port),
		"--tls-cert-file=apiserver.crt",
		"--tls-private-key-file=apiserver.key",
		"--token-auth-file=tokens.csv",
		"--anonymous-auth=false",
		"--authorization-mode=RBAC", // the only token is of system:masters, who may do everything
		// Without this plugin Pods need no service account, and no controller has to create one in each namespace.
		"--disable-admission-plugins=ServiceAccount",
		"--service-account-issuer=https://confighash.invalid",
		"--service-account-key-file=serviceaccount.key",
		"--service-account-signing-key-file=serviceaccount.key",
		"--service-cluster-ip-range=10.0.0.0/24",
		"--endpoint-reconciler-type=none",
		"--allow-privileged=true",
		"--enable-priority-and-fairness=false",
		"--event-ttl=5m",
		"--profiling=false",
	}
	if c.audit {
		policy := "apiVersion: audit.k8s.io/v1\nkind: Policy\nomitStages: [RequestReceived]\nrules: [{level: Metadata}]\n"
		if err := c.write("audit.yaml", []byte(policy)); err != nil {
			return err
		}
		args = append(args, "--audit-policy-file=audit.yaml", "--audit-log-path=audit.log")
	}
	if err := c.start("kube-apiserver", filepath.Join(c.binaries, "kube-apiserver"), args...); err != nil {
		return err
	}

	err = c.until(ctx, func() error { return c.Get(ctx, "/readyz", nil) })
	if err == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if apiserver := c.components[len(c.components)-1]; strings.Contains(apiserver.tail(), "address already in use") {
		apiserver.Stop()
		c.components = c.components[:len(c.components)-1]
		return fmt.Errorf("%w: %d", errPortTaken, port)
	}
	return fmt.Errorf("the API server does not become ready: %w", err)
}

// startControllerManager starts kube-controller-manager and waits until its controllers work.
func (c *ControlPlane) startControllerManager(ctx context.Context) error {
	if err := c.start("kube-controller-manager", filepath.Join(c.binaries, "kube-controller-manager"),
		"--kubeconfig=kubeconfig",
		"--controllers="+strings.Join(controllers, ","),
		// The defaults, 20 and 30, are meant for a shared API server.
		"--kube-api-qps=500",
		"--kube-api-burst=1000",
		"--leader-elect=false",
		"--secure-port=0",
		"--profiling=false",
	); err != nil {
		return err
	}
	if err := c.awaitControllers(ctx); err != nil {
		return fmt.Errorf("the controllers do not start to work: %w", err)
	}
	return nil
}

// awaitControllers waits until a Deployment in the namespace default has its ReplicaSet, and until both are deleted:
// then controllers and garbage collection work.
func (c *ControlPlane) awaitControllers(ctx context.Context) error {
	const deployments = "/apis/apps/v1/namespaces/default/deployments"
	err := c.Create(ctx, deployments, map[string]any{
		"apiVersion": "apps/v1",
		"kind":       "Deployment",
		"metadata":   map[string]any{"name": "probe"},
		"spec": map[string]any{
			"replicas": 0,
			"selector": map[string]any{"matchLabels": map[string]any{"app": "probe"}},
			"template": map[string]any{
				"metadata": map[string]any{"labels": map[string]any{"app": "probe"}},
				"spec":     map[string]any{"containers": []any{map[string]any{"name": "probe", "image": "probe"}}},
			},
		},
	}, nil)
	if err != nil {
		return err
	}
	if _, err := c.Rollouts(ctx, "default"); err != nil {
		return err
	}
	if err := c.Delete(ctx, deployments+"/probe"); err != nil {
		return err
	}
	return c.until(ctx, func() error {
		left, err := c.read(ctx, "default")
		if err == nil && len(left.replicaSets) > 0 {
			err = errors.New("the ReplicaSet of a deleted Deployment is still there")
		}
		return err
	})
}

func (c *ControlPlane) start(name, path string, args ...string) error {
	// Garbage collection at half the default heap growth costs little time here.
	component, err := startProgram(name, path, c.dir, []string{"GOGC=50"}, args)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.components = append(c.components, component)
	return nil
}

// until calls f until it returns no error. When ctx ends it returns the last error, and when a component ends, the end
// of its log.
func (c *ControlPlane) until(ctx context.Context, f func() error) error {
	for {
		err := f()
		if err == nil {
			return nil
		}
		if ended := c.ended(); ended != nil {
			return ended
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w: %w", ctx.Err(), err)
		case <-time.After(pollInterval):
		}
	}
}

// ended returns an error if a component no longer runs.
func (c *ControlPlane) ended() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, component := range c.components {
		if err := component.Err(); err != nil {
			return err
		}
	}
	return nil
}

// freePort returns a currently free port of the loopback interface.
func freePort() (int, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port, nil
}
