package recordscmd

import (
	"errors"
	"fmt"
	"io"
	"os"

	"gogi/cmd/gogi/cli"
	"gogi/internal/disk"
	"gogi/internal/fail"
	"gogi/internal/format"
	"gogi/internal/sanitize"
	"gogi/results/games"
	"gogi/runner/selfplay"
	"gogi/shogi/book"
	"gogi/shogi/kifu"
	"gogi/shogi/kifu/convert"
	"gogi/shogi/kifu/packed"
	"gogi/usi"
)

// ConvertCommand converts records, training data or books to another format.
type ConvertCommand struct {
	File string `arg:"" help:"File to read; - is standard input."`
	To   string `arg:"" optional:"" help:"File to write; - is standard output."`

	Show     bool   `help:"Print the file as JSON lines and report illegal moves, instead of converting it. After a book gogi prints its size on standard error."`
	Position string `placeholder:"LINE" help:"With --show: print the moves of a book in this position, such as \"startpos moves 7g7f\" or \"sfen …\"."`
	From     string `placeholder:"NAME" help:"Format of the input, if its name does not show it: ${formats}."`
	Format   string `placeholder:"NAME" help:"Format of the output, if its name does not show it."`

	packed.Options
}

// Run converts the file and prints what it skipped. The exit code is 3 if something could not be read or
// written.
func (c *ConvertCommand) Run(env *cli.Env) error {
	switch {
	case c.Position != "" && !c.Show:
		return fail.Usage(errors.New("--position: it needs --show"))
	case c.Show && (c.To != "" || c.Format != ""):
		return fail.Usage(errors.New("--show: it writes no file; leave out the second file and --format"))
	case c.Show && len(c.Unused("")) > 0:
		return fail.Usage(fmt.Errorf("--%s: it has no effect on --show; remove it", c.Unused("")[0]))
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
	for _, name := range convert.Unused(to, from, c.Options) {
		return fail.Usage(fmt.Errorf("--%s: it has no effect on a conversion from %s to %s; remove it", name, from.Name,
			to.Name))
	}
	c.Votes = selfplay.VoteCounts
	in, closing, err := input(env, c.File)
	if err != nil {
		return err
	}
	if from.IsText() && !to.IsText() && !to.IsBook() {
		if in, closing, err = c.learnMates(in, closing, from); err != nil {
			return errors.Join(err, closing())
		}
	}
	var done convert.Done
	err = whole(env, c.To, func(w io.Writer) (err error) {
		done, err = convert.Convert(w, to, c.File, in, from, c.Options)
		return err
	})
	if err = errors.Join(err, closing()); err != nil {
		return err
	}
	for _, why := range done.Warnings {
		fmt.Fprintf(env.Err, "warning: %v\n", why)
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

// learnMates reads the games once, and lets the conversion count centipawns as mates if the games show that a player
// means mates by them. It returns the input for a second reading, and its end. An input that cannot be read twice goes
// through a temporary file.
func (c *ConvertCommand) learnMates(in io.Reader, closing func() error, from convert.Kind) (io.Reader, func() error,
	error) {
	file, ok := in.(io.ReadSeeker)
	if _, err := seekStart(file, ok); err != nil {
		spool, err := os.CreateTemp("", "gogi-convert-")
		if err != nil {
			return in, closing, err
		}
		before := closing
		closing = func() error { return errors.Join(before(), spool.Close(), os.Remove(spool.Name())) }
		if _, err = io.Copy(spool, in); err == nil {
			_, err = spool.Seek(0, io.SeekStart)
		}
		if err != nil {
			return in, closing, err
		}
		file = spool
	}
	scales := usi.MateScales{}
	err := convert.EachGame(c.File, file, from, func(r *kifu.Record) { scales.Learn(r.Black, r.White, r) })
	if err == nil {
		_, err = file.Seek(0, io.SeekStart)
	}
	c.Rescale = func(r *kifu.Record) error { return scales.Rescale(r.Black, r.White, r) }
	return file, closing, err
}

// seekStart seeks the start of a file. It returns an error for an input that cannot seek, such as a pipe.
func seekStart(file io.ReadSeeker, ok bool) (int64, error) {
	if !ok {
		return 0, errors.ErrUnsupported
	}
	return file.Seek(0, io.SeekStart)
}

func skipped(t packed.Tally) (text string) {
	for _, part := range []struct {
		n    int
		what string
	}{{t.Opening, "of openings"}, {t.Unscored, "without a score"}, {t.Mates, "with a mate"}, {t.Cut, "without a king"},
		{t.Clamped, "with a score or mate limited to ±32000"}} {
		if part.n > 0 {
			text += fmt.Sprintf("; %s positions %s", format.Count(part.n), part.what)
		}
	}
	return text
}

// whole writes a file with games.Whole, or to standard output if name is "-".
func whole(env *cli.Env, name string, write func(w io.Writer) error) error {
	if name == "-" {
		return write(sanitize.Raw(env.Out))
	}
	return games.Whole(name, write)
}

// show prints the contents of the file, one JSON object per line. If an entry cannot be read or is illegal,
// it returns an error with exit code 1.
func (c *ConvertCommand) show(env *cli.Env) error {
	kind, err := convert.KindOf(c.From, c.File)
	if err != nil {
		return fail.Usage(err)
	}
	if c.Position != "" {
		return c.position(env)
	}
	in, closing, err := input(env, c.File)
	if err != nil {
		return err
	}
	found, err := convert.Inspect(env.Out, c.File, in, kind)
	if err = errors.Join(err, closing()); err != nil {
		return fmt.Errorf("%s: %w", c.File, err)
	}
	if found.Book != nil {
		printSize(env.Err, c.File, found.Book)
	}
	if found.Bad > 0 {
		return fmt.Errorf("%s: %d of %d cannot be read or are illegal", c.File, found.Bad, found.Bad+found.Good)
	}
	return nil
}

// printSize prints how many positions a book has, and what keeps engines from finding all of them.
func printSize(w io.Writer, file string, b *book.Book) {
	positions, moves := b.Merged().Size()
	fmt.Fprintf(w, "%s · %s · %s with %s\n", file, b.Format, format.NumberOf(positions, "position"),
		format.NumberOf(moves, "move"))
	if b.Unsorted {
		fmt.Fprintln(w, "it is not sorted: engines that search in the file do not find all positions")
	}
	if n := b.Unnumbered(); n > 0 {
		fmt.Fprintf(w, "%s no known move number\n", format.NumberOf(n, "position")+have(n))
	}
}

// position prints the moves of the book in the position of --position.
func (c *ConvertCommand) position(env *cli.Env) error {
	asked, err := usi.ParsePosition(c.Position)
	if err != nil {
		return fail.Usage(fmt.Errorf("--position: %w", err))
	}
	h, err := asked.History()
	if err != nil {
		return fail.Usage(fmt.Errorf("--position: %w", err))
	}
	b, err := bookFile{c.File, c.From}.open()
	if err != nil {
		return err
	}
	e := b.Find(h.Position())
	if e == nil {
		return fmt.Errorf("%s: the book does not have the position", c.File)
	}
	printEntry(env.Out, e, b.Plies(h.Position()))
	return nil
}

func input(env *cli.Env, name string) (io.Reader, func() error, error) {
	if name == "-" {
		return env.In, func() error { return nil }, nil
	}
	f, err := disk.Open(name)
	if err != nil {
		return nil, nil, err
	}
	return f, f.Close, nil
}
