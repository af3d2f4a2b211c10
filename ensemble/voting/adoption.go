package voting

import (
	"cmp"
	"slices"

	"gogi/shogi"
)

// adoption is the rule "adoption" (採用実績, record of adopted votes). It ranks members by how often the council played the
// move that they voted for. If n members voted for the played move, the first n members of the ranking gain one weight,
// whether or not they voted for the move. Source: the paper on changing ballot weights in consultation (Touma, Endo et
// al., JACIII 17(5), 2013), Table 1.
type adoption struct {
	standing
	adopted []int // how often each member's vote was adopted
	last    []int // the decision at which each member's vote was last adopted
	order   []int // the ranking after the last decision
}

func newAdoption(s standing) Rule { return &adoption{standing: s} }

func (a *adoption) clone() Rule {
	return &adoption{a.twin(), slices.Clone(a.adopted), slices.Clone(a.last), slices.Clone(a.order)}
}

// NewGame resets the ranking of the members and their weights, unless the rule keeps them between games.
func (a *adoption) NewGame(seed uint64) {
	a.standing.NewGame(seed)
	if a.adopted != nil && a.spec.Reset == "never" {
		return
	}
	n := len(a.voters)
	a.adopted, a.last, a.order = make([]int, n), make([]int, n), make([]int, n)
	for i := range a.order {
		a.order[i] = i
	}
}

// Observe updates the ranking of the members and their weights after a decision.
func (a *adoption) Observe(ballots []Ballot, d *Decision) {
	defer func() { a.decision++ }()
	searched := func(b Ballot) bool { return b.counts() && b.searched() }
	if a.skips(d) || !a.spec.Book && !slices.ContainsFunc(ballots, searched) {
		return
	}
	voted := d.voted()
	a.fade()
	a.credit(d.backers(d.Move), voted)
	if a.spec.Ponder && d.Ponder != shogi.NoMove {
		a.credit(ponderers(ballots, d), voted)
	}
}

// ponderers returns the members that voted for the played move and expect the same reply as the council.
func ponderers(ballots []Ballot, d *Decision) []int {
	var list []int
	for i := range ballots {
		if ballots[i].Kind == KindMove && ballots[i].Move == d.Move && ballots[i].Ponder == d.Ponder {
			list = append(list, ballots[i].Member)
		}
	}
	return list
}

// credit counts an adopted vote for each of the backers, the members that voted for the played move. It then raises
// the weights of the members that the key reward selects. voted are the members with a vote.
func (a *adoption) credit(backers, voted []int) {
	for _, i := range backers {
		a.adopted[i]++
		a.last[i] = a.decision + 1
	}
	a.rank()
	if a.spec.Reward == "voters" {
		for _, i := range backers {
			a.raise(i)
		}
		return
	}
	left := len(backers)
	for _, i := range a.order {
		present := slices.Contains(voted, i)
		if left == 0 || !present && a.spec.Absent == "drop" {
			continue
		}
		left--
		if present {
			a.raise(i)
		}
	}
}

// rank sorts the members by their number of adopted votes.
func (a *adoption) rank() {
	if a.spec.Order != "before" {
		slices.Sort(a.order)
	}
	slices.SortStableFunc(a.order, func(i, j int) int {
		if c := cmp.Compare(a.adopted[j], a.adopted[i]); c != 0 {
			return c
		}
		switch a.spec.Order {
		case "recent":
			return cmp.Compare(a.last[j], a.last[i])
		case "random":
			return cmp.Compare(a.draw(i), a.draw(j))
		}
		return 0
	})
}

func (a *adoption) draw(member int) uint64 {
	return Mix(Mix(a.seed, uint64(a.decision)), uint64(member))
}
