package terminal

import (
	"fmt"
	"strings"
	"time"

	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/match"
	"gogi/report"
)

// These are the minimum sizes of the terminal.
const (
	LeastWidth  = 80
	LeastHeight = 24
)

// Seat identifies a slot. Each worker numbers its own slots.
type Seat struct {
	Worker string
	Slot   int
}

// View is the content of the screen.
type View struct {
	Run      string
	Now      *match.Snapshot
	Report   *report.Report // report of the stored pairs. It is nil before the first reading.
	Unread   string         // the error of the last reading, or "".
	Chosen   Seat           // the slot with the shown board.
	Follows  bool           // the board changes to the slot of the latest event.
	Waited   time.Duration  // the time since the last move on the board. It is below 0 if unknown.
	Faults   []string       // the faults since the start of the watch, the latest last.
	Message  string         // the answer to the last key
	Question bool           // the message is a question
	Language i18n.Language  // "" is English
}

// say translates a phrase.
func (v View) say(phrase string, args ...any) string { return i18n.Say(v.Language, phrase, args...) }

// Lines draws a view with at most height lines of at most width cells.
func Lines(v View, width, height int) []Line {
	if width < LeastWidth || height < LeastHeight {
		return cut(v.small(width, height), width, height)
	}
	top, bottom := v.head(width, max(3, height/6)), v.foot(width, 1+(height-LeastHeight)/8)
	middle := v.middle(width, height-len(top)-len(bottom))
	all := append(top, middle...)
	for len(all) < height-len(bottom) {
		all = append(all, nil)
	}
	return cut(append(all, bottom...), width, height)
}

func cut(lines []Line, width, height int) []Line {
	lines = lines[:max(0, min(len(lines), height))]
	for i := range lines {
		lines[i] = lines[i].fit(width)
	}
	return lines
}

// small returns a message that reports that the terminal is too small.
func (v View) small(width, height int) []Line {
	var out []Line
	text := v.say("%d × %d cells are too few: gogi watch needs %d × %d. q quits.", width, height, LeastWidth, LeastHeight)
	for _, t := range wrap(text, width, max(1, height)) {
		out = append(out, line(Plain, t))
	}
	return out
}

// middle returns the board, the text of its game, and the slots.
func (v View) middle(width, height int) []Line {
	shown, left := v.shown(), boardWidth+2
	grid := height >= gridHeight && width >= gridWidth+2+2*leastGame
	if grid {
		left = gridWidth + 2
	}
	board := v.boardLines(shown.Board, grid)
	right := width - left
	if right < 2*leastGame {
		game := append(v.game(shown, height-leastSlots), nil)
		if v.Now.Tune != nil {
			game = append(v.game(shown, height/2), nil)
			game = append(append(game, v.tune(right, height-len(game)-leastSlots)...), nil)
		}
		return columns(board, left, append(game, v.slots(right, height-len(game))...))
	}
	game := v.game(shown, height)
	if v.Now.Tune != nil {
		game = append(append(game, nil), v.tune(right/2-1, height-len(game)-1)...)
	} else {
		game = append(game, v.players(height-len(game))...)
	}
	return columns(board, left, columns(game, right/2, v.slots(right-right/2, height)))
}

// leastGame is the minimum width of the text of a game, and also of the list of slots.
const leastGame = 46

// leastSlots is the minimum number of lines for the list of slots below a game.
const leastSlots = 4

// players returns the standings of the stored games in at most height lines.
func (v View) players(height int) []Line {
	if v.Report == nil || height < 3 {
		return nil
	}
	lines := []Line{nil, line(Faint,
		pad(v.say("stored games"), 20)+padLeft(v.say("W-D-L"), 14)+padLeft(v.say("points"), 9))}
	for _, p := range v.Report.Players[:min(len(v.Report.Players), height-2)] {
		lines = append(lines, line(Plain, pad(clean(p.Name), 20)+
			padLeft(fmt.Sprintf("%d-%d-%d", p.Wins, p.Draws, p.Losses), 14)+padLeft(format.Share(p.Points, p.Games), 9)))
	}
	return lines
}

// shown returns the slot whose board is shown.
func (v View) shown() match.SlotState {
	for _, s := range v.Now.Slots {
		if (Seat{s.Worker, s.Slot}) == v.Chosen {
			return s
		}
	}
	if len(v.Now.Slots) > 0 {
		return v.Now.Slots[0]
	}
	return match.SlotState{Phase: match.SlotIdle}
}

func (v View) title() string {
	s := v.Now
	parts := []string{clean(v.Run), v.say(phaseOf(s))}
	upTo := ""
	if v.Report != nil {
		upTo = v.Report.UpTo()
	}
	parts = append(parts, v.say("%s of %s%s", format.Count(s.Finished), upTo, i18n.Number{N: s.Pairs, Noun: "pair"}))
	if games, pairs, ok := s.Rate(); ok {
		parts = append(parts, v.rate(games), v.say("ETA %s", eta(s, pairs)))
	}
	parts = append(parts, i18n.Number{N: s.Wanted, Noun: "slot"}.In(v.Language))
	return " " + strings.Join(parts, " · ")
}

func (v View) rate(games float64) string {
	if games >= 60 {
		return v.say("%.1f games/s", games/60)
	}
	return v.say("%.1f games/min", games)
}

// eta returns the time until all pairs are stored at the current rate, or a dash if no more pairs begin.
func eta(s *match.Snapshot, pairs float64) string {
	if pairs <= 0 || s.Phase != match.RunPlaying {
		return "–"
	}
	return format.Duration(time.Duration(float64(s.Pairs-s.Finished) / pairs * float64(time.Minute)))
}

func phaseOf(s *match.Snapshot) string {
	switch {
	case s.Over:
		return i18n.Phrase("over")
	case s.Phase == "":
		return i18n.Phrase("begins")
	}
	return string(s.Phase)
}
