package terminal

import (
	"fmt"
	"slices"

	"gogi/match"
)

// slots returns at most height lines: a heading, and a range of slots that includes the shown slot. across is the
// width of the list in terminal cells.
func (v View) slots(across, height int) []Line {
	all := v.Now.Slots
	if height < 2 || len(all) == 0 {
		return nil
	}
	shown := v.shown()
	at := slices.IndexFunc(all, func(s match.SlotState) bool { return s.Worker == shown.Worker && s.Slot == shown.Slot })
	n := min(height-1, len(all))
	first := max(0, min(at-n/2, len(all)-n))
	head := v.say("slots")
	if n < len(all) {
		head = v.say("slots %d-%d of %d", first+1, first+n, len(all))
	}
	lines := []Line{{{pad(head, seatWidth(across)+17), Faint}, {v.say("  score clocks"), Faint}}}
	for i, s := range all[first : first+n] {
		lines = append(lines, v.slotLine(s, first+i == at, across))
	}
	return lines
}

// slotLine returns the line of a slot. across is the width of the line in terminal cells. shown means that the board
// of this slot is shown.
func (v View) slotLine(s match.SlotState, shown bool, across int) Line {
	style, mark := Plain, " "
	if shown {
		style, mark = Strong, ">"
	}
	text := mark + padLeft(seatName(Seat{s.Worker, s.Slot}), seatWidth(across))
	b := s.Board
	if b == nil {
		return line(style, text+" "+v.say(string(s.Phase)))
	}
	if s.Phase != match.SlotPlaying {
		if !shown {
			style = Faint
		}
		return line(style, v.say("%s %s after %d.%d", text, pad(v.say(string(s.Phase)), 8), b.Pair, b.Leg))
	}
	text += fmt.Sprintf(" %s %s %s %s ", pad(fmt.Sprintf("%d.%d", b.Pair, b.Leg), 6), pad(v.say("ply %d", b.Ply), 8),
		padLeft(evaluation(latest(b)), 6), pad(clocks(b), 11))
	return line(style, text+versus(b, across-width(text)-1))
}

// seatWidth returns the width of a slot's name. A wide screen shows the names of workers.
func seatWidth(across int) int {
	if across >= 70 {
		return 14
	}
	return 3
}

func seatName(s Seat) string {
	if s.Worker == "" {
		return fmt.Sprint(s.Slot)
	}
	return clean(s.Worker) + "/" + fmt.Sprint(s.Slot)
}

// latest returns the search data of the last move.
func latest(b *match.Board) *match.Thought {
	black, white := b.Thoughts[0], b.Thoughts[1]
	if black == nil || white != nil && white.Ply > black.Ply {
		return white
	}
	return black
}

// clocks returns the clocks of Black and White, or "" without clocks.
func clocks(b *match.Board) string {
	if black, white := clock(b, 0), clock(b, 1); black != "-" || white != "-" {
		return black + " " + white
	}
	return ""
}

// versus returns the names of Black and White in at most cols cells.
func versus(b *match.Board, cols int) string {
	black, white := clean(b.Black), clean(b.White)
	half := max(1, (cols-1)/2)
	black = clip(black, max(half, cols-1-width(white)))
	return black + "-" + clip(white, max(half, cols-1-width(black)))
}
