package alarms

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/stats/binomial"
)

func testPlan(slots int) *match.Plan {
	limits := match.Limits{Clock: match.TimeControl{Byoyomi: time.Second}, Margin: 100 * time.Millisecond}
	return &match.Plan{Concurrency: slots,
		Players: []match.Player{{Name: "A", Limits: limits}, {Name: "B", Limits: limits}}}
}

// end returns the event of the end of a game of A and B in a slot.
func end(pair, leg, slot int, nps [2]float64) match.Event {
	sides := [2]match.Effort{}
	for i, name := range []string{"A", "B"} {
		sides[i] = match.Effort{Player: name, Nodes: uint64(nps[i]), TimeMS: 1000}
	}
	return match.Event{
		Type: match.EventEnd, Pair: &pair, Leg: &leg, Slot: &slot, GameHead: match.GameHead{Black: "A", White: "B"},
		Sides: &sides, Position: fmt.Sprint(pair, leg),
	}
}

// A noise is a random change of a speed's logarithm, like the changes of engines from pair to pair.
type noise func(r *rand.Rand) float64

// noises returns two noises: a normal one, and one with heavy tails (Student's t with 3 degrees of freedom). With heavy
// tails, one pair in fifty is off by more than a third.
func noises() map[string]noise {
	return map[string]noise{
		"normal": func(r *rand.Rand) float64 { return 0.25 * r.NormFloat64() },
		"heavy tails": func(r *rand.Rand) float64 {
			chi := 0.0
			for range 3 {
				x := r.NormFloat64()
				chi += x * x
			}
			return 0.15 * r.NormFloat64() / math.Sqrt(chi/3)
		},
	}
}

// session plays pairs at a million nodes a second. The factor changes the speed of B.
func session(r *rand.Rand, slots, pairs int, vary noise, factor func(pair, slot int) float64) []Warning {
	w := NewWatch(testPlan(slots))
	var list []Warning
	for pair := range pairs {
		slot := r.IntN(slots)
		nps := [2]float64{1e6 * math.Exp(vary(r)), 1e6 * math.Exp(vary(r)) * factor(pair, slot)}
		for leg := range 2 {
			list = append(list, w.Event(end(pair, leg, slot, nps))...)
		}
	}
	return list
}

// TestFalseAlarmsOfSpeed simulates sessions without a fault. Each of the two players has a detector, which may give a
// false warning in a session with the probability Level. The test fails if the number of sessions with a
// warning has a probability below one in a thousand.
func TestFalseAlarmsOfSpeed(t *testing.T) {
	t.Parallel()
	sessions, pairs := testutil.ByLength(30, 100), 1000
	for name, vary := range noises() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(1, 2))
			for _, slots := range []int{2, 8} {
				alarmed := 0
				for range sessions {
					if len(session(r, slots, pairs, vary, func(int, int) float64 { return 1 })) > 0 {
						alarmed++
					}
				}
				p := binomial.NewBinomial(sessions, 2*Level).AtLeast(alarmed)
				testutil.Check(t, p >= 0.001, "%d slots: %d of %d sessions with a false alarm", slots, alarmed, sessions)
				t.Logf("%d slots: %d of %d sessions with a false alarm", slots, alarmed, sessions)
			}
		})
	}
}

// TestSpeedOfASlot: one slot of eight runs at three quarters of the speed. It is reported once, and no other slot is.
func TestSpeedOfASlot(t *testing.T) {
	t.Parallel()
	found, sessions := 0, testutil.ByLength(15, 40)
	for name, vary := range noises() {
		r := rand.New(rand.NewPCG(3, 4))
		for range sessions {
			list := session(r, 8, 2000, vary, func(_, slot int) float64 {
				return map[bool]float64{true: 0.75, false: 1}[slot == 5]
			})
			if len(list) == 1 && list[0].Kind == SpeedSlot && *list[0].Slot == 5 && list[0].Engine == "B" &&
				strings.Contains(list[0].Note, "in slot 5") {
				found++
			} else if len(list) != 0 {
				t.Logf("%s: %v", name, list)
			}
		}
	}
	testutil.Check(t, found >= 2*sessions*9/10, "found in %d of %d sessions", found, 2*sessions)
}

// TestSmallDifferences: a difference of less than a tenth gives no warning, even if it is certain.
func TestSmallDifferences(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 8))
	still := func(*rand.Rand) float64 { return 0 }
	if list := session(r, 2, 1000, still, func(_, slot int) float64 { return 1 - 0.08*float64(slot) }); len(list) > 0 {
		t.Error(list)
	}
}

// TestSpeedUnknown: games without nodes or time, games of workers, and games with ponder hits give no warning.
func TestSpeedUnknown(t *testing.T) {
	t.Parallel()
	w := NewWatch(testPlan(1))
	for pair := range 500 {
		ev := end(pair, 0, 0, [2]float64{0, 1e6 / float64(1+pair)})
		ev.Sides[1].PonderHits = 1
		if list := w.Event(ev); list != nil {
			t.Fatal(list)
		}
		ev.Sides[1].PonderHits, ev.Sides[1].TimeMS = 0, 1
		ev.Position += "b"
		if list := w.Event(ev); list != nil {
			t.Fatal(list)
		}
		ev = end(pair, 0, 0, [2]float64{1e6 / float64(1+pair), 1e6})
		ev.Worker = "elsewhere"
		if list := w.Event(ev); list != nil {
			t.Fatal(list)
		}
	}
}

// TestMemory: memory that grows beyond the hash tables gives one warning. Tables that fill up, a single leap, a
// small leak and restarted processes give none.
func TestMemory(t *testing.T) {
	t.Parallel()
	const mb = 1 << 20
	for name, c := range map[string]struct {
		held func(game int) int64
		pid  func(game int) int
		want int
	}{
		"a leak of 2 MB a game": {held: func(n int) int64 { return int64(300+2*n) * mb }, want: 1},
		"tables that fill up":   {held: func(n int) int64 { return 300*mb + int64(256*mb*(1-math.Exp(-float64(n)/100))) }},
		"a leap":                {held: func(n int) int64 { return int64(300+500*min(1, n/100)) * mb }},
		"60 MB in all":          {held: func(n int) int64 { return 300*mb + 60*mb*int64(n)/500 }},
		"tables and 60 MB":      {held: func(n int) int64 { return 300*mb + 316*mb*int64(n)/500 }},
		"processes started anew": {
			held: func(n int) int64 { return int64(300+15*(n%20)) * mb }, pid: func(n int) int { return n / 20 },
		},
	} {
		w, told := NewWatch(testPlan(1)), 0
		for n := 1; n <= 500; n++ {
			s := Sample{Player: "A", Slot: 3, PID: 7, Games: n, Bytes: c.held(n), Tables: 256 * mb}
			if c.pid != nil {
				s.PID, s.Games = c.pid(n), n%20
			}
			for _, warning := range w.Sample(s) {
				told++
				if warning.Kind != Memory || warning.Engine != "A" || *warning.Slot != 3 ||
					!strings.Contains(warning.Note, "process 7 has grown by ") {
					t.Errorf("%s: %+v", name, warning)
				}
			}
		}
		testutil.Check(t, told == c.want, "%s: told %d times, want %d", name, told, c.want)
	}
}

// TestLower compares with R: wilcox.test(x, y, alternative="less", exact=FALSE)$p.value. By hand: the ranks of x are 1,
// 2.5, 4, 6, and those of y are 2.5, 5, 7, 8, 9. W = 13.5 − 10 = 3.5, mean 10, variance 20/12·(10 − 6/72) = 16.528, z =
// (3.5 − 10 + 0.5)/4.0654 = −1.4759.
func TestLower(t *testing.T) {
	t.Parallel()
	x, y := []float64{1, 2, 3, 5}, []float64{2, 4, 6, 7, 8}
	if p := lower(x, y); math.Abs(p-0.0700) > 5e-5 {
		t.Errorf("%.5f", p)
	}
	if p := lower(y, x); math.Abs(p-0.9574) > 5e-4 { // z = (16.5 − 10 + 0.5)/4.0654 = 1.7218
		t.Errorf("%.5f", p)
	}
	testutil.Equal(t, lower([]float64{1, 1}, []float64{1}), 1)
}

// ended returns the end of a game of A, which is Black, and B.
func ended(pair int, outcome match.Outcome, by match.Termination) match.Event {
	leg, slot := 0, 0
	return match.Event{
		Type: match.EventEnd, Pair: &pair, Leg: &leg, Slot: &slot, GameHead: match.GameHead{Black: "A", White: "B"},
		Outcome: outcome.String(), Termination: by.String(), Position: fmt.Sprint(pair),
	}
}

// TestFailing: an engine that loses its first four games by one fault, or later eight in a row, gives one warning. The
// warning has the command that examines the engine. Other engines, and engines without blame, give none.
func TestFailing(t *testing.T) {
	t.Parallel()
	crash := func(int) (match.Outcome, match.Termination) { return match.WhiteWins, match.Crash }
	for name, c := range map[string]struct {
		pairs  int // of the plan
		played func(game int) (match.Outcome, match.Termination)
		at     int // the game of the warning, from 1; 0: none
		want   string
	}{
		"crashes": {500, crash, 4,
			"lost 4 of its 4 games of this session by one fault of its own (crash; it plays under nodes 5): "},
		"a match of a pair": {1, crash, 2, "lost 2 of its 2 games"},
		"the opponent's": {500, func(int) (match.Outcome, match.Termination) { return match.BlackWins, match.Crash }, 0,
			""},
		"outplayed": {500, func(int) (match.Outcome, match.Termination) { return match.WhiteWins, match.Resignation }, 0, ""},
		"draws":     {500, func(int) (match.Outcome, match.Termination) { return match.Draw, match.NotStarted }, 0, ""},
		"two kinds in turns": {500, func(n int) (match.Outcome, match.Termination) {
			return match.WhiteWins, []match.Termination{match.Crash, match.TimeForfeit}[n%2]
		}, 0, ""},
		"seven of eight": {500, func(n int) (match.Outcome, match.Termination) {
			return match.WhiteWins, map[bool]match.Termination{true: match.Checkmate, false: match.Crash}[n%8 == 1]
		}, 0, ""},
		"from the eleventh on": {500, func(n int) (match.Outcome, match.Termination) {
			return match.WhiteWins, map[bool]match.Termination{true: match.Checkmate, false: match.TimeForfeit}[n <= 10]
		}, 18,
			"lost 8 of its 18 games of this session by one fault of its own (time forfeit; it plays under nodes 5), the latest 8 in a row: "},
	} {
		plan := testPlan(1)
		plan.Pairs, plan.Design.Swap = c.pairs, true
		for i := range plan.Players {
			plan.Players[i].Limits = match.Limits{Nodes: 5}
			plan.Players[i].Command = []string{"/opt/a b/engine", "-v"}
		}
		w, at := NewWatch(plan), 0
		for n := 1; n <= 60; n++ {
			outcome, by := c.played(n)
			for _, warning := range w.Event(ended(n, outcome, by)) {
				if warning.Engine == "B" && name == "the opponent's" {
					continue // B crashed
				}
				const line = "gogi check -- '/opt/a b/engine' -v"
				if at != 0 || warning.Kind != Failing || warning.Engine != "A" || !strings.HasPrefix(warning.Note, c.want) ||
					!strings.HasSuffix(warning.Note, ": "+line) {
					t.Errorf("%s: game %d: %+v", name, n, warning)
				}
				at = n
			}
		}
		testutil.Equal(t, at, c.at, "%s: told after game", name)
	}
}

// TestSlowedLosses: games that a player loses on time while the machine slows them are not
// its fault. A crash in a slowed game is.
func TestSlowedLosses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		by   match.Termination
		want string // kind
	}{
		"late":    {match.TimeForfeit, Slowed},
		"stalled": {match.Stall, Slowed},
		"crashed": {match.Crash, Failing},
		"illegal": {match.IllegalMove, Failing},
	} {
		plan := testPlan(1)
		plan.Pairs = 500
		w := NewWatch(plan)
		var got []Warning
		for n := 1; n <= 30; n++ {
			ev := ended(n, match.WhiteWins, c.by)
			ev.Marked = true
			got = append(got, w.Event(ev)...)
		}
		if len(got) != 1 || got[0].Kind != c.want || got[0].Engine != "A" ||
			strings.Contains(got[0].Note, "--slowed void") != (c.want == Slowed) ||
			strings.Contains(got[0].Note, "gogi check") != (c.want == Failing) {
			t.Errorf("%s: %+v", name, got)
		}
	}
	// One kind of warning does not hide the other.
	w := NewWatch(testPlan(1))
	kinds := map[string]int{}
	for n := 1; n <= 40; n++ {
		ev := ended(n, match.WhiteWins, match.TimeForfeit)
		ev.Marked = n <= 20
		for _, warning := range w.Event(ev) {
			kinds[warning.Kind]++
		}
	}
	testutil.Check(t, kinds[Slowed] == 1 && kinds[Failing] == 1 && len(kinds) == 2, "%v", kinds)
}

// TestCheckLine: a shell reads the line as the words of the engine's command.
func TestCheckLine(t *testing.T) {
	t.Parallel()
	engine := func(command ...string) match.Player { return match.Player{Name: "x", Command: command, Dir: "/opt/e"} }
	with := engine("/opt/e/x")
	with.Options = []match.Option{{Name: "Book File", Value: "no book"}, {Name: "Threads", Value: "2"}}
	many := engine("/opt/e/x")
	for range 40 {
		many.Options = append(many.Options, match.Option{Name: "AnOption", Value: "1"})
	}
	elsewhere := engine("/opt/e/x")
	elsewhere.Dir = "/data/nets"
	for want, players := range map[string]match.Player{
		"gogi check /opt/e/x":               engine("/opt/e/x"),
		"gogi check ''\\''/opt/e/a b'\\'''": engine("/opt/e/a b"),
		"gogi check -- /opt/e/x -s":         engine("/opt/e/x", "-s"),
		"gogi check --option 'Book File=no book' --option Threads=2 /opt/e/x": with,
		"gogi check /opt/e/x (with its options)":                              many,
		"gogi check --dir /data/nets /opt/e/x":                                elsewhere,
		"gogi check builtin": {Command: []string{"/gogi", "usi"},
			Builtin: true},
		"gogi check /opt/e/x; gogi check builtin; and so 1 more": {Council: &match.Council{
			Members: []match.Player{engine("/opt/e/x"), {Builtin: true}, engine("/opt/e/y")}}},
		"gogi check /opt/e/x; gogi check /opt/e/y": {Council: &match.Council{
			Members: []match.Player{engine("/opt/e/x"), engine("/opt/e/x"), engine("/opt/e/y")}}},
	} {
		got := examined(&match.Plan{Players: []match.Player{{}, players}}, 1)
		testutil.Check(t, strings.HasSuffix(got, ": "+want), "%s\nwant %s", got, want)
	}
}
