package metrics

import (
	"slices"

	"github.com/prometheus/client_golang/prometheus"
)

// Type is the Prometheus type of a family.
type Type string

// The types.
const (
	Gauge     Type = "gauge"
	Counter   Type = "counter"
	Histogram Type = "histogram"
)

// A Family is a Prometheus metric family: all metrics with the same name.
type Family struct {
	Name   string
	Type   Type
	Labels []string
	Help   string
}

// gogi exports metrics with these names.
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

// Families returns all families in the order of the documentation. A run may lack some of them. For example,
// only a run with a sequential test has gogi_sprt_llr.
func Families() []Family {
	return []Family{
		{buildInfo, Gauge, []string{"version", "revision", "goversion"},
			"The version of gogi that exports the metrics, always 1."},
		{runInfo, Gauge, []string{"run", "digest", "rules", "design"}, "A run, always 1."},
		{runState, Gauge, []string{"run", "state"},
			"Whether the run is in this state: 1 for one of starting, playing, paused, draining and done, else 0."},
		{pairsPlanned, Gauge, []string{"run"}, "Planned pairs of the run."},
		{pairsStored, Gauge, []string{"run"}, "Stored pairs."},
		{runStarted, Gauge, []string{"run"}, "Time of the beginning of the first session."},
		{lastPair, Gauge, []string{"run"},
			"Time when the latest pair was stored. For a pair of an earlier session, the time when its last game ended."},
		{gamesTotal, Counter, []string{"run", "black", "white", "outcome", "termination"},
			"Games of stored pairs, with those of earlier sessions."},
		{pairsTotal, Counter, []string{"run", "player", "opponent", "points"},
			"Stored pairs by the points of the player with Black in the first game, with those of earlier sessions."},
		{movesTotal, Counter, []string{"run", "player"}, "Answers of the player to a go, in this session."},
		{nodesTotal, Counter, []string{"run", "player"}, "Nodes that the player reports, in this session."},
		{thinkingTotal, Counter, []string{"run", "player"}, "Time that the player took for its answers, in this session."},
		{moveSeconds, Histogram, []string{"run", "player"}, "Time of an answer."},
		{moveOverrun, Histogram, []string{"run", "player"},
			"Time of a move beyond its limit, 0 for a move within it. Includes answers that lost on time."},
		{startSeconds, Histogram, []string{"run", "player"},
			"Time from the start of a player until it was ready for its first game."},
		{gamePlies, Histogram, []string{"run"},
			"Plies of the games of stored pairs, with the opening and with earlier sessions."},
		{faultsTotal, Counter, []string{"run", "player", "kind"},
			"Failures of engines, and attempts at pairs that do not count (kind unplayed), in this session."},
		{startsTotal, Counter, []string{"run", "player", "result"},
			"Starts of players, by result: ready for a game, or failed."},
		{residentBytes, Gauge, []string{"run", "player"},
			"Memory of the player's processes on this machine and of their descendants, without pages of files."},
		{cpuTotal, Counter, []string{"run", "player"},
			"Processor time of the player's processes on this machine and of their descendants, in this session."},
		{markedTotal, Counter, []string{"run"}, "Moves that the machine slowed, in this session."},
		{ponderTotal, Counter, []string{"run", "player", "result"},
			"Ponder searches in the games that ended in this session: hit or miss."},
		{slotsGauge, Gauge, []string{"run", "state"}, "Slots that are idle, starting players, or playing."},
		{sprtLLR, Gauge, []string{"run"},
			"Log-likelihood ratio of the sequential test over the pairs that it uses. It proves nothing before the test stops."},
		{sprtBound, Gauge, []string{"run", "side"}, "Bounds of the sequential test: lower or upper."},
		{putSeconds, Histogram, []string{"run"}, "Time to store a pair until its commit."},
		{storeSize, Gauge, nil, "Size of the database with its log."},
		{droppedTotal, Counter, []string{"run", "reader"},
			"Events of this session that a slow reader did not get: move events for the recorder, any event for these metrics."},
		{webClients, Gauge, nil, "Open connections to the pages."},
		{votesTotal, Counter, []string{"run", "council", "member", "result"},
			"Ballots of council members in the stored games of this session: agreed with the played move, overruled, or absent."},
	}
}

// These are the label values that do not come from a run.
const (
	stateStarting = "starting"
	statePlaying  = "playing"
	statePaused   = "paused"
	stateDraining = "draining"
	stateDone     = "done"

	other = "other" // replaces a word that is not in its list
)

func runStates() []string {
	return []string{stateStarting, statePlaying, statePaused, stateDraining, stateDone}
}

func family(name string) Family {
	list := Families()
	return list[slices.IndexFunc(list, func(f Family) bool { return f.Name == name })]
}

// buckets returns the classic buckets of a family. Such a family also has native buckets.
func buckets(name string) []float64 {
	if name == gamePlies {
		return []float64{20, 40, 60, 80, 100, 120, 140, 160, 180, 200, 256, 320, 512}
	}
	return []float64{.001, .003, .01, .03, .1, .3, 1, 3, 10, 30, 100, 300}
}

// Each bucket of a native histogram is at most a tenth wider than the bucket before. A histogram has at most
// nativeBuckets buckets.
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
