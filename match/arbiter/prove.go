package arbiter

import (
	"fmt"

	"gogi/match"
	"gogi/shogi"
	"gogi/shogi/mate"
)

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
	return match.LossFor(r.Side().Opponent(), match.MateAdjudication, fmt.Sprintf("%s mates in %d plies or less: claimed by %s, proven by the rules", r.Side(), plies, solver))
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
		return fmt.Errorf("it ended by %s in %d plies, as it says: its proof has %d", g.Termination, proof.Plies, len(found.Line))
	case proof.Nodes < 1 || proof.Nodes > plan.Mate.Nodes:
		return fmt.Errorf("it ended by %s, proven with %d positions, as it says: expected 1 to %d", g.Termination, proof.Nodes, plan.Mate.Nodes)
	}
	return nil
}
