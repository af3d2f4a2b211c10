package strength

import (
	"fmt"
	"math"
	"strings"

	"gogi/internal/sanitize"
)

// The figure's size, in pixels.
const (
	side   = 360
	margin = 46
)

// Figure returns an SVG chart of the estimates against the true ratings. It shows the estimates from the
// greatest number of games. Exact estimates are on the diagonal line.
func (v *Validation) Figure() string {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, p := range v.Points {
		lo, hi = min(lo, p.Rating, p.Estimate), max(hi, p.Rating, p.Estimate)
	}
	if len(v.Points) == 0 || lo == hi {
		lo, hi = lo-1, lo+1
	}
	if math.IsInf(lo, 0) || math.IsInf(hi, 0) {
		lo, hi = 0, 1
	}
	at := func(x float64) float64 { return margin + (side-2*margin)*(x-lo)/(hi-lo) }
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="11">`+"\n", side, side)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="#fff"/>`+"\n", side, side)
	fmt.Fprintf(&b, `<path d="M%d %dV%dH%d" fill="none" stroke="#333"/><path d="M%d %dL%d %d" stroke="#999" stroke-dasharray="4 3"/>`+"\n",
		margin, margin, side-margin, side-margin, margin, side-margin, side-margin, margin)
	for x, step := ticks(lo, hi); x <= hi; x += step {
		fmt.Fprintf(&b, `<text x="%.1f" y="%d" text-anchor="middle">%.4g</text><text x="%d" y="%.1f" text-anchor="end">%.4g</text>`+"\n",
			at(x), side-margin+15, x, margin-5, side-at(x)+4, x)
	}
	for _, p := range v.Points {
		fmt.Fprintf(&b, `<circle cx="%.1f" cy="%.1f" r="3.5" fill="#1f6feb" fill-opacity="0.6"><title>%s: %.0f, estimated %.0f</title></circle>`+"\n",
			at(p.Rating), side-at(p.Estimate), escaped(p.Name), p.Rating, p.Estimate)
	}
	fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="middle">true %s</text>`+"\n", side/2, side-10, escaped(v.Of))
	fmt.Fprintf(&b, `<text x="%d" y="20" text-anchor="middle">estimated %s, each from %d games</text>`+"\n</svg>\n", side/2, escaped(v.Of), v.From)
	return b.String()
}

// ticks returns the first round number of an axis and the step to the next, 1, 2 or 5 times a power of
// ten, for four to ten ticks.
func ticks(lo, hi float64) (first, step float64) {
	step = math.Pow(10, math.Floor(math.Log10(hi-lo)))
	switch n := (hi - lo) / step; {
	case n < 2:
		step /= 5
	case n < 4:
		step /= 2
	}
	return math.Ceil(lo/step) * step, step
}

func escaped(text string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(sanitize.Printable(text, 40))
}
