// Package disk hides the differences between operating systems in file operations: writing durably
// ([SyncFile], [SyncDir]), locks ([LockFile]), permissions ([OthersMayRead], [ReadSecret], [IsProgram]) and full
// volumes ([IsFull]). [NewPart] writes a file that gets its name only when it is complete.
package disk

import (
	"errors"
	"fmt"
	"os"
	"strings"
)

// ReadSecret returns the text of a file with a secret, without white space around it. It returns an error if other
// users can read the file.
func ReadSecret(file string) (string, error) {
	info, err := os.Stat(file)
	if err != nil {
		return "", err
	}
	if OthersMayRead(info) {
		return "", fmt.Errorf("%s: it can be read by others (mode %04o); chmod 600 %s", file, info.Mode().Perm(), file)
	}
	text, err := os.ReadFile(file)
	return strings.TrimSpace(string(text)), err
}

// ErrLocked is the error of LockFile if another process has locked the file.
var ErrLocked = errors.New("another process has it")

// sync opens a file or a folder and waits until the operating system has written it to the disk.
func sync(name string, flag int) error {
	f, err := os.OpenFile(name, flag, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
