package votes

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"gogi/ensemble/voting"
	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/internal/lists"
)

// GameVotes has the votes of one game. gogi votes show --game prints them.
type GameVotes struct {
	Head
	Game     string         `json:"game"`     // the game, as PAIR.LEG
	Councils []*gameCouncil `json:"councils"` // the councils of the game
}

// gameCouncil holds the decisions of one council in a game.
type gameCouncil struct {
	Council   string         `json:"council"`
	Rule      string         `json:"rule"`
	Members   []string       `json:"members"` // names of the members
	Decisions []gameDecision `json:"decisions"`
	game      string
}

type gameDecision struct {
	Ply     int          `json:"ply"`
	Own     int          `json:"own"`    // number of the council's decision in the game, from 1
	Played  string       `json:"played"` // played move
	By      voting.By    `json:"by"`     // what decided, such as vote or book
	Split   string       `json:"split"`  // numbers of votes for each move, the largest first, such as 2-1
	Tie     voting.Tie   `json:"tie,omitempty"`
	Differs bool         `json:"differs_from_plurality"` // the move did not have the most votes
	Vetoed  string       `json:"vetoed,omitempty"`       // move that had won the vote and was vetoed
	Before  []float64    `json:"weights_before"`         // weight of each member before the decision
	After   []float64    `json:"weights_after"`          // weight of each member after the decision
	Votes   []gameBallot `json:"votes"`                  // vote of each member
	// Record is the decision with complete ballots, as one line of a vote log. It has all data to repeat the
	// vote.
	Record *voting.Record `json:"record"`
}

type gameBallot struct {
	Member string      `json:"member"`
	Kind   voting.Kind `json:"kind"`
	Move   string      `json:"move,omitempty"`
}

// NewGame returns the votes of a game. It omits decisions that were taken back.
func NewGame(g *Game) *GameVotes {
	r := &GameVotes{Head: Head{Version: 1}, Game: g.Name}
	for i := range g.Votes {
		v := &g.Votes[i]
		first := v.records[0]
		c := &gameCouncil{Council: v.Council, Rule: first.Rule, Members: first.Members, game: g.Name}
		for _, vote := range v.played() {
			d := gameDecision{
				Ply: vote.Ply, Own: vote.Own, Played: vote.Played, By: vote.By, Split: vote.Split, Tie: vote.Tie,
				Differs: vote.Differs, Vetoed: vote.Vetoed, Before: vote.Before, After: vote.After, Votes: []gameBallot{},
				Record: vote,
			}
			for j := range vote.Ballots {
				b := &vote.Ballots[j]
				d.Votes = append(d.Votes, gameBallot{vote.Members[b.Member], b.Kind, b.Move})
			}
			c.Decisions = append(c.Decisions, d)
		}
		r.Councils = append(r.Councils, c)
	}
	return r
}

// Print writes one table of decisions for each council.
func (r *GameVotes) Print(w io.Writer, in i18n.Language) {
	for _, c := range r.Councils {
		c.print(w, in)
	}
}

// print writes the council's decisions as a table with one row for each decision.
func (c *gameCouncil) print(w io.Writer, in i18n.Language) {
	printHeading(w, i18n.Say(in, "%s · rule %s · game %s · %s", format.Name(c.Council), c.Rule, c.game,
		decisions(len(c.Decisions))))
	header := append(i18n.Heads(in, "ply", "own", "played", "votes", "decided by"), "")
	for i, name := range c.Members {
		header = append(header, strconv.Itoa(i+1))
		fmt.Fprintf(w, "%3d  %s\n", i+1, format.Name(name))
	}
	fmt.Fprintf(w, "\n%s\n\n", i18n.Say(in, "Under the members' numbers are their weights after the decision."))
	t := format.Table(header...)
	columns := append(format.RightAligned(1, 2), format.RightAligned(7, len(header))...)
	t.SetColumnConfigs(append(columns, table.ColumnConfig{Number: 3, Align: text.AlignLeft}))
	for i := range c.Decisions {
		d := &c.Decisions[i]
		row := table.Row{d.Ply, d.Own, d.Played, d.Split, d.reason().In(in), d.remark(in)}
		for _, w := range d.After {
			row = append(row, shortWeight(w))
		}
		t.AppendRow(row)
	}
	format.Render(w, t)
}

// reason returns the cause of the decision, with the tie-break if there was one.
func (d *gameDecision) reason() i18n.Message {
	switch {
	case d.By == voting.ByRule && d.Tie != "":
		return i18n.Of("tie: %s", tieWords(d.Tie))
	case d.By == voting.ByExamination && d.Vetoed != "":
		return i18n.Of("examination of %s, which had won the vote", d.Vetoed)
	case d.By == voting.ByVeto:
		return i18n.Of("veto of %s", d.Vetoed)
	}
	return i18n.Of(d.By.Words())
}

func (d *gameDecision) remark(in i18n.Language) string {
	if d.Differs {
		return i18n.Say(in, "≠ majority")
	}
	return ""
}

// shortWeight returns a weight with at most two decimals.
func shortWeight(w float64) string {
	s := strconv.FormatFloat(w, 'f', 2, 64)
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

// CSV returns the decisions as a table, one row for each. Its last columns have the members' weights after the
// decision. An additional first row has the weights at the start.
func (c *gameCouncil) CSV() (string, error) {
	var b strings.Builder
	w := csv.NewWriter(&b)
	rows := [][]string{append([]string{"own", "ply", "played", "by", "split", "tie"}, c.Members...)}
	for i := range c.Decisions {
		d := &c.Decisions[i]
		if i == 0 {
			rows = append(rows, append([]string{strconv.Itoa(d.Own - 1), "", "", "", "", ""}, exactWeights(d.Before)...))
		}
		row := []string{strconv.Itoa(d.Own), strconv.Itoa(d.Ply), d.Played, string(d.By), d.Split, string(d.Tie)}
		rows = append(rows, append(row, exactWeights(d.After)...))
	}
	for i := range rows {
		rows[i] = format.Cells(rows[i])
	}
	err := w.WriteAll(rows)
	return b.String(), err
}

func exactWeights(weights []float64) []string {
	return lists.Map(weights, func(w float64) string { return strconv.FormatFloat(w, 'g', -1, 64) })
}
