package dump

import (
	"bytes"
	"encoding/json"
	"io"
	"testing"
	"time"

	"pgregory.net/rapid"

	"gogi/internal/testutil"
	"gogi/results/tables"
	"gogi/shogi"
	"gogi/shogi/kifu"
)

// drawnMove draws a move with any of the facts that a record can have.
func drawnMove(t *rapid.T) kifu.Move {
	moves := []shogi.Move{}
	for _, text := range []string{"7g7f", "4e3c+", "P*5e"} {
		moves = append(moves, testutil.Must(shogi.ParseMove(text))(t))
	}
	number := rapid.SampledFrom([]int{0, 0, 1, -7, 1_000_000})
	m := kifu.Move{
		Move: rapid.SampledFrom(moves).Draw(t, "move"), Opening: rapid.Bool().Draw(t, "opening"),
		Score: number.Draw(t, "score"), HasScore: rapid.Bool().Draw(t, "scored"),
		Depth: number.Draw(t, "depth"), SelDepth: number.Draw(t, "seldepth"),
		Nodes:  rapid.SampledFrom([]uint64{0, 1, 1<<64 - 1}).Draw(t, "nodes"),
		Time:   rapid.SampledFrom([]time.Duration{0, 999, 1500 * time.Microsecond, time.Hour}).Draw(t, "time"),
		NoTime: rapid.Bool().Draw(t, "no time"), PV: rapid.SliceOfN(rapid.SampledFrom(moves), 0, 3).Draw(t, "pv"),
		Detail: []byte(rapid.SampledFrom([]string{"", `{"votes": [1,  "<&>"]}`, "no JSON <", `"text"`, "\xff"}).
			Draw(t, "detail")),
	}
	if !m.HasScore {
		m.Bound = rapid.SampledFrom([]kifu.Bound{kifu.NoBound, kifu.AtLeast, kifu.AtMost}).Draw(t, "bound")
	}
	return m
}

// TestMove compares the text of a move with the text of encoding/json for a DumpedMove.
func TestMove(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := drawnMove(t)
		d := newDumper(io.Discard, rapid.Bool().Draw(t, "stable"))
		want := DumpedMove{MoveJSON: m.JSON(), PV: tables.MovesText(m.PV)}
		want.MS, want.Votes, want.Comment = nil, nil, ""
		if !d.stable {
			want.Micros, want.Detail = new(m.Time.Microseconds()), detail(m.Detail)
		}
		var text bytes.Buffer
		encoder := json.NewEncoder(&text)
		encoder.SetEscapeHTML(false)
		testutil.OK(t, encoder.Encode(want))
		testutil.OK(t, d.move(&m))
		testutil.Equal(t, string(d.moves)+"\n", text.String(), "the move")
	})
}

// TestMoveWithoutText: a damaged move is an error, as in encoding/json.
func TestMoveWithoutText(t *testing.T) {
	t.Parallel()
	d := newDumper(io.Discard, true)
	testutil.Fails(t, d.move(&kifu.Move{Move: shogi.NoMove}), "has no text", "a move without text")
}
