package farmcmd

import (
	"bytes"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"gogi/farm"
	"gogi/internal/testutil"
)

var codes = regexp.MustCompile(`^\x1b\[(\d*)([AKJ])`)

// screenful returns the lines that a terminal of the given width shows. It knows the control codes for up, erase the
// line, and erase below.
func screenful(t *testing.T, out string, width int) []string {
	t.Helper()
	lines, at, column := []string{""}, 0, 0
	for len(out) > 0 {
		if m := codes.FindStringSubmatch(out); m != nil {
			out = out[len(m[0]):]
			switch m[2] {
			case "A":
				n, err := strconv.Atoi(m[1])
				if at -= n; err != nil || at < 0 {
					t.Fatalf("up by %s: above the screen", m[1])
				}
			case "K":
				lines[at] = ""
			case "J":
				lines = append(lines[:at], "")
			}
			continue
		}
		switch c := out[0]; c {
		case '\r':
			column = 0
		case '\n':
			if at, column = at+1, 0; at == len(lines) {
				lines = append(lines, "")
			}
		default:
			if column++; column > width-1 {
				t.Fatalf("line %d reaches the right edge, where it is wrapped", at)
			}
			lines[at] += string(c)
		}
		out = out[1:]
	}
	return lines[:len(lines)-1]
}

// TestAreaIsDrawnOver: the terminal shows only the latest drawing, even if the one before had more or longer lines. The
// area cuts off text that does not fit.
func TestAreaIsDrawnOver(t *testing.T) {
	var out bytes.Buffer
	out.WriteString("$ gogi\n")
	a := &area{w: &out, size: func() (int, int) { return 20, 5 }}
	for _, c := range []struct{ shown, want string }{
		{"one\ntwo\n", "one|two"},
		{"a longer line\ntwo\nthree\nfour\nfive\nsix", "a longer line|two|three|four"},
		{"1", "1"},
		{strings.Repeat("x", 50) + "\n2", strings.Repeat("x", 19) + "|2"},
	} {
		testutil.OK(t, a.draw(c.shown))
		testutil.Slices(t, screenful(t, out.String(), 20), append([]string{"$ gogi"}, strings.Split(c.want, "|")...),
			"after %q", c.shown)
	}
}

// TestNoArea: areaOf returns nil for a file and a buffer.
func TestNoArea(t *testing.T) {
	f := testutil.Must(os.CreateTemp(t.TempDir(), "out"))(t)
	defer f.Close()
	testutil.Check(t, areaOf(f) == nil && areaOf(&bytes.Buffer{}) == nil, "it draws into a file")
}

// TestWatchedTest tests the text about the progress of a test, and the last lines of its log.
func TestWatchedTest(t *testing.T) {
	s := &farm.TestStatus{Name: "gen", State: farm.Running, Pairs: 9, Stored: 4, Prefix: 3, Selfplay: true}
	for i := range 20 {
		s.Log = append(s.Log, farm.Change{By: "boss", What: "change " + strconv.Itoa(i)})
	}
	got := watched(s)
	if !strings.Contains(got, "4 of 9 stored, the first 3 without a gap") || !strings.Contains(got, "blocks") ||
		strings.Contains(got, "pair") {
		t.Errorf("%s", got)
	}
	testutil.Check(t, strings.Contains(got, "change 19") && !strings.Contains(got, "change 14\n") && len(s.Log) == 20,
		"of the log: %s", got)
}

// TestRemarks: gogi prints a provisional verdict, voided pairs and rejections with their reasons. It prints no control
// characters.
func TestRemarks(t *testing.T) {
	t.Parallel()
	s := &farm.TestStatus{Verdict: "pass", Provisional: "3 of 4 audits are missing", Voided: "9 pairs voided: odd\x1b[31m",
		Refusals: []string{"w2: exit status 1"}}
	got := watched(s)
	for _, want := range []string{"pass, LLR", "the verdict pass is provisional: 3 of 4 audits are missing",
		"9 pairs voided: odd", "is not played by w2: exit status 1"} {
		testutil.Contains(t, got, want, "lacks")
	}
	if strings.Contains(got, "\x1b") || !strings.HasSuffix(progressOf(s), "pass (provisional)") {
		t.Errorf("%q, %q", got, progressOf(s))
	}
}
