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

// An area is the last part of a terminal's output, which gogi redraws.
type area struct {
	w     io.Writer
	size  func() (width, height int)
	lines int // number of lines of the latest drawing
}

// areaOf returns the area of an output, or nil if the output is not a terminal.
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

// draw replaces the previous drawing by the text shown. It cuts the text at the right and at the bottom of the
// terminal, because it cannot redraw a line that is wrapped or has left the screen.
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
