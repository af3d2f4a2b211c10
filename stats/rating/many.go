package rating

import "gogi/stats"

// Placing is one player's points in a game of two or more players.
type Placing struct {
	Player string
	Points float64 // not negative
}

// Share is a player's share of all points of the games.
type Share struct {
	Player   string
	Games    int
	Points   float64
	Share    float64        // in [0, 1]
	Interval stats.Interval // bootstrap_percentile over games
}

// Shares are the players' shares of all points, the largest first.
func Shares(games [][]Placing, samples int, level float64, seed uint64) ([]Share, error) {
	panic("not yet")
}

// RankPoints gives the points n, n-1, …, 1 to a finishing order, best first.
func RankPoints(order []string) []Placing { panic("not yet") }

// PlackettLuce fits strengths to finishing orders, each best first.
func PlackettLuce(orders [][]string) (*OrderFit, error) { panic("not yet") }

// OrderFit is a fitted Plackett–Luce model.
type OrderFit struct {
	Players    []Player // best first; Points counts players finished behind
	LogLik     float64
	Iterations int
	SetAside   []Aside
}
