package reckon

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"gogi/internal/format"
	"gogi/internal/phrases"
	"gogi/internal/usage"
	"gogi/stats"
	"gogi/stats/counts"
)

// IntervalQuestion asks for intervals of a win rate.
type IntervalQuestion struct {
	Counts     stats.WDL
	DrawMode   string  // what becomes of draws: drop, half or floor
	Confidence float64 // in (0, 1)
	Method     string  // one of [MethodNames], or all
}

const (
	methodAll     = "all"
	methodAnytime = "anytime"
)

// MethodNames are the spellings of all methods on the command line, the exact ones first.
func MethodNames() []string {
	var names []string
	for _, m := range counts.IntervalMethods() {
		names = append(names, methodName(m))
	}
	return append(names, methodAnytime)
}

func methodName(m counts.IntervalMethod) string {
	switch m {
	case counts.MethodMidP:
		return "midp"
	case counts.MethodWilsonContinuity:
		return "wilson-cc"
	default: // the rest are spelt alike
	}
	return strings.ReplaceAll(string(m), "_", "-")
}

func checkMethod(name string) error {
	if name != methodAll && !slices.Contains(MethodNames(), name) {
		return fmt.Errorf("--method %s: expected %s or one of %s", name, methodAll, strings.Join(MethodNames(), ", "))
	}
	return nil
}

// IntervalRow is the interval by one method.
type IntervalRow struct {
	Method     string   `json:"method"`
	N          int      `json:"n"`    // games that count under the draw mode
	Wins       float64  `json:"wins"` // among them; half points under the mode half
	Estimate   *float64 `json:"estimate"`
	Lo         *float64 `json:"lo"`
	Hi         *float64 `json:"hi"`
	Confidence float64  `json:"confidence"`
	DrawMode   string   `json:"draw_mode"`
	Exact      bool     `json:"exact"` // the confidence is a guarantee
	Why        string   `json:"why,omitempty"`
	*Evidence
	*Spread
}

// Evidence is what an anytime interval has beside its ends: the evidence
// against even chances.
type Evidence struct {
	EValue *float64 `json:"e_value"`
	LogE   *float64 `json:"ln_e"`
	P      *float64 `json:"anytime_p"`
}

// Spread is what the calculator of the Laboratory for Fundamental Information on
// Computer Shogi prints beside its interval.
type Spread struct {
	Error    *float64 `json:"standard_error"` // S of the win rate, with the divisor n - 3/2
	Elo      *float64 `json:"elo"`
	EloError *float64 `json:"elo_error"` // S in Elo, to first order
}

// Intervals are the intervals by some methods.
type Intervals struct {
	Version   int           `json:"version"`
	Intervals []IntervalRow `json:"intervals"`
}

// Answer makes the intervals that are asked for.
func (q IntervalQuestion) Answer() (*Intervals, error) {
	if err := errors.Join(checkWDL(q.Counts), CheckShare("confidence", q.Confidence), checkMethod(q.Method)); err != nil {
		return nil, usage.Wrap(err)
	}
	out := &Intervals{Version: version}
	for _, m := range counts.IntervalMethods() {
		if q.Method == methodAll || q.Method == methodName(m) {
			out.Intervals = append(out.Intervals, q.interval(m))
		}
	}
	if q.Method == methodAll || q.Method == methodAnytime {
		out.Intervals = append(out.Intervals, q.anytime())
	}
	return out, nil
}

func (q IntervalQuestion) rule() counts.DrawRule {
	switch q.DrawMode {
	case "half":
		return counts.DrawsHalf
	case "floor":
		return counts.DrawsFloored
	}
	return counts.DrawsDropped
}

// row is a row without its ends: those may be impossible.
func (q IntervalQuestion) row(method string) (IntervalRow, counts.Counted, error) {
	row := IntervalRow{Method: method, Confidence: q.Confidence, DrawMode: q.DrawMode}
	counted, err := q.Counts.Counted(q.rule())
	row.Why = whyNot(err)
	if err == nil {
		row.N, row.Wins, row.Estimate = counted.N, counted.Points, format.Finite(counted.Score())
	}
	return row, counted, err
}

func (q IntervalQuestion) interval(m counts.IntervalMethod) IntervalRow {
	row, counted, err := q.row(methodName(m))
	row.Exact = m.Exact()
	if err != nil {
		return row
	}
	row.setEnds(counted.Interval(m, q.Confidence))
	if row.Why != "" && counted.Draws == counts.DrawsFloored && m != counts.MethodLFICS {
		row.Why = "does not hold where draws were made wins" // without the name, which stands beside it
	}
	if m == counts.MethodLFICS {
		row.setSpread(counted)
	}
	return row
}

// setSpread adds the standard error, where the calculator has one.
func (i *IntervalRow) setSpread(c counts.Counted) {
	if c.Draws == counts.DrawsHalf {
		return // half points are no wins
	}
	s, err := counts.StandardError(int(c.Points), c.N)
	if err != nil {
		return // nobody won all in the intervals that are defined
	}
	inElo, err := counts.EloError(c.Score(), s)
	i.Spread = &Spread{&s, format.Finite(counts.Elo(c.Score())), known(inElo, err)}
}

func (q IntervalQuestion) anytime() IntervalRow {
	row, counted, err := q.row(methodAnytime)
	row.Exact, row.Evidence = true, &Evidence{}
	if err != nil {
		return row
	}
	if counted.Draws == counts.DrawsFloored {
		row.Why = "draws made wins are no scores of single games: use --draw-mode half"
		return row
	}
	scores := q.Counts.DecisiveScores()
	if counted.Draws == counts.DrawsHalf {
		scores = q.Counts.GameScores()
	}
	row.setEnds(scores.AnytimeInterval(q.Confidence))
	evidence, err := scores.EValue(0.5)
	row.Evidence = &Evidence{known(math.Exp(evidence.LogE), err), known(evidence.LogE, err), known(evidence.P, err)}
	if row.EValue == nil && err == nil {
		row.Why = "the e-value is larger than a number can be: ln_e is its logarithm"
	}
	return row
}

func (i *IntervalRow) setEnds(ends counts.Interval, err error) {
	i.Lo, i.Hi, i.Why = known(ends.Lo, err), known(ends.Hi, err), whyNot(err)
}

// Print writes them as a table.
func (s *Intervals) Print(w io.Writer, in phrases.Tongue) {
	t := format.Table(phrases.Heads(in, "method", "wins", "of", "estimate", "from", "to", "holds")...)
	t.SetColumnConfigs(format.RightAligned(2, 6))
	for _, i := range s.Intervals {
		holds := phrases.Of("roughly")
		switch {
		case i.Lo == nil:
			holds = phrases.Verbatim("–")
		case i.Method == methodAnytime:
			holds = phrases.Of("at any time")
		case i.Exact:
			holds = phrases.Of("exactly")
		}
		t.AppendRow(table.Row{
			i.Method, strconv.FormatFloat(i.Wins, 'f', -1, 64), format.Count(i.N), cell(i.Estimate, "%.4f"), cell(i.Lo, "%.4f"), cell(i.Hi, "%.4f"), holds.In(in),
		})
	}
	format.Render(w, t)
	first := s.Intervals[0]
	fmt.Fprintln(w, phrases.Say(in, "%s confidence, draws: %s", format.PercentShort(first.Confidence), drawModeWords(first.DrawMode)))
	s.printGaps(w, in)
	for _, i := range s.Intervals {
		if e := i.Evidence; e != nil && e.LogE != nil {
			fmt.Fprintln(w, phrases.Say(in, "evidence against even chances: e-value %s, p = %s, valid at any time", eValueWords(e), format.PValue(*e.P)))
		}
		if s := i.Spread; s != nil {
			fmt.Fprintln(w, phrases.Say(in, "S = %s, the standard error of the win rate with the divisor n - 3/2; in Elo %s ± %s, to first order",
				cell(s.Error, "%.5f"), cell(s.Elo, "%+.1f"), cell(s.EloError, "%.1f")))
		}
	}
}

// printGaps says why ends are missing, once for all methods of the same reason.
func (s *Intervals) printGaps(w io.Writer, in phrases.Tongue) {
	methods := map[string][]string{}
	for _, i := range s.Intervals {
		methods[i.Why] = append(methods[i.Why], i.Method)
	}
	for _, why := range slices.Sorted(maps.Keys(methods)) {
		if why != "" {
			fmt.Fprintln(w, phrases.Say(in, "%s: %s", strings.Join(methods[why], ", "), phrases.Of(why)))
		}
	}
}

func eValueWords(e *Evidence) string {
	if e.EValue == nil {
		return fmt.Sprintf("10^%.0f", *e.LogE/math.Ln10)
	}
	return fmt.Sprintf("%.3g", *e.EValue)
}

func drawModeWords(mode string) phrases.Said {
	switch mode {
	case "half":
		return phrases.Of("half a win each")
	case "floor":
		return phrases.Of("half of them, rounded down, are wins")
	}
	return phrases.Of("dropped")
}
