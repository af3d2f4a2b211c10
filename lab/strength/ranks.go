package strength

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// These constants convert ranks of Go to points. Each rank has a band of 1000 points. The middle of the band
// of 1-dan is 26,500, and the band of 1-kyu is directly below it. Source: Tab 4-1 of the master's
// thesis on the strength of players (docs/research/sources.md), which goes from 25-kyu, whose band begins at 1,000, to
// 8-dan.
const (
	pointsOfDan  = 26_500
	pointsOfRank = 1_000
	mostDan      = 8
	mostKyu      = 25
)

// Points converts a rank of the game of Go, such as 3d, 3 dan, 3段, 初段, 5k, 5級 or 7段*, to points: 1000 points
// per rank, and 26,500 for 1-dan. It returns text with a number unchanged, as points. ok is false for other
// text, and for ranks below 25-kyu or above 8-dan.
func Points(rank string) (points float64, ok bool) {
	if v, err := strconv.ParseFloat(strings.TrimSpace(rank), 64); err == nil {
		return v, !math.IsNaN(v) && !math.IsInf(v, 0)
	}
	found := word.FindStringSubmatch(plain(rank))
	if found == nil {
		return 0, false
	}
	n, err := strconv.Atoi(found[1])
	if err != nil || n < 1 {
		return 0, false
	}
	switch found[2] {
	case "d", "dan", "段":
		return pointsOfDan + pointsOfRank*float64(n-1), n <= mostDan
	}
	return pointsOfDan - pointsOfRank*float64(n), n <= mostKyu
}

// word matches a text that is only a rank. Servers add * (a title), ? (a guess) or + (proven) to a rank.
var word = regexp.MustCompile(`^(\d+)[ -]?(d|dan|段|k|kyu|級)[*?+]?$`)

// plain returns a rank in small letters and ASCII digits.
func plain(rank string) string {
	rank = strings.Map(func(r rune) rune {
		switch {
		case r >= '０' && r <= '９':
			return r - '０' + '0'
		case r == '\u3000':
			return ' '
		}
		return r
	}, rank)
	return strings.Replace(strings.ToLower(strings.TrimSpace(rank)), "初段", "1段", 1)
}

// Rank converts points to the nearest rank of Go, such as "3d" (see Points). For points outside of 25-kyu to
// 8-dan it returns "below 25k" or "above 8d".
func Rank(points float64) string {
	switch n := math.Floor((points-pointsOfDan)/pointsOfRank + 0.5); {
	case n >= mostDan:
		return fmt.Sprintf("above %dd", mostDan)
	case n < -mostKyu:
		return fmt.Sprintf("below %dk", mostKyu)
	case n < 0:
		return fmt.Sprintf("%dk", -int(n))
	default:
		return fmt.Sprintf("%dd", int(n)+1)
	}
}
