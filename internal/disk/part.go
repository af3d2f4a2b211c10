package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// A Part is a file that gets its final name only when it is complete. So a killed process or a full disk
// never leaves an incomplete file under the final name. Before Publish the file has the name ".NAME.part" in
// the same folder.
type Part struct {
	File *os.File // the open file to write to
	path string   // the final name
}

// NewPart creates the file under its temporary name. It overwrites an incomplete file that a killed process
// left.
func NewPart(path string) (*Part, error) {
	dir, name := filepath.Split(path)
	f, err := os.Create(filepath.Join(dir, "."+name+".part"))
	if err != nil {
		return nil, CannotWrite(path, err)
	}
	return &Part{f, path}, nil
}

// Publish closes the file and gives it its final name. If sync is true, the file and its name survive a power cut.
func (p *Part) Publish(sync bool) error {
	var err error
	if sync {
		err = p.File.Sync()
	}
	if err = errors.Join(err, p.File.Close()); err != nil {
		return errors.Join(err, os.Remove(p.File.Name()))
	}
	if err := os.Rename(p.File.Name(), p.path); err != nil || !sync {
		return err
	}
	return SyncDir(filepath.Dir(p.path))
}

// Discard closes and removes the file.
func (p *Part) Discard() error { return errors.Join(p.File.Close(), os.Remove(p.File.Name())) }

// WriteFile replaces a small file in one step. It is complete and on the disk when WriteFile returns. Several processes
// may write the same file at the same time.
func WriteFile(path string, text []byte, mode fs.FileMode) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return SyncDir(filepath.Dir(path))
}
