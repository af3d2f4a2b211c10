package match

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// PairIndex compares the pairs of a stored run with its plan's canonical text. That text decides a pair by
// its number, but has only one hash over all openings. The index grows with the openings that were played.
type PairIndex struct {
	plan *Plan // no openings
	book CanonicalOpenings
	seen map[int]Opening // by their place in the book, from 0
}

// NewRoll returns the PairIndex of a run before its first pair.
func (c *CanonicalPlan) NewRoll() (*PairIndex, error) {
	plan, err := c.Replayable()
	if err != nil {
		return nil, err
	}
	if c.Openings.Count < 1 || plan.Pairings() < 1 {
		return nil, fmt.Errorf("match: a stored plan of %d players and %d openings, paired as %q, has no pairs", len(c.Players), c.Openings.Count, c.Design)
	}
	return &PairIndex{plan: plan, book: c.Openings, seen: map[int]Opening{}}, nil
}

// Take returns why a pair is not the one of its number, or nil. Whether its opening is from the book is
// known only after all of them (Book). Until then Take checks that pairs of the same opening agree.
func (r *PairIndex) Take(p Pair) error {
	n := r.plan.Pairings()
	if p.ID < 0 {
		return fmt.Errorf("it has number %d", p.ID)
	}
	if r.plan.Design.Kind == DesignImported { // which has no book
		want := Pair{ID: p.ID, Legs: r.plan.Legs(), Seed: mix(r.plan.Seed, uint64(p.ID))} //nolint:gosec // not negative
		return r.plan.ownsImported(p, want)
	}
	return r.TakeDrawn(p, r.plan.pairing(p.ID%n), p.ID/n)
}

// TakeDrawn is Take if results decide the pairings. It takes the players drawn for the pair, and the
// index of its opening in their order by the seed.
func (r *PairIndex) TakeDrawn(p Pair, players [2]int, round int) error {
	switch {
	case p.ID < 0 || round < 0:
		return fmt.Errorf("it has number %d, in round %d", p.ID, round)
	case p.Players != players:
		return fmt.Errorf("it is of players %v, and the plan gives it %v", p.Players, players)
	case p.Legs != r.plan.Legs():
		return fmt.Errorf("it has %d games, and the plan says %d", p.Legs, r.plan.Legs())
	case p.Seed != mix(r.plan.Seed, uint64(p.ID)): //nolint:gosec // not negative
		return fmt.Errorf("its seed %d is not the one that the plan gives it", p.Seed)
	}
	if r.plan.Design.Kind == DesignSelfplay { // each game has drawn its own
		return nil
	}
	place := openingIndex(r.plan.Seed, round, r.book.Count)
	before, known := r.seen[place]
	if !known {
		r.seen[place] = p.Opening
		return nil
	}
	if before.ID != p.Opening.ID || before.String() != p.Opening.String() {
		return fmt.Errorf("it has opening %s (%s), and other pairs that shall have the same have %s (%s)", p.Opening.ID, p.Opening, before.ID, before)
	}
	return nil
}

// Book returns how many of the plan's openings were played. If all were, it returns an error if they are
// not those of the plan. An imported run, and self-play, have none: 0 of 0.
func (r *PairIndex) Book() (played, of int, err error) {
	if k := r.plan.Design.Kind; k == DesignImported || k == DesignSelfplay {
		return 0, 0, nil
	}
	if len(r.seen) < r.book.Count {
		return len(r.seen), r.book.Count, nil
	}
	h := sha256.New()
	for i := range r.book.Count {
		h.Write(r.seen[i].bookLine())
	}
	if sum := hex.EncodeToString(h.Sum(nil)); sum != r.book.SHA256 {
		err = fmt.Errorf("the openings have SHA-256 %s, and the plan's %s", sum, r.book.SHA256)
	}
	return len(r.seen), r.book.Count, err
}
