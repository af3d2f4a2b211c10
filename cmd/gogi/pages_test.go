package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gogi/internal/testutil"
)

// pageCommands returns the commands of a page: the indented lines that begin with gogi or ./gogi,
// continued lines joined. A command whose remark is "# test: needs …" has a prerequisite that the
// test does not have; the others are returned.
func pageCommands(t *testing.T, page string) (commands []string) {
	t.Helper()
	text := strings.ReplaceAll(string(testutil.Must(os.ReadFile(page))(t)), "\\\n", " ")
	for line := range strings.Lines(text) {
		command := strings.TrimPrefix(strings.TrimSpace(line), "./")
		if strings.HasPrefix(line, "    ") && strings.HasPrefix(command, "gogi ") && !strings.Contains(command, "# test: needs") {
			commands = append(commands, command)
		}
	}
	return commands
}

// TestPagesRun types the commands of README and of the first tutorial in order, in an empty
// folder that has what the pages ask for: the engines dev and base, of which dev is stronger.
func TestPagesRun(t *testing.T) {
	t.Parallel()
	for page, least := range map[string]int{"../../README.md": 4, "../../docs/first-test.md": 8} {
		t.Run(filepath.Base(page), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			write := func(name, words string) {
				testutil.OK(t, os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\nexec "+words+"\n"), 0o700))
			}
			const options = ` -options 'name USI_Hash type spin default 16 min 1 max 1024'`
			write("dev", "fakeengine"+options)
			write("base", "fakeengine -script resign@go"+options)
			commands := pageCommands(t, page)
			if len(commands) < least {
				t.Fatalf("only %d commands were found: %q", len(commands), commands)
			}
			for _, command := range commands {
				typeIn(t, dir, command)
			}
		})
	}
}

// typeIn runs a command as a shell does. gogi check has to end with its list of results, and may reject
// the small engine of the test.
func typeIn(t *testing.T, dir, command string) {
	t.Helper()
	c := exec.CommandContext(t.Context(), "/bin/sh", "-c", command)
	c.Dir = dir
	out, err := c.CombinedOutput()
	checked := strings.HasPrefix(command, "gogi check") && strings.Contains(string(out), " passed, ")
	if err != nil && !checked {
		t.Fatalf("%s: %v\n%s", command, err, out)
	}
}
