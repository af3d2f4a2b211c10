package usi_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"gogi/internal/lists"
	"gogi/internal/testutil"
	"gogi/shogi"
	"gogi/usi"
)

// actor is a Served that acts as a test requires and records its calls. It plays line in every game.
type actor struct {
	mu    sync.Mutex
	calls []string

	ready   time.Duration // how long Ready takes
	eager   bool          // answers at once even when it should search without limit
	answer  usi.Answer    // instead of a move
	failure error         // returned by Think and Ponder
	broken  error         // returned by Ready
	infos   []usi.Info    // sent at the beginning of each search
}

// line is the game that the actor plays.
var line = []string{"7g7f", "3c3d", "2g2f", "8c8d", "2f2e", "8d8e"}

func (a *actor) note(format string, args ...any) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.calls = append(a.calls, fmt.Sprintf(format, args...))
}

func (a *actor) takeCalls() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	calls := a.calls
	a.calls = nil
	return calls
}

func (a *actor) Name() string   { return "Actor" }
func (a *actor) Author() string { return "nobody" }

func (a *actor) Options() []usi.Option {
	return []usi.Option{
		{Name: "Style", Type: usi.String},
		{Name: "Null value cut", Type: usi.Check, Default: "true"},
		{Name: "Clear", Type: usi.Button},
		{Name: "Votes", Type: usi.Spin, Default: "3", Min: 1, Max: 9},
	}
}

func (a *actor) SetOption(s usi.Setting) error {
	a.note("SetOption %s=%s", s.Name, s.Value)
	return nil
}

func (a *actor) Ready(ctx context.Context) error {
	a.note("Ready")
	if a.ready == 0 {
		return a.broken
	}
	select {
	case <-time.After(a.ready):
		return a.broken
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (a *actor) NewGame(context.Context, usi.Game) error {
	a.note("NewGame")
	return nil
}

func describe(r usi.Request) string {
	text := strings.TrimPrefix(r.Position.String(), "position ") + " " + r.Go.String()
	if r.Go.Early {
		text += " (early)"
	}
	return text
}

// wait simulates the search. It takes no time with a limit of nodes or with a clock, and movetime if this is set.
// Otherwise it waits for the end of ctx.
func (a *actor) wait(ctx context.Context, r usi.Request) {
	for _, i := range a.infos {
		r.OnInfo(i)
	}
	switch g := r.Go; {
	case a.eager || g.Clock || g.Nodes > 0:
	case g.MoveTime > 0:
		select {
		case <-time.After(g.MoveTime):
		case <-ctx.Done():
		}
	default:
		<-ctx.Done()
	}
}

func (a *actor) Think(ctx context.Context, r usi.Request) (usi.Reply, error) {
	how := "Think"
	if ctx.Err() != nil {
		how = "Think(ended)"
	}
	a.note("%s %s", how, describe(r))
	a.wait(ctx, r)
	if a.failure != nil {
		return usi.Reply{}, a.failure
	}
	if a.answer != usi.AnswerInvalid {
		return usi.Reply{Answer: a.answer}, nil
	}
	m, err := shogi.ParseMove(line[len(r.Position.Moves)])
	return usi.Reply{Answer: usi.AnswerMove, Move: m}, err
}

// ponderer is an actor that can ponder.
type ponderer struct{ *actor }

func (p ponderer) Ponder(_ context.Context, r usi.Request) error {
	p.note("Ponder %s", describe(r))
	for _, i := range p.infos {
		r.OnInfo(i)
	}
	return p.failure
}

// council is an actor that has all optional methods.
type council struct{ ponderer }

func (c council) Mate(ctx context.Context, r usi.Request) (usi.Checkmate, error) {
	c.note("Mate %s", describe(r))
	if r.Go.MateTime == 0 {
		<-ctx.Done()
		return usi.Checkmate{Answer: usi.MateTimeout}, c.failure
	}
	return usi.Checkmate{Answer: usi.MateFound, Moves: pv("7g7f", "3c3d", "8h2b+")}, c.failure
}

func (c council) GameOver(_ context.Context, o usi.Outcome) error {
	c.note("GameOver %s", o)
	return nil
}

func able() council { return council{ponderer{&actor{}}} }

func pv(moves ...string) (list []shogi.Move) {
	for _, text := range moves {
		m, err := shogi.ParseMove(text)
		if err != nil {
			panic(err)
		}
		list = append(list, m)
	}
	return list
}

// gui is the other side of a Server, in a synctest bubble.
type gui struct {
	t   *testing.T
	in  *io.PipeWriter
	out *io.PipeReader
	err chan error // one value, once Serve has returned

	mu    sync.Mutex
	lines []string
}

// start serves and does not read the output.
func start(ctx context.Context, t *testing.T, server usi.Server, served usi.Served) *gui {
	t.Helper()
	commands, in := io.Pipe()
	out, answers := io.Pipe()
	g := &gui{t: t, in: in, out: out, err: make(chan error, 1)}
	go func() {
		err := server.Serve(ctx, commands, answers, served)
		g.err <- errors.Join(err, answers.Close(), commands.Close())
	}()
	return g
}

// read reads all lines from now on.
func (g *gui) read() {
	go func() {
		lines := bufio.NewScanner(g.out)
		for lines.Scan() {
			g.mu.Lock()
			g.lines = append(g.lines, lines.Text())
			g.mu.Unlock()
		}
	}()
}

func (g *gui) say(text string) {
	g.t.Helper()
	testutil.Must(io.WriteString(g.in, text))(g.t)
}

// heard returns the new lines when all goroutines wait.
func (g *gui) heard() []string {
	synctest.Wait()
	g.mu.Lock()
	defer g.mu.Unlock()
	lines := g.lines
	g.lines = nil
	return lines
}

// quit ends the dialogue. At the end of its bubble, synctest fails if anything still runs.
func (g *gui) quit() {
	g.t.Helper()
	g.say("quit\n")
	testutil.OK(g.t, <-g.err)
}

// introduction is the actor's answer to usi.
const introduction = "id name Actor\nid author nobody\noption name Style type string default <empty>\n" +
	"option name Null value cut type check default true\noption name Clear type button\n" +
	"option name Votes type spin default 3 min 1 max 9\nusiok"

// rehearse plays a dialogue. "> " is a line of the GUI; several such lines follow each other without a wait. "< " is
// the exact answer, or "< (introduction)". "= " is the exact list of calls. "+ " lets time pass.
func rehearse(t *testing.T, server usi.Server, served interface {
	usi.Served
	takeCalls() []string
}, script string,
) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		g := start(t.Context(), t, server, served)
		g.read()
		steps := strings.Split(strings.ReplaceAll(strings.TrimSpace(script), "\t", ""), "\n")
		for i := 0; i < len(steps); {
			first := i
			for i < len(steps) && strings.HasPrefix(steps[i], "> ") {
				i++
			}
			said := strings.ReplaceAll("\n"+strings.Join(steps[first:i], "\n"), "\n> ", "\n")[1:] + "\n"
			g.say(said)
			for ; i < len(steps) && strings.HasPrefix(steps[i], "+ "); i++ {
				d := testutil.Must(time.ParseDuration(steps[i][2:]))(t)
				time.Sleep(d) // in synctest's time
			}
			var answers, calls []string
			for ; i < len(steps) && !strings.HasPrefix(steps[i], "> "); i++ {
				if text, ok := strings.CutPrefix(steps[i], "= "); ok {
					calls = append(calls, text)
				} else {
					answers = append(answers, strings.TrimPrefix(strings.TrimPrefix(steps[i], "<"), " "))
				}
			}
			compare(t, said, g.heard(), strings.Split(strings.ReplaceAll(strings.Join(answers, "\n"), "(introduction)",
				introduction), "\n"))
			if got := served.takeCalls(); len(calls) > 0 {
				compare(t, said+"(calls)", got, calls)
			}
		}
		g.quit()
	})
}

func compare(t *testing.T, said string, got, want []string) {
	t.Helper()
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%sgave\n  %s\nwant\n  %s", said, strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

// TestDialogues plays the dialogues of testdata/dialogues.txt. The numbers in their names are the numbers of traps.
func TestDialogues(t *testing.T) {
	text := string(testutil.Must(os.ReadFile("testdata/dialogues.txt"))(t))
	dialogues := strings.Split("\n"+text, "\n-- ")[1:]
	testutil.Equal(t, len(dialogues), 23, "dialogues")
	for _, d := range append(dialogues, "CRLF, spaces and bytes that are no text --\n"+
		"> \t isready \r\n< readyok\n> \x00isready\n< info string error: unknown command \"isready\"\n"+
		"> go\x00 nodes 1\n< info string error: unknown command \"go\"\n> position startpos moves 7g7f\r\n> go nodes 1\r\n< bestmove 3c3d") {
		name, script, _ := strings.Cut(d, " --\n")
		t.Run(name, func(t *testing.T) { rehearse(t, usi.Server{}, able(), script) })
	}
}

func TestUsiIsAnsweredWithoutThePlayer(t *testing.T) { // trap 5
	a := able()
	rehearse(t, usi.Server{}, a, `
		> usi
		> usi
		`+strings.Repeat(`< (introduction)
		`, 2))
	if calls := a.takeCalls(); len(calls) > 0 {
		t.Errorf("usi alone called %q", calls)
	}
}

func TestPonderWithoutAPonderer(t *testing.T) {
	script := `
		> go ponder btime 1 wtime 2 byoyomi 3
		+ 1h
		= Ready
		= Think startpos go infinite
		> position startpos moves 7g7f
		> ponderhit
		< bestmove 7g7f
		= Think startpos go btime 1 wtime 2 byoyomi 3
		> go ponder
		+ 1h
		= Think startpos moves 7g7f go infinite
		> ponderhit btime 4 wtime 5
		< bestmove 3c3d
		= Think startpos moves 7g7f go btime 4 wtime 5
		> go ponder btime 1 wtime 2
		+ 1h
		> stop
		> stop
		< bestmove 3c3d
		> go mate 100
		< checkmate notimplemented
		> gameover win`
	for name, eager := range map[string]bool{"patient": false, "1 early answers are held": true} {
		t.Run(name, func(t *testing.T) { rehearse(t, usi.Server{}, &actor{eager: eager}, script) })
	}
}

func TestEarlyAnswersAreHeld(t *testing.T) { // traps 1 and 14: a book move comes at once
	a := able()
	a.eager = true
	rehearse(t, usi.Server{}, a, `
		> go infinite
		+ 1h
		> stop
		< bestmove 7g7f
		> go ponder btime 1 wtime 1
		+ 1h
		> ponderhit
		< bestmove 7g7f
		> go ponder infinite
		> ponderhit
		+ 1h
		> ponderhit
		> stop
		< bestmove 7g7f
		> go infinite
		+ 1h
		> gameover win
		< bestmove 7g7f`)
}

func TestPlayersThatDoNotAnswer(t *testing.T) {
	infos := []usi.Info{
		{Depth: 1, MultiPV: 1, PV: pv("2g2f")}, {Depth: 1, MultiPV: 2, PV: pv("9g9f")}, {Text: "so far\nbestmove 1g1f"},
	}
	const told = `
		< info depth 1 multipv 1 nodes 0 nps 0 time 0 pv 2g2f
		< info depth 1 multipv 2 nodes 0 nps 0 time 0 pv 9g9f
		< info string so far bestmove 1g1f`
	const stopped = `
		> position startpos
		> go ponder btime 1 wtime 1`
	start := shogi.StartPos()
	firstLegal := start.LegalMoves(nil)[0].String()
	for name, c := range map[string]struct {
		actor  *actor
		script string
	}{
		"resigns": {&actor{answer: usi.AnswerResign}, "> go nodes 1\n< bestmove resign"},
		"wins":    {&actor{answer: usi.AnswerWin}, "> go nodes 1\n< bestmove win"},
		"fails": {&actor{failure: errors.New("all died")},
			"> go nodes 1\n< info string error: all died\n< bestmove resign"},
		"fails after infos": {
			&actor{failure: errors.New("all died"), infos: infos},
			"> go nodes 1" + told + "\n< info string error: all died\n< bestmove 2g2f",
		},
		"answers nothing": {
			&actor{answer: usi.AnswerMove},
			"> go nodes 1\n< info string error: the search ended without an answer\n< bestmove resign",
		},
		"does not start": {
			&actor{broken: errors.New("no network")},
			"> isready\n< info string error: no network\n> go nodes 1\n< info string error: no network\n< bestmove 7g7f",
		},
		"starts without its book": {
			&actor{broken: &usi.Shortcoming{Err: errors.New("no book")}},
			"> isready\n< info string error: no book\n< readyok\n> go nodes 1\n< bestmove 7g7f",
		},
		"2 resigns after a stopped ponder": {
			&actor{answer: usi.AnswerResign, infos: infos[:1]},
			stopped +
				"\n< info depth 1 multipv 1 nodes 0 nps 0 time 0 pv 2g2f\n> stop\n< info depth 1 multipv 1 nodes 0 nps 0 time 0 pv 2g2f\n< bestmove 2g2f",
		},
		"2 wins after a stopped ponder, nothing known": {&actor{answer: usi.AnswerWin},
			stopped + "\n> stop\n< bestmove " + firstLegal},
		"2 fails in a stopped ponder": {
			&actor{failure: errors.New("all died")},
			stopped + "\n< info string error: all died\n> stop\n< info string error: all died\n< bestmove " + firstLegal,
		},
		"2 is mated in a stopped ponder": {
			&actor{answer: usi.AnswerResign},
			"> position sfen 4k4/4G4/4P4/9/9/9/9/9/9 w - 1\n> go ponder\n> stop\n< bestmove resign",
		},
		"12 fails in a mate search": {&actor{failure: errors.New("all died")},
			"> go mate 5\n< info string error: all died\n< checkmate timeout"},
	} {
		t.Run(name, func(t *testing.T) { rehearse(t, usi.Server{}, council{ponderer{c.actor}}, c.script) })
	}
}

func TestSlowReady(t *testing.T) { // trap 6
	a := able()
	a.ready = 12 * time.Second
	rehearse(t, usi.Server{KeepAlive: 5 * time.Second}, a, `
		> isready
		> go nodes 1
		+ 6s
		<
		> stop
		+ 5s
		<
		> stop
		+ 1h
		< readyok
		< bestmove 7g7f`)
	a.takeCalls()
	rehearse(t, usi.Server{}, a, `
		> isready
		+ 11s
		> usi
		+ 1s
		< readyok
		< (introduction)`)
}

// TestEndInEveryState requires that Serve ends in every state. The bubble fails if a goroutine is left.
func TestEndInEveryState(t *testing.T) { // trap 15
	interrupted := errors.New("interrupted")
	for name, before := range map[string]string{
		"boot":                "",
		"greeted":             "usi\n",
		"loading":             "usi\nisready\n",
		"loading with more":   "isready\nusinewgame\nposition startpos\ngo nodes 1\ngo infinite\ngo ponder\nstop\ngo mate infinite\n",
		"thinking":            "go movetime 3600000\n",
		"held":                "go infinite\n",
		"held with an option": "go infinite\nsetoption name Votes value 2\n",
		"pondering":           "go ponder btime 1 wtime 1\n",
		"solving":             "go mate infinite\n",
		"in a line":           "isrea",
	} {
		for how, end := range map[string]func(g *gui, cancel context.CancelCauseFunc){
			"quit":         func(g *gui, _ context.CancelCauseFunc) { g.say("\nquit\n") },
			"end of input": func(g *gui, _ context.CancelCauseFunc) { g.in.Close() },
			"interrupt":    func(_ *gui, cancel context.CancelCauseFunc) { cancel(interrupted) },
		} {
			t.Run(name+"/"+how, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					a := able()
					if strings.HasPrefix(name, "loading") {
						a.ready = time.Hour
					}
					ctx, cancel := context.WithCancelCause(t.Context())
					defer cancel(nil)
					g := start(ctx, t, usi.Server{KeepAlive: 5 * time.Second}, a)
					g.read()
					g.say(before)
					synctest.Wait()
					began := time.Now()
					end(g, cancel)
					err := <-g.err
					if want := how == "interrupt"; errors.Is(err, interrupted) != want || !want && err != nil {
						t.Errorf("error %v", err)
					}
					testutil.Equal(t, time.Since(began), 0, "took")
					if n, gos := countPrefix(g.heard(), "bestmove "),
						strings.Count(before, "go ")-strings.Count(before, "go mate"); n > gos {
						t.Errorf("%d bestmoves for %d go", n, gos)
					}
				})
			})
		}
	}
}

func countPrefix(lines []string, prefix string) (n int) {
	return lists.Count(lines, func(l string) bool { return strings.HasPrefix(l, prefix) })
}

func TestCommandsBeforeTheEndAreDone(t *testing.T) {
	var out strings.Builder
	in := strings.NewReader("isready\nposition startpos moves 7g7f\ngo nodes 1\nquit\ngo nodes 1\n")
	testutil.OK(t, usi.Serve(t.Context(), in, &out, able()))
	testutil.Equal(t, "readyok\nbestmove 3c3d\n", out.String(), "said")
}

func TestABrokenInputIsAnError(t *testing.T) {
	broken := errors.New("cable cut")
	in := io.MultiReader(strings.NewReader("go infinite\n"), errReader{broken})
	err := usi.Serve(t.Context(), in, io.Discard, able())
	testutil.Check(t, errors.Is(err, broken), "error %v", err)
}

type errReader struct{ err error }

func (r errReader) Read([]byte) (int, error) { return 0, r.err }

// flood is an actor whose search sends n infos and then waits.
func flood(n int) council {
	a := able()
	for i := range n {
		a.infos = append(a.infos, usi.Info{Depth: i + 1, MultiPV: 1, PV: pv("7g7f")})
	}
	return a
}

func TestFloodBeforeADeafGUI(t *testing.T) { // traps 8 and 16
	for _, search := range []string{"infinite", "movetime 3600000", "ponder btime 1 wtime 1"} {
		t.Run(search, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const n = 20_000
				g := start(t.Context(), t, usi.Server{}, flood(n))
				g.say("go " + search + "\n")
				synctest.Wait()
				g.say("stop\nisready\n")
				synctest.Wait()
				g.read()
				lines := g.heard()
				testutil.Require(t, len(lines) >= 3 && len(lines) <= 1000, "%d lines", len(lines))
				compare(t, search, lines[len(lines)-3:],
					[]string{fmt.Sprintf("info depth %d multipv 1 nodes 0 nps 0 time 0 pv 7g7f", n), "bestmove 7g7f", "readyok"})
				testutil.Equal(t, countPrefix(lines, "bestmove "), 1, "bestmoves")
				g.quit()
			})
		})
	}
}

func TestQuitBeforeADeafGUI(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		commands, in := io.Pipe()
		out, answers := io.Pipe()
		ended := make(chan error, 1)
		go func() { ended <- usi.Serve(t.Context(), commands, answers, flood(1000)) }()
		began := time.Now()
		testutil.Must(io.WriteString(in, "usi\ngo infinite\nquit\n"))(t)
		testutil.OK(t, <-ended)
		testutil.Equal(t, time.Since(began), time.Second, "took")
		out.Close() // the writer's goroutine ends with it
	})
}

func TestABrokenOutputEndsNothingElse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := start(t.Context(), t, usi.Server{}, flood(1000))
		g.out.Close()
		g.say("usi\ngo infinite\nstop\nisready\n")
		synctest.Wait()
		g.quit()
	})
}

func TestLongLines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := start(t.Context(), t, usi.Server{}, able())
		g.read()
		g.say("go nodes 1" + strings.Repeat(" ", 2<<20) + "\n")
		compare(t, "2 MB of spaces", g.heard(), []string{"bestmove 7g7f"})
		g.say(strings.Repeat("x", 2<<20) + "\n")
		compare(t, "2 MB of letters", g.heard(),
			[]string{"info string error: unknown command \"" + strings.Repeat("x", 100) + "…\""})
		g.say("position startpos moves" + strings.Repeat(" 7g7f", 2<<20/5) + "\n")
		compare(t, "2 MB of moves", g.heard(),
			[]string{"info string error: move 2 (7g7f): 7g7f is illegal: there is no piece on 7g"})
		g.say("go infinite " + strings.Repeat("x", 9<<20) + "\nisready\n")
		compare(t, "9 MB", g.heard(), []string{"info string error: unknown command \"(too-long)\"", "readyok"})
		g.quit()
	})
}

func TestNoInfoBehindTheBestmove(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &chatty{actor: &actor{}}
		g := start(t.Context(), t, usi.Server{}, p)
		g.read()
		g.say("go ponder btime 1 wtime 1\n")
		g.heard()
		p.say(usi.Info{Text: "pondering"})
		compare(t, "ponder", g.heard(), []string{"info string pondering"})
		g.say("ponderhit\n")
		compare(t, "ponderhit", g.heard(), []string{"bestmove 7g7f"})
		p.say(usi.Info{Text: "too late"})
		compare(t, "late", g.heard(), nil)
		g.quit()
	})
}

// chatty is a ponderer whose infos the test sends with say.
type chatty struct {
	*actor
	say func(usi.Info)
}

func (c *chatty) Ponder(_ context.Context, r usi.Request) error {
	c.say = r.OnInfo
	return nil
}

// FuzzServe requires for any input that nothing panics or continues to run. There are never more answers than go
// commands.
func FuzzServe(f *testing.F) {
	for _, text := range []string{
		"usi\nisready\nusinewgame\nposition startpos\ngo nodes 1\nquit\n",
		"go infinite\nstop\ngo ponder\nponderhit btime 1 wtime 1\nstop\n",
		"go ponder btime 1\nsetoption name Votes value 2\ngameover win\n",
		"go mate infinite\nstop\ngo mate 5\n\x00\r\n go\tdepth x\n",
		"setoption name Null value cut value true\nsetoption value value value\n",
	} {
		f.Add(text, true)
		f.Add(text, false)
	}
	f.Fuzz(func(t *testing.T, text string, eager bool) {
		var served usi.Served = &actor{eager: true}
		if !eager {
			served = able()
		}
		var out strings.Builder
		testutil.OK(t, usi.Serve(t.Context(), strings.NewReader(text), &out, served))
		gos := 0
		for l := range strings.Lines(text) {
			if words := strings.Fields(l); len(words) > 0 && words[0] == "go" {
				gos++
			}
		}
		lines := strings.Split(out.String(), "\n")
		n := countPrefix(lines, "bestmove ") + countPrefix(lines, "checkmate ")
		testutil.Check(t, n <= gos, "%d answers to %d go", n, gos)
	})
}

// TestStopRacesWithTheEnd needs real goroutines, because synctest has an order of its own.
func TestStopRacesWithTheEnd(t *testing.T) { // trap 3
	const n = 500
	for _, burst := range []string{
		"go nodes 1\nstop\n", "go infinite\nstop\n", "go ponder btime 1 wtime 1\nponderhit\nstop\n",
		"go ponder btime 1 wtime 1\nstop\n", "go nodes 1\n",
	} {
		for name, served := range map[string]usi.Served{"council": able(), "plain": &actor{}, "eager": &actor{eager: true}} {
			var out strings.Builder
			testutil.OK(t, usi.Serve(t.Context(), strings.NewReader(strings.Repeat(burst, n)), &out, served))
			if want := strings.Repeat("bestmove 7g7f\n", n); out.String() != want {
				t.Errorf("%s: %q, %d times, gave %d lines", name, burst, n, strings.Count(out.String(), "\n"))
			}
		}
	}
}

func TestAStoppedPonderIsNoResignation(t *testing.T) { // trap 2, without a ponderer
	rehearse(t, usi.Server{}, &actor{answer: usi.AnswerResign, infos: []usi.Info{{MultiPV: 1, PV: pv("2g2f")}}}, `
		> go ponder btime 1 wtime 1
		< info multipv 1 nodes 0 nps 0 time 0 pv 2g2f
		> stop
		< bestmove 2g2f
		> go infinite
		< info multipv 1 nodes 0 nps 0 time 0 pv 2g2f
		> stop
		< bestmove resign`)
}

// relay serves one Engine, as a council serves each of its members.
type relay struct{ *usi.Engine }

func (r relay) Name() string                  { return r.Greeting().Name }
func (r relay) Author() string                { return r.Greeting().Author }
func (r relay) Options() []usi.Option         { return r.Greeting().Options }
func (r relay) SetOption(s usi.Setting) error { return r.Configure([]usi.Setting{s}) }

func TestServingAnEngine(t *testing.T) {
	inDialogue(t, react(
		on("isready", 0, "readyok"),
		on("stop", 0, "info depth 2 score cp 7 pv 2g2f", "bestmove 2g2f ponder 8c8d"),
		on("ponderhit", 0, "info depth 2 score cp 7 pv 2g2f", "bestmove 2g2f ponder 8c8d"),
		on("go btime", 0, "info depth 2 score cp 7 pv 2g2f", "bestmove 2g2f ponder 8c8d"),
		on("go mate", 0, "checkmate nomate"),
	), func(t *testing.T, e *usi.Engine, log *transcript) {
		g := start(t.Context(), t, usi.Server{}, relay{e})
		g.read()
		const info, best = "info depth 2 multipv 1 score cp 7 nodes 0 nps 0 time 0 pv 2g2f", "bestmove 2g2f ponder 8c8d"
		for _, step := range []struct{ said, sent, heard string }{
			{"usi", "usi", "id name Test\nid author \noption name Hash type spin default 16 min 1 max 64\nusiok"},
			{"setoption name USI_Hash value 32", "setoption name Hash value 32", ""},
			{"isready", "isready", "readyok"},
			{"usinewgame", "usinewgame", ""},
			{"go btime 1 wtime 2", "position startpos\ngo btime 1 wtime 2", info + "\n" + best},
			{"go ponder btime 1 wtime 2", "position startpos\ngo ponder btime 1 wtime 2", ""},
			{"ponderhit", "ponderhit", info + "\n" + best},
			{"go ponder", "position startpos\ngo ponder", ""},
			{"ponderhit btime 1 wtime 2", "ponderhit btime 1 wtime 2", info + "\n" + best},
			{"go ponder", "position startpos\ngo ponder", ""},
			{"stop", "stop", info + "\n" + best},
			{"go infinite", "position startpos\ngo infinite", ""},
			{"stop", "stop", info + "\n" + best},
			{"go mate 5", "position startpos\ngo mate 5", "checkmate nomate"},
			{"gameover win", "gameover win", ""},
		} {
			before := len(log.String())
			g.say(step.said + "\n")
			compare(t, step.said, g.heard(), strings.FieldsFunc(step.heard, func(r rune) bool { return r == '\n' }))
			if sent := strings.TrimPrefix(log.String()[before:], "\n"); sent != step.sent && step.said != "usi" {
				t.Errorf("%s: sent %q to the engine, want %q", step.said, sent, step.sent)
			}
		}
		g.quit()
	})
}
