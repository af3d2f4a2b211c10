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

// Shards has the settings for training data that is shuffled or divided into several files.
type Shards struct {
	Format    packed.Format
	Options   packed.Options
	Positions int // a file ends after the game that reaches this number of positions; 0: one file for all
	Shuffle   bool
	Seed      uint64 // seed of the shuffling
}

// shardFile is one file of training data. It gets its final name when it is complete.
type shardFile struct{ *part }

func (f shardFile) Write(b []byte) (int, error) { return f.file.Write(b) }
func (f shardFile) Close() error                { return f.publish(true) }
func (f shardFile) Discard() error              { return f.discard() }

// open starts to write training data. Several files get a number before the extension: data.psv becomes
// data-0000.psv, data-0001.psv, …
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

// runShards does the work of Run for training data that is shuffled or divided into several files.
func (e *Export) runShards(ctx context.Context, completer *Completer, store *results.Store, info *results.RunInfo,
	to string) (*Tally, error) {
	shards, err := e.Shards.open(to)
	if err != nil {
		return nil, fail.Usage(err)
	}
	x := exporter{Export: e, completer: completer, shards: shards, tally: &Tally{Skipped: map[string]int{}}}
	if err := x.all(ctx, store, info); err != nil {
		return x.tally, errors.Join(err, shards.Abort())
	}
	x.tally.Files, err = shards.Close()
	return x.tally, err
}

// shard writes the positions of one game.
func (x *exporter) shard(record *kifu.Record) error {
	var failed error // an error of the output, not of the game
	tally, err := x.Shards.Format.Encode(record, x.Shards.Options, func(b []byte, positions int) error {
		failed = x.shards.Add(b, positions)
		return failed
	})
	switch {
	case failed != nil:
		return failed
	case err != nil:
		x.tally.Skipped[reason(err)]++
		return nil
	}
	x.tally.Games++
	x.tally.Training.Add(tally)
	return nil
}
