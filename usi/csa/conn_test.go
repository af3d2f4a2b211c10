package csa

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"gogi/internal/testutil"
)

// peer is the server's end of a connection, whose lines the test writes.
type peer struct {
	t    *testing.T
	conn net.Conn
	in   *bufio.Reader
}

func newPeer(t *testing.T, conn net.Conn) *peer {
	t.Helper()
	return &peer{t: t, conn: conn, in: bufio.NewReader(conn)}
}

// expect reads one line and compares it with the expected line.
func (p *peer) expect(want string) {
	p.t.Helper()
	line, err := p.in.ReadString('\n')
	testutil.Check(p.t, err == nil && strings.TrimSuffix(line, "\n") == want, "the server got %q, %v; want %q", line, err,
		want)
}

func (p *peer) say(lines ...string) {
	p.t.Helper()
	testutil.OK(p.t, testutil.Err(io.WriteString(p.conn, strings.Join(lines, "\n")+"\n")))
}

func pipe(t *testing.T) (*Conn, *peer) {
	t.Helper()
	near, far := net.Pipe()
	return NewConn(near), newPeer(t, far)
}

func TestLogin(t *testing.T) {
	for _, test := range []struct {
		answer []string
		want   error
	}{
		{[]string{"LOGIN:me OK"}, nil},
		{[]string{"##[NOTICE] hello", "", "LOGIN:me OK\r"}, nil},
		{[]string{"LOGIN:incorrect"}, ErrLogin},
	} {
		c, p := pipe(t)
		go func() {
			p.expect("LOGIN me game,secret")
			p.say(test.answer...)
		}()
		if err := c.Login(t.Context(), "me", "game,secret"); !errors.Is(err, test.want) ||
			(err == nil) != (test.want == nil) {
			t.Errorf("%q: %v", test.answer, err)
		} else if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("the error shows the password: %v", err)
		}
		c.Close()
	}
	c, _ := pipe(t)
	defer c.Close()
	if err := c.Login(t.Context(), "me", "two\nlines"); err == nil || strings.Contains(err.Error(), "two") {
		t.Errorf("a line break in the password: %v", err)
	}
}

func TestLoginUnanswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, p := pipe(t)
		defer c.Close()
		go io.Copy(io.Discard, p.conn)
		testutil.Fails(t, c.Login(t.Context(), "me", "secret"), "no answer within 30s")
	})
}

// TestKeepAlive requires that the client sends empty lines only in silence, and never within 30 seconds of its last
// line.
func TestKeepAlive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, p := pipe(t)
		began := time.Now()
		type heard struct {
			line string
			at   time.Duration
		}
		lines := make(chan heard, 10)
		go func() {
			for {
				line, err := p.in.ReadString('\n')
				if err != nil {
					close(lines)
					return
				}
				lines <- heard{line, time.Since(began)}
			}
		}()
		time.Sleep(25 * time.Second) // synctest's time
		testutil.OK(t, c.Send("+7776FU"))
		time.Sleep(90 * time.Second) // synctest's time
		c.Close()
		var got []heard
		for l := range lines {
			got = append(got, l)
		}
		want := []heard{{"+7776FU\n", 25 * time.Second}, {"\n", 65 * time.Second}, {"\n", 105 * time.Second}}
		testutil.Require(t, len(got) == len(want), "%v", got)
		for i := range want {
			testutil.Equal(t, got[i], want[i], "line %d", i)
		}
	})
}

// TestSilence requires that a server counts as lost if it has answered an empty line and then is silent. A server that
// never answered one does not.
func TestSilence(t *testing.T) {
	for _, answers := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			c, p := pipe(t)
			go func() {
				for n := 0; ; n++ {
					if _, err := p.in.ReadString('\n'); err != nil {
						return
					}
					if answers && n == 0 {
						p.say("")
					}
				}
			}()
			began := time.Now()
			select {
			case <-c.Messages():
				if !answers || c.Err() == nil || !strings.Contains(c.Err().Error(), "silent for 2m0s") {
					t.Errorf("answers %v: %v", answers, c.Err())
				}
				took := time.Since(began)
				testutil.Check(t, took >= 2*time.Minute, "lost after %v", took)
			case <-time.After(time.Hour):
				testutil.Check(t, !answers, "the silence was never noticed")
			}
			c.Close()
		})
	}
}

// TestHostileServer requires that a hostile line causes at most an error.
func TestHostileServer(t *testing.T) {
	for name, text := range map[string]string{
		"a long line":           strings.Repeat("x", 2*maxLine),
		"a summary without end": "BEGIN Game_Summary\n" + strings.Repeat("x\n", maxSummaryLines+1),
		"a heavy summary": "BEGIN Game_Summary\n" +
			strings.Repeat(strings.Repeat("x", maxLine-1)+"\n", maxSummaryBytes/(maxLine-1)+1),
		"a cut summary": "BEGIN Game_Summary\nx\n",
	} {
		c, p := pipe(t)
		go func() {
			io.WriteString(p.conn, text) // it may be cut off
			p.conn.Close()
		}()
		for m := range c.Messages() {
			t.Errorf("%s: %+v", name, m)
		}
		testutil.Check(t, c.Err() != nil, "%s: no error", name)
		c.Close()
	}
	c, p := pipe(t)
	defer c.Close()
	go p.say("BEGIN Game_Summary", "rubbish", "END Game_Summary", "\x00\xff", "##[CHAT] x", "#NEW_WORD")
	kinds := []Kind{Proposed, Other, Other, Cause}
	for i, want := range kinds {
		if m := <-c.Messages(); m.Kind != want || i == 0 && m.Err == nil {
			t.Errorf("message %d: %+v", i, m)
		}
	}
}

// TestFlood requires that a server sends at most a fixed number of lines a minute, also instead of an answer.
func TestFlood(t *testing.T) {
	most := strings.Repeat("##[CHAT] x\n\n", maxRate/2-1) + "##[CHAT] x\n" // one less than the limit
	for _, test := range []struct {
		text  []string
		pause time.Duration // before each but the first
		want  error
	}{
		{[]string{most, "LOGIN:me OK\n"}, 0, nil},
		{[]string{most, "\nLOGIN:me OK\n"}, 0, errFlood},
		{[]string{most, "\n\nLOGIN:me OK\n"}, floodWindow, errFlood},
		{[]string{most, most, most, "LOGIN:me OK\n"}, floodWindow + time.Second, nil},
	} {
		synctest.Test(t, func(t *testing.T) {
			c, p := pipe(t)
			defer c.Close()
			go func() {
				go io.Copy(io.Discard, p.conn) // the empty lines of the client
				for i, text := range test.text {
					if i > 0 {
						time.Sleep(test.pause) // synctest's time
					}
					io.WriteString(p.conn, text) // it may be cut off
				}
			}()
			if _, err := c.await(t.Context(), LoggedIn); !errors.Is(err, test.want) || (err == nil) != (test.want == nil) {
				t.Errorf("%d texts, %v: %v, want %v", len(test.text), test.pause, err, test.want)
			}
		})
	}
}

func TestLogout(t *testing.T) {
	for _, answer := range []string{"LOGOUT:completed\n", ""} { // the second closes at once
		c, p := pipe(t)
		go func() {
			p.expect("LOGOUT")
			io.WriteString(p.conn, answer)
			p.conn.Close()
		}()
		testutil.OK(t, c.Logout(t.Context()), "%q", answer)
		c.Close()
	}
	c, p := pipe(t)
	defer c.Close()
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		p.expect("LOGOUT")
		cancel()
	}()
	testutil.Is(t, c.Logout(ctx), context.Canceled)
}
