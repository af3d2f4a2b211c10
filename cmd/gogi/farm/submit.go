package farmcmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"gogi/cmd/gogi/cli"
	"gogi/configs"
	"gogi/configs/advice"
	"gogi/farm"
	"gogi/farm/files"
	"gogi/farm/worker"
	"gogi/internal/fail"
	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/match"
	"gogi/match/trust"
	"gogi/players"
	"gogi/players/planning"
	"gogi/usi/process"
)

// SubmitCommand submits a match, a tune or self-play as a test to a farm.
type SubmitCommand struct {
	owner
	File string `arg:"" optional:"" help:"Match file, tune file or self-play file (TOML), or the name of a ready-made match."`

	Binary    []string `group:"farm" sep:"none" placeholder:"A=FILE:ISA" more:"" help:"Another build of engine A from the same commit, for machines of this ISA (x86-64-v3, armv8.2) or OS/ARCH/ISA; may be repeated."`
	Priority  *int     `group:"farm" placeholder:"N" help:"Priority from -10 to 10; a priority above 2 needs a key with the right named run (default: 0, for a tune and its validation -1)."`
	Share     float64  `group:"farm" default:"1" placeholder:"N" more:"" help:"Weight: tests of equal priority get workers in proportion to their weights (default ${default})."`
	Note      string   `group:"farm" placeholder:"TEXT" more:"" help:"Note to show in the list of tests."`
	Needs     []string `group:"farm" placeholder:"K=V" help:"Labels that a worker needs to play the test, such as os=linux; trust=verified requires a verified worker."`
	Validate  string   `group:"farm" type:"existingfile" placeholder:"DB" more:"" help:"Database with a tune that gogi farm mirror copied. gogi submits a match of the tune's final values against its start values."`
	ScaleTo   string   `group:"farm" type:"existingfile" placeholder:"FILE" more:"" help:"File that gogi farm bench --out wrote on the machine for which the time control is meant. Slower machines get more time, and faster ones less."`
	ScaleMost float64  `group:"farm" default:"4" placeholder:"N" more:"" help:"With --scale-to: maximum speed ratio N. Machines that are more than N times slower or faster than that of --scale-to play no games of this test (default ${default})."`
	Again     string   `group:"farm" placeholder:"TEST" help:"Repeat a test of the farm with the changes of the other flags. Without --seed the seed is the next number that makes a new test."`
	EngineOf  []string `group:"farm" sep:"none" placeholder:"A=TEST/B" more:"" help:"With --again: replace engine A by engine B of another test; may be repeated."`
	DryRun    bool     `group:"farm" help:"Print what gogi would submit and upload, and send nothing."`

	planning.Commits `group:"farm"`
	configs.Flags

	oneThread []string // engines of repeated tests that use one thread by their own default
}

// Run makes the plan, uploads the engines' files, and submits the test.
func (c *SubmitCommand) Run(ctx context.Context, env *cli.Env) error {
	ctx, interrupted := cli.Catch(ctx, env)
	defer interrupted.Stop()
	if c.Again != "" || len(c.EngineOf) > 0 || c.Commits != (planning.Commits{}) {
		return c.again(ctx, env)
	}
	if c.File == "" && len(c.Engine) == 0 {
		return wrong("gogi farm submit: it names no engines; give a match file, --engine twice, or --again TEST. " +
			"gogi farm submit default submits the ready-made match of two built-in engines")
	}
	guard, err := players.StartGuard(env.GuardChanged)
	if err != nil {
		return err
	}
	plan, files, err := c.plan(ctx, env, guard)
	if err = errors.Join(err, guard.Close()); err != nil {
		return err
	}
	if c.DryRun {
		return c.dry(ctx, env, plan, files)
	}
	return c.submit(ctx, env, plan, files)
}

// plan returns the plan to submit, and the paths of the files that workers need, by SHA-256.
func (c *SubmitCommand) plan(ctx context.Context, env *cli.Env, guard *process.Guard) (*match.Plan, map[string]string,
	error) {
	builds, err := readBuilds(c.Binary)
	if err != nil {
		return nil, nil, err
	}
	file, dir, err := c.Flags.Read(c.File)
	if err != nil {
		return nil, nil, fail.Usage(err)
	}
	make := c.seriesPlan
	if file.Tune != nil || len(file.Params) > 0 || c.Validate != "" {
		make = c.tunePlan
		if c.Priority == nil {
			c.Priority = new(int)
			*c.Priority = tunePriority
		}
	}
	if file.Selfplay != nil {
		make = c.selfplayPlan
	}
	plan, warnings, err := make(ctx, file, dir, guard, builds)
	if err != nil {
		return nil, nil, err
	}
	for _, w := range warnings {
		fmt.Fprintln(env.Err, "warning:", w)
	}
	if err := argumentFiles(plan); err != nil {
		return nil, nil, err
	}
	return plan, filesOf(plan, builds), nil
}

func (c *SubmitCommand) seriesPlan(ctx context.Context, file *configs.File, dir string, guard *process.Guard,
	builds []build) (*match.Plan, []advice.Warning, error) {
	plan, warnings, err := planOf(ctx, file, dir, guard)
	if err != nil {
		return nil, nil, err
	}
	if plan, err = withBuilds(plan, builds, func(name string) string { return name }); err != nil {
		return nil, nil, err
	}
	plan, err = c.scaled(plan)
	return plan, warnings, err
}

// selfplayPlan returns the plan of a file with a table [selfplay].
func (c *SubmitCommand) selfplayPlan(ctx context.Context, file *configs.File, dir string, guard *process.Guard,
	builds []build) (*match.Plan, []advice.Warning, error) {
	if c.ScaleTo != "" {
		return nil, nil, wrong("--scale-to: self-play has no clocks")
	}
	s, err := planning.ResolveSelfplay(file, dir, guard)
	if err == nil {
		err = s.Complete(ctx)
	}
	if err != nil {
		return nil, nil, err
	}
	if err := farm.CheckLegs(s.Plan); err != nil {
		return nil, nil, fail.Usage(err)
	}
	plan, err := withBuilds(s.Plan, builds, func(name string) string { return name })
	return plan, s.Warnings, err
}

// units returns the size of a plan as text: its number of games, or for self-play its number of blocks and the
// number of games in a block.
func units(plan *match.Plan) string {
	if plan.Design.Kind == match.DesignSelfplay {
		return fmt.Sprintf("%s of %s", format.NumberOf(plan.Pairs, "block"), format.NumberOf(plan.Legs(), "game"))
	}
	return format.NumberOf(plan.Games(), "game")
}

// scaled returns the plan with clocks that follow the speed of each machine, if --scale-to is set.
func (c *SubmitCommand) scaled(plan *match.Plan) (*match.Plan, error) {
	if c.ScaleTo == "" {
		return plan, nil
	}
	nps, engine, err := readNPS("--scale-to", c.ScaleTo)
	if err != nil {
		return nil, err
	}
	out := *plan
	out.Scaling = match.Scaling{Engine: engine, NPS: nps, Least: 1 / c.ScaleMost, Most: c.ScaleMost}
	if err := out.Scaling.Check(); err != nil {
		return nil, wrong("--scale-most %g: %w", c.ScaleMost, err)
	}
	if !out.Scales() {
		return nil, wrong("--scale-to: no player of this match has a clock to scale")
	}
	return &out, nil
}

// A build is a binary of an engine for other machines.
type build struct {
	engine, file string
	match.Variant
}

// readBuilds parses "A=FILE:ISA" and "A=FILE:OS/ARCH/ISA".
func readBuilds(words []string) (all []build, err error) {
	for _, word := range words {
		engine, rest, ok := strings.Cut(word, "=")
		colon := strings.LastIndex(rest, ":")
		if !ok || engine == "" || colon < 1 {
			return nil, wrong("--binary %s: expected ENGINE=FILE:ISA, such as dev=./engine:x86-64-v3", word)
		}
		b := build{engine: engine, file: rest[:colon]}
		if b.OS, b.Arch, b.ISA, err = target(rest[colon+1:]); err != nil {
			return nil, wrong("--binary %s: %w", word, err)
		}
		if b.SHA256, b.Size, err = files.Sum(b.file); err != nil {
			return nil, wrong("--binary %s: %w", word, err)
		}
		all = append(all, b)
	}
	return all, nil
}

// target parses the machine of a build: an instruction set, whose name implies the architecture, or
// OS/ARCH/ISA. An empty isa means every machine of the architecture.
func target(word string) (system, arch, isa string, err error) {
	switch parts := strings.Split(word, "/"); {
	case len(parts) == 3 && parts[0] != "" && parts[1] != "":
		return parts[0], parts[1], parts[2], nil
	case len(parts) == 1 && strings.HasPrefix(word, "x86-64"):
		return runtime.GOOS, "amd64", word, nil
	case len(parts) == 1 && strings.HasPrefix(word, "arm"):
		return runtime.GOOS, "arm64", word, nil
	}
	return "", "", "",
		fmt.Errorf("%q is not an instruction set: expected x86-64-v2, x86-64-v3, armv8.2 or such, or OS/ARCH/ISA", word)
}

// withBuilds adds the builds to the identities of the plan's engines. All builds of an engine must come from one
// commit. If the binary in the plan is not among the builds, withBuilds adds it as the build for this machine.
// called converts the name of a player to the engine name that the builds use.
func withBuilds(plan *match.Plan, builds []build, called func(player string) string) (*match.Plan, error) {
	known := map[string]bool{}
	out := plan.WithEngines(func(_ int, p *match.Player) {
		known[called(p.Name)] = true
		var all []match.Variant
		used := ""
		for _, f := range p.Identity.Files {
			if f.Role == match.BinaryRole {
				used = f.SHA256
			}
		}
		for _, b := range builds {
			if b.engine == called(p.Name) {
				all = append(all, b.Variant)
			}
		}
		if len(all) == 0 {
			return
		}
		if !slices.ContainsFunc(all, func(v match.Variant) bool { return v.SHA256 == used }) {
			if _, size, err := files.Sum(p.Command[0]); err == nil {
				all = append(all, match.Variant{OS: runtime.GOOS, Arch: runtime.GOARCH, SHA256: used, Size: size})
			}
		}
		p.Identity.Variants = all
	})
	for _, b := range builds {
		if !known[b.engine] {
			return nil, wrong("--binary: the match has no engine %q", b.engine)
		}
	}
	var errs []error
	for _, p := range out.Engines() {
		if err := p.Identity.Check(); err != nil {
			errs = append(errs, fmt.Errorf("engine %s: %w", p.Name, err))
		}
	}
	return out, fail.Usage(errors.Join(errs...))
}

// argumentFiles returns an error if an argument of an engine names a file on this machine, as FILE or as FLAG=FILE.
// Workers get the program and the files that options name, and would start the engine without that file.
func argumentFiles(plan *match.Plan) error {
	for _, p := range plan.Engines() {
		for _, arg := range p.Command[min(len(p.Command), 1):] {
			_, value, _ := strings.Cut(arg, "=")
			for _, file := range []string{arg, value} {
				path := file
				if !filepath.IsAbs(path) {
					path = filepath.Join(p.Dir, path)
				}
				if info, err := os.Stat(path); file != "" && err == nil && info.Mode().IsRegular() {
					return wrong("engine %s: its argument %s is a file of this machine, and workers do not get files that arguments name. "+
						"Name the file in a USI option of the engine, or build it into the program", p.Name, arg)
				}
			}
		}
	}
	return nil
}

// filesOf returns the paths of the files that workers need, by SHA-256.
func filesOf(plan *match.Plan, builds []build) map[string]string {
	paths := map[string]string{}
	for _, p := range plan.Engines() {
		for _, f := range p.Identity.Files {
			paths[f.SHA256] = f.Path
			if f.Role == match.BinaryRole {
				paths[f.SHA256] = p.Command[0]
			}
		}
	}
	for _, c := range plan.Councils() {
		for _, f := range c.Identity.Files { // the council's book
			paths[f.SHA256] = f.Path
		}
	}
	for _, b := range builds {
		paths[b.SHA256] = b.file
	}
	return paths
}

// warnAudits warns of an SPRT whose games no audit can repeat, because its verdict stays provisional if a worker that
// the farm does not trust has played it.
func warnAudits(env *cli.Env, plan *match.Plan, oneThread []string) {
	why := trust.Inexact(trust.WithOneThread(plan, oneThread))
	if why != "" && !plan.Gate.IsZero() {
		env.Warn(i18n.Of("%s", "audits cannot repeat the games of this test: "+why+
			". Its verdict stays provisional until its workers are trusted"))
	}
}

// dry prints what submit would send. If the user has credentials, it also looks for a test of the farm with the same
// plan or name, because the farm would reject the plan.
func (c *SubmitCommand) dry(ctx context.Context, env *cli.Env, plan *match.Plan, files map[string]string) error {
	if _, err := c.read(); err == nil || c.Creds != "" {
		tests, err := c.tests(ctx)
		if err != nil {
			env.Warn(i18n.Of("gogi could not look for a test with this plan or name: %s", err.Error()))
		}
		if err := farm.CheckNew(plan, tests); err != nil {
			return &cli.Exit{Code: worker.ExitRefused, Err: err}
		}
	}
	warnAudits(env, plan, append(trust.OneThread(plan), c.oneThread...))
	fmt.Fprintf(env.Out, "%s · plan %.12s · %s; it would be submitted with:\n", plan.Run, plan.Digest(), units(plan))
	if len(files) == 0 {
		fmt.Fprintln(env.Out, "  no files: every gogi contains its engines")
	}
	for _, sum := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(env.Out, "  %.12s  %s\n", sum, files[sum])
	}
	return nil
}

// submission returns the request that submits a plan.
func (c *SubmitCommand) submission(plan *match.Plan) (s farm.Submission, err error) {
	s = farm.Submission{Share: c.Share, Note: c.Note, OneThread: append(trust.OneThread(plan), c.oneThread...)}
	if c.Priority != nil {
		s.Priority = *c.Priority
	}
	if s.Needs, err = labels(c.Needs); err == nil {
		s.Plan, err = match.EncodePlan(plan)
	}
	return s, err
}

func (c *SubmitCommand) submit(ctx context.Context, env *cli.Env, plan *match.Plan, files map[string]string) error {
	submission, err := c.submission(plan)
	if err != nil {
		return err
	}
	warnAudits(env, plan, submission.OneThread)
	var status farm.TestStatus
	err = c.with(func(t farm.Transport, name string) error {
		for _, sum := range slices.Sorted(maps.Keys(files)) {
			if err := upload(ctx, t, files[sum], sum); err != nil {
				return err
			}
		}
		return Request(ctx, t, name, "submit", submission, &status)
	})
	if err != nil {
		return err
	}
	if c.JSON {
		return printJSON(env.Out, status)
	}
	fmt.Fprintf(env.Out, "%s · plan %.12s · %s · %s: another owner must approve it\n", status.Name, status.Run,
		units(plan), status.State)
	if slices.ContainsFunc(plan.Engines(), func(e match.Player) bool { return e.Identity.Source != nil }) {
		fmt.Fprintf(env.Out,
			"The workers compare the benches with the commit messages; `gogi farm show %s` prints the result\n", status.Name)
	}
	return nil
}

// uploadMost is the largest size of an uploaded file. The farm's own limit may be smaller.
const uploadMost = 1 << 40

// upload sends a file to the farm. It returns an error if the file no longer has the SHA-256 sum that it had when
// the plan was made.
func upload(ctx context.Context, t farm.Transport, file, sum string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // it was only read
	got, err := t.PutArtefact(ctx, f, uploadMost)
	if err == nil && got != sum {
		err = fmt.Errorf("the file has changed since the plan was made: SHA-256 %s, expected %s", got, sum)
	}
	if err != nil {
		return fmt.Errorf("uploading %s: %w", file, err)
	}
	return nil
}

// again submits a test of the farm once more, or the default match, with the changes in the flags. It uploads no
// files, because the farm already has the files of the engines.
func (c *SubmitCommand) again(ctx context.Context, env *cli.Env) error {
	switch {
	case c.Again == "" && len(c.EngineOf) > 0:
		return wrong("--engine-of: it needs --again")
	case c.File != "" || len(c.Binary) > 0 || c.Validate != "" || c.ScaleTo != "":
		return wrong("--again and --repo: the settings and files are those of tests on the farm; " +
			"leave out the file, --binary, --validate and --scale-to")
	}
	plan, err := planning.Builtin()
	if c.Again != "" {
		plan, err = c.planOf(ctx, c.Again)
	}
	if err != nil {
		return err
	}
	renamed := map[string]string{}
	for _, text := range c.EngineOf {
		name, of, ok := strings.Cut(text, "=")
		test, engine, slash := strings.Cut(of, "/")
		if !ok || !slash {
			return wrong("--engine-of %s: expected A=TEST/B", text)
		}
		from, err := c.planOf(ctx, test)
		if err != nil {
			return err
		}
		renamed[name] = engine
		if plan, err = planning.TakeEngine(plan, name, from, engine); err != nil {
			return wrong("--engine-of %s: %w", text, err)
		}
	}
	if plan, err = c.withCommits(ctx, plan); err != nil {
		return err
	}
	tests, err := c.tests(ctx)
	if err != nil {
		return err
	}
	c.Flags.Run = cmp.Or(c.Flags.Run, farm.FreeName(plan.Run, tests))
	c.Option = planning.Renamed(c.Option, renamed)
	if plan, err = planning.Repeat(plan, c.Flags); err != nil {
		return fail.Usage(err)
	}
	if c.Seed == nil {
		plan.Seed++
		plan = farm.WithFreeSeed(plan, tests)
	}
	if c.DryRun {
		return c.dry(ctx, env, plan, nil)
	}
	return c.submit(ctx, env, plan, nil)
}

// withCommits returns the plan with the engines of the flags about commits.
func (c *SubmitCommand) withCommits(ctx context.Context, plan *match.Plan) (*match.Plan, error) {
	if c.Commits == (planning.Commits{}) {
		return plan, nil
	}
	var all []farm.Recipe
	if err := c.ask(ctx, "recipe", farm.Recipe{}, &all); err != nil {
		return nil, err
	}
	recipe, err := farm.RecipeNamed(all, c.Recipe)
	if err == nil {
		plan, err = c.Commits.Apply(plan, recipe.Text)
	}
	return plan, fail.Usage(err)
}

func (c *SubmitCommand) planOf(ctx context.Context, test string) (*match.Plan, error) {
	var of farm.PlanOf
	if err := c.ask(ctx, "plan", farm.Order{Run: test}, &of); err != nil {
		return nil, err
	}
	c.oneThread = append(c.oneThread, of.OneThread...)
	return match.DecodePlan(of.Plan)
}

// tests returns the tests of the farm.
func (c *SubmitCommand) tests(ctx context.Context) ([]farm.TestStatus, error) {
	var status farm.Status
	err := c.ask(ctx, "list", struct{}{}, &status)
	return status.Tests, err
}
