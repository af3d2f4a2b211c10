// Package gate runs the SPRT of a match. [New] returns a [Gate]. The caller adds pairs as they finish, and
// the Gate evaluates them in plan order. [OfRows] and [OfResult] convert stored and played pairs to the input
// of the test.
package gate

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"sync"

	"gogi/match"
	"gogi/shogi"
	"gogi/stats"
)

// Gate runs the SPRT of a match while it is played. It evaluates the pairs in plan order, because the order
// of arrival favours short games. It is safe for concurrent use.
type Gate struct {
	design stats.SPRT
	pairs  int // number of pairs in the plan

	mu     sync.Mutex
	prefix *stats.Prefix
}

// New returns a Gate for a match. pairs is the largest number of pairs in the match. New returns an error if the
// design is invalid.
func New(design stats.SPRT, pairs int) (*Gate, error) {
	prefix, err := stats.NewPrefix(design, pairs)
	if err != nil {
		return nil, fmt.Errorf("gate: %w", err)
	}
	return &Gate{design: design, pairs: pairs, prefix: prefix}, nil
}

// Add adds a finished pair with its number in the plan. A pair that is added again counts once. If its games
// differ from those added before, Add returns an error and does not count it.
func (g *Gate) Add(id int, play stats.Play) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if err := g.prefix.AddPlay(id, play); err != nil {
		return fmt.Errorf("gate: %w", err)
	}
	return nil
}

// Void removes pairs that were voided in the run, and evaluates the other pairs again from the first. A
// decided test may become undecided or change its decision. The caller may add the pairs again after they are
// played again. If Void returns an error, the Gate does not change.
func (g *Gate) Void(ids []int) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	anew, err := g.prefix.Without(ids)
	if err != nil {
		return fmt.Errorf("gate: without the voided pairs: %w", err)
	}
	g.prefix = anew
	return nil
}

// State is the state of a Gate after the pairs that it has evaluated.
type State struct {
	Design    stats.SPRT
	Judgement stats.Judgement // decision of the test, number of openings, and number of pairs that only repeat other pairs
	Tally     stats.Tally     // results of the evaluated pairs
}

// Decided reports whether the test has stopped.
func (s State) Decided() bool { return s.Judgement.Decision != stats.Continue }

// State returns the test's current decision and the results that it has evaluated.
func (g *Gate) State() State {
	g.mu.Lock()
	defer g.mu.Unlock()
	return State{Design: g.design, Judgement: g.prefix.Judgement(), Tally: g.prefix.Tally()}
}

// Elo returns the median-unbiased rating difference after the test has stopped, with openings as the
// independent units. level is the level of the confidence interval. Elo returns an error before the test has
// stopped.
func (g *Gate) Elo(level float64) (stats.StoppedElo, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.prefix.Elo(level)
}

// OfRows returns a stored pair as input for the SPRT. rows has the games of the pair in the order of their legs.
// For the same pair, [OfRows] and [OfResult] return the same value.
func OfRows(rows []match.Row) stats.Play {
	if len(rows) == 0 {
		return stats.Play{}
	}
	return OfRowsFor(rows[0].PairA, rows)
}

// OfRowsFor is [OfRows] from the view of a player, who may be either player of the pair.
func OfRowsFor(player string, rows []match.Row) (p stats.Play) {
	p.Pair, p.Games = make(stats.Pair, 0, len(rows)), make([]uint64, 0, len(rows)) // a report may read millions of pairs
	for i := range rows {
		r := &rows[i]
		if i == 0 {
			p.Opening = openingKey(r.OpeningHash) // the same in all games of the pair
		}
		p.Pair = append(p.Pair, leg(r.Black == player, r.Outcome, r.Points))
		p.Games = append(p.Games, r.MovesHash)
	}
	return p
}

// OfResult returns a finished pair as input for the SPRT. It returns an error if it cannot read the start
// position of a game.
func OfResult(plan *match.Plan, r match.PairResult) (p stats.Play, err error) {
	p.Opening = openingKey(r.Pair.Opening.Hash())
	for i := range r.Games {
		g := &r.Games[i]
		hash, err := g.MovesHash()
		if err != nil {
			return stats.Play{}, fmt.Errorf("pair %d, leg %d: %w", r.Pair.ID, i, err)
		}
		p.Pair = append(p.Pair, leg(g.Players[0] == r.Pair.Players[0], g.Outcome, plan.Rules.Points(g.Verdict)))
		p.Games = append(p.Games, hash)
	}
	return p, nil
}

// openingKey returns the hash of an opening as a text with a fixed number of digits. The text is never "",
// because package stats never groups pairs whose key is "".
func openingKey(hash uint64) string {
	var bytes [8]byte
	binary.BigEndian.PutUint64(bytes[:], hash)
	var digits [16]byte
	hex.Encode(digits[:], bytes[:])
	return string(digits[:])
}

// leg returns one game from the view of player A. points has the points of Black and White.
func leg(aIsBlack bool, outcome match.Outcome, points [2]float64) stats.Leg {
	colour := shogi.White
	if aIsBlack {
		colour = shogi.Black
	}
	leg := stats.Leg{AIsBlack: aIsBlack, Outcome: stats.Draw, Points: points[colour]}
	if winner, ok := outcome.Winner(); ok {
		leg.Outcome = stats.Loss
		if winner == colour {
			leg.Outcome = stats.Win
		}
	}
	return leg
}
