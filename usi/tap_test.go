package usi_test

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
	"gogi/usi"
)

// listener is a tap that stores everything as text.
type listener struct {
	transcript
	failed string
}

func (l *listener) Sent(_ time.Time, text []byte) {
	l.add("> " + strings.ReplaceAll(string(text), "\n", "|"))
}
func (l *listener) Received(_ time.Time, line []byte) { l.add("< " + string(line)) }
func (l *listener) Game(g usi.Game)                   { l.add(fmt.Sprintf("game %d.%d", g.Pair, g.Leg)) }
func (l *listener) Over()                             { l.add("over") }
func (l *listener) Failed(f usi.Failure) string {
	l.add(fmt.Sprintf("failed %s %v %v: %s", f.Kind, f.Blamed, f.Deadline, f.Note))
	return l.failed
}

// answers returns a connection to an engine that writes one text after each message, and then ends.
func answers(t *testing.T, texts ...string) (net.Conn, *sync.WaitGroup) {
	ours, theirs := net.Pipe()
	var engine sync.WaitGroup
	engine.Go(func() {
		defer theirs.Close()
		buf := make([]byte, 1000)
		for _, text := range texts {
			testutil.Check(t, testutil.Err(theirs.Read(buf)) == nil, "reading")
			testutil.Check(t, testutil.Err(io.WriteString(theirs, text)) == nil, "writing")
		}
	})
	return ours, &engine
}

// TestTap requires that the tap gets every line of both sides in order, and the failures. The fault has the name of its
// record. Close after a failure reports no other failure.
func TestTap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ours, engine := answers(t, "usiok\r\n", "readyok\n", "", "info x\n\xff noise\nbestmove 7g7f\n", "info dying")
		tap := &listener{failed: "the record"}
		e, err := usi.Greet(t.Context(), ours, usi.Config{Name: "test", Tap: tap})
		testutil.OK(t, err)
		testutil.OK(t, e.NewGame(t.Context(), usi.Game{Pair: 3, Leg: 1}))
		r := usi.Request{Position: usi.Position{Start: "startpos"}, Go: usi.Go{Nodes: 5}, Deadline: time.Minute}
		testutil.Must(e.Think(t.Context(), r))(t)
		testutil.Equal(t, e.Blame("illegal_move", "why"), "the record", "record")
		_, err = e.Think(context.Background(), r)
		fault, ok := errors.AsType[*usi.Fault](err)
		testutil.Check(t, ok && fault.Record == "the record" && strings.Contains(err.Error(), "the record"), "%#v", err)
		testutil.OK(t, e.Close())
		engine.Wait()
		want := []string{
			"> usi|", "< usiok", "game 3.1", "> isready|", "< readyok", "> usinewgame|",
			"> position startpos|go nodes 5|", "< info x", "< \xff noise", "< bestmove 7g7f",
			"failed illegal_move true 1m0s: why",
			"> position startpos|go nodes 5|", "< info dying", "failed crash false 1m0s: thinking: the connection ended", "over",
		}
		testutil.Slices(t, tap.lines, want)
	})
}

// TestTapAtTheEnd requires that an engine that has ended before quit has not failed.
func TestTapAtTheEnd(t *testing.T) {
	ours, theirs := net.Pipe()
	tap := &listener{failed: "x"}
	go func() { // ends with its pipe
		buf := make([]byte, 100)
		if _, err := theirs.Read(buf); err == nil {
			_, _ = io.WriteString(theirs, "usiok\n") // otherwise the handshake fails
		}
		theirs.Close()
	}()
	e := testutil.Must(usi.Greet(t.Context(), ours, usi.Config{Name: "test", Tap: tap}))(t)
	testutil.OK(t, e.Close())
	s := tap.String()
	testutil.Check(t, !strings.Contains(s, "failed") && strings.HasSuffix(s, "over"), "%v", s)
}

// slowListener takes an info after 50 ms or the end of the search, as a reader whose thread has no CPU.
type slowListener struct {
	listener
	over chan struct{}
}

func (l *slowListener) Received(at time.Time, line []byte) {
	if strings.HasPrefix(string(line), "info") {
		select {
		case <-l.over:
		case <-time.After(50 * time.Millisecond):
		}
	}
	l.listener.Received(at, line)
}

// TestWhatIsReadWithTheAnswerCounts requires that an info line behind the bestmove, read together with it, is part of
// the reply. The reader may be late.
func TestWhatIsReadWithTheAnswerCounts(t *testing.T) {
	ours, engine := answers(t, "usiok\n", "bestmove 7g7f\ninfo depth 3 nodes 100 score cp 5 pv 7g7f\n")
	tap := &slowListener{over: make(chan struct{})}
	e := testutil.Must(usi.Greet(t.Context(), ours, usi.Config{Name: "test", Tap: tap}))(t)
	r, err := e.Think(t.Context(), request("2g2f"))
	close(tap.over)
	testutil.Check(t, err == nil && r.Move.String() == "7g7f" && r.Nodes == 100, "%+v, %v", r, err)
	_ = e.Close() // the engine has ended
	engine.Wait()
}
