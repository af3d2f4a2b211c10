package sources

import (
	"fmt"
	"math"
	"strings"

	"gogi/lab/review"
	"gogi/shogi"
	"gogi/shogi/kifu"
	"gogi/usi"
)

// Annotate replaces the evaluations in a record by those of a review, so that other programs can draw graphs
// from them. Each move gets the value of the position after the move, from the view of the player who made
// it, and the engine's reply. If the engine prefers another move, Annotate adds a comment with that move.
func Annotate(r *kifu.Record, v *review.Reviewed, s review.Scale) error {
	p, err := shogi.ParseSFEN(strings.TrimPrefix(r.Start, "sfen "))
	if err != nil {
		return err
	}
	before := shogi.NoSquare
	for i := range v.Game.Moves {
		m := &r.Moves[i]
		m.Score, m.HasScore, m.Depth, m.SelDepth, m.Nodes, m.PV, m.Detail = 0, false, 0, 0, 0, nil, nil
		after := p
		after.Apply(m.Move)
		if x := v.Readings[i+1]; x != nil {
			m.Score, m.HasScore = -score(*x), true
			m.PV = []shogi.Move{m.Move}
			if reply, err := shogi.ParseMove(x.Best); err == nil && after.CheckLegal(reply) == nil {
				m.PV = append(m.PV, reply)
			}
		}
		m.Comment = joined(m.Comment, advice(&p, before, v, i, s))
		before, p = m.Move.To(), after
	}
	return nil
}

// score returns a reading's value as the number that records use, also for mates.
func score(x review.Reading) int {
	if x.Mate != 0 {
		return usi.Score{Mate: x.Mate}.Number()
	}
	return int(math.Round(x.Value))
}

// advice returns the comment on a move that differs from the engine's move, such as "engine: ７六歩(77), −3.2%".
func advice(p *shogi.Position, before shogi.Square, v *review.Reviewed, ply int, s review.Scale) string {
	x := v.Readings[ply]
	if x == nil || x.Best == v.Game.Moves[ply] {
		return ""
	}
	best := x.Best
	if m, err := shogi.ParseMove(best); err == nil && p.CheckLegal(m) == nil {
		best = kifu.KIFMove(p, m, before)
	}
	change, ok := v.Change(ply, s, review.MoveChange)
	if !ok {
		return "engine: " + best
	}
	return strings.Replace(fmt.Sprintf("engine: %s, %+.1f%%", best, change), "-", "−", 1)
}

func joined(comment, more string) string {
	if comment == "" || more == "" {
		return comment + more
	}
	return comment + "\n" + more
}
