// Package format prints numbers, tables and JSON for all outputs. Use it for every figure that
// a user sees: [Elo], [Percent], [PValue], [Span], [Table]. It has no words of shogi or
// statistics; the caller names the number.
package format

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"gogi/internal/sanitize"
)

// Span prints a duration with three digits.
func Span(d time.Duration) string {
	switch {
	case d < 10*time.Millisecond:
		return fmt.Sprintf("%.1f ms", d.Seconds()*1000)
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < 100*time.Second:
		return fmt.Sprintf("%.3g s", d.Seconds())
	}
	return fmt.Sprintf("%.0f s", d.Seconds())
}

// Duration is "2h05m", "3m07s" or "12s".
func Duration(d time.Duration) string {
	d = d.Round(time.Second)
	switch {
	case d >= time.Hour:
		return fmt.Sprintf("%dh%02dm", d/time.Hour, d%time.Hour/time.Minute)
	case d >= time.Minute:
		return fmt.Sprintf("%dm%02ds", d/time.Minute, d%time.Minute/time.Second)
	}
	return fmt.Sprintf("%ds", d/time.Second)
}

// Quoted returns foreign text in quotes, shortened for an error.
func Quoted(text string) string { return strconv.Quote(sanitize.Printable(text, 40)) }

// Name returns a player's name as a table can show it: printable, at most 40 characters.
func Name(name string) string { return sanitize.Printable(name, 40) }

// Points of games: whole, or with a half.
func Points(v float64) string {
	if v == float64(int(v)) {
		return Count(int(v))
	}
	return Count(int(v)) + "½"
}

// SignedOr returns Signed, or missing for a nil number.
func SignedOr(v *float64, missing string) string {
	if v == nil {
		return missing
	}
	return Signed(*v)
}

// Share is points of games in percent, a dash without games.
func Share(points float64, games int) string {
	if games == 0 {
		return "–"
	}
	return Percent(points / float64(games))
}

// Signed returns a number with a minus of full width.
func Signed(v float64) string {
	if v < 0 {
		return "−" + Figure(-v)
	}
	return Figure(v)
}

// Figure returns a number with six significant digits, or with its whole integer part. It avoids
// scientific notation if the number is readable without it.
func Figure(v float64) string {
	if v != 0 && (v < 1e-4 || v >= 1e12) {
		return strconv.FormatFloat(v, 'g', 6, 64)
	}
	digits := 0
	for scale := 100_000.0; v != 0 && v < scale && digits < 9; scale /= 10 {
		digits++
	}
	return strconv.FormatFloat(v, 'f', digits, 64)
}

// NumberOf is "1 game", "2 games".
func NumberOf(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return Count(n) + " " + what + "s"
}

// Words returns a spelling of the JSON output as one reads it: time forfeit for time_forfeit.
func Words(snake string) string { return strings.ReplaceAll(snake, "_", " ") }

// Elo prints a rating difference; a missing one is infinite with the given sign.
func Elo(v *float64, sign int) string {
	switch {
	case v != nil:
		return fmt.Sprintf("%+.1f", *v)
	case sign < 0:
		return "−∞"
	}
	return "+∞"
}

// Percent returns a share from 0 to 1 in percent with one digit.
func Percent(v float64) string { return fmt.Sprintf("%.1f%%", 100*v) }

// PercentShort returns a share from 0 to 1 in percent with as many digits as it has, up to six: 95%. It
// rounds first: 100 times 0.55 is not 55.
func PercentShort(v float64) string { return fmt.Sprintf("%g%%", math.Round(v*1e8)/1e6) }

// PValue has three significant digits, and never reads as zero.
func PValue(p float64) string {
	switch {
	case p >= 0.001:
		return fmt.Sprintf("%.3f", p)
	case p > 0:
		return fmt.Sprintf("%.1e", p)
	}
	return "< 1e-308"
}

// Decimal returns a number with that many digits after the point, a dash for a missing one; whole
// numbers are grouped by three.
func Decimal(v *float64, digits int) string {
	if v == nil {
		return "–"
	}
	if digits == 0 {
		return Count(int(math.Round(*v)))
	}
	return fmt.Sprintf("%.*f", digits, *v)
}

// Count groups a number's digits by three.
func Count(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
