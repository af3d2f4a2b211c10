package text

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"gogi/internal/testutil"
	"gogi/shogi"
	"gogi/shogi/kifu"
)

// starts returns an even game, handicaps with and without a name in KIF, and positions with all promoted pieces and
// with two-digit hands.
func starts() []string {
	even := shogi.StartPos()
	list := []string{
		even.SFEN(), even.SFEN(), even.SFEN(),
		"l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1",
		"4k4/9/9/9/9/9/9/9/4K4 b 2r2b4g4s4n4l18p 1",
		"k8/9/2+P+L+N+S+B+R1/9/9/9/2+p+l+n+s+b+r1/9/K8 w - 1",
	}
	for _, h := range shogi.Handicaps() {
		list = append(list, h.SFEN)
	}
	return list
}

var word = rapid.StringMatching(`[A-Za-z][A-Za-z0-9_.-]{0,7}|先手エンジン[AB]|三枚 香`)

// remark draws comments of people and programs, and texts that look like other lines.
var remark = rapid.SampledFrom([]string{"", "", "good", "a, b", "two\nlines", "* 30 +7776FU", "*対局 評価値 1", "%TORYO",
	`back\slash`, "コメント", "end of the opening"})

// game draws a legal game with every field that the runner records.
func game(t *rapid.T) *kifu.Record {
	r := &kifu.Record{
		Black: word.Draw(t, "black"), White: word.Draw(t, "white"), Event: word.Draw(t, "event") + "/12.1",
		Site:  rapid.SampledFrom([]string{"", "somewhere"}).Draw(t, "site"),
		Start: rapid.SampledFrom(starts()).Draw(t, "start"),
	}
	start := testutil.Must(shogi.ParseSFEN(r.Start))(t)
	p := start
	opening := rapid.IntRange(0, 4).Draw(t, "opening")
	for i := range rapid.IntRange(0, 60).Draw(t, "plies") {
		moves := p.LegalMoves(nil)
		if len(moves) == 0 {
			break
		}
		m := kifu.Move{Move: moves[rapid.IntRange(0, len(moves)-1).Draw(t, "move")]}
		if i < opening {
			m.Opening = true
		} else {
			m.Time = time.Duration(rapid.IntRange(0, 4_000_000).Draw(t, "ms")) * time.Millisecond
			thought(t, &p, &m)
		}
		r.Moves = append(r.Moves, m)
		p.Apply(m.Move)
	}
	if len(r.Moves) > 0 && r.Moves[len(r.Moves)-1].Opening {
		r.Moves = nil // a game needs a move after the opening
		p = start
	}
	ending(t, r, &p)
	r.Started = time.Unix(1_700_000_000+int64(rapid.IntRange(0, 1e7).Draw(t, "started")), 0).UTC()
	r.Ended = r.Started.Add(time.Hour)
	clock := kifu.Clock{Main: 5 * time.Minute, Byoyomi: 10 * time.Second}
	if rapid.Bool().Draw(t, "fischer") {
		clock = kifu.Clock{Main: 3 * time.Hour, Increment: 2 * time.Second}
	}
	if rapid.Bool().Draw(t, "known") {
		r.About, r.Ratings = [2]string{"nodes 3000; sha256:0123", "byoyomi 1s"}, [2]float64{3512.5, 0}
		r.Comment = remark.Draw(t, "remark")
		for i := range r.Moves {
			r.Moves[i].Comment = remark.Draw(t, "remark")
		}
	}
	r.Clocks, r.MaxMoves = [2]kifu.Clock{clock, clock}, rapid.SampledFrom([]int{0, 320}).Draw(t, "max")
	return r
}

func thought(t *rapid.T, p *shogi.Position, m *kifu.Move) {
	if !rapid.Bool().Draw(t, "scored") {
		return
	}
	m.HasScore, m.Score = true, rapid.IntRange(-kifu.CSAMate, kifu.CSAMate).Draw(t, "score")
	m.Depth, m.Nodes = rapid.IntRange(0, 40).Draw(t, "depth"), rapid.Uint64().Draw(t, "nodes")
	next := *p
	m.PV = []shogi.Move{m.Move}
	next.Apply(m.Move)
	for range rapid.IntRange(1, 4).Draw(t, "pv") {
		if moves := next.LegalMoves(nil); len(moves) > 0 {
			m.PV = append(m.PV, moves[rapid.IntRange(0, len(moves)-1).Draw(t, "reply")])
			next.Apply(m.PV[len(m.PV)-1])
		}
	}
	if len(m.PV) == 1 {
		m.PV = nil // a PV of only the move itself adds nothing
	}
}

// ending draws an end that is possible for the side to move, as in games of the runner.
func ending(t *rapid.T, r *kifu.Record, p *shogi.Position) {
	side, other := p.Side().String(), p.Side().Opponent().String()
	ends := []outcome{
		{kifu.EndResignation, other}, {kifu.EndCheckmate, other}, {kifu.EndCrash, other}, {kifu.EndTimeForfeit, other},
		{kifu.EndStall, other}, {kifu.EndIllegalMove, other}, {kifu.EndFalseDeclaration, other},
		{kifu.EndPerpetualCheck, side}, {kifu.EndPerpetualCheck, other}, {kifu.EndRepetition, draw}, {kifu.EndMaxPlies, draw},
		{kifu.EndImpasse, draw}, {kifu.EndDeclaration, side}, {kifu.EndDeclaration, other},
		{kifu.EndScoreAdjudication, side}, {kifu.EndScoreAdjudication, other}, {kifu.EndScoreAdjudication, draw}, {"", ""},
	}
	rapid.SampledFrom(ends).Draw(t, "end").set(r)
	if r.Result != "" {
		r.Note = rapid.SampledFrom([]string{"", `a note, with a comma`, `a\nb`, "two\nlines", `c:\path`}).Draw(t, "note")
	}
	if r.Result == kifu.EndResignation || r.Result == kifu.EndTimeForfeit {
		r.LastTime, r.HasLast = 1234*time.Millisecond, true
	}
}

// kept returns the data of a record that a format stores, by docs/formats.md.
func kept(format string, r *kifu.Record) *kifu.Record {
	k := *r
	k.Moves = nil
	if k.Comment = kifu.Remark(k.Comment); format == "jsonl" {
		k.Comment = r.Comment
	}
	for _, m := range r.Moves {
		if format != "jsonl" {
			m.Comment = kifu.Remark(m.Comment)
		}
		keptMove(format, &m)
		k.Moves = append(k.Moves, m)
	}
	switch format {
	case "usi", "sfen":
		return &kifu.Record{Start: r.Start, Moves: k.Moves}
	case "ki2", "kif", "jkf":
		if format == "ki2" {
			k.LastTime, k.HasLast = 0, false
		}
		fallthrough
	case "csa":
		k.LastTime = k.LastTime.Truncate(time.Second)
	}
	if format == "kif" || format == "ki2" || format == "jkf" || format == "csa3" {
		k.Ratings = [2]float64{}
	}
	if format == "csa" {
		k.About = [2]string{}
	}
	return &k
}

func keptMove(format string, m *kifu.Move) {
	switch format {
	case "csa":
		m.Time, m.Depth, m.SelDepth, m.Nodes = m.Time.Truncate(time.Second), 0, 0, 0
	case "csa3":
		m.Depth, m.SelDepth = 0, 0
		if !m.HasScore {
			m.Nodes = 0
		}
	case "kif", "jkf":
		m.Time, m.SelDepth = m.Time.Truncate(time.Second), 0
	case "ki2", "usi", "sfen":
		opening := m.Opening && format == "ki2"
		*m = kifu.Move{Move: m.Move, NoTime: !opening, Opening: opening, Comment: m.Comment}
		if format != "ki2" {
			m.Comment = ""
		}
	}
}

// TestLawRoundTrip: the data that a format stores survive a round trip. The text has several games, any line ends, and
// a byte order mark or Shift_JIS.
func TestLawRoundTrip(t *testing.T) {
	for _, f := range Text() {
		t.Run(f.Name, func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) {
				games := rapid.SliceOfN(rapid.Custom(game), 1, 3).Draw(rt, "games")
				text := written(rt, f, games)
				if rapid.Bool().Draw(rt, "crlf") {
					text = bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n"))
				}
				switch {
				case f.Text && rapid.Bool().Draw(rt, "sjis"):
					out, lost := ShiftJIS(text)
					testutil.Require(rt, lost <= 0, "%d characters lost", lost)
					text = out
				case rapid.Bool().Draw(rt, "bom"):
					text = append([]byte(bom), text...)
				}
				checkGames(rt, f, games, text)
			})
		})
	}
}

func written(t *rapid.T, f Format, games []*kifu.Record) []byte {
	var text []byte
	for i, r := range games {
		if i > 0 {
			text = append(text, f.Between...)
		}
		var err error
		if text, err = f.Append(text, r); err != nil {
			t.Fatal(err)
		}
	}
	return text
}

func checkGames(t *rapid.T, f Format, games []*kifu.Record, text []byte) {
	got, err := testutil.ReadAll(f.Read(NewInput("a file", bytes.NewReader(text))).Next)
	testutil.Require(t, err == nil && len(got) == len(games), "%d games of %d, %v, in\n%s", len(got), len(games), err,
		text)
	for i, r := range games {
		diff := cmp.Diff(kept(f.Name, r), got[i], cmpopts.EquateEmpty(), cmp.Comparer(time.Time.Equal))
		testutil.Require(t, diff == "", "game %d (-want +got):\n%s\nin\n%s", i, diff, text)
	}
}

// TestLawNothingPanics: after any changes of a text, each game is valid or a *BadGame, and there are at most as many
// games as characters.
func TestLawNothingPanics(t *testing.T) {
	for _, f := range Text() {
		t.Run(f.Name, func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) {
				text := written(rt, f, []*kifu.Record{game(rt)})
				for range rapid.IntRange(1, 5).Draw(rt, "changes") {
					i := rapid.IntRange(0, len(text)-1).Draw(rt, "at")
					switch rapid.IntRange(0, 2).Draw(rt, "how") {
					case 0:
						text[i] = rapid.Byte().Draw(rt, "byte")
					case 1:
						text = append(text[:i:i], text[min(len(text), i+rapid.IntRange(1, 40).Draw(rt, "cut")):]...)
					case 2:
						text = append(text[:i:i], append(rapid.SliceOfN(rapid.Byte(), 1, 4).Draw(rt, "more"), text[i:]...)...)
					}
					if len(text) == 0 {
						return
					}
				}
				readOut(rt, f, text)
			})
		})
	}
}

// readOut reads to the end and requires that every returned game is legal.
func readOut(t testutil.T, f Format, text []byte) {
	r := f.Read(NewInput("a file", bytes.NewReader(text)))
	for n := 0; ; n++ {
		record, err := r.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		testutil.Require(t, n <= len(text), "no end of games in %q", text)
		bad := new(BadGame)
		if err != nil && !errors.As(err, &bad) {
			return // the reader cannot continue
		}
		if err != nil {
			continue
		}
		wrong := checkMoves(record)
		testutil.Require(t, wrong == nil, "%v in %q", wrong, text)
	}
}
