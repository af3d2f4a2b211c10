package stats

import (
	"fmt"
	"slices"

	"gogi/stats/binomial"
)

// A Prefix is a sequential test that takes the pairs of a plan in plan order. After each pair it evaluates
// the longest prefix of the plan in which all pairs are finished. Pairs count in plan order, because the
// order in which they finish is biased: won and lost games differ in length, so with many parallel games the
// first pairs to finish are no random sample. A test in that order would exceed its error rates. A decision
// is final: later pairs do not change it.
//
// The independent observations are the openings of the evaluated pairs, with their mean scores ([Series]). A
// pair that repeats an earlier pair adds no information. Another pair of the same opening only makes that
// opening's score more precise. A single opening changes the log likelihood ratio by at most the logarithm of
// the quotient of the two hypothetical scores. A test therefore needs a minimum number of openings, whatever
// the number of games: [SPRT.Openings].
type Prefix struct {
	test   SPRT
	limit  int          // number of pairs in the plan
	legs   int          // number of games in every pair. It is 0 before the first pair.
	next   int          // number of the first pair that was not evaluated
	taken  map[int]Play // added pairs by number
	series Series       // the evaluated pairs
	now    Judgement
	broken error // reason why the pairs cannot be evaluated. Once set, it never changes.
}

// NewPrefix returns the test of a plan with limit pairs. It returns an error for an impossible design, and
// for limit < 1.
func NewPrefix(test SPRT, limit int) (*Prefix, error) {
	if err := test.Check(); err != nil {
		return nil, err
	}
	if limit < 1 {
		return nil, fmt.Errorf("a plan of %d pairs has nothing to test", limit)
	}
	return &Prefix{test: test, limit: limit, taken: map[int]Play{}, now: test.decide(0, 0, 0)}, nil
}

// AddPlay adds a finished pair. id is the number of the pair in the plan, from 0. Pairs may be added in any order. A
// pair behind an unfinished pair waits until that pair is added. Adding an equal pair again changes nothing.
//
// AddPlay adds nothing and returns an error if id is outside the plan, if id already has a different pair, or if the
// pair is invalid. It also does this if the pair has another number of games than the earlier pairs.
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
		return ErrMixed
	}
	p.legs = len(play.Pair)
	p.taken[id] = play
	return p.advance()
}

// Without returns the test as if the pairs with these numbers had not been played. It evaluates the remaining pairs
// from the first one. It returns an error if it cannot evaluate them.
func (p *Prefix) Without(ids []int) (*Prefix, error) {
	again, err := NewPrefix(p.test, p.limit)
	if err != nil {
		return nil, err
	}
	for id, play := range p.taken {
		if !slices.Contains(ids, id) {
			again.legs = len(play.Pair)
			again.taken[id] = play
		}
	}
	return again, again.advance()
}

func (p Play) equal(o Play) bool {
	return p.Opening == o.Opening && slices.Equal(p.Pair, o.Pair) && slices.Equal(p.Games, o.Games)
}

// advance evaluates pairs until the next pair is missing or a decision is reached.
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
	p.now = p.test.decide(llr, p.test.information(d, o), p.series.Pairs())
	p.now.Openings, p.now.Copies = p.series.Openings(), p.series.Copies()
	return nil
}

// Judgement returns the state of the test.
func (p *Prefix) Judgement() Judgement {
	j := p.now
	j.Beyond = len(p.taken) - p.next
	return j
}

// Tally returns the evaluated pairs.
func (p *Prefix) Tally() Tally { return p.series.Tally() }

// Series returns the evaluated pairs with their openings. The caller must not add pairs to the result.
func (p *Prefix) Series() *Series { return &p.series }

// Elo returns the Elo difference after the test, calculated by [SPRT.Elo] from the openings of the evaluated
// pairs. The estimate is corrected for early stopping. Elo therefore returns an error before the test has
// ended at a bound or at the maximum.
func (p *Prefix) Elo(level float64) (StoppedElo, error) {
	if p.now.Decision == Continue {
		return StoppedElo{}, ErrNotStopped
	}
	if err := binomial.CheckOpen("confidence level", level); err != nil {
		return StoppedElo{}, err
	}
	return p.test.stoppedElo(p.series.distribution(), p.series.tally.Outcomes(), level)
}

// Outcomes returns the counts of pairs by outcome, or the counts of games if colours were not swapped.
func (t Tally) Outcomes() Outcomes {
	if t.Penta.Pairs() == 0 && t.Singles > 0 {
		return t.Total()
	}
	return t.Penta
}
