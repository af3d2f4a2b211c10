package recordscmd

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"

	"gogi/cmd/gogi/cli"
	"gogi/configs"
	openingset "gogi/configs/openings"
	"gogi/internal/fail"
	"gogi/internal/format"
	"gogi/match"
	"gogi/match/openings"
	"gogi/players"
	"gogi/usi"
)

// BookMakeCommand makes openings with an engine.
type BookMakeCommand struct {
	To     string   `arg:"" help:"Opening file to write; gogi adds missing openings to an existing file."`
	Engine string   `required:"" placeholder:"CMD" help:"Engine command, split as a shell does; builtin is the built-in engine."`
	Option []string `sep:"none" placeholder:"NAME=VALUE" help:"Option of the engine; may be repeated."`
	Dir    string   `placeholder:"DIR" help:"Working folder of the engine (default: the folder of the program)."`

	From        string `xor:"lines" type:"path" placeholder:"FILE" help:"Opening file from which gogi keeps the balanced lines, instead of random moves."`
	All         bool   `xor:"lines" help:"Evaluate every line of --plies legal moves and keep the balanced ones, instead of random moves."`
	Count       int    `placeholder:"N" help:"Number of openings, those in the file included (default 100; with --from and --all: every balanced line)."`
	Plies       int    `default:"16" placeholder:"N" help:"Number of plies of each opening (default ${default})."`
	Nodes       uint64 `default:"100000" placeholder:"N" help:"Number of nodes of each search (default ${default})."`
	MultiPV     int    `name:"multipv" default:"8" placeholder:"N" help:"Number of lines from which gogi chooses a move (default ${default})."`
	Margin      int    `default:"60" placeholder:"CP" help:"Maximum loss of a move against the best, in centipawns (default ${default})."`
	Window      int    `default:"100" placeholder:"CP" help:"Maximum distance of the final score from equal, in centipawns (default ${default})."`
	Centre      int    `default:"0" placeholder:"CP" help:"Score for Black that counts as equal, in centipawns (default ${default})."`
	Seed        uint64 `default:"1" placeholder:"N" help:"Seed of the random choices (default ${default})."`
	Start       string `default:"startpos" placeholder:"LINE" help:"First position: startpos, or \"sfen …\", also with moves, which --plies does not count (default ${default})."`
	Concurrency int    `placeholder:"N" help:"Number of engines at a time (default: one per CPU); the openings do not depend on it."`
	Quiet       bool   `short:"q" help:"Print no progress."`

	attempts int // of --from and --all: the number of lines
}

// Run makes what is missing and prints how many attempts were rejected.
func (c *BookMakeCommand) Run(ctx context.Context, env *cli.Env) error {
	plan, err := c.plan()
	if err != nil {
		return fail.Usage(err)
	}
	given, head, err := c.given()
	if err != nil {
		return fail.Usage(err)
	}
	design := openings.Design{
		Start: c.Start, Plies: c.Plies, Margin: c.Margin, Window: c.Window, Centre: c.Centre, Nodes: c.Nodes, Lines: c.MultiPV, Seed: c.Seed,
	}
	file, made, err := openings.OpenFile(c.To, head+engineText(plan)+" "+design.String())
	if err != nil {
		return err
	}
	guard, err := players.StartGuard(env.GuardChanged)
	if err != nil {
		return errors.Join(err, file.Close())
	}
	ctx, interrupted := cli.Catch(ctx, env)
	opener := &players.Opener{Plan: plan, Guard: guard}
	m := openings.Maker{
		Design: design, Wanted: c.Count, Slots: c.Concurrency, Found: file.Add, Given: given,
		Open: func(ctx context.Context) (openings.Thinker, error) { return opener.Open(ctx, plan.Players[0], nil) },
	}
	if !c.Quiet {
		m.Tried = c.progress(env, len(made))
	}
	count := len(made)
	m.Found = func(o openings.Opening) error {
		count++
		return file.Add(o)
	}
	err = m.Run(ctx, made)
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	interrupted.Stop()
	if err = errors.Join(err, file.Close(), guard.Close()); err != nil {
		return err
	}
	fmt.Fprintf(env.Err, "%s openings%s in %s (%s were there); no opening became of %s unequal, %s repeated, %s ended attempts\n",
		format.Count(count), c.length(), c.To, format.Count(len(made)),
		format.Count(m.Refused.Unequal), format.Count(m.Refused.Repeated), format.Count(m.Refused.Ended))
	return nil
}

// length is the part of the last line about the openings' moves, which --from leaves as they are.
func (c *BookMakeCommand) length() string {
	if c.From != "" {
		return ""
	}
	return fmt.Sprintf(" of %d plies", c.Plies)
}

// given reads or makes the lines to value. It returns nil if moves are drawn. head is what the file's
// first line says of them. It sets what --count and --multipv are by default.
func (c *BookMakeCommand) given() (lines []usi.Position, head string, err error) {
	switch {
	case c.From != "":
		data, err := os.ReadFile(c.From)
		if err != nil {
			return nil, "", fmt.Errorf("--from: %w", err)
		}
		list, _, err := openingset.Read(c.From, 0, match.Rules{})
		if err != nil {
			return nil, "", err
		}
		for _, o := range list {
			lines = append(lines, usi.Position{Start: o.USIStart(), Moves: o.Moves})
		}
		head = fmt.Sprintf("from=sha256:%x ", sha256.Sum256(data))
	case c.All:
		if lines, err = openings.AllLines(c.Start, c.Plies); err != nil {
			return nil, "", fmt.Errorf("--all: %w", err)
		}
		head = "all "
	}
	c.attempts = len(lines)
	if c.Count == 0 {
		c.Count = cmp.Or(len(lines), 100)
	}
	return lines, head, nil
}

// progress prints how far the making is, on a terminal in place and elsewhere now and then.
func (c *BookMakeCommand) progress(env *cli.Env, before int) func(tried, found int) {
	tally := cli.NewTally(env.Err)
	first := -1
	return func(tried, found int) {
		if first < 0 {
			first = tried - 1
		}
		done, of := found-before, c.Count-before
		if c.From != "" || c.All { // then attempts have a known number
			done, of = tried-first, c.attempts-first
		}
		tally.Show(done, of, fmt.Sprintf("%s openings of %s attempts", format.Count(found), format.Count(tried)))
	}
}

// engineText is the engine as it is identified, and its options.
func engineText(plan *match.Plan) string {
	p := plan.Players[0]
	words := []string{"engine=" + p.Identity.String()}
	for _, o := range p.Options {
		words = append(words, "option="+strconv.Quote(o.Name+"="+o.Value))
	}
	return strings.Join(words, " ")
}

// plan resolves the engine with MultiPV among its options.
func (c *BookMakeCommand) plan() (*match.Plan, error) {
	if c.Count < 0 || c.Plies < 1 || c.Nodes < 1 || c.MultiPV < 1 || c.Margin < 0 || c.Window < 0 || c.Concurrency < 0 {
		return nil, errors.New("--count, --plies, --nodes, --multipv and --concurrency: expected numbers from 1; --margin and --window from 0")
	}
	if c.Concurrency == 0 {
		c.Concurrency = runtime.NumCPU()
	}
	if c.From != "" || c.All {
		c.MultiPV = 1
	}
	e := configs.Engine{Name: "maker", Cmd: c.Engine, Dir: c.Dir}
	for _, text := range append(c.Option, "MultiPV="+strconv.Itoa(c.MultiPV)) {
		name, value, ok := strings.Cut(text, "=")
		if !ok {
			return nil, fmt.Errorf("--option %q: expected NAME=VALUE", text)
		}
		e.Options = append(e.Options, match.Option{Name: name, Value: value})
	}
	here, err := players.Surroundings()
	if err != nil {
		return nil, err
	}
	file := &configs.File{Run: "book", Limits: &configs.Limits{Nodes: &c.Nodes}, Engines: []configs.Engine{e}}
	plan, _, err := file.PlanPlayer(e.Name, here.WorkDir, here)
	return plan, err
}
