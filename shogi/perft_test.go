package shogi

import (
	"flag"
	"strconv"
	"testing"

	"gogi/internal/testutil"
)

// deepPerft adds the perft rows with more than ten million leaves, which take three minutes.
var deepPerft = flag.Bool("perft.deep", false, "run the perft rows with more than 10^7 leaves")

const (
	matsuriSFEN  = "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1"
	maxMovesSFEN = "R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1"
)

func number(tb testing.TB, s string) uint64 {
	tb.Helper()
	return testutil.Must(strconv.ParseUint(s, 10, 64))(tb)
}

func mustParse(tb testing.TB, sfen string) Position {
	tb.Helper()
	return testutil.Must(ParseSFEN(sfen))(tb)
}

// samplePositions returns every step-th position of the fixtures.
func samplePositions(tb testing.TB, step int) []Position {
	tb.Helper()
	var out []Position
	for i, row := range append(testutil.CSV(tb, "perft.csv"), testutil.CSV(tb, "random_legal_counts.csv")...) {
		if i%step == 0 {
			out = append(out, mustParse(tb, row["sfen"]))
		}
	}
	return out
}

// TestPerft compares with counts on which several engines agree. The column "source" names them.
func TestPerft(t *testing.T) {
	for _, row := range testutil.CSV(t, "perft.csv") {
		t.Run(row["name"]+"/"+row["depth"], func(t *testing.T) {
			want := number(t, row["count"])
			if want > 1e7 && !*deepPerft {
				t.Skip("needs -perft.deep")
			}
			p := mustParse(t, row["sfen"])
			testutil.Equal(t, Perft(p, int(number(t, row["depth"]))), want, "%s: perft(%s)", row["sfen"], row["depth"])
		})
	}
}

func TestRandomLegalCounts(t *testing.T) {
	for _, row := range testutil.CSV(t, "random_legal_counts.csv") {
		p := mustParse(t, row["sfen"])
		if got, want := Perft(p, 1), number(t, row["depth1"]); got != want {
			t.Errorf("%s: perft(1) = %d, want %d", row["sfen"], got, want)
		}
		if row["depth2"] == "" {
			continue
		}
		if got, want := Perft(p, 2), number(t, row["depth2"]); got != want {
			t.Errorf("%s: perft(2) = %d, want %d", row["sfen"], got, want)
		}
	}
}

func TestPerftWithoutDepth(t *testing.T) {
	for _, depth := range []int{0, -1} {
		testutil.Equal(t, Perft(StartPos(), depth), 1, "Perft(%d)", depth)
	}
}

func BenchmarkPerft(b *testing.B) {
	for _, c := range []struct {
		name, sfen string
		depth      int
	}{
		{"startpos5", startSFEN, 5},
		{"startpos6", startSFEN, 6},
		{"matsuri3", matsuriSFEN, 3},
		{"matsuri4", matsuriSFEN, 4},
		{"maxmoves3", maxMovesSFEN, 3},
	} {
		b.Run(c.name, func(b *testing.B) {
			p := mustParse(b, c.sfen)
			var leaves uint64
			for b.Loop() {
				leaves += Perft(p, c.depth)
			}
			b.ReportMetric(float64(leaves)/1e6/b.Elapsed().Seconds(), "Mnodes/s")
		})
	}
}

func BenchmarkLegalMoves(b *testing.B) {
	for name, sfen := range map[string]string{"startpos": startSFEN, "matsuri": matsuriSFEN} {
		b.Run(name, func(b *testing.B) {
			p := mustParse(b, sfen)
			moves := make([]Move, 0, MaxLegalMoves)
			b.ReportAllocs()
			for b.Loop() {
				moves = p.LegalMoves(moves[:0])
			}
		})
	}
}
