// Package calculator answers questions about typed counts, and about a match before it is
// played: intervals, tests, plans, SPRT progress, forecasts. Each question is a type, for
// example [IntervalQuestion]; it checks the input, calls package stats, and its answer prints
// as text and as rows of JSON.
//
// A number that does not exist is null in JSON, with the reason next to it. An impossible
// question is a usage error that names the flag. docs/statistics.md explains the numbers.
package calculator

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"gogi/internal/format"
	"gogi/stats"
)

// version is that of the JSON: fields are added to a version, and none renamed.
const version = 1

// mostCounted bounds the counts that are taken: no series is longer, and sums
// cannot overflow.
const mostCounted = 100_000_000

// CheckCount is an error of usage unless the flag's value is a number of games.
func CheckCount(flag string, n int) error {
	if n < 0 || n > mostCounted {
		return fmt.Errorf("--%s %d: expected a number of games from 0 to %d", flag, n, mostCounted)
	}
	return nil
}

// CheckShare demands a number strictly between 0 and 1; NaN is none.
func CheckShare(flag string, v float64) error {
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

// checkWDL demands three possible counts.
func checkWDL(w stats.WDL) error {
	return errors.Join(CheckCount("wins", w.Wins), CheckCount("draws", w.Draws), CheckCount("losses", w.Losses))
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
		if err := CheckCount(flag, n); err != nil {
			return nil, err
		}
		counts = append(counts, n)
	}
	return counts, nil
}

// parseWDL reads W,D,L.
func parseWDL(flag, list string) (stats.WDL, error) {
	n, err := parseCounts(flag, list, "W", "D", "L")
	if err != nil {
		return stats.WDL{}, err
	}
	return stats.WDL{Wins: n[0], Draws: n[1], Losses: n[2]}, nil
}

// known is a number to print as JSON; what is not finite becomes null, and the
// reason is to stand beside it.
func known(v float64, err error) *float64 {
	if err != nil {
		return nil
	}
	return format.Finite(v)
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

// countCell is cell for counts.
func countCell(v *int) string {
	if v == nil {
		return "–"
	}
	return format.Count(*v)
}

// parsePentanomial reads LL,LD,MID,WD,WW; MID is counted as a win and a loss.
func parsePentanomial(list string) (stats.Pentanomial, error) {
	n, err := parseCounts("pentanomial", list, "LL", "LD", "MID", "WD", "WW")
	if err != nil {
		return stats.Pentanomial{}, err
	}
	return stats.Pentanomial{LL: n[0], LD: n[1], WL: n[2], WD: n[3], WW: n[4]}, nil
}
