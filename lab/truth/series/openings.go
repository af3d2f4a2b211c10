package series

import (
	"bufio"
	"errors"
	"math/rand/v2"
	"os"
	"slices"

	"gogi/shogi"
)

// openingPlies is the length of an opening. It is even, so that Black moves first in each game.
const openingPlies = 6

// writeOpenings writes a file of count different openings.
func writeOpenings(path string, count int) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	w := bufio.NewWriter(f)
	seen := map[uint64]bool{}
	for n := uint64(0); len(seen) < count; n++ {
		p, line := opening(n)
		if seen[p.Key()] {
			continue
		}
		seen[p.Key()] = true
		if _, err := w.WriteString(line + "\n"); err != nil {
			return err
		}
	}
	return w.Flush()
}

// opening returns opening n: moves drawn at random, none of them a check.
func opening(n uint64) (shogi.Position, string) {
	r := rand.New(rand.NewPCG(n, 0))
	p := shogi.StartPos()
	var line []shogi.Move
	for range openingPlies {
		moves := slices.DeleteFunc(p.LegalMoves(nil), func(m shogi.Move) bool { return p.GivesCheck(m) })
		m := moves[r.IntN(len(moves))]
		line = append(line, m)
		p.Apply(m)
	}
	return p, shogi.LineText("startpos", line)
}
