package votes

import (
	"slices"

	"gogi/ensemble/voting"
	"gogi/internal/format"
	"gogi/internal/i18n"
)

// examinedReport counts the decisions that the council made after an examination of its leading moves.
type examinedReport struct {
	Decisions int    `json:"decisions"`
	Changed   int    `json:"changed"` // decisions in which the examination replaced the voted move
	Nodes     uint64 `json:"nodes"`   // nodes of the judgements that counted
}

// ponderReport counts the decisions before which the members thought on different replies.
type ponderReport struct {
	Decisions int   `json:"decisions"`
	Replies   int   `json:"replies"` // sum of the numbers of different replies
	Hits      []int `json:"hits"`    // decisions in which the opponent played the most likely reply, the second, …
	Alone     int   `json:"alone"`   // decisions that the members with the hit made alone
}

// addExtras counts the data of a decision that not every council has: equal first answers, an examination, and the
// replies on which the members thought on the opponent's time.
func (c *Council) addExtras(vote *voting.Record) {
	c.addEarly(vote)
	if vote.By == voting.ByExamination {
		if c.Examined == nil {
			c.Examined = &examinedReport{}
		}
		c.Examined.add(vote)
	}
	if len(vote.Pondered) > 0 {
		if c.Pondered == nil {
			c.Pondered = &ponderReport{Hits: []int{}}
		}
		c.Pondered.add(vote)
	}
}

func (r *examinedReport) add(vote *voting.Record) {
	r.Decisions++
	if vote.Vetoed != "" {
		r.Changed++
	}
	for i := range vote.Examined {
		for _, j := range vote.Examined[i].By {
			r.Nodes += j.Nodes
		}
	}
}

func (r *ponderReport) add(vote *voting.Record) {
	r.Decisions++
	if len(vote.Spared) > 0 {
		r.Alone++
	}
	var replies []string
	hit := -1
	for _, p := range vote.Pondered {
		if !slices.Contains(replies, p.Reply) {
			replies = append(replies, p.Reply)
		}
		if slices.Contains(vote.Hits, p.Member) {
			hit = slices.Index(replies, p.Reply)
		}
	}
	r.Replies += len(replies)
	if hit >= 0 {
		r.Hits = append(r.Hits, make([]int, max(0, hit+1-len(r.Hits)))...)
		r.Hits[hit]++
	}
}

func (r *examinedReport) said(voted int) i18n.Message {
	return i18n.Of("%s, %s of the votes; it changed the move in %s of them", decisions(r.Decisions),
		percentOr(format.Finite(float64(r.Decisions)/float64(voted))),
		format.Percent(float64(r.Changed)/float64(r.Decisions)))
}

func (r *ponderReport) said() i18n.Message {
	n := float64(r.Decisions)
	var parts i18n.Row
	for i, hits := range r.Hits {
		parts = append(parts, i18n.Of("reply %d %s", i+1, format.Percent(float64(hits)/n)))
	}
	if len(parts) == 0 {
		parts = append(parts, i18n.Of("no hit"))
	}
	return i18n.Of("%s, %.2f replies on average; hits: %s; decided alone %s", decisions(r.Decisions), float64(r.Replies)/n,
		parts,
		format.Percent(float64(r.Alone)/n))
}
