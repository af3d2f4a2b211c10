// Package svg draws the charts that several packages share. A [Plot] is a line chart as HTML. A [Frame] is the
// plotting area of any chart.
package svg

import (
	"encoding/json"
	"fmt"
	"html"
	"html/template"
	"math"
	"slices"
	"strconv"
	"strings"

	"gogi/internal/format"
	"gogi/internal/lists"
)

// A Plot is a line chart with labelled axes and a legend. Its drawing is readable without scripts. The script
// of the page replaces the drawing by a chart that the reader can zoom. It reads the data from the attribute
// data-plot.
type Plot struct {
	Title     string // heading, and first part of the alternative text
	Desc      string // second part of the alternative text
	X, Y      string // labels of the axes
	Lines     []Line
	Levels    []Level
	Percent   bool    // the values are shares, from 0 to 1
	Low, High float64 // ends of the vertical axis; both zero: those of the values
	Last      float64 // right end of the horizontal axis; 0: the largest x
	Small     bool    // the chart is one of several side by side
}

// A Line is a series of a Plot. Its CSS class, c1 to c8, selects the colour.
type Line struct {
	Name  string  `json:"name"`
	Class string  `json:"class"`
	X     numbers `json:"x,omitempty"`
	Y     numbers `json:"y"`
	Lo    numbers `json:"lo,omitempty"` // ends of a band around the line; nil: no band
	Hi    numbers `json:"hi,omitempty"`
}

// Level is a dashed horizontal line of a Plot.
type Level struct {
	Name, Class string
	Y           float64
}

// numbers are coordinates. Their JSON form has six digits.
type numbers []float64

// MarshalJSON implements json.Marshaler. NaN and infinities become null.
func (n numbers) MarshalJSON() ([]byte, error) {
	text := []byte("[")
	for i, v := range n {
		if i > 0 {
			text = append(text, ',')
		}
		if finite(v) {
			text = strconv.AppendFloat(text, v, 'g', 6, 64)
		} else {
			text = append(text, "null"...)
		}
	}
	return append(text, ']'), nil
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// HTML returns the chart as an HTML figure, with all texts escaped. It omits lines without points. If there
// is no other line and no level, it returns "".
func (p Plot) HTML() template.HTML {
	p.Lines = slices.DeleteFunc(slices.Clone(p.Lines), func(l Line) bool { return len(l.X) == 0 })
	if len(p.Lines)+len(p.Levels) == 0 {
		return ""
	}
	f, size := Frame{Left: 64, Top: 10, Right: 622, Bottom: 210}, [2]int{640, 256}
	if p.Small {
		f, size = Frame{Left: 56, Top: 8, Right: 340, Bottom: 140}, [2]int{360, 184}
	}
	p.fit()
	x := func(v float64) float64 { return (f.Right - f.Left) * v / p.Last }
	y := func(v float64) float64 { return (f.Bottom - f.Top) * (p.High - v) / (p.High - p.Low) }
	esc := html.EscapeString
	var b strings.Builder
	w := func(text string, args ...any) { fmt.Fprintf(&b, text, args...) } // a Builder never fails
	w(`<figure class="plot" data-plot="%s"><figcaption>%s</figcaption>`, esc(p.data()), esc(p.Title))
	w(`<svg class="chart" viewBox="0 0 %d %d" role="img" aria-label="%s">`, size[0], size[1],
		esc(strings.TrimSpace(p.Title+". "+p.Desc)))
	for _, v := range Ticks(p.Low, p.High, 5) {
		w(`<line class="grid" x1="%g" x2="%g" y1="%.1f" y2="%.1[3]f"/><text x="%[4]g" y="%.1[3]f" dy=".35em" text-anchor="end">%[5]s</text>`,
			f.Left, f.Right, f.Top+y(v), f.Left-6, p.label(v))
	}
	for _, v := range Ticks(0, max(p.Last, 5), 5) { // whole numbers
		if v > p.Last {
			break
		}
		w(`<text x="%.1f" y="%g" text-anchor="middle">%s</text>`, f.Left+x(v), f.Bottom+18, format.Count(int(v)))
	}
	w(`<text x="%g" y="%d" text-anchor="middle">%s</text>`, (f.Left+f.Right)/2, size[1]-6, esc(p.X))
	w(`<text transform="translate(11 %g) rotate(-90)" text-anchor="middle">%s</text>`, (f.Top+f.Bottom)/2, esc(p.Y))
	w(`<svg x="%g" y="%g" width="%g" height="%g">`, f.Left, f.Top, f.Right-f.Left, f.Bottom-f.Top) // an inner svg clips
	for _, l := range p.Lines {
		if band := l.band(x, y); band != "" {
			w(`<polygon class="band %s" points="%s"/>`, l.Class, band)
		}
	}
	for _, l := range p.Levels {
		w(`<line class="level %s" x1="0" x2="%g" y1="%.1f" y2="%.1[3]f"/>`, l.Class, f.Right-f.Left, y(l.Y))
	}
	for _, l := range p.Lines {
		w(`<polyline class="path %s" points="%s"/>`, l.Class, points(l.X, l.Y, x, y))
	}
	w(`</svg></svg><ul class="legend">`)
	for _, l := range p.Lines {
		w(`<li class="%s">%s</li>`, l.Class, esc(l.Name))
	}
	for _, l := range p.Levels {
		w(`<li class="level %s">%s</li>`, l.Class, esc(l.Name))
	}
	w("</ul></figure>\n")
	return template.HTML(b.String()) // every text is escaped
}

// fit calculates those ends of the axes that the caller has not set.
func (p *Plot) fit() {
	low, high := math.Inf(1), math.Inf(-1)
	for _, l := range p.Lines {
		for _, values := range [][]float64{l.Y, l.Lo, l.Hi} {
			for _, v := range values {
				if finite(v) {
					low, high = min(low, v), max(high, v)
				}
			}
		}
		if n := len(l.X); n > 0 && p.Last < l.X[n-1] {
			p.Last = l.X[n-1]
		}
	}
	for _, l := range p.Levels {
		low, high = min(low, l.Y), max(high, l.Y)
	}
	p.Last = max(p.Last, 1)
	if p.Low != 0 || p.High != 0 {
		return
	}
	if low > high {
		low, high = 0, 1
	}
	margin := max((high-low)/20, 1e-6)
	p.Low, p.High = low-margin, high+margin
}

// data returns the chart for the script, as JSON.
func (p *Plot) data() string {
	type line struct {
		Line
		Level bool `json:"level,omitempty"`
	}
	lines := lists.Map(p.Lines, func(l Line) line { return line{Line: l} })
	for _, l := range p.Levels {
		lines = append(lines, line{Line{Name: l.Name, Class: l.Class, Y: numbers{l.Y}}, true})
	}
	text, err := json.Marshal(map[string]any{"x": p.X, "y": p.Y, "percent": p.Percent, "range": numbers{p.Low, p.High},
		"last": p.Last, "lines": lines})
	if err != nil {
		return "" // cannot happen: texts and numbers
	}
	return string(text)
}

// label returns a value of the vertical axis as text.
func (p *Plot) label(v float64) string {
	if p.Percent {
		return format.PercentShort(math.Abs(math.Round(v*1000) / 1000))
	}
	digits := max(0, min(6, int(math.Ceil(-math.Log10((p.High-p.Low)/5)))))
	text := strconv.FormatFloat(math.Abs(v), 'f', digits, 64)
	if v < -1e-9 {
		text = "−" + text
	}
	return text
}

// points returns the points of a polyline as text. x and y convert the values to coordinates of the drawing.
func points(xs, ys []float64, x, y func(float64) float64) string {
	var b strings.Builder
	for i := range min(len(xs), len(ys)) {
		if finite(ys[i]) {
			fmt.Fprintf(&b, "%.1f,%.1f ", x(xs[i]), y(ys[i]))
		}
	}
	return strings.TrimSpace(b.String())
}

// band returns the polygon between the ends of the line's band. It follows the upper ends, and then the lower ends
// backwards.
func (l *Line) band(x, y func(float64) float64) string {
	if len(l.Hi) == 0 {
		return ""
	}
	xs, lo := slices.Clone(l.X), slices.Clone(l.Lo)
	slices.Reverse(xs)
	slices.Reverse(lo)
	return points(l.X, l.Hi, x, y) + " " + points(xs, lo, x, y)
}

// Ticks returns about n round values between low and high, for the marks of an axis.
func Ticks(low, high float64, n int) []float64 {
	rough := (high - low) / float64(n)
	step := math.Pow(10, math.Floor(math.Log10(rough)))
	for _, digit := range []float64{1, 2, 5, 10} {
		if digit*step >= rough {
			step *= digit
			break
		}
	}
	var list []float64
	for k := math.Ceil(low/step - 1e-9); k*step <= high+step*1e-9; k++ {
		list = append(list, k*step)
	}
	return list
}

// Ratio returns a small bar for a value between a negative and a positive bound, such as the LLR of an SPRT.
// The bar starts at 0. words is the alternative text of the picture.
func Ratio(value, lower, upper float64, words string) template.HTML {
	x := func(v float64) float64 { return 120 * (max(lower, min(upper, v)) - lower) / (upper - lower) }
	from, to := min(x(0), x(value)), max(x(0), x(value))
	return template.HTML(fmt.Sprintf( // words are escaped
		`<svg class="llr" viewBox="0 0 120 12" preserveAspectRatio="none" role="img" aria-label="%s"><rect class="rail" width="120" height="12" rx="2"/><rect class="fill" x="%.1f" width="%.1f" height="12" rx="2"/><line class="even" x1="%.1f" x2="%.1[4]f" y1="0" y2="12"/></svg>`,
		html.EscapeString(words), from, max(1, to-from), x(0)))
}

// Interval returns a small picture of an estimate and its interval from lo to hi. The scale goes from low to
// high, with a mark at even, for example the score of equal players. words is the alternative text of the
// picture.
func Interval(lo, estimate, hi, low, high, even float64, words string) template.HTML {
	x := func(v float64) float64 { return 4 + 184*(max(low, min(high, v))-low)/max(high-low, 1e-9) }
	return template.HTML(fmt.Sprintf( // words are escaped
		`<svg class="span" viewBox="0 0 192 16" role="img" aria-label="%s"><line class="even" x1="%.1f" x2="%.1[2]f" y1="0" y2="16"/><line class="bar" x1="%.1f" x2="%.1f" y1="8" y2="8"/><circle class="dot" cx="%.1f" cy="8" r="4"/></svg>`,
		html.EscapeString(words), x(even), x(lo), x(hi), x(estimate)))
}

// A Frame is the plotting area of a chart.
type Frame struct{ Left, Top, Right, Bottom float64 }
