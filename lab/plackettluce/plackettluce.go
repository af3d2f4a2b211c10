// Package plackettluce rates the players of games with more than two players. [PlackettLuce] fits strengths
// to finishing orders, and [Shares] calculates shares of points. All randomness comes from a seed.
package plackettluce

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"gogi/internal/lists"
	"gogi/stats/binomial"
	"gogi/stats/rating/newton"

	"gogi/stats/rating/crosstable"
)

// A Placing is the result of one player in a game of two or more players, in points.
type Placing struct {
	Player string
	Points float64 // finite, not negative
}

// rankPoints returns the points n, n-1, …, 1 for a finishing order of n players, best first. The card game
// 大貧民 uses these points.
func rankPoints(order []string) []Placing {
	game := make([]Placing, len(order))
	for i, player := range order {
		game[i] = Placing{player, float64(len(order) - i)}
	}
	return game
}

// LeastGames is the smallest number of games for an interval of shares. Resampling fewer games would give too
// few different shares.
const LeastGames = 5

// A Share holds a player's share of all points of the games.
type Share struct {
	Player   string
	Games    int // number of games in which the player took part.
	Points   float64
	Share    float64           // share of the points of all games, in [0, 1]. All shares sum to 1.
	Interval binomial.Interval // its method is "bootstrap_percentile". The ends are NaN with fewer than LeastGames games.
}

// Shares returns the players' shares of all points, the largest share first. The intervals are calculated by
// a bootstrap that resamples whole games with replacement. Shares returns an error without games, and for a
// game with fewer than two players, with one player twice, or without points. It also returns an error for
// points that are negative or not finite, for fewer than 2 or more than [newton.MaxSamples] samples, and for
// a level outside (0, 1).
func Shares(games [][]Placing, samples int, level float64, seed uint64) ([]Share, error) {
	if err := binomial.CheckOpen("confidence level", level); err != nil {
		return nil, err
	}
	if err := newton.CheckSamples(samples); err != nil {
		return nil, err
	}
	points, names, err := pointsOf(games)
	if err != nil {
		return nil, err
	}
	shares := make([]Share, len(names))
	for i, share := range sharesOf(points, len(names), func(n int) int { return n }) {
		shares[i] = Share{Player: names[i], Share: share}
	}
	for _, game := range points {
		for _, p := range game {
			shares[p.player].Games++
			shares[p.player].Points += p.points
		}
	}
	draws := make([][]float64, len(names))
	random := rand.New(rand.NewPCG(seed, 0x676f6769))
	for range samples {
		again := sharesOf(points, len(names), func(int) int { return random.IntN(len(points)) })
		for i, share := range again {
			draws[i] = append(draws[i], share)
		}
	}
	for i := range shares {
		shares[i].Interval = newton.Percentiles(draws[i], level)
		if len(points) < LeastGames {
			shares[i].Interval.Lo, shares[i].Interval.Hi = math.NaN(), math.NaN()
		}
	}
	slices.SortStableFunc(shares, func(a, b Share) int { return cmp.Compare(b.Share, a.Share) })
	return shares, nil
}

// A scored is a Placing with the player's number in place of the name.
type scored struct {
	player int
	points float64
}

func pointsOf(games [][]Placing) ([][]scored, []string, error) {
	if len(games) == 0 {
		return nil, nil, errors.New("no game")
	}
	numbers := map[string]int{}
	for n, game := range games {
		if err := checkPlacings(game); err != nil {
			return nil, nil, fmt.Errorf("game %d: %w", n+1, err)
		}
		for _, p := range game {
			numbers[p.Player] = 0
		}
	}
	names := slices.Sorted(maps.Keys(numbers))
	for i, name := range names {
		numbers[name] = i
	}
	points := make([][]scored, len(games))
	for n, game := range games {
		for _, p := range game {
			points[n] = append(points[n], scored{numbers[p.Player], p.Points})
		}
	}
	return points, names, nil
}

func checkPlacings(game []Placing) error {
	total, seen := 0.0, map[string]bool{}
	for _, p := range game {
		switch {
		case p.Player == "":
			return errors.New("a player has no name")
		case seen[p.Player]:
			return fmt.Errorf("%s is in it twice", p.Player)
		case !(p.Points >= 0) || math.IsInf(p.Points, 1):
			return fmt.Errorf("%v points for %s are impossible", p.Points, p.Player)
		}
		seen[p.Player] = true
		total += p.Points
	}
	switch {
	case len(game) < 2:
		return errors.New("it has fewer than two players")
	case total == 0:
		return errors.New("nobody has any points")
	case math.IsInf(total, 1):
		return errors.New("the points are too many")
	}
	return nil
}

func sharesOf(games [][]scored, players int, pick func(n int) int) []float64 {
	shares, total := make([]float64, players), 0.0
	for n := range games {
		for _, p := range games[pick(n)] {
			shares[p.player] += p.points
			total += p.points
		}
	}
	for i := range shares {
		shares[i] /= total
	}
	return shares
}

// A Fit is a Plackett–Luce model fitted to finishing orders: the strengths of the players.
type Fit struct {
	Players    []crosstable.Player // best first. Games counts the orders, and Points the players that finished behind.
	LogLik     float64             // natural logarithm of the likelihood.
	Orders     int                 // number of orders with two or more rated players
	Iterations int
	SetAside   []crosstable.Excluded
}

// PlackettLuce fits strengths to finishing orders, each best first, by the MM algorithm of Hunter (2004). Player i is
// first with probability π_i/Σπ, where Σπ is the sum over all players of the order. For each later place, the same
// formula applies to the remaining players. With two players per game it is the Bradley–Terry model.
//
// PlackettLuce excludes players whose strength cannot be determined, as [crosstable.Table.Connection] does. An
// excluded player never finished behind another player, or never ahead of another player. The order of the other
// players does not change. PlackettLuce returns an error if there are no unique strengths, and for an order with
// fewer than two players or with one player twice.
func PlackettLuce(orders [][]string) (*Fit, error) {
	var pairs []crosstable.Count
	for n, order := range orders {
		if err := checkPlacings(rankPoints(order)); err != nil {
			return nil, fmt.Errorf("order %d: %w", n+1, err)
		}
		for i, ahead := range order {
			for _, behind := range order[i+1:] {
				pairs = append(pairs, crosstable.Count{Black: ahead, White: behind, BlackWins: 1})
			}
		}
	}
	t, err := crosstable.New(pairs)
	if err != nil {
		return nil, err
	}
	t, aside, err := t.Rated()
	if err != nil {
		return nil, err
	}
	p := newPodium(t, orders)
	iterations, err := p.minorise()
	if err != nil {
		return nil, err
	}
	return p.fit(t, aside, iterations), nil
}

// A podium is the state of the MM algorithm for finishing orders.
type podium struct {
	orders [][]int
	wins   []float64 // number of orders in which each player was not last
	gamma  []float64
}

func newPodium(t crosstable.Table, orders [][]string) *podium {
	p := &podium{wins: make([]float64, len(t.Names)), gamma: make([]float64, len(t.Names))}
	for i := range p.gamma {
		p.gamma[i] = 1
	}
	for _, order := range orders {
		var numbers []int
		for _, name := range order {
			if i, ok := slices.BinarySearch(t.Names, name); ok {
				numbers = append(numbers, i)
			}
		}
		if len(numbers) < 2 {
			continue
		}
		p.orders = append(p.orders, numbers)
		for _, i := range numbers[:len(numbers)-1] {
			p.wins[i]++
		}
	}
	return p
}

// step makes one MM step and returns the largest change. A player's new γ is the number of times that the
// player was not last, divided by a sum over the places for which the player competed. Each place adds 1/(sum
// of the remaining strengths).
func (p *podium) step() (moved float64) {
	pull := make([]float64, len(p.gamma))
	for _, order := range p.orders {
		left, sum := p.remaining(order), 0.0
		for place, i := range order {
			if place < len(order)-1 {
				sum += 1 / left[place]
			}
			pull[i] += sum
		}
	}
	old := slices.Clone(p.gamma)
	for i := range p.gamma {
		p.gamma[i] = p.wins[i] / pull[i]
	}
	setGeometricMean(p.gamma)
	for i := range p.gamma {
		moved = max(moved, math.Abs(math.Log(p.gamma[i]/old[i])))
	}
	return moved
}

// remaining returns, for each place of an order, the sum of the strengths that remain at this place.
func (p *podium) remaining(order []int) []float64 {
	left, sum := make([]float64, len(order)), 0.0
	for place, i := range slices.Backward(order) {
		sum += p.gamma[i]
		left[place] = sum
	}
	return left
}

func (p *podium) logLik() float64 {
	sum := 0.0
	for _, order := range p.orders {
		left := p.remaining(order)
		for place, i := range order[:len(order)-1] {
			sum += math.Log(p.gamma[i] / left[place])
		}
	}
	return sum
}

func (p *podium) minorise() (iterations int, err error) {
	limit := 1000 + int(2e8/float64(1+len(p.orders)))
	for n := range limit {
		moved := p.step()
		if math.IsNaN(moved) || math.IsInf(moved, 0) {
			break
		}
		if moved < 1e-14 {
			return n + 1, nil
		}
	}
	return 0, errors.New("the MM algorithm did not converge: the players are hardly connected")
}

func (p *podium) fit(t crosstable.Table, aside []crosstable.Excluded, iterations int) *Fit {
	logs := make([]float64, len(p.gamma))
	for i, g := range p.gamma {
		logs[i] = math.Log(g)
	}
	f := &Fit{LogLik: p.logLik(), Orders: len(p.orders), Iterations: iterations, SetAside: aside}
	players, rank := crosstable.Ranking(t, logs)
	took := make([]int, len(logs))
	for _, order := range p.orders {
		for _, i := range order {
			took[i]++
		}
	}
	for place, i := range rank {
		players[place].Games = took[i]
	}
	f.Players = players
	return f
}

// setGeometricMean scales positive numbers in place so that their geometric mean is 1.
func setGeometricMean(x []float64) {
	mean := lists.Sum(x, func(v float64) float64 { return math.Log(v) / float64(len(x)) })
	for i := range x {
		x[i] *= math.Exp(-mean)
	}
}
