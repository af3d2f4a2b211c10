package svg

import (
	"fmt"
	"html"
	"html/template"
)

// Ratio returns a small bar for a value between a negative and a positive bound, such as the LLR of an SPRT.
// The bar starts at 0. words is the alternative text of the picture.
func Ratio(value, lower, upper float64, words string) template.HTML {
	x := func(v float64) float64 { return 120 * (max(lower, min(upper, v)) - lower) / (upper - lower) }
	from, to := min(x(0), x(value)), max(x(0), x(value))
	return template.HTML(fmt.Sprintf( //nolint:gosec // words are escaped
		`<svg class="llr" viewBox="0 0 120 12" preserveAspectRatio="none" role="img" aria-label="%s"><rect class="rail" width="120" height="12" rx="2"/><rect class="fill" x="%.1f" width="%.1f" height="12" rx="2"/><line class="even" x1="%.1f" x2="%.1[4]f" y1="0" y2="12"/></svg>`,
		html.EscapeString(words), from, max(1, to-from), x(0)))
}

// Interval returns a small picture of an estimate and its interval from lo to hi. The scale goes from low to
// high, with a mark at even, for example the score of equal players. words is the alternative text of the
// picture.
func Interval(lo, estimate, hi, low, high, even float64, words string) template.HTML {
	x := func(v float64) float64 { return 4 + 184*(max(low, min(high, v))-low)/max(high-low, 1e-9) }
	return template.HTML(fmt.Sprintf( //nolint:gosec // words are escaped
		`<svg class="span" viewBox="0 0 192 16" role="img" aria-label="%s"><line class="even" x1="%.1f" x2="%.1[2]f" y1="0" y2="16"/><line class="bar" x1="%.1f" x2="%.1f" y1="8" y2="8"/><circle class="dot" cx="%.1f" cy="8" r="4"/></svg>`,
		html.EscapeString(words), x(even), x(lo), x(hi), x(estimate)))
}
