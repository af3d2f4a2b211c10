package tune

import (
	"errors"
	"math"
	"strings"
	"testing"

	"gogi/internal/testutil"
	"gogi/match"
)

func settingsOfTwo(pairs, block, inflight int) Settings {
	s := Defaults(SPSA, pairs)
	s.Block, s.Inflight = block, inflight
	s.Params = []Param{{Name: "X", Kind: Int, Start: 40, Max: 100, Scale: 30},
		{Name: "Y", Kind: Int, Start: 40, Max: 100, Scale: 30}}
	return s
}

func TestPlanText(t *testing.T) {
	p := &Plan{Settings: settingsOfTwo(100, 4, 8),
		Validate: &Validation{Elo1: 3, Alpha: 0.05, Beta: 0.1, Pairs: 10, Openings: FreshOpenings}}
	text := testutil.Must(p.Text())(t)
	again := testutil.Must(ParsePlan(text))(t)
	twice, err := again.Text()
	testutil.Check(t, err == nil && twice == text, "%s\n%s\n%v", text, twice, err)
	for want, spoiled := range map[string]string{
		"version 2":                            strings.Replace(text, `"version":1`, `"version":2`, 1),
		"unknown field":                        strings.Replace(text, `"version":1`, `"version":1,"momentum":1`, 1),
		"100000001 pairs: want 1 to 100000000": strings.Replace(text, `"pairs":100,`, `"pairs":100000001,`, 1),
		"openings":                             strings.Replace(text, `"fresh"`, `"stale"`, 1),
		"elo1":                                 strings.Replace(text, `"elo1":3`, `"elo1":-3`, 1),
		"no parameter": strings.Replace(strings.Replace(text, `"name":"X"`,
			`"unused":true,"name":"X"`, 1), `"name":"Y"`, `"unused":true,"name":"Y"`, 1),
	} {
		testutil.Fails(t, testutil.Err(ParsePlan(spoiled)), want)
	}
	// The levels of all validations sum to at most α.
	sum := 0.0
	for j := 1; j < 60; j++ {
		sum += p.Validate.Level(j)
	}
	testutil.Check(t, sum <= 0.05 && sum >= 0.0499 && p.Validate.Gate(3).Alpha == 0.05/8, "all validations have α %v", sum)
}

// TestFirstAfter: FirstAfter returns the first pair whose points can change if the result of a pair changes.
func TestFirstAfter(t *testing.T) {
	for _, inflight := range []int{4, 8, 12, 20} {
		s := settingsOfTwo(100, 4, inflight)
		play := func(changed int) (points [][2][]match.Option) {
			p := testutil.Must(NewPath(s))(t)
			for id := range s.Pairs {
				d, ok := p.Draw(id)
				testutil.Require(t, ok, "%v", id)
				points = append(points, s.Points(&d))
				score := float64(id%3) - 1
				if id == changed {
					score = 2
				}
				if _, _, err := p.Add(id, score, false); err != nil {
					t.Fatal(err)
				}
			}
			return points
		}
		usual := play(-1)
		for _, pair := range []int{0, 5, 7, 33} {
			first := s.FirstAfter(pair)
			for id, points := range play(pair) {
				same := true
				for side := range points {
					for i := range points[side] {
						same = same && points[side][i] == usual[id][side][i]
					}
				}
				testutil.Check(t, same || id >= first, "%d in flight: pair %d changes pair %d, before %d", inflight, pair, id,
					first)
			}
			testutil.Check(t, s.DrawnFrom(s.BlockOf(first)) > s.BlockOf(pair) &&
				(first <= 0 || s.DrawnFrom(s.BlockOf(first-1)) <= s.BlockOf(pair)),
				"%d in flight: pair %d: %d is not the first", inflight, pair, first)
		}
	}
	if s := settingsOfTwo(100, 4, 8); s.FirstAfter(99) != 100 {
		t.Error("something is drawn after the last pair")
	}
}

// TestExpect: a path continues from a stored state if the difference is within rounding errors. Otherwise Add returns
// an error.
func TestExpect(t *testing.T) {
	s := settingsOfTwo(100, 4, 4)
	add := func(p *Path) error {
		for id := range 4 {
			if _, _, err := p.Add(id, 1, false); err != nil {
				return err
			}
		}
		return nil
	}
	first, _ := NewPath(s)
	testutil.OK(t, add(first))
	st := first.State()
	for _, test := range []struct {
		by   float64
		want bool
	}{{0, true}, {1e-12, true}, {1e-6, false}, {-1, false}} {
		stored := st.Stored()
		stored.Centre[1] += test.by
		p, _ := NewPath(s)
		p.Expect([]match.TuneState{stored})
		err := add(p)
		if now := p.State(); (err == nil) != test.want || err == nil && now.Theta[1] != stored.Centre[1] {
			t.Errorf("off by %v: %v, %v", test.by, err, now.Theta)
		}
	}
}

func failing(s *Settings, side float64, share int) (duels []Duel, failed []Failures) {
	for j := range s.Block {
		d := Duel{Kind: KindDuel, Flips: []float64{flipOf(j), flipOf(j / 2)}}
		f := Failures{}
		if j < share {
			f[0], f[1] = d.Flips[0] == side, d.Flips[0] == -side
		}
		duels, failed = append(duels, d), append(failed, f)
	}
	return duels, failed
}

func flipOf(n int) float64 { return float64(n%2*2 - 1) }

// TestFaults: too many failures in ten blocks give an error that names the failing side. Fewer failures, or fewer
// blocks, give no error.
func TestFaults(t *testing.T) {
	s := settingsOfTwo(1000, 16, 16)
	for _, side := range []float64{1, -1} {
		f := NewFaults(&s)
		for block := range 10 {
			err := f.Block(failing(&s, side, 2))
			if block < 9 {
				testutil.Check(t, err == nil, "after %d blocks: %v", block+1, err)
				continue
			}
			faulty, ok := errors.AsType[*Faulty](err)
			testutil.Check(t, ok && faulty.Bad == 20 && faulty.Pairs == 160 && faulty.Param == "X" &&
				faulty.Above == (side > 0) && faulty.P <= 1e-4,
				"%+v", err)
		}
	}
	f := NewFaults(&s)
	for block := range 30 {
		if err := f.Block(failing(&s, 1, (block+1)%2)); err != nil { // one pair of 32
			t.Errorf("block %d: %v", block, err)
		}
	}
}

// TestFisher: p is that of the hypergeometric distribution. With two points on each side, a chance of 1/6 gives
// both failures to one side.
func TestFisher(t *testing.T) {
	s := settingsOfTwo(1000, 2, 2)
	f := NewFaults(&s)
	f.blocks = [][]pointPlayed{{
		{failed: true, above: []float64{1, 0}}, {above: []float64{-1, 0}}, {failed: true, above: []float64{1, 0}},
		{above: []float64{-1, 0}},
	}}
	for side, want := range map[float64]float64{1: 1.0 / 6, -1: 1} {
		got := f.fisher(0, side)
		testutil.Check(t, got >= want-1e-12 && got <= want+1e-12, "side %v: %v, want %v", side, got, want)
	}
}

// TestCheckPoints: CheckPoints accepts every drawn point, also next to a bound. It rejects options that are not
// the parameters of the tune within their bounds.
func TestCheckPoints(t *testing.T) {
	s := Defaults(SPSA, 1000)
	s.Params = []Param{
		{Name: "N", Kind: Int, Start: 9, Min: 0, Max: 10, Scale: 5},
		{Name: "F", Kind: Float, Start: 1.0 / 3, Min: -1.0 / 3, Max: 1.0 / 3, Scale: 1},
		{Name: "W", Kind: Choice, Levels: []string{"a", "b"}, Max: 1},
	}
	testutil.OK(t, s.Check())
	st := Begin(&s)
	for n := range 50 {
		d := Draw(&s, &st, n)
		testutil.OK(t, s.CheckPoints(s.Points(&d)))
	}
	good := s.Options(s.Start())
	for name, bad := range map[string][]match.Option{
		"none":   nil,
		"fewer":  good[:2],
		"other":  {good[0], {Name: "EvalDir", Value: "0"}, good[2]},
		"beyond": {{Name: "N", Value: "11"}, good[1], good[2]},
		"word":   {good[0], good[1], {Name: "W", Value: "c"}},
		"text":   {{Name: "N", Value: "9\nquit"}, good[1], good[2]},
		"swap":   {good[1], good[0], good[2]},
	} {
		testutil.Check(t, s.CheckPoints([2][]match.Option{good, bad}) != nil &&
			s.CheckPoints([2][]match.Option{bad, good}) != nil,
			"%s: it passes", name)
	}
}

// TestStartWide: a tune begins with four times the perturbation of its scales, or an eighth of its ranges. A
// stored tune without Wide keeps its smaller start and bound.
func TestStartWide(t *testing.T) {
	param := func(scale float64) Param { return Param{Name: "X", Kind: Float, Min: -8, Max: 8, Scale: scale} }
	for _, c := range []struct {
		scale, wide, first, most float64 // the first perturbation, and that at the greatest factor
	}{{1, 4, 1.6, 2}, {0.1, 4, 0.16, 0.48}, {2.5, 2, 2, 2}, {20, 1, 2, 2}} {
		s := Defaults(SPSA, 1000)
		s.Gamma = 0 // a perturbation is that at the schedule's end
		s.Params = []Param{param(c.scale)}
		s.StartWide()
		testutil.OK(t, s.Check())
		first, most := s.Perturbation(0, 0, Begin(&s).Factor), s.Perturbation(0, 0, s.mostFactor())
		testutil.Check(t, math.Abs(s.Wide-c.wide)+math.Abs(first-c.first)+math.Abs(most-c.most) <= 1e-9,
			"scale %v: wide %v, %v at first, %v at most: expected %+v", c.scale, s.Wide, first, most, c)
		st := Begin(&s)
		if d := Draw(&s, &st, 0); math.Abs(d.C[0]-c.first) > 1e-9 {
			t.Errorf("scale %v: the first pair is perturbed by %v, expected %v", c.scale, d.C[0], c.first)
		}
	}
	stored := Defaults(SPSA, 1000)
	stored.Params, stored.Gamma = []Param{param(20)}, 0
	if f := Begin(&stored).Factor; f != 1 || stored.mostFactor() != 3 || stored.Perturbation(0, 0, f) != 8 {
		t.Errorf("without wide: factor %v to %v, perturbed by %v", f, stored.mostFactor(), stored.Perturbation(0, 0, f))
	}
	fishtest := Defaults(Fishtest, 1000)
	fishtest.Params = []Param{param(1)}
	if fishtest.StartWide(); fishtest.Wide != 0 {
		t.Errorf("fishtest starts %v times as wide", fishtest.Wide)
	}
	stored.Wide = 5
	testutil.Check(t, stored.Check() != nil, "wide = 5 passes")
}
