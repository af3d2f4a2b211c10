package stats

import (
	"errors"
	"math"

	"gogi/stats/binomial"
)

// A Bridge has the scores of two players under the same conditions in several sessions, one Scores for each session.
// With a time limit the strength depends on the machine and its load, so a session shifts the Elo difference of the
// players. Only [Between] adds the scores of several sessions, because their variance includes these shifts.
type Bridge []Scores

// ErrFewSessions means that no two players met in three sessions, so that the differences between sessions are unknown.
var ErrFewSessions = errors.New("no two players met in three sessions under the same conditions")

// Between is an estimate of the differences between sessions.
type Between struct {
	Elo     float64 // standard deviation ω of the shift of a session, in Elo
	Freedom float64 // degrees of freedom of the estimate, at least 1

	total float64 // variance of the results of the bridges' sessions, in squares of Elo: their shifts and their games
}

// NewBetween estimates the differences between sessions from all bridges by the method of moments (DerSimonian and
// Laird 1986): the squares of the differences between the sessions of a bridge, less the part that the games explain.
// If all sessions have the same number of scores, the degrees of freedom are the number of sessions, less one for each
// bridge. Otherwise there are fewer (Satterthwaite 1946), so that small sessions add little. NewBetween returns
// ErrFewSessions if no bridge has three sessions.
func NewBetween(bridges []Bridge) (Between, error) {
	square, explained, trace, traces, most := 0.0, 0.0, 0.0, 0.0, 0
	for _, b := range bridges {
		s := b.sums()
		if s.sessions < 2 {
			continue
		}
		most = max(most, s.sessions)
		for _, scores := range b {
			d := (scores.Mean() - s.mean) / s.slope
			square += d * d * float64(scores.N()) / s.variance
		}
		explained += float64(s.sessions - 1)
		trace += (s.n - s.n2/s.n) / s.variance
		traces += (s.n2 - 2*s.n3/s.n + s.n2*s.n2/s.n/s.n) / (s.variance * s.variance)
	}
	if most < 3 {
		return Between{}, ErrFewSessions
	}
	return Between{
		Elo:     math.Sqrt(max(0, square-explained) / trace),
		Freedom: max(1, trace*trace/traces),
		total:   max(square, explained) / trace,
	}, nil
}

// Shifts returns the variance of the mean score of each session of a bridge that its shift causes. It is that of ω, but
// more for a session that has more scores than the sessions of the estimate, because their games may hide the size of
// ω.
func (w Between) Shifts(b Bridge) (list []float64) {
	s := b.sums()
	for _, scores := range b {
		list = append(list, s.slope*s.slope*max(w.Elo*w.Elo, w.total-s.variance/float64(scores.N())))
	}
	return list
}

// History is the result of two players in earlier sessions.
type History struct {
	Mean  float64 // mean score
	N     int     // number of scores
	Worth float64 // number of scores of the present session that have the same weight, less than N
}

// History returns the result of a bridge as evidence for the difference in the present session. Its variance includes
// the shifts of the earlier sessions and that of the present one. So Worth is never more than the variance of a score
// divided by ω². Because ω is an estimate, the variance is multiplied by the square of Widening. Its level of 99.5%
// gives a 95% interval from History and new scores the right coverage: at 95% an ω that is too small by chance gives
// too much weight.
func (w Between) History(b Bridge) (h History) {
	s, precision := b.sums(), 0.0
	square := s.slope * s.slope
	for i, shift := range w.Shifts(b) {
		if n := b[i].N(); n > 0 {
			p := 1 / (shift + square*s.variance/float64(n))
			h.N += n
			h.Mean += p * b[i].Mean()
			precision += p
		}
	}
	if h.N > 0 {
		h.Mean /= precision
		h.Worth = square * s.variance / (1/precision + square*w.total) / math.Pow(w.Widening(0.995), 2)
	}
	return h
}

// Widening returns the factor by which intervals of a level are wider because ω is an estimate.
func (w Between) Widening(level float64) float64 {
	return binomial.TWithin(level, w.Freedom) / binomial.ZWithin(level)
}

// bridgeSums has sums over the sessions of a bridge.
type bridgeSums struct {
	sessions  int     // with scores
	n, n2, n3 float64 // the numbers of scores, their squares and their cubes
	mean      float64 // of all scores
	slope     float64 // score for each Elo
	variance  float64 // of a score within a session, in squares of Elo
}

// sums returns the sums over the sessions. One more score with the variance of two independent games without draws
// prevents a variance of zero.
func (b Bridge) sums() (s bridgeSums) {
	scatter, freedom := 0.125, 1.0
	for _, scores := range b {
		if n := float64(scores.N()); n > 0 {
			s.sessions++
			s.n, s.n2, s.n3 = s.n+n, s.n2+n*n, s.n3+n*n*n
			s.mean += n * scores.Mean()
			scatter += scores.Scatter()
			freedom += n - 1
		}
	}
	s.mean /= max(1, s.n)
	inside := min(max(s.mean, 0.01), 0.99) // otherwise the slope may be zero
	s.slope = inside * (1 - inside) / binomial.EloPerNat
	s.variance = scatter / freedom / (s.slope * s.slope)
	return s
}
