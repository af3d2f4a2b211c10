package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Part is a file that has its name only when it is whole: neither a kill nor a full disk
// leaves a half one under that name. Until then it is called ".NAME.part" in the same folder.
type Part struct {
	File *os.File // to write to
	path string   // the final name
}

// NewPart starts a file. It overwrites an incomplete file of that name from a killed process.
func NewPart(path string) (*Part, error) {
	dir, name := filepath.Split(path)
	f, err := os.Create(filepath.Join(dir, "."+name+".part"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("cannot write %s: the folder %s does not exist; create it first: %w", path, filepath.Dir(path), Reason(err))
	}
	if err != nil {
		return nil, fmt.Errorf("cannot write %s: %w", path, Reason(err))
	}
	return &Part{f, path}, nil
}

// Publish gives the file its name. With sync the file and its name outlive a power cut.
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

// Discard leaves nothing of it.
func (p *Part) Discard() error { return errors.Join(p.File.Close(), os.Remove(p.File.Name())) }
