package recordverbs

import (
	"errors"
	"fmt"
	"io"

	"gogi/internal/disk"
	"gogi/internal/usage"
	"gogi/internal/verb"
	"gogi/transcribe"
)

// InspectCommand prints what a file of records, training data or a book holds.
type InspectCommand struct {
	File   string `arg:"" help:"The file; - is standard input."`
	Format string `placeholder:"NAME" help:"Its format, where the name does not tell it: csa, kif, jkf, usi, jsonl, psv, hcpe, hcpe2, hcpe3, pack, packedsfen, hcp, db, ybb, apery, sbk."`
}

// Run prints one JSON object a line; what cannot be read or is illegal makes the exit
// code 1.
func (c *InspectCommand) Run(env *verb.Env) error {
	kind, err := transcribe.KindOf(c.Format, c.File)
	if err != nil {
		return usage.Wrap(err)
	}
	in, closing, err := input(env, c.File)
	if err != nil {
		return err
	}
	found, err := transcribe.Inspect(env.Out, c.File, in, kind)
	if err = errors.Join(err, closing()); err != nil {
		return fmt.Errorf("%s: %w", c.File, err)
	}
	if found.Bad > 0 {
		return fmt.Errorf("%s: %d of %d cannot be read or are illegal", c.File, found.Bad, found.Bad+found.Good)
	}
	return nil
}

// input opens a file, or takes standard input for "-".
func input(env *verb.Env, name string) (io.Reader, func() error, error) {
	if name == "-" {
		return env.In, func() error { return nil }, nil
	}
	f, err := disk.Open(name)
	if err != nil {
		return nil, nil, err
	}
	return f, f.Close, nil
}
