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

// The least terminal that there is room in.
const (
	LeastWidth  = 80
	LeastHeight = 24
)

// Seat names a slot: workers number theirs for themselves.
type Seat struct {
	Worker string
	Slot   int
}

// View is everything that is shown.
type View struct {
	Run      string
	Now      *match.Snapshot
	Report   *report.Report // of the stored pairs; nil: they were not read yet
	Unread   string         // why they could not be read last time; "": they could
	Chosen   Seat           // whose board is shown
	Follows  bool           // the board changes to the slot that something happens in
	Waited   time.Duration  // since the last move on the board was told; below 0: nobody knows
	Faults   []string       // those that were told while somebody watched, the latest last
	Message  string         // the answer to the last key
	Question bool           // the message asks something
	Language i18n.Language  // that it is told in; "" is English
}

// say is a phrase in the view's language.
func (v View) say(phrase string, args ...any) string { return i18n.Say(v.Language, phrase, args...) }

// Lines draws a view: at most height lines, none wider than width.
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

// small says that there is no room.
func (v View) small(width, height int) []Line {
	var out []Line
	text := v.say("%d × %d cells are too few: gogi watch needs %d × %d. q quits.", width, height, LeastWidth, LeastHeight)
	for _, t := range wrap(text, width, max(1, height)) {
		out = append(out, line(Plain, t))
	}
	return out
}

// middle is the board with its game beside it, then the slots where there is room.
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
		return beside(board, left, append(game, v.slots(right, height-len(game))...))
	}
	game := v.game(shown, height)
	if v.Now.Tune != nil {
		game = append(append(game, nil), v.tune(right/2-1, height-len(game)-1)...)
	} else {
		game = append(game, v.players(height-len(game))...)
	}
	return beside(board, left, beside(game, right/2, v.slots(right-right/2, height)))
}

// leastGame is what the text of a game needs in width, and the list of slots, too.
const leastGame = 46

// leastSlots is what the list of slots has under a game that has much to tell.
const leastSlots = 4

// players are the standings of the stored games in so many lines.
func (v View) players(height int) []Line {
	if v.Report == nil || height < 3 {
		return nil
	}
	lines := []Line{nil, line(Faint, pad(v.say("stored games"), 20)+padLeft(v.say("W-D-L"), 14)+padLeft(v.say("points"), 9))}
	for _, p := range v.Report.Players[:min(len(v.Report.Players), height-2)] {
		lines = append(lines, line(Plain, pad(clean(p.Name), 20)+
			padLeft(fmt.Sprintf("%d-%d-%d", p.Wins, p.Draws, p.Losses), 14)+padLeft(format.Share(p.Points, p.Games), 9)))
	}
	return lines
}

// shown is the slot whose board is shown.
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

// title is the run in a line.
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

// eta is when all pairs are stored at the rate of now, a dash where no more begin.
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
