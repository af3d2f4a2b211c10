package stored

import (
	"cmp"
	"context"
	"slices"
	"time"

	"gogi/match"
	"gogi/results"
)

// OpeningTally counts how the games from one opening ended.
type OpeningTally struct {
	ID                         string
	Start                      string // "startpos" or a SFEN
	Plies                      int
	Games, Black, White, Draws int
	MeanPlies                  float64
	Pair, Leg                  int // pair and leg of one of its games
}

// OpeningTallies returns how the games from each opening of a run ended. The openings are in the order of
// their first pairs.
func OpeningTallies(ctx context.Context, store *results.Store, runID int64) ([]OpeningTally, error) {
	type opening struct {
		id   string
		hash uint64
	}
	var list []OpeningTally
	places, plies := map[opening]int{}, []int{}
	err := store.Games(ctx, runID, func(g match.Row) error {
		at, known := places[opening{g.OpeningID, g.OpeningHash}]
		if !known {
			at = len(list)
			places[opening{g.OpeningID, g.OpeningHash}] = at
			list, plies = append(list, OpeningTally{ID: g.OpeningID, Start: g.Start, Plies: g.OpeningPlies, Pair: g.Pair,
				Leg: g.Leg}), append(plies, 0)
		}
		o := &list[at]
		o.Games++
		plies[at] += g.Plies
		switch g.Outcome {
		case match.BlackWins:
			o.Black++
		case match.WhiteWins:
			o.White++
		case match.Draw:
			o.Draws++
		case match.Unfinished: // unfinished games have no column
		}
		return nil
	})
	for i := range list {
		list[i].MeanPlies = float64(plies[i]) / float64(list[i].Games)
	}
	return list, err
}

// SlotTally has a player's results in one slot. A slot is a place in a run that plays one game at a time.
type SlotTally struct {
	Slot    int
	Player  string
	Games   int
	Plies   int // number of the player's own moves
	Nodes   float64
	Time    time.Duration
	Overrun time.Duration // largest time by which a move was over its limit
	Marked  int           // games with a move that the machine delayed
}

// SlotTallies returns the results of each player in each slot of a run, sorted by slot and then in the order
// of the plan.
func SlotTallies(ctx context.Context, store *results.Store, info *results.RunInfo) ([]SlotTally, error) {
	type place struct {
		slot   int
		player string
	}
	places := map[place]*SlotTally{}
	err := store.Games(ctx, info.ID, func(g match.Row) error {
		for colour, player := range []string{g.Black, g.White} {
			t := places[place{g.Slot, player}]
			if t == nil {
				t = &SlotTally{Slot: g.Slot, Player: player}
				places[place{g.Slot, player}] = t
			}
			t.add(&g.Sides[colour], g.Marked)
		}
		return nil
	})
	var list []SlotTally
	for _, t := range places {
		list = append(list, *t)
	}
	slices.SortFunc(list, func(a, b SlotTally) int {
		return cmp.Or(cmp.Compare(a.Slot, b.Slot),
			cmp.Compare(slices.Index(info.Players, a.Player), slices.Index(info.Players, b.Player)))
	})
	return list, err
}

func (t *SlotTally) add(s *match.Side, marked bool) {
	t.Games++
	t.Plies += s.Plies
	t.Nodes += float64(s.Nodes)
	t.Time += s.Time
	t.Overrun = max(t.Overrun, s.WorstOverrun)
	if marked {
		t.Marked++
	}
}
