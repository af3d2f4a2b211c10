//go:build unix

package process

import (
	"errors"
	"syscall"
)

func isBusy(err error) bool { return errors.Is(err, syscall.ETXTBSY) }

func isScarce(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
}
