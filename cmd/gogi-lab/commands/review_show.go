package labcmd

import (
	"cmp"
	"context"
	"fmt"

	"gogi/cmd/gogi/cli"
	"gogi/internal/fail"
	"gogi/internal/format"
	"gogi/lab/review"
	"gogi/lab/review/sources"
	"gogi/lab/strength"
	"gogi/shogi/kifu"
	kifutext "gogi/shogi/kifu/text"
)

// reviewRules has the flags that select which moves of a review gogi counts.
type reviewRules struct {
	Scale   string   `placeholder:"FILE|N" help:"Conversion of evaluations to win rates: a file of gogi-lab review calibrate, or the evaluation with a win rate of 73% (default: 600 centipawns)."`
	From    *int     `name:"from-move" placeholder:"N" help:"Skip the moves before move N, as opening theory (default: 40)."`
	Within  *float64 `placeholder:"P" help:"Skip positions with a win rate below P or above 100 - P percent (default: 20)."`
	Decided string   `enum:"skip,stop" default:"skip" help:"Treatment of the positions that --within excludes: skip (skip only these) or stop (skip also all later moves of the player) (default: ${default})."`
	Opening *int     `placeholder:"N" help:"Last move of the opening, for the separate figures of the opening and of the rest (default: 64)."`
	Change  string   `enum:"auto,turn,move" default:"auto" help:"Two positions whose evaluations give the effect of a move. move: before and after the move. turn: the player's turn and the player's next turn, because some engines evaluate the side to move too high (auto: move, but turn for a table of Go)."`
	Per     string   `enum:"counted,own" default:"counted" help:"Number of moves by which gogi divides to get rates and averages: counted (the moves that --from-move, --within and --decided leave) or own (all moves of the player) (default: ${default})."`
}

// rules returns the rules according to the flags.
func (c *reviewRules) rules() (review.Rules, error) {
	scale, err := review.FindScale(c.Scale)
	if err != nil {
		return review.Rules{}, fail.Usage(err)
	}
	rules := review.DefaultRules(scale)
	if c.From != nil {
		rules.From = *c.From
	}
	if c.Within != nil {
		rules.Lo, rules.Hi = *c.Within, 100-*c.Within
	}
	rules.Stops = c.Decided == "stop"
	if c.Opening != nil {
		rules.Parted = *c.Opening
	}
	if c.Change != "auto" && c.Change != "" {
		rules.Change = review.Change(c.Change)
	}
	if c.Per != "" {
		rules.Per = review.Per(c.Per)
	}
	return rules, fail.Usage(rules.Check())
}

// tally reads a review file, and counts the moves that the flags select.
func (c *reviewRules) tally(path string) (*review.Tally, error) {
	rules, err := c.rules()
	if err != nil {
		return nil, err
	}
	return review.NewTally(path, rules)
}

// ReviewShowCommand prints the metrics of a review.
type ReviewShowCommand struct {
	reviewRules

	File string `arg:"" optional:"" default:"review.jsonl" help:"File that gogi-lab review wrote (default: ${default})."`
	CSV  bool   `name:"csv" help:"Print CSV instead, with a row for each player of each game: game, player, points, result, moves and figures." xor:"form"`
	JSON bool   `name:"json" help:"Print one JSON object." xor:"form"`
}

// Run prints the metrics of every player.
func (c *ReviewShowCommand) Run(env *cli.Env) error {
	t, err := c.tally(c.File)
	if err != nil {
		return err
	}
	if c.CSV {
		return strength.WriteGames(env.Out, t)
	}
	if c.JSON {
		return format.JSON(env.Out, t.JSON())
	}
	t.Print(env.Out)
	return nil
}

// ReviewCalibrateCommand fits the scale that converts an engine's evaluations to win rates.
type ReviewCalibrateCommand struct {
	File string `arg:"" optional:"" default:"review.jsonl" help:"File that gogi-lab review wrote (default: ${default})."`
	Name string `placeholder:"NAME" help:"Name of the scale in reports (default: the engine and its limit)."`
	To   string `placeholder:"FILE" help:"File to which gogi writes the scale, for --scale of gogi-lab review show."`
	JSON bool   `name:"json" help:"Print one JSON object."`
}

// Run prints the scale and how well it fits.
func (c *ReviewCalibrateCommand) Run(env *cli.Env) error {
	var k review.Calibrator
	s, err := review.Read(c.File, func(r *review.Reviewed) error {
		k.Add(r)
		return nil
	})
	if err != nil {
		return err
	}
	fit, err := k.Fit(cmp.Or(c.Name, s.Engine+", "+s.Limit))
	if err != nil {
		return err
	}
	if c.To != "" {
		if err := fit.Save(c.To); err != nil {
			return err
		}
	}
	return env.AnswerEnglish(c.JSON, fit, nil)
}

// ReviewExportCommand writes games with the engine's evaluations.
type ReviewExportCommand struct {
	reviewed

	Review string `required:"" placeholder:"FILE" help:"File that gogi-lab review wrote for these games."`
	Format string `default:"kif" placeholder:"NAME" help:"Format: ${records} (default: ${default})."`
	Scale  string `placeholder:"FILE|N" help:"Conversion of evaluations to win rates for the comments: a file of gogi-lab review calibrate, or the evaluation with a win rate of 73% (default: 600 centipawns)."`
	To     string `default:"-" placeholder:"FILE" help:"File to write; - is standard output (default)."`
}

// Run writes the games of the review in the order of the sources. If games of the review are missing in the
// sources, the exit code is 3.
func (c *ReviewExportCommand) Run(ctx context.Context, env *cli.Env) error {
	if err := c.check(); err != nil {
		return fail.Usage(err)
	}
	found := map[string]*review.Reviewed{}
	_, err := review.Read(c.Review, func(r *review.Reviewed) error {
		found[r.Game.ID] = r
		return nil
	})
	if err != nil {
		return err
	}
	scale, err := review.FindScale(c.Scale)
	if err != nil {
		return fail.Usage(err)
	}
	f, err := kifutext.Find(kifutext.Text(), c.Format)
	if err != nil {
		return fail.Usage(fmt.Errorf("--format: %w", err))
	}
	var text []byte
	lacking, refused := 0, 0
	err = c.each(ctx, env, &refused, func(g *review.Game, r *kifu.Record) error {
		v := found[g.ID]
		if v == nil {
			lacking++
			return nil
		}
		if err := sources.Annotate(r, v, scale); err != nil {
			return err
		}
		if len(text) > 0 {
			text = append(text, f.Between...)
		}
		var err error
		text, err = f.Append(text, r)
		return err
	})
	if err == nil {
		err = cli.WriteForm("--to", c.To, env.Out, func() (string, error) { return string(text), nil })
	}
	if err == nil && lacking+refused > 0 {
		err = &cli.Exit{Code: cli.Unplayed,
			Err: fmt.Errorf("%s are not in %s, %d refused", format.NumberOf(lacking, "game"), c.Review, refused)}
	}
	return err
}
