package html

import (
	"math"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"gogi/internal/format"
	"gogi/internal/svg"
	"gogi/report"
)

// The templates draw the charts as SVG. This file calculates their sizes and coordinates. Each chart has its
// own text alternative.

type tick struct {
	At    float64
	Label string
}

// scorePlot returns the chart of A's score over pairs, or nil if there are too few points. The first scores vary very
// much, so the vertical scale depends only on the later pairs.
func scorePlot(a string, points []CurvePoint, words Words) *svg.Plot {
	if len(points) < 2 {
		return nil
	}
	last := points[len(points)-1]
	line := svg.Line{Name: a, Class: "c1"}
	for _, p := range points {
		line.X, line.Y = append(line.X, float64(p.Pairs)), append(line.Y, p.Score)
		if p.Lo != nil && p.Hi != nil {
			line.Lo, line.Hi = append(line.Lo, *p.Lo), append(line.Hi, *p.Hi)
		}
	}
	if len(line.Lo) < len(line.X) { // at some points the interval is not known
		line.Lo, line.Hi = nil, nil
	}
	low, high := scoreRange(points, last.Pairs/10)
	return &svg.Plot{
		Title: words.Say("Score after each pair, in plan order"), X: words.Say("pairs"), Y: words.Say("score"), Percent: true,
		Desc: words.Say("After %s pairs %s has %s of the points.", format.Count(last.Pairs), a, format.Percent(last.Score)),
		Low:  low, High: high, Lines: []svg.Line{line},
		Levels: []svg.Level{{Name: words.Say("even score"), Class: "c8", Y: 0.5}},
	}
}

// ratioPlot returns the chart of the log likelihood ratio between the bounds of an SPRT. It returns nil
// without an SPRT, and for fewer than two points.
func ratioPlot(g *report.Gate, points []CurvePoint, words Words) *svg.Plot {
	line := svg.Line{Name: words.Say("log likelihood ratio"), Class: "c1"}
	for _, p := range points {
		if p.LLR != nil {
			line.X, line.Y = append(line.X, float64(p.Judged)), append(line.Y, *p.LLR)
		}
	}
	if g == nil || len(line.X) < 2 {
		return nil
	}
	return &svg.Plot{
		Title: words.Say("Log likelihood ratio after each judged pair"), X: words.Say("pairs"), Y: "LLR",
		Lines: []svg.Line{line},
		Levels: []svg.Level{{Name: words.Say("passes at"), Class: "c3", Y: g.Upper},
			{Name: words.Say("fails at"), Class: "c4", Y: g.Lower}},
	}
}

// scoreRange returns the ends of the vertical scale, which are round numbers. The scale shows 50 %, and the scores
// and intervals of all points. It ignores the points of the first pairs; skip is the number of these pairs.
func scoreRange(points []CurvePoint, skip int) (lo, hi float64) {
	lo, hi = 0.5, 0.5
	for _, p := range points {
		if p.Pairs > skip {
			lo, hi = min(lo, p.Score), max(hi, p.Score)
			if p.Lo != nil && p.Hi != nil {
				lo, hi = min(lo, *p.Lo), max(hi, *p.Hi)
			}
		}
	}
	margin := max(0.02, (hi-lo)/20)
	above, below := hi > 0.5, lo < 0.5
	if below || !above {
		lo -= margin
	}
	if above || !below {
		hi += margin
	}
	step := scoreStep(lo, hi)
	lo, hi = math.Floor(lo/step+1e-9)*step, math.Ceil(hi/step-1e-9)*step
	return max(0, lo), min(1, hi)
}

func scoreStep(lo, hi float64) float64 {
	for _, step := range []float64{0.01, 0.02, 0.05, 0.1} {
		if (hi-lo)/step <= 6 {
			return step
		}
	}
	return 0.2
}

// barChart is a chart with one horizontal bar in each row, and a label above each bar.
type barChart struct {
	Rows   []bar
	Height int
	Desc   string
}

type bar struct {
	Y      int // y coordinate of the label; the bar is below it
	Label  string
	Value  string
	Length float64
	Fault  bool
	value  float64
}

// barsWidth is the length of the longest bar, which is the chart's width, in SVG user units.
const barsWidth = 360

// brief shortens a name so that it fits above a bar, next to the value.
func brief(name string) string { return text.Snip(name, 28, "…") }

func newBarChart(rows []bar) *barChart {
	longest := 0.0
	for _, r := range rows {
		longest = max(longest, r.value)
	}
	if longest == 0 {
		return nil
	}
	c := &barChart{Height: 38*len(rows) + 4}
	var words []string
	for i, r := range rows {
		r.Y, r.Length = 38*i+15, barsWidth*r.value/longest
		c.Rows = append(c.Rows, r)
		words = append(words, r.Label+": "+r.Value)
	}
	c.Desc = strings.Join(words, "; ") + "."
	return c
}

// columnChart is the histogram of the games' lengths.
type columnChart struct {
	Columns []column
	XTicks  []tick
	YTicks  []tick
	Desc    string
	svg.Frame
}

type column struct {
	X, Y, Width, Height float64
	Words               string // text that appears under the mouse pointer
}

// newColumnChart returns the histogram of the games' lengths. It returns nil if all games are in one class.
func newColumnChart(classes []lengthClass, words Words) *columnChart {
	most, mode := 0, 0
	for i, class := range classes {
		if class.Games > most {
			most, mode = class.Games, i
		}
	}
	if len(classes) < 2 {
		return nil
	}
	c := &columnChart{Frame: svg.Frame{Left: 38, Top: 10, Right: 352, Bottom: 160}}
	c.Desc = words.Say("Most frequent: %d to %d plies, %s games.", classes[mode].From, classes[mode].To,
		format.Count(most))
	width := (c.Right - c.Left) / float64(len(classes))
	top := float64(most) * 1.05
	for i, class := range classes {
		height := (c.Bottom - c.Top) * float64(class.Games) / top
		c.Columns = append(c.Columns, column{
			X: c.Left + float64(i)*width + width*0.08, Width: width * 0.84, Y: c.Bottom - height, Height: height,
			Words: words.Say("%d to %d plies: %s games", class.From, class.To, format.Count(class.Games)),
		})
	}
	for i := 0; i < len(classes); i += (len(classes) + 5) / 6 {
		c.XTicks = append(c.XTicks, tick{c.Left + float64(i)*width, format.Count(classes[i].From)})
	}
	step := roundUp((most + 3) / 4)
	for v := 0; v <= most; v += step {
		c.YTicks = append(c.YTicks, tick{c.Bottom - (c.Bottom-c.Top)*float64(v)/top, format.Count(v)})
	}
	return c
}
