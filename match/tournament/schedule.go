package tournament

import (
	"errors"
	"fmt"
	"math"

	"gogi/match"
	"gogi/shogi"
)

// Spec is the part of a plan that decides the pairings.
type Spec struct {
	match.Design
	Seed    uint64
	Players []string // names, in plan order
	Pairs   int      // the planned number of pairs; pairs with this number or a higher one need not be played
	Legs    int      // games in a pair
}

// Of returns the Spec of a plan.
func Of(p *match.Plan) Spec {
	s := Spec{Design: p.Design, Seed: p.Seed, Pairs: p.Pairs, Legs: p.Legs()}
	for i := range p.Players {
		s.Players = append(s.Players, p.Players[i].Name)
	}
	return s
}

// OfCanonical returns the Spec of a stored plan. pairs is the planned number of pairs, which the plan does not contain.
func OfCanonical(p *match.CanonicalPlan, pairs int) Spec {
	s := Spec{Design: match.Design{Kind: p.Design, Swap: p.Swap, Anchor: p.Anchor}, Seed: p.Seed, Pairs: pairs, Legs: 1}
	if p.Tournament != nil {
		s.Tournament = *p.Tournament
	}
	if p.Swap {
		s.Legs = 2
	}
	for i := range p.Players {
		s.Players = append(s.Players, p.Players[i].Name)
	}
	return s
}

// Slot is a pair that the Schedule has selected. The results so far decide its players and its opening.
type Slot struct {
	Pair    int
	Players [2]int // indices of A and B in the plan; A is the smaller one
	Opening int    // position of the opening in the random order that the seed decides, from 0: round in match.Plan.PairOf
}

// Outcome is the result of a finished pair.
type Outcome struct {
	Pair    int
	Players [2]int     // A and B
	Points  [2]float64 // points of A and B in all legs together, by the run's rules
}

// OutcomeOf returns the outcome of a stored pair. rows has its games in the order of their legs; players maps
// the names in the plan to indices. OutcomeOf returns an error for a player who is not in the plan.
func OutcomeOf(rows []match.Row, players map[string]int) (Outcome, error) {
	if len(rows) == 0 {
		return Outcome{}, errors.New("tournament: a pair without games")
	}
	first := rows[0]
	a, knowsA := players[first.PairA]
	b, knowsB := players[first.PairB]
	if !knowsA || !knowsB {
		return Outcome{}, fmt.Errorf("tournament: pair %d is of %s and %s, who are not both players of the plan", first.Pair,
			first.PairA, first.PairB)
	}
	o := Outcome{Pair: first.Pair, Players: [2]int{a, b}}
	for _, r := range rows {
		side := 0 // index of Black in rows
		if r.Black != first.PairA {
			side = 1
		}
		o.Points[side] += r.Points[shogi.Black]
		o.Points[1-side] += r.Points[shogi.White]
	}
	return o, nil
}

// Schedule selects the pairs of a tournament from the results so far. It is not safe for concurrent use.
type Schedule struct {
	spec    Spec
	design  designer
	start   []int // the players by start number
	slots   map[int]Slot
	drawn   []Slot
	results map[int]Outcome
	played  int // number of pairs below the target that have a result
}

type designer interface {
	// draw returns the new slots that the results now decide.
	draw(s *Schedule) ([]Slot, error)
	// left returns the smallest number of pairs until the tournament is over.
	left(s *Schedule) int
}

// New returns the Schedule of a tournament before its first result. It returns an error for a design whose
// pairings do not depend on results, and for a design that cannot be played.
func New(spec Spec) (*Schedule, error) {
	if !spec.Kind.ByResults() {
		return nil, fmt.Errorf("tournament: design %q does not pair by results", spec.Kind)
	}
	if err := spec.Tournament.Check(spec.Kind, len(spec.Players)); err != nil {
		return nil, fmt.Errorf("tournament: %w", err)
	}
	s := &Schedule{spec: spec, start: startNumbers(spec), slots: map[int]Slot{}, results: map[int]Outcome{}}
	if err := s.CheckTarget(spec.Pairs); err != nil {
		return nil, err
	}
	switch spec.Kind {
	case match.DesignSwiss:
		s.design = &swiss{matches: len(s.spec.Players) / 2, met: map[[2]int]int{}}
	case match.DesignKnockout:
		s.design = newKnockout(s)
	default:
		s.design = &adaptive{met: map[[2]int]int{}}
	}
	return s, s.advance()
}

// Contradiction is the error for a stored pair whose players are not those that follow from the earlier results.
type Contradiction struct {
	Pair          int
	Stored, Drawn [2]string // players
}

func (c *Contradiction) Error() string {
	return fmt.Sprintf("pair %d is of %s and %s, but the results before it lead to %s and %s",
		c.Pair, c.Stored[0], c.Stored[1], c.Drawn[0], c.Drawn[1])
}

// Learn adds the result of a pair. Results may come in any order. A repeated result counts once; Learn
// returns an error if it differs from the first. If the Schedule has not selected the pair yet, the result
// waits. When the Schedule then selects other players for the pair, Learn returns a *Contradiction.
func (s *Schedule) Learn(o Outcome) error {
	if before, ok := s.results[o.Pair]; ok {
		if before != o {
			return fmt.Errorf("tournament: pair %d came again with another result: %+v, and %+v before", o.Pair, o, before)
		}
		return nil
	}
	if o.Pair < 0 || min(o.Players[0], o.Players[1]) < 0 || max(o.Players[0], o.Players[1]) >= len(s.spec.Players) {
		return fmt.Errorf("tournament: pair %d of players %v is none of %d players", o.Pair, o.Players, len(s.spec.Players))
	}
	s.results[o.Pair] = o
	if slot, ok := s.slots[o.Pair]; ok {
		if err := s.confirm(slot); err != nil {
			delete(s.results, o.Pair)
			return err
		}
	}
	return s.advance()
}

// confirm returns a *Contradiction if the slot has other players than a waiting result of the same pair.
func (s *Schedule) confirm(slot Slot) error {
	o, ok := s.results[slot.Pair]
	switch {
	case !ok:
		return nil
	case o.Players != slot.Players:
		return fmt.Errorf("tournament: %w", &Contradiction{slot.Pair, s.names(o.Players), s.names(slot.Players)})
	}
	if slot.Pair < s.spec.Pairs {
		s.played++
	}
	return nil
}

func (s *Schedule) names(players [2]int) [2]string {
	return [2]string{s.spec.Players[players[0]], s.spec.Players[players[1]]}
}

// advance selects all pairs that the results decide. It repeats this, because waiting results of new pairs
// may decide further pairs.
func (s *Schedule) advance() error {
	for {
		more, err := s.design.draw(s)
		if err != nil || len(more) == 0 {
			return err
		}
		for _, slot := range more {
			s.slots[slot.Pair] = slot
			s.drawn = append(s.drawn, slot)
			if err := s.confirm(slot); err != nil {
				return err
			}
		}
	}
}

// Drawn returns all pairs selected so far, including pairs beyond the planned number that belong to the last block
// of an adaptive design. New pairs are always at the end. The pairs are in the order of their numbers, except in a
// knockout, in which matches end in any order.
func (s *Schedule) Drawn() []Slot { return s.drawn }

// Slot returns the pair with a number. ok is false if the results have not decided this pair yet.
func (s *Schedule) Slot(pair int) (slot Slot, ok bool) {
	slot, ok = s.slots[pair]
	return slot, ok
}

// Finished reports whether the result of a pair is known.
func (s *Schedule) Finished(pair int) bool {
	_, ok := s.results[pair]
	return ok
}

// Posterior returns the Posterior of the results of all pairs selected so far.
func (s *Schedule) Posterior() (*Posterior, error) {
	var list []Outcome
	for _, slot := range s.drawn {
		if o, ok := s.results[slot.Pair]; ok {
			list = append(list, o)
		}
	}
	return PosteriorOf(list, len(s.spec.Players))
}

// Over reports whether the tournament is over: no further pair has to be played.
func (s *Schedule) Over() bool { return s.design.left(s) == 0 }

// Target returns the planned number of pairs, from the plan or from the last SetTarget.
func (s *Schedule) Target() int { return s.spec.Pairs }

// CheckTarget returns an error if the tournament cannot end after this number of pairs.
func (s *Schedule) CheckTarget(pairs int) error {
	most := KnockoutPairs(s.spec.Design, len(s.spec.Players))
	switch round := SwissPairs(s.spec.Design, len(s.spec.Players), 1); {
	case s.spec.Kind == match.DesignKnockout && pairs != most:
		return fmt.Errorf("tournament: %d pairs: a knockout of %d players has up to %d", pairs, len(s.spec.Players), most)
	case s.spec.Kind == match.DesignSwiss && pairs%round != 0:
		return fmt.Errorf("tournament: %d pairs are no whole rounds of %d", pairs, round)
	case pairs < 0:
		return fmt.Errorf("tournament: %d pairs", pairs)
	}
	return nil
}

// SetTarget makes the tournament end after this number of pairs. Pairs that are already selected stay.
func (s *Schedule) SetTarget(pairs int) error {
	if err := s.CheckTarget(pairs); err != nil {
		return err
	}
	s.spec.Pairs, s.played = pairs, 0
	for _, slot := range s.drawn {
		if slot.Pair < pairs && s.Finished(slot.Pair) {
			s.played++
		}
	}
	return s.advance()
}

// Left returns the smallest number of pairs that must still be played until the tournament is over. For a knockout
// it assumes no further tie-breaks.
func (s *Schedule) Left() int { return s.design.left(s) }

// grid is the number of units per point. Sums of whole units are exact, so that the order of addition cannot
// make equal sums differ.
const grid = 1_000_000

// exact returns points in millionths.
func exact(points float64) int { return int(math.Round(points * grid)) }

// startNumbers returns the players in the order of their start numbers. It is the order in the plan, or a
// random order by the seed (Fisher and Yates).
func startNumbers(spec Spec) []int {
	list := make([]int, len(spec.Players))
	for i := range list {
		list[i] = i
	}
	if !spec.Tournament.Lot {
		return list
	}
	state := spec.Seed ^ 0x6c6f74 // "lot" in ASCII, so that the values differ from other uses of the seed
	for i := len(list) - 1; i > 0; i-- {
		j := int(match.SplitMix(state) % uint64(i+1))
		state += match.SplitMixStep
		list[i], list[j] = list[j], list[i]
	}
	return list
}

// Ladder returns the pairings of a ladder of n versions, numbered from the oldest one, 0. Each version meets the
// versions 1, 2, 4, 8, … before it. In each pairing the older version is first. The pairings of a version do not depend
// on the later versions, so a new version only adds pairings at the end.
//
// A ladder is almost as good as the best design: for equal versions the differences of their ratings have on average at
// most 1.2 times the variance of a round robin with as many games (n from 20 to 200). A chain of matches between
// neighbours has (n+1)/3 times this variance.
func Ladder(n int) (pairings [][2]int) {
	for version := range n {
		for distance := 1; distance <= version; distance *= 2 {
			pairings = append(pairings, [2]int{version - distance, version})
		}
	}
	return pairings
}
