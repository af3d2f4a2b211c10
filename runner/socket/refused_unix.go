//go:build unix

package socket

import "syscall"

// refused is the error of a socket without a listening process.
const refused = syscall.ECONNREFUSED
