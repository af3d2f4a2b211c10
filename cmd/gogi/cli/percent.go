package cli

import (
	"fmt"
	"io"
	"time"
)

// percentEvery is how often a long job tells how far it is.
const percentEvery = 200 * time.Millisecond

// Percent shows on a terminal how far a long job over pairs is, and nothing elsewhere.
func Percent(w io.Writer, quiet bool) func(done, of int) {
	f := File(w)
	if quiet || f == nil || !Drawable(f) {
		return nil
	}
	var told time.Time
	return func(done, of int) {
		switch {
		case done == of:
			fmt.Fprint(f, "\r\x1b[K")
		case time.Since(told) > percentEvery:
			told = time.Now()
			fmt.Fprintf(f, "\r%d of %d pairs", done, of)
		}
	}
}
