package recordscmd

import (
	"errors"
	"fmt"
	"io"

	"gogi/cmd/gogi/cli"
	"gogi/internal/fail"
	"gogi/internal/format"
	"gogi/runner/selfplay"
	"gogi/shogi/kifu/convert"
	"gogi/shogi/kifu/packed"
)

// ConvertCommand turns records or training data of one format into another.
type ConvertCommand struct {
	File string `arg:"" help:"File to read; - is standard input."`
	To   string `arg:"" optional:"" help:"File to write; - is standard output."`

	Show   bool   `help:"Print the file as JSON lines and report illegal moves, instead of converting it."`
	From   string `placeholder:"NAME" help:"Format of the input, if its name does not show it: csa, kif, jkf, usi, jsonl, psv, hcpe, hcpe2, hcpe3, pack, packedsfen, hcp, db, ybb, apery."`
	Format string `placeholder:"NAME" help:"Format of the output, if its name does not show it."`

	Training
}

// Training is which positions become training data.
type Training struct {
	NoMate   bool `help:"Skip positions with a mate score."`
	Unscored bool `help:"Include moves without a score, with score 0."`
	Opening  bool `help:"Include the moves of the opening."`
	Played   bool `help:"With hcpe3: write the played move as the only candidate if there are no votes; dlshogi needs a candidate."`
}

// Options are the options as package packed has them.
func (t Training) Options() packed.Options {
	return packed.Options{NoMate: t.NoMate, Unscored: t.Unscored, Opening: t.Opening, Played: t.Played, Votes: selfplay.VoteCounts}
}

// Run converts, and tells what was left out; anything that could not be read or written
// makes the exit code 3.
func (c *ConvertCommand) Run(env *cli.Env) error {
	switch {
	case c.Show && (c.To != "" || c.Format != ""):
		return fail.Usage(errors.New("--show: it writes no file; leave out the second file and --format"))
	case c.Show:
		return c.show(env)
	case c.To == "":
		return fail.Usage(errors.New("gogi convert: expected a file to write, or --show to print FILE"))
	}
	from, err := convert.KindOf(c.From, c.File)
	to, err2 := convert.KindOf(c.Format, c.To)
	if err = errors.Join(err, err2); err != nil {
		return fail.Usage(err)
	}
	in, closing, err := input(env, c.File)
	if err != nil {
		return err
	}
	var done convert.Done
	err = whole(env, c.To, func(w io.Writer) (err error) {
		done, err = convert.Convert(w, to, c.File, in, from, c.Options())
		return err
	})
	if err = errors.Join(err, closing()); err != nil {
		return err
	}
	for _, why := range done.Refused {
		fmt.Fprintf(env.Err, "left out: %v\n", why)
	}
	fmt.Fprintf(env.Err, "%s read, %s written, %s left out%s\n",
		format.Count(done.Read), format.Count(done.Written), format.Count(done.Skipped), skipped(done.Training))
	if done.Skipped > 0 {
		return &cli.Exit{Code: cli.Unplayed}
	}
	return nil
}

// skipped says which positions of games are no training data.
func skipped(t packed.Tally) (text string) {
	for _, part := range []struct {
		n    int
		what string
	}{{t.Opening, "of openings"}, {t.Unscored, "without a score"}, {t.Mates, "with a mate"}, {t.Cut, "without a king"}} {
		if part.n > 0 {
			text += fmt.Sprintf("; %s positions %s", format.Count(part.n), part.what)
		}
	}
	return text
}
