package truth

import "math"

// A pairLaw has the probabilities of the results of one pair of games, from the view of one player: its points in the
// games with Black and with White, in half points.
type pairLaw [3][3]float64

// pair returns the law of the results of a pair between players a and b, over all openings and sessions.
func (l *Law) pair(a, b int) (law pairLaw) {
	elo := l.Players[a].Elo - l.Players[b].Elo
	const cases = 1 << 5 // the bias, two likings, two sessions
	for bits := range cases {
		sign := func(bit int) float64 { return float64(1 - 2*(bits>>bit&1)) }
		shift := elo + l.Liking*(sign(1)-sign(2)) + l.Session*(sign(3)-sign(4))
		first := l.Black + l.Bias*sign(0)
		black, white := l.average(shift+first), l.average(first-shift)
		for i, p := range black {
			for j, q := range white {
				law[i][2-j] += p * q / cases
			}
		}
	}
	return law
}

// each calls f with every result of a pair: its probability and its wins, draws and losses.
func (p pairLaw) each(f func(probability float64, wins, draws, losses int)) {
	for i, row := range p {
		for j, q := range row {
			var n [3]int
			n[i]++
			n[j]++
			f(q, n[BlackWins], n[Drawn], n[WhiteWins])
		}
	}
}

// Decisive returns the share of player a's wins in the decisive games against player b.
func (l *Law) Decisive(a, b int) float64 {
	var won, lost float64
	l.pair(a, b).each(func(p float64, wins, _, losses int) {
		won += p * float64(wins)
		lost += p * float64(losses)
	})
	return won / (won + lost)
}

// BlackDecisive returns the share of Black's wins in the decisive games of players a and b.
func (l *Law) BlackDecisive(a, b int) float64 {
	p := l.pair(a, b)
	var won, lost float64
	for i := range p {
		for j, q := range p[i] {
			won += q * (float64(b2i(i == 2)) + float64(b2i(j == 0)))
			lost += q * (float64(b2i(i == 0)) + float64(b2i(j == 2)))
		}
	}
	return won / (won + lost)
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// DrawRate returns the share of draws in the games of players a and b.
func (l *Law) DrawRate(a, b int) float64 {
	sum := 0.0
	l.pair(a, b).each(func(p float64, _, draws, _ int) { sum += p * float64(draws) / 2 })
	return sum
}

// Normalized returns the normalised Elo of player a against player b: the mean score above one half in standard
// deviations of a game, which is √2 times the standard deviation of a pair's mean, on the scale of Elo.
func (l *Law) Normalized(a, b int) float64 {
	var mean, square float64
	l.pair(a, b).each(func(p float64, wins, draws, _ int) {
		s := (float64(wins) + float64(draws)/2) / 2
		mean += p * s
		square += p * s * s
	})
	return (mean - 0.5) / math.Sqrt(2*(square-mean*mean)) * 800 / math.Ln10
}

// Solve sets the Elo of player a so that measure, such as l.Elo, has the wanted value against player b.
func (l *Law) Solve(a, b int, want float64, measure func(a, b int) float64) {
	lo, hi := -4000.0, 4000.0
	for range 100 {
		l.Players[a].Elo = (lo + hi) / 2
		if measure(a, b) < want {
			lo = l.Players[a].Elo
		} else {
			hi = l.Players[a].Elo
		}
	}
}
