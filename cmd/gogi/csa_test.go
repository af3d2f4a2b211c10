package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"gogi/internal/testutil"
	"gogi/usi/csa"
	"gogi/usi/csa/watch"
)

// csaClient is a gogi csa process.
type csaClient struct {
	t      *testing.T
	cmd    *exec.Cmd
	dir    string
	stdout bytes.Buffer
	stderr bytes.Buffer // read it after wait
	ended  chan error   // gets the result of Wait
	said   chan string
}

// startCSA starts a client. The client reads its password from the environment.
func startCSA(t *testing.T, server *csaServer, user string, args ...string) *csaClient {
	t.Helper()
	c := &csaClient{t: t, dir: t.TempDir(), ended: make(chan error, 1), said: make(chan string, 1000)}
	c.cmd = exec.CommandContext(t.Context(), "gogi", append([]string{"csa", server.address(), "--user", user}, args...)...)
	c.cmd.Dir, c.cmd.Stdout = c.dir, &c.stdout
	c.cmd.Env = append(os.Environ(), "GOGI_CSA_PASSWORD"+"=secret-"+user)
	pipe := testutil.Must(c.cmd.StderrPipe())(t)
	testutil.OK(t, c.cmd.Start())
	go func() {
		lines := bufio.NewScanner(io.TeeReader(pipe, &c.stderr))
		for lines.Scan() {
			c.said <- lines.Text()
		}
		close(c.said)
		c.ended <- c.cmd.Wait()
	}()
	return c
}

// hears waits until the client prints text on stderr.
func (c *csaClient) hears(text string) {
	c.t.Helper()
	for line := range c.said {
		if strings.Contains(line, text) {
			return
		}
	}
	c.t.Fatalf("the client never said %q", text)
}

// wait returns the exit code. It checks that the client does not print its password.
func (c *csaClient) wait() int {
	c.t.Helper()
	err := <-c.ended
	testutil.Check(c.t, !strings.Contains(c.stderr.String()+c.stdout.String(), "secret"),
		"the client shows its password:\n%s", c.stderr.String())
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.ExitCode()
	}
	testutil.OK(c.t, err)
	return 0
}

// finished asserts the exit code and a text on stdout.
func (c *csaClient) finished(code int, stdout string) {
	c.t.Helper()
	if got := c.wait(); got != code || !strings.Contains(c.stdout.String(), stdout) {
		c.t.Errorf("code %d, want %d; stdout %q, want %q; stderr:\n%s", got, code, c.stdout.String(), stdout,
			c.stderr.String())
	}
}

const csaMilliseconds = "Time_Unit:1msec\nTotal_Time:3000\nIncrement:20\n"

// TestCSABuiltin: two clients play whole handicap games with the built-in engine, over TCP and with a clock of
// milliseconds.
func TestCSABuiltin(t *testing.T) {
	t.Parallel()
	two := "PI82HI22KA\n-\n"
	s := newCSAServer(t, &csaServer{times: csaMilliseconds, place: two, maxMoves: 8,
		passwords: map[string]string{"a": "floodgate-300-10F,secret-a", "b": "secret-b"}})
	a := startCSA(t, s, "a", "--engine", "x=builtin", "--margin", "10s", "--games", "2", "--records", "games", "--game",
		"floodgate-300-10F", "--verbose")
	b := startCSA(t, s, "b", "--engine", "x=builtin", "--margin", "10s", "--games", "2", "--json", "--ponder")
	a.finished(0, "2 games")
	b.finished(0, `"type":"end"`)
	s.close()
	testutil.Require(t, len(s.ended) == 2, "the games ended with %v", s.ended)
	for _, cause := range s.ended {
		if cause != "#MAX_MOVES" {
			t.Errorf("a game ended with %s; a:\n%s\nb:\n%s\n%s", cause, a.stderr.String(), b.stderr.String(), b.stdout.String())
		}
	}
	checkCSAComments(t, s, "a", "+")
	checkCSAComments(t, s, "b", "-")
	checkCSAEvents(t, b.stdout.String(), 2*8)
	for _, name := range []string{"test_1", "test_2", "test+1", "test+2"} {
		text, err := os.ReadFile(filepath.Join(a.dir, "games", name+".csa"))
		if wanted := strings.Contains(name, "+"); (err == nil) != wanted {
			t.Errorf("%s: %v", name, err)
		} else if wanted && (!strings.Contains(string(text), "\nN+a\n") ||
			!strings.Contains(string(text), "\n%MAX_MOVES\n") || strings.Count(string(text), "\nT") != 8) {
			t.Errorf("%s:\n%s", name, text)
		}
	}
}

// checkCSAComments checks that both players send scores from Black's view. Black is two pieces ahead, so each score is
// positive. It also checks that the variations begin with the reply.
func checkCSAComments(t *testing.T, s *csaServer, name, sign string) {
	t.Helper()
	seen := 0
	for _, line := range s.said(name) {
		move, comment, ok := strings.Cut(line, ",'* ")
		if !ok || !strings.HasPrefix(move, sign) {
			continue
		}
		words := strings.Fields(comment)
		score, err := strconv.Atoi(words[0])
		if err != nil || score <= 0 {
			t.Errorf("%s: score %q", line, words[0])
		}
		last := sign
		for _, word := range words[1:] {
			testutil.Check(t, !strings.HasPrefix(word, last), "%s: %s is by the side that has moved before", line, word)
			last = word[:1]
		}
		seen++
	}
	if seen < 3 { // of eight; on a busy machine a move may have no time for a whole iteration
		t.Errorf("%s sent only %d comments", name, seen)
	}
}

func checkCSAEvents(t *testing.T, text string, moves int) {
	t.Helper()
	counts := map[csa.EventType]int{}
	for line := range strings.Lines(text) {
		var e watch.CsaEvent
		err := json.Unmarshal([]byte(line), &e)
		testutil.Require(t, err == nil && e.Version == 1, "%s: %v", line, err)
		counts[e.Type]++
	}
	testutil.Check(t, counts[csa.EventStart] == 2 && counts[csa.EventEnd] == 2 && counts[csa.EventMove] == moves, "%v",
		counts)
}

// TestCSAReconnect: the server cuts Black's connection in the middle of the game. The client connects again and
// finishes the game.
func TestCSAReconnect(t *testing.T) {
	t.Parallel()
	s := newCSAServer(t, &csaServer{maxMoves: 16, cutAt: 7})
	a := startCSA(t, s, "a", "--engine", "x=fakeengine", "--verbose")
	a.hears("logged in")
	b := startCSA(t, s, "b", "--engine", "x=fakeengine")
	a.finished(0, "1 game: 0 won, 0 lost, 0 drawn, 1 without a result")
	b.finished(0, "1 game")
	s.close()
	testutil.Check(t, s.cuts == 1 && len(s.moves) == 16, "%d cuts, %d moves", s.cuts, len(s.moves))
	for _, want := range []string{"trying again in", "goes on: a (Black)"} {
		testutil.Check(t, strings.Contains(a.stderr.String(), want), "%q is not in:\n%s", want, a.stderr.String())
	}
}

// TestCSACrash: gogi restarts an engine that crashes in a search, up to three times in a game. At the fourth crash, an
// illegal move or a false declaration, it resigns.
func TestCSACrash(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		script string
		faults int
		cause  string
	}{
		{"exit@go:2", 3, "#MAX_MOVES"},
		{"exit@go", 4, "#RESIGN"},
		{"illegal@go:2", 1, "#RESIGN"},
		{"win@go:2", 1, "#RESIGN"},
	} {
		s := newCSAServer(t, &csaServer{maxMoves: 7}) // no search runs at the end
		mark := filepath.Join(t.TempDir(), "mark")
		a := startCSA(t, s, "a", "--engine", "x=fakeengine -mark "+mark+" -script "+test.script, "--verbose")
		b := startCSA(t, s, "b", "--engine", "x=fakeengine")
		a.finished(0, "1 game")
		b.finished(0, "1 game")
		s.close()
		text, err := os.ReadFile(mark)
		if n := strings.Count(string(text), "\n"); err != nil || n != test.faults {
			t.Errorf("%s: %d faults were played: %v\n%s; stderr:\n%s", test.script, n, err, text, a.stderr.String())
		}
		if len(s.ended) != 1 || s.ended[0] != test.cause || !strings.Contains(a.stderr.String(), "fault: ") {
			t.Errorf("%s: ended with %v; stderr:\n%s", test.script, s.ended, a.stderr.String())
		}
	}
}

const csaFile = `
games = 2
limits = {nodes = 10}
[[engine]]
name = "one"
cmd = "fakeengine"
[[engine]]
name = "opponent"
cmd = "fakeengine"
`

// TestCSAPlayers: an engine of a match file plays against a council.
func TestCSAPlayers(t *testing.T) {
	t.Parallel()
	s := newCSAServer(t, &csaServer{maxMoves: 5})
	dir := t.TempDir()
	series, council := filepath.Join(dir, "series.toml"), filepath.Join(dir, "council.toml")
	voters := csaFile + "[[council]]\nname = \"both\"\nrule = \"majority\"\nmembers = [\"one\", \"opponent\"]\n"
	testutil.OK(t, errors.Join(os.WriteFile(series, []byte(csaFile), 0o600), os.WriteFile(council, []byte(voters), 0o600)))
	a := startCSA(t, s, "a", "--file", series, "--player", "opponent", "--option", "opponent.USI_Hash=64", "--no-comments",
		"--verbose")
	b := startCSA(t, s, "b", "--file", council)
	a.finished(0, "1 game")
	b.finished(0, "1 game")
	s.close()
	said := strings.Join(s.said("a"), "\n")
	testutil.Check(t, !strings.Contains(said, "'"), "comments in spite of --no-comments:\n%s", said)
	testutil.Check(t, len(s.ended) == 1 && s.ended[0] == "#MAX_MOVES", "the games ended with %v; the council:\n%s",
		s.ended, b.stderr.String())
}

// TestCSAInterrupt: after the first interrupt, the client ends after the game.
func TestCSAInterrupt(t *testing.T) {
	t.Parallel()
	reached := make(chan struct{})
	var once sync.Once
	s := newCSAServer(t, &csaServer{maxMoves: 20, onPly: func(ply int) {
		if ply == 3 {
			once.Do(func() { close(reached) })
		}
	}})
	a := startCSA(t, s, "a", "--engine", "x=fakeengine -think 50ms", "--games", "0", "--verbose")
	b := startCSA(t, s, "b", "--engine", "x=fakeengine")
	<-reached
	testutil.OK(t, a.cmd.Process.Signal(os.Interrupt))
	a.finished(130, "1 game")
	b.finished(0, "1 game")
	s.close()
	testutil.Check(t, len(s.moves) == 20 && s.ended[0] == "#MAX_MOVES", "%d moves, %v", len(s.moves), s.ended)
}

func TestCSAInterruptTwice(t *testing.T) {
	t.Parallel()
	s := newCSAServer(t, &csaServer{})
	a := startCSA(t, s, "a", "--engine", "x=fakeengine -think 1h", "--verbose")
	b := startCSA(t, s, "b", "--engine", "x=fakeengine", "--games", "0", "--verbose")
	a.hears("begins")
	testutil.OK(t, a.cmd.Process.Signal(os.Interrupt))
	a.hears("interrupted: ending after the game in play; once more to cut them")
	testutil.OK(t, a.cmd.Process.Signal(os.Interrupt))
	a.finished(130, "1 game: 0 won, 1 lost")
	b.hears("win #RESIGN")
	if err := b.cmd.Process.Signal(os.Interrupt); err != nil { // b waits for another game
		t.Fatal(err)
	}
	b.finished(130, "1 game: 1 won")
	s.close()
	said := s.said("a")
	testutil.Check(t, said[len(said)-1] == "%TORYO", "%q", said)
}

// TestCSAUsage tests the errors of wrong commands, of a rejected name and of a missing server.
func TestCSAUsage(t *testing.T) {
	t.Parallel()
	s := newCSAServer(t, &csaServer{passwords: map[string]string{"a": "other"}})
	for _, test := range []struct {
		args   string
		code   int
		stderr string
	}{
		{"--engine x=fakeengine", 1, "refused the name or the password"},
		{"", 2, "there is no player"},
		{"--engine x=nosuchprogram", 2, "nosuchprogram"},
		{"--engine x=fakeengine --engine y=fakeengine", 2, "--player"},
		{"--engine x=fakeengine --option x.Hashh=1", 1, "Hashh"},
		{"--engine x=fakeengine --password with,\x01", 2, "character"},
		{"--engine x=fakeengine --password-file nosuchfile", 2, "nosuchfile"},
		{"--engine x=fakeengine --games=-1", 2, "negative"},
		{"--engine x=fakeengine --rules nosuchrules", 2, "nosuchrules"},
	} {
		c := startCSA(t, s, "a", strings.Fields(test.args)...)
		if code := c.wait(); code != test.code || !strings.Contains(c.stderr.String(), test.stderr) {
			t.Errorf("%s: code %d, stderr %s; want %d and %q", test.args, code, c.stderr.String(), test.code, test.stderr)
		}
	}
	s.listener.Close()
	c := startCSA(t, s, "a", "--engine", "x=fakeengine", "--retries", "0")
	if code := c.wait(); code != 1 ||
		!strings.Contains(c.stderr.String(), "connection refused; check the host and the port") {
		t.Errorf("nobody listens: code %d, stderr %s", code, c.stderr.String())
	}
}
