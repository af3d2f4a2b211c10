package sources

import (
	"fmt"
	"math"
	"strings"

	"gogi/report/review"
	"gogi/report/review/goban"
	"gogi/report/review/sgf"
	"gogi/shogi"
	"gogi/shogi/kifu"
	"gogi/usi"
)

// Annotate puts a review into the record that it was made of, in place of what the players'
// programs said: each move has the value of the position that it made, from its mover's
// view, the reply that the engine would choose, and, where the engine would have moved
// otherwise, a comment that says how. Programs draw their graphs from it.
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

// score is a reading as records have it.
func score(x review.Reading) int {
	if x.Mate != 0 {
		return usi.Score{Mate: x.Mate}.Number()
	}
	return int(math.Round(x.Value))
}

// advice is the comment on a move that is not the engine's: "engine: ７六歩(77), −3.2%".
func advice(p *shogi.Position, before shogi.Square, v *review.Reviewed, ply int, s review.Scale) string {
	x := v.Readings[ply]
	if x == nil || x.Best == v.Game.Moves[ply] {
		return ""
	}
	best := x.Best
	if m, err := shogi.ParseMove(best); err == nil && p.CheckLegal(m) == nil {
		best = kifu.KIFMove(p, m, before)
	}
	return "engine: " + best + changed(v, ply, s, review.MoveChange)
}

// changed is what a move changes in win rate.
func changed(v *review.Reviewed, ply int, s review.Scale, by review.Change) string {
	change, ok := v.Change(ply, s, by)
	if !ok {
		return ""
	}
	return strings.Replace(fmt.Sprintf(", %+.1f%%", change), "-", "−", 1)
}

func joined(comment, more string) string {
	if comment == "" || more == "" {
		return comment + more
	}
	return comment + "\n" + more
}

// AnnotateSGF puts a review into a game of Go: V after each move, in points by which Black
// leads, and comments as Annotate has them, with changes from turn to turn.
func AnnotateSGF(g *sgf.Game, v *review.Reviewed, s review.Scale) {
	for i := range g.Moves {
		m := &g.Moves[i]
		m.HasValue = false
		if x := v.Readings[i+1]; x != nil && x.Mate == 0 {
			m.Value, m.HasValue = x.Value, true
			if toMove(g, i+1) == goban.White {
				m.Value = -x.Value
			}
		}
		if x := v.Readings[i]; x != nil && x.Best != v.Game.Moves[i] {
			m.Comment = joined(m.Comment, "engine: "+x.Best+changed(v, i, s, review.TurnChange))
		}
	}
}

// toMove is who has the move after so many: of the last position the other side.
func toMove(g *sgf.Game, ply int) goban.Colour {
	if ply < len(g.Moves) {
		return g.Moves[ply].Colour
	}
	return g.Moves[ply-1].Colour.Other()
}
