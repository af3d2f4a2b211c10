package recordverbs

import (
	"io"

	"gogi/internal/foreign"
	"gogi/internal/verb"
	"gogi/records"
)

// whole is records.Whole, or standard output for "-".
func whole(env *verb.Env, name string, write func(w io.Writer) error) error {
	if name == "-" {
		return write(foreign.Raw(env.Out))
	}
	return records.Whole(name, write)
}
