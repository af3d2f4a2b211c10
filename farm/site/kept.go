package site

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"gogi/farm"
)

// kept is a bus whose buckets have a copy beside the journal: backups take that, and what
// a journal has lost is built anew from it. The bus decides; the copy may be
// one change behind after a crash, and is brought up to date at the next start.
type kept struct {
	farm.Bus
	dir string
}

// buckets are those that a coordinator keeps.
var buckets = [...]string{"farm", "tests", "workers"}

// keptDir is the folder of the copy below a state's.
const keptDir = "kept"

// openKept brings bus and copy to one state: what the bus has is copied. What it has lost,
// or has as it was before the copy, is built anew: damage to a journal shows an earlier
// state of a name, such as a test that was not approved yet, or a count of boots by which
// numbers of grants would come twice. Nothing is ever taken out of a bucket.
func openKept(ctx context.Context, bus farm.Bus, dir string) (*kept, error) {
	k := &kept{Bus: bus, dir: filepath.Join(dir, keptDir)}
	for _, bucket := range buckets {
		has := map[string]uint64{} // revisions that are to be replaced or, 0, kept as they are
		err := bus.Kept(ctx, bucket, func(name string, body []byte, revision uint64) error {
			if copied, err := k.revision(bucket, name); err != nil || revision < copied {
				has[name] = revision
				return err
			}
			has[name] = 0
			return k.copy(bucket, name, body, revision)
		})
		if err != nil {
			return nil, fmt.Errorf("farm: copying the bucket %s: %w", bucket, err)
		}
		if err := k.restore(ctx, bucket, has); err != nil {
			return nil, fmt.Errorf("farm: building the bucket %s anew: %w", bucket, err)
		}
	}
	return k, nil
}

// Keep implements farm.Bus.
func (k *kept) Keep(ctx context.Context, bucket, name string, body []byte, revision uint64) (uint64, error) {
	next, err := k.Bus.Keep(ctx, bucket, name, body, revision)
	if err != nil {
		return next, err
	}
	return next, k.copy(bucket, name, body, next)
}

// file is where the copy of a name is.
func (k *kept) file(bucket, name string) string {
	return filepath.Join(k.dir, bucket, hex.EncodeToString([]byte(name)))
}

// revisionFile is where the revision of a copy is. It is the journal's own number, which
// means nothing to another journal: backups leave it out.
func (k *kept) revisionFile(bucket, name string) string {
	return filepath.Join(k.dir, bucket, "."+hex.EncodeToString([]byte(name))+".revision")
}

// revision is which one the copy has, 0 where it does not know.
func (k *kept) revision(bucket, name string) (uint64, error) {
	text, err := os.ReadFile(k.revisionFile(bucket, name))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return strconv.ParseUint(string(text), 10, 64)
}

// copy writes the number after what it numbers: a copy that is newer than its number is
// taken for an older one, and the bus' wins.
func (k *kept) copy(bucket, name string, body []byte, revision uint64) error {
	file := k.file(bucket, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return fmt.Errorf("farm: %w", err)
	}
	if err := createFile(file, string(body)); err != nil {
		return err
	}
	return createFile(k.revisionFile(bucket, name), strconv.FormatUint(revision, 10))
}

// restore keeps in the bus what the copy has of a bucket and the bus has not, or has
// under the revision that is said.
func (k *kept) restore(ctx context.Context, bucket string, has map[string]uint64) error {
	return eachKept(filepath.Join(k.dir, bucket), func(name string, body []byte) error {
		revision, there := has[name]
		if there && revision == 0 {
			return nil
		}
		next, err := k.Bus.Keep(ctx, bucket, name, body, revision)
		if err != nil {
			return err
		}
		return createFile(k.revisionFile(bucket, name), strconv.FormatUint(next, 10))
	})
}

// eachKept reads the copy of a bucket.
func eachKept(dir string, see func(name string, body []byte) error) error {
	files, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, f := range files {
		if strings.HasPrefix(f.Name(), ".") {
			continue // a revision, or what was never finished
		}
		name, err := hex.DecodeString(f.Name())
		if err != nil {
			return fmt.Errorf("%s: %w", f.Name(), err)
		}
		body, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err == nil {
			err = see(string(name), body)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}
