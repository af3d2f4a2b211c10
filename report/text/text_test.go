package text

import (
	"strings"
	"testing"

	"gogi/internal/testutil"
)

func TestFenceHolds(t *testing.T) {
	got := fence([]string{"a ``` b", "\x1b[31mred\x1b[0m  ", strings.Repeat("x", 300)})
	lines := strings.Split(strings.TrimSuffix(got, "\n"), "\n")
	if lines[0] != "````" || lines[len(lines)-1] != "````" || len(lines) != 5 {
		t.Errorf("%q", got)
	}
	testutil.Equal(t, lines[2], "red")
	if n := len([]rune(lines[3])); n > blockWidth+1 {
		t.Errorf("a line has %d characters", n)
	}
}
