package packed

import (
	"bytes"
	"encoding/hex"
	"errors"
	"io"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"gogi/internal/testutil"
	"gogi/shogi"
)

func formatOf(t *testing.T, name string) Format {
	t.Helper()
	return testutil.Must(Find(name))(t)
}

// plies returns moves with scores from a text such as "7g7f 10 3c3d -20".
func plies(t *testing.T, text string) (list []Ply) {
	t.Helper()
	words := strings.Fields(text)
	for i := 0; i < len(words); i += 2 {
		m := testutil.Must(shogi.ParseMove(words[i]))(t)
		list = append(list, Ply{Move: m, Score: int16(number(t, words[i+1]))})
	}
	return list
}

// TestPack: the games from the usual start are byte vectors of pack_wire_contract.rs in rsshogi. The last vector was
// written by hand: tag, HCP of the fixture, move number 1, 8b6b (0x202e in Apery's form), score -5, a draw by
// repetition.
func TestPack(t *testing.T) {
	t.Parallel()
	usual := shogi.StartPos()
	for text, g := range map[string]Game{
		"01 8100 00": {Start: usual, Outcome: BlackWins, Reason: ReasonResign},
		"01 0000 01": {Start: usual, Outcome: Draw, Reason: ReasonRepetition},
		"01 0201 04": {Start: usual, Outcome: WhiteWins, Reason: ReasonTime},
		"01 3b1e0a00 150aecff 0a632c01 0a090000 9f2a007d 8100 00": {
			Start: usual, Outcome: BlackWins, Reason: ReasonResign,
			Plies: plies(t, "7g7f 10 3c3d -20 8h2b+ 300 3a2b 0 B*4e 32000"),
		},
		"00 59241261583f13f1b39c12e17825c223115e89f09c12e1587f13f1b18c126148 0100 2e20fbff 0000 01": {},
	} {
		if text[:2] == "00" {
			row := rows(t, "packed_fixtures.csv")[3] // a lance handicap, White to move: 8b6b is 0x202e
			text = strings.Replace(text, row["packedsfen_hex"], row["hcp_hex"], 1)
			g = Game{Start: position(t, row["sfen"]), Outcome: Draw, Reason: ReasonRepetition,
				Plies: plies(t, row["move"]+" -5")}
		}
		want := bytesOf(t, text)
		b, err := AppendPack(nil, &g)
		testutil.Check(t, err == nil && bytes.Equal(b, want), "%x, %v: expected %x", b, err, want)
		sameGame(t, formatOf(t, "pack"), want, &g)
	}
}

func sameGame(t testing.TB, f Format, b []byte, want *Game) {
	t.Helper()
	r := f.Games(bytes.NewReader(append(bytes.Clone(b), b...)))
	for i := range 2 { // games follow each other without a separator
		got, at, err := r.Next()
		testutil.Require(t, err == nil && at == int64(i*len(b)), "%x: at %d, %v", b, at, err)
		testutil.Require(t, got.Start.SFEN() == want.Start.SFEN() && got.Outcome == want.Outcome &&
			len(got.Plies) == len(want.Plies),
			"%x is %+v, expected %+v", b, got, want)
		for i, p := range got.Plies {
			w := want.Plies[i]
			testutil.Require(t, p.Move == w.Move && p.Score == w.Score && len(p.Candidates) == len(w.Candidates),
				"move %d is %+v, expected %+v", i, p, w)
			for j, c := range p.Candidates {
				testutil.Require(t, c == w.Candidates[j], "move %d, candidate %d is %+v, expected %+v", i, j, c, w.Candidates[j])
			}
		}
		if again, err := f.AppendGame(nil, got); err != nil || !bytes.Equal(again, b) {
			t.Fatalf("%x comes back as %x, %v", b, again, err)
		}
	}
	if _, _, err := r.Next(); !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
}

// TestHCPE3 has bytes that were written by hand from the structures in dlshogi's cppshogi.h. The head has the HCP, 2
// moves, White's win by declaration (2 | 8), and 0 for self-play. The first move is 7g7f (0x1e3b) with score 25 and no
// candidates. The second is 3c3d (0x0a15) with score -25. Its two candidates are 3c3d with 3 visits and 8c8d (0x20c2,
// from 65 to 66) with 1 visit.
func TestHCPE3(t *testing.T) {
	t.Parallel()
	g := Game{Start: shogi.StartPos(), Outcome: WhiteWins, End: EndDeclaration, Plies: plies(t, "7g7f 25 3c3d -25")}
	second := testutil.Must(shogi.ParseMove("8c8d"))(t)
	g.Plies[1].Candidates = []Candidate{{g.Plies[1].Move, 3}, {second, 1}}
	want := bytesOf(t, rows(t, "packed_fixtures.csv")[0]["hcp_hex"]+"0200 0a 00"+
		"3b1e 1900 0000"+"150a e7ff 0200 150a 0300 c220 0100")
	b, err := AppendHCPE3(nil, &g)
	testutil.Check(t, err == nil && bytes.Equal(b, want), "%x, %v: expected %x", b, err, want)
	sameGame(t, formatOf(t, "hcpe3"), want, &g)
	r := g.Record()
	testutil.Check(t, r.Winner == "white" && len(r.Moves) == 2 && r.Moves[1].Score == -25 && r.Moves[1].HasScore, "%+v", r)
}

// TestDamagedGames: an impossible game gives an error with its place. If the reader knows where the game ends, it reads
// the next game.
func TestDamagedGames(t *testing.T) {
	t.Parallel()
	hcp := rows(t, "packed_fixtures.csv")[0]["hcp_hex"]
	for _, c := range []struct {
		format, bytes string
		want          []string
	}{
		{"pack", "01 3b1e0000 3b1e0000 8100 00 01 810000", []string{"byte 5: move 2: 7g7f is illegal", "", "EOF"}},
		{"pack", "01 0000 00 01 8100 00", []string{"byte 1: a draw by resignation contradicts itself", "", "EOF"}},
		{"pack", "01 8301 00", []string{"byte 1: the bits 0x0183 are neither a move nor an end", "EOF"}},
		{"pack", "02", []string{"byte 0: the game begins with 2: expected 0 (a position) or 1 (the usual start)", "EOF"}},
		{"pack", "01 3b1e", []string{"byte 3: the input ends: expected 2 bytes of a score of pack", "EOF"}},
		{"pack", "01", []string{"byte 1: the input ends: expected 2 bytes of a move or an end of pack", "EOF"}},
		{"pack", "00 fe" + hcp[2:] + "0100 3b1e0000 8100 00 01 8100 00",
			[]string{"byte 1: black's king stands on square number 127", "", "EOF"}},
		{"pack", "01 ff7f0000 8100 00", []string{"byte 1: the bits 0x7fff are neither a move nor an end", "EOF"}},
		{"hcpe3", hcp + "0100 03 00 3b1e 0000 0000" + hcp + "0000 01 00", []string{"byte 34: the result is 3", "", "EOF"}},
		{"hcpe3", hcp + "0100 01 00 3b1e 0000 0100 3b1f 0000" + hcp + "0000 01 00",
			[]string{"byte 42: move 1: 7i7f is illegal", "", "EOF"}},
		{"hcpe3", hcp + "0200 01 00 3b1e 0000 0000",
			[]string{"byte 42: the input ends: expected 6 bytes of a move of hcpe3", "EOF"}},
		{"hcpe3", hcp,
			[]string{"byte 32: the input ends after 32 bytes of the head of a game of hcpe3 at byte 0: expected 36", "EOF"}},
	} {
		r := formatOf(t, c.format).Games(bytes.NewReader(bytesOf(t, c.bytes)))
		for i, want := range c.want {
			_, _, err := r.Next()
			var e *Error
			switch {
			case err == nil && want == "":
			case err == nil || !strings.HasPrefix(err.Error(), want):
				t.Errorf("%s %s, game %d: %v, expected %q", c.format, c.bytes, i, err, want)
			case want != "EOF" && !errors.As(err, &e):
				t.Errorf("%s, game %d: %T", c.format, i, err)
			}
		}
	}
}

func anyGame(t *rapid.T) *Game {
	g := &Game{Start: anyPosition(t), Outcome: rapid.SampledFrom([]Outcome{BlackWins, WhiteWins}).Draw(t, "outcome")}
	p := g.Start
	for range rapid.IntRange(0, 20).Draw(t, "length") {
		moves := p.LegalMoves(nil)
		if len(moves) == 0 {
			break
		}
		ply := Ply{Move: rapid.SampledFrom(moves).Draw(t, "move"), Score: rapid.Int16().Draw(t, "score")}
		for range rapid.IntRange(0, 3).Draw(t, "candidates") {
			ply.Candidates = append(ply.Candidates,
				Candidate{rapid.SampledFrom(moves).Draw(t, "candidate"), rapid.Uint16().Draw(t, "visits")})
		}
		g.Plies = append(g.Plies, ply)
		p.Apply(ply.Move)
	}
	return g
}

func TestGameLaws(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		g := anyGame(rt)
		g.Start = withPly(t, g.Start, 1) // hcpe3 does not store the move number
		b, err := AppendHCPE3(nil, g)
		testutil.OK(rt, err)
		sameGame(t, formatOf(t, "hcpe3"), b, g)
		for i := range g.Plies {
			g.Plies[i].Candidates = nil
		}
		g.Start = withPly(t, g.Start, rapid.IntRange(1, 65535).Draw(rt, "ply"))
		if b, err = AppendPack(nil, g); err != nil {
			rt.Fatal(err)
		}
		sameGame(t, formatOf(t, "pack"), b, g)
	})
}

func FuzzGames(f *testing.F) {
	for _, text := range []string{
		"013b1e0a00150aecff0a632c010a0900009f2a007d810000",
		"58a449210cd757217e8e4d212caf427814c2ab109e4d212cd75f213e8e49210c02000a003b1e19000000150ae7ff0200150a0300c2200100",
	} {
		b := testutil.Must(hex.DecodeString(text))(f)
		f.Add(true, b)
		f.Add(false, b)
	}
	f.Fuzz(func(t *testing.T, pack bool, b []byte) {
		name := "hcpe3"
		if pack {
			name = "pack"
		}
		format := formatOf(t, name)
		r := format.Games(bytes.NewReader(b))
		for range len(b) + 1 {
			g, at, err := r.Next()
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				var e *Error
				testutil.Require(t, errors.As(err, &e) && e.Offset >= at && e.Offset <= int64(len(b)), "at %d: %v", at, err)
				continue
			}
			again := testutil.Must(format.AppendGame(nil, g))(t)
			back, _, err := format.Games(bytes.NewReader(again)).Next()
			if err != nil || back.Start.SFEN() != g.Start.SFEN() || len(back.Plies) != len(g.Plies) {
				t.Fatalf("%x comes back as %x: %v", b[at:], again, err)
			}
		}
		t.Fatal("there is no end")
	})
}
