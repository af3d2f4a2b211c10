package ensemble

import (
	"context"
	"slices"

	"gogi/ensemble/voting"
)

// askFirst asks the first members only, see Config.Ask. If their moves are equal, they decide; otherwise askFirst asks
// the other members, too. It returns false if the council must ask all members in the normal way.
func (v *vote) askFirst(ctx context.Context) bool {
	k := v.config.Ask
	if k == 0 || len(v.spared) > 0 || v.alive() < v.config.MinAlive {
		return false
	}
	seats := v.byWeight()
	if len(seats) <= k {
		return false
	}
	v.spared = seats[k:]
	if !v.ask(ctx) {
		v.spared = nil
		return false
	}
	if v.unanimous(k) {
		v.unasked, v.spared = slices.Sorted(slices.Values(seats[k:])), nil
		v.complete()
		return true
	}
	first, polled := v.ballots, v.polled
	v.spared = seats[:k]
	v.ask(ctx)
	for i := range v.ballots {
		if b := &v.ballots[i]; !slices.ContainsFunc(first, func(x voting.Ballot) bool { return x.Member == b.Member }) {
			first = append(first, *b)
		}
	}
	v.ballots, v.polled, v.spared = voting.Sorted(first), append(polled, v.polled...), nil
	v.complete()
	return v.spoken() && v.alive() >= v.config.MinAlive
}

// byWeight returns the members that can get a request now, the largest weight first. Members with equal weights stay
// in their order.
func (c *Council) byWeight() (seats []int) {
	for i, s := range c.runners {
		if s.free() {
			seats = append(seats, i)
		}
	}
	weights := c.session.Weights()
	slices.SortStableFunc(seats, func(a, b int) int { return voting.CompareSums(weights[b], weights[a]) })
	return seats
}

// unanimous reports whether there are exactly k ballots, and all vote for the same move.
func (v *vote) unanimous(k int) bool {
	if len(v.ballots) != k {
		return false
	}
	for i := range v.ballots {
		if b := &v.ballots[i]; b.Kind != voting.KindMove || b.Move != v.ballots[0].Move {
			return false
		}
	}
	return true
}
