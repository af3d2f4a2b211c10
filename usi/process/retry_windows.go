package process

import (
	"errors"

	"golang.org/x/sys/windows"
)

// isBusy reports whether another program has the file open, such as a virus scanner.
func isBusy(err error) bool { return errors.Is(err, windows.ERROR_SHARING_VIOLATION) }

func isScarce(err error) bool { return errors.Is(err, windows.ERROR_TOO_MANY_OPEN_FILES) }
