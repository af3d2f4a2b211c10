package csa

import (
	"testing"
	"time"

	"gogi/internal/testutil"
	"gogi/shogi"
	"gogi/usi"
)

func TestSearch(t *testing.T) {
	const s = time.Second
	fischer := Time{Unit: s, Total: 300 * s, Increment: 10 * s}
	byoyomi := Time{Unit: s, Total: 600 * s, Byoyomi: 10 * s}
	for _, test := range []struct {
		name          string
		black, white  Time
		spentB        []time.Duration // earlier moves of Black
		ours          shogi.Colour
		margin, spent time.Duration
		want          string
		deadline      time.Duration
	}{
		{"Fischer: the margin is taken from the increment", fischer, fischer, nil, shogi.Black, s, 0,
			"go btime 300000 wtime 300000 binc 9000 winc 10000", 309*s + s/2},
		{"White", fischer, fischer, nil, shogi.White, s, 0, "go btime 300000 wtime 300000 binc 10000 winc 9000", 309*s + s/2},
		{"what is left", fischer, fischer, []time.Duration{12 * s, 308 * s}, shogi.Black, s, 0,
			"go btime 0 wtime 300000 binc 9000 winc 10000", 9*s + s/2},
		{"time that has passed", fischer, fischer, []time.Duration{310 * s}, shogi.Black, s, 4 * s,
			"go btime 0 wtime 300000 binc 5000 winc 10000", 5*s + s/2},
		{"byoyomi", byoyomi, byoyomi, nil, shogi.Black, s, 0, "go btime 600000 wtime 600000 byoyomi 9000", 609*s + s/2},
		{"byoyomi alone", byoyomi, byoyomi, []time.Duration{600 * s}, shogi.Black, s, 0,
			"go btime 0 wtime 600000 byoyomi 9000", 9*s + s/2},
		{"never more than half", Time{Unit: s, Byoyomi: s}, Time{Unit: s, Byoyomi: s}, nil, shogi.Black, 5 * s, 0,
			"go btime 0 wtime 0 byoyomi 500", 750 * time.Millisecond},
		{"sudden death", Time{Unit: s, Total: 60 * s}, Time{Unit: s, Total: 60 * s}, nil, shogi.White, s, 0,
			"go btime 60000 wtime 59000 byoyomi 0", 59*s + s/2},
		{"both kinds", Time{Unit: s, Total: 60 * s, Byoyomi: 5 * s, Increment: 2 * s}, fischer, nil, shogi.Black, s, 0,
			"go btime 62000 wtime 300000 byoyomi 4000", 66*s + s/2},
		{"a delay", Time{Unit: s, Total: 60 * s, Delay: 5 * s}, fischer, nil, shogi.Black, s, 0,
			"go btime 60000 wtime 300000 byoyomi 4000", 64*s + s/2},
		{"rounded up", Time{Unit: s, Byoyomi: 10 * s, Roundup: true}, fischer, nil, shogi.Black, s, 0,
			"go btime 0 wtime 300000 byoyomi 8000", 9 * s},
		{"no limit", Time{Unit: s}, Time{Unit: s}, nil, shogi.Black, s, 0, "go btime 0 wtime 0 byoyomi 10000", time.Minute},
		{"too late", fischer, fischer, []time.Duration{310 * s}, shogi.Black, s, 20 * s,
			"go btime 0 wtime 300000 binc 0 winc 10000", leastDeadline},
	} {
		clocks := [2]Clock{NewClock(test.black), NewClock(test.white)}
		for _, d := range test.spentB {
			clocks[shogi.Black].Spend(d)
		}
		args, deadline := search(clocks, test.ours, test.margin, test.spent)
		testutil.Check(t, args.String() == test.want && deadline == test.deadline,
			"%s: %s within %v, want %s within %v", test.name, args, deadline, test.want, test.deadline)
	}
}

func TestComment(t *testing.T) {
	black := shogi.StartPos()
	m, _ := ParseMove(&black, "+7776FU")
	white := black
	white.Apply(m)
	info := usi.ParseInfo
	for _, test := range []struct {
		name  string
		p     shogi.Position
		move  string
		lines []usi.Info
		want  string
	}{
		{"Black's view", black, "7g7f", []usi.Info{info("info score cp 123 pv 7g7f 3c3d 2g2f")}, "'* 123 -3334FU +2726FU"},
		{"White's score is turned round", white, "3c3d", []usi.Info{info("info score cp 123 pv 3c3d 2g2f")},
			"'* -123 +2726FU"},
		{"White is worse", white, "3c3d", []usi.Info{info("info score cp -77 pv 3c3d")}, "'* 77"},
		{"a mate", white, "3c3d", []usi.Info{info("info score mate 5 pv 3c3d")}, "'* -30000"},
		{"being mated", black, "7g7f", []usi.Info{info("info score mate -5 pv 7g7f")}, "'* -30000"},
		{"a variation of another move", black, "2g2f", []usi.Info{info("info score cp 5 pv 7g7f 3c3d")}, "'* 5"},
		{"an illegal variation", black, "7g7f", []usi.Info{info("info score cp 5 pv 7g7f 7g7f")}, "'* 5"},
		{"no score", black, "7g7f", nil, ""},
	} {
		move := testutil.Must(shogi.ParseMove(test.move))(t)
		testutil.Equal(t, Comment(&test.p, usi.Reply{Answer: usi.AnswerMove, Move: move, Lines: test.lines}), test.want, "%s",
			test.name)
	}
}
