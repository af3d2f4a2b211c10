package tuning

import (
	"fmt"
	"html"
	"math"
	"slices"
	"strings"

	"gogi/internal/i18n"
	"gogi/internal/svg"
	"gogi/match/tune"
)

// controllerFigures returns charts of the size of the perturbations over time, and of the results of the probes that
// control it.
func controllerFigures(in i18n.Language, s *tune.Settings, track []tune.Step) string {
	if s.Spread == 0 {
		return ""
	}
	factor, lost := svg.Line{Name: i18n.Say(in, "factor"), Class: "c1"}, svg.Line{Name: i18n.Say(in, "loss"), Class: "c1"}
	for _, step := range track {
		x := float64(step.Pairs)
		factor.X, factor.Y = append(factor.X, x), append(factor.Y, step.Factor)
		if step.LostElo != nil {
			lost.X, lost.Y = append(lost.X, x), append(lost.Y, *step.LostElo)
		}
	}
	low, high := math.Min(0, s.Spread), 1.5*s.Spread
	if n := len(lost.Y); n > 4 { // the first means come from few pairs, and would make the scale too large for the others
		low, high = math.Min(low, slices.Min(lost.Y[n/4:])), math.Max(high, slices.Max(lost.Y[n/4:]))
	}
	pairs, last := i18n.Say(in, "pairs"), float64(s.Pairs)
	return string(svg.Plot{
		Title: i18n.Say(in, "Factor of all perturbations"), X: pairs, Y: "×", Last: last, Small: true,
		Lines: []svg.Line{factor},
	}.HTML() + svg.Plot{
		Title: i18n.Say(in, "Loss of the perturbed values so far, Elo of the tuning games"), X: pairs, Y: "Elo", Last: last,
		Small: true, Low: low, High: high, Lines: []svg.Line{lost},
		Levels: []svg.Level{{Name: i18n.Say(in, "target"), Class: "c8", Y: s.Spread}},
	}.HTML())
}

// sharesFigure returns a chart of the share of pairs that give no information.
func sharesFigure(in i18n.Language, s *tune.Settings, track []tune.Step) string {
	copies, equal := svg.Line{Name: i18n.Say(in, "two equal games"), Class: "c1"},
		svg.Line{Name: i18n.Say(in, "equal values on both sides"), Class: "c2"}
	for _, step := range track {
		if n := float64(step.Pairs); n > 0 {
			copies.X, copies.Y = append(copies.X, n), append(copies.Y, float64(step.Copies)/n)
			equal.X, equal.Y = append(equal.X, n), append(equal.Y, float64(step.Equal)/n)
		}
	}
	if len(equal.X) == 0 {
		return ""
	}
	return string(svg.Plot{
		Title: i18n.Say(in, "Share of pairs without information so far"), X: i18n.Say(in, "pairs"), Y: i18n.Say(in, "share"),
		Percent: true, Last: float64(s.Pairs), Small: true,
		High: math.Max(0.01, math.Max(slices.Max(copies.Y), slices.Max(equal.Y))), Lines: []svg.Line{copies, equal},
	}.HTML())
}

// failuresFigure returns a chart of the engine's failures at tuned values, by parameter and by side of the current
// estimate. It returns "" if there are none.
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
	return fmt.Sprintf(`<h3>%s</h3><svg class="chart" viewBox="0 0 %g %g" role="img" aria-label="%s">
%s</svg>
`, i18n.Say(in, "Share of the values at which the engine failed, below (left) and above the current value, by parameter. A full bar: all failed."), figureWidth, y+4, i18n.Say(in, "failures"), b.String())
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
		fmt.Fprintf(&b, "<text x=\"192\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n", float64(y)*cell+cell/2+4,
			html.EscapeString(s.Params[i].Name))
		for x, j := range which {
			if x >= y {
				continue
			}
			r := at(i, j)
			class := "plus"
			if r < 0 {
				class = "minus"
			}
			fmt.Fprintf(&b,
				"<rect class=%q opacity=\"%.2f\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"><title>%s, %s: %+.3f</title></rect>\n", class,
				0.04+0.96*math.Abs(r)/full, 200+float64(x)*cell, float64(y)*cell, cell-1, cell-1,
				html.EscapeString(s.Params[i].Name), html.EscapeString(s.Params[j].Name), r)
		}
	}
	height := float64(len(which))*cell + 8
	return fmt.Sprintf(`<h3>%s</h3><svg class="chart" viewBox="0 0 %g %.0f" role="img" aria-label="%s">
%s</svg>
`, i18n.Say(in, "Which parameters interact: correlation of the product of their signs with W − L in %d pairs against the current values. The columns have the order of the rows. Full colour is %.2f. A correlation below %.2f is mostly chance.", a.Coupled.Probes, full, noise),
		figureWidth, height, i18n.Say(in, "couplings"), b.String())
}
