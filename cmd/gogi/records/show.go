package recordscmd

import (
	"errors"
	"fmt"
	"io"

	"gogi/cmd/gogi/cli"
	"gogi/internal/disk"
	"gogi/internal/fail"
	"gogi/shogi/kifu/convert"
)

// show prints the contents of the file, one JSON object per line. If an entry cannot be read or is illegal,
// it returns an error with exit code 1.
func (c *ConvertCommand) show(env *cli.Env) error {
	kind, err := convert.KindOf(c.From, c.File)
	if err != nil {
		return fail.Usage(err)
	}
	in, closing, err := input(env, c.File)
	if err != nil {
		return err
	}
	found, err := convert.Inspect(env.Out, c.File, in, kind)
	if err = errors.Join(err, closing()); err != nil {
		return fmt.Errorf("%s: %w", c.File, err)
	}
	if found.Bad > 0 {
		return fmt.Errorf("%s: %d of %d cannot be read or are illegal", c.File, found.Bad, found.Bad+found.Good)
	}
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
