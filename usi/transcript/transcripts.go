package transcript

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// Game names a game of a run.
type Game struct{ Pair, Leg, Slot int }

// Transcripts writes whole dialogues, a file for each game, with a goroutine of its
// own: whoever talks to an engine never waits for the disk. What waits to be
// written is bounded; lines beyond it, and after a write that failed, are lost and
// counted. It is safe for concurrent use.
type Transcripts struct {
	dir string

	mu      sync.Mutex
	waiting map[Game][]byte
	size    int // of waiting, in bytes
	lost    int // lines
	err     error
	told    func(error) // of the first failure; may be nil

	wake chan struct{} // has room for one; never closed
	stop chan struct{} // Close closes it
	done chan struct{} // the writer closes it
}

const (
	maxWaiting = 32 << 20 // bytes; a second of the greatest flood that a pipe brings
	flushSize  = 256 << 10
	flushEvery = time.Second
)

// NewTranscripts begins to write into a folder, which it makes. told, where it is
// not nil, is called once when something could not be written.
func NewTranscripts(dir string, told func(error)) *Transcripts {
	t := &Transcripts{
		dir: dir, waiting: map[Game][]byte{}, told: told,
		wake: make(chan struct{}, 1), stop: make(chan struct{}), done: make(chan struct{}),
	}
	go t.write()
	return t
}

// AppendLine appends a line of a transcript: the time, the engine, > for what it is
// sent and < for what it says, and the text, escaped.
func AppendLine(dst []byte, name string, l Line) []byte {
	dst = l.At.UTC().AppendFormat(dst, "2006-01-02T15:04:05.000000Z")
	dst = append(append(append(dst, ' '), Word(name)...), ' ')
	if l.Sent {
		dst = append(dst, "> "...)
	} else {
		dst = append(dst, "< "...)
	}
	dst = Escape(dst, l.Text)
	if l.Cut > 0 {
		dst = fmt.Appendf(dst, `\+%d`, l.Cut)
	}
	return append(dst, '\n')
}

// Add adds whole lines of text to a game's transcript; so many are lost with it
// where there is no room.
func (t *Transcripts) Add(g Game, text []byte, lines int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.err != nil || t.size+len(text) > maxWaiting {
		t.lost += lines
		return
	}
	t.waiting[g] = append(t.waiting[g], text...)
	if t.size += len(text); t.size > flushSize {
		select {
		case t.wake <- struct{}{}:
		default: // it is awake
		}
	}
}

// Close writes what waits and returns the first error of all writes, or that lines
// were lost.
func (t *Transcripts) Close() error {
	close(t.stop)
	<-t.done
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.err != nil:
		return fmt.Errorf("transcripts: %d lines were lost: %w", t.lost, t.err)
	case t.lost > 0:
		return fmt.Errorf("transcripts: %s: %d lines were lost: the disk was slower than the engines", t.dir, t.lost)
	}
	return nil
}

func (t *Transcripts) write() {
	defer close(t.done)
	tick := time.NewTicker(flushEvery)
	defer tick.Stop()
	for stopped := false; !stopped; {
		select {
		case <-t.wake:
		case <-tick.C:
		case <-t.stop:
			stopped = true
		}
		t.flush()
	}
}

// flush writes what waits. After a failure nothing more is written.
func (t *Transcripts) flush() {
	t.mu.Lock()
	waiting, err := t.waiting, t.err
	t.waiting, t.size = map[Game][]byte{}, 0
	t.mu.Unlock()
	for g, text := range waiting {
		if err == nil {
			err = t.appendTo(g, text)
		}
		if err != nil {
			t.failed(err, text)
		}
	}
}

func (t *Transcripts) failed(err error, text []byte) {
	t.mu.Lock()
	first := t.err == nil
	t.err = cmp.Or(t.err, err)
	for _, b := range text {
		if b == '\n' {
			t.lost++
		}
	}
	t.mu.Unlock()
	if first && t.told != nil {
		t.told(err)
	}
}

// Path is where a game's transcript is.
func (t *Transcripts) Path(g Game) string {
	return filepath.Join(t.dir, fmt.Sprintf("%06d.%d.txt", g.Pair, g.Leg))
}

func (t *Transcripts) appendTo(g Game, text []byte) error {
	if err := os.MkdirAll(t.dir, 0o755); err != nil { //nolint:gosec // as the database beside it
		return err
	}
	f, err := os.OpenFile(t.Path(g), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644) //nolint:gosec // as above
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return cmp.Or(err, f.Close())
}
