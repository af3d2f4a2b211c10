//go:build unix

package socket

import "syscall"

// refused is the error where nobody listens to a socket any more.
const refused = syscall.ECONNREFUSED
