package farmcmd

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"gogi/configs"
	"gogi/configs/advice"
	"gogi/configs/openings"
	"gogi/farm/mirror"
	"gogi/internal/fail"
	"gogi/match"
	"gogi/match/tune"
	"gogi/players/planning"
	"gogi/report/tuning"
	"gogi/results"
	"gogi/usi/process"
)

// tunePriority is the default priority of tunes and their validations, so that tests with a verdict come first.
const tunePriority = -1

// farmInflight is the default number of a tune's pairs that may be in play at a time on a farm. At most 1/farmShare
// of the tune's pairs may be in play.
const (
	farmInflight = 1024
	farmShare    = 5
)

// A handedTune is a tune that gogi farm submit reads, to submit the tune itself or its validation.
type handedTune struct {
	*planning.TuneBase
	wish tuning.Request
	tune *tune.Plan
	plan *match.Plan // the tune's games
}

// tunePlan returns the plan of a tune's games. With --validate it returns the plan of the tune's validation match
// instead. The value of --validate is the database into which gogi farm mirror copied the tune.
func (c *SubmitCommand) tunePlan(ctx context.Context, file *configs.File, dir string, guard *process.Guard,
	builds []build) (*match.Plan, []advice.Warning, error) {
	wish, err := file.TakeTune()
	if err != nil {
		return nil, nil, fail.Usage(err)
	}
	h := &handedTune{wish: tuning.Request{TuneSettings: wish, Dir: dir}}
	file.DefaultOpenings(openings.BuiltinFew)
	if h.TuneBase, err = planning.NewTuneBase(ctx, file, dir, guard); err != nil {
		return nil, nil, err
	}
	bothSides := func(name string) string { return strings.TrimRight(name, "+-") } // a tune's players are NAME+ and NAME-
	if h.Plan, err = withBuilds(h.Plan, builds, bothSides); err != nil {
		return nil, nil, err
	}
	if c.Validate != "" {
		plan, err := h.validation(ctx, c.Validate)
		return plan, h.Warnings, err
	}
	h.wish.Inflight = min(farmInflight, h.Plan.Pairs/farmShare)
	err = h.resolve()
	return h.plan, h.Warnings, err
}

func (h *handedTune) resolve() (err error) {
	var warnings []advice.Warning
	if h.tune, warnings, err = h.wish.Resolve(h.Plan, h.Declared()); err == nil {
		h.plan, err = tuning.Play(h.Plan, h.tune)
	}
	h.Warnings = append(h.Warnings, warnings...)
	return fail.Usage(err)
}

// validation returns the next validation match of the finished tune in the database db. It plays the newest
// candidate, a set of tuned values, against the start values. If the database has no candidate, validation first
// stores the tune's final values as one.
func (h *handedTune) validation(ctx context.Context, db string) (plan *match.Plan, err error) {
	store, err := results.Open(ctx, db)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	info, err := store.FindRun(ctx, h.Plan.Run)
	if err != nil {
		return nil, err
	}
	begun, err := tuning.PlanOf(info)
	if err != nil {
		return nil, fail.Usage(err)
	}
	h.wish.Begun(&begun.Settings)
	if err := h.resolve(); err != nil {
		return nil, err
	}
	a, err := tuning.Read(ctx, store, info, tuning.Latest)
	if err != nil {
		return nil, err
	}
	if !a.Done() {
		return nil, wrong("run %s: %d of %d blocks are applied in %s: a validation needs a finished and pulled tune", a.Run,
			a.State.Blocks, a.Plan.Settings.Blocks(), db)
	}
	candidate, _, err := tuning.Candidate(ctx, store, h.plan, a, false)
	if err != nil {
		return nil, err
	}
	which, err := next(ctx, store, tuning.ValidationRuns(h.tune, candidate.Run))
	if err != nil {
		return nil, err
	}
	plan = tuning.Validation(h.Plan, h.tune, which, candidate)
	return plan, plan.Check()
}

// next returns the index in runs of the next validation match of a candidate: the first one that the database does
// not have. The matches are played one after the other, because the first failed match rejects the candidate.
func next(ctx context.Context, store *results.Store, runs []string) (int, error) {
	for i, run := range runs {
		_, err := store.FindRun(ctx, run)
		if _, none := errors.AsType[*results.NoRun](err); none {
			return i, nil
		}
		if err != nil {
			return 0, err
		}
	}
	return 0, wrong("%s: the database already has all matches that judge the candidate: %s", runs[0],
		strings.Join(runs, ", "))
}

// validation returns a line with the command that submits the validation of a tune whose pairs are all copied, or
// "" for any other run.
func validation(m *mirror.Moved, db string) string {
	if !m.Tune || m.Stored < m.Pairs {
		return ""
	}
	return fmt.Sprintf("its validation: gogi farm submit FILE --run %s --validate %s, with the FILE of the tune", m.Run,
		db)
}
