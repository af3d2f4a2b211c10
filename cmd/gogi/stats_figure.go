package main

import (
	"fmt"
	"math"
	"os"
	"strings"

	"gonum.org/v1/gonum/stat/distuv"

	"gogi/stats"
)

// statsFigureCommand draws how often each method's interval holds the truth.
type statsFigureCommand struct {
	Out string `required:"" placeholder:"FILE" help:"The SVG file to write."`
}

// The figure's design: n games, the confidence, and where probabilities are
// looked at, off the round numbers.
const (
	figureGames = 100
	figureLevel = 0.95
	figureSteps = 400
)

// Run writes the figure.
func (c *statsFigureCommand) Run() error {
	return os.WriteFile(c.Out, []byte(coverageFigure()), 0o644) //nolint:gosec // a file to be published
}

// coverage is the probability that the interval of n games holds p, where p is
// the truth: an exact sum. A result without an interval holds nothing.
func coverage(n int, p float64, interval func(k int) (stats.Interval, error)) float64 {
	wins := distuv.Binomial{N: float64(n), P: p}
	sum := 0.0
	for k := range n + 1 {
		if i, err := interval(k); err == nil && i.Lo <= p && p <= i.Hi {
			sum += wins.Prob(float64(k))
		}
	}
	return sum
}

// lowestCoverage is the smallest coverage for truths from lo to hi. Between the
// ends of intervals coverage has no minimum, so it is looked for just outside of
// each end.
func lowestCoverage(n int, lo, hi float64, interval func(k int) (stats.Interval, error)) float64 {
	const aside = 1e-9
	lowest := min(coverage(n, lo, interval), coverage(n, hi, interval))
	for k := range n + 1 {
		i, err := interval(k)
		if err != nil {
			continue
		}
		for _, p := range []float64{i.Lo - aside, i.Hi + aside} {
			if lo <= p && p <= hi {
				lowest = min(lowest, coverage(n, p, interval))
			}
		}
	}
	return lowest
}

// allIntervals are a method's intervals by wins, made once.
func allIntervals(n int, interval func(k int) (stats.Interval, error)) func(k int) (stats.Interval, error) {
	intervals, errs := make([]stats.Interval, n+1), make([]error, n+1)
	for k := range n + 1 {
		intervals[k], errs[k] = interval(k)
	}
	return func(k int) (stats.Interval, error) { return intervals[k], errs[k] }
}

// coveragePanel is one method's part of the figure.
type coveragePanel struct {
	name     string
	interval func(k int) (stats.Interval, error)
}

func coveragePanels() []coveragePanel {
	var panels []coveragePanel
	for _, m := range stats.IntervalMethods() {
		panels = append(panels, coveragePanel{methodFlag(m), func(k int) (stats.Interval, error) {
			return m.Interval(k, figureGames, figureLevel)
		}})
	}
	return append(panels, coveragePanel{methodAnytime, func(k int) (stats.Interval, error) {
		return stats.WDL{Wins: k, Losses: figureGames - k}.DecisiveScores().AnytimeInterval(figureLevel)
	}})
}

// The figure in user units: three columns of panels, each with coverage from
// bottom to 1 upwards.
const (
	panelWidth  = 260
	panelHeight = 130
	panelStepX  = 290
	panelStepY  = 178
	panelsLeft  = 70
	panelsTop   = 90
	coverLowest = 0.85
)

// coverageFigure is the SVG: a panel for each method, as their jagged lines
// would hide each other in one.
func coverageFigure() string {
	var b strings.Builder
	b.WriteString(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 940 625" font-family="sans-serif" font-size="12" fill="#222" role="img">
<title>Actual coverage of nominal 95 % intervals after 100 decisive games, by the true win probability</title>
<rect width="940" height="625" fill="#fff"/>
<text x="70" y="28" font-size="16" font-weight="bold">How often a “95 %” interval holds the truth, after 100 decisive games</text>
<path d="M70,48h28" stroke="#1f5fa8" stroke-width="1.5"/><text x="104" y="52">actual coverage</text>
<path d="M220,48h28" stroke="#555" stroke-dasharray="4 3"/><text x="254" y="52">the promised 95 %</text>
<rect x="390" y="42" width="28" height="12" fill="#d9534f" fill-opacity="0.55"/><text x="424" y="52">promise broken (cut off below 85 %)</text>
<text x="490" y="612" text-anchor="middle" font-size="13">true probability to win a decisive game</text>
<text transform="translate(18,320) rotate(-90)" text-anchor="middle" font-size="13">actual coverage</text>
`)
	for i, p := range coveragePanels() {
		fmt.Fprintf(&b, "<g transform=\"translate(%d,%d)\">\n", panelsLeft+i%3*panelStepX, panelsTop+i/3*panelStepY)
		p.draw(&b, i%3 == 0)
		b.WriteString("</g>\n")
	}
	b.WriteString("</svg>\n")
	return b.String()
}

func (c coveragePanel) draw(b *strings.Builder, labelled bool) {
	interval := allIntervals(figureGames, c.interval)
	var line, broken strings.Builder
	for i := range figureSteps {
		p := (float64(i) + 0.5) / figureSteps
		cover := coverage(figureGames, p, interval)
		fmt.Fprintf(&line, " %.1f,%.1f", panelWidth*p, coverY(cover))
		fmt.Fprintf(&broken, " %.1f,%.1f", panelWidth*p, coverY(min(figureLevel, cover)))
	}
	lowest := lowestCoverage(figureGames, 0.3, 0.7, interval)
	drawAxes(b, labelled)
	fmt.Fprintf(b, "<polygon points=\"0,%[1]g%[2]s %[3]d,%[1]g\" fill=\"#d9534f\" fill-opacity=\"0.55\"/>\n", coverY(figureLevel), broken.String(), panelWidth)
	fmt.Fprintf(b, "<path d=\"M0,%gh%d\" stroke=\"#555\" stroke-dasharray=\"4 3\"/>\n", coverY(figureLevel), panelWidth)
	fmt.Fprintf(b, "<polyline points=\"%s\" fill=\"none\" stroke=\"#1f5fa8\"/>\n", strings.TrimSpace(line.String()))
	fmt.Fprintf(b, "<text y=\"-7\" font-weight=\"bold\">%s</text>", c.name)
	fmt.Fprintf(b, "<text x=\"%d\" y=\"-7\" text-anchor=\"end\" font-size=\"11\" fill=\"#555\">0.3 to 0.7: at least %.1f %%</text>\n", panelWidth, math.Floor(1000*lowest+1e-6)/10)
}

func coverY(cover float64) float64 {
	return panelHeight * (1 - max(coverLowest, cover)) / (1 - coverLowest)
}

// drawAxes labels the axis of coverage only where that is asked for: on the left
// of the figure.
func drawAxes(b *strings.Builder, labelled bool) {
	for _, v := range []float64{0.85, 0.9, 0.95, 1} {
		fmt.Fprintf(b, "<path d=\"M0,%.1fh%d\" stroke=\"#e4e4e4\"/>\n", coverY(v), panelWidth)
		if labelled {
			fmt.Fprintf(b, "<text x=\"-6\" y=\"%.1f\" text-anchor=\"end\">%g %%</text>\n", coverY(v)+4, 100*v)
		}
	}
	for _, v := range []float64{0, 0.25, 0.5, 0.75, 1} {
		fmt.Fprintf(b, "<path d=\"M%[1]g,%[2]dv4\" stroke=\"#888\"/><text x=\"%[1]g\" y=\"%[3]d\" text-anchor=\"middle\">%[4]g</text>\n",
			panelWidth*v, panelHeight, panelHeight+18, v)
	}
	fmt.Fprintf(b, "<path d=\"M0,0V%dH%d\" fill=\"none\" stroke=\"#888\"/>\n", panelHeight, panelWidth)
}
