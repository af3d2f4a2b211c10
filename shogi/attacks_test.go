package shogi

import (
	"math/rand/v2"
	"testing"

	"gogi/internal/testutil"
)

// slowSlide walks by file and rank, without the numbering of squares.
func slowSlide(s Square, dirs [][2]int, occupied map[Square]bool) map[Square]bool {
	reached := map[Square]bool{}
	for _, d := range dirs {
		for f, r := s.File()+d[0], s.Rank()+d[1]; f >= 1 && f <= 9 && r >= 1 && r <= 9; f, r = f+d[0], r+d[1] {
			to := Square((f-1)*9 + r - 1)
			reached[to] = true
			if occupied[to] {
				break
			}
		}
	}
	return reached
}

func toMap(b bitboard) map[Square]bool {
	m := map[Square]bool{}
	for ; !b.empty(); b = b.rest() {
		m[b.first()] = true
	}
	return m
}

func sameSquares(a, b map[Square]bool) bool {
	for s := range a {
		if !b[s] {
			return false
		}
	}
	return len(a) == len(b)
}

// TestSlidersAgainstRayWalk: on each line through each square, every occupancy gives the right squares, for any other
// pieces on the board. The multiplications thus have no harmful collisions.
func TestSlidersAgainstRayWalk(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	lines := map[string]struct {
		dirs   [][2]int
		lookUp func(Square, bitboard) bitboard
	}{
		"file": {[][2]int{{0, -1}, {0, 1}}, fileAttacks},
		"rank": {[][2]int{{-1, 0}, {1, 0}}, func(s Square, o bitboard) bitboard {
			return lineAttacks(rankLine, s, inner(o))
		}},
		"falling": {[][2]int{{-1, -1}, {1, 1}}, func(s Square, o bitboard) bitboard {
			return lineAttacks(fallLine, s, inner(o))
		}},
		"rising": {[][2]int{{-1, 1}, {1, -1}}, func(s Square, o bitboard) bitboard {
			return lineAttacks(riseLine, s, inner(o))
		}},
		"black lance": {[][2]int{{0, -1}}, func(s Square, o bitboard) bitboard { return lanceAttacks(Black, s, o) }},
		"white lance": {[][2]int{{0, 1}}, func(s Square, o bitboard) bitboard { return lanceAttacks(White, s, o) }},
	}
	for name, line := range lines {
		t.Run(name, func(t *testing.T) {
			for s := range NoSquare {
				var on []Square
				for to := range slowSlide(s, line.dirs, nil) {
					on = append(on, to)
				}
				noise := bitboard{rng.Uint64() & fullLo, rng.Uint64() & fullHi}
				for pattern := range 1 << len(on) {
					occ, occMap := noise, map[Square]bool{}
					for i, to := range on {
						occ = occ.andNot(bit(to))
						if pattern>>i&1 != 0 {
							occ, occMap[to] = occ.or(bit(to)), true
						}
					}
					got, want := toMap(line.lookUp(s, occ)), slowSlide(s, line.dirs, occMap)
					testutil.Require(t, sameSquares(got, want), "from %v with %v occupied: reached %v, want %v", s, occMap, got, want)
				}
			}
		})
	}
}

func TestFiles(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 1000 {
		b := bitboard{rng.Uint64() & rng.Uint64() & rng.Uint64() & fullLo, rng.Uint64() & rng.Uint64() & fullHi}
		want := map[Square]bool{}
		for s := range toMap(b) {
			for rank := 1; rank <= 9; rank++ {
				want[NewSquare(s.File(), rank)] = true
			}
		}
		if got := toMap(b.files()); !sameSquares(got, want) {
			t.Fatalf("files of %v: %v, want %v", toMap(b), got, want)
		}
	}
}

func TestBetween(t *testing.T) {
	for a := range NoSquare {
		for b := range NoSquare {
			df, dr := b.File()-a.File(), b.Rank()-a.Rank()
			want := map[Square]bool{}
			if n := max(df, -df, dr, -dr); n > 0 && (df == 0 || dr == 0 || df == dr || df == -dr) {
				for i := 1; i < n; i++ {
					want[NewSquare(a.File()+i*df/n, a.Rank()+i*dr/n)] = true
				}
			}
			got := toMap(between(a, b))
			testutil.Require(t, sameSquares(got, want), "between %v and %v: %v, want %v", a, b, got, want)
		}
	}
}
