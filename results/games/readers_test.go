package games

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"gogi/internal/testutil"
	"gogi/shogi"
	"gogi/shogi/kifu"
	kifutext "gogi/shogi/kifu/text"
)

// required skips a test if an external reader is missing. It fails the test if GOGI_REAL_READERS requires the readers,
// as in CI.
func required(t *testing.T, why string) {
	t.Helper()
	testutil.Require(t, os.Getenv("GOGI_REAL_READERS") != "required", "%v", why)
	t.Skip(why)
}

// allEnds are the ways in which a game ends, and whether the side that moves or waits wins.
var allEnds = []struct{ result, who string }{
	{"resignation", "waits"}, {"checkmate", "waits"}, {"crash", "waits"}, {"time_forfeit", "waits"}, {"stall", "waits"},
	{"illegal_move", "waits"},
	{"false_declaration", "waits"}, {"perpetual_check", "moves"}, {"perpetual_check", "waits"}, {"repetition", "draw"},
	{"max_plies", "draw"}, {"impasse", "draw"},
	{"declaration", "moves"}, {"declaration", "waits"}, {"score_adjudication", "moves"}, {"score_adjudication", "waits"},
	{"score_adjudication", "draw"},
}

// playedGames returns eight games of random moves for each way to end: even games, handicaps, and one with promoted
// pieces and full hands.
func playedGames(t *testing.T) map[string]*kifu.Record {
	t.Helper()
	even := shogi.StartPos()
	starts := []string{even.SFEN(), even.SFEN(), even.SFEN(),
		"l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1"}
	for _, h := range shogi.Handicaps() {
		starts = append(starts, h.SFEN)
	}
	games := map[string]*kifu.Record{}
	r := rand.New(rand.NewPCG(1, 2))
	for i, end := range allEnds {
		for n := range 8 {
			games[fmt.Sprintf("%02d-%s-%d", i, end.result, n)] = playedGame(t, r, starts[(8*i+n)%len(starts)], end.result,
				end.who)
		}
	}
	return games
}

func playedGame(t *testing.T, r *rand.Rand, start, result, who string) *kifu.Record {
	t.Helper()
	p := testutil.Must(shogi.ParseSFEN(start))(t)
	g := &kifu.Record{Black: "先手, A", White: "B", Event: "run/1.0", Start: start, Result: result,
		Started: time.Unix(1_767_323_045, 0)}
	g.Ended, g.Note = g.Started.Add(time.Minute), "a note, with a comma"
	for i := range 30 + r.IntN(60) {
		m := kifu.Move{Move: anyMove(r, &p), Opening: i < 3}
		if !m.Opening {
			m.Time = time.Duration(r.IntN(200_000)) * time.Millisecond
		}
		p.Apply(m.Move)
		if !m.Opening && r.IntN(4) > 0 {
			m.HasScore, m.Score, m.Depth, m.Nodes = true, r.IntN(4000)-2000, 1+r.IntN(20), uint64(r.IntN(1e6))
			line := p
			m.PV = []shogi.Move{m.Move}
			for range 3 {
				if line.HasLegalMove() {
					m.PV = append(m.PV, anyMove(r, &line))
					line.Apply(m.PV[len(m.PV)-1])
				}
			}
		}
		g.Moves = append(g.Moves, m)
		if !p.HasLegalMove() {
			break
		}
	}
	g.LastTime, g.HasLast = 1500*time.Millisecond, true
	g.Winner = map[string]string{"moves": p.Side().String(), "waits": p.Side().Opponent().String(), "draw": "draw"}[who]
	return g
}

func anyMove(r *rand.Rand, p *shogi.Position) shogi.Move {
	moves := p.LegalMoves(nil)
	return moves[r.IntN(len(moves))]
}

// writeAll writes each game in every text format except jsonl and sfen.
func writeAll(t *testing.T, games map[string]*kifu.Record) string {
	t.Helper()
	folder := t.TempDir()
	for name, g := range games {
		for _, f := range kifutext.Text() {
			if f.Name == "jsonl" || f.Name == "sfen" {
				continue
			}
			text, err := f.Append(nil, g)
			testutil.Require(t, err == nil, "%v %v %v", name, f.Name, err)
			write(t, filepath.Join(folder, name+"."+f.Name+f.Ext), text)
			if f.Name == "kif" {
				sjis, lost := kifutext.ShiftJIS(text)
				testutil.Require(t, lost <= 0, "%s: %d characters lost", name, lost)
				write(t, filepath.Join(folder, name+".sjis.kif"), sjis)
			}
		}
	}
	return folder
}

func write(t *testing.T, path string, text []byte) {
	t.Helper()
	testutil.OK(t, os.WriteFile(path, text, 0o600))
}

// A seen is the output of read.mjs for one file.
type seen struct {
	Game, Format string
	Shogi        struct {
		Error        string
		Start, Final string
		Moves        []struct {
			USI   string
			MS    int64
			Score *int
		}
		End *struct {
			Word string
			MS   int64
		}
		KI2 string // its own text, for a game that it read as usi
	}
	JKF *struct {
		Error string
		Moves []struct {
			From    *string
			To      string
			Promote bool
			S       *int64

			Relative string
		}
		Special string
		SFEN    string
		Valid   json.RawMessage
	}
}

// readWithNode reads a folder with external libraries.
func readWithNode(t *testing.T, folder string) map[string]seen {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		required(t, "node is missing")
	}
	if _, err := os.Stat("testdata/npm/node_modules/tsshogi"); err != nil {
		required(t, "the readers are missing: npm ci --prefix results/games/testdata/npm")
	}
	out, err := exec.Command(node, "testdata/npm/read.mjs", folder).Output()
	if err != nil {
		failed := new(exec.ExitError)
		ok := asExit(err, &failed)
		testutil.Require(t, !ok, "%v: %s", err, failed.Stderr)
		t.Fatal(err)
	}
	got := map[string]seen{}
	testutil.OK(t, json.Unmarshal(out, &got))
	return got
}

// TestRelativeWords: gogi's words for moves of equal pieces in KI2 are those that tsshogi writes, and those of JKF are
// those that json-kifu-format adds to a CSA file, for every move of random games.
func TestRelativeWords(t *testing.T) {
	even := shogi.StartPos()
	starts := []string{even.SFEN(), "k8/1gsg1+p+p+p1/1s+p+p1+p3/9/9/9/3+P1+P+PS1/1+P+P+P1GSG1/8K b - 1",
		"k8/9/1+B2+R1+P+N1/9/9/3+s+s4/1+b2+r1+p+l1/9/8K w GSgs 1"}
	games := map[string]*kifu.Record{}
	r := rand.New(rand.NewPCG(3, 4))
	for i := range testutil.ByLength(24, 200) {
		games[fmt.Sprintf("%03d", i)] = playedGame(t, r, starts[i%len(starts)], "resignation", "waits")
	}
	signed := regexp.MustCompile(`[▲△][^▲△\n]+`)
	words := 0
	folder := t.TempDir()
	for name, g := range games {
		for _, format := range []string{"usi", "csa"} {
			f := testutil.Must(kifutext.Find(kifutext.Text(), format))(t)
			write(t, filepath.Join(folder, name+"."+format+f.Ext), testutil.Must(f.Append(nil, g))(t))
		}
	}
	for name, s := range readWithNode(t, folder) {
		g := games[s.Game]
		switch s.Format {
		case "usi":
			theirs, _, _ := strings.Cut(s.Shogi.KI2, "まで")
			text := testutil.Must(kifutext.AppendKI2(nil, g))(t)
			ours, list := signed.FindAllString(string(text), -1), signed.FindAllString(theirs, -1)
			testutil.Require(t, len(ours) == len(g.Moves) && len(list) == len(ours), "%s: %d and %d moves of %d", name,
				len(ours), len(list), len(g.Moves))
			for i := range ours {
				a, b := strings.Trim(ours[i], " 　"), strings.Trim(list[i], " 　")
				if strings.ContainsAny(a, "右左直上寄引") {
					words++
				}
				testutil.Check(t, a == b, "%s: move %d is %s, tsshogi writes %s", name, i+1, a, b)
			}
		case "csa":
			var jkf struct {
				Moves []struct{ Move *struct{ Relative string } }
			}
			testutil.OK(t, json.Unmarshal(testutil.Must(kifutext.AppendJKF(nil, g))(t), &jkf))
			for i, m := range s.JKF.Moves {
				if ours := jkf.Moves[i+1].Move.Relative; ours != m.Relative {
					t.Errorf("%s: move %d has the relative %q, json-kifu-format adds %q", name, i+1, ours, m.Relative)
				}
			}
		}
	}
	testutil.Check(t, words >= 5*len(games), "only %d words in %d games", words, len(games))
}

func asExit(err error, to **exec.ExitError) bool {
	e, ok := err.(*exec.ExitError) //nolint:errorlint // Output wraps nothing
	*to = e
	return ok
}

// TestOtherReaders: the libraries of ShogiHome and Kifu for JS read every game unchanged in every format. The test
// compares the start, the moves, the last position, the scores from Black's view and the winner. It compares the times
// as exactly as the format stores them.
func TestOtherReaders(t *testing.T) {
	games := playedGames(t)
	// The starts differ between the ways to end, so that two games of each way cover all starts.
	maps.DeleteFunc(games, func(name string,
		_ *kifu.Record) bool {
		return name[len(name)-1] >= testutil.ByLength[byte]('2', '8')
	})
	got := readWithNode(t, writeAll(t, games))
	testutil.Require(t, len(got) == 7*len(games) && len(games) >= 30, "%d files of %d games", len(got), len(games))
	for name, s := range got {
		for _, wrong := range differences(games[s.Game], s) {
			t.Errorf("%s: %s", name, wrong)
		}
	}
}

// TestOtherReadersAreAsked: the readers find one changed byte of a move in each format.
func TestOtherReadersAreAsked(t *testing.T) {
	even := shogi.StartPos()
	m := testutil.Must(shogi.ParseMove("7g7f"))(t)
	g := &kifu.Record{Black: "A", White: "B", Start: even.SFEN(), Moves: []kifu.Move{{Move: m, Time: time.Second}},
		Result: "resignation", Winner: "black"}
	games := map[string]*kifu.Record{"game": g}
	folder := writeAll(t, games)
	changes := map[string][2]string{
		"csa": {"+7776FU", "+6766FU"}, "csa3": {"+7776FU", "+6766FU"}, "usi": {"7g7f", "6g6f"}, "kif": {"７六歩(77)", "６六歩(67)"},
		"ki2": {"▲７六歩", "▲６六歩"}, "jkf": {`"from":{"x":7,"y":7},"to":{"x":7,"y":6}`,
			`"from":{"x":6,"y":7},"to":{"x":6,"y":6}`},
	}
	paths := testutil.Must(filepath.Glob(folder + "/*"))(t)
	for _, path := range paths {
		text := testutil.Must(os.ReadFile(path))(t)
		change := changes[strings.Split(filepath.Base(path), ".")[1]]
		changed := strings.Replace(string(text), change[0], change[1], 1)
		if changed == string(text) && change[0] != "" {
			t.Fatalf("%s has no %s: %s", path, change[0], text)
		}
		write(t, path, []byte(changed))
	}
	for name, s := range readWithNode(t, folder) {
		found := differences(g, s)
		testutil.Check(t, len(found) != 0 || s.Format == "sjis", "%s: nobody saw it", name)
	}
}

// differences returns the differences between a game and the game that was read.
func differences(g *kifu.Record, s seen) (wrong []string) {
	say := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	last, side := lastOf(g)
	if s.Shogi.Error != "" {
		return []string{"tsshogi: " + s.Shogi.Error}
	}
	if s.Shogi.Start != g.Start || len(s.Shogi.Moves) != len(g.Moves) || !sameBoard(s.Shogi.Final, last) {
		say("tsshogi has %d moves from %s to %s, want %d from %s to %s", len(s.Shogi.Moves), s.Shogi.Start, s.Shogi.Final,
			len(g.Moves), g.Start, last)
		return wrong
	}
	mover := firstSide(g)
	for i, m := range s.Shogi.Moves {
		want := &g.Moves[i]
		if m.USI != want.Move.String() {
			say("move %d is %s, want %s", i+1, m.USI, want.Move)
		}
		if ms, ok := timeIn(s.Format, want.Time); ok && m.MS != ms {
			say("move %d took %d ms, want %d", i+1, m.MS, ms)
		}
		if s.Format != "ki2" && s.Format != "usi" && !sameScore(m.Score, want, mover) {
			say("move %d has the score %v, want %d of the mover's", i+1, m.Score, want.Score)
		}
		mover = 1 - mover
	}
	if wants := winnerIn(s.Format, g, side); s.Format != "usi" &&
		(s.Shogi.End == nil || winnerOf(s.Shogi.End.Word, side) != wants) {
		say("it ended by %+v, %s to move: want %q as the winner", s.Shogi.End, side, wants)
	}
	return append(wrong, jkfDifferences(g, s, last)...)
}

func jkfDifferences(g *kifu.Record, s seen, last string) (wrong []string) {
	if _, side := lastOf(g); s.JKF == nil || s.Format == "ki2" && g.Result == "declaration" && g.Winner == side.String() {
		return nil // json-kifu-format does not know 入玉勝ち in KI2, which tsshogi reads and writes
	}
	if s.JKF.Error != "" || len(s.JKF.Moves) != len(g.Moves) || !sameBoard(s.JKF.SFEN, last) {
		return []string{fmt.Sprintf("json-kifu-format: %s: %d moves to %s, want %d to %s", s.JKF.Error, len(s.JKF.Moves),
			s.JKF.SFEN, len(g.Moves), last)}
	}
	if s.Format == "jkf" && string(s.JKF.Valid) != "null" {
		wrong = append(wrong, "not as the schema has it: "+string(s.JKF.Valid))
	}
	for i, m := range s.JKF.Moves {
		want := g.Moves[i].Move
		to := fmt.Sprintf("%d%d", want.To().File(), want.To().Rank())
		if m.To != to || m.Promote != want.Promotes() || (m.From == nil) != want.IsDrop() {
			wrong = append(wrong, fmt.Sprintf("json-kifu-format: move %d is %+v, want %s", i+1, m, want))
		}
		if ms, ok := timeIn(s.Format, g.Moves[i].Time); ok && m.S != nil && 1000**m.S != ms {
			wrong = append(wrong, fmt.Sprintf("json-kifu-format: move %d took %d s, want %d ms", i+1, *m.S, ms))
		}
	}
	return wrong
}

func lastOf(g *kifu.Record) (sfen string, side shogi.Colour) {
	p, err := shogi.ParseSFEN(g.Start)
	if err != nil {
		return err.Error(), 0
	}
	for i := range g.Moves {
		p.Apply(g.Moves[i].Move)
	}
	return p.SFEN(), p.Side()
}

// sameBoard compares positions without their move numbers.
func sameBoard(a, b string) bool {
	cut := func(s string) string { return s[:max(0, strings.LastIndexByte(s, ' '))] }
	return cut(a) == cut(b) && a != ""
}

// timeIn returns a time in the precision of a format, or false if the format has no times.
func timeIn(format string, d time.Duration) (ms int64, ok bool) {
	switch format {
	case "csa3":
		return d.Milliseconds(), true
	case "ki2", "usi":
		return 0, false
	}
	return 1000 * int64(d/time.Second), true
}

func sameScore(got *int, m *kifu.Move, mover int) bool {
	if got == nil || !m.HasScore {
		return (got == nil) == !m.HasScore
	}
	return *got == map[int]int{0: m.Score, 1: -m.Score}[mover]
}

// winnerOf returns the winner for a result of tsshogi.
func winnerOf(word string, side shogi.Colour) string {
	switch word {
	case "resign", "mate", "timeout", "foulLose":
		return side.Opponent().String()
	case "foulWin", "enteringOfKing":
		return side.String()
	case "repetitionDraw", "impass", "maxMoves", "draw":
		return "draw"
	}
	return ""
}

// winnerIn returns the winner as far as a format stores it. No format stores an adjudicated win of the side to move.
// csa3 has no own word for an adjudicated game, a crash or the try rule.
func winnerIn(format string, g *kifu.Record, side shogi.Colour) string {
	moverWins := g.Winner == side.String()
	adjudicated := g.Result == "score_adjudication"
	switch {
	case adjudicated && (g.Winner == "draw" || moverWins):
		return ""
	case g.Result == "perpetual_check" && (format == "csa" || format == "csa3" || format == "jkf"):
		// In the standard, %+ILLEGAL_ACTION is Black's action, and Black loses. json-kifu-format reads it so, and
		// tsshogi 2.2.0 reads the opposite.
		return map[string]string{"black": "white", "white": "black"}[g.Winner]
	case format == "csa3" && (adjudicated || g.Result == "crash" || g.Result == "declaration" && !moverWins):
		return ""
	}
	return g.Winner
}
