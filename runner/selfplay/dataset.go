package selfplay

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"gogi/internal/disk"
	"gogi/match"
	"gogi/shogi"
	"gogi/shogi/kifu"
	"gogi/shogi/kifu/packed"
	"gogi/usi"
)

// Data has the settings for writing training data: the file format, the size of files, and the positions to
// leave out.
type Data struct {
	Format    packed.Format `json:"-"`
	Positions int           `json:"positions_a_shard"` // the size of a shard; 0 means one shard
	Shuffle   bool          `json:"shuffle"`           // shuffle samples, or games in a format of games
	Seed      uint64        `json:"shuffle_seed"`      // seed of the order
	NoMate    bool          `json:"no_mate"`           // leave out positions whose score is a mate
	// Distinct is the size in MiB of the set of written positions, which Make uses to leave out repeated positions. 0
	// means that Make writes all positions. The format pack cannot leave out a position, so Make leaves out repeated
	// games.
	Distinct int `json:"distinct_mib"`
}

// A folder of training data has these files and subfolders.
const (
	manifestName = "manifest.json"
	lockName     = ".lock"
	shardsName   = "shards"
	scratchName  = ".scratch"
)

// Manifest describes training data and lists their files.
type Manifest struct {
	Version int    `json:"version"`
	Digest  string `json:"digest"`  // of the settings that determine the blocks
	Dataset string `json:"dataset"` // SHA-256 of the lines with the SHA-256 of each block, in order
	Format  string `json:"format"`  // format of the files
	Data
	Blocks     []BlockRow  `json:"blocks"`     // all blocks, in order
	Shards     []ShardRow  `json:"shards"`     // all files, in order
	Statistics *Statistics `json:"statistics"` // counts of games and positions
}

// BlockRow describes one block in a manifest.
type BlockRow struct {
	Block  int    `json:"block"` // number of the block
	SHA256 string `json:"sha256"`
	Games  int    `json:"games"`
	Black  int    `json:"black_wins"`
	Draws  int    `json:"draws"`
	White  int    `json:"white_wins"`
	Plies  int    `json:"plies"`
}

// ShardRow describes one file with training data (a shard) in a manifest.
type ShardRow struct {
	File   string `json:"file"` // relative to the folder
	SHA256 string `json:"sha256"`
	Bytes  int64  `json:"bytes"` // size of the file, in bytes
}

// Source reads the blocks of one run of self-play. The zero value is not usable.
type Source struct {
	Digest string // of the settings that determine the blocks
	Rule   shogi.DeclarationRule
	// Read returns a block and the SHA-256 of its text. The error is fs.ErrNotExist if there is no such block.
	Read func(ctx context.Context, number int) (*Block, string, error)
}

// Make writes training data into a folder: files of positions (shards) and a manifest. It creates the folder
// if it is missing. It uses the blocks from 0 up to the first missing block, and at most as many as the
// parameter blocks. Make first deletes the data that an earlier call has written. It writes the manifest
// last, so a folder with a manifest has all of its shards. Make returns an error for a damaged block, and for
// a folder that another process uses.
func Make(ctx context.Context, folder string, from Source, blocks int, data Data) (m *Manifest, err error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}
	lock, err := lockFolder(folder)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, disk.CloseLocked(lock)) }()
	return from.make(ctx, folder, blocks, data)
}

func (from Source) make(ctx context.Context, folder string, blocks int, data Data) (*Manifest, error) {
	if err := clearMade(folder); err != nil {
		return nil, err
	}
	m := &Manifest{
		Version: 1, Digest: from.Digest, Format: data.Format.Name, Data: data,
		Blocks: []BlockRow{}, Shards: []ShardRow{}, Statistics: newStatistics(),
	}
	shards, err := newShards(folder, m, data)
	if err != nil {
		return nil, err
	}
	w := dataWriter{Data: data, rule: from.Rule, shards: shards, manifest: m}
	if data.Distinct > 0 {
		w.seen = newSeen(data.Distinct)
	}
	w.scales, err = from.mateScales(ctx, blocks)
	if err == nil {
		m.Statistics.MateBase = w.scales.base()
		err = w.all(ctx, from, blocks)
	}
	if err != nil {
		return nil, errors.Join(err, shards.Abort())
	}
	if _, err := shards.Close(); err != nil {
		return nil, err
	}
	text, err := json.MarshalIndent(m, "", " ")
	if err != nil {
		return nil, err
	}
	return m, errors.Join(os.RemoveAll(filepath.Join(folder, scratchName)),
		writeWhole(filepath.Join(folder, manifestName), append(text, '\n')))
}

// lockFolder locks a folder against other processes until the file is closed.
func lockFolder(path string) (*os.File, error) {
	file, err := os.OpenFile(filepath.Join(path, lockName), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, disk.CannotWrite(path, err)
	}
	if err = disk.LockFile(file); err == nil {
		return file, nil
	}
	if errors.Is(err, disk.ErrLocked) {
		err = errors.New("another process makes data there; wait until it ends")
	}
	return nil, errors.Join(fmt.Errorf("%s: %w", path, err), file.Close())
}

// clearMade deletes earlier data, the manifest first.
func clearMade(folder string) error {
	if err := os.Remove(filepath.Join(folder, manifestName)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, name := range []string{shardsName, scratchName} {
		if err := os.RemoveAll(filepath.Join(folder, name)); err != nil {
			return err
		}
		if err := os.Mkdir(filepath.Join(folder, name), 0o755); err != nil {
			return err
		}
	}
	return nil
}

// newShards returns a writer of shards that adds every file to the manifest.
func newShards(folder string, m *Manifest, data Data) (*packed.Shards, error) {
	return packed.NewShards(packed.ShardOptions{
		Positions: data.Positions, Shuffle: data.Shuffle, Seed: data.Seed, Scratch: filepath.Join(folder, scratchName),
		Create: func(n int) (io.WriteCloser, error) {
			name := filepath.Join(shardsName, fmt.Sprintf("data-%04d%s", n, data.Format.Extension))
			w, err := newWhole(filepath.Join(folder, name))
			if err != nil {
				return nil, err
			}
			w.done = func(w *whole) { m.Shards = append(m.Shards, ShardRow{name, w.sum(), w.size}) }
			return w, nil
		},
	})
}

// dataWriter writes the positions of blocks to shards, and counts them in a manifest.
type dataWriter struct {
	Data

	rule     shogi.DeclarationRule
	shards   *packed.Shards
	manifest *Manifest
	scales   playerScale
	seen     *seen // if it is nil, repeated positions are written
}

// playerScale is how the player of a run writes mates as centipawns.
type playerScale struct{ usi.MateScales }

// base returns the score of a mate in 0 plies, or 0 if no such scale is known.
func (s playerScale) base() int {
	if m := s.MateScales[""]; m != nil {
		return m.Base()
	}
	return 0
}

// mateScales learns how the player writes mates from the first games that end by checkmate. They are in the order of
// the plan, so they do not depend on the order in which the games ended.
func (from Source) mateScales(ctx context.Context, blocks int) (playerScale, error) {
	s := playerScale{usi.MateScales{}}
	for n, won := 0, 0; n < blocks && won < usi.MateGames; n++ {
		b, _, err := from.Read(ctx, n)
		if errors.Is(err, fs.ErrNotExist) {
			break
		}
		if err = errors.Join(err, ctx.Err()); err != nil {
			return s, err
		}
		for i := range b.Games {
			r := b.Games[i].Record()
			s.Learn("", "", &r)
			if r.Result == string(match.Checkmate) {
				won++
			}
		}
	}
	return s, nil
}

func (w *dataWriter) all(ctx context.Context, from Source, blocks int) error {
	dataset := sha256.New()
	for n := range blocks {
		b, hash, err := from.Read(ctx, n)
		if errors.Is(err, fs.ErrNotExist) {
			break
		}
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			err = w.block(b, hash)
		}
		if err != nil {
			return err
		}
		fmt.Fprintln(dataset, hash) // a hash returns no error
	}
	w.manifest.Dataset = hex.EncodeToString(dataset.Sum(nil))
	if w.seen != nil {
		w.manifest.Statistics.Forgotten = w.seen.forgotten
	}
	return w.manifest.Statistics.complete()
}

func (r *BlockRow) count(g *Game) {
	switch g.Winner {
	case packed.BlackWins.String():
		r.Black++
	case packed.WhiteWins.String():
		r.White++
	default:
		r.Draws++
	}
	r.Plies += len(g.Moves)
}

// block writes the games of a block and adds the block to the manifest. hash is the SHA-256 of the block's
// text.
func (w *dataWriter) block(b *Block, hash string) error {
	row := BlockRow{Block: b.Number, SHA256: hash, Games: len(b.Games)}
	w.manifest.Statistics.begin(b)
	for i := range b.Games {
		g := &b.Games[i]
		if r := g.Record(); w.scales.base() > 0 {
			if err := w.scales.Rescale("", "", &r); err != nil { // the moves are those of g
				return fmt.Errorf("block %d, game %d: %w", b.Number, i, err)
			}
		}
		row.count(g)
		w.manifest.Statistics.game(g)
		if err := w.game(g); err != nil {
			return fmt.Errorf("block %d, game %d: %w", b.Number, i, err)
		}
	}
	w.manifest.Blocks = append(w.manifest.Blocks, row)
	return nil
}

// game writes the positions of a game, or the complete game in the format pack. It counts the positions that
// it leaves out.
func (w *dataWriter) game(g *Game) error {
	s := w.manifest.Statistics
	record := g.Record()
	left, again, err := w.sift(&record)
	if err != nil {
		return err
	}
	s.Duplicates += again
	if left == 0 {
		return nil
	}
	options := packed.Options{NoMate: w.NoMate, Played: true, Rule: w.rule, Votes: candidatesOf}
	tally, err := w.Format.Encode(&record, options, w.shards.Add)
	s.Clamped += tally.Clamped
	if errors.Is(err, packed.ErrUnscored) {
		s.Unscored += left
		return nil
	}
	s.Positions += left
	return err
}

// candidatesOf decodes the candidates from the Detail of a move. It returns nil if the Detail is not a list
// of candidates.
func candidatesOf(detail []byte) (list []packed.Candidate) {
	if err := json.Unmarshal(detail, &list); err != nil {
		return nil
	}
	return list
}

// sift removes the score of each position that was already written, so that Encode leaves the position out. repeated
// is the number of these positions, and left is the number of the other positions.
func (w *dataWriter) sift(r *kifu.Record) (left, repeated int, err error) {
	p, err := shogi.ParseSFEN(r.Start)
	if err != nil {
		return 0, 0, err
	}
	if w.Format.Name == "pack" { // the format has only complete games
		left = w.wholeGame(r)
		if w.seen != nil && !w.seen.add(gameKey(r)) {
			return 0, left, nil
		}
		return left, 0, nil
	}
	for i := range r.Moves {
		m := &r.Moves[i]
		switch {
		case m.Opening:
		case !m.HasScore:
			w.manifest.Statistics.Unscored++
		case w.NoMate && kifu.IsMate(m.Score):
			w.manifest.Statistics.Mates++
		case w.seen != nil && !w.seen.add(p.Key()):
			m.HasScore = false
			repeated++
		default:
			left++
		}
		p.Apply(m.Move)
	}
	return left, repeated, nil
}

// wholeGame returns the number of positions in a game after the opening moves.
func (w *dataWriter) wholeGame(r *kifu.Record) int {
	n := 0
	for n < len(r.Moves) && r.Moves[n].Opening {
		n++
	}
	return len(r.Moves) - n
}

// gameKey returns a hash of the start position and the moves.
func gameKey(r *kifu.Record) uint64 {
	h := fnv.New64a()
	fmt.Fprint(h, r.Start)
	for i := range r.Moves {
		fmt.Fprintf(h, " %d", r.Moves[i].Move)
	}
	return h.Sum64()
}

// seen is a set of keys with a fixed size. It never reports a new key as present. If a bucket is full, it drops its
// oldest key. A later duplicate of that key counts as new.
type seen struct {
	table     []uint64 // buckets of bucketKeys, newest first; 0 is free
	buckets   uint64
	forgotten int // number of dropped keys
}

// bucketKeys is the number of keys in a cache line.
const bucketKeys = 8

// newSeen returns a set for about mib·2^17 keys. A bucket may drop keys before the table is full.
func newSeen(mib int) *seen {
	buckets := uint64(mib) << 20 / (8 * bucketKeys)
	return &seen{table: make([]uint64, buckets*bucketKeys), buckets: buckets}
}

// add adds a key and reports whether the set did not contain it.
func (s *seen) add(key uint64) bool {
	if key == 0 {
		key = 1 // 0 means free
	}
	at := spread(key) % s.buckets * bucketKeys
	bucket := s.table[at : at+bucketKeys]
	if slices.Contains(bucket, key) {
		return false
	}
	if bucket[bucketKeys-1] != 0 {
		s.forgotten++
	}
	copy(bucket[1:], bucket)
	bucket[0] = key
	return true
}

// spread maps a key to a number whose bits all depend on all bits of the key, so that the buckets get equally many
// keys. It is the finalizer of MurmurHash3.
func spread(k uint64) uint64 {
	k = (k ^ k>>33) * 0xff51afd7ed558ccd
	k = (k ^ k>>33) * 0xc4ceb9fe1a85ec53
	return k ^ k>>33
}
