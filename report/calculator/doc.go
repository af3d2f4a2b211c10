// Package calculator answers questions about counts that a user types, and about a match before it is played.
// The answers are intervals, tests, plans, SPRT progress and forecasts. Each question is a type, for example
// [IntervalQuestion]. Its method Answer checks the input and calls package stats. The answer prints as text
// and as rows of JSON.
//
// A number that does not exist is null in JSON, with the reason next to it. An impossible question is a usage
// error that names the flag. docs/statistics.md explains the numbers.
package calculator

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"gogi/internal/format"
	"gogi/stats"
)

// Version is the version of the JSON. New fields do not change it; a renamed field does.
const Version = 1

// mostCounted is the largest accepted count. No match is longer, and sums of such counts cannot overflow.
const mostCounted = 100_000_000

// CheckCount returns an error unless n is a possible number of games. flag is the name of the flag with the
// value n, for the error.
func CheckCount(flag string, n int) error {
	if n < 0 || n > mostCounted {
		return fmt.Errorf("--%s %d: expected a number of games from 0 to %d", flag, n, mostCounted)
	}
	return nil
}

// CheckShare returns an error unless v, the value of a flag, is strictly between 0 and 1. NaN is an error.
// flag is the name of the flag, for the error.
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

// checkWDL returns an error unless all three counts are possible.
func checkWDL(w stats.WDL) error {
	return errors.Join(CheckCount("wins", w.Wins), CheckCount("draws", w.Draws), CheckCount("losses", w.Losses))
}

// parseCounts reads a comma-separated list of counts. names has the names of the counts, in the order of the list.
// flag is the flag's name for errors.
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

// ParseWDL reads the counts "W,D,L" of a flag.
func ParseWDL(flag, list string) (stats.WDL, error) {
	n, err := parseCounts(flag, list, "W", "D", "L")
	if err != nil {
		return stats.WDL{}, err
	}
	return stats.WDL{Wins: n[0], Draws: n[1], Losses: n[2]}, nil
}

// known returns v for the JSON. It returns nil if err is not nil or v is not finite. The row's "why" then has
// the reason.
func known(v float64, err error) *float64 {
	if err != nil {
		return nil
	}
	return format.Finite(v)
}

// whyNot returns the reason for a missing number, or "".
func whyNot(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// Cell returns the text of a table cell: v in the layout of fmt.Sprintf, or a dash for nil.
func Cell(v *float64, layout string) string {
	return format.Or(v, func(v float64) string { return format.Float(layout, v) })
}

// parsePentanomial reads the counts "LL,LD,MID,WD,WW". It counts each MID pair as a win and a loss.
func parsePentanomial(list string) (stats.Pentanomial, error) {
	n, err := parseCounts("pentanomial", list, "LL", "LD", "MID", "WD", "WW")
	if err != nil {
		return stats.Pentanomial{}, err
	}
	return stats.Pentanomial{LL: n[0], LD: n[1], WL: n[2], WD: n[3], WW: n[4]}, nil
}
