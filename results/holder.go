package results

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"gogi/results/file"
)

// holderSize is the number of bytes in the lock file for the holder of one run (the process that plays it).
// The bytes of run n begin at n*holderSize.
const holderSize = 512

// holder describes the process that plays a run. The lock file contains it as JSON.
type holder struct {
	Host string    `json:"host"`
	Boot string    `json:"boot"` // result of file.BootID, which all containers of a machine share
	PID  int       `json:"pid"`
	At   time.Time `json:"at"`
}

// String returns the process ID, the host and the start time of the holder, for messages.
func (h holder) String() string {
	return fmt.Sprintf("process %d on %s, since %s", h.PID, h.Host, h.At.Format("2006-01-02 15:04:05 MST"))
}

// thisProcess returns the holder that describes this process.
func thisProcess() (holder, error) {
	host, err := os.Hostname()
	if err != nil {
		return holder{}, err
	}
	boot, err := file.BootID()
	return holder{Host: host[:min(len(host), 128)], Boot: boot, PID: os.Getpid()}, err
}

// elsewhere reports whether h is a process on another machine than the process here. This machine cannot know
// whether such a process still runs.
func (h holder) elsewhere(here holder) bool {
	return h.Boot != "" && h.Boot != here.Boot && h.Host != here.Host
}

// signIn writes this process into the lock file as the holder of the run. If other machines may see the file, signIn
// then checks that no process of another machine has written itself. Each process writes before it checks. So if two
// processes start at the same time, at least one of them sees the other.
func signIn(s *Store, h *hold) error {
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
			return fmt.Errorf("%w: %s; if it is dead, remove %s", otherMachine(s), other, s.file+"-lock")
		}
	}
	return nil
}

// otherMachine returns the error for a database that two machines try to use at the same time.
func otherMachine(s *Store) error {
	return fmt.Errorf("the database lies on %s, where one machine may play at a time, since SQLite's log does not reach from one to another: %w", s.shared, ErrRunLocked)
}

// signOut deletes the holder of the run from the lock file.
func (h *hold) signOut() error {
	_, err := h.beside.WriteAt(make([]byte, holderSize), h.run*holderSize)
	return err
}

// readHolders returns the holders of all runs in a lock file, indexed by run. A run without a holder has the zero
// value. Unreadable data count as no holder, because older gogis wrote no holders.
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

// inPlay says what a user can do about a run that is being played.
const inPlay = "gogi watch shows it, and gogi ctl RUN stop ends it"

// lockedBy returns ErrRunLocked, with a description of the run's holder if it is known.
func lockedBy(s *Store, run int64) error {
	holders, err := readHolders(s.file)
	if err != nil || run >= int64(len(holders)) || holders[run].Boot == "" {
		return fmt.Errorf("%w; %s", ErrRunLocked, inPlay)
	}
	return fmt.Errorf("%w (%s); %s", ErrRunLocked, holders[run], inPlay)
}

// Shared returns the kind of file system of the database if other machines may see it, else "". On such a
// file system only one machine at a time may play, and no other machine may read at the same time.
func (s *Store) Shared() string { return s.shared }
