package site

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"gogi/farm"
)

// kept is a bus whose buckets have a copy beside the journal: backups take that, and a
// journal that was lost or wiped is built anew from it. The bus decides; the copy may be
// one change behind after a crash, and is brought up to date at the next start.
type kept struct {
	farm.Bus
	dir string
}

// buckets are those that a coordinator keeps.
var buckets = [...]string{"farm", "tests", "workers"}

// keptDir is the folder of the copy below a state's.
const keptDir = "kept"

// openKept brings bus and copy to one state.
func openKept(ctx context.Context, bus farm.Bus, dir string) (*kept, error) {
	k := &kept{Bus: bus, dir: filepath.Join(dir, keptDir)}
	empty := true
	for _, bucket := range buckets {
		err := bus.Kept(ctx, bucket, func(name string, body []byte, _ uint64) error {
			empty = false
			return k.copy(bucket, name, body)
		})
		if err != nil {
			return nil, fmt.Errorf("farm: copying the bucket %s: %w", bucket, err)
		}
	}
	if !empty {
		return k, nil
	}
	for _, bucket := range buckets {
		if err := k.restore(ctx, bucket); err != nil {
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
	return next, k.copy(bucket, name, body)
}

func (k *kept) copy(bucket, name string, body []byte) error {
	dir := filepath.Join(k.dir, bucket)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("farm: %w", err)
	}
	return createFile(filepath.Join(dir, hex.EncodeToString([]byte(name))), string(body))
}

// restore keeps in the bus what the copy has of a bucket.
func (k *kept) restore(ctx context.Context, bucket string) error {
	return eachKept(filepath.Join(k.dir, bucket), func(name string, body []byte) error {
		_, err := k.Bus.Keep(ctx, bucket, name, body, 0)
		return err
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
			continue // it was never finished
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
