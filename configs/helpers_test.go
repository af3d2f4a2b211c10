package configs_test

import (
	"os"
	"path/filepath"
	"testing"

	"gogi/internal/testutil"
)

// write makes a file in a new folder and returns its path.
func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	testutil.OK(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// twoPiece is the start of a two-piece handicap game.
const twoPiece = "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL"
