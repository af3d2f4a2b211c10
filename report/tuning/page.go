package tuning

import (
	"fmt"
	"html"
	"math"
	"strings"

	"gogi/internal/i18n"
	"gogi/match/tune"
)

// The size of a figure, in CSS pixels.
const (
	figureWidth, figureHeight       = 640.0, 150.0
	marginLeft, marginTop, marginIn = 64.0, 12.0, 24.0
)

// Page returns the report of a tune as one HTML page, in a language. The page loads no other file.
func Page(in i18n.Language, a *Account, validations []i18n.Message) string {
	return fmt.Sprintf(`<!DOCTYPE html>
<html lang="%[3]s"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>%[1]s</title>
<style>
body { font: 15px/1.5 system-ui, sans-serif; max-width: 46em; margin: 2em auto; padding: 0 1em; color: #222; background: #fff }
pre { overflow-x: auto; font-size: 12px } h2 { font-size: 1em; margin: 1.5em 0 0 } svg { width: 100%%; height: auto; font: 11px system-ui, sans-serif }
.path { fill: none; stroke: #1f5fa8; stroke-width: 1.5 } .other { fill: none; stroke: #b3541e; stroke-width: 1.5 } .band { fill: #1f5fa8; opacity: .12 } .start { stroke: #888; stroke-dasharray: 4 3 }
.mean { stroke: #b3541e } .axis { stroke: #bbb } .dot, .plus { fill: #1f5fa8 } .minus { fill: #b3541e } text { fill: #444 }
@media (prefers-color-scheme: dark) { body { color: #ddd; background: #181818 } text { fill: #bbb } .axis { stroke: #555 } .path { stroke: #7db3f0 } .band, .dot, .plus { fill: #7db3f0 } .mean, .other { stroke: #e59a68 } .minus { fill: #e59a68 } }
</style></head><body>
<h1>%[1]s</h1>
%[2]s</body></html>
`, html.EscapeString(a.Run), Body(in, a, validations), in)
}

// Body returns the content of Page in a language, for pages with their own head and styles. Body prints the
// lines of validations unchanged.
func Body(in i18n.Language, a *Account, validations []i18n.Message) string {
	var b, text strings.Builder
	Print(&text, in, a, validations)
	s := &a.Plan.Settings
	fmt.Fprintf(&b, `<pre>%s</pre>
<p>%s</p>
`, html.EscapeString(text.String()), i18n.Say(in, "Dashed: the start. Coloured line: the answer. Band: how far apart from the centre the two points are played."))
	sum := a.Summary()
	track := thinned(a.Track)
	for _, i := range perturbed(s) {
		b.WriteString(trajectory(in, s, &s.Params[i], &sum.Params[i], i, track))
	}
	b.WriteString(controllerFigures(in, s, track))
	b.WriteString(sensitivities(in, s, &sum))
	b.WriteString(sharesFigure(in, s, track))
	b.WriteString(failuresFigure(in, a))
	b.WriteString(heatMap(in, a))
	return b.String()
}

// scale maps values to the coordinates of a figure.
type scale struct{ x0, x1, y0, y1 float64 }

func (s scale) x(v float64) float64 {
	return marginLeft + (v-s.x0)/math.Max(s.x1-s.x0, 1e-12)*(figureWidth-marginLeft-8)
}

func (s scale) y(v float64) float64 {
	return marginTop + (s.y1-v)/math.Max(s.y1-s.y0, 1e-12)*(figureHeight-marginTop-marginIn)
}

// frame returns the beginning of a figure, with its axes.
func (s scale) frame(in i18n.Language, title, low, high string, pairs float64) string {
	return fmt.Sprintf(`<h2>%s</h2><svg viewBox="0 0 %g %g" role="img" aria-label="%[1]s">
<path class="axis" d="M%[4]g %[5]g V%[6]g H%[7]g" fill="none"/><text x="%[8]g" y="%[9]g" text-anchor="end">%[10]s</text><text x="%[8]g" y="%[6]g" text-anchor="end">%[11]s</text><text x="%[7]g" y="%[12]g" text-anchor="end">%[13]s</text>
`, html.EscapeString(title), figureWidth, figureHeight, marginLeft, marginTop, figureHeight-marginIn, figureWidth-8, marginLeft-6, marginTop+9,
		html.EscapeString(high), html.EscapeString(low), figureHeight-6, i18n.Say(in, "%g pairs", pairs))
}

// line returns an SVG path through points.
func (s scale) line(class string, xs, ys []float64) string {
	var b strings.Builder
	for i := range xs {
		fmt.Fprintf(&b, "%c%.1f %.1f", "ML"[min(i, 1)], s.x(xs[i]), s.y(ys[i]))
	}
	return fmt.Sprintf("<path class=%q d=%q/>\n", class, b.String())
}

func (s scale) level(class string, y float64) string {
	return fmt.Sprintf("<path class=%q d=\"M%.1f %.1fH%.1f\"/>\n", class, s.x(s.x0), s.y(y), s.x(s.x1))
}

// trajectory returns a figure of one parameter's values over the tune.
func trajectory(in i18n.Language, s *tune.Settings, p *tune.Param, sum *tune.ParamSummary, i int, track []tune.Step) string {
	var xs, ys, above, below []float64
	sc := scale{x1: float64(s.Pairs), y0: math.Min(p.Start, sum.Mean), y1: math.Max(p.Start, sum.Mean)}
	for _, step := range track {
		c := s.Perturbation(i, step.Pairs, step.Factor)
		y := step.Centre[i]
		xs, ys = append(xs, float64(step.Pairs)), append(ys, y)
		above, below = append(above, math.Min(y+c, p.Max)), append(below, math.Max(y-c, p.Min))
		sc.y0, sc.y1 = math.Min(sc.y0, y-c), math.Max(sc.y1, y+c)
	}
	sc.y0, sc.y1 = math.Max(sc.y0, p.Min), math.Min(sc.y1, p.Max)
	var b strings.Builder
	b.WriteString(sc.frame(in, p.Name, number(sc.y0, digits(p)), number(sc.y1, digits(p)), sc.x1))
	var band strings.Builder
	for j := range xs {
		fmt.Fprintf(&band, "%c%.1f %.1f", "ML"[min(j, 1)], sc.x(xs[j]), sc.y(above[j]))
	}
	for j := len(xs) - 1; j >= 0; j-- {
		fmt.Fprintf(&band, "L%.1f %.1f", sc.x(xs[j]), sc.y(below[j]))
	}
	fmt.Fprintf(&b, "<path class=\"band\" d=%q/>\n", band.String()+"Z")
	b.WriteString(sc.level("start", p.Start) + sc.level("mean", sum.Mean) + sc.line("path", xs, ys) + "</svg>\n")
	return b.String()
}

// sensitivities returns a bar chart of the sensitivity of each parameter, with its interval. The
// sensitivities are estimated from the tune's games.
func sensitivities(in i18n.Language, s *tune.Settings, sum *tune.Summary) string {
	type bar struct {
		name        string
		mid, lo, hi float64
	}
	var bars []bar
	most := 1.0
	for i := range sum.Params {
		if p := &sum.Params[i]; p.SensitivityElo != nil && p.Sensitivity != nil && !s.Params[i].Unused {
			bars = append(bars, bar{p.Name, *p.SensitivityElo, p.Sensitivity.Lo, p.Sensitivity.Hi})
			most = math.Max(most, math.Max(math.Abs(p.Sensitivity.Lo), math.Abs(p.Sensitivity.Hi)))
		}
	}
	if len(bars) == 0 {
		return ""
	}
	const rowHeight, label = 18.0, 200.0
	height := rowHeight*float64(len(bars)) + 24
	x := func(v float64) float64 { return label + (v+most)/(2*most)*(figureWidth-label-8) }
	var b strings.Builder
	fmt.Fprintf(&b, "<h2>%s</h2><svg viewBox=\"0 0 %g %g\" role=\"img\" aria-label=\"%s\">\n",
		i18n.Say(in, "Plus against minus by parameter, Elo of the tuning games: it explains the path, and proves no strength"), figureWidth, height, i18n.Say(in, "sensitivities"))
	fmt.Fprintf(&b, "<path class=\"start\" d=\"M%.1f 0V%.1f\"/><text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">±%.0f Elo</text>\n", x(0), height-20, figureWidth-8, height-4, most)
	for j, r := range bars {
		y := rowHeight*float64(j) + 12
		fmt.Fprintf(&b, "<text x=\"%g\" y=\"%.1f\" text-anchor=\"end\">%s</text><path class=\"path\" d=\"M%.1f %.1fH%.1f\"/><circle cx=\"%.1f\" cy=\"%.1f\" class=\"dot\" r=\"3\"/>\n",
			label-8, y+4, html.EscapeString(r.name), x(r.lo), y, x(r.hi), x(r.mid), y)
	}
	b.WriteString("</svg>\n")
	return b.String()
}
