package series_test

import (
	"context"
	"fmt"

	"gogi/runner/series"
)

// A series plays the missing pairs of a plan. The store is in memory here, and the players are not engines: open
// returns players whose second one resigns at once.
func Example() {
	ctx := context.Background()
	store := newMemory(plan(3, 1))
	s, err := series.New(ctx, store.plan, store, store.stored)
	if err != nil {
		fmt.Println(err)
		return
	}
	ending, err := s.Play(ctx, series.Config{Open: open})
	fmt.Println(len(store.pairs), "pairs are stored,", ending.Left, "are left,", err)

	// The next session finds them, so the run is over.
	s, err = series.New(ctx, store.plan, store, store.stored)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("over:", s.Over())
	// Output:
	// 3 pairs are stored, 0 are left, <nil>
	// over: true
}
