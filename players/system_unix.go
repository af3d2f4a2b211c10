//go:build unix

package players

import "syscall"

// scarcities are the start errors that a machine with too few resources causes, not the engine.
var scarcities = []error{syscall.EAGAIN, syscall.ENOMEM, syscall.EMFILE, syscall.ENFILE}
