package main

import (
	"bufio"
	"cmp"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gogi/internal/testutil"
	"gogi/shogi"
	"gogi/usi/csa"
)

// csaServer is a server of the CSA protocol for one game at a time between two clients. The client whose name sorts
// first has Black. The server keeps the clocks, judges the moves and sends the result. Like real servers, it answers
// empty lines and accepts a player again that has lost the connection.
type csaServer struct {
	t         *testing.T
	listener  net.Listener
	unit      time.Duration
	times     string // the time section
	limit     csa.Time
	place     string // the position section, without its moves
	maxMoves  int
	cutAt     int           // after this move the server cuts Black's connection once; 0: never
	onPly     func(ply int) // called after each move
	passwords map[string]string

	lines   chan csaLine
	group   sync.WaitGroup
	games   int
	seats   []*csaSeat // of the game: Black, White
	waiting []*csaSeat
	history *shogi.History
	moves   []string // with times, as the server sends them
	clocks  [2]csa.Clock
	began   time.Time // start time of the current move
	cuts    int
	ended   []string // the cause of each game's end
	heard   []csaLine
	closing chan struct{}
}

// csaSeat is one player at the server.
type csaSeat struct {
	name   string
	conn   net.Conn
	agreed bool
}

type csaLine struct {
	conn net.Conn
	name string // set by judge
	text string
	gone bool // the connection has ended
}

func newCSAServer(t *testing.T, s *csaServer) *csaServer {
	t.Helper()
	s.t, s.lines, s.closing = t, make(chan csaLine), make(chan struct{})
	s.place = cmp.Or(s.place, "PI\n+\n")
	s.times = cmp.Or(s.times, "Time_Unit:1sec\nTotal_Time:600\nByoyomi:10\nLeast_Time_Per_Move:0\n")
	probe := s.parse(strings.Split(s.summary(0), "\n"))
	s.limit, s.unit = probe.Times[0], probe.Times[0].Unit
	var err error
	if s.listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	s.group.Go(s.accept)
	s.group.Go(s.judge)
	t.Cleanup(s.close)
	return s
}

func (s *csaServer) parse(lines []string) *csa.Summary {
	s.t.Helper()
	summary := testutil.Must(csa.ParseSummary(lines))(s.t)
	return summary
}

func (s *csaServer) address() string { return s.listener.Addr().String() }

// close ends the server. After that, its fields can be read.
func (s *csaServer) close() {
	select {
	case <-s.closing:
		return
	default:
	}
	close(s.closing)
	s.listener.Close()
	s.group.Wait()
}

func (s *csaServer) accept() {
	for {
		conn, err := s.listener.Accept()
		if err != nil {
			return
		}
		s.group.Go(func() { s.listen(conn) })
	}
}

// listen sends the lines of one client to judge.
func (s *csaServer) listen(conn net.Conn) {
	stop := make(chan struct{})
	s.group.Go(func() { // unblocks the reader below
		select {
		case <-s.closing:
		case <-stop:
		}
		conn.Close()
	})
	defer close(stop)
	r := bufio.NewReader(conn)
	for {
		text, err := r.ReadString('\n')
		line := csaLine{conn: conn, text: strings.TrimSuffix(text, "\n"), gone: err != nil}
		select {
		case s.lines <- line:
		case <-s.closing:
			return
		}
		if err != nil {
			return
		}
	}
}

// judge runs the game. Only its goroutine uses the game.
func (s *csaServer) judge() {
	for {
		var expired <-chan time.Time
		if s.history != nil {
			limit, _ := s.clocks[s.side()].Limit()
			expired = time.After(limit - time.Since(s.began))
		}
		select {
		case <-s.closing:
			return
		case <-expired:
			s.end("#TIME_UP", s.side().Opponent(), true)
			continue
		case l := <-s.lines:
			if seat := s.seat(l.conn); seat >= 0 {
				l.name = s.seats[seat].name
				s.heard = append(s.heard, l)
				s.player(shogi.Colour(seat), l)
				continue
			}
			s.heard = append(s.heard, l)
			if name := s.stranger(l); name != "" {
				s.wait(name, l.conn)
			}
		}
		s.pair()
	}
}

// wait puts a player at the end of the queue.
func (s *csaServer) wait(name string, conn net.Conn) {
	s.waiting = append(s.waiting, &csaSeat{name: name, conn: conn})
}

// pair begins a game between the first two players in the queue.
func (s *csaServer) pair() {
	if len(s.seats) > 0 || len(s.waiting) < 2 {
		return
	}
	s.seats, s.waiting = s.waiting[:2:2], s.waiting[2:]
	slices.SortFunc(s.seats, func(a, b *csaSeat) int { return strings.Compare(a.name, b.name) })
	s.games++
	s.moves = nil
	s.propose(0)
	s.propose(1)
}

func (s *csaServer) side() shogi.Colour { return s.history.Position().Side() }

func (s *csaServer) seat(conn net.Conn) int {
	return slices.IndexFunc(s.seats, func(p *csaSeat) bool { return p.conn == conn })
}

// stranger handles a line of a client that does not play. It returns the client's name if the client logs in and waits
// for a game.
func (s *csaServer) stranger(l csaLine) string {
	words := strings.Fields(l.text)
	switch {
	case l.gone:
		s.waiting = slices.DeleteFunc(s.waiting, func(p *csaSeat) bool { return p.conn == l.conn })
	case l.text == "LOGOUT":
		s.say(l.conn, "LOGOUT:completed")
		l.conn.Close()
	case l.text == "":
		s.say(l.conn, "")
	case len(words) != 3 || words[0] != "LOGIN":
		s.say(l.conn, "##[ERROR] unknown command")
	case s.passwords[words[1]] != "" && s.passwords[words[1]] != words[2]:
		s.say(l.conn, "LOGIN:incorrect")
	default:
		s.say(l.conn, "LOGIN:"+words[1]+" OK", "##[NOTICE] welcome")
		return s.welcome(words[1], l.conn)
	}
	return ""
}

// welcome gives a player its seat back. If the player has none, welcome returns the name for the queue.
func (s *csaServer) welcome(name string, conn net.Conn) string {
	for i, p := range s.seats {
		if p.name == name {
			p.conn, p.agreed = conn, false
			s.propose(i)
			return ""
		}
	}
	return name
}

func (s *csaServer) say(conn net.Conn, lines ...string) {
	// The reader notices a closed connection, so this error is ignored.
	_, _ = conn.Write([]byte(strings.Join(lines, "\r\n") + "\r\n"))
}

func (s *csaServer) summary(seat int) string {
	names := [2]string{"?", "?"}
	for i, p := range s.seats {
		names[i] = p.name
	}
	text := fmt.Sprintf("Protocol_Version:1.2\nProtocol_Mode:Server\nFormat:Shogi 1.0\nDeclaration:Jishogi 1.1\n"+
		"Game_ID:test+%d\nName+:%s\nName-:%s\nYour_Turn:%c\nRematch_On_Draw:NO\nTo_Move:+\nMax_Moves:%d\nBEGIN Time\n%sEND Time\nBEGIN Position\n%s",
		s.games, names[0], names[1], "+-"[seat], s.maxMoves, s.times, s.place)
	return text + strings.Join(append(slices.Clone(s.moves), "END Position"), "\n")
}

func (s *csaServer) propose(seat int) {
	s.say(s.seats[seat].conn, "BEGIN Game_Summary", s.summary(seat), "END Game_Summary")
}

// player handles a line of a player in the game.
func (s *csaServer) player(c shogi.Colour, l csaLine) {
	p := s.seats[c]
	switch {
	case l.gone:
		if s.cutAt == 0 || s.cuts > 1 { // a client that disconnects loses, unless the server cut it
			s.end("#ILLEGAL_MOVE", c.Opponent(), true)
		}
		p.conn = nil
	case l.text == "":
		s.say(p.conn, "")
	case strings.HasPrefix(l.text, "REJECT"):
		for _, p := range s.seats {
			s.say(p.conn, "REJECT:test by "+l.name)
		}
		s.seats, s.history = nil, nil
	case strings.HasPrefix(l.text, "AGREE"):
		p.agreed = true
		s.start(p)
	case s.history == nil:
		s.say(p.conn, "##[ERROR] not in a game")
	case l.text == "%CHUDAN":
		s.end("#CHUDAN", 0, false)
	case c == s.side():
		s.move(c, l.text)
	}
}

// start begins the game when both players have agreed. If the game has begun, it sends START to the client that
// returns.
func (s *csaServer) start(p *csaSeat) {
	if s.history != nil {
		s.say(p.conn, fmt.Sprintf("START:test+%d", s.games))
		return
	}
	if !s.seats[0].agreed || !s.seats[1].agreed {
		return
	}
	s.history = shogi.NewHistory(s.parse(strings.Split(s.summary(0), "\n")).Start)
	s.clocks = [2]csa.Clock{csa.NewClock(s.limit), csa.NewClock(s.limit)}
	s.tell(fmt.Sprintf("START:test+%d", s.games))
	s.began = time.Now()
}

func (s *csaServer) tell(lines ...string) {
	for _, p := range s.seats {
		if p.conn != nil {
			s.say(p.conn, lines...)
		}
	}
}

// move judges a move in the order of real servers: time, legality, repetition, number of moves.
func (s *csaServer) move(c shogi.Colour, text string) {
	word, _, _ := strings.Cut(text, ",")
	units := time.Since(s.began) / s.unit
	spent := units * s.unit
	if limit, ok := s.clocks[c].Limit(); ok && spent >= limit {
		s.end("#TIME_UP", c.Opponent(), true)
		return
	}
	timed := fmt.Sprintf("%s,T%d", word, units)
	switch word {
	case "%TORYO":
		s.tell(timed)
		s.end("#RESIGN", c.Opponent(), true)
		return
	case "%KACHI":
		s.tell(timed)
		if s.history.Position().Declaration(shogi.CSARule27).Win {
			s.end("#JISHOGI", c, true)
		} else {
			s.end("#ILLEGAL_MOVE", c.Opponent(), true)
		}
		return
	}
	m, err := csa.ParseMove(s.history.Position(), word)
	if err != nil {
		s.end("#ILLEGAL_MOVE", c.Opponent(), true)
		return
	}
	s.history.Push(m)
	s.clocks[c].Spend(spent)
	s.moves = append(s.moves, timed)
	s.tell(timed)
	s.began = time.Now()
	s.afterMove()
}

func (s *csaServer) afterMove() {
	if s.onPly != nil {
		s.onPly(len(s.moves))
	}
	switch s.history.Repetition() {
	case shogi.RepetitionDraw:
		s.end("#SENNICHITE", 0, false)
		return
	case shogi.RepetitionBlackLoses:
		s.end("#OUTE_SENNICHITE", shogi.White, true)
		return
	case shogi.RepetitionWhiteLoses:
		s.end("#OUTE_SENNICHITE", shogi.Black, true)
		return
	case shogi.RepetitionNone:
	}
	if s.maxMoves > 0 && len(s.moves) >= s.maxMoves {
		s.end("#MAX_MOVES", 0, false)
		return
	}
	if len(s.moves) == s.cutAt && s.cuts == 0 {
		s.cuts++
		s.seats[shogi.Black].conn.Close()
	}
}

// end sends the result and closes the connections, as shogi-server does.
func (s *csaServer) end(cause string, winner shogi.Colour, decided bool) {
	for c, p := range s.seats {
		if p.conn == nil {
			continue
		}
		words := []string{cause}
		switch {
		case cause == "#CHUDAN":
		case cause == "#MAX_MOVES":
			words = append(words, "#CENSORED")
		case !decided:
			words = append(words, "#DRAW")
		case winner == shogi.Colour(c):
			words = append(words, "#WIN")
		default:
			words = append(words, "#LOSE")
		}
		s.say(p.conn, words...)
		p.conn.Close()
	}
	s.ended = append(s.ended, cause)
	s.seats, s.history = nil, nil
}

// said returns every line of a player, in order. Call it after close.
func (s *csaServer) said(name string) []string {
	var lines []string
	for _, l := range s.heard {
		if l.name == name && !l.gone {
			lines = append(lines, l.text)
		}
	}
	return lines
}
