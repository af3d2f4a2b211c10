package packed

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"

	"gogi/internal/lists"
)

// Shards writes training data into several files (shards) with a given number of positions each. It writes
// the samples or games in the order of the calls of Add, or shuffled.
type Shards struct {
	options ShardOptions
	random  *rand.Rand
	buckets []*bucket
	scratch string

	out   io.WriteCloser
	w     *bufio.Writer
	in    int // positions in the current shard
	count int // number of shards so far
}

// ShardOptions are the settings of Shards.
type ShardOptions struct {
	// Create opens shard number n, from 0. Shards closes it when it is full. It treats an error of Close as a
	// failed write. It calls the method Discard() error, if there is one, instead of Close for a shard that
	// it gives up half-written.
	Create func(n int) (io.WriteCloser, error)
	// Positions is the number of positions in a shard. A shard ends after the game that reaches this number.
	// 0 means one shard for all.
	Positions int
	// Shuffle writes all samples, or games, in an order that depends only on Seed.
	Shuffle bool
	Seed    uint64
	// Scratch is a folder for the unshuffled data, which is as large as the output. "" means the system's
	// temporary folder.
	Scratch string
}

// shuffleBuckets is the number of parts (buckets) of the data. gogi shuffles one part after the other, each in memory.
// For a hundred million samples in the format psv a part has 31 MB.
const shuffleBuckets = 128

// bucket is a part of the unshuffled data on the disk. The file has blocks of one sample or game each. A header before
// each block has its length in bytes and its number of positions.
type bucket struct {
	file *os.File
	w    *bufio.Writer
}

// NewShards returns a Shards that is ready to write. At the end call Close, or Abort to discard the data.
func NewShards(o ShardOptions) (*Shards, error) {
	s := &Shards{options: o}
	if !o.Shuffle {
		return s, nil
	}
	s.random = rand.New(rand.NewPCG(o.Seed, 0x73687566666c65)) // "shuffle"; to be repeated, not to be secret
	var err error
	if s.scratch, err = os.MkdirTemp(o.Scratch, "gogi-shuffle-"); err != nil {
		return nil, fmt.Errorf("a folder to shuffle in: %w", err)
	}
	for i := range shuffleBuckets {
		f, err := os.Create(filepath.Join(s.scratch, fmt.Sprint(i)))
		if err != nil {
			return nil, errors.Join(fmt.Errorf("a file to shuffle in: %w", err), s.Abort())
		}
		s.buckets = append(s.buckets, &bucket{f, bufio.NewWriterSize(f, 1<<15)})
	}
	return s, nil
}

// Add adds one sample or game in its file format. positions is the number of positions in it. Add has the
// signature of the parameter emit of Format.Encode.
func (s *Shards) Add(b []byte, positions int) error {
	if !s.options.Shuffle {
		return s.write(b, positions)
	}
	w := s.buckets[s.random.IntN(len(s.buckets))].w
	var head [8]byte
	binary.LittleEndian.PutUint32(head[:], uint32(len(b)))
	binary.LittleEndian.PutUint32(head[4:], uint32(positions))
	if _, err := w.Write(head[:]); err != nil {
		return err
	}
	_, err := w.Write(b)
	return err
}

// write adds a block to the current shard, or to the next shard if the current one is full.
func (s *Shards) write(b []byte, positions int) error {
	if s.out != nil && s.options.Positions > 0 && s.in >= s.options.Positions {
		if err := s.end(); err != nil {
			return err
		}
	}
	if s.out == nil {
		out, err := s.options.Create(s.count)
		if err != nil {
			return err
		}
		s.out, s.w, s.in = out, bufio.NewWriterSize(out, 1<<16), 0
		s.count++
	}
	s.in += positions
	_, err := s.w.Write(b)
	return err
}

func (s *Shards) end() error {
	if s.out == nil {
		return nil
	}
	err := errors.Join(s.w.Flush(), s.out.Close())
	s.out = nil
	return err
}

// Close writes the remaining data and closes the last shard. It returns the number of shards.
func (s *Shards) Close() (int, error) {
	var err error
	for _, b := range s.buckets {
		if err == nil {
			err = s.pour(b)
		}
	}
	if err == nil {
		err = s.end()
	}
	return s.count, errors.Join(err, s.Abort())
}

// pour shuffles the data of a bucket and writes them to the shards.
func (s *Shards) pour(b *bucket) error {
	if err := b.w.Flush(); err != nil {
		return err
	}
	data, err := os.ReadFile(b.file.Name())
	if err != nil {
		return err
	}
	var starts []int
	for at := 0; at < len(data); at += 8 + int(binary.LittleEndian.Uint32(data[at:])) {
		starts = append(starts, at)
	}
	s.random.Shuffle(len(starts), func(i, j int) { starts[i], starts[j] = starts[j], starts[i] })
	for _, at := range starts {
		n, positions := binary.LittleEndian.Uint32(data[at:]), binary.LittleEndian.Uint32(data[at+4:])
		if err := s.write(data[at+8:at+8+int(n)], int(positions)); err != nil {
			return err
		}
	}
	return nil
}

// Abort discards the data that are not written yet and the current shard. After Close it does nothing.
func (s *Shards) Abort() error {
	errs := lists.Map(s.buckets, func(b *bucket) error { return b.file.Close() })
	s.buckets = nil
	if s.scratch != "" {
		errs = append(errs, os.RemoveAll(s.scratch))
		s.scratch = ""
	}
	if d, ok := s.out.(interface{ Discard() error }); ok {
		errs = append(errs, d.Discard())
	} else if s.out != nil {
		errs = append(errs, s.out.Close())
	}
	s.out = nil
	return errors.Join(errs...)
}
