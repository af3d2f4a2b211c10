package binomial

import "fmt"

// A Chances holds the probabilities that player A wins, draws or loses a match with a fixed number of games.
// The player with more points wins.
type Chances struct {
	Win  float64 `json:"win"` // A has more than half of the points
	Draw float64 `json:"draw"`
	Loss float64 `json:"loss"`
}

// MatchChances returns A's chances in a match of n independent games, with half a point for a draw. win and
// draw are the probabilities that A wins and draws a game. The calculation is exact. MatchChances returns an
// error for n < 1 and for impossible probabilities.
func MatchChances(n int, win, draw float64) (Chances, error) {
	loss := 1 - win - draw
	if n < 1 {
		return Chances{}, fmt.Errorf("a match of %d games is none", n)
	}
	if !(win >= 0 && draw >= 0 && loss >= -1e-12) {
		return Chances{}, fmt.Errorf("a game is not won with probability %v and drawn with %v", win, draw)
	}
	draws := NewBinomial(n, draw)
	share := 0.0
	if decisive := 1 - draw; decisive > 0 {
		share = min(1, win/decisive)
	}
	var c Chances
	for d := 0; d <= n; d++ {
		p := draws.At(d)
		if p == 0 {
			continue
		}
		wins := NewBinomial(n-d, share)
		more := p * wins.AtLeast((n-d)/2+1)
		less := p * wins.AtMost((n-d+1)/2-1)
		c.Win += more
		c.Loss += less
		c.Draw += p - more - less
	}
	c.Win, c.Draw, c.Loss = min(1, c.Win), max(0, c.Draw), min(1, c.Loss) // without rounding errors
	return c, nil
}
