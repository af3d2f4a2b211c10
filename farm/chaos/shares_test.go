package chaos

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// A Share is a waiting test and its part of the pairs.
type Share struct {
	Run  string
	Part float64
}

// shareGrants is the number of grants in which shares are compared. shareOff is the largest allowed difference.
const (
	shareGrants = 1000
	shareOff    = 0.02
)

// Shares returns the tests that did not get their parts of the first thousand grants after every test had a grant (I8).
// With fewer grants it returns an error.
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
			wrong = append(wrong, fmt.Sprintf("I8: %.12s had %.1f%% of %d grants, expected %.1f%%", s.Run, 100*got, all,
				100*part))
		}
	}
	return wrong, nil
}
