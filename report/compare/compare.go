// Package compare compares runs in which versions of an engine played against one opponent. It calculates the
// gain of a newer version over an older one: the difference of their Elo against the opponent. [New] returns a
// [Gatherer], which takes the pairs of the runs and returns a [Report].
package compare

import (
	"fmt"
	"slices"

	"gogi/internal/fail"
	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/match"
	"gogi/match/gate"
	"gogi/report"
	"gogi/stats"
	"gogi/stats/binomial"
)

// Level is the confidence level of all intervals. The significance level of all tests is 1 - Level.
const Level = 0.95

// Least is the smallest number of openings that each run must have for a test that assumes a normally
// distributed mean. With only two openings such a test would find chance results significant.
const Least = 20

// Run has the facts about a stored run that a comparison needs.
type Run struct {
	Name     string
	Plan     *match.CanonicalPlan // the plan of two players
	Finished bool                 // no more pairs will come
	Gate     string               // text that describes the run's sequential test; "" without one
}

// Report is the result that "gogi compare --json" prints. A number that does not exist is null, with a "why"
// next to it.
type Report struct {
	Version  int            `json:"version"`
	Opponent string         `json:"opponent"`
	Runs     []Result       `json:"runs"`  // in the order given, the oldest version first
	Steps    []Step         `json:"steps"` // each run against the one before it
	Remarks  []i18n.Message `json:"remarks"`
}

// Result is the result of one run: the games of one version against the opponent.
type Result struct {
	Run           string       `json:"run"`
	Player        string       `json:"player"`
	Limits        string       `json:"limits"` // search limits of the player
	Games         int          `json:"games"`
	Pairs         int          `json:"pairs"`
	Openings      int          `json:"openings"` // the independent units
	Copies        int          `json:"copies"`   // pairs that repeat an earlier pair move for move
	Slowed        int          `json:"slowed"`   // pairs with a move that the machine delayed.
	Faults        int          `json:"faults"`   // games that ended by an engine's fault
	Score         *float64     `json:"score"`
	Elo           *float64     `json:"elo"`
	report.Bounds              // in Elo
	Why           i18n.Message `json:"why,omitzero"`
}

// Step compares two neighbouring versions. The gain is the Elo of the newer one against the opponent, minus
// the Elo of the older one.
type Step struct {
	Older             string    `json:"older"`  // name of the older version's run
	Newer             string    `json:"newer"`  // name of the newer version's run
	Method            string    `json:"method"` // paired_openings, partly_paired or independent.
	Shared            int       `json:"shared"` // openings that both versions played
	report.Difference           // P is two-sided
	Test              string    `json:"test,omitempty"` // paired_sign_flip (exact), partly_paired_normal, welch_normal
	Adjusted          *float64  `json:"adjusted"`       // adjusted for all tested steps (Holm)
	NotWorse          *NotWorse `json:"not_worse,omitempty"`
}

// NotWorse is the result of the test whether the newer version of a step is weaker by less than a margin. The
// test can show that it is, show that it is not, or leave the question undecided.
type NotWorse struct {
	Margin   float64  `json:"margin"` // in Elo
	Verdict  Verdict  `json:"verdict"`
	Bound    *float64 `json:"bound"`    // lower bound of the gain (95%, one-sided). It is null without a test.
	P        *float64 `json:"p"`        // one-sided p value of a gain of -margin or less, approximate.
	Adjusted *float64 `json:"adjusted"` // adjusted for all tested steps (Holm)
}

// Verdict is the decision of the test whether a newer version is at most a margin weaker than the older
// version. The margin is in Elo.
type Verdict string

// The verdicts.
const (
	ShownNotWorse Verdict = "not_worse" // the gain is above -margin
	ShownWorse    Verdict = "worse"     // the gain is below -margin
	Undecided     Verdict = "undecided"
)

// Gatherer adds up the pairs of all runs of a comparison.
type Gatherer struct {
	runs     []Run
	opponent []int // the opponent's place in each run
	remarks  []i18n.Message
	results  []Result
	series   []*stats.Series

	// Margin, in Elo, requests a test that each newer version is worse than the older one by less than
	// Margin. With 0 there is no such test.
	Margin float64
}

// New returns a Gatherer for the runs. opponentName is a player of the first run; "" means the first run's
// second player. New returns an error that names the difference if the runs cannot be compared.
func New(runs []Run, opponentName string) (*Gatherer, error) {
	opponent, err := check(runs, opponentName)
	if err != nil {
		return nil, fail.Usage(err)
	}
	g := &Gatherer{runs: runs, opponent: opponent, remarks: differences(runs, opponent)}
	for i, r := range runs {
		p := r.Plan.Players[1-opponent[i]]
		g.results = append(g.results, Result{Run: r.Name, Player: p.Name, Limits: p.Limits})
		g.series = append(g.series, &stats.Series{})
	}
	return g, nil
}

// Add adds the next whole pair of a run. The caller adds the pairs in plan order, each with its opening. run
// is the index of the run, and rows has the games of the pair.
func (g *Gatherer) Add(run int, opening match.Opening, rows []match.Row) error {
	r := &g.results[run]
	slowed := false
	for i := range rows {
		slowed = slowed || rows[i].Marked
		if rows[i].Termination.IsFault() && !rows[i].BySlowness() { // a loss by slowness counts in Slowed
			r.Faults++
		}
	}
	play := gate.OfRowsFor(r.Player, rows)
	play.Opening = opening.String() // the same text in two runs is the same opening
	if _, err := g.series[run].Add(play); err != nil {
		return fmt.Errorf("pair %d of run %s: %w", rows[0].Pair, r.Run, err)
	}
	r.Games += len(rows)
	if slowed {
		r.Slowed++
	}
	return nil
}

// Report returns the comparison of the pairs added so far.
func (g *Gatherer) Report() *Report {
	first := g.runs[0].Plan.Players[g.opponent[0]]
	rep := &Report{Version: 1, Opponent: first.Name, Steps: []Step{}, Remarks: slices.Clone(g.remarks)}
	for i := range g.runs {
		rep.Runs = append(rep.Runs, g.result(i))
	}
	for i := 1; i < len(g.runs); i++ {
		rep.Steps = append(rep.Steps, g.step(i-1, i))
	}
	rep.adjust()
	rep.Remarks = append(append(g.lengths(), rep.Remarks...), rep.evidence()...)
	return rep
}

// length returns the reason why figures for a fixed number of games are not valid for the run: it is not finished, or
// a sequential test could stop it. It returns the zero Message if they are valid.
func (r Run) length() i18n.Message {
	switch {
	case !r.Finished:
		return i18n.Of("run %s is not finished", r.Name)
	case r.Gate != "":
		return i18n.Of("the length of run %s depended on its results", r.Name)
	}
	return i18n.Message{}
}

// lengths returns a remark for each run for which intervals and tests of a fixed length are not valid.
func (g *Gatherer) lengths() []i18n.Message {
	var all []i18n.Message
	for _, r := range g.runs {
		switch {
		case !r.Finished:
			all = append(all,
				i18n.Of("Run %s is not finished: intervals and tests hold only at the end that was planned, and are left out.",
					r.Name))
		case r.Gate != "":
			all = append(all,
				i18n.Of("Run %[1]s was played with a sequential test (%[2]s): its score is biased towards the extremes. Intervals and tests of a fixed length do not hold and are left out; gogi gate %[1]s has the Elo corrected for early stopping.", r.Name, r.Gate))
		}
	}
	return all
}

func (g *Gatherer) result(i int) Result {
	r, s := g.results[i], g.series[i]
	r.Pairs, r.Openings, r.Copies = s.Pairs(), s.Openings(), s.Copies()
	e, err := s.Elo(Level)
	if err != nil {
		r.Why = i18n.Because(err)
		return r
	}
	if sample, err := s.Sample(); err == nil {
		r.Score = &sample.Mean
	}
	r.Elo = format.Finite(e.Elo)
	if r.Why = g.runs[i].length(); r.Why.IsZero() {
		r.Bounds = report.NewBounds(e.Interval)
	}
	return r
}

func (g *Gatherer) step(older, newer int) Step {
	s := Step{Older: g.runs[older].Name, Newer: g.runs[newer].Name}
	if g.Margin > 0 {
		s.NotWorse = &NotWorse{Margin: g.Margin, Verdict: Undecided}
	}
	c, err := stats.Compare(g.series[newer], g.series[older], Level)
	s.Method, s.Shared = c.Method, c.Shared
	if err != nil {
		s.Why = i18n.Because(err)
		return s
	}
	s.Elo = format.Finite(c.Elo)
	for _, i := range []int{newer, older} {
		if why := g.runs[i].length(); !why.IsZero() {
			s.Why = why
			return s
		}
	}
	s.Bounds = report.NewBounds(c.Interval)
	few := min(c.First, c.Second) < Least
	if s.NotWorse != nil && !few {
		s.NotWorse.test(g.series[newer], g.series[older])
	}
	if c.Method != "paired_openings" && few {
		s.Why = i18n.Of("a run has fewer than 20 openings, and the test that is left is a normal approximation")
		return s
	}
	s.Test, s.P = c.Test.Method, format.Finite(c.Test.P)
	return s
}

// test calculates the test against the margin, if the series have enough games for it.
func (n *NotWorse) test(newer, older *stats.Series) {
	if t, err := stats.TestNotWorse(newer, older, n.Margin, Level); err == nil {
		n.Bound, n.P = format.Finite(t.Bound), format.Finite(t.Test.P)
	}
}

// adjust adjusts the steps' p values for the number of tested steps (Holm). Then it sets the verdicts about
// the margin.
func (r *Report) adjust() {
	var raw []float64
	var tested []*Step
	for i := range r.Steps {
		if s := &r.Steps[i]; s.P != nil {
			raw, tested = append(raw, *s.P), append(tested, s)
		}
	}
	adjusted, err := binomial.Holm.Adjust(raw)
	for i := range adjusted {
		if err == nil {
			tested[i].Adjusted = &adjusted[i]
		}
	}
	r.decide()
}

// decide sets the steps' verdicts about the margin, with p values adjusted for the number of steps.
func (r *Report) decide() {
	var raw []float64
	var tested []*NotWorse
	for i := range r.Steps {
		if n := r.Steps[i].NotWorse; n != nil && n.P != nil {
			raw, tested = append(raw, *n.P), append(tested, n)
		}
	}
	adjusted, err := binomial.Holm.Adjust(raw)
	if err != nil {
		return // no verdict
	}
	for i, n := range tested {
		n.Adjusted = &adjusted[i]
		switch {
		case significant(adjusted[i]):
			n.Verdict = ShownNotWorse
		case significant((1 - *n.P) * float64(len(tested))):
			n.Verdict = ShownWorse
		}
	}
}

// Verdict returns the common decision of all steps. It is ShownNotWorse if every step is shown to be weaker
// by less than the margin. It is ShownWorse if at least one step is shown to be weaker by more. Otherwise,
// and without a margin, it is Undecided.
func (r *Report) Verdict() Verdict {
	all := ShownNotWorse
	for _, s := range r.Steps {
		switch {
		case s.NotWorse == nil:
			return Undecided
		case s.NotWorse.Verdict == ShownWorse:
			return ShownWorse
		case s.NotWorse.Verdict == Undecided:
			all = Undecided
		}
	}
	return all
}

// evidence returns remarks on facts that weaken the games as evidence.
func (r *Report) evidence() []i18n.Message {
	var all []i18n.Message
	for _, run := range r.Runs {
		if run.Copies > 0 {
			all = append(all,
				i18n.Of("Run %s has %s of %s that repeat an earlier one move for move; an opening counts once, however often it was played.",
					run.Run, format.Count(run.Copies), i18n.Number{N: run.Pairs, Noun: "pair"}))
		}
		if run.Slowed > 0 {
			all = append(all, i18n.Of("Run %s has %s of %s with a move that the machine slowed.", run.Run,
				format.Count(run.Slowed), i18n.Number{N: run.Pairs, Noun: "pair"}))
		}
		if run.Faults > 0 {
			all = append(all, i18n.Of("Run %s has %s that ended by an engine's fault, which measures reliability, not strength.",
				run.Run, i18n.Number{N: run.Faults, Noun: "game"}))
		}
	}
	return all
}
