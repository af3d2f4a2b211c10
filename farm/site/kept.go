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

// openKept brings bus and copy to one state: what the bus has is copied, and what it has
// lost is built anew. Nothing is ever taken out of a bucket.
func openKept(ctx context.Context, bus farm.Bus, dir string) (*kept, error) {
	k := &kept{Bus: bus, dir: filepath.Join(dir, keptDir)}
	for _, bucket := range buckets {
		there := map[string]bool{}
		err := bus.Kept(ctx, bucket, func(name string, body []byte, revision uint64) error {
			there[name] = true
			if bucket == bootBucket && name == bootName {
				return k.keepBoot(ctx, body, revision)
			}
			return k.copy(bucket, name, body)
		})
		if err != nil {
			return nil, fmt.Errorf("farm: copying the bucket %s: %w", bucket, err)
		}
		if err := k.restore(ctx, bucket, there); err != nil {
			return nil, fmt.Errorf("farm: building the bucket %s anew: %w", bucket, err)
		}
	}
	return k, nil
}

// Where the coordinator keeps its count of boots.
const (
	bootBucket = "farm"
	bootName   = "boot"
)

// keepBoot copies the count of boots, or puts the copy's into the bus where it is higher,
// as after damage to a journal: a boot that came twice would give out numbers of grants
// twice.
func (k *kept) keepBoot(ctx context.Context, body []byte, revision uint64) error {
	var bus, copied map[string]uint32
	if err := farm.Decode(body, &bus); err != nil {
		return err
	}
	text, err := os.ReadFile(k.file(bootBucket, bootName))
	if err == nil {
		err = farm.Decode(text, &copied)
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	switch {
	case err != nil:
		return fmt.Errorf("the copy of the count of boots: %w", err)
	case copied[bootName] > bus[bootName]:
		_, err := k.Bus.Keep(ctx, bootBucket, bootName, text, revision)
		return err
	}
	return k.copy(bootBucket, bootName, body)
}

// Keep implements farm.Bus.
func (k *kept) Keep(ctx context.Context, bucket, name string, body []byte, revision uint64) (uint64, error) {
	next, err := k.Bus.Keep(ctx, bucket, name, body, revision)
	if err != nil {
		return next, err
	}
	return next, k.copy(bucket, name, body)
}

// file is where the copy of a name is.
func (k *kept) file(bucket, name string) string {
	return filepath.Join(k.dir, bucket, hex.EncodeToString([]byte(name)))
}

func (k *kept) copy(bucket, name string, body []byte) error {
	file := k.file(bucket, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return fmt.Errorf("farm: %w", err)
	}
	return createFile(file, string(body))
}

// restore keeps in the bus what the copy has of a bucket and the bus has not.
func (k *kept) restore(ctx context.Context, bucket string, there map[string]bool) error {
	return eachKept(filepath.Join(k.dir, bucket), func(name string, body []byte) error {
		if there[name] {
			return nil
		}
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
