package votes

import (
	"cmp"
	"fmt"
	"html"
	"math"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"gogi/internal/format"
	"gogi/internal/svg"
)

// weightsFigure is a figure of every member's weight over a game. The x axis is the number of the council's
// own decision, and the y axis is the weight after that decision. Lines often overlap, and the figure may be
// printed in black and white. Each line therefore has its own dash pattern, and shows its member's number at
// other places than the other lines.
type weightsFigure struct {
	*gameCouncil
	svg.Frame
	hi float64 // the largest weight on the y axis, which begins at 0
}

// Sizes of the figure in user units.
const (
	weightsWidth = 940
	weightsLeft  = 62
	weightsRight = 690
	weightsTop   = 58
	labelHeight  = 19
)

// SVG returns the figure as SVG text. The lines start at the weights before the first decision, so one
// decision is enough for a line.
func (c *gameCouncil) SVG() (string, error) {
	f := newWeightsFigure(c)
	var b strings.Builder
	height := f.Bottom + 52
	title := fmt.Sprintf("Weights of the members of %s, game %s", format.Name(c.Council), c.game)
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %g" font-family="sans-serif" font-size="12" fill="#222" role="img">
<title>%s</title>
<desc>%s</desc>
<rect width="%d" height="%g" fill="#fff"/>
<text x="%d" y="26" font-size="16" font-weight="bold">%s</text>
<text x="%d" y="44" fill="#555">rule %s, %s</text>
`, weightsWidth, height, html.EscapeString(title), html.EscapeString(f.words()), weightsWidth, height, weightsLeft, html.EscapeString(title),
		weightsLeft, html.EscapeString(c.Rule), format.NumberOf(len(c.Decisions), "decision"))
	f.axes(&b)
	for i := range c.Members {
		f.line(&b, i)
	}
	for i := range c.Members {
		f.numbers(&b, i)
	}
	f.labels(&b)
	b.WriteString("</svg>\n")
	return b.String(), nil
}

func newWeightsFigure(c *gameCouncil) *weightsFigure {
	bottom := float64(weightsTop + max(380, labelHeight*len(c.Members)))
	f := &weightsFigure{gameCouncil: c, Frame: svg.Frame{Left: weightsLeft, Top: weightsTop, Right: weightsRight, Bottom: bottom}}
	for i := range c.Members {
		for _, w := range f.weights(i) {
			f.hi = max(f.hi, w)
		}
	}
	if f.hi == 0 {
		f.hi = 1
	}
	f.hi *= 1.04
	return f
}

// words returns a text that describes the figure for readers who cannot see it.
func (f *weightsFigure) words() string {
	var parts []string
	for i, name := range f.Members {
		weights := f.weights(i)
		parts = append(parts, fmt.Sprintf("%s from %s to %s", format.Name(name), shortWeight(weights[0]), shortWeight(weights[len(weights)-1])))
	}
	return strings.Join(parts, "; ") + "."
}

// weights returns a member's weight before the first decision, followed by its weight after each decision.
func (f *weightsFigure) weights(member int) []float64 {
	list := []float64{at(f.Decisions[0].Before, member)}
	for i := range f.Decisions {
		list = append(list, at(f.Decisions[i].After, member))
	}
	return list
}

// at returns the weight with index i. It returns 0 if a damaged record has too few weights.
func at(weights []float64, i int) float64 {
	if i < len(weights) {
		return weights[i]
	}
	return 0
}

func (f *weightsFigure) x(step float64) float64 {
	return f.Left + (f.Right-f.Left)*step/float64(len(f.Decisions))
}

func (f *weightsFigure) y(w float64) float64 {
	return f.Bottom - (f.Bottom-f.Top)*w/f.hi
}

func (f *weightsFigure) axes(b *strings.Builder) {
	for _, v := range ticks(f.hi, 8) {
		fmt.Fprintf(b, "<path d=\"M%g,%.1fH%g\" stroke=\"#e4e4e4\"/><text x=\"%g\" y=\"%.1f\" text-anchor=\"end\">%g</text>\n", f.Left, f.y(v), f.Right, f.Left-8, f.y(v)+4, v)
	}
	for _, v := range ticks(float64(len(f.Decisions)), 10) {
		if v != math.Trunc(v) {
			continue
		}
		fmt.Fprintf(b, "<path d=\"M%.1f,%gv5\" stroke=\"#888\"/><text x=\"%.1f\" y=\"%g\" text-anchor=\"middle\">%d</text>\n", f.x(v), f.Bottom, f.x(v), f.Bottom+19, f.Decisions[0].Own-1+int(v))
	}
	fmt.Fprintf(b, "<path d=\"M%g,%gV%gH%g\" fill=\"none\" stroke=\"#888\"/>\n", f.Left, f.Top, f.Bottom, f.Right)
	fmt.Fprintf(b, "<text x=\"%g\" y=\"%g\" text-anchor=\"middle\" font-size=\"13\">the council’s own decisions</text>\n", (f.Left+f.Right)/2, f.Bottom+40)
	fmt.Fprintf(b, "<text transform=\"translate(20,%g) rotate(-90)\" text-anchor=\"middle\" font-size=\"13\">weight</text>\n", (f.Top+f.Bottom)/2)
}

// ticks returns round values from 0 to hi. The number of steps between them is at most most.
func ticks(hi float64, most int) []float64 {
	step := math.Pow(10, math.Floor(math.Log10(hi)))
	for hi/step > float64(most) {
		step *= 2
	}
	for _, finer := range []float64{2, 2.5, 2} {
		if hi/(step/finer) <= float64(most) {
			step /= finer
		}
	}
	var list []float64
	for k := 0.0; k*step <= hi*(1+1e-9); k++ {
		list = append(list, math.Round(k*step*1e9)/1e9)
	}
	return list
}

// strokes returns the colour and the dash pattern of a member's line. The colours are dark enough on white,
// also when printed grey. The lines of fifteen members all differ.
func strokes(member int) (colour, dash string) {
	colours := []string{"#1f5fa8", "#b2182b", "#1b7837", "#7b3294", "#8c510a"}
	dashes := []string{"", "7 3", "2 3", "10 3 2 3", "14 4", "5 2 1 2 1 2", "1 4"}
	return colours[member%len(colours)], dashes[member%len(dashes)]
}

func (f *weightsFigure) line(b *strings.Builder, member int) {
	colour, dash := strokes(member)
	var points []string
	for step, w := range f.weights(member) {
		points = append(points, fmt.Sprintf("%.1f,%.1f", f.x(float64(step)), f.y(w)))
	}
	fmt.Fprintf(b, "<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.6\" stroke-dasharray=\"%s\"/>\n", strings.Join(points, " "), colour, cmp.Or(dash, "none"))
}

// numbers writes the member's number on its line several times, between the numbers of the other members.
func (f *weightsFigure) numbers(b *strings.Builder, member int) {
	weights := f.weights(member)
	rounds := max(2, min(4, 42/len(f.Members)))
	slots := rounds * len(f.Members)
	for r := range rounds {
		step := (float64(r*len(f.Members)+member) + 0.5) * float64(len(weights)-1) / float64(slots)
		i := min(int(step), len(weights)-2)
		w := weights[i] + (weights[i+1]-weights[i])*(step-float64(i))
		badge(b, member, f.x(step), f.y(w))
	}
}

// badge writes a member's number in a circle.
func badge(b *strings.Builder, member int, x, y float64) {
	colour, _ := strokes(member)
	fmt.Fprintf(b, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"7\" fill=\"#fff\" stroke=\"%s\"/><text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\" font-size=\"9\">%d</text>\n",
		x, y, colour, x, y+3.2, member+1)
}

// labels writes the members' names at the right ends of their lines, the member with the largest weight
// first. No label covers another.
func (f *weightsFigure) labels(b *strings.Builder) {
	order := make([]int, len(f.Members))
	for i := range order {
		order[i] = i
	}
	final := func(i int) float64 {
		weights := f.weights(i)
		return weights[len(weights)-1]
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(final(j), final(i)) })
	heights := spread(order, func(i int) float64 { return f.y(final(i)) }, f.Bottom)
	for k, i := range order {
		colour, dash := strokes(i)
		fmt.Fprintf(b, "<path d=\"M%g,%.1fL%g,%.1f\" fill=\"none\" stroke=\"#999\" stroke-width=\"0.6\"/>", f.Right, f.y(final(i)), f.Right+22, heights[k])
		fmt.Fprintf(b, "<path d=\"M%g,%.1fh40\" stroke=\"%s\" stroke-width=\"1.6\" stroke-dasharray=\"%s\"/>", f.Right+24, heights[k], colour, cmp.Or(dash, "none"))
		badge(b, i, f.Right+44, heights[k])
		fmt.Fprintf(b, "<text x=\"%g\" y=\"%.1f\">%s: %s</text>\n", f.Right+70, heights[k]+4, html.EscapeString(text.Snip(format.Name(f.Members[i]), 22, "…")), shortWeight(final(i)))
	}
}

// spread returns the heights of the labels, in the given order, so that no label covers another. It first
// moves labels down, then moves labels below bottom up again.
func spread(order []int, y func(int) float64, bottom float64) []float64 {
	heights := make([]float64, len(order))
	for k, i := range order {
		heights[k] = y(i)
		if k > 0 {
			heights[k] = max(heights[k], heights[k-1]+labelHeight)
		}
	}
	limit := bottom
	for k := len(heights) - 1; k >= 0; k-- {
		heights[k] = min(heights[k], limit)
		limit = heights[k] - labelHeight
	}
	return heights
}
