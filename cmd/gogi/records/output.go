package recordscmd

import (
	"io"

	"gogi/cmd/gogi/cli"
	"gogi/internal/sanitize"
	"gogi/results/games"
)

// whole writes a file with games.Whole, or to standard output if name is "-".
func whole(env *cli.Env, name string, write func(w io.Writer) error) error {
	if name == "-" {
		return write(sanitize.Raw(env.Out))
	}
	return games.Whole(name, write)
}
