package enginecmd

import (
	"bytes"
	"strings"
	"testing"

	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/internal/testutil"
	"gogi/players/check"
)

// TestCheckText: long details stay in their column. The column of names is as wide as the longest name of a check.
func TestCheckText(t *testing.T) {
	var out bytes.Buffer
	text := newCheckText(&out, i18n.English)
	text.title("./x")
	text.add(check.Finding{Check: "go_depth", Verdict: check.Fail,
		Detail: "worse; bad " + strings.TrimSpace(strings.Repeat("words ", 20)) + "; fine"})
	head := strings.Repeat(" ", len("go_main_and_byoyomi"))
	want := "./x\n═══\n\n" +
		"fail   go depth" + head[len("go_depth"):] + "   worse; bad " + strings.TrimSpace(strings.Repeat("words ", 14)) +
		"\n" +
		"       " + head + "   " + strings.TrimSpace(strings.Repeat("words ", 6)) + "; fine\n"
	testutil.Equal(t, out.String(), want)
}

// TestCheckTextInJapanese: in Japanese, too, all details begin in the same column. A character takes two columns.
func TestCheckTextInJapanese(t *testing.T) {
	var out bytes.Buffer
	text := newCheckText(&out, i18n.Japanese)
	text.add(check.Finding{Check: "declaration", Verdict: check.Warn, Detail: "x"})
	text.add(check.Finding{Check: "go_main_and_byoyomi", Verdict: check.Pass, Detail: "x"})
	column := -1
	for line := range strings.Lines(out.String()) {
		before, _, found := strings.Cut(line, "x")
		width := format.Width(before)
		testutil.Check(t, found && (column < 0 || width == column), "begins at %d, not %d: %s", width, column, line)
		column = format.Width(before)
	}
}
