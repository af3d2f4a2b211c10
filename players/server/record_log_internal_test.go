package server

import (
	"os"
	"path/filepath"
	"testing"

	"gogi/internal/testutil"
)

// TestLogIsNoDatabase: votes are appended to a log, and never to a database.
func TestLogIsNoDatabase(t *testing.T) {
	t.Parallel()
	const games = "SQLite format 3\x00"
	db, text := filepath.Join(t.TempDir(), "gogi.db"), filepath.Join(t.TempDir(), "votes.jsonl")
	testutil.OK(t, os.WriteFile(db, []byte(games), 0o600))
	var log recordLog
	log.use(db)
	testutil.Fails(t, log.add([]byte("{}")), "gogi.db is a database")
	log.use(text)
	testutil.OK(t, log.add([]byte("{}")))
	testutil.OK(t, log.close())
	testutil.Equal(t, string(testutil.Must(os.ReadFile(db))(t)), games)
	testutil.Equal(t, string(testutil.Must(os.ReadFile(text))(t)), "{}\n")
}
