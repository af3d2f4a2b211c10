package voting

import "slices"

// evaluation is the rule "evaluation" (局面評価値). It sums every member's evaluations over the game. The member with the
// highest sum, the leader, gains weight. The scores of a council are all from its own side's view, so their signs do
// not alternate. Source: the paper that adoption names, Table 2.
type evaluation struct {
	standing
	sums  [][]float64 // by member: the evaluation of each decision in the window
	bonus int         // the member that has 1 more in mode bonus, or -1
}

func newEvaluation(s standing) Rule { return &evaluation{standing: s} }

func (e *evaluation) clone() Rule {
	twin := &evaluation{standing: e.twin(), bonus: e.bonus}
	for _, list := range e.sums {
		twin.sums = append(twin.sums, slices.Clone(list))
	}
	return twin
}

// NewGame clears each member's sum of scores, unless the rule keeps the sums between games.
func (e *evaluation) NewGame(seed uint64) {
	e.standing.NewGame(seed)
	if e.sums != nil && e.spec.Reset == "never" {
		return
	}
	e.sums, e.bonus = make([][]float64, len(e.voters)), -1
}

// Additive returns true if the scores of a ballot change weights only after the decision. If they change the
// weights of the same vote, a candidate's value is not known before all ballots have arrived.
func (e *evaluation) Additive() bool { return e.spec.Apply == "after" }

// Candidates returns each move with the sum of its backers' weights. If the key apply is "before", it first
// adds the scores of these ballots, and raises the weight of the leader, the member with the highest sum of
// scores.
func (e *evaluation) Candidates(ballots []Ballot) []Candidate {
	if e.spec.Apply == "after" {
		return e.tally(ballots, e.Weights())
	}
	next := e.twin()
	if e.spec.Mode == "accumulate" {
		next.fade()
	}
	if leader := e.leads(ballots); leader >= 0 {
		next.raise(leader)
	}
	return e.tally(ballots, next.Weights())
}

// Weights returns the members' weights. In mode "bonus" they include the bonus of the member with the highest
// sum of scores (the leader).
func (e *evaluation) Weights() []float64 {
	if e.bonus < 0 || e.spec.Apply == "before" {
		return e.standing.Weights()
	}
	with := e.twin()
	with.raise(e.bonus)
	return with.Weights()
}

// Observe adds the score of each ballot to its member's sum. Then it raises the weight of the member with the
// highest sum, the leader.
func (e *evaluation) Observe(ballots []Ballot, d *Decision) {
	defer func() { e.decision++ }()
	if e.skips(d) {
		return
	}
	leader := e.leads(ballots)
	worth := make([]float64, len(e.voters)) // 0 for members whose ballot does not count
	asked := make([]bool, len(e.voters))
	for i := range ballots {
		asked[ballots[i].Member] = true
		if ballots[i].counts() {
			worth[ballots[i].Member] = e.worth(&ballots[i])
		}
	}
	for member, w := range worth {
		if asked[member] || len(ballots) == 0 { // a member that was spared a decision keeps its sum
			e.add(member, w)
		}
	}
	if e.spec.Mode == "bonus" {
		e.bonus = leader
		return
	}
	e.fade()
	if leader >= 0 {
		e.raise(leader)
	}
}

// counts reports whether a ballot's evaluation is added. It is added if the ballot came in time.
func (b *Ballot) counts() bool { return b.Kind == KindMove || b.Kind == KindResign }

// worth returns the amount that a ballot adds to its member's sum. This is 0 if the ballot has no score.
func (e *evaluation) worth(b *Ballot) float64 {
	if !b.searched() {
		return 0
	}
	v := e.voters[b.Member]
	cut := max(-e.spec.Max, min(e.spec.Max, v.Points(b.Score, b.HasScore, b.proven)))
	if e.spec.Scale == "winprob" {
		return probability(v.LogOdds(cut)) - 0.5
	}
	return cut
}

func (e *evaluation) add(member int, worth float64) {
	list := append(e.sums[member], worth)
	if e.spec.Window == 0 { // only the sum is needed
		total := 0.0
		for _, x := range list {
			total += x
		}
		list = append(list[:0], total)
	} else if len(list) > e.spec.Window {
		list = list[1:]
	}
	e.sums[member] = list
}

// leads returns the leader after these ballots. It returns -1 if there is no leader, or if too few members
// searched.
func (e *evaluation) leads(ballots []Ballot) int {
	leader := e.highest(ballots, (*Ballot).searched)
	if leader < 0 || !e.enough(ballots, leader) {
		return -1
	}
	return leader
}

// highest returns the member with the highest sum, including these ballots. It considers only members whose ballot
// came in time and fulfils the condition. If several members have this sum, it returns the first. It returns -1 if no
// member is left.
func (e *evaluation) highest(ballots []Ballot, fulfils func(*Ballot) bool) int {
	highest, best := -1, 0.0
	for i := range ballots {
		b := &ballots[i]
		if !b.counts() || !fulfils(b) {
			continue
		}
		if t := e.total(b.Member) + e.worth(b); highest < 0 || compareSums(t, best, e.exact) > 0 {
			highest, best = b.Member, t
		}
	}
	return highest
}

// total returns a member's sum. It leaves out the decision that the next decision will push out of the
// window.
func (e *evaluation) total(member int) float64 {
	list := e.sums[member]
	if e.spec.Window > 0 && len(list) == e.spec.Window {
		list = list[1:]
	}
	sum := 0.0
	for _, x := range list {
		sum += x
	}
	return sum
}

// enough reports whether the members that searched are enough to change weights, according to the key "searched" of
// the rule. leader is the member with the highest sum among the members that searched.
func (e *evaluation) enough(ballots []Ballot, leader int) bool {
	searched, all := 0, 0
	for i := range ballots {
		if !ballots[i].counts() {
			continue
		}
		all++
		if ballots[i].searched() {
			searched++
		}
	}
	switch e.spec.Searched {
	case "all":
		return searched == all
	case "majority":
		return 2*searched > all
	case "leader":
		return leader == e.highest(ballots, (*Ballot).counts)
	}
	return searched > 0
}
