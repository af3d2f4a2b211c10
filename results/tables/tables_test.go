package tables

import (
	"context"
	"database/sql"
	"errors"
	"testing"
	"time"

	"gogi/internal/testutil"
	"gogi/match"
)

// TestChecksumIsCRC32C: the catalogue of CRC algorithms has the check value of "123456789", and RFC 3720, B.4, has that
// of 32 zero bytes.
func TestChecksumIsCRC32C(t *testing.T) {
	for text, want := range map[string]int64{"123456789": 0xE3069283, string(make([]byte, 32)): 0x8A9136AA} {
		var c Checksum
		c.Reset(text)
		testutil.Equal(t, c.Sum(), want, "%q", text)
	}
}

// TestValuesAreToldApart: different values have different checksums, for any types. A value does not change when it is
// written and read.
func TestValuesAreToldApart(t *testing.T) {
	seen := map[int64]any{}
	for _, row := range [][]any{{nil}, {int64(0)}, {0.0}, {""}, {[]byte{}}, {"a", "b"}, {"ab", ""}, {"a", nil},
		{int64(1)}} {
		sum, err := SumOf("t", row...)
		if err != nil || seen[sum] != nil {
			t.Errorf("%v has the checksum of %v (%v)", row, seen[sum], err)
		}
		seen[sum] = row
	}
	g := Game{Row: match.Row{MovesHash: 1<<63 + 5, Started: time.UnixMicro(77).UTC(), Note: "n", Outcome: match.Draw},
		By: 3}
	g.Sides[1].Time = 9 * time.Microsecond
	var back Game
	for i, c := range g.Columns() {
		v, err := plain(c.Value)
		testutil.OK(t, errors.Join(err, Assign(back.Columns()[i].Value, v)), "%s", c.Name)
	}
	testutil.Same(t, back, g, "written and read")
	testutil.Fails(t, testutil.Err(SumOf("t", struct{}{})), "", "a struct has a checksum")
}

// TestSeal: a sealed row is sound, and a change of any column that its checksum covers is found. A row that is older
// than a column keeps its checksum.
func TestSeal(t *testing.T) {
	ctx := t.Context()
	db := testutil.Must(sql.Open("sqlite3", ":memory:"))(t)
	t.Cleanup(func() { _ = db.Close() })
	db.SetMaxOpenConns(1)
	texts := testutil.Must(MigrationTexts())(t)
	for _, text := range texts {
		testutil.Must(db.ExecContext(ctx, text))(t)
	}
	testutil.Must(db.ExecContext(ctx, "INSERT INTO workers (name, key, owner) VALUES ('w', 'k', 'o')"))(t)
	row := workerOf(ctx, t, db)
	testutil.Equal(t, row.Verdict(), Unchecked, "without a checksum")
	tx, err := db.BeginTx(ctx, nil)
	if err == nil {
		err = errors.Join(Seal(ctx, tx, "workers", ""), tx.Commit())
	}
	testutil.OK(t, err)
	row = workerOf(ctx, t, db)
	testutil.Equal(t, row.Verdict(), Sound, "sealed")
	testutil.Equal(t, row.With("id", int64(9)).Verdict(), Sound, "a number that SQLite")
	for column, value := range map[string]any{"name": "v", "key": "", "owner": nil} {
		testutil.Equal(t, row.With(column, value).Verdict(), Broken, "another %s", column)
	}
	got := Shortened([]any{int64(1), nil, nil}, 1, Null)
	testutil.Check(t, len(got) == 1, "columns that came later: %v", got)
}

// workerOf returns the only row of workers.
func workerOf(ctx context.Context, t *testing.T, q Querier) *Row {
	t.Helper()
	var row *Row
	err := EachRow(ctx, q, "workers", func(r *Row) error {
		row = r.Clone()
		return nil
	}, "")
	testutil.Require(t, err == nil && row != nil, "%v %v", row, err)
	return row
}
