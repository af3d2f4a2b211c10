package selfplay

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"gogi/internal/disk"
	"gogi/match"
	"gogi/shogi"
)

// Folder keeps blocks, and what was made of them. One process at a time has it open.
type Folder struct {
	Path   string
	Digest string // of the blocks

	lock *os.File
	rule shogi.DeclarationRule
}

// The names within a folder.
const (
	settingsName = "settings.json"
	blocksName   = "blocks"
)

// ErrOther marks a folder whose blocks other settings decided.
var ErrOther = errors.New("its blocks were made by other settings")

// IsFolder reports whether a path was once opened as a folder.
func IsFolder(path string) bool {
	_, err := os.Stat(filepath.Join(path, settingsName))
	return err == nil
}

// OpenFolder opens a folder for the blocks of a plan and a design, or makes it. One of
// other settings is refused, with the differences (ErrOther).
func OpenFolder(path string, plan *match.Plan, d Design) (_ *Folder, err error) {
	text, err := settingsText(plan, d)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Join(path, blocksName), 0o755); err != nil {
		return nil, err
	}
	f := &Folder{Path: path, Digest: sum(text), rule: plan.Rules.Declaration}
	if f.lock, err = os.OpenFile(filepath.Join(path, lockName), os.O_RDWR|os.O_CREATE, 0o644); err != nil { //nolint:gosec // nothing is in it
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.lock.Close())
		}
	}()
	if err := disk.LockFile(f.lock); errors.Is(err, disk.ErrLocked) {
		return nil, fmt.Errorf("%s: another process has it open", path)
	} else if err != nil {
		return nil, fmt.Errorf("%s: locking it: %w", path, err)
	}
	return f, f.settle(text)
}

// settle compares the settings with those that the folder has, or gives it these.
func (f *Folder) settle(text []byte) error {
	name := filepath.Join(f.Path, settingsName)
	before, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		if blocks, err := f.Blocks(); err != nil || len(blocks) > 0 {
			return errors.Join(err, fmt.Errorf("%s: it has blocks and no %s that says what they are", f.Path, settingsName))
		}
		return writeWhole(name, append(text, '\n'))
	}
	if err != nil {
		return err
	}
	if before = bytes.TrimSpace(before); bytes.Equal(before, text) {
		return nil
	}
	var lines []string
	for _, d := range match.Differences(before, text) {
		lines = append(lines, "  "+d.String())
	}
	return fmt.Errorf("%s: %w: expected these again, or another folder\n%s", f.Path, ErrOther, strings.Join(lines[:min(len(lines), 10)], "\n"))
}

// Close lets others have the folder.
func (f *Folder) Close() error { return f.lock.Close() }

func (f *Folder) blockPath(number int) string {
	return filepath.Join(f.Path, blocksName, fmt.Sprintf("%08d.block", number))
}

var blockName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(\d{8,})\.block$`) })

// Blocks are the numbers of the blocks that are there.
func (f *Folder) Blocks() (map[int]bool, error) {
	entries, err := os.ReadDir(filepath.Join(f.Path, blocksName))
	if err != nil {
		return nil, err
	}
	there := map[int]bool{}
	for _, e := range entries {
		if m := blockName().FindStringSubmatch(e.Name()); m != nil {
			if n, err := strconv.Atoi(m[1]); err == nil {
				there[n] = true
			}
		}
	}
	return there, nil
}

// Put keeps a block; it is on the disk when Put returns.
func (f *Folder) Put(b *Block) error {
	data, err := b.Encode(f.Digest)
	if err == nil {
		err = writeWhole(f.blockPath(b.Number), data)
	}
	if err != nil {
		return fmt.Errorf("keeping block %d: %w", b.Number, err)
	}
	return nil
}

// block reads a block with its SHA-256.
func (f *Folder) block(number int) (*Block, string, error) {
	name := f.blockPath(number)
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, "", err
	}
	b, err := Decode(data, f.Digest, number)
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w; without that file it is played again", name, err)
	}
	return b, sum(data), nil
}

// Make is the function Make of the folder's blocks.
func (f *Folder) Make(ctx context.Context, blocks int, data Data) (*Manifest, error) {
	from := Source{f.Digest, f.rule, func(_ context.Context, number int) (*Block, string, error) { return f.block(number) }}
	return from.make(ctx, f.Path, blocks, data)
}
