package enginecmd

import (
	"fmt"
	"io"
	"strings"
	"time"

	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/internal/sanitize"
	"gogi/players/check"
)

// checkText prints each finding as soon as the examination has it. It ignores write errors.
type checkText struct {
	w     io.Writer
	in    i18n.Language
	width int // width of the column of names
}

func newCheckText(w io.Writer, in i18n.Language) *checkText {
	c := &checkText{w: w, in: in}
	for _, name := range check.Checks() {
		c.width = max(c.width, format.Width(check.Title(name).In(in)))
	}
	return c
}

const checkDetailWidth = 96

func (c *checkText) title(engine string) {
	title := sanitize.Printable(engine, 100)
	fmt.Fprintf(c.w, "%s\n%s\n\n", title, strings.Repeat("═", format.Width(title)))
}

func (c *checkText) add(f check.Finding) {
	head := f.Verdict.Message().In(c.in) + "   " + format.Pad(check.Title(f.Check).In(c.in), c.width) + "   "
	for _, line := range format.Lines(f.In(c.in), checkDetailWidth) {
		fmt.Fprintf(c.w, "%s%s\n", head, line)
		head = strings.Repeat(" ", format.Width(head))
	}
}

func (c *checkText) summary(s *check.Examination, took time.Duration) {
	fmt.Fprintf(c.w, "\n%s\n", i18n.Say(c.in, "%d passed, %d with warnings, %d failed, in %s",
		s.Count(check.Pass), s.Count(check.Warn), s.Count(check.Fail), format.Span(took)))
	if s.Stuck != "" {
		fmt.Fprintln(c.w, i18n.Say(c.in, "Without %s nothing else can be checked.", s.Stuck))
	}
}
