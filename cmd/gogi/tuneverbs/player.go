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
	made, err := series.NewTune(ctx, s.plan, run, storedRows(store, run, nil), series.Tuning{Forfeit: s.wish.Forfeits(), Learnt: progress.learnt})
	if err != nil {
		return err
	}
	if made.Over() {
		return nil
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
	opener := &players.Opener{Plan: plan, Guard: p.study.opener.Guard, Bound: p.study.opener.Bound}
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
}

const progressLines = 20

func (p *progress) learnt(st tune.State) {
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
	plan := tuning.Validation(s.base, s.tune, candidate.Run, candidate.Number, candidate.Point)
	if err := plan.Check(); err != nil {
		return err
	}
	p.note("validation %d: tuned against start, at most %s pairs, Elo %g or %g at α = %.3g, run %s",
		candidate.Number, format.Count(plan.Pairs), plan.Gate.Elo0, plan.Gate.Elo1, plan.Gate.Alpha, plan.Run)
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

// candidate is the newest of a tune, written down now where there is none, or another is
// asked for.
func (p *player) candidate(ctx context.Context, store *results.Store, a *tuning.Account, another bool) (c match.TuneCandidate, err error) {
	if n := len(a.Candidates); n > 0 && !another {
		return a.Candidates[n-1], nil
	}
	run, err := store.Begin(ctx, p.study.plan)
	if err != nil {
		return c, err
	}
	c, err = run.Propose(ctx, match.TuneCandidate{
		Blocks: a.Asked.Blocks, Point: a.Point(), Run: tuning.ValidationRun(a.Run, len(a.Candidates)+1),
	})
	if err == nil && !p.json {
		fmt.Fprintf(p.env.Out, "candidate %d, after block %d: %s\n", c.Number, c.Blocks, tuning.Words(c.Point))
	}
	return c, errors.Join(err, run.Close())
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
func told(ctx context.Context, store *results.Store, a *tuning.Account) (lines []string) {
	for _, c := range a.Candidates {
		line := fmt.Sprintf("validation %d (%s): ", c.Number, c.Run)
		r, err := archive.Report(ctx, store, c.Run)
		switch {
		case err != nil || r.Gate == nil:
			line += "not begun"
		default:
			line += fmt.Sprintf("%s after %s of at most %s pairs", r.Gate.Verdict, format.Count(r.Gate.Pairs), format.Count(a.Plan.Validate.Pairs))
		}
		lines = append(lines, line)
	}
	return lines
}
