package usi_test

import (
	"testing"

	"gogi/internal/testutil"
	"gogi/shogi/kifu"
	"gogi/usi"
)

// TestMateScale: the values are those of sjaakii 1.4.1, which findings/usi-mate-scores.sh and docs/engines.md show:
// 15999 for a mate in one ply, 15997 in three.
func TestMateScale(t *testing.T) {
	mates := func(games ...[2]int) *usi.MateScale {
		m := &usi.MateScale{}
		for _, g := range games {
			m.Won(&kifu.Record{Moves: []kifu.Move{{Score: g[0], HasScore: true}, {}, {Score: g[1], HasScore: true}}})
		}
		return m
	}
	game := [2]int{15997, 15999}
	sjaakii := mates(game, [2]int{640, 15999}, game, game)
	for score, want := range map[int]string{
		15999: "mate 1", 15997: "mate 3", -15998: "mate -2", 15800: "mate 200", 15799: "cp 15799", -900: "cp -900", 0: "cp 0",
		16001:   "cp 16001",
		999_995: "mate 5",
	} {
		testutil.Equal(t, usi.ScoreFromNumber(sjaakii.Number(score)).String(), want)
	}
	for name, m := range map[string]*usi.MateScale{
		"no game": mates(), "two games": mates(game, game),
		"evaluations":          mates([2]int{300, 302}, [2]int{300, 302}, [2]int{300, 302}),
		"several bases":        mates(game, game, game, [2]int{2500, 2502}),
		"no step of two plies": mates([2]int{15990, 15999}, [2]int{3, 15999}, [2]int{16001, 15999}),
		"true mates":           mates([2]int{999_997, 999_999}, [2]int{999_997, 999_999}, [2]int{999_997, 999_999}),
	} {
		testutil.Check(t, m.Base() == 0 && m.Number(15999) == 15999, "%s: base %d", name, m.Base())
	}
}

// TestMateScalesRescale: games that a player won by checkmate teach its scale, and no other games do. The scores of
// this player become mates in any game of it. The other player's equal score stays, and so does a bound.
func TestMateScalesRescale(t *testing.T) {
	won := func(result, winner string) *kifu.Record {
		return &kifu.Record{Result: result, Winner: winner,
			Moves: []kifu.Move{{Score: 15997, HasScore: true}, {}, {Score: 15999, HasScore: true}}}
	}
	scales := usi.MateScales{}
	for range 3 {
		scales.Learn("s", "x", won("checkmate", "black"))
		scales.Learn("s", "x", won("resignation", "white"))
		scales.Learn("x", "y", won("checkmate", "draw"))
	}
	r := &kifu.Record{Start: "4k4/9/9/9/9/9/9/9/4K4 w G 1",
		Moves: []kifu.Move{{Score: 15998, HasScore: true}, {Score: 15998, HasScore: true}, {Score: 15998},
			{Score: -15997, HasScore: true}}}
	testutil.OK(t, scales.Rescale("s", "x", r))
	got := ""
	for i := range r.Moves {
		got += usi.ScoreFromNumber(r.Moves[i].Score).String() + ", "
	}
	testutil.Equal(t, got, "cp 15998, mate 2, cp 15998, mate -3, ")
	for range 2 * usi.MateGames {
		scales.Learn("s", "x", won("checkmate", "black"))
	}
	testutil.Check(t, scales["s"].Base() == 16000, "%d", scales["s"].Base())
	r.Start = "no position"
	testutil.Check(t, scales.Rescale("s", "x", r) != nil && usi.MateScales{}.Rescale("s", "x", r) == nil,
		"the start is no position")
}
