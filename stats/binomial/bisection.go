package binomial

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
)

// Bisection is what a search for the commit that made an engine weaker promises:
// each step judges one commit, and one wrong judgement leads to the wrong end.
type Bisection struct {
	Commits int `json:"commits"` // one of which is the culprit
	Steps   int `json:"steps"`   // ⌈log₂ Commits⌉, at most
	// The error rates of a step, those of the whole over Steps: to call a good
	// commit bad, and a bad one good, which is 1 less the power of its series.
	Alpha float64 `json:"alpha"`
	Beta  float64 `json:"beta"`
	Right float64 `json:"right"` // probability to name the culprit, at least
}

// NewBisection divides the error rates of a whole bisection among its steps. It
// fails for fewer than two commits and for error rates outside (0, 1).
func NewBisection(commits int, alpha, beta float64) (Bisection, error) {
	if err := errors.Join(CheckOpen("alpha", alpha), CheckOpen("beta", beta)); err != nil {
		return Bisection{}, err
	}
	if commits < 2 {
		return Bisection{}, fmt.Errorf("%d commits need no bisection", commits)
	}
	b := Bisection{Commits: commits, Steps: bits.Len(uint(commits - 1))} //nolint:gosec // positive
	b.Alpha, b.Beta = alpha/float64(b.Steps), beta/float64(b.Steps)
	b.Right = NamesCulprit(commits, b.Alpha, b.Beta)
	return b, nil
}

// NamesCulprit is the probability that a bisection of so many commits names the
// right one, where each is as likely to be it, a good commit is called bad with
// probability alpha, and a bad one good with beta: each step tests the commit in
// the middle, as git does. It is 1 for one commit, NaN for none.
func NamesCulprit(commits int, alpha, beta float64) float64 {
	if commits < 1 {
		return math.NaN()
	}
	known := map[int]float64{1: 1} // there are two sizes at each depth
	var names func(n int) float64
	names = func(n int) float64 {
		p, ok := known[n]
		if !ok {
			bad := n / 2 // the culprits up to the tested commit: it is bad
			p = (float64(bad)*(1-beta)*names(bad) + float64(n-bad)*(1-alpha)*names(n-bad)) / float64(n)
			known[n] = p
		}
		return p
	}
	return names(commits)
}
