package main

import (
	"bytes"
	"strings"
	"testing"

	"gogi/examine"
)

// Long details stay in their column, which is as wide as the longest name.
func TestCheckText(t *testing.T) {
	var out bytes.Buffer
	text := newCheckText(&out)
	text.title("./x")
	text.add(examine.Finding{Check: "go_depth", Verdict: examine.Fail, Detail: "worse; bad " + strings.TrimSpace(strings.Repeat("words ", 20)) + "; fine"})
	head := strings.Repeat(" ", len("go_main_and_byoyomi"))
	want := "./x\n═══\n\n" +
		"fail   go depth" + head[len("go_depth"):] + "   worse; bad " + strings.TrimSpace(strings.Repeat("words ", 14)) + "\n" +
		"       " + head + "   " + strings.TrimSpace(strings.Repeat("words ", 6)) + "; fine\n"
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}
