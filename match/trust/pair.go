package trust

import (
	"math"

	"gogi/match"
)

// OfRows returns a stored pair as input for Residuals. rows has its games in the order of their legs.
func OfRows(rows []match.Row) Pair {
	var p Pair
	var tally speeds
	for i := range rows {
		r := &rows[i]
		first := 0 // the colour of the plan's first player
		if r.Black != r.PairA {
			first = 1
		}
		p.Worker, p.Slowed = r.Worker, p.Slowed || r.Marked
		p.game(r.Termination, r.Points[first])
		tally.add(r.Sides, first)
	}
	p.Ratio = tally.ratio()
	return p
}

// OfResult returns a finished pair as input for Residuals. It returns the same as OfRows for the stored pair.
func OfResult(plan *match.Plan, r *match.PairResult) Pair {
	p := Pair{Worker: r.Played.Worker}
	for i := range r.Games {
		g := &r.Games[i]
		p.Slowed = p.Slowed || g.Marked
		p.game(g.Termination, plan.Rules.Points(g.Verdict)[firstOf(r, g)])
	}
	tally := speedsOf(r)
	p.Ratio = tally.ratio()
	return p
}

// firstOf returns the colour of the pair's first player in a game.
func firstOf(r *match.PairResult, g *match.Result) int {
	if g.Players[0] == r.Pair.Players[0] {
		return 0
	}
	return 1
}

func (p *Pair) game(end match.Termination, points float64) {
	p.Points += points
	switch end { //nolint:exhaustive // the other ends prove nothing about the machine
	case match.TimeForfeit:
		p.OnTime++
	case match.Crash:
		p.Crashes++
	}
}

// BaseSpeed returns the second player's nodes per second in a finished pair, for Claims. It returns 0 if the speed
// is unknown.
func BaseSpeed(r *match.PairResult) float64 {
	tally := speedsOf(r)
	return finite(tally.nodes[1] / tally.seconds[1])
}

// speeds holds the sums of the nodes and the search time of the first and the second player.
type speeds struct{ nodes, seconds [2]float64 }

func speedsOf(r *match.PairResult) (s speeds) {
	for i := range r.Games {
		s.add(r.Games[i].Sides, firstOf(r, &r.Games[i]))
	}
	return s
}

func (s *speeds) add(sides [2]match.Side, first int) {
	for i, c := range [2]int{first, 1 - first} {
		s.nodes[i] += float64(sides[c].Nodes)
		s.seconds[i] += sides[c].Time.Seconds()
	}
}

// ratio returns the first player's nodes per second divided by the second player's. It returns 0 if one of
// the two is unknown.
func (s *speeds) ratio() float64 {
	return finite(s.nodes[0] * s.seconds[1] / (s.nodes[1] * s.seconds[0]))
}

func finite(v float64) float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return 0
	}
	return v
}
