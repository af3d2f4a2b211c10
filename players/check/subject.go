package check

import (
	"context"
	"errors"
	"slices"
	"time"

	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/internal/sanitize"
	"gogi/match"
	"gogi/players"
	"gogi/usi"
)

// A subject is the engine under examination. The items (the single checks of an examination) share one process. After
// a fault the subject has no process, and the next item that needs a process starts one. A fault therefore spoils
// only its own item.
type subject struct {
	opener *players.Opener
	plan   *match.Plan // the plan of the opener
	player match.Player
	waits  waits

	greeting   usi.Greeting  // from the first process
	settings   []usi.Setting // for every process
	understood []goKind      // the kinds of search that worked
	nodes      uint64        // nodes that go nodes 10000 took; 0: unknown
	scores     *scoreLines   // from the item on the evaluation; nil: it did not run

	proc   players.Process // the running process, or nil
	engine *usi.Engine     // the dialogue with proc
	extra  int             // unexpected bestmoves that findings have already reported
	waited time.Duration   // time that the engine's last search waited for a CPU
}

// start starts a new process and waits for usiok.
func (s *subject) start(ctx context.Context) error {
	if err := s.end(); err != nil {
		return err
	}
	proc, err := s.opener.Start(s.player, nil, 0)
	if err != nil {
		return err
	}
	engine, err := usi.Greet(ctx, proc, usi.Config{
		Name:   s.player.Name,
		Limits: usi.Limits{Greeting: s.player.Greeting, Ready: s.player.Ready, Stop: s.waits.stop},
	})
	if err != nil {
		return err
	}
	s.proc, s.engine, s.extra = proc, engine, 0
	return nil
}

// ensureReady starts a process and makes it ready for a game, unless one is running.
func (s *subject) ensureReady(ctx context.Context) error {
	if s.engine != nil {
		return nil
	}
	if err := s.start(ctx); err != nil {
		return err
	}
	err := s.engine.Configure(s.settings)
	if err == nil {
		err = s.engine.NewGame(ctx, usi.Game{})
	}
	return s.endAfter(err)
}

func (s *subject) newGame(ctx context.Context) error {
	return s.endAfter(s.engine.NewGame(ctx, usi.Game{}))
}

// endAfter ends the process if err is not nil, and returns err.
func (s *subject) endAfter(err error) error {
	if err == nil {
		return nil
	}
	s.proc.Kill()
	return errors.Join(err, s.end())
}

func (s *subject) end() error {
	if s.engine == nil {
		return nil
	}
	err := s.engine.Close()
	s.proc, s.engine = nil, nil
	return err
}

// think requests a move, and measures how long the engine waited for a CPU.
func (s *subject) think(ctx context.Context, r usi.Request) (usi.Reply, error) {
	if err := s.ensureReady(ctx); err != nil {
		return usi.Reply{}, &notStarted{err}
	}
	before, _ := s.engine.Waited()
	reply, err := s.engine.Think(ctx, r)
	after, known := s.engine.Waited()
	s.waited = 0
	if known {
		s.waited = max(0, after-before)
	}
	return reply, s.endAfter(err)
}

// settle starts a new game with isready. An engine then sends bestmoves that are still due. extra is the number of
// unexpected bestmoves since the last call.
func (s *subject) settle(ctx context.Context) (extra int, err error) {
	if err := s.newGame(ctx); err != nil {
		return 0, err
	}
	all := s.engine.Counters().Stale
	extra, s.extra = all-s.extra, all
	return extra, nil
}

// checkSettled reports unexpected bestmoves, and an engine that has ended.
func (s *subject) checkSettled(ctx context.Context, f *Finding) {
	extra, err := s.settle(ctx)
	switch {
	case err != nil:
		s.charge(f, Fail, err, i18n.Of("isready after the search"))
	case extra > 0:
		f.add(Fail, "%d bestmoves for one go", extra+1)
	}
}

func (s *subject) offers(name string) (usi.Option, bool) {
	return usi.FindOption(s.greeting.Options, name)
}

// works returns the kind of search with this name. ok is false if the engine did not support this kind.
func (s *subject) works(name string) (goKind, bool) {
	i := slices.IndexFunc(s.understood, func(k goKind) bool { return k.name == name })
	if i < 0 {
		return goKind{}, false
	}
	return s.understood[i], true
}

// swift returns a request for a quick move. It uses the quickest kind of search that worked. It tries the
// kind with stop last, because some engines ignore an early stop.
func (s *subject) swift(p usi.Position) (usi.Request, error) {
	r := usi.Request{Position: p, Deadline: 5 * time.Second}
	const moment = 100 * time.Millisecond
	if _, ok := s.works("nodes"); ok {
		r.Go = usi.Go{Nodes: 2000}
		return r, nil
	}
	if _, ok := s.works("movetime"); ok {
		r.Go = usi.Go{MoveTime: moment / 2}
		return r, nil
	}
	if _, ok := s.works("byoyomi"); ok {
		r.Go = usi.Go{Clock: true, UseByoyomi: true, Byoyomi: moment}
		return r, nil
	}
	if _, ok := s.works("infinite"); ok {
		r.Go, r.Deadline = usi.Go{Infinite: true}, moment
		return r, nil
	}
	return r, errors.New("no kind of search worked")
}

// judge checks an answer. It returns the error, or an empty message if the answer is correct.
func (s *subject) judge(at usi.Position, r usi.Reply) (Verdict, i18n.Message) {
	history, err := at.History()
	if err != nil {
		return Fail, i18n.Because(err)
	}
	p := history.Position()
	switch r.Answer {
	case usi.AnswerMove:
		if err := p.CheckLegal(r.Move); err != nil {
			return Fail, i18n.Of("bestmove %s", err)
		}
	case usi.AnswerWin:
		if d := p.Declaration(s.plan.Rules.Declaration); !d.Win {
			return Fail, i18n.Of("bestmove win: %s", d.Why())
		}
	case usi.AnswerResign:
		if len(p.LegalMoves(nil)) > 0 {
			return Warn, i18n.Of("resigns")
		}
	case usi.AnswerInvalid:
		return Fail, i18n.Of("cannot parse the reply %q", "bestmove "+r.Text)
	}
	return Pass, i18n.Message{}
}

// notStarted is the error of an item that did not run, because its new process was not ready in time.
type notStarted struct{ cause error }

func (e *notStarted) Error() string { return e.cause.Error() }

// Unwrap returns the cause.
func (e *notStarted) Unwrap() error { return e.cause }

// charge adds the error of an item to its finding with the verdict failure. at describes what gogi asked. charge
// returns false, and adds only a warning, if a new process was not ready in time: the machine may be busy, so this
// proves nothing about the engine.
func (s *subject) charge(f *Finding, failure Verdict, err error, at i18n.Message) bool {
	silent, what := silence(err)
	_, early := errors.AsType[*notStarted](err)
	if silent && early {
		f.add(Warn, "not tried: a fresh process was not ready in time (no %s); is the machine busy?", what)
		return false
	}
	f.add(failure, "%s", s.blame(err, at))
	return true
}

// silence reports whether err means that an answer is missing, and describes the missing answer.
func silence(err error) (silent bool, what string) {
	if u, ok := errors.AsType[*unanswered](err); ok {
		return true, u.awaited
	}
	fault, ok := errors.AsType[*usi.Fault](err)
	switch {
	case !ok || fault.Kind == usi.FaultCrash:
		return false, ""
	case fault.Kind == usi.FaultHang:
		return true, "bestmove"
	}
	return fault.Awaiting != "", fault.Awaiting
}

func (s *subject) blame(err error, at i18n.Message) i18n.Message {
	if u, ok := errors.AsType[*unanswered](err); ok {
		return i18n.Of("%s: %s", at, u.message())
	}
	fault, ok := errors.AsType[*usi.Fault](err)
	if !ok {
		return i18n.Of("%s: %s", at, i18n.Because(err))
	}
	if fault.Kind == usi.FaultHang {
		return i18n.Of("hangs on %s: no bestmove, not even %s after stop", at, format.Span(s.waits.stop))
	}
	if fault.Awaiting != "" { // the engine failed before the search
		at = i18n.Of("%s, waiting for %s", at, fault.Awaiting)
	}
	note := sanitize.Printable(fault.Note, 110)
	if fault.Kind == usi.FaultCrash {
		return i18n.Of("aborts on %s: %s", at, note)
	}
	return i18n.Of("fails on %s: %s", at, note)
}

func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
