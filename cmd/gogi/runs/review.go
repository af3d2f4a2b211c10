package runscmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gogi/cmd/gogi/cli"
	"gogi/internal/fail"
	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/internal/sanitize"
	"gogi/internal/shellwords"
	"gogi/match"
	"gogi/players"
	"gogi/report/review"
	"gogi/results"
	"gogi/results/games"
	"gogi/shogi/kifu"
	kifutext "gogi/shogi/kifu/text"
	"gogi/usi/process"
)

// ReviewCommand analyses games with an engine and marks the moves that lost the most.
type ReviewCommand struct {
	Name  string   `arg:"" name:"run" help:"Name of the run, or a file of game records."`
	Games []string `arg:"" optional:"" name:"game" help:"Games of the run, such as 12.0 (default: all games that --player and --lost select)."`
	cli.Database

	Player string `placeholder:"NAME" help:"Only games of this player."`
	Lost   bool   `help:"With --player: only games that this player lost. The table shows which of them turned at one move."`

	Engine string `required:"" placeholder:"CMD" help:"USI engine: a command, split into words as a shell does, or builtin for the built-in engine."`
	reviewFlags

	KIF   string `name:"kif" placeholder:"PATH" help:"KIF file with the marks and variations as comments; for several games a folder."`
	Again bool   `help:"Review games again that have a review."`
	JSON  bool   `name:"json" help:"Print one JSON object."`
	Quiet bool   `short:"q" help:"Print no progress."`
}

// Help returns the text below the usage line of --help.
func (*ReviewCommand) Help() string {
	return `Examples:

	gogi review lmr7 12.0 --engine ./engine --time 1s     one game; its page shows the review, see gogi serve
	gogi review lmr7 --player dev --lost --engine ./engine --nodes 100000
	gogi review game.kif --engine ./engine --kif marked.kif

The review of a stored game goes to DB-reviews/RUN/PAIR.LEG.json, and the page of the game shows it. A second command reviews
only games without a review. The win probability of a value of V centipawns is 1/(1 + exp(-V/600)).`
}

// Run reviews the games and prints the marked moves, or a table of several games.
func (c *ReviewCommand) Run(ctx context.Context, env *cli.Env) error {
	marks, err := c.check("--")
	if c.Lost && c.Player == "" {
		err = errors.Join(err, errors.New("--lost: it needs --player NAME"))
	}
	if err != nil {
		return fail.Usage(err)
	}
	return cli.WithGuard(ctx, env, func(ctx context.Context, guard *process.Guard, _ *cli.Interrupts) error {
		r := &reviewer{
			ReviewCommand: c, env: env, kept: map[string]int{},
			analyst: &analyst{reviewFlags: c.reviewFlags, command: c.Engine, marks: marks,
				opener: &players.Opener{Guard: guard, Warn: env.Warn}, quiet: c.Quiet},
		}
		defer r.close()
		if err := r.games(ctx); err != nil {
			return err
		}
		return r.finish()
	})
}

// reviewed is a game with its review.
type reviewed struct {
	name   string // PAIR.LEG, or the place in a file
	record kifu.Record
	lost   bool   // the side lost the game
	side   string // side of --player; without --player the side that lost, if one did
	review *review.Review
}

// chooseSide sets the side of a player, or of the loser if player is "".
func (g *reviewed) chooseSide(player string) {
	g.side = "black"
	if player == "" && g.record.Winner == "black" || player != "" && g.record.White == player {
		g.side = "white"
	}
	g.lost = g.record.Winner != "" && g.record.Winner != "draw" && g.record.Winner != g.side
}

// reviewer reviews the games of one command. It starts the engine for the first game that has no review.
type reviewer struct {
	*ReviewCommand
	*analyst
	env  *cli.Env
	list []reviewed
	kept map[string]int // number of games that had a review, by its engine and limit
}

// games reviews the games that the command selects.
func (r *reviewer) games(ctx context.Context) error {
	switch info, err := os.Stat(r.Name); {
	case err == nil && !info.IsDir():
		return r.file(ctx)
	case err == nil && strings.Contains(r.Name, "/"):
		return fail.Usage(fmt.Errorf("%s is a folder; give a file of game records", r.Name))
	}
	if _, err := os.Stat(r.DB); errors.Is(err, fs.ErrNotExist) && looksLikeFile(r.Name) {
		return fail.Usage(fmt.Errorf("%s not found; check the path of the game record", r.Name))
	}
	return r.Read(ctx, func(store *results.Store) error {
		info, err := store.FindRun(ctx, r.Name)
		if none, noRun := errors.AsType[*results.NoRun](err); noRun && looksLikeFile(r.Name) {
			return fail.Usage(fmt.Errorf("%s: no file and no run has this name; check the path, or name a run of %s: %s", r.Name,
				r.DB, strings.Join(none.Names, ", ")))
		}
		if err != nil {
			return err
		}
		if r.Player != "" && !slices.Contains(info.Players, r.Player) {
			return fail.Usage(fmt.Errorf("--player %s: run %s has no such player; expected one of %s", r.Player, info.Name,
				strings.Join(info.Players, ", ")))
		}
		wanted := map[results.GamePlace]bool{}
		for _, name := range r.Games {
			pair, leg, err := cli.GameName(name)
			if err != nil {
				return fail.Usage(err)
			}
			if _, _, err := storedGame(ctx, store, info, pair, leg); err != nil {
				return err
			}
			wanted[results.GamePlace{Pair: pair, Leg: leg}] = true
		}
		search := results.Search{Player: r.Player}
		if r.Lost {
			search.Result = "loss"
		}
		return r.stored(ctx, store, info, search, wanted)
	})
}

// looksLikeFile reports whether the name of a run that does not exist is probably the path of a file.
func looksLikeFile(name string) bool {
	_, record := kifutext.OfFile(kifutext.Text(), name)
	return record || strings.Contains(name, "/")
}

func (r *reviewer) stored(ctx context.Context, store *results.Store, info *results.RunInfo, search results.Search,
	wanted map[results.GamePlace]bool) error {
	completer, err := games.NewCompleter(info)
	if err != nil {
		return err
	}
	return store.Records(ctx, info.ID, search, func(row match.Row, record kifu.Record) error {
		if len(wanted) > 0 && !wanted[results.GamePlace{Pair: row.Pair, Leg: row.Leg}] {
			return nil
		}
		completer.Complete(row, &record)
		g := reviewed{name: fmt.Sprintf("%d.%d", row.Pair, row.Leg), record: record}
		g.chooseSide(r.Player)
		path := review.Path(r.DB, info.Name, row.Pair, row.Leg)
		if g.review, err = review.Load(path); err != nil && !r.Again {
			return err
		}
		if g.review != nil && !r.Again {
			r.kept[g.review.Engine+", "+g.review.Limit]++
		}
		if g.review == nil || r.Again || g.review.Fits(&record) != nil {
			if g.review, err = r.analyse(ctx, g.name, &g.record); err != nil {
				return err
			}
			if path, err = review.PathNow(ctx, store, info, row.Pair, row.Leg); err != nil {
				return err
			}
			if err := g.review.Save(path); err != nil {
				return err
			}
		}
		r.list = append(r.list, g)
		return nil
	})
}

// file reviews the games of a file of records.
func (r *reviewer) file(ctx context.Context) error {
	if len(r.Games) > 0 || r.Player != "" {
		return fail.Usage(fmt.Errorf("%s: it is a file, so gogi reviews all its games; import it with gogi import to select games", r.Name))
	}
	refused := func(at games.Refusal) { fmt.Fprintf(r.env.Err, "refused %s: %s\n", at.Place(), at.Why) }
	return games.Each(ctx, []string{r.Name}, r.env.In, refused, func(record *kifu.Record, at games.Refusal) error {
		g := reviewed{name: at.Place(), record: *record}
		g.chooseSide(r.Player)
		var err error
		if g.review, err = r.analyse(ctx, g.name, &g.record); err == nil {
			r.list = append(r.list, g)
		}
		return err
	})
}

// analyse reviews one game and shows its progress.
func (r *reviewer) analyse(ctx context.Context, name string, record *kifu.Record) (*review.Review, error) {
	var done func(done, of int)
	if !r.Quiet {
		tally := cli.NewTally(r.env.Err)
		done = func(done, of int) { tally.Show(done, of, "positions of game "+name) }
	}
	out, err := r.review(ctx, record, done)
	if err != nil {
		return nil, fmt.Errorf("game %s: %w", name, err)
	}
	return out, nil
}

// finish writes the KIF files and prints the reviews.
func (r *reviewer) finish() error {
	if len(r.list) == 0 {
		return r.noGame()
	}
	if err := r.writeKIF(); err != nil {
		return err
	}
	for _, by := range slices.Sorted(maps.Keys(r.kept)) {
		if !r.Quiet {
			r.env.Warn(i18n.Of("%s of these games had a review already (%s); --again reviews them again",
				format.Count(r.kept[by]), by))
		}
	}
	switch {
	case r.JSON:
		out := Reviews{Version: 1}
		for i := range r.list {
			out.Reviews = append(out.Reviews, ReviewOf{r.list[i].name, r.list[i].review})
		}
		return format.JSON(r.env.Out, out)
	case len(r.list) == 1:
		r.printGame(&r.list[0])
	default:
		r.printTable()
	}
	return nil
}

// noGame returns the error for a command that selects no game.
func (r *reviewer) noGame() error {
	if r.Lost {
		return fmt.Errorf("%s: player %s lost none of the selected games; leave out --lost to review the others", r.Name,
			r.Player)
	}
	return fmt.Errorf("%s: no game is stored or selected; gogi games %s lists the games of the run", r.Name,
		shellwords.Quote(r.Name))
}

// Reviews is the JSON object of gogi review.
type Reviews struct {
	Version int        `json:"version"`
	Reviews []ReviewOf `json:"reviews"`
}

// ReviewOf is the review of one game.
type ReviewOf struct {
	Game string `json:"game"` // PAIR.LEG, or the place of the game in its file
	*review.Review
}

// writeKIF writes one KIF file for each game, if the user asks for it.
func (r *reviewer) writeKIF() error {
	if r.KIF == "" {
		return nil
	}
	for i := range r.list {
		g := &r.list[i]
		path := r.KIF
		if info, err := os.Stat(path); len(r.list) > 1 || err == nil && info.IsDir() {
			if err := os.MkdirAll(path, 0o755); err != nil {
				return fmt.Errorf("--kif: %w", err)
			}
			path = filepath.Join(path, strings.ReplaceAll(filepath.Base(g.name), " ", "-")+".kif")
		}
		record := g.record
		record.Moves = append([]kifu.Move{}, record.Moves...)
		if err := g.review.Annotate(&record); err != nil {
			return err
		}
		text, err := kifutext.AppendKIF(nil, &record)
		if err != nil {
			return err
		}
		err = games.Whole(path, func(w io.Writer) error {
			_, err := w.Write(text)
			return err
		})
		if err != nil {
			return fmt.Errorf("--kif: %w", err)
		}
	}
	return nil
}

// printGame writes the marked moves of a game.
func (r *reviewer) printGame(g *reviewed) {
	in, w, v := r.env.Language, r.env.Out, g.review
	names := g.record.Names()
	fmt.Fprintln(w, i18n.Say(in, "game %s: %s – %s; %s, %s", g.name, sanitize.Printable(names[0], 60),
		sanitize.Printable(names[1], 60), v.Engine, v.Limit))
	t := format.Table(i18n.Heads(in, "ply", "move", "by", "mark", "loss", "win probability", "better")...)
	for i := range v.Moves {
		m := &v.Moves[i]
		if m.Mark == review.NoMark {
			continue
		}
		by := names[0]
		if m.Side == "white" {
			by = names[1]
		}
		better := ""
		if len(m.Lines) > 0 {
			var words []string
			for _, move := range m.Lines[0].PV[:min(5, len(m.Lines[0].PV))] {
				words = append(words, move.String())
			}
			better = strings.Join(words, " ")
		}
		t.AppendRow([]any{m.Ply, m.Move.String(), sanitize.Printable(by, 30), string(m.Mark), fmt.Sprintf("%.0f%%", m.Loss),
			fmt.Sprintf("%.0f%% → %.0f%%", m.Before, m.After), better})
	}
	if t.Length() > 0 {
		format.Render(w, t)
	} else {
		fmt.Fprintln(w, i18n.Say(in, "no move has a mark"))
	}
	fmt.Fprintln(w, r.thresholds())
}

// thresholds describes the marks in words.
func (r *reviewer) thresholds() string {
	in := r.env.Language
	return i18n.Say(in,
		"a move that loses %s, %s or %s percentage points of win probability is an inaccuracy ?!, a mistake ? or a blunder ??",
		short(r.marks[0]), short(r.marks[1]), short(r.marks[2]))
}

func short(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// printTable writes one line for each game: the worst move, and whether the game turned at one move.
func (r *reviewer) printTable() {
	in, w := r.env.Language, r.env.Out
	t := format.Table(i18n.Heads(in, "game", "players", "??", "?", "?!", "worst move", "loss", "turned at")...)
	lost, one := 0, 0
	for i := range r.list {
		g := &r.list[i]
		names, v := g.record.Names(), g.review
		sides := []string{"black", "white"}
		if r.Player != "" {
			sides = []string{g.side}
		}
		count := func(mark review.Mark) (n int) {
			for _, side := range sides {
				n += v.Count(side, mark)
			}
			return n
		}
		row := []any{
			g.name, sanitize.Printable(names[0], 20) + " – " + sanitize.Printable(names[1], 20),
			count(review.Blunder), count(review.Mistake), count(review.Inaccuracy), "–", "–", "–",
		}
		worst := v.Worst(sides[0])
		if other := v.Worst(sides[len(sides)-1]); worst == nil || other != nil && other.Loss > worst.Loss {
			worst = other
		}
		if worst != nil {
			row[5], row[6] = fmt.Sprintf("%d. %s", worst.Ply, worst.Move), fmt.Sprintf("%.0f%%", worst.Loss)
		}
		if g.lost {
			lost++
			if turn, single := v.Turn(g.side); turn != nil {
				row[7] = fmt.Sprintf("%d. %s", turn.Ply, turn.Move)
				if single {
					one++
					row[7] = row[7].(string) + " ??"
				}
			}
		}
		t.AppendRow(row)
	}
	format.Render(w, t)
	fmt.Fprintln(w,
		i18n.Say(in,
			"turned at: the last move before which the loser's win probability was at least 50%; many small losses may turn a game, so this move may have no mark; –: the game has no loser, or the probability was below 50% before each reviewed move"))
	if r.Player != "" {
		fmt.Fprintln(w,
			i18n.Say(in,
				"%s of %s lost games turned at one move: a blunder ?? took %s from at least 50%% to below 50%%, and the win probability never returned", format.Count(one), format.Count(lost), r.Player))
	}
	fmt.Fprintln(w, r.thresholds())
}
