// Package recordscmd implements the commands about game records, training data, books, reviews and self-play:
// flags, files and exit codes. Packages results/games, shogi/kifu/convert, shogi/book, match/openings,
// report/review, report/strength and runner/selfplay do the work.
package recordscmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"gogi/cmd/gogi/cli"
	"gogi/internal/fail"
	"gogi/internal/format"
	"gogi/internal/sanitize"
	"gogi/match"
	"gogi/results"
	"gogi/results/games"
	"gogi/runner/selfplay"
	"gogi/shogi"
	"gogi/shogi/kifu/packed"
	"gogi/shogi/kifu/text"
)

// ExportCommand writes games into files.
type ExportCommand struct {
	What []string `arg:"" optional:"" name:"run or game" help:"Name of the run (default: the newest), then games such as 12.0 (default: all)."`
	cli.Database
	Format   string             `default:"csa" placeholder:"NAME" help:"Format: ${records}, ${packed} (default: ${default}). csa is as floodgate writes it, and jsonl has all data."`
	To       string             `default:"-" placeholder:"DIR|FILE" help:"File for all games, or folder for one file for each game (a new folder needs a slash at its end); - is standard output (default)."`
	Encoding string             `enum:"utf8,sjis" default:"utf8" help:"Encoding: utf8 or sjis [${encoded}] (default ${default})."`
	Player   string             `placeholder:"NAME" help:"Only games of this player."`
	End      string             `name:"termination" placeholder:"WORD" help:"Only games with this end, such as resignation."`
	LostFrom int                `placeholder:"CP" more:"" help:"Only games that a player (--player) lost after it had a score of at least CP centipawns."`
	MinPlies int                `placeholder:"N" more:"" help:"Only games of at least N plies."`
	Opening  string             `placeholder:"ID" help:"Only games from this opening."`
	Pairs    string             `placeholder:"A-B" help:"Only games of pairs A to B, or of one pair."`
	Rating   map[string]float64 `placeholder:"NAME=R" more:"" help:"Rating that gogi writes for a player in csa and jsonl files, for training scripts that need ratings; may be repeated."`
	Unscored bool               `help:"Training data: include moves without a score, with score 0."`
	Given    bool               `name:"with-opening" help:"Training data: include the moves of the opening."`
	NoMate   bool               `help:"Training data: skip positions with a mate score."`
	Played   bool               `more:"" help:"For hcpe3: write the played move as the candidate of a position without votes of a council, because dlshogi needs a candidate."`
	Shard    cli.Positive       `placeholder:"N" help:"Training data: number of positions in each file."`
	Shuffle  bool               `help:"Training data: shuffle the positions."`
	Seed     uint64             `name:"shuffle-seed" default:"1" placeholder:"N" more:"" help:"With --shuffle: seed of the order (default: ${default})."`
	JSON     bool               `name:"json" help:"With --to: print one JSON object with what gogi wrote."`

	training *packed.Tally // counts of training data without --shard and --shuffle
}

// Run exports the games, and prints on stderr what it skipped.
func (c *ExportCommand) Run(ctx context.Context, env *cli.Env) error {
	export, err := c.export()
	if err != nil {
		return fail.Usage(err)
	}
	return c.Read(ctx, func(store *results.Store) error { return c.from(ctx, env, store, export) })
}

func (c *ExportCommand) export() (*games.Export, error) {
	options := packed.Options{Opening: c.Given, Unscored: c.Unscored, NoMate: c.NoMate, Played: c.Played,
		Rule: shogi.CSARule27, Votes: selfplay.VoteCounts}
	c.training = &packed.Tally{}
	f, err := text.Find(games.Formats(options, c.training), c.Format)
	if err != nil {
		return nil, fmt.Errorf("--format: %w", err)
	}
	for _, name := range options.Unused(c.Format) {
		return nil, fmt.Errorf("--%s: it has no effect on %s; remove it", strings.Replace(name, "opening", "with-opening", 1),
			c.Format)
	}
	_, isText := packed.Find(c.Format) // an error for a format of text
	e := &games.Export{Format: f, ShiftJIS: c.Encoding == "sjis", Ratings: c.Rating, Training: isText == nil}
	if c.Shard != 0 || c.Shuffle {
		if e.Shards, err = c.shards(options); err != nil {
			return nil, err
		}
	}
	if len(c.Rating) > 0 && c.Format != "csa" && c.Format != "jsonl" {
		return nil, fmt.Errorf("--rating: it has no effect on %s; expected csa or jsonl", c.Format)
	}
	if e.ShiftJIS && !f.Text {
		return nil, fmt.Errorf("--encoding sjis: %s is in UTF-8 or no text; expected one of %s", c.Format,
			strings.Join(text.Encoded(), ", "))
	}
	if c.JSON && c.To == "-" {
		return nil,
			errors.New("--json: the games themselves go to the standard output: expected --to with a folder or a file")
	}
	e.Filter = games.Filter{LostFrom: c.LostFrom,
		Search: results.Search{Player: c.Player, Opening: c.Opening, MinPlies: c.MinPlies,
			Termination: match.Termination(c.End)}}
	if c.Pairs != "" {
		if e.Filter.Pairs, err = cli.Pairs(c.Pairs); err != nil {
			return nil, err
		}
	}
	return e, nil
}

func (c *ExportCommand) shards(options packed.Options) (*games.Shards, error) {
	f, err := packed.Find(c.Format)
	if err != nil || f.Bare {
		return nil, fmt.Errorf("--shard and --shuffle: they have no effect on %s; expected one of %s", c.Format,
			strings.Join(packed.TrainingNames(), ", "))
	}
	return &games.Shards{Format: f, Options: options, Positions: int(c.Shard), Shuffle: c.Shuffle, Seed: c.Seed}, nil
}

func (c *ExportCommand) from(ctx context.Context, env *cli.Env, store *results.Store, export *games.Export) error {
	info, err := c.find(ctx, store, export)
	if err != nil {
		return err
	}
	if c.Player != "" && !slices.Contains(info.Players, c.Player) {
		return fail.Usage(fmt.Errorf("--player %q: run %s has %s", c.Player, info.Name, strings.Join(info.Players, ", ")))
	}
	tally, err := export.Run(ctx, store, info, c.To, sanitize.Raw(env.Out))
	if err != nil {
		return err
	}
	tally.Training.Add(*c.training)
	return c.report(env, info.Name, tally)
}

// find returns the run that the arguments name, and adds the named games to the export. An argument such as
// 12.0 is a game unless a run has that name.
func (c *ExportCommand) find(ctx context.Context, store *results.Store, export *games.Export) (*results.RunInfo,
	error) {
	run := ""
	for i, word := range c.What {
		pair, leg, err := cli.GameName(word)
		if err == nil && i == 0 {
			var none *results.NoRun
			_, notRun := store.FindRun(ctx, word)
			if notRun == nil || !errors.As(notRun, &none) {
				err = errors.New("it is a run")
			}
		}
		switch {
		case err == nil:
			export.Filter.Games = append(export.Filter.Games, results.GamePlace{Pair: pair, Leg: leg})
		case i == 0:
			run = word
		default:
			return nil, fail.Usage(fmt.Errorf("%q: expected one run, and behind it games such as 12.0", word))
		}
	}
	return cli.FindRun(ctx, store, run)
}

// An ExportResult is the JSON object of gogi export.
type ExportResult struct {
	Version int    `json:"version"` // 1
	Run     string `json:"run"`     // name of the run
	Format  string `json:"format"`  // value of --format
	To      string `json:"to"`      // value of --to
	*games.Tally
}

// report prints how many games and positions were written and how many were skipped. If games were skipped,
// the exit code is 3.
func (c *ExportCommand) report(env *cli.Env, run string, tally *games.Tally) error {
	if c.JSON {
		err := format.JSON(env.Out, ExportResult{1, run, c.Format, c.To, tally})
		if err != nil {
			return err
		}
	}
	if c.To != "-" && !c.JSON {
		fmt.Fprintf(env.Err, "%s of run %s written to %s as %s\n", format.NumberOf(tally.Games, "game"), format.Name(run),
			c.To, c.Format)
	}
	if text := skipped(tally.Training); text != "" && !c.JSON {
		fmt.Fprintf(env.Err, "%s\n", strings.TrimPrefix(text, "; "))
	}
	if tally.Lost > 0 {
		fmt.Fprintf(env.Err, "warning: %s that Shift_JIS does not have became \"?\"\n",
			format.NumberOf(tally.Lost, "character"))
	}
	if tally.Skips() == 0 {
		return nil
	}
	for _, why := range slices.Sorted(maps.Keys(tally.Skipped)) {
		fmt.Fprintf(env.Err, "skipped %s: %s\n", format.NumberOf(tally.Skipped[why], "game"), why)
	}
	return &cli.Exit{Code: cli.Unplayed}
}

// ImportCommand imports files of games into a database.
type ImportCommand struct {
	Files        []string `arg:"" name:"files" help:"Game files (${games}); folders, .zip and .gz; - is standard input."`
	Into         string   `name:"run" required:"" placeholder:"NAME" help:"Name of the new run."`
	DB           string   `name:"db" default:"gogi.db" placeholder:"FILE" help:"Database; gogi creates it if it does not exist."`
	OpeningPlies int      `default:"24" placeholder:"N" help:"Length of the opening in plies, for a game whose record does not mark its opening (default: ${default}). Reports count games with the same opening as dependent."`
	JSON         bool     `name:"json" help:"Print one JSON object, with every rejected game."`
}

// Run imports the games and prints the rejected games. If games were rejected, the exit code is 3.
func (c *ImportCommand) Run(ctx context.Context, env *cli.Env) error {
	if c.OpeningPlies < 0 {
		return fail.Usage(fmt.Errorf("--opening-plies %d: expected 0 or more", c.OpeningPlies))
	}
	_, missing := os.Stat(c.DB)
	store, err := results.Open(ctx, c.DB)
	if err != nil {
		return err
	}
	refused := []games.Refusal{}
	i := games.Import{Run: c.Into, Sources: c.Files, In: env.In, OpeningPlies: c.OpeningPlies,
		Refused: func(r games.Refusal) {
			if c.JSON {
				refused = append(refused, r)
				return
			}
			// An archive may contain any file names.
			fmt.Fprintf(env.Err, "refused %s: %s\n", sanitize.Printable(r.Place(), 1000), sanitize.Printable(r.Why, 1000))
		}}
	done, err := i.Into(ctx, store)
	if err = errors.Join(err, store.Close()); err != nil {
		if missing != nil && errors.Is(err, games.ErrNoGames) {
			err = errors.Join(err, os.Remove(c.DB)) // the new database is empty
		}
		return err
	}
	if c.JSON {
		err = format.JSON(env.Out, ImportResult{1, c.Into, done, refused})
	} else {
		printImported(env.Out, c.Into, done)
	}
	if err == nil && done.Refused > 0 {
		err = &cli.Exit{Code: cli.Unplayed}
	}
	return err
}

// An ImportResult is the JSON object of gogi import.
type ImportResult struct {
	Version int    `json:"version"` // 1
	Run     string `json:"run"`     // name of the new run
	*games.Imported
	Refusals []games.Refusal `json:"refusals"`
}

func printImported(w io.Writer, run string, done *games.Imported) {
	fmt.Fprintf(w, "%s of %s in run %s, %d of them new\n", format.NumberOf(done.Games, "game"),
		format.NumberOf(done.Players, "player"), format.Name(run), done.Added)
	if done.Pairs < done.Games {
		fmt.Fprintf(w, "the games are %s, as in the exported run\n", format.NumberOf(done.Pairs, "pair"))
	}
	if done.Branches > 0 {
		fmt.Fprintf(w, "%s left out: the main line is kept\n", format.NumberOf(done.Branches, "variation"))
	}
	if done.Refused > 0 {
		fmt.Fprintf(w, "%s refused\n", format.NumberOf(done.Refused, "game or file"))
	}
}
