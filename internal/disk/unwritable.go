package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// unwritable is the error for a file that gogi cannot create or write. It unwraps to the system's error.
type unwritable struct {
	text  string
	cause error
}

func (e *unwritable) Error() string { return e.text }

func (e *unwritable) Unwrap() error { return e.cause }

// CannotWrite returns the error for a file that cannot be created or opened for writing: its path, the problem and what
// to do. err is the system's error; CannotWrite returns nil if it is nil.
func CannotWrite(path string, err error) error {
	if err == nil {
		return nil
	}
	return &unwritable{fmt.Sprintf("cannot write %s: %s", path, problem(path, err)), err}
}

// WhyUnwritable returns an error like CannotWrite without the path, for a message that already has the path.
func WhyUnwritable(path string, err error) error {
	if err == nil {
		return nil
	}
	return &unwritable{problem(path, err), err}
}

// problem returns the reason why path cannot be written, and what to do.
func problem(path string, err error) string {
	folder := filepath.Dir(path)
	info, statErr := os.Stat(path)
	switch {
	case statErr == nil && info.IsDir():
		return "it is a folder; give the name of a file"
	case errors.Is(err, fs.ErrNotExist) && !exists(folder):
		return fmt.Sprintf("the folder %s does not exist; create it first", folder)
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Sprintf("no file can be created in the folder %s; give a path in another folder", folder)
	case errors.Is(err, syscall.ENOTDIR):
		return fmt.Sprintf("%s is no folder; check the path", folder)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Sprintf("%v; change the permissions of the file or of the folder %s, or give a path in another folder",
			Reason(err), folder)
	case errors.Is(err, syscall.EROFS):
		return fmt.Sprintf("%v; give a path in another folder", Reason(err))
	}
	return Reason(err).Error()
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist)
}
