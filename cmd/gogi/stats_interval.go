package main

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
	"gogi/internal/usage"
	"gogi/stats"
)

// statsIntervalCommand prints intervals for a win rate.
type statsIntervalCommand struct {
	Wins       int     `required:"" placeholder:"W" help:"Games won."`
	Losses     int     `required:"" placeholder:"L" help:"Games lost."`
	Draws      int     `placeholder:"D" help:"Games drawn."`
	DrawMode   string  `enum:"drop,half,floor" default:"drop" help:"What becomes of draws: dropped, half a win each, or half of them (rounded down) wins."`
	Confidence float64 `default:"0.95" help:"The confidence level."`
	Method     string  `enum:"all,clopper-pearson,blaker,midp,wilson,wilson-cc,jeffreys,wald,lfics,anytime" default:"all" help:"One of all, clopper-pearson, blaker, midp, wilson, wilson-cc, jeffreys, wald, lfics, anytime."`
	JSON       bool    `name:"json" help:"One JSON object."`
}

// statsInterval is a row of "gogi stats interval --json".
type statsInterval struct {
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
	*statsEvidence
}

// statsEvidence is what an anytime interval has beside its ends: the evidence
// against even chances.
type statsEvidence struct {
	EValue *float64 `json:"e_value"`
	LogE   *float64 `json:"ln_e"`
	P      *float64 `json:"anytime_p"`
}

type statsIntervals struct {
	Version   int             `json:"version"`
	Intervals []statsInterval `json:"intervals"`
}

// Run prints the intervals that were asked for.
func (c *statsIntervalCommand) Run(env *environment) error {
	counts := stats.WDL{Wins: c.Wins, Draws: c.Draws, Losses: c.Losses}
	if err := errors.Join(checkWDL(counts), checkShare("confidence", c.Confidence)); err != nil {
		return usage.Wrap(err)
	}
	out := &statsIntervals{Version: 1, Intervals: []statsInterval{}}
	for _, m := range stats.IntervalMethods() {
		if c.Method == "all" || c.Method == methodFlag(m) {
			out.Intervals = append(out.Intervals, c.interval(m, counts))
		}
	}
	if c.Method == "all" || c.Method == methodAnytime {
		out.Intervals = append(out.Intervals, c.anytime(counts))
	}
	if c.JSON {
		return format.JSON(env.out, out)
	}
	out.print(env.out)
	return nil
}

func (c *statsIntervalCommand) rule() stats.DrawRule {
	switch c.DrawMode {
	case "half":
		return stats.DrawsHalf
	case "floor":
		return stats.DrawsFloored
	}
	return stats.DrawsDropped
}

// row is a row without its ends: those may be impossible.
func (c *statsIntervalCommand) row(method string, counts stats.WDL) (statsInterval, stats.Counted, error) {
	row := statsInterval{Method: method, Confidence: c.Confidence, DrawMode: c.DrawMode}
	counted, err := counts.Counted(c.rule())
	row.Why = whyNot(err)
	if err == nil {
		row.N, row.Wins, row.Estimate = counted.N, counted.Points, format.Finite(counted.Score())
	}
	return row, counted, err
}

func (c *statsIntervalCommand) interval(m stats.IntervalMethod, counts stats.WDL) statsInterval {
	row, counted, err := c.row(methodFlag(m), counts)
	row.Exact = m.Exact()
	if err != nil {
		return row
	}
	row.setEnds(counted.Interval(m, c.Confidence))
	if row.Why != "" && counted.Draws == stats.DrawsFloored && m != stats.MethodLFICS {
		row.Why = "does not hold where draws were made wins" // without the name, which stands beside it
	}
	return row
}

func (c *statsIntervalCommand) anytime(counts stats.WDL) statsInterval {
	row, counted, err := c.row(methodAnytime, counts)
	row.Exact, row.statsEvidence = true, &statsEvidence{}
	if err != nil {
		return row
	}
	if counted.Draws == stats.DrawsFloored {
		row.Why = "draws made wins are no scores of single games: use --draw-mode half"
		return row
	}
	scores := counts.DecisiveScores()
	if counted.Draws == stats.DrawsHalf {
		scores = counts.GameScores()
	}
	row.setEnds(scores.AnytimeInterval(c.Confidence))
	evidence, err := scores.EValue(0.5)
	row.statsEvidence = &statsEvidence{knownFloat(math.Exp(evidence.LogE), err), knownFloat(evidence.LogE, err), knownFloat(evidence.P, err)}
	if row.EValue == nil && err == nil {
		row.Why = "the e-value is larger than a number can be: ln_e is its logarithm"
	}
	return row
}

func (i *statsInterval) setEnds(ends stats.Interval, err error) {
	i.Lo, i.Hi, i.Why = knownFloat(ends.Lo, err), knownFloat(ends.Hi, err), whyNot(err)
}

func (s *statsIntervals) print(w io.Writer) {
	t := format.Table("method", "wins", "of", "estimate", "from", "to", "holds")
	t.SetColumnConfigs(rightAligned(2, 6))
	for _, i := range s.Intervals {
		holds := "roughly"
		switch {
		case i.Lo == nil:
			holds = "–"
		case i.Method == methodAnytime:
			holds = "at any time"
		case i.Exact:
			holds = "exactly"
		}
		t.AppendRow(table.Row{
			i.Method, strconv.FormatFloat(i.Wins, 'f', -1, 64), format.Count(i.N), cell(i.Estimate, "%.4f"), cell(i.Lo, "%.4f"), cell(i.Hi, "%.4f"), holds,
		})
	}
	format.Render(w, t)
	first := s.Intervals[0]
	fmt.Fprintf(w, "%s confidence, draws: %s\n", format.PercentShort(first.Confidence), drawModeWords(first.DrawMode))
	s.printGaps(w)
	for _, i := range s.Intervals {
		if e := i.statsEvidence; e != nil && e.LogE != nil {
			fmt.Fprintf(w, "evidence against even chances: e-value %s, p = %s, valid at any time\n", eValueWords(e), format.PValue(*e.P))
		}
	}
}

// printGaps says why ends are missing, once for all methods of the same reason.
func (s *statsIntervals) printGaps(w io.Writer) {
	methods := map[string][]string{}
	for _, i := range s.Intervals {
		methods[i.Why] = append(methods[i.Why], i.Method)
	}
	for _, why := range slices.Sorted(maps.Keys(methods)) {
		if why != "" {
			fmt.Fprintf(w, "%s: %s\n", strings.Join(methods[why], ", "), why)
		}
	}
}

func eValueWords(e *statsEvidence) string {
	if e.EValue == nil {
		return fmt.Sprintf("10^%.0f", *e.LogE/math.Ln10)
	}
	return fmt.Sprintf("%.3g", *e.EValue)
}

func drawModeWords(mode string) string {
	switch mode {
	case "half":
		return "half a win each"
	case "floor":
		return "half of them, rounded down, are wins"
	}
	return "dropped"
}
