package server

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"gogi/configs"
	"gogi/ensemble/voting"
	"gogi/internal/lists"
	"gogi/internal/testutil"
	"gogi/players"
	"gogi/usi"
	"gogi/usi/usitest"
)

func TestMain(m *testing.M) { usitest.RunTests(m) }

// A gui has loaded a council with scripted members, which are processes.
type gui struct {
	t      *testing.T
	dir    string
	tag    string // in the environment of every member
	in     io.WriteCloser
	lines  chan string // from the reader, which closes it at the end of the output
	said   []string    // all lines that were read
	result chan error  // of Serve, once
}

// guiWaitLimit is the longest wait. Only a hang takes so long.
const guiWaitLimit = time.Minute

// fakes returns a configuration with one scripted member for each list of arguments, and a council of them. MARK, LOG
// and GATE in an argument become files of that member: m1.mark, m1.log, m1.gate.
func fakes(council string, members ...string) string {
	var b strings.Builder
	var names []string
	for i, args := range members {
		name := fmt.Sprintf("m%d", i+1)
		names = append(names, fmt.Sprintf("%q", name))
		command := lists.Map(usitest.Command(), func(word string) string { return fmt.Sprintf("%q", word) })
		for _, word := range strings.Fields(args) {
			word = strings.ReplaceAll(word, "~", " ")
			for _, file := range []string{"MARK", "LOG", "GATE"} {
				if word == file {
					word = "DIR/" + name + "." + strings.ToLower(file)
				}
			}
			command = append(command, fmt.Sprintf("%q", word))
		}
		fmt.Fprintf(&b, "[[engine]]\nname = %q\ncommand = [%s]\nenv = [\"GOGI_TEST_TAG=TAG\"]\nready_timeout = \"30s\"\n",
			name, strings.Join(command, ", "))
	}
	if !strings.Contains(council, "rule") {
		council = "rule = \"majority\"\n" + council
	}
	return b.String() + "[[council]]\nname = \"C\"\nmembers = [" + strings.Join(names, ", ") + "]\n" + council
}

// load starts the council of a configuration.
func load(t *testing.T, text string, args ...Config) *gui {
	t.Helper()
	g := &gui{t: t, dir: t.TempDir()}
	g.tag = filepath.Base(filepath.Dir(g.dir)) + "-" + filepath.Base(g.dir)
	text = strings.NewReplacer("DIR", g.dir, "TAG", g.tag).Replace(text)
	testutil.OK(t, os.WriteFile(filepath.Join(g.dir, "council.toml"), []byte(text), 0o600))
	g.start(args...)
	return g
}

// loadKnown starts a council twice. At the second start the members' options are known, even if they were slow at the
// first start. It discards the output of the first start.
func loadKnown(t *testing.T, text string, args ...Config) *gui {
	t.Helper()
	g := load(t, text, args...)
	g.ready()
	g.quit()
	for _, pattern := range []string{"*.log", "*.mark"} {
		files, err := filepath.Glob(filepath.Join(g.dir, pattern))
		for _, file := range files {
			err = errors.Join(err, os.Remove(file))
		}
		testutil.OK(t, err)
	}
	g.start(args...)
	return g
}

// start serves the council of the folder, for the first or second time. Logs are named relative to the folder.
func (g *gui) start(configs ...Config) {
	g.t.Helper()
	config := Config{Cache: filepath.Join(g.dir, "cache"), Greeted: time.Now().Add(guiWaitLimit)}
	if len(configs) > 0 && configs[0].Log != "" {
		config.Log = filepath.Join(g.dir, configs[0].Log)
	}
	if len(configs) > 0 && !configs[0].Greeted.IsZero() {
		config.Greeted = configs[0].Greeted
	}
	o := g.opener()
	theirs, in := io.Pipe()
	out, ours := io.Pipe()
	g.in, g.lines, g.said, g.result = in, make(chan string, 1<<16), nil, make(chan error, 1)
	go func(result chan<- error) {
		err := Serve(g.t.Context(), o, theirs, ours, config)
		theirs.Close()
		ours.Close()
		result <- err
	}(g.result)
	go func(lines chan<- string) {
		defer close(lines)
		for s := bufio.NewScanner(out); s.Scan(); {
			lines <- s.Text()
		}
	}(g.lines)
}

// soon returns a configuration that does not wait for a slow member.
func soon() Config { return Config{Greeted: time.Now().Add(1500 * time.Millisecond)} }

// opener returns an Opener for the council in the folder's file.
func (g *gui) opener() *players.Opener {
	g.t.Helper()
	file, dir, err := configs.Find(filepath.Join(g.dir, "council.toml"))
	testutil.OK(g.t, err)
	here := testutil.Must(players.Surroundings())(g.t)
	file.Openings = &configs.Openings{List: []string{"startpos"}}
	plan, _, err := file.PlanCouncil("", dir, here)
	testutil.OK(g.t, err)
	return &players.Opener{Plan: plan}
}

func (g *gui) say(lines ...string) {
	g.t.Helper()
	testutil.OK(g.t, testutil.Err(io.WriteString(g.in, strings.Join(lines, "\n")+"\n")), "saying %q", lines)
}

// until reads up to a line that begins with the text, and returns all lines that it read.
func (g *gui) until(text string) []string {
	g.t.Helper()
	timer := time.NewTimer(guiWaitLimit)
	defer timer.Stop()
	var list []string
	for {
		select {
		case line, ok := <-g.lines:
			if !ok {
				g.t.Fatalf("the output ended before %q:\n%s", text, strings.Join(list, "\n"))
			}
			list, g.said = append(list, line), append(g.said, line)
			if strings.HasPrefix(line, text) {
				return list
			}
		case <-timer.C:
			g.t.Fatalf("%q never came:\n%s", text, strings.Join(list, "\n"))
		}
	}
}

// sync waits until all commands so far are processed, and returns the answers.
func (g *gui) sync() []string {
	g.t.Helper()
	g.say("sync")
	list := g.until(`info string error: unknown command "sync"`)
	return list[:len(list)-1]
}

// ready sends what a GUI sends before a game.
func (g *gui) ready(options ...string) {
	g.t.Helper()
	g.say("usi")
	g.until("usiok")
	g.say(append(options, "isready")...)
	g.until("readyok")
	g.say("usinewgame")
}

// quit ends the program and asserts that no member is left.
func (g *gui) quit() {
	g.t.Helper()
	g.say("quit")
	g.ended()
}

// ended waits for the end and asserts that no member is left.
func (g *gui) ended() {
	g.t.Helper()
	for line := range g.lines {
		g.said = append(g.said, line)
	}
	if err := <-g.result; err != nil {
		g.t.Errorf("ended with %v", err)
	}
	left := testutil.Tagged(g.t, g.tag)
	testutil.Check(g.t, len(left) == 0, "left alive: %v", left)
}

// file returns the content of a file that a member writes, or "" before it exists.
func (g *gui) file(name string) string {
	g.t.Helper()
	text, err := os.ReadFile(filepath.Join(g.dir, name))
	testutil.Require(g.t, err == nil || os.IsNotExist(err), "%v", err)
	return string(text)
}

// await waits until a member's file holds a text.
func (g *gui) await(name, text string) {
	g.t.Helper()
	testutil.Eventually(g.t, name+" says "+text, func() bool { return strings.Contains(g.file(name), text) })
}

// open lets a member continue that waits at its gate.
func (g *gui) open(name string) {
	g.t.Helper()
	testutil.OK(g.t, os.WriteFile(filepath.Join(g.dir, name), nil, 0o600))
}

// gos returns the go commands that a member got.
func (g *gui) gos(name string) []string {
	var list []string
	for line := range strings.Lines(g.file(name)) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "go") && !strings.HasPrefix(line, "gameover") {
			list = append(list, line)
		}
	}
	return list
}

func linesWith(lines []string, prefix string) (n int) {
	return lists.Count(lines, func(line string) bool { return strings.HasPrefix(line, prefix) })
}

// legal asserts that a bestmove line is a move that can be played.
func legal(t *testing.T, position, line string) {
	t.Helper()
	p := testutil.Must(usi.ParsePosition(position))(t)
	h := testutil.Must(p.History())(t)
	b := usi.ParseBestmove(line)
	testutil.Check(t, b.Answer == usi.AnswerMove && h.Position().CheckLegal(b.Move) == nil,
		"%q is no legal move in %q", line, position)
}

// votes reads a log of decisions.
func (g *gui) votes(name string) []*voting.Record {
	g.t.Helper()
	var list []*voting.Record
	for line := range strings.Lines(g.file(name)) {
		r := testutil.Must(voting.ParseRecord([]byte(line)))(g.t)
		list = append(list, r)
	}
	return list
}

func last(lines []string) string { return lines[len(lines)-1] }

// TestCouncilHoldsItsBestmove (trap 1): while the council ponders or searches infinitely, it sends no bestmove, even if
// members do.
func TestCouncilHoldsItsBestmove(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ command, Or string }{
		{"go infinite", "stop"},
		{"go ponder btime 1000 wtime 1000 byoyomi 1000", "ponderhit"},
		{"go ponder btime 1000 wtime 1000 byoyomi 1000", "stop"},
		{"go ponder", "ponderhit btime 1000 wtime 1000 byoyomi 1000"},
	} {
		t.Run(test.command+", "+test.Or, func(t *testing.T) {
			t.Parallel()
			// Each member sends its bestmove immediately, although no command asks for it.
			member := "-script early@go -mark MARK -moves first"
			g := load(t, fakes("", member, member))
			g.ready()
			g.say("position startpos", test.command)
			g.await("m1.mark", "early@go")
			g.await("m2.mark", "early@go")
			if test.command == "go infinite" {
				g.until("info string vote") // the council has decided
			}
			if lines := g.sync(); linesWith(lines, "bestmove") > 0 {
				t.Errorf("before %s: %q", test.Or, lines)
			}
			g.say(test.Or)
			legal(t, "position startpos", last(g.until("bestmove")))
			if lines := g.sync(); linesWith(lines, "bestmove") > 0 {
				t.Errorf("a second one: %q", lines)
			}
			g.quit()
		})
	}
}

// TestCouncilAnswersAStoppedPonderOnce (trap 2): the council answers stop during pondering with one legal move, even if
// members resign.
func TestCouncilAnswersAStoppedPonderOnce(t *testing.T) {
	t.Parallel()
	g := load(t, fakes("", "-script resign@go -mark MARK", "-script resign@go"), Config{Log: "votes"})
	g.ready()
	g.say("position startpos moves 7g7f 3c3d", "go ponder btime 1000 wtime 1000 byoyomi 1000")
	g.await("m1.mark", "resign@go")
	g.say("stop")
	lines := append(g.until("bestmove"), g.sync()...)
	testutil.Equal(t, linesWith(lines, "bestmove"), 1, "%q", lines)
	legal(t, "position startpos moves 7g7f 3c3d",
		g.said[slices.IndexFunc(g.said, func(l string) bool { return strings.HasPrefix(l, "bestmove") })])
	g.quit()
	votes := g.votes("votes")
	testutil.Check(t, len(votes) == 0, "recorded, though it will not be played: %+v", votes)
}

// TestCouncilSurvivesBursts (trap 3): the council answers each go in a burst of position, go and stop. Each answer is
// for its own position, even if members answer late.
func TestCouncilSurvivesBursts(t *testing.T) {
	t.Parallel()
	g := load(t, fakes("", "-late 20ms", "-late 5ms", ""))
	g.ready()
	positions := []string{"position startpos", "position startpos moves 7g7f", "position startpos moves 2g2f 8c8d"}
	const rounds = 12
	for i := range rounds {
		g.say(positions[i%3], []string{"go infinite", "go ponder", "go btime 60000 wtime 60000 byoyomi 1000"}[i%3], "stop")
	}
	for i := range rounds {
		legal(t, positions[i%3], last(g.until("bestmove")))
	}
	lines := g.sync()
	testutil.Check(t, linesWith(lines, "bestmove") <= 0, "too many: %q", lines)
	g.quit()
}

// TestCouncilForgetsItsGames (trap 4): gameover may come during a search. The next game keeps no state, whether isready
// or usinewgame begins it.
func TestCouncilForgetsItsGames(t *testing.T) {
	t.Parallel()
	g := load(t, fakes(`rule = "adoption"`, "-replay 7g7f -log LOG", "-replay 7g7f", "-replay 2g2f"), Config{Log: "votes"})
	g.ready()
	for i, begin := range []string{"isready", "usinewgame", "isready"} {
		g.say("position startpos", "go nodes 10")
		g.until("bestmove 7g7f")
		g.say("position startpos moves 7g7f 3c3d", "go infinite", "gameover lose")
		lines := append(g.until("bestmove"), g.sync()...)
		testutil.Equal(t, linesWith(lines, "bestmove"), 1, "game %d: %q", i+1, lines)
		g.await("m1.log", "gameover lose")
		g.say(begin)
		g.sync()
	}
	g.quit()
	for _, v := range g.votes("votes") {
		testutil.Check(t, v.Ply != 1 || v.Own == 1 && slices.Equal(v.Before, []float64{1, 1, 1}),
			"a game begins with decision %d and weights %v", v.Own, v.Before)
		testutil.Check(t, v.Ply != 3 || !slices.Equal(v.Before, []float64{1, 1, 1}),
			"the first decision of a game changed no weight")
	}
	testutil.Equal(t, len(g.votes("votes")), 6, "decisions in the log")
	for text, want := range map[string]int{"gameover lose\n": 3, "isready\n": 4, "usinewgame\n": 4} {
		n := strings.Count(g.file("m1.log"), text)
		testutil.Check(t, n == want, "%d times %q, want %d", n, text, want)
	}
}

// TestCouncilAnswersAFloodOfIsready: the council answers each isready of a flood, but asks its members once. After an
// option the next isready asks them again. quit works after any flood.
func TestCouncilAnswersAFloodOfIsready(t *testing.T) {
	t.Parallel()
	g := load(t, fakes(`rule = "adoption"`, "-log LOG", ""))
	g.ready()
	const flood = 20_000
	g.say(strings.Repeat("isready\n", flood) + "position nonsense")
	if n := linesWith(g.until("info string error"), "readyok"); n != flood {
		t.Errorf("%d answers to %d isready", n, flood)
	}
	g.say("setoption name VoteLog value x", "isready")
	g.until("readyok")
	g.quit()
	if n := strings.Count(g.file("m1.log"), "isready\n"); n != 2 {
		t.Errorf("the member was asked %d times, want twice", n)
	}
}

// TestCouncilAnswersUSIBeforeItsMembers (trap 5): usiok does not wait for members. The options of a slow member are
// missing at the first start and present at the second.
func TestCouncilAnswersUSIBeforeItsMembers(t *testing.T) {
	t.Parallel()
	g := load(t, fakes("", "-script wait@usi -gate GATE -mark MARK -options name~Style~type~spin~default~1~min~0~max~9",
		""), soon())
	g.say("usi")
	lines := g.until("usiok") // the member waits at its gate and has not answered
	testutil.Equal(t, linesWith(lines, "option name E1_"), 0, "options: %q", lines)
	g.say("isready")
	g.await("m1.mark", "wait@usi")
	g.open("m1.gate")
	lines = g.until("readyok")
	testutil.Equal(t, linesWith(lines, "info string E1 (m1) was slow"), 1, "at isready: %q", lines)
	g.quit()
	testutil.OK(t, os.Remove(filepath.Join(g.dir, "m1.gate")))
	g.start(soon())
	g.say("usi")
	lines = g.until("usiok")
	testutil.Equal(t, linesWith(lines, "option name E1_Style type spin default 1 min 0 max 9"), 1,
		"options at the second start: %q", lines)
	g.quit()
}

// TestCouncilIsReadyWithoutAMember (trap 6): readyok waits for members, but not for those that failed. MinAlive members
// are enough, and a message names each missing member.
func TestCouncilIsReadyWithoutAMember(t *testing.T) {
	t.Parallel()
	g := load(t, fakes("", "", "-script exit@isready -mark MARK", "-script wait@isready -gate GATE -mark MARK"))
	g.say("usi", "isready")
	g.until("usiok")
	g.await("m3.mark", "wait@isready")
	g.await("m2.mark", "exit@isready")
	if lines := g.lines; len(lines) > 0 {
		t.Errorf("said before a member was ready: %q", <-lines)
	}
	g.open("m3.gate")
	lines := g.until("readyok")
	if linesWith(lines, "info string the council plays without a member: member m2: ") != 1 ||
		!strings.Contains(lines[0], "exit status 7") {
		t.Errorf("at isready: %q", lines)
	}
	g.say("position startpos", "go nodes 10")
	legal(t, "position startpos", last(g.until("bestmove")))
	g.quit()
}

func TestCouncilIsNotReadyWithTooFew(t *testing.T) {
	t.Parallel()
	g := load(t, fakes("min_alive = 3", "", "-script exit@isready -mark MARK", "-script exit@usinewgame:1,exit@isready:2"))
	g.say("usi", "isready")
	g.until("usiok")
	lines := g.sync()
	g.await("m2.mark", "exit@isready")
	if linesWith(lines, "readyok") > 0 || linesWith(lines, "info string error: council C: ") != 1 ||
		!strings.Contains(last(lines), "m2") {
		t.Errorf("at isready: %q", lines)
	}
	g.say("setoption name MinAlive value 1", "isready")
	g.until("readyok")
	g.quit()
}

// TestCouncilOptions (trap 7): option lines can be split at single spaces. The council understands the options that
// GUIs always send. Values may have spaces, and buttons have no value.
func TestCouncilOptions(t *testing.T) {
	t.Parallel()
	options := "name~Skill~Level~type~spin~default~3~min~0~max~20|name~Book~type~combo~default~a~b~var~a~b~var~c|" +
		"name~Path~type~string~default~x|name~Clear~type~button|name~Style~type~combo~default~b~var~a~var~b"
	g := loadKnown(t, fakes("", "-log LOG -options "+options, "-log LOG", "-log LOG"))
	g.say("usi")
	for _, line := range g.until("usiok") {
		shogiHomeOption(t, line)
		if o, err := usi.ParseOption(line); err == nil && o.Type == usi.Combo && o.Vars[0] != o.Default {
			t.Errorf("uci2wb would take %s for the default: %s", o.Vars[0], line)
		}
	}
	if text := strings.Join(g.said, "\n"); !strings.Contains(text,
		"option name E1_Skill_Level type spin default 3 min 0 max 20") || strings.Contains(text, "E1_Book") {
		t.Errorf("options: %s", text)
	}
	g.say("setoption name USI_Hash value 100", "setoption name USI_Ponder value true",
		"setoption name E1_Skill_Level value 7",
		"setoption name E1_Path value /a b/c", "setoption name E1_Clear", "setoption name E2_USI_Hash value 16",
		"setoption name E3_USI_Hash value 5", "isready")
	g.until("readyok")
	g.say("usinewgame", "position startpos", "go nodes 1")
	g.until("bestmove")
	g.say("setoption name E1_Skill_Level value 3", "setoption name E1_Clear", "go nodes 1")
	g.until("bestmove")
	g.quit()
	log := g.file("m1.log")
	for text, want := range map[string]int{
		"setoption name USI_Hash value 33\n": 1, "setoption name Skill Level value 7\n": 1,
		"setoption name Path value /a b/c\n": 1,
		"setoption name Clear\n":             2, "setoption name Skill Level value 3\n": 1,
	} {
		got := strings.Count(log, text)
		testutil.Check(t, got == want, "%q came %d times, want %d:\n%s", text, got, want, log)
	}
	start := strings.Index(log, "setoption name Path")
	testutil.Check(t, start >= 0 && start <= strings.Index(log[start:], "isready")+start, "options after isready:\n%s",
		log)
	for name, text := range map[string]string{"m2.log": "setoption name USI_Hash value 33\n",
		"m3.log": "setoption name USI_Hash value 5\n"} {
		testutil.Contains(t, g.file(name), text, "%s is without", name)
	}
}

// shogiHomeOption reads an option line as ShogiHome does: words between single
// spaces, keys and values in turn.
func shogiHomeOption(t *testing.T, line string) {
	t.Helper()
	words := strings.Split(line, " ")
	if words[0] != "option" {
		return
	}
	if len(words)%2 != 1 || words[1] != "name" || words[3] != "type" {
		t.Errorf("%q", line)
		return
	}
	for i := 5; i < len(words); i += 2 {
		testutil.Check(t, slices.Contains([]string{"default", "min", "max", "var"}, words[i]), "%q: %q is no key", line,
			words[i])
	}
}

// TestCouncilSaysTheWinnersLineLast (trap 8): the last info before bestmove has the winner's own variation and score,
// with the nodes of all members.
func TestCouncilSaysTheWinnersLineLast(t *testing.T) {
	t.Parallel()
	g := load(t, fakes("", "-replay 7g7f", "-replay 2g2f -infos 3", "-replay 7g7f -infos 2"))
	g.ready("setoption name ShowMembers value all", "setoption name MultiPV value 2")
	g.say("position startpos", "go nodes 10")
	lines := g.until("bestmove 7g7f")
	for _, want := range []string{
		"info string [O] m1 7g7f cp 0 depth 1", "info string [X] m2 2g2f cp 20 depth 3",
		"info string [O] m3 7g7f cp 10 depth 2",
		"info string vote 7g7f=2(w2.0) 2g2f=1(w1.0) split 2:1",
	} {
		testutil.Check(t, slices.Contains(lines, want), "without %q: %q", want, lines)
	}
	infos := lines[len(lines)-4 : len(lines)-1]
	for i, want := range []string{"multipv 1 score cp 10 nodes 600 ", "multipv 2 score cp 20 nodes 600 ",
		"multipv 1 score cp 10 nodes 600 "} {
		testutil.Contains(t, infos[i], want, "info %d", i)
	}
	testutil.Check(t, strings.HasSuffix(infos[2], " pv 7g7f"), "last info %q", infos[2])
	g.say("setoption name ShowMembers value none", "setoption name MultiPV value 1", "go nodes 10")
	lines = g.until("bestmove 7g7f")
	testutil.Check(t, len(lines) == 2 && !strings.Contains(lines[0], "multipv") && strings.HasSuffix(lines[0], "pv 7g7f"),
		"with little to show: %q", lines)
	g.quit()
}

// TestCouncilGivesMembersTheirClocks (traps 9 and 10): the clock of the side to move is shorter for members than for
// the council. It is never empty if there is an increment.
func TestCouncilGivesMembersTheirClocks(t *testing.T) {
	t.Parallel()
	g := load(t, fakes("", "-log LOG"))
	g.ready()
	const white = "position sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2"
	for _, test := range [][3]string{
		{"position startpos", "go btime 0 wtime 0 binc 5000 winc 5000", "go btime 750 wtime 1000 binc 5000 winc 5000"},
		{"position startpos", "go btime 60000 wtime 50000 byoyomi 5000", "go btime 60000 wtime 50000 byoyomi 4750"},
		{white, "go btime 60000 wtime 50000 binc 1000 winc 2000", "go btime 60000 wtime 49750 binc 1000 winc 2000"},
		{white + " moves 3c3d", "go btime 60000 wtime 50000 binc 1000 winc 2000",
			"go btime 59750 wtime 50000 binc 1000 winc 2000"},
		{"position startpos", "go movetime 30000", "go movetime 29750"},
		{"position startpos", "go nodes 300", "go nodes 300"},
	} {
		g.say(test[0], test[1])
		legal(t, test[0], last(g.until("bestmove")))
		testutil.Equal(t, last(g.gos("m1.log")), test[2], "%s: the member", test[1])
	}
	g.quit()
}

// TestCouncilDecidesWithoutALateMember: if a member does not answer within the margin, the other members decide.
func TestCouncilDecidesWithoutALateMember(t *testing.T) {
	t.Parallel()
	g := load(t, fakes("", "-replay 7g7f", "-replay 7g7f", "-replay 2g2f -script hang@go -mark MARK"),
		Config{Log: "votes"})
	g.ready()
	g.say("position startpos", "go btime 0 wtime 0 byoyomi 4000")
	g.until("bestmove 7g7f")
	g.quit()
	testutil.Contains(t, g.file("m3.mark"), "hang@go", "the member did not hang")
	v := g.votes("votes")[0]
	b := v.Ballots[2]
	testutil.Check(t, b.Kind == voting.KindNone || b.Kind == voting.KindDead, "its ballot: %+v", b)
}

// TestCouncilEarlyPonder (trap 11): the council supports both forms of pondering. Members get the early form only if
// their configuration allows it.
func TestCouncilEarlyPonder(t *testing.T) {
	t.Parallel()
	const hit = "ponderhit btime 10000 wtime 9000 byoyomi 10000"
	for _, test := range []struct {
		early, goes, hits string
		want              []string
	}{
		{"false", "go ponder", hit, []string{"go ponder", "stop", "position startpos",
			"go btime 10000 wtime 9000 byoyomi 9750"}},
		{"true", "go ponder", hit, []string{"go ponder", "ponderhit btime 10000 wtime 9000 byoyomi 9750"}},
		{"false", "go ponder btime 10000 wtime 9000 byoyomi 10000", "ponderhit",
			[]string{"go ponder btime 10000 wtime 9000 byoyomi 9750", "ponderhit"}},
	} {
		t.Run(test.goes+" "+test.early, func(t *testing.T) {
			t.Parallel()
			g := load(t, fakes("", "-log LOG"))
			g.ready("setoption name EarlyPonder value " + test.early)
			g.say("position startpos", test.goes)
			g.await("m1.log", test.want[0])
			g.say(test.hits)
			line := last(g.until("bestmove"))
			if legal(t, "position startpos", line); !strings.Contains(line, " ponder ") {
				t.Errorf("without the voted reply: %q", line)
			}
			g.quit()
			// A process that only named the engine writes its quit into the same file, at any time.
			got := strings.ReplaceAll(g.file("m1.log"), "quit\n", "")
			if want := strings.Join(append(test.want, ""), "\n"); !strings.HasSuffix(got, want) {
				t.Errorf("the member got\n%s\nwant at the end\n%s", got, want)
			}
		})
	}
}

// TestCouncilThinksOnOtherReplies: the members ponder different replies. A GUI's ponderhit is a hit of one member, and
// a position after stop may be a hit of the other. The member with the hit decides alone, unless all vote.
func TestCouncilThinksOnOtherReplies(t *testing.T) {
	t.Parallel()
	const (
		clock  = " btime 10000 wtime 9000 byoyomi 10000"
		first  = "position startpos moves 7g7f 3c3d"
		second = "position startpos moves 7g7f 8c8d"
		third  = "position startpos moves 7g7f 4a3b"
		search = "stop\nPOSITION\ngo" + clock // of a member without a hit
	)
	for _, test := range []struct {
		name, mode    string
		early, clocks bool      // EarlyPonder; the GUI's go ponder has clocks
		played        string    // the position after the reply, or "" if the GUI quits; first: by ponderhit
		want          [2]string // the commands to each member after its go ponder
		hits          string
	}{
		{"the first reply", "spread", true, false, first, [2]string{"ponderhit" + clock, "stop"}, "[0] [1]"},
		{"the second reply", "spread", true, false, second, [2]string{"stop", "ponderhit" + clock}, "[1] [0]"},
		{"neither", "spread", true, false, third, [2]string{search, search}, "[] []"},
		{"the end", "spread", true, false, "", [2]string{}, ""},
		{"the first reply with clocks", "spread", true, true, first, [2]string{"ponderhit", "stop"}, "[0] [1]"},
		{"the second reply with clocks", "spread", false, true, second, [2]string{"stop", "ponderhit"}, "[1] [0]"},
		{"the first reply without early ponder", "spread", false, false, first, [2]string{search, "stop"}, "[0] [1]"},
		{"the second reply without early ponder", "spread", false, false, second, [2]string{"stop", search}, "[1] [0]"},
		{"neither without early ponder", "spread", false, false, third, [2]string{search, search}, "[] []"},
		{"the first reply, all vote", "votes", true, false, first, [2]string{"ponderhit" + clock, search}, "[0] []"},
		{"the second reply, all vote", "votes", true, false, second, [2]string{search, "ponderhit" + clock}, "[1] []"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			mode := map[string]string{"spread": `ponder = "spread"`,
				"votes": `ponder = {mode = "spread", hit = "votes"}`}[test.mode]
			g := load(t, fakes(mode, "-log LOG -replay 7g7f~ponder~3c3d,5a5b,2g2f",
				"-log LOG -replay 7g7f~ponder~8c8d,5a5b,2g2f"), Config{Log: "votes"})
			g.ready("setoption name EarlyPonder value "+strconv.FormatBool(test.early), "setoption name MarginMs value 0")
			g.say("position startpos", "go"+clock)
			g.until("bestmove 7g7f ponder 3c3d")
			ponder, hit := "go ponder", "ponderhit"+clock
			if test.clocks {
				ponder, hit = "go ponder"+clock, "ponderhit"
			}
			g.say(first, ponder)
			g.await("m1.log", first+"\ngo ponder")
			g.await("m2.log", second+"\ngo ponder")
			switch test.played {
			case "":
			case first:
				g.say(hit)
			default:
				g.say("stop")
				g.until("bestmove")
				g.say(test.played, "go"+clock)
			}
			if test.played != "" {
				g.until("bestmove 2g2f")
			}
			g.quit()
			for i, want := range test.want {
				_, got, _ := strings.Cut(g.file(fmt.Sprintf("m%d.log", i+1)), "\ngo ponder")
				_, got, _ = strings.Cut(got, "\n")
				// 50 ms for the council
				want = strings.NewReplacer("byoyomi 10000", "byoyomi 9950", "POSITION", test.played).Replace(want)
				testutil.Equal(t, got, strings.TrimPrefix(want+"\nquit\n", "\n"), "member %d", i+1)
			}
			if test.played != "" {
				votes := g.votes("votes")
				last := votes[len(votes)-1]
				testutil.Equal(t, fmt.Sprint(last.Hits, last.Spared), test.hits, "hits and spared members")
			}
		})
	}
}

// TestCouncilMate (trap 12): the council answers go mate, although it searches for no mates.
func TestCouncilMate(t *testing.T) {
	t.Parallel()
	g := load(t, fakes("", "-mate G*5b"))
	g.ready()
	g.say("position sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 1", "go mate 10000")
	testutil.Equal(t, last(g.until("checkmate")), "checkmate notimplemented")
	g.quit()
}

// TestCouncilVeto (trap 13): the council checks a voted move in the position after it. It sends members no search of a
// single move, and nothing that only one engine family understands.
func TestCouncilVeto(t *testing.T) {
	t.Parallel()
	g := load(t, fakes(`tiebreak = ["member"]`, "-replay 7g7f -log LOG", "-replay 7g7f -log LOG",
		"-replay 2g2f,3c3d -log LOG"))
	g.ready("setoption name VetoMs value 100", "setoption name VetoCp value 50")
	g.say("position startpos", "go nodes 10")
	g.until("bestmove 7g7f")
	g.quit()
	testutil.Contains(t, g.file("m3.log"), "position startpos moves 7g7f\ngo movetime 100\n",
		"it was not asked about the move")
	for _, name := range []string{"m1.log", "m2.log", "m3.log"} {
		for _, line := range g.gos(name) {
			parsed, err := usi.ParseGo(line)
			testutil.Check(t, err == nil && len(parsed.SearchMoves) == 0, "%s: %q (%v)", name, line, err)
		}
	}
}

// TestCouncilReadsAFlood (trap 16): the council reads a member that sends a flood of lines, and its vote counts.
func TestCouncilReadsAFlood(t *testing.T) {
	t.Parallel()
	g := load(t, fakes("", "-replay 2g2f", "-replay 7g7f -script flood@go -mark MARK",
		"-replay 7g7f -script garbage@go,stderr@go -mark MARK"), Config{Log: "votes"})
	g.ready()
	g.say("position startpos", "go nodes 10")
	g.until("bestmove 7g7f")
	g.quit()
	for _, name := range []string{"m2.mark", "m3.mark"} {
		testutil.Contains(t, g.file(name), "@go", "%s: the fault did not happen", name)
	}
	for i, b := range g.votes("votes")[0].Ballots {
		testutil.Check(t, b.Source == voting.SourceBestmove && b.Kind == voting.KindMove, "ballot %d: %+v", i, b)
	}
}

// TestCouncilSurvivesCrashes: a member may crash in every state, and the council answers each go once.
func TestCouncilSurvivesCrashes(t *testing.T) {
	t.Parallel()
	for _, at := range []string{"usi:1", "usi", "isready:1", "isready", "usinewgame:1", "position:1", "go:1", "go", "go:2",
		"go:3", "stop:1", "ponderhit:1", "gameover:1"} {
		t.Run(at, func(t *testing.T) {
			t.Parallel()
			g := load(t, fakes("", "", "-mark MARK -log LOG -script exit@"+at, ""))
			g.ready()
			play := func() {
				g.say("position startpos", "go nodes 10")
				legal(t, "position startpos", last(g.until("bestmove")))
				for i, end := range []string{"ponderhit", "stop"} {
					position := []string{"position startpos moves 7g7f 3c3d", "position startpos moves 2g2f 3c3d"}[i]
					// long clocks, so that no member is late on a busy machine
					g.say(position, "go ponder btime 600000 wtime 600000 byoyomi 60000")
					g.sync()
					g.say(end)
					legal(t, position, last(g.until("bestmove")))
				}
				g.say("position startpos moves 7g7f", "go infinite")
				g.sync()
				g.say("stop")
				legal(t, "position startpos moves 7g7f", last(g.until("bestmove")))
			}
			play()
			g.say("gameover win", "isready")
			g.until("readyok")
			g.say("usinewgame")
			play()
			lines := g.sync()
			testutil.Check(t, linesWith(lines, "bestmove") <= 0, "too many answers: %q", lines)
			g.quit()
			command, _, _ := strings.Cut(at, ":")
			testutil.Contains(t, g.file("m2.mark"), "exit@"+command, "it did not crash; it got %s", g.file("m2.log"))
		})
	}
}

// TestCouncilQuitsInEveryState: quit and the end of the input end the program in every state.
func TestCouncilQuitsInEveryState(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, script string
		lines        []string
		await        string // in the member's log
	}{
		{"boot", "", nil, ""},
		{"greeted", "", []string{"usi"}, ""},
		{"getting ready", "-script hang@isready", []string{"usi", "isready"}, "isready"},
		{"ready", "", []string{"usi", "isready"}, "usinewgame"},
		{"thinking", "", []string{"isready", "position startpos", "go infinite"}, "go infinite"},
		{"thinking, deaf", "-script deaf@go", []string{"isready", "position startpos", "go btime 0 wtime 0 byoyomi 60000"},
			"go btime"},
		{"pondering", "", []string{"isready", "position startpos", "go ponder"}, "go ponder"},
		{"pondered", "-script early@go", []string{"isready", "position startpos", "go ponder"}, "go ponder"},
		{"stopping", "-script hang@stop", []string{"isready", "position startpos", "go infinite", "stop"}, "stop"},
		{"over", "", []string{"isready", "position startpos", "go nodes 1", "gameover draw"}, "gameover"},
	} {
		for _, end := range []string{"quit", "end"} {
			t.Run(test.name+", "+end, func(t *testing.T) {
				t.Parallel()
				g := load(t, fakes("", "-log LOG "+test.script, ""))
				if len(test.lines) > 0 {
					g.say(test.lines...)
				}
				if test.await != "" {
					g.await("m1.log", test.await)
				}
				if end == "quit" {
					g.say("quit")
				} else {
					g.in.Close()
				}
				g.ended()
			})
		}
	}
}
