package openings

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/players/builtin"
	"gogi/shogi"
	"gogi/shogi/book"
	"gogi/usi"
)

// An engine is the built-in engine as a Thinker.
type engine struct {
	*builtin.Engine
	closed *int
}

func (e engine) Close() error { *e.closed++; return nil }

func open(t *testing.T, closed *int) func(context.Context) (Thinker, error) {
	return func(ctx context.Context) (Thinker, error) {
		e := builtin.New()
		for _, s := range []usi.Setting{{Name: "USI_Hash", Value: "1"}, {Name: "MultiPV", Value: "6"}} {
			testutil.OK(t, e.SetOption(s))
		}
		return engine{e, closed}, e.Ready(ctx)
	}
}

var design = Design{Start: "startpos", Plies: 6, Margin: 60, Window: 120, Nodes: 200, Lines: 6, Seed: 5}

// made returns the openings that a Maker finds and the numbers of its rejected attempts.
func made(t *testing.T, wanted, slots int, before []Opening) (list []Opening, refused Refused) {
	t.Helper()
	closed := 0
	m := Maker{Design: design, Wanted: wanted, Slots: slots, Open: open(t, &closed)}
	m.Found = func(o Opening) error {
		list = append(list, o)
		return nil
	}
	if slots > 1 {
		m.Open = func(ctx context.Context) (Thinker, error) { return open(t, new(int))(ctx) }
	}
	testutil.OK(t, m.Run(t.Context(), before))
	testutil.Check(t, slots != 1 || closed == min(1, wanted-len(before)), "%d engines were closed", closed)
	return list, m.Refused
}

// TestMake: the openings do not depend on the number of engines or on an interruption.
func TestMake(t *testing.T) {
	t.Parallel()
	all, refused := made(t, 12, 1, nil)
	seen := map[string]bool{}
	for _, o := range all {
		end, err := endOf(o.Line)
		testutil.Check(t, err == nil && !seen[end] && len(o.Line.Moves) == 6 &&
			max(o.Black, -o.Black, o.White, -o.White) <= 120,
			"%v, %v", o, err)
		seen[end] = true
	}
	testutil.Require(t, len(all) == 12 &&
		slices.IsSortedFunc(all, func(a, b Opening) int { return a.Attempt - b.Attempt }), "%d openings", len(all))
	last := all[11].Attempt
	testutil.Equal(t, refused.Unequal+refused.Repeated+refused.Ended+12, last+1, "%+v after attempt %d", refused, last)
	parallel, _ := made(t, 12, 3, nil)
	rest, anew := made(t, 12, 1, all[:5])
	for i, o := range parallel {
		testutil.Equal(t, o.String(), all[i].String(), "with three engines opening %d is %v, expected %v", i, o, all[i])
	}
	for i, o := range rest {
		testutil.Equal(t, o.String(), all[5+i].String(), "after a break opening %d is %v, expected %v", i, o, all[5+i])
	}
	testutil.Check(t, anew.Repeated <= refused.Repeated, "attempts were made again: %+v after %+v", anew, refused)
	testutil.Check(t, len(parallel) == 12 && len(rest) == 7, "%d and %d openings", len(parallel), len(rest))
}

// A scripted engine answers every request with answer.
type scripted struct {
	engine
	answer func(line usi.Position) (usi.Reply, error)
}

func (s scripted) NewGame(context.Context, usi.Game) error { return nil }
func (s scripted) Close() error                            { return nil }
func (s scripted) Think(_ context.Context, r usi.Request) (usi.Reply, error) {
	return s.answer(r.Position)
}

func info(move string, score int) usi.Info {
	m, err := shogi.ParseMove(move)
	if err != nil {
		return usi.Info{}
	}
	return usi.Info{HasScore: true, Score: usi.Score{Value: score}, PV: []shogi.Move{m}}
}

// TestBothColours: before 7g7f Black's search scores it 30. After it White's search scores −80, which is 80 for Black.
// A window of 80 accepts the opening, and a window of 79 does not.
func TestBothColours(t *testing.T) {
	t.Parallel()
	answer := func(p usi.Position) (usi.Reply, error) {
		if len(p.Moves) == 0 {
			return usi.Reply{Answer: usi.AnswerMove, Lines: []usi.Info{info("2g2f", -100), info("7g7f", 30), info("9g9f", -31)}},
				nil
		}
		return usi.Reply{Answer: usi.AnswerMove, Lines: []usi.Info{info("3c3d", -80)}}, nil
	}
	for window, want := range map[int]string{80: "startpos moves 7g7f # 0 +30 +80", 79: ""} {
		m := Maker{Design: Design{Start: "startpos", Plies: 1, Margin: 60, Window: window, Nodes: 1, Lines: 3}}
		a := testutil.Must(m.try(t.Context(), scripted{answer: answer}, 0))(t)
		if got := a.opening.String(); (a.why == nil) != (want != "") || want != "" && got != want {
			t.Errorf("window %d: %s, expected %q", window, got, want)
		}
	}
}

// TestDrawnByMove: the order in which an engine sends equal lines does not matter.
func TestDrawnByMove(t *testing.T) {
	t.Parallel()
	m := Maker{Design: Design{Margin: 5}}
	p := shogi.StartPos()
	lines := []usi.Info{info("7g7f", 9), info("2g2f", 9), info("5g5f", 4), info("9g9f", 3)}
	turned := []usi.Info{lines[1], lines[0], lines[2], lines[3]}
	drawn := map[shogi.Move]bool{}
	for seed := range uint64(50) {
		a := m.draw(&p, lines, rand.New(rand.NewPCG(seed, 1)))
		b := m.draw(&p, turned, rand.New(rand.NewPCG(seed, 1)))
		testutil.Equal(t, a, b)
		drawn[a] = true
	}
	testutil.Check(t, len(drawn) == 3 && !drawn[lines[3].PV[0]], "%v", drawn)
}

func TestMakeFails(t *testing.T) {
	t.Parallel()
	broken := errors.New("the engine is gone")
	full := errors.New("the disk is full")
	first := func(usi.Position) (usi.Reply, error) {
		return usi.Reply{Answer: usi.AnswerMove, Lines: []usi.Info{info("7g7f", 0)}}, nil
	}
	for want, m := range map[string]Maker{
		"the engine is gone": {Open: func(context.Context) (Thinker, error) { return nil, broken }},
		"attempt 0: the engine is gone": {Open: func(context.Context) (Thinker, error) {
			return scripted{answer: func(usi.Position) (usi.Reply, error) { return usi.Reply{}, broken }}, nil
		}},
		`attempt 0: it answered "x" in startpos`: {Open: func(context.Context) (Thinker, error) {
			return scripted{answer: func(usi.Position) (usi.Reply,
				error) {
				return usi.Reply{Answer: usi.AnswerInvalid, Text: "x"}, nil
			}}, nil
		}},
		"attempt 0: it gave no line with an exact score": {Open: func(context.Context) (Thinker, error) {
			return scripted{answer: func(usi.Position) (usi.Reply,
				error) {
				return usi.Reply{Answer: usi.AnswerMove, Text: "7g7f"}, nil
			}}, nil
		}},
		"500 attempts in a row gave no opening (0 unequal, 500 repeated, 0 ended)": {Open: func(context.Context) (Thinker,
			error) {
			return scripted{answer: func(p usi.Position) (usi.Reply, error) {
				if len(p.Moves) > 0 {
					return usi.Reply{Answer: usi.AnswerMove, Lines: []usi.Info{info("3c3d", 0)}}, nil
				}
				return first(p)
			}}, nil
		}},
		"500 attempts in a row gave no opening (0 unequal, 0 repeated, 500 ended)": {Open: func(context.Context) (Thinker,
			error) {
			return scripted{answer: func(usi.Position) (usi.Reply, error) { return usi.Reply{Answer: usi.AnswerResign}, nil }},
				nil
		}},
		"the disk is full": {
			Open:  func(context.Context) (Thinker, error) { return scripted{answer: first}, nil },
			Found: func(Opening) error { return full },
		},
	} {
		m.Design, m.Wanted, m.Slots = Design{Start: "startpos", Plies: 1, Window: 10, Lines: 1}, 2, 1
		if m.Found == nil {
			m.Found = func(Opening) error { return nil }
		}
		if err := m.Run(t.Context(), nil); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, expected %q", err, want)
		}
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(broken)
	m := Maker{Design: design, Wanted: 1, Slots: 1, Open: func(context.Context) (Thinker, error) {
		return scripted{answer: first}, nil
	}}
	testutil.Is(t, m.Run(ctx, nil), broken)
}

func TestFile(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "a.sfen")
	head := design.String()
	f, before, err := OpenFile(name, head)
	testutil.Require(t, err == nil && len(before) == 0, "%v %v", before, err)
	list, _ := made(t, 3, 1, nil)
	for _, o := range list {
		testutil.OK(t, f.Add(o))
	}
	testutil.OK(t, f.Close())
	whole := testutil.Must(os.ReadFile(name))(t)
	// After a cut at any byte, OpenFile keeps the whole lines and removes the rest.
	for cut := range len(whole) + 1 {
		testutil.OK(t, os.WriteFile(name, whole[:cut], 0o600))
		f, before, err := OpenFile(name, head)
		testutil.OK(t, err, "cut at %d", cut)
		lines := max(0, strings.Count(string(whole[:cut]), "\n")-1)
		testutil.Require(t, len(before) == lines, "cut at %d: %d openings, expected %d", cut, len(before), lines)
		for i, o := range before {
			testutil.Equal(t, o.String(), list[i].String(), "%v comes back as %v", list[i], o)
		}
		for _, o := range list[lines:] {
			testutil.OK(t, f.Add(o))
		}
		testutil.OK(t, f.Close())
		if again, err := os.ReadFile(name); err != nil || string(again) != string(whole) {
			t.Fatalf("cut at %d it becomes\n%s", cut, again)
		}
	}
	other := filepath.Join(t.TempDir(), "b.sfen")
	for _, head := range []string{"one", "two"} { // the first set has no openings
		f, _, err := OpenFile(other, head)
		testutil.Require(t, err == nil && f.Close() == nil, "%v", err)
	}
	if text, err := os.ReadFile(other); err != nil || string(text) != headMark+"two\n" {
		t.Errorf("%s, %v", text, err)
	}
	if _, _, err := OpenFile(name, head+" more"); err == nil || !strings.Contains(err.Error(), "another set of openings") {
		t.Error(err)
	}
	testutil.OK(t, os.WriteFile(name, append(whole, "startpos moves 7g7f\n"...), 0o600))
	if _, _, err := OpenFile(name, head); err == nil || !strings.Contains(err.Error(), "line 5: ") {
		t.Error(err)
	}
}

func TestDraw(t *testing.T) {
	t.Parallel()
	f := testutil.Must(book.FormatOf("db", ""))(t)
	b, err := f.Parse([]byte(`sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1
7g7f none 10 1 5
2g2f none 300 1 5
sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 1
3c3d none 0 1 1
8c8d none 0 1 1
sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/7P1/PPPPPPP1P/1B5R1/LNSGKGSNL w - 1
3c3d none 0 1 1
`))
	testutil.OK(t, err)
	lines, err := Draw(b, Drawing{Start: "startpos", Plies: 2, Wanted: 3, Seed: 1})
	testutil.Check(t, err == nil && len(lines) == 3, "%v, %v", lines, err)
	again, err := Draw(b, Drawing{Start: "startpos", Plies: 2, Wanted: 3, Seed: 1})
	testutil.Check(t, err == nil &&
		slices.EqualFunc(lines, again, func(a, b usi.Position) bool { return a.String() == b.String() }),
		"%v, %v", again, err)
	lines, err = Draw(b, Drawing{Start: "startpos", Plies: 2, Wanted: 3, Window: 100, Seed: 1})
	testutil.Check(t, errors.Is(err, ErrFew) && len(lines) == 2, "%v, %v", lines, err)
	for _, l := range lines {
		testutil.Equal(t, l.Moves[0].String(), "7g7f")
	}
	// Without counts, Draw uses the moves whose scores are within the margin.
	for i := range b.Entries[0].Moves {
		b.Entries[0].Moves[i].Count = 0
	}
	for margin, want := range map[int]int{289: 1, 290: 3} {
		if lines, _ := Draw(b, Drawing{Start: "startpos", Plies: 2, Wanted: 9, Margin: margin, Seed: 1}); len(lines) != want {
			t.Errorf("margin %d: %v", margin, lines)
		}
	}
	if lines, err = Draw(b, Drawing{Start: "startpos", Plies: 3, Wanted: 1}); !errors.Is(err, ErrFew) || len(lines) != 0 {
		t.Errorf("%v, %v", lines, err)
	}
}

// rows returns the two games of a pair with these outcomes. A has Black in the first game.
func rows(first, second match.Outcome, hash uint64) []match.Row {
	return []match.Row{
		{Black: "A", White: "B", PairA: "A", PairB: "B", Outcome: first, MovesHash: hash},
		{Black: "B", White: "A", PairA: "A", PairB: "B", Outcome: second, MovesHash: hash + 1},
	}
}

// TestWorth: the expected values are calculated by hand. In the pairs, Black wins both games (no information), A wins
// both, or A wins and draws. The last pair has a copy.
func TestWorth(t *testing.T) {
	t.Parallel()
	g := NewGatherer()
	o := match.Opening{Start: "startpos", Moves: []shogi.Move{shogi.NewMove(60, 59)}}
	g.Add(o, rows(match.BlackWins, match.BlackWins, 1))
	g.Add(o, rows(match.BlackWins, match.WhiteWins, 3))
	g.Add(o, rows(match.BlackWins, match.Draw, 5))
	g.Add(o, rows(match.BlackWins, match.Draw, 5))
	g.Add(match.Opening{Start: "startpos"}, rows(match.Draw, match.Draw, 7)[:1])
	w := g.Stats()
	testutil.Require(t, len(w.Openings) == 2 && w.Copies == 2 && w.Games == 7, "%+v", w)
	s := w.Openings[0]
	if s.Games != 6 || s.Black != 4 || s.White != 1 || s.Draws != 1 || s.Pairs != 3 || s.Decisive.Rate != 2.0/3 ||
		s.BlackWins.Rate != 0.8 || s.Drawn.Rate != 1.0/6 {
		t.Errorf("%+v %v %v %v", s, s.Decisive, s.BlackWins, s.Drawn)
	}
	// The Clopper–Pearson interval for 4 of 5, from a table.
	lo, hi := s.BlackWins.Lo-0.28358, s.BlackWins.Hi-0.99495
	testutil.Check(t, max(lo, -lo, hi, -hi) <= 0.00001, "%v", s.BlackWins)
	if s = w.Openings[1]; s.BlackWins != nil || s.Decisive != nil || s.Drawn.Rate != 1 {
		t.Errorf("%+v", s)
	}
	var out strings.Builder
	w.Print(&out, 1)
	if text := out.String(); !strings.Contains(text, "7g7f") || !strings.Contains(text, "80% [28, 99]") ||
		!strings.Contains(text, "1 more openings") {
		t.Error(text)
	}
}
