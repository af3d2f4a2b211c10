package alarms

import "fmt"

// Sample is one measurement of the memory use of an engine process, at the beginning of a game.
type Sample struct {
	Player string
	Slot   int
	PID    int
	Games  int   // the games that this process had begun before
	Bytes  int64 // resident memory with descendants, without pages of files
	Tables int64 // the maximum size of its hash tables in bytes; they fill up over several games
}

const (
	memorySlack  = 64 << 20 // the growth in bytes that is allowed in addition to the tables
	memoryGames  = 16       // games before the growth is checked
	leastSamples = 8        // samples before the growth is checked
	keptSamples  = 64
)

// memory detects engine processes whose memory use grows from game to game.
type memory struct {
	processes map[memorySeat]*growth
	warned    map[string]bool // by player
}

// memorySeat identifies the engine process of a player in a slot.
type memorySeat struct {
	player string
	slot   int
}

// growth has the samples of one process. If there are more than keptSamples, add removes some of them. The others
// stay evenly spaced.
type growth struct {
	pid     int
	samples []Sample
}

// sample adds a sample and returns the warning that it causes, or nil. It ignores samples before the second game,
// because an engine loads its network and starts its threads in the first game.
func (m *memory) sample(s Sample) []Warning {
	if s.Games < 1 || m.warned[s.Player] {
		return nil
	}
	at := memorySeat{s.Player, s.Slot}
	g := m.processes[at]
	if g == nil || g.pid != s.PID || g.samples[len(g.samples)-1].Games >= s.Games { // another process
		m.processes[at] = &growth{s.PID, []Sample{s}}
		return nil
	}
	g.add(s)
	first := g.samples[0]
	grown, games := s.Bytes-first.Bytes, s.Games-first.Games
	if games < memoryGames || len(g.samples) < leastSamples || grown <= s.Tables+memorySlack || !g.steady() {
		return nil
	}
	m.warned[s.Player] = true
	number := s.Slot
	return []Warning{{Memory, s.Player, &number, fmt.Sprintf(
		"its process %d has grown by %d MB in %d games, to %d MB, and goes on growing (%d MB is what its hash tables may take): start it afresh for each pair with --restart pair, before the machine has no memory left",
		s.PID, grown>>20, games, s.Bytes>>20, s.Tables>>20)}}
}

func (g *growth) add(s Sample) {
	if len(g.samples) == keptSamples {
		for i := range keptSamples / 2 {
			g.samples[i] = g.samples[2*i]
		}
		g.samples = g.samples[:keptSamples/2]
	}
	g.samples = append(g.samples, s)
}

// steady reports whether the memory grew in both halves of the games, in each by at least a quarter of the total
// growth. Constant growth adds half of the total in each half. A hash table that fills up stops growing, and a single
// jump is in one half only.
func (g *growth) steady() bool {
	first, last := g.samples[0], g.samples[len(g.samples)-1]
	middle := first
	for _, s := range g.samples {
		if s.Games <= (first.Games+last.Games)/2 {
			middle = s
		}
	}
	return 4*min(last.Bytes-middle.Bytes, middle.Bytes-first.Bytes) >= last.Bytes-first.Bytes
}
