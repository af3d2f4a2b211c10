package gogi_test

import (
	"bytes"
	"go/scanner"
	"go/token"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"gogi/internal/testutil"
)

// mostColumns is the largest length of a line of Go code in characters. A tab counts as one, and so do several spaces, with
// which gofmt aligns a table. A line with a long string or a comment for a tool (//nolint) may be longer, because neither can
// be split.
const mostColumns = 120

// spaces are those between the columns of a table.
var spaces = regexp.MustCompile(` {2,}`)

// longText is the length of a string that is left in one piece.
const longText = 48

// TestLineLengths measures all lines of Go files that are not generated.
func TestLineLengths(t *testing.T) {
	names, err := exec.CommandContext(t.Context(), "git", "ls-files", "*.go").Output()
	testutil.OK(t, err)
	files := strings.Fields(string(names))
	testutil.Check(t, len(files) > 1000, "%d files", len(files))
	for _, name := range files {
		src, err := os.ReadFile(name)
		testutil.OK(t, err)
		if !bytes.Contains(src[:min(len(src), 2000)], []byte("Code generated")) {
			checkLines(t, name, src)
		}
	}
}

// checkLines reports the lines that are too long and have no text that could not be split.
func checkLines(t *testing.T, name string, src []byte) {
	t.Helper()
	whole := wholeTexts(src)
	for i, line := range strings.Split(string(src), "\n") {
		if n := utf8.RuneCountInString(spaces.ReplaceAllString(line, " ")); n > mostColumns && !whole[i+1] {
			t.Errorf("%s:%d: %d characters, at most %d are allowed", name, i+1, n, mostColumns)
		}
	}
}

// wholeTexts returns the numbers of the lines that have a long string, a part of a raw string of several lines, or a comment
// for a tool.
func wholeTexts(src []byte) map[int]bool {
	set := token.NewFileSet()
	file := set.AddFile("", -1, len(src))
	var s scanner.Scanner
	s.Init(file, src, nil, scanner.ScanComments)
	whole := map[int]bool{}
	for {
		pos, kind, text := s.Scan()
		if kind == token.EOF {
			return whole
		}
		long := kind == token.STRING && (len(text) >= longText || strings.Contains(text, "\n"))
		if long || kind == token.COMMENT && !strings.HasPrefix(text, "// ") {
			for i := range strings.Count(text, "\n") + 1 {
				whole[file.Line(pos)+i] = true
			}
		}
	}
}
