//go:build !linux

package cluster

import "syscall"

// dieWithParent does nothing where the kernel offers nothing: the terminal's
// interrupt reaches the whole group, but who is killed leaves the processes
// behind.
func dieWithParent() *syscall.SysProcAttr { return nil }
