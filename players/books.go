package players

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"sync"

	"gogi/match"
	"gogi/shogi"
	"gogi/shogi/book"
)

// books holds the books of players; it reads each file once. Its methods are safe for concurrent use.
type books struct {
	mu   sync.Mutex
	read map[string]*book.Book // by path
}

// drawer returns a function that draws moves from the book among files; nil if there is no book. It returns
// an error if the book has not the hash of the plan.
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
	if err := unchanged(f); err != nil {
		return nil, err
	}
	b, err := book.Open(f.Path, "")
	if err != nil {
		return nil, err
	}
	start := shogi.StartPos()
	b.Find(&start) // makes the index, before several games use the book
	if s.read == nil {
		s.read = map[string]*book.Book{}
	}
	s.read[f.Path] = b
	return b.Choose, nil
}

// unchanged returns an error if a file has another hash than in the plan.
func unchanged(f match.FileHash) error {
	data, err := os.ReadFile(f.Path)
	if err != nil {
		return fmt.Errorf("its book: %w", err)
	}
	if sum := sha256.Sum256(data); f.SHA256 != "" && hex.EncodeToString(sum[:]) != f.SHA256 {
		return fmt.Errorf("its book %s has changed since the plan was made", f.Path)
	}
	return nil
}
