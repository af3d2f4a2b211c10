package ensemble

import (
	"slices"

	"gogi/ensemble/voting"
	"gogi/usi"
)

// Snapshot returns the answer that the council would give now, while its members still search. Every member
// votes for the first move of its latest variation, and all votes have equal weight. In a tie, the move of
// the earlier member in the list of members wins.
//
// Snapshot uses no weights, so it may be called at the same time as Think. If this council is a member of
// another council, the other council calls Snapshot when it decides before this council answers.
func (c *Council) Snapshot() usi.Reply {
	a := c.asked.Load()
	if a == nil {
		return usi.Reply{}
	}
	var reply usi.Reply
	var list []voting.Candidate
	var lines []usi.Info // line of each candidate's first backer
	for _, s := range c.runners {
		r, ok := s.snapshot(a.question.number)
		if !ok || r.Answer != usi.AnswerMove || a.position.CheckLegal(r.Move) != nil {
			continue
		}
		reply.Nodes += r.Nodes
		if !slices.ContainsFunc(list, func(x voting.Candidate) bool { return x.Move == r.Move }) {
			lines = append(lines, exactLine(&r))
		}
		voting.CandidateOf(&list, r.Move).Value++
	}
	if len(list) == 0 {
		return reply
	}
	best := 0
	for i := range list {
		if list[i].Value > list[best].Value {
			best = i
		}
	}
	reply.Answer, reply.Move, reply.Text = usi.AnswerMove, list[best].Move, list[best].Move.String()
	reply.Lines, reply.Exact = []usi.Info{lines[best]}, lines[best]
	return reply
}

// exactLine returns the best line with an exact score. Without one it returns the best line, whose score is a
// bound.
func exactLine(r *usi.Reply) usi.Info {
	if len(r.Exact.PV) > 0 {
		return r.Exact
	}
	return r.Best()
}
