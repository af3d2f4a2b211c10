package voting

import (
	"math"
	"slices"

	"gogi/shogi"
)

// valued is a rule that keeps no data between decisions. Its values are no sums of weights, so one ballot can change
// the values of many moves.
type valued struct {
	standing
	value func(*standing, []Ballot) []Candidate
}

// valuedBy returns a function that makes a valued rule. value calculates the values of the moves.
func valuedBy(value func(*standing, []Ballot) []Candidate) func(standing) Rule {
	return func(s standing) Rule { return &valued{s, value} }
}

func (r *valued) clone() Rule { return &valued{r.twin(), r.value} }

// Additive returns false, because a candidate's value is not a sum of weights.
func (r *valued) Additive() bool { return false }

// Candidates returns each move with the value that the rule calculates from the ballots.
func (r *valued) Candidates(ballots []Ballot) []Candidate { return r.value(&r.standing, ballots) }

// byScore is the rule "optimistic", which follows the member with the best evaluation, and the rule "pessimistic",
// which follows the member with the worst. The value of a move is the highest score among its backers (optimistic) or
// the lowest (pessimistic). Members without a score take part only if no member has a score.
func byScore(r *standing, ballots []Ballot) []Candidate {
	list := r.tally(ballots, r.weights)
	for i := range list {
		list[i].Value = list[i].Best
	}
	if r.spec.Name == Optimistic || !slices.ContainsFunc(ballots, func(b Ballot) bool { return b.HasScore }) {
		return list
	}
	for i := range list {
		list[i].Value = math.Inf(-1)
	}
	for i := range ballots {
		if b := &ballots[i]; b.HasScore {
			c := CandidateOf(&list, b.Move)
			c.Value = max(c.Value, -r.voters[b.Member].odds(b.Line))
		}
	}
	return list
}

// borda is a truncated Borda count over the members' MultiPV lists. k is the length of the longest list. In
// each list the moves get k, k-1, … points in their order, multiplied by the member's weight. Moves that are
// not in the list get no points.
func borda(r *standing, ballots []Ballot) []Candidate {
	list := r.tally(ballots, r.weights)
	k := 1
	rankings := make([][]Line, len(ballots))
	for i := range ballots {
		rankings[i] = ranking(&ballots[i], r.spec.MinDepth)
		k = max(k, len(rankings[i]))
	}
	for i := range list {
		list[i].Value = 0
	}
	for i, ranked := range rankings {
		for rank, line := range ranked {
			CandidateOf(&list, line.Move).Value += r.weights[ballots[i].Member] * float64(k-rank)
		}
	}
	return list
}

// ranking returns the moves of a ballot's list, each once, with the voted move first. It leaves out secondary
// lines with a depth below minDepth, because the member hardly searched them.
func ranking(b *Ballot, minDepth int) []Line {
	list := []Line{b.Line}
	for _, line := range b.Ranked {
		known := slices.ContainsFunc(list, func(r Line) bool { return r.Move == line.Move })
		if !known && line.Depth >= minDepth {
			list = append(list, line)
		}
	}
	return list
}

// pool is an opinion pool: the weighted mean, over the members, of each listed move's win probability (linear)
// or of its log odds (logarithmic). It ignores members without a score. If no member has a score, it values
// each move by the weights of its backers.
func pool(r *standing, ballots []Ballot) []Candidate {
	list := r.tally(ballots, r.weights)
	var opinions []opinion
	for i := range ballots {
		if o, ok := r.opinion(&ballots[i]); ok && o.weight > 0 {
			opinions = append(opinions, o)
			for _, m := range o.moves {
				CandidateOf(&list, m)
			}
		}
	}
	if len(opinions) == 0 {
		return list
	}
	for i := range list {
		list[i].Value = r.mean(opinions, list[i].Move)
	}
	return list
}

// opinion is one member's valuation of the moves in its list.
type opinion struct {
	weight  float64
	moves   []shogi.Move
	chances []float64 // win probabilities
	rest    float64   // win probability for a move that is not in the list
}

func (s *standing) opinion(b *Ballot) (opinion, bool) {
	v := s.voters[b.Member]
	o := opinion{weight: s.weights[b.Member], rest: 1}
	for _, line := range ranking(b, s.spec.MinDepth) {
		if !line.HasScore {
			continue
		}
		p := probability(v.odds(line))
		o.moves, o.chances = append(o.moves, line.Move), append(o.chances, p)
		o.rest = min(o.rest, p)
	}
	// The value is never 0, because a move must stay possible if one member does not list it.
	const least = 1e-6
	o.rest = max(least, o.rest-s.spec.Impute)
	return o, len(o.moves) > 0
}

func (s *standing) mean(opinions []opinion, m shogi.Move) float64 {
	sum, weights := 0.0, 0.0
	for _, o := range opinions {
		p := o.rest
		if i := slices.Index(o.moves, m); i >= 0 {
			p = o.chances[i]
		}
		if s.spec.Name == LogPool {
			p = max(1e-12, min(1-1e-12, p))
			p = math.Log(p) - math.Log1p(-p)
		}
		sum += o.weight * p
		weights += o.weight
	}
	return sum / weights
}
