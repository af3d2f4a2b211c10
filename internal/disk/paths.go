package disk

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Absolute returns path as an absolute path. A relative path is relative to the folder base.
func Absolute(base, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(base, path)
}

// Reason returns the system's error without the path, for a message that already has the path.
func Reason(err error) error {
	if p, ok := errors.AsType[*os.PathError](err); ok {
		return p.Err
	}
	return err
}

// CheckProgram returns an error if a path cannot be started as a program.
func CheckProgram(path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return fmt.Errorf("%s cannot be started: %w", path, Reason(err))
	case info.IsDir():
		return fmt.Errorf("%s cannot be started: it is a folder", path)
	case !IsProgram(info):
		return fmt.Errorf("%s cannot be started: it is not executable (chmod +x)", path)
	}
	return nil
}
