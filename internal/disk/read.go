package disk

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Open opens a regular file for reading. It returns an error for folders, and for devices and pipes, because
// these may have no end or block the reader.
func Open(name string) (*os.File, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	switch {
	case info.IsDir():
		err = errors.New("it is a folder; give a file")
	case !info.Mode().IsRegular():
		err = errors.New("it is a device or a pipe; write what comes from it to a file and give that")
	}
	if err != nil {
		return nil, &os.PathError{Op: "read", Path: name, Err: err}
	}
	return os.Open(name)
}

// ReadFile returns the contents of a regular file. It returns an error if the file has more than limit bytes.
func ReadFile(name string, limit int64) ([]byte, error) {
	file, err := Open(name)
	if err != nil {
		return nil, err
	}
	data, err := ReadAll(file, limit)
	if err = errors.Join(err, file.Close()); err != nil {
		return nil, &os.PathError{Op: "read", Path: name, Err: err}
	}
	return data, nil
}

// ReadAll reads r to its end. It returns an error if r has more than limit bytes.
func ReadAll(r io.Reader, limit int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = fmt.Errorf("it has more than %d bytes, which is the most that is read", limit)
	}
	return data, err
}

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
