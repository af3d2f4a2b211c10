package terminal

import (
	"fmt"
	"strings"
	"time"

	"gogi/internal/format"
	"gogi/match"
	"gogi/shogi"
	"gogi/usi"
)

// game is what is known of the shown game beside its board, in at most height lines.
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
	room := height - len(lines) - 2*3
	if voted(b.Thoughts[0]) && voted(b.Thoughts[1]) {
		room /= 2
	}
	for _, c := range []shogi.Colour{shogi.White, shogi.Black} {
		lines = append(lines, v.side(b, c, known && c == mover && b.Outcome == "")...)
		lines = append(lines, v.votes(b.Thoughts[c], room)...)
	}
	return lines
}

// gameTitle is which game it is, and how it ended.
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

// outcome is how a game ended, in words.
func (v View) outcome(b *match.Board) string {
	switch b.Outcome {
	case match.BlackWins.String():
		return v.say("Black won")
	case match.WhiteWins.String():
		return v.say("White won")
	}
	return v.say(clean(format.Words(b.Outcome)))
}

// mover is who is to move.
func mover(b *match.Board) (shogi.Colour, bool) {
	p, err := shogi.ParseSFEN(b.Position)
	return p.Side(), err == nil
}

// side is a player with its clock, what it said last, and how it goes on.
func (v View) side(b *match.Board, c shogi.Colour, moves bool) []Line {
	name, mark, style := b.Black, "  "+pad(v.say("Black"), 6), Blacks
	if c == shogi.White {
		name, mark, style = b.White, "v "+pad(v.say("White"), 6), Whites
	}
	first := Line{{mark, style}, {pad(format.Name(clean(name)), 18), Strong}, {" " + padLeft(clock(b, c), 7), Plain}}
	if moves {
		first = append(first, Span{"  " + v.waits(), Faint})
	}
	said, variation := v.thought(b.Thoughts[c])
	return []Line{first, line(Plain, "  "+said), line(Faint, "  "+variation)}
}

// waits is how long the side to move has had the move.
func (v View) waits() string {
	if v.Waited < 0 {
		return v.say("to move")
	}
	return v.say("thinks %s", format.Duration(v.Waited))
}

// clock is what a side had left after its last move, a dash without a clock.
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

// thought is what a player said with its last move, from its own view.
func (v View) thought(t *match.Thought) (said, variation string) {
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

// evaluation is a score as its player sees it: centipawns, or a mate.
func evaluation(t *match.Thought) string {
	if t == nil || t.Score == nil {
		return "-"
	}
	s := usi.ScoreFromNumber(*t.Score)
	if s.Mate != 0 {
		return s.String()
	}
	return fmt.Sprintf("%+d", s.Value)
}

// short is a count with a unit.
func short(n uint64) string {
	switch {
	case n >= 10_000_000:
		return fmt.Sprintf("%dM", n/1_000_000)
	case n >= 10_000:
		return fmt.Sprintf("%dk", n/1000)
	}
	return fmt.Sprint(n)
}
