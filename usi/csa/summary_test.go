package csa

import (
	"slices"
	"strings"
	"testing"
	"time"

	"gogi/internal/lists"
	"gogi/internal/testutil"
	"gogi/shogi"
	"gogi/shogi/kifu"
)

// head is a summary up to the position, as a server of version 1.2 sends it.
const head = `Protocol_Version:1.2
Protocol_Mode:Server
Format:Shogi 1.0
Declaration:Jishogi 1.1
Game_ID:20260101-test-1
Name+:alpha
Name-:beta
Your_Turn:-
Rematch_On_Draw:NO
To_Move:+
Max_Moves:256
BEGIN Time
Time_Unit:1sec
Total_Time:600
Byoyomi:10
Increment:0
Least_Time_Per_Move:0
END Time
`

const even = "BEGIN Position\nPI\n+\nEND Position\n"

func summary(t *testing.T, text string) *Summary {
	t.Helper()
	return testutil.Must(ParseSummary(strings.Split(text, "\n")))(t)
}

func TestSummary(t *testing.T) {
	s := summary(t, head+even)
	if s.Version != "1.2" || s.GameID != "20260101-test-1" || s.Names != [2]string{"alpha", "beta"} ||
		s.Colour != shogi.White ||
		s.MaxMoves != 256 || s.RematchOnDraw || s.Declaration != shogi.CSARule27 || len(s.Ignored) != 0 ||
		s.Opponent() != "alpha" {
		t.Errorf("%+v", s)
	}
	want := Time{Unit: time.Second, Total: 10 * time.Minute, Byoyomi: 10 * time.Second, Remaining: -1}
	testutil.Equal(t, s.Times, [2]Time{want, want}, "times")
	start := shogi.StartPos()
	testutil.Check(t, s.Start.SFEN() == start.SFEN() && len(s.Moves) == 0, "%s %v", s.Start.SFEN(), s.Moves)
}

func TestSummaryTimes(t *testing.T) {
	for _, test := range []struct {
		name, section string
		black, white  Time
	}{
		{
			"milliseconds", "BEGIN Time\nTime_Unit:1msec\nTotal_Time:1500\nIncrement:250\nTime_Roundup:YES\nEND Time\n",
			Time{Unit: time.Millisecond, Total: 1500 * time.Millisecond, Increment: 250 * time.Millisecond, Roundup: true,
				Remaining: -1},
			Time{Unit: time.Millisecond, Total: 1500 * time.Millisecond, Increment: 250 * time.Millisecond,
				Roundup: true, Remaining: -1},
		},
		{
			"minutes, the unit last", "BEGIN Time\nTotal_Time:25\nByoyomi:1\nDelay:0\nTime_Unit:1min\nEND Time\n",
			Time{Unit: time.Minute, Total: 25 * time.Minute, Byoyomi: time.Minute, Remaining: -1},
			Time{Unit: time.Minute, Total: 25 * time.Minute, Byoyomi: time.Minute, Remaining: -1},
		},
		{
			"by colour",
			"BEGIN Time+\nTotal_Time:300\nIncrement:5\nEND Time+\nBEGIN Time-\nTotal_Time:60\nByoyomi:3\nDelay:2\nLeast_Time_Per_Move:1\nEND Time-\n",
			Time{Unit: time.Second, Total: 5 * time.Minute, Increment: 5 * time.Second, Remaining: -1},
			Time{Unit: time.Second, Total: time.Minute, Byoyomi: 3 * time.Second, Delay: 2 * time.Second, Least: time.Second,
				Remaining: -1},
		},
		{
			"of a game that goes on", "BEGIN Time\nTotal_Time:300\nRemaining_Time+:120\nRemaining_Time-:0\nEND Time\n",
			Time{Unit: time.Second, Total: 5 * time.Minute, Remaining: 2 * time.Minute},
			Time{Unit: time.Second, Total: 5 * time.Minute, Remaining: 0},
		},
	} {
		s := summary(t, "Your_Turn:+\n"+test.section+even)
		testutil.Check(t, s.Times[0] == test.black && s.Times[1] == test.white, "%s: %+v", test.name, s.Times)
	}
}

// TestSummaryPositions tests initial positions in each form of the CSA protocol.
func TestSummaryPositions(t *testing.T) {
	two, _ := shogi.FindHandicap("two-piece")
	odd := position(t, "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1")
	for _, test := range []struct{ name, section, sfen string }{
		{"pieces removed", "PI82HI22KA\n-\n", two.SFEN},
		{"to move by To_Move", "PI82HI22KA\n", two.SFEN},
		{"all ranks", kifu.CSAPosition(&odd), odd.SFEN()},
		{"ranks without blanks at their ends", trimmed(kifu.CSAPosition(&odd)), odd.SFEN()},
		{"single pieces, the rest in hand", "P+59OU\nP-51OU\nP+00FU\nP-00AL\n+\n",
			"4k4/9/9/9/9/9/9/9/4K4 b P2r2b4g4s4n4l17p 1"},
	} {
		s := summary(t, "Your_Turn:+\nTo_Move:-\nBEGIN Position\n"+test.section+"END Position\n")
		testutil.Equal(t, s.Start.SFEN(), test.sfen, "%s", test.name)
	}
}

func trimmed(text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}

func TestSummaryMoves(t *testing.T) {
	s := summary(t,
		head+"BEGIN Position\nPI\n+\n+7776FU,T12\n-3334FU\nT6\n+8822UM,T0,'* 100\n'a comment\n-3122GI\nEND Position\n")
	got := lists.Map(s.Moves, func(m PlayedMove) string { return m.Move.String() + " " + m.Time.String() })
	want := []string{"7g7f 12s", "3c3d 6s", "8h2b+ 0s", "3a2b 0s"}
	testutil.Check(t, slices.Equal(got, want) && s.Moves[2].Timed && !s.Moves[3].Timed, "%v %+v", got, s.Moves)
}

func TestSummaryErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                            "Your_Turn",
		"Your_Turn:x":                 "Your_Turn",
		"Your_Turn:++":                "Your_Turn",
		"Your_Turn:+":                 "position",
		head:                          "position",
		"Your_Turn:+\nMax_Moves:many": "Max_Moves",
		"BEGIN Time\nBEGIN Position":  "inside",
		"Your_Turn:+\nBEGIN Time\nTime_Unit:1week\nEND Time\n" + even:  "Time_Unit",
		"Your_Turn:+\nBEGIN Time\nTime_Unit:0sec\nEND Time\n" + even:   "Time_Unit",
		"Your_Turn:+\nBEGIN Time\nTotal_Time:-1\nEND Time\n" + even:    "Total_Time",
		"Your_Turn:+\nBEGIN Time\nByoyomi:NaN\nEND Time\n" + even:      "Byoyomi",
		head + "BEGIN Position\nPI82HI82HI\n+\nEND Position":           "removed",
		head + "BEGIN Position\nP1xxx\n+\nEND Position":                "rank 1",
		head + "BEGIN Position\nPI\nP+55\n+\nEND Position":             "square and a piece",
		head + "BEGIN Position\nPI\nP+77FU\n+\nEND Position":           "taken",
		head + "BEGIN Position\nPI\nP+00TO\n+\nEND Position":           "in hand",
		head + "BEGIN Position\nPQ\n+\nEND Position":                   "no line of a position",
		head + "BEGIN Position\nPI\n+\nT3\nEND Position":               "belongs to no move",
		head + "BEGIN Position\nPI\n+\n+7776FU,Tx\nEND Position":       "time units",
		head + "BEGIN Position\nPI\n+\n+7776FU\n+2726FU\nEND Position": "move 2",
		head + "BEGIN Position\nPI\n+\n+7776FU\nP+55FU\nEND Position":  "after the first move",
		head + "BEGIN Position\nP+11FU12FU\n+\nEND Position":           "position",
		head + "BEGIN Position\nPI\nP+00FU\n+\nEND Position":           "position",
	} {
		s, err := ParseSummary(strings.Split(text, "\n"))
		testutil.Check(t, err != nil && strings.Contains(err.Error(), want), "%q: %+v, %v; want an error with %q", text, s,
			err, want)
	}
}

// TestSummaryIgnores requires that unknown lines of a newer server are ignored.
func TestSummaryIgnores(t *testing.T) {
	s := summary(t,
		"Your_Turn:+\nColour_Of_Board:brown\nDeclaration:Tsume\nBEGIN Music\nToccata\nEND Music\nBEGIN Time\nSand:yes\nEND Time\n"+even)
	for _, want := range []string{"Colour_Of_Board:brown", "Declaration:Tsume", "Toccata", "Sand:yes"} {
		testutil.Check(t, slices.Contains(s.Ignored, want), "%q is not among %q", want, s.Ignored)
	}
	for word, rule := range map[string]shogi.DeclarationRule{"24": shogi.CSARule24, "27": shogi.CSARule27,
		"NO": shogi.NoEnteringKing} {
		if s := summary(t, "Your_Turn:+\nJishogi_Declaration:"+word+"\n"+even); s.Declaration != rule {
			t.Errorf("%s: %s", word, s.Declaration)
		}
	}
}

func FuzzParseSummary(f *testing.F) {
	f.Add(head + even)
	f.Add("Your_Turn:+\nBEGIN Position\nPI82HI22KA\n-\n-5142OU,T1\nEND Position\n")
	f.Add("Your_Turn:-\nBEGIN Time-\nTime_Unit:1msec\nTotal_Time:1e300\nEND Time-\nBEGIN Position\nP+59OU\nP-51OU\nP-00AL\n+\nEND Position\n")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := ParseSummary(strings.Split(text, "\n"))
		if err != nil {
			return
		}
		p := s.Start
		for _, m := range s.Moves {
			testutil.OK(t, p.CheckLegal(m.Move))
			p.Apply(m.Move)
		}
		for _, c := range s.Times {
			testutil.Require(t, c.Unit > 0 && min(c.Total, c.Byoyomi, c.Increment, c.Delay, c.Least) >= 0, "%+v", c)
		}
		newGame(NewClient(Config{}), nil, s, nil)
	})
}

func FuzzParseLine(f *testing.F) {
	for _, line := range []string{"", "+7776FU,T12", "%TORYO,T3", "#WIN", "##[CHAT] hello", "LOGIN:a OK", "START:",
		"-3334FU,T1.5,'x,T9", "%", "#"} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		m := parseLine(line)
		testutil.Require(t, !m.Timed || m.Units >= 0, "%+v", m)
	})
}
