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

// Program is a running process: a component of the control plane, or a program started by Run.
type Program struct {
	name, log string
	process   *os.Process
	done      chan struct{} // closed when the process has ended
	err       error         // of the process; valid once done is closed
}

// startProgram starts a program in dir. Its environment is little more than env, and its output is written to a log in
// dir.
func startProgram(name, path, dir string, env, args []string) (*Program, error) {
	c := &Program{name: name, log: filepath.Join(dir, name+".log"), done: make(chan struct{})}
	log, err := os.Create(c.log)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(path, args...)
	cmd.Dir = dir
	cmd.Stdout, cmd.Stderr = log, log
	// Nothing in the caller's environment, such as a proxy, may affect it.
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir}, env...)
	cmd.SysProcAttr = dieWithParent()

	started := make(chan error)
	go func() {
		// On Linux, the parent counts as ended when the thread that started the process ends, so this thread must wait
		// for it.
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

// Memory returns the peak memory of the process in bytes. It is known only on Linux, until the process ends; otherwise
// it is 0.
func (c *Program) Memory() int64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", c.process.Pid))
	if err != nil {
		return 0
	}
	_, after, _ := strings.Cut(string(status), "VmHWM:")
	var kilobytes int64
	_, _ = fmt.Sscan(after, &kilobytes) // stays 0 if there is none
	return kilobytes << 10
}

// Stop ends the process and waits for that. A second call does nothing.
func (c *Program) Stop() {
	_ = c.process.Kill() // it may have ended already
	<-c.done
}

// Err returns an error with the end of the log if the process has ended.
func (c *Program) Err() error {
	select {
	case <-c.done:
		return fmt.Errorf("%s ended: %w; the end of its log:\n%s", c.name, c.err, c.tail())
	default:
		return nil
	}
}

// tail returns the end of the log.
func (c *Program) tail() string {
	content, err := os.ReadFile(c.log)
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(string(content)), "\n")
	return strings.Join(lines[max(0, len(lines)-logLines):], "\n")
}
