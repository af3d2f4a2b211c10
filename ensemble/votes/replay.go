package votes

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"gogi/ensemble/voting"
	"gogi/internal/format"
	"gogi/internal/i18n"
)

// NewReplay returns an empty replay. rules are the rules by which it repeats the votes; without rules it uses
// the rule that each record names. ties is a chain of tie-breaks, or "" for the chain in the record. log is
// the source file of the votes, or "" if the votes come from a database. NewReplay returns an error for
// unknown rules and chains.
func NewReplay(log string, rules []string, ties string) (*Replay, error) {
	r := &Replay{Head: Head{Version: 1, Log: log}, Verifies: len(rules) == 0 && ties == "", Councils: []*replayCouncil{}}
	if ties != "" {
		chain, err := voting.ParseTies(ties)
		if err != nil {
			return nil, fmt.Errorf("--ties: %w", err)
		}
		r.ties = chain
	}
	for _, text := range rules {
		spec, err := voting.ParseSpec(text)
		if err != nil {
			return nil, fmt.Errorf("--rule: %w", err)
		}
		r.rules = append(r.rules, &spec)
	}
	if len(r.rules) == 0 {
		r.rules = []*voting.Spec{nil}
	}
	r.stored = log == ""
	return r, nil
}

// A Replay has the decisions of votes that gogi repeats from recorded ballots, by the same rule or by other
// rules. gogi votes replay prints it.
type Replay struct {
	Head
	Verifies bool             `json:"verifies"` // the replay checks that the rules of the records decide as recorded
	Games    int              `json:"games"`
	Councils []*replayCouncil `json:"councils"`

	rules  []*voting.Spec // an element nil means the rule of each record
	ties   []voting.Tie
	stored bool // games come from a database, in the order of their pairs
}

// replayCouncil is the part of a Replay about one council.
type replayCouncil struct {
	Council string        `json:"council"`
	Rule    string        `json:"rule"` // the rule of the records
	Games   int           `json:"games"`
	Replays []*replayRule `json:"replays"` // repeated votes by rule
}

// replayRule holds one rule's decisions on the recorded ballots. The rule learns from its own decisions.
type replayRule struct {
	Rule      string        `json:"rule"`
	Ties      []string      `json:"ties"` // empty: the chain of each record
	Decisions int           `json:"decisions"`
	Differs   int           `json:"differs"` // number of decisions that differ from the record
	Share     *float64      `json:"share"`   // Differs/Decisions
	Why       string        `json:"why,omitempty"`
	InTies    int           `json:"differs_in_ties"` // differences at decisions whose recorded vote was a tie at the top
	Where     []replayPlace `json:"where"`
	LeftOut   int           `json:"where_left_out"` // number of places that are not listed

	replayer *voting.Replayer
}

// replayPlace is a decision that differs from the recorded decision.
type replayPlace struct {
	Place    string `json:"place"`    // a game and a ply, or a log's line
	Own      int    `json:"own"`      // number of the council's decision in the game, from 1
	Recorded string `json:"recorded"` // recorded move
	Played   string `json:"played"`   // move by the repeated vote
	// only if Replay.Verifies: the first difference between the vote and the record
	What string `json:"what,omitempty"`
}

// keptPlaces is the maximum length of replayRule.Where. shownPlaces is the maximum number of these places in a printed
// table.
const (
	keptPlaces  = 1000
	shownPlaces = 20
)

// Add repeats the votes of a game with every rule. If a council's weights last between games, the caller must add its
// games in the order of play. If a vote cannot be repeated from its record, Add stops and returns an error with the
// place of the record.
func (r *Replay) Add(g *Game) error {
	r.Games++
	for i := range g.Votes {
		if err := r.addCouncil(&g.Votes[i]); err != nil {
			return err
		}
	}
	return nil
}

func (r *Replay) addCouncil(v *Votes) error {
	first := v.records[0]
	is := func(c *replayCouncil) bool { return c.Council == v.Council && c.Rule == first.Rule }
	c := *rowOf(&r.Councils, is, r.council(v.Council, first.Rule))
	c.Games++
	for _, x := range c.Replays {
		if x.Why != "" {
			continue
		}
		for j, vote := range v.records {
			if err := x.next(vote, v.places[j], r.Verifies); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *Replay) council(name, rule string) *replayCouncil {
	c := &replayCouncil{Council: name, Rule: rule}
	for _, spec := range r.rules {
		x := &replayRule{Rule: rule, Ties: []string{}, Where: []replayPlace{},
			replayer: &voting.Replayer{Rule: spec, Ties: r.ties}}
		if spec != nil {
			x.Rule = spec.String()
		}
		for _, t := range r.ties {
			x.Ties = append(x.Ties, string(t))
		}
		if recorded, err := voting.ParseSpec(rule); err == nil && spec == nil && r.stored && recorded.Reset == "never" {
			x.Why = "the weights continue from game to game, and a database does not have the order of a council's games"
		}
		c.Replays = append(c.Replays, x)
	}
	return c
}

// next repeats one vote and counts the differences. With verify the replay uses the rule of the record, so everything
// that is calculated again must be equal to the record. Otherwise next compares only the moves that won the vote.
func (x *replayRule) next(vote *voting.Record, place string, verify bool) error {
	v, err := x.replayer.Next(vote)
	if err != nil {
		return fmt.Errorf("%s: %w", place, err)
	}
	x.Decisions++
	p := replayPlace{Place: place, Own: vote.Own, Recorded: votedFor(vote), Played: v.Decision.Word()}
	if verify {
		p.Recorded = vote.Played
		if p.What = v.Differs(vote); p.What == "" {
			return nil
		}
	} else {
		if v.Decision.Overruled() {
			p.Played = v.Decision.Vetoed.String()
		}
		if p.Played == p.Recorded {
			return nil
		}
	}
	x.Differs++
	if vote.TopTie {
		x.InTies++
	}
	if len(x.Where) == keptPlaces {
		x.LeftOut++
		return nil
	}
	x.Where = append(x.Where, p)
	return nil
}

// Finish calculates the shares of decisions that differ. Call it after all games were added.
func (r *Replay) Finish() {
	for _, c := range r.Councils {
		for _, x := range c.Replays {
			x.Share = format.Finite(float64(x.Differs) / float64(x.Decisions))
		}
	}
}

// Verdict returns an error if the replay used the rules of the records, but some decisions differ from the records.
func (r *Replay) Verdict() error {
	if !r.Verifies {
		return nil
	}
	decisions, differs := 0, 0
	for _, c := range r.Councils {
		decisions, differs = decisions+c.Replays[0].Decisions, differs+c.Replays[0].Differs
	}
	switch {
	case differs > 0:
		return fmt.Errorf("%d of %s are not the recorded ones when the votes are taken again", differs,
			format.NumberOf(decisions, "decision"))
	case decisions == 0:
		return errors.New("no decision could be checked")
	}
	return nil
}

// Print writes the replay as text for a person.
func (r *Replay) Print(w io.Writer, in i18n.Language) {
	for _, c := range r.Councils {
		printHeading(w, i18n.Say(in, "%s · rule %s · votes of %s recomputed", format.Name(c.Council), c.Rule, games(c.Games)))
		if r.Verifies {
			c.Replays[0].printCheck(w, in)
			continue
		}
		c.print(w, in)
	}
}

// printCheck writes whether the rule of the records made the recorded decisions again.
func (x *replayRule) printCheck(w io.Writer, in i18n.Language) {
	switch {
	case x.Why != "":
		fmt.Fprintf(w, "%s\n\n", i18n.Say(in, "not checked: %s", i18n.Of(x.Why)))
		return
	case x.Differs == 0:
		fmt.Fprintf(w, "%s\n\n", i18n.Say(in, "%s: all are the recorded ones, weights included", decisions(x.Decisions)))
		return
	}
	t := format.Table(i18n.Heads(in, "where", "decision", "difference")...)
	t.SetColumnConfigs(format.RightAligned(2, 2))
	for _, p := range x.Where[:min(len(x.Where), shownPlaces)] {
		t.AppendRow(table.Row{p.Place, p.Own, p.What})
	}
	format.Render(w, t)
	x.printMore(w, in)
}

// print writes a table that compares other rules with the recorded decisions.
func (c *replayCouncil) print(w io.Writer, in i18n.Language) {
	t := format.Table(i18n.Heads(in, "rule", "decisions", "another move", "share", "in ties", "in clear votes")...)
	for _, x := range c.Replays {
		t.AppendRow(table.Row{x.name().In(in), format.Count(x.Decisions), format.Count(x.Differs), percentOr(x.Share),
			format.Count(x.InTies), format.Count(x.Differs - x.InTies)})
	}
	format.Render(w, t)
	for _, x := range c.Replays {
		if x.Why != "" {
			fmt.Fprintf(w, "%s\n\n", i18n.Say(in, "%s: %s", x.name(), i18n.Of(x.Why)))
		}
		if len(x.Where) == 0 {
			continue
		}
		t := format.Table(append([]any{i18n.Say(in, "%s plays otherwise in", x.name())},
			i18n.Heads(in, "decision", "recorded", "now")...)...)
		for _, p := range x.Where[:min(len(x.Where), shownPlaces)] {
			t.AppendRow(table.Row{p.Place, p.Own, p.Recorded, p.Played})
		}
		format.Render(w, t)
		x.printMore(w, in)
	}
}

func (x *replayRule) name() i18n.Message {
	if len(x.Ties) == 0 {
		return i18n.Verbatim(x.Rule)
	}
	return i18n.Of("%s, ties by %s", x.Rule, strings.Join(x.Ties, ","))
}

func (x *replayRule) printMore(w io.Writer, in i18n.Language) {
	if more := x.Differs - shownPlaces; more > 0 {
		fmt.Fprintf(w, "%s\n\n", i18n.Say(in, "… and %s more", format.Count(more)))
	}
}
