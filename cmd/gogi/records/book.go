package recordscmd

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"gogi/cmd/gogi/cli"
	"gogi/internal/fail"
	"gogi/internal/format"
	"gogi/internal/lists"
	"gogi/match/openings"
	"gogi/shogi/book"
	"gogi/shogi/kifu/convert"
)

// BookCommand groups the commands for books and sets of openings.
type BookCommand struct {
	Convert BookConvertCommand `cmd:"" help:"Convert a book, or openings, to another format"`
	Make    BookMakeCommand    `cmd:"" help:"Make a set of balanced openings with an engine"`
	Sample  BookSampleCommand  `cmd:"" help:"Select openings from a book at random"`
}

type bookFile struct {
	File string `arg:"" help:"Book file: .db, .ybb, .bin (Apery), .usi or .sfen."`
	From string `placeholder:"NAME" help:"Format of the book, if the file's name does not show it: db, ybb, apery, usi, sfen."`
}

func (f bookFile) open() (*book.Book, error) {
	if _, err := book.FormatOf(f.From, f.File); err != nil {
		return nil, fail.Usage(err)
	}
	return book.Open(f.File, f.From)
}

// BookConvertCommand converts a book to another format.
type BookConvertCommand struct {
	bookFile
	To     string `arg:"" help:"File to write; - is standard output."`
	Format string `placeholder:"NAME" help:"Format of the new file, if its name does not show it."`
}

// Run writes the book, and prints which data of the book the new format cannot store.
func (c *BookConvertCommand) Run(env *cli.Env) error {
	from, err := book.FormatOf(c.From, c.File)
	to, err2 := book.FormatOf(c.Format, c.To)
	if err = errors.Join(err, err2); err != nil {
		return fail.Usage(err)
	}
	if from.HasLines() && to.HasLines() {
		return c.lines(env, to)
	}
	b, err := c.open()
	if err != nil {
		return err
	}
	if err := whole(env, c.To, func(w io.Writer) error { return to.Write(w, b) }); err != nil {
		return err
	}
	positions, moves := b.Merged().Size()
	fmt.Fprintf(env.Err, "%s with %s; %s keeps %s\n", format.NumberOf(positions, "position"),
		format.NumberOf(moves, "move"), to.Name, to.Keeps)
	explain(env.Err, b, to)
	if b.Lost > 0 {
		fmt.Fprintf(env.Err, "warning: %s left out, because no line leads there\n", format.NumberOf(b.Lost, "position"))
	}
	return nil
}

// explain prints what changes for an engine or for gogi that plays from the book in the format to.
func explain(w io.Writer, b *book.Book, to book.Format) {
	if n := b.Renumbered(); n > 0 && !to.KeepsPlies() {
		fmt.Fprintf(w,
			"warning: the book has %s under several move numbers; %s keeps one entry for each, so the play changes; db keeps all\n", format.NumberOf(n, "position"), to.Name)
	}
	if n := b.Unnumbered(); n > 0 {
		fmt.Fprintf(w,
			"note: %s no known move number; gogi plays from them at every number, YaneuraOu needs IgnoreBookPly=true\n",
			format.NumberOf(n, "position")+have(n))
	}
	if n := b.Shallow(); n > 0 && to.KeepsDepths() {
		fmt.Fprintf(w,
			"note: %s moves without a depth of %d or more; YaneuraOu ignores them unless you set BookDepthLimit=0 (its default is %d)\n",
			format.NumberOf(n, "position")+have(n), book.BookDepthLimit, book.BookDepthLimit)
	}
}

func have(n int) string {
	if n == 1 {
		return " has"
	}
	return " have"
}

// lines converts an opening file, one line at a time.
func (c *BookConvertCommand) lines(env *cli.Env, to book.Format) error {
	in, closing, err := input(env, c.File)
	if err != nil {
		return err
	}
	count := 0
	err = whole(env, c.To, func(w io.Writer) (err error) {
		count, err = book.ConvertLines(w, in, to.Name)
		return err
	})
	if err = errors.Join(err, closing()); err != nil {
		return fmt.Errorf("%s: %w", c.File, err)
	}
	fmt.Fprintf(env.Err, "%s\n", format.NumberOf(count, "line"))
	return nil
}

// printEntry prints a position with its moves. plies has the move numbers under which the book has the position.
func printEntry(w io.Writer, e *book.Entry, plies []int) {
	fmt.Fprintf(w, "\n%s\n", e.SFEN())
	if len(plies) > 1 {
		texts := lists.Map(plies, strconv.Itoa)
		fmt.Fprintf(w, "the book has the position under the move numbers %s; another number gets the moves of all\n",
			strings.Join(texts, ", "))
	}
	fmt.Fprintln(w)
	t := format.Table("move", "answer", "score", "depth", "count")
	for _, m := range convert.EntryOf(e).Moves {
		score := "–"
		if m.Score != nil {
			score = fmt.Sprintf("%+d", *m.Score)
		}
		t.AppendRow([]any{m.Move, m.Ponder, score, blank(m.Depth), blank(m.Count)})
	}
	format.Render(w, t)
}

// blank returns a number as text, or "" for 0.
func blank(n int) string {
	if n == 0 {
		return ""
	}
	return format.Count(n)
}

// BookSampleCommand selects openings from a book at random.
type BookSampleCommand struct {
	bookFile
	To string `arg:"" help:"Opening file or book (.db, .ybb, .bin) to write; - is standard output."`
	openings.Drawing
}

// Run writes the selected openings to an opening file or to standard output.
func (c *BookSampleCommand) Run(env *cli.Env) error {
	if c.Wanted < 1 || c.Plies < 1 || c.Window < 0 || c.Margin < 0 {
		return fail.Usage(errors.New("--count and --plies: expected numbers from 1; --margin and --window from 0"))
	}
	to, err := lineTarget(c.To)
	if err != nil {
		return fail.Usage(err)
	}
	b, err := c.open()
	if err != nil {
		return err
	}
	lines, few := openings.Draw(b, c.Drawing)
	if few != nil && !errors.Is(few, openings.ErrFew) {
		return fail.Usage(few)
	}
	if len(lines) == 0 { // keep the file that is there
		return &cli.Exit{Code: cli.Unplayed, Err: few}
	}
	var text strings.Builder
	for _, l := range lines {
		fmt.Fprintln(&text, openings.Text(l))
	}
	if err := c.write(env, to, text.String()); err != nil {
		return err
	}
	if few != nil {
		return &cli.Exit{Code: cli.Unplayed, Err: few}
	}
	fmt.Fprintf(env.Err, "%s of %d plies\n", format.NumberOf(len(lines), "opening"), c.Plies)
	return nil
}

// write writes lines in the format to; a zero Format means lines.
func (c *BookSampleCommand) write(env *cli.Env, to book.Format, text string) error {
	if to.Name != "" {
		return writeBook(env, c.To, to, []byte(text))
	}
	return whole(env, c.To, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}

// writeBook writes the book of the lines in text to a file, in the format to.
func writeBook(env *cli.Env, file string, to book.Format, text []byte) error {
	from, err := book.FormatOf("usi", "")
	if err != nil {
		return err
	}
	b, err := from.Parse(text)
	if err != nil {
		return err
	}
	if err := whole(env, file, func(w io.Writer) error { return to.Write(w, b) }); err != nil {
		return err
	}
	explain(env.Err, b, to)
	return nil
}

// lineTarget returns the format of a file of books that a command for lines writes, such as .db. It returns a zero
// Format if the name means lines, and an error for a book that gogi cannot write.
func lineTarget(file string) (book.Format, error) {
	f, err := book.FormatOf("", file)
	switch {
	case err != nil && strings.EqualFold(filepath.Ext(file), ".sbk"):
		return f, err
	case err != nil || f.HasLines():
		return book.Format{}, nil // any other name means lines
	}
	return f, nil
}
