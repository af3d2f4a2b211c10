package csa

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"gogi/internal/testutil"
	"gogi/usi"
)

// TestRealShogiServer plays against a shogi-server, in whose dialogue most games of the CSA protocol are played. It is
// skipped unless the variable GOGI_SHOGI_SERVER names the folder of one. It then needs ruby. The limits of time here
// only end a hang: a game that is lost on time, or a login that waits for the server, makes the test fail by its
// result.
func TestRealShogiServer(t *testing.T) {
	folder := os.Getenv("GOGI_SHOGI_SERVER")
	if folder == "" {
		t.Skip("it needs ruby and the variable GOGI_SHOGI_SERVER with the folder of a shogi-server")
	}
	ruby, err := exec.LookPath("ruby")
	testutil.OK(t, err, "GOGI_SHOGI_SERVER is set")
	s := &shogiServer{t: t, ruby: ruby, dir: t.TempDir()}
	testutil.OK(t, os.CopyFS(s.dir, os.DirFS(folder)))
	main := filepath.Join(s.dir, "shogi-server")
	text := testutil.Must(os.ReadFile(main))(t)
	binds := regexp.MustCompile(`(config\[:BindAddress\] =).*`)
	testutil.Require(t, len(binds.FindAll(text, -1)) == 1,
		"%s does not set its address once; the test must bind it to loopback", main)
	testutil.OK(t, os.WriteFile(main, binds.ReplaceAll(text, []byte(`$1 "127.0.0.1"`)), 0o600))
	s.start()

	// A Fischer game from eight given moves: the server gives the first move 3 + 4 seconds. Black uses the time that gogi
	// tells it.
	s.buoy("buoy_t1-3-4F", "+2838HI-8272HI+3828HI-7282HI+2838HI-8272HI+3828HI-7282HI")
	games := s.play("buoy_t1-3-4F", 1, nil)
	testutil.Check(t, games[0].cause == "#RESIGN" && games[1].outcome == Won, "a game from given moves: %+v", games)

	// The same without an increment: the given moves take nothing from the 8 seconds. Else Black has 4 seconds, less a
	// margin.
	s.buoy("buoy_t2-8-0", "+2838HI-8272HI+3828HI-7282HI+2838HI-8272HI+3828HI")
	games = s.play("buoy_t2-8-0", 1, nil)
	testutil.Check(t, games[0].cause == "#RESIGN" && games[0].told > 4*time.Second, "sudden death from given moves: %+v",
		games)

	// The second game begins before the server's minute is over, and before gogi's next empty line.
	began := time.Now()
	games = s.play("g-60-10F", 2, nil)
	testutil.Check(t, games[0].tally.Losses == 2 && games[1].tally.Wins == 2 && time.Since(began) < keepAliveAfter,
		"two games after each other: %+v after %v", games, time.Since(began))
	// An ordinary end needs no notice, and loses no connection.
	testutil.Check(t, games[0].notices == "" && games[1].notices == "", "notices of ordinary games: %+v", games)

	// A stop-watch clock: the server names minutes and counts seconds.
	games = s.play("w-40-010", 1, nil)
	testutil.Check(t, strings.Contains(games[0].notices, "in seconds") && strings.Contains(games[1].notices, "in seconds"),
		"a stop-watch clock: %+v", games)
	testutil.Check(t, games[0].cause == "#RESIGN" && games[1].outcome == Won, "a stop-watch clock: %+v", games)

	s.rivals("g-62-10F")
	s.refused("a+b", "of 1 to 32")
	s.refused(strings.Repeat("x", 33), "of 1 to 32")

	games = s.play("bad_name", 1, nil)
	testutil.Check(t, strings.Contains(games[0].notices, "the server plays the game default-1500-0"),
		"a name that the server does not understand: %+v", games)

	// An interrupt in the opponent's turn: gogi leaves the game, and the opponent wins.
	ctx, cancel := context.WithCancel(t.Context())
	games = s.playUntil(ctx, "r-61-10", 1, func() {
		cancel()
		<-time.After(2 * farewell) // the server is another process
	})
	testutil.Check(t, games[0].outcome == Won && strings.Contains(games[1].notices, "may count it as a loss"),
		"an interrupt in the opponent's turn: %+v", games)

	// The server crashes in a game. The game does not count, and the next one does.
	games = s.play("r-60-10", 1, func() {
		<-time.After(7 * time.Second) // the server names games by the second, and runs ahead by one for each game
		s.stop()
		s.start()
	})
	testutil.Check(t, games[0].tally == Tally{Games: 2, Losses: 1, Disconnected: 1} &&
		games[1].tally == Tally{Games: 2, Wins: 1, Disconnected: 1}, "a crash of the server: %+v", games)
}

// shogiServer is a running shogi-server on loopback.
type shogiServer struct {
	t         *testing.T
	ruby, dir string
	address   string
	cmd       *exec.Cmd
}

// start starts the server and waits until it accepts connections. At the second start it keeps the port.
func (s *shogiServer) start() {
	s.t.Helper()
	if s.address == "" {
		l := testutil.Must(net.Listen("tcp", "127.0.0.1:0"))(s.t)
		s.address = l.Addr().String()
		testutil.OK(s.t, l.Close())
	}
	_, port, err := net.SplitHostPort(s.address)
	testutil.OK(s.t, err)
	s.cmd = exec.CommandContext(s.t.Context(), s.ruby, "shogi-server", "--least-time-per-move", "0", "test", port)
	s.cmd.Dir = s.dir
	testutil.OK(s.t, s.cmd.Start())
	s.t.Cleanup(s.stop)
	for range 600 {
		if conn, err := net.Dial("tcp", s.address); err == nil {
			testutil.OK(s.t, conn.Close())
			return
		}
		<-time.After(50 * time.Millisecond) // another process: there is no event to wait for
	}
	s.t.Fatal("the server accepts no connection")
}

// stop kills the server. It may be called again.
func (s *shogiServer) stop() {
	if s.cmd != nil {
		_ = s.cmd.Process.Kill() // it may have ended
		_ = s.cmd.Wait()         // killed
		s.cmd = nil
	}
}

// buoy registers a game that begins from given moves.
func (s *shogiServer) buoy(name, moves string) {
	s.t.Helper()
	conn := NewConn(testutil.Must(net.Dial("tcp", s.address))(s.t))
	defer conn.Close()
	testutil.OK(s.t, conn.Send("LOGIN buoys x x1"))
	testutil.OK(s.t, conn.Send("%%SETBUOY "+name+" "+moves+" 1"))
	for m := range conn.Messages() {
		if strings.Contains(m.Text, "SETBUOY") {
			testutil.Check(s.t, strings.Contains(m.Text, "+OK"), "the server answers %q", m.Text)
			return
		}
	}
	s.t.Error("no answer to SETBUOY")
}

// rivals logs in twice with one name. The server ends the older connection each time, and both clients name the cause.
func (s *shogiServer) rivals(game string) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), time.Minute)
	defer cancel()
	notes := make(chan int)
	var clients sync.WaitGroup
	for i := range 2 {
		client := s.client("rival", game+"-B", 1, &scripted{}, func(e Event) {
			if e.Type == EventLost && strings.Contains(e.Note, "if another program is logged in as rival") {
				select {
				case notes <- i:
				case <-ctx.Done():
				}
			}
		})
		clients.Go(func() {
			_, err := client.Run(ctx)
			testutil.Check(s.t, errors.Is(err, context.Canceled), "%v", err)
		})
	}
	heard := map[int]bool{}
	for len(heard) < 2 && ctx.Err() == nil {
		select {
		case i := <-notes:
			heard[i] = true
		case <-ctx.Done():
			s.t.Errorf("the clients that named a rival: %v", heard)
		}
	}
	cancel()
	clients.Wait()
}

// refused logs in with a name that the server rejects.
func (s *shogiServer) refused(name, want string) {
	s.t.Helper()
	_, err := s.client(name, "g-60-10F-B", 1, &scripted{}, nil).Run(s.t.Context())
	testutil.Check(s.t, errors.Is(err, ErrLogin) && strings.Contains(err.Error(), want), "%s: %v", name, err)
}

// client returns a client that plays games.
func (s *shogiServer) client(user, game string, games int, player *scripted, observe func(Event)) *Client {
	return NewClient(Config{
		Settings: Settings{Games: games, Margin: time.Second, Retries: 10}, User: user, Password: game + ",x", Game: game,
		Open:    func(context.Context) (Player, error) { return player, nil },
		Dial:    func(context.Context) (io.ReadWriteCloser, error) { return net.Dial("tcp", s.address) },
		Observe: observe,
	})
}

// side is the result of one client.
type side struct {
	tally          Tally
	outcome        Outcome
	cause, notices string
	told           time.Duration // Black's time at its first move
}

// play plays games between two clients, and returns the results of Black and White. Black resigns at its second move.
// With short clocks it uses its whole time for the first move. begun is called when Black first thinks
// and White has begun.
func (s *shogiServer) play(game string, games int, begun func()) [2]side {
	s.t.Helper()
	return s.playUntil(s.t.Context(), game, games, begun)
}

// playUntil does the same as play. The end of white interrupts White.
func (s *shogiServer) playUntil(white context.Context, game string, games int, begun func()) (results [2]side) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), 3*time.Minute)
	defer cancel()
	contexts := [2]context.Context{ctx, white}
	done := make(chan error, 2)
	whiteBegan := make(chan struct{})
	whiteBegins := sync.OnceFunc(func() { close(whiteBegan) })
	for i, colour := range []string{"-B", "-W"} {
		r := &results[i]
		player := &scripted{think: func(ctx context.Context, n int, q usi.Request) (usi.Reply, error) {
			if n == 1 {
				r.told = q.Go.BTime + q.Go.BInc
			}
			if colour == "-B" && n == 1 {
				if begun != nil {
					<-whiteBegan
					begun()
				}
				if r.told < 30*time.Second {
					select {
					case <-time.After(r.told):
					case <-ctx.Done():
					}
				}
			}
			if own := q.Position.Moves; colour == "-B" && len(own)%8 == 2 {
				return usi.Reply{Answer: usi.AnswerResign}, nil
			}
			return first(q)
		}}
		client := s.client(fmt.Sprintf("p%d-%s", i, game), game+colour, games, player, func(e Event) {
			switch e.Type {
			case EventStart:
				if i == 1 {
					whiteBegins()
				}
			case EventNotice, EventLost:
				r.notices += e.Note + "\n"
			case EventEnd:
				r.outcome, r.cause = e.Outcome, e.Cause
			}
		})
		go func() {
			var err error
			if r.tally, err = client.Run(contexts[i]); white.Err() != nil && i == 1 {
				err = nil // it was interrupted
			}
			done <- err
		}()
	}
	for range results {
		testutil.OK(s.t, <-done, game)
	}
	return results
}
