package metrics

import (
	"math"
	"strconv"
	"strings"

	"github.com/prometheus/client_golang/prometheus"

	"gogi/match"
	"gogi/runner/events"
)

// player is what a player has done in this session, and where its times go.
type player struct {
	moves    int
	nodes    uint64
	ms       float64
	took     prometheus.Observer
	overruns prometheus.Observer
}

// seat names a slot: workers number theirs for themselves.
type seat struct {
	worker string
	number int
}

// game is what was counted of a game in play.
type game struct {
	pair, leg int
	names     [2]string
	players   [2]*player // Black's and White's; nil until they are known
	done      [2]done
	marked    bool
}

// done are a side's answers.
type done struct {
	moves int
	nodes uint64
	ms    float64
}

// listening is how many events the counting may be behind.
const listening = 4096

// Follow counts what happens in the run until its session ends; it is one of
// series.Config.Watch.
func (r *Run) Follow(hub *events.Hub) {
	if r != nil {
		r.follow(hub, hub.Subscribe(listening))
	}
}

func (r *Run) follow(hub *events.Hub, s *events.Subscription) {
	for {
		for ev := range s.Events() {
			r.take(&ev)
		}
		if s.Err() == nil {
			return
		}
		s = hub.Subscribe(listening)
	}
}

// take counts an event.
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
	switch ev.Type {
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
	case match.EventSeat, match.EventFault, match.EventWarning, match.EventTold, match.EventDone, match.EventState, match.EventBoard,
		match.EventTune, match.EventBlock, match.EventForfeit, match.EventCandidate, match.EventValidation:
	}
}

func at(ev *match.Event) seat { return seat{ev.Worker, *ev.Slot} }

func (r *Run) begin(at seat, g *game) {
	for c, name := range g.names {
		g.players[c] = r.player(name)
	}
	r.games[at] = g
}

// player is where a player's moves are counted: those that the run does not have are
// counted as one.
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

// moved counts a move. It makes nothing: as many as all games make pass here.
func (r *Run) moved(g *game, ev *match.Event) {
	c, ok := mover(ev.Position)
	if !ok || ev.TimeMS == nil {
		return // the end of the game counts it
	}
	g.count(c, done{1, ev.Nodes, *ev.TimeMS})
	g.players[c].took.Observe(*ev.TimeMS / 1000)
	g.players[c].overruns.Observe(ev.OverrunMS / 1000)
	if ev.Marked {
		g.marked = true
		r.marked++
	}
}

// mover is who has moved into a position, by whose turn it is there.
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

// count adds to a side's answers, and to its player's.
func (g *game) count(c int, more done) {
	d := &g.done[c]
	d.moves, d.nodes, d.ms = d.moves+more.moves, match.SumNodes(d.nodes, more.nodes), d.ms+more.ms
	g.players[c].add(more)
}

func (p *player) add(d done) {
	p.moves, p.nodes, p.ms = p.moves+d.moves, match.SumNodes(p.nodes, d.nodes), p.ms+d.ms
}

// beyond is how much the one is more than the other; nothing is less than 0.
func (d done) beyond(o done) done {
	more := done{moves: max(0, d.moves-o.moves), ms: max(0, d.ms-o.ms)}
	if d.nodes > o.nodes {
		more.nodes = d.nodes - o.nodes
	}
	return more
}

func doneIn(e match.Effort) done { return done{e.Moves, e.Nodes, e.TimeMS} }

// end takes the end of a game, which knows what all its moves amount to: those that
// did not come as events, and the answer that was no move.
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

// settle counts what a side did and no event told.
func (r *Run) settle(g *game, c int, all match.Effort, ev *match.Event) {
	rest := doneIn(all).beyond(g.done[c])
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

// restore takes the state that a subscription begins with. After one that was cut, it
// tells what the games that ended meanwhile amount to; of those that are in play, their
// ends will.
func (r *Run) restore(s *match.Snapshot) {
	if r.numbers == nil {
		r.numbers = map[string]uint64{}
	} else {
		for worker, last := range s.Numbers {
			r.missed += last - min(last, r.numbers[worker])
		}
	}
	for worker, last := range s.Numbers {
		r.numbers[worker] = last
	}
	r.learn(s.Players)
	gone := r.board(s)
	for _, e := range s.Efforts {
		rest := doneIn(e).beyond(doneIn(r.ended[e.Player])).beyond(gone[e.Player])
		r.player(e.Player).add(rest)
		r.ended[e.Player] = e
	}
	for _, t := range s.Recent {
		if t.Pairs > 0 && t.From.After(r.lastPair) {
			r.lastPair = t.From
		}
	}
}

// board keeps the games that are in play and drops the others, and returns what was
// counted of those by player. A game whose mark was counted is not counted again.
func (r *Run) board(s *match.Snapshot) (gone map[string]done) {
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
	gone, marks := map[string]done{}, 0
	for _, g := range before {
		for c, name := range g.names {
			sum := gone[name]
			sum.moves, sum.nodes, sum.ms = sum.moves+g.done[c].moves, match.SumNodes(sum.nodes, g.done[c].nodes), sum.ms+g.done[c].ms
			gone[name] = sum
		}
		if g.marked {
			marks++
		}
	}
	r.marked += max(0, s.Marked-r.markedIn-marks) // one move each, at least
	r.markedIn = s.Marked
	return gone
}

// points is what a pair was worth, as a label: 0, 0.5, 1, 1.5 or 2 by the usual rules.
func points(p float64) string {
	return strconv.FormatFloat(math.Round(p*1000)/1000, 'f', -1, 64)
}
