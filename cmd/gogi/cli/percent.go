package cli

import (
	"fmt"
	"io"
	"time"
)

const percentEvery = 200 * time.Millisecond

// Percent returns a function that shows the progress of a long job over pairs on a terminal. It returns nil
// if w is not a terminal or quiet is set.
func Percent(w io.Writer, quiet bool) func(done, of int) {
	f := File(w)
	if quiet || f == nil || !Drawable(f) {
		return nil
	}
	var last time.Time
	return func(done, of int) {
		switch {
		case done == of:
			fmt.Fprint(f, "\r\x1b[K")
		case time.Since(last) > percentEvery:
			last = time.Now()
			fmt.Fprintf(f, "\r%d of %d pairs", done, of)
		}
	}
}
