package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"gogi/examine"
	"gogi/internal/foreign"
	"gogi/internal/format"
	"gogi/internal/phrases"
)

// checkText prints findings while the examination goes on. Should the terminal be
// gone there is nobody to tell, so write errors are dropped.
type checkText struct {
	w     io.Writer
	in    phrases.Tongue
	width int // of the column of names
}

func newCheckText(w io.Writer, in phrases.Tongue) *checkText {
	c := &checkText{w: w, in: in}
	for _, name := range examine.Checks() {
		c.width = max(c.width, format.Width(examine.Title(name).In(in)))
	}
	return c
}

// checkDetailWidth is where details are broken.
const checkDetailWidth = 96

func (c *checkText) title(engine string) {
	title := foreign.Printable(engine, 100)
	fmt.Fprintf(c.w, "%s\n%s\n\n", title, strings.Repeat("═", format.Width(title)))
}

func (c *checkText) add(f examine.Finding) {
	head := f.Verdict.Said().In(c.in) + "   " + format.Pad(examine.Title(f.Check).In(c.in), c.width) + "   "
	for _, line := range format.Lines(f.In(c.in), checkDetailWidth) {
		fmt.Fprintf(c.w, "%s%s\n", head, line)
		head = strings.Repeat(" ", format.Width(head))
	}
}

func (c *checkText) summary(s *examine.Examination, took time.Duration) {
	fmt.Fprintf(c.w, "\n%s\n", phrases.Say(c.in, "%d passed, %d with warnings, %d failed, in %s",
		s.Count(examine.Pass), s.Count(examine.Warn), s.Count(examine.Fail), format.Span(took)))
	if s.Stuck != "" {
		fmt.Fprintln(c.w, phrases.Say(c.in, "Without %s nothing else can be checked.", s.Stuck))
	}
}
