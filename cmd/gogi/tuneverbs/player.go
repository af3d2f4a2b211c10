package tuneverbs

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gogi/archive"
	"gogi/faults"
	"gogi/internal/format"
	"gogi/internal/phrases"
	"gogi/internal/usage"
	"gogi/internal/verb"
	"gogi/live"
	"gogi/live/socket"
	"gogi/match"
	"gogi/players"
	"gogi/report"
	"gogi/report/text"
	"gogi/results"
	"gogi/series"
	"gogi/tune"
	"gogi/tuning"
	"gogi/usi/process"
)

// player plays a study's tune and its validations.
type player struct {
	study       *study
	env         *verb.Env
	db          string
	quiet       bool
	json        bool // what comes out is JSON: an object for the tune, one for its validation
	interrupted *verb.Interrupts
	warned      bool
	validates   bool // what it finds is judged in the end
	stopFutile  bool
}

func (p *player) withStore(ctx context.Context, db string, do func(*results.Store) error) error {
	store, err := results.Open(ctx, db)
	if err != nil {
		return err
	}
	return errors.Join(do(store), store.Close())
}

func (p *player) note(line string, args ...any) {
	if !p.quiet {
		fmt.Fprintf(p.env.Err, line+"\n", args...)
	}
}

func (p *player) warn() {
	if p.warned {
		return
	}
	p.warned = true
	for _, w := range p.study.warnings {
		p.note("warning: %v", w)
	}
}

// dryRun prints what would be tuned.
func (p *player) dryRun(ctx context.Context, db string) error {
	store, err := results.OpenExisting(ctx, db)
	if err != nil {
		store = nil // there is none yet
	}
	err = p.study.resolve(ctx, store)
	if store != nil {
		err = errors.Join(err, store.Close())
	}
	if err != nil {
		return err
	}
	p.warn()
	tuning.Describe(p.env.Out, p.study.plan, p.study.tune)
	return nil
}

// tune plays what is missing of the tune.
func (p *player) tune(ctx context.Context, store *results.Store, probe bool) (*tuning.Account, error) {
	p.warn()
	s := p.study
	run, err := store.Begin(ctx, s.plan)
	if different, ok := errors.AsType[*results.DifferentPlan](err); ok {
		return nil, fmt.Errorf("%s: %w\nwhat it has stays as it is; --run gives this tune another name", p.db, different)
	}
	if err != nil {
		return nil, err
	}
	err = p.tuneInto(ctx, store, run, probe)
	if err := errors.Join(err, run.Close()); err != nil {
		return nil, err
	}
	info, err := store.FindRun(ctx, s.plan.Run)
	if err != nil {
		return nil, err
	}
	return tuning.Read(ctx, store, info, tuning.Latest)
}

func (p *player) tuneInto(ctx context.Context, store *results.Store, run *results.Run, probe bool) error {
	s := p.study
	progress := &progress{say: p.note, settings: &s.tune.Settings}
	how := series.Tuning{Forfeit: s.wish.Forfeits(), Learnt: progress.learnt, StopFutile: p.stopFutile}
	if p.validates {
		how.Answered = p.answered(store, run)
	}
	made, err := series.NewTune(ctx, s.plan, run, storedRows(store, run, nil), how)
	if err != nil {
		return err
	}
	if made.Over() {
		return nil
	}
	if made.Stored() == 0 {
		if err := run.Register(ctx, s.base); err != nil { // gogi tune validate RUN needs it, and nothing else
			p.note("warning: %v", err)
		}
	}
	if made.Stored() > 0 {
		p.note("%s: %s of %s pairs are stored", s.plan.Run, format.Count(made.Stored()), format.Count(s.plan.Pairs))
	} else if probe {
		if err := p.probe(ctx); err != nil {
			return err
		}
	}
	return p.session(ctx, s.plan, made)
}

// answered writes a tune's first candidate down as soon as there is one.
func (p *player) answered(store *results.Store, run *results.Run) func(context.Context, tune.State) ([]string, error) {
	return func(ctx context.Context, st tune.State) ([]string, error) {
		t := p.study.tune
		point := t.Settings.Options(tune.Answer(&t.Settings, &st))
		if tuning.Words(point) == tuning.Words(t.Settings.Options(t.Settings.Start())) {
			return nil, nil // there is nothing to validate
		}
		have, err := store.TuneCandidates(ctx, run.ID())
		if err != nil {
			return nil, err
		}
		c := match.TuneCandidate{Blocks: st.Blocks, Point: point, Run: tuning.ValidationRun(p.study.plan.Run, 1)}
		if len(have) > 0 {
			c = have[len(have)-1]
		} else if c, err = run.Propose(ctx, c); err != nil {
			return nil, err
		}
		return tuning.ValidationRuns(t, c.Run), nil
	}
}

// storedRows feeds a series with what is stored of its run; also sees it first.
func storedRows(store *results.Store, run *results.Run, also func([]match.Row) error) series.Stored {
	return func(ctx context.Context, see func([]match.Row) error) error {
		return store.Pairs(ctx, run.ID(), results.Filter{}, func(rows []match.Row) error {
			if also != nil {
				if err := also(rows); err != nil {
					return err
				}
			}
			return see(rows)
		})
	}
}

// session plays a series until it ends.
func (p *player) session(ctx context.Context, plan *match.Plan, s *series.Series) error {
	opener := &players.Opener{Plan: plan, Guard: p.study.opener.Guard, Bound: p.study.opener.Bound, Waiting: func(why phrases.Said) { p.note("warning: %s", why) }}
	opener.Records = faults.Begin(p.db, plan.Run, "")
	config := series.Config{
		Open: opener.Open, Waits: new(process.Self).WorstWait, CPUs: p.study.opener.Bound.Sets(), Room: p.study.opener.Bound.Room, Moves: true,
	}
	if server, err := socket.Listen(socket.Path(p.db, plan.Run), s.Control); err == nil {
		config.Watch = append(config.Watch, func(hub *live.Hub) { server.Serve(hub) })
	} else {
		p.note("warning: gogi ctl and those who watch cannot reach this run: %v", err)
	}
	p.interrupted.Playing(func() phrases.Said { s.Drain(); return phrases.Of("the pairs in play") })
	ending, err := s.Play(ctx, config)
	p.interrupted.Playing(nil)
	if err := opener.Records.Close(); err != nil { // which changes no result
		p.note("warning: %v", err)
	}
	if err != nil {
		return errors.Join(err, ending.Why)
	}
	return ended(ending, p.interrupted.Happened())
}

// progress tells of a tune while it is played, some twenty times in all.
type progress struct {
	say      func(string, ...any)
	settings *tune.Settings
	told     int
	at       time.Time
	futile   bool
}

const progressLines = 20

func (p *progress) learnt(st tune.State) {
	if why := tune.IsFutile(p.settings, &st); why != nil && !p.futile {
		p.futile = true
		p.say("%s", why.Error()+" (--stop-futile ends a tune here)")
	}
	now := st.Pairs * progressLines / p.settings.Pairs
	if now == p.told && time.Since(p.at) < time.Minute {
		return
	}
	p.told, p.at = now, time.Now()
	line := fmt.Sprintf("%s of %s pairs:", format.Count(st.Pairs), format.Count(p.settings.Pairs))
	shown := 0
	for i := range p.settings.Params {
		param := &p.settings.Params[i]
		if param.Unused || param.Kind == tune.Choice {
			continue
		}
		if shown++; shown > 4 {
			line += " …"
			break
		}
		line += fmt.Sprintf(" %s %s", param.Name, param.Text(st.Theta[i]))
	}
	p.say("%s", line)
}

// validate plays what is missing of the newest validation of a tune; another makes a
// further one of the state that the account was asked for.
func (p *player) validate(ctx context.Context, store *results.Store, a *tuning.Account, another bool) error {
	if !a.Done() {
		return usage.Wrap(fmt.Errorf("run %s: %d of %d blocks are learnt: a validation is of a tune that is done", a.Run, a.State.Blocks, a.Plan.Settings.Blocks()))
	}
	candidate, err := p.candidate(ctx, store, a, another)
	if err != nil {
		return err
	}
	s := p.study
	start := s.tune.Settings.Options(s.tune.Settings.Start())
	if tuning.Words(candidate.Point) == tuning.Words(start) {
		return &verb.Exit{Code: inconclusive, Err: errors.New("the tune answers its start: there is nothing to validate")}
	}
	for which := range s.tune.Validations() {
		if err := p.judge(ctx, store, which, candidate); err != nil { // one that is not passed: the claim is of all
			return err
		}
	}
	return nil
}

// judge plays one of the matches that a candidate has to pass.
func (p *player) judge(ctx context.Context, store *results.Store, which int, c match.TuneCandidate) error {
	plan := tuning.Validation(p.study.base, p.study.tune, which, c)
	if err := plan.Check(); err != nil {
		return err
	}
	p.note("validation %d: tuned against start, limits %s, at most %s pairs, Elo %g or %g at α = %.3g, run %s",
		c.Number, plan.Players[0].Limits, format.Count(plan.Pairs), plan.Gate.Elo0, plan.Gate.Elo1, plan.Gate.Alpha, plan.Run)
	judged, err := p.play(ctx, store, plan)
	if err != nil {
		return err
	}
	if p.json {
		err = format.JSON(p.env.Out, judged)
	} else {
		fmt.Fprintln(p.env.Out)
		text.Print(p.env.Out, judged, p.env.Tongue)
	}
	return errors.Join(err, verdict(judged))
}

// verdict is the exit code of a validation.
func verdict(r *report.Report) error {
	if r.Gate == nil {
		return errors.New("the validation has no gate")
	}
	switch r.Gate.Verdict {
	case "pass":
		return nil
	case "fail":
		return &verb.Exit{Code: failed}
	}
	return &verb.Exit{Code: inconclusive}
}

// candidate is the newest of a tune, see tuning.Candidate, told where it is new.
func (p *player) candidate(ctx context.Context, store *results.Store, a *tuning.Account, another bool) (match.TuneCandidate, error) {
	c, proposed, err := tuning.Candidate(ctx, store, p.study.plan, a, another)
	if proposed && !p.json {
		fmt.Fprintf(p.env.Out, "candidate %d, after block %d: %s\n", c.Number, c.Blocks, tuning.Words(c.Point))
	}
	return c, err
}

// play plays what is missing of an ordinary run.
func (p *player) play(ctx context.Context, store *results.Store, plan *match.Plan) (*report.Report, error) {
	run, err := store.Begin(ctx, plan)
	if err != nil {
		return nil, err
	}
	gathered, err := archive.Gather(ctx, store, plan.Run)
	if err != nil {
		return nil, errors.Join(err, run.Close())
	}
	made, err := series.New(ctx, plan, run, storedRows(store, run, gathered.Add))
	if err == nil && !made.Over() {
		err = p.session(ctx, plan, made)
	}
	if err := errors.Join(err, run.Close()); err != nil {
		return nil, err
	}
	return gathered.Finish(ctx, store)
}

// told are the validations of a tune, a line each.
func told(ctx context.Context, store *results.Store, a *tuning.Account) (lines []phrases.Said) {
	for _, c := range a.Candidates {
		for which, run := range tuning.ValidationRuns(a.Plan, c.Run) {
			lines = append(lines, toldOf(ctx, store, c.Number, run, a.Plan.Validations()[which].Pairs))
		}
	}
	if n := len(a.Candidates); n > 1 {
		lines = append(lines, phrases.Of("%d candidates were put forward: the last is judged at α/2^%d", n, n))
	}
	return lines
}

func toldOf(ctx context.Context, store *results.Store, number int, run string, most int) phrases.Said {
	r, err := archive.Report(ctx, store, run)
	if err != nil || r.Gate == nil {
		return phrases.Of("validation %d (%s): not begun", number, run)
	}
	line := phrases.Of("validation %d (%s): %s after %s of at most %s pairs, LLR %s of [%.2f, %.2f]", number, run,
		phrases.Of(r.Gate.Verdict), format.Count(r.Gate.Pairs), format.Count(most), format.Decimal(r.Gate.LLR, 2), r.Gate.Lower, r.Gate.Upper)
	if r.Gate.Verdict == "fail" {
		line = phrases.Of("%s; that is no proof that the start is better", line)
	}
	return line
}
