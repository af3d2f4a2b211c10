package session

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jedib0t/go-pretty/v6/text"
	"golang.org/x/term"

	"gogi/cmd/gogi/cli"
	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/internal/lists"
	"gogi/internal/sanitize"
	"gogi/match"
	"gogi/runner/alarms"
	"gogi/runner/events"
	"gogi/ui/words"
	"gogi/usi"
)

// eventLines writes events as JSON lines. After the first failed write it writes no more. It is safe for concurrent
// use.
type eventLines struct {
	encoder *json.Encoder

	mu  sync.Mutex
	err error
}

func (l *eventLines) write(e match.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err == nil {
		l.err = l.encoder.Encode(e)
	}
}

// lineBuffer is the number of events that may wait until they are written as JSON lines. If a worker's run has
// more, the writer misses events.
const lineBuffer = 1 << 13

func (l *eventLines) follow(hub *events.Hub) {
	for {
		s := hub.Subscribe(lineBuffer)
		for e := range s.Events() {
			if e.Type != match.EventState {
				l.write(*e)
			}
		}
		if s.Err() == nil {
			return
		}
	}
}

// failed returns the error of the first failed write, or nil. It does not wait for a blocked write.
func (l *eventLines) failed() error {
	if !l.mu.TryLock() {
		return nil
	}
	defer l.mu.Unlock()
	return l.err
}

// progress prints the progress of a run: a redrawn area on a terminal, plain lines elsewhere.
type progress struct {
	w        io.Writer
	terminal *os.File // nil: print plain lines
	every    time.Duration
	plan     *match.Plan
	hub      *events.Hub     // has the state of the run
	look     func() []string // returns lines with the score, its always-valid interval and the SPRT. It may be nil.
	language i18n.Language
	part     bool // see Match.Part

	mu     sync.Mutex // protects the fields below
	began  time.Time
	lines  int // number of lines of the area
	drawn  time.Time
	faults int      // number of faults printed so far
	shown  []string // the last result of look
}

const (
	redraw      = 200 * time.Millisecond // time between two drawings on a terminal
	plainEvery  = 10 * time.Second       // time between the first two plain lines
	plainRarest = 10 * time.Minute       // longest time between two plain lines
	mostFaults  = 20                     // number of faults printed one by one; the report has all
	shownSlots  = 8
	// least time between two calls of look; it is also at least lookShare times the duration of a call
	lookFirst = 3 * time.Second
	lookShare = 50
)

func newProgress(w io.Writer, plan *match.Plan) *progress {
	p := &progress{w: w, plan: plan, every: plainEvery, began: time.Now()}
	if f := cli.File(w); f != nil && cli.Drawable(f) {
		p.terminal, p.every = f, redraw
	}
	return p
}

// follow prints the progress until the hub closes. If a slow terminal has missed events, follow continues with
// the current state.
func (p *progress) follow(hub *events.Hub) {
	p.hub = hub
	s := hub.SubscribeExcept(match.EventMove, events.DefaultBuffer)
	ticks := time.NewTicker(p.every)
	defer ticks.Stop()
	var looking sync.WaitGroup
	over := make(chan struct{})
	looking.Go(func() { p.keepLooking(over) })
	defer looking.Wait()
	defer close(over)
	for {
		select {
		case e, ok := <-s.Events():
			switch {
			case ok:
				p.event(*e)
			case s.Err() == nil:
				p.close()
				return
			default:
				s = hub.SubscribeExcept(match.EventMove, events.DefaultBuffer)
			}
		case <-ticks.C:
			p.tick()
		}
	}
}

// keepLooking calls look repeatedly, with long pauses, until over is closed.
func (p *progress) keepLooking(over <-chan struct{}) {
	if p.look == nil {
		return
	}
	rest := lookFirst
	for {
		select {
		case <-over:
			return
		case <-time.After(rest):
		}
		began := time.Now()
		lines := p.look()
		rest = max(lookFirst, lookShare*time.Since(began))
		if p.terminal == nil { // plain lines become less frequent
			rest = max(rest, min(time.Since(p.began)/10, plainRarest))
		}
		p.mu.Lock()
		p.shown = lines
		p.mu.Unlock()
	}
}

func (p *progress) event(e match.Event) {
	switch {
	case e.Type == match.EventFault:
		p.fault(e)
	case e.Type == match.EventWarning:
		p.warn(e)
	case e.Type == match.EventControl && p.terminal == nil:
		p.draw()
	}
}

func (p *progress) warn(e match.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
	fmt.Fprintln(p.w, words.Warning(match.WarningGiven{Engine: e.Engine, Kind: e.Kind, Note: e.Note}).In(p.language))
}

func (p *progress) fault(e match.Event) {
	if p.faults == mostFaults {
		return
	}
	p.faults++
	bundle := e.Bundle
	if strings.Contains(e.Note, bundle) {
		bundle = ""
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
	fmt.Fprintln(p.w, words.Fault(e.Kind, e.Engine, e.Pair, e.Note, bundle).In(p.language))
	if p.faults == mostFaults {
		fmt.Fprintln(p.w, words.MoreFaults().In(p.language))
	}
}

// above prints a line above the area. It is safe for concurrent use.
func (p *progress) above(line string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
	fmt.Fprintln(p.w, line)
}

// tick draws the progress if a drawing is due. The longer a run takes, the less frequent are plain lines.
func (p *progress) tick() {
	if p.terminal == nil && time.Since(p.drawn) < min(time.Since(p.began)/10, plainRarest) {
		return
	}
	p.drawn = time.Now()
	p.draw()
}

// draw redraws the area with the current state, or prints one more line.
func (p *progress) draw() {
	now := p.hub.State().State
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.terminal == nil {
		fmt.Fprintln(p.w, strings.Join(append([]string{p.summary(now)}, p.shown...), " · "))
		return
	}
	lines := slices.Concat([]string{strings.Join(append([]string{p.summary(now)}, p.shown...), " · ")}, p.slotLines(now))
	width, _, err := term.GetSize(int(p.terminal.Fd()))
	if err != nil || width < 20 {
		width = 80
	}
	p.clear()
	for _, line := range lines {
		fmt.Fprintln(p.w, text.Trim(line, width-1))
	}
	p.lines = len(lines)
}

func (p *progress) clear() {
	if p.lines > 0 {
		fmt.Fprintf(sanitize.Raw(p.w), "\r\x1b[%dA\x1b[J", p.lines)
		p.lines = 0
	}
}

func (p *progress) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
	if p.part {
		return
	}
	elapsed := time.Since(p.began)
	now := p.hub.State().State
	fmt.Fprintln(p.w, words.Done(p.plan.Run, now.Ended, format.Duration(elapsed),
		float64(now.Ended)/elapsed.Seconds()).In(p.language))
	if now.Mate != nil {
		fmt.Fprintln(p.w, words.Mates(*now.Mate).In(p.language))
	}
	for _, w := range now.Warnings { // printed again, because the user may have missed them
		fmt.Fprintln(p.w, words.Warning(w).In(p.language))
		if w.Kind == alarms.Failing {
			fmt.Fprintln(p.w, "  "+words.Lost(w.Engine, forfeits(now, w.Engine)).In(p.language))
		}
	}
	fmt.Fprintln(p.w)
}

// summary returns the progress and the score in one line. It also counts the games of unfinished pairs. The
// least important words are at the end, because a narrow terminal cuts them.
func (p *progress) summary(now *match.Snapshot) string {
	rate := float64(now.Ended) / time.Since(p.began).Seconds()
	ended := now.Standings.Clone()
	for _, g := range now.Unstored {
		ended.Add([]match.EndedGame{g})
	}
	eta := "–"
	if now.Ended > 0 {
		eta = format.Duration(time.Duration(float64(now.Games-ended.Total()) / rate * float64(time.Second)))
	}
	first, results := p.plan.Players[0].Name, i18n.Message{}
	if len(p.plan.Players) > 2 {
		first, results = "", p.leaders(&ended)
	} else if r := recordOf(&ended, first); len(p.plan.Players) > 1 && r.Wins+r.Draws+r.Losses > 0 {
		results = words.Results(r.Wins, r.Draws, r.Losses,
			(float64(r.Wins)+float64(r.Draws)/2)/float64(r.Wins+r.Draws+r.Losses))
	}
	return words.Summary{
		Run: p.plan.Run, Phase: now.Phase, Ended: ended.Total(), Games: now.Games, First: first, Results: results,
		Rate: rate, Left: eta, Faults: lists.Sum(now.Faults, func(f match.FaultSum) int { return f.Times }),
	}.Line().In(p.language)
}

const shownLeaders = 3

func (p *progress) leaders(ended *match.Standings) i18n.Message {
	type score struct {
		name   string
		points float64
		games  int
	}
	var list []score
	for _, player := range p.plan.Players {
		if r := recordOf(ended, player.Name); r.Wins+r.Draws+r.Losses > 0 {
			list = append(list, score{player.Name, r.Points, r.Wins + r.Draws + r.Losses})
		}
	}
	slices.SortStableFunc(list, func(a, b score) int { return cmp.Compare(b.points, a.points) })
	texts := lists.Map(list[:min(shownLeaders, len(list))], func(s score) string {
		return fmt.Sprintf("%s %s/%d", s.name, format.Points(s.points), s.games)
	})
	if len(list) > shownLeaders {
		texts = append(texts, "…")
	}
	if len(texts) == 0 {
		return i18n.Message{}
	}
	return i18n.Verbatim(strings.Join(texts, "  "))
}

func recordOf(ended *match.Standings, player string) match.Record {
	byColour := ended.Of(player)
	return byColour[0].Plus(byColour[1])
}

// forfeits returns the number of games of this session that the engine lost by its own faults.
func forfeits(now *match.Snapshot, engine string) int {
	n := 0
	for _, f := range now.Faults {
		if f.Player == engine {
			n += f.Forfeits
		}
	}
	return n
}

func (p *progress) slotLines(now *match.Snapshot) []string {
	var lines []string
	playing := 0
	for _, s := range now.Slots {
		if s.Phase != match.SlotPlaying || s.Board == nil {
			continue
		}
		if playing++; playing <= shownSlots {
			b := s.Board
			lines = append(lines, "  "+words.Slot(s.Slot, b, lastScore(b)).In(p.language))
		}
	}
	if more := playing - shownSlots; more > 0 {
		lines = append(lines, "  "+words.More(more).In(p.language))
	}
	return lines
}

// lastScore returns the latest evaluation of either side, from the view of that side.
func lastScore(b *match.Board) string {
	text, ply := "", 0
	for _, t := range b.Thoughts {
		if t != nil && t.Score != nil && t.Ply > ply {
			text, ply = usi.ShownScore(*t.Score).String(), t.Ply
		}
	}
	return text
}
