package repair

import (
	"bytes"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gogi/internal/testutil"
	"gogi/results/sqlitefile"
	"gogi/results/tables"
)

// TestRead: Read finds exactly the rows with a right checksum. In a row that a pair needs, it repairs one wrong bit,
// but not two.
func TestRead(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.db")
	fillStore(t, path)
	f := found(t, path)
	run := f.RunOf(1)
	if len(f.all) != 1 || run.Row == nil || run.Name() != "the plain name" || len(run.Engines) != 1 ||
		len(run.Settings) != 1 || len(f.Paired) != 1 || len(f.Workers) != 1 {
		t.Fatalf("of a sound file: %+v", f)
	}
	n := 0
	if err := f.Rows(t.Context(), "attempts", 1, func(*tables.Row) error { n++; return nil }); n != 0 || err != nil {
		t.Errorf("%d rows without a checksum (%v)", n, err)
	}
	whole := testutil.Must(os.ReadFile(path))(t)
	for wrong, want := range map[string]string{"thd plain name": "the plain name", "thd plain oame": ""} {
		testutil.OK(t, os.WriteFile(path, bytes.ReplaceAll(whole, []byte("the plain name"), []byte(wrong)), 0o600))
		got := ""
		if run := found(t, path).RunOf(1); run.Row != nil {
			got = run.Name()
		}
		testutil.Equal(t, got, want, "%q was read", wrong)
	}
}

// found returns the rows that Read finds in a file.
func found(t *testing.T, path string) *Found {
	t.Helper()
	file := testutil.Must(sqlitefile.Open(path, 4096))(t)
	f, err := Read(file)
	testutil.OK(t, errors.Join(err, file.Close()))
	return f
}

// fillStore makes a database with a row in some tables. The row of attempts has no checksum.
func fillStore(t *testing.T, path string) {
	t.Helper()
	ctx := t.Context()
	db := testutil.Must(sql.Open("sqlite3", path))(t)
	db.SetMaxOpenConns(1)
	texts := testutil.Must(tables.MigrationTexts())(t)
	for _, text := range append([]string{"PRAGMA synchronous=off"},
		append(slices.Clone(texts), "PRAGMA foreign_keys=off")...) {
		testutil.Must(db.ExecContext(ctx, text))(t)
	}
	current := testutil.Must(tables.CurrentSchema())(t)
	tx := testutil.Must(db.BeginTx(ctx, nil))(t)
	for _, table := range []string{"runs", "engines", "settings_log", "workers", "pairs", "attempts"} {
		layout := current.Table(table)
		var values []any
		for _, c := range layout.Columns {
			value := map[string]any{"INTEGER": int64(1), "REAL": 1.5, "TEXT": "text", "BLOB": []byte("b")}[c.Kind]
			switch c.Name {
			case "checksum":
				value = nil
			case "name":
				value = "the plain name"
			}
			values = append(values, value)
		}
		marks := strings.TrimSuffix(strings.Repeat("?, ", len(values)), ", ")
		_, err := tx.ExecContext(ctx, "INSERT INTO "+table+" ("+strings.Join(layout.Names(), ", ")+") VALUES ("+marks+")",
			values...)
		if err == nil && table != "attempts" {
			err = tables.Seal(ctx, tx, table, "")
		}
		testutil.OK(t, err, "%s", table)
	}
	testutil.OK(t, errors.Join(tx.Commit(), db.Close()))
}
