package transcript

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// Game identifies a game of a run by its numbers.
type Game struct{ Pair, Leg, Slot int }

// Transcripts writes whole dialogues to files, one file for each game. A goroutine of its own writes, so that
// no dialogue waits for the disk. The queue of unwritten lines is limited. Transcripts drops and counts the
// lines beyond the limit, and the lines after a failed write. It is safe for concurrent use.
type Transcripts struct {
	dir string

	mu      sync.Mutex
	waiting map[Game][]byte
	size    int // size of waiting, in bytes
	lost    int // number of lost lines
	err     error
	onError func(error) // called for the first failure; may be nil

	wake chan struct{} // has capacity 1; never closed
	stop chan struct{} // Close closes it
	done chan struct{} // the writer closes it
}

const (
	maxWaiting = 32 << 20 // bytes; the fastest engine needs one second to fill it
	flushSize  = 256 << 10
	flushEvery = time.Second
)

// NewTranscripts returns a Transcripts that writes into the folder dir, and creates the folder. It calls
// onError, which may be nil, once after the first failed write.
func NewTranscripts(dir string, onError func(error)) *Transcripts {
	t := &Transcripts{
		dir: dir, waiting: map[Game][]byte{}, onError: onError,
		wake: make(chan struct{}, 1), stop: make(chan struct{}), done: make(chan struct{}),
	}
	go t.write()
	return t
}

// AppendLine appends a line of a transcript: the time, the engine's name, > for input or < for output of the
// engine, and the escaped text.
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

// Add adds whole lines of text to a game's transcript. lines is the number of lines. If the queue is full,
// Add drops them and counts them as lost.
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
		default: // the writer is already awake
		}
	}
}

// Close writes the rest of the queue. It returns the first error of all writes, or an error if lines were
// lost.
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

// flush writes the queue. After a failure it writes nothing more.
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
	if first && t.onError != nil {
		t.onError(err)
	}
}

// Path returns the path of a game's transcript.
func (t *Transcripts) Path(g Game) string {
	return filepath.Join(t.dir, fmt.Sprintf("%06d.%d.txt", g.Pair, g.Leg))
}

func (t *Transcripts) appendTo(g Game, text []byte) error {
	if err := os.MkdirAll(t.dir, 0o755); err != nil { // the same mode as the database
		return err
	}
	f, err := os.OpenFile(t.Path(g), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return cmp.Or(err, f.Close())
}
