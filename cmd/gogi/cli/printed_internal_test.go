package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"gogi/internal/testutil"
)

// TestPrinted: a missing file has the same text, wherever it is found and however the error is wrapped. No text begins
// with the name of a package.
func TestPrinted(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	path := filepath.Join(folder, "none.csa")
	_, stat := os.Stat(path)
	_, open := os.Open(path)
	_, deep := os.Open(filepath.Join(folder, "no", "x.toml"))
	denied := &fs.PathError{Op: "open", Path: path, Err: fs.ErrPermission}
	testutil.Equal(t, printed(fmt.Errorf("book %s: %w", path, stat)), path+" not found; check the path",
		"a path that is named twice: printed as")
	for want, err := range map[string]error{
		path + " not found; check the path":                          stat,
		"--openings: " + path + " not found; check the path":         fmt.Errorf("--openings: %w", open),
		path + " not found (see gogi farm login)":                    fmt.Errorf("keys: %w (see gogi farm login)", stat),
		"a.toml:9: engine A: " + path + " not found; check the path": fmt.Errorf("a.toml:9: engine A: %w", open),
		filepath.Join(folder, "no", "x.toml") + " not found: the folder " + filepath.Join(folder, "no") +
			" does not exist; make it, or check the path": deep,
		"--openings: openings x not found; check the path": fmt.Errorf("--openings: openings x: %w", syscall.ENOENT),
		"engine A: ./a not found; check the path":          fmt.Errorf("engine A: ./a cannot be started: %w", syscall.ENOENT),
		path +
			": permission denied; change the permissions of the file or of its folder, or give another path": denied,
		"--x: " + folder +
			" is a folder; give a file": fmt.Errorf("--x: %w", &fs.PathError{Op: "open", Path: folder, Err: syscall.EISDIR}),
		path +
			"/x: a part of this path is a file, not a folder; check the path": &fs.PathError{Op: "open", Path: path + "/x",
			Err: syscall.ENOTDIR},
		"the folder " + path +
			" cannot be created: no such file or directory; give another path, or change the permissions of " +
			folder: &fs.PathError{Op: "mkdir", Path: path, Err: syscall.ENOENT},
		"x.db: it is a folder":         errors.New("results: x.db: opening: it is a folder"),
		"x.db: there are no runs yet":  errors.New("results: x.db: finding a run: there are no runs yet"),
		"the results: are no prefix":   errors.New("the results: are no prefix"),
		"n: saying usi: broken pipe":   errors.New("runner: usi: n: saying usi: broken pipe"),
		"book " + path + " of nothing": errors.New("book " + path + " of nothing"),
	} {
		testutil.Equal(t, printed(err), want, "%v: printed as", err)
	}
}
