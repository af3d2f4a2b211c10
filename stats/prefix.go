package stats

import (
	"errors"
	"fmt"
)

// Prefix is a sequential test that looks at the pairs of a plan in the order
// that they have there, on the longest contiguous prefix that is finished, after
// each of them. The order in which they finish must not matter: wins and losses
// differ in length, so where many games run at a time those that end first are a
// biased sample, and a test that took them as they come would not have its error
// rates. A decision is final: later pairs do not change it.
type Prefix struct {
	test    SPRT
	limit   int
	legs    int // of every pair; 0 before the first
	next    int // the first pair that was not judged
	pending map[int]Pair
	tally   Tally
	jumps   overshoot
	now     Judgement
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
	return &Prefix{test: test, limit: limit, pending: map[int]Pair{}, now: test.judge(0, 0, overshoot{})}, nil
}

// Add takes the finished pair with this number in the plan, from 0. Pairs come
// in any order; those behind a gap wait until it is filled. It fails, and takes
// nothing, for a number outside the plan or taken before, a pair that is none,
// and a pair of one leg among pairs of two or the reverse.
func (p *Prefix) Add(id int, pair Pair) error {
	if err := p.check(id, pair); err != nil {
		return err
	}
	p.legs = len(pair)
	p.pending[id] = pair
	return p.advance()
}

func (p *Prefix) check(id int, pair Pair) error {
	if _, err := pair.points(); err != nil {
		return err
	}
	_, waiting := p.pending[id]
	switch {
	case id < 0 || id >= p.limit:
		return fmt.Errorf("pair %d is not in a plan of %d", id, p.limit)
	case id < p.next || waiting:
		return fmt.Errorf("pair %d was counted before", id)
	case p.legs != 0 && p.legs != len(pair):
		return errMixed()
	}
	return nil
}

// advance judges pairs for as long as the next one is there and none decided.
func (p *Prefix) advance() error {
	for p.now.Decision == Continue {
		pair, ok := p.pending[p.next]
		if !ok {
			return nil
		}
		if err := p.look(pair); err != nil {
			return fmt.Errorf("pair %d: %w", p.next, err)
		}
		delete(p.pending, p.next)
		p.next++
		if p.next == p.limit && p.now.Decision == Continue {
			p.now.Decision = Inconclusive
		}
	}
	return nil
}

func (p *Prefix) look(pair Pair) error {
	tally := p.tally
	if err := tally.Add(pair); err != nil {
		return err
	}
	llr, err := p.test.LLR(tally.Outcomes())
	if err != nil {
		return err
	}
	p.tally = tally
	p.jumps.see(llr)
	p.now = p.test.judge(llr, tally.Pairs(), p.jumps)
	return nil
}

// Judgement is the state of the test.
func (p *Prefix) Judgement() Judgement {
	j := p.now
	j.Beyond = len(p.pending)
	return j
}

// Tally is the pairs that the judgement rests on.
func (p *Prefix) Tally() Tally { return p.tally }

// Elo is [SPRT.Elo] of those pairs. It fails before a decision by a bound or by
// the maximum: the estimate allows for where the test stopped.
func (p *Prefix) Elo(level float64) (StoppedElo, error) {
	if p.now.Decision == Continue {
		return StoppedElo{}, errors.New("the test has not stopped")
	}
	return p.test.Elo(p.tally.Outcomes(), level)
}

// Outcomes are the pairs by outcome; games, where colours were not swapped.
func (t Tally) Outcomes() Outcomes {
	if t.Penta.Pairs() == 0 && t.Singles > 0 {
		return t.Total()
	}
	return t.Penta
}
