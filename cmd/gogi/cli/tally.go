package cli

import (
	"fmt"
	"io"
	"time"

	"gogi/internal/format"
)

const (
	tallyDrawn  = 200 * time.Millisecond // time between two updates on a terminal
	tallyFirst  = 10 * time.Second       // time between the first two lines, if not on a terminal
	tallyRarest = 10 * time.Minute       // longest time between two lines, if not on a terminal
)

// A Tally is a printer for the progress of a long job. On a terminal it redraws one line; elsewhere it prints
// further lines at growing intervals. It is not safe for concurrent use.
type Tally struct {
	w        io.Writer
	terminal bool
	now      func() time.Time
	began    time.Time
	shown    time.Time
}

// NewTally returns a Tally that prints the progress of a job to w. The job starts now.
func NewTally(w io.Writer) *Tally {
	t := &Tally{w: w, now: time.Now}
	if f := File(w); f != nil && Drawable(f) {
		t.w, t.terminal = f, true
	}
	t.began = t.now()
	t.shown = t.began
	return t
}

// Percent returns a function for the progress of a job about pairs. The function redraws the number of
// finished pairs on the terminal. Percent returns nil if w is not a terminal or quiet is set.
func Percent(w io.Writer, quiet bool) func(done, of int) {
	t := NewTally(w)
	if quiet || !t.terminal {
		return nil
	}
	return func(done, of int) { t.Show(done, of, "pairs") }
}

// Show prints text with the rate and the remaining time, if a new line is due. done is the number of finished
// items, and of is the number of all items. On a terminal, Show erases the line if done is at least of.
func (t *Tally) Show(done, of int, text string) {
	now := t.now()
	switch since := now.Sub(t.shown); {
	case t.terminal && done >= of:
		fmt.Fprint(t.w, "\r\x1b[K")
	case t.terminal && since >= tallyDrawn:
		t.shown = now
		fmt.Fprint(t.w, "\r\x1b[K"+t.line(now, done, of, text))
	case !t.terminal && since >= max(tallyFirst, min(now.Sub(t.began)/10, tallyRarest)):
		t.shown = now
		fmt.Fprintln(t.w, t.line(now, done, of, text))
	}
}

func (t *Tally) line(now time.Time, done, of int, text string) string {
	spent := now.Sub(t.began)
	if done < 1 {
		return fmt.Sprintf("%d of %d · %s", done, of, text)
	}
	left := time.Duration(float64(spent) / float64(done) * float64(max(0, of-done)))
	return fmt.Sprintf("%d of %d · %s · %.1f a minute · %s left", done, of, text, float64(done)/spent.Minutes(),
		format.Duration(left))
}
