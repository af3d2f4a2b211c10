package events_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"pgregory.net/rapid"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/shogi"
)

const hirate = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1"

var began = time.Date(2026, 11, 1, 12, 0, 3, 0, time.UTC)

// series plays pairs at random and sends events as runner.Events does. It keeps its own counts, which the tests
// compare with the state.
type series struct {
	t       *rapid.T
	now     time.Time
	numbers map[string]uint64
	events  []match.Event
	tables  []*table
	wanted  int // tables of the process itself
	phase   match.RunPhase
	pair    int // the next one

	stored   int
	results  map[[4]string]int // of stored games: black, white, outcome, termination
	ended    int
	faults   map[[2]string]int
	forfeits int
	nodes    map[string]uint64
}

// table is a slot of the process itself or of a worker.
type table struct {
	worker    string
	number    int
	phase     match.SlotPhase
	pair, leg int
	whole     bool // the pair is not stored yet
	ends      [][4]string
	board     shogi.Position
	text      string // the moves, opening included
	ply       int
	nodes     [2]uint64
}

func newSeries(t *rapid.T) *series {
	s := &series{t: t, now: began, numbers: map[string]uint64{}, results: map[[4]string]int{}, faults: map[[2]string]int{},
		nodes: map[string]uint64{}}
	for n := range rapid.IntRange(1, 3).Draw(t, "slots") {
		s.tables = append(s.tables, &table{number: n, phase: match.SlotIdle})
	}
	own := len(s.tables)
	s.wanted, s.phase = own, match.RunPlaying
	finished := 0
	s.send(match.Event{
		Type: match.EventRun, Players: []string{"A", "B"}, GameHead: match.GameHead{Limits: []string{"nodes 1", "nodes 2"}},
		Digest: "d", Rules: "default",
		Slots: own, Pairs: 100, Games: 200, Finished: &finished,
	})
	if rapid.Bool().Draw(t, "a worker") {
		s.tables = append(s.tables, &table{worker: "w", phase: match.SlotIdle})
	}
	return s
}

// send numbers and stamps an event.
func (s *series) send(e match.Event) {
	s.numbers[e.Worker]++
	e.V, e.Run, e.Seq, e.Time = match.EventVersion, "run", s.numbers[e.Worker], s.now
	s.events = append(s.events, e)
}

func (s *series) at(b *table, kind match.EventType) match.Event {
	pair, leg, slot := b.pair, b.leg, b.number
	return match.Event{Type: kind, Worker: b.worker, Pair: &pair, Leg: &leg, Slot: &slot}
}

func (b *table) players() (black, white string) {
	if b.leg == 0 {
		return "A", "B"
	}
	return "B", "A"
}

// step makes one slot do its next step. Sometimes it does something else.
func (s *series) step() {
	s.now = s.now.Add(time.Duration(rapid.IntRange(0, 20_000).Draw(s.t, "ms")) * time.Millisecond)
	b := s.tables[rapid.IntRange(0, len(s.tables)-1).Draw(s.t, "slot")]
	luck := rapid.IntRange(0, 19).Draw(s.t, "luck") // rapid likes small numbers
	switch {
	case luck == 17:
		s.tell()
	case b.phase == match.SlotIdle && b.leg == 0 && b.worker == "" && b.number >= s.wanted:
		s.retire(b)
	case b.phase == match.SlotIdle:
		s.seat(b)
	case luck == 19:
		s.cut(b)
	case luck == 18:
		s.fault(b, "B", "ponder", false)
	case b.phase == match.SlotStarting:
		s.begin(b)
	case luck%5 == 4:
		s.end(b)
	default:
		s.move(b)
	}
}

// tell changes the number of slots and the phase.
func (s *series) tell() {
	s.wanted = rapid.IntRange(1, 4).Draw(s.t, "wanted")
	s.phase = rapid.SampledFrom([]match.RunPhase{match.RunPlaying, match.RunPaused, match.RunDraining}).Draw(s.t, "phase")
	for n := range s.wanted {
		if !slices.ContainsFunc(s.tables, func(b *table) bool { return b.worker == "" && b.number == n }) {
			s.tables = append(s.tables, &table{number: n, phase: match.SlotIdle})
		}
	}
	s.send(match.Event{Type: match.EventControl, Phase: s.phase, Slots: s.wanted, Pairs: 100, Games: 200})
}

// retire removes a slot beyond the wanted number.
func (s *series) retire(b *table) {
	if b.whole {
		s.store(b)
	}
	s.tables = slices.DeleteFunc(s.tables, func(other *table) bool { return other == b })
}

func (s *series) seat(b *table) {
	if b.whole {
		s.store(b)
	}
	if b.leg == 0 {
		b.pair = s.pair
		s.pair++
	}
	b.phase = match.SlotStarting
	e := s.at(b, match.EventSeat)
	e.Black, e.White = b.players()
	s.send(e)
}

func (s *series) begin(b *table) {
	b.phase, b.ply, b.text, b.nodes = match.SlotPlaying, 2, "7g7f 3c3d", [2]uint64{}
	b.board, _ = shogi.ParseSFEN(hirate)
	for _, text := range []string{"7g7f", "3c3d"} {
		m, _ := shogi.ParseMove(text)
		b.board.Apply(m)
	}
	e := s.at(b, match.EventGame)
	e.Black, e.White = b.players()
	clock := 1000.0
	e.Start, e.Moves, e.Plies, e.Opening, e.Limits, e.Clocks = hirate, b.text, 2, "1", []string{"x", "y"},
		[]*float64{&clock, nil}
	s.send(e)
}

func (s *series) move(b *table) {
	moves := b.board.LegalMoves(nil)
	if len(moves) == 0 {
		s.end(b)
		return
	}
	m := moves[rapid.IntRange(0, len(moves)-1).Draw(s.t, "move")]
	mover := b.board.Side()
	b.board.Apply(m)
	b.ply++
	b.text += " " + m.String()
	b.nodes[mover] += uint64(b.ply)
	e := s.at(b, match.EventMove)
	score, spent, left := b.ply, 1.5, float64(1000-b.ply)
	e.Ply, e.Move, e.Position, e.Score, e.Nodes, e.TimeMS = b.ply, m.String(), b.board.SFEN(), &score, uint64(b.ply),
		&spent
	if mover == shogi.Black {
		e.ClockMS = &left
	}
	if b.ply%3 == 0 { // as if a council had moved
		e.Vote = &match.Vote{By: "rule", Split: fmt.Sprint(b.ply),
			Ballots: []match.Ballot{{Member: "m", Kind: "move", Move: m.String(), Played: true}}}
	}
	s.send(e)
}

func (s *series) end(b *table) {
	black, white := b.players()
	e := s.at(b, match.EventEnd)
	outcome := rapid.SampledFrom([]string{"black", "white", "draw"}).Draw(s.t, "outcome")
	points := map[string][2]float64{"black": {1, 0}, "white": {0, 1}, "draw": {.5, .5}}[outcome]
	e.Black, e.White, e.Outcome, e.Termination, e.Points = black, white, outcome, "resignation", &points
	if outcome == "black" && rapid.Bool().Draw(s.t, "crash") {
		s.fault(b, white, "crash", true)
		e.Termination = "crash"
	}
	e.Plies, e.Position = b.ply, b.board.SFEN()
	e.Sides = &[2]match.Effort{{Player: black, Nodes: b.nodes[0]}, {Player: white, Nodes: b.nodes[1]}}
	s.send(e)
	s.ended++
	s.nodes[black] += b.nodes[0]
	s.nodes[white] += b.nodes[1]
	b.ends = append(b.ends, [4]string{black, white, outcome, e.Termination})
	b.phase, b.whole, b.leg = match.SlotIdle, b.leg == 1, 1-b.leg
}

// store counts a pair.
func (s *series) store(b *table) {
	pair := b.pair
	s.send(match.Event{Type: match.EventPair, Worker: b.worker, Pair: &pair})
	s.stored++
	for _, g := range b.ends {
		s.results[g]++
	}
	b.ends, b.whole = nil, false
}

func (s *series) cut(b *table) {
	s.send(s.at(b, match.EventCut))
	if rapid.Bool().Draw(s.t, "unplayed") {
		s.fault(b, "", match.KindUnplayed, false)
	}
	b.phase, b.leg, b.ends = match.SlotIdle, 0, nil
}

func (s *series) fault(b *table, engine, kind string, forfeit bool) {
	e := s.at(b, match.EventFault)
	e.Engine, e.Kind, e.Forfeit = engine, kind, forfeit
	s.send(e)
	s.faults[[2]string{engine, kind}]++
	if forfeit {
		s.forfeits++
	}
}

// played returns a series of random length, which may have ended.
func played(t *rapid.T) *series {
	s := newSeries(t)
	for range rapid.IntRange(20, 150).Draw(t, "steps") {
		s.step()
	}
	if rapid.IntRange(0, 3).Draw(t, "ended") == 0 {
		finished := s.stored
		s.send(match.Event{Type: match.EventDone, Finished: &finished, Dropped: 3})
		for _, b := range s.tables {
			b.phase = match.SlotIdle
		}
	}
	return s
}

// fataler is a *testing.T or a *rapid.T.
type fataler interface {
	Helper()
	Fatal(args ...any)
}

// text returns a value as JSON, for comparisons.
func text(t fataler, v any) string {
	t.Helper()
	b := testutil.Must(json.MarshalIndent(v, "", " "))(t)
	return string(b)
}

// reread returns an event after it was encoded and decoded as JSON.
func reread(t fataler, e match.Event) (back match.Event) {
	t.Helper()
	testutil.OK(t, json.Unmarshal([]byte(text(t, e)), &back))
	return back
}
