package voting

import (
	"cmp"
	"math"
	"slices"

	"gogi/shogi"
	"gogi/usi"
)

// Voter has a rule's data about a member.
type Voter struct {
	Name string
	// Slope and Intercept turn its centipawns into the log odds of winning. Engines differ in scale by a
	// factor of three.
	Slope     float64 // 0 means DefaultSlope
	Intercept float64
	// Clamp limits its scores to ± so many of its own centipawns. A mate counts as the clamp if the member's
	// variation does not show it to the end, and beyond all clamps if it does. 0 is no clamp: mates count
	// without proof, as in all councils whose plans and records have no clamp.
	Clamp float64
}

// DefaultClamp is a member's default clamp: 97% at DefaultSlope. Beyond it a score shows hardly more about
// the winner, and one member's mistake would outweigh all other members.
const DefaultClamp = 2000

// DefaultSlope is the log odds of one centipawn: 600 centipawns are 73% (the formula of Ponanza, which most
// engines are near to).
const DefaultSlope = 1.0 / 600

// Points returns the value of a score in the member's centipawns, -Inf without one; proven means that a mate
// is shown to its end.
func (v Voter) Points(s usi.Score, has, proven bool) float64 {
	x := Points(s, has)
	if v.Clamp == 0 || proven || !has {
		return x
	}
	return max(-v.Clamp, min(v.Clamp, x))
}

// odds returns a line's score as log odds of winning, -Inf without one.
func (v Voter) odds(l Line) float64 { return v.LogOdds(v.Points(l.Score, l.HasScore, l.proven)) }

// LogOdds turns points into log odds of winning; -Inf stays.
func (v Voter) LogOdds(points float64) float64 {
	if math.IsInf(points, -1) {
		return points
	}
	return cmp.Or(v.Slope, DefaultSlope)*points + v.Intercept
}

func probability(logOdds float64) float64 { return 1 / (1 + math.Exp(-logOdds)) }

// Candidate is one move of a vote.
type Candidate struct {
	Move    shogi.Move
	Backers []int   // the members that voted for it, ascending
	Weight  float64 // the sum of their weights
	Value   float64 // the value that the rule decides by; Weight for the rules that add weights
	Best    float64 // the best score among its backers as log odds, -Inf for none
}

// Count returns the number of members that voted for the move.
func (c *Candidate) Count() int { return len(c.Backers) }

// back adds a backer; at most so many are still to come, with this one.
func (c *Candidate) back(member, more int) {
	if c.Backers == nil {
		c.Backers = make([]int, 0, more)
	}
	c.Backers = append(c.Backers, member)
}

// Rule turns ballots into candidates with a value each.
type Rule interface {
	// NewGame forgets the effects of the last game, and takes a seed for everything random.
	NewGame(seed uint64)
	// Candidates values the moves of the ballots, all of KindMove and in the order of the members. It changes
	// nothing.
	Candidates(ballots []Ballot) []Candidate
	// Observe learns from a decision that was played, once for each.
	Observe(ballots []Ballot, d *Decision)
	// Weights returns the present weight of each member's ballot.
	Weights() []float64
	// Additive reports whether a candidate's value is the sum of Weights over its backers, so that a vote may
	// be decided before all ballots are in.
	Additive() bool
	// clone is a rule that goes its own way from here.
	clone() Rule
}

// NewRule makes the rule of a spec for the given members; exact is that of Settings. A name that the table of
// rules does not have is an error.
func NewRule(spec Spec, voters []Voter, exact bool) (Rule, error) {
	k, known := kindOf(spec.Name)
	if !known {
		return nil, errNoRule(spec.Name)
	}
	if err := spec.Check(len(voters)); err != nil {
		return nil, err
	}
	return k.begin(newStanding(spec, voters, exact)), nil
}

// standing is the part that all rules share: the members and their weights. On its own it is the majority
// rule, or with given weights the weighted one.
type standing struct {
	spec     Spec
	voters   []Voter
	exact    bool // Settings.Exact
	weights  []float64
	seed     uint64
	decision int // how many were observed in this game
}

func newMajority(s standing) Rule { return &s }

func (s *standing) clone() Rule { return new(s.twin()) }

// twin returns a standing whose weights go their own way from here.
func (s *standing) twin() standing {
	twin := *s
	twin.weights = slices.Clone(s.weights)
	return twin
}

func newStanding(spec Spec, voters []Voter, exact bool) standing {
	s := standing{spec: spec, voters: voters, exact: exact}
	s.restart()
	return s
}

func (s *standing) restart() {
	s.weights = make([]float64, len(s.voters))
	for i := range s.weights {
		s.weights[i] = s.spec.Initial
	}
	copy(s.weights, s.spec.Weights)
}

// NewGame resets the weights, unless they are to last.
func (s *standing) NewGame(seed uint64) {
	s.seed, s.decision = seed, 0
	if s.spec.Reset != "never" {
		s.restart()
	}
}

// Candidates adds the weights of each move's backers.
func (s *standing) Candidates(ballots []Ballot) []Candidate {
	return s.tally(ballots, s.Weights())
}

// tally groups the ballots by move, in the order of each move's first member.
func (s *standing) tally(ballots []Ballot, weights []float64) []Candidate {
	list := make([]Candidate, 0, 4)
	for i := range ballots {
		b := &ballots[i]
		c := CandidateOf(&list, b.Move)
		c.back(b.Member, len(ballots)-i)
		c.Weight += weights[b.Member]
		c.Best = max(c.Best, s.voters[b.Member].odds(b.Line))
	}
	for i := range list {
		list[i].Value = list[i].Weight
		if s.spec.Tally == "count" {
			list[i].Value = float64(list[i].Count())
		}
	}
	return list
}

// CandidateOf finds a move in the list, or adds it.
func CandidateOf(list *[]Candidate, m shogi.Move) *Candidate {
	for i := range *list {
		if (*list)[i].Move == m {
			return &(*list)[i]
		}
	}
	*list = append(*list, Candidate{Move: m, Best: math.Inf(-1)})
	return &(*list)[len(*list)-1]
}

// Observe counts the decision; the weights stay.
func (s *standing) Observe([]Ballot, *Decision) { s.decision++ }

// Additive returns true: values are sums of weights.
func (s *standing) Additive() bool { return true }

// Weights returns the members' weights, under a placebo with the wrong owners.
func (s *standing) Weights() []float64 { return s.owned(s.weights) }

func (s *standing) owned(weights []float64) []float64 {
	out := slices.Clone(weights)
	if s.spec.Placebo == "off" || s.spec.Placebo == "" {
		return out
	}
	key := s.seed
	if s.spec.Placebo == "decision" {
		key = Mix(key, uint64(s.decision))
	}
	for i := len(out) - 1; i > 0; i-- {
		j := int(Mix(key, uint64(i)) % uint64(i+1)) //nolint:gosec // a remainder of a small number
		out[i], out[j] = out[j], out[i]
	}
	return out
}

// fade lets the weights beyond the first one decay.
func (s *standing) fade() {
	for i, w := range s.weights {
		s.weights[i] = s.spec.Initial + (w-s.spec.Initial)*s.spec.Decay
	}
}

// raise gives a member one more.
func (s *standing) raise(member int) {
	s.weights[member]++
	if s.spec.Cap > 0 {
		s.weights[member] = min(s.weights[member], s.spec.Cap)
	}
}

// skips reports whether a decision changes no weight because no vote made it.
func (s *standing) skips(d *Decision) bool {
	return s.spec.Overrides != "count" && d.By != ByRule
}

// Mix returns a hash of two numbers (the finalizer of SplitMix64).
func Mix(a, b uint64) uint64 {
	z := a + 0x9e3779b97f4a7c15*(b+1)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// The names of the rules.
const (
	Majority    = "majority"    // most ballots (plurality, 単純多数決)
	Adoption    = "adoption"    // weights by adopted votes (採用実績)
	Evaluation  = "evaluation"  // weights by evaluations (局面評価値)
	Weighted    = "weighted"    // weights given beforehand
	Optimistic  = "optimistic"  // the member with the best evaluation (楽観的合議)
	Pessimistic = "pessimistic" // the member with the worst
	Borda       = "borda"       // points by rank in the MultiPV lists
	LinearPool  = "linear_pool" // mean of the win probabilities in the MultiPV lists
	LogPool     = "log_pool"    // the same of their log odds
)

// kind is a row of the table of rules: with the rule's own file it is all that this package knows of it.
type kind struct {
	name  string
	begin func(standing) Rule // the rule before its first game
	keys  []string            // keys of Spec, in the order of its fields
	lists bool                // it reads MultiPV lists; without them it counts ballots, or little more
}

// kinds returns the table of rules, in the order in which they are listed.
func kinds() []kind {
	growing := []string{"initial", "tally", "reset", "overrides", "decay", "cap", "placebo"}
	pooling := []string{"weights", "impute", "min_depth"}
	return []kind{
		{name: Majority, begin: newMajority},
		{name: Adoption, begin: newAdoption, keys: append([]string{"reward", "order", "book", "absent", "ponder"}, growing...)},
		{name: Evaluation, begin: newEvaluation, keys: append([]string{"mode", "searched", "window", "max", "scale", "apply"}, growing...)},
		{name: Weighted, begin: newMajority, keys: []string{"weights"}},
		{name: Optimistic, begin: newByScore},
		{name: Pessimistic, begin: newByScore},
		{name: Borda, begin: newBorda, keys: []string{"weights", "min_depth"}, lists: true},
		{name: LinearPool, begin: newPool, keys: pooling, lists: true},
		{name: LogPool, begin: newPool, keys: pooling, lists: true},
	}
}

// kindOf finds a rule's row.
func kindOf(name string) (kind, bool) {
	for _, k := range kinds() {
		if k.name == name {
			return k, true
		}
	}
	return kind{}, false
}

// RuleNames lists the rules.
func RuleNames() []string {
	var names []string
	for _, k := range kinds() {
		names = append(names, k.name)
	}
	return names
}

// ReadsLists reports whether the rule counts the lines of MultiPV lists: from members that give one line only
// it knows little more than simple majority.
func (s *Spec) ReadsLists() bool {
	k, _ := kindOf(s.Name)
	return k.lists
}
