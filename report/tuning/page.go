package tuning

import (
	"fmt"
	"html"
	"html/template"
	"math"
	"strings"

	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/internal/svg"
	"gogi/match/tune"
	page "gogi/report/html"
)

// figureWidth is the width of a figure with rows of parameters, in CSS pixels.
const figureWidth = 640.0

// Page returns the report of a tune as one HTML page, in the given language. The page loads no other file.
func Page(in i18n.Language, a *Account, validations []i18n.Message) string {
	return fmt.Sprintf(`<!DOCTYPE html>
<html lang="%[3]s"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>%[1]s</title>
<style>%[4]s</style></head><body><main>
<h1>%[1]s</h1>
%[2]s</main></body></html>
`, html.EscapeString(a.Run), Body(in, a, validations), in, page.Style())
}

// Body returns the content of Page in the given language, for pages with their own head and styles.
// validations has one line for each validation match; Body prints them unchanged.
func Body(in i18n.Language, a *Account, validations []i18n.Message) string {
	var b, text strings.Builder
	Print(&text, in, a, validations)
	s, sum := &a.Plan.Settings, a.Summary()
	fmt.Fprintf(&b, "<p class=\"state\">%s</p>\n",
		i18n.Say(in, "%s of %s pairs · %s", format.Count(sum.Pairs), format.Count(sum.Budget), sum.Method))
	b.WriteString(answers(in, s, &sum))
	fmt.Fprintf(&b, "<p class=\"note\">%s</p>\n", estimated(in))
	b.WriteString(`<div data-fresh="course">` + Course(in, a) + "</div>\n")
	fmt.Fprintf(&b, "<p class=\"note\">%s</p>\n",
		i18n.Say(in, "The band is how far from the current value the engine plays. Only the validation proves a gain."))
	track := thinned(a.Track)
	for _, part := range []struct{ title, figures string }{
		{i18n.Say(in, "Effect of each parameter"), sensitivities(in, s, &sum) + failuresFigure(in, a) + heatMap(in, a)},
		{i18n.Say(in, "Perturbations and pairs without information"),
			"<div class=\"multiples\">" + controllerFigures(in, s, track) + sharesFigure(in, s, track) + "</div>"},
		{i18n.Say(in, "As text"), "<pre class=\"scroll\" tabindex=\"0\">" + html.EscapeString(text.String()) + "</pre>"},
	} {
		fmt.Fprintf(&b, "<details class=\"more\"><summary>%s</summary>\n%s</details>\n", part.title, part.figures)
	}
	return b.String()
}

// Course returns charts that show how each parameter's value changed during the tune.
func Course(in i18n.Language, a *Account) string {
	var b strings.Builder
	sum, track := a.Summary(), thinned(a.Track)
	for _, i := range perturbed(&a.Plan.Settings) {
		b.WriteString(string(trajectory(in, &a.Plan.Settings, i, &sum, track)))
	}
	return "<div class=\"multiples\">" + b.String() + "</div>\n"
}

// answers returns the table of the parameters: start, current and final value, and their estimated effects.
func answers(in i18n.Language, s *tune.Settings, sum *tune.Summary) string {
	var b strings.Builder
	b.WriteString(`<div class="scroll" tabindex="0"><table><thead><tr>`)
	for i, head := range heads(in, sum) {
		fmt.Fprintf(&b, `<th scope="col"%s>%s</th>`, numeric(i), html.EscapeString(fmt.Sprint(head)))
	}
	b.WriteString("</tr></thead><tbody>\n")
	for i := range sum.Params {
		p := &s.Params[i]
		if p.Unused {
			continue
		}
		for k, cell := range row(in, p, &sum.Params[i]) {
			text := html.EscapeString(fmt.Sprint(cell))
			if k > 0 {
				text = format.Minus(text)
			}
			switch k {
			case 0:
				fmt.Fprintf(&b, `<tr><th scope="row">%s</th>`, text)
			case 3:
				fmt.Fprintf(&b, `<td class="num"><strong>%s</strong></td>`, text)
			default:
				fmt.Fprintf(&b, `<td%s>%s</td>`, numeric(k), text)
			}
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("</tbody></table></div>\n")
	return b.String()
}

// numeric returns the class attribute of a column of numbers, or "" for a column of texts.
func numeric(column int) string {
	if column == 0 {
		return ""
	}
	return ` class="num"`
}

// trajectory returns a chart of one parameter's values over the tune, with the range that the engine plays, the start
// and the final value.
func trajectory(in i18n.Language, s *tune.Settings, i int, sum *tune.Summary, track []tune.Step) template.HTML {
	p := &s.Params[i]
	line := svg.Line{Name: i18n.Say(in, "current value"), Class: "c1"}
	for _, step := range track {
		c, y := s.Perturbation(i, step.Pairs, step.Factor), step.Centre[i]
		line.X, line.Y = append(line.X, float64(step.Pairs)), append(line.Y, y)
		line.Hi, line.Lo = append(line.Hi, math.Min(y+c, p.Max)), append(line.Lo, math.Max(y-c, p.Min))
	}
	mean := number(sum.Params[i].Mean, digits(p))
	result := i18n.Say(in, "final %s", mean)
	if !sum.Done() {
		result = i18n.Say(in, "so far %s", mean)
	}
	return svg.Plot{
		Title: p.Name, X: i18n.Say(in, "pairs"), Y: i18n.Say(in, "value"), Last: float64(s.Pairs), Small: true,
		Lines: []svg.Line{line},
		Levels: []svg.Level{
			{Name: i18n.Say(in, "start %s", p.Text(p.Start)), Class: "c8", Y: p.Start},
			{Name: result, Class: "c2", Y: sum.Params[i].Mean},
		},
	}.HTML()
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
	fmt.Fprintf(&b, "<h3>%s</h3><svg class=\"chart\" viewBox=\"0 0 %g %g\" role=\"img\" aria-label=\"%s\">\n",
		i18n.Say(in,
			"Plus against minus by parameter, Elo of the tuning games: it explains the path, and proves no strength"),
		figureWidth, height, i18n.Say(in, "sensitivities"))
	fmt.Fprintf(&b,
		"<path class=\"even\" d=\"M%.1f 0V%.1f\"/><text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">±%.0f Elo</text>\n", x(0),
		height-20, figureWidth-8, height-4, most)
	for j, r := range bars {
		y := rowHeight*float64(j) + 12
		fmt.Fprintf(&b,
			"<text x=\"%g\" y=\"%.1f\" text-anchor=\"end\">%s</text><path class=\"path c1\" d=\"M%.1f %.1fH%.1f\"/><circle cx=\"%.1f\" cy=\"%.1f\" class=\"dot\" r=\"3\"/>\n",
			label-8, y+4, html.EscapeString(r.name), x(r.lo), y, x(r.hi), x(r.mid), y)
	}
	b.WriteString("</svg>\n")
	return b.String()
}
