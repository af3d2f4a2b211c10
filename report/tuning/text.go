package tuning

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/match/tune"
	"gogi/stats/binomial"
)

// estimated explains the asterisk of the column with the effects of the parameters.
func estimated(in i18n.Language) string {
	return i18n.Say(in, "* estimated from the games of the tune; it proves no strength")
}

// Print writes the report of a tune for a terminal: its progress, its parameters and its validations. The games
// of a tune give information on its parameters, but they prove no strength.
func Print(w io.Writer, in i18n.Language, a *Account, validations []i18n.Message) {
	s, sum := &a.Plan.Settings, a.Summary()
	fmt.Fprint(w, i18n.Say(in, "%s · %s · %s of %s pairs · block %s of %s", format.Name(a.Run), sum.Method,
		format.Count(sum.Pairs), format.Count(sum.Budget), format.Count(sum.Blocks), format.Count(s.Blocks())))
	if s.Spread > 0 {
		fmt.Fprint(w, i18n.Say(in, " · perturbation × %.2f", sum.Factor))
	}
	fmt.Fprintln(w)
	if a.Plan.From != "" {
		fmt.Fprintln(w, i18n.Say(in, "started at the final values of %s, with its own schedule", format.Name(a.Plan.From)))
	}
	fmt.Fprintln(w)
	t := format.Table(heads(in, &sum)...)
	t.SetColumnConfigs(format.RightAligned(2, 7))
	for i := range sum.Params {
		p := &s.Params[i]
		if !p.Unused {
			t.AppendRow(row(in, p, &sum.Params[i]))
		}
	}
	format.Render(w, t)
	for i := range sum.Params {
		printLevels(w, in, &sum.Params[i])
	}
	fmt.Fprintln(w)
	if sum.Loss != nil {
		fmt.Fprintln(w, i18n.Say(in, "the perturbed values lost %s Elo* to the current values (target: %g)",
			interval(sum.Loss, 1), s.Spread))
	}
	if why := tune.IsFutile(s, &a.Asked); why != nil {
		fmt.Fprintln(w, futile(why).In(in))
	}
	printShares(w, in, a, &sum)
	fmt.Fprintln(w, estimated(in))
	for _, c := range a.Candidates {
		fmt.Fprintln(w, i18n.Say(in, "candidate %d, after block %d: %s", c.Number, c.Blocks, Words(c.Point)))
	}
	for _, line := range validations {
		fmt.Fprintln(w, line.In(in))
	}
}

// heads returns the columns of the table of parameters. The values of a tune that has not ended are not final.
func heads(in i18n.Language, sum *tune.Summary) []any {
	columns := i18n.Heads(in, "parameter", "initial", "current", "final value", "± s.e.", "effect", "at ±c, Elo*")
	if !sum.Done() {
		columns[3] = i18n.Say(in, "value so far")
	}
	return columns
}

func row(in i18n.Language, p *tune.Param, sum *tune.ParamSummary) []any {
	if p.Kind == tune.Choice {
		return []any{p.Name, p.Text(p.Start), "", sum.Value, "", "", ""}
	}
	moved := ""
	if sum.Moved != nil && sum.P != nil {
		moved = i18n.Say(in, "%+.1f s.d., p = %s", *sum.Moved, format.PValue(*sum.P))
	}
	effect := ""
	if sum.SensitivityElo != nil && sum.Sensitivity != nil {
		effect = fmt.Sprintf("%.1f %s", *sum.SensitivityElo, interval(sum.Sensitivity, 1))
	}
	return []any{
		p.Name, p.Text(p.Start), number(sum.Now, digits(p)), sum.Value, spread(sum.Error, digits(p)), moved, effect,
	}
}

// digits returns the number of decimals to print for a parameter's values.
func digits(p *tune.Param) int {
	if p.Kind == tune.Int {
		return max(0, 1-int(math.Log10(math.Max(1, p.Max-p.Min)/100)))
	}
	return max(0, 3-int(math.Floor(math.Log10(p.Max-p.Min))))
}

func number(x float64, digits int) string { return strconv.FormatFloat(x, 'f', digits, 64) }

func spread(x *float64, digits int) string {
	if x == nil {
		return ""
	}
	return number(*x, digits+1)
}

func interval(i *binomial.Interval, digits int) string {
	return "[" + number(i.Lo, digits) + ", " + number(i.Hi, digits) + "]"
}

func printLevels(w io.Writer, in i18n.Language, p *tune.ParamSummary) {
	for _, l := range p.Levels {
		fmt.Fprintln(w, i18n.Say(in, "%s = %s: %+.1f Elo* [%+.1f, %+.1f] against the start's level", p.Name, l.Name, l.Elo,
			l.Lo, l.Hi))
	}
}

// futile returns the reason why a tune may end. In English it is the text of why.Error().
func futile(why *tune.Futile) i18n.Message {
	return i18n.Of("after %d pairs no parameter matters: with %.1f times the requested perturbation, none differs from a parameter without effect", why.Pairs, why.Factor)
}

// manyCopies is the share of pairs with two equal games above which the report warns that the perturbation is too small
// or the options have no effect.
const manyCopies = 0.3

func printShares(w io.Writer, in i18n.Language, a *Account, sum *tune.Summary) {
	var parts i18n.Clauses
	if sum.Forfeits > 0 {
		parts = append(parts, i18n.Of("%s forfeited because the engine did not start with its values",
			i18n.Number{N: sum.Forfeits, Noun: "pair"}))
	}
	if sum.Equal > 0 {
		parts = append(parts, i18n.Of("%s with equal values on both sides (%s)", i18n.Number{N: sum.Equal, Noun: "pair"},
			share(sum.Equal, sum.Pairs)))
	}
	if a.Copies > 0 {
		text := i18n.Of("%s of two equal games (%s)", i18n.Number{N: a.Copies, Noun: "pair"}, share(a.Copies, a.Stored))
		if float64(a.Copies) > manyCopies*float64(max(1, a.Stored)) {
			text = i18n.Of("%s: the perturbation is too small, or options change nothing (gogi tune probe)", text)
		}
		parts = append(parts, text)
	}
	if len(parts) > 0 {
		fmt.Fprintln(w, parts.In(in))
	}
	for _, line := range failures(a) {
		fmt.Fprintln(w, line.In(in))
	}
	for _, c := range couples(a, shownCouples) {
		if c.P < 0.05 {
			fmt.Fprintln(w, i18n.Say(in, "%s and %s interact: r = %+.2f in the pairs against the current values* (p = %.2g)",
				c.A, c.B, c.Correlation, c.P))
		}
	}
}

// shownCouples is the largest number of interacting pairs of parameters that the text names.
const shownCouples = 3

func share(n, of int) string { return fmt.Sprintf("%.1f %%", 100*float64(n)/float64(max(1, of))) }

// Interaction is the evidence that two parameters of a tune influence each other. It comes from probes: pairs
// of games in which one player has perturbed values and the other has the current values.
type Interaction struct {
	A string `json:"a"` // name of the first parameter
	B string `json:"b"` // name of the second parameter
	// correlation of the product of the two signs with wins minus losses. See tune.Coupled.
	Correlation float64 `json:"correlation"`
	P           float64 `json:"p"` // two-sided p value, adjusted over all pairs of parameters (Holm)
}

// couples returns the interactions of pairs of parameters, the most correlated pair first, and at most limit of them.
func couples(a *Account, limit int) []Interaction {
	list := []Interaction{}
	params, which := a.Plan.Settings.Params, perturbed(&a.Plan.Settings)
	if len(params) > tune.MaxCoupled || a.Coupled.Probes < 3 {
		return list
	}
	var p []float64
	for n, i := range which {
		for _, j := range which[n+1:] {
			r := a.Coupled.Correlation(i, j, len(params))
			list = append(list, Interaction{A: params[i].Name, B: params[j].Name, Correlation: r})
			p = append(p, math.Erfc(math.Abs(r)*math.Sqrt(float64(a.Coupled.Probes)/2)))
		}
	}
	adjusted, err := binomial.Holm.Adjust(p)
	for i := range list {
		if list[i].P = 1; err == nil {
			list[i].P = adjusted[i]
		}
	}
	slices.SortStableFunc(list, func(x,
		y Interaction) int {
		return cmp.Compare(math.Abs(y.Correlation), math.Abs(x.Correlation))
	})
	return list[:min(len(list), limit)]
}

// perturbed returns the indices of the tuned parameters that are numbers. Only their values can be above or below the
// start.
func perturbed(s *tune.Settings) (list []int) {
	for i := range s.Params {
		if p := &s.Params[i]; !p.Unused && p.Kind != tune.Choice {
			list = append(list, i)
		}
	}
	return list
}

// failures returns a line for each parameter at whose values the engine failed.
func failures(a *Account) (lines []i18n.Message) {
	for _, i := range perturbed(&a.Plan.Settings) {
		f := a.Failed[i]
		if f.Above+f.Below > 0 {
			lines = append(lines,
				i18n.Of("%s: the engine failed at %d of %d values above the current value, and at %d of %d below it",
					a.Plan.Settings.Params[i].Name, f.Above, f.OfAbove, f.Below, f.OfBelow))
		}
	}
	return lines
}
