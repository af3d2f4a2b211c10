package runner

import (
	"context"
	"errors"
	"fmt"

	"gogi/internal/hurry"
	"gogi/match"
	"gogi/shogi"
	"gogi/shogi/mate"
	"gogi/usi"
)

// Solver is a Player that can search for a mate by the side to move, such as a usi.Engine. If the engine's
// program has no mate search, the answer is usi.MateNotImplemented.
type Solver interface {
	Mate(ctx context.Context, r usi.Request) (usi.Checkmate, error)
}

// mateSearch is the state of a game's mate solver.
type mateSearch struct {
	questions match.Questions
	claimed   [2]bool // by colour: the score of the latest move claims a mate for that side
	plies     [2]int  // by colour: the number of moves that the side has played in this game
	silent    bool    // the solver has failed, so gogi does not use it again in this game
	player    Player  // nil before the first question
}

// moved records a move and its score. An upper bound claims no mate.
func (m *mateSearch) moved(c shogi.Colour, score usi.Score) {
	m.plies[c]++
	m.claimed[c] = score.Mate > 0 && score.Bound != usi.UpperBound
}

// askForMate asks the plan's solver for a mate by the side to move. It does nothing if Mate.Asks does not select this
// move. It runs between two moves, while no clock runs. Only a mate that the referee proves (ProveMate) ends the game.
// A failed solver loses no game.
func (g *game) askForMate(ctx context.Context) match.Verdict {
	c, m := g.referee.Side(), &g.mates
	if m.silent || !g.plan.Mate.Asks(m.claimed[c], m.plies[c]) {
		return match.Verdict{}
	}
	m.questions.Asked++
	answer, err := g.askSolver(ctx)
	switch {
	case ctx.Err() != nil:
		return match.Verdict{} // the next turn returns the cause
	case err != nil:
		g.solverFailed(err)
		return match.Verdict{}
	case answer.Answer != usi.MateFound:
		return match.Verdict{}
	}
	m.questions.Claimed++
	found := g.referee.ProveMate(answer.Moves, g.plan.Mate.Nodes)
	switch found.Verdict {
	case mate.Escape:
		m.questions.Refuted++
	case mate.Unproven:
		m.questions.Unproven++
	case mate.Mate:
		return g.proven(answer.Moves, found)
	}
	return match.Verdict{}
}

// proven returns the verdict of a game that a proven mate ends.
func (g *game) proven(line []shogi.Move, found mate.Result) match.Verdict {
	solver := g.plan.Mate.Solver.Name
	text, err := match.Proof{Solver: solver, Line: line, Plies: len(found.Line), Nodes: found.Nodes}.Text()
	if err != nil { // impossible for these fields
		g.solverFailed(err)
		return match.Verdict{}
	}
	g.mates.questions.Proven++
	g.result.Record.Final = text
	return g.referee.MateVerdict(solver, len(found.Line))
}

// errNoMateSearch is the error of an engine without a mate search.
var errNoMateSearch = errors.New("it has no mate search (go mate)")

// askSolver asks for a mate in the current position. It opens the solver at the first question of a game.
func (g *game) askSolver(ctx context.Context) (usi.Checkmate, error) {
	if g.mates.player == nil {
		p, err := g.slot.openSolver(ctx, g)
		if err != nil {
			return usi.Checkmate{}, err
		}
		g.mates.player = p
	}
	solver, ok := g.mates.player.(Solver)
	if !ok {
		return usi.Checkmate{}, errNoMateSearch
	}
	limit := g.plan.Mate.Time
	// The deadline is twice the limit. No clock measures the solver.
	answer, err := solver.Mate(ctx,
		usi.Request{Position: g.position, Go: usi.Go{Mate: true, MateTime: limit}, Deadline: 2 * limit})
	switch {
	case err != nil:
		return answer, err
	case answer.Answer == usi.MateNotImplemented:
		return answer, errNoMateSearch
	case answer.Answer == usi.MateInvalid:
		return answer, fmt.Errorf("cannot read its answer %q", answer.Text)
	}
	return answer, nil
}

// solverFailed reports a failed solver and closes it. gogi does not use it again in this game.
func (g *game) solverFailed(err error) {
	g.mates.silent = true
	g.mates.questions.Failed++
	g.slot.events.fault(g.plan.Mate.Solver.Name, match.KindSolver, err.Error(), &g.Game, g.slot.number)
	g.slot.discard(seat{g.plan, solverSeat})
}

// openSolver prepares the plan's mate solver for a game. The solver stays open between games.
func (s *slot) openSolver(ctx context.Context, g *game) (Player, error) {
	ctx, stop := hurry.Start(ctx, s.config.Ending)
	defer stop()
	at := seat{g.plan, solverSeat}
	p, err := s.ready(ctx, s.playerAt(at), at, s.cpus(0), usi.Game{Seed: g.Seed, Pair: g.Pair, Leg: g.Leg, Slot: s.number})
	if p != nil {
		s.use(at, p, 0)
	}
	return p, err
}
