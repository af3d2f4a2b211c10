package players

import (
	"math/rand/v2"
	"slices"
	"sync"

	"gogi/match"
	"gogi/shogi"
	"gogi/shogi/book"
)

// books caches the books of players and reads each file once. Its methods are safe for concurrent use.
type books struct {
	mu   sync.Mutex
	read map[string]*book.Book // by path
}

// drawer returns a function that selects random moves from a player's book. The book is the file in files with the
// role BookRole; without it, the function is nil. drawer returns an error if the hash of the book differs from the
// hash in the plan.
func (s *books) drawer(files []match.FileHash) (func(*shogi.Position, *rand.Rand) shogi.Move, error) {
	i := slices.IndexFunc(files, func(f match.FileHash) bool { return f.Role == match.BookRole })
	if i < 0 {
		return nil, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	f := files[i]
	b := s.read[f.Path]
	if b != nil {
		return b.Choose, nil
	}
	if f.SHA256 != "" {
		if err := same(match.Identity{}, f); err != nil {
			return nil, err
		}
	}
	b, err := book.Open(f.Path, "")
	if err != nil {
		return nil, err
	}
	start := shogi.StartPos()
	b.Find(&start) // builds the index before several games use the book
	if s.read == nil {
		s.read = map[string]*book.Book{}
	}
	s.read[f.Path] = b
	return b.Choose, nil
}
