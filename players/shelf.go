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

// shelf holds the books of players, each read once.
type shelf struct {
	mu    sync.Mutex
	books map[string]*book.Book // by path
}

// drawer draws moves of the book among a player's files; nil where there is none. The
// book must still be what the plan says.
func (s *shelf) drawer(files []match.FileHash) (func(*shogi.Position, *rand.Rand) shogi.Move, error) {
	i := slices.IndexFunc(files, func(f match.FileHash) bool { return f.Role == match.BookRole })
	if i < 0 {
		return nil, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	f := files[i]
	b := s.books[f.Path]
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
	b.Find(&start) // makes the index, before anybody else looks
	if s.books == nil {
		s.books = map[string]*book.Book{}
	}
	s.books[f.Path] = b
	return b.Choose, nil
}

// unchanged refuses a file that is another one than when the plan was made.
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
