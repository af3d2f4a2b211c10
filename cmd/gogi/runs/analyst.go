package runscmd

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"gogi/cmd/gogi/cli"
	"gogi/configs"
	"gogi/internal/fail"
	"gogi/internal/i18n"
	"gogi/match"
	"gogi/players"
	"gogi/report/review"
	"gogi/runner"
	"gogi/shogi/kifu"
	"gogi/usi"
)

// reviewFlags has the flags of the analysis of games by an engine.
type reviewFlags struct {
	Option  []string      `sep:"none" placeholder:"NAME=VALUE" help:"Option of the engine; may be repeated."`
	Profile string        `placeholder:"NAME" help:"Preset option values for a family of engines. The only preset is yaneuraou."`
	Nodes   uint64        `placeholder:"N" help:"Number of nodes for each position."`
	Time    time.Duration `placeholder:"DUR" help:"Search time for each position (default 1s, without a number of nodes)."`
	Lines   int           `default:"3" placeholder:"N" help:"Number of variations of each position, if the engine has the option MultiPV (default ${default})."`
	Marks   string        `default:"5,10,20" placeholder:"A,B,C" help:"Losses of win probability, in percentage points, from which a move is an inaccuracy ?!, a mistake ? and a blunder ?? (default ${default})."`
}

// check returns the thresholds of the marks. prefix is the beginning of the flags' names, such as "--".
func (f *reviewFlags) check(prefix string) (marks review.Marks, err error) {
	words := strings.Split(f.Marks, ",")
	if len(words) != len(marks) {
		return marks, fmt.Errorf("%smarks %s: expected three losses, such as 5,10,20", prefix, f.Marks)
	}
	for i, w := range words {
		if marks[i], err = strconv.ParseFloat(w, 64); err != nil {
			return marks, fmt.Errorf("%smarks %s: expected three losses, such as 5,10,20", prefix, f.Marks)
		}
	}
	if err := marks.Check(); err != nil {
		return marks, fmt.Errorf("%smarks: %w", prefix, err)
	}
	switch {
	case f.Nodes > 0 && f.Time > 0:
		return marks, fmt.Errorf("%snodes, %[1]stime: one of them limits each search; leave one out", prefix)
	case f.Time < 0:
		return marks, fmt.Errorf("%stime %v: expected a time above 0, such as 1s", prefix, f.Time)
	case f.Lines < 1 || f.Lines > 10:
		return marks, fmt.Errorf("%slines %d: expected 1 to 10", prefix, f.Lines)
	}
	return marks, nil
}

// analyst reviews games with an engine, which it starts for the first game.
type analyst struct {
	reviewFlags
	command string // of the engine
	marks   review.Marks
	opener  *players.Opener
	quiet   bool          // no warning if the engine has one variation
	engine  runner.Player // nil: not started
	lines   int           // number of variations that the engine can give
}

func (a *analyst) close() {
	if a.engine != nil {
		_ = a.engine.Close() // the reviews are complete
		a.engine = nil
	}
}

// review reviews one game. It calls done after each position, unless done is nil.
func (a *analyst) review(ctx context.Context, record *kifu.Record, done func(positions, of int)) (*review.Review,
	error) {
	if a.engine == nil {
		if err := a.open(ctx); err != nil {
			return nil, err
		}
	}
	s := review.Settings{Limits: a.limits(), Lines: a.lines, Marks: a.marks, Scale: review.DefaultScale, Done: done}
	for s.First < len(record.Moves) && record.Moves[s.First].Opening {
		s.First++
	}
	out, err := review.Analyse(ctx, a.engine, record, s)
	if err != nil {
		return nil, err
	}
	p := a.opener.Plan.Players[0]
	out.Engine, out.ID, out.Limit = filepath.Base(p.Command[0]), p.Identity.Reference(),
		strings.TrimPrefix(s.Limits.String(), "go ")
	if p.Builtin {
		out.Engine = "builtin"
	}
	return out, nil
}

func (a *analyst) limits() usi.Go {
	if a.Nodes == 0 && a.Time == 0 {
		return usi.Go{MoveTime: time.Second}
	}
	return usi.Go{Nodes: a.Nodes, MoveTime: a.Time}
}

// open starts the engine. It sets MultiPV if the engine has this option and the user does not set it.
func (a *analyst) open(ctx context.Context) (err error) {
	if a.opener.Plan, err = a.plan(a.Option); err != nil {
		return fail.Usage(err)
	}
	greetings, err := a.opener.GreetAll(ctx)
	if err != nil {
		return err
	}
	a.lines = 1
	if _, has := usi.FindOption(greetings[0].Options, "MultiPV"); has {
		if a.lines = a.Lines; a.lines > 1 {
			a.opener.Plan, err = a.plan(append([]string{"MultiPV=" + strconv.Itoa(a.lines)}, a.Option...))
		}
	} else if a.Lines > 1 && !a.quiet {
		a.opener.Warn(i18n.Of("%s has no option MultiPV, so the review has one variation for each position", a.command))
	}
	if err != nil {
		return fail.Usage(err)
	}
	a.engine, err = a.opener.Open(ctx, a.opener.Plan.Players[0], nil)
	return err
}

func (a *analyst) plan(options []string) (*match.Plan, error) {
	limits, say := configs.Limits{}, a.limits()
	if say.Nodes > 0 {
		limits.Nodes = &say.Nodes
	} else {
		limits.MoveTime = &say.MoveTime
	}
	return cli.PlanEngine("review", configs.Engine{Name: "reviewer", Cmd: a.command, Profile: a.Profile}, options, limits)
}

// errNoToken is the error for a review engine of pages without a token.
var errNoToken = errors.New("--review-engine: it needs --token-file, because only holders of the token may start the engine from a page")
