// Package format prints numbers, tables and JSON for all outputs. Use it for every number that a user sees:
// [Elo], [Percent], [PValue], [Span], [Table]. Its functions return the number without a name; the caller
// adds the name, such as "score" or "p =".
package format

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"gogi/internal/sanitize"
)

// Span returns a duration with two or three digits and its unit, such as "2.5 ms" or "1.25 s".
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

// Duration returns a duration such as "2h05m", "3m07s" or "12s".
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

// Quoted returns text from another program or a file in quotes. It shortens the text for an error message.
func Quoted(text string) string { return strconv.Quote(sanitize.Printable(text, 40)) }

// Name returns a player's name for a table. It removes characters that cannot be printed, and cuts the name
// to 40 characters.
func Name(name string) string { return sanitize.Printable(name, 40) }

// Points returns a number of points with ½ for half a point, such as "12½".
func Points(v float64) string {
	switch {
	case v == float64(int(v)):
		return Count(int(v))
	case int(v) == 0:
		return "½"
	}
	return Count(int(v)) + "½"
}

// SignedOr returns Signed(*v), or missing if v is nil.
func SignedOr(v *float64, missing string) string {
	if v == nil {
		return missing
	}
	return Signed(*v)
}

// Share returns points divided by games in percent. It returns a dash if games is 0.
func Share(points float64, games int) string {
	if games == 0 {
		return "–"
	}
	return Percent(points / float64(games))
}

// negative matches the hyphen of a negative number. It matches no hyphen within a name or a date.
var negative = regexp.MustCompile(`(^|[\s\[(])-([0-9])`)

// Minus returns text in which each negative number begins with the typographic minus sign instead of a
// hyphen.
func Minus(text string) string { return negative.ReplaceAllString(text, "${1}−${2}") }

// Signed returns a number with a typographic minus sign (−) if it is negative.
func Signed(v float64) string {
	if v < 0 {
		return "−" + Figure(-v)
	}
	return Figure(v)
}

// Figure returns a number with six significant digits. If its integer part has more digits, Figure prints all of
// them. It avoids scientific notation if the number is readable without it.
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

// NumberOf returns a count with its noun, such as "1 game" or "2 games".
func NumberOf(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return Count(n) + " " + what + "s"
}

// Words returns a word of the JSON output with blanks instead of underscores, such as "time forfeit" for
// time_forfeit.
func Words(snake string) string { return strings.ReplaceAll(snake, "_", " ") }

// Elo returns a rating difference with its sign and one decimal. If v is nil, the difference is infinite, and
// sign is its sign.
func Elo(v *float64, sign int) string {
	switch {
	case v != nil:
		return Float("%+.1f", *v)
	case sign < 0:
		return "−∞"
	}
	return "+∞"
}

// Percent returns a share from 0 to 1 in percent with one decimal, such as "52.5%".
func Percent(v float64) string { return fmt.Sprintf("%.1f%%", 100*v) }

// PercentShort returns a share from 0 to 1 in percent with only the necessary decimals, at most six, such as
// "95%". It rounds first, because 100 times 0.55 is not exactly 55.
func PercentShort(v float64) string { return fmt.Sprintf("%g%%", math.Round(v*1e8)/1e6) }

// PValue returns a p value with three decimals, or in scientific notation if it is below 0.001. It never
// returns a text that reads as zero.
func PValue(p float64) string {
	switch {
	case p >= 0.001:
		return fmt.Sprintf("%.3f", p)
	case p > 0:
		return fmt.Sprintf("%.1e", p)
	}
	return "1e-308 or less"
}

// Or formats the value of v, or returns a dash if v is nil.
func Or[T any](v *T, format func(T) string) string {
	if v == nil {
		return "–"
	}
	return format(*v)
}

// Decimal returns v with digits decimals, or a dash if v is nil. If digits is 0, it rounds v to a whole
// number and groups its digits by three.
func Decimal(v *float64, digits int) string {
	if v == nil {
		return "–"
	}
	if digits == 0 {
		return Count(int(math.Round(*v)))
	}
	return Float(fmt.Sprintf("%%.%df", digits), *v)
}

// Float returns a number in a layout such as "%+.2f". A number that is rounded to zero has no minus sign.
func Float(layout string, v float64) string {
	text := fmt.Sprintf(layout, v)
	if strings.Trim(text, "-0.") == "" {
		return fmt.Sprintf(layout, 0.0)
	}
	return text
}

// Count returns a number with its digits grouped by three, such as "12,345".
func Count(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Hours returns a duration in hours with one digit after the point, without a unit.
func Hours(d time.Duration) string { return fmt.Sprintf("%.1f", d.Hours()) }
