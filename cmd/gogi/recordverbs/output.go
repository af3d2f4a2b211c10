package recordverbs

import (
	"errors"
	"io"
	"os"
	"path/filepath"

	"gogi/internal/verb"
)

// whole calls write with a file that gets its name once it is whole, or with standard
// output for "-": whoever reads the name never sees a part.
func whole(env *verb.Env, name string, write func(w io.Writer) error) (err error) {
	if name == "-" {
		return write(env.Out)
	}
	f, err := os.CreateTemp(filepath.Dir(name), ".gogi-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	if err = errors.Join(write(f), f.Chmod(0o644), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}
