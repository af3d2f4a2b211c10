package main

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	_ "github.com/mattn/go-sqlite3" // a database that another program has changed

	"gogi/internal/testutil"
)

// hides reports whether a text has characters that control a terminal.
func hides(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool {
		return r != '\n' && r != '\t' && unicode.In(r, unicode.Cc, unicode.Cf)
	})
}

// changed returns a database with one run, changed by an SQL statement.
func changed(t *testing.T, statement string) string {
	t.Helper()
	s := &folder{dir: t.TempDir()}
	db := filepath.Join(s.dir, "games.db")
	if _, errs, code := s.gogi(t, "match", "--engine", "a=builtin", "--engine", "b=builtin", "--nodes", "1", "--max-plies",
		"20", "--games", "2", "--run", "run", "-q", "--db", db); code != 0 {
		t.Fatal(code, errs)
	}
	conn := testutil.Must(sql.Open("sqlite3", db))(t)
	defer conn.Close()
	done := testutil.Must(conn.ExecContext(t.Context(), statement))(t)
	n, err := done.RowsAffected()
	testutil.Require(t, n != 0 && err == nil, "%d rows are changed, %v", n, err)
	return db
}

// TestForeignTextOnTerminals: gogi escapes the control characters of a foreign database when it prints its text. It
// rejects names with control characters that gogi does not write.
func TestForeignTextOnTerminals(t *testing.T) {
	t.Parallel()
	for what, statement := range map[string]string{
		`b\u202eb`:   "UPDATE engines SET name = 'b' || char(0x202e) || 'b', checksum = NULL WHERE name = 'b'",
		`run\u202er`: "UPDATE runs SET name = 'run' || char(0x202e) || 'r', checksum = NULL",
		`e\u001b[1m`: "UPDATE games SET note = 'one' || char(10) || 'e' || char(27) || '[1m', checksum = NULL",
	} {
		db := changed(t, statement)
		seen := false
		for _, words := range [][]string{{"report"}, {"report", "--json"}, {"runs"}, {"games"}, {"games", "--json"},
			{"compare", "--breakdown"}, {"complete", "--", "report", "--db", db, ""}, {"db", "check"}, {"report", "nobody"}} {
			if words[0] != "complete" {
				words = append(words, "--db", db)
			}
			out, errs, _ := gogi(t, words...)
			testutil.Check(t, !hides(out+errs), "%s, %q:\n%q\n%q", what, words, out, errs)
			seen = seen || strings.Contains(out+errs, what)
		}
		testutil.Check(t, seen || what[0] == 'e', "no verb has printed %s", what)
	}
	for _, statement := range []string{
		"UPDATE engines SET name = 'b' || char(27) || ']0;b', checksum = NULL WHERE name = 'b'",
		"UPDATE runs SET name = 'run' || char(10) || 'all is well', checksum = NULL",
	} {
		out, errs, code := gogi(t, "runs", "--db", changed(t, statement))
		testutil.Check(t, code != 0 && !hides(out+errs) &&
			strings.Contains(errs, "control characters, which gogi does not write"),
			"%s: exit code %d: %q, %q", statement, code, out, errs)
	}
}

// TestFileNamesOnTerminals: gogi prints file names without their control characters.
func TestFileNamesOnTerminals(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "g\x1b[31m\u202e.csa")
	if err := os.WriteFile(name, []byte("hello\n"), 0o600); err != nil {
		t.Skip(err) // the file system does not accept this name
	}
	for _, words := range [][]string{{"check", "--file", name}, {"convert", name, filepath.Join(t.TempDir(), "o.kif")},
		{"convert", "--show", name}, {"import", name}, {"rate", name}, {"book", "check", name}, {"report", "--db", name},
		{"games", name}} {
		out, errs, code := gogi(t, words...)
		testutil.Check(t, code != 0 && !hides(out+errs) && out+errs != "", "%q: exit code %d: %q, %q", words, code, out, errs)
	}
}

// TestNamesThatTerminalsDoNotShow: gogi rejects a new run or engine with such a name.
func TestNamesThatTerminalsDoNotShow(t *testing.T) {
	t.Parallel()
	for _, words := range [][]string{{"--run", "a\u202eb"}, {"--run", "a\xff"}, {"--run", "\ufffd"},
		{"--engine", "c\u2066=builtin"}, {"--engine", "c\xff=builtin"}} {
		s := &folder{dir: t.TempDir()} // a process, because match starts the program again
		db := filepath.Join(s.dir, "games.db")
		_, errs, code := s.gogi(t, append([]string{"match", "--engine", "a=builtin", "--engine", "b=builtin", "--nodes", "1",
			"--games", "2", "-q", "--db", db}, words...)...)
		testutil.Check(t, code == 2 && strings.Contains(errs, "a terminal does not show"), "%q: exit code %d: %s", words,
			code, errs)
		testutil.Fails(t, testutil.Err(os.Stat(db)), "", "%q: there is a database", words)
	}
}
