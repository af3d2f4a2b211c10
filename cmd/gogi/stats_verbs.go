package main

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"gogi/stats"
)

// statsCommand groups the verbs that reckon from counts given by hand; what
// their numbers mean is told in docs/statistics.md.
type statsCommand struct {
	Interval statsIntervalCommand `cmd:"" help:"Between which win rates the truth lies, by each method."`
	Test     statsTestCommand     `cmd:"" help:"Whether one side is proven stronger, and how many wins would prove it."`
	SPRT     statsSPRTCommand     `cmd:"" name:"sprt" help:"The state of a sequential test."`
	Plan     statsPlanCommand     `cmd:"" help:"How many games a difference takes."`
	Elo      statsEloCommand      `cmd:"" help:"Convert between score, Elo and normalised Elo."`
	Figure   statsFigureCommand   `cmd:"" name:"coverage-figure" hidden:"" help:"Draw the figure of docs/statistics.md."`
}

// mostCounted bounds the counts that are taken: no series is longer, and sums
// cannot overflow.
const mostCounted = 100_000_000

// checkCount is an error of usage unless the flag's value is a number of games.
func checkCount(flag string, n int) error {
	if n < 0 || n > mostCounted {
		return fmt.Errorf("--%s %d: expected a number of games from 0 to %d", flag, n, mostCounted)
	}
	return nil
}

// checkShare demands a number strictly between 0 and 1; NaN is none.
func checkShare(flag string, v float64) error {
	if !(v > 0 && v < 1) {
		return fmt.Errorf("--%s %g: expected a number between 0 and 1, both excluded", flag, v)
	}
	return nil
}

func checkDrawRate(v float64) error {
	if !(v >= 0 && v < 1) {
		return fmt.Errorf("--draws %g: expected the share of games that are drawn, from 0 to less than 1", v)
	}
	return nil
}

// maxElo is where the scores of two sides are too near to 0 and 1 for a plan or a
// test.
const maxElo = 1000

func checkElo(flag string, v float64) error {
	if !(math.Abs(v) <= maxElo) {
		return fmt.Errorf("--%s %g: expected an Elo difference from -%d to %d", flag, v, maxElo, maxElo)
	}
	return nil
}

// parseCounts reads as many numbers as there are names.
func parseCounts(flag, list string, names ...string) ([]int, error) {
	wrong := fmt.Errorf("--%s %q: expected %d counts, %s", flag, list, len(names), strings.Join(names, ","))
	words := strings.Split(list, ",")
	if len(words) != len(names) {
		return nil, wrong
	}
	var counts []int
	for _, word := range words {
		n, err := strconv.Atoi(strings.TrimSpace(word))
		if err != nil {
			return nil, wrong
		}
		if err := checkCount(flag, n); err != nil {
			return nil, err
		}
		counts = append(counts, n)
	}
	return counts, nil
}

// knownFloat is a number to print as JSON; what is not finite becomes null, and
// the reason is to stand beside it.
func knownFloat(v float64, err error) *float64 {
	if err != nil {
		return nil
	}
	return number(v)
}

// whyNot is the reason for a missing number, "" for none.
func whyNot(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// cell prints a number of a table, or a dash where there is none.
func cell(v *float64, format string) string {
	if v == nil {
		return "–"
	}
	return fmt.Sprintf(format, *v)
}

// cellCount is cell for counts.
func cellCount(v *int) string {
	if v == nil {
		return "–"
	}
	return count(*v)
}

// checkWDL demands three possible counts.
func checkWDL(w stats.WDL) error {
	return errors.Join(checkCount("wins", w.Wins), checkCount("draws", w.Draws), checkCount("losses", w.Losses))
}
