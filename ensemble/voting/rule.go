package voting

import (
	"cmp"
	"math"
	"slices"

	"gogi/internal/lists"
	"gogi/shogi"
	"gogi/usi"
)

// A Voter is a member as a rule sees it: its name, and the conversion of its scores.
type Voter struct {
	Name string
	// Slope and Intercept convert the member's centipawns into the log odds of winning. The scales of engines
	// differ by up to a factor of three.
	Slope     float64 // 0 means DefaultSlope
	Intercept float64
	// Clamp limits the member's scores to the range ±Clamp, in its own centipawns. A mate counts as the
	// clamp, unless the member's variation shows the mate to its end. A mate that is shown to its end is
	// beyond all clamps. 0 means no clamp: mates count without proof, as in all councils whose plans and
	// records have no clamp.
	Clamp float64
}

// DefaultClamp is the default of Voter.Clamp, the largest absolute score that counts, in centipawns. At
// DefaultSlope it is a win probability of 97%. A larger score says hardly more about the winner, and without
// a clamp one member's mistake could outweigh all other members.
const DefaultClamp = 2000

// DefaultSlope is the log odds of one centipawn, so that 600 centipawns are a win probability of 73%. This is
// the formula of the engine Ponanza. The scales of most engines are close to it.
const DefaultSlope = 1.0 / 600

// Points returns a score in the member's centipawns, limited by the clamp. proven means that the variation shows the
// mate to its end. has reports whether there is a score; without a score the result is -Inf.
func (v Voter) Points(s usi.Score, has, proven bool) float64 {
	x := Points(s, has)
	if v.Clamp == 0 || proven || !has {
		return x
	}
	return max(-v.Clamp, min(v.Clamp, x))
}

// odds returns a line's score as log odds of winning. It returns -Inf if the line has no score.
func (v Voter) odds(l Line) float64 { return v.LogOdds(v.Points(l.Score, l.HasScore, l.proven)) }

// LogOdds converts points in centipawns into log odds of winning. It returns -Inf for -Inf.
func (v Voter) LogOdds(points float64) float64 {
	if math.IsInf(points, -1) {
		return points
	}
	return cmp.Or(v.Slope, DefaultSlope)*points + v.Intercept
}

func probability(logOdds float64) float64 { return 1 / (1 + math.Exp(-logOdds)) }

// A Candidate is a move for which members voted, or a move in the MultiPV list of a member.
type Candidate struct {
	Move    shogi.Move
	Backers []int   // the members that voted for it, ascending
	Weight  float64 // the sum of their weights
	Value   float64 // the value by which the rule decides; equal to Weight for rules that add weights
	Best    float64 // the best score of its backers as log odds; -Inf if no backer has a score
}

// Count returns the number of members that voted for the move.
func (c *Candidate) Count() int { return len(c.Backers) }

// back adds a member to the move's backers. more is the largest number of backers that can still be added, including
// this one.
func (c *Candidate) back(member, more int) {
	if c.Backers == nil {
		c.Backers = make([]int, 0, more)
	}
	c.Backers = append(c.Backers, member)
}

// A Rule calculates a value for each move from the members' ballots. The council plays the move with the
// highest value.
type Rule interface {
	// NewGame resets the rule for a new game. All random choices depend on the seed.
	NewGame(seed uint64)
	// Candidates returns the moves of the ballots with their values. All ballots are of KindMove and in the
	// order of the members. Candidates does not change the rule.
	Candidates(ballots []Ballot) []Candidate
	// Observe updates the rule after a decision was played. Call it once for each played decision.
	Observe(ballots []Ballot, d *Decision)
	// Weights returns the present weight of each member's ballot.
	Weights() []float64
	// Additive reports whether a candidate's value is the sum of Weights over its backers, so that a vote may
	// be decided before all ballots are in.
	Additive() bool
	// clone returns a copy of the rule that changes independently.
	clone() Rule
}

// NewRule returns the rule of a spec for the given members. exact is the value of Settings.Exact. NewRule
// returns an error if no rule has the name of the spec.
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

// standing is the part that all rules share: the members and their weights. A standing alone is the rule "majority",
// or the rule "weighted" if the spec gives weights.
type standing struct {
	spec     Spec
	voters   []Voter
	exact    bool // Settings.Exact
	weights  []float64
	seed     uint64
	decision int // number of decisions of this game that the rule observed
}

func newMajority(s standing) Rule { return &s }

func (s *standing) clone() Rule { return new(s.twin()) }

// twin returns a copy of s that has its own weights.
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

// NewGame resets the weights, unless the rule keeps them between games.
func (s *standing) NewGame(seed uint64) {
	s.seed, s.decision = seed, 0
	if s.spec.Reset != "never" {
		s.restart()
	}
}

// Candidates returns each move with its value. The value is the sum of the backers' weights, or the number of
// backers if the key tally is "count".
func (s *standing) Candidates(ballots []Ballot) []Candidate {
	return s.tally(ballots, s.Weights())
}

// tally groups the ballots by move. It sorts the moves by the first member that voted for each move.
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

// CandidateOf returns the candidate of a move in the list. It adds the move if the list does not have it.
func CandidateOf(list *[]Candidate, m shogi.Move) *Candidate {
	for i := range *list {
		if (*list)[i].Move == m {
			return &(*list)[i]
		}
	}
	*list = append(*list, Candidate{Move: m, Best: math.Inf(-1)})
	return &(*list)[len(*list)-1]
}

// Observe only counts the decision. It does not change the weights.
func (s *standing) Observe([]Ballot, *Decision) { s.decision++ }

// Additive returns true, because a candidate's value is the sum of its backers' weights.
func (s *standing) Additive() bool { return true }

// Weights returns the members' weights. If the key placebo is set, Weights assigns the weights to the members at
// random. A run with placebo tests whether it matters which member has which weight.
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
		j := int(Mix(key, uint64(i)) % uint64(i+1))
		out[i], out[j] = out[j], out[i]
	}
	return out
}

// fade moves all weights towards the initial weight by the factor Decay.
func (s *standing) fade() {
	for i, w := range s.weights {
		s.weights[i] = s.spec.Initial + (w-s.spec.Initial)*s.spec.Decay
	}
}

// raise adds 1 to a member's weight, up to the cap.
func (s *standing) raise(member int) {
	s.weights[member]++
	if s.spec.Cap > 0 {
		s.weights[member] = min(s.weights[member], s.spec.Cap)
	}
}

// skips reports whether a decision changes no weight, because it was not made by vote and the key overrides
// is "skip".
func (s *standing) skips(d *Decision) bool {
	return s.spec.Overrides != "count" && !d.byVote()
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
	Pessimistic = "pessimistic" // the member with the worst evaluation
	Borda       = "borda"       // points by rank in the MultiPV lists
	LinearPool  = "linear_pool" // mean of the win probabilities in the MultiPV lists
	LogPool     = "log_pool"    // mean of the log odds of winning in the MultiPV lists
)

// kind is a row of the table of rules. The row and the rule's own file contain everything about the rule in
// this package.
type kind struct {
	name  string
	begin func(standing) Rule // the rule before its first game
	keys  []string            // keys of Spec, in the order of its fields
	lists bool                // the rule reads MultiPV lists; without lists it votes almost as simple majority
}

// kinds returns the table of rules, in the order in which help texts list them.
func kinds() []kind {
	growing := []string{"initial", "tally", "reset", "overrides", "decay", "cap", "placebo"}
	pooling := []string{"weights", "impute", "min_depth"}
	return []kind{
		{name: Majority, begin: newMajority},
		{name: Adoption, begin: newAdoption,
			keys: append([]string{"reward", "order", "book", "absent", "ponder"}, growing...)},
		{name: Evaluation, begin: newEvaluation,
			keys: append([]string{"mode", "searched", "window", "max", "scale", "apply"}, growing...)},
		{name: Weighted, begin: newMajority, keys: []string{"weights"}},
		{name: Optimistic, begin: valuedBy(byScore)},
		{name: Pessimistic, begin: valuedBy(byScore)},
		{name: Borda, begin: valuedBy(borda), keys: []string{"weights", "min_depth"}, lists: true},
		{name: LinearPool, begin: valuedBy(pool), keys: pooling, lists: true},
		{name: LogPool, begin: valuedBy(pool), keys: pooling, lists: true},
	}
}

// kindOf returns the row of a rule by its name, and whether there is such a rule.
func kindOf(name string) (kind, bool) {
	return lists.Find(kinds(), func(k kind) bool { return k.name == name })
}

// RuleNames returns the names of all rules.
func RuleNames() []string {
	return lists.Map(kinds(), func(k kind) string { return k.name })
}

// ReadsLists reports whether the rule uses the MultiPV lists of the members. If members send only one line,
// such a rule decides almost like simple majority.
func (s *Spec) ReadsLists() bool {
	k, _ := kindOf(s.Name)
	return k.lists
}
