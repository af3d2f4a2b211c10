//go:build unix

package file

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"gogi/internal/testutil"
)

// TestHoldOfPipes requires an error if a name of a database belongs to a pipe or a folder. Without the check, opening
// the pipe would wait for another process for ever, even after SIGTERM.
func TestHoldOfPipes(t *testing.T) {
	for _, end := range ends {
		for name, make := range map[string]func(path string) error{
			"pipe":   func(path string) error { return syscall.Mkfifo(path, 0o600) },
			"folder": func(path string) error { return os.Mkdir(path, 0o700) },
		} {
			if end == "" && name == "folder" {
				continue // the system returns the error
			}
			path := filepath.Join(t.TempDir(), "a.db")
			testutil.OK(t, os.WriteFile(path, nil, 0o600))
			testutil.OK(t, os.RemoveAll(path+end))
			testutil.OK(t, make(path+end))
			for _, write := range []bool{false, true} {
				testutil.Fails(t, testutil.Err(Hold(path, write)), path+end+" is a "+name, "write", write)
			}
		}
	}
}
