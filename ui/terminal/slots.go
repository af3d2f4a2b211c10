package terminal

import (
	"fmt"
	"slices"

	"gogi/match"
)

// slots lists as many slots as there are lines for, the shown one among them.
func (v View) slots(across, height int) []Line {
	all := v.Now.Slots
	if height < 2 || len(all) == 0 {
		return nil
	}
	shown := v.shown()
	at := slices.IndexFunc(all, func(s match.SlotState) bool { return s.Worker == shown.Worker && s.Slot == shown.Slot })
	room := min(height-1, len(all))
	first := max(0, min(at-room/2, len(all)-room))
	head := v.say("slots")
	if room < len(all) {
		head = v.say("slots %d-%d of %d", first+1, first+room, len(all))
	}
	lines := []Line{{{pad(head, seatRoom(across)+17), Faint}, {v.say("  score clocks"), Faint}}}
	for i, s := range all[first : first+room] {
		lines = append(lines, v.slotLine(s, first+i == at, across))
	}
	return lines
}

// slotLine is a slot in a line.
func (v View) slotLine(s match.SlotState, shown bool, room int) Line {
	style, mark := Plain, " "
	if shown {
		style, mark = Strong, ">"
	}
	text := mark + padLeft(seatName(Seat{s.Worker, s.Slot}), seatRoom(room))
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
	return line(style, text+versus(b, room-width(text)-1))
}

// seatRoom is the width of a slot's name: workers have names where there is room.
func seatRoom(room int) int {
	if room >= 70 {
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

// latest is what was said last.
func latest(b *match.Board) *match.Thought {
	black, white := b.Thoughts[0], b.Thoughts[1]
	if black == nil || white != nil && white.Ply > black.Ply {
		return white
	}
	return black
}

// clocks are Black's and White's, nothing where neither has one.
func clocks(b *match.Board) string {
	if black, white := clock(b, 0), clock(b, 1); black != "-" || white != "-" {
		return black + " " + white
	}
	return ""
}

// versus is Black's name and White's in so many cells.
func versus(b *match.Board, room int) string {
	black, white := clean(b.Black), clean(b.White)
	half := max(1, (room-1)/2)
	black = clip(black, max(half, room-1-width(white)))
	return black + "-" + clip(white, max(half, room-1-width(black)))
}
