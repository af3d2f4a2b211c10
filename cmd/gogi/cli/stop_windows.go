package cli

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// stops are none: Windows stops no program.
func stops() []os.Signal { return nil }

func isStop(os.Signal) bool { return false }

func isContinue(os.Signal) bool { return false }

func stop() {}

// readerGone reports whether a write failed because nobody reads any more.
func readerGone(err error) bool {
	return errors.Is(err, windows.ERROR_BROKEN_PIPE) || errors.Is(err, windows.ERROR_NO_DATA)
}
