package alarms

import (
	"fmt"
	"hash/maphash"
	"time"

	"gogi/match"
)

// Below this rate copies cause no warning. If one game in twenty is a copy, an interval that counts games is about 2.5%
// too narrow. The intervals in the reports count openings and stay correct.
const (
	fewCopies   = 0.05
	leastCopies = 8
	keptGames   = 1 << 20 // the maximum number of stored games
)

// copies detects games that repeat earlier games of the session.
type copies struct {
	seed   maphash.Seed
	seen   map[uint64]bool
	games  int
	copies int
	warned bool
}

func newCopies() *copies { return &copies{seed: maphash.MakeSeed(), seen: map[uint64]bool{}} }

// game adds the end of a game from an opening. A copy has the same players, opening, length and last position as an
// earlier game. Such games rarely differ in the moves between.
func (c *copies) game(opening string, ev match.Event) []Warning {
	if len(c.seen) == keptGames || c.warned {
		return nil
	}
	key := maphash.String(c.seed, fmt.Sprint(ev.Black, "\x00", ev.White, "\x00", opening, "\x00", ev.Plies, "\x00", ev.Position))
	c.games++
	if !c.seen[key] {
		c.seen[key] = true
		return nil
	}
	if c.copies++; c.copies < leastCopies || !tooMany(c.copies, c.games, fewCopies) {
		return nil
	}
	c.warned = true
	return []Warning{{Copies, "", nil, fmt.Sprintf(
		"%d of %d games are like an earlier one of this session: same players, length and last position. A copy shows nothing new, which is why the reports count openings and not games: give the series more openings",
		c.copies, c.games)}}
}

// A move over its limit by more than half of the margin is near a loss on time. One such game in a thousand causes
// no warning.
const (
	rareOverruns  = 0.001
	leastOverruns = 3
)

// margin detects a player whose moves use most of its margin.
type margin struct {
	player string
	margin time.Duration
	games  int
	near   int
	worst  time.Duration
	warned bool
}

func (m *margin) game(worst time.Duration) []Warning {
	m.games++
	m.worst = max(m.worst, worst)
	if m.warned || m.margin <= 0 || 2*worst <= m.margin {
		return nil
	}
	if m.near++; m.near < leastOverruns || !tooMany(m.near, m.games, rareOverruns) {
		return nil
	}
	m.warned = true
	return []Warning{{Margin, m.player, nil, fmt.Sprintf(
		"in %d of %d games it had a move over its limit by more than half of the margin (the worst by %d of %d ms): beyond the margin they are lost. Let the engine keep more time back, play fewer games at a time, or give a larger margin in a new run",
		m.near, m.games, m.worst.Milliseconds(), m.margin.Milliseconds())}}
}
