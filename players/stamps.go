package players

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"sync"
	"time"

	"gogi/configs/identity"
	"gogi/match"
)

// stamps detects changes of an engine's files during a run: a rebuilt program, or an overwritten network.
// Without this check, the games after a restart would be those of another player under the old name. It reads
// a file again only if its size or time differs, because networks are large and starts are frequent.
type stamps struct {
	mu   sync.Mutex
	seen map[string]stamp // by path
}

type stamp struct {
	size    int64
	changed time.Time
}

// check returns an error if one of the engine's files differs from the plan's hash. The first call for a path trusts
// the file, because the plan was just made or verified. If the path does not exist at that time, it belongs to the
// machine that made the plan.
func (s *stamps) check(p match.Player) error {
	if p.Builtin || identity.IsRemote(p.Command) {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range p.Identity.Files {
		if f.Role == match.BookRole { // gogi reads the book only once: see books
			continue
		}
		if err := s.file(p.Identity, f); err != nil {
			return fmt.Errorf("engine %s: %w", p.Name, err)
		}
	}
	return nil
}

func (s *stamps) file(id match.Identity, f match.FileHash) error {
	before, known := s.seen[f.Path]
	info, err := os.Stat(f.Path)
	switch {
	case !known && errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("its %s: %w", f.Role, err)
	}
	now := stamp{info.Size(), info.ModTime()}
	if known && now != before {
		if err := same(id, f); err != nil {
			return err
		}
	}
	if s.seen == nil {
		s.seen = map[string]stamp{}
	}
	s.seen[f.Path] = now
	return nil
}

// same returns an error if the file f, read again, no longer has its hash. If f is a program, it may have the hash
// of any variant in the identity.
func same(id match.Identity, f match.FileHash) error {
	here := match.Player{}
	if err := (identity.Hasher{}).Add(&here, f.Role, f.Path); err != nil {
		return err
	}
	sum := here.Identity.Files[0].SHA256
	built := func(v match.Variant) bool { return v.SHA256 == sum }
	if sum == f.SHA256 || f.Role == match.BinaryRole && slices.ContainsFunc(id.Variants, built) {
		return nil
	}
	return fmt.Errorf("its %s (%s) has changed since the plan was made: SHA-256 %s before, %s now; "+
		"put the old file back and resume, or start another run", f.Role, f.Path, f.SHA256, sum)
}
