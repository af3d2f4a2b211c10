package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"gogi/gate"
	"gogi/internal/format"
	"gogi/players"
	"gogi/stats"
)

// expectation prints how long a sequential test will take, before its first game.
func expectation(ctx context.Context, w io.Writer, o *players.Opener) error {
	length, err := o.GameLength(ctx)
	if err != nil {
		return err
	}
	g := o.Plan.Gate
	fmt.Fprintf(w, "%s, at most %s games\n", g, format.Count(o.Plan.Games()))
	at := []float64{0, g.Elo0, g.Elo1}
	slices.Sort(at)
	for _, elo := range slices.Compact(at) {
		e, err := gate.Test(g).Expect(elo, stats.Conditions{DrawRate: typicalDraws})
		if err != nil {
			fmt.Fprintf(w, "  at %+g Elo: %v\n", elo, err)
			continue
		}
		hours := time.Duration(e.Games / float64(o.Plan.Concurrency) * float64(length))
		fmt.Fprintf(w, "  at %+g Elo: about %s games, %s; passes with probability %.2f\n", elo, format.Count(int(e.Games)), format.Duration(hours), e.Pass)
	}
	return nil
}

// typicalDraws is the draw rate for estimates: shogi has few.
const typicalDraws = 0.03
