package ensemble

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"gogi/ensemble/voting"
	"gogi/shogi"
	"gogi/usi"
)

// vote is the state of one decision while it is made.
type vote struct {
	*Council
	request  usi.Request
	start    time.Time
	ballots  []voting.Ballot
	pending  []int         // members that got the request and have not answered
	polled   []int         // members that got the request
	question uint64        // number of the latest question
	saved    time.Duration // part of the main time reserved for later moves
	early    bool          // the stop policy ended the vote before all answers arrived
	hit      bool
	stopped  bool // the caller stopped the search
	hurried  bool // the council stopped members that do not end by themselves
	veto     []voting.VetoResult
	examined []voting.Examination
	extra    uint64                // nodes of the examination
	replied  []voting.PonderRecord // replies on which the members were thinking
	hits     []int                 // members that thought on the position
	spared   []int                 // members that are not asked, because of a hit
	unasked  []int                 // members that were not asked, because the first answers were equal
}

// Think asks the members for their moves and returns the voted move. Elapsed is the time from the call to the
// decision. If too few members are alive, Think returns a *usi.Fault. The fault's kind is FaultConnection if
// a member lost its connection, and FaultCrash otherwise.
func (c *Council) Think(ctx context.Context, r usi.Request) (usi.Reply, error) {
	v := &vote{Council: c, request: r, start: time.Now()}
	if err := c.follow(r.Position); err != nil {
		return usi.Reply{}, err
	}
	if d, ok := c.session.Before(&c.line.Position); ok {
		return v.conclude(d, c.shadowDecisions(nil))
	}
	if d, ok := c.fromBook(); ok {
		return v.conclude(d, slices.Repeat([]voting.Decision{d}, len(c.shadows)))
	}
	v.save()
	v.recall(ctx)
	if !v.askFirst(ctx) {
		if err := v.gather(ctx); err != nil {
			return usi.Reply{}, err
		}
	}
	d := c.session.Decide(&c.line.Position, v.ballots)
	shadows := c.shadowDecisions(v.ballots)
	vetoes{v}.checkByVeto(ctx, &d)
	if err := (examiner{v}).crossExamine(ctx, &d); err != nil {
		return usi.Reply{}, err
	}
	return v.conclude(d, shadows)
}

// fromBook chooses a move of the book at random. The choice depends on the game's seed and on the number of moves
// played. It returns false if the position is not in the book.
func (c *Council) fromBook() (voting.Decision, bool) {
	if c.config.Book == nil {
		return voting.Decision{}, false
	}
	random := rand.New(rand.NewPCG(c.seed, uint64(len(c.line.Moves))))
	m := c.config.Book(&c.line.Position, random)
	return voting.FromBook(m), m != shogi.NoMove
}

func (c *Council) shadowDecisions(ballots []voting.Ballot) []voting.Decision {
	list := make([]voting.Decision, len(c.shadows))
	for i, s := range c.shadows {
		list[i] = s.Decide(&c.line.Position, ballots)
	}
	return list
}

// gather collects the members' ballots. If all members that were asked fail, it asks the restarted members
// again while there is time.
func (v *vote) gather(ctx context.Context) error {
	for {
		if alive := v.alive(); alive < v.config.MinAlive {
			return v.tooFew(alive)
		}
		asked := v.ask(ctx)
		if len(v.spared) > 0 && !v.spoken() && !v.over(ctx) {
			v.spared = nil // all members with a hit failed: ask everybody
			continue
		}
		if asked {
			v.complete()
			if v.alive() >= v.config.MinAlive && (v.spoken() || v.over(ctx)) {
				return nil
			}
			continue
		}
		if !v.await(ctx) {
			v.complete()
			return nil // no time left: there is a move for this case
		}
	}
}

// round is one request to all members. The members' jobs share it and do not change it.
type round struct {
	ctx      context.Context //nolint:containedctx // of one search, which ends with it
	question question
	position shogi.Position
	request  usi.Request // without the limits of the search
	limits   []usi.Go    // by member
}

// search is the job of each member.
func (a *round) search(life context.Context, s *memberRunner) {
	r := a.request
	r.Go = a.limits[s.index]
	s.think(a.ctx, life, r, a.question)
}

// ask sends the position to all members that are ready, and collects their answers. It returns false if no
// member is ready.
func (v *vote) ask(ctx context.Context) bool {
	members, cancel := context.WithCancel(ctx)
	defer cancel() // stops late members
	if v.answers == nil {
		v.answers = make(chan answer, len(v.runners))
	}
	v.ballots = make([]voting.Ballot, 0, len(v.runners))
	a := &round{members, v.newQuestion(v.answers), v.line.Position, v.request, v.budgets(&v.request)}
	a.request.OnInfo, a.request.Deadline, a.request.MaxPV = nil, v.memberDeadline(), 0
	v.asked.Store(a)
	v.pending, v.question = make([]int, 0, len(v.runners)), a.question.number
	search := a.search
	for i, s := range v.runners {
		if !s.free() || slices.Contains(v.spared, i) {
			continue
		}
		v.pending = append(v.pending, i)
		s.jobs <- search
	}
	v.polled = slices.Clone(v.pending)
	if len(v.polled) == 0 {
		return false
	}
	v.collect(ctx, cancel)
	return true
}

// kept returns the time that the council reserves before its deadline. It is three quarters of the margin between the
// clock's limit and the deadline, at least Level, and at most half of the deadline. The margin is for delays of the
// machine, so a late member must not use it up.
func (v *vote) kept() time.Duration {
	kept := Level
	if limit, ok := v.clock(); ok {
		kept = max(kept, (v.request.Deadline-limit)*3/4)
	}
	return min(kept, v.request.Deadline/2)
}

// clock returns the time that the request allows for this move. ok is false if the request sets no time
// limit.
func (v *vote) clock() (limit time.Duration, ok bool) {
	g := &v.request.Go
	switch {
	case g.MoveTime > 0 || !g.HasClock():
		return g.MoveTime, g.MoveTime > 0
	case v.line.Position.Side() == shogi.Black:
		return g.BTime + g.BInc + g.Byoyomi - v.saved, true
	}
	return g.WTime + g.WInc + g.Byoyomi - v.saved, true
}

// mainShare is the largest share of the remaining main time that one move may take. Engines stay far below
// it. Without this limit a member that hangs would use up the whole main time.
const mainShare = 0.4

// save reserves a part of the main time for later moves, so that this move takes at most mainShare of it. It shortens
// the request's deadline by the reserved time, but by at most three quarters. A time for the move already does that.
func (v *vote) save() {
	g := &v.request.Go
	if !g.Clock || g.MoveTime > 0 || v.request.Deadline == 0 {
		return
	}
	main := g.BTime
	if v.line.Position.Side() == shogi.White {
		main = g.WTime
	}
	v.saved = min(time.Duration((1-mainShare)*float64(main)), v.request.Deadline*3/4)
	v.request.Deadline -= v.saved
}

// newQuestion returns the question to the members for this decision, with a new number.
func (v *vote) newQuestion(to chan<- answer) question {
	v.questions++
	_, timed := v.clock()
	return question{number: v.questions, start: v.start, untimed: !timed, to: to}
}

// memberDeadline returns the deadline for the members, which leaves the council time to decide. It returns 0
// if there is no deadline.
func (v *vote) memberDeadline() time.Duration { return v.request.Deadline - v.kept() }

// hardDeadline returns the time at which the council decides with the present answers. After memberDeadline
// the members have a third of the reserved time to answer the stop.
func (v *vote) hardDeadline() time.Duration { return v.request.Deadline - v.kept()*2/3 }

// stopGrace is the longest time that the council waits for answers after a stop.
const stopGrace = 300 * time.Millisecond

// stoppedTimer returns a timer that fires only after a Reset.
func stoppedTimer() *time.Timer {
	t := time.NewTimer(time.Hour)
	t.Stop()
	return t
}

// infoEvery is the least time between two info lines of a council.
const infoEvery = 200 * time.Millisecond

// collect waits for answers until the stop policy has enough of them, or until time is over.
func (v *vote) collect(ctx context.Context, cancel context.CancelFunc) {
	hard := v.limit
	defer hard.Stop()
	if v.request.Deadline > 0 {
		hard.Reset(v.hardDeadline() - time.Since(v.start))
	}
	var tick <-chan time.Time
	if v.request.OnInfo != nil {
		ticker := time.NewTicker(infoEvery)
		defer ticker.Stop()
		tick = ticker.C
	}
	done := ctx.Done()
	for len(v.pending) > 0 {
		select {
		case a := <-v.answers:
			v.take(a)
			if len(v.pending) > 0 && v.enough() {
				v.early = true
				cancel()
				v.leaveOut(v.config.Stop == StopLeader)
				return
			}
			if !v.hurried && v.onlyEndless() {
				v.hurried = true
				cancel()
				hard.Reset(stopGrace)
			}
		case <-done:
			done, v.stopped = nil, true
			hard.Reset(stopGrace)
		case <-hard.C:
			cancel()
			v.leaveOut(true)
			return
		case <-tick:
			v.report()
		}
	}
}

// onlyEndless reports whether the council waits only for members that do not end their searches by themselves. The
// request must have no time, and at least one member must have answered.
func (v *vote) onlyEndless() bool {
	_, timed := v.clock()
	return !timed && len(v.pending) > 0 && v.spoken() &&
		!slices.ContainsFunc(v.pending, func(i int) bool { return !v.runners[i].endless() })
}

func (v *vote) take(a answer) {
	v.pending = slices.DeleteFunc(v.pending, func(i int) bool { return i == a.seat })
	v.add(v.ballot(a))
}

// add inserts a ballot, so that the ballots are in the order of the members at all times.
func (v *vote) add(b voting.Ballot) {
	i := len(v.ballots)
	for i > 0 && v.ballots[i-1].Member > b.Member {
		i--
	}
	v.ballots = slices.Insert(v.ballots, i, b)
}

func (v *vote) ballot(a answer) voting.Ballot {
	p, s := &v.line.Position, v.runners[a.seat]
	fault, failed := errors.AsType[*usi.Fault](a.err)
	switch {
	case a.err == nil:
		b := voting.NewBallot(a.seat, p, a.reply)
		b.Arrived = a.arrived
		v.perturb(&b, &a.reply)
		v.hit = v.hit || a.reply.Hit
		switch {
		case a.reply.Stopped && v.hurried:
			s.note("stopped, because it does not end by itself")
		case a.reply.Stopped && !v.stopped:
			s.note("stopped at its deadline")
		}
		return b
	case failed && fault.Kind == usi.FaultHang && a.reply.Answer == usi.AnswerMove:
		b := v.variation(a.seat, a.reply)
		b.Arrived = a.arrived
		return b
	case errors.Is(a.err, errBusy):
		return voting.Ballot{Member: a.seat, Kind: voting.KindNone, Text: errBusy.Error(), Arrived: a.arrived}
	}
	return voting.Ballot{Member: a.seat, Kind: voting.KindDead, Text: brief(a.err), Nodes: a.reply.Nodes,
		Arrived: a.arrived}
}

// variation returns a ballot of a member whose search has not finished. The ballot's move is the first move
// of the search's latest principal variation.
func (v *vote) variation(member int, r usi.Reply) voting.Ballot {
	b := voting.Ballot{Member: member, Kind: voting.KindNone, Nodes: r.Nodes, Source: voting.SourceVariation}
	if r.Answer != usi.AnswerMove || v.line.Position.CheckLegal(r.Move) != nil {
		return b
	}
	b.Kind, b.Move = voting.KindMove, r.Move
	best := exactLine(&r)
	b.Take(best)
	if len(best.PV) > 1 {
		b.Ponder = best.PV[1]
	}
	return b
}

// leaveOut adds ballots for the members that have not answered. If votes is true, a ballot votes for the member's
// present best move. Otherwise the ballot is only recorded.
func (v *vote) leaveOut(votes bool) {
	for _, i := range v.pending {
		r, _ := v.runners[i].snapshot(v.question)
		b := v.variation(i, r)
		if !votes && b.Kind == voting.KindMove {
			b.Kind = voting.KindLate
		}
		b.Arrived = time.Since(v.start)
		v.add(b)
		v.runners[i].note("late")
	}
	v.pending, v.answers = nil, nil // the late members still answer there
}

// complete adds a ballot for each member that got no request.
func (v *vote) complete() {
	for i, s := range v.runners {
		if !slices.Contains(v.polled, i) && !slices.Contains(v.spared, i) && !slices.Contains(v.unasked, i) {
			text := "gone"
			switch s.condition() {
			case conditionStarting:
				text = errNotReady.Error()
			case conditionReady:
				text = errBusy.Error()
			case conditionGone:
			}
			v.add(voting.Ballot{Member: i, Kind: voting.KindDead, Text: text})
		}
	}
}

// enough reports whether the stop policy needs no more answers.
func (v *vote) enough() bool {
	switch v.config.Stop {
	case StopDecided:
		return v.session.Decided(v.ballots, v.pending)
	case StopQuorum:
		return v.agreed()
	case StopLeader:
		return !slices.Contains(v.pending, v.leader())
	case StopAll:
	}
	return false
}

// leader returns the member with the largest weight among the members that were asked. If several members have this
// weight, it returns the first. It skips members that failed or gave no usable answer. They have no vote, so the
// council must not stop the other searches because of them.
func (v *vote) leader() int {
	leader, weights := -1, v.session.Weights()
	for _, i := range v.polled {
		failed := slices.ContainsFunc(v.ballots, func(b voting.Ballot) bool {
			return b.Member == i && (b.Kind == voting.KindDead || b.Kind == voting.KindNone || b.Kind == voting.KindIllegal)
		})
		if !failed && (leader < 0 || weights[i] > weights[leader]) {
			leader = i
		}
	}
	return leader
}

// agreed reports whether enough members vote for the same move. The quorum is a share of the members that
// were asked.
func (v *vote) agreed() bool {
	var list []voting.Candidate
	votes := voting.Counted(v.ballots)
	needed := int(math.Ceil(v.config.Quorum*float64(len(v.polled)) - 1e-9))
	for i := range votes {
		c := voting.CandidateOf(&list, votes[i].Move)
		if c.Value++; int(c.Value) >= needed {
			return true
		}
	}
	return false
}

// spoken reports whether any member gave a usable answer.
func (v *vote) spoken() bool {
	return slices.ContainsFunc(v.ballots, func(b voting.Ballot) bool {
		return b.Kind != voting.KindDead && b.Kind != voting.KindNone
	})
}

// over reports whether no time is left to ask the members again.
func (v *vote) over(ctx context.Context) bool {
	return ctx.Err() != nil || v.request.Deadline > 0 && time.Since(v.start) >= v.memberDeadline()
}

// await waits until a member's condition changes. It returns false when time is over.
func (v *vote) await(ctx context.Context) bool {
	if v.over(ctx) {
		return false
	}
	limit := v.limit
	defer limit.Stop()
	if v.request.Deadline > 0 {
		limit.Reset(v.memberDeadline() - time.Since(v.start))
	}
	select {
	case <-v.changed:
		return true
	case <-limit.C:
	case <-ctx.Done():
	}
	return false
}

// tooFew returns the fault of a council that has too few living members.
func (v *vote) tooFew(alive int) error {
	f := &usi.Fault{
		Kind: usi.FaultCrash, Engine: v.config.Name, Doing: "taking a vote", Searching: true, Elapsed: time.Since(v.start),
		Note: fmt.Sprintf("%d of %d members are alive, the council needs %d", alive, len(v.runners), v.config.MinAlive),
	}
	for _, s := range v.runners {
		if s.condition() != conditionGone {
			continue
		}
		if err := s.failure(); err != nil {
			f.Note += "; " + s.Name + ": " + err.Error()
			if member, ok := errors.AsType[*usi.Fault](err); ok && member.Kind == usi.FaultConnection {
				f.Kind = usi.FaultConnection
			}
		}
	}
	return f
}
