package folder

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gogi/farm"
	"gogi/farm/files"
	"gogi/internal/disk"
	"gogi/results"
	"gogi/results/farmstate"
)

// A backup has these files in addition to the files of the farm's folder.
const (
	backupDB   = "games.db"
	backupList = "artefacts.txt"
)

// backedUp lists the files and folders of a state that a backup contains. A backup does not contain the
// journal. The results in the journal that are not stored yet are played again after a restore.
var backedUp = [...]string{secretFile, seedFile, URLFile, "ca.pem", "ca-key.pem", KeysDir}

// Backup writes the data that a farm cannot recreate into a new file in dir: games, keys, secrets and tests. state
// is the farm's folder, and db the database of games. The farm may run during the backup. If whole is true, the
// backup contains the artefacts, and otherwise only their hashes. Backup writes the SHA-256 of the file into
// file.sha256.
func Backup(ctx context.Context, state, db, dir string, whole bool, now time.Time) (file string, err error) {
	if _, err := os.Stat(filepath.Join(state, secretFile)); err != nil {
		return "", fmt.Errorf("farm: %s is not a farm's folder: %w", state, err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("farm: %w", err)
	}
	file = filepath.Join(dir, "farm-"+now.UTC().Format("20060102T150405.000Z")+".tar")
	part, err := os.CreateTemp(dir, ".new-*")
	if err != nil {
		return "", fmt.Errorf("farm: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("farm: backing up: %w", err), os.Remove(part.Name()))
		}
	}()
	h := sha256.New()
	err = writeBackup(ctx, io.MultiWriter(part, h), state, db, whole)
	if err = errors.Join(err, part.Sync(), part.Close()); err != nil {
		return "", err
	}
	sum := fmt.Sprintf("%x  %s\n", h.Sum(nil), filepath.Base(file))
	if err := WriteFile(file+".sha256", sum); err != nil {
		return "", err
	}
	if err := os.Rename(part.Name(), file); err != nil {
		return "", err
	}
	return file, disk.SyncDir(dir)
}

// Backups returns the backups in a folder, the oldest first.
func Backups(dir string) []string {
	files, err := filepath.Glob(filepath.Join(dir, "farm-*.tar"))
	if err != nil {
		return nil
	}
	slices.Sort(files) // the names have the time
	return files
}

// LatestBackup returns the time of the latest backup in a folder, or the zero time without one.
func LatestBackup(dir string) time.Time {
	all := Backups(dir)
	if len(all) == 0 {
		return time.Time{}
	}
	info, err := os.Stat(all[len(all)-1])
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

// DropBackups deletes the oldest backups in a folder, so that at most keep of them stay. With keep = 0 it deletes
// none.
func DropBackups(dir string, keep int) (err error) {
	all := Backups(dir)
	if keep == 0 {
		return nil
	}
	for _, file := range all[:max(0, len(all)-keep)] {
		err = errors.Join(err, os.Remove(file), os.Remove(file+".sha256"))
	}
	return err
}

func writeBackup(ctx context.Context, w io.Writer, state, db string, whole bool) (err error) {
	dir, err := os.MkdirTemp(state, ".backup-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	// Backup copies the tests first. So results that are stored after this copy are in the copy of the database,
	// too.
	if err := farmstate.Copy(ctx, filepath.Join(state, StateFile), filepath.Join(dir, StateFile)); err != nil {
		return err
	}
	t := tar.NewWriter(w)
	if err := addTree(t, dir, StateFile); err != nil {
		return err
	}
	names := append([]string(nil), backedUp[:]...)
	if whole {
		names = append(names, "artefacts")
	}
	for _, name := range names {
		if err := addTree(t, state, name); err != nil {
			return err
		}
	}
	if err := addText(t, backupList, artefactList(state)); err != nil {
		return err
	}
	if err := copyGames(ctx, db, filepath.Join(dir, backupDB)); err != nil {
		return err
	}
	if err := addTree(t, dir, backupDB); err != nil {
		return err
	}
	return t.Close()
}

func copyGames(ctx context.Context, db, to string) error {
	store, err := results.OpenExisting(ctx, db)
	if err != nil {
		return err
	}
	return errors.Join(store.Backup(ctx, to), store.Close())
}

// artefactList returns a line for each artefact: its SHA-256 and its size in bytes.
func artefactList(state string) string {
	var b strings.Builder
	files, err := os.ReadDir(filepath.Join(state, "artefacts"))
	if err != nil {
		return ""
	}
	for _, f := range files {
		if info, err := f.Info(); err == nil && len(f.Name()) == 64 {
			fmt.Fprintf(&b, "%s %d\n", f.Name(), info.Size())
		}
	}
	return b.String()
}

// addTree adds a file, or a folder with its content. It skips missing files.
func addTree(t *tar.Writer, root, name string) error {
	return filepath.WalkDir(filepath.Join(root, name), func(path string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || !e.Type().IsRegular() || strings.HasPrefix(e.Name(), ".") {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		f, err := os.Open(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil // the file has just been removed
		}
		if err != nil {
			return err
		}
		defer f.Close() //nolint:errcheck // it was only read
		info, err := f.Stat()
		if err != nil {
			return err
		}
		if err := t.WriteHeader(&tar.Header{Name: filepath.ToSlash(rel), Mode: 0o600, Size: info.Size(),
			ModTime: info.ModTime()}); err != nil {
			return err
		}
		_, err = io.CopyN(t, f, info.Size())
		return err
	})
}

func addText(t *tar.Writer, name, text string) error {
	if err := t.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: int64(len(text))}); err != nil {
		return err
	}
	_, err := io.WriteString(t, text)
	return err
}

// bootsApart is the number that Restore adds to the number of boots. It is larger than the number of starts of a
// farm between a backup and its restore. So the restored farm issues no epoch twice, and leases from before the
// restore stay valid.
const bootsApart = 1 << 16

// Restore creates a farm's folder with the path state from the backup file. The folder must not exist.
// Restore checks the SHA-256 in file.sha256. Results that the farm stored after the backup are lost; workers
// play these pairs again.
func Restore(ctx context.Context, file, state string) (err error) {
	if err := checkSum(file); err != nil {
		return err
	}
	if _, err := os.Lstat(state); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("farm: %s exists: expected a new folder", state)
	}
	part, err := os.MkdirTemp(filepath.Dir(filepath.Clean(state)), ".restoring-")
	if err != nil {
		return fmt.Errorf("farm: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("farm: restoring %s: %w", file, err), os.RemoveAll(part))
		}
	}()
	if err := unpack(file, part); err != nil {
		return err
	}
	if err := raiseBoot(ctx, part); err != nil {
		return err
	}
	if err := os.Rename(filepath.Join(part, backupDB), filepath.Join(part, Games)); err != nil {
		return err
	}
	return os.Rename(part, state)
}

func checkSum(file string) error {
	text, err := os.ReadFile(file + ".sha256")
	if err != nil {
		return fmt.Errorf("farm: %w", err)
	}
	sum, _, err := files.Sum(file)
	if err != nil {
		return fmt.Errorf("farm: %w", err)
	}
	if want, _, _ := strings.Cut(string(text), " "); want != sum {
		return fmt.Errorf("farm: %s is damaged: its SHA-256 differs from %s.sha256", file, file)
	}
	return nil
}

func unpack(file, dir string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // it was only read
	for t := tar.NewReader(f); ; {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if !filepath.IsLocal(h.Name) || h.Typeflag != tar.TypeReg {
			return fmt.Errorf("%q is not a file of a backup", h.Name)
		}
		if err := unpackOne(t, filepath.Join(dir, filepath.FromSlash(h.Name))); err != nil {
			return err
		}
	}
}

func unpackOne(r io.Reader, path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, r)
	return errors.Join(err, f.Sync(), f.Close())
}

// raiseBoot adds bootsApart to the number of boots in the state of the folder.
func raiseBoot(ctx context.Context, dir string) (err error) {
	s, err := OpenState(ctx, dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	found := false
	err = s.Each(ctx, "farm", func(name string, body []byte, revision uint64) error {
		if name != "boot" {
			return nil
		}
		found = true
		var count map[string]uint32
		if err := farm.Decode(body, &count); err != nil {
			return err
		}
		count["boot"] += bootsApart
		raised, err := farm.Encode(count)
		if err == nil {
			_, err = s.Put(ctx, "farm", name, raised, revision)
		}
		return err
	})
	if err == nil && !found {
		err = errors.New("the backup has no count of boots: its farm was never started")
	}
	return err
}
