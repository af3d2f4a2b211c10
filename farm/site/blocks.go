package site

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"sync"

	"gogi/farm"
	"gogi/farm/coordinator"
	"gogi/internal/disk"
	"gogi/match"
	"gogi/runner/selfplay"
)

// selfplayDir is where the blocks of self-play are kept in a farm's folder, by the digest
// of their plan. Backups have them, too.
const selfplayDir = "selfplay"

// openStore opens a plan's store: in the database, or of blocks.
func (s *Site) openStore(ctx context.Context, p *match.Plan) (coordinator.Store, error) {
	u, err := selfplay.Handed(p)
	if err != nil {
		return nil, err
	}
	if u == nil {
		return Stores(s.Store)(ctx, p)
	}
	return OpenBlocks(filepath.Join(s.Dir, selfplayDir, p.Digest()), u)
}

// Blocks is a store of blocks: a folder of them, and beside it, for each that counts, a
// row, and what was made void. A row is written after its block: a block without one is
// not stored. Its methods may be called by many goroutines.
type Blocks struct {
	dir    string
	folder *selfplay.Folder
	blocks int // of the run

	mu    sync.Mutex
	rows  map[int]*farm.StoredBlock
	takes map[int]int // how often a block was void
}

// The folders of a Blocks.
const (
	rowsDir = "rows"
	voidDir = "void"
	dataDir = "data" // the blocks
)

// OpenBlocks opens a store, or makes it.
func OpenBlocks(dir string, u *selfplay.Unit) (_ *Blocks, err error) {
	for _, name := range []string{rowsDir, voidDir} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o700); err != nil {
			return nil, fmt.Errorf("farm: %w", err)
		}
	}
	s := &Blocks{dir: dir, blocks: u.Blocks, rows: map[int]*farm.StoredBlock{}, takes: map[int]int{}}
	if s.folder, err = selfplay.OpenFolder(filepath.Join(dir, dataDir), u.Plan, u.Design); err != nil {
		return nil, fmt.Errorf("farm: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.folder.Close())
		}
	}()
	there, err := s.folder.Blocks() // a backup may have the row of a block that was made void then
	if err != nil {
		return nil, fmt.Errorf("farm: %w", err)
	}
	err = s.each(voidDir, func(row *farm.StoredBlock) { s.takes[row.Number] = max(s.takes[row.Number], row.Take+1) })
	if err == nil {
		err = s.each(rowsDir, func(row *farm.StoredBlock) {
			if row.Take == s.takes[row.Number] && there[row.Number] { // else it was being made void
				s.rows[row.Number] = row
			}
		})
	}
	return s, err
}

var rowName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9]+(-[0-9]+)?\.json$`) })

// each reads all rows of a folder.
func (s *Blocks) each(dir string, see func(*farm.StoredBlock)) error {
	files, err := os.ReadDir(filepath.Join(s.dir, dir))
	if err != nil {
		return fmt.Errorf("farm: %w", err)
	}
	for _, f := range files {
		if !rowName().MatchString(f.Name()) {
			continue // it was never finished
		}
		text, err := os.ReadFile(filepath.Join(s.dir, dir, f.Name()))
		var row farm.StoredBlock
		if err == nil {
			err = json.Unmarshal(text, &row)
		}
		if err != nil {
			return fmt.Errorf("farm: %s: %w", filepath.Join(s.dir, dir, f.Name()), err)
		}
		see(&row)
	}
	return nil
}

// write writes a row; it is on the disk when write returns.
func (s *Blocks) write(dir, name string, row *farm.StoredBlock) error {
	text, err := json.Marshal(row)
	if err != nil {
		return err
	}
	part, err := disk.NewPart(filepath.Join(s.dir, dir, name+".json"))
	if err != nil {
		return err
	}
	if _, err := part.File.Write(append(text, '\n')); err != nil {
		return errors.Join(err, part.Discard())
	}
	return part.Publish(true)
}

// AddBlock implements coordinator.BlockStore.
func (s *Blocks) AddBlock(_ context.Context, b farm.StoredBlock, data []byte) (added bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.rows[b.Number] != nil {
		return false, nil
	}
	if b.Take != s.takes[b.Number] {
		return false, fmt.Errorf("farm: take %d of block %d, which is at take %d", b.Take, b.Number, s.takes[b.Number])
	}
	if err := s.folder.PutEncoded(b.Number, data); err != nil {
		return false, err
	}
	if err := s.write(rowsDir, strconv.Itoa(b.Number), &b); err != nil {
		return false, fmt.Errorf("farm: keeping block %d: %w", b.Number, err)
	}
	s.rows[b.Number] = &b
	return true, nil
}

// FirstBlock implements coordinator.BlockStore.
func (s *Blocks) FirstBlock(_ context.Context, from int) (*farm.StoredBlock, []byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for n := from; n < s.blocks; n++ {
		if row := s.rows[n]; row != nil {
			data, err := s.folder.Encoded(n)
			return row, data, err
		}
	}
	return nil, nil, nil
}

// Finished implements coordinator.Store.
func (s *Blocks) Finished(context.Context) (map[int]bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := map[int]bool{}
	for n := range s.rows {
		all[n] = true
	}
	return all, nil
}

// Takes implements coordinator.Store.
func (s *Blocks) Takes(context.Context) (map[int]int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := map[int]int{}
	for n, take := range s.takes {
		all[n] = take
	}
	return all, nil
}

// By implements coordinator.Store.
func (s *Blocks) By(_ context.Context, worker string) (blocks []int, err error) {
	if _, err := of(worker); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for n, row := range s.rows {
		if row.Worker == worker {
			blocks = append(blocks, n)
		}
	}
	slices.Sort(blocks)
	return blocks, nil
}

// Void implements coordinator.Store. The rows of what was void stay, its files do not: they
// are played again.
func (s *Blocks) Void(ctx context.Context, worker, _, _ string) ([]int, error) {
	blocks, err := s.By(ctx, worker)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, n := range blocks {
		row := s.rows[n]
		if err := s.write(voidDir, fmt.Sprintf("%d-%d", n, row.Take), row); err != nil {
			return blocks[:i], fmt.Errorf("farm: block %d: %w", n, err)
		}
		s.takes[n] = row.Take + 1
		delete(s.rows, n)
		for _, err := range []error{os.Remove(filepath.Join(s.dir, rowsDir, strconv.Itoa(n)+".json")), s.folder.Remove(n)} {
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return blocks[:i+1], fmt.Errorf("farm: block %d: %w", n, err)
			}
		}
	}
	return blocks, nil
}

// Rows implements coordinator.Store: there are no pairs.
func (s *Blocks) Rows(context.Context, func([]match.Row) error) error { return nil }

var errPairs = errors.New("farm: a pair for a run of blocks of self-play")

// Add implements coordinator.Store.
func (s *Blocks) Add(context.Context, match.PairResult, int) (bool, error) { return false, errPairs }

// PutAttempt implements coordinator.Store: nothing is kept of a block that does not count.
func (s *Blocks) PutAttempt(context.Context, match.Attempt) error { return nil }

// Close implements coordinator.Store.
func (s *Blocks) Close() error { return s.folder.Close() }
