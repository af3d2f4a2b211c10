// Package report calculates the statistics of a run: the score, Elo, tests, and the verdict (which player is
// stronger). [New] returns a [Gatherer]. The caller adds whole pairs in plan order, and can get a [Report] at
// any time. Packages report/text and report/html print the report. To add a figure, calculate it here and
// print it there.
package report

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/match"
	"gogi/match/gate"
	"gogi/match/tournament"
	"gogi/results"
	"gogi/shogi"
	"gogi/stats"
)

// Level is the confidence level of all intervals in a report.
const Level = 0.95

// Report is the result that "gogi report --json" prints. A and B are the run's first two players, and counts
// are from A's point of view. A number that does not exist is null, with a "why" next to it.
type Report struct {
	Version  int    `json:"version"`
	Run      string `json:"run"`
	Finished bool   `json:"finished"` // every pair of the plan is stored
	Games    int    `json:"games"`
	Pairs    int    `json:"pairs"`
	Planned  int    `json:"planned_pairs"`
	Rules    string `json:"rules"` // name of the rules

	Players []Player `json:"players"`
	A       string   `json:"a"` // name of the player whose score the report has
	B       string   `json:"b"` // name of the other player

	Pentanomial stats.Pentanomial `json:"pentanomial"` // pairs by their result, from A's view
	Intervals   []Interval        `json:"intervals"`
	Tests       []Test            `json:"tests"`
	Score       *float64          `json:"score"` // A's points per game
	ScoreWhy    i18n.Message      `json:"score_why,omitzero"`
	// Elo of the score. Its ends are the ends of the score's interval, converted to Elo.
	Elo Elo `json:"elo"`
	// Elo of the share of wins in decisive games. It assumes independent games.
	EloDecisive Elo `json:"elo_decisive"`
	// how much the pairs of one opening depend on each other
	Dependence stats.Dependence `json:"dependence"`
	Looks      OptionalStopping `json:"looks"`            // what earlier looks at the result mean for it
	Voided     []Voiding        `json:"voided,omitempty"` // oldest first
	// pairs that an earlier version of gogi took from earlier runs
	Reused int `json:"reused_pairs,omitempty"`
	// failures that engines reported before their first searches, such as a missing file
	Notes []results.EngineNote `json:"notes,omitempty"`
	// workers of a farm. Those that differ from the others are first.
	Workers []Worker `json:"workers,omitempty"`

	BlackAdvantage Advantage `json:"black_advantage"`
	Terminations   []Ending  `json:"terminations"` // how the games ended
	Faults         []Fault   `json:"faults"`       // faults of the engines, by player and kind
	// number of Faults that are losses on time in games with a move that the machine delayed
	SlowedLosses int   `json:"slowed_losses,omitempty"`
	Duplicates   int   `json:"duplicates"` // games that equal an earlier game move for move
	Plies        Plies `json:"plies"`

	// counts of questions to the plan's mate solver. It is nil if none are known.
	Mates *match.Questions `json:"mates,omitempty"`

	Unmarked     *Unmarked   `json:"unmarked,omitempty"` // result without pairs with a move that the machine delayed
	Distinct     *Distinct   `json:"distinct,omitempty"` // result without pairs that repeat an earlier pair.
	FaultLosses  FaultLosses `json:"fault_losses"`       // faults in games of A and B against each other
	Crosstable   []Cross     `json:"crosstable"`
	PairVariance *float64    `json:"pair_variance"` // variance of a pair's points per game
	// crash dumps. They are files with the dialogues of games that ended by a fault.
	Bundles    []string    `json:"bundles,omitempty"`
	Divergence *Divergence `json:"divergence,omitempty"` // how often the two games of a pair differ
	Seconds    float64     `json:"seconds"`              // playing time, summed over all games

	Gate *Gate `json:"gate,omitempty"` // the sequential test, if the run has one

	Tournament *Tournament `json:"tournament,omitempty"` // nil unless results decide the pairings.
	// for more than two players; the caller that reads the pairs sets it
	Ranking *Ranking `json:"ranking,omitempty"`
}

// Player is one player of the run, with figures over all games of this player.
type Player struct {
	Name      string  `json:"name"`
	Identity  string  `json:"identity"`         // identity of the player, see match.Identity.String
	SHA256    string  `json:"sha256,omitempty"` // of the program file, see match.Identity.SHA256
	ID        string  `json:"id,omitempty"`     // of all files together, see match.Identity.ID
	Limits    string  `json:"limits"`           // search limits, as text
	Games     int     `json:"games"`
	Wins      int     `json:"wins"`
	Losses    int     `json:"losses"`
	Draws     int     `json:"draws"`
	WinsBlack int     `json:"wins_black"` // games that the player won with Black
	WinsWhite int     `json:"wins_white"` // games that the player won with White
	Points    float64 `json:"points"`

	Black stats.WDL `json:"black"`
	White stats.WDL `json:"white"`

	Depth *float64 `json:"mean_depth"` // mean search depth of a move
	// nodes per second of thinking time; null: no nodes or no times are known
	NodesPerSecond *float64 `json:"nodes_per_second"`
	NodesPerMove   *float64 `json:"nodes_per_move"` // nodes per move; null: no nodes are known
	MillisPerMove  *float64 `json:"ms_per_move"`    // thinking time per move, in milliseconds; null: no times are known
	WorstOverrunMS float64  `json:"worst_overrun_ms"`
	PonderHits     int      `json:"ponder_hits"`
	PonderMisses   int      `json:"ponder_misses"`
	// for a council, number of votes in which a member did not take part
	Incomplete int `json:"incomplete_votes"`
	// number of moves from the player's book. It is nil if the player has no book.
	BookMoves *int `json:"book_moves,omitempty"`

	Uses []match.Use `json:"limit_use,omitempty"` // what the player used of each of its limits, on average

	// of a council: what its engines used of their limits in the first games
	Members []MemberUse `json:"members,omitempty"`

	ZeroScores int `json:"zero_scores,omitempty"` // number of scores in the first games, if all of them are 0

	// centipawns of a mate in 0 plies, if the player writes mates as centipawns less the plies; 0: no such scale is known
	MateBase int `json:"mate_base,omitempty"`

	Asked Asked `json:"-"` // facts for Uses
	sides match.Side
}

// Asked has the facts about a player with which a report decides whether the player keeps its limits.
type Asked struct {
	Limits  match.Limits   // see match.CanonicalPlan.UseLimits
	By      match.Searcher // match.MayBeLess: the player is a council, or gogi plays moves from its book
	Margins []string       // options in effect that save time, as "NAME VALUE"
}

// Moves returns the number of moves that the player made after the openings.
func (p *Player) Moves() int { return p.sides.Plies }

// Interval is an interval of A's score, or of A's share of wins among the decisive games.
type Interval struct {
	Of       string   `json:"of"` // score, win_rate_decisive
	Method   string   `json:"method"`
	Assumes  string   `json:"assumes,omitempty"` // its assumptions other than independent openings.
	Unit     string   `json:"unit,omitempty"`    // the independent unit: opening, pair or game
	N        int      `json:"n,omitempty"`       // number of units
	Level    float64  `json:"level"`
	Estimate *float64 `json:"estimate"`
	Bounds
	Approximate bool         `json:"approximate"` // the coverage may be below the level
	Why         i18n.Message `json:"why,omitzero"`
}

// Test is a test of the hypothesis that A and B are equally strong.
type Test struct {
	Method      string   `json:"method"`
	Assumes     string   `json:"assumes,omitempty"` // see Interval.Assumes
	Alternative string   `json:"alternative"`       // alternative hypothesis, such as two_sided
	N           int      `json:"n"`
	K           *int     `json:"k,omitempty"` // number of wins, for a binomial test
	P           *float64 `json:"p"`
	// number of wins at which the test rejects, by error probability
	Critical []criticalWins `json:"critical_wins,omitempty"`
	Why      i18n.Message   `json:"why,omitzero"`
}

type criticalWins struct {
	Alpha float64      `json:"alpha"`
	Wins  *int         `json:"wins"` // wins needed out of N. It is null if no number is enough.
	Why   i18n.Message `json:"why,omitzero"`
}

// Elo is the rating of A minus the rating of B, with its interval. Infinite or unknown values are null in
// JSON.
type Elo struct {
	Estimate *float64 `json:"estimate"`
	Bounds
	Why i18n.Message `json:"why,omitzero"`
}

// Advantage has Black's results over all games, with the interval of Black's share of wins among the decisive
// games.
type Advantage struct {
	stats.WDL
	Assumes string `json:"assumes,omitempty"` // see Interval.Assumes
	Bounds
	Why i18n.Message `json:"why,omitzero"`
}

// Ending counts the games with one termination (the way in which the game ended) and one loser. For drawn
// games the loser is empty.
type Ending struct {
	Termination string `json:"termination"`
	Loser       string `json:"loser"` // "" for a draw
	Count       int    `json:"count"`
}

// Fault counts the games that one player lost by one kind of fault, such as a crash or an illegal move.
type Fault struct {
	Player string `json:"player"`
	Kind   string `json:"kind"` // kind of the fault
	Count  int    `json:"count"`
}

// Plies has statistics of the length of games in plies, including the moves of the openings.
type Plies struct {
	Total int      `json:"total"` // plies of all games
	Mean  *float64 `json:"mean"`  // mean number of plies of a game
	Min   int      `json:"min"`   // plies of the shortest game
	Max   int      `json:"max"`   // plies of the longest game
}

// Unmarked is the result of A against B without the pairs in which the machine delayed a move.
type Unmarked struct {
	Pairs  int      `json:"pairs"`  // number of pairs that are left
	Marked int      `json:"marked"` // number of pairs with a move that the machine delayed; they are left out
	Alone  bool     `json:"alone"`  // the run played one game at a time, so a lower concurrency is impossible
	Wins   int      `json:"wins"`
	Draws  int      `json:"draws"`
	Losses int      `json:"losses"`
	Score  *float64 `json:"score"`
}

// Distinct is the result of A against B without the pairs that repeat an earlier pair, move for move. It must
// not decide a verdict, because it still contains pairs that are nearly copies, and because short games
// repeat more easily than long ones. The intervals and tests of a report therefore count openings instead of
// pairs.
type Distinct struct {
	Pairs    int          `json:"pairs"`    // number of pairs that are left
	Repeated int          `json:"repeated"` // number of repeated pairs, which are left out
	Score    *float64     `json:"score"`
	Bounds                // Bounds and P are null
	P        *float64     `json:"p"`
	Why      i18n.Message `json:"why,omitzero"` // reason for the missing values
	stats.WDL
}

// FaultLosses counts the games that A and B lost to each other by faults.
type FaultLosses struct {
	A int `json:"a"` // games that A lost by a fault
	B int `json:"b"` // games that B lost by a fault
}

// Cross is the result of one pairing of the crosstable, from the point of view of its player A.
type Cross struct {
	A     string  `json:"a"` // name of the player whose results these are
	B     string  `json:"b"` // name of the opponent
	Games int     `json:"games"`
	Score float64 `json:"score"` // A's points per game
	stats.WDL
}

// Gatherer adds up the pairs of a run in one pass, in plan order.
type Gatherer struct {
	report   *Report
	run      Run
	judge    *judge               // nil if the run has no sequential test
	schedule *tournament.Schedule // nil if the run's design ignores results.
	astray   error                // reason why the schedule ended early
	index    map[string]int       // index of each player in report.Players
	pairings map[[2]string]*stats.Series
	slowed   stats.Tally // pairs of A and B with a move that the machine delayed
	parallel bool        // a pair was played in another slot than the first one
	copies   stats.Tally // pairs of A and B that repeat an earlier pair
	ends     map[end]int
	hashes   *hashes
	workers  workers
}

// end is how a game ended. The loser is "" for a draw.
type end struct {
	termination match.Termination
	loser       string
}

// Run has the facts about a run that are not stored with its games.
type Run struct {
	Name    string
	Rules   string
	Pairs   int          // number of planned pairs
	Players []Player     // at least two players, each with name, identity and limits.
	Gate    Registration // Its Design is the zero value for a run without a gate.
	Starts  []Start      // oldest first
	// Tournament decides the pairings. It is nil if the design ignores results.
	Tournament *tournament.Spec
	Voided     []Voiding            // oldest first
	Reused     int                  // pairs that were taken from earlier runs
	Notes      []results.EngineNote // of the engines before their first searches
	Imported   *Imported            // nil if gogi played the games
}

// New returns a Gatherer for a run, without pairs. It returns an error for fewer than two players.
func New(run Run) (*Gatherer, error) {
	if len(run.Players) < 2 {
		return nil, fmt.Errorf("run %q has %d players: want two at least", run.Name, len(run.Players))
	}
	g := &Gatherer{
		report: &Report{
			Version: 1, Run: run.Name, Planned: run.Pairs, Rules: run.Rules, Players: slices.Clone(run.Players),
			A: run.Players[0].Name, B: run.Players[1].Name,
			Terminations: []Ending{}, Faults: []Fault{}, Crosstable: []Cross{},
		},
		run: run, index: map[string]int{}, pairings: map[[2]string]*stats.Series{}, ends: map[end]int{},
		hashes: &hashes{}, workers: workers{of: map[string]*workerSums{}},
	}
	for i, p := range run.Players {
		g.index[p.Name] = i
	}
	var err error
	if run.Tournament != nil {
		if g.schedule, err = tournament.New(*run.Tournament); err != nil {
			return nil, err
		}
	}
	if run.Gate.Design.IsZero() {
		return g, nil
	}
	g.judge, err = newJudge(run)
	return g, err
}

// Report returns the report of the pairs added so far. The caller may add more pairs afterwards and call
// Report again.
func (g *Gatherer) Report() *Report {
	whole := *g
	rep := *g.report
	rep.Players = slices.Clone(rep.Players)
	whole.report = &rep
	whole.conclude()
	return &rep
}

// Add adds the next whole pair of the run. rows has the games of the pair in the order of their legs (numbers
// within the pair). The caller adds pairs in the order of the plan; pair numbers may be missing.
func (g *Gatherer) Add(rows []match.Row) error {
	if len(rows) == 0 {
		return nil
	}
	g.addTournament(rows)
	for i := range rows {
		g.countGame(&rows[i])
	}
	return g.addPair(rows)
}

func (g *Gatherer) countGame(r *match.Row) {
	rep := g.report
	rep.Games++
	rep.Seconds += r.Ended.Sub(r.Started).Seconds()
	rep.Plies.Total += r.Plies
	if rep.Games == 1 || r.Plies < rep.Plies.Min {
		rep.Plies.Min = r.Plies
	}
	rep.Plies.Max = max(rep.Plies.Max, r.Plies)
	g.hashes.add(r.MovesHash)
	if r.Questions != (match.Questions{}) {
		rep.mates().Add(r.Questions)
	}
	g.ends[end{r.Termination, LoserOf(r)}]++
	if r.BySlowness() {
		rep.SlowedLosses++
	}
	g.countPlayer(r, shogi.Black, r.Black)
	g.countPlayer(r, shogi.White, r.White)
}

// mates returns the counts of questions to a mate solver. The first call creates them.
func (r *Report) mates() *match.Questions {
	if r.Mates == nil {
		r.Mates = &match.Questions{}
	}
	return r.Mates
}

func (g *Gatherer) countPlayer(r *match.Row, c shogi.Colour, name string) {
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
	s, t := &p.sides, &r.Sides[c]
	s.Plies += t.Plies
	s.Nodes = match.SumNodes(s.Nodes, t.Nodes)
	s.Time += t.Time
	s.DepthSum += t.DepthSum
	s.DepthPlies += t.DepthPlies
	s.WorstOverrun = max(s.WorstOverrun, t.WorstOverrun)
	p.PonderHits += t.PonderHits
	p.PonderMisses += t.PonderMisses
	p.Incomplete += t.Incomplete
}

// addPair adds a whole pair to the results of its two players.
func (g *Gatherer) addPair(rows []match.Row) error {
	g.report.Pairs++
	g.parallel = g.parallel || rows[0].Slot > 0
	key := [2]string{rows[0].PairA, rows[0].PairB}
	if g.pairings[key] == nil {
		g.pairings[key] = &stats.Series{}
	}
	play := gate.OfRows(rows)
	repeats, err := g.pairings[key].Add(play)
	if err != nil {
		return fmt.Errorf("pair %d of run %s: %w", rows[0].Pair, g.report.Run, err)
	}
	head := key == [2]string{g.report.A, g.report.B}
	if err := g.workers.add(rows, head); err != nil {
		return fmt.Errorf("pair %d of run %s: %w", rows[0].Pair, g.report.Run, err)
	}
	if !head {
		return nil
	}
	if g.judge != nil {
		if err := g.judge.add(rows, play); err != nil {
			return err
		}
	}
	return g.headPair(rows, play.Pair, repeats)
}

// headPair adds a pair of A against B to all figures except the score. repeats means that the pair repeats an earlier
// pair move for move.
func (g *Gatherer) headPair(rows []match.Row, pair stats.Pair, repeats bool) error {
	for i := range rows {
		g.report.FaultLosses.count(&rows[i], g.report.A)
	}
	var marked, repeated error
	if slowed(rows) {
		marked = g.slowed.Add(pair)
	}
	if repeats {
		repeated = g.copies.Add(pair)
	}
	return errors.Join(marked, repeated)
}

// slowed reports whether the machine delayed a move of the pair.
func slowed(rows []match.Row) bool {
	for i := range rows {
		if rows[i].Marked {
			return true
		}
	}
	return false
}

// count counts a game that a fault ended.
func (f *FaultLosses) count(r *match.Row, a string) {
	switch {
	case !r.Termination.IsFault():
	case LoserOf(r) == a:
		f.A++
	default:
		f.B++
	}
}

// LoserOf returns the name of a game's loser, or "" for a draw.
func LoserOf(r *match.Row) string {
	if winner, ok := r.Outcome.Winner(); ok {
		return [2]string{r.Black, r.White}[winner.Opponent()]
	}
	return ""
}

// conclude calculates the figures of the report after the last pair.
func (g *Gatherer) conclude() {
	rep := g.report
	series := g.headToHead()
	rep.Duplicates = rep.Games - g.hashes.distinct()
	rep.Finished = rep.Pairs >= rep.Planned
	if g.judge != nil {
		rep.Gate = g.judge.gate(rep.B)
		rep.Finished = rep.Finished || rep.Gate.Decision != stats.Continue
	}
	if g.schedule != nil {
		rep.Tournament = g.tournament()
		rep.Finished = rep.Tournament.Over
	}
	rep.Reused, rep.Notes, rep.Voided, rep.Workers = g.run.Reused, g.run.Notes, g.run.Voided, g.workers.list(rep.Pairs)
	rep.Looks = newLooks(g.run, rep.Gate)
	if earlier := rep.withdrawn(); earlier != stats.Continue {
		rep.Gate.withdraw(earlier)
	}
	for i := range rep.Players {
		rep.Players[i].conclude()
	}
	if lacks := g.run.Imported.lacks(rep); !lacks.IsZero() {
		rep.Looks.warn(lacks)
	}
	if rep.Games > 0 {
		rep.Plies.Mean = format.Finite(float64(rep.Plies.Total) / float64(rep.Games))
	}
	rep.Pentanomial = series.Tally().Penta
	rep.Dependence = series.Dependence()
	rep.figures(series)
	rep.advantage(g.everybody())
	if series.Copies() > 0 {
		rep.dependent(i18n.Of("some games repeat others move for move"))
	}
	if why := rep.noFixedLength(); !why.IsZero() {
		rep.withhold(why, series)
	}
	g.lists()
	rep.Distinct = g.withoutCopies(series)
	rep.Unmarked = g.withoutSlowed(series)
}

// withoutSlowed compares A with B without the pairs in which the machine delayed a move. It returns nil if there is no
// such pair.
func (g *Gatherer) withoutSlowed(series *stats.Series) *Unmarked {
	marked := g.slowed.Pairs()
	if marked == 0 {
		return nil
	}
	left := series.Tally().Without(g.slowed)
	total := left.Total()
	u := &Unmarked{Pairs: left.Pairs(), Marked: marked, Alone: !g.parallel, Wins: total.Wins, Draws: total.Draws,
		Losses: total.Losses}
	if score, err := left.Score(); err == nil {
		u.Score = &score
	}
	return u
}

// withoutCopies returns the result of A against B without the pairs that repeat an earlier pair. It returns nil if
// there are none.
func (g *Gatherer) withoutCopies(series *stats.Series) *Distinct {
	copies := series.Copies()
	if copies == 0 {
		return nil
	}
	left := series.Tally().Without(g.copies)
	d := &Distinct{
		Pairs: left.Pairs(), Repeated: copies, WDL: left.Total(),
		Why: i18n.Of("pairs that are nearly copies depend on each other, too: intervals and tests go by openings"),
	}
	if score, err := left.Score(); err == nil {
		d.Score = &score
	}
	return d
}

func (g *Gatherer) headToHead() *stats.Series {
	if s := g.pairings[[2]string{g.report.A, g.report.B}]; s != nil {
		return s
	}
	return &stats.Series{}
}

// everybody returns the tally over all pairings. Only its counts by colour are meaningful.
func (g *Gatherer) everybody() stats.Tally {
	var all stats.Tally
	for _, s := range g.pairings {
		all.Merge(s.Tally())
	}
	return all
}

func (p *Player) conclude() {
	total := stats.WDL{Wins: p.Black.Wins + p.White.Wins, Draws: p.Black.Draws + p.White.Draws,
		Losses: p.Black.Losses + p.White.Losses}
	p.Wins, p.Draws, p.Losses = total.Wins, total.Draws, total.Losses
	p.WinsBlack, p.WinsWhite = p.Black.Wins, p.White.Wins
	s := p.sides
	p.Uses = p.Asked.uses(s)
	p.WorstOverrunMS = float64(s.WorstOverrun.Microseconds()) / 1000
	if s.DepthPlies > 0 {
		p.Depth = format.Finite(float64(s.DepthSum) / float64(s.DepthPlies))
	}
	if s.Plies > 0 && s.Nodes > 0 {
		p.NodesPerMove = format.Finite(float64(s.Nodes) / float64(s.Plies))
	}
	if s.Plies > 0 && s.Time > 0 {
		p.MillisPerMove = format.Finite(float64(s.Time) / float64(time.Millisecond) / float64(s.Plies))
	}
	if s.Nodes > 0 && s.Time > 0 {
		p.NodesPerSecond = format.Finite(float64(s.Nodes) / s.Time.Seconds())
	}
}

// lists sets the report's lists of terminations, faults and pairings, in a fixed order. The most frequent
// terminations and faults come first.
func (g *Gatherer) lists() {
	rep := g.report
	for how, count := range g.ends {
		word := how.termination.String()
		rep.Terminations = append(rep.Terminations, Ending{Termination: word, Loser: how.loser, Count: count})
		if how.termination.IsFault() {
			rep.Faults = append(rep.Faults, Fault{Player: how.loser, Kind: word, Count: count})
		}
	}
	slices.SortFunc(rep.Terminations, func(a, b Ending) int {
		return cmp.Or(b.Count-a.Count, cmp.Compare(a.Termination, b.Termination), cmp.Compare(a.Loser, b.Loser))
	})
	slices.SortFunc(rep.Faults, func(a, b Fault) int {
		return cmp.Or(b.Count-a.Count, cmp.Compare(a.Player, b.Player), cmp.Compare(a.Kind, b.Kind))
	})
	for key, series := range g.pairings {
		t := series.Tally()
		score, err := t.Score()
		if err != nil {
			continue // cannot happen: every tally has games
		}
		rep.Crosstable = append(rep.Crosstable,
			Cross{A: key[0], B: key[1], Games: t.Total().Games(), Score: score, WDL: t.Total()})
	}
	slices.SortFunc(rep.Crosstable, func(a, b Cross) int {
		return cmp.Or(g.index[a.A]-g.index[b.A], g.index[a.B]-g.index[b.B])
	})
}
