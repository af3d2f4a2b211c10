package results

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// holderSize is how many bytes of the lock file tell who holds a run; those of run n
// begin at n times as many.
const holderSize = 512

// holder is who plays a run.
type holder struct {
	Host string    `json:"host"`
	Boot string    `json:"boot"` // of the kernel: the containers of a machine have one, and it dies with the machine
	PID  int       `json:"pid"`
	At   time.Time `json:"at"`
}

// String names it.
func (h holder) String() string {
	return fmt.Sprintf("process %d on %s, since %s", h.PID, h.Host, h.At.Format("2006-01-02 15:04:05 MST"))
}

// thisProcess is the holder that this process is.
func thisProcess() (holder, error) {
	host, err := os.Hostname()
	if err != nil {
		return holder{}, err
	}
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return holder{Host: host[:min(len(host), 128)], Boot: strings.TrimSpace(string(boot)), PID: os.Getpid()}, err
}

// elsewhere reports whether another machine holds a run, or held it and died: of
// that this one cannot know anything.
func (h holder) elsewhere(here holder) bool {
	return h.Boot != "" && h.Boot != here.Boot && h.Host != here.Host
}

// signIn writes who holds the run. Where other machines see the file, too, it then
// looks for them: each writes before it looks, so that of two at once at least one
// sees the other.
func (s *Store) signIn(h *hold) error {
	me := s.here
	me.At = time.Now().UTC().Truncate(time.Second)
	text, err := json.Marshal(me)
	if err != nil {
		return err
	}
	record := append(text, make([]byte, max(0, holderSize-len(text)))...)
	if _, err := h.beside.WriteAt(record, h.run*holderSize); err != nil {
		return err
	}
	if s.shared == "" {
		return nil
	}
	if err := h.beside.Sync(); err != nil {
		return err
	}
	holders, err := readHolders(s.file)
	if err != nil {
		return err
	}
	for run, other := range holders {
		if int64(run) != h.run && other.elsewhere(s.here) {
			return fmt.Errorf("%w: %s; if it is dead, remove %s", s.strangers(), other, s.file+"-lock")
		}
	}
	return nil
}

// strangers is the error of two machines at one database.
func (s *Store) strangers() error {
	return fmt.Errorf("the database lies on %s, where one machine may play at a time, since SQLite's log does not reach from one to another: %w", s.shared, ErrRunLocked)
}

// signOut takes the holder's name away.
func (h *hold) signOut() error {
	_, err := h.beside.WriteAt(make([]byte, holderSize), h.run*holderSize)
	return err
}

// readHolders are those who hold runs, by run, and the zero value for nobody. What
// cannot be read is nobody: an older gogi writes nothing.
func readHolders(file string) ([]holder, error) {
	f, err := os.Open(file + "-lock")
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(f)
	if err := errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	var list []holder
	for at := 0; at < len(text); at += holderSize {
		var h holder
		if err := json.Unmarshal(bytes.TrimRight(text[at:min(at+holderSize, len(text))], "\x00"), &h); err != nil {
			h = holder{}
		}
		list = append(list, h)
	}
	return list, nil
}

// lockedBy is ErrRunLocked with the name of who has the run, where that is known.
func (s *Store) lockedBy(run int64) error {
	holders, err := readHolders(s.file)
	if err != nil || run >= int64(len(holders)) || holders[run].Boot == "" {
		return ErrRunLocked
	}
	return fmt.Errorf("%w (%s)", ErrRunLocked, holders[run])
}

// The file systems that other machines may see, too, by their numbers in
// linux/magic.h, and those of Lustre, GPFS, BeeGFS and VirtualBox from their sources.
// What is behind FUSE nobody knows.
var sharedFileSystems = map[int64]string{
	unix.NFS_SUPER_MAGIC: "NFS", unix.SMB_SUPER_MAGIC: "SMB", unix.CIFS_SUPER_MAGIC: "CIFS", unix.SMB2_SUPER_MAGIC: "SMB",
	unix.CEPH_SUPER_MAGIC: "Ceph", unix.AFS_SUPER_MAGIC: "AFS", unix.AFS_FS_MAGIC: "AFS", unix.CODA_SUPER_MAGIC: "Coda",
	unix.V9FS_MAGIC: "9P", unix.FUSE_SUPER_MAGIC: "FUSE", unix.OCFS2_SUPER_MAGIC: "OCFS2", 0x01161970: "GFS2",
	0x0BD00BD0: "Lustre", 0x47504653: "GPFS", 0x19830326: "BeeGFS", 0x786f4256: "a VirtualBox share",
}

// sharedFileSystem names the one that a file lies on; "": other machines do not see
// it.
func sharedFileSystem(file string) (string, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(filepath.Dir(file), &s); err != nil {
		return "", err
	}
	return sharedFileSystems[int64(uint32(s.Type))], nil //nolint:gosec,unconvert // the numbers have 32 bits, and Type's width differs between machines
}

// Shared names the kind of file system that the database lies on where other
// machines may see it, "" where not. There one machine at a time may play, and
// nobody on another may read meanwhile.
func (s *Store) Shared() string { return s.shared }
