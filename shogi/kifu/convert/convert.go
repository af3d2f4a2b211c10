package convert

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"gogi/shogi/kifu"
	"gogi/shogi/kifu/packed"
	"gogi/shogi/kifu/text"
)

// Done has the result of Convert: it counts the games or samples by success.
type Done struct {
	Read     int          // games or samples that were read
	Written  int          // games or samples that were written
	Refused  []error      // the first reasons why games or samples were not written
	Skipped  int          // number of games or samples that were not written
	Warnings []error      // the first games that were read although their end is unknown
	Training packed.Tally // training data from games
}

// maxRefused is the largest length of Done.Refused and of Done.Warnings, so that a bad file does not fill the memory or
// the screen.
const maxRefused = 20

func (d *Done) refuse(err error) {
	if d.Skipped++; len(d.Refused) < maxRefused {
		d.Refused = append(d.Refused, err)
	}
}

func (d *Done) warn(why *text.BadGame) {
	if len(d.Warnings) < maxRefused {
		d.Warnings = append(d.Warnings, why)
	}
}

// Convert converts a file to another format. It converts games to games or to training data, and training
// samples (single positions) to samples. Package book converts books. Convert skips and counts games that it
// cannot read or write. It returns an error if it cannot continue, or if it cannot convert between the two
// formats.
func Convert(w io.Writer, to Kind, name string, in io.Reader, from Kind, o packed.Options) (Done, error) {
	c := &converter{out: bufio.NewWriter(w), to: to, options: o}
	err := c.run(name, in, from)
	return c.done, errors.Join(err, c.out.Flush())
}

// EachGame calls see for each game of a file of records that can be read.
func EachGame(name string, in io.Reader, from Kind, see func(*kifu.Record)) error {
	return from.games(name, in, func(*text.BadGame) {}, func(r *kifu.Record, err error) error {
		if err == nil {
			see(r)
		}
		return nil
	})
}

// IsText reports whether the format is a text format of records.
func (k Kind) IsText() bool { return k.text != nil }

// Unused returns the names of the set options that have no effect on this conversion. Convert selects positions only if
// it takes games apart: it copies samples to samples, and games of training data to games of training data.
func Unused(to, from Kind, o packed.Options) []string {
	if from.packed != nil && to.packed != nil && (!from.packed.HasGames() || to.packed.HasGames()) {
		return o.Unused("")
	}
	return o.Unused(to.Name)
}

type converter struct {
	out     *bufio.Writer
	to      Kind
	options packed.Options
	done    Done
	any     bool // something was written
}

func (c *converter) run(name string, in io.Reader, from Kind) error {
	switch {
	case from.IsBook() || c.to.IsBook():
		return errors.New("books are converted by gogi book convert")
	case !from.hasRecords() && c.to.hasRecords():
		return fmt.Errorf("%s has positions, and %s needs games: expected records, hcpe3 or pack", from.Name, c.to.Name)
	case from.text != nil:
		return from.games(name, in, c.done.warn, func(r *kifu.Record, err error) error {
			c.done.Read++
			if err != nil {
				c.done.refuse(err)
				return nil
			}
			return c.record(r)
		})
	case from.hasRecords():
		return c.packedGames(in, *from.packed)
	case from.packed.Bare && !c.to.packed.Bare:
		return fmt.Errorf("%s has positions alone, and %s needs moves, scores and results", from.Name, c.to.Name)
	}
	return c.samples(in, *from.packed)
}

// record writes a game in the target format: as a record, or as training data.
func (c *converter) record(r *kifu.Record) error {
	if c.to.packed == nil {
		var text []byte
		if c.any {
			text = append(text, c.to.text.Between...)
		}
		text, err := c.to.text.Append(text, r)
		if err != nil {
			c.done.refuse(fmt.Errorf("game %d: %w", c.done.Read, err))
			return nil
		}
		return c.write(text)
	}
	if c.options.Rescale != nil {
		if err := c.options.Rescale(r); err != nil {
			c.done.refuse(fmt.Errorf("game %d: %w", c.done.Read, err))
			return nil
		}
	}
	var failed error // an error of the output, not of the game
	tally, err := c.to.packed.Encode(r, c.options, func(b []byte, _ int) error {
		failed = c.write(b)
		return failed
	})
	if failed != nil {
		return failed
	}
	if err != nil {
		c.done.refuse(fmt.Errorf("game %d: %w", c.done.Read, err))
		return nil
	}
	c.done.Training.Add(tally)
	return nil
}

func (c *converter) write(b []byte) error {
	c.any = true
	c.done.Written++
	_, err := c.out.Write(b)
	return err
}

func (c *converter) packedGames(in io.Reader, f packed.Format) error {
	r := f.Games(in)
	for {
		g, _, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		c.done.Read++
		switch {
		case err != nil:
			c.done.refuse(err)
		case c.to.packed != nil && c.to.packed.HasGames():
			b, err := c.to.packed.AppendGame(nil, g)
			if err == nil {
				err = c.write(b)
			}
			if err != nil {
				return err
			}
		default:
			record := g.Record()
			if err := c.record(&record); err != nil {
				return err
			}
		}
	}
}

func (c *converter) samples(in io.Reader, f packed.Format) error {
	r := f.Samples(in)
	var room [64]byte
	for {
		s, at, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		c.done.Read++
		var b []byte
		if err == nil {
			if b, err = c.to.packed.AppendSample(room[:0], &s); err != nil {
				err = fmt.Errorf("byte %d: %w", at, err)
			}
		}
		if err != nil {
			c.done.refuse(err)
			continue
		}
		if err := c.write(b); err != nil {
			return err
		}
	}
}
