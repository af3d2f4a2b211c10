package stats

import (
	"fmt"
	"slices"

	"gogi/stats/binomial"
)

// Prefix is a sequential test that looks at the pairs of a plan in the order
// that they have there, on the longest contiguous prefix that is finished, after
// each of them. The order in which they finish must not matter: wins and losses
// differ in length, so where many games run at a time those that end first are a
// biased sample, and a test that took them as they come would not have its error
// rates. A decision is final: later pairs do not change it.
//
// Its units are the openings of the pairs so far, with their mean scores
// ([Series]): a pair that repeats an earlier one adds nothing, and one of an
// opening that was played before only makes that opening's score more precise.
// No single opening can turn the ratio by more than the logarithm of the two
// scores' quotient, so a test takes some openings whatever the number of games:
// [SPRT.Openings].
type Prefix struct {
	test   SPRT
	limit  int
	legs   int // of every pair; 0 before the first
	next   int // the first pair that was not judged
	taken  map[int]Play
	series Series
	jumps  overshoot
	now    Judgement
	broken error // why the pairs so far cannot be judged; it stays so
}

// NewPrefix starts the test of a plan of limit pairs. It fails for a design that
// cannot be tested, and for limit < 1.
func NewPrefix(test SPRT, limit int) (*Prefix, error) {
	if err := test.Check(); err != nil {
		return nil, err
	}
	if limit < 1 {
		return nil, fmt.Errorf("a plan of %d pairs has nothing to test", limit)
	}
	return &Prefix{test: test, limit: limit, taken: map[int]Play{}, now: test.decide(0, 0, 0, overshoot{})}, nil
}

// Add takes the finished pair with this number in the plan, from 0, and an
// opening that no other pair has: [Prefix.AddPlay] without an opening.
func (p *Prefix) Add(id int, pair Pair) error { return p.AddPlay(id, Play{Pair: pair}) }

// AddPlay takes the finished pair with this number in the plan, from 0. Pairs
// come in any order; those behind a gap wait until it is filled. An equal pair
// that comes again changes nothing. It fails, and takes nothing, for a number outside the plan, one that was
// taken with another pair, a pair that is none, and a pair of one leg among
// pairs of two or the reverse.
func (p *Prefix) AddPlay(id int, play Play) error {
	if _, err := play.points(); err != nil {
		return err
	}
	before, again := p.taken[id]
	switch {
	case id < 0 || id >= p.limit:
		return fmt.Errorf("pair %d is not in a plan of %d", id, p.limit)
	case again && before.equal(play):
		return nil
	case again:
		return fmt.Errorf("pair %d was counted before, with other games", id)
	case p.legs != 0 && p.legs != len(play.Pair):
		return errMixed()
	}
	p.legs = len(play.Pair)
	p.taken[id] = play
	return p.advance()
}

// Without is the test as if these pairs had not been played yet, counted anew from the
// first. It fails where the rest cannot be judged.
func (p *Prefix) Without(ids []int) (*Prefix, error) {
	anew, err := NewPrefix(p.test, p.limit)
	if err != nil {
		return nil, err
	}
	for id, play := range p.taken {
		if !slices.Contains(ids, id) {
			anew.legs = len(play.Pair)
			anew.taken[id] = play
		}
	}
	return anew, anew.advance()
}

func (p Play) equal(o Play) bool {
	return p.Opening == o.Opening && slices.Equal(p.Pair, o.Pair) && slices.Equal(p.Games, o.Games)
}

// advance judges pairs for as long as the next one is there and none decided.
func (p *Prefix) advance() error {
	for p.now.Decision == Continue && p.broken == nil {
		play, ok := p.taken[p.next]
		if !ok {
			return nil
		}
		if err := p.look(play); err != nil {
			p.broken = fmt.Errorf("pair %d: %w", p.next, err)
			break
		}
		p.next++
		if p.next == p.limit && p.now.Decision == Continue {
			p.now.Decision = Inconclusive
		}
	}
	return p.broken
}

func (p *Prefix) look(play Play) error {
	if _, err := p.series.Add(play); err != nil {
		return err
	}
	d, o := p.series.distribution(), p.series.tally.Outcomes()
	llr, err := p.test.llr(d, o)
	if err != nil {
		return err
	}
	p.jumps.see(llr)
	p.now = p.test.decide(llr, p.test.information(d, o), p.series.Pairs(), p.jumps)
	p.now.Openings, p.now.Copies = p.series.Openings(), p.series.Copies()
	return nil
}

// Judgement is the state of the test.
func (p *Prefix) Judgement() Judgement {
	j := p.now
	j.Beyond = len(p.taken) - p.next
	return j
}

// Tally is the pairs that the judgement rests on.
func (p *Prefix) Tally() Tally { return p.series.tally }

// Series is those pairs as evidence. It must not be added to.
func (p *Prefix) Series() *Series { return &p.series }

// Elo is [SPRT.Elo] of those pairs, by their openings. It fails before a decision by a bound or by
// the maximum: the estimate allows for where the test stopped.
func (p *Prefix) Elo(level float64) (StoppedElo, error) {
	if p.now.Decision == Continue {
		return StoppedElo{}, ErrNotStopped
	}
	if err := binomial.CheckOpen("confidence level", level); err != nil {
		return StoppedElo{}, err
	}
	return p.test.stoppedElo(p.series.distribution(), p.series.tally.Outcomes(), level)
}

// Outcomes are the pairs by outcome; games, where colours were not swapped.
func (t Tally) Outcomes() Outcomes {
	if t.Penta.Pairs() == 0 && t.Singles > 0 {
		return t.Total()
	}
	return t.Penta
}
