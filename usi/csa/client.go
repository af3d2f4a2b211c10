package csa

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"sync"
	"time"

	"gogi/internal/hurry"
	"gogi/usi"
)

// Player is whatever plays: an engine, or a council of several. It is the
// runner's interface of the same name. Its methods are called by one goroutine
// at a time. After an error it is closed, and another is opened.
type Player interface {
	// NewGame prepares for a game; it may take minutes.
	NewGame(ctx context.Context, g usi.Game) error
	// Think answers with a move. Cancelling ctx stops the search.
	Think(ctx context.Context, r usi.Request) (usi.Reply, error)
	GameOver(ctx context.Context, o usi.Outcome) error
	Close() error
}

// Ponderer is a Player that can think on the opponent's time. The next Think
// with the same position is a hit, any other a miss.
type Ponderer interface {
	Ponder(ctx context.Context, r usi.Request) error
}

// The defaults of Config.
const (
	DefaultMargin  = time.Second
	DefaultRetries = 10
	DefaultResume  = time.Minute
	firstWait      = time.Second
	longestWait    = time.Minute
	steadyAfter    = time.Minute     // a session as long as that counts as good
	farewell       = 3 * time.Second // for the server's last words
	maxReopenings  = 3               // of a failed player, in one game
)

// Config is what a Client needs.
type Config struct {
	User, Password string
	Dial           func(context.Context) (io.ReadWriteCloser, error)
	Open           func(context.Context) (Player, error)
	Games          int           // how many to play; 0: until Finish
	Margin         time.Duration // of each move, kept back for the network
	Comments       bool          // send score and variation with the moves
	Ponder         bool          // let a Ponderer think on the opponent's time
	Retries        int           // tries in a row to get a connection that broke back
	RetryWait      time.Duration // before the second try, doubled from try to try; 0: one second
	Resume         time.Duration // how long to wait for an interrupted game to go on; 0: DefaultResume
	Timing         Timing
	// Observe, when set, gets all that happens, one event at a time. It must not
	// call the Client.
	Observe func(Event)
}

// Client plays games at a server.
type Client struct {
	config    Config
	player    Player // nil when it must be opened
	tally     Tally
	broken    *game // the game that the last connection broke off, until it is known what becomes of it
	entered   bool  // the server has let us in before
	started   int   // games that began or went on
	finish    chan struct{}
	finishing sync.Once

	observing sync.Mutex // observers are called from the thinking goroutine, too
}

// NewClient returns a client that has not connected yet.
func NewClient(c Config) *Client {
	if c.RetryWait <= 0 {
		c.RetryWait = firstWait
	}
	if c.Resume <= 0 {
		c.Resume = DefaultResume
	}
	return &Client{config: c, finish: make(chan struct{})}
}

// Finish makes Run end after the game in play, or at once where there is none.
// It may be called at any time, from any goroutine.
func (c *Client) Finish() { c.finishing.Do(func() { close(c.finish) }) }

var errGivenUp = errors.New("given up")

// Run plays until all games are played, Finish is called, or the connection
// cannot be had any more. When ctx ends it resigns the game in play and leaves.
// The tally counts the games that ended, whatever the error. Run is called once.
func (c *Client) Run(ctx context.Context) (Tally, error) {
	err := c.load(ctx) // before the server is asked: a command that is wrong should cost nothing there
	if err == nil {
		err = c.sessions(ctx)
	}
	c.settle(ctx)
	return c.tally, errors.Join(err, c.closePlayer())
}

// sessions keeps up one connection after the other.
func (c *Client) sessions(ctx context.Context) error {
	failures := 0
	for {
		began, before := time.Now(), c.started
		err := c.session(ctx)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case c.done():
			return nil
		case c.mayNotRetry(err):
			return err
		case err == nil: // the server takes one game a connection
			failures = 0
			continue
		}
		if c.started > before || time.Since(began) >= steadyAfter {
			failures = 0
		}
		if failures++; failures > c.config.Retries {
			return fmt.Errorf("csa: %w (try %d of %d): %w", errGivenUp, failures, c.config.Retries+1, err)
		}
		if err := c.wait(ctx, failures, err); err != nil || c.done() {
			return err
		}
	}
}

// mayNotRetry: a name that is refused stays refused, unless the server has known
// it before and still holds on to the connection that broke. A player that
// cannot be opened is not the server's fault.
func (c *Client) mayNotRetry(err error) bool {
	if _, ok := errors.AsType[*playerError](err); ok {
		return true
	}
	return errors.Is(err, ErrLogin) && !c.entered
}

// playerError is a player that cannot be opened or readied.
type playerError struct{ err error }

// Error says what failed.
func (e *playerError) Error() string { return "csa: the player: " + e.err.Error() }

// Unwrap is the cause.
func (e *playerError) Unwrap() error { return e.err }

// wait tells of a lost connection and waits before the next try.
func (c *Client) wait(ctx context.Context, failures int, why error) error {
	d := longestWait
	if failures <= 16 {
		d = min(longestWait, c.config.RetryWait<<(failures-1))
	}
	c.emit(Event{Type: EventLost, Note: why.Error(), Wait: d})
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-c.finished():
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	return nil
}

// finished is closed when no other game shall begin; nil while a game that was
// broken off may still go on.
func (c *Client) finished() <-chan struct{} {
	if c.broken != nil {
		return nil
	}
	return c.finish
}

// done reports whether there is nothing left to do.
func (c *Client) done() bool { return c.broken == nil && c.played() }

// played reports whether no other game shall begin.
func (c *Client) played() bool {
	select {
	case <-c.finish:
		return true
	default:
		return c.config.Games > 0 && c.tally.Games >= c.config.Games
	}
}

// session is one connection, from login to its end. nil: it ended well.
func (c *Client) session(ctx context.Context) error {
	rwc, err := c.config.Dial(ctx)
	if err != nil {
		return fmt.Errorf("csa: connecting: %w", err)
	}
	conn := NewConn(rwc, c.config.Timing)
	defer func() { _ = conn.Close() }() // nothing is lost by it any more
	if err := conn.Login(ctx, c.config.User, c.config.Password); err != nil {
		return err
	}
	c.entered = true
	c.emit(Event{Type: EventLogin})
	games, err := c.games(ctx, conn)
	if errors.Is(err, errEnded) && games > 0 && c.broken == nil {
		return nil
	}
	return err
}

// games plays what the server proposes until the connection ends or there is
// nothing left to play. games counts those that ended.
func (c *Client) games(ctx context.Context, conn *Conn) (games int, err error) {
	for !c.done() {
		s, err := c.proposal(ctx, conn)
		if err != nil {
			return games, err
		}
		if s == nil {
			continue
		}
		before := c.tally.Games
		if err := c.game(ctx, conn, s); err != nil {
			return games, err
		}
		games += c.tally.Games - before
	}
	leave, cancel := context.WithTimeout(context.WithoutCancel(ctx), farewell)
	defer cancel()
	if err := conn.Logout(leave); err != nil {
		c.notice(err.Error()) // the games are played; the server notices the end of the connection
	}
	return games, nil
}

// proposal waits for a game that can be played; nil when there is a reason to
// look again whether to go on.
func (c *Client) proposal(ctx context.Context, conn *Conn) (*Summary, error) {
	var late <-chan time.Time
	if c.broken != nil {
		timer := time.NewTimer(c.config.Resume)
		defer timer.Stop()
		late = timer.C
	}
	for {
		select {
		case m, ok := <-conn.Messages():
			switch {
			case !ok:
				return nil, conn.Err()
			case m.Kind == Proposed && m.Err != nil:
				c.notice("a proposal is rejected: " + m.Err.Error())
				return nil, conn.Send("REJECT")
			case m.Kind == Proposed:
				if ignored := m.Summary.Ignored; len(ignored) > 0 {
					c.notice(fmt.Sprintf("ignored in the proposal: %q", ignored))
				}
				return m.Summary, nil
			}
		case <-late:
			c.settle(ctx)
			return nil, nil
		case <-c.finished():
			return nil, nil
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// game readies the player, agrees, and plays one game.
func (c *Client) game(ctx context.Context, conn *Conn, s *Summary) error {
	resumed := c.broken != nil && c.broken.summary.GameID == s.GameID
	if !resumed {
		c.settle(ctx)
		if c.played() {
			return conn.Send(agreement("REJECT", s))
		}
	}
	if err := c.ready(ctx, s, resumed); err != nil {
		// Whoever waits for us should not wait for long.
		return &playerError{errors.Join(err, conn.Send(agreement("REJECT", s)))}
	}
	g := newGame(c, conn, s)
	if resumed {
		g.takeOver(c.broken)
		c.broken = nil
	}
	started, err := g.agree(ctx, resumed)
	if !started && resumed {
		c.broken = g
		if err == nil { // rejected: it will not go on
			c.settle(ctx)
		}
	}
	if !started {
		return err
	}
	c.started++
	c.emit(Event{Type: EventStart, Game: s.GameID, Black: s.Names[0], White: s.Names[1], Colour: s.Colour.String(), Resumed: resumed})
	if err := g.play(ctx); err != nil {
		c.broken = g
		return err
	}
	return nil
}

// settle gives up the game that was broken off, if there is one.
func (c *Client) settle(ctx context.Context) {
	g := c.broken
	c.broken = nil
	if g != nil {
		g.finish(context.WithoutCancel(ctx), Disconnected)
	}
}

// ready makes the player know of the game. One that goes on has been told.
func (c *Client) ready(ctx context.Context, s *Summary, resumed bool) error {
	if c.player != nil && resumed {
		return nil
	}
	ctx, stop := hurry.Start(ctx, c.finished())
	defer stop()
	var err error
	for range maxReopenings {
		if err = c.prepare(ctx, s); err == nil || ctx.Err() != nil {
			return err
		}
		c.emit(Event{Type: EventFault, Game: s.GameID, Note: err.Error() + "; it is started anew"})
	}
	return err
}

// prepare opens the player where there is none, and tells it of the game.
func (c *Client) prepare(ctx context.Context, s *Summary) error {
	if c.player == nil {
		if err := c.reopen(ctx); err != nil {
			return err
		}
	}
	if err := c.player.NewGame(ctx, usi.Game{Colour: s.Colour, Seed: seed(s.GameID)}); err != nil {
		return errors.Join(fmt.Errorf("beginning a game: %w", err), c.closePlayer())
	}
	return nil
}

// seed is the same for the same game, also after a restart.
func seed(game string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(game)) // never fails
	return h.Sum64()
}

// reopen closes what there is of the player and opens it.
func (c *Client) reopen(ctx context.Context) error {
	if err := c.closePlayer(); err != nil {
		c.emit(Event{Type: EventFault, Note: err.Error()})
	}
	p, err := c.config.Open(ctx)
	if err != nil {
		return &playerError{err}
	}
	c.player = p
	return nil
}

// load opens the player and lets it load what it needs, if it can be told to,
// so that no opponent waits for that.
func (c *Client) load(ctx context.Context) error {
	ctx, stop := hurry.Start(ctx, c.finish)
	defer stop()
	if err := c.reopen(ctx); err != nil {
		return err
	}
	if r, ok := c.player.(readier); ok {
		if err := r.Ready(ctx); err != nil {
			return &playerError{err}
		}
	}
	return nil
}

// readier is a Player that can be made ready before its first game.
type readier interface {
	Ready(ctx context.Context) error
}

func (c *Client) closePlayer() error {
	p := c.player
	c.player = nil
	if p == nil {
		return nil
	}
	if err := p.Close(); err != nil {
		return fmt.Errorf("csa: closing the player: %w", err)
	}
	return nil
}

func (c *Client) emit(e Event) {
	if c.config.Observe == nil {
		return
	}
	c.observing.Lock()
	defer c.observing.Unlock()
	c.config.Observe(e)
}

func (c *Client) notice(text string) { c.emit(Event{Type: EventNotice, Note: text}) }
