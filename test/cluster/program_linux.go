package cluster

import "syscall"

// dieWithParent makes a process end when this one does, even if this one is killed or panics. In a separate group, it
// does not get the terminal's interrupt, so that a test can stop it cleanly.
func dieWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
