package recordverbs

import (
	"fmt"

	"gogi/internal/verb"
	"gogi/kifu/formats"
	"gogi/records"
)

// NewLive keeps the files of the games that a match plays, as they grow.
func NewLive(dir, format string, env *verb.Env) (*records.Live, error) {
	f, err := formats.Find(formats.Text(), format)
	if err != nil {
		return nil, err
	}
	return &records.Live{Dir: dir, Format: f, Warn: func(err error) {
		fmt.Fprintln(env.Err, "warning: --record-dir:", err)
	}}, nil
}
