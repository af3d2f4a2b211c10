package network

import "golang.org/x/sys/windows"

// These are the system's errors for an address that another program uses, and for one that this machine does not have.
const (
	inUse   = windows.WSAEADDRINUSE
	notOurs = windows.WSAEADDRNOTAVAIL
)
