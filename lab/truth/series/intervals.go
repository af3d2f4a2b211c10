package series

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"gogi/lab/truth"
)

// An ends is an interval of gogi stats interval and gogi stats sprt in JSON, as numbers and as Elo.
type ends struct {
	Method string   `json:"method"`
	Unit   string   `json:"unit"`
	Level  float64  `json:"confidence"`
	Exact  bool     `json:"exact"`
	Lo     *float64 `json:"lo"`
	Hi     *float64 `json:"hi"`
}

// intervals adds the claims of gogi stats interval --all for the counts of a report.
func (b *bench) intervals(ctx context.Context, r *report) error {
	if len(r.Players) == 0 {
		return nil
	}
	p := r.Players[0]
	var answer struct {
		Intervals []ends `json:"intervals"`
	}
	if _, err := b.ask(ctx, &answer, []int{0}, "stats", "interval", "--all", "--json", r.Pentanomial.flag(),
		fmt.Sprintf("--wins=%d", p.Wins), fmt.Sprintf("--draws=%d", p.Draws), fmt.Sprintf("--losses=%d", p.Losses)); err !=
		nil {
		return nil // gogi stats has no interval without a decisive game
	}
	for _, i := range answer.Intervals {
		exact, rule := "approximate", About
		if i.Exact {
			exact, rule = "exact", AtLeast
		}
		figure := fmt.Sprintf("stats interval: %s by %s (%s)", i.Method, i.Unit, exact)
		s := span{Lo: i.Lo, Hi: i.Hi}
		switch {
		case s.empty():
		case i.Unit == "pair" && (b.Openings == 0 || b.independent()):
			b.claim(figure, i.Level, rule, s.covers(b.law.Score(0, 1)))
		case i.Unit == "decisive_game" && b.independent() && b.Black == 0:
			b.claim(figure, i.Level, rule, s.covers(b.law.Decisive(0, 1)))
		}
	}
	return nil
}

// playLooks plays a match and looks at the anytime interval after each of its pairs: it must never miss the truth.
func playLooks(ctx context.Context, b *bench) error {
	a, err := b.play(ctx, []int{0}, b.match("m", nil, "--games", fmt.Sprint(2*b.Pairs), "--json")...)
	if err != nil {
		return err
	}
	states, err := afterEachPair(a.out)
	if err != nil {
		return err
	}
	always := true
	for n, p := range states {
		if n > 20 && n%(n/20) != 0 { // each look is a process; later looks are farther apart
			continue
		}
		var answer struct {
			Intervals []ends `json:"intervals"`
		}
		if _, err := b.ask(ctx, &answer, []int{0}, "stats", "interval", "--method", "anytime", "--json", p.flag()); err !=
			nil {
			return err
		}
		for _, i := range answer.Intervals {
			always = always && span{Lo: i.Lo, Hi: i.Hi}.covers(b.law.Score(0, 1))
		}
	}
	b.certain("match --json has an event for each pair", len(states) == b.Pairs)
	b.claim("stats interval: anytime, looked at after each pair", 0.95, AtLeast, always)
	return nil
}

// afterEachPair returns the pairs so far after each pair of the events of gogi match --json.
func afterEachPair(events string) (states []pentanomial, err error) {
	var now pentanomial
	games := map[int][]float64{}
	for line := range strings.Lines(events) {
		var e struct {
			Type   string    `json:"type"`
			Pair   int       `json:"pair"`
			Black  string    `json:"black"`
			Points []float64 `json:"points"` // Black's and White's
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			return nil, err
		}
		if e.Type != "end" || len(e.Points) != 2 {
			continue
		}
		points := e.Points[0]
		if e.Black != "a" {
			points = e.Points[1]
		}
		games[e.Pair] = append(games[e.Pair], points)
		if two := games[e.Pair]; len(two) == 2 {
			now.add(two[0], two[1])
			states = append(states, now)
		}
	}
	return states, nil
}

// add counts a pair with these points in its games.
func (p *pentanomial) add(first, second float64) {
	switch first + second {
	case 0:
		p.LL++
	case 0.5:
		p.LD++
	case 1:
		p.WL++
	case 1.5:
		p.WD++
	default:
		p.WW++
	}
}

// planned is one row of gogi stats plan.
type planned struct {
	Kind  string   `json:"kind"`
	Elo   float64  `json:"elo"`
	Games *float64 `json:"games"`
	Pass  *float64 `json:"pass"`
	Until []struct {
		Share float64  `json:"share"`
		Games *float64 `json:"games"`
	} `json:"games_until"`
}

// forecast asks gogi stats plan for the test of the condition under its true law, and adds the claims that hold for
// every plan. It returns the row of the test, or nil if the plan does not know the law.
func (b *bench) forecast(ctx context.Context) (*planned, error) {
	elo0, elo1, normalized, err := hypotheses(b.SPRT)
	if err != nil || normalized || !b.independent() || b.Black != 0 {
		return nil, err
	}
	boundary := "ratio"
	if _, after, ok := strings.Cut(b.SPRT, "boundary="); ok {
		boundary, _, _ = strings.Cut(after, ",")
	}
	args := []string{
		"stats", "plan", "--json", fmt.Sprintf("--elo=%.6f", b.law.Elo(0, 1)), fmt.Sprintf("--sprt=%g,%g", elo0, elo1),
		"--power=0.95",
		fmt.Sprintf("--draws=%.6f", b.law.DrawRate(0, 1)), "--boundary=" + boundary,
	}
	a, err := b.plans.ask(ctx, b, args)
	if err != nil {
		return nil, err
	}
	b.certain("stats plan: prints a plan", a.code == 0)
	if a.code != 0 {
		return nil, nil // no plan, which is counted
	}
	var answer struct {
		Plans []planned `json:"plans"`
	}
	if err := json.Unmarshal([]byte(a.out), &answer); err != nil {
		return nil, err
	}
	var found *planned
	for i, p := range answer.Plans {
		b.sound(p)
		if p.Kind == "sequential" && closeTo(p.Elo, b.law.Elo(0, 1)) {
			found = &answer.Plans[i]
		}
	}
	return found, nil
}

// plans has the answers of gogi stats plan, which depend only on the arguments. The series of a condition ask the same.
type plans struct {
	mu      sync.Mutex
	answers map[string]answer
}

func (p *plans) ask(ctx context.Context, b *bench, args []string) (answer, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	key := strings.Join(args, " ")
	if a, known := p.answers[key]; known {
		return a, nil
	}
	a, err := b.run(ctx, args...)
	if err == nil {
		p.answers[key] = a
	}
	return a, err
}

// sound adds the claims that hold for every row of a plan.
func (b *bench) sound(p planned) {
	if p.Pass != nil {
		b.certain("stats plan: a probability is from 0 to 1", *p.Pass >= 0 && *p.Pass <= 1)
	}
	if p.Games != nil {
		b.certain("stats plan: a number of games is from 2 to 10^15", *p.Games >= 2 && *p.Games < 1e15)
		for _, u := range p.Until {
			b.certain("stats plan: the mean is at most 100 times the game count of 99%", u.Share < 0.99 || u.Games == nil ||
				*p.Games <= 100**u.Games)
		}
	}
}

func closeTo(a, b float64) bool { return a-b < 1e-3 && b-a < 1e-3 }

// askPlan plays no game and reads the plan.
func askPlan(ctx context.Context, b *bench) error {
	p, err := b.forecast(ctx)
	if err == nil && p != nil && p.Games != nil {
		b.certain("stats plan: games are of the right size", between(*p.Games, b.wald()/3, b.wald()*3+20))
	}
	return err
}

func between(v, lo, hi float64) bool { return lo <= v && v <= hi }

// foreseen adds the claims of a plan about the test that was played.
func (b *bench) foreseen(p *planned, d *decision) {
	if p == nil || p.Pass != nil && !between(*p.Pass, 0, 1) {
		return // sound has counted it
	}
	if p.Pass != nil && d.Verdict != "inconclusive" {
		b.claim("stats plan: probability to pass", *p.Pass, Equal, d.Verdict == "pass")
	}
	for _, u := range p.Until {
		if u.Games != nil && float64(b.Pairs) > *u.Games/2 {
			b.claim(fmt.Sprintf("stats plan: %g%% of tests end within the games", 100*u.Share), u.Share, About,
				float64(2*d.Gate.Pairs) <= *u.Games)
		}
	}
}

// wald returns a rough number of games of a test far from its hypotheses: the bounds divided by the drift of the ratio.
func (b *bench) wald() float64 {
	elo0, elo1, _, _ := hypotheses(b.SPRT)
	s, s0, s1 := b.law.Score(0, 1), truth.ScoreOf(elo0), truth.ScoreOf(elo1)
	middle := (s0 + s1) / 2
	square := s*(1-s) - b.law.DrawRate(0, 1)/4 + (s-middle)*(s-middle) // around the hypotheses, as the ratio estimates it
	drift := (s1 - s0) * (s - middle) / square
	if drift < 0 {
		drift = -drift
	}
	return 2.95 / drift
}
