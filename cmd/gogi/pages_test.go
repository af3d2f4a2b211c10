package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gogi/cmd/gogi/cli"
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

// writeFiles writes the TOML blocks of a page whose first line is "# NAME".
func writeFiles(t *testing.T, page, dir string) {
	t.Helper()
	for _, block := range regexp.MustCompile("(?s)```toml\n# (\\w+\\.toml)\n.*?```").FindAllStringSubmatch(string(testutil.Must(os.ReadFile(page))(t)), -1) {
		text := strings.TrimSuffix(strings.TrimPrefix(block[0], "```toml\n"), "```")
		testutil.OK(t, os.WriteFile(filepath.Join(dir, block[1]), []byte(text), 0o600))
	}
}

// TestPagesRun types the commands of README and of the tutorials in order, in an empty
// folder that has what the pages ask for: the engines dev and base, of which dev is stronger.
func TestPagesRun(t *testing.T) {
	t.Parallel()
	for page, least := range map[string]int{"../../README.md": 4, "../../docs/first-test.md": 8, "../../docs/first-tune.md": 6, "../../docs/first-council.md": 5} {
		t.Run(filepath.Base(page), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			write := func(name, words string) {
				testutil.OK(t, os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\nexec "+words+"\n"), 0o700))
			}
			const options = ` -options 'name USI_Hash type spin default 16 min 1 max 1024'`
			write("dev", "fakeengine"+options)
			write("base", "fakeengine -script resign@go"+options)
			writeFiles(t, page, dir)
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

// typeIn runs a command as a shell does. A command with the remark "# test: exit 0, 10 or 11" may end with a
// decision of an SPRT. gogi check has to end with its list of results, and may reject
// the small engine of the test.
func typeIn(t *testing.T, dir, command string) {
	t.Helper()
	c := exec.CommandContext(t.Context(), "/bin/sh", "-c", command)
	c.Dir = dir
	out, err := c.CombinedOutput()
	checked := strings.HasPrefix(command, "gogi check") && strings.Contains(string(out), " passed, ")
	decided := strings.Contains(command, "# test: exit 0, 10 or 11") && slices.Contains([]int{cli.GateFailed, cli.GateOpen}, c.ProcessState.ExitCode())
	if err != nil && !checked && !decided {
		t.Fatalf("%s: %v\n%s", command, err, out)
	}
}
