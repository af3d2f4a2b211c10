//go:build unix

package cli

import (
	"errors"
	"os"
	"syscall"
)

// stops are the signals of a stop (Ctrl-Z) and of its end.
func stops() []os.Signal { return []os.Signal{syscall.SIGTSTP, syscall.SIGCONT} }

func isStop(sig os.Signal) bool { return sig == syscall.SIGTSTP }

func isContinue(sig os.Signal) bool { return sig == syscall.SIGCONT }

// stop stops this program until somebody lets it go on.
func stop() {
	// One may always signal oneself.
	_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
}

// readerGone reports whether a write failed because nobody reads any more.
func readerGone(err error) bool { return errors.Is(err, syscall.EPIPE) }
