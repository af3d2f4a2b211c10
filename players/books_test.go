package players

import (
	"crypto/sha256"
	"encoding/hex"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/shogi"
)

// A book is read once, and only while its file has the hash in the plan.
func TestShelf(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "a.usi")
	const text = "startpos moves 9g9f\n"
	testutil.OK(t, os.WriteFile(file, []byte(text), 0o600))
	sum := sha256.Sum256([]byte(text))
	files := []match.FileHash{{Role: "binary"}, {Role: match.BookRole, Path: file, SHA256: hex.EncodeToString(sum[:])}}
	var s books
	if draw, err := s.drawer(files[:1]); draw != nil || err != nil {
		t.Error("there is a book", err)
	}
	draw := testutil.Must(s.drawer(files))(t)
	start := shogi.StartPos()
	if m := draw(&start, rand.New(rand.NewPCG(1, 2))); m.String() != "9g9f" { //nolint:gosec // a test
		t.Error(m)
	}
	testutil.OK(t, os.WriteFile(file, []byte("startpos moves 1g1f\n"), 0o600))
	if _, err := s.drawer(files); err != nil {
		t.Error("it was read again", err)
	}
	testutil.Fails(t, testutil.Err(new(books).drawer(files)), "has changed")
	files[1].Path += "x"
	testutil.Fails(t, testutil.Err(s.drawer(files)), "", "a file that is not there was read")
}
