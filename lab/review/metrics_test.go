package review

import (
	"math"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"gogi/internal/testutil"
)

// logits returns rules whose scale converts a value of [of] back to its win rate.
func logits() Rules {
	return Rules{Scale: Scale{Name: "logit", Unit: Centipawns, Width: 1}, From: 1, Lo: 0, Hi: 100, Parted: 64, Point: 1}
}

// of returns a reading with a win rate of 50+points, from the view of the side to move.
func of(best string, points float64) *Reading {
	return &Reading{Best: best, Value: math.Log((50 + points) / (50 - points))}
}

// six returns a game of six moves, a to f, with an engine's readings. The table has the win rates above 50 before and
// after each move, from the mover's view. They are calculated by hand. Black's −2 after move a is White's +2 before
// move b.
//
//	move  side  engine's  before  after  change
//	a     B     a           0     −2     equal
//	b     W     x          +2     +5     +3    good, 1 point
//	c     B     x          −5     −4.5   +0.5  good
//	d     W     x          +4.5   +1     −3.5  bad, 1 point
//	e     B     x          −1     −1.5   −0.5  bad
//	f     W     x          +1.5   +1.5    0    neither
func six() *Reviewed {
	return &Reviewed{
		Game: &Game{ID: "1", Names: [2]string{"p", "q"}, Sides: "BWBWBW", Moves: []string{"a", "b", "c", "d", "e", "f"},
			Winner: Black},
		Readings: []*Reading{
			of("a", 0), of("x", 2), of("x", -5), of("x", 4.5), of("x", -1), of("x", 1.5), of("x", -1.5),
		},
	}
}

func near(a, b float64) bool { return math.Abs(a-b) < 1e-6 }

func TestMeasure(t *testing.T) {
	t.Parallel()
	sides := six().Measure(logits())
	black, white := sides[0].Whole(), sides[1].Whole()
	if black.Moves != 3 || black.Match != 1 || black.Good != 1 || black.Good1 != 0 || black.Bad != 1 || black.Bad1 != 0 ||
		!near(black.Rises, 0.5) || !near(black.Falls, -0.5) {
		t.Errorf("Black %+v", black)
	}
	if white.Moves != 3 || white.Match != 0 || white.Good != 1 || white.Good1 != 1 || white.Bad != 1 || white.Bad1 != 1 ||
		!near(white.Rises, 3) || !near(white.Falls, -3.5) {
		t.Errorf("White %+v", white)
	}
	testutil.Check(t, near(black.Drift, -2) && white.Drift == 0, "drifts %v, %v", black.Drift, white.Drift)
	m, ok := white.Metrics()
	third := 100.0 / 3
	want := Metrics{Match: 0, Good: third, Bad: third, AvgGood: 1, AvgBad: -3.5 / 3, AvgLoss: 6.5 / 3, Good1: third,
		Bad1: third}
	for i, v := range m.Values() {
		if !ok || !near(v, want.Values()[i]) {
			t.Errorf("%s is %v, expected %v", MetricNames()[i], v, want.Values()[i])
		}
	}
	if _, ok := (Sums{}).Metrics(); ok {
		t.Error("no move has figures")
	}
}

// TestTurns measures the same game by turns. Black's turns read 0, −5 and −1, and the position after White's last move
// reads −1.5. White's turns read +2, +4.5 and +1.5, and no turn follows White's last move.
//
//	move  side  engine's  turn  next  change
//	a     B     a           0     −5    equal
//	b     W     x          +2   +4.5    +2.5  good, 1 point
//	c     B     x          −5     −1    +4    good, 1 point
//	d     W     x        +4.5   +1.5    −3    bad, 1 point
//	e     B     x          −1   −1.5    −0.5  bad
//	f     W     x        +1.5      –    not known: neither
func TestTurns(t *testing.T) {
	t.Parallel()
	rules := logits()
	rules.Change = TurnChange
	sides := six().Measure(rules)
	black, white := sides[0].Whole(), sides[1].Whole()
	if black.Moves != 3 || black.Match != 1 || black.Good != 1 || black.Good1 != 1 || black.Bad != 1 || black.Bad1 != 0 ||
		!near(black.Rises, 4) || !near(black.Falls, -0.5) {
		t.Errorf("Black %+v", black)
	}
	if white.Moves != 3 || white.Match != 0 || white.Good != 1 || white.Good1 != 1 || white.Bad != 1 || white.Bad1 != 1 ||
		!near(white.Rises, 2.5) || !near(white.Falls, -3) {
		t.Errorf("White %+v", white)
	}
	if !near(black.Drift, -2) || black.DriftMoves != 1 { // the drift uses single moves for each kind of change
		t.Errorf("drift %v of %d", black.Drift, black.DriftMoves)
	}
	// Without the last move, Black's last turn has no next turn, and White's last turn has one.
	game := six()
	game.Game.Moves, game.Game.Sides, game.Readings = game.Game.Moves[:5], game.Game.Sides[:5], game.Readings[:6]
	sides = game.Measure(rules)
	if black, white = sides[0].Whole(), sides[1].Whole(); black.Bad != 0 || black.Moves != 3 || white.Bad != 1 ||
		white.Moves != 2 {
		t.Errorf("%+v, %+v", black, white)
	}
}

// TestTurnsCancelBias: a bias towards the side to move does not change the results by turns. By moves, the bias hides
// every good move.
func TestTurnsCancelBias(t *testing.T) {
	t.Parallel()
	const bias = 7
	biased, rules := six(), logits()
	rules.Change = TurnChange
	for _, r := range biased.Readings {
		points := Scale{Unit: Centipawns, Width: 1}.Rate(*r) - 50
		*r = *of(r.Best, points+bias)
	}
	for side, want := range six().Measure(rules) {
		if got := biased.Measure(rules)[side].Whole(); got.Good != want.Whole().Good || got.Bad != want.Whole().Bad ||
			!near(got.Rises, want.Whole().Rises) || !near(got.Falls, want.Whole().Falls) {
			t.Errorf("%+v, expected %+v", got, want.Whole())
		}
	}
	if got := biased.Measure(logits()); got[0].Whole().Good+got[1].Whole().Good > 0 {
		t.Errorf("by moves the bias outweighs every rise: %+v", got)
	}
}

// TestStopsByTurns: with the change by turns, a player's review stops at the player's own turns, and the opponent's
// review continues. With PerOwn the divisor is the number of all own moves, also of those after the stop.
func TestStopsByTurns(t *testing.T) {
	t.Parallel()
	rules := logits()
	rules.Lo, rules.Hi, rules.Stops = 45.4, 60, true // Black's second turn has a win rate of 45
	for _, c := range []struct {
		change                    Change
		per                       Per
		black, white, own, theirs int // counted moves, divisors
	}{
		{TurnChange, PerCounted, 1, 3, 1, 3},
		{TurnChange, PerOwn, 1, 3, 3, 3},
		{MoveChange, PerCounted, 1, 1, 1, 1},
		{MoveChange, PerOwn, 1, 1, 3, 3},
	} {
		rules.Change, rules.Per = c.change, c.per
		sides := six().Measure(rules)
		black, white := sides[0].Whole(), sides[1].Whole()
		testutil.Check(t, black.Moves == c.black && white.Moves == c.white && black.Divisor == c.own &&
			white.Divisor == c.theirs,
			"%+v: %+v, %+v", c, black, white)
		m, ok := black.Metrics()
		testutil.Check(t, ok && near(m.Match, 100/float64(c.own)), "%+v: %+v", c, m)
	}
	// Theory moves and given moves are not own moves.
	rules.From, rules.Per = 2, PerOwn
	if s := six().Measure(rules)[0].Whole(); s.Divisor != 2 {
		t.Errorf("%+v", s)
	}
	game := six()
	game.Game.Given = 3
	if s := game.Measure(rules)[0].Whole(); s.Divisor != 1 {
		t.Errorf("%+v", s)
	}
	// In the first 64 moves of a long game a player has 32 own moves, whether they count or not.
	long := &Reviewed{Game: &Game{ID: "1", Sides: strings.Repeat("BW", 50),
		Moves: strings.Split(strings.Repeat("a", 100), "")}, Readings: []*Reading{of("a", 0), of("x", 0), of("a", 49)}}
	for len(long.Readings) <= 100 {
		long.Readings = append(long.Readings, of("x", 0))
	}
	rules = logits()
	rules.Lo, rules.Hi, rules.Stops, rules.Change, rules.Per = 20, 80, true, TurnChange, PerOwn // the thesis' rules
	p := long.Measure(rules)[0]
	testutil.Check(t, p.Opening.Divisor == 32 && p.Rest.Divisor == 18 && p.Opening.Moves == 1, "%+v", p)
}

// TestRulesOfEarlierFiles: rules that name neither change nor divisor use single moves and counted moves.
func TestRulesOfEarlierFiles(t *testing.T) {
	t.Parallel()
	early := logits()
	if err := early.Check(); err != nil || early.Filled().Change != MoveChange || early.Filled().Per != PerCounted {
		t.Errorf("%+v, %v", early.Filled(), err)
	}
	for _, bad := range []Rules{{Change: "ply"}, {Per: "all"}} {
		rules := logits()
		rules.Change, rules.Per = bad.Change, bad.Per
		testutil.Check(t, rules.Check() != nil, "%+v was taken", bad)
	}
}

func TestExclusions(t *testing.T) {
	t.Parallel()
	type counts struct{ moves, opening, theory, decided, unread int }
	for name, c := range map[string]struct {
		change func(*Rules, *Reviewed)
		want   counts
	}{
		"none":         {func(*Rules, *Reviewed) {}, counts{6, 6, 0, 0, 0}},
		"opening part": {func(r *Rules, _ *Reviewed) { r.Parted = 2 }, counts{6, 2, 0, 0, 0}},
		"theory":       {func(r *Rules, _ *Reviewed) { r.From = 3 }, counts{4, 4, 2, 0, 0}},
		"given moves":  {func(_ *Rules, r *Reviewed) { r.Game.Given = 2 }, counts{4, 4, 0, 0, 0}},
		"decided":      {func(r *Rules, _ *Reviewed) { r.Lo, r.Hi = 45.4, 54.4 }, counts{4, 4, 0, 2, 0}}, // before c and d
		"stops":        {func(r *Rules, _ *Reviewed) { r.Lo, r.Hi, r.Stops = 45.4, 54.6, true }, counts{2, 2, 0, 4, 0}},
		"not read":     {func(_ *Rules, r *Reviewed) { r.Readings[3] = nil }, counts{4, 4, 0, 0, 2}},
		"mates are ends": {func(r *Rules, x *Reviewed) { r.Lo, r.Hi = 1, 99; x.Readings[5] = &Reading{Best: "x", Mate: 1} },
			counts{5, 5, 0, 1, 0}},
	} {
		rules, game := logits(), six()
		c.change(&rules, game)
		sides := game.Measure(rules)
		all, opening := sides[0].Whole(), sides[0].Opening
		all.Add(sides[1].Whole())
		opening.Add(sides[1].Opening)
		testutil.Equal(t, (counts{all.Moves, opening.Moves, all.LeftTheory, all.LeftDecided, all.LeftUnreadable}), c.want,
			"%s", name)
	}
}

func TestRate(t *testing.T) {
	t.Parallel()
	for r, want := range map[Reading]float64{{}: 50, {Value: 600}: 100 / (1 + 1/math.E), {Value: -600}: 100 / (1 + math.E),
		{Mate: 1}: 100, {Mate: -1}: 0} {
		got := Customary().Rate(r)
		testutil.Check(t, near(got, want), "%+v is %v, expected %v", r, got, want)
	}
}

// TestMeasureLaws: the parts add up to the whole. A move is only one of matched, good, bad or even. If neither player
// matches, the gain of one player is the loss of the other.
func TestMeasureLaws(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 100).Draw(t, "plies")
		r := &Reviewed{Game: &Game{ID: "1", Sides: strings.Repeat("BW", 50)[:n],
			Given: rapid.IntRange(0, n).Draw(t, "given")}}
		for range n {
			r.Game.Moves = append(r.Game.Moves, rapid.SampledFrom([]string{"a", "b"}).Draw(t, "move"))
		}
		for range n + 1 {
			r.Readings = append(r.Readings, &Reading{Best: "a", Value: float64(rapid.IntRange(-2000, 2000).Draw(t, "value"))})
		}
		rules := DefaultRules(Customary())
		rules.Stops = rapid.Bool().Draw(t, "stops")
		rules.Change = rapid.SampledFrom([]Change{TurnChange, MoveChange}).Draw(t, "change")
		rules.From = rapid.IntRange(1, 60).Draw(t, "from")
		sides := r.Measure(rules)
		moves := 0
		for _, parts := range sides {
			s := parts.Whole()
			moves += s.Moves + s.LeftDecided + s.LeftTheory + s.LeftUnreadable
			testutil.Require(t, s.Good1 <= s.Good && s.Bad1 <= s.Bad && s.Match+s.Good+s.Bad <= s.Moves && s.Rises >= 0 &&
				s.Falls <= 0,
				"%+v", s)
			testutil.Require(t, (s.Rises-s.Falls > 0) == (s.Good+s.Bad > 0), "changes without moves that make them: %+v", s)
		}
		testutil.Require(t, moves == n-r.Game.Given, "%d moves of %d", moves, n-r.Game.Given)
	})
}

// TestCalibrate: a calibration with results that are drawn from a scale finds the scale again. The 400 games have 40
// positions each. Each game has one value, so the games are independent. The standard error of the width is near 2%;
// the test allows four standard errors.
func TestCalibrate(t *testing.T) {
	t.Parallel()
	k := Calibrator{}
	truth := Scale{Width: 350}
	for i := range 400 {
		value := float64(i%81-40) * 40
		rate := truth.Rate(Reading{Value: value}) / 100
		// The results have a low discrepancy: the multiples of the golden ratio are evenly spread in [0, 1).
		_, u := math.Modf(float64(i) * 0.6180339887498949)
		r := &Reviewed{Game: &Game{Winner: White}, Readings: []*Reading{}}
		if u < rate {
			r.Game.Winner = Black
		}
		for ply := range 40 {
			r.Game.Moves, r.Game.Sides = append(r.Game.Moves, "a"), r.Game.Sides+string("BW"[ply%2])
			v := value
			if ply%2 == 1 {
				v = -value
			}
			r.Readings = append(r.Readings, &Reading{Value: v})
		}
		r.Readings[0] = &Reading{Mate: 1}
		r.Readings = append(r.Readings, nil)
		k.Add(r)
	}
	k.Add(&Reviewed{Game: &Game{}})
	c := testutil.Must(k.Fit("test"))(t)
	if math.Abs(c.Scale.Width/350-1) > 0.15 || !(c.Lo < 350 && 350 < c.Hi) || c.Games != 400 || c.Mates != 400 ||
		c.Unsettled != 1 || c.Positions != 400*39 {
		t.Errorf("%+v", c)
	}
	positions := 0
	for _, b := range c.Bins {
		positions += b.Positions
		testutil.Check(t, b.Positions <= 0 || b.Expected >= b.From && b.Expected <= b.From+5, "%+v", b)
	}
	testutil.Equal(t, positions, c.Positions, "positions in bins")
	path := t.TempDir() + "/scale.toml"
	testutil.OK(t, c.Save(path))
	if s, err := FindScale(path); err != nil || s != c.Scale {
		t.Error(s, err)
	}
	testutil.OK(t, os.WriteFile(path, []byte("[scale]\nname = \"a\"\nunit = \"points\"\nwidth = 10.0\n"), 0o600))
	testutil.Fails(t, testutil.Err(FindScale(path)), `unit "points": expected centipawns`)
}

func TestFindScale(t *testing.T) {
	t.Parallel()
	if s, err := FindScale(""); err != nil || s != Customary() {
		t.Error(s, err)
	}
	if s, err := FindScale("12.5"); err != nil || s.Width != 12.5 || s.Unit != Centipawns {
		t.Error(s, err)
	}
	for _, text := range []string{"0", "-3", "nan", "inf", "/nowhere/scale.toml"} {
		testutil.Fails(t, testutil.Err(FindScale(text)), "", "%s", text)
	}
}
