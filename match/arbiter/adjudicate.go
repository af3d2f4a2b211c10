package arbiter

import (
	"fmt"

	"gogi/match"
	"gogi/shogi"
	"gogi/shogi/kifu"
	"gogi/shogi/mate"
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

// Move adds the score of the latest move m and returns the verdict if the scores end the game, else the zero
// Verdict. p is the position after the move. A bound counts for what it proves: an upper bound below the limit that the
// mover is lost, a lower bound above it that the mover has won. No bound proves a level game.
func (a *Adjudicator) Move(p *shogi.Position, m *kifu.Move) match.Verdict {
	mover := p.Side().Opponent()
	a.entered = a.entered || kingEntered(p, shogi.Black) || kingEntered(p, shogi.White)
	a.count(mover, m, p.Ply()-1)
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

func (a *Adjudicator) count(mover shogi.Colour, m *kifu.Move, ply int) {
	tally := func(n *int, holds bool) {
		if *n++; !holds {
			*n = 0
		}
	}
	below, above := m.HasScore || m.Bound == kifu.AtMost, m.HasScore || m.Bound == kifu.AtLeast
	tally(&a.losing[mover], below && m.Score <= -a.rules.ResignScore)
	tally(&a.winning[mover], above && m.Score >= a.rules.ResignScore)
	tally(&a.level[mover], m.HasScore && ply >= a.rules.DrawFrom && m.Score <= a.rules.DrawScore &&
		m.Score >= -a.rules.DrawScore)
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
	return match.Verdict{Outcome: match.Draw, Termination: match.ScoreAdjudication,
		Note: fmt.Sprintf("%d moves of each side within ±%d", n, a.rules.DrawScore)}
}

// ProveMate uses the rules of the game to check whether line is a mate by the side to move. nodes is the largest
// number of positions to search. A mate counts only before the game's limit of plies, and only if no position occurs
// for the fourth time.
func (r *Referee) ProveMate(line []shogi.Move, nodes int) mate.Result {
	limits := mate.Limits{Nodes: nodes, Try: r.rules.Declaration == shogi.TryRule}
	if r.rules.MaxPlies > 0 {
		limits.Plies = r.rules.MaxPlies - r.plies()
		if r.rules.MateAtLimitDraws {
			limits.Plies--
		}
		if limits.Plies < 1 {
			return mate.Result{Why: "the game's limit of plies comes before any mate"}
		}
	}
	return mate.Verify(r.history, line, limits)
}

// MateVerdict returns the verdict that the side to move wins by a proven mate. solver is the name of the mate
// solver, and plies the length of the mate.
func (r *Referee) MateVerdict(solver string, plies int) match.Verdict {
	return match.LossFor(r.Side().Opponent(), match.MateAdjudication,
		fmt.Sprintf("%s mates in %d plies or less: claimed by %s, proven by the rules", r.Side(), plies, solver))
}

// proven checks a game that ended by a proven mate. It proves the mate again from the game's last position. The
// recorded number of searched positions must only be within the plan's limit, because another version of gogi may
// have searched a different number.
func (r *replay) proven(plan *match.Plan, g *match.Result) error {
	if plan.Mate.IsZero() {
		return fmt.Errorf("it ended by %s, and the plan has no such end", g.Termination)
	}
	proof, err := match.ParseProof(g.Record.Final)
	if err != nil {
		return err
	}
	found := r.referee.ProveMate(proof.Line, plan.Mate.Nodes)
	switch {
	case found.Verdict != mate.Mate:
		return fmt.Errorf("it ended by %s, which is not proven: %s", g.Termination, found.Why)
	case proof.Plies != len(found.Line): // the same line and limits have the same proof
		return fmt.Errorf("it ended by %s in %d plies, as it says: its proof has %d", g.Termination, proof.Plies,
			len(found.Line))
	case proof.Nodes < 1 || proof.Nodes > plan.Mate.Nodes:
		return fmt.Errorf("it ended by %s, proven with %d positions, as it says: expected 1 to %d", g.Termination,
			proof.Nodes, plan.Mate.Nodes)
	}
	return nil
}
