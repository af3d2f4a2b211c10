// Package ensemble lets several players choose each move together (合議, gōgi). It asks each member for a move
// in the same position; each answer is a ballot; a rule of package voting chooses the move that is played.
//
// [Open] makes a [Council] from a [Config]. A Council runs its members, which are Players, and is a Player
// itself; so councils can contain councils. Every decision produces a voting.Record.
package ensemble

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"gogi/ensemble/voting"
	"gogi/internal/lists"
	"gogi/shogi"
	"gogi/usi"
)

// StopPolicy is the condition on which a council ends the members' searches.
type StopPolicy string

// The values of StopPolicy.
const (
	StopAll     StopPolicy = "all"     // when every member has answered
	StopDecided StopPolicy = "decided" // when no missing ballot can change the vote
	StopQuorum  StopPolicy = "quorum"  // when enough members agree
	// when the member with the largest weight answers: the others vote with their present result
	StopLeader StopPolicy = "leader"
)

// StopNames returns all values of StopPolicy as text.
func StopNames() []string {
	return []string{string(StopAll), string(StopDecided), string(StopQuorum), string(StopLeader)}
}

// The values that Config uses for a field that is 0.
const (
	DefaultQuorum   = 2.0 / 3
	DefaultRestarts = 3
)

// Level is the time that a council reserves before its deadline to collect the answers and decide. It
// reserves more if the time margin is large, and never more than half of the time until the deadline. In
// nested councils every level reserves this time.
const Level = 50 * time.Millisecond

// Config is the complete configuration of a council.
type Config struct {
	Name     string
	Members  []Member
	Rule     voting.Spec
	Shadows  []voting.Spec // rules whose vote is recorded but not played
	Settings voting.Settings
	Stop     StopPolicy // "": all
	Quorum   float64    // for StopQuorum: the share of the living members that must agree; 0: DefaultQuorum
	MinAlive int        // the council fails with fewer living members; a value below 1 counts as 1
	Restarts int        // restarts of each member in a game; negative: none; 0: DefaultRestarts
	// Split gives each member an equal part of nodes and times instead of the whole.
	Split   bool
	Jitter  float64 // members' nodes vary by up to this share in each move; the sum stays the same
	Noise   float64 // standard deviation, in centipawns, of noise on each line's score; members need MultiPV
	Veto    Veto
	Examine Examine // not together with Veto
	// Ask is the number of members that are asked first; if their moves are equal, the others are not asked. 0: all.
	Ask    int
	Spread Spread
	// Book chooses a legal move for a position at random, or returns NoMove if the position is not in the
	// book. The council calls Book before it asks the members. If Book is nil, the council has no book.
	Book func(p *shogi.Position, random *rand.Rand) shogi.Move
	// Degrade lets the council start without the members that fail to start, if at least MinAlive members
	// start. Without Degrade such a member is an error, because a match would be about another council than
	// intended.
	Degrade bool
}

func (c Config) withDefaults() Config {
	c.Stop, c.Quorum = cmp.Or(c.Stop, StopAll), cmp.Or(c.Quorum, DefaultQuorum)
	c.Restarts, c.MinAlive = cmp.Or(c.Restarts, DefaultRestarts), max(1, c.MinAlive)
	return c
}

// Council is a player whose members vote for each move. Only one goroutine at a time may call NewGame, Think,
// Ponder, Mate, GameOver and Close.
type Council struct {
	config  Config
	session *voting.Session
	shadows []*voting.Session
	fresh   []*voting.Session // the session and the shadows as they were when the game began
	voters  []voting.Voter
	names   []string
	scales  [][2]float64 // slope and intercept of each member, as in records
	clamps  []float64
	runners []*memberRunner
	// gets a value from a runner when a member's condition changed; holds at most one value; never closed
	changed chan struct{}
	cancel  context.CancelFunc
	closing sync.Once
	asked   atomic.Pointer[round] // the latest request to the members, for Snapshot
	// answers receives one answer from the runner of each member that got the request. It has room for all
	// answers, so that a late answer blocks no runner. It is never closed. It is nil if the last request has late answers.
	answers chan answer
	limit   *time.Timer // ends the wait for answers; stopped between two waits

	waitMu       sync.Mutex
	waits, stops longest // the sums for Waited and Stopped

	seed      uint64
	questions uint64 // number of requests to the members so far
	line      usi.Line
	observed  []observed
	pondering []pondered // the members' replies since Ponder, if Config.Spread is on
}

// observed is a played decision of the present game. The council removes it if the decision is taken back.
type observed struct {
	ply      int // number of moves before the decision
	position shogi.Position
	ballots  []voting.Ballot
	decision voting.Decision
	shadows  []voting.Decision
}

// Open returns a Council with the given configuration, and starts all its members at the same time.
func Open(ctx context.Context, config Config) (*Council, error) {
	c := &Council{config: config.withDefaults(), changed: make(chan struct{}, 1), limit: stoppedTimer()}
	for _, m := range config.Members {
		c.voters, c.names = append(c.voters, m.Voter), append(c.names, m.Name)
	}
	c.scales, c.clamps = scalesOf(c.voters), clampsOf(c.voters)
	if err := c.makeSessions(); err != nil {
		return nil, fmt.Errorf("council %s: %w", config.Name, err)
	}
	life, cancel := context.WithCancel(context.WithoutCancel(ctx))
	c.cancel = cancel
	for i, m := range config.Members {
		s := newMemberRunner(m, i, c.changed)
		c.runners, c.waits.last, c.stops.last = append(c.runners, s), append(c.waits.last, 0), append(c.stops.last, 0)
		s.stopped.Go(func() { s.run(life) })
	}
	err := c.everyMember(func(life context.Context, s *memberRunner) error {
		ctx, stop := both(ctx, life)
		defer stop()
		return s.persist(ctx, c.restarts(), s.open)
	})
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	c.startGame(0)
	return c, nil
}

// restarts returns the number of times that a member may be started again in one game.
func (c *Council) restarts() int { return max(0, c.config.Restarts) }

// makeSessions makes the council's own session and the sessions of the shadow rules.
func (c *Council) makeSessions() error {
	var err error
	if c.session, err = voting.NewSession(c.config.Rule, c.voters, c.config.Settings); err != nil {
		return err
	}
	for _, spec := range c.config.Shadows {
		shadow, err := voting.NewSession(spec, c.voters, c.config.Settings)
		if err != nil {
			return fmt.Errorf("shadow: %w", err)
		}
		c.shadows = append(c.shadows, shadow)
	}
	return nil
}

// both returns a context that ends when either of the two contexts ends.
func both(ctx, other context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(other, func() { cancel(context.Cause(other)) })
	return ctx, func() { stop(); cancel(nil) }
}

// everyMember runs a job on every member and waits for all of them. It returns an error if the council cannot play
// without the members whose job failed, see tolerate.
func (c *Council) everyMember(do func(life context.Context, s *memberRunner) error) error {
	errs := make([]error, len(c.runners))
	var all sync.WaitGroup
	for i, s := range c.runners {
		all.Add(1)
		s.jobs <- func(life context.Context, s *memberRunner) {
			defer all.Done()
			errs[i] = do(life, s)
		}
	}
	all.Wait()
	return c.tolerate(errs)
}

// tolerate returns the error of the members that failed. It returns nil if the council can play without these
// members.
func (c *Council) tolerate(errs []error) error {
	var missing []error
	for i, err := range errs {
		if err != nil {
			missing = append(missing, fmt.Errorf("member %s: %w", c.names[i], err))
		}
	}
	ready := len(errs) - len(missing)
	switch {
	case len(missing) == 0, c.config.Degrade && ready >= c.config.MinAlive:
		return nil
	case c.config.Degrade: // the error names all missing members, because any of them would be enough
		return fmt.Errorf("council %s: %d of %d members are ready, it needs %d: %w", c.config.Name, ready, len(errs),
			c.config.MinAlive, errors.Join(missing...))
	}
	return fmt.Errorf("council %s: %w", c.config.Name, missing[0])
}

// Amend replaces the rule and all other settings of the council except its members. The members keep running
// and get no message. The new rules begin with their initial weights, so call Amend between two games, before
// NewGame.
func (c *Council) Amend(config Config) error {
	next := &Council{config: config.withDefaults(), voters: c.voters}
	if err := next.makeSessions(); err != nil {
		return fmt.Errorf("council %s: %w", config.Name, err)
	}
	next.config.Members = c.config.Members
	c.config, c.session, c.shadows = next.config, next.session, next.shadows
	c.startGame(0)
	return nil
}

// Absent returns one error for each member that does not vote at present, because it did not start or has
// failed. The error has the reason. Absent includes the members of nested councils.
func (c *Council) Absent() []error {
	var list []error
	for i, s := range c.runners {
		if s.condition() == conditionGone {
			list = append(list, fmt.Errorf("member %s: %w", c.names[i], s.failure()))
			continue
		}
		if inner, ok := playerAs[interface{ Absent() []error }](s); ok {
			for _, err := range inner.Absent() {
				list = append(list, fmt.Errorf("council %s: %w", c.names[i], err))
			}
		}
	}
	return list
}

// NewGame prepares the members for a game and discards the council's data about the last game.
func (c *Council) NewGame(ctx context.Context, g usi.Game) error {
	c.startGame(g.Seed)
	return c.everyMember(func(life context.Context, s *memberRunner) error {
		ctx, stop := both(ctx, life)
		defer stop()
		own := g
		own.Seed = voting.Mix(g.Seed, uint64(s.index))
		return s.newGame(ctx, own, c.restarts())
	})
}

func (c *Council) startGame(seed uint64) {
	c.seed, c.observed, c.line, c.pondering = seed, nil, usi.Line{}, nil
	c.fresh = nil
	for _, s := range append([]*voting.Session{c.session}, c.shadows...) {
		s.NewGame(seed)
		c.fresh = append(c.fresh, s.Clone())
	}
}

// goBack resets all rules to their state at the start of the game. This state may include weights from earlier games.
func (c *Council) goBack() {
	c.session = c.fresh[0].Clone()
	for i := range c.shadows {
		c.shadows[i] = c.fresh[i+1].Clone()
	}
}

// goodbye is the longest time that GameOver waits for busy members.
const goodbye = time.Second

// GameOver sends the result to the members that accept it.
func (c *Council) GameOver(ctx context.Context, o usi.Outcome) error {
	ctx = context.WithoutCancel(ctx)
	var all sync.WaitGroup
	for _, s := range c.runners {
		if s.condition() != conditionReady {
			continue
		}
		all.Add(1)
		s.jobs <- func(life context.Context, s *memberRunner) {
			defer all.Done()
			if p, ok := playerAs[Player](s); ok {
				if err := p.GameOver(ctx, o); err != nil && life.Err() == nil {
					s.failed(life, err)
				}
			}
		}
	}
	done := make(chan struct{}) // closed when all members have the result; never gets a value
	go func() { all.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(goodbye):
	}
	return nil
}

// Ponder makes the members think on the opponent's time. If the next Think has the same position, its reply
// has Hit set.
func (c *Council) Ponder(ctx context.Context, r usi.Request) error {
	ctx = context.WithoutCancel(ctx)
	gos := c.budgets(&r)
	c.pondering = c.spread(&r)
	for i, s := range c.runners {
		if !s.free() {
			continue
		}
		own := r
		own.Go, own.OnInfo = gos[i], nil
		if k := slices.IndexFunc(c.pondering, func(p pondered) bool { return p.seat == i }); k >= 0 {
			own.Position.Moves = append(slices.Clone(r.Position.Moves[:len(r.Position.Moves)-1]), c.pondering[k].reply)
		}
		s.jobs <- func(life context.Context, s *memberRunner) {
			if m, ok := playerAs[ponderer](s); ok {
				s.pondered = own.Position.String()
				if err := m.Ponder(ctx, own); err != nil && life.Err() == nil {
					s.failed(life, err)
				}
			}
		}
	}
	return nil
}

// Close ends the members and waits for them. A second call does nothing.
func (c *Council) Close() error {
	c.closing.Do(func() {
		c.cancel()
		for _, s := range c.runners {
			close(s.jobs)
		}
	})
	for _, s := range c.runners {
		s.stopped.Wait()
	}
	return nil
}

// Blame makes every member write a crash dump after a failure of the council, because any member may have
// caused the failure. kind is the kind of the failure, and note describes it. Blame returns the name of the
// first crash dump, or "" if there is none.
func (c *Council) Blame(kind, note string) (record string) {
	for _, s := range c.runners {
		if b, ok := playerAs[blamer](s); ok {
			record = cmp.Or(record, b.Blame(kind, note))
		}
	}
	return record
}

// Waited returns the total time for which the council had to wait because a member waited for a CPU. Each
// call adds the longest wait of a single member since the last call. ok is false if no member's waiting time
// is known. Waited may be called at the same time as Think.
func (c *Council) Waited() (d time.Duration, ok bool) {
	c.waitMu.Lock()
	defer c.waitMu.Unlock()
	return c.waits.add(c.runners, func(s *memberRunner) (time.Duration, bool) {
		if p, has := playerAs[waiter](s); has {
			return p.Waited()
		}
		return 0, false
	})
}

// Stopped returns the total time for which members were suspended, for example by a signal. Each call adds
// the longest suspension of a single member since the last call. Stopped may be called at the same time as
// Think.
func (c *Council) Stopped() time.Duration {
	c.waitMu.Lock()
	defer c.waitMu.Unlock()
	total, _ := c.stops.add(c.runners, func(s *memberRunner) (time.Duration, bool) {
		if p, has := playerAs[stopper](s); has {
			return p.Stopped(), true
		}
		return 0, true
	})
	return total
}

// longest sums the delays of a council's members. For each time between two calls of add, it adds only the longest
// delay of a member.
type longest struct {
	last  []time.Duration // each member's own total at the last call
	total time.Duration
}

// add adds the largest increase of any member's delay since the last call. delayOf returns a member's delay, and
// false if the delay is unknown. known reports whether any delay is known.
func (l *longest) add(members []*memberRunner, delayOf func(*memberRunner) (time.Duration, bool)) (total time.Duration,
	known bool) {
	most := time.Duration(0)
	for i, s := range members {
		if d, ok := delayOf(s); ok {
			most, known = max(most, d-l.last[i]), true
			l.last[i] = d
		}
	}
	l.total += most
	return l.total, known
}

// AffinityChanged returns the names of the members that run outside the CPUs on which they were started. It
// returns "" if no such member is known. It may be called at the same time as Think.
func (c *Council) AffinityChanged() string {
	var notes []string
	for i, s := range c.runners {
		if p, ok := playerAs[strayer](s); ok && p.AffinityChanged() != "" {
			notes = append(notes, "member "+c.names[i]+": "+p.AffinityChanged())
		}
	}
	return strings.Join(notes, "; ")
}

// alive returns the number of members whose condition is ready or starting.
func (c *Council) alive() int {
	return lists.Count(c.runners, func(s *memberRunner) bool { return s.condition() != conditionGone })
}

// follow brings the council to the position of a request. It removes decisions that were taken back or never played,
// together with their effect on the rules.
func (c *Council) follow(p usi.Position) error {
	if err := c.line.Follow(p); err != nil {
		return fmt.Errorf("council %s: %w", c.config.Name, err)
	}
	kept := len(c.observed)
	for kept > 0 && !c.observed[kept-1].leadsTo(c.line.Moves) {
		kept--
	}
	if kept == len(c.observed) {
		return nil
	}
	c.observed = c.observed[:kept]
	c.goBack()
	for i := range c.observed {
		c.learn(&c.observed[i])
	}
	return nil
}

// leadsTo reports whether the game continued with this decision's move. The caller checks the last decision
// first: its position shows that the earlier moves are the same.
func (o *observed) leadsTo(moves []shogi.Move) bool {
	return len(moves) > o.ply && o.decision.Answer == usi.AnswerMove && moves[o.ply] == o.decision.Move
}

// learn makes the council's rule and each shadow rule observe their own decision.
func (c *Council) learn(o *observed) {
	c.session.Observe(&o.position, o.ballots, &o.decision)
	for i, s := range c.shadows {
		s.Observe(&o.position, o.ballots, &o.shadows[i])
	}
}
