package votes

import (
	"io"
	"strconv"

	"github.com/jedib0t/go-pretty/v6/table"

	"gogi/ensemble/voting"
	"gogi/internal/format"
	"gogi/internal/i18n"
)

// earlyReport estimates the effect of a council that asks the first members first, and the other members only if the
// first answers differ. It is calculated from the recorded ballots. So it shows changed moves, but not their effect
// on the results of games.
type earlyReport struct {
	First     int    `json:"first"`     // number of members, in the order of the council
	Decisions int    `json:"decisions"` // decisions in which every member voted
	Equal     int    `json:"equal"`     // decisions in which the first members gave the same move
	Changed   int    `json:"changed"`   // … and the council chose another move
	Saved     uint64 `json:"saved"`     // nodes of the other members in the Equal decisions
	Nodes     uint64 `json:"nodes"`     // nodes of all members
}

// addEarly adds a decision to c.Firsts: to the report about the first 2 members, about the first 3, and so on.
func (c *Council) addEarly(vote *voting.Record) {
	n := len(vote.Members)
	if len(vote.Ballots) != n || vote.Split == "" {
		return
	}
	for i := range vote.Ballots {
		if vote.Ballots[i].Kind != voting.KindMove || vote.Ballots[i].Member != i {
			return
		}
	}
	if c.Firsts == nil {
		c.Firsts = make([]earlyReport, max(0, n-2))
	}
	equal := true
	for i := 1; i < n-1; i++ {
		e := &c.Firsts[i-1]
		e.First = i + 1
		e.Decisions++
		for j := range vote.Ballots {
			e.Nodes += vote.Ballots[j].Nodes
		}
		if equal = equal && vote.Ballots[i].Move == vote.Ballots[0].Move; !equal {
			continue
		}
		e.Equal++
		if vote.Ballots[0].Move != votedFor(vote) {
			e.Changed++
		}
		for j := i + 1; j < n; j++ {
			e.Saved += vote.Ballots[j].Nodes
		}
	}
}

func (c *Council) printEarly(w io.Writer, in i18n.Language) {
	if len(c.Firsts) == 0 {
		return
	}
	t := format.Table(i18n.Heads(in, "first answers", "equal", "another move", "nodes saved")...)
	for _, e := range c.Firsts {
		of := func(n uint64, all float64) string { return percentOr(format.Finite(float64(n) / all)) }
		decisions := float64(e.Decisions)
		t.AppendRow(table.Row{strconv.Itoa(e.First), of(uint64(e.Equal), decisions), // counts
			of(uint64(e.Changed), decisions), of(e.Saved, float64(e.Nodes))}) // counts
	}
	format.Render(w, t)
}
