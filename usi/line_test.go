package usi_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"gogi/internal/testutil"
	"gogi/shogi"
	"gogi/usi"
)

// TestFollowedIsReplayed requires that following a game gives the same result as replaying it from its start. The game
// continues, takes a move back, changes its start, or has an illegal move. Repetitions and error texts are the same.
func TestFollowedIsReplayed(t *testing.T) {
	starts := []string{"startpos", "sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"}
	rapid.Check(t, func(t *rapid.T) {
		var line usi.Line
		var replay usi.Replay
		p := usi.Position{Start: "startpos"}
		for range rapid.IntRange(1, 12).Draw(t, "commands") {
			switch rapid.SampledFrom([]string{"on", "on", "on", "back", "start", "illegal", "same", "nonsense"}).Draw(t,
				"what") {
			case "on":
				for range rapid.IntRange(1, 6).Draw(t, "moves") {
					h, err := p.History()
					if err != nil {
						break
					}
					// The test uses few of the moves, so positions repeat.
					legal := h.Position().LegalMoves(nil)
					p.Moves = append(slices.Clone(p.Moves), legal[rapid.IntRange(0, min(3, len(legal)-1)).Draw(t, "move")])
				}
			case "back":
				p.Moves = slices.Clone(p.Moves[:rapid.IntRange(0, len(p.Moves)).Draw(t, "left")])
			case "start":
				p = usi.Position{Start: rapid.SampledFrom(starts).Draw(t, "start"), Moves: p.Moves}
			case "illegal":
				m := testutil.Must(shogi.ParseMove("5e5d"))(t)
				at := rapid.IntRange(0, len(p.Moves)).Draw(t, "at")
				p.Moves = slices.Insert(slices.Clone(p.Moves), at, m)
			case "nonsense":
				p = usi.Position{Start: "sfen 9"}
			case "same":
			}
			want, wrong := p.History()
			got, err := replay.Follow(p)
			if err2 := line.Follow(p); fmt.Sprint(err) != fmt.Sprint(wrong) || fmt.Sprint(err2) != fmt.Sprint(wrong) {
				t.Fatalf("%v: %v and %v, want %v", p, err, err2, wrong)
			}
			if wrong != nil {
				continue
			}
			if *got.Position() != *want.Position() || line.Position != *want.Position() || *got.Start() != *want.Start() ||
				!slices.Equal(got.Moves(), want.Moves()) || got.Repetition() != want.Repetition() {
				t.Fatalf("%v: %v, followed %v and %v", p, want.Position(), got.Position(), &line.Position)
			}
		}
	})
}

// BenchmarkFollow measures the position command of a game of 120 moves, two of which are new. It compares Follow with a
// replay.
func BenchmarkFollow(b *testing.B) {
	game := usi.Position{Start: "startpos"}
	h := shogi.NewHistory(shogi.StartPos())
	for range 120 {
		legal := h.Position().LegalMoves(nil)
		m := legal[int(h.Position().Key()%uint64(len(legal)))]
		h.Push(m)
		game.Moves = append(game.Moves, m)
	}
	before := usi.Position{Start: game.Start, Moves: game.Moves[:118]}
	b.Run("followed", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			var r usi.Replay
			_, _ = r.Follow(before)
			b.StartTimer()
			testutil.Must(r.Follow(game))(b)
		}
	})
	b.Run("replayed", func(b *testing.B) {
		for b.Loop() {
			testutil.Must(game.History())(b)
		}
	})
}
