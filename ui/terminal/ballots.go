package terminal

import (
	"strconv"

	"gogi/ensemble/voting"
	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/match"
)

// votes are at most room lines of how a council came to its last move: what decided, and
// what its members said, the ones for the move that was played with a mark; who has no
// room is counted. None where it was no council's.
func (v View) votes(t *match.Thought, room int) []Line {
	if !voted(t) || room < 1 {
		return nil
	}
	vote := t.Vote
	lines := []Line{line(Faint, "  "+v.say("votes %s for %s, by %s", orDash(clean(vote.Split)), clean(t.Move), i18n.Of(clean(voting.By(vote.By).Words()))))}
	shown, all := vote.Ballots, len(vote.Ballots)+max(0, vote.Others)
	if len(lines)+all > room {
		shown = shown[:max(0, min(len(shown), room-len(lines)-1))]
	}
	for i := range shown {
		lines = append(lines, v.ballot(&shown[i]))
	}
	if more := all - len(shown); more > 0 && len(lines) < room {
		lines = append(lines, line(Faint, "    "+v.say("and %d more", more)))
	}
	return lines
}

func voted(t *match.Thought) bool { return t != nil && t.Vote != nil }

func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

// ballot is a member's vote in a line.
func (v View) ballot(b *match.Ballot) Line {
	mark, style := "    ", Plain
	if b.Played {
		mark, style = "  * ", Strong
	}
	said := clean(b.Move)
	if voting.Kind(b.Kind) != voting.KindMove {
		said = v.say(clean(voting.Kind(b.Kind).Words()))
	}
	return line(style, mark+pad(format.Name(clean(b.Member)), 16)+" "+pad(said, 9)+" "+
		padLeft(evaluation(&match.Thought{Score: b.Score}), 7)+" ×"+strconv.FormatFloat(b.Weight, 'g', 3, 64))
}
