package results_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"gogi/internal/testutil"
	"gogi/results"
	"gogi/results/resultstest"
)

// TestMain lets the test binary be the second process of some tests.
func TestMain(m *testing.M) {
	if path := os.Getenv(writerEnv); path != "" {
		writerProcess(path, os.Getenv(writerModeEnv))
		return
	}
	m.Run()
}

// checkWhole fails unless the database is sound, every pair has all its games and every game its moves.
func checkWhole(tb testing.TB, s *results.Store, runID int64) {
	tb.Helper()
	var verdict string
	if err := s.Queries().QueryRowContext(tb.Context(), "PRAGMA integrity_check").Scan(&verdict); err != nil ||
		verdict != "ok" {
		tb.Errorf("integrity_check: %s %v", verdict, err)
	}
	// One statement sees one snapshot, even while another process writes.
	var half int
	if err := s.Queries().QueryRowContext(tb.Context(), `SELECT count(*) FROM pairs p WHERE 2 <>
		(SELECT count(*) FROM games g JOIN records r ON r.game_id = g.id WHERE g.run_id = p.run_id AND g.pair = p.pair)`).Scan(&half); err != nil || half > 0 {
		tb.Errorf("%d pairs are not whole, %v", half, err)
	}
	legs := map[int]int{}
	for _, g := range resultstest.Games(tb, s, runID) {
		testutil.Equal(tb, g.Leg, legs[g.Pair], "pair %d", g.Pair)
		legs[g.Pair]++
		record, err := s.Record(tb.Context(), runID, g.Pair, g.Leg)
		testutil.Check(tb, err == nil && len(record.Moves) == g.Plies,
			"pair %d, leg %d: %d plies instead of %d, %v", g.Pair, g.Leg, len(record.Moves), g.Plies, err)
	}
	for pair, n := range legs {
		testutil.Equal(tb, n, 2, "pair %d", pair)
	}
}

// The second process opens the database and begins the run "killed". In the mode "put" it stores pairs until it is
// killed, and prints the number of each acknowledged pair. In the mode "hold" it holds the run until its standard input
// ends.
const (
	writerEnv     = "GOGI_RESULTS_TEST_WRITER"
	writerModeEnv = "GOGI_RESULTS_TEST_MODE"
)

func writerProcess(path, mode string) {
	act := runWriter
	if strings.HasPrefix(mode, "read") {
		act = runReader
	}
	if err := act(path, mode); err != nil {
		_, _ = fmt.Fprintln(os.Stdout, "error:", err) // for the first process, if it still runs
	}
}
