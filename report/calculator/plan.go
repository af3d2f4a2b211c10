package calculator

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"gogi/internal/fail"
	"gogi/internal/format"
	"gogi/match"
	"gogi/stats"
	"gogi/stats/binomial"
)

// A PlanQuestion asks for the number of games that a test needs to detect a given Elo difference.
type PlanQuestion struct {
	// Elo of the score of all games
	Elo        float64    `required:"" type:"elo" placeholder:"E" help:"True Elo difference."`
	Alpha      float64    `default:"0.05" help:"Probability of a false positive (default ${default})."`
	Power      float64    `default:"0.95" help:"Probability to detect the difference; 1 - beta of an SPRT (default ${default})."`
	OneSided   bool       `help:"Plan a one-sided test (gogi report uses a two-sided one)."`
	Unpaired   bool       `help:"Plan games without colour swap and with different openings, for the exact binomial test."`
	Conditions Conditions `kong:"-"`
	// Alpha and 1 - Power are its default error rates
	SPRT     *match.SPRT `name:"sprt" type:"sprt" placeholder:"0,4" help:"Also plan this SPRT; the value is as for gogi match --sprt."`
	Boundary string      `enum:"ratio,bounded,wald" default:"ratio" help:"Stopping boundary: ratio (as gogi gate), bounded or wald (as fishtest) (default ${default}). Only with --sprt."`
	Most     *int        `name:"max-games" placeholder:"N" help:"Maximum number of games of the SPRT (default: none). Only with --sprt."`
	Games    *int        `placeholder:"N" help:"Also print the Elo difference that this number of games detects."`
	PerHour  *float64    `name:"games-per-hour" xor:"speed" placeholder:"R" help:"Number of games per hour; gogi then prints how many hours the games take."`
}

// A PlanRow is the plan of one test: its error probabilities, its number of games, and the Elo difference
// that it detects.
type PlanRow struct {
	// fixed, sequential or detectable. The kinds bounded and deterministic are cheaper alternatives to sequential.
	Kind        string   `json:"kind"`
	Elo         *float64 `json:"elo"` // true difference. For detectable it is the difference that the games detect.
	Alpha       float64  `json:"alpha"`
	Power       float64  `json:"power"` // the power that the question asks for
	Unit        string   `json:"unit"`  // independent unit of the test: pair or game.
	DrawRate    float64  `json:"draw_rate"`
	Correlation float64  `json:"correlation"` // correlation of the two games of a pair
	Conditions  string   `json:"conditions"`  // origin of draw_rate and correlation
	// number of games. It is needed for fixed, expected for a sequential test, and given for detectable.
	Games *float64 `json:"games"`
	Hours *float64 `json:"hours,omitempty"` // expected playing time, in hours
	Why   string   `json:"why,omitempty"`
	*FixedTest
	*stats.PairLength
	*binomial.Length
	*PlanCourse
}

// A FixedTest is the name of the test after a match with a fixed number of games, and its alternative
// hypothesis.
type FixedTest struct {
	Alternative binomial.Alternative `json:"alternative"` // two_sided, greater, less
	Test        string               `json:"test"`        // pair_sign_flip, binomial_exact
}

// A Plans is the answer to a [PlanQuestion] or a [GateQuestion]: a list of plans.
type Plans struct {
	Version int       `json:"version"`
	Plans   []PlanRow `json:"plans"`
}

// Answer calculates the plans. It returns an error if the question is not possible.
func (q PlanQuestion) Answer() (*Plans, error) {
	if err := q.check(); err != nil {
		return nil, fail.Usage(err)
	}
	out := &Plans{Version, []PlanRow{q.fixed()}}
	if q.SPRT != nil {
		s, err := q.sequence()
		if err != nil {
			return nil, fail.Usage(err)
		}
		out.Plans = append(out.Plans, s.rows(q.Elo, !q.Unpaired)...)
	}
	for i := range out.Plans {
		q.advise(&out.Plans[i])
	}
	if q.Games != nil {
		out.Plans = append(out.Plans, q.detectable(*q.Games))
	}
	return out, nil
}

// advise adds to the reason why a row has no number of games the flag that asks for it, and the one to change.
func (q PlanQuestion) advise(p *PlanRow) {
	if p.Why == "" || p.Elo == nil {
		return
	}
	flag := "--elo " + strconv.FormatFloat(*p.Elo, 'g', -1, 64)
	if *p.Elo != q.Elo {
		flag = "--sprt"
	}
	p.Why = flag + ": " + p.Why
	_, impossible := q.Conditions.PairRates(*p.Elo)
	switch most := binomial.MostDraws(*p.Elo); {
	case p.DrawRate >= most:
		digits := math.Pow10(1 - int(math.Floor(math.Log10(most))))
		p.Why += fmt.Sprintf("; set --draws %g or less", math.Floor(most*digits)/digits)
	case impossible != nil && !q.Unpaired:
		p.Why += "; set --correlation nearer to 0"
	}
}

func (q PlanQuestion) check() error {
	err := errors.Join(CheckShare("alpha", q.Alpha), CheckShare("power", q.Power), checkDrawRate(q.Conditions.DrawRate))
	if c := q.Conditions.Correlation; !(c > -1 && c <= 1) {
		err = errors.Join(err, fmt.Errorf("--correlation %g: expected more than -1, and at most 1", c))
	}
	if q.Games != nil {
		err = errors.Join(err, CheckCount("games", *q.Games))
	}
	if q.Most != nil {
		err = errors.Join(err, q.checkMost(*q.Most))
	}
	if q.PerHour != nil && !(*q.PerHour > 0 && *q.PerHour <= math.MaxFloat32) {
		err = errors.Join(err, fmt.Errorf("--games-per-hour %g: expected a number above 0", *q.PerHour))
	}
	return err
}

func (q PlanQuestion) checkMost(games int) error {
	switch {
	case games < 2:
		return fmt.Errorf("--max-games %d: expected at least one pair", games)
	case q.Unpaired:
		return errors.New("--max-games: only the course of pairs is followed to a maximum, not that of --unpaired games")
	}
	return CheckCount("max-games", games)
}

func (q PlanQuestion) sequence() (sequence, error) {
	beta := math.Round(1e12*(1-q.Power)) / 1e12 // 1 - 0.95 as people write it
	defaults := stats.SPRT{Alpha: q.Alpha, Beta: beta, Model: stats.ModelLogistic, Boundary: stats.BoundaryOf(q.Boundary)}
	s := sequence{test: q.SPRT.Complete(defaults), conditions: q.Conditions, unpaired: q.Unpaired, perHour: q.PerHour}
	if q.Most != nil {
		s.most = *q.Most / 2
	}
	if err := checkTest(s.test); err != nil {
		return s, fmt.Errorf("--sprt with alpha %g and beta %g (by default --alpha and 1 - --power): %w", s.test.Alpha,
			s.test.Beta, err)
	}
	return s, nil
}

// row returns a plan for a difference, still without the number of games. kind is PlanRow.Kind, and elo the difference.
func (q PlanQuestion) row(kind string, elo float64) PlanRow {
	row := q.Conditions.row(kind, elo, q.Unpaired)
	row.Alpha, row.Power = q.Alpha, q.Power
	row.FixedTest = &FixedTest{q.alternative(), "pair_sign_flip"}
	if q.Unpaired {
		row.Test = "binomial_exact"
	}
	return row
}

// alternative returns the alternative hypothesis of the test. It is two-sided by default. For a one-sided test it is
// "less" if Elo is negative, and "greater" otherwise.
func (q PlanQuestion) alternative() binomial.Alternative {
	switch {
	case !q.OneSided:
		return binomial.TwoSided
	case q.Elo < 0:
		return binomial.Less
	}
	return binomial.Greater
}

func (q PlanQuestion) pairs() stats.PairDesign {
	return stats.PairDesign{Alpha: q.Alpha, Power: q.Power, Alternative: q.alternative(),
		Conditions: q.Conditions.Conditions}
}

func (q PlanQuestion) games() binomial.Design {
	return binomial.Design{Alpha: q.Alpha, Power: q.Power, DrawRate: q.Conditions.DrawRate, Alternative: q.alternative()}
}

// fixed returns the plan of a match with a fixed number of games, for the test that gogi does after such a
// match.
func (q PlanQuestion) fixed() PlanRow {
	row := q.row("fixed", q.Elo)
	if q.Unpaired {
		l, err := q.games().Length(q.Elo)
		row.setGames(float64(l.Games), err, q.PerHour)
		if err == nil {
			row.Length = &l
		}
		return row
	}
	l, err := q.pairs().Length(q.Elo)
	row.setGames(float64(l.Games), err, q.PerHour)
	if err == nil {
		row.PairLength = &l
	}
	return row
}

// detectable returns the plan with the difference that this number of games detects, with the same test as in
// fixed.
func (q PlanQuestion) detectable(games int) PlanRow {
	row := q.row("detectable", 0)
	row.setGames(float64(games), nil, q.PerHour)
	var elo float64
	var err error
	if q.Unpaired {
		elo, err = q.games().Detectable(games)
	} else {
		elo, err = q.pairs().Detectable(games / 2)
	}
	row.Elo, row.Why = known(elo, err), whyNot(err)
	return row
}

func (p *PlanRow) setGames(games float64, err error, perHour *float64) {
	p.Games, p.Why = known(games, err), whyNot(err)
	if p.Games != nil {
		p.Hours = hours(games, perHour)
	}
}

// hours returns the duration of this number of games in hours, or nil if the speed is unknown.
func hours(games float64, perHour *float64) *float64 {
	if perHour == nil {
		return nil
	}
	return format.Finite(games / *perHour)
}

// A Conditions has the expected conditions of planned games: the draw rate, the correlation between the two
// games of a pair, and the origin of these values.
type Conditions struct {
	stats.Conditions
	Source string // "typical", "given", or the run with these conditions
}

// Typical returns the conditions for games without a known draw rate and correlation. Shogi has few draws.
// Between engines that mostly play different moves, the games of a pair had correlations from -0.09 to +0.06
// (docs/statistics.md).
func Typical() Conditions {
	return Conditions{stats.Conditions{DrawRate: TypicalDraws}, "typical"}
}

// Played returns the draw rate and the correlation measured in a run of two players. run is the run's name.
// Played returns an error if the run's pairs do not determine these values.
func Played(run string, t *stats.Tally) (Conditions, error) {
	c, err := t.Conditions()
	if err != nil {
		return Conditions{}, fmt.Errorf("run %s: %w", run, err)
	}
	return Conditions{c, "run " + run}, nil
}

// row returns a plan with these conditions, for the difference elo. kind is PlanRow.Kind. unpaired means that pairs
// have one game. The caller sets the number of games.
func (c Conditions) row(kind string, elo float64, unpaired bool) PlanRow {
	row := PlanRow{Kind: kind, Elo: &elo, Unit: "pair", DrawRate: c.DrawRate, Correlation: c.Correlation,
		Conditions: c.Source}
	if unpaired {
		row.Unit, row.Correlation = "game", 0
	}
	return row
}

// truths returns the true differences for which gogi plans a sequential test: its two hypotheses, the middle between
// them, where the test takes longest, and others.
func truths(elo0, elo1 float64, others ...float64) []float64 {
	all := append([]float64{elo0, (elo0 + elo1) / 2, elo1}, others...)
	slices.Sort(all)
	return slices.Compact(all)
}

// TypicalDraws is the share of drawn games that estimates assume without an earlier run. Shogi has few draws.
const TypicalDraws = 0.03
