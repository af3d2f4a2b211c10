package main

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"gogi/internal/testutil"
	"gogi/internal/testutil/enginelist"
	"gogi/match"
	"gogi/report/stored"
)

var writeMatches = flag.Bool("write-matches", false,
	"play the built-in engine against the installed engines, and rewrite the table of matches in docs/engines.md")

// A playedEngine is an engine of docs/engines.md.
type playedEngine struct {
	name    string // its row in the page
	program string // a program in PATH
	command []string
	more    string    // other keys of its [[engine]]
	limits  [2]string // that it keeps: without a clock, and with a clock
	own     [2]string // limits of the built-in engine, if they are not the default
}

// wasm is the program of the engine of npm, from the root of the source.
const wasm = "players/check/testdata/npm/node_modules/fairy-stockfish-nnue.wasm/uci.js"

// playedEngines returns the packaged engines, or the engines of the list that -engines names.
func playedEngines(t *testing.T, root string) (played []playedEngine) {
	t.Helper()
	for _, e := range enginelist.Read(t) {
		played = append(played, playedEngine{e.Name, e.Command[0], e.Command, e.Keys, e.Limits, e.Own})
	}
	if played != nil {
		return played
	}
	clock := `tc = "2+0.1", margin = "1s"`
	return []playedEngine{
		{"fairy-stockfish", "fairy-stockfish", []string{"fairy-stockfish"}, "options = {Threads = 1}",
			[2]string{"nodes = 500", clock}, [2]string{}},
		{"sjaakii", "sjaakii", []string{"sjaakii"}, "", [2]string{"depth = 2", clock}, [2]string{}},
		{"fairy-stockfish-nnue.wasm", "node", []string{"node", "--no-experimental-fetch", filepath.Join(root, wasm)}, "",
			[2]string{"nodes = 500", clock}, [2]string{}},
		// it counts whole seconds
		{"gpsusi", "gpsusi", []string{"gpsusi", "-N", "1", "--node-count-hard-limit", "1000"}, `greeting_timeout = "10m"`,
			[2]string{"self = true", `byoyomi = "1s", margin = "2s"`}, [2]string{1: `byoyomi = "100ms", margin = "1s"`}},
	}
}

// TestEngineMatches: docs/engines.md has a row of each match of the built-in engine against an engine of Debian or npm.
// With
// -write-matches it plays them and rewrites their rows.
func TestEngineMatches(t *testing.T) {
	root := testutil.Must(filepath.Abs("../.."))(t)
	path := filepath.Join(root, "docs", "engines.md")
	page := string(testutil.Must(os.ReadFile(path))(t))
	for _, e := range playedEngines(t, root) {
		for i, limits := range e.limits {
			if *writeMatches {
				page = playMatch(t, page, e, i)
				testutil.OK(t, os.WriteFile(path, []byte(page), 0o600))
			}
			row := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta("| "+e.name+" | "+limits+" |") + `( [^|]+ \|){8}$`)
			testutil.Check(t, len(row.FindAllString(page, -1)) == 1, "docs/engines.md has no row %s with %s; run make engines",
				e.name, limits)
		}
	}
}

// playMatch plays one match and returns the page with its row.
func playMatch(t *testing.T, page string, e playedEngine, i int) string {
	t.Helper()
	if _, err := exec.LookPath(e.program); err != nil {
		t.Logf("%s is not installed; its rows stay", e.program)
		return page
	}
	own := cmp.Or(e.own[i], [2]string{"nodes = 500", e.limits[1]}[i])
	r, games := playReal(t, fmt.Sprintf(`
games = 20
concurrency = 1
rules = {max_plies = 80}

[[engine]]
name = "builtin"
cmd = "builtin"
limits = {%s}

[[engine]]
name = "engine"
command = ["%s"]
%s
limits = {%s}
`, own, strings.Join(e.command, `", "`), e.more, e.limits[i]))
	p := r.Players[1]
	number := func(x *float64, text string) string {
		if x == nil {
			return "–"
		}
		return fmt.Sprintf(text, *x)
	}
	ends := map[string]int{}
	slowed := 0
	for _, g := range games {
		ends[g.Termination]++
		if g.Marked {
			slowed++
		}
	}
	var how []string
	for _, word := range sorted(ends) {
		how = append(how, fmt.Sprintf("%s %d", strings.ReplaceAll(word, "_", " "), ends[word]))
	}
	row := strings.Join([]string{
		"| " + e.name, e.limits[i], time.Now().Format(time.DateOnly), fmt.Sprint(r.Games),
		fmt.Sprintf("%d–%d–%d", p.Wins, p.Draws, p.Losses),
		number(p.NodesPerMove, "%.0f"), number(p.MillisPerMove, "%.0f"), strings.Join(how, ", "), faultsOf(games),
		fmt.Sprintf("%d |", slowed),
	}, " | ")
	t.Log(row)
	start := strings.Index(page, "| "+e.name+" | "+e.limits[i]+" |")
	if start < 0 { // a new row is the last one
		const last = "<!-- end of matches -->"
		return strings.Replace(page, last, row+"\n"+last, 1)
	}
	old, _, _ := strings.Cut(page[start:], "\n")
	return strings.Replace(page, old, row, 1)
}

func sorted(counts map[string]int) []string {
	var words []string
	for word := range counts {
		words = append(words, word)
	}
	slices.SortFunc(words, func(a, b string) int { return cmp.Or(counts[b]-counts[a], strings.Compare(a, b)) })
	return words
}

// faultsOf returns the faults of games and the note of the first one of each kind.
func faultsOf(games []stored.Game) string {
	counts, notes := map[string]int{}, map[string]string{}
	for _, g := range games {
		if match.Termination(g.Termination).IsFault() {
			counts[g.Termination]++
			if notes[g.Termination] == "" {
				notes[g.Termination] = strings.ReplaceAll(g.Note, "|", "/")
			}
		}
	}
	if len(counts) == 0 {
		return "none"
	}
	var all []string
	for _, word := range sorted(counts) {
		all = append(all, fmt.Sprintf("%s %d, the first: %s", strings.ReplaceAll(word, "_", " "), counts[word], notes[word]))
	}
	return strings.Join(all, "; ")
}
