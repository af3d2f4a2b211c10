package repair

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"testing"

	"gogi/internal/testutil"
	"gogi/match/matchtest"
	"gogi/results"
	"gogi/results/resultstest"
	"gogi/results/tables"
)

// withGaps creates a database with some pairs, also of several workers, and returns its path.
func withGaps(t *testing.T, ids []int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.db")
	s := resultstest.Open(t, path)
	run := resultstest.Begin(t, s, matchtest.Plan("r"))
	for _, id := range ids {
		pair := matchtest.Pair(matchtest.Plan("r"), id, 12)
		if id%2 > 0 {
			pair = farmed(id)
		}
		matchtest.Put(t, run, pair)
	}
	testutil.OK(t, errors.Join(run.Close(), s.Close()))
	return path
}

// TestBlock: Block returns the rows that Pair returns for each pair in its range, and no other pairs.
func TestBlock(t *testing.T) {
	t.Parallel()
	s := resultstest.Existing(t, withGaps(t, []int{0, 1, 3, 4, 6}))
	testutil.OK(t, s.Moment(t.Context(), "reading a block", func(m results.Moment) error {
		source := tables.Stored{Q: m.Q}
		block := testutil.Must(source.Block(t.Context(), 1, 1, 6))(t)
		testutil.Equal(t, fmt.Sprint(slices.Sorted(maps.Keys(block))), "[1 3 4]", "pairs of the block")
		for id, got := range block {
			want := testutil.Must(source.Pair(t.Context(), 1, id))(t)
			testutil.Equal(t, rowsOf(got), rowsOf(want), "pair %d", id)
		}
		return nil
	}))
}

// rowsOf returns the values of all rows of a pair as text.
func rowsOf(p *tables.Pair) string {
	rows := append([]*tables.Row{p.Row, p.Opening, p.Worker}, p.Games...)
	for _, g := range p.Games {
		rows = append(rows, p.Records[g.Int("id")])
	}
	text := ""
	for _, r := range rows {
		if r == nil {
			text += "none\n"
		} else {
			text += fmt.Sprintln(r.Layout.Name, r.Values)
		}
	}
	return text
}

// TestCheckNamesThePair: one damaged pair is the only problem, although Check reads many pairs together.
func TestCheckNamesThePair(t *testing.T) {
	t.Parallel()
	for table, damage := range map[string]string{
		"records": "UPDATE records SET plies = x'0102' WHERE game_id = (SELECT id FROM games WHERE pair = 3 AND leg = 1)",
		"games":   "UPDATE games SET plies = 999 WHERE pair = 3 AND leg = 1",
		"pairs":   "UPDATE pairs SET seed = seed + 1 WHERE pair = 3",
	} {
		path := withGaps(t, []int{0, 1, 3, 4, 6})
		resultstest.Exec(t, path, damage)
		c := checkup(t, path)
		testutil.Check(t, len(c.Problems) == 1 && c.Problems[0].Pair == 3, "%s: %v", table, c.Problems)
		testutil.Check(t, c.Runs[0].Sound == 4 && c.Runs[0].Pairs == 5, "%s: %+v", table, c.Runs)
	}
}
