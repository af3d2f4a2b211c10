package builtin

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gogi/internal/testutil"
	"gogi/shogi"
	"gogi/usi"
)

// bookEngine returns an engine that plays from a book with this text.
func bookEngine(t *testing.T, text string, settings ...usi.Setting) *Engine {
	t.Helper()
	file := filepath.Join(t.TempDir(), "book.usi")
	testutil.OK(t, os.WriteFile(file, []byte(text), 0o600))
	e := New()
	for _, s := range append(settings, usi.Setting{Name: "BookFile", Value: file},
		usi.Setting{Name: "USI_Hash", Value: "1"}) {
		testutil.OK(t, e.SetOption(s))
	}
	testutil.OK(t, e.Ready(t.Context()))
	return e
}

func TestBook(t *testing.T) {
	t.Parallel()
	var told []string
	ask := func(e *Engine, g usi.Go, moves ...shogi.Move) usi.Reply {
		told = nil
		r := testutil.Must(e.Think(t.Context(), usi.Request{
			Position: usi.Position{Start: "startpos", Moves: moves}, Go: g, OnInfo: func(i usi.Info) {
				told = append(told, i.Text)
			},
		}))(t)
		return r
	}
	e := bookEngine(t, "startpos moves 9g9f 1c1d\n")
	r := ask(e, usi.Go{Nodes: 50})
	testutil.Check(t, r.Text == "9g9f" && r.Answer == usi.AnswerMove && r.Nodes == 0 &&
		strings.Join(told, "") == "book 9g9f",
		"%+v, %q", r, told)
	if r = ask(e, usi.Go{Nodes: 50}, r.Move); r.Text != "1c1d" || r.Nodes != 0 {
		t.Errorf("%+v", r)
	}
	if r = ask(e, usi.Go{Nodes: 50}, shogi.NewMove(60, 59)); r.Nodes == 0 {
		t.Errorf("the book answers what it does not have: %+v", r)
	}
	// The engine searches if a request is not for a move to be played.
	for _, g := range []usi.Go{{Nodes: 50, Ponder: true}, {Nodes: 50, SearchMoves: []shogi.Move{shogi.NewMove(60, 59)}},
		{Nodes: 50, Mate: true}} {
		if r = ask(e, g); r.Nodes == 0 {
			t.Errorf("%v: %+v", g, r)
		}
	}
	// The seed decides which move of the book is drawn.
	seen := map[string]int{}
	for _, seed := range []string{"1", "1", "2", "3", "4", "5", "6", "7", "8"} {
		seen[ask(bookEngine(t, "startpos moves 9g9f\nstartpos moves 1g1f\n", usi.Setting{Name: "Seed", Value: seed}),
			usi.Go{Nodes: 9}).Text]++
	}
	testutil.Check(t, len(seen) == 2 && seen["9g9f"]+seen["1g1f"] == 9, "%v", seen)
	testutil.OK(t, e.SetOption(usi.Setting{Name: "BookFile", Value: "/nonexistent/book.db"}))
	testutil.Fails(t, e.Ready(t.Context()), "no such file")
	if r = ask(e, usi.Go{Nodes: 50}); r.Nodes == 0 {
		t.Error("the book before is used")
	}
	testutil.OK(t, e.SetOption(usi.Setting{Name: "BookFile", Value: "<empty>"}))
	testutil.OK(t, e.Ready(t.Context()))
	if r = ask(e, usi.Go{Nodes: 50}); r.Nodes == 0 {
		t.Error("the book answers although it is closed")
	}
}

// TestAnUnusableBookIsToldAndPlayedWithout: if a GUI names an unreadable book, the engine sends an error message,
// readyok and moves.
func TestAnUnusableBookIsToldAndPlayedWithout(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	in := strings.NewReader("usi\nsetoption name USI_Hash value 1\nsetoption name BookFile value no_book\nsetoption name Nonsense value 1\nisready\ngo nodes 50\nisready\nquit\n")
	testutil.OK(t, usi.Serve(t.Context(), in, &out, New()))
	_, said, _ := strings.Cut(out.String(), "usiok\n")
	var kinds []string
	for line := range strings.Lines(said) {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch {
		case strings.HasPrefix(rest, "string error: option BookFile: "):
			kinds = append(kinds, "book error")
		case strings.HasPrefix(rest, "string error: "):
			kinds = append(kinds, "error")
		case word != "info":
			kinds = append(kinds, word)
		}
	}
	got := strings.Join(kinds, ", ")
	testutil.Check(t, got == "error, book error, readyok, bestmove, book error, readyok", "%s:\n%s", got, said)
}
