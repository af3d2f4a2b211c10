package tuning

import (
	"fmt"
	"html"
	"math"
	"slices"
	"strings"

	"gogi/internal/i18n"
	"gogi/match/tune"
)

// controllerFigures returns charts of the settings of the controller (which adapts the tune) over time, and
// of the results of its probes.
func controllerFigures(in i18n.Language, s *tune.Settings, track []tune.Step) string {
	if s.Spread == 0 {
		return ""
	}
	sc := scale{x1: float64(s.Pairs), y0: 0, y1: 1.2}
	lost := scale{x1: float64(s.Pairs), y0: math.Min(0, s.Spread), y1: 1.5 * s.Spread}
	var xs, ys, at, elo []float64
	for _, step := range track {
		xs, ys = append(xs, float64(step.Pairs)), append(ys, step.Factor)
		sc.y1 = math.Max(sc.y1, step.Factor*1.1)
		if step.LostElo != nil {
			at, elo = append(at, float64(step.Pairs)), append(elo, *step.LostElo)
		}
	}
	if n := len(elo); n > 4 { // the first means come from few pairs, and would make the scale too large for the others
		settled := elo[n/4:]
		lost.y0, lost.y1 = math.Min(lost.y0, slices.Min(settled)), math.Max(lost.y1, slices.Max(settled))
	}
	for i := range elo {
		elo[i] = math.Min(math.Max(elo[i], lost.y0), lost.y1)
	}
	return sc.frame(in, i18n.Say(in, "Factor of all perturbations"), "0", number(sc.y1, 1), sc.x1) + sc.level("start", 1) + sc.line("path", xs, ys) + "</svg>\n" +
		lost.frame(in, i18n.Say(in, "Loss of the perturbed values so far, Elo of the tuning games (dashed: target)"), number(lost.y0, 0), number(lost.y1, 0), lost.x1) +
		lost.level("start", s.Spread) + lost.line("path", at, elo) + "</svg>\n"
}

// sharesFigure returns a chart of the share of pairs without information.
func sharesFigure(in i18n.Language, s *tune.Settings, track []tune.Step) string {
	sc := scale{x1: float64(s.Pairs), y1: 0.01}
	var xs, equal, copies []float64
	for _, step := range track {
		if step.Pairs == 0 {
			continue
		}
		n := float64(step.Pairs)
		xs, equal, copies = append(xs, n), append(equal, float64(step.Equal)/n), append(copies, float64(step.Copies)/n)
		sc.y1 = math.Max(sc.y1, math.Max(equal[len(equal)-1], copies[len(copies)-1]))
	}
	if len(xs) == 0 {
		return ""
	}
	return sc.frame(in, i18n.Say(in, "Share of pairs of two equal games, and (second colour) of two equal points, so far"), "0", share(int(math.Ceil(1000*sc.y1)), 1000), sc.x1) +
		sc.line("path", xs, copies) + sc.line("other", xs, equal) + "</svg>\n"
}

// failuresFigure returns a chart of how often the engine failed at a point, by parameter and side. It returns
// "" if it never failed.
func failuresFigure(in i18n.Language, a *Account) string {
	const row, label, most = 18.0, 200.0, 180.0
	var b strings.Builder
	y := 4.0
	for _, i := range perturbed(&a.Plan.Settings) {
		f := a.Failed[i]
		if f.Above+f.Below == 0 {
			continue
		}
		above, below := float64(f.Above)/math.Max(1, float64(f.OfAbove)), float64(f.Below)/math.Max(1, float64(f.OfBelow))
		middle := label + most
		fmt.Fprintf(&b, `<text x="%g" y="%g" text-anchor="end">%s</text><rect class="minus" x="%.1f" y="%g" width="%.1f" height="12"/><rect class="plus" x="%.1f" y="%g" width="%.1f" height="12"/><text x="%.1f" y="%g">%d / %d</text>
`, label-8, y+10, html.EscapeString(a.Plan.Settings.Params[i].Name), middle-most*below, y, most*below, middle, y, most*above, middle+most+6, y+10, f.Below, f.Above)
		y += row
	}
	if b.Len() == 0 {
		return ""
	}
	return fmt.Sprintf(`<h2>%s</h2><svg viewBox="0 0 %g %g" role="img" aria-label="%s">
%s</svg>
`, i18n.Say(in, "Share of points that failed, below (left) and above the centre, by parameter; the bars are full where all did"), figureWidth, y+4, i18n.Say(in, "failures"), b.String())
}

// heatMap returns a chart of the interactions between parameters, by the probes.
func heatMap(in i18n.Language, a *Account) string {
	s, which := &a.Plan.Settings, perturbed(&a.Plan.Settings)
	if len(which) < 2 || len(s.Params) > tune.MaxCoupled || a.Coupled.Probes < 3 {
		return ""
	}
	cell := math.Min(36, (figureWidth-210)/float64(len(which)))
	noise := 2 / math.Sqrt(float64(a.Coupled.Probes))
	full := noise
	at := func(i, j int) float64 { return a.Coupled.Correlation(min(i, j), max(i, j), len(s.Params)) }
	for n, i := range which {
		for _, j := range which[n+1:] {
			full = math.Max(full, math.Abs(at(i, j)))
		}
	}
	var b strings.Builder
	for y, i := range which {
		fmt.Fprintf(&b, "<text x=\"192\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n", float64(y)*cell+cell/2+4, html.EscapeString(s.Params[i].Name))
		for x, j := range which {
			if x >= y {
				continue
			}
			r := at(i, j)
			class := "plus"
			if r < 0 {
				class = "minus"
			}
			fmt.Fprintf(&b, "<rect class=%q opacity=\"%.2f\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"><title>%s, %s: %+.3f</title></rect>\n", class,
				0.04+0.96*math.Abs(r)/full, 200+float64(x)*cell, float64(y)*cell, cell-1, cell-1, html.EscapeString(s.Params[i].Name), html.EscapeString(s.Params[j].Name), r)
		}
	}
	height := float64(len(which))*cell + 8
	return fmt.Sprintf(`<h2>%s</h2><svg viewBox="0 0 %g %.0f" role="img" aria-label="%s">
%s</svg>
`, i18n.Say(in, "Which parameters work together: correlation of the product of their signs with W − L in %d probes, columns in the order of the rows; full colour is %.2f, and below %.2f most of it is chance", a.Coupled.Probes, full, noise),
		figureWidth, height, i18n.Say(in, "couplings"), b.String())
}
