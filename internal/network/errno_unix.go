//go:build !windows

package network

import "syscall"

// These are the system's errors for an address that another program uses, and for one that this machine does not have.
const (
	inUse   = syscall.EADDRINUSE
	notOurs = syscall.EADDRNOTAVAIL
)
