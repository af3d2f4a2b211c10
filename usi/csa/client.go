package csa

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"regexp"
	"strings"
	"sync"
	"time"

	"gogi/internal/hurry"
	"gogi/usi"
)

// Player is an engine or a council that plays the games of a Client. It has the methods of runner.Player.
// Only one goroutine at a time calls them. After an error the Client closes the Player and opens another.
type Player interface {
	// NewGame prepares for a game. It may take minutes.
	NewGame(ctx context.Context, g usi.Game) error
	// Think returns a move. If ctx ends, the search stops.
	Think(ctx context.Context, r usi.Request) (usi.Reply, error)
	GameOver(ctx context.Context, o usi.Outcome) error
	Close() error
}

// Ponderer is a Player that can search on the opponent's time. If the next Think has the same position, the
// search continues for that move. Otherwise the player discards the search.
type Ponderer interface {
	Ponder(ctx context.Context, r usi.Request) error
}

// These are the limits of a Client.
const (
	firstWait     = time.Second // wait before the second attempt to connect, doubled each time
	resumeLimit   = time.Minute // time in which an interrupted game may resume
	longestWait   = time.Minute
	steadyAfter   = time.Minute      // a session of this length resets the count of failures
	farewell      = 3 * time.Second  // wait for the server's last messages
	maxReopenings = 3                // times that a player may be opened again in one game
	rivalWithin   = 30 * time.Second // a connection that ends so soon after the login, without a game, may have a rival
)

// Settings has the settings of a Client that a user chooses.
type Settings struct {
	Games    int           `default:"1" placeholder:"N" help:"Number of games; 0: no limit (default ${default})."`
	Comments bool          `default:"true" negatable:"" help:"Send score and principal variation with each move (default yes)."`
	Ponder   bool          `help:"Let the engine ponder."`
	Margin   time.Duration `default:"1s" placeholder:"DUR" help:"Time of each move that the engine does not get, for network delays (default ${default})."`
	Retries  int           `default:"10" placeholder:"N" help:"Number of attempts to reconnect (default ${default})."`
}

// Config is the input of NewClient: the settings, and the functions that connect to the server and open the
// player.
type Config struct {
	Settings
	User, Password string
	// Game is the game name that the password begins with, or "". gogi compares it with the name of the server's game.
	Game string
	Dial func(context.Context) (io.ReadWriteCloser, error)
	Open func(context.Context) (Player, error)
	// Observe, if set, receives each event, one at a time. It must not call the Client.
	Observe func(Event)
}

// Client plays games at a CSA server.
type Client struct {
	config    Config
	player    Player // nil if it is not open
	tally     Tally
	broken    *game // the game that a lost connection interrupted; nil if there is none, or if it has resumed or ended
	entered   bool  // the server accepted an earlier login
	started   int   // games that began or resumed
	finish    chan struct{}
	finishing sync.Once

	observing sync.Mutex // the goroutine that thinks also calls observers
}

// NewClient returns a client that is not connected yet.
func NewClient(c Config) *Client {
	return &Client{config: c, finish: make(chan struct{})}
}

// Finish makes Run return after the current game, or at once if no game runs. It is safe for concurrent use.
func (c *Client) Finish() { c.finishing.Do(func() { close(c.finish) }) }

var errGivenUp = errors.New("given up")

// Run plays until all games are played, Finish is called, or all attempts to connect fail. If ctx ends, Run
// resigns the current game and logs out. The tally counts all games that ended, even if Run returns an error.
// Call Run only once.
func (c *Client) Run(ctx context.Context) (Tally, error) {
	err := c.load(ctx) // before the login, so that a wrong command has no effect at the server
	if err == nil {
		err = c.sessions(ctx)
	}
	c.settle(ctx)
	return c.tally, errors.Join(err, c.closePlayer())
}

// sessions opens one connection after another.
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
		case err == nil: // the server starts one game per connection
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

// mayNotRetry reports whether another attempt is useless, because the player cannot be opened or the server rejects
// the name. A rejection is not final if the server accepted the name before. The server may then still believe that
// the old connection is open.
func (c *Client) mayNotRetry(err error) bool {
	return errors.Is(err, errPlayer) || errors.Is(err, ErrLogin) && !c.entered
}

// errPlayer marks the errors about a player that cannot be opened or prepared; playerError wraps it.
var errPlayer = errors.New("the player")

func playerError(err error) error { return fmt.Errorf("csa: %w: %w", errPlayer, err) }

// wait reports a lost connection and waits before the next attempt. The wait grows with failures, the number of
// consecutive failures. why is the reason of the last one.
func (c *Client) wait(ctx context.Context, failures int, why error) error {
	d := longestWait
	if failures <= 16 {
		d = min(longestWait, firstWait<<(failures-1))
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

// finished returns the channel that Finish closes. It returns nil while an interrupted game may still resume.
func (c *Client) finished() <-chan struct{} {
	if c.broken != nil {
		return nil
	}
	return c.finish
}

// done reports whether no game is left to play.
func (c *Client) done() bool { return c.broken == nil && c.played() }

// played reports whether no new game may begin. A game that broke off does not count, because the organiser may have it
// played again.
func (c *Client) played() bool {
	select {
	case <-c.finish:
		return true
	default:
		return c.config.Games > 0 && c.tally.Games-c.tally.Disconnected >= c.config.Games
	}
}

// session runs one connection from login to its end. It returns nil after a regular end.
func (c *Client) session(ctx context.Context) error {
	rwc, err := c.config.Dial(ctx)
	if err != nil {
		return fmt.Errorf("csa: %w", err)
	}
	conn := NewConn(rwc)
	defer func() { _ = conn.Close() }() // nothing can be lost
	if err := conn.Login(ctx, c.config.User, c.config.Password); err != nil {
		return err
	}
	c.entered = true
	c.emit(Event{Type: EventLogin})
	began, before := time.Now(), c.started
	games, err := c.games(ctx, conn)
	switch {
	case errors.Is(err, errEnded) && games > 0 && c.broken == nil:
		return nil
	case errors.Is(err, errEnded) && c.started == before && time.Since(began) < rivalWithin:
		return fmt.Errorf("%w; if another program is logged in as %s, the server ends the older connection", err,
			c.config.User)
	}
	return err
}

// games plays the games that the server proposes, until the connection ends or no game is left to play. It
// returns the number of games that ended.
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
		if ended := c.tally.Games - before; ended > 0 {
			games += ended
			c.wake(conn)
		}
	}
	leave, cancel := context.WithTimeout(context.WithoutCancel(ctx), farewell)
	defer cancel()
	_ = conn.Logout(leave) // the games are played, and some servers close the connection first
	return games, nil
}

// wake sends an empty line after a game, if more games are to be played. shogi-server closes the connection of a
// finished game only when it gets a line, or after a minute, and the client may log in for the next game only after
// that. A failure needs no report: the connection has ended, which is noticed when it is read.
func (c *Client) wake(conn *Conn) {
	if !c.done() {
		_ = conn.Send("")
	}
}

// compareName warns if the server did not understand the game name of the login. shogi-server then plays another time
// control (default-1500-0) without an error. A name may end in the colour that the user asks for.
func (c *Client) compareName(s *Summary) {
	asked := strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(c.config.Game, "-B"), "-W"), "-*")
	if plays := s.gameName(); asked != "" && plays != "" && plays != asked {
		c.notice(fmt.Sprintf("the server plays the game %s, and --game is %s: it did not understand the name, and the time control differs", plays, c.config.Game))
	}
	if stopWatch.MatchString(asked) && s.Times[s.Colour].Unit == time.Minute {
		c.notice(fmt.Sprintf("shogi-server counts the times of %s in seconds, although it names minutes: the engine believes that it has more time than it has", asked))
	}
}

// stopWatch matches a game name of shogi-server for its stop-watch clock, such as test-4-02.
var stopWatch = regexp.MustCompile(`-\d+-0\d+$`)

// proposal waits until the server proposes a game. It returns nil without an error if it rejected an unreadable
// proposal, if the interrupted game did not resume in time, or if Finish was called. The caller then checks whether to
// continue.
func (c *Client) proposal(ctx context.Context, conn *Conn) (*Summary, error) {
	var late <-chan time.Time
	if c.broken != nil {
		timer := time.NewTimer(resumeLimit)
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

// game prepares the player, accepts the proposal s, and plays the game.
func (c *Client) game(ctx context.Context, conn *Conn, s *Summary) error {
	resumed := c.broken != nil && c.broken.summary.GameID == s.GameID
	if !resumed {
		c.settle(ctx)
		if c.played() {
			return conn.Send(agreement("REJECT", s))
		}
	}
	if err := c.ready(ctx, s, resumed); err != nil {
		// An error must reach the opponent soon.
		return playerError(errors.Join(err, conn.Send(agreement("REJECT", s))))
	}
	var before *game
	if resumed {
		before, c.broken = c.broken, nil
	} else {
		c.compareName(s)
	}
	g := newGame(c, conn, s, before)
	started, err := g.agree(ctx, resumed)
	if !started && resumed {
		c.broken = g
		if err == nil { // the game was rejected and will not resume
			c.settle(ctx)
		}
	}
	if !started {
		return err
	}
	c.started++
	c.emit(Event{Type: EventStart, Game: s.GameID, Black: s.Names[0], White: s.Names[1], Colour: s.Colour.String(),
		Resumed: resumed})
	if err := g.play(ctx); err != nil {
		c.broken = g
		return err
	}
	return nil
}

// settle ends the interrupted game, if there is one, with the outcome Disconnected.
func (c *Client) settle(ctx context.Context) {
	g := c.broken
	c.broken = nil
	if g != nil {
		g.finish(context.WithoutCancel(ctx), Disconnected)
	}
}

// ready prepares the player for the game. The player of a resumed game is already prepared.
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
		c.emit(Event{Type: EventFault, Game: s.GameID, Note: err.Error() + "; gogi starts it again"})
	}
	return err
}

// prepare opens the player if none is open, and starts the game in it.
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

// seed returns a number that depends only on the game's name, so that it is the same after a restart.
func seed(game string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(game)) // never returns an error
	return h.Sum64()
}

// reopen closes the player, if there is one, and opens another.
func (c *Client) reopen(ctx context.Context) error {
	if err := c.closePlayer(); err != nil {
		c.emit(Event{Type: EventFault, Note: err.Error()})
	}
	p, err := c.config.Open(ctx)
	if err != nil {
		return playerError(err)
	}
	c.player = p
	return nil
}

// load opens the player before the login. A player with a method Ready also loads its data, so that no
// opponent waits for this.
func (c *Client) load(ctx context.Context) error {
	ctx, stop := hurry.Start(ctx, c.finish)
	defer stop()
	if err := c.reopen(ctx); err != nil {
		return err
	}
	if r, ok := c.player.(readier); ok {
		if err := r.Ready(ctx); err != nil {
			return playerError(err)
		}
	}
	return nil
}

// readier is a Player that can load its data before its first game.
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
