package match

import (
	"fmt"
	"sync"

	"gogi/shogi"
)

// Opening is the start of a game: a position and moves made from it.
type Opening struct {
	ID    string       `json:"ID"`    // its name in reports: "17" is the 17th opening of its book
	Start string       `json:"Start"` // "startpos" or a SFEN
	Moves []shogi.Move `json:"Moves"`
}

// Position returns the position before the opening's moves.
func (o Opening) Position() (shogi.Position, error) {
	if o.Start == "startpos" {
		return shogi.StartPos(), nil
	}
	if p, ok := recent.get(o.Start); ok {
		return p, nil
	}
	p, err := shogi.ParseSFEN(o.Start)
	if err != nil {
		return p, fmt.Errorf("opening %s: %w", o.ID, err)
	}
	recent.put(o.Start, p)
	return p, nil
}

// recent has the positions of some SFENs. The games of a match begin from the same few positions, and each of them is
// needed several times for a game.
var recent = positions{of: map[string]shogi.Position{}}

// positions is a cache of parsed SFENs. Its methods are safe for concurrent use.
type positions struct {
	mu sync.RWMutex
	of map[string]shogi.Position
}

// mostPositions limits the cache. Beyond the limit it begins again.
const mostPositions = 1024

func (c *positions) get(sfen string) (p shogi.Position, ok bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	p, ok = c.of[sfen]
	return p, ok
}

func (c *positions) put(sfen string, p shogi.Position) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.of) >= mostPositions {
		clear(c.of)
	}
	c.of[sfen] = p
}

// USIStart returns the start position for the "position" command: "startpos" or "sfen …".
func (o Opening) USIStart() string {
	if o.Start == "startpos" {
		return o.Start
	}
	return "sfen " + o.Start
}

// String returns the opening as a line of a book: "startpos moves …" or "sfen …".
func (o Opening) String() string {
	return shogi.LineText(o.USIStart(), o.Moves)
}

// openingIndex returns the index of the opening for a round, in a book of n openings. The order of the
// openings depends on the seed. Every opening occurs once before any occurs again, and each pass through the
// book has a new order. The permutation is a Feistel network over the next power of four, repeated until the
// number is below n. It needs no table for a book of any size.
func openingIndex(seed uint64, round, n int) int {
	if n <= 1 {
		return 0
	}
	half := uint(1)
	for 1<<(2*half) < n {
		half++
	}
	// "opening" in ASCII, so that the key differs from the seeds of pairs
	key := mix(seed, uint64(round/n)+0x6f70656e696e67)
	x := uint64(round % n)
	for {
		if x = feistel(x, key, half); x < uint64(n) {
			return int(x)
		}
	}
}

// feistel returns the image of x in a permutation of the numbers with 2*half bits. key selects the permutation. Twelve
// rounds make all orders of a small book about equally frequent; six rounds are not enough.
func feistel(x, key uint64, half uint) uint64 {
	mask := uint64(1)<<half - 1
	left, right := x>>half, x&mask
	for round := range uint64(12) {
		left, right = right, left^(mix(key+round, right)&mask)
	}
	return left<<half | right
}

// mix hashes two numbers into one (the finaliser of SplitMix64, Steele, Lea and
// Flood 2014, applied to both).
func mix(a, b uint64) uint64 {
	return SplitMix(SplitMix(a) + b)
}

// SplitMixStep is the number that SplitMix64 adds to its state at each step.
const SplitMixStep = 0x9e3779b97f4a7c15

// SplitMix returns a hash of x, for example to make a seed. Neighbouring numbers get unrelated hashes, and
// different numbers never get the same hash. It is the finaliser of SplitMix64 (Steele, Lea and Flood 2014).
func SplitMix(x uint64) uint64 {
	x += SplitMixStep
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
