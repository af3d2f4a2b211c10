package csa

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"gogi/internal/testutil"
	"gogi/shogi"
	"gogi/shogi/kifu/text"
	"gogi/usi"
)

// scripted is a player whose answers come from think. Without think it answers the leftmost move, with a score of 50
// and that move as the variation.
type scripted struct {
	mu       sync.Mutex
	think    func(ctx context.Context, n int, r usi.Request) (usi.Reply, error)
	n        int // searches so far
	calls    []string
	requests []usi.Request
	ponders  []usi.Request
}

func (s *scripted) note(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = append(s.calls, fmt.Sprintf(format, args...))
}

func (s *scripted) NewGame(_ context.Context, g usi.Game) error {
	s.note("new game %s", g.Colour)
	return nil
}

func (s *scripted) GameOver(_ context.Context, o usi.Outcome) error {
	s.note("game over %s", o)
	return nil
}

func (s *scripted) Close() error {
	s.note("close")
	return nil
}

func (s *scripted) Think(ctx context.Context, r usi.Request) (usi.Reply, error) {
	s.n++
	s.note("think")
	s.requests = append(s.requests, r)
	if s.think != nil {
		return s.think(ctx, s.n, r)
	}
	return first(r)
}

func first(r usi.Request) (usi.Reply, error) {
	h, err := r.Position.History()
	if err != nil {
		return usi.Reply{}, err
	}
	m := leftmost(h.Position())
	next := *h.Position()
	next.Apply(m)
	return usi.Reply{
		Answer: usi.AnswerMove, Move: m, Ponder: leftmost(&next), Nodes: 100,
		Lines: []usi.Info{{Depth: 3, HasScore: true, Score: usi.ScoreFromNumber(50), PV: []shogi.Move{m}}},
	}, nil
}

// leftmost returns the last legal move in alphabetical order, without drops.
func leftmost(p *shogi.Position) (best shogi.Move) {
	for _, m := range p.LegalMoves(nil) {
		if !m.IsDrop() && (best == shogi.NoMove || m.String() > best.String()) {
			best = m
		}
	}
	return best
}

// pondering is a scripted player that ponders.
type pondering struct{ *scripted }

func (p pondering) Ponder(_ context.Context, r usi.Request) error {
	p.note("ponder")
	p.ponders = append(p.ponders, r)
	return nil
}

// bench runs a client against servers that the test writes by hand, one for each connection.
type bench struct {
	t       *testing.T
	config  Config
	player  Player
	servers []func(*peer)
	opened  int
	dialled int
	events  []Event
	group   sync.WaitGroup
}

func newBench(t *testing.T, player Player, servers ...func(*peer)) *bench {
	t.Helper()
	b := &bench{t: t, player: player, servers: servers}
	b.config = Config{
		Settings: Settings{Games: 1, Margin: time.Second, Comments: true, Retries: 3},
		User:     "me", Password: "secret",
		Open: func(context.Context) (Player, error) {
			b.opened++
			return b.player, nil
		},
		Dial:    b.dial,
		Observe: func(e Event) { b.events = append(b.events, e) },
	}
	return b
}

func (b *bench) dial(context.Context) (io.ReadWriteCloser, error) {
	b.dialled++
	if b.dialled > len(b.servers) {
		return nil, errors.New("nobody listens")
	}
	near, far := net.Pipe()
	serve := b.servers[b.dialled-1]
	b.group.Go(func() {
		defer far.Close()
		serve(newPeer(b.t, far))
	})
	return near, nil
}

func (b *bench) run() (Tally, error) {
	b.t.Helper()
	tally, err := NewClient(b.config).Run(b.t.Context())
	b.group.Wait()
	testutil.Check(b.t, b.dialled >= len(b.servers), "only %d of %d connections were made", b.dialled, len(b.servers))
	return tally, err
}

// gameBench is newBench for one game, from its start.
func gameBench(t *testing.T, player Player, colour string, serve func(*peer)) *bench {
	t.Helper()
	return newBench(t, player, func(p *peer) {
		p.login()
		p.begin("g", colour, clock+even)
		serve(p)
	})
}

// tally requires these counts of results.
func (b *bench) tally(want Tally) {
	b.t.Helper()
	tally := testutil.Must(b.run())(b.t)
	testutil.Equal(b.t, tally, want, "tally")
}

// has requires an event of this type that contains note.
func (b *bench) has(kind EventType, note string) {
	b.t.Helper()
	for _, e := range b.events {
		if e.Type == kind && strings.Contains(e.Note+" "+e.CSA+" "+e.Comment+" "+string(e.Outcome)+" "+e.Cause, note) {
			return
		}
	}
	b.t.Errorf("no event %q with %q in %+v", kind, note, b.events)
}

// login accepts the client's login.
func (p *peer) login() {
	p.t.Helper()
	p.expect("LOGIN me secret")
	p.say("LOGIN:me OK")
}

// propose begins a game with this id, colour of the client and sections.
func (p *peer) propose(id, colour, sections string) {
	p.t.Helper()
	p.say("BEGIN Game_Summary", "Game_ID:"+id, "Name+:a", "Name-:b", "Your_Turn:"+colour, "Declaration:Jishogi 1.1",
		strings.TrimSuffix(sections, "\n"), "END Game_Summary")
}

func (p *peer) begin(id, colour, sections string) {
	p.t.Helper()
	p.propose(id, colour, sections)
	p.expect("AGREE:" + id)
	p.say("START:" + id)
}

// end sends the result of the game and waits for the client's logout.
func (p *peer) end(words ...string) {
	p.t.Helper()
	p.say(words...)
	p.expect("LOGOUT")
	p.say("LOGOUT:completed")
}

const clock = "BEGIN Time\nTime_Unit:1sec\nTotal_Time:60\nByoyomi:10\nEND Time\n"

func TestGameAsWhite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		player := &scripted{}
		b := newBench(t, player, func(p *peer) {
			p.login()
			p.begin("g1", "-", clock+even)
			p.say("##[CHAT] hello", "", "+7776FU,T7")
			p.expect("-9394FU,'* -50")
			p.say("-9394FU,T3", "+2726FU,T1")
			p.expect("-9495FU,'* -50")
			p.say("-9495FU,T4", "%TORYO,T2", "#RESIGN")
			p.end("#WIN")
		})
		b.tally(Tally{Games: 1, Wins: 1})
		testutil.Equal(t, strings.Join(player.calls, ", "), "new game white, think, think, game over win, close")
		r := player.requests[1]
		if r.Position.String() != "position startpos moves 7g7f 9c9d 2g2f" ||
			r.Go.String() != "go btime 52000 wtime 57000 byoyomi 9000" {
			t.Errorf("%s, %s", r.Position, r.Go)
		}
		record := b.events[len(b.events)-1].Record
		data, err := text.AppendCSA3(nil, record)
		testutil.Check(t, err == nil && record.Result == "resignation" && record.Winner == "white" && len(record.Moves) == 4,
			"%+v %v", record, err)
		for _, want := range []string{"N+a\nN-b\n$EVENT:g1\n", "+7776FU\nT7.000\n-9394FU\nT3.000\n'** -50 #100\n",
			"%TORYO\n"} {
			testutil.Contains(t, string(data), want, "is not in the record")
		}
	})
}

// TestEnds tests the server's messages for the end of a game.
func TestEnds(t *testing.T) {
	for _, test := range []struct {
		words          string
		outcome        Outcome
		result, winner string
		told           string
	}{
		{"#RESIGN #LOSE", Lost, "resignation", "white", "lose"},
		{"#TIME_UP #WIN", Won, "time_forfeit", "black", "win"},
		{"#ILLEGAL_MOVE #WIN", Won, "illegal_move", "black", "win"},
		{"%KACHI,T1 #ILLEGAL_MOVE #WIN", Won, "false_declaration", "black", "win"},
		{"%KACHI,T1 #JISHOGI #LOSE", Lost, "declaration", "white", "lose"},
		{"#SENNICHITE #DRAW", Drawn, "repetition", "draw", "draw"},
		{"#OUTE_SENNICHITE #LOSE", Lost, "perpetual_check", "white", "lose"},
		{"#MAX_MOVES #CENSORED", Censored, "max_plies", "", "draw"},
		{"#CHUDAN", Halted, "", "", "draw"},
		{"#EARTHQUAKE #DRAW", Drawn, "earthquake", "draw", "draw"},
	} {
		player := &scripted{}
		b := gameBench(t, player, "+", func(p *peer) {
			p.expect("+9998KY,'* 50")
			p.say("+9998KY,T1")
			p.end(strings.Fields(test.words)...)
		})
		testutil.OK(t, testutil.Err(b.run()))
		e := b.events[len(b.events)-1]
		testutil.Check(t, e.Outcome == test.outcome && e.Record.Result == test.result && e.Record.Winner == test.winner,
			"%s: %s, record %q %q", test.words, e.Outcome, e.Record.Result, e.Record.Winner)
		if told := player.calls[len(player.calls)-2]; told != "game over "+test.told {
			t.Errorf("%s: %s", test.words, told)
		}
	}
}

// TestAnswers tests every kind of answer of a player.
func TestAnswers(t *testing.T) {
	const entered = "BEGIN Position\nP1+HI+OU+HI+KI+KI+KI+KI+GI+GI\nP2+GI+GI+KE+KE+KE+KE+KA+KA * \nP-59OU\nP+00FU00FU00FU00FU\n+\nEND Position\n"
	for _, test := range []struct {
		name, position string
		reply          usi.Reply
		sent, fault    string
	}{
		{"resign", even, usi.Reply{Answer: usi.AnswerResign}, "%TORYO", ""},
		{"a declaration that holds", entered, usi.Reply{Answer: usi.AnswerWin}, "%KACHI", ""},
		{"a false declaration", even, usi.Reply{Answer: usi.AnswerWin}, "%TORYO", "declares a win that is none"},
		{"no answer at all", even, usi.Reply{Answer: usi.AnswerInvalid, Text: "zzz"}, "%TORYO", `"zzz" cannot be read`},
		{"an illegal move", even, usi.Reply{Answer: usi.AnswerMove, Move: shogi.NewMove(0, 1)}, "%TORYO", "is illegal"},
	} {
		player := &scripted{think: func(context.Context, int, usi.Request) (usi.Reply, error) { return test.reply, nil }}
		b := newBench(t, player, func(p *peer) {
			p.login()
			p.begin("g", "+", clock+test.position)
			p.expect(test.sent)
			p.end(test.sent+",T1", "#RESIGN", "#LOSE")
		})
		testutil.OK(t, testutil.Err(b.run()), test.name)
		if test.fault != "" {
			b.has(EventFault, test.fault)
		}
	}
}

// TestFailingPlayer requires that a player that fails is started again with the rest of its time. After the fourth
// failure the client resigns.
func TestFailingPlayer(t *testing.T) {
	fault := &usi.Fault{Kind: usi.FaultCrash, Engine: "e", Doing: "thinking"}
	for _, test := range []struct {
		failures int
		sent     string
	}{{1, "+9998KY,'* 50"}, {3, "+9998KY,'* 50"}, {4, "%TORYO"}} {
		synctest.Test(t, func(t *testing.T) {
			player := &scripted{think: func(_ context.Context, n int, r usi.Request) (usi.Reply, error) {
				if n <= test.failures {
					time.Sleep(2 * time.Second) // synctest's time
					return usi.Reply{}, fault
				}
				return first(r)
			}}
			b := gameBench(t, player, "+", func(p *peer) {
				p.expect(test.sent)
				p.end("#LOSE")
			})
			testutil.OK(t, testutil.Err(b.run()))
			if want := min(test.failures, 3) + 1; b.opened != want {
				t.Errorf("%d failures: opened %d times, want %d", test.failures, b.opened, want)
			}
			b.has(EventFault, "crash; gogi starts it again")
			want := fmt.Sprintf("go btime %d wtime 60000 byoyomi %d", 60000-max(0, 2000*min(3, test.failures)-9000),
				max(0, 9000-2000*min(3, test.failures)))
			testutil.Equal(t, player.requests[len(player.requests)-1].Go.String(), want, "%d failures", test.failures)
			if test.failures > 3 {
				b.has(EventFault, "resigning")
			}
		})
	}
}

// TestBestSoFar requires that a player that hangs loses its process, but not its move.
func TestBestSoFar(t *testing.T) {
	player := &scripted{think: func(_ context.Context, _ int, r usi.Request) (usi.Reply, error) {
		reply, _ := first(r)
		reply.Lines = nil
		return reply, &usi.Fault{Kind: usi.FaultHang}
	}}
	b := gameBench(t, player, "+", func(p *peer) {
		p.expect("+9998KY")
		p.end("#LOSE")
	})
	testutil.OK(t, testutil.Err(b.run()))
	b.has(EventFault, "hang")
}

func TestPonder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		player := pondering{&scripted{}}
		b := newBench(t, player, func(p *peer) {
			p.login()
			p.begin("g", "+", "BEGIN Time\nTime_Unit:1msec\nTotal_Time:60000\nIncrement:500\nEND Time\n"+even)
			p.expect("+9998KY,'* 50")
			p.say("+9998KY,T1250", "-9394FU,T10")
			p.expect("+9796FU,'* 50")
			p.end("#LOSE")
		})
		b.config.Ponder, b.config.Margin = true, 100*time.Millisecond
		testutil.OK(t, testutil.Err(b.run()))
		testutil.Require(t, len(player.ponders) == 1, "%v", player.calls)
		r := player.ponders[0]
		if r.Position.String() != "position startpos moves 9i9h 9c9d" ||
			r.Go.String() != "go btime 59250 wtime 60000 binc 400 winc 500" {
			t.Errorf("%s, %s", r.Position, r.Go)
		}
	})
}

// TestTimeUpWhileThinking requires that the end of the game stops the player.
func TestTimeUpWhileThinking(t *testing.T) {
	stopped := false
	player := &scripted{think: func(ctx context.Context, _ int, r usi.Request) (usi.Reply, error) {
		<-ctx.Done()
		stopped = true
		return first(r)
	}}
	b := gameBench(t, player, "+", func(p *peer) {
		p.end("#TIME_UP", "#LOSE")
	})
	tally, err := b.run()
	testutil.Check(t, err == nil && stopped && tally.Losses == 1, "%v %v %+v", err, stopped, tally)
}

// TestResume cuts the connection in the middle of a game. The server then continues the game.
func TestResume(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		player := &scripted{}
		b := newBench(t, player,
			func(p *peer) {
				p.login()
				p.begin("g", "+", clock+even)
				p.expect("+9998KY,'* 50")
				p.say("+9998KY,T1", "-3334FU,T2")
				p.expect("+9796FU,'* 50") // the server does not receive it
			},
			func(p *peer) {
				p.expect("LOGIN me secret")
				p.say("LOGIN:incorrect") // the server still has the old connection
			},
			func(p *peer) {
				p.login()
				p.begin("g", "+", clock+"BEGIN Position\nPI\n+\n+9998KY,T1\n-3334FU,T2\nEND Position\n")
				p.expect("+9796FU,'* 50")
				p.say("+9796FU,T20")
				p.end("#WIN")
			})
		b.tally(Tally{Games: 1, Wins: 1})
		testutil.Equal(t, strings.Join(player.calls, ", "), "new game black, think, think, think, game over win, close")
		b.has(EventLost, "ended the connection")
		record := b.events[len(b.events)-1].Record
		testutil.Check(t, len(record.Moves) == 3 && record.Moves[0].HasScore, "%+v", record.Moves)
	})
}

// TestResumeWithoutStart requires that the client resumes if the server sends the opponent's move instead of a start.
func TestResumeWithoutStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, &scripted{},
			func(p *peer) {
				p.login()
				p.begin("g", "-", clock+even)
			},
			func(p *peer) {
				p.login()
				p.propose("g", "-", clock+even)
				p.expect("AGREE:g")
				p.say("+7776FU,T30")
				p.expect("-9394FU,'* -50")
				p.end("#WIN")
			})
		b.tally(Tally{Games: 1, Wins: 1})
	})
}

// TestNotResumed requires that the client gives up a game that the server does not continue: after some time, or when
// the server proposes another game. The game does not count, so the client plays the organiser's replay, although it
// was to play one game.
func TestNotResumed(t *testing.T) {
	cut := func(p *peer) {
		p.login()
		p.begin("g", "-", clock+even)
	}
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, &scripted{}, cut, func(p *peer) {
			p.login()
			p.expect("") // the empty line in silence
			p.expect("")
			p.begin("replay", "-", clock+even)
			p.end("#WIN")
		})
		b.tally(Tally{Games: 2, Disconnected: 1, Wins: 1})
		b.has(EventEnd, "disconnected")
	})
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, &scripted{}, cut, func(p *peer) {
			p.login()
			p.begin("h", "-", clock+even)
			p.end("#WIN")
		})
		b.tally(Tally{Games: 2, Disconnected: 1, Wins: 1})
	})
}

// TestOneGameAConnection tests a server like shogi-server, which closes the connection after each game.
func TestOneGameAConnection(t *testing.T) {
	one := func(p *peer) {
		p.login()
		p.begin("g", "-", clock+even)
		p.say("#CHUDAN")
	}
	b := newBench(t, &scripted{}, one, one, one)
	b.config.Games = 3
	tally, err := b.run()
	testutil.Check(t, err == nil && tally.Games == 3, "%+v %v", tally, err)
	for _, e := range b.events {
		testutil.Check(t, e.Type != EventLost, "an ordinary end was told as %+v", e)
	}
}

// TestNextGame requires that the client logs in at once after a game if the server closes the connection of the game
// only when it gets a line, as shogi-server does. After the last game it sends only LOGOUT, which such a server may not
// read.
func TestNextGame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first := func(p *peer) {
			p.login()
			p.begin("g", "-", clock+even)
			p.say("%TORYO,T1", "#RESIGN", "#WIN")
			p.expect("")
		}
		b := newBench(t, &scripted{}, first, first, func(p *peer) {
			p.login()
			p.begin("g", "-", clock+even)
			p.say("%TORYO,T1", "#RESIGN", "#WIN")
		})
		b.config.Games = 3
		began := time.Now()
		b.tally(Tally{Games: 3, Wins: 3})
		testutil.Equal(t, time.Since(began), 0, "the games took")
		for _, e := range b.events {
			testutil.Check(t, e.Type != EventLost && e.Type != EventNotice, "an ordinary end is reported: %+v", e)
		}
	})
}

// TestGivenMoves requires that moves that are set before a game cost no time and give no increment. The limits are
// those of shogi-server (game.rb), which sends T1 with each of these moves: the first move has the main time and one
// increment. In a game that was played before, the moves count. A second is for the network.
func TestGivenMoves(t *testing.T) {
	const given = "BEGIN Position\nPI\n+\n+2838HI,T1\n-8272HI,T1\n+3828HI,T1\n-7282HI,T1\nEND Position\n"
	const played = "BEGIN Position\nPI\n+\n+2838HI,T2\n-8272HI,T1\n+3828HI,T1\n-7282HI,T1\nEND Position\n"
	times := func(words string) string { return "BEGIN Time\nTime_Unit:1sec\n" + words + "\nEND Time\n" }
	for _, test := range []struct{ name, times, position, want string }{
		{"Fischer", times("Total_Time:3\nByoyomi:0\nIncrement:4"), given, "go btime 3000 wtime 3000 binc 3000 winc 4000"},
		{"sudden death", times("Total_Time:8\nByoyomi:0\nIncrement:0"), given, "go btime 7000 wtime 8000 byoyomi 0"},
		{"played before", times("Total_Time:8\nByoyomi:0\nIncrement:0"), played, "go btime 4000 wtime 6000 byoyomi 0"},
		{"the rest is named", times("Total_Time:30\nByoyomi:0\nIncrement:4\nRemaining_Time+:9\nRemaining_Time-:8"), given,
			"go btime 9000 wtime 8000 binc 3000 winc 4000"},
	} {
		synctest.Test(t, func(t *testing.T) {
			player := &scripted{}
			b := newBench(t, player, func(p *peer) {
				p.login()
				p.begin("g", "+", test.times+test.position)
				p.expect("+9998KY,'* 50")
				p.end("#LOSE")
			})
			testutil.OK(t, testutil.Err(b.run()))
			testutil.Equal(t, player.requests[0].Go.String(), test.want, "%s", test.name)
		})
	}
}

// TestGivenMovesOfAResumedGame requires that the moves set before the game cost no time when it resumes. The moves
// played since then do, even if each took one second.
func TestGivenMovesOfAResumedGame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const start = "BEGIN Time\nTime_Unit:1sec\nTotal_Time:30\nIncrement:4\nEND Time\nBEGIN Position\nPI\n+\n+2838HI,T1\n-8272HI,T1\n"
		player := &scripted{}
		b := newBench(t, player,
			func(p *peer) {
				p.login()
				p.begin("g", "+", start+"END Position\n")
				p.expect("+9998KY,'* 50")
				p.say("+9998KY,T1", "-7282HI,T1")
				p.expect("+9796FU,'* 50")
			},
			func(p *peer) {
				p.login()
				p.begin("g", "+", start+"+9998KY,T1\n-7282HI,T1\nEND Position\n")
				p.expect("+9796FU,'* 50")
				p.end("#LOSE")
			})
		testutil.OK(t, testutil.Err(b.run()))
		for i, r := range player.requests {
			want := []string{"go btime 30000 wtime 30000 binc 3000 winc 4000",
				"go btime 33000 wtime 33000 binc 3000 winc 4000"}[min(i, 1)]
			testutil.Equal(t, r.Go.String(), want, "search %d", i+1)
		}
		testutil.Equal(t, len(player.requests), 3, "searches")
	})
}

// TestGameName requires a notice if the server plays another game than the login named, and if it counts the times of a
// stop-watch game in another unit than it names.
func TestGameName(t *testing.T) {
	for _, test := range []struct{ asked, id, unit, want string }{
		{"g-60-10f", "wdoor+default-1500-0+a+b+20260101000000", "1sec",
			"the server plays the game default-1500-0, and --game is g-60-10f"},
		{"g-60-10F", "wdoor+g-60-10F+a+b+20260101000000", "1sec", ""},
		{"g-60-10F-B", "wdoor+g-60-10F+a+b+20260101000000", "1sec", ""},
		{"", "wdoor+default-1500-0+a+b+20260101000000", "1sec", ""},
		{"g-60-10F", "20260101-final", "1sec", ""},
		{"g-4-02", "wdoor+g-4-02+a+b+20260101000000", "1min", "counts the times of g-4-02 in seconds"},
		{"g-4-2", "wdoor+g-4-2+a+b+20260101000000", "1min", ""},
	} {
		b := newBench(t, &scripted{}, func(p *peer) {
			p.login()
			p.begin(test.id, "-", strings.Replace(clock, "1sec", test.unit, 1)+even)
			p.end("#WIN")
		})
		b.config.Game = test.asked
		testutil.OK(t, testutil.Err(b.run()))
		if test.want != "" {
			b.has(EventNotice, test.want)
			continue
		}
		for _, e := range b.events {
			testutil.Check(t, e.Type != EventNotice, "%s, %s: %+v", test.asked, test.id, e)
		}
	}
}

// TestRival requires that a name that is used twice is not reported as a bad network only.
func TestRival(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, &scripted{}, func(p *peer) { p.login() }, func(p *peer) {
			p.login()
			p.begin("g", "-", clock+even)
			p.end("#WIN")
		})
		b.tally(Tally{Games: 1, Wins: 1})
		b.has(EventLost, "if another program is logged in as me, the server ends the older connection")
	})
}

func TestGiveUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, &scripted{}, func(p *peer) { p.login() })
		began := time.Now()
		_, err := b.run()
		if !errors.Is(err, errGivenUp) || b.dialled != 4 || time.Since(began) != 7*time.Second {
			t.Errorf("%v after %d tries and %v", err, b.dialled, time.Since(began))
		}
	})
}

func TestRefusedName(t *testing.T) {
	for name, want := range map[string]string{"me": "or this name plays at the moment",
		"a+b": "expected a name of 1 to 32 characters", strings.Repeat("x", 33): "of 1 to 32"} {
		b := newBench(t, &scripted{}, func(p *peer) {
			p.expect("LOGIN " + name + " secret")
			p.say("LOGIN:incorrect")
		})
		b.config.User = name
		_, err := b.run()
		testutil.Check(t, errors.Is(err, ErrLogin) && strings.Contains(err.Error(), want) && b.dialled == 1,
			"%v after %d tries", err, b.dialled)
	}
}

// TestProposals tests proposals that the opponent rejects or the client cannot read.
func TestProposals(t *testing.T) {
	b := newBench(t, &scripted{}, func(p *peer) {
		p.login()
		p.propose("bad", "+", "BEGIN Position\nPnonsense\nEND Position")
		p.expect("REJECT")
		p.say("REJECT:bad by me")
		p.propose("no", "+", clock+even)
		p.expect("AGREE:no")
		p.say("REJECT:no by b")
		p.begin("yes", "-", clock+even)
		p.end("#WIN")
	})
	tally, err := b.run()
	testutil.Check(t, err == nil && tally.Games == 1, "%+v %v", tally, err)
	b.has(EventNotice, "nonsense")
	b.has(EventNotice, "no by b")
}

// TestNoStart tests a server that sends chat lines and does not begin the game.
func TestNoStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, &scripted{}, func(p *peer) {
			p.login()
			p.propose("never", "+", clock+even)
			p.expect("AGREE:never")
			p.say("##[CHAT] soon")
			for range 46 { // one line per 40 s: half an hour
				line, err := p.in.ReadString('\n')
				if err != nil || line == "REJECT:never\n" {
					return
				}
				p.say("##[CHAT] soon", "")
			}
			t.Error("it waits on")
		})
		b.config.Retries = 0
		testutil.Fails(t, testutil.Err(b.run()), "the game did not begin within 30m0s")
	})
}

// TestServersOwnMoves tests an illegal move from the server, and a move of the client that it never sent.
func TestServersOwnMoves(t *testing.T) {
	b := gameBench(t, &scripted{}, "-", func(p *peer) {
		p.say("+7775FU,T1")
		p.end("#ILLEGAL_MOVE", "#WIN")
	})
	b.tally(Tally{Games: 1, Wins: 1})
	b.has(EventNotice, "+7775FU")
	player := &scripted{think: func(ctx context.Context, _ int, r usi.Request) (usi.Reply, error) {
		<-ctx.Done()
		return first(r)
	}}
	b = gameBench(t, player, "+", func(p *peer) {
		p.say("+7776FU,T1")
		p.end("#WIN")
	})
	b.tally(Tally{Games: 1, Wins: 1})
	b.has(EventNotice, "which we have not")
}

// TestFinish requires that the game in play is the last one, and that a client that waits for a game leaves.
func TestFinish(t *testing.T) {
	var client *Client
	b := gameBench(t, &scripted{}, "-", func(p *peer) {
		p.say("+7776FU,T1")
		p.expect("-9394FU,'* -50")
		client.Finish()
		p.say("-9394FU,T1")
		p.end("#WIN")
	})
	b.config.Games = 0
	client = NewClient(b.config)
	if tally, err := client.Run(t.Context()); err != nil || tally.Wins != 1 {
		t.Errorf("%+v %v", tally, err)
	}
	b.group.Wait()
	b = newBench(t, &scripted{}, func(p *peer) {
		p.login()
		client.Finish()
		p.expect("LOGOUT")
	})
	client = NewClient(b.config)
	testutil.OK(t, testutil.Err(client.Run(t.Context())))
	b.group.Wait()
}

// TestCancel requires that the client resigns, or halts the game if the opponent is to move.
func TestCancel(t *testing.T) {
	why := errors.New("enough")
	for colour, word := range map[string]string{"+": "%TORYO", "-": "%CHUDAN"} {
		ctx, cancel := context.WithCancelCause(t.Context())
		began := make(chan struct{})
		player := &scripted{think: func(ctx context.Context, _ int, r usi.Request) (usi.Reply, error) {
			<-ctx.Done()
			return first(r)
		}}
		b := gameBench(t, player, colour, func(p *peer) {
			<-began
			cancel(why)
			p.expect(word)
			p.end("#CHUDAN")
		})
		b.config.Observe = func(e Event) {
			if e.Type == EventStart {
				close(began)
			}
		}
		tally, err := NewClient(b.config).Run(ctx)
		testutil.Check(t, errors.Is(err, why) && tally.Games <= 1, "%s: %+v %v", colour, tally, err)
		b.group.Wait()
	}
}

// TestCancelAfterAgreement: after AGREE the server may have begun the game, and count it as a loss.
func TestCancelAfterAgreement(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		b := newBench(t, &scripted{}, func(p *peer) {
			p.login()
			p.propose("g", "-", clock+even)
			p.expect("AGREE:g")
			cancel()
			p.expect("REJECT:g")
		})
		_, err := NewClient(b.config).Run(ctx)
		b.group.Wait()
		testutil.Check(t, errors.Is(err, context.Canceled), "%v", err)
		b.has(EventNotice, "it may count it as a loss")
	})
}

// TestCancelWithoutAnswer: shogi-server does not know %CHUDAN. The client leaves the game with LOGOUT, and says that
// the server may count a loss.
func TestCancelWithoutAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		began := make(chan struct{})
		b := gameBench(t, &scripted{}, "-", func(p *peer) {
			<-began
			cancel()
			p.expect("%CHUDAN")
			p.expect("LOGOUT")
		})
		notices := ""
		b.config.Observe = func(e Event) {
			switch e.Type {
			case EventStart:
				close(began)
			case EventNotice:
				notices += e.Note
			}
		}
		_, err := NewClient(b.config).Run(ctx)
		b.group.Wait()
		testutil.Check(t, errors.Is(err, context.Canceled) && strings.Contains(notices, "may count it as a loss"),
			"%v, notices %q", err, notices)
	})
}

// Opponent returns the name of the other player.
func (s *Summary) Opponent() string { return s.Names[s.Colour.Opponent()] }
