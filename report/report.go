// Package report is the read model of a run: whole pairs go in, in plan order, and what
// they prove comes out as values, at any time and any number of times. How it is told
// is the business of report/text and report/page.
package report

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"gogi/gate"
	"gogi/internal/format"
	"gogi/match"
	"gogi/shogi"
	"gogi/stats"
)

// Level is the confidence of all intervals in a report.
const Level = 0.95

// Report is what "gogi report --json" prints. Counts are from A's side; a
// number that does not exist is null, with a "why" beside it.
type Report struct {
	Version  int    `json:"version"`
	Run      string `json:"run"`
	Finished bool   `json:"finished"`
	Games    int    `json:"games"`
	Pairs    int    `json:"pairs"`
	Planned  int    `json:"planned_pairs"`
	Rules    string `json:"rules"`

	Players []Player `json:"players"`
	A       string   `json:"a"`
	B       string   `json:"b"`

	Pentanomial stats.Pentanomial `json:"pentanomial"`
	Intervals   []Interval        `json:"intervals"`
	Tests       []Test            `json:"tests"`
	Score       *float64          `json:"score"` // A's points a game
	ScoreWhy    string            `json:"score_why,omitempty"`
	Elo         Elo               `json:"elo"`

	BlackAdvantage Advantage   `json:"black_advantage"`
	Terminations   []Ending    `json:"terminations"`
	Faults         []Fault     `json:"faults"`
	Duplicates     int         `json:"duplicates"` // games equal to an earlier one, move for move
	Plies          Plies       `json:"plies"`
	Unmarked       *Unmarked   `json:"unmarked,omitempty"` // without pairs that the machine slowed
	Distinct       *Distinct   `json:"distinct,omitempty"` // without pairs that repeat a game
	FaultLosses    FaultLosses `json:"fault_losses"`       // of A and B against each other
	Crosstable     []Cross     `json:"crosstable"`
	PairVariance   *float64    `json:"pair_variance"` // of a pair's points a game
	Divergence     *Divergence `json:"divergence,omitempty"`
	Seconds        float64     `json:"seconds"` // of play, added up over all games

	Gate *Gate `json:"gate,omitempty"` // the sequential test, if the run has one

	tally stats.Tally // A against B
}

type Player struct {
	Name      string  `json:"name"`
	Identity  string  `json:"identity"`
	Limits    string  `json:"limits"`
	Games     int     `json:"games"`
	Wins      int     `json:"wins"`
	Losses    int     `json:"losses"`
	Draws     int     `json:"draws"`
	WinsBlack int     `json:"wins_black"`
	WinsWhite int     `json:"wins_white"`
	Points    float64 `json:"points"`

	Black stats.WDL `json:"black"`
	White stats.WDL `json:"white"`

	Depth          *float64 `json:"mean_depth"`
	NodesPerSecond *float64 `json:"nodes_per_second"`
	NodesPerMove   *float64 `json:"nodes_per_move"`
	MillisPerMove  *float64 `json:"ms_per_move"`
	WorstOverrunMS float64  `json:"worst_overrun_ms"`
	PonderHits     int      `json:"ponder_hits"`
	PonderMisses   int      `json:"ponder_misses"`
	Incomplete     int      `json:"incomplete_votes"` // of a council: votes that lacked a member

	sides match.Side
}

type Interval struct {
	Of          string   `json:"of"` // win_rate_decisive, score
	Method      string   `json:"method"`
	Level       float64  `json:"level"`
	Estimate    *float64 `json:"estimate"`
	Lo          *float64 `json:"lo"`
	Hi          *float64 `json:"hi"`
	Approximate bool     `json:"approximate"`
	Why         string   `json:"why,omitempty"`
}

type Test struct {
	Method      string         `json:"method"`
	Alternative string         `json:"alternative"`
	N           int            `json:"n"`
	K           *int           `json:"k,omitempty"` // wins, of a binomial test
	P           *float64       `json:"p"`
	Critical    []criticalWins `json:"critical_wins,omitempty"`
	Why         string         `json:"why,omitempty"`
}

type criticalWins struct {
	Alpha float64 `json:"alpha"`
	Wins  *int    `json:"wins"` // of N; null where no number is enough
	Why   string  `json:"why,omitempty"`
}

type Elo struct {
	Estimate *float64 `json:"estimate"`
	Lo       *float64 `json:"lo"`
	Hi       *float64 `json:"hi"`
	Why      string   `json:"why,omitempty"`
}

type Advantage struct {
	stats.WDL
	Lo  *float64 `json:"lo"`
	Hi  *float64 `json:"hi"`
	Why string   `json:"why,omitempty"`
}

type Ending struct {
	Termination string `json:"termination"`
	Loser       string `json:"loser"` // "" for a draw
	Count       int    `json:"count"`
}

type Fault struct {
	Player string `json:"player"`
	Kind   string `json:"kind"`
	Count  int    `json:"count"`
}

type Plies struct {
	Total int      `json:"total"`
	Mean  *float64 `json:"mean"`
	Min   int      `json:"min"`
	Max   int      `json:"max"`
}

type Unmarked struct {
	Pairs  int      `json:"pairs"`  // that are left
	Marked int      `json:"marked"` // that were taken out
	Wins   int      `json:"wins"`
	Draws  int      `json:"draws"`
	Losses int      `json:"losses"`
	Score  *float64 `json:"score"`
}

// Distinct is A against B without the pairs with a game that equals an
// earlier one, which proves nothing new.
type Distinct struct {
	Pairs    int      `json:"pairs"`    // that are left
	Repeated int      `json:"repeated"` // that were taken out
	Score    *float64 `json:"score"`
	Lo       *float64 `json:"lo"` // the exact interval of the win rate among decisive games
	Hi       *float64 `json:"hi"`
	P        *float64 `json:"p"` // of the exact test over pairs
	Why      string   `json:"why,omitempty"`
	stats.WDL
}

type FaultLosses struct {
	A int `json:"a"`
	B int `json:"b"`
}

type Cross struct {
	A     string  `json:"a"`
	B     string  `json:"b"`
	Games int     `json:"games"`
	Score float64 `json:"score"` // A's points a game
	stats.WDL
}

// Gatherer adds up a run's pairs, in plan order, in one pass.
type Gatherer struct {
	report   *Report
	gate     *gate.Gate     // nil: the run has no sequential test
	index    map[string]int // into report.Players
	tallies  map[[2]string]*stats.Tally
	unmarked stats.Tally
	marked   int
	distinct stats.Tally
	repeated int // pairs of A against B
	ends     map[Ending]int
	faults   map[Fault]int
	hashes   map[uint64]bool
}

// run is what a report tells of a run beside its games.
type Run struct {
	Name    string
	Rules   string
	Pairs   int        // that are planned
	Players []Player   // name, identity and limits; two at least
	Gate    match.Gate // zero: none
}

// New adds up the pairs of a run.
func New(run Run) (*Gatherer, error) {
	g := &Gatherer{
		report: &Report{
			Version: 1, Run: run.Name, Planned: run.Pairs, Rules: run.Rules, Players: slices.Clone(run.Players), A: run.Players[0].Name, B: run.Players[1].Name,
			Terminations: []Ending{}, Faults: []Fault{}, Crosstable: []Cross{},
		},
		index: map[string]int{}, tallies: map[[2]string]*stats.Tally{}, ends: map[Ending]int{},
		faults: map[Fault]int{}, hashes: map[uint64]bool{},
	}
	for i, p := range run.Players {
		g.index[p.Name] = i
	}
	if !run.Gate.IsZero() {
		judge, err := gate.New(run.Gate, run.Pairs)
		if err != nil {
			return nil, err
		}
		g.gate = judge
	}
	return g, nil
}

// Report is the report of the pairs so far. It changes nothing: more pairs may follow,
// and another report.
func (g *Gatherer) Report() *Report {
	whole := *g
	rep := *g.report
	rep.Players = slices.Clone(rep.Players)
	whole.report = &rep
	whole.conclude()
	return &rep
}

// Add takes the next whole pair of the run, its games by leg; pairs come in the
// order of the plan, gaps included.
func (g *Gatherer) Add(rows []match.Row) error {
	if len(rows) == 0 {
		return nil
	}
	repeats := false
	for _, r := range rows {
		repeats = g.countGame(r) || repeats
	}
	return g.addPair(rows, repeats)
}

// countGame reports whether the game equals an earlier one.
func (g *Gatherer) countGame(r match.Row) (repeats bool) {
	rep := g.report
	rep.Games++
	rep.Seconds += r.Ended.Sub(r.Started).Seconds()
	rep.Plies.Total += r.Plies
	if rep.Games == 1 || r.Plies < rep.Plies.Min {
		rep.Plies.Min = r.Plies
	}
	rep.Plies.Max = max(rep.Plies.Max, r.Plies)
	repeats = g.hashes[r.MovesHash]
	if repeats {
		rep.Duplicates++
	}
	g.hashes[r.MovesHash] = true
	loser := LoserOf(r)
	g.ends[Ending{Termination: r.Termination.String(), Loser: loser}]++
	if r.Termination.IsFault() {
		g.faults[Fault{Player: loser, Kind: r.Termination.String()}]++
	}
	g.countPlayer(r, shogi.Black, r.Black)
	g.countPlayer(r, shogi.White, r.White)
	return repeats
}

func (g *Gatherer) countPlayer(r match.Row, c shogi.Colour, name string) {
	p := &g.report.Players[g.index[name]]
	p.Games++
	p.Points += r.Points[c]
	side := [2]*stats.WDL{&p.Black, &p.White}[c]
	switch winner, decided := r.Outcome.Winner(); {
	case !decided:
		side.Draws++
	case winner == c:
		side.Wins++
	default:
		side.Losses++
	}
	s, t := &p.sides, r.Sides[c]
	s.Plies += t.Plies
	s.Nodes += t.Nodes
	s.Time += t.Time
	s.DepthSum += t.DepthSum
	s.DepthPlies += t.DepthPlies
	s.WorstOverrun = max(s.WorstOverrun, t.WorstOverrun)
	p.PonderHits += t.PonderHits
	p.PonderMisses += t.PonderMisses
	p.Incomplete += t.Incomplete
}

// addPair puts a whole pair into the tally of its two players.
func (g *Gatherer) addPair(rows []match.Row, repeats bool) error {
	g.report.Pairs++
	key := [2]string{rows[0].PairA, rows[0].PairB}
	if g.tallies[key] == nil {
		g.tallies[key] = &stats.Tally{}
	}
	pair, marked := gate.OfRows(rows), slices.ContainsFunc(rows, func(r match.Row) bool { return r.Marked })
	if err := g.tallies[key].Add(pair); err != nil {
		return fmt.Errorf("pair %d of run %s: %w", rows[0].Pair, g.report.Run, err)
	}
	if key != [2]string{g.report.A, g.report.B} {
		return nil
	}
	if g.gate != nil {
		if err := g.gate.Add(rows[0].Pair, pair); err != nil {
			return err
		}
	}
	return g.headPair(rows, pair, marked, repeats)
}

// headPair counts a pair of A against B where it is judged by other measures.
func (g *Gatherer) headPair(rows []match.Row, pair stats.Pair, marked, repeats bool) error {
	for _, r := range rows {
		g.report.FaultLosses.count(r, g.report.A)
	}
	var unmarked, distinct error
	if marked {
		g.marked++
	} else {
		unmarked = g.unmarked.Add(pair)
	}
	if repeats {
		g.repeated++
	} else {
		distinct = g.distinct.Add(pair)
	}
	return errors.Join(unmarked, distinct)
}

// count counts a game that ended by a fault.
func (f *FaultLosses) count(r match.Row, a string) {
	switch {
	case !r.Termination.IsFault():
	case LoserOf(r) == a:
		f.A++
	default:
		f.B++
	}
}

// LoserOf is who lost a game, "" for a draw.
func LoserOf(r match.Row) string {
	if winner, ok := r.Outcome.Winner(); ok {
		return [2]string{r.Black, r.White}[winner.Opponent()]
	}
	return ""
}

// conclude turns the sums into figures.
func (g *Gatherer) conclude() {
	rep := g.report
	rep.Finished = rep.Pairs >= rep.Planned
	if g.gate != nil {
		rep.Gate = newGateReport(g.gate.State())
		rep.Finished = rep.Finished || rep.Gate.Decision != stats.Continue
	}
	for i := range rep.Players {
		rep.Players[i].conclude()
	}
	if rep.Games > 0 {
		rep.Plies.Mean = format.Finite(float64(rep.Plies.Total) / float64(rep.Games))
	}
	tally := g.headToHead()
	rep.tally = tally
	rep.Pentanomial = tally.Penta
	rep.score(tally)
	rep.winRate(tally)
	rep.signFlip(tally)
	rep.advantage(g.everybody())
	if !rep.Finished {
		rep.withhold(tally)
	}
	g.lists()
	rep.Distinct = g.withoutRepeats()
	if g.marked > 0 {
		total := g.unmarked.Total()
		rep.Unmarked = &Unmarked{
			Pairs: g.unmarked.Pairs(), Marked: g.marked, Wins: total.Wins, Draws: total.Draws, Losses: total.Losses,
		}
		if score, err := g.unmarked.Score(); err == nil {
			rep.Unmarked.Score = &score
		}
	}
}

// withoutRepeats judges A against B by the pairs that repeat no game, nil where
// none does. Which pairs those are does not depend on who played which side, so
// the test stays exact.
func (g *Gatherer) withoutRepeats() *Distinct {
	if g.repeated == 0 {
		return nil
	}
	total := g.distinct.Total()
	d := &Distinct{Pairs: g.distinct.Pairs(), Repeated: g.repeated, WDL: total}
	if score, err := g.distinct.Score(); err == nil {
		d.Score = &score
	}
	k, n := total.Decisive()
	if i, err := stats.ClopperPearson(k, n, Level); err == nil {
		d.Lo, d.Hi = format.Finite(i.Lo), format.Finite(i.Hi)
	}
	test, err := g.distinct.SignFlip(stats.TwoSided)
	if err != nil { // as for all pairs, the test over decisive games stands in
		test, err = stats.BinomialTest(k, n, 0.5, stats.TwoSided)
	}
	if err != nil {
		d.Why = "no decisive game"
		return d
	}
	d.P = format.Finite(test.P)
	return d
}

func (g *Gatherer) headToHead() stats.Tally {
	if t := g.tallies[[2]string{g.report.A, g.report.B}]; t != nil {
		return *t
	}
	return stats.Tally{}
}

// everybody is the tally over all pairings, of use for the colours only.
func (g *Gatherer) everybody() stats.Tally {
	var all stats.Tally
	for _, t := range g.tallies {
		all.Merge(*t)
	}
	return all
}

func (p *Player) conclude() {
	total := stats.WDL{Wins: p.Black.Wins + p.White.Wins, Draws: p.Black.Draws + p.White.Draws, Losses: p.Black.Losses + p.White.Losses}
	p.Wins, p.Draws, p.Losses = total.Wins, total.Draws, total.Losses
	p.WinsBlack, p.WinsWhite = p.Black.Wins, p.White.Wins
	s := p.sides
	p.WorstOverrunMS = float64(s.WorstOverrun.Microseconds()) / 1000
	if s.DepthPlies > 0 {
		p.Depth = format.Finite(float64(s.DepthSum) / float64(s.DepthPlies))
	}
	if s.Plies > 0 {
		p.NodesPerMove = format.Finite(float64(s.Nodes) / float64(s.Plies))
		p.MillisPerMove = format.Finite(float64(s.Time) / float64(time.Millisecond) / float64(s.Plies))
	}
	if s.Time > 0 {
		p.NodesPerSecond = format.Finite(float64(s.Nodes) / s.Time.Seconds())
	}
}

func (r *Report) score(t stats.Tally) {
	interval := Interval{Of: "score", Method: "pair_normal", Level: Level, Approximate: true}
	score, err := t.Score()
	if err != nil {
		r.ScoreWhy, interval.Why = err.Error(), err.Error()
		r.Intervals = append(r.Intervals, interval)
		return
	}
	r.Score, interval.Estimate = &score, &score
	sample, err := t.Sample()
	var i stats.Interval
	if err == nil {
		r.PairVariance = format.Finite(sample.Variance)
		i, err = sample.Interval(Level)
	}
	if err != nil {
		interval.Why = err.Error()
	} else {
		interval.Method, interval.Lo, interval.Hi = i.Method, format.Finite(i.Lo), format.Finite(i.Hi)
	}
	r.Intervals = append(r.Intervals, interval)
}

func (r *Report) winRate(t stats.Tally) {
	k, n := t.Total().Decisive()
	interval := Interval{Of: "win_rate_decisive", Method: "clopper_pearson", Level: Level}
	test := Test{Method: "binomial_exact", Alternative: string(stats.TwoSided), N: n, K: &k}
	if exact, err := stats.ClopperPearson(k, n, Level); err != nil {
		interval.Why = "no decisive game"
		r.Elo.Why = interval.Why
	} else {
		q := float64(k) / float64(n)
		interval.Estimate, interval.Lo, interval.Hi = &q, format.Finite(exact.Lo), format.Finite(exact.Hi)
		r.Elo = eloOf(q, exact)
	}
	if p, err := stats.BinomialTest(k, n, 0.5, stats.TwoSided); err != nil {
		test.Why = "no decisive game"
	} else {
		test.P = format.Finite(p.P)
	}
	for _, alpha := range []float64{0.05, 0.01} {
		c := criticalWins{Alpha: alpha}
		if wins, ok := stats.CriticalWins(n, alpha, stats.TwoSided); ok {
			c.Wins = &wins
		} else {
			c.Why = fmt.Sprintf("%d decisive games are too few for any number of wins", n)
		}
		test.Critical = append(test.Critical, c)
	}
	r.Intervals = append([]Interval{interval}, r.Intervals...)
	r.Tests = append(r.Tests, test)
}

// eloOf maps a win rate and its interval to Elo, exactly, as Elo is monotone.
func eloOf(q float64, i stats.Interval) Elo {
	image := stats.EloInterval(i)
	e := Elo{Estimate: format.Finite(stats.Elo(q)), Lo: format.Finite(image.Lo), Hi: format.Finite(image.Hi)}
	if e.Estimate == nil || e.Lo == nil || e.Hi == nil {
		e.Why = "infinite where the win rate is 0 or 1"
	}
	return e
}

func (r *Report) signFlip(t stats.Tally) {
	r.Tests = append(r.Tests, signFlipOf(t))
}

// signFlipOf is the exact test over pairs.
func signFlipOf(t stats.Tally) Test {
	report := Test{Method: "pair_sign_flip", Alternative: string(stats.TwoSided)}
	test, err := t.SignFlip(stats.TwoSided)
	switch {
	case t.Pairs() == 0:
		report.Why = "no finished game"
	case err != nil:
		report.Why = err.Error()
	default:
		report.Method, report.N, report.P = test.Method, test.N, format.Finite(test.P)
	}
	return report
}

// withhold leaves of a run that is still going only what may be looked at: a
// fixed-length interval or test, read after every game, finds a difference
// between equals in two runs of five.
func (r *Report) withhold(t stats.Tally) {
	const why = "the run is not finished: only the anytime interval holds before its end"
	for i := range r.Intervals {
		r.Intervals[i].Lo, r.Intervals[i].Hi, r.Intervals[i].Why = nil, nil, why
	}
	for i := range r.Tests {
		r.Tests[i].P, r.Tests[i].Critical, r.Tests[i].Why = nil, nil, why
	}
	r.Elo.Lo, r.Elo.Hi, r.Elo.Why = nil, nil, why
	r.BlackAdvantage.Lo, r.BlackAdvantage.Hi, r.BlackAdvantage.Why = nil, nil, why
	r.Intervals = append(r.Intervals, anytimeOf(t))
}

// anytimeOf is the interval that holds at every length of a series at once: the
// only one that may be read while games are played.
func anytimeOf(t stats.Tally) Interval {
	interval := Interval{Of: "score", Method: "anytime", Level: Level}
	scores, err := t.PairScores()
	if err != nil {
		scores = t.Total().GameScores()
	}
	exact, err := scores.AnytimeInterval(Level)
	if err != nil {
		interval.Why = err.Error()
		return interval
	}
	interval.Estimate = format.Finite(scores.Sum / float64(scores.N))
	interval.Lo, interval.Hi = format.Finite(exact.Lo), format.Finite(exact.Hi)
	return interval
}

func (r *Report) advantage(t stats.Tally) {
	r.BlackAdvantage = Advantage{WDL: t.BlackSide()}
	i, err := t.BlackAdvantage(Level)
	if err != nil {
		r.BlackAdvantage.Why = err.Error()
		return
	}
	r.BlackAdvantage.Lo, r.BlackAdvantage.Hi = format.Finite(i.Lo), format.Finite(i.Hi)
}

// lists brings the counted things into a fixed order: most frequent first.
func (g *Gatherer) lists() {
	rep := g.report
	for key, count := range g.ends {
		key.Count = count
		rep.Terminations = append(rep.Terminations, key)
	}
	slices.SortFunc(rep.Terminations, func(a, b Ending) int {
		return cmp.Or(b.Count-a.Count, cmp.Compare(a.Termination, b.Termination), cmp.Compare(a.Loser, b.Loser))
	})
	for key, count := range g.faults {
		key.Count = count
		rep.Faults = append(rep.Faults, key)
	}
	slices.SortFunc(rep.Faults, func(a, b Fault) int {
		return cmp.Or(b.Count-a.Count, cmp.Compare(a.Player, b.Player), cmp.Compare(a.Kind, b.Kind))
	})
	for key, t := range g.tallies {
		score, err := t.Score()
		if err != nil {
			continue // a tally without games is never made
		}
		rep.Crosstable = append(rep.Crosstable, Cross{A: key[0], B: key[1], Games: t.Total().Games(), Score: score, WDL: t.Total()})
	}
	slices.SortFunc(rep.Crosstable, func(a, b Cross) int {
		return cmp.Or(g.index[a.A]-g.index[b.A], g.index[a.B]-g.index[b.B])
	})
}
