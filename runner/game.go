package runner

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gogi/kifu"
	"gogi/match"
	"gogi/shogi"
	"gogi/usi"
)

// game is one game in play: the referee and the clocks decide, the slot's two
// players are asked.
type game struct {
	slot *slot
	plan *match.Plan
	match.Game
	players     [2]Player // by colour; nil after it failed
	limits      [2]match.Limits
	clocks      [2]match.Clock
	referee     *match.Referee
	adjudicator *match.Adjudicator
	position    usi.Position // as sent: the start and all moves
	result      match.Result
	pondering   [2]bool // who was told to think on
	began       moment
}

// playGame plays one game between players that are ready. A *usi.Fault before
// the first "go", or of the connection, is an error: the game counts for nobody.
// A later one loses.
func (s *slot) playGame(ctx context.Context, plan *match.Plan, m match.Game, players [2]Player) (match.Result, error) {
	g, err := newGame(s, plan, m, players)
	if err != nil {
		return match.Result{}, err
	}
	s.config.Events.gameStarted(g)
	if err := g.play(ctx); err != nil {
		return match.Result{}, err
	}
	s.config.Events.gameEnded(g)
	g.discardFailed()
	return g.result, nil
}

func newGame(s *slot, plan *match.Plan, m match.Game, players [2]Player) (*game, error) {
	referee, err := match.NewReferee(plan.Rules, m.Opening)
	if err != nil {
		return nil, err
	}
	g := &game{
		slot: s, plan: plan, Game: m, players: players, referee: referee, adjudicator: match.NewAdjudicator(plan.Adjudication),
		position: usi.Position{Start: m.Opening.USIStart(), Moves: append([]shogi.Move(nil), m.Opening.Moves...)},
	}
	for c := range g.limits {
		g.limits[c] = plan.LimitsOf(m.Players[c], shogi.Colour(c))
		g.clocks[c] = match.NewClock(g.limits[c])
	}
	g.result = match.Result{Pair: m.Pair, Leg: m.Leg, Players: m.Players, Slot: s.number, Started: time.Now(), Record: g.newRecord()}
	return g, nil
}

func (g *game) newRecord() kifu.Record {
	names := g.names()
	r := kifu.Record{Black: names[0], White: names[1], Event: g.plan.Run, Started: time.Now()}
	start, err := g.Opening.Position()
	if err == nil { // the referee has read it before
		r.Start = start.SFEN()
	}
	for _, m := range g.Opening.Moves {
		r.Moves = append(r.Moves, kifu.Move{Move: m, Opening: true})
	}
	return r
}

func (g *game) names() [2]string {
	players := g.plan.Players
	return [2]string{players[g.Players[0]].Name, players[g.Players[1]].Name}
}

func (g *game) discardBoth() {
	g.players = [2]Player{}
	g.discardFailed()
}

// discardFailed closes the players that have failed. It comes last: their end
// may take minutes, and the opponent must not wait for it.
func (g *game) discardFailed() {
	for c, p := range g.players {
		if p == nil {
			g.slot.discard(seat{g.plan, g.Players[c]})
		}
	}
}

// play asks the players in turn until the game is over.
func (g *game) play(ctx context.Context) error {
	g.began = g.slot.late.read()
	for {
		verdict, err := g.turn(ctx)
		if err != nil {
			g.discardBoth()
			return err
		}
		if verdict.Over() {
			g.finish(ctx, verdict)
			return nil
		}
	}
}

// turn is one move of the side to move.
func (g *game) turn(ctx context.Context) (match.Verdict, error) {
	c := g.referee.Side()
	clock := &g.clocks[c]
	watch := g.watchMove(c)
	reply, err := g.players[c].Think(ctx, usi.Request{Position: g.position, Go: g.goFor(c), Deadline: clock.Deadline()})
	slowed := watch.slowed()
	if ctx.Err() != nil {
		return match.Verdict{}, context.Cause(ctx)
	}
	if s := g.stood(err != nil || reply.Stopped); s != nil {
		return match.Verdict{}, s
	}
	g.result.Marked = g.result.Marked || slowed
	if err != nil {
		return g.failed(c, reply, err)
	}
	g.countPonder(c, reply.Hit)
	overrun, lost := clock.Spend(reply.Elapsed)
	move := recordMove(reply, g.plan.PVPlies)
	g.result.Sides[c].Add(move, overrun)
	if reply.Absent > 0 {
		g.result.Sides[c].Incomplete++
	}
	if v := g.timeVerdict(c, reply, overrun, lost); v.Over() {
		return v, nil
	}
	return g.judge(ctx, c, reply, move, overrun), nil
}

// stood is the standstill that voids the game, or nil. It is asked when a move has
// come, and before anything is made of it: whatever stood still while it was measured
// is known by now. On a clock a standstill at any time of the game is one too many,
// since a search, or one on the opponent's time, was longer or shorter than it says.
// Without one it matters only to a player that failed meanwhile.
func (g *game) stood(failed bool) *Standstill {
	if failed || g.limits[shogi.Black].Timed() || g.limits[shogi.White].Timed() {
		return g.slot.late.stood(g.began)
	}
	return nil
}

// timeVerdict comes before any look at the move, as at CSA servers.
func (g *game) timeVerdict(c shogi.Colour, reply usi.Reply, overrun time.Duration, lost bool) match.Verdict {
	switch {
	case lost:
		return match.LossFor(c, match.TimeForfeit, fmt.Sprintf("took %v, %v over its limit (margin %v)",
			reply.Elapsed.Round(time.Millisecond), overrun.Round(time.Millisecond), g.limits[c].Margin))
	case reply.Stopped && !g.limits[c].Timed():
		return match.LossFor(c, match.Stall, fmt.Sprintf("no move within %v", g.limits[c].Stall))
	case reply.Stopped:
		return match.LossFor(c, match.TimeForfeit, "had to be stopped")
	}
	return match.Verdict{}
}

// judge takes an answer that came in time, or within the margin of it.
func (g *game) judge(ctx context.Context, c shogi.Colour, reply usi.Reply, move kifu.Move, overrun time.Duration) match.Verdict {
	switch reply.Answer {
	case usi.AnswerResign:
		g.result.Record.Final = reply.Detail
		return match.LossFor(c, match.Resignation, "")
	case usi.AnswerWin:
		g.result.Record.Final = reply.Detail
		return g.referee.Declare()
	case usi.AnswerInvalid:
		return match.LossFor(c, match.IllegalMove, fmt.Sprintf("cannot read bestmove %q", reply.Text))
	case usi.AnswerMove:
	}
	v := g.referee.Play(reply.Move)
	if v.Termination == match.IllegalMove {
		return v
	}
	g.position.Moves = append(g.position.Moves, reply.Move)
	g.result.Record.Moves = append(g.result.Record.Moves, move)
	g.slot.config.Events.moved(g, c, &move, reply.Hit, overrun)
	if v.Over() {
		return v
	}
	if v := g.adjudicator.Move(g.referee.Position(), move.Score, move.HasScore); v.Over() {
		return v
	}
	g.ponder(ctx, c, reply.Ponder)
	return match.Verdict{}
}

// failed turns a fault into a verdict, or into an unplayed pair.
func (g *game) failed(c shogi.Colour, reply usi.Reply, err error) (match.Verdict, error) {
	fault, ok := errors.AsType[*usi.Fault](err)
	if !ok || fault.Kind == usi.FaultConnection {
		return match.Verdict{}, err
	}
	if !fault.Searching && len(g.result.Record.Moves) == len(g.Opening.Moves) {
		return match.Verdict{}, err // it was gone before the first "go"
	}
	g.result.Sides[c].Add(kifu.Move{Time: fault.Elapsed, Nodes: reply.Nodes}, g.overrun(c, fault.Elapsed))
	g.slot.config.Events.forfeit(g.names()[c], string(fault.Kind), fault.Note, &g.Game, g.slot.number)
	g.players[c] = nil
	return match.LossFor(c, g.terminationOf(c, fault.Kind), note(fault)), nil
}

func (g *game) overrun(c shogi.Colour, elapsed time.Duration) time.Duration {
	limit, ok := g.clocks[c].Limit()
	if !ok {
		return 0
	}
	return max(0, elapsed-limit)
}

func note(f *usi.Fault) string {
	if f.Note == "" {
		return f.Doing
	}
	return f.Doing + ": " + f.Note
}

func (g *game) terminationOf(c shogi.Colour, kind usi.FaultKind) match.Termination {
	switch {
	case kind == usi.FaultCrash || kind == usi.FaultStart:
		return match.Crash
	case g.limits[c].Timed():
		return match.TimeForfeit
	}
	return match.Stall
}

// ponder lets the player that has just moved think on, on the reply that it
// expects.
func (g *game) ponder(ctx context.Context, c shogi.Colour, expected shogi.Move) {
	mode := g.plan.Ponder
	p, ok := g.players[c].(Ponderer)
	if !ok || mode == match.PonderOff || expected == shogi.NoMove {
		return
	}
	if g.referee.Position().CheckLegal(expected) != nil {
		return
	}
	next := g.position
	next.Moves = append(append([]shogi.Move(nil), next.Moves...), expected)
	args := g.goFor(c)
	args.Early = mode == match.PonderEarly
	g.pondering[c] = true
	if err := p.Ponder(ctx, usi.Request{Position: next, Go: args}); err != nil {
		// A player that fails here fails again in its next Think, where it
		// is judged.
		g.slot.config.Events.fault(g.names()[c], "ponder", err.Error(), &g.Game, g.slot.number)
	}
}

// countPonder counts how a search on the opponent's time turned out.
func (g *game) countPonder(c shogi.Colour, hit bool) {
	switch {
	case !g.pondering[c]:
	case hit:
		g.result.Sides[c].PonderHits++
	default:
		g.result.Sides[c].PonderMisses++
	}
	g.pondering[c] = false
}

// goFor is what is sent to the side to move.
func (g *game) goFor(c shogi.Colour) usi.Go {
	var left, increments [2]time.Duration
	for side := range left {
		left[side], increments[side] = g.clocks[side].Sent(), g.limits[side].Clock.Increment
	}
	args := GoOnClock(g.limits[c], left, increments)
	args.Early = g.plan.Ponder == match.PonderEarly
	return args
}

// finish tells the players and completes the result.
func (g *game) finish(ctx context.Context, v match.Verdict) {
	g.result.Verdict = v
	g.result.Ended = time.Now()
	g.result.Record.Result = v.Termination.String()
	g.result.Record.Winner = v.Outcome.String()
	for c, p := range g.players {
		if p == nil {
			continue
		}
		if err := p.GameOver(ctx, outcomeFor(v.Outcome, shogi.Colour(c))); err != nil {
			// The game is decided; the player starts afresh.
			g.slot.config.Events.fault(g.names()[c], "game_over", err.Error(), &g.Game, g.slot.number)
			g.players[c] = nil
		}
	}
}

func outcomeFor(o match.Outcome, c shogi.Colour) usi.Outcome {
	winner, decided := o.Winner()
	switch {
	case !decided:
		return usi.Draw
	case winner == c:
		return usi.Win
	}
	return usi.Lose
}

// recordMove keeps what is stored of a reply.
func recordMove(r usi.Reply, pvPlies int) kifu.Move {
	best := r.Best()
	return kifu.Move{
		Move: r.Move, Time: r.Elapsed, Score: best.Score.Number(), HasScore: best.HasScore,
		Depth: best.Depth, SelDepth: best.SelDepth, Nodes: r.Nodes,
		PV: best.PV[:min(pvPlies, len(best.PV))], Detail: r.Detail,
	}
}

// moveWatch observes whether the machine, rather than the engine, made a move slow.
// What the engine has waited is read a quarter of the margin after the start, so
// that quick moves, which cannot have waited long, cost nothing; up to that
// quarter is not seen, and therefore three quarters count as the margin.
type moveWatch struct {
	late   *lateness
	start  time.Time
	margin time.Duration
	waiter Waiter
	timer  *time.Timer
	// before gets what the engine had waited, once, from the timer; it is never
	// closed, and has room so that the timer never waits.
	before chan time.Duration
}

// watchMove is called right before a move that can be late.
func (g *game) watchMove(c shogi.Colour) *moveWatch {
	if !g.limits[c].Timed() {
		return nil
	}
	w := &moveWatch{late: g.slot.late, start: time.Now(), margin: g.limits[c].Margin}
	if waiter, ok := g.players[c].(Waiter); ok {
		w.waiter, w.before = waiter, make(chan time.Duration, 1)
		w.timer = time.AfterFunc(w.margin/4, w.sample)
	}
	return w
}

func (w *moveWatch) sample() {
	if before, ok := w.waiter.Waited(); ok {
		w.before <- before
	}
}

// slowed reports whether the engine's threads waited for a CPU, or this program
// was late, by more than the margin. It ends the watch.
func (w *moveWatch) slowed() bool {
	if w == nil {
		return false
	}
	if w.timer != nil {
		w.timer.Stop()
	}
	if time.Since(w.start) <= w.margin {
		return false
	}
	return w.late.since(w.start) > w.margin || w.waited() > w.margin*3/4
}

// waited is how long the engine was kept waiting since the sample.
func (w *moveWatch) waited() time.Duration {
	select {
	case before := <-w.before:
		if after, ok := w.waiter.Waited(); ok {
			return after - before
		}
	default: // no sample: it cannot be known
	}
	return 0
}
