package binomial

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
)

// A Bisection is the plan of a search for the commit that made an engine weaker (the culprit), with its error
// rates. Each step tests one commit by games. One wrong step leads to the wrong commit.
type Bisection struct {
	Commits int `json:"commits"` // number of commits; one of them is the culprit
	Steps   int `json:"steps"`   // number of steps, at most ⌈log₂ Commits⌉
	// The error rates of one step: alpha to call a good commit bad, and beta to call a bad commit good (1
	// minus the power). Each is the error rate of the whole bisection divided by Steps.
	Alpha float64 `json:"alpha"`
	Beta  float64 `json:"beta"`
	Right float64 `json:"right"` // lower bound of the probability to name the culprit
}

// NewBisection divides the error rates of a whole bisection equally among its steps. It returns an error for
// fewer than two commits, and for error rates outside (0, 1).
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

// NamesCulprit returns the probability that a bisection finds the commit that made the engine weaker (the
// culprit). Each commit is equally likely to be the culprit. A step finds a good commit bad with probability
// alpha, and a bad commit good with probability beta. Each step tests the middle commit, as git does. The
// result is 1 for one commit, and NaN for no commit.
func NamesCulprit(commits int, alpha, beta float64) float64 {
	if commits < 1 {
		return math.NaN()
	}
	known := map[int]float64{1: 1} // there are two sizes at each depth
	var names func(n int) float64
	names = func(n int) float64 {
		p, ok := known[n]
		if !ok {
			bad := n / 2 // the number of culprits up to the tested commit, for which the commit is bad
			p = (float64(bad)*(1-beta)*names(bad) + float64(n-bad)*(1-alpha)*names(n-bad)) / float64(n)
			known[n] = p
		}
		return p
	}
	return names(commits)
}
