package games

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"gogi/internal/fail"
	"gogi/results"
	"gogi/shogi/kifu"
	"gogi/shogi/kifu/packed"
)

// Shards cut training data into files of so many positions, or shuffle it.
type Shards struct {
	Format    packed.Format
	Options   packed.Options
	Positions int // of a file, with the game that reaches it; 0: one file has all
	Shuffle   bool
	Seed      uint64 // seed of the shuffling
}

// shardFile is a shard: it has its name once it is whole.
type shardFile struct{ *part }

func (f shardFile) Write(b []byte) (int, error) { return f.file.Write(b) }
func (f shardFile) Close() error                { return f.publish(true) }
func (f shardFile) Discard() error              { return f.discard() }

// open starts to write to a file. If it is split, the files are numbered before the ending: data.psv
// becomes data-0000.psv, data-0001.psv, …
func (s *Shards) open(to string) (*packed.Shards, error) {
	if to == "-" || strings.HasSuffix(to, "/") {
		return nil, errors.New("training data that is cut or shuffled goes to files: expected --to with the name of one")
	}
	ending := filepath.Ext(to)
	return packed.NewShards(packed.ShardOptions{
		Positions: s.Positions, Shuffle: s.Shuffle, Seed: s.Seed, Scratch: filepath.Dir(to),
		Create: func(n int) (io.WriteCloser, error) {
			name := to
			if s.Positions > 0 {
				name = fmt.Sprintf("%s-%04d%s", strings.TrimSuffix(to, ending), n, ending)
			}
			p, err := newPart(name)
			return shardFile{p}, err
		},
	})
}

// runShards is Run for training data that is cut or shuffled.
func (e *Export) runShards(ctx context.Context, teller *Completer, store *results.Store, info *results.RunInfo, to string) (*Tally, error) {
	shards, err := e.Shards.open(to)
	if err != nil {
		return nil, fail.Usage(err)
	}
	x := exporter{Export: e, teller: teller, shards: shards, tally: &Tally{Skipped: map[string]int{}}}
	if err := x.all(ctx, store, info); err != nil {
		return x.tally, errors.Join(err, shards.Abort())
	}
	x.tally.Files, err = shards.Close()
	return x.tally, err
}

// shard writes one game's positions.
func (x *exporter) shard(record *kifu.Record) error {
	tally, err := x.Shards.Format.Encode(record, x.Shards.Options, func(b []byte, positions int) error {
		if err := x.shards.Add(b, positions); err != nil {
			return writing{err}
		}
		return nil
	})
	var failed writing
	switch {
	case errors.As(err, &failed):
		return failed.error
	case err != nil:
		x.tally.Skipped[reason(err)]++
		return nil
	}
	x.tally.Games++
	x.tally.Training.Add(tally)
	return nil
}

// writing marks an error of the output.
type writing struct{ error }
