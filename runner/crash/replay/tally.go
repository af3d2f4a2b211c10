package replay

import (
	"context"
	"fmt"
	"math"

	"gogi/internal/format"
	"gogi/runner/crash"
	"gogi/stats/binomial"
)

// Tally counts the outcomes of several replays of one crash dump.
type Tally struct {
	Happened int `json:"happened"` // replays in which the failure happened again
	Absent   int `json:"absent"`   // replays in which it did not happen
	Unclear  int `json:"unclear"`  // replays that show neither
}

// Many replays a bundle a number of times, one replay after the other. It calls each with the result of every
// replay.
func Many(ctx context.Context, b *crash.Bundle, start Starter, o Options, times int, each func(Result)) (Tally, error) {
	var t Tally
	for range times {
		r, err := Once(ctx, b, start, o)
		if err != nil {
			return t, err
		}
		switch r.Outcome {
		case Happened:
			t.Happened++
		case Absent:
			t.Absent++
		case Unclear:
			t.Unclear++
		}
		each(r)
	}
	return t, nil
}

// Outcome returns Happened if the failure happened at least once, Absent if the engine never failed, else Unclear.
func (t Tally) Outcome() Outcome {
	switch {
	case t.Happened > 0:
		return Happened
	case t.Unclear > 0 || t.Absent == 0:
		return Unclear
	}
	return Absent
}

// Replays returns the number of replays.
func (t Tally) Replays() int { return t.Happened + t.Absent + t.Unclear }

// String returns text with the results of the replays and a bound on the rate of the failure.
func (t Tally) String() string {
	n := t.Replays()
	switch t.Outcome() {
	case Happened:
		text := fmt.Sprintf("it happens again: %d of %d times", t.Happened, n)
		if t.Unclear > 0 {
			return fmt.Sprintf("%s, and something else went wrong %s", text, format.NumberOf(t.Unclear, "time"))
		}
		if t.Absent == 0 {
			return text
		}
		i, err := binomial.ClopperPearson(t.Happened, n, 0.95)
		if err != nil {
			return text
		}
		return fmt.Sprintf("%s (by chance between %.0f%% and %.0f%% of times, 95%% Clopper–Pearson)", text, 100*i.Lo,
			100*i.Hi)
	case Absent:
		if n == 1 {
			return "it did not happen: the engine came through, once"
		}
		rare := 100 * (1 - math.Pow(0.05, 1/float64(n)))
		return fmt.Sprintf("it did not happen in %d replays: had it a chance of %.0f%% or more each time, it would have shown with 95%%", n, math.Ceil(rare))
	case Unclear:
	}
	return fmt.Sprintf("cannot tell: in %d of %d replays something else went wrong, and it happened in none", t.Unclear, n)
}
