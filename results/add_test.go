//go:build cgo

package results_test

import (
	"context"
	"database/sql"
	"errors"
	"math"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/mattn/go-sqlite3"
	"golang.org/x/sync/errgroup"
	"pgregory.net/rapid"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/match/matchtest"
	"gogi/results"
	"gogi/results/resultstest"
	"gogi/results/tables"
	"gogi/shogi"
	"gogi/shogi/kifu"
)

func TestAddRecord(t *testing.T) {
	s := resultstest.Open(t, resultstest.Path(t))
	plan := matchtest.Plan("r")
	plan.Pairs = 1 << 20
	run := resultstest.Begin(t, s, plan)
	id := 0
	rapid.Check(t, func(rt *rapid.T) {
		pair := match.PairResult{Pair: plan.Pair(id)}
		id++
		for leg := range 2 {
			pair.Games = append(pair.Games, drawGame(rt, plan, pair.Pair.Game(leg)))
		}
		testutil.Must(run.Add(t.Context(), pair))(rt)
		for _, g := range pair.Games {
			record := testutil.Must(s.Record(t.Context(), run.ID(), g.Pair, g.Leg))(rt)
			testutil.Equal(rt, cmp.Diff(g.Record, record, cmpopts.EquateEmpty()), "", "pair %d, leg %d (-put +got):\n", g.Pair,
				g.Leg)
		}
	})
}

// TestDenseRecords: a record has the form of kifu.PackDense, and no text for the usual start position.
func TestDenseRecords(t *testing.T) {
	s, plan, run := resultstest.Begun(t)
	pair := matchtest.Pair(plan, 0, 30)
	for i := range pair.Games {
		record := &pair.Games[i].Record
		record.Start = tables.Start("")
		for ply := range record.Moves {
			record.Moves[ply].Detail = nil
		}
	}
	matchtest.Put(t, run, pair)
	n := 0
	testutil.OK(t, s.Queries().QueryRowContext(t.Context(),
		"SELECT count(*) FROM records WHERE start = '' AND substr(plies, 1, 1) = x'03'").Scan(&n))
	testutil.Equal(t, n, 2, "records")
}

// drawGame makes a game of any moves and numbers, legal or not.
func drawGame(t *rapid.T, plan *match.Plan, g match.Game) match.Result {
	started := time.UnixMicro(rapid.Int64Range(1, 1<<52).Draw(t, "started")).UTC()
	r := match.Result{
		Pair: g.Pair, Leg: g.Leg, Players: g.Players, Started: started, Ended: started,
		Verdict: match.Verdict{Outcome: match.WhiteWins, Termination: match.Crash, Note: rapid.String().Draw(t, "note")},
	}
	r.Record = kifu.Record{
		Black: plan.Players[g.Players[0]].Name, White: plan.Players[g.Players[1]].Name, Result: "crash", Winner: "white",
		Event: rapid.String().Draw(t, "event"), Site: rapid.String().Draw(t, "site"), Started: started,
		Start: g.Opening.Start,
		Moves: rapid.SliceOf(rapid.Custom(drawMove)).Draw(t, "moves"),
	}
	return r
}

func drawMove(t *rapid.T) kifu.Move {
	moves := rapid.Map(rapid.Uint16(), func(m uint16) shogi.Move { return shogi.Move(m) })
	m := kifu.Move{
		Move: moves.Draw(t, "move"), Time: time.Duration(rapid.Int64Range(0, 1<<50).Draw(t, "time")) * time.Microsecond,
		HasScore: rapid.Bool().Draw(t, "has score"), Depth: rapid.Int().Draw(t, "depth"),
		SelDepth: rapid.Int().Draw(t, "seldepth"),
		Nodes:    rapid.Uint64().Draw(t, "nodes"), PV: rapid.SliceOfN(moves, 0, 12).Draw(t, "pv"),
		Detail: rapid.SliceOf(rapid.Byte()).Draw(t, "detail"), Opening: rapid.Bool().Draw(t, "opening"),
	}
	if m.HasScore {
		m.Score = rapid.Int().Draw(t, "score")
	}
	if len(m.PV) > 0 && rapid.Bool().Draw(t, "own pv") {
		m.PV[0] = m.Move
	}
	return m
}

func TestAddGames(t *testing.T) {
	s, plan, run := resultstest.Begun(t)
	pair := matchtest.Pair(plan, 5, 30)
	g := &pair.Games[1]
	g.Verdict = match.Verdict{Outcome: match.Draw, Termination: match.Repetition, Note: "four times"}
	g.Marked, g.Slot = true, 3
	g.Sides[0] = match.Side{Plies: 14, Nodes: math.MaxUint64, Time: time.Hour, DepthSum: 99, DepthPlies: 9,
		WorstOverrun: time.Millisecond, PonderHits: 3, PonderMisses: 2, Incomplete: 4}
	g.Record.Final = []byte(`{"by":"resignation"}`)
	matchtest.Put(t, run, pair, matchtest.Pair(plan, 2, 30))
	games := resultstest.Games(t, s, run.ID())
	testutil.Require(t, len(games) == 4 && games[0].Pair == 2 && games[2].Pair == 5 && games[2].Leg == 0, "%+v", games)
	p := testutil.Must(pair.Pair.Opening.Position())(t)
	for _, m := range g.Record.Moves {
		p.Apply(m.Move)
	}
	want := match.Row{
		Pair: 5, Leg: 1, Black: "将棋", White: "A", PairA: "A", PairB: "将棋", Outcome: match.Draw, Termination: match.Repetition,
		Note: "four times", Points: [2]float64{0.4, 0.6}, Plies: 30, Sides: g.Sides, OpeningID: pair.Pair.Opening.ID,
		OpeningPlies: len(pair.Pair.Opening.Moves), OpeningHash: pair.Pair.Opening.Hash(), Start: pair.Pair.Opening.Start,
		Marked: true, MovesHash: games[3].MovesHash, LastSFEN: p.SFEN(), Slot: 3,
		Started: g.Started, Ended: g.Ended,
	}
	testutil.Diff(t, want, games[3])
	testutil.Check(t, games[2].MovesHash != games[3].MovesHash, "different games have one hash")
	if record, err := s.Record(t.Context(), run.ID(), 5, 1); err != nil || string(record.Final) != string(g.Record.Final) {
		t.Errorf("the last vote is %q (%v)", record.Final, err)
	}
	testutil.Is(t, testutil.Err(s.Record(t.Context(), run.ID(), 9, 0)), results.ErrNoGame, "a game that is not stored")
}

func TestMovesHash(t *testing.T) {
	s, plan, run := resultstest.Begun(t)
	var pairs []match.PairResult
	for id, start := range []string{"startpos", plan.Openings[1].Start} { // the same position in two notations
		p := matchtest.Pair(plan, id, 0)
		for i := range p.Games {
			p.Games[i].Pair, p.Games[i].Record.Start = id, start
			p.Games[i].Record.Moves = []kifu.Move{{Move: matchtest.Move("7g7f")}, {Move: matchtest.Move("1a1b")},
				{Move: matchtest.Move("1a1b")}}
		}
		pairs = append(pairs, p)
	}
	matchtest.Put(t, run, pairs...)
	games := resultstest.Games(t, s, run.ID())
	testutil.Equal(t, games[0].MovesHash, games[3].MovesHash, "equal games have two hashes")
	for i, p := range pairs { // a new game has the same hash as a game that is read from the store
		want, err := p.Games[0].MovesHash()
		got := games[2*i].MovesHash
		testutil.Check(t, err == nil && got == want, "pair %d is stored with %x and played with %x (%v)", i, got, want, err)
	}
	// The third move is illegal, so the final position is the position before it.
	testutil.Equal(t, "lnsgkgsn1/1r5bl/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL b - 3", games[0].LastSFEN,
		"final position")
}

func TestGamesYield(t *testing.T) {
	s, plan, run := resultstest.Begun(t)
	matchtest.Put(t, run, matchtest.Pair(plan, 0, 10), matchtest.Pair(plan, 1, 10))
	stop := errors.New("enough")
	n := 0
	err := s.Games(t.Context(), run.ID(), func(g match.Row) error {
		n++
		testutil.OK(t, testutil.Err(s.Record(t.Context(), run.ID(), g.Pair, g.Leg)))
		matchtest.Put(t, run, matchtest.Pair(plan, 2+n, 10)) // the reader and the writer do not block each other
		if n == 3 {
			return stop
		}
		return nil
	})
	if err != stop || n != 3 { //nolint:errorlint // it comes back as it is
		t.Errorf("%d games, %v", n, err)
	}
}

// TestGamesQueryPlan: the query finds the games through their index, without a sort or a scan.
func TestGamesQueryPlan(t *testing.T) {
	s := resultstest.Open(t, resultstest.Path(t))
	err := tables.Each(t.Context(), s.Queries(), func(rows *sql.Rows) error {
		var id, parent, unused int
		var step string
		err := rows.Scan(&id, &parent, &unused, &step)
		testutil.Check(t, !strings.Contains(step, "TEMP B-TREE") && !strings.HasPrefix(step, "SCAN"), "%v", step)
		return err
	}, "EXPLAIN QUERY PLAN "+results.SelectRecords()+"WHERE g.run_id = 1 ORDER BY g.pair, g.leg")
	testutil.OK(t, err)
}

func TestAddTwice(t *testing.T) {
	s, plan, run := resultstest.Begun(t)
	first := matchtest.Pair(plan, 0, 20)
	first.Attempts = []match.Attempt{{Pair: 0, Ended: time.UnixMicro(5).UTC(), Why: "slow"}}
	matchtest.Put(t, run, first)
	before := resultstest.Games(t, s, run.ID())
	again := matchtest.Pair(plan, 0, 40)
	again.Attempts = []match.Attempt{{Pair: 0, Ended: time.UnixMicro(6).UTC(), Why: "not stored"}}
	for _, p := range []match.PairResult{first, again} {
		added, err := run.Add(t.Context(), p)
		testutil.Check(t, !added && err == nil, "a second delivery: added %t, %v", added, err)
	}
	testutil.Diff(t, before, resultstest.Games(t, s, run.ID()), "(-before +after)")
	crash := match.Attempt{Pair: 7, Ended: time.UnixMicro(9).UTC(), Why: "crash before the first move"}
	for range 2 {
		testutil.OK(t, run.PutAttempt(t.Context(), crash))
	}
	got := testutil.Must(s.Attempts(t.Context(), run.ID()))(t)
	testutil.Diff(t, []match.Attempt{first.Attempts[0], crash}, got)
}

func TestAddConcurrently(t *testing.T) {
	s, plan, run := resultstest.Begun(t)
	reader := testutil.Must(results.OpenExisting(t.Context(), s.Path()))(t)
	const writers, each = 16, 8
	var counted atomic.Int64
	var g errgroup.Group
	for w := range writers {
		g.Go(func() error {
			for i := range each {
				// Every two neighbours add the same pairs.
				added, err := run.Add(context.Background(), matchtest.Pair(plan, (w/2)*each+i, 20))
				if err != nil {
					return err
				}
				if added {
					counted.Add(1)
				}
			}
			return nil
		})
	}
	written := make(chan error, 1) // one value, from the goroutine below at its end; never closed
	go func() { written <- g.Wait() }()
	for done := false; !done; { // another reader sees only whole pairs at all times
		select {
		case err := <-written:
			testutil.OK(t, err)
			done = true
		default:
		}
		checkWhole(t, reader, run.ID())
	}
	testutil.Equal(t, counted.Load(), writers/2*each, "pairs counted")
	if info, err := reader.FindRun(t.Context(), "r"); err != nil || info.Finished != writers/2*each {
		t.Errorf("%+v, %v", info, err)
	}
	testutil.OK(t, reader.Close())
}

func TestAddRefuses(t *testing.T) {
	s, plan, run := resultstest.Begun(t)
	tests := map[string]func(*match.PairResult){
		"1 games":        func(p *match.PairResult) { p.Games = p.Games[:1] },
		"from 0":         func(p *match.PairResult) { p.Pair.ID = -1 },
		"more than 100 ": func(p *match.PairResult) { *p = matchtest.Pair(plan, 100, 10) },
		"an attempt at":  func(p *match.PairResult) { p.Attempts = []match.Attempt{{Pair: 5}} },
		"ended by draw":  func(p *match.PairResult) { p.Games[1].Termination = "draw" },
		"(outcome(7))":   func(p *match.PairResult) { p.Games[1].Outcome = 7 },
		"leg 1 is pair":  func(p *match.PairResult) { p.Games[1].Players = p.Games[0].Players },
		"has not ended":  func(p *match.PairResult) { p.Games[1].Verdict = match.Verdict{} },
		"start position": func(p *match.PairResult) { p.Games[0].Record.Start = "start position" },
		"more than":      func(p *match.PairResult) { p.Games[0].Record.Moves = make([]kifu.Move, 1<<15+1) },
	}
	for want, spoil := range tests {
		pair := matchtest.Pair(plan, 4, 10)
		spoil(&pair)
		if _, err := run.Add(t.Context(), pair); err == nil || !strings.Contains(err.Error(), want) ||
			!strings.Contains(err.Error(), s.Path()) {
			t.Errorf("%s: %v", want, err)
		}
	}
	for name, forge := range map[string]func(*match.Pair){
		"players": func(p *match.Pair) { p.Players = [2]int{1, 0} }, "seed": func(p *match.Pair) { p.Seed++ },
		"legs":           func(p *match.Pair) { p.Legs = 1 },
		"opening's name": func(p *match.Pair) { p.Opening.ID = "3" }, "opening's start": func(p *match.Pair) {
			p.Opening.Start = "startpos "
		},
		"opening's moves":   func(p *match.Pair) { p.Opening.Moves = append(p.Opening.Moves[:0:0], matchtest.Move("9g9f")) },
		"a player too many": func(p *match.Pair) { p.Players[1] = 2 },
	} {
		pair := matchtest.Pair(plan, 4, 10)
		forge(&pair.Pair)
		for leg := range pair.Games {
			pair.Games[leg].Players = pair.Pair.Game(leg).Players
		}
		testutil.Fails(t, testutil.Err(run.Add(t.Context(), pair)), "not those that the plan gives it", "forged %s", name)
	}
	cancelled, cancel := context.WithCancelCause(t.Context())
	why := errors.New("second interrupt")
	cancel(why)
	testutil.Is(t, testutil.Err(run.Add(cancelled, matchtest.Pair(plan, 4, 10))), why, "cancelled")
	testutil.OK(t, run.Close())
	testutil.Is(t, testutil.Err(run.Add(t.Context(), matchtest.Pair(plan, 4, 10))), results.ErrClosed, "closed")
	games := resultstest.Games(t, s, run.ID())
	testutil.Check(t, len(games) == 0, "stored: %+v", games)
}

// TestDiskFull: on a full disk Add returns an error. Acknowledged pairs stay, and the pair that did not fit leaves no
// data. It can be stored when the disk has space again.
func TestDiskFull(t *testing.T) {
	path := resultstest.Path(t)
	s := resultstest.Open(t, path)
	plan := matchtest.Plan("r")
	run := resultstest.Begin(t, s, plan)
	testutil.Must(s.Writer().ExecContext(t.Context(), "PRAGMA max_page_count=40"))(t)
	var err error
	stored := 0
	for ; err == nil && stored < 1000; stored++ {
		_, err = run.Add(t.Context(), matchtest.Pair(plan, stored, 60))
	}
	stored--
	var full sqlite3.Error
	testutil.Require(t, errors.As(err, &full) && full.Code == sqlite3.ErrFull && stored != 0, "after %d pairs: %v", stored,
		err)
	checkWhole(t, s, run.ID())
	if finished, err := run.Finished(t.Context()); err != nil || len(finished) != stored {
		t.Errorf("%d of %d pairs are there, %v", len(finished), stored, err)
	}
	testutil.Must(s.Writer().ExecContext(t.Context(), "PRAGMA max_page_count=1000000"))(t)
	matchtest.Put(t, run, matchtest.Pair(plan, stored, 60))
	again := resultstest.Open(t, path)
	checkWhole(t, again, run.ID())
}

func BenchmarkAdd(b *testing.B) {
	for _, name := range []string{"one", "one durable", "sixteen", "sixteen durable"} {
		parallelism, how := 8, results.Quick
		if strings.HasPrefix(name, "one") {
			parallelism = 1
		}
		if strings.HasSuffix(name, "durable") {
			how = results.Durable
		}
		b.Run(name, func(b *testing.B) {
			s := testutil.Must(results.Open(b.Context(), resultstest.Path(b), how))(b)
			b.Cleanup(func() { _ = s.Close() })
			plan := matchtest.Plan("r")
			plan.Pairs = b.N
			run := resultstest.Begin(b, s, plan)
			b.SetParallelism(parallelism)
			benchmarkAdd(b, s, run, parallelism == 1)
		})
	}
}

func benchmarkAdd(b *testing.B, s *results.Store, run *results.Run, serial bool) {
	b.Helper()
	var templates []match.PairResult
	for id := range 50 {
		templates = append(templates, matchtest.Pair(run.Plan(), id, 120))
	}
	ids := make(chan int) // from the goroutine below to the goroutines that add; closed at its end; unbuffered: a counter
	go func() {
		defer close(ids)
		for id := range b.N {
			ids <- id
		}
	}()
	work := func() {
		for id := range ids {
			pair := templates[id%len(templates)]
			pair.Pair = run.Plan().Pair(id)
			pair.Games = append(pair.Games[:0:0], pair.Games...)
			for i := range pair.Games {
				pair.Games[i].Pair = id
			}
			if _, err := run.Add(context.Background(), pair); err != nil {
				b.Error(err)
			}
		}
	}
	b.ResetTimer()
	if serial {
		work()
	} else {
		b.RunParallel(func(pb *testing.PB) {
			work()
			for pb.Next() { // the channel has counted already
			}
		})
	}
	b.StopTimer()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "pairs/s")
	var file, blobs float64
	testutil.OK(b, s.Queries().QueryRowContext(b.Context(),
		"SELECT page_count * page_size FROM pragma_page_count, pragma_page_size").Scan(&file))
	testutil.OK(b, s.Queries().QueryRowContext(b.Context(), "SELECT avg(length(plies)) FROM records").Scan(&blobs))
	b.ReportMetric(file/float64(2*b.N), "bytes/game")
	b.ReportMetric(blobs, "blob-bytes/game")
}
