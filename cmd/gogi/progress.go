package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/text"
	"golang.org/x/term"

	"gogi/internal/foreign"
	"gogi/internal/format"
	"gogi/match"
	"gogi/report"
	"gogi/usi"
)

// watch consumes the events of a run until they end: as JSON lines on stdout,
// and as progress on stderr.
func (c *matchCommand) watch(env *environment, plan *match.Plan, before *report.Report, events <-chan match.Event) error {
	p := newProgress(env.err, plan, before)
	if c.Quiet {
		p.every = 0
	}
	ticks, stop := p.ticker()
	defer stop()
	encoder := json.NewEncoder(env.out)
	var failed error
	for {
		select {
		case e, ok := <-events:
			if !ok {
				p.close()
				return failed
			}
			if c.JSON && failed == nil {
				failed = encoder.Encode(e)
			}
			p.event(e)
		case <-ticks:
			p.tick()
		}
	}
}

// progress shows how a run goes: one area that is redrawn on a terminal, plain
// lines elsewhere.
type progress struct {
	w        io.Writer
	terminal *os.File // nil: plain lines
	every    time.Duration
	plan     *match.Plan

	began  time.Time
	done   int // games, those of earlier sessions included
	fresh  int // games of this session
	wins   int // of the first player
	draws  int
	losses int
	faults int
	slots  map[int]*slotView
	lines  int // that the area has now
	drawn  time.Time
	told   int // faults told so far
}

type slotView struct {
	pair, leg, ply int
	black, white   string
	score          string
}

const (
	redraw      = 200 * time.Millisecond
	plainEvery  = 10 * time.Second
	plainRarest = 10 * time.Minute
	toldFaults  = 20 // faults that are printed one by one; all are in the report
	shownSlots  = 8
)

func newProgress(w io.Writer, plan *match.Plan, before *report.Report) *progress {
	p := &progress{w: w, plan: plan, every: plainEvery, began: time.Now(), slots: map[int]*slotView{}}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) { //nolint:gosec // a descriptor is small
		p.terminal, p.every = f, redraw
	}
	a := before.Players[0]
	p.done, p.wins, p.draws, p.losses = before.Games, a.Wins, a.Draws, a.Losses
	return p
}

func (p *progress) ticker() (<-chan time.Time, func()) {
	if p.every == 0 {
		return nil, func() {}
	}
	t := time.NewTicker(p.every)
	return t.C, t.Stop
}

func (p *progress) event(e match.Event) {
	switch e.Type {
	case match.EventGame:
		p.slots[*e.Slot] = &slotView{pair: *e.Pair, leg: *e.Leg, ply: e.Plies, black: e.Black, white: e.White}
	case match.EventMove:
		if s := p.slots[*e.Slot]; s != nil {
			s.ply = e.Ply
			if e.Score != nil {
				s.score = usi.ScoreFromNumber(*e.Score).String()
			}
		}
	case match.EventEnd:
		p.gameEnded(e)
	case match.EventFault:
		p.fault(e)
	case match.EventRun, match.EventPair, match.EventDone:
	}
}

func (p *progress) gameEnded(e match.Event) {
	delete(p.slots, *e.Slot)
	p.done++
	p.fresh++
	a := p.plan.Players[0].Name
	switch {
	case e.Black != a && e.White != a:
	case e.Outcome == match.Draw.String():
		p.draws++
	case (e.Outcome == match.BlackWins.String()) == (e.Black == a):
		p.wins++
	default:
		p.losses++
	}
}

// fault prints the first faults one by one, above the area.
func (p *progress) fault(e match.Event) {
	p.faults++
	if p.every == 0 || p.told == toldFaults {
		return
	}
	p.told++
	where := ""
	if e.Pair != nil {
		where = fmt.Sprintf(" in pair %d", *e.Pair)
	}
	p.clear()
	fmt.Fprintf(p.w, "fault: %s %s%s: %s\n", e.Engine, strings.ReplaceAll(e.Kind, "_", " "), where, foreign.Printable(e.Note, 300))
	if p.told == toldFaults {
		fmt.Fprintln(p.w, "fault: more are counted, and listed in the report")
	}
}

// tick draws; plain lines get rarer as a run gets longer.
func (p *progress) tick() {
	if p.terminal == nil && time.Since(p.drawn) < min(time.Since(p.began)/10, plainRarest) {
		return
	}
	p.drawn = time.Now()
	p.draw()
}

// draw shows the state: the area anew, or one more line.
func (p *progress) draw() {
	if p.terminal == nil {
		fmt.Fprintln(p.w, p.summary())
		return
	}
	lines := append([]string{p.summary()}, p.slotLines()...)
	width, _, err := term.GetSize(int(p.terminal.Fd())) //nolint:gosec // a descriptor is small
	if err != nil || width < 20 {
		width = 80
	}
	p.clear()
	for _, line := range lines {
		fmt.Fprintln(p.w, text.Trim(line, width-1))
	}
	p.lines = len(lines)
}

// clear takes the area off the terminal.
func (p *progress) clear() {
	if p.lines > 0 {
		fmt.Fprintf(p.w, "\x1b[%dA\x1b[J", p.lines)
		p.lines = 0
	}
}

func (p *progress) close() {
	p.clear()
	if p.every == 0 {
		return
	}
	elapsed := time.Since(p.began)
	fmt.Fprintf(p.w, "%s: %d games in %s, %.1f games/s\n\n", p.plan.Run, p.fresh, format.Duration(elapsed), float64(p.fresh)/elapsed.Seconds())
}

// summary has no interval: those that may be looked at during a run are not
// the ones that hold at its end.
func (p *progress) summary() string {
	rate := float64(p.fresh) / time.Since(p.began).Seconds()
	eta := "–"
	if p.fresh > 0 {
		eta = format.Duration(time.Duration(float64(p.plan.Games()-p.done) / rate * float64(time.Second)))
	}
	score := ""
	if n := p.wins + p.draws + p.losses; n > 0 {
		score = fmt.Sprintf("   %s %d–%d–%d (%s)", p.plan.Players[0].Name, p.wins, p.draws, p.losses,
			format.Percent((float64(p.wins)+float64(p.draws)/2)/float64(n)))
	}
	return fmt.Sprintf("%s   %d/%d games   %.1f/s   ETA %s%s   faults %d", p.plan.Run, p.done, p.plan.Games(), rate, eta, score, p.faults)
}

func (p *progress) slotLines() []string {
	var numbers []int
	for n := range p.slots {
		numbers = append(numbers, n)
	}
	slices.Sort(numbers)
	var lines []string
	for _, n := range numbers[:min(len(numbers), shownSlots)] {
		s := p.slots[n]
		lines = append(lines, fmt.Sprintf("  slot %-3d pair %d.%d   %s – %s   ply %-4d %s", n, s.pair, s.leg, s.black, s.white, s.ply, s.score))
	}
	if more := len(numbers) - shownSlots; more > 0 {
		lines = append(lines, fmt.Sprintf("  and %d more", more))
	}
	return lines
}
