package tournament

import (
	"cmp"
	"slices"

	"gogi/match"
)

// swiss pairs each round by the points of earlier rounds, by the rule of Monrad without rematches. Players
// are ordered by points, with equal points by start number. gogi goes through
// this order from the top. It pairs a player with the next lower player against whom it has not played, if all
// others can then be paired without a rematch. The first round pairs the upper half of the start numbers with the lower
// half.
//
// With an odd number of players, the last player has a bye, which counts as a match won with all points. No
// player has a second bye before every player has had one. If no round without a rematch is left, swiss
// allows the smallest number of earlier meetings that gives a round.
type swiss struct {
	matches int // number of matches in a round
	rounds  []swissRound
	// met has the number of meetings of two players, with the smaller player number first. With the constant bye
	// it has the number of byes of a player.
	met map[[2]int]int
}

// bye is the opponent's number for a player with a bye.
const bye = -1

// swissRound has the pairings of a round.
type swissRound struct {
	games [][2]int
	rest  int // the player who has a bye, or the constant bye if no player has one
}

func (w *swiss) perRound(s *Schedule) int { return w.matches * s.spec.Tournament.MatchPairs }

func (w *swiss) draw(s *Schedule) ([]Slot, error) {
	first := len(w.rounds) * w.perRound(s)
	if first >= s.spec.Pairs || s.played < first {
		return nil, nil
	}
	round := w.pair(s)
	w.rounds = append(w.rounds, round)
	for _, g := range round.games {
		w.met[meeting(g[0], g[1])]++
	}
	if round.rest != bye {
		w.met[meeting(round.rest, bye)]++
	}
	var slots []Slot
	length := s.spec.Tournament.MatchPairs
	for m, players := range round.games {
		for j := range length {
			slots = append(slots, Slot{Pair: first + m*length + j, Players: players, Opening: (len(w.rounds)-1)*length + j})
		}
	}
	return slots, nil
}

func (w *swiss) left(s *Schedule) int { return s.spec.Pairs - s.played }

func meeting(a, b int) [2]int { return [2]int{min(a, b), max(a, b)} }

func (w *swiss) pair(s *Schedule) swissRound {
	order := w.order(s)
	if len(order)%2 == 1 {
		order = append(order, bye) // bye comes last in every list
	}
	candidates := func(v int) []int { return below(v, len(order)) }
	if len(w.rounds) == 0 {
		candidates = func(v int) []int { return across(v, len(order), w.matches) }
	}
	for most := 0; ; most++ {
		g := graph{len(order), func(a, b int) bool { return w.met[meeting(order[a], order[b])] <= most }}
		if list := firstMatching(g, candidates); list != nil {
			return roundOf(order, list)
		}
	}
}

// order returns the players sorted by points, and by start number if points are equal.
func (w *swiss) order(s *Schedule) []int {
	points := s.points(w)
	order := slices.Clone(s.start)
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(points[b], points[a]) })
	return order
}

// below returns the other places in the order in which place v tries them: v+1 to n−1, then v−1 down to 0.
func below(v, n int) []int {
	var list []int
	for i := v + 1; i < n; i++ {
		list = append(list, i)
	}
	for i := v - 1; i >= 0; i-- {
		list = append(list, i)
	}
	return list
}

// across returns all places of the order except v. wanted is the preferred distance from v. The places whose distance
// is nearest to wanted come first.
func across(v, n, wanted int) []int {
	list := below(v, n)
	off := func(i int) int {
		d := max(i-v, v-i) - wanted
		return max(d, -d)
	}
	slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(off(a), off(b)) })
	return list
}

// roundOf returns the round whose pairings are given as places in an order of players.
func roundOf(order []int, list [][2]int) swissRound {
	round := swissRound{rest: bye}
	for _, m := range list {
		a, b := order[m[0]], order[m[1]]
		if b == bye {
			round.rest = a
			continue
		}
		round.games = append(round.games, meeting(a, b))
	}
	return round
}

// full returns the points of a won match or a bye, in millionths of a point.
func (s *Schedule) full() int { return s.spec.Tournament.MatchPairs * s.spec.Legs * grid }

// points returns the points of each player in millionths, including the points for byes. w is nil if the design has
// no byes.
func (s *Schedule) points(w *swiss) []int {
	sum := make([]int, len(s.spec.Players))
	for _, slot := range s.drawn {
		o, ok := s.results[slot.Pair]
		if !ok {
			continue
		}
		for side, player := range o.Players {
			sum[player] += exact(o.Points[side])
		}
	}
	if w != nil {
		for _, r := range w.rounds {
			if r.rest != bye {
				sum[r.rest] += s.full()
			}
		}
	}
	return sum
}

// SwissPairs returns how many pairs a Swiss has in this number of rounds.
func SwissPairs(d match.Design, players, rounds int) int {
	return rounds * (players / 2) * d.Tournament.MatchPairs
}
