package cli

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// stops returns nil, because Windows has no signal that suspends a program.
func stops() []os.Signal { return nil }

func isStop(os.Signal) bool { return false }

func isContinue(os.Signal) bool { return false }

func stop() {}

// readerGone reports whether a write failed because the reader closed the pipe.
func readerGone(err error) bool {
	return errors.Is(err, windows.ERROR_BROKEN_PIPE) || errors.Is(err, windows.ERROR_NO_DATA)
}
