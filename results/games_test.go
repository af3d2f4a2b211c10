package results_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/match/matchtest"
	"gogi/results"
	"gogi/results/dump"
	"gogi/results/resultstest"
)

// TestPairs: Pairs returns the rows of Games in pairs.
func TestPairs(t *testing.T) {
	s, plan, run := resultstest.Begun(t)
	for _, id := range []int{7, 2, 9, 0, 4} {
		matchtest.Put(t, run, matchtest.Pair(plan, id, 4))
	}
	games := resultstest.Games(t, s, run.ID())
	for _, test := range []struct {
		filter results.Filter
		want   []int
	}{
		{results.Filter{}, []int{0, 2, 4, 7, 9}},
		{results.Filter{FromPair: 2, Pairs: 6}, []int{2, 4, 7}},
		{results.Filter{FromPair: 10}, nil},
	} {
		var got [][]match.Row
		testutil.OK(t, s.Pairs(t.Context(), run.ID(), test.filter, func(rows []match.Row) error {
			got = append(got, slices.Clone(rows)) // they are valid until this function returns
			return nil
		}))
		var flat, each []match.Row
		testutil.OK(t, s.GamesWhere(t.Context(), run.ID(), test.filter, func(g match.Row) error {
			each = append(each, g)
			return nil
		}))
		var want [][]match.Row
		for _, id := range test.want {
			at := 0
			for games[at].Pair != id {
				at++
			}
			want, flat = append(want, games[at:at+2]), append(flat, games[at:at+2]...)
		}
		testutil.Diff(t, flat, each, "games where %+v", test.filter)
		testutil.Diff(t, want, got, "%+v", test.filter)
	}
	stop := errors.New("enough")
	for last := 1; last <= 5; last++ { // no pair follows the fifth pair
		n := 0
		err := s.Pairs(t.Context(), run.ID(), results.Filter{}, func([]match.Row) error {
			if n++; n == last {
				return stop
			}
			return nil
		})
		if err != stop || n != last { //nolint:errorlint // it comes back as it is
			t.Errorf("%d pairs, %v", n, err)
		}
	}
}

// TestUnknownTerminationIsKept: readers return the word of an unknown termination, which a newer gogi may store. Add
// rejects it.
func TestUnknownTerminationIsKept(t *testing.T) {
	s, plan, run := resultstest.Begun(t)
	matchtest.Put(t, run, matchtest.Pair(plan, 0, 4))
	testutil.Must(s.Writer().ExecContext(t.Context(),
		"UPDATE games SET termination = 'adjourned', checksum = NULL WHERE leg = 1"))(t)
	games := resultstest.Games(t, s, run.ID())
	testutil.Check(t, games[1].Termination.String() == "adjourned" && !games[1].Termination.Known(), "%+v", games[1])
	if record, err := s.Record(t.Context(), run.ID(), 0, 1); err != nil || record.Result != "adjourned" {
		t.Errorf("%q, %v", record.Result, err)
	}
	var text strings.Builder
	if err := dump.Write(t.Context(), s, &text, "r", true); err != nil ||
		!strings.Contains(text.String(), `"termination":"adjourned"`) {
		t.Errorf("%v\n%s", err, text.String())
	}
	pair := matchtest.Pair(plan, 1, 4)
	pair.Games[1].Termination = "adjourned"
	testutil.Fails(t, testutil.Err(run.Add(t.Context(), pair)), "leg 1 ended by adjourned", "put")
}
