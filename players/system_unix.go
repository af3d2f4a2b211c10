//go:build unix

package players

import "syscall"

// scarcities are the errors of a start for which the machine is to blame.
var scarcities = []error{syscall.EAGAIN, syscall.ENOMEM, syscall.EMFILE, syscall.ENFILE}
