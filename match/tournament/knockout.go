package tournament

import (
	"slices"

	"gogi/internal/i18n"
	"gogi/match"
)

// knockout is a bracket: the winner of a match advances. The start numbers are its seeds. They are placed
// so that the first two can meet only in the final, the first four not before the semifinals, and so on.
// If the number of players is not a power of two, the first have byes.
//
// A match has MatchPairs pairs, and all of them are played. The player with more points wins. If the points
// are equal, the match continues with up to Tiebreaks extra pairs until one is not tied. If all are tied, the
// better seed wins. The pair numbers of each match, including tie-breaks, are reserved in advance, so that no
// match waits for the length of another match.
type knockout struct {
	matches []*duel
	pending []*duel // matches that are not decided
}

type duel struct {
	number int
	round  int       // from 0
	left   int       // number of later rounds; 0 is the final
	third  bool      // the match for third place
	from   [2]origin // where its players come from
	seats  [2]int    // players, or nobody while unknown
	drawn  int       // number of pairs selected so far
	winner int       // a player, or nobody while the match is open
	how    Decision
}

// Decision is the way in which a match of a knockout was won.
type Decision string

// The ways to win a match of a knockout.
const (
	Undecided  Decision = ""
	ByPoints   Decision = "points"
	ByTiebreak Decision = "tie-break"
	BySeed     Decision = "seed" // the better seed won, because the points were still equal after the last tie-break
)

// nobody is the index of a player that is not known yet.
const nobody = -1

// origin is the origin of a side of a match: a player, or the winner or loser of an earlier match.
type origin struct {
	player int
	match  *duel
	loser  bool
}

func newKnockout(s *Schedule) *knockout {
	k := &knockout{}
	level := k.entries(s)
	for round := 0; len(level) > 1; round++ {
		if len(level) == 2 && s.spec.Tournament.ThirdPlace {
			k.playThird(level, round)
		}
		var winners []origin
		for i := 0; i < len(level); i += 2 {
			winners = append(winners, k.join(level[i], level[i+1], round))
		}
		level = winners
	}
	last := k.matches[len(k.matches)-1].round
	for _, d := range k.matches {
		d.left = last - d.round
	}
	k.pending = k.matches
	return k
}

// entries returns the seeds in the order of the bracket. It fills the bracket with empty places, which are byes.
func (k *knockout) entries(s *Schedule) []origin {
	seeds := []int{0}
	for len(seeds) < len(s.start) {
		var wider []int
		for _, seed := range seeds {
			wider = append(wider, seed, 2*len(seeds)-1-seed)
		}
		seeds = wider
	}
	level := make([]origin, len(seeds))
	for i, seed := range seeds {
		level[i] = origin{player: nobody}
		if seed < len(s.start) {
			level[i].player = s.start[seed]
		}
	}
	return level
}

// join adds a match between two places of the bracket and returns the origin of its winner. If one place is empty, it
// returns the other place. round is the number of the match's round, from 0.
func (k *knockout) join(a, b origin, round int) origin {
	switch {
	case b.empty():
		return a
	case a.empty():
		return b
	}
	return origin{player: nobody, match: k.add(&duel{round: round, from: [2]origin{a, b}})}
}

// playThird adds the match between the losers of the semifinals. level has the winners of the two semifinals. If a
// semifinal was no match, because of byes, playThird adds nothing.
func (k *knockout) playThird(level []origin, round int) {
	a, b := level[0], level[1]
	if a.match == nil || b.match == nil {
		return
	}
	a.loser, b.loser = true, true
	k.add(&duel{round: round, from: [2]origin{a, b}, third: true})
}

func (k *knockout) add(d *duel) *duel {
	d.number, d.seats, d.winner = len(k.matches), [2]int{nobody, nobody}, nobody
	k.matches = append(k.matches, d)
	return d
}

func (o origin) empty() bool { return o.match == nil && o.player == nobody }

// known returns the player of an origin, or nobody.
func (o origin) known() int {
	switch {
	case o.match == nil:
		return o.player
	case o.match.winner == nobody || !o.loser:
		return o.match.winner
	}
	return o.match.loser()
}

func (d *duel) loser() int {
	if d.winner == d.seats[0] {
		return d.seats[1]
	}
	return d.seats[0]
}

// length returns the largest number of pairs in a match.
func length(t match.Tournament) int { return t.MatchPairs + t.Tiebreaks }

// KnockoutPairs returns the largest number of pairs in a knockout with this number of players.
func KnockoutPairs(d match.Design, players int) int {
	matches := players - 1
	if d.Tournament.ThirdPlace && players > 3 {
		matches++
	}
	return matches * length(d.Tournament)
}

func (k *knockout) draw(s *Schedule) ([]Slot, error) {
	var slots []Slot
	var open []*duel
	for _, d := range k.pending { // a match comes after the matches that decide its players
		slots = append(slots, d.draw(s)...)
		if d.winner == nobody {
			open = append(open, d)
		}
	}
	k.pending = open
	return slots, nil
}

// draw returns the pairs that a match needs next, or none while one of its pairs is not finished.
func (d *duel) draw(s *Schedule) []Slot {
	t := s.spec.Tournament
	for i, from := range d.from {
		d.seats[i] = from.known()
	}
	if d.seats[0] == nobody || d.seats[1] == nobody {
		return nil
	}
	d.seats = meeting(d.seats[0], d.seats[1])
	points, played := d.points(s)
	if played < d.drawn {
		return nil
	}
	upTo := t.MatchPairs
	if d.drawn > 0 {
		if d.decide(s, points); d.winner != nobody {
			return nil
		}
		upTo = d.drawn + 1
	}
	var slots []Slot
	for ; d.drawn < upTo; d.drawn++ {
		slots = append(slots, Slot{Pair: d.number*length(t) + d.drawn, Players: d.seats,
			Opening: d.round*length(t) + d.drawn})
	}
	return slots
}

// points returns the points of both players in millionths, and the number of pairs in which they were scored.
func (d *duel) points(s *Schedule) (points [2]int, played int) {
	for j := range d.drawn {
		o, ok := s.results[d.number*length(s.spec.Tournament)+j]
		if !ok {
			continue
		}
		played++
		for side := range points {
			points[side] += exact(o.Points[side])
		}
	}
	return points, played
}

// decide sets the winner of a match whose pairs are all finished. It sets no winner if the points are equal and a
// tie-break pair is left to play. points has the points of both players in all pairs of the match, in millionths.
func (d *duel) decide(s *Schedule, points [2]int) {
	t := s.spec.Tournament
	switch {
	case points[0] == points[1] && d.drawn < length(t):
		return
	case points[0] == points[1]:
		d.winner, d.how = d.seats[0], BySeed
		if slices.Index(s.start, d.seats[1]) < slices.Index(s.start, d.seats[0]) {
			d.winner = d.seats[1]
		}
		return
	case points[0] > points[1]:
		d.winner = d.seats[0]
	default:
		d.winner = d.seats[1]
	}
	d.how = ByPoints
	if d.drawn > t.MatchPairs {
		d.how = ByTiebreak
	}
}

func (k *knockout) left(s *Schedule) int {
	n := 0
	for _, d := range k.pending {
		_, played := d.points(s)
		n += max(d.drawn, s.spec.Tournament.MatchPairs) - played
	}
	return n
}

// name returns the usual name of the match's round.
func (d *duel) name() i18n.Message {
	switch {
	case d.third:
		return i18n.Of("third place")
	case d.left == 0:
		return i18n.Of("final")
	case d.left == 1:
		return i18n.Of("semifinals")
	case d.left == 2:
		return i18n.Of("quarterfinals")
	}
	return i18n.Of("round of %d", 2<<d.left)
}
