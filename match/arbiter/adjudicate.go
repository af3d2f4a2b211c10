package arbiter

import (
	"fmt"

	"gogi/match"
	"gogi/shogi"
)

// Adjudicator follows the scores of one game and decides whether they end the game. After a king has entered
// the opponent's camp it never ends the game, because scores mean little then.
type Adjudicator struct {
	rules   match.Adjudication
	losing  [2]int // moves in a row at or below -ResignScore, by colour
	winning [2]int
	level   [2]int
	entered bool
}

// NewAdjudicator returns an Adjudicator with the settings a at the start of a game.
func NewAdjudicator(a match.Adjudication) *Adjudicator { return &Adjudicator{rules: a} }

// Move adds the score of the latest move and returns the verdict if the scores end the game, else the zero
// Verdict. score is in centipawns from the view of the side that made the move. p is the position after the move.
// ok is false if the move had no score.
func (a *Adjudicator) Move(p *shogi.Position, score int, ok bool) match.Verdict {
	mover := p.Side().Opponent()
	a.entered = a.entered || kingEntered(p, shogi.Black) || kingEntered(p, shogi.White)
	a.count(mover, score, ok, p.Ply()-1)
	if a.entered {
		return match.Verdict{}
	}
	if v := a.resign(mover); v.Over() {
		return v
	}
	return a.draw()
}

func kingEntered(p *shogi.Position, c shogi.Colour) bool {
	k := p.KingSquare(c)
	if k == shogi.NoSquare {
		return false
	}
	if c == shogi.Black {
		return k.Rank() <= 3
	}
	return k.Rank() >= 7
}

func (a *Adjudicator) count(mover shogi.Colour, score int, ok bool, ply int) {
	tally := func(n *int, holds bool) {
		if *n++; !ok || !holds {
			*n = 0
		}
	}
	tally(&a.losing[mover], score <= -a.rules.ResignScore)
	tally(&a.winning[mover], score >= a.rules.ResignScore)
	tally(&a.level[mover], ply >= a.rules.DrawFrom && score <= a.rules.DrawScore && score >= -a.rules.DrawScore)
}

// resign returns the verdict if one side loses by scores, else the zero Verdict. mover is the side that made the last
// move. resign checks both sides, because this move may complete the scores against either side.
func (a *Adjudicator) resign(mover shogi.Colour) match.Verdict {
	n := a.rules.ResignMoves
	if a.rules.ResignScore == 0 || n == 0 {
		return match.Verdict{}
	}
	for _, loser := range []shogi.Colour{mover, mover.Opponent()} {
		if a.losing[loser] >= n && (a.rules.OneSided || a.winning[loser.Opponent()] >= n) {
			return match.LossFor(loser, match.ScoreAdjudication, fmt.Sprintf("%d moves at or below -%d", n, a.rules.ResignScore))
		}
	}
	return match.Verdict{}
}

func (a *Adjudicator) draw() match.Verdict {
	n := a.rules.DrawMoves
	if n == 0 || a.level[shogi.Black] < n || a.level[shogi.White] < n {
		return match.Verdict{}
	}
	return match.Verdict{Outcome: match.Draw, Termination: match.ScoreAdjudication, Note: fmt.Sprintf("%d moves of each side within ±%d", n, a.rules.DrawScore)}
}
