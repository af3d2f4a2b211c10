package main

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"gogi/internal/format"
	"gogi/stats"
)

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

// mostElo is where scores are too near to 0 and 1 to tell them from these.
const mostElo = 1000

// parseElo reads a difference that is finite.
func parseElo(word string) (float64, error) {
	v, err := strconv.ParseFloat(strings.TrimSpace(word), 64)
	if err != nil || !(math.Abs(v) <= mostElo) {
		return 0, fmt.Errorf("%q: expected an Elo difference from -%d to %d", word, mostElo, mostElo)
	}
	return v, nil
}

// eloFlag is an Elo difference. It takes the next word even if that begins with
// a minus, which kong would take for a flag.
type eloFlag float64

// Decode reads the flag's value.
func (e *eloFlag) Decode(ctx *kong.DecodeContext) error {
	v, err := parseElo(ctx.Scan.Pop().String())
	*e = eloFlag(v)
	return err
}

// eloPair is E0,E1, which may begin with a minus, too.
type eloPair [2]float64

// Decode reads the flag's value.
func (e *eloPair) Decode(ctx *kong.DecodeContext) (err error) {
	word := ctx.Scan.Pop().String()
	first, second, both := strings.Cut(word, ",")
	if !both {
		return fmt.Errorf("%q: expected E0,E1, such as 0,4", word)
	}
	if e[0], err = parseElo(first); err == nil {
		e[1], err = parseElo(second)
	}
	return err
}

// rightAligned aligns the columns from first to last, and no other.
func rightAligned(first, last int) []table.ColumnConfig {
	var columns []table.ColumnConfig
	for i := first; i <= last; i++ {
		columns = append(columns, table.ColumnConfig{Number: i, Align: text.AlignRight, AlignHeader: text.AlignRight})
	}
	return columns
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

// cellCount is cell for counts.
func cellCount(v *int) string {
	if v == nil {
		return "–"
	}
	return format.Count(*v)
}

// checkWDL demands three possible counts.
func checkWDL(w stats.WDL) error {
	return errors.Join(checkCount("wins", w.Wins), checkCount("draws", w.Draws), checkCount("losses", w.Losses))
}

// methodFlag is the spelling of a method on the command line.
func methodFlag(m stats.IntervalMethod) string {
	switch m {
	case stats.MethodMidP:
		return "midp"
	case stats.MethodWilsonContinuity:
		return "wilson-cc"
	default: // the rest are spelt alike
	}
	return strings.ReplaceAll(string(m), "_", "-")
}

// checkDesign names the flags of an impossible design.
func checkDesign(s stats.SPRT) error {
	if err := s.Check(); err != nil {
		return fmt.Errorf("impossible test: %w", err)
	}
	return nil
}

const methodAnytime = "anytime"
