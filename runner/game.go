package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"gogi/match"
	"gogi/match/arbiter"
	"gogi/shogi"
	"gogi/shogi/kifu"
	"gogi/usi"
)

// game is one game in play. The referee and the clocks decide it, and the two players of the slot make the moves.
type game struct {
	slot *slot
	plan *match.Plan
	match.Game
	players     [2]Player // by colour; nil after a failure
	limits      [2]match.Limits
	devices     [2]string // by colour; "": none
	clocks      [2]arbiter.Clock
	chance      *arbiter.Chance // only for self-play, else nil
	adjudged    arbiter.Adjudged
	referee     *arbiter.Referee
	adjudicator *arbiter.Adjudicator
	position    usi.Position // as sent to the players: the start and all moves
	result      match.Result
	pondering   [2]bool // by colour: the player got go ponder
	record      string  // the name of the crash dump of the failure that ended the game
	slowed      bool    // the machine delayed the latest move
	mates       mateSearch
	began       moment
}

// playGame plays one game between players that are ready. If a player fails before its first "go", or if its
// connection fails, playGame returns the *usi.Fault, and the game counts for neither side. A player that
// fails later loses the game.
func (s *slot) playGame(ctx context.Context, plan *match.Plan, m match.Game, players [2]Player) (match.Result, error) {
	g, err := newGame(s, plan, m, players)
	if err != nil {
		return match.Result{}, err
	}
	if g.chance == nil { // a game of self-play starts when the player accepts the selected opening
		s.events.gameStarted(g)
	}
	if err := g.play(ctx); err != nil {
		return match.Result{}, err
	}
	g.result.Questions = g.mates.questions
	s.plies = len(g.result.Record.Moves)
	s.events.gameEnded(g)
	g.discardFailed()
	return g.result, nil
}

func newGame(s *slot, plan *match.Plan, m match.Game, players [2]Player) (*game, error) {
	referee, err := s.refereeFor(plan, m.Opening)
	if err == nil && s.chance != nil {
		m.Opening, err = s.chance.Begin(referee)
	}
	if err != nil {
		return nil, err
	}
	g := &game{
		slot: s, plan: plan, chance: s.chance, Game: m, players: players, referee: referee,
		adjudicator: arbiter.NewAdjudicator(plan.Adjudication),
		position:    usi.Position{Start: m.Opening.USIStart(), Moves: append([]shogi.Move(nil), m.Opening.Moves...)},
	}
	for c := range g.limits {
		g.limits[c] = plan.LimitsOf(m.Players[c], shogi.Colour(c))
		if p := &plan.Players[m.Players[c]]; p.Device != "" {
			g.devices[c] = p.InSlot(s.number, plan.SlotsPerGPU).Device
		}
		g.clocks[c] = arbiter.NewClock(g.limits[c])
	}
	s.watch.newGame(s.late)
	g.result = match.Result{Pair: m.Pair, Leg: m.Leg, Players: m.Players, Slot: s.number, Started: time.Now(),
		Record: g.newRecord()}
	return g, nil
}

func (g *game) newRecord() kifu.Record {
	names := g.names()
	r := kifu.Record{Black: names[0], White: names[1], Event: g.plan.Run, Started: time.Now()}
	start, err := g.Opening.Position()
	if err == nil { // the referee has already read it
		r.Start = start.SFEN()
	}
	r.Moves = slices.Grow(r.Moves, g.slot.plies)
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

// discardFailed closes the players that have failed. playGame calls it last, because a close may take minutes
// and the opponent must not wait for it.
func (g *game) discardFailed() {
	for c, p := range g.players {
		if p == nil {
			g.slot.discard(seat{g.plan, g.Players[c]})
		}
	}
}

// play asks the players in turn for moves until the game is over.
func (g *game) play(ctx context.Context) error {
	g.began = g.slot.late.read()
	for {
		verdict := g.askForMate(ctx)
		var err error
		if !verdict.Over() {
			verdict, err = g.turn(ctx)
		}
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

// turn plays one move of the side to move.
func (g *game) turn(ctx context.Context) (match.Verdict, error) {
	c := g.referee.Side()
	clock := &g.clocks[c]
	release, err := g.slot.devices.take(ctx, g.devices[c])
	if err != nil {
		return match.Verdict{}, err
	}
	defer release()
	g.watchMove(c)
	request := usi.Request{Position: g.position, Go: g.goFor(c), Deadline: clock.Deadline(),
		MaxPV: cmp.Or(g.plan.PVPlies, usi.NoPV)}
	if g.chance != nil {
		if err := g.chanceFor(c, &request); err != nil {
			return match.Verdict{}, err
		}
	}
	reply, err := g.players[c].Think(ctx, request)
	release()
	delays, slowed := g.slot.watch.end(reply.Sending)
	if ctx.Err() != nil {
		return match.Verdict{}, context.Cause(ctx)
	}
	if g.chance != nil {
		return g.drawn(ctx, c, reply, err)
	}
	if s := g.stood(err != nil || reply.Stopped); s != nil {
		return match.Verdict{}, s
	}
	g.slowed = slowed && g.limits[c].Timed()
	g.result.Marked = g.result.Marked || g.slowed
	if err != nil {
		return g.failed(c, reply, err, delays)
	}
	g.countPonder(c, reply.Hit)
	if reply.Second == usi.SecondDropped {
		g.slot.events.fault(g.names()[c], "second_bestmove", "a second bestmove of the search before was dropped", &g.Game,
			g.slot.number)
	}
	overrun, lost := clock.Spend(reply.Elapsed)
	move := recordMove(reply, g.plan.PVPlies)
	g.result.Sides[c].Add(move, overrun)
	if reply.Absent > 0 {
		g.result.Sides[c].Incomplete++
	}
	if v := g.timeVerdict(c, reply, overrun, lost, delays); v.Over() {
		return v, nil
	}
	return g.judge(ctx, c, reply, move, overrun), nil
}

// stood returns the standstill (see Standstill) that makes the game invalid, or nil. turn calls it when a reply has
// arrived, before it uses the reply. With a clock any standstill during the game counts, because afterwards the engine
// does not know its remaining time. Without a clock a standstill counts only if the player failed during it.
func (g *game) stood(failed bool) *Standstill {
	if failed || g.limits[shogi.Black].Timed() || g.limits[shogi.White].Timed() {
		return g.slot.late.stood(g.began)
	}
	return nil
}

// timeVerdict returns the verdict about the time of a move: the zero Verdict, or a loss. lost means that the move
// exceeded its limit by overrun, which is more than the margin. gogi checks the time first and the move itself
// afterwards, as CSA servers do.
func (g *game) timeVerdict(c shogi.Colour, reply usi.Reply, overrun time.Duration, lost bool,
	d arbiter.Delays) match.Verdict {
	switch {
	case lost:
		return g.overstepped(c, arbiter.TimeLoss{Took: reply.Elapsed, Limit: reply.Elapsed - overrun, Delays: d})
	case reply.Stopped && !g.limits[c].Timed():
		return g.overstepped(c, arbiter.TimeLoss{Took: reply.Elapsed, Delays: d})
	case reply.Stopped:
		return match.LossFor(c, match.TimeForfeit, "had to be stopped")
	}
	return match.Verdict{}
}

// overstepped returns the verdict for a player that exceeded its time.
func (g *game) overstepped(c shogi.Colour, o arbiter.TimeLoss) match.Verdict {
	return match.LossFor(c, g.tooLate(c), g.explain(c, o).String())
}

// explain adds the margin, or the stall limit, to o, the data of a move that exceeded its time, and returns o. It
// marks the result of the game if the machine or this program may have caused the delay.
func (g *game) explain(c shogi.Colour, o arbiter.TimeLoss) arbiter.TimeLoss {
	o.Margin = g.limits[c].Margin
	if !g.limits[c].Timed() {
		o.Stall, o.Limit = true, g.limits[c].Stall
	}
	g.result.Marked = g.result.Marked || o.Slowed()
	return o
}

// tooLate returns the termination for a player that exceeded its time.
func (g *game) tooLate(c shogi.Colour) match.Termination {
	if g.limits[c].Timed() {
		return match.TimeForfeit
	}
	return match.Stall
}

// judge returns the verdict about a reply that came in time or within the margin. It plays the move, checks
// adjudication, and starts the ponder search.
func (g *game) judge(ctx context.Context, c shogi.Colour, reply usi.Reply, move kifu.Move,
	overrun time.Duration) match.Verdict {
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
	vote := g.slot.events.vote(&reply, g.referee.Position())
	v := g.referee.Play(reply.Move)
	if v.Termination == match.IllegalMove {
		if reply.Second == usi.SecondSuspected {
			v.Note += "; it may be a second bestmove of the search before"
		}
		return v
	}
	g.position.Moves = append(g.position.Moves, reply.Move)
	g.result.Record.Moves = append(g.result.Record.Moves, move)
	g.mates.moved(c, reply.Scored().Score)
	g.slot.events.moved(g, c, &move, vote, reply.Hit, overrun)
	if v.Over() {
		return v
	}
	if v := g.adjudicate(&move); v.Over() {
		return v
	}
	g.ponder(ctx, c, reply.Ponder)
	return match.Verdict{}
}

// failed handles an error of a player. It returns the verdict that the player loses the game. If the error does not
// lose a game, it returns the error, and the pair stays unplayed.
func (g *game) failed(c shogi.Colour, reply usi.Reply, err error, d arbiter.Delays) (match.Verdict, error) {
	fault, ok := errors.AsType[*usi.Fault](err)
	if !ok || fault.Kind == usi.FaultConnection {
		return match.Verdict{}, err
	}
	if !fault.Searching && len(g.result.Record.Moves) == len(g.Opening.Moves) {
		return match.Verdict{}, err // the player had failed before the first "go"
	}
	limit, timed := g.clocks[c].Limit()
	overrun := time.Duration(0)
	if timed {
		overrun = max(0, fault.Elapsed-limit)
	}
	g.result.Sides[c].Add(kifu.Move{Time: fault.Elapsed, Nodes: reply.Nodes}, overrun)
	v := match.LossFor(c, match.Crash, note(fault))
	switch o := (arbiter.TimeLoss{Took: fault.Elapsed, Limit: limit, Silent: true, Delays: d}); fault.Kind {
	case usi.FaultHang:
		v.Termination, v.Note = g.tooLate(c), v.Note+"; "+g.explain(c, o).String()
	case usi.FaultNotRead: // the player did not read "go"
		v.Termination, v.Note = g.tooLate(c), v.Note+"; "+g.explain(c, o).Why()
	case usi.FaultCrash, usi.FaultStart, usi.FaultConnection:
	}
	g.record = fault.Record
	g.slot.events.forfeit(g.names()[c], string(fault.Kind), v.Note, fault.Record, &g.Game, g.slot.number)
	g.players[c] = nil
	return v, nil
}

func note(f *usi.Fault) string {
	if f.Note == "" {
		return f.Doing
	}
	return f.Doing + ": " + f.Note
}

// ponder starts a ponder search of the player that has just moved, on the reply that it expects.
func (g *game) ponder(ctx context.Context, c shogi.Colour, expected shogi.Move) {
	mode := g.plan.Ponder
	p, ok := g.players[c].(Ponderer)
	if !ok || mode == match.PonderOff || expected == shogi.NoMove {
		return
	}
	if g.referee.Position().CheckLegal(expected) != nil || g.referee.Ends(expected) {
		return // some engines abort on such a position, and there is nothing to search after the end of a game
	}
	next := g.position
	next.Moves = append(append([]shogi.Move(nil), next.Moves...), expected)
	args := g.goFor(c)
	args.Early = mode == match.PonderEarly
	g.pondering[c] = true
	if err := p.Ponder(ctx, usi.Request{Position: next, Go: args}); err != nil {
		// The player's next Think fails too, and then failed decides about the game.
		g.slot.events.fault(g.names()[c], "ponder", err.Error(), &g.Game, g.slot.number)
	}
}

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

func (g *game) goFor(c shogi.Colour) usi.Go {
	var left, increments [2]time.Duration
	for side := range left {
		left[side], increments[side] = g.clocks[side].Sent(), g.limits[side].Clock.Increment
	}
	args := GoOnClock(g.limits[c], left, increments)
	args.Early = g.plan.Ponder == match.PonderEarly
	return args
}

// finish informs the players of the end and completes the result.
func (g *game) finish(ctx context.Context, v match.Verdict) {
	g.result.Verdict = v
	g.result.Ended = time.Now()
	g.result.Record.Result = v.Termination.String()
	g.result.Record.Winner = v.Outcome.String()
	g.blame(v)
	for c, p := range g.players {
		if p == nil || c > 0 && g.chance != nil { // a player of self-play gets one gameover, as Black
			continue
		}
		if err := p.GameOver(ctx, outcomeFor(v.Outcome, shogi.Colour(c))); err != nil {
			// The game is already decided. The slot restarts the player.
			g.slot.events.fault(g.names()[c], "game_over", err.Error(), &g.Game, g.slot.number)
			g.players[c] = nil
		}
	}
}

// blame reports a fault that only the game shows, such as an illegal move, and lets the loser write a crash dump. If
// the player itself returned the fault, failed has already reported it.
func (g *game) blame(v match.Verdict) {
	winner, decided := v.Outcome.Winner()
	if !decided || !v.Termination.IsFault() {
		return
	}
	loser := winner.Opponent()
	if g.players[loser] == nil {
		return
	}
	if p, ok := g.players[loser].(FaultRecorder); ok {
		g.record = p.Blame(v.Termination.String(), v.Note)
	}
	g.slot.events.forfeit(g.names()[loser], v.Termination.String(), v.Note, g.record, &g.Game, g.slot.number)
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

// recordMove returns the part of a reply that gogi stores, with at most pvPlies moves of the principal variation.
func recordMove(r usi.Reply, pvPlies int) kifu.Move {
	best, scored := r.Best(), r.Scored()
	m := kifu.Move{
		Move: r.Move, Time: r.Elapsed, Score: scored.Score.Number(),
		Depth: best.Depth, SelDepth: best.SelDepth, Nodes: r.Nodes,
		PV: best.PV[:min(pvPlies, len(best.PV))], Detail: r.Detail,
	}
	switch {
	case !scored.HasScore:
	case scored.Score.Bound == usi.LowerBound:
		m.Bound = kifu.AtLeast
	case scored.Score.Bound == usi.UpperBound:
		m.Bound = kifu.AtMost
	default:
		m.HasScore = true
	}
	return m
}
