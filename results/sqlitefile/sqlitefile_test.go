package sqlitefile

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	_ "github.com/mattn/go-sqlite3" // the driver writes the files that the tests read

	"gogi/internal/testutil"
)

const pageSize = 1024

// newDB returns a new database and a function that runs statements in it.
func newDB(t *testing.T) (path string, db *sql.DB, run func(text string, args ...any)) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "x.db")
	db = testutil.Must(sql.Open("sqlite3", path))(t)
	db.SetMaxOpenConns(1)
	return path, db, func(text string, args ...any) {
		t.Helper()
		testutil.Must(db.ExecContext(t.Context(), text, args...))(t)
	}
}

// written returns the path of a database that SQLite wrote, with its log.
func written(t *testing.T) string {
	t.Helper()
	path, db, run := newDB(t)
	run(fmt.Sprintf("PRAGMA page_size=%d; PRAGMA journal_mode=WAL; CREATE TABLE t (id INTEGER PRIMARY KEY, x, y); CREATE TABLE k (a, b, c, PRIMARY KEY (b, a)) WITHOUT ROWID", pageSize))
	for i := range 40 {
		run("INSERT INTO t (x, y) VALUES (?, ?)", valueOf(i), fmt.Sprint("row ", i))
		run("INSERT INTO k VALUES (?, ?, ?)", i, -i, valueOf(i))
	}
	run("PRAGMA wal_checkpoint(TRUNCATE)")
	for i := 40; i < 60; i++ { // these rows are only in the log
		run("INSERT INTO t (x, y) VALUES (?, ?)", valueOf(i), fmt.Sprint("row ", i))
	}
	copied := filepath.Join(t.TempDir(), "y.db")
	for _, end := range []string{"", "-wal"} {
		text := testutil.Must(os.ReadFile(path + end))(t)
		testutil.OK(t, os.WriteFile(copied+end, text, 0o600))
	}
	testutil.OK(t, db.Close())
	return copied
}

// valueOf returns values of every kind and width. Some take many pages.
func valueOf(i int) any {
	switch i % 5 {
	case 0:
		return int64(1) << (i + 3) * int64(1-i%2*2)
	case 1:
		return float64(i) + 0.25
	case 2:
		return strings.Repeat("将棋", 30*i)
	case 3:
		return []byte(strings.Repeat("\x00\xff", 40*i))
	}
	return nil
}

// rowsOf returns the rows of a table and of an index in a file.
func rowsOf(t *testing.T, path string) (table, index map[string][]any) {
	t.Helper()
	f := testutil.Must(Open(path, pageSize))(t)
	table, index = map[string][]any{}, map[string][]any{}
	f.Rows(func(r Row) {
		switch {
		case len(r.Values) != 3:
			return
		case r.Table && r.Values[0] == nil:
			if y, ok := r.Values[2].(string); ok && y == fmt.Sprint("row ", r.Rowid-1) {
				table[y] = r.Values
				again, ok := f.Row(r.Place)
				diff := cmp.Diff(r, again, cmpopts.IgnoreUnexported(Place{}))
				testutil.Check(t, ok && diff == "", "read again: %s", diff)
			}
		case !r.Table:
			index[fmt.Sprint(r.Values[1])] = r.Values
		}
	})
	testutil.OK(t, f.Close())
	return table, index
}

// TestRows: Rows returns every row that SQLite wrote with its values, including those in the log.
func TestRows(t *testing.T) {
	table, index := rowsOf(t, written(t))
	for i := range 60 {
		if diff := cmp.Diff([]any{nil, valueOf(i), fmt.Sprint("row ", i)}, table[fmt.Sprint("row ", i)],
			cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("row %d: %s", i, diff)
		}
	}
	for i := range 40 {
		testutil.Equal(t, cmp.Diff([]any{int64(-i), int64(i), valueOf(i)}, index[fmt.Sprint(i)], cmpopts.EquateEmpty()), "",
			"entry %d", i)
	}
}

// TestLogThatCannotBeRead: a log that cannot be read is an error that names the log, because it may have pairs that the
// file does not have.
func TestLogThatCannotBeRead(t *testing.T) {
	path := written(t)
	testutil.OK(t, os.Remove(path+"-wal"))
	testutil.OK(t, os.Mkdir(path+"-wal", 0o700))
	testutil.Fails(t, testutil.Err(Open(path, pageSize)), path+"-wal", "a folder")
	testutil.OK(t, os.Remove(path+"-wal"))
	if err := os.Symlink(path+"-wal", path+"-wal"); err != nil {
		t.Skipf("no symbolic links: %v", err)
	}
	testutil.Fails(t, testutil.Err(Open(path, pageSize)), path+"-wal", "a link to itself")
}

// TestLog: a damaged frame does not hide the later frames, and is reported. An incomplete end, which a killed process
// leaves, is no damage.
func TestLog(t *testing.T) {
	path := written(t)
	text := testutil.Must(os.ReadFile(path + "-wal"))(t)
	const frame = frameHeader + pageSize
	frames := (len(text) - logHeader) / frame
	read := func(text []byte) *Log {
		testutil.OK(t, os.WriteFile(path+"-wal", text, 0o600))
		l := testutil.Must(ReadLog(path + "-wal"))(t)
		testutil.OK(t, l.Close())
		return l
	}
	whole := read(text)
	testutil.Require(t, whole.Frames == frames && frames >= 20 && whole.Problem() == "", "%d frames of %d, %q",
		whole.Frames, frames, whole.Problem())
	for name, at := range map[string]int{"page": frameHeader + 77, "salt": 9, "page number": 2} {
		damaged := append([]byte{}, text...)
		damaged[logHeader+5*frame+at] ^= 16
		if l := read(damaged); l.Frames != frames || !cmp.Equal(l.Damaged, []int{5}) ||
			l.Problem() != fmt.Sprintf("the log is damaged at frame 6 of %d", frames) {
			t.Errorf("%s: %d frames, damaged %v", name, l.Frames, l.Damaged)
		}
	}
	for _, cut := range []int{0, 10, logHeader, logHeader + frame - 1, len(text) - 1} {
		if l := read(text[:cut]); l.Problem() != "" {
			t.Errorf("cut to %d bytes: %s", cut, l.Problem())
		}
	}
	if l := read(append(append([]byte{}, text[:len(text)-frame]...), make([]byte, frame)...)); l.Problem() != "" ||
		l.Frames != frames-1 {
		t.Errorf("a frame that was never written: %s", l.Problem())
	}
	damaged := append([]byte{}, text...)
	damaged[20] ^= 1
	if l := read(damaged); l.Problem() != "the header of the log is damaged" {
		t.Errorf("the header: %q", l.Problem())
	}
	if l := read(make([]byte, logHeader)); l.Problem() != "" {
		t.Errorf("nothing but zeros: %q", l.Problem())
	}
}

// walDB returns a database with a log, and a function that runs statements in it.
func walDB(t *testing.T) (path string, run func(text string, args ...any)) {
	t.Helper()
	path, db, run := newDB(t)
	t.Cleanup(func() { testutil.OK(t, db.Close()) })
	run("PRAGMA journal_mode=WAL; PRAGMA wal_autocheckpoint=0; PRAGMA cache_size=5; CREATE TABLE t (id INTEGER PRIMARY KEY, x)")
	return path, run
}

// logOf reads the log of a database.
func logOf(t *testing.T, path string) *Log {
	t.Helper()
	l := testutil.Must(ReadLog(path + "-wal"))(t)
	testutil.OK(t, l.Close())
	return l
}

// unpublish writes one whole transaction into the log of a database, but not into the index. A process leaves this
// state if it is killed before it updates the index, while another process has the database open.
func unpublish(t *testing.T, path string, transaction func()) {
	t.Helper()
	index := testutil.Must(os.OpenFile(path+"-shm", os.O_RDWR, 0))(t)
	before := make([]byte, 2*indexHeader)
	testutil.Must(index.ReadAt(before, 0))(t)
	transaction()
	testutil.Must(index.WriteAt(before, 0))(t)
	testutil.OK(t, index.Close())
}

// TestLogOfAKilledCommit: the next process overwrites the data that a killed process wrote without an update of the
// index. Its transaction may be shorter, and the rest of the old data is no damage.
func TestLogOfAKilledCommit(t *testing.T) {
	path, run := walDB(t)
	run("INSERT INTO t (x) VALUES ('first')")
	for range 2 { // killed twice
		unpublish(t, path, func() { run("INSERT INTO t (x) VALUES (zeroblob(30000))") })
		written := logOf(t, path).Frames
		run("INSERT INTO t (x) VALUES ('short')")
		l := logOf(t, path)
		testutil.Require(t, l.Problem() == "" && l.Frames < written, "%q, %d frames of %d", l.Problem(), l.Frames, written)
	}
	undo := flip(t, path, 0)
	got := logOf(t, path).Problem()
	testutil.Check(t, strings.HasPrefix(got, "the log is damaged at frame 1 of "), "damage before what the index says: %q",
		got)
	undo()
	testutil.Equal(t, logOf(t, path).Problem(), "")
}

// TestLogOfAKillBeforeItWasMended: if a transaction writes a page twice, SQLite corrects its checksum after the last
// frame. A wrong checksum before this correction is no damage.
func TestLogOfAKillBeforeItWasMended(t *testing.T) {
	path, run := walDB(t)
	before := logOf(t, path).Frames
	unpublish(t, path, func() { run("INSERT INTO t (x) VALUES (zeroblob(30000))") })
	flip(t, path, before+2)
	if l := logOf(t, path); l.Problem() != "" || l.Frames != before+2 {
		t.Errorf("%q, %d frames, %d of them committed", l.Problem(), l.Frames, before)
	}
}

// TestLogDamagedAtItsEnd: damage in the last transaction is found if the index contains the transaction. It is also
// found if the index belongs to an earlier use of the log.
func TestLogDamagedAtItsEnd(t *testing.T) {
	path, run := walDB(t)
	blob := func() { run("INSERT INTO t (x) VALUES (zeroblob(30000))") }
	told := func(frame int) {
		t.Helper()
		undo := flip(t, path, frame)
		if got := logOf(t, path).Problem(); !strings.HasPrefix(got,
			fmt.Sprintf("the log is damaged at frame %d of ", frame+1)) {
			t.Errorf("frame %d: %q", frame+1, got)
		}
		undo()
	}
	before := logOf(t, path).Frames
	blob()
	told(before)
	unpublish(t, path, func() {
		run("PRAGMA wal_checkpoint(TRUNCATE)")
		for range 3 { // more frames than the log had before
			blob()
		}
	})
	told(logOf(t, path).Frames - 3)
}

// flip flips a bit in the page of a frame of a database's log. The frames count from 0.
func flip(t *testing.T, path string, frame int) (undo func()) {
	t.Helper()
	at := int64(logHeader + frame*(frameHeader+4096) + frameHeader + 99)
	turn := func() {
		t.Helper()
		file := testutil.Must(os.OpenFile(path+"-wal", os.O_RDWR, 0))(t)
		bits := make([]byte, 1)
		testutil.Must(file.ReadAt(bits, at))(t)
		bits[0] ^= 4
		testutil.Must(file.WriteAt(bits, at))(t)
		testutil.OK(t, file.Close())
	}
	turn()
	return turn
}

// TestLogRecoveredBeforeDamage: an index that ends before the damage does not hide the transactions after it. A process
// that opens the damaged database leaves such an index.
func TestLogRecoveredBeforeDamage(t *testing.T) {
	path, run := walDB(t)
	run("INSERT INTO t (x) VALUES ('first')")
	kept := logOf(t, path).Frames
	unpublish(t, path, func() {
		for range 3 {
			run("INSERT INTO t (x) VALUES ('later')")
		}
	})
	flip(t, path, kept)
	testutil.Equal(t, logOf(t, path).Problem(), fmt.Sprintf("the log is damaged at frame %d of %d", kept+1, kept+3))
}

// TestLogOfAnOpenTransaction: SQLite writes a transaction larger than its cache into the log before the commit. It
// overwrites a page there if the transaction changes the page again. A kill then leaves frames with wrong checksums,
// which are no damage.
func TestLogOfAnOpenTransaction(t *testing.T) {
	path, db, run := newDB(t)
	run("PRAGMA journal_mode=WAL; PRAGMA cache_size=5; CREATE TABLE t (id INTEGER PRIMARY KEY, x)")
	committed := testutil.Must(ReadLog(path + "-wal"))(t)
	run("BEGIN IMMEDIATE")
	for i := range 60 {
		run("INSERT INTO t (x) VALUES (zeroblob(3000))")
		if i > 20 && i < 30 {
			run("UPDATE t SET x = randomblob(2999) WHERE id = ?", i-20)
		}
	}
	open, err := ReadLog(path + "-wal") // as after a kill
	testutil.OK(t, err)
	testutil.Require(t, open.Frames > committed.Frames+10 && len(open.places) == len(committed.places),
		"%d frames before, %d with the transaction, %d pages and %d: nothing went into the log", committed.Frames,
		open.Frames, len(committed.places), len(open.places))
	testutil.Equal(t, open.Problem(), "", "of a transaction that is open")
	run("COMMIT")
	after, err := ReadLog(path + "-wal")
	if err != nil || after.Problem() != "" || after.Frames < open.Frames {
		t.Errorf("after it: %d frames, %q, %v", after.Frames, after.Problem(), err)
	}
	for _, err := range []error{committed.Close(), open.Close(), after.Close(), db.Close()} {
		testutil.OK(t, err)
	}
}

// FuzzRows: for any content of a file, the reader ends and does not panic.
func FuzzRows(f *testing.F) {
	f.Add([]byte("SQLite format 3\x00"), []byte{})
	f.Fuzz(func(t *testing.T, main, log []byte) {
		path := filepath.Join(t.TempDir(), "x.db")
		if os.WriteFile(path, main, 0o600) != nil || os.WriteFile(path+"-wal", log, 0o600) != nil {
			t.Skip("no room")
		}
		file, err := Open(path, 512)
		if err != nil {
			return
		}
		file.Rows(func(Row) {})
		testutil.OK(t, file.Close())
	})
}
