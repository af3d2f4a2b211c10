package terminal

import (
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/mattn/go-runewidth"
	"pgregory.net/rapid"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/match/matchtest"
	"gogi/report"
	"gogi/shogi"
	"gogi/stats"
)

// hostile generates text that an engine or a person could send.
func hostile() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.String(),
		rapid.StringMatching(`[a-z]{0,60}`),
		rapid.SampledFrom([]string{
			"\x1b[2J\x1b]0;owned\x07", "a\r\nb", "\u202egnp.exe", "合議のエンジン第一号", "e\u0301\u0301\u0301", "👩\u200d🚀🏳️\u200d🌈🇯🇵",
			"\u009b31m", "ﾊﾝｶｸ", "\x00\x7f",
			"ก็็็็", strings.Repeat("長い", 200), "각", "\u1112\u1161\u11ab", "\u2028\u00ad\ufeff", "\xff\xfe", "½–±…",
		}),
	)
}

// played returns a start, some legal moves and the position after them.
func played(t *rapid.T) (start, moves, now string) {
	p := shogi.StartPos()
	start = p.SFEN()
	var list []string
	for range rapid.IntRange(0, 40).Draw(t, "plies") {
		legal := p.LegalMoves(nil)
		if len(legal) == 0 {
			break
		}
		m := legal[rapid.IntRange(0, len(legal)-1).Draw(t, "move")]
		list = append(list, m.String())
		p.Apply(m)
	}
	return start, strings.Join(list, " "), p.SFEN()
}

func drawBoard(t *rapid.T) *match.Board {
	if rapid.IntRange(0, 4).Draw(t, "no board") == 0 {
		return nil
	}
	text := hostile()
	number := rapid.IntRange(-1, 1<<40)
	b := &match.Board{
		Pair: number.Draw(t, "pair"), Leg: 1,
		GameHead: match.GameHead{Black: text.Draw(t, "black"), White: text.Draw(t, "white"),
			Opening: text.Draw(t, "opening")},
		Ply: number.Draw(t, "ply"), Outcome: rapid.OneOf(rapid.Just(""), rapid.Just("black"), text).Draw(t, "outcome"),
		Termination: text.Draw(t, "termination"),
	}
	b.Start, b.Moves, b.Position = played(t)
	if rapid.IntRange(0, 5).Draw(t, "unsound") == 0 {
		b.Moves, b.Position = text.Draw(t, "moves"), text.Draw(t, "position")
	}
	for c := range b.Thoughts {
		score, ms := rapid.IntRange(-1_100_000, 1_100_000).Draw(t, "score"), rapid.Float64Range(-1e6, 1e9).Draw(t, "ms")
		b.Thoughts[c] = &match.Thought{Ply: c, Score: &score, Depth: 3, Nodes: rapid.Uint64().Draw(t, "nodes"),
			PV: text.Draw(t, "pv"), TimeMS: &ms}
		b.Clocks = append(b.Clocks, &ms)
		if rapid.Bool().Draw(t, "council") {
			b.Thoughts[c].Vote = drawVote(t)
		}
	}
	return b
}

func drawVote(t *rapid.T) *match.Vote {
	text := hostile()
	v := &match.Vote{By: text.Draw(t, "by"), Split: text.Draw(t, "split"),
		Others: rapid.IntRange(-1, 1<<40).Draw(t, "others")}
	for i := range rapid.IntRange(0, 16).Draw(t, "ballots") {
		b := match.Ballot{Member: text.Draw(t, "member"), Kind: text.Draw(t, "kind"), Move: text.Draw(t, "vote"),
			Weight: rapid.Float64().Draw(t, "weight"), Played: i == 0}
		v.Ballots = append(v.Ballots, b)
	}
	return v
}

// TestVotesAreShown requires that the ballot of each council member is below its player, with a mark for the votes for
// the move played.
func TestVotesAreShown(t *testing.T) {
	score, less, mate := 120, -30, -999_996
	thought := &match.Thought{Ply: 1, Move: "7g7f", Score: &score,
		Vote: &match.Vote{By: "rule", Split: "2:1", Others: 2, Ballots: []match.Ballot{
			{Member: "one", Kind: "move", Move: "7g7f", Score: &score, Weight: 1.25, Played: true},
			{Member: "two", Kind: "move", Move: "2g2f", Score: &less, Weight: 0.5},
			{Member: "three", Kind: "dead", Weight: 1},
			{Member: "four", Kind: "move", Move: "7g7f", Score: &mate, Weight: 1, Played: true},
			{Member: "five", Kind: "none", Weight: 1},
			{Member: "six", Kind: "move", Move: "7g7f", Weight: 1, Played: true},
		}}}
	board := &match.Board{Ply: 1, Position: shogi.Handicaps()[0].SFEN, Thoughts: [2]*match.Thought{thought, nil},
		GameHead: match.GameHead{Black: "C", White: "B"}}
	v := View{Now: &match.Snapshot{Slots: []match.SlotState{{Phase: match.SlotPlaying, Board: board}}}}
	var got []string
	for _, l := range v.game(v.Now.Slots[0], 40) {
		got = append(got, strings.Join(strings.Fields(l.String()), " "))
	}
	for _, want := range []string{
		"votes 2:1 for 7g7f, by the vote", "* one 7g7f +120 ×1.25", "two 2g2f -30 ×0.5", "three dead - ×1",
		"* four 7g7f mate -4 ×1", "five no answer - ×1", "and 2 more",
	} {
		if !slices.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, strings.Join(got, "\n"))
		}
	}
	if short := v.game(v.Now.Slots[0], 12); len(short) != 12 || !strings.Contains(short[11].String(), "+120") &&
		!strings.Contains(short[8].String(), "votes") {
		t.Errorf("%v", short)
	}
}

func drawReport(t *rapid.T) *report.Report {
	names := []string{"A" + hostile().Draw(t, "A"), "B" + hostile().Draw(t, "B")}
	pairs := rapid.SliceOfN(rapid.SampledFrom([]string{"WW", "WL", "LL", "DD", "DW"}), 0, 12).Draw(t, "pairs")
	o := matchtest.Run{Players: names, Pairs: pairs, Slowed: rapid.IntRange(0, 5).Draw(t, "slowed")}
	run := report.Run{Name: "run", Pairs: 12, Players: []report.Player{{Name: names[0]}, {Name: names[1]}}}
	if rapid.Bool().Draw(t, "gate") {
		run.Gate = report.Registration{Design: stats.SPRT{Elo0: 0, Elo1: 30, Alpha: 0.05, Beta: 0.1,
			Model: stats.ModelLogistic}, Registered: true, Pairs: 12}
	}
	g := testutil.Must(report.New(run))(t)
	for _, rows := range o.Rows() {
		testutil.OK(t, g.Add(rows))
	}
	return g.Report()
}

func drawView(t *rapid.T) View {
	text := hostile()
	now := &match.Snapshot{
		Began: time.Unix(0, 0), Latest: time.Unix(rapid.Int64Range(0, 1e6).Draw(t, "latest"), 0),
		Phase: match.RunPhase(text.Draw(t, "phase")),
		Pairs: rapid.Int().Draw(t, "pairs"), Finished: rapid.Int().Draw(t, "finished"), Wanted: rapid.Int().Draw(t, "wanted"),
	}
	for i := range rapid.IntRange(0, 30).Draw(t, "slots") {
		now.Slots = append(now.Slots, match.SlotState{
			Worker: text.Draw(t, "worker"), Slot: i, Board: drawBoard(t),
			Phase: rapid.SampledFrom([]match.SlotPhase{match.SlotIdle, match.SlotStarting, match.SlotPlaying}).Draw(t, "phase"),
		})
	}
	for range rapid.IntRange(0, 5).Draw(t, "faults") {
		now.Faults = append(now.Faults,
			match.FaultSum{Player: text.Draw(t, "player"), Kind: text.Draw(t, "kind"), Times: 3, Forfeits: 1})
		now.Warnings = append(now.Warnings,
			match.WarningGiven{Engine: text.Draw(t, "engine"), Kind: "slow", Note: text.Draw(t, "note")})
	}
	v := View{
		Run: text.Draw(t, "run"), Now: now, Unread: text.Draw(t, "unread"),
		Waited: time.Duration(rapid.Int64().Draw(t, "waited")),
		Faults: rapid.SliceOf(text).Draw(t, "told"), Message: text.Draw(t, "message"), Question: rapid.Bool().Draw(t, "asks"),
	}
	if rapid.Bool().Draw(t, "read") {
		v.Report = drawReport(t)
	}
	if n := len(now.Slots); n > 0 {
		at := now.Slots[rapid.IntRange(0, n-1).Draw(t, "chosen")]
		v.Chosen = Seat{at.Worker, at.Slot}
	}
	return v
}

// TestLinesFit requires for any content that the lines are not wider than the terminal and not more than it has. All
// characters are printable. Another library calculates the widths.
func TestLinesFit(t *testing.T) {
	narrow := &runewidth.Condition{}
	rapid.Check(t, func(t *rapid.T) {
		v := drawView(t)
		w, h := rapid.IntRange(0, 220).Draw(t, "width"), rapid.IntRange(0, 60).Draw(t, "height")
		lines := Lines(v, w, h)
		testutil.Require(t, len(lines) <= h, "%d lines in %d", len(lines), h)
		for _, l := range lines {
			// by another library, and by the library that draws
			if got := narrow.StringWidth(l.String()); max(got, l.Width()) > w {
				t.Fatalf("%q is %d wide, and said to be %d, in %d", l, got, l.Width(), w)
			}
			for _, r := range l.String() {
				testutil.Require(t, unicode.IsGraphic(r), "%U in %q", r, l)
			}
		}
	})
}

// TestNothingPushesTheKeysOut requires that the board, the answer to a key and the keys are visible for any content.
func TestNothingPushesTheKeysOut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := drawView(t)
		v.Message = "an answer"
		w, h := rapid.IntRange(LeastWidth, 220).Draw(t, "width"), rapid.IntRange(LeastHeight, 60).Draw(t, "height")
		lines := Lines(v, w, h)
		if len(lines) != h || lines[h-1].String() != keys || lines[h-2].String() != "an answer" {
			t.Fatalf("%d lines of %d, the last %q", len(lines), h, lines[len(lines)-1])
		}
		b := v.shown().Board
		if _, _, ok := position(b); !ok {
			return
		}
		if !slices.ContainsFunc(lines, func(l Line) bool {
			return strings.Contains(l.String(), " i ") || strings.HasSuffix(l.String(), " i")
		}) {
			t.Fatal("the last rank is not there")
		}
		at := slices.IndexFunc(lines, func(l Line) bool {
			return strings.HasPrefix(l.String(), "  9  8") || strings.HasPrefix(l.String(), "   9  ")
		})
		testutil.Require(t, at >= 0 && at+11 <= h-3, "the board is cut")
	})
}

// TestBoardAsBOD compares the board with the notation BOD. Other programs write it for the start of an even game and
// after ▲7六歩 △3四歩 ▲2二角成 △同銀.
func TestBoardAsBOD(t *testing.T) {
	for _, c := range []struct {
		moves string
		want  []string
	}{
		{"", []string{
			"v -", "",
			"v香v桂v銀v金v玉v金v銀v桂v香", " ・v飛 ・ ・ ・ ・ ・v角 ・", "v歩v歩v歩v歩v歩v歩v歩v歩v歩", " ・ ・ ・ ・ ・ ・ ・ ・ ・", " ・ ・ ・ ・ ・ ・ ・ ・ ・",
			" ・ ・ ・ ・ ・ ・ ・ ・ ・", " 歩 歩 歩 歩 歩 歩 歩 歩 歩", " ・ 角 ・ ・ ・ ・ ・ 飛 ・", " 香 桂 銀 金 玉 金 銀 桂 香", "  -",
		}},
		{"7g7f 3c3d 8h2b+ 3a2b", []string{
			"v 角", "",
			"v香v桂v銀v金v玉v金 ・v桂v香", " ・v飛 ・ ・ ・ ・ ・v銀 ・", "v歩v歩v歩v歩v歩v歩 ・v歩v歩", " ・ ・ ・ ・ ・ ・v歩 ・ ・", " ・ ・ ・ ・ ・ ・ ・ ・ ・",
			" ・ ・ 歩 ・ ・ ・ ・ ・ ・", " 歩 歩 ・ 歩 歩 歩 歩 歩 歩", " ・ ・ ・ ・ ・ ・ ・ 飛 ・", " 香 桂 銀 金 玉 金 銀 桂 香", "  角",
		}},
	} {
		p := shogi.StartPos()
		for text := range strings.FieldsSeq(c.moves) {
			m := testutil.Must(shogi.ParseMove(text))(t)
			p.Apply(m)
		}
		lines := View{}.boardLines(&match.Board{Position: p.SFEN(), GameHead: match.GameHead{Moves: c.moves}}, false)
		for i, want := range c.want {
			got := lines[i].String()
			if i >= 2 && i < 11 {
				got = strings.TrimSuffix(got, " "+string(rune('a'+i-2)))
			}
			testutil.Check(t, i == 1 || got == want, "line %d is %q, want %q", i, got, want)
		}
		var marked []string
		for _, l := range lines {
			for _, s := range l {
				if s.Style == Moved {
					marked = append(marked, s.Text)
				}
			}
		}
		testutil.Check(t, c.moves == "" || slices.Equal(marked, []string{"銀"}), "%q is marked as the last move", marked)
	}
}

// TestSmall requires that a terminal that is too small shows the size that is enough.
func TestSmall(t *testing.T) {
	for _, size := range [][2]int{{79, 24}, {80, 23}, {30, 8}} {
		var text strings.Builder
		for _, l := range Lines(View{Now: &match.Snapshot{}}, size[0], size[1]) {
			text.WriteString(l.String() + " ")
		}
		testutil.Contains(t, strings.Join(strings.Fields(text.String()), " "), "gogi watch needs 80 × 24", "%v: %s", size,
			text.String())
	}
}
