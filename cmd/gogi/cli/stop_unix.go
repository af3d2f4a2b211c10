//go:build unix

package cli

import (
	"errors"
	"os"
	"syscall"
)

// stops returns the signals that suspend this program (Ctrl-Z) and that continue it.
func stops() []os.Signal { return []os.Signal{syscall.SIGTSTP, syscall.SIGCONT} }

func isStop(sig os.Signal) bool { return sig == syscall.SIGTSTP }

func isContinue(sig os.Signal) bool { return sig == syscall.SIGCONT }

// stop suspends this program until SIGCONT.
func stop() {
	_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
}

// readerGone reports whether a write failed because the reader closed the pipe.
func readerGone(err error) bool { return errors.Is(err, syscall.EPIPE) }
