package metrics

import (
	"maps"
	"math"
	"strconv"
	"strings"

	"github.com/prometheus/client_golang/prometheus"

	"gogi/match"
	"gogi/runner/events"
)

// player has the counts of a player in this session, and the histograms of its times.
type player struct {
	effort
	took     prometheus.Observer
	overruns prometheus.Observer
}

// seat identifies a slot of a worker. Each worker numbers its own slots.
type seat struct {
	worker string
	number int
}

// game has the counts of a game that is being played.
type game struct {
	pair, leg int
	names     [2]string
	players   [2]*player // by colour; nil until they are known
	done      [2]effort  // by colour
	marked    bool       // the machine delayed a move of the game
}

// effort is the number of answers with their nodes and their time.
type effort struct {
	moves int
	nodes uint64
	ms    float64
}

// buffer is the number of unread events at which the hub cuts the subscription.
const buffer = 4096

// Follow counts the events of the run until its session ends. Put this method into series.Config.Watch.
func (r *Run) Follow(hub *events.Hub) {
	if r != nil {
		r.follow(hub, hub.Subscribe(buffer))
	}
}

func (r *Run) follow(hub *events.Hub, s *events.Subscription) {
	for {
		for ev := range s.Events() {
			r.take(ev)
		}
		if s.Err() == nil {
			return
		}
		s = hub.Subscribe(buffer)
	}
}

func (r *Run) take(ev *match.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if ev.Type == match.EventState {
		r.restore(ev.State)
		return
	}
	if r.numbers != nil {
		r.numbers[ev.Worker] = ev.Seq
	}
	switch ev.Type { //nolint:exhaustive // the other types change no count
	case match.EventRun:
		r.learn(ev.Players)
	case match.EventGame:
		r.begin(at(ev), &game{pair: *ev.Pair, leg: *ev.Leg, names: [2]string{ev.Black, ev.White}})
	case match.EventMove:
		if g := r.games[at(ev)]; g != nil && g.pair == *ev.Pair && g.leg == *ev.Leg {
			r.moved(g, ev)
		}
	case match.EventEnd:
		r.end(ev)
	case match.EventCut:
		delete(r.games, at(ev))
	case match.EventPair:
		r.lastPair = ev.Time
	}
}

func at(ev *match.Event) seat { return seat{ev.Worker, *ev.Slot} }

func (r *Run) begin(at seat, g *game) {
	for c, name := range g.names {
		g.players[c] = r.player(name)
	}
	r.games[at] = g
}

// player returns the counts of a player. All names that are not players of the run share one set of counts.
func (r *Run) player(name string) *player {
	if len(r.known) > 0 && !r.known[name] {
		name = other
	}
	p := r.players[name]
	if p == nil {
		run, label := text(r.about.Run), text(name)
		p = &player{took: r.set.moves.WithLabelValues(run, label), overruns: r.set.overruns.WithLabelValues(run, label)}
		r.players[name] = p
	}
	return p
}

// moved counts a move. It allocates nothing, because it runs for every move of every game.
func (r *Run) moved(g *game, ev *match.Event) {
	c, ok := mover(ev.Position)
	if !ok || ev.TimeMS == nil {
		return // the end of the game counts this move
	}
	g.count(c, effort{1, ev.Nodes, *ev.TimeMS})
	g.players[c].took.Observe(*ev.TimeMS / 1000)
	g.players[c].overruns.Observe(ev.OverrunMS / 1000)
	if ev.Marked {
		g.marked = true
		r.marked++
	}
}

// mover returns the side that made the last move before a position.
func mover(sfen string) (side int, ok bool) {
	i := strings.IndexByte(sfen, ' ')
	if i < 0 || i+1 >= len(sfen) {
		return 0, false
	}
	switch sfen[i+1] {
	case 'w':
		return 0, true
	case 'b':
		return 1, true
	}
	return 0, false
}

// count adds to the counts of a side and of its player.
func (g *game) count(c int, more effort) {
	g.done[c].add(more)
	g.players[c].add(more)
}

func (e *effort) add(more effort) {
	e.moves, e.nodes, e.ms = e.moves+more.moves, match.SumNodes(e.nodes, more.nodes), e.ms+more.ms
}

// beyond returns e minus o, with 0 for negative differences.
func (e effort) beyond(o effort) effort {
	more := effort{moves: max(0, e.moves-o.moves), ms: max(0, e.ms-o.ms)}
	if e.nodes > o.nodes {
		more.nodes = e.nodes - o.nodes
	}
	return more
}

func effortOf(e match.Effort) effort { return effort{e.Moves, e.Nodes, e.TimeMS} }

// end handles the end of a game. The event has the sums of all answers of both engines, including answers that had no
// move event.
func (r *Run) end(ev *match.Event) {
	g := r.games[at(ev)]
	delete(r.games, at(ev))
	if g == nil || g.pair != *ev.Pair || g.leg != *ev.Leg {
		g = &game{players: [2]*player{r.player(ev.Black), r.player(ev.White)}}
	}
	if ev.Sides != nil {
		for c, e := range ev.Sides {
			r.settle(g, c, e, ev)
		}
	}
	if ev.Marked {
		r.markedIn++
		if !g.marked {
			r.marked++
		}
	}
}

// settle counts the answers of one side that had no move event.
func (r *Run) settle(g *game, c int, all match.Effort, ev *match.Event) {
	rest := effortOf(all).beyond(g.done[c])
	g.count(c, rest)
	sum := r.ended[all.Player]
	sum.Add(all)
	r.ended[all.Player] = sum
	if rest.moves != 1 {
		return
	}
	g.players[c].took.Observe(rest.ms / 1000)
	loser := map[string]int{match.WhiteWins.String(): 0, match.BlackWins.String(): 1}
	if lost, ok := loser[ev.Outcome]; ok && lost == c && ev.Termination == match.TimeForfeit.String() {
		g.players[c].overruns.Observe(all.WorstOverrunMS / 1000)
	}
}

// restore applies the state with which a subscription begins. If an earlier subscription was cut, restore adds the
// games that ended in between. For a game that is still played, the event of its end corrects the counts.
func (r *Run) restore(s *match.Snapshot) {
	if r.numbers == nil {
		r.numbers = map[string]uint64{}
	} else {
		for worker, last := range s.Numbers {
			r.missed += last - min(last, r.numbers[worker])
		}
	}
	maps.Copy(r.numbers, s.Numbers)
	r.learn(s.Players)
	gone := r.board(s)
	for _, e := range s.Efforts {
		rest := effortOf(e).beyond(effortOf(r.ended[e.Player])).beyond(gone[e.Player])
		r.player(e.Player).add(rest)
		r.ended[e.Player] = e
	}
	for _, t := range s.Recent {
		if t.Pairs > 0 && t.From.After(r.lastPair) {
			r.lastPair = t.From
		}
	}
}

// board keeps the counts of the games that are still played according to the state s, and removes those of other games.
// It returns the removed counts by player. Since the last state, games with a delayed move may have ended without an
// event of this move. board then adds one delayed move for each of them to r.marked.
func (r *Run) board(s *match.Snapshot) (gone map[string]effort) {
	before := r.games
	r.games = map[seat]*game{}
	for _, slot := range s.Slots {
		b, at := slot.Board, seat{slot.Worker, slot.Slot}
		if b == nil || b.Outcome != "" {
			continue
		}
		if g := before[at]; g != nil && g.pair == b.Pair && g.leg == b.Leg {
			r.games[at] = g
			delete(before, at)
			continue
		}
		r.begin(at, &game{pair: b.Pair, leg: b.Leg, names: [2]string{b.Black, b.White}})
	}
	gone, marks := map[string]effort{}, 0
	for _, g := range before {
		for c, name := range g.names {
			sum := gone[name]
			sum.add(g.done[c])
			gone[name] = sum
		}
		if g.marked {
			marks++
		}
	}
	r.marked += max(0, s.Marked-r.markedIn-marks) // a marked game has at least one marked move
	r.markedIn = s.Marked
	return gone
}

// points returns the points of a pair as a label: 0, 0.5, 1, 1.5 or 2 with the usual rules.
func points(p float64) string {
	return strconv.FormatFloat(math.Round(p*1000)/1000, 'f', -1, 64)
}
