package voting

import (
	"errors"
	"fmt"
	"slices"

	"gogi/shogi"
	"gogi/usi"
)

// An Examination has the members' scores of one candidate of a vote. Each member searched the position after
// the move. A record has the examinations of the leading candidates.
type Examination struct {
	Move  string      `json:"mv"`           // the examined move
	Value float64     `json:"value"`        // mean win probability of the council after the move
	By    []Judgement `json:"by,omitempty"` // empty: the opponent has no legal move, so the move wins
}

// Judgement is one member's score of the position after a candidate.
type Judgement struct {
	Member      int `json:"m"` // index of the member, from 0
	ScoreRecord     // from the council's view, without the bound
	// Proven reports that the member's variation shows the mate to its end.
	Proven bool   `json:"proven,omitempty"`
	Nodes  uint64 `json:"n"`
}

// Examine applies the result of a cross-examination to a vote. It sets each examination's value: the mean of
// the members' win probabilities, weighted by the rule's weights. The move with the highest value wins. If
// several moves have this value, the first one wins. Examine returns an error if the list is empty or has a
// move that no member voted for.
func (c *Session) Examine(p *shogi.Position, ballots []Ballot, d *Decision, list []Examination) error {
	if len(list) == 0 {
		return errors.New("an examination without moves")
	}
	best := 0
	for i := range list {
		list[i].Value = c.judge(list[i].By)
		if CompareSums(list[i].Value, list[best].Value) > 0 {
			best = i
		}
	}
	move, err := shogi.ParseMove(list[best].Move)
	if err != nil {
		return err
	}
	if d.backers(move) == nil {
		return fmt.Errorf("no member voted for %s, which the examination prefers", move)
	}
	if move != d.Move {
		c.Overrule(p, ballots, d, move)
	}
	d.By = ByExamination
	return nil
}

// judge returns the weighted mean of the win probabilities. It returns 1 without judgements. If all weights
// are 0, the judgements count equally.
func (c *Session) judge(list []Judgement) float64 {
	if len(list) == 0 {
		return 1
	}
	weights := c.rule.Weights()
	if !slices.ContainsFunc(list, func(j Judgement) bool { return weights[j.Member] > 0 }) {
		weights = slices.Repeat([]float64{1}, len(weights))
	}
	value, sum := 0.0, 0.0
	for i := range list {
		j := &list[i]
		value += weights[j.Member] * c.voters[j.Member].winning(j)
		sum += weights[j.Member]
	}
	return value / sum
}

// winning returns the council's win probability by a judgement. The member searched as the opponent, so its
// intercept applies to the opponent's score.
func (v Voter) winning(j *Judgement) float64 {
	s, has := j.read()
	return 1 - probability(v.LogOdds(-v.Points(s, has, j.Proven)))
}

// Overruled reports whether a veto or a cross-examination replaced the voted move with another one.
func (d *Decision) Overruled() bool { return d.Vetoed != shogi.NoMove }

// byVote reports whether the voted move was played, with or without an examination.
func (d *Decision) byVote() bool {
	return d.By == ByRule || d.By == ByExamination && !d.Overruled()
}

// examineAgain repeats a recorded examination from its scores, and returns it with the new values.
func (c *Session) examineAgain(p *shogi.Position, ballots []Ballot, d *Decision, rec *Record) ([]Examination, error) {
	if rec.By != ByExamination || d.Answer != usi.AnswerMove || d.By != ByRule {
		return nil, nil
	}
	list := make([]Examination, len(rec.Examined))
	for i := range rec.Examined {
		list[i] = rec.Examined[i]
		for _, j := range list[i].By {
			if _, has := j.read(); !has || j.Member < 0 || j.Member >= len(c.voters) {
				return nil, fmt.Errorf("the examination of %s has a wrong member or no score", list[i].Move)
			}
		}
	}
	return list, c.Examine(p, ballots, d, list)
}
