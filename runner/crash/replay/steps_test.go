package replay

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"gogi/internal/lists"
	"gogi/internal/testutil"
	"gogi/runner/crash"
	"gogi/usi/transcript"
)

// spoken returns a dialogue of lines "MS > text" and "MS < text".
func spoken(t *testing.T, text string) (lines []transcript.Line) {
	t.Helper()
	began := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for line := range strings.SplitSeq(text, "; ") {
		var ms int
		var way string
		testutil.OK(t, testutil.Err(fmt.Sscanf(line, "%d %s", &ms, &way)), line)
		_, said, _ := strings.Cut(line, way+" ")
		lines = append(lines, transcript.Line{At: began.Add(time.Duration(ms) * time.Millisecond), Sent: way == ">",
			Text: []byte(said)})
	}
	return lines
}

func told(list []step) string {
	var words []string
	for _, s := range list {
		what := strings.TrimSpace(string(s.send))
		if s.send == nil {
			what = "await " + s.await
		}
		if s.searching {
			what += "*"
		}
		words = append(words, fmt.Sprintf("%d %s", s.after.Milliseconds(), what))
	}
	return strings.Join(words, "; ")
}

// TestSteps: the steps keep the times between all lines, or only between those within a search. They do not wait for
// answers that were not requested.
func TestSteps(t *testing.T) {
	lines := spoken(t,
		"0 > usi; 5 < id name x; 7 < usiok; 8 < usiok; 10 > setoption name X; 12 > isready; 30 < readyok; 40 < bestmove 1a1b; 50 > position startpos; "+
			"50 > go infinite; 90 < info x; 150 > stop; 160 < bestmove 7g7f; 161 < bestmove 7g7f; 200 > go mate 1; 210 < checkmate nomate; 220 > quit")
	want := "0 usi; 7 await usiok; 3 setoption name X; 2 isready; 18 await readyok; 20 position startpos; 0 go infinite; 100 stop*; 10 await bestmove*; 40 go mate 1; 10 await checkmate*"
	testutil.Equal(t, told(steps(lines, false)), want)
	want = "0 usi; 0 await usiok; 0 setoption name X; 0 isready; 0 await readyok; 0 position startpos; 0 go infinite; 100 stop*; 10 await bestmove*; 0 go mate 1; 10 await checkmate*"
	testutil.Equal(t, told(steps(lines, true)), want, "fast")
}

// TestScript: if lines are missing, the script prepares the engine and begins with a game.
func TestScript(t *testing.T) {
	head := "0 > usi; 1 < usiok; 2 > setoption name X; 3 > isready; 4 < readyok; 5 > position startpos; 6 > go; 7 < bestmove 7g7f"
	games := "10 < bestmove 7g7f; 11 > isready; 12 < readyok; 13 > go; 14 < bestmove 7g7f; 21 > isready; 22 < readyok; 23 > go"
	for name, c := range map[string]struct {
		b    crash.Bundle
		last bool
		want string
	}{
		"whole": {crash.Bundle{Dialogue: transcript.Excerpt{Head: spoken(t, head)}}, false,
			"usi usiok setoption isready readyok position go bestmove"},
		"whole, last": {crash.Bundle{Dialogue: transcript.Excerpt{Head: spoken(t, head+"; "+games)}}, true,
			"usi usiok setoption isready readyok go"},
		"cut": {crash.Bundle{Dialogue: transcript.Excerpt{Head: spoken(t, head), Lost: 9, Tail: spoken(t, games)}},
			false, "usi usiok setoption isready readyok go bestmove isready readyok go"},
		"cut, last": {crash.Bundle{Dialogue: transcript.Excerpt{Head: spoken(t, head), Lost: 9, Tail: spoken(t, games)}},
			true, "usi usiok setoption isready readyok go"},
		"within a game": {crash.Bundle{Dialogue: transcript.Excerpt{Head: spoken(t, head), Lost: 9,
			Tail: spoken(t, "10 < bestmove 7g7f; 11 > stop; 12 > position startpos; 13 > go")}}, false,
			"usi usiok setoption isready readyok usinewgame position go"},
		"nothing": {crash.Bundle{Dialogue: transcript.Excerpt{Head: spoken(t, "0 > usi"), Lost: 9}}, false, "usi"},
	} {
		words := lists.Map(script(&c.b, c.last), func(l transcript.Line) string { return crash.Word(l.Text) })
		testutil.Equal(t, strings.Join(words, " "), c.want, "%s", name)
	}
}
