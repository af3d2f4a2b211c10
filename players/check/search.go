package check

import (
	"context"
	"strings"
	"time"

	"gogi/configs/advice"
	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/match"
	"gogi/usi"
)

// A goKind is one kind of search: the go command, and the expected behaviour.
type goKind struct {
	name  string
	with  usi.Go
	until time.Duration // when gogi sends stop
	limit time.Duration // time on the clock; 0: no clock
	least time.Duration // least sensible time; an engine that uses less wastes its clock
	core  bool          // defined by USI; the others are extensions
	slow  bool
}

// goKinds returns the kinds of search that gogi uses. The times are as short as possible, but longer than an
// engine's overhead. gogi sends stop after overrun.
func goKinds(overrun time.Duration) []goKind {
	const (
		short = 500 * time.Millisecond
		main  = 3 * short
		worth = short / 5
	)
	clock := usi.Go{Clock: true, BTime: main, WTime: main}
	byoyomi, both, fischer := usi.Go{Clock: true}, clock, clock
	byoyomi.UseByoyomi, byoyomi.Byoyomi = true, short
	both.UseByoyomi, both.Byoyomi = true, short
	fischer.UseInc, fischer.BInc, fischer.WInc = true, short, short
	return []goKind{
		{name: "nodes", with: usi.Go{Nodes: 10_000}, until: 10 * time.Second},
		{name: "depth", with: usi.Go{Depth: 5}, until: 10 * time.Second},
		{name: "movetime", with: usi.Go{MoveTime: short}, limit: short, least: worth, until: short + overrun},
		{name: "byoyomi", with: byoyomi, limit: short, least: worth, until: short + overrun, core: true},
		{name: "main_and_byoyomi", with: both, limit: main + short, least: worth, until: main + short + overrun, core: true,
			slow: true},
		{name: "increment", with: fischer, limit: main + short, least: worth, until: main + short + overrun, slow: true},
		{name: "infinite", with: usi.Go{Infinite: true}, until: short, core: true},
	}
}

// failure returns the verdict if the engine fails a search of this kind.
func (k goKind) failure() Verdict {
	if k.core {
		return Fail
	}
	return Warn
}

func checkGo(ctx context.Context, s *subject, k goKind, f *Finding) {
	position := middlegame()
	reply, err := s.think(ctx, usi.Request{Position: position, Go: k.with, Deadline: k.until})
	if err != nil {
		s.charge(f, k.failure(), err, i18n.Verbatim(k.with.String()))
		return
	}
	if v, wrong := s.judge(position, reply); !wrong.IsZero() {
		f.add(v, "%s", wrong)
	}
	if k.with.Nodes > 0 {
		s.nodes = reply.Nodes
	}
	s.measure(reply, k, f)
	s.checkSettled(ctx, f)
	if f.Verdict < Fail && reply.Stopped == k.with.Infinite {
		s.understood = append(s.understood, k)
	}
}

// measure checks the time and the nodes of a search against its limit.
func (s *subject) measure(r usi.Reply, k goKind, f *Finding) {
	switch {
	case k.with.Infinite:
		s.measureStop(r, k.until, f)
	case r.Stopped:
		f.add(k.failure(), "does not end by itself: stopped after %s", format.Span(k.until))
		s.noteBusy(f, k.until)
	case k.with.Nodes > 0:
		measureNodes(r, k.with.Nodes, f)
	case k.with.Depth > 0 && r.Best().Depth > 0 && r.Best().Depth != k.with.Depth:
		f.add(Warn, "depth %d in %s, where %d was asked for", r.Best().Depth, format.Span(r.Elapsed), k.with.Depth)
	case k.with.Depth > 0:
		f.add(Pass, "depth %d in %s", r.Best().Depth, format.Span(r.Elapsed))
	default:
		s.measureTime(r, k, f)
	}
}

func measureNodes(r usi.Reply, limit uint64, f *Finding) {
	switch {
	case r.Nodes == 0:
		f.add(Warn, "bestmove after %s, but without a number of nodes", format.Span(r.Elapsed))
	case !match.KeepsLimit(float64(r.Nodes), float64(limit)):
		f.add(Warn, "%s nodes in %s, where %s were asked for", format.Count(int(r.Nodes)), format.Span(r.Elapsed),
			format.Count(int(limit)))
	default:
		f.add(Pass, "%s nodes in %s", format.Count(int(r.Nodes)), format.Span(r.Elapsed))
	}
}

func (s *subject) measureTime(r usi.Reply, k goKind, f *Finding) {
	switch {
	case s.late(f, r, k.limit):
	case r.Elapsed < k.least:
		f.add(Warn, "%s of %s: most of its time is unused", format.Span(r.Elapsed), format.Span(k.limit))
		if margins := s.margins(); len(margins) > 0 {
			f.add(Warn, "its options may cause this: %s", strings.Join(margins, ", "))
		}
	default:
		f.add(Pass, "%s of %s", format.Span(r.Elapsed), format.Span(k.limit))
	}
}

// margins returns the options in effect that save time.
func (s *subject) margins() []string {
	var all []match.Option
	for _, o := range s.greeting.Options {
		value := o.Default
		for _, sent := range s.settings {
			if usi.SameOption(sent.Name, o.Name) {
				value = sent.Value
			}
		}
		all = append(all, match.Option{Name: o.Name, Value: value})
	}
	return advice.Margins(all)
}

// noise is the possible error of a measured time. Clocks use whole milliseconds, and an answer passes through
// a pipe.
const noise = time.Millisecond

// late reports whether an answer came after the limit by more than the measuring error (noise). It then adds a
// warning to the finding.
func (s *subject) late(f *Finding, r usi.Reply, limit time.Duration) bool {
	over := r.Elapsed - limit
	if over <= noise {
		return false
	}
	f.add(Warn, "%s of %s: %s too late (a series tolerates %s)", format.Span(r.Elapsed), format.Span(limit),
		format.Span(over), format.Span(match.DefaultMargin))
	s.noteBusy(f, over)
	return true
}

// noteBusy adds a warning if the engine waited for a CPU for half of the time or longer.
func (s *subject) noteBusy(f *Finding, time time.Duration) {
	if s.waited >= time/2 {
		f.add(Warn, "the machine is busy: it waited %s for a CPU", format.Span(s.waited))
	}
}

// prompt is the longest time from "stop" to bestmove that is harmless in a game.
const prompt = 500 * time.Millisecond

// measureStop reports the time from stop to the answer. stopped is the time in the search at which gogi sent
// stop.
func (s *subject) measureStop(r usi.Reply, stopped time.Duration, f *Finding) {
	if !r.Stopped {
		f.add(Warn, "answers after %s, without waiting for stop", format.Span(r.Elapsed))
		return
	}
	late := max(0, r.Elapsed-stopped)
	reportStop(f, late)
	if late > prompt {
		s.noteBusy(f, late)
	}
}

func reportStop(f *Finding, late time.Duration) {
	f.add(Pass, "bestmove %s after stop", format.Span(late))
	if late > prompt {
		f.add(Warn, "in a game it would be killed after %s", format.Span(prompt))
	}
}

// checkStop stops a search with a clock early, and checks that no second answer comes.
func checkStop(ctx context.Context, s *subject, f *Finding) {
	const early, quiet = 300 * time.Millisecond, 200 * time.Millisecond
	search := usi.Go{Clock: true, UseByoyomi: true, Byoyomi: 10 * time.Second}
	position := middlegame()
	reply, err := s.think(ctx, usi.Request{Position: position, Go: search, Deadline: early})
	if err != nil {
		s.charge(f, Fail, err, i18n.Of("%s and stop", search))
		return
	}
	if v, wrong := s.judge(position, reply); !wrong.IsZero() {
		f.add(v, "%s", wrong)
	}
	if reply.Stopped {
		s.measureStop(reply, early, f)
	} else {
		f.add(Pass, "it moved within %s, before it could be stopped", format.Span(reply.Elapsed))
	}
	pause(ctx, quiet)
	s.checkSettled(ctx, f)
}

// checkPonderHit lets the engine ponder for longer than its clock, and then sends ponderhit.
func checkPonderHit(ctx context.Context, s *subject, f *Finding) {
	s.pondering(ctx, f, func(r usi.Request) {
		reply, err := s.think(ctx, r)
		if err != nil {
			s.chargePonder(f, err, i18n.Of("go ponder and ponderhit"))
			return
		}
		if v, wrong := s.judge(r.Position, reply); !wrong.IsZero() {
			f.add(v, "%s", wrong)
		}
		if reply.Stopped {
			s.cannotPonder(f, i18n.Of("no bestmove %s after ponderhit", format.Span(r.Deadline)))
			return
		}
		if !s.late(f, reply, r.Go.Byoyomi) {
			f.add(Pass, "bestmove %s after ponderhit, of %s", format.Span(reply.Elapsed), format.Span(r.Go.Byoyomi))
		}
	})
}

func checkPonderStop(ctx context.Context, s *subject, f *Finding) {
	s.pondering(ctx, f, func(usi.Request) {
		began := time.Now()
		err := s.endAfter(s.engine.GameOver(ctx, usi.Draw))
		if err != nil {
			s.chargePonder(f, err, i18n.Of("go ponder and stop"))
			return
		}
		reportStop(f, time.Since(began))
	})
}

// pondering starts a search on the opponent's time, and calls the function end, which ends the search.
func (s *subject) pondering(ctx context.Context, f *Finding, end func(usi.Request)) {
	const byoyomi = 200 * time.Millisecond
	r := usi.Request{
		Position: middlegame(),
		Go:       usi.Go{Clock: true, UseByoyomi: true, Byoyomi: byoyomi},
		Deadline: byoyomi + s.waits.overrun,
	}
	if err := s.beginPonder(ctx, r); err != nil {
		s.chargePonder(f, err, i18n.Verbatim("go ponder"))
		return
	}
	pause(ctx, 3*byoyomi)
	early := s.engine.Counters().Early
	end(r)
	if s.engine == nil {
		return
	}
	if s.engine.Counters().Early > early {
		s.cannotPonder(f, i18n.Of("answers before it is asked to"))
	}
	s.checkSettled(ctx, f)
	if s.engine == nil {
		return
	}
	if err := s.setPonder(ctx, "false"); err != nil {
		s.charge(f, Fail, err, i18n.Verbatim("setoption"))
	}
}

func (s *subject) beginPonder(ctx context.Context, r usi.Request) error {
	if err := s.ensureReady(ctx); err != nil {
		return err
	}
	if err := s.setPonder(ctx, "true"); err != nil {
		return err
	}
	return s.endAfter(s.engine.Ponder(ctx, r))
}

func (s *subject) setPonder(ctx context.Context, value string) error {
	option, ok := s.offers("USI_Ponder")
	if !ok {
		return nil
	}
	return s.endAfter(s.engine.NewGame(ctx, usi.Game{Options: []usi.Setting{{Name: option.Name, Value: value}}}))
}

// cannotPonder reports that pondering fails. If the engine does not declare USI_Ponder, this is only a
// warning, because such an engine never ponders in a game.
func (s *subject) cannotPonder(f *Finding, how i18n.Message) {
	if s.ponders() {
		f.add(Fail, "%s", how)
		return
	}
	f.add(Warn, "%s", how)
	s.neverPonders(f)
}

// chargePonder does the same as charge, for a fault while the engine ponders.
func (s *subject) chargePonder(f *Finding, err error, at i18n.Message) {
	if s.ponders() {
		s.charge(f, Fail, err, at)
	} else if s.charge(f, Warn, err, at) {
		s.neverPonders(f)
	}
}

func (s *subject) ponders() bool {
	_, ok := s.offers("USI_Ponder")
	return ok
}

func (s *subject) neverPonders(f *Finding) {
	f.add(Warn, "it does not offer USI_Ponder, and gogi sends it only with --ponder")
}
