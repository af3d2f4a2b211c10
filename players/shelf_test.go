package players

import (
	"crypto/sha256"
	"encoding/hex"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gogi/match"
	"gogi/shogi"
)

// A book is read once, and only as long as it is what the plan says.
func TestShelf(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "a.usi")
	const text = "startpos moves 9g9f\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte(text))
	files := []match.FileHash{{Role: "binary"}, {Role: match.BookRole, Path: file, SHA256: hex.EncodeToString(sum[:])}}
	var s shelf
	if draw, err := s.drawer(files[:1]); draw != nil || err != nil {
		t.Error("there is a book", err)
	}
	draw, err := s.drawer(files)
	if err != nil {
		t.Fatal(err)
	}
	start := shogi.StartPos()
	if m := draw(&start, rand.New(rand.NewPCG(1, 2))); m.String() != "9g9f" { //nolint:gosec // a test
		t.Error(m)
	}
	if err := os.WriteFile(file, []byte("startpos moves 1g1f\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.drawer(files); err != nil {
		t.Error("it was read again", err)
	}
	if _, err := new(shelf).drawer(files); err == nil || !strings.Contains(err.Error(), "has changed") {
		t.Error(err)
	}
	files[1].Path += "x"
	if _, err := s.drawer(files); err == nil {
		t.Error("a file that is not there was read")
	}
}
