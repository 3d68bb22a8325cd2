package cluster

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// logLines is how many lines of a component's log an error shows.
const logLines = 20

// component is a process of the control plane.
type component struct {
	name, log string
	process   *os.Process
	done      chan struct{} // closed when the process has ended
	err       error         // of the process; to be read once done is closed
}

// startComponent starts a program in dir, whose output goes to a log there.
func startComponent(name, path, dir string, args []string) (*component, error) {
	c := &component{name: name, log: filepath.Join(dir, name+".log"), done: make(chan struct{})}
	log, err := os.Create(c.log)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(path, args...)
	cmd.Dir = dir
	cmd.Stdout, cmd.Stderr = log, log
	// Nothing of the caller's environment, such as a proxy, matters to it. A heap
	// that grows by half only, not to the double, costs little time here.
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "GOGC=50"}
	cmd.SysProcAttr = dieWithParent()

	started := make(chan error)
	go func() {
		// Linux takes the end of the thread that started a process for the end of the
		// parent, so this thread must wait for it.
		runtime.LockOSThread()
		err := cmd.Start()
		log.Close()
		started <- err
		if err == nil {
			c.err = cmd.Wait()
			close(c.done)
		}
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("cannot start %s: %w", name, err)
	}
	c.process = cmd.Process
	return c, nil
}

// kill ends the process and waits until it is gone.
func (c *component) kill() {
	_ = c.process.Kill() // it may have ended
	<-c.done
}

// ended returns an error where the process has ended.
func (c *component) ended() error {
	select {
	case <-c.done:
		return fmt.Errorf("%s ended: %w; the end of its log:\n%s", c.name, c.err, c.tail())
	default:
		return nil
	}
}

// tail returns the end of the log.
func (c *component) tail() string {
	content, err := os.ReadFile(c.log)
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(string(content)), "\n")
	return strings.Join(lines[max(0, len(lines)-logLines):], "\n")
}
