package series

import (
	"cmp"
	"fmt"
	"html"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// pictured are the figures of the picture.
var pictured = []string{"report: Elo interval", "SPRT: Elo interval after the stop",
	"gate: anytime interval of the score"}

// colours are the colours of the draw rates, in their order.
var colours = []string{"#1b6ca8", "#c2571a", "#3d8b37", "#7b4fa3", "#8a6d1a", "#b0306a"}

// A dot is the measured coverage at one truth.
type dot struct {
	elo  float64
	held int
	all  int
}

// value returns the value of a key of a condition, or 0.
func value(condition, key string) float64 {
	for _, word := range strings.Fields(condition) {
		if text, ok := strings.CutPrefix(word, key+"="); ok {
			v, _ := strconv.ParseFloat(text, 64)
			return v
		}
	}
	return 0
}

// dots returns the dots of a figure by draw rate. Conditions that differ in other values are one dot.
func (c *Counted) dots(figure string) map[float64][]dot {
	sums := map[float64]map[float64]dot{}
	for _, r := range c.Cells {
		if r.Figure != figure {
			continue
		}
		draws, elo := value(r.Condition, "draws"), value(r.Condition, "elo")
		if sums[draws] == nil {
			sums[draws] = map[float64]dot{}
		}
		d := sums[draws][elo]
		sums[draws][elo] = dot{elo, d.held + r.Held, d.all + r.Series}
	}
	list := map[float64][]dot{}
	for draws, by := range sums {
		list[draws] = slices.SortedFunc(maps.Values(by), func(a, b dot) int { return cmp.Compare(a.elo, b.elo) })
	}
	return list
}

// The picture is narrow and its letters are large, so that they can be read on a phone.
const (
	chartWidth, chartHeight = 480, 150
	left, right, above      = 52, 8, 46
	below                   = 50  // for the names of the horizontal axis and the space to the next chart
	lowest                  = 0.7 // lower end of the vertical axis
	apart                   = 8   // between the dots of one Elo
)

// Picture writes an SVG of the coverage of intervals over the truth, one chart for each figure that was counted. A bar
// is three standard errors of the nominal coverage long in both directions, around it; a dot below its bar is a fault.
// The truths have equal distances, because some are near each other and others are far apart.
func (c *Counted) Picture(w io.Writer) error {
	var b strings.Builder
	charts := 0
	for _, figure := range pictured {
		if dots := c.dots(figure); len(dots) > 0 {
			chart(&b, figure, dots, float64(charts*(chartHeight+above+below)))
			charts++
		}
	}
	_, err := fmt.Fprintf(w,
		`<svg xmlns="http://www.w3.org/2000/svg" width="600" viewBox="0 0 %d %d" font-family="sans-serif" font-size="14">`+
			"\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n%s</svg>\n", chartWidth, charts*(chartHeight+above+below),
		b.String())
	return err
}

// chart writes one chart below y.
func chart(b *strings.Builder, figure string, by map[float64][]dot, y float64) {
	truths := map[float64]bool{}
	for _, dots := range by {
		for _, d := range dots {
			truths[d.elo] = true
		}
	}
	elos := slices.Sorted(maps.Keys(truths))
	across := func(elo float64) float64 {
		return left + (float64(slices.Index(elos, elo))+0.5)*(chartWidth-left-right)/float64(len(elos))
	}
	down := func(share float64) float64 { return y + above + (1-max(share, lowest))/(1-lowest)*chartHeight }
	fmt.Fprintf(b, "<text x=\"4\" y=\"%.0f\" font-weight=\"bold\">%s</text>\n", y+16, html.EscapeString(figure))
	for _, share := range []float64{0.7, 0.8, 0.9, 0.95, 1} {
		fmt.Fprintf(b, "<path d=\"M%d %.1fH%d\" stroke=\"%s\"/><text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%g%%</text>\n",
			left, down(share), chartWidth-right,
			map[bool]string{true: "#333", false: "#ddd"}[share == 0.95], left-6, down(share)+5, 100*share)
	}
	for i, draws := range slices.Sorted(maps.Keys(by)) {
		colour := colours[i%len(colours)]
		fmt.Fprintf(b, "<text x=\"%d\" y=\"%.0f\" fill=\"%s\">draws %g%%</text>\n", left+100*i, y+35, colour, 100*draws)
		for _, d := range by[draws] {
			at := across(d.elo) + apart*(float64(i)-float64(len(by)-1)/2)
			spread := 3 * math.Sqrt(0.95*0.05/float64(d.all))
			fmt.Fprintf(b,
				"<path d=\"M%.1f %.1fV%.1f\" stroke=\"%s\" stroke-width=\"2\" opacity=\".35\"/><circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"%s\"><title>%g Elo: %d of %d</title></circle>\n",
				at, down(min(1, 0.95+spread)), down(0.95-spread), colour, at, down(float64(d.held)/float64(d.all)), colour, d.elo,
				d.held, d.all)
		}
	}
	for _, elo := range elos {
		fmt.Fprintf(b, "<text x=\"%.1f\" y=\"%.0f\" text-anchor=\"middle\">%s</text>\n", across(elo), y+above+chartHeight+20,
			signed(elo))
	}
}

// signed returns a number with its sign, and 0 without.
func signed(v float64) string {
	if v == 0 {
		return "0"
	}
	return fmt.Sprintf("%+.4g", v)
}
