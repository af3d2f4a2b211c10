package calculator

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"gogi/internal/fail"
	"gogi/internal/format"
)

// figureSteps is the number of win probabilities at which the coverage curve of each panel is calculated. They are the
// middles of equal parts of the range from 0 to 1.
const figureSteps = 400

// The sizes of the figure, in SVG user units. The figure has three columns of panels. The vertical axis of a
// panel goes from lowestDrawn to 1.
const (
	panelWidth  = 260
	panelHeight = 130
	panelStepX  = 290
	panelStepY  = 178
	panelsLeft  = 70
	panelsTop   = 90
)

// Figure returns the coverages as an SVG image. Each method has its own panel, because the jagged lines of
// several methods would hide each other.
func (q CoverageQuestion) Figure() (string, error) {
	if err := q.check(); err != nil {
		return "", err
	}
	if len(q.N) > 1 {
		return "", fail.Usage(errors.New("--figure: expected one number of games in --n"))
	}
	n := q.N[0]
	var b strings.Builder
	promised := fmt.Sprintf("%.4g", 100*q.Confidence)
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 940 625" font-family="sans-serif" font-size="12" fill="#222" role="img">
<title>Actual coverage of nominal %[1]s %% intervals after %[2]s, by the true win probability</title>
<rect width="940" height="625" fill="#fff"/>
<text x="70" y="28" font-size="16" font-weight="bold">How often a “%[1]s %%” interval holds the truth, after %[2]s</text>
<path d="M70,48h28" stroke="#1f5fa8" stroke-width="1.5"/><text x="104" y="52">actual coverage</text>
<path d="M220,48h28" stroke="#555" stroke-dasharray="4 3"/><text x="254" y="52">the promised %[1]s %%</text>
<rect x="390" y="42" width="28" height="12" fill="#d9534f" fill-opacity="0.55"/><text x="424" y="52">promise broken (cut off below %.4[3]g %%)</text>
<text x="490" y="612" text-anchor="middle" font-size="13">true probability to win a decisive game</text>
<text transform="translate(18,320) rotate(-90)" text-anchor="middle" font-size="13">actual coverage</text>
`, promised, format.NumberOf(n, "decisive game"), 100*q.lowestDrawn())
	for i, m := range q.methods(n) {
		fmt.Fprintf(&b, "<g transform=\"translate(%d,%d)\">\n", panelsLeft+i%3*panelStepX, panelsTop+i/3*panelStepY)
		q.draw(&b, n, m, i%3 == 0)
		b.WriteString("</g>\n")
	}
	b.WriteString("</svg>\n")
	return b.String(), nil
}

// lowestDrawn returns the coverage at the bottom of a panel.
func (q CoverageQuestion) lowestDrawn() float64 { return 1 - 3*(1-q.Confidence) }

// draw writes one method's panel.
func (q CoverageQuestion) draw(b *strings.Builder, n int, m intervalMethod, labelled bool) {
	var line, broken strings.Builder
	for i := range figureSteps {
		p := (float64(i) + 0.5) / figureSteps
		cover := coverage(n, p, m.interval)
		fmt.Fprintf(&line, " %.1f,%.1f", panelWidth*p, q.height(cover))
		fmt.Fprintf(&broken, " %.1f,%.1f", panelWidth*p, q.height(min(q.Confidence, cover)))
	}
	lowest := lowestCoverage(n, 0.3, 0.7, m.interval)
	q.drawAxes(b, labelled)
	fmt.Fprintf(b, "<polygon points=\"0,%.1[1]f%[2]s %[3]d,%.1[1]f\" fill=\"#d9534f\" fill-opacity=\"0.55\"/>\n", q.height(q.Confidence), broken.String(), panelWidth)
	fmt.Fprintf(b, "<path d=\"M0,%.1fh%d\" stroke=\"#555\" stroke-dasharray=\"4 3\"/>\n", q.height(q.Confidence), panelWidth)
	fmt.Fprintf(b, "<polyline points=\"%s\" fill=\"none\" stroke=\"#1f5fa8\"/>\n", strings.TrimSpace(line.String()))
	fmt.Fprintf(b, "<text y=\"-7\" font-weight=\"bold\">%s</text>", m.name)
	fmt.Fprintf(b, "<text x=\"%d\" y=\"-7\" text-anchor=\"end\" font-size=\"11\" fill=\"#555\">0.3 to 0.7: at least %.1f %%</text>\n", panelWidth, math.Floor(1000*lowest+1e-6)/10)
}

// height returns the distance of a coverage from the top of its panel, in SVG user units.
func (q CoverageQuestion) height(cover float64) float64 {
	return panelHeight * (1 - max(q.lowestDrawn(), cover)) / (1 - q.lowestDrawn())
}

// drawAxes writes a panel's axes. labelled adds labels to the coverage axis; only panels in the left column
// have them.
func (q CoverageQuestion) drawAxes(b *strings.Builder, labelled bool) {
	for i := range 4 {
		v := 1 - (1-q.Confidence)*float64(3-i)
		fmt.Fprintf(b, "<path d=\"M0,%.1fh%d\" stroke=\"#e4e4e4\"/>\n", q.height(v), panelWidth)
		if labelled {
			fmt.Fprintf(b, "<text x=\"-6\" y=\"%.1f\" text-anchor=\"end\">%.4g %%</text>\n", q.height(v)+4, 100*v)
		}
	}
	for _, v := range []float64{0, 0.25, 0.5, 0.75, 1} {
		fmt.Fprintf(b, "<path d=\"M%[1]g,%[2]dv4\" stroke=\"#888\"/><text x=\"%[1]g\" y=\"%[3]d\" text-anchor=\"middle\">%[4]g</text>\n",
			panelWidth*v, panelHeight, panelHeight+18, v)
	}
	fmt.Fprintf(b, "<path d=\"M0,0V%dH%d\" fill=\"none\" stroke=\"#888\"/>\n", panelHeight, panelWidth)
}
