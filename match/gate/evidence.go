package gate

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"

	"gogi/match"
	"gogi/shogi"
	"gogi/stats"
)

// OfRows returns a stored pair as input for the SPRT. rows has the games of the pair in the order of their legs.
// For the same pair, [OfRows] and [OfResult] return the same value.
func OfRows(rows []match.Row) (p stats.Play) {
	p.Pair, p.Games = make(stats.Pair, 0, len(rows)), make([]uint64, 0, len(rows)) // a report may read millions of pairs
	for _, r := range rows {
		p.Opening = openingKey(r.OpeningHash)
		p.Pair = append(p.Pair, leg(r.Black == r.PairA, r.Outcome, r.Points))
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
