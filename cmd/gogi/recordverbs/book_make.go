package recordverbs

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"gogi/configs"
	"gogi/internal/format"
	"gogi/internal/usage"
	"gogi/internal/verb"
	"gogi/match"
	"gogi/openings"
	"gogi/players"
)

// BookMakeCommand makes openings with an engine.
type BookMakeCommand struct {
	To     string   `arg:"" help:"The file of openings to write; where it is there, what is missing is made."`
	Engine string   `required:"" placeholder:"CMD" help:"The engine's command, split as a shell splits it; builtin is the built-in one."`
	Option []string `sep:"none" placeholder:"NAME=VALUE" help:"An option of the engine; may be repeated."`
	Dir    string   `placeholder:"DIR" help:"Its working directory (default: that of the program)."`

	Count       int    `default:"100" placeholder:"N" help:"How many, those that are there included (default ${default})."`
	Plies       int    `default:"16" placeholder:"N" help:"Moves of each (default ${default})."`
	Nodes       uint64 `default:"100000" placeholder:"N" help:"Of each search (default ${default})."`
	MultiPV     int    `name:"multipv" default:"8" placeholder:"N" help:"Lines among which a move is drawn (default ${default})."`
	Margin      int    `default:"60" placeholder:"CP" help:"A move may be so much worse than the best (default ${default})."`
	Window      int    `default:"100" placeholder:"CP" help:"Both sides value the end at most so far from equal (default ${default})."`
	Seed        uint64 `default:"1" placeholder:"N" help:"Of the draws (default ${default})."`
	Start       string `default:"startpos" placeholder:"LINE" help:"Where all begin: startpos, or \"sfen …\"."`
	Concurrency int    `default:"1" placeholder:"N" help:"Engines at a time (default ${default}); the set does not depend on it."`
}

// Run makes what is missing and tells what became nothing.
func (c *BookMakeCommand) Run(ctx context.Context, env *verb.Env) error {
	plan, err := c.plan()
	if err != nil {
		return usage.Wrap(err)
	}
	design := openings.Design{
		Start: c.Start, Plies: c.Plies, Margin: c.Margin, Window: c.Window, Nodes: c.Nodes, Lines: c.MultiPV, Seed: c.Seed,
	}
	file, made, err := openings.OpenFile(c.To, c.head(plan, design))
	if err != nil {
		return err
	}
	guard, err := players.StartGuard(env.GuardChanged)
	if err != nil {
		return errors.Join(err, file.Close())
	}
	ctx, interrupted := verb.Catch(ctx, env)
	opener := &players.Opener{Plan: plan, Guard: guard}
	m := openings.Maker{
		Design: design, Wanted: c.Count, Slots: c.Concurrency, Found: file.Add,
		Open: func(ctx context.Context) (openings.Thinker, error) { return opener.Open(ctx, plan.Players[0], nil) },
	}
	err = m.Run(ctx, made)
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	interrupted.Stop()
	if err = errors.Join(err, file.Close(), guard.Close()); err != nil {
		return err
	}
	fmt.Fprintf(env.Err, "%s openings of %d plies in %s (%s were there); no opening became of %s unequal, %s repeated, %s ended attempts\n",
		format.Count(max(c.Count, len(made))), c.Plies, c.To, format.Count(len(made)),
		format.Count(m.Refused.Unequal), format.Count(m.Refused.Repeated), format.Count(m.Refused.Ended))
	return nil
}

// head is what makes the set: the engine as it is identified, its options, the design.
func (c *BookMakeCommand) head(plan *match.Plan, d openings.Design) string {
	p := plan.Players[0]
	words := []string{"engine=" + p.Identity.String()}
	for _, o := range p.Options {
		words = append(words, "option="+strconv.Quote(o.Name+"="+o.Value))
	}
	return strings.Join(words, " ") + " " + d.String()
}

// plan resolves the engine with MultiPV among its options.
func (c *BookMakeCommand) plan() (*match.Plan, error) {
	if c.Count < 1 || c.Plies < 1 || c.Nodes < 1 || c.MultiPV < 1 || c.Margin < 0 || c.Window < 0 || c.Concurrency < 1 {
		return nil, errors.New("--count, --plies, --nodes, --multipv and --concurrency: expected numbers from 1; --margin and --window from 0")
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
