package results

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/match/matchtest"
	"gogi/results/file"
	"gogi/results/segments"
	"gogi/results/tables"
)

// storeFast stores pairs with the writer's own statements in one transaction. It calls change with the seed and the
// games of each pair.
func storeFast(tb testing.TB, s *Store, run *Run, ids []int, change func(seed *uint64, games []*tables.Game)) {
	tb.Helper()
	testutil.OK(tb, file.InTx(tb.Context(), s.write, func(tx *sql.Tx) error {
		statements := run.stmts.in(tb.Context(), tx)
		for _, id := range ids {
			pair := matchtest.Pair(run.plan, id, 4)
			if id%3 == 0 {
				pair.Played = matchtest.PlayedBy(id)
			}
			rows, games, err := run.rowsAndGames(pair)
			if err != nil {
				return err
			}
			change(&rows.pair.Seed, games)
			if err = rows.replace(games); err == nil {
				_, err = statements.addPair(tb.Context(), rows)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}))
}

// rowsAndGames returns the rows of a pair and its games before their values are encoded.
func (r *Run) rowsAndGames(pair match.PairResult) (rows *pairRows, games []*tables.Game, err error) {
	rows, err = r.rows(pair)
	for i := range pair.Games {
		if err == nil {
			games = append(games, new(tables.Game))
			games[i], err = r.game(pair.Pair, &pair.Games[i])
		}
	}
	return rows, games, err
}

// replace sets the values of the games.
func (p *pairRows) replace(games []*tables.Game) (err error) {
	for i, g := range games {
		if err == nil {
			p.games[i].game, err = g.Values()
		}
	}
	return err
}

// ids returns the numbers from the first one to below the second one.
func ids(from, below int) (list []int) {
	for id := from; id < below; id++ {
		list = append(list, id)
	}
	return list
}

// extremes returns a function that fills games with extreme values for each column.
func extremes(r *rand.Rand) func(*uint64, []*tables.Game) {
	integer := func() int { return []int{0, 1, math.MaxInt64, math.MaxUint32, r.IntN(1000)}[r.IntN(5)] }
	words := []string{"", "NULL", "\x00\n", strings.Repeat("長い", 3000), "exit status 1 <&>"}
	return func(seed *uint64, games []*tables.Game) {
		*seed = r.Uint64()
		for _, g := range games {
			g.Termination = match.Terminations()[r.IntN(len(match.Terminations()))]
			g.Outcome = []match.Outcome{match.BlackWins, match.WhiteWins, match.Draw}[r.IntN(3)]
			g.Note, g.LastSFEN = words[r.IntN(len(words))], words[r.IntN(len(words))]
			g.Points = [2]float64{[]float64{0, 0.5, 1, 0.4, math.MaxFloat64}[r.IntN(5)], r.Float64()}
			g.MovesHash, g.Plies, g.Slot, g.Marked = r.Uint64(), integer(), integer(), r.IntN(2) == 0
			for c := range g.Sides {
				g.Sides[c] = match.Side{
					Plies: integer(), Nodes: []uint64{0, math.MaxUint64, r.Uint64()}[r.IntN(3)],
					Time:     time.Duration(r.IntN(1<<40)) * time.Microsecond,
					DepthSum: integer(), DepthPlies: integer(), WorstOverrun: time.Duration(r.IntN(1<<30)) * time.Microsecond,
					PonderHits: integer(), PonderMisses: integer(), Incomplete: integer(),
				}
			}
			if r.IntN(3) == 0 {
				g.Questions = match.Questions{Asked: 1 + r.IntN(100), Claimed: r.IntN(50)}
			}
			g.Started = time.UnixMicro(r.Int64N(1 << 52)).UTC()
			g.Ended = []time.Time{{}, g.Started.Add(time.Hour)}[r.IntN(2)]
		}
	}
}

// rowsByRows reads the games without segments.
func rowsByRows(tb testing.TB, s *Store, run int64, f Filter) (rows []match.Row) {
	tb.Helper()
	testutil.OK(tb, selectGames(tb.Context(), s.read, run, f, func(g match.Row) error {
		rows = append(rows, g)
		return nil
	}))
	return rows
}

func gamesWhere(tb testing.TB, s *Store, run int64, f Filter) (rows []match.Row) {
	tb.Helper()
	testutil.OK(tb, s.GamesWhere(tb.Context(), run, f, func(g match.Row) error { rows = append(rows, g); return nil }))
	return rows
}

// otherRows returns the difference of rows, or "" if they are equal. reflect compares first, because cmp is far slower.
func otherRows(want, got []match.Row) string {
	if reflect.DeepEqual(want, got) {
		return ""
	}
	return cmp.Diff(want, got)
}

// blocksOf returns the blocks of a run that have a segment.
func blocksOf(tb testing.TB, s *Store, run int64) (list []int64) {
	tb.Helper()
	testutil.OK(tb, segments.Stored(tb.Context(), s.read, run, none, func(block int64, _ []driver.Value) error {
		list = append(list, block)
		return nil
	}))
	return list
}

// wrongSegments returns the problems that a check finds in the segments.
func wrongSegments(tb testing.TB, s *Store, run int64) (list []string) {
	tb.Helper()
	testutil.OK(tb, s.Moment(tb.Context(), "checking", func(m Moment) error {
		return m.Segments(tb.Context(), run, none, func(pair int, why error) {
			list = append(list, fmt.Sprint(pair, " ", why))
		})
	}))
	return list
}

// packedFile is the file of packedRun. The first test fills it.
var packedFile struct {
	filled sync.Once
	text   []byte
}

// packedRun returns a run in which blocks 0 (with a gap) and 2 have segments. Block 1 has too few pairs for a segment,
// and block 3 was stored later.
func packedRun(t *testing.T) (*Store, *Run) {
	t.Helper()
	plan := matchtest.Plan("r")
	plan.Pairs = 5 * segments.Pairs
	packedFile.filled.Do(func() { packedFile.text = packed(t, plan) })
	path := filepath.Join(t.TempDir(), "gogi.db")
	testutil.OK(t, os.WriteFile(path, packedFile.text, 0o600))
	s, run := begunAt(t, path, plan)
	got := blocksOf(t, s, run.ID())
	testutil.Require(t, slices.Equal(got, []int64{0, 2}), "blocks %v have segments", got)
	return s, run
}

// packed fills the file of packedRun.
func packed(t *testing.T, plan *match.Plan) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "gogi.db")
	s, run := begunAt(t, path, plan)
	pairs := slices.Concat(ids(0, 100), ids(140, segments.Pairs), ids(600, 640), ids(1024, 1024+segments.Least))
	storeFast(t, s, run, pairs, extremes(rand.New(rand.NewPCG(5, 5))))
	testutil.OK(t, Pack(t.Context(), s))
	storeFast(t, s, run, ids(1536, 1536+segments.Least+1), func(*uint64, []*tables.Game) {})
	testutil.Must(s.write.ExecContext(t.Context(), "PRAGMA wal_checkpoint(TRUNCATE)"))(t)
	text, err := os.ReadFile(path) // as after a crash, because the end of the run packs block 3
	testutil.OK(t, err)
	return text
}

// TestSegmentsTellTheRows: segments return the same data as the rows, completely and in part. Readers use the segments
// of a run if it has any.
func TestSegmentsTellTheRows(t *testing.T) {
	s, run := packedRun(t)
	wrong := wrongSegments(t, s, run.ID())
	testutil.Check(t, len(wrong) == 0, "%v", wrong)
	for _, f := range []Filter{
		{}, {FromPair: 50, Pairs: 700}, {FromPair: 511, Pairs: 1}, {FromPair: 512}, {FromPair: 590}, {Pairs: 512},
		{FromPair: 1030, Pairs: 3}, {FromPair: 5000},
		{FromPair: 3, Pairs: 900},
	} {
		want, got := rowsByRows(t, s, run.ID(), f), gamesWhere(t, s, run.ID(), f)
		testutil.Equal(t, otherRows(want, got), "", "%+v (-rows +segments)", f)
	}
	// Without its trigger, a changed row has no effect on readers, because they use the segment.
	testutil.Must(s.write.ExecContext(t.Context(),
		"DROP TRIGGER segments_game_changed; UPDATE games SET plies = plies - 1 WHERE pair = 7"))(t)
	testutil.OK(t, s.Games(t.Context(), run.ID(), func(match.Row) error { return nil }), "the rows of a segment were read")
	err := s.Moment(t.Context(), "reading", func(m Moment) error {
		return m.Games(t.Context(), run.ID(), Filter{}, func(match.Row) error { return nil })
	})
	testutil.Check(t, err != nil, "the rows are what was stored")
}

// TestChangesDropSegments: any statement that changes a row of a segment deletes this segment and no other.
func TestChangesDropSegments(t *testing.T) {
	const most = "run_id, pair, black, white, outcome, termination, note, black_points, white_points, plies, moves_hash, last_sfen, marked, slot, started, ended, " +
		"black_plies, black_nodes, black_us, black_depth_sum, black_depth_plies, black_overrun_us, black_ponder_hits, black_ponder_misses, " +
		"white_plies, white_nodes, white_us, white_depth_sum, white_depth_plies, white_overrun_us, white_ponder_hits, white_ponder_misses"
	s, run := packedRun(t)
	for statement, left := range map[string][]int64{
		"UPDATE games SET plies = plies + 1 WHERE pair = 0 AND leg = 1":                                        {2},
		"UPDATE games SET note = 'x', checksum = NULL WHERE pair = 511":                                        {2},
		"UPDATE games SET pair = 700 WHERE pair = 1024 AND leg = 0; UPDATE games SET leg = 5 WHERE pair = 700": {0},
		"UPDATE games SET pair = 1024, leg = 7 WHERE pair = 610 AND leg = 0":                                   {0},
		"DELETE FROM games WHERE pair = 1279":                                                                  {0},
		"INSERT INTO games (leg, " + most + ") SELECT 9, " + most +
			" FROM games WHERE pair = 1100 AND leg = 0": {0},
		"UPDATE pairs SET worker = NULL WHERE pair = 3":   {2},
		"UPDATE pairs SET a = b, b = a WHERE pair = 1025": {0},
		"DELETE FROM pairs WHERE pair = 1026":             {0},
		"INSERT INTO pairs (run_id, pair, a, b, opening_id, seed) SELECT run_id, 120, a, b, opening_id, seed FROM pairs WHERE pair = 1": {2},
		"UPDATE openings SET name = name || '!' WHERE id = 1":                                                                           nil,
		"DELETE FROM openings WHERE id = 1":                                                                                             nil,
		"UPDATE pairs SET seed = 4 WHERE pair = 600":                                                                                    {0, 2},
		"UPDATE records SET event = 'x'":                                                                                                {0, 2},
		"UPDATE engines SET dir = 'x'":                                                                                                  {0, 2},
	} {
		t.Run(statement, func(t *testing.T) { leavesSegments(t, s, run.ID(), statement, left) })
	}
}

// leavesSegments executes a statement and rolls it back. It releases the only writing connection even if the test
// fails, because the end of the run would wait for it.
func leavesSegments(t *testing.T, s *Store, run int64, statement string, left []int64) {
	conn, err := s.write.Conn(t.Context())
	testutil.OK(t, err)
	defer func() { _ = conn.Close() }()
	for _, text := range []string{"PRAGMA foreign_keys = off", "SAVEPOINT before", statement} {
		testutil.OK(t, testutil.Err(conn.ExecContext(t.Context(), text)), "%s", text)
	}
	var got []int64
	err = segments.Stored(t.Context(), conn, run, none, func(block int64, _ []driver.Value) error {
		got = append(got, block)
		return nil
	})
	testutil.Check(t, err == nil && slices.Equal(got, left), "segments %v are left, expected %v (%v)", got, left, err)
	testutil.Must(conn.ExecContext(t.Context(), "ROLLBACK"))(t)
}

// TestWriterPacks: the writer packs a full block, and packs the remaining pairs at the end of a run. Readers get the
// replayed pairs instead of the voided ones.
func TestWriterPacks(t *testing.T) {
	plan := matchtest.Plan("r")
	plan.Pairs = 3 * segments.Pairs
	s, run := begun(t, plan)
	var adding sync.WaitGroup
	todo := make(chan int) // closed after the last number
	for range 32 {
		adding.Go(func() {
			for id := range todo {
				if _, err := run.Add(t.Context(), matchtest.Pair(plan, id, 4)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for id := range segments.Pairs + segments.Least {
		todo <- id
	}
	close(todo)
	adding.Wait()
	if _, err := run.submit(t.Context(), request{}); err != nil { // the writer has finished its batch
		t.Fatal(err)
	}
	testutil.Slices(t, blocksOf(t, s, run.ID()), []int64{0}, "while it is played: segments")
	testutil.OK(t, run.Close())
	testutil.Slices(t, blocksOf(t, s, run.ID()), []int64{0, 1}, "at the end: segments")
	run, err := s.Begin(t.Context(), plan)
	run = matchtest.Closing(t, run, err)
	voided, err := run.Void(t.Context(), "again", "me", func(g match.Row) bool { return g.Pair == 9 })
	if got := blocksOf(t, s, run.ID()); err != nil || len(voided) != 1 || !slices.Equal(got, []int64{1}) {
		t.Errorf("voided %v, %v: segments %v", voided, err, got)
	}
	matchtest.Put(t, run, matchtest.Pair(plan, 9, 8))
	testutil.OK(t, run.Close())
	games := gamesWhere(t, s, run.ID(), Filter{})
	if got := blocksOf(t, s, run.ID()); !slices.Equal(got, []int64{0, 1}) || games[18].Pair != 9 || games[18].Plies != 8 {
		t.Errorf("segments %v, game %+v", got, games[18])
	}
	testutil.Equal(t, otherRows(rowsByRows(t, s, run.ID(), Filter{}), games), "", "(-rows +segments)")
}

// TestDamagedSegments: readers do not use a damaged segment, or a segment that differs from the rows. A check reports
// it.
func TestDamagedSegments(t *testing.T) {
	s, run := packedRun(t)
	want := rowsByRows(t, s, run.ID(), Filter{})
	for change, told := range map[string]string{
		"UPDATE segments SET games = CAST(substr(games, 1, 900) || x'5a' || substr(games, 902) AS BLOB) WHERE block = 0": "0 the segment is not what was stored",
		"UPDATE segments SET games = x'' WHERE block = 2":                                                                "1024 the segment is not what was stored",
		"UPDATE segments SET checksum = checksum + 1 WHERE block = 2":                                                    "1024 the segment is not what was stored",
		"UPDATE segments SET block = 9 WHERE block = 2":                                                                  "4608 the segment is not what was stored",
	} {
		testutil.Must(s.write.ExecContext(t.Context(), change))(t)
		wrong := wrongSegments(t, s, run.ID())
		testutil.Check(t, len(wrong) == 1 && strings.HasPrefix(wrong[0], told), "%s: %q", change, wrong)
		testutil.Equal(t, otherRows(want, gamesWhere(t, s, run.ID(), Filter{})), "", "%s: other games (-want +got)", change)
		testutil.Must(s.write.ExecContext(t.Context(), "DELETE FROM segments"))(t)
		testutil.OK(t, Pack(t.Context(), s))
	}
	if wrong := wrongSegments(t, s, run.ID()); len(wrong) > 0 || len(blocksOf(t, s, run.ID())) != 3 {
		t.Errorf("packed anew: %q", wrong)
	}
	testutil.OK(t, testutil.Err(s.write.ExecContext(t.Context(),
		"DROP TRIGGER segments_game_changed; UPDATE games SET plies = 77, checksum = NULL WHERE pair = 1030")))
	if wrong := wrongSegments(t, s, run.ID()); len(wrong) != 1 ||
		!strings.HasPrefix(wrong[0], "1024 a segment is not what the rows say") {
		t.Errorf("a segment of other rows: %q", wrong)
	}
}

// TestSegmentOfOtherColumns: readers ignore a segment with other columns, which another gogi may have stored. A check
// reports it.
func TestSegmentOfOtherColumns(t *testing.T) {
	s, run := packedRun(t)
	want := rowsByRows(t, s, run.ID(), Filter{})
	testutil.OK(t, file.InTx(t.Context(), s.write, func(tx *sql.Tx) error {
		rows, err := blockRows(t.Context(), tx, run.ID(), 0)
		if err != nil {
			return err
		}
		for i := range rows {
			rows[i] = append(rows[i], int64(1))
		}
		return segments.Put(t.Context(), tx, run.ID(), 0, rows)
	}))
	testutil.Equal(t, otherRows(want, gamesWhere(t, s, run.ID(), Filter{})), "", "other games (-want +got)")
	wrong := wrongSegments(t, s, run.ID())
	testutil.Check(t, len(wrong) == 1, "a check says %q", wrong)
}

// TestPackAll: PackAll packs every run of a file except damaged parts, reports its progress and counts the packed
// games. After an interruption it keeps its work and continues next time. It does not change a file that a process
// plays into.
func TestPackAll(t *testing.T) {
	plan := matchtest.Plan("a")
	plan.Pairs = 5 * segments.Pairs
	s, run := begun(t, plan)
	storeFast(t, s, run, slices.Concat(ids(0, segments.Pairs), ids(512, 520), ids(1024, 1024+segments.Least),
		ids(1536, 2048), ids(2048, 2560)), func(*uint64, []*tables.Game) {})
	other := matchtest.Plan("b")
	other.Pairs = segments.Pairs
	second, err := s.Begin(t.Context(), other)
	second = matchtest.Closing(t, second, err)
	storeFast(t, s, second, ids(0, 300), func(*uint64, []*tables.Game) {})
	if _, err := PackAll(t.Context(), s, nil); !errors.Is(err, ErrRunLocked) ||
		!strings.Contains(err.Error(), `run "a"`) || len(blocksOf(t, s, run.ID())) > 0 {
		t.Errorf("while both are played: %v", err)
	}
	// Both runs end, and the test deletes the segments that their ends create.
	testutil.OK(t, errors.Join(run.Close(), second.Close()))
	testutil.OK(t, testutil.Err(s.write.ExecContext(t.Context(),
		"DELETE FROM segments; UPDATE games SET plies = plies + 1 WHERE run_id = ? AND pair = 1600 AND leg = 0", run.ID())))
	ctx, cancel := context.WithCancel(t.Context())
	list, err := PackAll(ctx, s, func(done, of int) {
		testutil.Check(t, of == 512+256+512+512+300 && done == 512, "progress %d of %d", done, of)
		cancel()
	})
	if !errors.Is(err, context.Canceled) || !slices.Equal(list, []PackedRun{{"a", 1, 512, 1024}}) ||
		!slices.Equal(blocksOf(t, s, run.ID()), []int64{4}) {
		t.Errorf("cut off: %v, %v", list, err)
	}
	var last [2]int
	list, err = PackAll(t.Context(), s, func(done, of int) { last = [2]int{done, of} })
	if _, damaged := errors.AsType[*tables.Damaged](err); !damaged ||
		!slices.Equal(list, []PackedRun{{"a", 2, 768, 1536}, {"b", 1, 300, 600}}) || last != [2]int{1580, 1580} {
		t.Errorf("%v, %v, progress %v", list, err, last)
	}
	testutil.Slices(t, blocksOf(t, s, run.ID()), []int64{0, 2, 4}, "segments")
	testutil.OK(t, testutil.Err(s.Begin(t.Context(), other)), "the runs are still held")
}

// none selects no segment.
func none(int) bool { return false }
