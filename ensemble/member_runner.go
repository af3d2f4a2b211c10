package ensemble

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"gogi/ensemble/voting"
	"gogi/usi"
)

// Player is a possible member: an engine, or another council. Its methods are called by one goroutine at a
// time.
type Player interface {
	NewGame(ctx context.Context, g usi.Game) error
	Think(ctx context.Context, r usi.Request) (usi.Reply, error)
	GameOver(ctx context.Context, o usi.Outcome) error
	Close() error
}

// Member configures one member of a council: its data for the vote, and the function that starts its player.
type Member struct {
	voting.Voter
	// Open starts the player. The council calls Open again after the player failed.
	Open func(ctx context.Context) (Player, error)
	// Own, if set, replaces the council's limits for the member. It may limit nodes, depth or time. With
	// Infinite nothing limits the member, which ends its searches by itself.
	Own *usi.Go
}

// Optional methods of a Player.
type (
	ponderer interface {
		Ponder(context.Context, usi.Request) error
	}
	rester interface {
		Rest(ctx context.Context, deadline time.Duration) error
	}
	snapshotter interface{ Snapshot() usi.Reply }
	blamer      interface {
		Blame(kind, note string) (record string)
	}
	waiter  interface{ Waited() (time.Duration, bool) }
	stopper interface{ Stopped() time.Duration }
	strayer interface{ AffinityChanged() string }
)

// condition is the state of a member: ready, starting or gone.
type condition int32

const (
	conditionReady    condition = iota
	conditionStarting           // its process is being started (again)
	conditionGone               // it failed too often; the next game tries once more
)

// memberRunner runs one member. Its goroutine owns the player and does one job after the other. The council
// reads the condition and sends jobs.
type memberRunner struct {
	Member
	index int
	// jobs receives values only from the goroutine that calls the council's methods. Close closes it. It has
	// room for all requests that can wait while a member is late with its last answer.
	jobs    chan job
	stopped sync.WaitGroup
	state   atomic.Int32
	changed chan<- struct{} // shared; gets a value, without waiting, when the condition has changed

	// Only the goroutine of run uses the following fields. The exception is player, which Snapshot and Waited
	// also read.
	player   atomic.Pointer[Player]
	game     usi.Game
	pondered string // the position of the search on the opponent's time, or ""
	restarts int    // number of restarts left in this game
	// shown is the number of the question that snapshots refer to. Any goroutine may read it.
	shown atomic.Uint64
	// unended is the number of searches without a time that the deadline ended, in a row. Such a member is not at fault,
	// because it answers a stop. But after two of them the council waits for it only as long as for the others. One slow
	// search alone must not make the votes of the game depend on the speed of the machine.
	unended atomic.Int32
	mu      sync.Mutex
	last    error    // why the member is not ready
	events  []string // events for the next record
}

// job is one task of a member. life ends when the council is closed.
type job func(life context.Context, s *memberRunner)

// jobRoom is the length of a member's queue. It is larger than the number of jobs that can wait: the end of a ponder
// search, the end of a game, a new game, the start of the player and a search.
const jobRoom = 16

func newMemberRunner(m Member, index int, changed chan<- struct{}) *memberRunner {
	s := &memberRunner{Member: m, index: index, jobs: make(chan job, jobRoom), changed: changed}
	s.become(conditionStarting)
	return s
}

// run does jobs until the channel is closed, then closes the player.
func (s *memberRunner) run(ctx context.Context) {
	for do := range s.jobs {
		do(ctx, s)
	}
	s.close()
}

// free reports whether the member is ready and its queue has room, so that the caller can add a job without waiting.
func (s *memberRunner) free() bool {
	return s.condition() == conditionReady && len(s.jobs) <= jobRoom/2
}

func (s *memberRunner) condition() condition { return condition(s.state.Load()) }

func (s *memberRunner) become(c condition) {
	s.state.Store(int32(c))
	select {
	case s.changed <- struct{}{}:
	default: // a value already waits for the council
	}
}

func (s *memberRunner) note(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.events = append(s.events, s.Name+": "+fmt.Sprintf(format, args...))
}

// takeEvents returns the events since the last record.
func (s *memberRunner) takeEvents() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := s.events
	s.events = nil
	return list
}

func (s *memberRunner) failure() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last
}

// open starts the player if no player is running.
func (s *memberRunner) open(ctx context.Context) error {
	if s.player.Load() == nil {
		p, err := s.Open(ctx)
		if err != nil {
			return err
		}
		s.player.Store(&p)
	}
	return nil
}

// persist repeats an attempt up to tries times after the player crashed, with a new player each time. It does not
// repeat the attempt if the player could not be started, or after a timeout, because a timeout can take minutes.
func (s *memberRunner) persist(ctx context.Context, tries int, attempt func(context.Context) error) error {
	for {
		err := attempt(ctx)
		if err == nil {
			s.become(conditionReady)
			return nil
		}
		s.close()
		fault, ok := errors.AsType[*usi.Fault](err)
		if tries--; !ok || fault.Kind != usi.FaultCrash || tries < 0 || ctx.Err() != nil {
			return s.lost(err)
		}
		s.note("%s", brief(err))
	}
}

// newGame prepares the member for a game. restarts is the number of times that it may be started again in the game.
func (s *memberRunner) newGame(ctx context.Context, g usi.Game, restarts int) error {
	s.game, s.restarts = g, restarts
	s.unended.Store(0)
	return s.persist(ctx, restarts, s.prepare)
}

func (s *memberRunner) prepare(ctx context.Context) error {
	if err := s.open(ctx); err != nil {
		return err
	}
	return (*s.player.Load()).NewGame(ctx, s.game)
}

// lost sets the member to gone until the next game.
func (s *memberRunner) lost(err error) error {
	s.mu.Lock()
	s.last = err
	s.mu.Unlock()
	s.become(conditionGone)
	return err
}

// broke sets the member's condition after a failure: gone if the member may not be restarted, otherwise starting. It
// runs before the council gets the failure, so that the council does not see the old condition.
func (s *memberRunner) broke(why error) {
	if s.restarts > 0 {
		s.become(conditionStarting)
		return
	}
	_ = s.lost(why) // returns why
}

// failed closes the player after a failure and starts it again, until a start succeeds or the member has no restarts
// left in this game. It runs between two moves. If no start succeeds, the member is gone until the next game.
func (s *memberRunner) failed(ctx context.Context, why error) {
	s.broke(why)
	s.note("%s", brief(why))
	for s.close(); s.restarts > 0 && ctx.Err() == nil; s.close() {
		s.restarts--
		err := s.prepare(ctx)
		if err == nil {
			s.become(conditionReady)
			s.note("started again")
			return
		}
		s.note("%s", brief(err))
		why = err
	}
	s.note("gone")
	_ = s.lost(why) // returns why
}

// brief returns a short text for an error.
func brief(err error) string {
	f, ok := errors.AsType[*usi.Fault](err)
	if !ok {
		return err.Error()
	}
	return fmt.Sprintf("%s (%s)", f.Kind, f.Doing)
}

// close ends the player, if there is one. It ignores errors of Close, because it runs only after a fault or
// at the end.
func (s *memberRunner) close() {
	if p := s.player.Swap(nil); p != nil {
		_ = (*p).Close()
	}
}

// answer is a member's answer to the council.
type answer struct {
	seat    int
	reply   usi.Reply
	err     error
	arrived time.Duration // time since the request reached the council
}

// question is one request to all members: for a vote, or for a check by veto.
type question struct {
	number  uint64 // numbers begin at 1
	start   time.Time
	untimed bool // the request has no time: the deadline only stops members that would never finish
	to      chan<- answer
}

// think asks the player for a move. The deadline counts from the moment when the council got the request, so a member
// that was still busy has less time.
func (s *memberRunner) think(ctx, life context.Context, r usi.Request, q question) {
	p, ok := playerAs[Player](s)
	if !ok {
		q.to <- answer{seat: s.index, err: errNotReady, arrived: time.Since(q.start)}
		return
	}
	if r.Deadline > 0 {
		if r.Deadline -= time.Since(q.start); r.Deadline <= 0 {
			q.to <- answer{seat: s.index, err: errBusy, arrived: time.Since(q.start)}
			return
		}
	}
	s.show(&r, q.number)
	reply, err := p.Think(ctx, r)
	if err != nil {
		s.broke(err)
	} else if q.untimed && ctx.Err() == nil {
		s.count(reply.Stopped)
	}
	q.to <- answer{seat: s.index, reply: reply, err: err, arrived: time.Since(q.start)}
	if err != nil && life.Err() == nil {
		s.failed(life, err)
	}
}

// count notes whether the deadline ended a search without a time.
func (s *memberRunner) count(stopped bool) {
	if stopped {
		s.unended.Add(1)
	} else {
		s.unended.Store(0)
	}
}

// endless reports whether the member does not end searches without a time by itself.
func (s *memberRunner) endless() bool { return s.unended.Load() >= 2 }

// show lets snapshot return the result of the player's search for the question with this number. If the player must
// first stop a search on the opponent's time, that may take long. Then snapshot returns nothing before the first info
// of the new search.
func (s *memberRunner) show(r *usi.Request, number uint64) {
	missed := s.pondered != "" && s.pondered != r.Position.String()
	s.pondered = ""
	if !missed {
		s.shown.Store(number)
		return
	}
	r.OnInfo = func(usi.Info) { s.shown.Store(number) }
}

// errNotReady and errBusy are the reasons why a member got no request.
var (
	errNotReady = errors.New("it is being started again")
	errBusy     = errors.New("it was still busy with its last search")
)

// playerAs returns the member's player as a T. ok is false if there is no player, or if it is not a T. Any
// goroutine may call it.
func playerAs[T any](s *memberRunner) (as T, ok bool) {
	if p := s.player.Load(); p != nil {
		as, ok = (*p).(T)
	}
	return as, ok
}

// snapshot returns the present result of the player's search for a question. ok is false if it is unknown, or
// if the player has not started that search. Output about another position must not become a vote.
func (s *memberRunner) snapshot(question uint64) (usi.Reply, bool) {
	p, ok := playerAs[snapshotter](s)
	if !ok || s.shown.Load() != question {
		return usi.Reply{}, false
	}
	return p.Snapshot(), true
}
