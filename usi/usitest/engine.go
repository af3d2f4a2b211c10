// Package usitest is a USI engine for tests. It plays legal moves without a search: the key of the position
// selects the move. It can also misbehave: its flag -script lists faults, such as an exit at the third "go".
// [Main] runs the engine, [Command] returns the command line to start it, and [RunTests] makes a test binary
// run the engine.
package usitest

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"gogi/shogi"
	"gogi/usi"
)

// fault is one entry of the script: FAULT@COMMAND[:N] or FAULT@COMMAND/N. The first form is a fault at every
// occurrence of the command, or only at the N-th. The second form is a fault if the key of the position is a multiple
// of N. With ~OPTION>N after it, the fault happens only while the option is above N.
type fault struct {
	what    string
	command string
	nth     int    // 0: at every occurrence
	option  string // the option must be above a bound; "": no condition
	above   int
	rare    uint64 // only if the key of the position is a multiple of it, so that equal games have equal faults; 0: always
}

// engine is the state of one process.
type engine struct {
	in     *bufio.Reader
	out    *bufio.Writer
	stderr io.Writer

	name     string
	moves    string // "key" or "first"
	infos    int
	think    time.Duration
	busy     bool // the engine uses a CPU while it thinks
	options  []string
	script   []fault
	seen     map[string]int
	values   map[string]int // values of numeric options
	position usi.Position
	line     usi.Line // the game of position
	held     string   // the delayed bestmove of a ponder search
	late     time.Duration
	replay   []string // moves of one game, selected by the number of moves made
	made     int      // number of moves in the last position
	mark     string   // file that receives one line for each fault
	log      string   // file that receives every input line
	mate     string   // the words after checkmate; "": go mate starts an ordinary search
	gate     string   // file for which the fault "wait" waits
	stamps   string   // file that receives the time of each search, in nanoseconds, at the end
	arrived  time.Time
	took     []string
	strict   bool   // the engine exits at a command out of order
	last     string // the last command that counts for the order
}

// Main runs the engine with command-line arguments and returns the exit code.
func Main(args []string) int {
	flags := flag.NewFlagSet("fakeengine", flag.ContinueOnError)
	e := &engine{in: bufio.NewReader(os.Stdin), out: bufio.NewWriter(os.Stdout), stderr: os.Stderr, seen: map[string]int{},
		values: map[string]int{}, position: usi.Position{Start: "startpos"}}
	flags.StringVar(&e.name, "name", "fake", "id name")
	flags.StringVar(&e.moves, "moves", "key", "how moves are chosen: key or first")
	flags.IntVar(&e.infos, "infos", 1, "info lines before each bestmove")
	flags.DurationVar(&e.think, "think", 0, "time before each bestmove")
	flags.BoolVar(&e.busy, "busy", false, "think busily: look at the clock all the time, instead of sleeping")
	flags.StringVar(&e.mark, "mark", "", "file that gets a line for each fault played")
	flags.StringVar(&e.log, "log", "", "file that gets every line that is read")
	flags.StringVar(&e.mate, "mate", "", "the answer to go mate, behind checkmate")
	flags.StringVar(&e.gate, "gate", "", "file that the fault wait waits for")
	flags.StringVar(&e.stamps, "stamps", "",
		"file that gets, at the end, what each search took, from its position to its bestmove, in nanoseconds")
	flags.BoolFunc("sleep", "do nothing but sleep", func(string) error { forever(); return nil })
	flags.BoolVar(&e.strict, "strict", false,
		"exit at a command that is not in the order usi, setoption, isready, usinewgame, searches, gameover, setoption, isready")
	flags.BoolFunc("crlf", "end lines as programs on Windows do", func(string) error {
		e.out = bufio.NewWriter(crlf{os.Stdout})
		return nil
	})
	flags.DurationVar(&e.late, "late", 0, "time between stop and bestmove")
	replay := flags.String("replay", "",
		"moves of a game, separated by commas: bestmove is the next one, without looking at the position")
	script := flags.String("script", "",
		"faults: WHAT@COMMAND[:N], at the n-th such command, or WHAT@COMMAND/N, in positions whose key N divides; ~OPTION>N behind it: while the option is above; separated by commas")
	options := flags.String("options", "", "option lines without the word option, separated by |")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	for _, word := range strings.FieldsFunc(*script, func(r rune) bool { return r == ',' }) {
		f, err := parseFault(word)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 2
		}
		e.script = append(e.script, f)
	}
	e.replay = strings.FieldsFunc(*replay, func(r rune) bool { return r == ',' })
	e.options = strings.FieldsFunc(*options, func(r rune) bool { return r == '|' })
	return e.run()
}

// crlf is a writer that adds a carriage return before each line end.
type crlf struct{ io.Writer }

func (w crlf) Write(b []byte) (int, error) {
	_, err := w.Writer.Write(bytes.ReplaceAll(b, []byte("\n"), []byte("\r\n")))
	return len(b), err
}

func parseFault(word string) (fault, error) {
	word, condition, conditional := strings.Cut(word, "~")
	what, rest, ok := strings.Cut(word, "@")
	command, rare, keyed := strings.Cut(rest, "/")
	command, nth, counted := strings.Cut(command, ":")
	f := fault{what: what, command: command}
	if conditional {
		name, bound, above := strings.Cut(condition, ">")
		n, err := strconv.Atoi(bound)
		if err != nil || !above {
			return f, fmt.Errorf("script %q: expected OPTION>N behind the ~", condition)
		}
		f.option, f.above = name, n
	}
	if keyed {
		n, err := strconv.ParseUint(rare, 10, 64)
		if err != nil || n == 0 {
			return f, fmt.Errorf("script %q: expected a number above 0 behind the slash", word)
		}
		f.rare = n
	}
	if counted {
		n, err := strconv.Atoi(nth)
		if err != nil {
			return f, fmt.Errorf("script %q: %w", word, err)
		}
		f.nth = n
	}
	if !ok {
		return f, fmt.Errorf("script %q: expected WHAT@COMMAND", word)
	}
	return f, nil
}

func (e *engine) run() int {
	defer func() {
		if e.stamps != "" {
			e.append(e.stamps, strings.Join(e.took, "\n"))
		}
	}()
	for {
		fresh := e.in.Buffered() == 0
		line, err := e.in.ReadString('\n')
		if fresh {
			e.arrived = time.Now()
		}
		if err != nil {
			if e.has("stubborn", "eof") {
				signal.Ignore(syscall.SIGTERM)
				forever()
			}
			return 0
		}
		if e.log != "" {
			e.append(e.log, strings.TrimSpace(line))
		}
		command, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		e.seen[command]++
		e.values["games"] = e.seen["usinewgame"] // for faults that begin after some games, such as other@go~games>8
		e.set(line)
		if last := e.last; e.strict && command != "quit" && !e.inOrder(command) {
			fmt.Fprintf(e.stderr, "fake: %s is out of order after %s\n", command, last)
			return outOfOrder
		}
		if done, code := e.misbehave(command); done {
			if code >= 0 {
				return code
			}
			continue
		}
		if command == "quit" {
			return 0
		}
		e.answer(command, strings.TrimSpace(line))
		e.out.Flush()
	}
}

// outOfOrder is the exit code of a strict engine at a command out of order.
const outOfOrder = 8

// before has, for each command, the commands after which it is in order.
var before = map[string][]string{
	"usi": {""}, "setoption": {"usi", "setoption", "gameover"}, "isready": {"usi", "setoption", "gameover"},
	"usinewgame": {"isready"},
	"position":   {"usinewgame", "go", "stop", "ponderhit"}, "go": {"position"}, "stop": {"go", "ponderhit"},
	"ponderhit": {"go"},
	"gameover":  {"usinewgame", "go", "stop", "ponderhit"},
}

// inOrder reports whether a command is in order, and notes it.
func (e *engine) inOrder(command string) bool {
	ok := slices.Contains(before[command], e.last)
	e.last = command
	return ok
}

// set stores the value of an option if line is a setoption line with an integer. It ignores all other lines.
func (e *engine) set(line string) {
	words := strings.Fields(line)
	if len(words) == 5 && words[0] == "setoption" && words[1] == "name" && words[3] == "value" {
		if n, err := strconv.Atoi(words[4]); err == nil {
			e.values[words[2]] = n
		}
	}
}

// has reports whether the script has the fault what at a command, for any occurrence of the command.
func (e *engine) has(what, command string) bool {
	return slices.ContainsFunc(e.script, func(f fault) bool { return f.what == what && f.command == command })
}

// misbehave runs the fault of this command, if there is one. If done is true, the command needs no further
// reaction. If code >= 0, the engine exits with that code.
func (e *engine) misbehave(command string) (done bool, code int) {
	for _, f := range e.script {
		if f.command == command && (f.nth == 0 || f.nth == e.seen[command]) && e.due(f) {
			e.note(f)
			done, code := e.play(f.what)
			if done {
				e.out.Flush() // otherwise two answers would be one write
				return true, code
			}
		}
	}
	return false, -1
}

// due reports whether the current position and option values fulfil the fault's conditions.
func (e *engine) due(f fault) bool {
	if f.option != "" && e.values[f.option] <= f.above {
		return false
	}
	return f.rare == 0 || e.reached() != nil && e.reached().Key()%f.rare == 0
}

// note records a fault in the mark file, so that a test can check it.
func (e *engine) note(f fault) {
	if e.mark != "" {
		e.append(e.mark, fmt.Sprintf("%s@%s pid %d", f.what, f.command, os.Getpid()))
	}
}

func (e *engine) append(name, line string) {
	file, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		fmt.Fprintln(e.stderr, err)
		return
	}
	defer file.Close()
	fmt.Fprintln(file, line)
}

// awaitGate waits until the gate's file exists. Until then it reads no input.
func (e *engine) awaitGate() {
	for {
		if _, err := os.Stat(e.gate); err == nil {
			return
		}
		time.Sleep(5 * time.Millisecond) //nolint:forbidigo // a slow engine, as long as the test needs
	}
}

// forever waits until the process is killed. An empty select would be a deadlock without other goroutines.
func forever() {
	for {
		time.Sleep(time.Hour) //nolint:forbidigo // an engine that reads nothing
	}
}

// play runs one fault. done is true if the fault replaces the answer to the command. If code >= 0, the engine exits
// with that code.
func (e *engine) play(what string) (done bool, code int) {
	if word, ok := answers[what]; ok {
		fmt.Fprintln(e.out, "bestmove "+word)
		return true, -1
	}
	switch what {
	case "exit":
		fmt.Fprintln(e.stderr, "fake: leaving on purpose")
		return true, 7
	case "abort":
		fmt.Fprintln(e.stderr, abort())
		return true, 1
	case "hang":
		return true, -1
	case "deaf":
		forever() // the engine no longer reads
	case "spin":
		for { //nolint:staticcheck // a busy hang is intended
		}
	case "chatter":
		for i := 0; ; i++ {
			fmt.Fprintf(e.out, "info depth %d score cp 1 nodes %d pv 7g7f\n", i%100, i)
			e.out.Flush()
			time.Sleep(time.Millisecond) //nolint:forbidigo // an engine that keeps printing
		}
	case "flood":
		for i := range 200_000 {
			fmt.Fprintf(e.out, "info depth 3 seldepth 5 score cp 12 nodes %d nps 1000 pv 7g7f 3c3d 2g2f\n", i)
		}
	case "longline":
		for range 4000 {
			fmt.Fprint(e.out, strings.Repeat("x", 1024))
		}
		return true, -1
	case "garbage":
		e.out.WriteString("\x1b[31;1mred\x1b[0m \xff\xfe\x80 #[Shogi] 0>\ninfo string \x83\x65\x83\x58\x83\x67\ninfo score cp zzz pv \x1b]0;pwned\x07\n\r\n")
	case "stderr":
		fmt.Fprint(e.stderr, strings.Repeat("noise on stderr\n", 26_000)) // 400 kB
	case "twice":
		fmt.Fprintln(e.out, "bestmove "+e.choose())
	case "closestdout":
		e.out.Flush()
		os.Stdout.Close()
		return true, -1
	case "fork":
		if err := sleeper().Start(); err != nil {
			fmt.Fprintln(e.stderr, err)
		}
	case "late":
		e.held = "bestmove " + e.choose() // sent late, after stop
		return true, -1
	case "wait":
		e.awaitGate()
	case "keepalive":
		for range 3 {
			fmt.Fprintln(e.out)
		}
	case "other":
		if p := e.reached(); p != nil {
			if moves := p.LegalMoves(nil); len(moves) > 0 {
				fmt.Fprintln(e.out, "bestmove "+moves[len(moves)-1].String())
				return true, -1
			}
		}
	case "early":
		fmt.Fprintln(e.out, "bestmove "+e.choose())
		e.held = ""
		return true, -1
	}
	return false, -1
}

// answers has, for each fault that only replaces the bestmove, the text after the word bestmove.
var answers = map[string]string{
	"illegal": "5a5b", "malformed": "\x1b[31mP@5e ponder x", "none": "none", "win": "win", "resign": "resign",
}

// answer reacts to a command like a correct engine.
func (e *engine) answer(command, line string) {
	switch command {
	case "usi":
		fmt.Fprintf(e.out, "id name %s\nid author nobody\n", e.name)
		fmt.Fprintln(e.out, "option name USI_Hash type spin default 16 min 1 max 1024")
		for _, o := range e.options {
			fmt.Fprintln(e.out, "option "+o)
		}
		fmt.Fprintln(e.out, "usiok")
	case "isready":
		fmt.Fprintln(e.out, "readyok")
	case "position":
		if len(e.replay) > 0 {
			_, moves, _ := strings.Cut(line, " moves")
			e.made = strings.Count(moves, " ")
			return
		}
		if p, err := usi.ParsePosition(line); err == nil {
			e.position = p
		}
	case "go":
		e.search(line)
	case "stop":
		if e.late > 0 {
			time.Sleep(e.late) //nolint:forbidigo // an engine that is late
		}
		e.release()
	case "ponderhit":
		e.release()
	}
}

func (e *engine) search(line string) {
	for i := range e.infos {
		fmt.Fprintf(e.out, "info depth %d seldepth %d score cp %d nodes %d nps 100000 pv %s\n", i+1, i+2, 10*i, 100*(i+1),
			e.choose())
	}
	e.held = "bestmove " + e.choose() + e.expected()
	if e.mate != "" && strings.HasPrefix(line, "go mate") {
		fmt.Fprintln(e.out, "checkmate "+e.mate)
		e.held = ""
		return
	}
	if strings.HasPrefix(line, "go ponder") || strings.HasPrefix(line, "go infinite") {
		return
	}
	if e.think > 0 {
		e.out.Flush()
		e.pause()
	}
	e.release()
}

// pause waits for e.think, as if the engine were thinking.
func (e *engine) pause() {
	if !e.busy {
		time.Sleep(e.think) //nolint:forbidigo // an engine that thinks
		return
	}
	for began := time.Now(); time.Since(began) < e.think; { // a busy wait is intended
	}
}

func (e *engine) release() {
	if e.held != "" {
		fmt.Fprintln(e.out, e.held)
		if e.stamps != "" {
			e.took = append(e.took, strconv.FormatInt(time.Since(e.arrived).Nanoseconds(), 10))
		}
	}
	e.held = ""
}

// choose returns the move for the position, or "resign" without a legal move.
func (e *engine) choose() string {
	if len(e.replay) > 0 {
		return e.replay[e.made%len(e.replay)]
	}
	if p := e.reached(); p != nil {
		return e.pick(p)
	}
	return "resign"
}

// reached returns the position after all moves, or nil if a move is illegal.
func (e *engine) reached() *shogi.Position {
	if e.line.Follow(e.position) != nil {
		return nil
	}
	return &e.line.Position
}

func (e *engine) pick(p *shogi.Position) string {
	moves := p.LegalMoves(nil)
	if len(moves) == 0 {
		return "resign"
	}
	if e.moves == "first" {
		return moves[0].String()
	}
	return moves[p.Key()%uint64(len(moves))].String()
}

// expected returns " ponder MOVE" with the reply that this engine would choose.
func (e *engine) expected() string {
	if len(e.replay) > 0 || e.reached() == nil {
		return ""
	}
	p := *e.reached()
	m, err := shogi.ParseMove(e.pick(&p))
	if err != nil {
		return ""
	}
	p.Apply(m)
	if reply := e.pick(&p); reply != "resign" {
		return " ponder " + reply
	}
	return ""
}

// childWord is the first argument that makes a test binary run the engine.
const childWord = "fakeengine"

// atATime is the number of parallel tests. Tests wait for engines and for time to pass, so more tests than CPUs can
// run.
const atATime = "8"

// RunTests implements TestMain for a package whose tests start Command. If Command started this process, RunTests
// runs the engine; otherwise it runs the tests. It does not return. m is the *testing.M.
func RunTests(m interface{ Run() int }) {
	if len(os.Args) > 1 && os.Args[1] == childWord {
		os.Exit(Main(os.Args[2:]))
	}
	os.Setenv("GORACE", "atexit_sleep_ms=0") // otherwise a child built with -race takes a second to exit
	flag.Parse()
	if err := flag.Set("test.parallel", atATime); err != nil {
		panic(err) // this is not a test binary
	}
	os.Exit(m.Run())
}

// Command returns the command line that starts this test binary as the engine with arguments. The binary's
// TestMain must call RunTests.
func Command(args ...string) []string {
	return append([]string{os.Args[0], childWord}, args...)
}
