package match

import "fmt"

// PairIndex checks whether the pairs of a stored run are the pairs of its plan. It has only the canonical text of
// the plan. This text determines each pair from its number, except the opening, because the text has one hash for
// all openings. PairIndex therefore stores every opening that was played.
type PairIndex struct {
	plan *Plan // the plan without openings
	book CanonicalOpenings
	seen map[int]Opening // the openings of the pairs so far, by their index in the book
}

// NewRoll returns an empty PairIndex for a run with this canonical plan.
func (c *CanonicalPlan) NewRoll() (*PairIndex, error) {
	plan, err := c.Replayable()
	if err != nil {
		return nil, err
	}
	if c.Openings.Count < 1 || plan.Pairings() < 1 {
		return nil, fmt.Errorf("match: a stored plan of %d players and %d openings, paired as %q, has no pairs",
			len(c.Players), c.Openings.Count, c.Design)
	}
	return &PairIndex{plan: plan, book: c.Openings, seen: map[int]Opening{}}, nil
}

// Take returns an error if p differs from the plan's pair with the same number. Take cannot check whether the
// opening is from the book; Book checks this for all openings together. Take checks that all pairs with the same
// index in the book have the same opening.
func (r *PairIndex) Take(p Pair) error {
	n := r.plan.Pairings()
	if p.ID < 0 {
		return fmt.Errorf("it has number %d", p.ID)
	}
	if r.plan.Design.Kind == DesignImported { // an imported run has no book
		want := Pair{ID: p.ID, Legs: r.plan.Legs(), Seed: mix(r.plan.Seed, uint64(p.ID))}
		return r.plan.ownsImported(p, want)
	}
	return r.TakeDrawn(p, r.plan.pairing(p.ID%n), p.ID/n)
}

// TakeDrawn does the same as Take for a design whose pairings depend on results. The caller gives the players
// of the pair and the round, which decides the opening.
func (r *PairIndex) TakeDrawn(p Pair, players [2]int, round int) error {
	switch {
	case p.ID < 0 || round < 0:
		return fmt.Errorf("it has number %d, in round %d", p.ID, round)
	case p.Players != players:
		return fmt.Errorf("it is of players %v, and the plan gives it %v", p.Players, players)
	case p.Legs != r.plan.Legs():
		return fmt.Errorf("it has %d games, and the plan says %d", p.Legs, r.plan.Legs())
	case p.Seed != mix(r.plan.Seed, uint64(p.ID)):
		return fmt.Errorf("its seed %d is not the one that the plan gives it", p.Seed)
	}
	if r.plan.Design.Kind == DesignSelfplay { // each game has its own random opening
		return nil
	}
	place := openingIndex(r.plan.Seed, round, r.book.Count)
	before, known := r.seen[place]
	if !known {
		r.seen[place] = p.Opening
		return nil
	}
	if before.ID != p.Opening.ID || before.String() != p.Opening.String() {
		return fmt.Errorf("it has opening %s (%s), and other pairs that shall have the same have %s (%s)", p.Opening.ID,
			p.Opening, before.ID, before)
	}
	return nil
}

// Book returns how many of the plan's openings were played, and how many the plan has. When all were played,
// Book returns an error if their hash differs from the plan's. It returns 0, 0 for an imported run and for
// self-play, which have no book.
func (r *PairIndex) Book() (played, of int, err error) {
	if k := r.plan.Design.Kind; k == DesignImported || k == DesignSelfplay {
		return 0, 0, nil
	}
	if len(r.seen) < r.book.Count {
		return len(r.seen), r.book.Count, nil
	}
	if sum := hashOpenings(r.book.Count, func(i int) Opening { return r.seen[i] }).SHA256; sum != r.book.SHA256 {
		err = fmt.Errorf("the openings have SHA-256 %s, and the plan's %s", sum, r.book.SHA256)
	}
	return len(r.seen), r.book.Count, err
}
