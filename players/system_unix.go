//go:build unix

package players

import "syscall"

// scarcities are the errors that a start returns if the machine lacks a resource. They are not the engine's fault.
var scarcities = []error{syscall.EAGAIN, syscall.ENOMEM, syscall.EMFILE, syscall.ENFILE}
