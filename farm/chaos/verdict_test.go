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

// A Design is an SPRT over pairs: logistic Elo, and the error rates of its bounds.
type Design struct{ Elo0, Elo1, Alpha, Beta float64 }

// A Verdict is the decision of a Design.
type Verdict struct {
	Decision string // pass, fail or continue
	Pairs    int    // number of pairs that it depends on, from pair 0
	LLR      float64
}

// Recompute returns the verdict of a stable dump. Its arithmetic shares nothing with the coordinator's. After each pair in
// plan order it compares the generalised likelihood ratio of the five outcomes of a pair (M. Van den Bergh, "A practical
// introduction to the GSPRT"), with a thousandth for an outcome not seen, with ln(β/(1-α(1-β))) and ln(1/α). It returns
// an error unless every pair has its own opening.
func Recompute(dump io.Reader, d Design) (Verdict, error) {
	scores, openings, err := scoresOf(dump)
	if err != nil {
		return Verdict{}, err
	}
	s0, s1 := expected(d.Elo0), expected(d.Elo1)
	lower, upper := math.Log(d.Beta/(1-d.Alpha*(1-d.Beta))), -math.Log(d.Alpha)
	v := Verdict{Decision: "continue"}
	var seen [5]float64
	for id, score := range scores { // up to the first missing pair
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

// scoresOf returns the points of the first player and the openings, by pair, up to the first missing pair.
func scoresOf(dump io.Reader) (scores []float64, openings []string, err error) {
	games, opening := map[int][]float64{}, map[int]string{}
	lines := bufio.NewScanner(dump)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var g struct {
			Type, A, Black, Opening string
			Pair                    int
			Points                  [2]float64 // Black's and White's
		}
		if err := json.Unmarshal(lines.Bytes(), &g); err != nil {
			return nil, nil, fmt.Errorf("a line of the dump: %w", err)
		}
		if g.Type != "game" {
			continue
		}
		opening[g.Pair] = g.Opening
		points := g.Points[0]
		if g.Black != g.A {
			points = g.Points[1]
		}
		games[g.Pair] = append(games[g.Pair], points)
	}
	for id := 0; games[id] != nil; id++ {
		if len(games[id]) != 2 {
			return nil, nil, fmt.Errorf("pair %d has %d games, expected 2", id, len(games[id]))
		}
		scores = append(scores, games[id][0]+games[id][1])
		openings = append(openings, opening[id])
	}
	return scores, openings, lines.Err()
}

func expected(elo float64) float64 { return 1 / (1 + math.Pow(10, -elo/400)) }

// likelihood returns the logarithm of the largest likelihood of the outcomes under a distribution with the mean s, up to a
// constant. Each outcome's share is divided by 1+x(value-s); bisection finds x.
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
	lo, hi := -1/(1-s), 1/s // here a share of the greatest or the least value becomes infinite
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

// A Share is a waiting test and its part of the pairs.
type Share struct {
	Run  string
	Part float64
}

// shareGrants is the number of grants in which shares are compared, and shareOff is the largest allowed difference.
const (
	shareGrants = 1000
	shareOff    = 0.02
)

// Shares returns the tests that did not get their parts of the first thousand grants after every test had a grant (I8). It
// returns an error if there were fewer grants.
func Shares(h *History, want []Share) (wrong []string, err error) {
	count, begun, all, total := map[string]int{}, map[string]bool{}, 0, 0.0
	for _, s := range want {
		total += s.Part
	}
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
