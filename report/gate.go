package report

import (
	"slices"

	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/internal/sanitize"
	"gogi/match"
	"gogi/match/gate"
	"gogi/stats"
)

// Registration is the design of a run's gate (its sequential test) as the database recorded it, with all
// later changes.
type Registration struct {
	Design     stats.SPRT     // the design that the gate uses
	Registered bool           // the design was stored in the run before its first game
	Pairs      int            // the maximum number of pairs that was stored with the design
	Changes    []i18n.Message // changes of the design after the first game; the verdict is then inconclusive
	// Maxima has the changes of the maximum after the first game. They change no decision: the bounds of the test do not
	// depend on the maximum, so the probability of a false pass is at most alpha for every length.
	Maxima []i18n.Message
	// Longest is the greatest maximum that the run had. The test evaluates stored pairs beyond a lower maximum, too.
	Longest int
	// Provisional is the reason why a farm does not regard the verdict as final; "" if there is none.
	Provisional string
}

// changed reports whether a user gave or changed the test, or changed the maximum, after the first game.
func (r Registration) changed() bool { return !r.Registered || len(r.Changes) > 0 || len(r.Maxima) > 0 }

// most returns the maximum number of pairs of the test. planned is the number of pairs of the run's plan.
func (r Registration) most(planned int) int { return max(planned, r.Longest) }

// Gate is the state and the verdict of a run's sequential test.
type Gate struct {
	Design   stats.SPRT     `json:"design"`
	Decision stats.Decision `json:"decision"` // the test's own decision. The verdict may differ from it.
	LLR      *float64       `json:"llr"`
	Lower    float64        `json:"lower"`
	Upper    float64        `json:"upper"`
	Pairs    int            `json:"pairs"` // pairs on which the decision is based
	// pairs that finished after the stop, or after a missing pair. The test does not use them.
	Beyond int          `json:"beyond"`
	Elo    Elo          `json:"elo"` // median-unbiased, corrected for early stopping
	Why    i18n.Message `json:"why,omitzero"`

	Boundary string `json:"boundary"` // ratio or bounded.
	Openings int    `json:"openings"` // openings of the pairs: the independent units
	Copies   int    `json:"copies"`   // pairs that repeat an earlier pair move for move
	Slowed   int    `json:"slowed"`   // pairs with a move that the machine delayed.
	// pass, fail or inconclusive. It follows the decision unless a check contradicts it.
	Verdict string         `json:"verdict"`
	Because []i18n.Message `json:"because"` // why the verdict is inconclusive
	Notes   []i18n.Message `json:"notes"`   // facts that do not change the verdict

	// Withdrawn is a decision that gogi printed and that no longer holds because pairs were voided. It is ""
	// if there is no such decision, or if the test has reached the same decision again.
	Withdrawn stats.Decision `json:"withdrawn,omitempty"`

	tally stats.Tally
	slots *homogeneity
}

// The verdicts of a gate.
const (
	Passed       = "pass"
	Failed       = "fail"
	Inconclusive = "inconclusive"
)

// judge runs a sequential test over the pairs of a run. It also collects facts that make the verdict unreliable.
type judge struct {
	registration Registration
	test         *gate.Gate
	clean        *gate.Gate // the same test. It counts a pair in which B lost a game by a fault as even.
	slots        map[int]*stats.Tally
	slowed       []int // numbers of pairs, ascending
}

func newJudge(run Run) (*judge, error) {
	pairs := run.Gate.most(run.Pairs)
	test, err := gate.New(run.Gate.Design, pairs)
	if err != nil {
		return nil, err
	}
	clean, err := gate.New(run.Gate.Design, pairs)
	return &judge{registration: run.Gate, test: test, clean: clean, slots: map[int]*stats.Tally{}}, err
}

// add takes the next whole pair, in the order of the plan.
func (j *judge) add(rows []match.Row, play stats.Play) error {
	id, slot := rows[0].Pair, rows[0].Slot
	if err := j.test.Add(id, play); err != nil {
		return err
	}
	if j.slots[slot] == nil {
		j.slots[slot] = &stats.Tally{}
	}
	if err := j.slots[slot].Add(play.Pair); err != nil {
		return err
	}
	if slowed(rows) {
		j.slowed = append(j.slowed, id)
	}
	play.Pair = slices.Clone(play.Pair)
	for i := range rows {
		if r := &rows[i]; r.Termination.IsFault() && LoserOf(r) == r.PairB {
			play.Pair[i].Outcome, play.Pair[i].Points = stats.Draw, 0.5
		}
	}
	return j.clean.Add(id, play)
}

// gate returns the state of the test and its verdict for a report. b is the name of player B.
func (j *judge) gate(b string) *Gate {
	s := j.test.State()
	now := s.Judgement
	g := &Gate{
		Design: s.Design, Boundary: s.Design.Boundary.String(), Decision: now.Decision, LLR: format.Finite(now.LLR),
		Lower: now.Lower, Upper: now.Upper,
		Pairs: now.Units, Beyond: now.Beyond, Openings: now.Openings, Copies: now.Copies, tally: s.Tally,
	}
	judged, _ := slices.BinarySearch(j.slowed, now.Units) // a decision is based on the first pairs of the plan
	g.Slowed = judged
	g.slots = j.homogeneity(now.Openings < now.Units)
	g.estimate(j)
	g.decide(j, b)
	return g
}

// estimate sets the Elo difference corrected for early stopping. The correction assumes that the test ended at a bound,
// or at a maximum that was fixed before the first game. If a user chose the maximum after looking, 32% of the 95%
// intervals missed the true difference in a simulation.
func (g *Gate) estimate(j *judge) {
	switch {
	case g.Decision == stats.Continue:
		g.Elo.Why = i18n.Of("the test has not stopped")
		return
	case g.Decision == stats.Inconclusive && j.registration.changed():
		g.Elo.Why = i18n.Of("the maximum or the test was given or changed after the first game, and no bound was reached")
		return
	}
	// With so few openings, the interval of a diffusion would claim more than any test can show. Not even a
	// player that wins all openings is significantly stronger yet.
	if least := LeastPairs(1 - Level); g.Openings < least {
		g.Elo.Why = i18n.Of("%s are too few (at least %d)", i18n.Number{N: g.Openings, Noun: "opening"}, least)
		return
	}
	stopped, err := j.test.Elo(Level)
	if err != nil {
		g.Elo.Why = i18n.Because(err)
		return
	}
	g.Elo = newElo(stopped.Elo, stopped.Interval, i18n.Of("infinite beyond 1,000 Elo"))
}

// decide sets the verdict from the state of the test. It withholds the verdict if a check contradicts it.
func (g *Gate) decide(j *judge, b string) {
	g.Verdict, g.Because = Inconclusive, []i18n.Message{}
	g.Notes = append([]i18n.Message{}, j.registration.Maxima...)
	switch g.Decision {
	case stats.Pass:
		g.Verdict = Passed
	case stats.Fail:
		g.Verdict = Failed
	case stats.Inconclusive:
		g.Because = append(g.Because, i18n.Of("the maximum of games was reached between the bounds"))
	case stats.Continue:
		g.Because = append(g.Because, i18n.Of("the run is not finished"))
	}
	for _, change := range j.registration.Changes {
		g.doubt(change)
	}
	if why := j.registration.Provisional; why != "" && g.Decision != stats.Continue {
		g.doubt(i18n.Of("the test's decision, %s, is provisional: %s", string(g.Decision), sanitize.Printable(why, 500)))
	}
	if !j.registration.Registered {
		g.doubt(i18n.Of("the design was given after the games, so it may have been chosen to fit them"))
	}
	if g.mostlySlowed() {
		g.doubt(i18n.Of("%s, so that the result may be its doing", slowedOf(g.Slowed, g.Pairs)))
	}
	if g.Decision == stats.Pass && j.clean.State().Judgement.Decision != stats.Pass {
		g.doubt(i18n.Of("games that %s lost by faults alone decide it", b))
	}
	if h := g.slots; h.P != nil && *h.P < slotsAlpha {
		g.Notes = append(g.Notes, i18n.Of("slots differ more than chance explains (p = %s)", format.PValue(*h.P)))
	}
}

// withdraw notes that an earlier decision of the test no longer holds.
func (g *Gate) withdraw(earlier stats.Decision) {
	g.Withdrawn = earlier
	g.Notes = append(g.Notes, withdrawal(earlier))
}

// mostlySlowed reports whether the machine delayed a move in most of the pairs that the test evaluated.
func (g *Gate) mostlySlowed() bool { return mostly(g.Slowed, g.Pairs) }

// doubt makes the verdict inconclusive, and adds why as a reason.
func (g *Gate) doubt(why i18n.Message) {
	g.Verdict = Inconclusive
	g.Because = append(g.Because, why)
}

// slotsAlpha is the significance level of the test that all slots have equal results. It is low because gogi
// tests every run.
const slotsAlpha = 0.001

// homogeneity is the result of the test that compares the results of the slots.
type homogeneity struct {
	P        *float64     `json:"p"`
	Outliers []int        `json:"outliers"` // numbers of the slots that differ from the others
	Why      i18n.Message `json:"why,omitzero"`
}

func (j *judge) homogeneity(reused bool) *homogeneity {
	if reused {
		return &homogeneity{Outliers: []int{}, Why: i18n.Of("pairs of one opening depend on each other")}
	}
	var rows []stats.Outcomes
	for slot := range len(j.slots) {
		if t := j.slots[slot]; t != nil {
			rows = append(rows, t.Outcomes())
		}
	}
	h, err := stats.SameEverywhere(rows, slotsAlpha)
	if err != nil {
		return &homogeneity{Outliers: []int{}, Why: i18n.Because(err)}
	}
	return &homogeneity{P: format.Finite(h.P), Outliers: append([]int{}, h.Outliers...)}
}

// GateVerdict is the result that "gogi gate --json" prints.
type GateVerdict struct {
	Version    int            `json:"version"`
	Run        string         `json:"run"`
	Verdict    string         `json:"verdict"`    // pass, fail or inconclusive.
	Why        []i18n.Message `json:"why"`        // why the verdict is inconclusive
	Registered bool           `json:"registered"` // the design was stored in the run before its first game
	MaxPairs   int            `json:"max_pairs"`  // greatest number of pairs that the test may evaluate
	// number of times that the test could stop: once after each evaluated pair
	Looks  int               `json:"looks"`
	Unit   string            `json:"unit"` // always opening. If no opening recurs, each pair is one unit.
	Draws  string            `json:"draws"`
	Gate   *Gate             `json:"gate"`
	Counts stats.WDL         `json:"counts"`      // A's results, up to the stop
	Penta  stats.Pentanomial `json:"pentanomial"` // up to the stop
	// P is null. A test for a fixed length is not valid after repeated looks.
	Primary Test         `json:"primary"`
	Anytime Interval     `json:"anytime"` // over all games, also those after the stop
	Slots   *homogeneity `json:"homogeneity"`
	Report  *Report      `json:"report"` // over all games, also those after the stop
}

// GateVerdict returns the verdict of the run's gate (its sequential test) on the pairs so far. It returns nil
// if the run has no gate.
func (r *Report) GateVerdict(registration Registration) *GateVerdict {
	g := r.Gate
	if g == nil {
		return nil
	}
	v := &GateVerdict{
		Version: 1, Run: r.Run, Verdict: g.Verdict, Why: g.Because, Registered: registration.Registered,
		MaxPairs: registration.most(r.Planned),
		Looks:    g.Pairs, Unit: "opening", Draws: "half", Gate: g, Counts: g.tally.Total(), Penta: g.tally.Penta,
		Primary: r.Tests[0], Slots: g.slots, Report: r,
	}
	if i := r.anytime(); i != nil {
		v.Anytime = *i
	}
	return v
}

// anytime returns the report's always-valid interval, or nil if the report does not have it.
func (r *Report) anytime() *Interval {
	for i := range r.Intervals {
		if r.Intervals[i].Method == "anytime" {
			return &r.Intervals[i]
		}
	}
	return nil
}

// Moment has the figures that are valid while the run is still being played.
type Moment struct {
	Bounds          // the anytime interval of A's score, over openings
	Judged int      // pairs that the gate has evaluated, in plan order.
	LLR    *float64 // the gate's log likelihood ratio; nil without a gate
}

// Moment returns the figures that are valid now, calculated from the pairs added so far.
func (g *Gatherer) Moment() Moment {
	m := Moment{Bounds: anytimeOf(g.headToHead()).Bounds}
	if g.judge != nil {
		now := g.judge.test.State().Judgement
		m.Judged, m.LLR = now.Units, format.Finite(now.LLR)
	}
	return m
}
