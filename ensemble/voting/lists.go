package voting

import (
	"math"
	"slices"

	"gogi/shogi"
)

// byScore follows one member: the one with the best evaluation (optimistic), or with the worst (pessimistic).
// Members without a score take part only if no member has one.
type byScore struct{ standing }

func newByScore(s standing) Rule { return &byScore{s} }

func (r *byScore) clone() Rule { return &byScore{r.twin()} }

// Additive returns false: one ballot can decide.
func (r *byScore) Additive() bool { return false }

// Candidates values each move by its most extreme backer.
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

// borda gives the moves of a member's list of k lines k, k-1, … 1 points, and others none, with k the length
// of the longest list (a truncated Borda count).
type borda struct{ standing }

func newBorda(s standing) Rule { return &borda{s} }

func (r *borda) clone() Rule { return &borda{r.twin()} }

// Additive returns false: a ballot gives points to many moves.
func (r *borda) Additive() bool { return false }

// Candidates adds the points of all lists, times the members' weights.
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

// ranking returns a ballot's list of moves, each once, the vote first. Secondary lines of fewer plies than
// minDepth were hardly read and are left out.
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

// Additive returns false: a ballot moves all candidates.
func (r *pool) Additive() bool { return false }

// Candidates values every listed move, without members that have no score. If no member has one, it counts
// the ballots.
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

// opinion is one member's valuation of the moves that it lists.
type opinion struct {
	weight  float64
	moves   []shogi.Move
	chances []float64 // win probabilities
	rest    float64   // value of a move that it does not list
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
	// Never 0: one member's silence must not rule a move out.
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
