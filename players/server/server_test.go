package server

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"gogi/internal/testutil"
	"gogi/shogi"
	"gogi/usi"
)

func TestAllotted(t *testing.T) {
	t.Parallel()
	const s = time.Second
	clock := func(b, w, byo, inc time.Duration) usi.Go {
		return usi.Go{Clock: true, BTime: b, WTime: w, UseByoyomi: inc == 0, Byoyomi: byo, UseInc: inc > 0, BInc: inc,
			WInc: inc}
	}
	for _, test := range []struct {
		name     string
		given    usi.Go
		side     shogi.Colour
		members  usi.Go
		deadline time.Duration
	}{
		{"byoyomi", clock(0, 0, 10*s, 0), shogi.Black, clock(0, 0, 9*s, 0), 9500 * time.Millisecond},
		{"main and byoyomi", clock(60*s, 30*s, 10*s, 0), shogi.White, clock(60*s, 30*s, 9*s, 0), 39500 * time.Millisecond},
		{"sudden death", clock(60*s, 30*s, 0, 0), shogi.White, clock(60*s, 29*s, 0, 0), 29500 * time.Millisecond},
		{"increment", clock(60*s, 30*s, 0, 2*s), shogi.Black, clock(59*s, 30*s, 0, 2*s), 59500 * time.Millisecond},
		{"the increment is all there is", clock(0, 0, 0, 10*s), shogi.Black, clock(s/2, s, 0, 10*s), 9500 * time.Millisecond},
		{"never less than half", clock(0, 0, s/2, 0), shogi.Black, clock(0, 0, s/4, 0), s / 4},
		{"no time at all", clock(0, 0, 0, 0), shogi.Black, clock(s/2, s, 0, 0), s / 2},
		{"movetime", usi.Go{MoveTime: 3 * s}, shogi.Black, usi.Go{MoveTime: 2 * s}, 2500 * time.Millisecond},
		{"nodes", usi.Go{Nodes: 9}, shogi.Black, usi.Go{Nodes: 9}, 0},
		{"depth", usi.Go{Depth: 9}, shogi.Black, usi.Go{Depth: 9}, 0},
		{"infinite", usi.Go{Infinite: true}, shogi.Black, usi.Go{Infinite: true}, 0},
		{"ponder without clocks", usi.Go{Ponder: true, Early: true}, shogi.Black, usi.Go{Ponder: true, Early: true}, 0},
		{"nothing said", usi.Go{}, shogi.Black, usi.Go{MoveTime: s / 2}, s / 2},
	} {
		members, deadline := reserve{margin: s / 2, overhead: s}.allot(test.given, test.side)
		testutil.Check(t, members.String() == test.members.String() && deadline == test.deadline,
			"%s: %q within %v, want %q within %v", test.name, members, deadline, test.members, test.deadline)
	}
}

func TestCouncilOutput(t *testing.T) {
	t.Parallel()
	var got bytes.Buffer
	out := &output{out: &got, keepAlive: true}
	out.note("member %s:\nmissing", "a")
	// in several writes
	for _, part := range []string{"id name x\n", "id author y\n", "option name Z type check default true\n", "usiok\n"} {
		out.Write([]byte(part))
	}
	out.Write([]byte("\n"))
	out.setKeepAlive(false)
	out.Write([]byte("\n"))
	out.note("second")
	out.Write([]byte("\nreadyok\n"))
	if want := "id name x\nid author y\noption name Z type check default true\nusiok\ninfo string member a: missing\n\ninfo string second\nreadyok\n"; strings.Join(strings.Fields(got.String()), " ") != strings.Join(strings.Fields(want), " ") || strings.Count(got.String(), "\n") != 8 {
		t.Errorf("%q, want %q", got.String(), want)
	}
}
