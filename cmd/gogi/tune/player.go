package tunecmd

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"gogi/cmd/gogi/cli"
	"gogi/cmd/gogi/session"
	"gogi/internal/fail"
	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/match"
	"gogi/match/tune"
	"gogi/players"
	"gogi/report/stored"
	"gogi/report/text"
	"gogi/report/tuning"
	"gogi/results"
	"gogi/runner/crash"
	"gogi/runner/series"
)

type player struct {
	*session.Session

	study      *study
	warned     bool
	validates  bool // a validation follows the tune
	stopFutile bool
}

// note prints a line unless the session is quiet.
func (p *player) note(line string, args ...any) {
	if !p.Quiet {
		fmt.Fprintf(p.Env.Err, line+"\n", args...)
	}
}

func (p *player) warn() {
	if p.warned {
		return
	}
	p.warned = true
	for _, w := range p.study.warnings {
		p.Note(w.Message())
	}
}

func (p *player) dryRun(ctx context.Context) error {
	opened := false
	err := cli.Database{DB: p.DB}.Read(ctx, func(store *results.Store) error {
		opened = true
		return p.study.resolve(ctx, store)
	})
	if !opened { // no database yet
		err = p.study.resolve(ctx, nil)
	}
	if err != nil {
		return err
	}
	p.warn()
	tuning.Describe(p.Env.Out, p.study.plan, p.study.tune)
	return nil
}

func (p *player) opener(plan *match.Plan) *players.Opener {
	return &players.Opener{Plan: plan, Guard: p.Guard, Bound: p.study.opener.Bound, Waiting: p.Note, Warn: p.Note}
}

// transcripts returns the folder for the USI dialogues of a run's engines, or "" if no dialogues are written.
func (p *player) transcripts(plan *match.Plan) string {
	if !p.study.transcript {
		return ""
	}
	return crash.TranscriptDir("", p.DB, plan.Run)
}

func (p *player) tune(ctx context.Context, probe bool) (*tuning.Account, error) {
	p.warn()
	s := p.study
	at := &position{settings: &s.tune.Settings}
	_, err := p.Play(ctx, session.Match{
		Opener: p.opener(s.plan), Transcripts: p.transcripts(s.plan), Rename: "--run gives this tune another name",
		Look: at.look,
		Tune: func(run *results.Run) series.Tuning {
			how := series.Tuning{Forfeit: s.request.Forfeits(), Learnt: at.learnt, StopFutile: p.stopFutile}
			if p.validates {
				how.Answered = p.answered(run)
			}
			return how
		},
		Begin: func(ctx context.Context, run *results.Run, pairs int) error {
			if pairs > 0 {
				p.note("%s: %s of %s pairs are stored", s.plan.Run, format.Count(pairs), format.Count(s.plan.Pairs))
				return nil
			}
			if err := run.Register(ctx, s.base); err != nil { // only gogi tune validate RUN needs it
				p.Note(i18n.Because(err))
			}
			if !probe {
				return nil
			}
			return p.probe(ctx)
		},
	})
	if err != nil {
		return nil, err
	}
	info, err := p.Store.FindRun(ctx, s.plan.Run)
	if err != nil {
		return nil, err
	}
	return tuning.Read(ctx, p.Store, info, tuning.Latest)
}

// answered returns a function that a tune calls when it has final values. The function stores them as a candidate,
// unless the tune already has one, and returns the names of the runs that validate the candidate.
func (p *player) answered(run *results.Run) func(context.Context, tune.State) ([]string, error) {
	return func(ctx context.Context, st tune.State) ([]string, error) {
		t := p.study.tune
		point := t.Settings.Options(tune.Answer(&t.Settings, &st))
		if tuning.Words(point) == tuning.Words(t.Settings.Options(t.Settings.Start())) {
			return nil, nil // the best values are the start values, so there is nothing to validate
		}
		have, err := results.TuneCandidates(ctx, p.Store, run.ID())
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

// position holds the current parameter values of a tune, for the printed progress.
type position struct {
	settings *tune.Settings
	mu       sync.Mutex
	lines    []string
}

func (p *position) look() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.lines
}

func (p *position) learnt(st tune.State) {
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
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lines = []string{line}
}

// validate plays the missing pairs of the matches that validate the newest candidate (a set of tuned values) of a
// tune. If another is true, it first stores the final values in a as a further candidate. The candidate must pass
// every match.
func (p *player) validate(ctx context.Context, a *tuning.Account, another bool) error {
	if !a.Done() {
		return fail.Usage(fmt.Errorf("run %s: %d of %d blocks are learnt: a validation is of a tune that is done", a.Run,
			a.State.Blocks, a.Plan.Settings.Blocks()))
	}
	candidate, err := p.candidate(ctx, a, another)
	if err != nil {
		return err
	}
	s := p.study
	start := s.tune.Settings.Options(s.tune.Settings.Start())
	if tuning.Words(candidate.Point) == tuning.Words(start) {
		return &cli.Exit{Code: cli.GateOpen, Err: errors.New("the tune answers its start: there is nothing to validate")}
	}
	for which := range s.tune.Validations() {
		if err := p.validateOnce(ctx, which, candidate); err != nil { // the candidate must pass every match
			return err
		}
	}
	return nil
}

// validateOnce plays the missing pairs of one of the matches that validate candidate c. The argument which is the
// index of this match. If the candidate does not pass, the error has the exit code of the SPRT decision.
func (p *player) validateOnce(ctx context.Context, which int, c match.TuneCandidate) error {
	plan := tuning.Validation(p.study.base, p.study.tune, which, c)
	if err := plan.Check(); err != nil {
		return err
	}
	p.note("validation %d: tuned against start, limits %s, at most %s pairs, Elo %g or %g at α = %.3g, run %s",
		c.Number, plan.Players[0].Limits, format.Count(plan.Pairs), plan.Gate.Elo0, plan.Gate.Elo1, plan.Gate.Alpha, plan.Run)
	judged, err := p.Play(ctx, session.Match{Opener: p.opener(plan), Transcripts: p.transcripts(plan)})
	if err != nil {
		return err
	}
	if !p.JSON {
		fmt.Fprintln(p.Env.Out)
		text.Summary(p.Env.Out, judged, p.Env.Language, p.DB)
	}
	if judged.Gate == nil {
		return errors.New("the validation has no gate")
	}
	return cli.GateExit(judged.Gate.Verdict)
}

// candidate returns the newest candidate of a tune. If there is none, or if another is true, it first stores the
// final values as a candidate, and prints it. See tuning.Candidate.
func (p *player) candidate(ctx context.Context, a *tuning.Account, another bool) (match.TuneCandidate, error) {
	c, proposed, err := tuning.Candidate(ctx, p.Store, p.study.plan, a, another)
	if proposed && !p.JSON {
		fmt.Fprintf(p.Env.Out, "candidate %d, after block %d: %s\n", c.Number, c.Blocks, tuning.Words(c.Point))
	}
	return c, err
}

func validations(ctx context.Context, store *results.Store, a *tuning.Account) (lines []i18n.Message) {
	for _, c := range a.Candidates {
		for which, run := range tuning.ValidationRuns(a.Plan, c.Run) {
			lines = append(lines, validation(ctx, store, c.Number, run, a.Plan.Validations()[which].Pairs))
		}
	}
	if n := len(a.Candidates); n > 1 {
		lines = append(lines, i18n.Of("%d candidates were put forward: the last is judged at α/2^%d", n, n))
	}
	return lines
}

func validation(ctx context.Context, store *results.Store, number int, run string, most int) i18n.Message {
	r, err := stored.Report(ctx, store, run)
	if err != nil || r.Gate == nil {
		return i18n.Of("validation %d (%s): not begun", number, run)
	}
	line := i18n.Of("validation %d (%s): %s after %s of at most %s pairs, LLR %s of [%.2f, %.2f]", number, run,
		i18n.Of(r.Gate.Verdict), format.Count(r.Gate.Pairs), format.Count(most), format.Decimal(r.Gate.LLR, 2), r.Gate.Lower,
		r.Gate.Upper)
	if r.Gate.Verdict == "fail" {
		line = i18n.Of("%s; that is no proof that the start is better", line)
	}
	return line
}
