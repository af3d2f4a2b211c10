package tune

import "gogi/match"

// Result has the result of a pair, calculated from its games.
type Result struct {
	Score   float64  // W − L of plus, from −2 to 2
	Forfeit bool     // whether the engine did not start with one of the points
	Failed  Failures // the points that lost a game by a fault, or did not start
}

// ResultOfRows returns the result of a stored pair.
func ResultOfRows(rows []match.Row) (r Result) {
	for _, g := range rows {
		a := 0
		if g.Black != g.PairA {
			a = 1
		}
		r.count(a, g.Points, g.Outcome, g.Termination)
	}
	return r
}

// ResultOf returns the result of a pair that was just played. rules decides the points of each game.
func ResultOf(rules match.Rules, pair match.PairResult) (r Result) {
	for _, g := range pair.Games {
		a := 0
		if g.Players[0] != pair.Pair.Players[0] {
			a = 1
		}
		r.count(a, rules.Points(g.Verdict), g.Outcome, g.Termination)
	}
	return r
}

// count adds a game. a is the colour of the player with the point Plus, 0 for Black.
func (r *Result) count(a int, points [2]float64, o match.Outcome, t match.Termination) {
	r.Score += points[a] - points[1-a]
	r.Forfeit = r.Forfeit || t == match.NotStarted
	if !t.IsFault() {
		return
	}
	winner, decided := o.Winner()
	for side, colour := range [2]int{a, 1 - a} {
		if !decided || int(winner) != colour {
			r.Failed[side] = true
		}
	}
}
