package metrics

import (
	"slices"

	"github.com/prometheus/client_golang/prometheus"
)

// Type is what a family's numbers mean, in Prometheus' words.
type Type string

// The types.
const (
	Gauge     Type = "gauge"
	Counter   Type = "counter"
	Histogram Type = "histogram"
)

// Family is one name and what is told under it.
type Family struct {
	Name   string
	Type   Type
	Labels []string
	Help   string
}

// The names, where code needs them.
const (
	buildInfo     = "gogi_build_info"
	runInfo       = "gogi_run_info"
	runState      = "gogi_run_state"
	pairsPlanned  = "gogi_run_pairs_planned"
	pairsStored   = "gogi_run_pairs_stored"
	runStarted    = "gogi_run_started_timestamp_seconds"
	lastPair      = "gogi_run_last_pair_timestamp_seconds"
	gamesTotal    = "gogi_games_total"
	pairsTotal    = "gogi_pairs_total"
	movesTotal    = "gogi_moves_total"
	nodesTotal    = "gogi_nodes_total"
	thinkingTotal = "gogi_thinking_seconds_total"
	moveSeconds   = "gogi_move_seconds"
	moveOverrun   = "gogi_move_overrun_seconds"
	startSeconds  = "gogi_engine_start_seconds"
	gamePlies     = "gogi_game_plies"
	faultsTotal   = "gogi_engine_faults_total"
	startsTotal   = "gogi_engine_starts_total"
	residentBytes = "gogi_engine_resident_memory_bytes"
	cpuTotal      = "gogi_engine_cpu_seconds_total"
	markedTotal   = "gogi_moves_marked_total"
	ponderTotal   = "gogi_ponder_total"
	slotsGauge    = "gogi_slots"
	sprtLLR       = "gogi_sprt_llr"
	sprtBound     = "gogi_sprt_bound"
	putSeconds    = "gogi_store_put_seconds"
	storeSize     = "gogi_store_size_bytes"
	droppedTotal  = "gogi_events_dropped_total"
	webClients    = "gogi_web_clients"
	votesTotal    = "gogi_council_votes_total"
)

// Families are all that is told, in the order of the documentation. Not every run has
// all of them: only one with a sequential test has gogi_sprt_llr.
func Families() []Family {
	return []Family{
		{buildInfo, Gauge, []string{"version", "revision", "goversion"}, "The program that tells, always 1."},
		{runInfo, Gauge, []string{"run", "digest", "rules", "design"}, "A run, always 1."},
		{runState, Gauge, []string{"run", "state"}, "Whether the run is in this state: 1 for one of starting, playing, paused, draining and done, else 0."},
		{pairsPlanned, Gauge, []string{"run"}, "Pairs that the run is to have."},
		{pairsStored, Gauge, []string{"run"}, "Pairs that are stored."},
		{runStarted, Gauge, []string{"run"}, "When the run was begun, in its first session."},
		{lastPair, Gauge, []string{"run"}, "When the latest pair was stored, or its last game ended, where an earlier session stored it."},
		{gamesTotal, Counter, []string{"run", "black", "white", "outcome", "termination"}, "Games of stored pairs, those of earlier sessions included."},
		{pairsTotal, Counter, []string{"run", "player", "opponent", "points"}, "Stored pairs by what they were worth for the player who had Black first, those of earlier sessions included."},
		{movesTotal, Counter, []string{"run", "player"}, "Answers of the player to a go, in this session."},
		{nodesTotal, Counter, []string{"run", "player"}, "Nodes that the player says it has searched, in this session."},
		{thinkingTotal, Counter, []string{"run", "player"}, "Time that the player has taken for its answers, in this session."},
		{moveSeconds, Histogram, []string{"run", "player"}, "Time that an answer has taken."},
		{moveOverrun, Histogram, []string{"run", "player"}, "How far a move was over its limit: 0 for one within it; of answers that lost on time, too."},
		{startSeconds, Histogram, []string{"run", "player"}, "Time from the start of a player until it was ready for its first game."},
		{gamePlies, Histogram, []string{"run"}, "Plies of the games of stored pairs, the opening's included, those of earlier sessions as well."},
		{faultsTotal, Counter, []string{"run", "player", "kind"}, "Failures of engines, and tries at pairs that do not count (kind unplayed), in this session."},
		{startsTotal, Counter, []string{"run", "player", "result"}, "Starts of players that were ready for a game in the end, or failed."},
		{residentBytes, Gauge, []string{"run", "player"}, "Memory of the player's processes on this machine and of their descendants, without pages of files."},
		{cpuTotal, Counter, []string{"run", "player"}, "Processor time of the player's processes on this machine and of their descendants, in this session."},
		{markedTotal, Counter, []string{"run"}, "Moves that the machine slowed, in this session."},
		{ponderTotal, Counter, []string{"run", "player", "result"}, "Searches on the opponent's time, in the games that ended in this session: hit, or miss."},
		{slotsGauge, Gauge, []string{"run", "state"}, "Slots that are idle, starting players, or playing."},
		{sprtLLR, Gauge, []string{"run"}, "Log-likelihood ratio of the sequential test, over the pairs that it rests on; no evidence before it has stopped."},
		{sprtBound, Gauge, []string{"run", "side"}, "Where the sequential test stops: lower or upper."},
		{putSeconds, Histogram, []string{"run"}, "Time that storing a pair has taken, until it was committed."},
		{storeSize, Gauge, nil, "Size of the database with its log."},
		{droppedTotal, Counter, []string{"run", "reader"}, "Events of this session that a slow reader did not get: move events for the recorder of all events, any for these metrics."},
		{webClients, Gauge, nil, "Connections to the pages that are open."},
		{votesTotal, Counter, []string{"run", "council", "member", "result"}, "Ballots of members of councils in the stored games of this session: agreed with what was played, overruled, or absent."},
	}
}

// The closed lists of labels that are not the run's own words.
const (
	stateStarting = "starting"
	statePlaying  = "playing"
	statePaused   = "paused"
	stateDraining = "draining"
	stateDone     = "done"

	other = "other" // for a word that is on no list
)

func runStates() []string {
	return []string{stateStarting, statePlaying, statePaused, stateDraining, stateDone}
}

// family is the one of a name that is in the table.
func family(name string) Family {
	list := Families()
	return list[slices.IndexFunc(list, func(f Family) bool { return f.Name == name })]
}

// The classic buckets of a family, which has native ones as well.
func buckets(name string) []float64 {
	if name == gamePlies {
		return []float64{20, 40, 60, 80, 100, 120, 140, 160, 180, 200, 256, 320, 512}
	}
	return []float64{.001, .003, .01, .03, .1, .3, 1, 3, 10, 30, 100, 300}
}

// The grain of native histograms: each bucket is at most a tenth wider than the one
// before, and there are at most that many.
const (
	nativeFactor  = 1.1
	nativeBuckets = 100
)

func newHistogram(name string) *prometheus.HistogramVec {
	f := family(name)
	return prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: f.Name, Help: f.Help, Buckets: buckets(name),
		NativeHistogramBucketFactor: nativeFactor, NativeHistogramMaxBucketNumber: nativeBuckets,
	}, f.Labels)
}
