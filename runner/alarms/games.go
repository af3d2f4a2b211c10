package alarms

import (
	"fmt"
	"hash/maphash"
	"time"

	"gogi/match"
)

// A rate up to which repeated games are not worth a word: with one game in twenty
// a copy, an interval is some 2.5% narrower than it should be where games are the
// unit, and no narrower where openings are, as in the reports.
const (
	fewCopies   = 0.05
	leastCopies = 8
	keptGames   = 1 << 20 // games that are remembered
)

// copies watches for games that repeat earlier ones of the session.
type copies struct {
	seed   maphash.Seed
	seen   map[uint64]bool
	games  int
	copies int
	told   bool
}

func newCopies() *copies { return &copies{seed: maphash.MakeSeed(), seen: map[uint64]bool{}} }

// game takes the end of a game from an opening. One between the same players from the same opening
// with the same length and the same last position is a copy: that they differ in the
// moves between is possible, and rare.
func (c *copies) game(opening string, ev match.Event) []Warning {
	if len(c.seen) == keptGames || c.told {
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
	c.told = true
	return []Warning{{Copies, "", nil, fmt.Sprintf(
		"%d of %d games are like an earlier one of this session: same players, length and last position. A copy shows nothing new, which is why the reports count openings and not games: give the series more openings",
		c.copies, c.games)}}
}

// A move that is over its limit by more than half of the margin is near a loss on
// time. One game in a thousand may have one without a word.
const (
	rareOverruns  = 0.001
	leastOverruns = 3
)

// margin watches how near one player's moves come to the end of its margin.
type margin struct {
	player string
	margin time.Duration
	games  int
	near   int
	worst  time.Duration
	told   bool
}

func (m *margin) game(worst time.Duration) []Warning {
	m.games++
	m.worst = max(m.worst, worst)
	if m.told || m.margin <= 0 || 2*worst <= m.margin {
		return nil
	}
	if m.near++; m.near < leastOverruns || !tooMany(m.near, m.games, rareOverruns) {
		return nil
	}
	m.told = true
	return []Warning{{Margin, m.player, nil, fmt.Sprintf(
		"in %d of %d games it had a move over its limit by more than half of the margin (the worst by %d of %d ms): beyond the margin they are lost. Let the engine keep more time back, play fewer games at a time, or give a larger margin in a new run",
		m.near, m.games, m.worst.Milliseconds(), m.margin.Milliseconds())}}
}
