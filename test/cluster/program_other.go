//go:build !linux

package cluster

import "syscall"

// dieWithParent does nothing, as the kernel offers nothing for it: the terminal's interrupt reaches the whole group,
// but if this process is killed, the others keep running.
func dieWithParent() *syscall.SysProcAttr { return nil }
