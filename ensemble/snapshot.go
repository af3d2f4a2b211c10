package ensemble

import (
	"slices"

	"gogi/ensemble/voting"
	"gogi/shogi"
	"gogi/usi"
)

// asked is the latest request to the members, for Snapshot.
type asked struct {
	question uint64
	position shogi.Position
}

// Snapshot returns the council's answer if it had to answer now. It is the first move of most members'
// variations, with equal numbers the first member's, with the line of the first member that has it. It
// ignores the members' weights, so that it may be called at the same time as Think. A council with this one
// as a member uses it to decide without it.
func (c *Council) Snapshot() usi.Reply {
	a := c.asked.Load()
	if a == nil {
		return usi.Reply{}
	}
	var reply usi.Reply
	var list []voting.Candidate
	var lines []usi.Info // line of each candidate's first backer
	for _, s := range c.runners {
		r, ok := s.snapshot(a.question)
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

// exactLine returns the best line whose score is no bound, if there is one.
func exactLine(r *usi.Reply) usi.Info {
	if len(r.Exact.PV) > 0 {
		return r.Exact
	}
	return r.Best()
}
