package web

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/match/control"
	"gogi/runner/events"
	"gogi/shogi"
)

const hirate = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1"

// stage is a run that the test plays slot by slot. It sends the events that a runner sends.
type stage struct {
	hub    *events.Hub
	run    string
	sent   func(match.Event) // receives the events
	seq    uint64
	now    time.Time
	pair   int
	names  [2]string
	tables []*table
	// council has one name for each member; with it, player A votes.
	council []string
}

type table struct {
	pair, leg int
	playing   bool
	board     shogi.Position
	moves     string
	ply       int
}

func newStage(run string, slots int, names ...string) *stage {
	hub := events.NewHub(run)
	s := &stage{hub: hub, run: run, sent: hub.Publish, now: time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC),
		names: [2]string{"A", "B"}}
	copy(s.names[:], names)
	for range slots {
		s.tables = append(s.tables, &table{pair: -1})
	}
	finished := 0
	s.send(match.Event{Type: match.EventRun, Players: s.names[:], Slots: slots, Pairs: 1000, Games: 2000,
		Finished: &finished, GameHead: match.GameHead{Limits: []string{"x", "y"}}})
	return s
}

func (s *stage) send(e match.Event) {
	s.seq++
	s.now = s.now.Add(10 * time.Millisecond)
	e.V, e.Run, e.Seq, e.Time = match.EventVersion, s.run, s.seq, s.now
	s.sent(e)
}

func (s *stage) at(slot int, kind match.EventType) match.Event {
	b := s.tables[slot]
	pair, leg := b.pair, b.leg
	return match.Event{Type: kind, Pair: &pair, Leg: &leg, Slot: &slot,
		GameHead: match.GameHead{Black: s.names[b.leg], White: s.names[1-b.leg]}}
}

// step makes a slot do its next step. It begins a game, plays the legal move with the number choice, or ends the game
// after limit plies.
func (s *stage) step(slot, choice, limit int) {
	b := s.tables[slot]
	if !b.playing {
		s.begin(slot)
		return
	}
	moves := b.board.LegalMoves(nil)
	if len(moves) == 0 || b.ply >= limit {
		s.end(slot)
		return
	}
	m := moves[choice%len(moves)]
	mover := b.board.Side()
	vote := s.vote(b, m, moves)
	b.board.Apply(m)
	b.ply++
	b.moves += " " + m.String()
	e := s.at(slot, match.EventMove)
	score, spent, left := b.ply*7-50, 1.5, float64(100_000-b.ply*777)
	e.Ply, e.Move, e.Position, e.Score, e.TimeMS, e.Depth = b.ply, m.String(), b.board.SFEN(), &score, &spent, 7
	if mover == shogi.Black {
		e.ClockMS = &left
	}
	if s.names[0] == s.mover(b, mover) {
		e.Vote = vote
	}
	s.send(e)
}

// mover returns the player that has this colour in a slot.
func (s *stage) mover(b *table, c shogi.Colour) string {
	return s.names[(b.leg+int(c))%2]
}

// vote returns the vote of the council before its move m, or nil without a council. The last but one member votes for
// another move, the last one has failed, and all others vote for m.
func (s *stage) vote(b *table, m shogi.Move, legal []shogi.Move) *match.Vote {
	if len(s.council) < 3 {
		return nil
	}
	v := &match.Vote{By: "rule", Split: fmt.Sprintf("%d:1", len(s.council)-2)}
	for i, name := range s.council {
		score := 10*b.ply + i
		o := match.Ballot{Member: name, Kind: "move", Move: m.String(), Piece: pieceAt(&b.board, m), Score: &score,
			Weight: 1 + float64(i)/3, Played: true}
		switch i {
		case len(s.council) - 2:
			other := legal[(slices.Index(legal, m)+1)%len(legal)]
			o.Move, o.Piece, o.Played = other.String(), pieceAt(&b.board, other), false
			mate := -999_996
			o.Score = &mate
		case len(s.council) - 1:
			o = match.Ballot{Member: name, Kind: "dead", Weight: 1}
		}
		v.Ballots = append(v.Ballots, o)
	}
	return v
}

func pieceAt(p *shogi.Position, m shogi.Move) string {
	if m.IsDrop() {
		return shogi.NewPiece(p.Side(), m.Dropped()).String()
	}
	return p.PieceAt(m.From()).String()
}

func (s *stage) begin(slot int) {
	b := s.tables[slot]
	b.leg = 1 - b.leg
	if b.pair < 0 || b.leg == 0 {
		b.pair, b.leg = s.pair, 0
		s.pair++
	}
	b.playing, b.ply, b.moves = true, 0, ""
	b.board, _ = shogi.ParseSFEN(hirate)
	s.send(s.at(slot, match.EventSeat))
	e := s.at(slot, match.EventGame)
	clock := 100_000.0
	e.Start, e.Limits, e.Clocks = hirate, []string{"x", "y"}, []*float64{&clock, nil}
	s.send(e)
}

func (s *stage) end(slot int) {
	b := s.tables[slot]
	b.playing = false
	e := s.at(slot, match.EventEnd)
	e.Outcome, e.Termination, e.Plies, e.Position, e.Points = "black", "resignation", b.ply, b.board.SFEN(),
		&[2]float64{1, 0}
	s.send(e)
	if b.leg == 1 {
		pair := b.pair
		s.send(match.Event{Type: match.EventPair, Pair: &pair})
	}
}

// done ends the session.
func (s *stage) done() {
	finished := 0
	s.send(match.Event{Type: match.EventDone, Finished: &finished})
	s.hub.Close()
}

// played is a Live with the runs of stages. Control returns the error refuse.
type played struct {
	mu     sync.Mutex
	hubs   map[string]*events.Hub
	orders []string
	refuse error
}

func playing(stages ...*stage) *played {
	p := &played{hubs: map[string]*events.Hub{}}
	for _, s := range stages {
		p.hubs[s.run] = s.hub
	}
	return p
}

func (p *played) Runs() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Collect(maps.Keys(p.hubs))
}

func (p *played) Hub(run string) *events.Hub {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.hubs[run]
}

func (p *played) Control(_ context.Context, run string, c control.Command) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.hubs[run] == nil {
		return control.ErrOver
	}
	p.orders = append(p.orders, fmt.Sprintf("%s %s %d", run, c.Do, c.N))
	return p.refuse
}

// pipes is a listener of connections without a network, for tests in a bubble of time.
type pipes struct {
	conns  chan net.Conn // never closed
	closed chan struct{}
	once   sync.Once
}

func newPipes() *pipes { return &pipes{conns: make(chan net.Conn), closed: make(chan struct{})} }

func (p *pipes) dial() (net.Conn, error) {
	here, there := net.Pipe()
	return p.connect(here, there)
}

// dialFrom connects as a client with an address, such as 192.0.2.1:7.
func (p *pipes) dialFrom(address string) (net.Conn, error) {
	here, there := net.Pipe()
	return p.connect(here, addressed{there, net.TCPAddrFromAddrPort(netip.MustParseAddrPort(address))})
}

// addressed is a connection of a client with an address.
type addressed struct {
	net.Conn
	client net.Addr
}

func (a addressed) RemoteAddr() net.Addr { return a.client }

func (p *pipes) connect(here, there net.Conn) (net.Conn, error) {
	select {
	case p.conns <- there:
		return here, nil
	case <-p.closed:
		return nil, errors.New("nobody listens")
	}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error { p.once.Do(func() { close(p.closed) }); return nil }

func (p *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 7878} }

// TestTunedWithoutScripts: the page of a tune in play has its figures before a script runs, and the loss of a
// perturbation that rounds to zero has no minus sign.
func TestTunedWithoutScripts(t *testing.T) {
	s := newStage("r", 1)
	h := openSite(t, Config{Live: playing(s)})
	shows := func(want ...string) {
		t.Helper()
		body := get(t, h.Server, "/r/r/live").Body.String()
		for _, one := range want {
			testutil.Check(t, strings.Contains(body, one), "the page lacks %q:\n%s", one, body)
		}
	}
	s.send(match.Event{Type: match.EventTune, Tune: &match.TuneSetup{
		Method: "spsa", Pairs: 40, Blocks: 10, Block: 4, Target: 15,
		Params: []match.TuneParam{{Name: "X"}, {Name: "Y", Unused: true}, {Name: "<b>", Kind: "float"}},
	}})
	shows(`data-f="blocks">0 / 10<`, `data-f="spread">–<`, `data-f="lost">–<`, `<p data-answer hidden>`)

	lost := -0.04
	s.send(match.Event{Type: match.EventBlock, Block: 1, Pairs: 4, Theta: []float64{1, 2, 3}, Spread: 1.25, Equal: 1,
		LostElo: &lost})
	s.send(match.Event{Type: match.EventCandidate, Values: map[string]string{"X": "7", "Y": "1", "<b>": "0.5"}})
	shows(`data-f="blocks">1 / 10<`, `data-f="spread">× 1.25<`, `data-f="lost">0.0 (→ 15)<`, `data-f="equal">1<`,
		`data-f="forfeits">0<`,
		`<p data-answer><strong>Final values</strong> <span data-f="answer">X 7, &lt;b&gt; 0.5<`, `data-judges hidden>`)
}
