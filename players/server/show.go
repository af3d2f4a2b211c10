package server

import (
	"fmt"
	"slices"
	"strings"

	"gogi/ensemble/voting"
	"gogi/usi"
)

// These are the values of the option ShowMembers.
const (
	showWinner = "winner" // the vote, the members that have failed, and the line of a member that voted for the move
	showAll    = "all"    // also the answer of each member
	showNone   = "none"   // only the line of a member that voted for the move
)

// show sends info lines about a decision to the GUI. GUIs show the last info line. So that line has the
// variation and the score of one member, and the nodes of all members.
func (s *council) show(send func(usi.Info), record *voting.Record, reply *usi.Reply) {
	members := s.value("ShowMembers")
	if members == showAll {
		for i := range record.Ballots {
			send(usi.Info{Text: ballotLine(record, &record.Ballots[i])})
		}
	}
	if members != showNone {
		s.showFailed(send, record)
		send(usi.Info{Text: voteLine(record)})
	}
	if len(reply.Lines) == 0 {
		return
	}
	shown := s.whole("MultiPV")
	for _, line := range reply.Lines[:min(shown, len(reply.Lines))] {
		if shown > 1 {
			send(line)
		}
	}
	best := reply.Lines[0]
	if shown == 1 {
		best.MultiPV = 0 // the number of the line is not sent
	}
	send(best)
}

// showFailed sends one info line for each member that has failed since the last decision, with the reason. The line is
// not repeated while the member has no vote.
func (s *council) showFailed(send func(usi.Info), record *voting.Record) {
	before := s.missing
	s.missing = nil
	for i := range record.Ballots {
		b := &record.Ballots[i]
		if b.Kind != voting.KindDead {
			continue
		}
		s.missing = append(s.missing, b.Name)
		if !slices.Contains(before, b.Name) {
			send(usi.Info{Text: "the vote lacks " + b.Name + ": " + b.Text})
		}
	}
}

// ballotLine formats one member's answer, such as "[O] b3 7g7f cp 50 depth 14".
func ballotLine(r *voting.Record, b *voting.BallotRecord) string {
	mark := "[X]"
	if b.Move == r.Played && b.Kind == voting.KindMove || string(b.Kind) == r.Played {
		mark = "[O]"
	}
	words := []string{mark, b.Name}
	if b.Kind != voting.KindMove {
		words = append(words, string(b.Kind))
	}
	if b.Move != "" {
		words = append(words, b.Move)
	}
	switch {
	case b.CP != nil:
		words = append(words, fmt.Sprintf("cp %d", *b.CP))
	case b.Mate != "":
		words = append(words, "mate "+b.Mate)
	}
	if b.Depth > 0 {
		words = append(words, fmt.Sprintf("depth %d", b.Depth))
	}
	if b.Text != "" {
		words = append(words, "("+b.Text+")")
	}
	return strings.Join(words, " ")
}

// voteLine formats the counts of a decision, such as "vote 7g7f=4(w12.0) 2g2f=3(w8.0) split 4:3". If
// something other than the voting rule decided, it adds the cause.
func voteLine(r *voting.Record) string {
	words := []string{"vote"}
	for _, c := range r.Counts {
		words = append(words, fmt.Sprintf("%s=%d(w%.1f)", c.Key, c.Value, r.Sums.Get(c.Key)))
	}
	if r.Split != "" {
		words = append(words, "split "+r.Split)
	}
	if r.Tie != "" {
		words = append(words, "tie "+string(r.Tie))
	}
	if r.By != voting.ByRule {
		words = append(words, "by "+string(r.By))
	}
	if r.Vetoed != "" {
		words = append(words, "vetoed "+r.Vetoed)
	}
	if r.Early {
		words = append(words, "early")
	}
	return strings.Join(words, " ")
}
