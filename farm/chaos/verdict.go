package chaos

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
)

// Design is a sequential test of pairs: logistic Elo, the ratio's bounds.
type Design struct{ Elo0, Elo1, Alpha, Beta float64 }

// Verdict is what a series says under a Design.
type Verdict struct {
	Decision string // pass, fail or continue
	Pairs    int    // that it rests on, from pair 0
	LLR      float64
}

// dumped is what of a line of a stable dump the verdict is a function of.
type dumped struct {
	Type    string     `json:"type"`
	Pair    int        `json:"pair"`
	A       string     `json:"a"`
	Black   string     `json:"black"`
	Points  [2]float64 `json:"points"` // Black's and White's
	Opening string     `json:"opening"`
}

// Recompute is the verdict of a stable dump, by arithmetic that shares nothing with the
// coordinator's: the pairs in plan order, after each the generalised likelihood ratio of
// the five outcomes of a pair (M. Van den Bergh, "A practical introduction to the GSPRT"),
// with a thousandth for an outcome not seen, held against ln(β/(1-α(1-β))) and ln(1/α).
// It knows designs in which every pair has an opening of its own, and says so of others.
func Recompute(dump io.Reader, d Design) (Verdict, error) {
	scores, openings, err := scoresOf(dump)
	if err != nil {
		return Verdict{}, err
	}
	s0, s1 := expected(d.Elo0), expected(d.Elo1)
	lower, upper := math.Log(d.Beta/(1-d.Alpha*(1-d.Beta))), -math.Log(d.Alpha)
	v := Verdict{Decision: "continue"}
	var seen [5]float64
	for id, score := range scores { // to the first pair that is not there
		if other := slices.Index(openings, openings[id]); other < id {
			return Verdict{}, fmt.Errorf("pairs %d and %d have opening %s, expected an opening for each", other, id, openings[id])
		}
		seen[int(math.Round(2*score))]++
		v.Pairs++
		v.LLR = likelihood(seen, s1) - likelihood(seen, s0)
		switch {
		case v.LLR >= upper:
			v.Decision = "pass"
			return v, nil
		case v.LLR <= lower:
			v.Decision = "fail"
			return v, nil
		}
	}
	return v, nil
}

// scoresOf are the points of the first player and the openings, by pair, up to the first gap.
func scoresOf(dump io.Reader) ([]float64, []string, error) {
	games, openings := map[int][]float64{}, map[int]string{}
	lines := bufio.NewScanner(dump)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var g dumped
		if err := json.Unmarshal(lines.Bytes(), &g); err != nil {
			return nil, nil, fmt.Errorf("a line of the dump: %w", err)
		}
		if g.Type != "game" {
			continue
		}
		openings[g.Pair] = g.Opening
		points := g.Points[0]
		if g.Black != g.A {
			points = g.Points[1]
		}
		games[g.Pair] = append(games[g.Pair], points)
	}
	var scores []float64
	var of []string
	for id := 0; games[id] != nil; id++ {
		if len(games[id]) != 2 {
			return nil, nil, fmt.Errorf("pair %d has %d games, expected 2", id, len(games[id]))
		}
		scores = append(scores, games[id][0]+games[id][1])
		of = append(of, openings[id])
	}
	return scores, of, lines.Err()
}

func expected(elo float64) float64 { return 1 / (1 + math.Pow(10, -elo/400)) }

// likelihood is the logarithm of the largest likelihood of the outcomes under a
// distribution with the mean s, up to a constant of the outcomes: each outcome's share
// is divided by 1+x(value-s), and the x that does it is found by halving.
func likelihood(seen [5]float64, s float64) float64 {
	const unseen = 1e-3
	for i := range seen {
		seen[i] = max(seen[i], unseen)
	}
	slope := func(x float64) (sum float64) {
		for i, n := range seen {
			a := float64(i)/4 - s
			sum += n * a / (1 + x*a)
		}
		return sum
	}
	lo, hi := -1/(1-s), 1/s // there the largest and the least value have no room
	for range 200 {
		if mid := (lo + hi) / 2; slope(mid) > 0 {
			lo = mid
		} else {
			hi = mid
		}
	}
	sum := 0.0
	for i, n := range seen {
		sum -= n * math.Log1p((lo+hi)/2*(float64(i)/4-s))
	}
	return sum
}

// Share is a test that waits for pairs, and what part of them it is to get.
type Share struct {
	Run  string
	Part float64
}

// shareGrants are how many grants shares are held against, and shareOff is how far they
// may be off.
const (
	shareGrants = 1000
	shareOff    = 0.02
)

// Shares says which tests have not had their parts of the first thousand grants since
// all of them were granted pairs (I8); none: all have. It fails where there were fewer.
func Shares(h *History, want []Share) (wrong []string, err error) {
	count, all := map[string]int{}, 0
	total := 0.0
	for _, s := range want {
		total += s.Part
	}
	begun := map[string]bool{}
	for i := range h.Steps {
		if h.Steps[i].What != "grant" {
			continue
		}
		for _, l := range h.Steps[i].Leases {
			if !slices.ContainsFunc(want, func(s Share) bool { return s.Run == l.Run }) {
				continue
			}
			begun[l.Run] = true
			if len(begun) == len(want) && all < shareGrants {
				count[l.Run]++
				all++
			}
		}
	}
	if all < shareGrants {
		return nil, errors.New("I8: fewer than a thousand pairs were granted while all tests waited")
	}
	for _, s := range want {
		if got, part := float64(count[s.Run])/float64(all), s.Part/total; math.Abs(got-part) > shareOff {
			wrong = append(wrong, fmt.Sprintf("I8: %.12s had %.1f%% of %d grants, expected %.1f%%", s.Run, 100*got, all, 100*part))
		}
	}
	return wrong, nil
}
