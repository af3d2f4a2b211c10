package tournament

import (
	"cmp"
	"slices"

	"gogi/internal/i18n"
	"gogi/match"
)

// Standing is one player's place in a design that pairs by results.
type Standing struct {
	Player int
	Start  int // its start number, from 1
	Place  int // from 1; equal players share one
	Points float64
	Pairs  int // that it played
	Byes   int // matches that it won because no opponent was left; their points are in Points
	// The tie-breaks of a Swiss, over its matches. A bye counts as a won match against a player with its
	// own points.
	Buchholz float64 // the points of its opponents
	Berger   float64 // Sonneborn and Berger: the points of its opponents, each times the share that it took of the match
	// Reached is the player's result in a knockout: "winner", or the round that it lost or is in.
	Reached i18n.Message
}

// Meeting is a match as far as it is played.
type Meeting struct {
	Players [2]int // -1 is a bye, or an unknown player
	Points  [2]float64
	Pairs   int
	Winner  int // in a knockout, -1 while it is open
	How     Decision
	Bye     bool // its first player had no opponent
}

// Round is the set of matches that are played at a time.
type Round struct {
	Name    i18n.Message // "round 3", "semifinals"
	Matches []Meeting
}

// Rounds returns the known rounds of a Swiss or a knockout, for a knockout with the rounds that have no
// players yet. It is nil for an adaptive design.
func (s *Schedule) Rounds() []Round {
	switch d := s.design.(type) {
	case *swiss:
		return d.table(s)
	case *knockout:
		return d.table(s)
	}
	return nil
}

func (w *swiss) table(s *Schedule) []Round {
	var rounds []Round
	length := s.spec.Tournament.MatchPairs
	for n, r := range w.rounds {
		round := Round{Name: i18n.Of("round %d", n+1)}
		for m, players := range r.games {
			meeting := Meeting{Players: players, Winner: nobody}
			meeting.add(s, n*w.perRound(s)+m*length, length)
			round.Matches = append(round.Matches, meeting)
		}
		if r.rest != bye {
			round.Matches = append(round.Matches, Meeting{
				Players: [2]int{r.rest, nobody}, Points: [2]float64{float64(s.full()) / grid, 0}, Winner: nobody, Bye: true,
			})
		}
		rounds = append(rounds, round)
	}
	return rounds
}

func (k *knockout) table(s *Schedule) []Round {
	var rounds []Round
	most := length(s.spec.Tournament)
	for _, d := range k.matches {
		m := Meeting{Players: d.seats, Winner: d.winner, How: d.how}
		m.add(s, d.number*most, d.drawn)
		if name := d.name(); len(rounds) == 0 || rounds[len(rounds)-1].Name.String() != name.String() {
			rounds = append(rounds, Round{Name: name})
		}
		last := &rounds[len(rounds)-1]
		last.Matches = append(last.Matches, m)
	}
	return rounds
}

// add sums so many pairs of a match up.
func (m *Meeting) add(s *Schedule, first, pairs int) {
	sum := [2]int{}
	for id := first; id < first+pairs; id++ {
		if o, ok := s.results[id]; ok {
			m.Pairs++
			sum[0] += exact(o.Points[0])
			sum[1] += exact(o.Points[1])
		}
	}
	m.Points = [2]float64{float64(sum[0]) / grid, float64(sum[1]) / grid}
}

// Standings returns all players, best first. In a Swiss it orders by points, Buchholz, Sonneborn and
// Berger, in a knockout by the round reached. In an adaptive design it orders by points per pair; its
// ratings have more information. Players that are equal in all of these share a place, in the order of
// start numbers.
func (s *Schedule) Standings() []Standing {
	list := make([]Standing, len(s.spec.Players))
	for i := range list {
		list[i] = Standing{Player: i, Start: slices.Index(s.start, i) + 1}
	}
	for _, slot := range s.drawn {
		if s.Finished(slot.Pair) {
			list[slot.Players[0]].Pairs++
			list[slot.Players[1]].Pairs++
		}
	}
	var w *swiss
	rank := make([]float64, len(list)) // orders equal points
	switch d := s.design.(type) {
	case *swiss:
		w = d
	case *knockout:
		d.reached(list, rank)
	}
	for i, p := range s.points(w) {
		list[i].Points = float64(p) / grid
		if s.spec.Kind == match.DesignAdaptive && list[i].Pairs > 0 {
			rank[i] = float64(p) / float64(list[i].Pairs)
		}
	}
	if w != nil {
		w.breakTies(s, list)
	}
	return s.placed(list, rank)
}

// placed sorts standings and gives them their places.
func (s *Schedule) placed(list []Standing, rank []float64) []Standing {
	compare := func(a, b Standing) int {
		if s.spec.Kind == match.DesignSwiss {
			return cmp.Or(cmp.Compare(exact(b.Points), exact(a.Points)), cmp.Compare(exact(b.Buchholz), exact(a.Buchholz)), cmp.Compare(exact(b.Berger), exact(a.Berger)))
		}
		return cmp.Compare(rank[b.Player], rank[a.Player])
	}
	slices.SortFunc(list, func(a, b Standing) int { return cmp.Or(compare(a, b), cmp.Compare(a.Start, b.Start)) })
	for i := range list {
		list[i].Place = i + 1
		if i > 0 && compare(list[i-1], list[i]) == 0 {
			list[i].Place = list[i-1].Place
		}
	}
	return list
}

// breakTies sums over the matches that are played to their end; list is by player.
func (w *swiss) breakTies(s *Schedule, list []Standing) {
	for _, round := range w.table(s) {
		for _, m := range round.Matches {
			if m.Bye {
				p := &list[m.Players[0]]
				p.Byes++
				p.Buchholz += p.Points
				p.Berger += p.Points
				continue
			}
			total := m.Points[0] + m.Points[1]
			if m.Pairs < s.spec.Tournament.MatchPairs || total == 0 {
				continue
			}
			for side, player := range m.Players {
				opponent := list[m.Players[1-side]].Points
				list[player].Buchholz += opponent
				list[player].Berger += opponent * m.Points[side] / total
			}
		}
	}
}

// reached sets the round that each player reached, and ranks it; list is by player.
func (k *knockout) reached(list []Standing, rank []float64) {
	for _, d := range k.matches {
		for _, player := range d.seats {
			if player == nobody {
				continue
			}
			at, words := float64(-d.left), d.name()
			switch {
			case d.third:
				// Between the losers of the semifinals and those of the final.
				at, words = -0.75, i18n.Of("third place")
				if d.winner == player {
					at = -0.5
				}
			case d.left == 0 && d.winner == player:
				at, words = 1, i18n.Of("winner")
			}
			rank[player], list[player].Reached = at, words
		}
	}
}
