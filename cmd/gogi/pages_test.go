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

// A pageCommand is a command line of a page.
type pageCommand struct {
	line string
	runs bool // it has no placeholder, and no prerequisite that the test lacks
}

// placeholder matches a word that the reader replaces by a value, such as FILE, RUN or FILE.toml.
var placeholder = regexp.MustCompile(`…|[\[(|]|(^|[ =])[A-Z][A-Z0-9-]*(\.[a-z]+)?(,| |$)`)

// pageCommands returns the commands of a page: the indented lines that begin with gogi or ./gogi. It joins continued
// lines. The comment "<!-- test: needs … -->" names a prerequisite of the commands up to the next heading. The comment
// "<!-- test: the page needs … -->" names one of all commands below it.
func pageCommands(t *testing.T, page string) (commands []pageCommand) {
	t.Helper()
	text := strings.ReplaceAll(string(testutil.Must(os.ReadFile(page))(t)), "\\\n", " ")
	section, rest := false, false
	for line := range strings.Lines(text) {
		switch {
		case strings.HasPrefix(line, "#"):
			section = false
		case strings.HasPrefix(line, "<!-- test: needs "):
			section = true
		case strings.HasPrefix(line, "<!-- test: the page needs "):
			rest = true
		}
		command := strings.TrimPrefix(strings.TrimSpace(line), "./")
		if strings.HasPrefix(line, "    ") && strings.HasPrefix(command, "gogi ") {
			words, _, _ := strings.Cut(command, " #")
			commands = append(commands, pageCommand{command, !section && !rest && !placeholder.MatchString(words)})
		}
	}
	return commands
}

var (
	// games matches the number of games of a match or tune up to 999. A larger number is the limit of an SPRT, which
	// stops long before it.
	games = regexp.MustCompile(`(--games |\ngames = )\d{1,3}\b`)
	// openings matches the number of openings that gogi book make plays for.
	openings = regexp.MustCompile(`(gogi book make .*--count )\d+`)
)

// shorter returns a text of a page with fewer games and openings, unless the test is long. The built-in engine's games
// would take most of the CPU time of make test.
func shorter(text string) string {
	if testutil.Long() {
		return text
	}
	if text == "gogi match" {
		text += " --games 4"
	}
	return openings.ReplaceAllString(games.ReplaceAllString(text, "${1}4"), "${1}120")
}

// writeFiles writes the TOML blocks of a page whose first line is "# NAME".
func writeFiles(t *testing.T, page, dir string) {
	t.Helper()
	files := regexp.MustCompile("(?s)```toml\n# (\\w+\\.toml)\n.*?```")
	for _, block := range files.FindAllStringSubmatch(string(testutil.Must(os.ReadFile(page))(t)), -1) {
		text := strings.TrimSuffix(strings.TrimPrefix(block[0], "```toml\n"), "```")
		testutil.OK(t, os.WriteFile(filepath.Join(dir, block[1]), []byte(shorter(text)), 0o600))
	}
}

// TestPagesRun types the commands of README and of every page of docs in order, in an empty folder for each page. The
// folder has the engines that the pages need, dev and base; dev is stronger. A command that is on two pages runs once.
// Without -long the commands play fewer games, and the test types the commands of README and first-test.md, or of all
// pages with GOGI_PAGES=all.
func TestPagesRun(t *testing.T) {
	t.Parallel()
	pages := append(testutil.Must(filepath.Glob("../../docs/*.md"))(t), "../../README.md")
	typed := map[string]bool{}
	for _, page := range pages {
		commands := slices.DeleteFunc(pageCommands(t, page), func(c pageCommand) bool { return !c.runs || typed[c.line] })
		for _, c := range commands {
			typed[c.line] = true
		}
		left := !testutil.Long() && os.Getenv("GOGI_PAGES") != "all" && filepath.Base(page) != "README.md" &&
			filepath.Base(page) != "first-test.md"
		if len(commands) == 0 || left {
			continue
		}
		t.Run(filepath.Base(page), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			write := func(name, words string) {
				testutil.OK(t, os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\nexec "+words+"\n"), 0o700))
			}
			const options = ` -options 'name USI_Hash type spin default 16 min 1 max 1024|name EvalDir type string default <internal>'`
			for _, net := range []string{"nets/v4", "nets/v5"} {
				testutil.OK(t, os.MkdirAll(filepath.Join(dir, net), 0o700))
				testutil.OK(t, os.WriteFile(filepath.Join(dir, net, "nn.bin"), []byte(net), 0o600))
			}
			write("dev", "fakeengine"+options)
			write("base", "fakeengine -script resign@go"+options)
			writeFiles(t, page, dir)
			for _, command := range commands {
				typeIn(t, dir, shorter(command.line))
			}
		})
	}
	testutil.Check(t, len(typed) >= 30, "only %d commands of the pages can be typed", len(typed))
}

// TestPagesNameFlags: every command on a page exists and has the flags that the page uses. This includes the commands
// that TestPagesRun cannot type.
func TestPagesNameFlags(t *testing.T) {
	t.Parallel()
	s := &folder{dir: t.TempDir()}
	list, _, _ := s.gogi(t, "help", "-a")
	var names []string
	for line := range strings.Lines(list) {
		if name, command := strings.CutPrefix(line, "  "); command {
			name, _, _ = strings.Cut(name, "  ")
			names = append(names, strings.TrimSpace(name))
		}
	}
	help := map[string]string{}
	flag := regexp.MustCompile(`(^|[ \[(])(--[a-z][a-z-]*)`)
	for _, page := range append(testutil.Must(filepath.Glob("../../docs/*.md"))(t), "../../README.md") {
		for _, command := range pageCommands(t, page) {
			words, _, _ := strings.Cut(strings.TrimPrefix(command.line, "gogi "), " #")
			words, _, _ = strings.Cut(words, " '")
			verb := verbOf(names, words)
			if verb == "" {
				t.Errorf("%s: no such command: %s", page, command.line)
				continue
			}
			if help[verb] == "" {
				print := gogi // without a process; only the commands of gogi-farm need one
				if strings.HasPrefix(verb, "farm") {
					print = s.gogi
				}
				help[verb], _, _ = print(t, append(strings.Fields(verb), "--help-all")...)
				if help[verb] == "" {
					help[verb], _, _ = print(t, append(strings.Fields(verb), "--help")...)
				}
			}
			for _, found := range flag.FindAllStringSubmatch(words, -1) {
				if name := found[2]; !strings.Contains(help[verb], name) &&
					!strings.Contains(help[verb], "--[no-]"+strings.TrimPrefix(strings.TrimPrefix(name, "--"), "no-")) &&
					name != "--help" && name != "--help-all" {
					t.Errorf("%s: gogi %s has no flag %s: %s", page, verb, name, command.line)
				}
			}
		}
	}
}

// verbOf returns the command with which words begin, such as "farm key new". For a group it returns the default
// command, such as tune run for tune. It returns "" if there is no command.
func verbOf(names []string, words string) string {
	best := ""
	for _, name := range names {
		if strings.HasPrefix(words+" ", name+" ") && len(name) > len(best) {
			best = name
		}
	}
	first, _, _ := strings.Cut(words, " ")
	for _, name := range []string{"run", "play", "show", "read"} {
		if best == "" && slices.Contains(names, first+" "+name) {
			best = first + " " + name
		}
	}
	return best
}

// typeIn runs a command in a shell. A command with the remark "# exit code 0, 10 or 11" may end with a decision of an
// SPRT. gogi check must print the summary of its results, and may reject the small engine of the test.
func typeIn(t *testing.T, dir, command string) {
	t.Helper()
	c := exec.CommandContext(t.Context(), "/bin/sh", "-c", command)
	c.Dir = dir
	out, err := c.CombinedOutput()
	checked := strings.HasPrefix(command, "gogi check") && strings.Contains(string(out), " passed, ")
	decided := strings.Contains(command, "# exit code 0, 10 or 11") &&
		slices.Contains([]int{cli.GateFailed, cli.GateOpen}, c.ProcessState.ExitCode())
	testutil.Require(t, err == nil || checked || decided, "%s: %v\n%s", command, err, out)
}
