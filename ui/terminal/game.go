package terminal

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"gogi/ensemble/voting"
	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/match"
	"gogi/shogi"
	"gogi/usi"
)

// game returns the text about the shown game, in at most height lines.
func (v View) game(s match.SlotState, height int) []Line {
	follows := v.say("chosen")
	if v.Follows {
		follows = v.say("follows what happens")
	}
	lines := []Line{{{v.say("slot %s", seatName(Seat{s.Worker, s.Slot})), Strong}, {"  " + follows, Faint}}}
	b := s.Board
	if b == nil {
		return append(lines, line(Faint, v.say("%s, no game yet", v.say(string(s.Phase)))))
	}
	lines = append(lines, line(Plain, v.gameTitle(b)))
	mover, known := mover(b)
	limit := height - len(lines) - 2*3
	if voted(b.Thoughts[0]) && voted(b.Thoughts[1]) {
		limit /= 2
	}
	for _, c := range []shogi.Colour{shogi.White, shogi.Black} {
		lines = append(lines, v.side(b, c, known && c == mover && b.Outcome == "")...)
		lines = append(lines, v.votes(b.Thoughts[c], limit)...)
	}
	return lines
}

// gameTitle returns the number of the game, its ply, its outcome and its opening.
func (v View) gameTitle(b *match.Board) string {
	t := v.say("game %d.%d · ply %d", b.Pair, b.Leg, b.Ply)
	if b.Outcome != "" {
		t += v.say(" · %s (%s)", v.outcome(b), v.fault(b.Termination))
	}
	if b.Opening != "" {
		t += v.say(" · opening %s", clean(b.Opening))
	}
	return t
}

// outcome returns the text of a game's outcome.
func (v View) outcome(b *match.Board) string {
	switch b.Outcome {
	case match.BlackWins.String():
		return v.say("Black won")
	case match.WhiteWins.String():
		return v.say("White won")
	}
	return v.say(clean(format.Words(b.Outcome)))
}

func mover(b *match.Board) (shogi.Colour, bool) {
	p, err := shogi.ParseSFEN(b.Position)
	return p.Side(), err == nil
}

// side returns three lines about a player: its name and clock, its last search data, and its variation. moves means
// that this player is to move; the first line then has its thinking time.
func (v View) side(b *match.Board, c shogi.Colour, moves bool) []Line {
	name, mark, style := b.Black, "  "+pad(v.say("Black"), 6), Blacks
	if c == shogi.White {
		name, mark, style = b.White, "v "+pad(v.say("White"), 6), Whites
	}
	first := Line{{mark, style}, {pad(format.Name(clean(name)), 18), Strong}, {" " + padLeft(clock(b, c), 7), Plain}}
	if moves {
		first = append(first, Span{"  " + v.waits(), Faint})
	}
	search, variation := v.thought(b.Thoughts[c])
	return []Line{first, line(Plain, "  "+search), line(Faint, "  "+variation)}
}

// waits returns the text of the time since the side to move began to think.
func (v View) waits() string {
	if v.Waited < 0 {
		return v.say("to move")
	}
	return v.say("thinks %s", format.Duration(v.Waited))
}

// clock returns the remaining time of a side after its last move, or a dash without a clock.
func clock(b *match.Board, c shogi.Colour) string {
	if len(b.Clocks) != 2 || b.Clocks[c] == nil {
		return "-"
	}
	left := time.Duration(*b.Clocks[c] * float64(time.Millisecond))
	minutes := int(left.Minutes())
	if left < 0 || minutes >= 60 {
		return format.Duration(left)
	}
	return fmt.Sprintf("%d:%02d", minutes, int(left.Seconds())%60)
}

// thought returns the search data of a player's last move, from that player's point of view.
func (v View) thought(t *match.Thought) (search, variation string) {
	if t == nil {
		return "-", ""
	}
	parts := []string{evaluation(t)}
	if t.Depth > 0 {
		parts = append(parts, v.say("depth %d", t.Depth))
	}
	if t.Nodes > 0 {
		parts = append(parts, v.say("%s nodes", short(t.Nodes)))
	}
	if t.TimeMS != nil {
		parts = append(parts, format.Span(time.Duration(*t.TimeMS*float64(time.Millisecond))))
	}
	return strings.Join(parts, " · "), clean(t.PV)
}

// evaluation returns the text of a score from the player's point of view: centipawns or a mate, after ≥ or ≤ if it is a
// bound.
func evaluation(t *match.Thought) string {
	switch {
	case t == nil:
	case t.Score != nil:
		return number(*t.Score)
	case t.AtLeast != nil:
		return "≥ " + number(*t.AtLeast)
	case t.AtMost != nil:
		return "≤ " + number(*t.AtMost)
	}
	return "-"
}

func number(score int) string {
	s := usi.ShownScore(score)
	if s.Mate != 0 {
		return s.String()
	}
	return fmt.Sprintf("%+d", s.Value)
}

// short returns a count in a short form, such as "12k" or "3M".
func short(n uint64) string {
	switch {
	case n >= 10_000_000:
		return fmt.Sprintf("%dM", n/1_000_000)
	case n >= 10_000:
		return fmt.Sprintf("%dk", n/1000)
	}
	return fmt.Sprint(n)
}

// votes returns at most limit lines about a council's last move: the rule that decided, and the ballots (votes) of the
// members. A mark shows the ballots for the played move. If there are more ballots than lines, the last line has the
// number of the others. votes returns nil for a player that is not a council.
func (v View) votes(t *match.Thought, limit int) []Line {
	if !voted(t) || limit < 1 {
		return nil
	}
	vote := t.Vote
	lines := []Line{line(Faint, "  "+
		v.say("votes %s for %s, by %s", cmp.Or(clean(vote.Split), "-"), clean(t.Move),
			i18n.Of(clean(voting.By(vote.By).Words()))))}
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
