//go:build linux

package soak

import (
	"testing"

	"gogi/internal/testutil"
)

func TestGrowth(t *testing.T) {
	const steady = 90 * 1024
	for name, test := range map[string]struct {
		held  func(i int) float64 // kB, at one of 180 readings
		grown bool
	}{
		"steady":                {func(int) float64 { return steady }, false},
		"only in the beginning": {func(i int) float64 { return steady + 1024*float64(min(i, 59)) }, false},
		"a little all the time": {func(i int) float64 { return steady + 250*float64(i) }, false},
		"all the time":          {func(i int) float64 { return steady + 1024*float64(i) }, true},
		"with peaks":            {func(i int) float64 { return steady * float64(1+i%4/3) }, false},
		"with peaks at the end": {func(i int) float64 { return steady * float64(1+min(1, i/140)) }, false},
		"a lull, then as ever": {func(i int) float64 {
			return steady * (1 - 0.5*float64(min(1, i/70)) + 0.5*float64(min(1, i/120)))
		}, false},
		"a fifth more":          {func(i int) float64 { return steady * (1 + 0.2*float64(min(1, i/120))) }, false},
		"half as much again":    {func(i int) float64 { return steady * (1 + 0.5*float64(min(1, i/120))) }, true},
		"twice as much a third": {func(i int) float64 { return steady * float64(1+i/60) }, true},
		"small, and more":       {func(i int) float64 { return 1024 * float64(1+9*min(1, i/120)) }, true},
		"small, and some more":  {func(i int) float64 { return 1024 * float64(1+7*min(1, i/120)) }, false},
	} {
		all := make([]float64, 180)
		for i := range all {
			all[i] = test.held(i)
		}
		if _, _, grown := growth(all); grown != test.grown {
			t.Errorf("%s: grown is %v", name, grown)
		}
	}
}

// TestDeck: a disturbance that is not possible does not prevent the others. A possible disturbance happens once in a
// round.
func TestDeck(t *testing.T) {
	d := newDeck((&world{seed: 1}).random(0), map[string]bool{"one": true, "two": true, "three": true})
	for round := range 100 {
		tries := map[string]int{}
		for len(tries) == 0 || len(d.left) > 0 {
			card := d.deal()
			if tries[card]++; card == "two" {
				d.again(card)
			}
		}
		testutil.Require(t, tries["one"] == 1 && tries["three"] == 1 && tries["two"] >= 2, "round %d: tried %v times", round,
			tries)
	}
}
