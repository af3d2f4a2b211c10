//go:build ignore

// Makeopenings writes the 500 openings of the paper's experiment: the lines of the built-in
// set, each continued by four plies that the built-in engine thinks nearly as good as the best,
// as far as the position stays balanced.
//
//	go run configs/paper/makeopenings.go configs/openings/openings/builtin.sfen > configs/paper/openings.sfen
package main

import (
	"bufio"
	"context"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"slices"
	"strings"

	"gogi/players/builtin"
	"gogi/shogi"
	"gogi/usi"
)

const (
	wanted   = 500
	plies    = 4      // added to each line
	choices  = 6      // lines that the next move is drawn from
	nodes    = 20_000 // for each choice
	window   = 50     // centipawns below the best that a choice may be
	balance  = 100    // centipawns that the end may be away from even
	attempts = 40     // for each line
)

func main() {
	lines := read(os.Args[1])
	random := rand.New(rand.NewPCG(1, 1))
	engine := builtin.New()
	check(engine.SetOption(usi.Setting{Name: "MultiPV", Value: fmt.Sprint(choices)}))
	check(engine.Ready(context.Background()))
	fmt.Println("# 500 openings of 12 to 16 plies: made by makeopenings.go")
	seen := map[uint64]bool{}
	for round := 0; len(seen) < wanted && round < attempts; round++ {
		for _, line := range lines {
			p, err := usi.ParsePosition("position " + line)
			check(err)
			if extend(engine, random, &p) && len(seen) < wanted {
				h, err := p.History()
				check(err)
				if key := h.Position().Key(); !seen[key] {
					seen[key] = true
					fmt.Println(strings.TrimPrefix(p.String(), "position "))
				}
			}
		}
	}
}

// extend adds moves, and reports whether the end is balanced.
func extend(engine *builtin.Engine, random *rand.Rand, p *usi.Position) bool {
	for range plies {
		p.Moves = append(slices.Clip(p.Moves), draw(think(engine, *p), random))
	}
	best := think(engine, *p)[0].Score
	return best.Mate == 0 && best.Value < balance && best.Value > -balance
}

func think(engine *builtin.Engine, p usi.Position) []usi.Info {
	check(engine.NewGame(context.Background(), usi.Game{}))
	r, err := engine.Think(context.Background(), usi.Request{Position: p, Go: usi.Go{Nodes: nodes}})
	check(err)
	return r.Lines
}

func draw(lines []usi.Info, random *rand.Rand) shogi.Move {
	n := 0
	for _, l := range lines {
		if l.Score.Number() >= lines[0].Score.Number()-window {
			n++
		}
	}
	return lines[random.IntN(n)].PV[0]
}

func read(path string) []string {
	file, err := os.Open(path)
	check(err)
	defer file.Close()
	var lines []string
	for s := bufio.NewScanner(file); s.Scan(); {
		if line := strings.TrimSpace(s.Text()); line != "" && line[0] != '#' {
			lines = append(lines, line)
		}
	}
	return lines
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
