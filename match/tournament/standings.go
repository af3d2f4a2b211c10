package tournament

import (
	"cmp"
	"slices"

	"gogi/internal/i18n"
	"gogi/match"
)

// Standing has the place and the points of one player in a tournament.
type Standing struct {
	Place  int     `json:"place"` // place, from 1; equal players share a place
	Player string  `json:"player"`
	Number int     `json:"-"`     // index of the player
	Start  int     `json:"start"` // start number of the player, from 1
	Pairs  int     `json:"pairs"` // number of pairs played
	Points float64 `json:"points"`
	Byes   int     `json:"byes"` // number of rounds without an opponent; Points includes their points
	// The tie-breaks of a Swiss, calculated from its matches; nil in other designs. A bye counts as a won match against
	// an opponent with the same points as the player.
	Buchholz *float64 `json:"buchholz,omitempty"`         // for a Swiss
	Berger   *float64 `json:"sonneborn_berger,omitempty"` // for a Swiss
	// Reached is the player's result in a knockout: "winner", or the round that the player lost or is playing.
	Reached i18n.Message `json:"reached,omitzero"` // for a knockout
}

// Meeting is a match between two players of a Swiss or a knockout, with its results so far.
type Meeting struct {
	A       string     `json:"a"` // "" if the player is not known yet
	B       string     `json:"b"` // "" if the player is not known yet, or if A has a bye
	Players [2]int     `json:"-"` // indices of A and B; -1 without a name
	Points  [2]float64 `json:"points"`
	Pairs   int        `json:"pairs"`
	Winner  string     `json:"winner,omitempty"` // winner in a knockout
	How     Decision   `json:"how,omitempty"`
	Bye     bool       `json:"bye,omitempty"` // the player has no opponent in this round
}

// Round is a set of pairings that a tournament plays at the same time.
type Round struct {
	Name    i18n.Message `json:"name"` // "round 3", "semifinals"
	Matches []Meeting    `json:"matches"`
}

// meeting returns a match of two players without results.
func (s *Spec) meeting(players [2]int) Meeting {
	return Meeting{A: s.name(players[0]), B: s.name(players[1]), Players: players}
}

// name returns the name of a player by index, or "" for a negative index.
func (s *Spec) name(player int) string {
	if player < 0 {
		return ""
	}
	return s.Players[player]
}

// Rounds returns the known rounds of a Swiss, or all rounds of a knockout, including rounds without known
// players. It returns nil for an adaptive design.
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
			meeting := s.spec.meeting(players)
			meeting.add(s, n*w.perRound(s)+m*length, length)
			round.Matches = append(round.Matches, meeting)
		}
		if r.rest != bye {
			meeting := s.spec.meeting([2]int{r.rest, nobody})
			meeting.Points[0], meeting.Bye = float64(s.full())/grid, true
			round.Matches = append(round.Matches, meeting)
		}
		rounds = append(rounds, round)
	}
	return rounds
}

func (k *knockout) table(s *Schedule) []Round {
	var rounds []Round
	most := length(s.spec.Tournament)
	for _, d := range k.matches {
		m := s.spec.meeting(d.seats)
		m.Winner, m.How = s.spec.name(d.winner), d.how
		m.add(s, d.number*most, d.drawn)
		if name := d.name(); len(rounds) == 0 || rounds[len(rounds)-1].Name.String() != name.String() {
			rounds = append(rounds, Round{Name: name})
		}
		last := &rounds[len(rounds)-1]
		last.Matches = append(last.Matches, m)
	}
	return rounds
}

// add adds the results of the match. Its pairs have the numbers first to first+pairs-1.
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

// Standings returns all players, best first. In a Swiss they are ordered by points, Buchholz and
// Sonneborn–Berger, in a knockout by the round reached. In an adaptive design they are ordered by points per
// pair, but its ratings have more information. Equal players share a place and are in the order of their
// start numbers.
func (s *Schedule) Standings() []Standing {
	list := make([]Standing, len(s.spec.Players))
	for i := range list {
		list[i] = Standing{Player: s.spec.Players[i], Number: i, Start: slices.Index(s.start, i) + 1}
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

// placed sorts standings and gives them their places. It sorts by points and tie-breaks in a Swiss, and otherwise by
// rank, the highest first. rank is indexed by player.
func (s *Schedule) placed(list []Standing, rank []float64) []Standing {
	compare := func(a, b Standing) int {
		if s.spec.Kind == match.DesignSwiss {
			return cmp.Or(
				cmp.Compare(exact(b.Points), exact(a.Points)),
				cmp.Compare(exact(*b.Buchholz), exact(*a.Buchholz)),
				cmp.Compare(exact(*b.Berger), exact(*a.Berger)),
			)
		}
		return cmp.Compare(rank[b.Number], rank[a.Number])
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

// breakTies calculates the tie-breaks from all finished matches. list is indexed by player.
func (w *swiss) breakTies(s *Schedule, list []Standing) {
	for i := range list {
		list[i].Buchholz, list[i].Berger = new(float64), new(float64)
	}
	for _, round := range w.table(s) {
		for _, m := range round.Matches {
			if m.Bye {
				p := &list[m.Players[0]]
				p.Byes++
				*p.Buchholz += p.Points
				*p.Berger += p.Points
				continue
			}
			total := m.Points[0] + m.Points[1]
			if m.Pairs < s.spec.Tournament.MatchPairs || total == 0 {
				continue
			}
			for side, player := range m.Players {
				opponent := list[m.Players[1-side]].Points
				*list[player].Buchholz += opponent
				*list[player].Berger += opponent * m.Points[side] / total
			}
		}
	}
}

// reached sets the round that each player reached, and its rank. list and rank are indexed by player.
func (k *knockout) reached(list []Standing, rank []float64) {
	for _, d := range k.matches {
		for _, player := range d.seats {
			if player == nobody {
				continue
			}
			at, words := float64(-d.left), d.name()
			switch {
			case d.third:
				// Ranks between the losers of the semifinals and the loser of the final.
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
