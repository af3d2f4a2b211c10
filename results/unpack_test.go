package results_test

import (
	"errors"
	"fmt"
	"io"
	"testing"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/results"
	"gogi/results/resultstest"
	"gogi/results/tables"
	"gogi/shogi/kifu"
)

// TestRecordsInOrder: a reader of records yields all games before the first damaged one, and then reports the damage.
// After an error of the function yield it yields no more games. The reader unpacks some games at once, and the 44 games
// are more than it has in memory.
func TestRecordsInOrder(t *testing.T) {
	t.Parallel()
	const pairs = 22
	ids := make([]int, pairs)
	for i := range ids {
		ids[i] = i
	}
	path := resultstest.Filled(t, "a.db", ids, func(p *match.Plan) { p.Pairs = pairs })
	read := func(s *results.Store, stopAt int, stop error) (n int, err error) {
		err = s.Moment(t.Context(), "reading", func(m results.Moment) error {
			return m.Records(t.Context(), 1, 0, pairs, func(g match.Row, r kifu.Record) error {
				testutil.Check(t, 2*g.Pair+g.Leg == n && len(r.Moves) == g.Plies && r.Black == g.Black,
					"game %d is pair %d, leg %d with %d moves", n, g.Pair, g.Leg, len(r.Moves))
				if n++; n == stopAt {
					return stop
				}
				return nil
			})
		})
		return n, err
	}
	s := resultstest.Existing(t, path)
	n, err := read(s, -1, nil)
	testutil.Check(t, n == 2*pairs && err == nil, "%d games, %v", n, err)
	for _, at := range []int{1, 15, 16, 17, 33, 44} {
		n, err := read(s, at, io.ErrClosedPipe)
		testutil.Check(t, n == at && errors.Is(err, io.ErrClosedPipe), "stopped at %d: %d games, %v", at, n, err)
	}
	testutil.OK(t, s.Close())
	for _, game := range []int{43, 32, 16, 5} { // the first damage counts
		pair, leg := game/2, game%2
		resultstest.Exec(t, path, fmt.Sprintf("UPDATE records SET plies = x'00' WHERE game_id = "+
			"(SELECT id FROM games WHERE pair = %d AND leg = %d)", pair, leg))
		s := resultstest.Existing(t, path)
		n, err := read(s, -1, nil)
		damage, found := errors.AsType[*tables.Damaged](err)
		testutil.Check(t, found && n == game && damage.Pair == pair && damage.Leg == leg, "damage at %d: %d games, %v",
			game, n, err)
		n, err = read(s, game, io.ErrClosedPipe)
		testutil.Check(t, n == game && errors.Is(err, io.ErrClosedPipe), "stopped before %d: %d games, %v", game, n, err)
		testutil.OK(t, s.Close())
	}
}
