package terminal

import (
	"cmp"
	"strconv"

	"gogi/ensemble/voting"
	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/match"
)

// votes returns at most limit lines about a council's last move: the rule that decided, and the ballots (votes) of the
// members. A mark shows the ballots for the played move. If there are more ballots than lines, the last line has the
// number of the others. votes returns nil for a player that is not a council.
func (v View) votes(t *match.Thought, limit int) []Line {
	if !voted(t) || limit < 1 {
		return nil
	}
	vote := t.Vote
	lines := []Line{line(Faint, "  "+v.say("votes %s for %s, by %s", cmp.Or(clean(vote.Split), "-"), clean(t.Move), i18n.Of(clean(voting.By(vote.By).Words()))))}
	shown, all := vote.Ballots, len(vote.Ballots)+max(0, vote.Others)
	if len(lines)+all > limit {
		shown = shown[:max(0, min(len(shown), limit-len(lines)-1))]
	}
	for i := range shown {
		lines = append(lines, v.ballot(&shown[i]))
	}
	if more := all - len(shown); more > 0 && len(lines) < limit {
		lines = append(lines, line(Faint, "    "+v.say("and %d more", more)))
	}
	return lines
}

func voted(t *match.Thought) bool { return t != nil && t.Vote != nil }

// ballot returns the line of a member's vote.
func (v View) ballot(b *match.Ballot) Line {
	mark, style := "    ", Plain
	if b.Played {
		mark, style = "  * ", Strong
	}
	choice := clean(b.Move)
	if voting.Kind(b.Kind) != voting.KindMove {
		choice = v.say(clean(voting.Kind(b.Kind).Words()))
	}
	return line(style, mark+pad(format.Name(clean(b.Member)), 16)+" "+pad(choice, 9)+" "+
		padLeft(evaluation(&match.Thought{Score: b.Score}), 7)+" ×"+strconv.FormatFloat(b.Weight, 'g', 3, 64))
}
