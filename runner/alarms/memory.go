package alarms

import "fmt"

// Sample is how much memory an engine process held when a game began.
type Sample struct {
	Player string
	Slot   int
	PID    int
	Games  int   // that this process had begun before
	Bytes  int64 // resident, of it and its descendants, without what is a file's
	// Tables is what its hash tables may come to hold, which fill up from game to
	// game, in bytes.
	Tables int64
}

const (
	memorySlack  = 64 << 20 // bytes that a process may grow by beside its tables
	memoryGames  = 16       // games before its growth is looked at
	leastSamples = 8        // before its growth is looked at
	keptSamples  = 64
)

// memory watches the processes of all players.
type memory struct {
	processes map[memorySeat]*growth
	told      map[string]bool // players
}

// memorySeat is where a player has one process at a time.
type memorySeat struct {
	player string
	slot   int
}

// growth is the samples of one process, evenly thinned out.
type growth struct {
	pid     int
	samples []Sample
}

func newMemory() *memory {
	return &memory{processes: map[memorySeat]*growth{}, told: map[string]bool{}}
}

// sample takes the next sample. Those before the second game count nothing:
// networks are loaded and threads started with the first.
func (m *memory) sample(s Sample) []Warning {
	if s.Games < 1 || m.told[s.Player] {
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
	m.told[s.Player] = true
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

// steady reports whether the process has grown in both halves of its games, by a
// quarter of all at least. What grows by the same each game has grown by half in
// either; a table that fills up, and a heap that finds its shape, end to grow, and one
// leap is in one half only.
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
