package results

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gogi/match"
)

// Pairs gives the rows of Games, grouped, each slice the caller's to keep; a
// filter passes whole pairs.
func TestPairs(t *testing.T) {
	s := openTest(t, testPath(t))
	plan := testPlan("r")
	run := beginTest(t, s, plan)
	for _, id := range []int{7, 2, 9, 0, 4} {
		pair := playedPair(plan, id, 4)
		pair.Games[0].Verdict = match.Verdict{Outcome: match.BlackWins, Termination: match.Resignation}
		pair.Games[1].Verdict = match.Verdict{Outcome: match.WhiteWins, Termination: match.Crash}
		if id == 4 {
			pair.Games[1].Verdict = pair.Games[0].Verdict
		}
		put(t, run, pair)
	}
	games := allGames(t, s, run.ID())
	for _, test := range []struct {
		filter Filter
		want   []int
	}{
		{Filter{}, []int{0, 2, 4, 7, 9}},
		{Filter{Termination: match.Crash}, []int{0, 2, 7, 9}}, // of which one leg is a resignation
		{Filter{FromPair: 2, Pairs: 6}, []int{2, 4, 7}},
		{Filter{Engine: "nobody"}, nil},
	} {
		var got [][]match.Row
		if err := s.Pairs(t.Context(), run.ID(), test.filter, func(rows []match.Row) error { got = append(got, rows); return nil }); err != nil {
			t.Fatal(err)
		}
		var want [][]match.Row
		for _, id := range test.want {
			at := 0
			for games[at].Pair != id {
				at++
			}
			want = append(want, games[at:at+2])
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", test.filter, diff)
		}
	}
	stop := errors.New("enough")
	for last := 1; last <= 5; last++ { // the fifth pair is the last: nothing comes behind it
		n := 0
		err := s.Pairs(t.Context(), run.ID(), Filter{}, func([]match.Row) error {
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

// A database of a newer gogi may hold games that ended in a way of which this one
// knows the word alone.
func TestUnknownTerminationIsKept(t *testing.T) {
	s := openTest(t, testPath(t))
	plan := testPlan("r")
	run := beginTest(t, s, plan)
	put(t, run, playedPair(plan, 0, 4))
	if _, err := s.write.ExecContext(t.Context(), "UPDATE games SET termination = 'adjourned', checksum = NULL WHERE leg = 1"); err != nil {
		t.Fatal(err)
	}
	if games := allGames(t, s, run.ID()); games[1].Termination.String() != "adjourned" || games[1].Termination.Known() {
		t.Errorf("%+v", games[1])
	}
	if record, err := s.Record(t.Context(), run.ID(), 0, 1); err != nil || record.Result != "adjourned" {
		t.Errorf("%q, %v", record.Result, err)
	}
	var dump strings.Builder
	if err := s.Dump(t.Context(), &dump, "r", true); err != nil || !strings.Contains(dump.String(), `"termination":"adjourned"`) {
		t.Errorf("%v\n%s", err, dump.String())
	}
	pair := playedPair(plan, 1, 4)
	pair.Games[1].Termination = "adjourned"
	if _, err := run.Add(t.Context(), pair); err == nil || !strings.Contains(err.Error(), "leg 1 ended by adjourned") {
		t.Errorf("put: %v", err)
	}
}
