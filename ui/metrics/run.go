package metrics

import (
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"gogi/match"
	"gogi/match/gate"
	"gogi/runner/crash"
	"gogi/runner/events"
)

// About describes a run.
type About struct {
	Run, Digest string
	Rules       string // the name of the rules profile
	Design      string // a match.DesignKind
	Created     time.Time
}

// A Session is a run that this process plays. series.Series implements it.
type Session interface {
	Hub() *events.Hub
	// Gate returns the sequential test, or nil.
	Gate() *gate.Gate
	// Dropped returns the number of dropped move events.
	Dropped() uint64
}

// Run has the metrics of one run. It is safe for concurrent use. A nil *Run counts nothing.
type Run struct {
	set     *Set
	about   About
	hub     *events.Hub
	session Session              // nil if another process plays the run
	plies   prometheus.Histogram // nil before the first game, and if another process plays the run.

	mu       sync.Mutex
	known    map[string]bool // the run's players
	players  map[string]*player
	games    map[seat]*game
	numbers  map[string]uint64 // the last event number of each worker. It is nil before the first state.
	missed   uint64            // number of missed events
	ended    map[string]match.Effort
	marked   int // number of moves that the machine delayed
	markedIn int // number of ended games with such a move
	lastPair time.Time
	starts   map[[2]string]int // number of starts by player and result
	votes    map[[3]string]int // number of ballots by council, member and result

	engines engines
}

// Run makes the metrics of a run that this process is going to play. Run.Play adds them to the set.
func (s *Set) Run(about About) *Run {
	return &Run{
		set: s, about: about,
		known: map[string]bool{}, players: map[string]*player{}, games: map[seat]*game{}, ended: map[string]match.Effort{},
		starts: map[[2]string]int{}, votes: map[[3]string]int{},
		engines: engines{cpu: map[*crash.Recorder]time.Duration{}, ended: map[string]time.Duration{}},
	}
}

// Set returns the set to which the metrics of the run belong. For a nil Run it returns nil.
func (r *Run) Set() *Set {
	if r == nil {
		return nil
	}
	return r.set
}

// Play adds the run to its set, so that the set exports its metrics. The caller must also put r.Follow into
// series.Config.Watch of the session.
func (r *Run) Play(session Session) {
	if r == nil {
		return
	}
	r.session, r.hub = session, session.Hub()
	r.set.mu.Lock()
	defer r.set.mu.Unlock()
	r.set.runs[r.about.Run] = r
}

// Resume counts the games of a pair that an earlier session of this run stored.
func (r *Run) Resume(rows []match.Row) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, row := range rows {
		r.addPlies(row.Plies)
		if row.Ended.After(r.lastPair) {
			r.lastPair = row.Ended
		}
	}
}

// addPlies counts a stored game.
func (r *Run) addPlies(plies int) {
	if r.plies == nil {
		r.plies, _ = r.set.plies.WithLabelValues(text(r.about.Run)).(prometheus.Histogram)
	}
	r.plies.Observe(float64(plies))
}

// Started counts a start of a player and the time that it took. failure is the error of a failed start, or
// nil. Put this method into runner.Config.
func (r *Run) Started(player string, took time.Duration, failure error) {
	if r == nil {
		return
	}
	result := "failed"
	if failure == nil {
		result = "ready"
		r.set.starts.WithLabelValues(text(r.about.Run), text(player)).Observe(took.Seconds())
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.starts[[2]string{player, result}]++
}

// collect collects all metrics of the run except the histograms of the set.
func (r *Run) collect(t *collection) {
	s := r.hub.State().State
	t.about(&r.about, stateOf(s))
	if s.Began.IsZero() {
		return // the run has not begun
	}
	run := r.about.Run
	t.number(pairsPlanned, float64(s.Pairs), run)
	t.number(pairsStored, float64(s.Finished), run)
	t.standings(run, &s.Standings)
	r.collectSession(t, s)
	r.collectGate(t)
	r.collectCounts(t)
	r.collectEngines(t)
}

// about collects the description of a run and its state. now is the label of the state.
func (t *collection) about(a *About, now string) {
	run := a.Run
	t.number(runInfo, 1, run, a.Digest, a.Rules, a.Design)
	t.number(runStarted, seconds(a.Created), run)
	for _, state := range runStates() {
		value := 0.0
		if state == now {
			value = 1
		}
		t.number(runState, value, run, state)
	}
}

// stateOf returns the state label of a session.
func stateOf(s *match.Snapshot) string {
	begun := s.Ended > 0 || slices.ContainsFunc(s.Slots, func(at match.SlotState) bool {
		return at.Phase == match.SlotPlaying
	})
	switch {
	case s.Over:
		return stateDone
	case s.Phase == match.RunPaused:
		return statePaused
	case s.Phase == match.RunDraining || s.Phase == match.RunStopping:
		return stateDraining
	case begun:
		return statePlaying
	}
	return stateStarting
}

// standings collects the numbers of the valid games and pairs. It adds up the numbers of games that differ only in
// their points.
func (t *collection) standings(run string, s *match.Standings) {
	games := map[[4]string]int{}
	for _, g := range s.Games {
		games[[4]string{g.Black, g.White, g.Outcome, g.Termination}] += g.Games
	}
	for g, n := range games {
		t.number(gamesTotal, float64(n), run, g[0], g[1], g[2], g[3])
	}
	pairs := map[[3]string]int{}
	for _, p := range s.Pairs {
		pairs[[3]string{p.Player, p.Opponent, points(p.Points[0])}] += p.Pairs
	}
	for p, n := range pairs {
		t.number(pairsTotal, float64(n), run, p[0], p[1], p[2])
	}
}

// collectSession collects the metrics of the session from its state.
func (r *Run) collectSession(t *collection, s *match.Snapshot) {
	run := r.about.Run
	slots := map[match.SlotPhase]int{match.SlotIdle: 0, match.SlotStarting: 0, match.SlotPlaying: 0}
	for _, at := range s.Slots {
		slots[at.Phase]++
	}
	for phase, n := range slots {
		t.number(slotsGauge, float64(n), run, string(phase))
	}
	for _, e := range s.Efforts {
		if e.PonderHits+e.PonderMisses > 0 {
			t.number(ponderTotal, float64(e.PonderHits), run, e.Player, "hit")
			t.number(ponderTotal, float64(e.PonderMisses), run, e.Player, "miss")
		}
	}
	for at, n := range failures(s) {
		t.number(faultsTotal, float64(n), run, at[0], at[1])
	}
}

// faultKinds returns the kinds of faults in the list of docs/events.md.
func faultKinds() []string {
	return []string{
		"start", "crash", "hang", "not_read", "connection", match.KindUnplayed, "ponder", "game_over", "close", "affinity",
		"second_bestmove",
	}
}

// failures returns the number of faults of a session by player and kind. It has a 0 for each kind that can lose a game,
// because Prometheus does not see the first increase of a counter that begins at 1.
func failures(s *match.Snapshot) map[[2]string]int {
	sums := map[[2]string]int{}
	for _, p := range s.Players {
		for _, kind := range []string{"crash", "hang", "not_read", "start"} {
			sums[[2]string{p, kind}] = 0
		}
	}
	kinds := faultKinds()
	for _, f := range s.Faults {
		at := [2]string{f.Player, f.Kind}
		council, _, _ := strings.Cut(f.Player, "/")
		if f.Player != "" && !slices.Contains(s.Players, f.Player) && !slices.Contains(s.Players, council) {
			at[0] = other
		}
		if !slices.Contains(kinds, f.Kind) {
			at[1] = other
		}
		sums[at] += f.Times
	}
	return sums
}

// collectGate collects the state of the sequential test.
func (r *Run) collectGate(t *collection) {
	if r.session == nil || r.session.Gate() == nil {
		return
	}
	j := r.session.Gate().State().Judgement
	t.number(sprtLLR, j.LLR, r.about.Run)
	t.number(sprtBound, j.Lower, r.about.Run, "lower")
	t.number(sprtBound, j.Upper, r.about.Run, "upper")
}

// collectCounts collects the numbers that this Run has counted from events.
func (r *Run) collectCounts(t *collection) {
	r.mu.Lock()
	defer r.mu.Unlock()
	run := r.about.Run
	if !r.lastPair.IsZero() {
		t.number(lastPair, seconds(r.lastPair), run)
	}
	for name, p := range r.players {
		t.number(movesTotal, float64(p.moves), run, name)
		t.number(nodesTotal, float64(p.nodes), run, name)
		t.number(thinkingTotal, p.ms/1000, run, name)
	}
	t.number(markedTotal, float64(r.marked), run)
	if r.session != nil {
		t.number(droppedTotal, float64(r.session.Dropped()), run, "recorder")
	}
	t.number(droppedTotal, float64(r.missed), run, "metrics")
	for at, n := range r.starts {
		t.number(startsTotal, float64(n), run, at[0], at[1])
	}
	for at, n := range r.votes {
		t.number(votesTotal, float64(n), run, at[0], at[1], at[2])
	}
	if r.plies != nil {
		t.to <- ageless{r.plies}
	}
}

// ageless is a histogram without a creation time stamp. It contains games that are older than this process.
// With a time stamp, Prometheus would see a jump.
type ageless struct{ prometheus.Histogram }

// Write implements prometheus.Metric.
func (a ageless) Write(to *dto.Metric) error {
	err := a.Histogram.Write(to)
	if to.Histogram != nil {
		to.Histogram.CreatedTimestamp = nil
	}
	return err
}

// forget deletes the histograms of this run, which another process played.
func (r *Run) forget() {
	of := prometheus.Labels{"run": text(r.about.Run)}
	for _, h := range r.set.histograms() {
		h.DeletePartialMatch(of)
	}
}

// learn sets the names of the run's players. It ignores an empty list.
func (r *Run) learn(names []string) {
	if len(names) == 0 {
		return
	}
	r.known = map[string]bool{}
	for _, name := range names {
		r.known[name] = true
	}
}

func seconds(t time.Time) float64 { return float64(t.UnixMicro()) / 1e6 }
