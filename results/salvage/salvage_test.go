package salvage

import (
	"bytes"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gogi/internal/sqlitefile"
	"gogi/results/tables"
)

// Of a file is found what has a checksum, and nothing else; one wrong bit of what a pair
// hangs on is mended, two are not.
func TestRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	fill(t, path)
	f := found(t, path)
	run := f.RunOf(1)
	if len(f.all) != 1 || run.Row == nil || run.Name() != "the plain name" || len(run.Engines) != 1 || len(run.Settings) != 1 || len(f.Paired) != 1 || len(f.Workers) != 1 {
		t.Fatalf("of a sound file: %+v", f)
	}
	n := 0
	if err := f.Rows(t.Context(), "attempts", 1, func(*tables.Row) error { n++; return nil }); n != 0 || err != nil {
		t.Errorf("%d rows without a checksum (%v)", n, err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for wrong, want := range map[string]string{"thd plain name": "the plain name", "thd plain oame": ""} {
		if err := os.WriteFile(path, bytes.ReplaceAll(whole, []byte("the plain name"), []byte(wrong)), 0o600); err != nil {
			t.Fatal(err)
		}
		got := ""
		if run := found(t, path).RunOf(1); run.Row != nil {
			got = run.Name()
		}
		if got != want {
			t.Errorf("%q was read as %q, expected %q", wrong, got, want)
		}
	}
}

// found is what is read of a file.
func found(t *testing.T, path string) *Found {
	t.Helper()
	file, err := sqlitefile.Open(path, 4096)
	if err != nil {
		t.Fatal(err)
	}
	f, err := Read(file)
	if err := errors.Join(err, file.Close()); err != nil {
		t.Fatal(err)
	}
	return f
}

// fill makes a database with a row of some tables; that of attempts is not sealed.
func fill(t *testing.T, path string) {
	t.Helper()
	ctx := t.Context()
	db, err := sql.Open("sqlite3", path)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	texts, err := tables.MigrationTexts()
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range append(slices.Clone(texts), "PRAGMA foreign_keys=off") {
		if _, err := db.ExecContext(ctx, text); err != nil {
			t.Fatal(err)
		}
	}
	current, err := tables.CurrentSchema()
	if err != nil {
		t.Fatal(err)
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
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
		_, err := tx.ExecContext(ctx, "INSERT INTO "+table+" ("+strings.Join(layout.Names(), ", ")+") VALUES ("+marks+")", values...)
		if err == nil && table != "attempts" {
			err = tables.Seal(ctx, tx, table, "")
		}
		if err != nil {
			t.Fatalf("%s: %v", table, err)
		}
	}
	if err := errors.Join(tx.Commit(), db.Close()); err != nil {
		t.Fatal(err)
	}
}
