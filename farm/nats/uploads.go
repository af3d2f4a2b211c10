package nats

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"sync"

	"gogi/farm"
	"gogi/farm/files"
	"gogi/farm/keys"
)

// uploaded are the places of what workers have uploaded: a folder for each. Nobody reads
// there but the coordinator.
type uploaded struct {
	dir  string
	keys *keys.Ring
	most int64 // bytes of a worker's

	mu     sync.Mutex
	places map[string]*files.Store // by worker
}

func newUploaded(dir string, ring *keys.Ring) *uploaded {
	return &uploaded{dir: dir, keys: ring, most: farm.MaxUploads, places: map[string]*files.Store{}}
}

// place is a worker's.
func (u *uploaded) place(worker string) (*files.Store, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if s := u.places[worker]; s != nil {
		return s, nil
	}
	s, err := files.Open(filepath.Join(u.dir, worker), u.most, true)
	if err == nil {
		u.places[worker] = s
	}
	return s, err
}

// placeOf is where somebody's uploads are kept, and how large one may be: an owner's are
// artefacts, for all to read; a worker's wait in a place of its own.
func (s *artefactServer) placeOf(name string) (*files.Store, int64, error) {
	k, ok := s.uploaded.keys.Named(name)
	switch {
	case !ok:
		return nil, 0, &farm.Refusal{Why: fmt.Sprintf("%s has no key", name), Exit: 1}
	case k.May(keys.Work):
		place, err := s.uploaded.place(name)
		return place, farm.MaxBlock, err
	}
	return s.store, s.largest, nil
}

// Uploaded implements farm.Bus.
func (b *Bus) Uploaded(_ context.Context, worker, sum string, limit int64) ([]byte, error) {
	k, ok := b.config.Keys.Named(worker)
	if !ok || !k.May(keys.Work) {
		return nil, farm.ErrNoUpload
	}
	place, err := b.shelf.uploaded.place(worker)
	if err != nil {
		return nil, err
	}
	_, size, err := place.ReadAt(sum, nil, 0)
	if err == nil && size > limit {
		return nil, &farm.Refusal{Why: fmt.Sprintf("the upload %.12s of %s has %d bytes, %d at most were told of", sum, worker, size, limit), Exit: 1}
	}
	if err == nil {
		_, err = place.Path(sum) // it is what its name says
	}
	body := make([]byte, size)
	if err == nil {
		_, err = io.ReadFull(io.NewSectionReader(&stored{place, sum}, 0, size), body)
	}
	if errors.Is(err, files.ErrUnknown) || errors.Is(err, files.ErrHash) || errors.Is(err, fs.ErrNotExist) {
		return nil, farm.ErrNoUpload
	}
	return body, err
}

// Discard implements farm.Bus.
func (b *Bus) Discard(worker, sum string) error {
	if k, ok := b.config.Keys.Named(worker); !ok || !k.May(keys.Work) {
		return nil
	}
	place, err := b.shelf.uploaded.place(worker)
	if err != nil {
		return err
	}
	return place.Remove(sum)
}
