package calculator

import (
	"gogi/internal/lists"
	"gogi/stats"
)

// A PlanCourse is the expected course of a sequential test: the probability of each decision, and how many
// games the test takes.
type PlanCourse struct {
	Boundary   string   `json:"boundary"` // one of [BoundaryNames].
	Elo0       float64  `json:"elo0"`
	Elo1       float64  `json:"elo1"`
	Beta       float64  `json:"beta"`
	Pass       *float64 `json:"pass"`                 // probability that the test accepts H1
	Unfinished *float64 `json:"unfinished,omitempty"` // probability of no decision within max_games
	MaxGames   int      `json:"max_games,omitempty"`  // maximum number of games. 0 means no maximum.
	Method     string   `json:"method,omitempty"`     // walk, diffusion or brownian
	// Divergence is set only for the kind deterministic. It is the assumed share of plies at which the two players choose
	// different moves.
	Divergence float64    `json:"divergence,omitempty"`
	Quantiles  []Quantile `json:"games_until,omitempty"` // none for the method brownian
}

// A Quantile is the number of games within which a given share of sequential tests ends.
type Quantile struct {
	Share float64  `json:"share"` // share of tests that end with at most this number of games
	Games int      `json:"games"`
	Hours *float64 `json:"hours,omitempty"` // playing time of the games, in hours
}

// A sequence is a sequential test to plan.
type sequence struct {
	test       stats.SPRT
	conditions Conditions
	unpaired   bool
	most       int // pairs; 0: no maximum
	perHour    *float64
}

// A GateQuestion asks for the expected course of a match with a gate (a sequential test), before its first
// game.
type GateQuestion struct {
	Gate       stats.SPRT
	Pairs      int  // maximum number of different pairs
	Unpaired   bool // pairs have one game
	Repeatable bool // no player has a clock, so games may repeat
	PerHour    float64
	Conditions Conditions
}

// Answer returns the expected courses of the gate at several true differences, and cheaper alternatives.
func (q GateQuestion) Answer() *Plans {
	s := sequence{
		test: q.Gate, conditions: q.Conditions, unpaired: q.Unpaired, most: q.Pairs, perHour: &q.PerHour,
	}
	return &Plans{Version, s.rows(0, q.Repeatable)}
}

// Undecided returns two results for the case that the true Elo difference is Elo0 or Elo1. share is the
// probability that the match ends without a decision, at the worse of these two differences. games is the
// number of games within which 90% of the tests would decide at that difference if the match had no maximum
// length. Both are 0 if unknown, for example if pairs have only one game.
func (q GateQuestion) Undecided() (share float64, games int) {
	limited := sequence{test: q.Gate, conditions: q.Conditions, unpaired: q.Unpaired, most: q.Pairs}
	free := limited
	free.most = 0
	for _, elo := range []float64{q.Gate.Elo0, q.Gate.Elo1} {
		row := limited.at("sequential", elo)
		if row.Unfinished != nil && *row.Unfinished > share {
			enough := free.at("sequential", elo)
			share, games = *row.Unfinished, enough.quantile(0.9)
		}
	}
	return share, games
}

// rows returns the plans for true differences at the two hypotheses, halfway between them and at elo. Plans
// of cheaper alternatives follow. repeatable means that players may repeat games.
func (s sequence) rows(elo float64, repeatable bool) []PlanRow {
	at := truths(s.test.Elo0, s.test.Elo1, elo)
	rows := lists.Map(at, func(truth float64) PlanRow { return s.at("sequential", truth) })
	if s.unpaired {
		return rows
	}
	if b, ok := s.bounded(); ok {
		for _, truth := range at {
			rows = append(rows, b.at("bounded", truth))
		}
	}
	if repeatable && s.test.Model == stats.ModelLogistic {
		rows = append(rows, s.deterministic(at)...)
	}
	return rows
}

// bounded returns the same test with the bounded boundary, whose bounds move towards each other. It returns
// false if the test already has that boundary, or if no such test exists.
func (s sequence) bounded() (sequence, bool) {
	if s.test.Boundary == stats.BoundaryBounded {
		return s, false
	}
	s.test.Boundary = stats.BoundaryBounded
	return s, s.test.Check() == nil
}

// couplings has factors by which the variance of pair scores falls with deterministic players. As long as both players
// choose the same moves, the two games of a pair are the same game, so their results cancel. The variances were
// measured with fairy-stockfish at 500 nodes against almost the same engine. They are .2532 and .3614 if the players
// differ at 2% and 5% of plies, and .4326 with random node limits. At 17% there was no effect.
var couplings = []struct{ divergence, variance float64 }{{0.02, 0.2532 / 0.4326}, {0.05, 0.3614 / 0.4326}}

// deterministic returns the plans of the same test for deterministic players. at has the true differences. Their pairs
// vary less, so the test needs fewer pairs. (This is not true for hypotheses in normalised Elo, which are divided by
// the standard deviation of a score.)
func (s sequence) deterministic(at []float64) []PlanRow {
	var rows []PlanRow
	correlation := s.conditions.Correlation
	for _, c := range couplings {
		s.conditions.Correlation = (1+correlation)*c.variance - 1
		for _, truth := range at {
			row := s.at("deterministic", truth)
			row.Divergence = c.divergence
			rows = append(rows, row)
		}
	}
	return rows
}

// at returns the plan of the given kind for a true difference of elo.
func (s sequence) at(kind string, elo float64) PlanRow {
	row := s.conditions.row(kind, elo, s.unpaired)
	row.Alpha, row.Power = s.test.Alpha, 1-s.test.Beta
	row.PlanCourse = &PlanCourse{Boundary: s.test.Boundary.String(), Elo0: s.test.Elo0, Elo1: s.test.Elo1,
		Beta: s.test.Beta}
	if s.unpaired {
		e, err := s.test.Expect(elo, stats.Conditions{DrawRate: s.conditions.DrawRate})
		row.setGames(e.Games, err, s.perHour)
		row.PlanCourse.Method, row.Pass = e.Method, known(e.Pass, err)
		return row
	}
	row.MaxGames = 2 * s.most
	rates, err := s.conditions.PairRates(elo)
	var c stats.SPRTForecast
	if err == nil {
		c, err = s.test.Forecast(rates, s.most)
	}
	row.setGames(2*c.Pairs, err, s.perHour)
	if row.Pass = known(c.Pass, err); err != nil {
		return row
	}
	row.PlanCourse.Method = c.Method
	if s.most > 0 {
		row.Unfinished = &c.Unfinished
	}
	row.Quantiles = s.quantiles(c)
	return row
}

func (s sequence) quantiles(c stats.SPRTForecast) []Quantile {
	all := []Quantile{{Share: 0.5, Games: 2 * c.Median}, {Share: 0.9, Games: 2 * c.P90}, {Share: 0.95, Games: 2 * c.P95},
		{Share: 0.99, Games: 2 * c.P99}}
	for i := range all {
		all[i].Hours = hours(float64(all[i].Games), s.perHour)
	}
	return all
}
