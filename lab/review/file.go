package review

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"gogi/internal/disk"
)

// Log is a file of reviewed games, to which a review appends. It has JSON lines: first the settings, then one
// line for each game. A review writes a game after the engine has evaluated all of its positions. It never
// stores a part of a game, so an interrupted review does not change the stored evaluations. The methods are
// safe for concurrent use.
type Log struct {
	path string
	file *os.File
	done map[string]bool // IDs of the games in the file

	mu sync.Mutex
}

// OpenLog opens a review file to resume the review, or creates the file. It rejects a file that another
// process writes, and a file with other settings. It removes an incomplete last line, which a killed process
// leaves.
func OpenLog(path string, s Settings) (*Log, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644) // the file is not secret
	if err != nil {
		return nil, err
	}
	l := &Log{path: path, file: file, done: map[string]bool{}}
	if err := l.begin(s); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return l, nil
}

func (l *Log) begin(s Settings) error {
	if err := disk.LockFile(l.file); err != nil {
		return fmt.Errorf("%s is being written by another process (%w)", l.path, err)
	}
	whole, found, err := l.read(s)
	if err != nil {
		return err
	}
	if err := l.file.Truncate(whole); err != nil {
		return err
	}
	if _, err := l.file.Seek(whole, io.SeekStart); err != nil {
		return err
	}
	if found {
		return nil
	}
	line, err := s.line()
	if err == nil {
		_, err = l.file.Write(line)
	}
	return err
}

// read reads the existing lines. whole is the offset of the end of the last complete line. found is false if
// the file has no complete line.
func (l *Log) read(s Settings) (whole int64, found bool, err error) {
	there, err := scan(l.path, l.file, func(r *Reviewed) error {
		l.done[r.Game.ID] = true
		return nil
	}, &whole)
	if errors.Is(err, errEmpty) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, err
	}
	if d := s.difference(there); d != "" {
		return 0, false, fmt.Errorf("%s is another review: %s; expected the same, or another file", l.path, d)
	}
	return whole, true, nil
}

// Has reports whether the game with this ID is in the file.
func (l *Log) Has(id string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.done[id]
}

// Add appends a game to the file, with one write. It does nothing if the game is already in the file.
func (l *Log) Add(r *Reviewed) error {
	if err := r.check(); err != nil {
		return err
	}
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.done[r.Game.ID] {
		return nil
	}
	if _, err = l.file.Write(append(text, '\n')); err == nil {
		l.done[r.Game.ID] = true
	}
	return err
}

// Close closes the file.
func (l *Log) Close() error { return disk.CloseLocked(l.file) }

// errEmpty is the error for a file without a complete first line.
var errEmpty = errors.New("the file is empty: expected what gogi-lab review has written")

// Read calls the function see for each game of a review file, and returns the settings in the file.
func Read(path string, see func(*Reviewed) error) (Settings, error) {
	file, err := disk.Open(path)
	if err != nil {
		return Settings{}, err
	}
	defer file.Close() //nolint:errcheck // the file was opened for reading only
	var whole int64
	return scan(path, file, see, &whole)
}

// scan reads the complete lines and calls the function see for each game. It sets the number at whole to the offset
// of the end of the last complete line. The text after it is part of a line whose writer is still running or was
// killed. A game that is in the file twice counts once.
func scan(path string, r io.Reader, see func(*Reviewed) error, whole *int64) (s Settings, err error) {
	seen := map[string]bool{}
	in := bufio.NewReaderSize(r, 1<<16)
	for n := 1; ; n++ {
		line, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			if n == 1 {
				err = fmt.Errorf("%s: %w", path, errEmpty)
			} else {
				err = nil
			}
			return s, err
		}
		if err == nil && n == 1 {
			s, err = settingsOf(line)
		} else if err == nil {
			err = game(line, seen, see)
		}
		if err != nil {
			return s, fmt.Errorf("%s:%d: %w", path, n, err)
		}
		*whole += int64(len(line))
	}
}

func settingsOf(line []byte) (s Settings, err error) {
	if json.Unmarshal(line, &s) != nil || s.Version != version {
		return s, fmt.Errorf("this is no review of this version: expected a line that begins with {\"gogi_review\":%d",
			version)
	}
	if s.Unit != Centipawns {
		return s, fmt.Errorf("unit %.20q: expected %s", s.Unit, Centipawns)
	}
	s.Version = 0
	return s, nil
}

func game(line []byte, seen map[string]bool, see func(*Reviewed) error) error {
	r := &Reviewed{}
	decoder := json.NewDecoder(bytes.NewReader(line))
	if err := decoder.Decode(r); err != nil {
		return err
	}
	if err := r.check(); err != nil {
		return err
	}
	if seen[r.Game.ID] {
		return nil
	}
	seen[r.Game.ID] = true
	return see(r)
}
