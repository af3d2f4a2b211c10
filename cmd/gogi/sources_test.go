package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"gogi/internal/testutil"
)

// TestSourcesPage runs every command of docs/research/sources.md from the root of the repository. Each line below a
// command must be in its output. Blanks between words may differ.
func TestSourcesPage(t *testing.T) {
	t.Parallel()
	page := testutil.Must(os.ReadFile("../../docs/research/sources.md"))(t)
	commands, output := 0, ""
	for line := range strings.Lines(string(page)) {
		text, indented := strings.CutPrefix(strings.TrimRight(line, "\n"), "    ")
		command, runs := strings.CutPrefix(text, "$ ")
		switch {
		case !indented:
		case runs:
			commands++
			words := strings.Fields(command)
			run := exec.CommandContext(t.Context(), words[0], words[1:]...)
			run.Dir = "../.."
			all, err := run.CombinedOutput()
			if output = joinedWords(string(all)); err != nil {
				t.Errorf("%s: %v\n%s", command, err, all)
			}
		case !strings.Contains(output, joinedWords(text)):
			t.Errorf("%q is not in the output\n%s", text, output)
		}
	}
	testutil.Check(t, commands >= 15, "the page has %d commands", commands)
}

// joinedWords returns a text with one blank between words.
func joinedWords(text string) string { return strings.Join(strings.Fields(text), " ") }
