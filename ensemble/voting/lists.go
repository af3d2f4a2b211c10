package voting

import (
	"math"
	"slices"

	"gogi/shogi"
)

// byScore is the rule that follows one member: the member with the best evaluation (optimistic) or the worst
// (pessimistic). Members without a score take part only if no member has a score.
type byScore struct{ standing }

func newByScore(s standing) Rule { return &byScore{s} }

func (r *byScore) clone() Rule { return &byScore{r.twin()} }

// Additive returns false, because one ballot can decide the vote.
func (r *byScore) Additive() bool { return false }

// Candidates values each move by the score of one backer: the highest score by the optimistic rule, the
// lowest by the pessimistic rule.
func (r *byScore) Candidates(ballots []Ballot) []Candidate {
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
// each list the moves get k, k-1, … points in their order. Moves that are not in the list get no points.
type borda struct{ standing }

func newBorda(s standing) Rule { return &borda{s} }

func (r *borda) clone() Rule { return &borda{r.twin()} }

// Additive returns false, because a ballot gives points to many moves.
func (r *borda) Additive() bool { return false }

// Candidates values each move by its points in all lists, multiplied by the members' weights.
func (r *borda) Candidates(ballots []Ballot) []Candidate {
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

// pool is an opinion pool: the weighted mean, over the members, of each move's win probability (linear) or of
// its log odds (logarithmic).
type pool struct{ standing }

func newPool(s standing) Rule { return &pool{s} }

func (r *pool) clone() Rule { return &pool{r.twin()} }

// Additive returns false, because a ballot changes the values of all candidates.
func (r *pool) Additive() bool { return false }

// Candidates values every listed move. It ignores members without a score. If no member has a score, it
// values each move by the weights of its backers.
func (r *pool) Candidates(ballots []Ballot) []Candidate {
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

func (r *pool) opinion(b *Ballot) (opinion, bool) {
	v := r.voters[b.Member]
	o := opinion{weight: r.weights[b.Member], rest: 1}
	for _, line := range ranking(b, r.spec.MinDepth) {
		if !line.HasScore {
			continue
		}
		p := probability(v.odds(line))
		o.moves, o.chances = append(o.moves, line.Move), append(o.chances, p)
		o.rest = min(o.rest, p)
	}
	// The value is never 0, because a move must stay possible if one member does not list it.
	const least = 1e-6
	o.rest = max(least, o.rest-r.spec.Impute)
	return o, len(o.moves) > 0
}

func (r *pool) mean(opinions []opinion, m shogi.Move) float64 {
	sum, weights := 0.0, 0.0
	for _, o := range opinions {
		p := o.rest
		if i := slices.Index(o.moves, m); i >= 0 {
			p = o.chances[i]
		}
		if r.spec.Name == LogPool {
			p = max(1e-12, min(1-1e-12, p))
			p = math.Log(p) - math.Log1p(-p)
		}
		sum += o.weight * p
		weights += o.weight
	}
	return sum / weights
}
