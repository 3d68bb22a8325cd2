package cluster

import "syscall"

// dieWithParent lets a process end when this one does, also when this one is
// killed or panics. In a group of its own, it does not get the terminal's
// interrupt, so that a test can stop it in order.
func dieWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
