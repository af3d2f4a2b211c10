package recordscmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"gogi/cmd/gogi/cli"
	"gogi/configs"
	"gogi/configs/identity"
	"gogi/internal/fail"
	"gogi/internal/format"
	"gogi/internal/shellwords"
	"gogi/match"
	"gogi/players"
	"gogi/report/review"
	"gogi/report/review/engines"
	"gogi/report/review/sgf"
	"gogi/report/review/sources"
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
	Files []string `arg:"" optional:"" help:"Game files, folders or archives; - is standard input. Games of Go are SGF. Not with --run."`
	Run   string   `placeholder:"NAME" help:"Stored run to read instead of files."`
	DB    string   `name:"db" default:"gogi.db" placeholder:"FILE" help:"Database of the run [--run]."`
	Pairs string   `placeholder:"A-B" help:"Only games of pairs A to B, or of one pair [--run]."`
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

// shogi calls see for each game of shogi in the sources. It prints rejected games and adds their number to
// refused.
func (s *reviewed) shogi(ctx context.Context, env *cli.Env, refused *int, see func(*review.Game, *kifu.Record) error) error {
	if s.Run == "" {
		return sources.Files(ctx, s.Files, env.In, refusals(env.Err, refused), func(g *review.Game, r *kifu.Record) error {
			if !s.passes(g) {
				return nil
			}
			return see(g, r)
		})
	}
	what := results.Search{Player: s.Of}
	if s.Pairs != "" {
		var err error
		if what.Pairs, err = pairsOf(s.Pairs); err != nil {
			return fail.Usage(err)
		}
	}
	from := cli.Stored{Name: s.Run, Database: cli.Database{DB: s.DB}}
	return from.With(ctx, func(store *results.Store, info *results.RunInfo) error {
		return sources.Run(ctx, store, info, what, see)
	})
}

func (s *reviewed) sgf(ctx context.Context, env *cli.Env, refused *int, see func(*review.Game, *sgf.Game) error) error {
	return sources.SGF(ctx, s.Files, env.In, refusals(env.Err, refused), func(g *review.Game, x *sgf.Game) error {
		if !s.passes(g) {
			return nil
		}
		return see(g, x)
	})
}

func (s *reviewed) passes(g *review.Game) bool {
	return s.Of == "" || g.Names[0] == s.Of || g.Names[1] == s.Of
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

	Engine  string   `placeholder:"CMD" help:"USI engine for games of shogi: a command, split into words as a shell does, or builtin for the built-in engine."`
	GTP     string   `name:"gtp" placeholder:"CMD" help:"GTP engine for games of Go, such as \"gnugo --mode gtp --level 10\"; the engine must have the command estimate_score."`
	Option  []string `sep:"none" placeholder:"NAME=VALUE" help:"Option of the USI engine; may be repeated."`
	Profile string   `placeholder:"NAME" help:"Set of option values for a kind of engine: yaneuraou."`
	Dir     string   `placeholder:"DIR" help:"Working folder of the USI engine (default: the folder of the program)."`

	Nodes     uint64        `placeholder:"N" help:"Number of nodes for each position (USI engine)."`
	Time      time.Duration `placeholder:"DUR" help:"Search time for each position (USI engine); the result is then not exactly repeatable."`
	Timeout   time.Duration `default:"5m" placeholder:"DUR" help:"Maximum time for an answer of the GTP engine (default ${default})."`
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
		if c.GTP != "" {
			s, v.Open, err = c.openGTP(ctx, &players.Opener{Guard: guard})
		} else {
			s, v.Open, err = c.openUSI(&players.Opener{Guard: guard})
		}
		if err != nil {
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
	case (c.Engine == "") == (c.GTP == ""):
		return errors.New("expected --engine CMD for shogi or --gtp CMD for Go")
	case c.Engine != "" && (c.Nodes > 0) == (c.Time > 0), c.Time < 0:
		return errors.New("expected --nodes N or --time DUR: one of them limits each search")
	case c.GTP != "" && (c.Nodes > 0 || c.Time > 0 || len(c.Option) > 0 || c.Dir != "" || c.Profile != ""):
		return errors.New("--nodes, --time, --option, --profile and --dir are for USI engines: a GTP engine gets its limit in its command, such as --level 10")
	case c.GTP != "" && c.reviewed.Run != "":
		return errors.New("stored runs are of shogi: expected files of SGF")
	case c.Processes < 1 || c.Timeout <= 0:
		return errors.New("--processes and --timeout: expected more than 0")
	}
	return nil
}

// games reads all games into memory, because the progress needs their number. It counts rejected games in
// refused.
func (c *ReviewReadCommand) games(ctx context.Context, env *cli.Env, refused *int) (list []*review.Game, err error) {
	if c.GTP != "" {
		err = c.reviewed.sgf(ctx, env, refused, func(g *review.Game, _ *sgf.Game) error {
			list = append(list, g)
			return nil
		})
	} else {
		err = c.reviewed.shogi(ctx, env, refused, func(g *review.Game, _ *kifu.Record) error {
			list = append(list, g)
			return nil
		})
	}
	if err == nil && len(list) == 0 {
		err = errors.New("there is no game to review")
	}
	return list, err
}

// openUSI resolves the engine, and returns the settings that decide its evaluations.
func (c *ReviewReadCommand) openUSI(o *players.Opener) (s review.Settings, open func(context.Context) (review.Engine, error), err error) {
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
		Engine:   strings.Join(append([]string{filepath.Base(plan.Players[0].Command[0])}, plan.Players[0].Command[1:]...), " "),
		Identity: plan.Players[0].Identity.String(), Options: strings.Join(c.Option, " "), Limit: say.String()[len("go "):], Unit: review.Centipawns,
	}
	if plan.Players[0].Builtin {
		s.Engine = "builtin"
	}
	return s, func(ctx context.Context) (review.Engine, error) { return engines.OpenUSI(ctx, o, say) }, nil
}

// openGTP starts the engine once to read its name.
func (c *ReviewReadCommand) openGTP(ctx context.Context, o *players.Opener) (s review.Settings, open func(context.Context) (review.Engine, error), err error) {
	command, err := shellwords.Split(c.GTP)
	if err == nil && len(command) == 0 {
		err = errors.New("the command is empty")
	}
	if err != nil {
		return s, nil, fail.Usage(fmt.Errorf("--gtp: %w", err))
	}
	if !strings.ContainsRune(command[0], '/') && !strings.ContainsRune(command[0], filepath.Separator) {
		if command[0], err = configs.FindProgram(command[0], os.Getenv("PATH")); err != nil {
			return s, nil, fail.Usage(fmt.Errorf("--gtp: %w", err))
		}
	}
	program := match.Player{Command: command}
	if err := (identity.Hasher{}).Command(&program); err != nil {
		return s, nil, fail.Usage(fmt.Errorf("--gtp: %w", err))
	}
	e, err := engines.OpenGTP(ctx, command, o.Guard, c.Timeout)
	if err != nil {
		return s, nil, err
	}
	name, err := e.Name(ctx)
	if err = errors.Join(err, e.Close()); err != nil {
		return s, nil, err
	}
	s = review.Settings{Engine: name, Identity: program.Identity.String(), Limit: strings.Join(command[1:], " "), Unit: review.Points}
	return s, func(ctx context.Context) (review.Engine, error) {
		return engines.OpenGTP(ctx, command, o.Guard, c.Timeout)
	}, nil
}

// into writes the evaluations to the file and prints a summary.
func (c *ReviewReadCommand) into(ctx context.Context, env *cli.Env, v *review.Review, s review.Settings, refused int) error {
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
