package games

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"gogi/match"
	"gogi/shogi/kifu"
)

// event returns the event of a game in its record: the run, the pair and the leg.
func event(run string, pair, leg int) string { return fmt.Sprintf("%s/%d.%d", run, pair, leg) }

// ofEvent matches the text of event for a pair of two games.
var ofEvent = regexp.MustCompile(`^(.+)/([0-9]+)\.([01])$`)

// seat is the place of an imported game.
type seat struct{ pair, leg int }

// twin has the facts about a game that decide whether it forms a pair with another one.
type twin struct {
	run, pair, leg int // run is the number of the run's name
	players        [2]string
	opening        uint64
}

// twins finds the pairs in records that gogi exported. The event of such a record has the run, the pair and the leg.
// The games form pairs only if all of them do: each pair has two games, with swapped colours and one opening. A part of
// a run, such as its games that ended by resignation, has no pairs, because its results decided which games it has.
type twins struct {
	games  []twin // in the order of the sources
	runs   map[string]int
	broken bool // a game is of no pair
}

func newTwins() *twins { return &twins{runs: map[string]int{}} }

func (t *twins) add(r *kifu.Record, opening match.Opening) {
	if t.broken {
		return
	}
	words := ofEvent.FindStringSubmatch(r.Event)
	if words == nil {
		t.broken, t.games = true, nil
		return
	}
	pair, err := strconv.Atoi(words[2])
	if err != nil {
		t.broken, t.games = true, nil
		return
	}
	run, known := t.runs[words[1]]
	if !known {
		run = len(t.runs)
		t.runs[words[1]] = run
	}
	t.games = append(t.games, twin{run: run, pair: pair, leg: int(words[3][0] - '0'), players: r.Names(),
		opening: opening.Hash()})
}

// seats returns the pair and leg of each game in the order of the sources, and the players of each pair's first game in
// the order of the pairs. It returns nil if the games form no pairs.
func (t *twins) seats() (list []seat, order [][2]string) {
	if t.broken || len(t.games) == 0 || len(t.games)%2 != 0 {
		return nil, nil
	}
	sorted := make([]int, len(t.games))
	for i := range sorted {
		sorted[i] = i
	}
	slices.SortFunc(sorted, func(i, j int) int {
		a, b := t.games[i], t.games[j]
		return cmp.Or(a.run-b.run, a.pair-b.pair, a.leg-b.leg)
	})
	list = make([]seat, len(t.games))
	for n := 0; n < len(sorted); n += 2 {
		a, b := t.games[sorted[n]], t.games[sorted[n+1]]
		if a.run != b.run || a.pair != b.pair || a.leg != 0 || b.leg != 1 || a.opening != b.opening ||
			a.players != [2]string{b.players[1], b.players[0]} {
			return nil, nil
		}
		list[sorted[n]], list[sorted[n+1]] = seat{n / 2, 0}, seat{n / 2, 1}
		order = append(order, a.players)
	}
	return list, order
}
