package selfplay

import (
	"bytes"
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
	"reflect"

	"gogi/shogi"
	"gogi/shogi/kifu"
	"gogi/shogi/kifu/packed"
)

// Data says what is made of blocks.
type Data struct {
	Format    packed.Format
	Positions int    // of a shard; 0: one has all
	Shuffle   bool   // samples, or games in a format of games
	Seed      uint64 // of the shuffling
	NoMate    bool   // leave out positions whose score is a mate
	Rule      shogi.DeclarationRule
	// Distinct is how many MiB remember the positions that were written, to leave out those
	// that come again; 0: all are written. Of pack, which cannot leave out a position, equal
	// games are left out.
	Distinct int
}

// Manifest says what a folder holds and what was made of it.
type Manifest struct {
	Version    int         `json:"version"`
	Digest     string      `json:"digest"`  // of what decides the blocks
	Dataset    string      `json:"dataset"` // SHA-256 over the SHA-256 of the blocks, each a line, in their order
	Format     string      `json:"format"`
	Positions  int         `json:"positions_a_shard"`
	Shuffle    bool        `json:"shuffle"`
	Seed       uint64      `json:"shuffle_seed"`
	NoMate     bool        `json:"no_mate"`
	Distinct   int         `json:"distinct_mib"`
	Blocks     []BlockRow  `json:"blocks"`
	Shards     []ShardRow  `json:"shards"`
	Statistics *Statistics `json:"statistics"`
}

// BlockRow is a block in a manifest.
type BlockRow struct {
	Block  int    `json:"block"`
	SHA256 string `json:"sha256"`
	Games  int    `json:"games"`
	Black  int    `json:"black_wins"`
	Draws  int    `json:"draws"`
	White  int    `json:"white_wins"`
	Plies  int    `json:"plies"`
}

// ShardRow is a file in a manifest.
type ShardRow struct {
	File   string `json:"file"` // within the folder
	SHA256 string `json:"sha256"`
	Bytes  int64  `json:"bytes"`
}

// Make makes shards of the first blocks, as many as are there without a gap and at most
// blocks, and then the manifest, which is there only where all it tells of is. What was
// made before is removed first. A damaged block is an error.
func (f *Folder) Make(ctx context.Context, blocks int, data Data) (*Manifest, error) {
	if err := f.clear(); err != nil {
		return nil, err
	}
	m := f.empty(data)
	shards, err := f.shards(m, data)
	if err != nil {
		return nil, err
	}
	w := dataWriter{Data: data, shards: shards, manifest: m}
	if data.Distinct > 0 {
		w.seen = newSeen(data.Distinct)
	}
	if err := w.all(ctx, f, blocks); err != nil {
		return nil, errors.Join(err, shards.Abort())
	}
	if _, err := shards.Close(); err != nil {
		return nil, err
	}
	text, err := json.MarshalIndent(m, "", " ")
	if err != nil {
		return nil, err
	}
	return m, errors.Join(os.RemoveAll(filepath.Join(f.Path, scratchName)), writeWhole(filepath.Join(f.Path, manifestName), append(text, '\n')))
}

// empty is the manifest of no blocks.
func (f *Folder) empty(data Data) *Manifest {
	return &Manifest{
		Version: 1, Digest: f.Digest, Format: data.Format.Name, Positions: data.Positions, Shuffle: data.Shuffle,
		Seed: data.Seed, NoMate: data.NoMate, Distinct: data.Distinct, Blocks: []BlockRow{}, Shards: []ShardRow{}, Statistics: newStatistics(),
	}
}

// Made is the manifest where all that Make would make is there, as far as the names and
// sizes of files tell; else nil.
func (f *Folder) Made(blocks int, data Data) (*Manifest, error) {
	m, err := f.Manifest()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil //nolint:nilnil // there is none, and that is no error
	}
	if err != nil {
		return nil, err
	}
	head := f.empty(data)
	head.Dataset, head.Blocks, head.Shards, head.Statistics = m.Dataset, m.Blocks, m.Shards, m.Statistics
	if len(m.Blocks) != blocks || !reflect.DeepEqual(head, m) {
		return nil, nil //nolint:nilnil // it is another one
	}
	for _, s := range m.Shards {
		if at, err := os.Stat(filepath.Join(f.Path, s.File)); err != nil || at.Size() != s.Bytes {
			return nil, nil //nolint:nilnil // it is to be made again
		}
	}
	return m, nil
}

// clear removes what was made before, the manifest first.
func (f *Folder) clear() error {
	if err := os.Remove(filepath.Join(f.Path, manifestName)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, name := range []string{shardsName, scratchName} {
		if err := os.RemoveAll(filepath.Join(f.Path, name)); err != nil {
			return err
		}
		if err := os.Mkdir(filepath.Join(f.Path, name), 0o755); err != nil {
			return err
		}
	}
	return nil
}

// shards begins to write, and the manifest hears of every file.
func (f *Folder) shards(m *Manifest, data Data) (*packed.Shards, error) {
	return packed.NewShards(packed.ShardOptions{
		Positions: data.Positions, Shuffle: data.Shuffle, Seed: data.Seed, Scratch: filepath.Join(f.Path, scratchName),
		Create: func(n int) (io.WriteCloser, error) {
			name := filepath.Join(shardsName, fmt.Sprintf("data-%04d%s", n, data.Format.Extension))
			w, err := newWhole(filepath.Join(f.Path, name))
			if err != nil {
				return nil, err
			}
			w.done = func(w *whole) { m.Shards = append(m.Shards, ShardRow{name, w.sum(), w.size}) }
			return w, nil
		},
	})
}

// dataWriter writes blocks.
type dataWriter struct {
	Data

	shards   *packed.Shards
	manifest *Manifest
	seen     *seen // nil: what comes again is written
}

func (w *dataWriter) all(ctx context.Context, f *Folder, blocks int) error {
	dataset := sha256.New()
	for n := range blocks {
		b, hash, err := f.block(n)
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
		fmt.Fprintln(dataset, hash) // a hash does not fail
	}
	w.manifest.Dataset = hex.EncodeToString(dataset.Sum(nil))
	if w.seen != nil {
		w.manifest.Statistics.Forgotten = w.seen.forgotten
	}
	return w.manifest.Statistics.complete()
}

// block writes a block.
func (w *dataWriter) block(b *Block, hash string) error {
	n := b.Counts()
	row := BlockRow{Block: b.Number, SHA256: hash, Games: n.Games, Black: n.Black, Draws: n.Draws, White: n.White, Plies: n.Plies}
	w.manifest.Statistics.begin(b)
	for i := range b.Games {
		g := &b.Games[i]
		w.manifest.Statistics.game(g)
		if err := w.game(g); err != nil {
			return fmt.Errorf("block %d, game %d: %w", b.Number, i, err)
		}
	}
	w.manifest.Blocks = append(w.manifest.Blocks, row)
	return nil
}

// game writes a game's positions, or the game. Whatever else of it has a score is given, a
// mate, or a duplicate.
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
	options := packed.Options{NoMate: w.NoMate, Played: true, Rule: w.Rule, Votes: candidatesOf}
	_, err = w.Format.Encode(&record, options, w.shards.Add)
	if errors.Is(err, packed.ErrUnscored) {
		s.Unscored += left
		return nil
	}
	s.Positions += left
	return err
}

// candidatesOf reads what Generator.Candidates gave.
func candidatesOf(detail []byte) (list []packed.Candidate) {
	if err := json.Unmarshal(detail, &list); err != nil {
		return nil
	}
	return list
}

// isPack reports whether a game is written whole or not at all.
func (w *dataWriter) isPack() bool { return w.Format.Name == "pack" }

// sift takes the score from positions that came before, by which they are left out, and
// counts how many are left to learn from.
func (w *dataWriter) sift(r *kifu.Record) (left, again int, err error) {
	p, err := shogi.ParseSFEN(r.Start)
	if err != nil {
		return 0, 0, err
	}
	if w.isPack() {
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
		case w.NoMate && packed.IsMate(m.Score):
			w.manifest.Statistics.Mates++
		case w.seen != nil && !w.seen.add(p.Key()):
			m.HasScore = false
			again++
		default:
			left++
		}
		p.Apply(m.Move)
	}
	return left, again, nil
}

// wholeGame is how many positions a game has behind what it began with.
func (w *dataWriter) wholeGame(r *kifu.Record) int {
	n := 0
	for n < len(r.Moves) && r.Moves[n].Opening {
		n++
	}
	return len(r.Moves) - n
}

// gameKey is equal for equal games.
func gameKey(r *kifu.Record) uint64 {
	var b bytes.Buffer
	b.WriteString(r.Start)
	for i := range r.Moves {
		fmt.Fprintf(&b, " %d", r.Moves[i].Move)
	}
	h := fnv.New64a()
	_, _ = h.Write(b.Bytes()) // it has no way to fail
	return h.Sum64()
}
