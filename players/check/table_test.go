package check

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gogi/internal/testutil"
	"gogi/internal/testutil/enginelist"
	"gogi/match"
	"gogi/players"
)

var writeEngines = flag.Bool("write-engines", false,
	"measure the installed engines, and rewrite their rows in docs/engines.md")

// enginesPage is the page with the table of engines.
var enginesPage = filepath.Join("..", "..", "docs", "engines.md")

// A measured engine is one that make engines measures again.
type measured struct {
	name    string   // the first cell of its row
	program string   // a program in PATH
	command []string // the command of the check
	version string   // the cell of the version, or "" for the name that the engine sends
}

// uci is the program of the engine of npm. `.ci/install` installs it.
const uci = "testdata/npm/node_modules/fairy-stockfish-nnue.wasm/uci.js"

// measuredEngines returns the engines that Debian and npm serve, or the engines of the list that -engines names.
func measuredEngines(t *testing.T) (engines []measured) {
	t.Helper()
	for _, e := range enginelist.Read(t) {
		engines = append(engines, measured{e.Name, e.Command[0], e.Command, e.Version})
	}
	if engines != nil {
		return engines
	}
	wasm, err := filepath.Abs(uci)
	if err == nil {
		_, err = os.Stat(wasm)
	}
	node := "node"
	if err != nil {
		node = "node with " + uci // is in no PATH
	}
	return []measured{
		{"fairy-stockfish", "fairy-stockfish", []string{"fairy-stockfish"}, ""},
		{"gpsusi", "gpsusi", []string{"gpsusi", "-N", "1", "--node-count-hard-limit", "20000"}, ""},
		{"sjaakii", "sjaakii", []string{"sjaakii"}, ""},
		{"fairy-stockfish-nnue.wasm", node, []string{"node", "--no-experimental-fetch", wasm}, ""},
	}
}

// cells are the items of the table's columns, after the engine, its version and the date.
func cells() []string {
	return []string{"node_limits", "go_byoyomi", "go_increment", "whites_clock", "mate_scores", "bounds", "ponderhit",
		"declaration", "drops", "repeatable", "mate_search"}
}

// row returns the row of an examination.
func row(name, version, date string, sheet *Examination) string {
	columns := []string{name, version, date}
	for _, item := range cells() {
		text := "–"
		for i := range sheet.Checks {
			if f := &sheet.Checks[i]; f.Check == item {
				text = short(f)
			}
		}
		columns = append(columns, text)
	}
	columns = append(columns, fmt.Sprintf("%d/%d/%d", sheet.Count(Pass), sheet.Count(Warn), sheet.Count(Fail)))
	return "| " + strings.Join(columns, " | ") + " |"
}

// short returns a finding as a cell. It names no input on which an engine fails.
func short(f *Finding) string {
	switch {
	case strings.Contains(f.Detail, "aborts on"), strings.Contains(f.Detail, "hangs on"),
		strings.Contains(f.Detail, "fails on"),
		strings.Contains(f.Detail, " within "), strings.Contains(f.Detail, "not supported"),
		strings.Contains(f.Detail, "no kind of search"):
		return "not supported"
	case f.Verdict == Pass:
		return "yes: " + strings.ReplaceAll(f.Detail, "|", "/")
	}
	text, _, _ := strings.Cut(strings.ReplaceAll(f.Detail, " in "+onlyDrops+", where only drops are legal", ""), ": ")
	return strings.ReplaceAll(text, "|", "/")
}

// TestEnginesTable: the page has one row with all columns for each engine that make engines measures, and each engine
// with such a row is in the other tables, too.
func TestEnginesTable(t *testing.T) {
	page := string(testutil.Must(os.ReadFile(enginesPage))(t))
	if *writeEngines {
		page = measureAll(t, page)
		testutil.OK(t, os.WriteFile(enginesPage, []byte(page), 0o600))
	}
	_, table, found := strings.Cut(page, "<!-- measured -->\n")
	testutil.Require(t, found, "the page has no mark")
	table, _, _ = strings.Cut(table, "\n\n")
	lines := strings.Split(table, "\n")
	for _, line := range lines {
		if strings.HasPrefix(line, "|---") {
			continue
		}
		testutil.Equal(t, strings.Count(line, " | "), len(cells())+3, "%s", line)
		testutil.Check(t, !strings.Contains(line, "abort") && !strings.Contains(line, "crash") &&
			!strings.Contains(line, "hang"), "%s", line)
		name, _, _ := strings.Cut(strings.TrimPrefix(line, "| "), " | ")
		for _, section := range []string{"## How to start them", "## Matches against the built-in engine"} {
			_, text, _ := strings.Cut(page, section)
			text, _, _ = strings.Cut(text, "\n## ")
			testutil.Check(t, strings.HasPrefix(line, "| engine |") || strings.Contains(text, "\n| "+name+" | "),
				"%s has no row below %s", name, section)
		}
	}
	for _, e := range measuredEngines(t) {
		testutil.Check(t, strings.Contains(table, "\n| "+e.name+" | "), "%s has no row", e.name)
	}
}

// measureAll examines the installed engines and returns the page with their new rows.
func measureAll(t *testing.T, page string) string {
	t.Helper()
	_, table, _ := strings.Cut(page, "<!-- measured -->\n")
	for _, e := range measuredEngines(t) {
		path, err := exec.LookPath(e.program)
		if err != nil {
			t.Logf("%s is not installed; its row stays", e.program)
			continue
		}
		command := append([]string{path}, e.command[1:]...)
		dir := t.TempDir()
		if e.version != "" { // a build from source finds its files beside itself
			dir = filepath.Dir(path)
		}
		p := match.Player{
			Name: e.name, Dir: dir, Command: command,
			Limits:   match.Limits{Clock: match.TimeControl{Byoyomi: time.Second}, Margin: match.DefaultMargin},
			Greeting: 10 * time.Minute, Ready: 10 * time.Minute,
		}
		plan := &match.Plan{Rules: match.RulesProfiles()[match.DefaultRules], Players: []match.Player{p}}
		sheet := testutil.Must(Engine(t.Context(), &players.Opener{Plan: plan}, p, Options{}))(t)
		start := strings.Index(table, "| "+e.name+" | ")
		testutil.Require(t, start >= 0, "%s has no row", e.name)
		old, _, _ := strings.Cut(table[start:], "\n")
		page = strings.Replace(page, old, row(e.name, cmp.Or(e.version, sheet.Name), time.Now().Format(time.DateOnly), sheet),
			1)
	}
	return page
}

func TestEnginesRow(t *testing.T) {
	sheet := &Examination{Checks: []Finding{
		{Check: "node_limits", Verdict: Warn, Detail: "go nodes is not supported: use --depth"},
		{Check: "go_byoyomi", Verdict: Pass, Detail: "471 ms of 500 ms"},
		{Check: "whites_clock", Verdict: Fail, Detail: "as White it reads Black's clock: 1 | 2"},
		{Check: "mate_search", Verdict: Warn, Detail: "go mate 1000: no checkmate within 3 s"},
		{Check: "drops", Verdict: Fail, Detail: "aborts on go nodes 5: exit status 1"},
	}}
	testutil.Equal(t, row("e", "E 1", "2026-01-02", sheet),
		"| e | E 1 | 2026-01-02 | not supported | yes: 471 ms of 500 ms | – | as White it reads Black's clock | – | – | – | – | not supported | – | not supported | 1/2/2 |")
}
