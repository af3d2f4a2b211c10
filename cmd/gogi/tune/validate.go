package tunecmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"gogi/cmd/gogi/cli"
	"gogi/cmd/gogi/session"
	"gogi/configs/identity"
	"gogi/internal/fail"
	"gogi/match"
	"gogi/players"
	"gogi/report/tuning"
	"gogi/results"
	"gogi/usi/process"
)

// ValidateCommand plays the validation of a tune: matches between an engine with the final values and the
// same engine with the start values.
type ValidateCommand struct {
	setup

	Session session.Flags `embed:""`

	At int `default:"-1" placeholder:"BLOCK" help:"Number of the block (tune step) after which the values are validated (default: the last block). Each further validation uses a smaller α."`
}

// Help returns the text below the usage line of --help.
func (*ValidateCommand) Help() string {
	return `The argument is a run (default: the newest tune of the database) or a tune file. gogi plays a
match of the tune's final values against its start values. The SPRT of the match was fixed
before the first game of the tune. Run the same command again to resume it.

Validation j of a tune uses α/2^j, so all validations of a tune together pass a useless
result with probability at most α. The exit codes are those of gogi tune.`
}

// Run plays the missing pairs of the validation.
func (c *ValidateCommand) Run(ctx context.Context, env *cli.Env) error {
	prepare := c.registered
	if c.isFile() {
		prepare = c.prepare
	}
	return c.guarded(ctx, env, &c.Session, false, prepare, func(ctx context.Context, p *player) error {
		if err := p.Open(ctx, p.study.durable); err != nil {
			return err
		}
		if p.study.plan == nil {
			if err := p.study.resolve(ctx, p.Store); err != nil {
				return err
			}
		}
		p.warn()
		info, err := p.Store.FindRun(ctx, p.study.plan.Run)
		if err != nil {
			return err
		}
		a, err := tuning.Read(ctx, p.Store, info, c.At)
		if err != nil {
			return err
		}
		return p.validate(ctx, a, c.At != tuning.Latest)
	})
}

// isFile reports whether the arguments name a tune by a file or by flags. Otherwise they name a stored run.
func (c *ValidateCommand) isFile() bool {
	if len(c.Engine) > 0 {
		return true
	}
	at, err := os.Stat(c.File)
	return err == nil && at.Mode().IsRegular()
}

// registered returns the study of a stored run, with the plan that gogi stored at its start. The engine must
// have the same identity.
func (c *ValidateCommand) registered(ctx context.Context, guard *process.Guard) (*study, error) {
	s := &study{playing: playingOf(c.Durable, c.Transcript)}
	if given := c.Given("run", "concurrency", "durable", "transcript"); len(given) > 0 {
		return nil,
			fail.Usage(fmt.Errorf("%s: the validation of a stored tune uses the settings from the start of the tune; name the tune's file instead of its run", strings.Join(given, ", ")))
	}
	err := c.read(ctx, s)
	if err == nil && c.Concurrency != "" {
		err = c.widen(s.base)
	}
	if err != nil {
		return nil, err
	}
	s.opener = &players.Opener{Plan: s.base, Guard: guard}
	greetings, err := s.opener.GreetAll(ctx)
	if err != nil {
		return nil, err
	}
	if err := identity.VerifyIdentity(s.base, greetings); err != nil {
		return nil, err
	}
	s.declared = greetings[0].Options
	return s, s.fits(greetings)
}

// read reads a stored tune, and the plan of its validation that gogi stored when the tune began.
func (c *ValidateCommand) read(ctx context.Context, s *study) error {
	return withTune(ctx, cli.Stored{Name: c.File, Database: cli.Database{DB: c.DB}},
		func(store *results.Store, info *results.RunInfo) error {
			text, err := store.Registered(ctx, info.ID)
			if err == nil && text == "" {
				err = fail.Usage(fmt.Errorf("run %s: its start did not register the validation; give the tune's file instead of the run", info.Name))
			}
			if err != nil {
				return err
			}
			if s.tune, err = tuning.PlanOf(info); err != nil {
				return err
			}
			if s.base, err = match.DecodePlan([]byte(text)); err != nil {
				return fmt.Errorf("run %s: its registered validation: %w", info.Name, err)
			}
			s.plan, err = tuning.Play(s.base, s.tune)
			return err
		})
}

func (c *ValidateCommand) widen(plan *match.Plan) error {
	n, err := strconv.Atoi(c.Concurrency)
	if err != nil || n < 1 {
		return fail.Usage(errors.New("--concurrency " + strconv.Quote(c.Concurrency) + ": expected a number from 1"))
	}
	plan.Concurrency = n
	return nil
}
