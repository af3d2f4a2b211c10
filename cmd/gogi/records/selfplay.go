package recordscmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"gogi/cmd/gogi/cli"
	"gogi/configs"
	"gogi/configs/identity"
	"gogi/internal/fail"
	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/match"
	"gogi/players"
	"gogi/runner/selfplay"
	"gogi/usi"
)

// SelfplayCommand groups the verbs about training data from self-play.
type SelfplayCommand struct {
	Play SelfplayPlayCommand `cmd:"" default:"withargs" help:"Make training data: a player plays against itself; what gogi selfplay does when no verb follows."`
	Init SelfplayInitCommand `cmd:"" help:"Write a commented file to start from."`
}

// SelfplayInitCommand writes a file to start from.
type SelfplayInitCommand struct {
	File string `arg:"" optional:"" default:"selfplay.toml" help:"Where to (default ${default})."`
}

// Run writes the file; one that exists stays.
func (c *SelfplayInitCommand) Run(env *cli.Env) error {
	file, err := os.OpenFile(c.File, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644) //nolint:gosec // a file to be read and edited
	if errors.Is(err, fs.ErrExist) {
		return fail.Usage(fmt.Errorf("%s exists already; it is left as it is", c.File))
	}
	if err != nil {
		return err
	}
	_, err = file.Write(configs.SelfplayTemplate())
	if err := errors.Join(err, file.Close()); err != nil {
		return err
	}
	fmt.Fprintf(env.Out, "wrote %s; edit it, then: gogi selfplay %s --dry-run\n", c.File, c.File)
	return nil
}

// SelfplayPlayCommand makes training data.
type SelfplayPlayCommand struct {
	File        string `arg:"" help:"A file with a [selfplay], see gogi selfplay init."`
	DryRun      bool   `help:"Say what would be made, and make nothing; engines are started once."`
	Assemble    bool   `help:"Play nothing: make the data, anew, of the blocks that are there without a gap."`
	Concurrency int    `placeholder:"N" help:"Blocks at a time (default: the file's, else one for each CPU); the data do not depend on it."`
	Quiet       bool   `short:"q" help:"No progress."`
	JSON        bool   `name:"json" help:"Print the manifest instead of a summary."`
}

// selfplaying is a SelfplayPlayCommand at work.
type selfplaying struct {
	*SelfplayPlayCommand
	*configs.SelfplayPlan

	env    *cli.Env
	opener *players.Opener
}

// Run plays the blocks that are missing, and then makes the data. An interrupt lets the
// blocks in play be the last, and makes no data; a second one ends them at once.
func (c *SelfplayPlayCommand) Run(ctx context.Context, env *cli.Env) error {
	s, err := c.plan(env)
	if err != nil {
		return fail.Usage(err)
	}
	guard, err := players.StartGuard(env.GuardChanged)
	if err != nil {
		return err
	}
	ctx, interrupted := cli.Catch(ctx, env)
	s.opener = &players.Opener{Plan: s.Plan, Guard: guard}
	err = s.run(ctx, interrupted)
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	interrupted.Stop()
	return errors.Join(err, guard.Close())
}

// plan reads the file and the flags.
func (c *SelfplayPlayCommand) plan(env *cli.Env) (*selfplaying, error) {
	if c.Concurrency < 0 {
		return nil, fmt.Errorf("--concurrency %d: expected a number from 1", c.Concurrency)
	}
	file, dir, err := configs.Find(c.File)
	if err != nil {
		return nil, err
	}
	here, err := players.Surroundings()
	if err != nil {
		return nil, err
	}
	plan, warnings, err := file.PlanSelfplay(dir, here)
	if err != nil {
		return nil, err
	}
	for _, w := range warnings {
		fmt.Fprintln(env.Err, "warning:", w)
	}
	if c.Concurrency > 0 {
		plan.Plan.Concurrency = c.Concurrency
	}
	return &selfplaying{SelfplayPlayCommand: c, SelfplayPlan: plan, env: env}, nil
}

// complete greets the engines once and fills in what they are.
func (s *selfplaying) complete(ctx context.Context) error {
	started := func() {}
	if !s.Quiet {
		started = s.env.Starting(s.opener.Names()...)
	}
	greetings, err := s.opener.GreetAll(ctx)
	started()
	if err != nil {
		return err
	}
	plan, warnings, err := identity.Complete(s.Plan, greetings)
	if err != nil {
		return fail.Usage(err)
	}
	for _, w := range warnings {
		fmt.Fprintln(s.env.Err, "warning:", w)
	}
	s.Plan, s.opener.Plan = plan, plan
	return nil
}

func (s *selfplaying) generator() *selfplay.Generator {
	return &selfplay.Generator{
		Plan: s.Plan, Design: s.Design, Candidates: selfplay.VoteCounts,
		Open: func(ctx context.Context) (selfplay.Player, error) { return s.opener.Open(ctx, s.Plan.Players[0], nil) },
	}
}

func (s *selfplaying) run(ctx context.Context, interrupted *cli.Interrupts) (err error) {
	if err := s.complete(ctx); err != nil {
		return err
	}
	if s.DryRun {
		return s.dryRun(ctx)
	}
	folder, err := selfplay.OpenFolder(s.Folder, s.Plan, s.Design)
	if errors.Is(err, selfplay.ErrOther) {
		return fail.Usage(err)
	} else if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, folder.Close()) }()
	if !s.Assemble {
		if err := s.play(ctx, folder, interrupted); err != nil {
			return err
		}
	}
	return s.made(ctx, folder)
}

// play plays what is missing.
func (s *selfplaying) play(ctx context.Context, folder *selfplay.Folder, interrupted *cli.Interrupts) error {
	g := s.generator()
	if there, err := folder.Blocks(); err != nil {
		return err
	} else if len(there) < s.Blocks {
		if err := g.Rehearse(ctx); err != nil {
			return err
		}
	}
	stop := make(chan struct{})
	percent := cli.Percent(s.env.Err, s.Quiet)
	r := selfplay.Run{Folder: folder, Generator: g, Blocks: s.Blocks, Slots: s.Plan.Concurrency, Stop: stop, Told: func(b *selfplay.Block, there int) {
		for _, f := range b.Failures {
			fmt.Fprintf(s.env.Err, "warning: block %d was begun again: %v\n", b.Number, f)
		}
		if percent != nil {
			percent(there, s.Blocks)
		}
	}}
	interrupted.Playing(func() i18n.Message { close(stop); return i18n.Of("the blocks in play") })
	session, err := r.Play(ctx)
	interrupted.Playing(nil)
	tellSession(s.env.Err, session)
	if err == nil && r.Missing() > 0 {
		fmt.Fprintf(s.env.Err, "%d of %d blocks are there; the same command goes on, and --assemble makes the data of those\n", s.Blocks-r.Missing(), s.Blocks)
		return cli.ErrInterrupted
	}
	return err
}

// tellSession says how fast it went.
func tellSession(w io.Writer, s selfplay.Session) {
	if s.Blocks == 0 || s.Took <= 0 || s.Busy <= 0 {
		return
	}
	fmt.Fprintf(w, "%s games, %s positions in %s: %s positions an hour; %.1f%% of the time was searched\n",
		format.Count(s.Games), format.Count(s.Positions), format.Span(s.Took.Round(time.Second)),
		format.Count(int(float64(s.Positions)/s.Took.Hours())), 100*s.Searching.Seconds()/s.Busy.Seconds())
}

// made makes the data and tells of them.
func (s *selfplaying) made(ctx context.Context, folder *selfplay.Folder) error {
	m, err := folder.Made(s.Blocks, s.Data)
	if err == nil && (m == nil || s.Assemble) {
		m, err = folder.Make(ctx, s.Blocks, s.Data)
	}
	if err != nil {
		return err
	}
	if s.JSON {
		return format.JSON(s.env.Out, m)
	}
	m.Statistics.Print(s.env.Out)
	fmt.Fprintf(s.env.Out, "data        %s in %s/shards, of %s\n", format.NumberOf(len(m.Shards), "file"), s.Folder, format.NumberOf(len(m.Blocks), "block"))
	fmt.Fprintf(s.env.Out, "dataset     %s\n", m.Dataset)
	return nil
}

// dryRun says what would be made.
func (s *selfplaying) dryRun(ctx context.Context) error {
	if err := s.generator().Rehearse(ctx); err != nil {
		return err
	}
	p, d, w := s.Plan.Players[0], s.Design, s.env.Out
	digest, err := selfplay.Digest(s.Plan, d)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "player      %s (%s), %s\n", p.Name, p.Identity, p.Limits)
	if d.NodeJitter > 0 {
		fmt.Fprintf(w, "            nodes vary by up to %s\n", format.PercentShort(d.NodeJitter))
	}
	fmt.Fprintf(w, "games       %s: %s of %d, %d at a time\n", format.Count(s.Blocks*d.Games), format.NumberOf(s.Blocks, "block"), d.Games, s.Plan.Concurrency)
	fmt.Fprintf(w, "beginnings  %s, then %d to %d random plies%s\n", format.NumberOf(len(s.Plan.Openings), "opening"), d.RandomMin, d.RandomMax, within(d.Window))
	if d.TemperaturePlies > 0 {
		fmt.Fprintf(w, "            then %d plies among the best %d, temperature %g\n", d.TemperaturePlies, d.Lines, d.Temperature)
	}
	if d.NoisePlies > 0 && d.Noise > 0 {
		fmt.Fprintf(w, "            in the first %d plies any move with a chance of %g\n", d.NoisePlies, d.Noise)
	}
	if s.Plan.Adjudication != (match.Adjudication{}) {
		fmt.Fprintf(w, "ends        by the rules %s, or by scores; %s played out\n", s.Plan.Rules.Name, format.PercentShort(d.Audit))
	}
	fmt.Fprintf(w, "data        %s in %s\n", s.Data.Format.Name, s.Folder)
	fmt.Fprintf(w, "digest      %s\n", digest)
	return s.there()
}

// there says how many blocks the folder has.
func (s *selfplaying) there() error {
	if !selfplay.IsFolder(s.Folder) {
		return nil
	}
	folder, err := selfplay.OpenFolder(s.Folder, s.Plan, s.Design)
	if errors.Is(err, selfplay.ErrOther) {
		return fail.Usage(err)
	} else if err != nil {
		return err
	}
	blocks, err := folder.Blocks()
	fmt.Fprintf(s.env.Out, "there       %s\n", format.NumberOf(len(blocks), "block"))
	return errors.Join(err, folder.Close())
}

func within(window int) string {
	if window == 0 {
		return ""
	}
	return fmt.Sprintf(", within ±%d", window)
}

// A player that is an engine can be told of MultiPV.
var _ interface {
	Configure(settings []usi.Setting) error
} = (*usi.Engine)(nil)
