// Package strength estimates players' ratings from how an engine judges their moves: it fits
// ratings to the metrics of a review, keeps the fit as a model, applies it to others, and
// says how far such estimates are off where the truth is known. docs/strength.md has the
// methods and what they are worth.
package strength

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// The ranks of Go as points: 1000 a rank, 1-dan in the middle of its band at 26,500, and 1-kyu
// next to it, without a gap. Source: the thesis' table of ranks (Tab 4-1), which goes from
// 15-kyu to 8-dan.
const (
	pointsOfDan  = 26_500
	pointsOfRank = 1_000
	mostDan      = 8
	mostKyu      = 15
)

// Points are what a record's word on a player's strength says: a rank of Go such as 3d, 3
// dan, 3段, 初段, 5k or 5級, or a number, which is a rating already.
func Points(rank string) (points float64, ok bool) {
	text := strings.ToLower(strings.TrimSpace(rank))
	if v, err := strconv.ParseFloat(text, 64); err == nil {
		return v, !math.IsNaN(v) && !math.IsInf(v, 0)
	}
	text = strings.Replace(text, "初段", "1d", 1)
	digits := strings.TrimRight(text, " danky段級u-")
	n, err := strconv.Atoi(digits)
	if err != nil || n < 1 {
		return 0, false
	}
	switch strings.Trim(text[len(digits):], " -") {
	case "d", "dan", "段":
		return pointsOfDan + pointsOfRank*float64(n-1), n <= mostDan
	case "k", "kyu", "級":
		return pointsOfDan - pointsOfRank*float64(n), n <= mostKyu
	}
	return 0, false
}

// Rank is the rank of Go whose band has the points; those beyond the table are of its ends.
func Rank(points float64) string {
	n := int(math.Floor((points-pointsOfDan)/pointsOfRank + 0.5))
	if n = max(-mostKyu, min(mostDan-1, n)); n < 0 {
		return fmt.Sprintf("%dk", -n)
	}
	return fmt.Sprintf("%dd", n+1)
}
