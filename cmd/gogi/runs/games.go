package runscmd

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"

	"gogi/cmd/gogi/cli"
	"gogi/internal/fail"
	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/internal/sanitize"
	"gogi/internal/shellwords"
	"gogi/match"
	"gogi/report/stored"
	"gogi/report/text"
	"gogi/results"
	"gogi/results/games"
	"gogi/shogi/kifu"
	kifutext "gogi/shogi/kifu/text"
)

// GamesCommand lists games or prints one.
type GamesCommand struct {
	cli.Stored
	One    string `arg:"" optional:"" name:"game" help:"Game to print, such as 12.0."`
	Game   string `placeholder:"PAIR.LEG" help:"Game to print, such as 12.0."`
	Format string `placeholder:"NAME" help:"Format of the printed game: ${records} (default: usi). csa is as floodgate writes it."`
	JSON   bool   `name:"json" help:"Print one JSON object."`
}

// Run prints the list, or the selected game.
func (c *GamesCommand) Run(ctx context.Context, env *cli.Env) error {
	switch {
	case c.One != "" && c.Game != "" && c.One != c.Game:
		return fail.Usage(fmt.Errorf("gogi games: %s and --game %s name two games; give one of them", c.One, c.Game))
	case c.One != "":
		c.Game = c.One
	}
	if c.Format != "" && c.Game == "" {
		return fail.Usage(fmt.Errorf("--format belongs to --game PAIR.LEG: expected one game, or gogi export --format %s for all of them", c.Format))
	}
	err := c.show(ctx, env)
	if _, noRun := errors.AsType[*results.NoRun](err); noRun && c.Game == "" {
		if _, _, notGame := cli.GameName(c.Name); notGame == nil { // the only argument names a game
			c.Game, c.Name = c.Name, ""
			err = c.show(ctx, env)
		}
	}
	return err
}

func (c *GamesCommand) show(ctx context.Context, env *cli.Env) error {
	return c.With(ctx, func(store *results.Store, info *results.RunInfo) error {
		if c.Game != "" {
			return c.printGame(ctx, sanitize.Raw(env.Out), store, info)
		}
		return c.list(ctx, env, store, info)
	})
}

// storedGame returns a game with its record. For a game that is not stored, its error names the command that lists the
// games.
func storedGame(ctx context.Context, store *results.Store, info *results.RunInfo, pair, leg int) (match.Row,
	kifu.Record, error) {
	row, record, err := store.Game(ctx, info.ID, pair, leg)
	if errors.Is(err, results.ErrNoGame) {
		err = fmt.Errorf("game %d.%d of run %s is not stored; gogi games %s lists its games", pair, leg, info.Name,
			shellwords.Quote(info.Name))
	}
	return row, record, err
}

func (c *GamesCommand) printGame(ctx context.Context, w io.Writer, store *results.Store, info *results.RunInfo) error {
	pair, leg, err := cli.GameName(c.Game)
	if err != nil {
		return fail.Usage(err)
	}
	row, record, err := storedGame(ctx, store, info, pair, leg)
	if err != nil {
		return err
	}
	name := cmp.Or(c.Format, "usi")
	f, err := kifutext.Find(kifutext.Text(), name)
	if err != nil {
		return fail.Usage(fmt.Errorf("--format: %w", err))
	}
	if name == "usi" {
		fmt.Fprintln(w, record.USI()) // the form of a book, without "position"
		return nil
	}
	completer, err := games.NewCompleter(info)
	if err != nil {
		return err
	}
	completer.Complete(row, &record)
	text, err := f.Append(nil, &record)
	if err != nil {
		return err
	}
	_, err = w.Write(text)
	return err
}

// list prints a table of the games. It reads the games twice, first for the widths of the columns, then for
// the lines. So only one game is in memory.
func (c *GamesCommand) list(ctx context.Context, env *cli.Env, store *results.Store, info *results.RunInfo) error {
	if c.JSON {
		return stored.WriteGames(ctx, env.Out, store, info, nil)
	}
	in := env.Language
	var header []string
	for _, head := range i18n.Heads(in, "game", "plies", "opening", "Black", "White", "won by", "by", "note") {
		header = append(header, fmt.Sprint(head))
	}
	columns := format.NewColumns(header, 1, 2)
	err := eachGame(ctx, store, info, in, func(cells []string) error {
		columns.Widen(cells)
		return nil
	})
	if err != nil {
		return err
	}
	out := bufio.NewWriter(env.Out)
	columns.Head(out)
	err = eachGame(ctx, store, info, in, func(cells []string) error {
		columns.Row(out, cells)
		return nil
	})
	fmt.Fprintln(out)
	return errors.Join(err, out.Flush())
}

// eachGame calls yield with the cells of each game's line.
func eachGame(ctx context.Context, store *results.Store, info *results.RunInfo, in i18n.Language,
	yield func([]string) error) error {
	return store.Games(ctx, info.ID, func(row match.Row) error {
		r := stored.NewGame(row)
		return yield([]string{
			fmt.Sprintf("%d.%d", r.Pair, r.Leg), strconv.Itoa(r.Plies), r.Opening, r.Black, r.White, wonBy(r, in),
			text.Ending(r.Termination).In(in), sanitize.Printable(r.Note, 1000),
		})
	})
}

// wonBy returns the winner's name, or "draw". If one player plays both sides, it returns the winner's colour.
func wonBy(g stored.Game, in i18n.Language) string {
	switch {
	case g.Outcome == match.Draw.String():
		return i18n.Say(in, "draw")
	case g.Black == g.White && g.Outcome == match.BlackWins.String():
		return i18n.Say(in, "Black")
	case g.Black == g.White:
		return i18n.Say(in, "White")
	}
	return g.Winner()
}
