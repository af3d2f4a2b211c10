package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/text"

	"gogi/examine"
	"gogi/internal/foreign"
	"gogi/internal/format"
)

// checkText prints findings while the examination goes on. Should the terminal be
// gone there is nobody to tell, so write errors are dropped.
type checkText struct {
	w     io.Writer
	width int // of the column of names
}

func newCheckText(w io.Writer) *checkText {
	c := &checkText{w: w}
	for _, name := range examine.Checks() {
		c.width = max(c.width, len(name))
	}
	return c
}

// checkDetailWidth is where details are broken.
const checkDetailWidth = 96

func (c *checkText) title(engine string) {
	title := foreign.Printable(engine, 100)
	fmt.Fprintf(c.w, "%s\n%s\n\n", title, strings.Repeat("═", text.StringWidthWithoutEscSequences(title)))
}

func (c *checkText) add(f examine.Finding) {
	head := fmt.Sprintf("%s   %-*s   ", f.Verdict, c.width, strings.ReplaceAll(f.Check, "_", " "))
	for line := range strings.Lines(text.WrapSoft(f.Detail, checkDetailWidth)) {
		fmt.Fprintf(c.w, "%s%s\n", head, strings.TrimSpace(line))
		head = strings.Repeat(" ", len(head))
	}
}

func (c *checkText) summary(s *examine.Examination, took time.Duration) {
	fmt.Fprintf(c.w, "\n%d passed, %d with warnings, %d failed, in %s\n",
		s.Count(examine.Pass), s.Count(examine.Warn), s.Count(examine.Fail), format.Span(took))
	if s.Stuck != "" {
		fmt.Fprintf(c.w, "Without %s nothing else can be checked.\n", s.Stuck)
	}
}
