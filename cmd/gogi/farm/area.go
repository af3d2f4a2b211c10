package farmcmd

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"
	"golang.org/x/term"

	"gogi/cmd/gogi/cli"
	"gogi/internal/sanitize"
)

// area is the end of a terminal's output that is drawn anew again and again.
type area struct {
	w     io.Writer
	size  func() (width, height int)
	lines int // that the latest drawing has
}

// areaOf is the area of an output; nil: it is no terminal on which one can draw.
func areaOf(w io.Writer) *area {
	f := cli.File(w)
	if f == nil || !cli.Drawable(f) {
		return nil
	}
	return &area{w: sanitize.Raw(w), size: func() (int, int) {
		width, height, err := term.GetSize(int(f.Fd())) //nolint:gosec // a descriptor is small
		if err != nil {
			return 80, 24
		}
		return width, height
	}}
}

// draw replaces what was drawn before. What does not fit is cut off, at the right and at the
// bottom: a line that is wrapped, or has left the screen, could not be drawn over.
func (a *area) draw(shown string) error {
	width, height := a.size()
	lines := strings.Split(strings.TrimRight(shown, "\n"), "\n")
	lines = lines[:min(len(lines), max(1, height-1))]
	var out strings.Builder
	if a.lines > 0 {
		fmt.Fprintf(&out, "\x1b[%dA", a.lines)
	}
	for _, line := range lines {
		fmt.Fprintf(&out, "\r\x1b[2K%s\n", text.Trim(sanitize.Escape(line), max(1, width-1)))
	}
	out.WriteString("\x1b[J") // the rest of a longer drawing
	a.lines = len(lines)
	_, err := io.WriteString(a.w, out.String())
	return err
}
