//go:build unix

package games

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"gogi/internal/testutil"
)

// TestPipesAreNotOpened: a pipe in a folder, which would block the import, is rejected, and the other files are read. A
// pipe as the source is an error, because it cannot be read twice.
func TestPipesAreNotOpened(t *testing.T) {
	games := playedGames(t)
	dir := t.TempDir()
	pipe := filepath.Join(dir, "a.csa")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	write(t, filepath.Join(dir, "b.jsonl"), lines(t, games))
	var refused []string
	i := Import{Run: "run", Sources: []string{dir}, Refused: func(r Refusal) {
		refused = append(refused, filepath.Base(r.File))
	}}
	if done, err := i.Into(t.Context(), openStore(t)); err != nil || done.Games == 0 ||
		!slices.Contains(refused, "a.csa") {
		t.Errorf("%+v, %v, refused %q", done, err, refused)
	}
	i.Sources = []string{pipe}
	testutil.Fails(t, testutil.Err(i.Into(t.Context(), openStore(t))), "standard input", "a pipe as a source")
}

// TestAnExportIntoAPipe: an export does not replace a file that is not a regular file.
func TestAnExportIntoAPipe(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	got := make(chan string)
	go func() {
		text, _ := os.ReadFile(pipe) // the test finds a missing text below
		got <- string(text)
	}()
	testutil.OK(t, Whole(pipe, func(w io.Writer) error { _, err := io.WriteString(w, "hello"); return err }))
	if at, err := os.Lstat(pipe); err != nil || at.Mode()&os.ModeNamedPipe == 0 {
		t.Fatalf("the pipe was replaced: %v, %v", at, err)
	}
	testutil.Equal(t, <-got, "hello", "the pipe")
}
