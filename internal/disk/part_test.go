package disk_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gogi/internal/disk"
	"gogi/internal/testutil"
)

// TestPart: a file gets its name only when it is published. If it is discarded, an existing file stays.
func TestPart(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "file")
	for _, c := range []struct {
		text, want string
		publish    bool
	}{{"one", "one", true}, {"two", "one", false}, {"three", "three", true}} {
		p := testutil.Must(disk.NewPart(path))(t)
		testutil.Must(p.File.WriteString(c.text))(t)
		if before, err := os.ReadFile(path); err == nil && string(before) == c.text {
			t.Errorf("%q has its name too early", c.text)
		}
		end := p.Discard
		if c.publish {
			end = func() error { return p.Publish(true) }
		}
		testutil.OK(t, end())
		names, err := os.ReadDir(filepath.Dir(path))
		if got, readErr := os.ReadFile(path); err != nil || readErr != nil || string(got) != c.want || len(names) != 1 {
			t.Errorf("%q of %d files, %v, %v; want %q", got, len(names), err, readErr, c.want)
		}
	}
}

// TestPartOfNoFolder: the error names the final file and the missing folder, not the hidden file.
func TestPartOfNoFolder(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "missing")
	_, err := disk.NewPart(filepath.Join(folder, "games.kif"))
	if !errors.Is(err, fs.ErrNotExist) || strings.Contains(err.Error(), ".part") ||
		!strings.HasSuffix(err.Error(), "the folder "+folder+" does not exist; create it first") {
		t.Errorf("%v", err)
	}
}
