package arbiter

import (
	"errors"
	"fmt"
	"time"

	"gogi/match"
	"gogi/shogi"
	"gogi/shogi/kifu"
)

// Verify returns an error if a pair cannot have been played under the plan. It runs no engine. It checks that:
//
//   - the plan has this pair, with the same opening and seed (Plan.Owns). If the pairings depend on results,
//     only tournament.Schedule can check the players;
//   - each game starts from its opening and every move is legal;
//   - each game ended exactly when the Referee and the Adjudicator end it, with the same winner;
//   - if a game ended without a move, such as by a loss on time, the side to move could end it in this way;
//   - no move took longer than its clock allows;
//   - the sums of nodes, time and depth of each side agree with its moves.
//
// Verify scales the clocks by Played.Scale. It accepts an invented game if all its moves are legal; only playing
// the game again can detect it. Verify takes about a millisecond.
func Verify(plan *match.Plan, r *match.PairResult) error {
	if err := verifyPair(plan, r); err != nil {
		return fmt.Errorf("match: pair %d: %w", r.Pair.ID, err)
	}
	return nil
}

// VerifyGames checks only the games of a pair, as Verify does. It does not check the pair's number, players,
// opening and seed. The plan may come from CanonicalPlan.Replayable.
func VerifyGames(plan *match.Plan, r *match.PairResult) error {
	for _, seat := range r.Pair.Players {
		if seat < 0 || seat >= len(plan.Players) {
			return fmt.Errorf("match: pair %d: it has player number %d of %d", r.Pair.ID, seat, len(plan.Players))
		}
	}
	if err := verifyGames(plan, r); err != nil {
		return fmt.Errorf("match: pair %d: %w", r.Pair.ID, err)
	}
	return nil
}

func verifyPair(plan *match.Plan, r *match.PairResult) error {
	if err := plan.Owns(r.Pair); err != nil {
		return err
	}
	return verifyGames(plan, r)
}

// verifyGames checks the games of a pair. It does not check the pair against the plan. It scales the plan's
// clocks for the machine that played the pair.
func verifyGames(plan *match.Plan, r *match.PairResult) error {
	if r.Played.Scale != 0 {
		scaled, err := plan.Scaled(r.Played.Scale)
		if err != nil {
			return err
		}
		plan = scaled
	}
	if len(r.Games) != r.Pair.Legs {
		return fmt.Errorf("it has %d games, the plan says %d", len(r.Games), r.Pair.Legs)
	}
	for _, a := range r.Attempts {
		if a.Pair != r.Pair.ID {
			return fmt.Errorf("it has an attempt at pair %d", a.Pair)
		}
		if err := a.Check(); err != nil {
			return err
		}
	}
	for leg := range r.Games {
		want := r.Pair.Game(leg)
		if plan.SeatsAt(r.Pair, leg, r.Games[leg].Players) {
			want.Players = r.Games[leg].Players
		}
		if err := verifyGame(plan, want, &r.Games[leg]); err != nil {
			return fmt.Errorf("leg %d: %w", leg, err)
		}
	}
	return nil
}

func verifyGame(plan *match.Plan, want match.Game, g *match.Result) (err error) {
	if plan.Design.Kind == match.DesignSelfplay {
		if want, err = beginning(plan, want, &g.Record); err != nil {
			return err
		}
	}
	if err := verifyHead(plan, want, g); err != nil {
		return err
	}
	if err := verifyReported(plan, want, g); err != nil {
		return err
	}
	if plan.Design.Kind == match.DesignImported {
		return verifyMoves(&g.Record) // an imported game, whose rules and limits are unknown
	}
	replayed, err := newReplay(plan, want)
	if err != nil {
		return err
	}
	moves := g.Record.Moves[len(want.Opening.Moves):]
	for i := range moves {
		if replayed.verdict.Over() {
			return fmt.Errorf("the game went on after its end by %s", replayed.verdict.Termination)
		}
		if err := replayed.move(&moves[i]); err != nil {
			return fmt.Errorf("move %d (%s): %w", len(want.Opening.Moves)+i+1, moves[i].Move, err)
		}
	}
	if err := replayed.end(g.Verdict); err != nil {
		return err
	}
	if err := replayed.unasked(plan, g); err != nil {
		return err
	}
	if err := g.Questions.Check(plan, len(moves), g.Termination); err != nil {
		return err
	}
	return replayed.sums(g)
}

// unasked checks a game that ended although the side to move did not have to move: NotStarted or MateAdjudication. It
// does nothing for other terminations.
func (r *replay) unasked(plan *match.Plan, g *match.Result) error {
	switch {
	case g.Termination == match.NotStarted && plan.Tune == "":
		return fmt.Errorf("it ended by %s, which only a game of a tune can", g.Termination)
	case g.Termination == match.MateAdjudication:
		if err := r.proven(plan, g); err != nil {
			return err
		}
	case g.Termination != match.NotStarted:
		return nil
	}
	r.verdict = g.Verdict
	return nil
}

// verifyHead returns an error if the players, the opening or other facts about a game differ from the plan.
func verifyHead(plan *match.Plan, want match.Game, g *match.Result) error {
	record := &g.Record
	names := [2]string{plan.Players[want.Players[0]].Name, plan.Players[want.Players[1]].Name}
	switch {
	case g.Pair != want.Pair || g.Leg != want.Leg || g.Players != want.Players:
		return fmt.Errorf("it is pair %d, leg %d of players %v, not of players %v", g.Pair, g.Leg, g.Players, want.Players)
	case record.Black != names[0] || record.White != names[1]:
		return fmt.Errorf("the record is of %s and %s, not of %s and %s", record.Black, record.White, names[0], names[1])
	case record.Result != g.Termination.String() || record.Winner != g.Outcome.String():
		return fmt.Errorf("the record ends by %s (%s), the game by %s (%s)", record.Result, record.Winner, g.Termination,
			g.Outcome)
	}
	start, err := want.Opening.Position()
	if err != nil {
		return err
	}
	from, err := match.Opening{ID: "of the record", Start: record.Start}.Position()
	if err != nil {
		return err
	}
	if from.SFEN() != start.SFEN() {
		return fmt.Errorf("it starts from %s, not from %s", from.SFEN(), start.SFEN())
	}
	if k := plan.Design.Kind; k == match.DesignImported || k == match.DesignSelfplay {
		return verifyFirst(want.Opening, record.Moves)
	}
	return verifyOpening(want.Opening, record.Moves)
}

// verifyFirst returns an error unless the first moves of a game are the moves of the opening.
func verifyFirst(o match.Opening, moves []kifu.Move) error {
	for i, m := range o.Moves {
		if i >= len(moves) || moves[i].Move != m {
			return fmt.Errorf("it does not begin as opening %s has it", o.ID)
		}
	}
	return nil
}

func verifyMoves(r *kifu.Record) error {
	p, err := match.Opening{ID: "of the record", Start: r.Start}.Position()
	if err != nil {
		return err
	}
	for i := range r.Moves {
		if err := p.CheckLegal(r.Moves[i].Move); err != nil {
			return fmt.Errorf("move %d (%s): %w", i+1, r.Moves[i].Move, err)
		}
		p.Apply(r.Moves[i].Move)
	}
	return nil
}

func verifyOpening(o match.Opening, moves []kifu.Move) error {
	if len(moves) < len(o.Moves) {
		return fmt.Errorf("it has %d moves, fewer than its opening %s", len(moves), o.ID)
	}
	for i := range moves {
		given := i < len(o.Moves)
		if moves[i].Opening != given || given && moves[i].Move != o.Moves[i] {
			return fmt.Errorf("move %d (%s) is not as opening %s has it", i+1, moves[i].Move, o.ID)
		}
	}
	return nil
}

// replay is the state of a game that Verify repeats from the game's record.
type replay struct {
	referee     *Referee
	adjudicator *Adjudicator
	limits      [2]match.Limits
	clocks      [2]Clock
	chance      *Chance // for self-play, else nil
	adjudged    Adjudged
	plies       int           // plies of the game
	verdict     match.Verdict // verdict after the last move
	sides       [2]match.Side // sums of the moves
}

func newReplay(plan *match.Plan, g match.Game) (*replay, error) {
	referee, err := NewReferee(plan.Rules, g.Opening)
	if err != nil {
		return nil, err
	}
	r := &replay{referee: referee, adjudicator: NewAdjudicator(plan.Adjudication), chance: NewChance(plan, g.Pair, g.Leg),
		plies: len(g.Opening.Moves)}
	for c := range r.limits {
		r.limits[c] = plan.LimitsOf(g.Players[c], shogi.Colour(c))
		r.clocks[c] = NewClock(r.limits[c])
	}
	return r, nil
}

func (r *replay) move(m *kifu.Move) error {
	c := r.referee.Side()
	if m.Time < 0 {
		return fmt.Errorf("it took %v", m.Time)
	}
	overrun, lost := r.clocks[c].Spend(m.Time)
	if lost && r.chance == nil {
		return fmt.Errorf("it was %v over its limit, and the game went on", overrun)
	}
	if r.plies++; !m.Opening { // else it is noise of self-play
		r.sides[c].Add(*m, 0) // the overrun within the margin is not checked
	}
	if r.verdict = r.referee.Play(m.Move); r.verdict.Termination == match.IllegalMove {
		return errors.New(r.verdict.Note)
	}
	switch {
	case r.verdict.Over():
	case r.chance != nil:
		if v := r.adjudged.Note(r.adjudicator, r.referee, m, r.plies); !r.chance.Audited {
			r.verdict = v
		}
	default:
		r.verdict = r.adjudicator.Move(r.referee.Position(), m)
	}
	return nil
}

// end returns an error if the game cannot have ended as the record says. v is the verdict after the last
// move.
func (r *replay) end(v match.Verdict) error {
	want, err := r.verdict, error(nil)
	if !want.Over() {
		want, err = r.withoutMove(v)
	}
	if err == nil && (v.Outcome != want.Outcome || v.Termination != want.Termination) {
		err = fmt.Errorf("it ended by %s (%s), not by %s (%s)", want.Termination, want.Outcome, v.Termination, v.Outcome)
	}
	return err
}

// withoutMove returns the verdict that the rules give if the game ended by v.Termination after the last recorded move.
// It returns an error if the game cannot have ended in this way.
func (r *replay) withoutMove(v match.Verdict) (match.Verdict, error) {
	c := r.referee.Side()
	switch how := answers[v.Termination]; how {
	case noMove:
		return match.LossFor(c, v.Termination, ""), nil
	case noMoveInTime, noMoveUntimed:
		if r.limits[c].Timed() != (how == noMoveInTime) {
			return v, fmt.Errorf("it ended by %s, under the limits %s", v.Termination, r.limits[c])
		}
		return match.LossFor(c, v.Termination, ""), nil
	case aDeclaration:
		return r.referee.Declare(), nil
	case aProof:
		return match.Verdict{Outcome: match.WinFor(c), Termination: v.Termination}, nil
	case neverAsked:
		if r.sides == [2]match.Side{} {
			// the record decides which player did not start
			return match.Verdict{Outcome: v.Outcome, Termination: v.Termination}, nil
		}
	case aMove:
	}
	return v, fmt.Errorf("its last move does not end it by %s", v.Termination)
}

// sums returns an error if the sums of a side (match.Side: plies, nodes, depths and times) do not agree with its moves.
// If a player ended the game without a move, the sums also count this last answer, which is not in the record.
func (r *replay) sums(g *match.Result) error {
	for i := range g.Sides {
		c := shogi.Colour(i)
		claimed, moves := g.Sides[c], r.sides[c]
		if !r.verdict.Over() && c == r.referee.Side() {
			moves.Plies++
			if claimed.Plies != moves.Plies || claimed.Nodes < moves.Nodes || claimed.Time < moves.Time ||
				claimed.DepthSum < moves.DepthSum || claimed.DepthPlies < moves.DepthPlies ||
				claimed.DepthPlies > moves.DepthPlies+1 {
				return fmt.Errorf("the sums of %v, %+v, are not those of its moves and a last answer, %+v", c, claimed, moves)
			}
			continue
		}
		// The rounding of each time may have lost part of a microsecond.
		lost := claimed.Time - moves.Time
		if claimed.Plies != moves.Plies || claimed.Nodes != moves.Nodes || claimed.DepthSum != moves.DepthSum ||
			claimed.DepthPlies != moves.DepthPlies ||
			lost < 0 || lost > time.Duration(moves.Plies)*time.Microsecond {
			return fmt.Errorf("the sums of %v, %+v, are not those of its moves, %+v", c, claimed, moves)
		}
	}
	return nil
}

// answer is what the side to move did after the last recorded move, when the game ended. For example, it made no
// move.
type answer int

const (
	aMove         answer = iota // the game ended by its last move
	noMove                      // the side to move gave no valid move, and loses
	noMoveInTime                // the side to move gave no move before its clock ran out
	noMoveUntimed               // the side to move has no clock and gave no move within the stall limit
	aDeclaration                // the side to move declared; the position decides the result
	neverAsked                  // the game ended before its first move after the opening
	aProof                      // a proof shows that the side to move mates, and wins
)

// answers has the answer for every termination of a finished game. No code changes it.
var answers = map[match.Termination]answer{
	match.Checkmate:         aMove,
	match.Resignation:       noMove,
	match.TimeForfeit:       noMoveInTime,
	match.Stall:             noMoveUntimed,
	match.IllegalMove:       noMove,
	match.Repetition:        aMove,
	match.PerpetualCheck:    aMove,
	match.Declaration:       aDeclaration,
	match.FalseDeclaration:  aDeclaration,
	match.MaxPlies:          aMove,
	match.Impasse:           aDeclaration,
	match.ScoreAdjudication: aMove,
	match.MateAdjudication:  aProof,
	match.Crash:             noMove,
	match.NotStarted:        neverAsked,
	match.UnknownReason:     aMove,
}
