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

// Solver is a Player that can be asked for a mate by the side to move. A usi.Engine is
// one; whether the engine behind it has a mate search, it answers.
type Solver interface {
	Mate(ctx context.Context, r usi.Request) (usi.Checkmate, error)
}

// mateDesk is what a game knows of its mate solver.
type mateDesk struct {
	questions match.Questions
	claimed   [2]bool // by colour: the latest move came with the score of an own mate
	own       [2]int  // by colour: moves of this game
	silent    bool    // the solver has failed, and is asked no more
	player    Player  // nil before the first question
}

// moved notes a move and the score that came with it.
func (m *mateDesk) moved(c shogi.Colour, score usi.Score) {
	m.own[c]++
	m.claimed[c] = score.Mate > 0
}

// askForMate asks the plan's solver for a mate by the side to move, where the plan says
// so, between two moves: no clock runs. Only a mate that our own rules prove ends the
// game. A solver that fails costs nobody anything.
func (g *game) askForMate(ctx context.Context) match.Verdict {
	c, m := g.referee.Side(), &g.mates
	if m.silent || !g.plan.Mate.Asks(m.claimed[c], m.own[c]) {
		return match.Verdict{}
	}
	m.questions.Asked++
	answer, err := g.askSolver(ctx)
	switch {
	case ctx.Err() != nil:
		return match.Verdict{} // the next move says so
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

// proven ends the game by a mate that is proven.
func (g *game) proven(line []shogi.Move, found mate.Result) match.Verdict {
	solver := g.plan.Mate.Solver.Name
	text, err := match.Proof{Solver: solver, Line: line, Plies: len(found.Line), Nodes: found.Nodes}.Text()
	if err != nil { // there is nothing in it that could not be written
		g.solverFailed(err)
		return match.Verdict{}
	}
	g.mates.questions.Proven++
	g.result.Record.Final = text
	return g.referee.MateVerdict(solver, len(found.Line))
}

// errNoMateSearch is of an engine that cannot be asked.
var errNoMateSearch = errors.New("it has no mate search (go mate)")

// askSolver asks about the position at hand; it opens the solver for the first question of
// a game.
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
	// It is given as long again to be late: nobody waits for it by a clock.
	answer, err := solver.Mate(ctx, usi.Request{Position: g.position, Go: usi.Go{Mate: true, MateTime: limit}, Deadline: 2 * limit})
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

// solverFailed tells of a solver that is asked no more in this game.
func (g *game) solverFailed(err error) {
	g.mates.silent = true
	g.mates.questions.Failed++
	g.slot.events.fault(g.plan.Mate.Solver.Name, match.KindSolver, err.Error(), &g.Game, g.slot.number)
	g.slot.discard(seat{g.plan, solverSeat})
}

// openSolver readies the plan's mate solver for a game. It stays open from game to game.
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
