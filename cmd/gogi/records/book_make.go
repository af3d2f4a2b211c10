package recordscmd

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
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
	"gogi/shogi/book"
	"gogi/usi"
	"gogi/usi/process"
)

// BookMakeCommand makes openings with an engine.
type BookMakeCommand struct {
	To     string   `arg:"" help:"Opening file to write; gogi adds missing openings to an existing file. For a book (.db, .ybb, .bin) the lines are in a file with .usi behind its name."`
	Engine string   `required:"" placeholder:"CMD" help:"Engine command, split into words as a shell does, or builtin for the built-in engine."`
	Option []string `sep:"none" placeholder:"NAME=VALUE" help:"Option of the engine; may be repeated."`
	Dir    string   `placeholder:"DIR" help:"Working folder of the engine (default: the folder of the program)."`

	From  string       `xor:"lines" type:"path" placeholder:"FILE" help:"Opening file; gogi evaluates its lines and keeps the balanced ones (default: gogi makes lines of random moves)."`
	All   bool         `xor:"lines" help:"Evaluate all lines of --plies legal moves and keep the balanced ones (default: random lines)."`
	Count cli.Positive `placeholder:"N" help:"Number of openings, including those that the file already has (default 100; with --from and --all: every balanced line)."`
	openings.Design
	Concurrency cli.Positive `placeholder:"N" help:"Number of engines at a time (default: one per CPU); the openings do not depend on this number."`
	Quiet       bool         `short:"q" help:"Print no progress."`

	attempts int // with --from and --all: number of lines to evaluate
}

// Run makes the missing openings. For a book it writes the lines to a file beside it, which the same command continues,
// and writes the book after the last line.
func (c *BookMakeCommand) Run(ctx context.Context, env *cli.Env) error {
	to, err := lineTarget(c.To)
	if err != nil {
		return fail.Usage(err)
	}
	lines, err := c.lines(to)
	if err != nil {
		return fail.Usage(err)
	}
	if err := c.makeLines(ctx, env, lines); err != nil || to.Name == "" {
		return err
	}
	text, err := os.ReadFile(lines)
	if err != nil {
		return err
	}
	return writeBook(env, c.To, to, text)
}

// makeLines adds the missing openings to a file of lines, and prints how many attempts were rejected.
func (c *BookMakeCommand) makeLines(ctx context.Context, env *cli.Env, lines string) error {
	plan, err := c.plan()
	if err != nil {
		return fail.Usage(err)
	}
	given, head, err := c.given()
	if err != nil {
		return fail.Usage(err)
	}
	file, made, err := openings.OpenFile(lines, head+engineText(plan)+" "+c.Design.String())
	if err != nil {
		return err
	}
	count := len(made)
	m := openings.Maker{Design: c.Design, Wanted: int(c.Count), Slots: int(c.Concurrency), Given: given,
		Found: func(o openings.Opening) error {
			count++
			return file.Add(o)
		}}
	if !c.Quiet {
		m.Tried = c.progress(env, len(made))
	}
	err = cli.WithGuard(ctx, env, func(ctx context.Context, guard *process.Guard, _ *cli.Interrupts) error {
		opener := &players.Opener{Plan: plan, Guard: guard, Warn: env.Warn}
		m.Open = func(ctx context.Context) (openings.Thinker, error) { return opener.Open(ctx, plan.Players[0], nil) }
		err := m.Run(ctx, made)
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return err
	})
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	fmt.Fprintf(env.Err,
		"%s%s in %s (%s were in the file before); discarded attempts: %s unequal, %s repeated, %s ended\n",
		format.NumberOf(count, "opening"), c.length(), lines, format.Count(len(made)),
		format.Count(m.Refused.Unequal), format.Count(m.Refused.Repeated), format.Count(m.Refused.Ended))
	return nil
}

// lines returns the name of the file of lines, and an error if the command would overwrite a book that it did not
// write.
func (c *BookMakeCommand) lines(to book.Format) (string, error) {
	if to.Name == "" {
		return c.To, nil
	}
	lines := c.To + ".usi"
	_, noLines := os.Stat(lines)
	if _, err := os.Stat(c.To); err == nil && noLines != nil {
		return "", fmt.Errorf("%s: it exists, but %s with its lines does not; name another file", c.To, lines)
	}
	return lines, nil
}

// length returns a part of the last printed line: the number of plies of the openings. It returns "" with --from,
// because the lines of that file keep their lengths.
func (c *BookMakeCommand) length() string {
	if c.From != "" {
		return ""
	}
	return fmt.Sprintf(" of %d plies", c.Plies)
}

// given returns the lines to evaluate, or nil if gogi chooses moves at random. head describes the lines, for the
// first line of the written file. given also sets the default of --count.
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
	c.Count = cmp.Or(c.Count, cli.Positive(len(lines)), 100)
	return lines, head, nil
}

// progress returns a function that prints the progress of making openings, on a terminal in one redrawn line.
// before is the number of openings that the file already has.
func (c *BookMakeCommand) progress(env *cli.Env, before int) func(tried, found int) {
	tally := cli.NewTally(env.Err)
	first := -1
	return func(tried, found int) {
		if first < 0 {
			first = tried - 1
		}
		done, of := found-before, int(c.Count)-before
		if c.From != "" || c.All { // the number of attempts is known then
			done, of = tried-first, c.attempts-first
		}
		tally.Show(done, of, fmt.Sprintf("%s openings of %s attempts", format.Count(found), format.Count(tried)))
	}
}

func engineText(plan *match.Plan) string {
	p := plan.Players[0]
	words := []string{"engine=" + p.Identity.Reference()}
	for _, o := range p.Options {
		words = append(words, "option="+strconv.Quote(o.Name+"="+o.Value))
	}
	return strings.Join(words, " ")
}

// plan resolves the engine and sets MultiPV.
func (c *BookMakeCommand) plan() (*match.Plan, error) {
	if c.Plies < 1 || c.Nodes < 1 || c.Lines < 1 || c.Margin < 0 || c.Window < 0 {
		return nil,
			errors.New("--plies, --nodes and --multipv: expected numbers from 1; --margin and --window from 0")
	}
	c.Concurrency = cmp.Or(c.Concurrency, cli.Positive(runtime.NumCPU()))
	if c.From != "" || c.All {
		c.Lines = 1
	}
	options := append(slices.Clone(c.Option), "MultiPV="+strconv.Itoa(c.Lines))
	return cli.PlanEngine("book", configs.Engine{Name: "maker", Cmd: c.Engine, Dir: c.Dir}, options,
		configs.Limits{Nodes: &c.Nodes})
}
