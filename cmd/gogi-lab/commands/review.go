package labcmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"gogi/cmd/gogi/cli"
	"gogi/configs"
	"gogi/internal/fail"
	"gogi/internal/format"
	"gogi/lab/review"
	"gogi/lab/review/engines"
	"gogi/lab/review/sources"
	"gogi/players"
	"gogi/results"
	"gogi/shogi/kifu"
	"gogi/usi"
	"gogi/usi/process"
)

// ReviewCommand groups the commands for reviews: evaluations of games by an engine.
type ReviewCommand struct {
	Read      ReviewReadCommand       `cmd:"" default:"withargs" help:"Evaluate the moves of games with an engine (default)"`
	Show      ReviewShowCommand       `cmd:"" help:"Print the metrics of each player of a review"`
	Calibrate ReviewCalibrateCommand  `cmd:"" help:"Fit the win rate scale of the engine to the results"`
	Export    ReviewExportCommand     `cmd:"" help:"Write games with the engine's evaluations"`
	Fit       StrengthFitCommand      `cmd:"" help:"Fit a rating model to the metrics of a review"`
	Estimate  StrengthEstimateCommand `cmd:"" help:"Estimate ratings with a fitted model"`
	Validate  StrengthValidateCommand `cmd:"" help:"Measure the error of estimated ratings"`
}

type reviewed struct {
	Files []string `arg:"" optional:"" help:"Game files, folders or archives; - is standard input. Not with --run."`
	Run   string   `placeholder:"NAME" help:"Stored run to read instead of files."`
	DB    string   `name:"db" default:"gogi.db" placeholder:"FILE" help:"With --run: database of the run."`
	Pairs string   `placeholder:"A-B" help:"With --run: only games of pairs A to B, or of one pair."`
	Of    string   `name:"player" placeholder:"NAME" help:"Only games of this player."`
}

func (s *reviewed) check() error {
	if (len(s.Files) > 0) == (s.Run != "") {
		return errors.New("expected either files of games or --run NAME")
	}
	if s.Pairs != "" && s.Run == "" {
		return errors.New("--pairs is about a run: expected --run NAME as well")
	}
	return nil
}

// each calls see for each game in the sources. It prints the rejected games and adds their number to refused.
func (s *reviewed) each(ctx context.Context, env *cli.Env, refused *int,
	see func(*review.Game, *kifu.Record) error) error {
	if s.Run == "" {
		return sources.Files(ctx, s.Files, env.In, refusals(env.Err, refused), func(g *review.Game, r *kifu.Record) error {
			if s.Of != "" && g.Names[0] != s.Of && g.Names[1] != s.Of {
				return nil
			}
			return see(g, r)
		})
	}
	what := results.Search{Player: s.Of}
	if s.Pairs != "" {
		var err error
		if what.Pairs, err = cli.Pairs(s.Pairs); err != nil {
			return fail.Usage(err)
		}
	}
	from := cli.Stored{Name: s.Run, Database: cli.Database{DB: s.DB}}
	return from.With(ctx, func(store *results.Store, info *results.RunInfo) error {
		return sources.Run(ctx, store, info, what, see)
	})
}

func refusals(w io.Writer, count *int) sources.Refused {
	return func(place, why string) {
		*count++
		fmt.Fprintf(w, "refused %s: %s\n", place, why)
	}
}

// ReviewReadCommand evaluates games with an engine.
type ReviewReadCommand struct {
	reviewed

	Engine  string   `placeholder:"CMD" help:"USI engine: a command, split into words as a shell does, or builtin for the built-in engine."`
	Option  []string `sep:"none" placeholder:"NAME=VALUE" help:"Option of the engine; may be repeated."`
	Profile string   `placeholder:"NAME" help:"Preset option values for a family of engines. The only preset is yaneuraou."`
	Dir     string   `placeholder:"DIR" help:"Working folder of the engine (default: the folder of the program)."`

	Nodes     uint64        `placeholder:"N" help:"Number of nodes for each position."`
	Time      time.Duration `placeholder:"DUR" help:"Search time for each position; the result is then not exactly repeatable."`
	Processes int           `default:"1" placeholder:"N" help:"Number of engines at a time (default ${default}); the result does not depend on this number."`
	Out       string        `short:"o" default:"review.jsonl" placeholder:"FILE" help:"File to write; gogi adds missing games to an existing file (default: ${default})."`
	Quiet     bool          `short:"q" help:"Print no progress."`
}

// Run evaluates the games that the review file does not have yet. If games cannot be read, the exit code is
// 3.
func (c *ReviewReadCommand) Run(ctx context.Context, env *cli.Env) error {
	if err := c.check(); err != nil {
		return fail.Usage(err)
	}
	refused := 0
	games, err := c.games(ctx, env, &refused)
	if err != nil {
		return err
	}
	return cli.WithGuard(ctx, env, func(ctx context.Context, guard *process.Guard, _ *cli.Interrupts) error {
		v := &review.Review{Games: games, Processes: c.Processes, Progress: c.progress(env)}
		var s review.Settings
		var err error
		if s, v.Open, err = c.open(&players.Opener{Guard: guard, Warn: env.Warn}); err != nil {
			return err
		}
		return c.into(ctx, env, v, s, refused)
	})
}

func (c *ReviewReadCommand) check() error {
	if err := c.reviewed.check(); err != nil {
		return err
	}
	switch {
	case c.Engine == "":
		return errors.New("expected --engine CMD")
	case (c.Nodes > 0) == (c.Time > 0), c.Time < 0:
		return errors.New("expected --nodes N or --time DUR: one of them limits each search")
	case c.Processes < 1:
		return errors.New("--processes: expected more than 0")
	}
	return nil
}

// games reads all games into memory, because the progress needs their number. It counts rejected games in
// refused.
func (c *ReviewReadCommand) games(ctx context.Context, env *cli.Env, refused *int) (list []*review.Game, err error) {
	err = c.each(ctx, env, refused, func(g *review.Game, _ *kifu.Record) error {
		list = append(list, g)
		return nil
	})
	if err == nil && len(list) == 0 {
		err = errors.New("there is no game to review")
	}
	return list, err
}

// open sets the plan of the opener o, with the engine as its only player. s has the settings that determine the
// engine's evaluations. The result open starts one process of the engine.
func (c *ReviewReadCommand) open(o *players.Opener) (s review.Settings,
	open func(context.Context) (review.Engine, error), err error) {
	limits, say := configs.Limits{}, usi.Go{Nodes: c.Nodes, MoveTime: c.Time}
	if c.Nodes > 0 {
		limits.Nodes = &c.Nodes
	} else {
		limits.MoveTime = &c.Time
	}
	e := configs.Engine{Name: "reviewer", Cmd: c.Engine, Dir: c.Dir, Profile: c.Profile}
	plan, err := cli.PlanEngine("review", e, c.Option, limits)
	if err != nil {
		return s, nil, fail.Usage(err)
	}
	o.Plan = plan
	s = review.Settings{
		Engine: strings.Join(append([]string{filepath.Base(plan.Players[0].Command[0])}, plan.Players[0].Command[1:]...),
			" "),
		Identity: plan.Players[0].Identity.Reference(), Options: strings.Join(c.Option, " "),
		Limit: say.String()[len("go "):], Unit: review.Centipawns,
	}
	if plan.Players[0].Builtin {
		s.Engine = "builtin"
	}
	return s, func(ctx context.Context) (review.Engine, error) { return engines.OpenUSI(ctx, o, say) }, nil
}

// into writes the evaluations to the file and prints a summary. refused is the number of games that could not be
// read.
func (c *ReviewReadCommand) into(ctx context.Context, env *cli.Env, v *review.Review, s review.Settings,
	refused int) error {
	log, err := review.OpenLog(c.Out, s)
	if err != nil {
		return err
	}
	v.Log = log
	done, err := v.Run(ctx)
	if err = errors.Join(err, log.Close()); ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	for _, f := range done.Failed {
		fmt.Fprintf(env.Err, "not read: %s: %v\n", f.Game.Event, f.Err)
	}
	fmt.Fprintf(env.Err, "%s read into %s", format.NumberOf(done.Read, "game"), c.Out)
	for _, more := range []struct {
		n    int
		what string
	}{{done.Had, "there already"}, {done.Duplicate, "given twice"}, {len(done.Failed), "not read"}, {refused, "refused"}} {
		if more.n > 0 {
			fmt.Fprintf(env.Err, ", %s %s", format.Count(more.n), more.what)
		}
	}
	fmt.Fprintln(env.Err)
	if err == nil && len(done.Failed)+refused > 0 {
		err = &cli.Exit{Code: cli.Unplayed}
	}
	return err
}

func (c *ReviewReadCommand) progress(env *cli.Env) func(review.Progress) {
	if c.Quiet {
		return nil
	}
	tally := cli.NewTally(env.Err)
	return func(p review.Progress) {
		tally.Show(p.Positions, p.OfPositions, fmt.Sprintf("positions, in %d of %d games", p.Games, p.OfGames))
	}
}
