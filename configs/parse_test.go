package configs_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"gogi/configs"
	"gogi/configs/configstest"
	"gogi/internal/testutil"
)

// contract is the example of the project's contracts, without the council.
const contract = `games = 1000
seed = 1
concurrency = 2
players = ["A", "C"]
limits = {byoyomi = "1s", margin = "100ms"}     # main increment movetime nodes depth self stall
rules = "default"                               # or a table: {declaration = "CSARule27", max_plies = 320, …}
openings = {file = "book.sfen", plies = 24}
[[engine]]
name = "A"
command = ["./a", "--flag"]                     # or cmd = "./a"
options = {Threads = 1}
limits = {nodes = 20000}                        # overrides
profile = "yaneuraou"
restart = "never"                               # or "pair", "game": a fresh process
[[engine]]
name = "C"
cmd = "./c"
env = {B = "2", A = 1}
[engine.options]
Zeta = 1.5
USI_Hash = 64
"Move Overhead" = true
EvalDir = "nets v5"
`

func ptr[T any](v T) *T { return &v }

func TestParse(t *testing.T) {
	got := testutil.Must(configs.Parse([]byte(contract), "match.toml"))(t)
	want := &configs.File{
		Games: ptr(1000), Seed: ptr(uint64(1)), Concurrency: ptr(configs.Concurrency(2)), Players: []string{"A", "C"},
		Limits:   &configs.Limits{Clock: configs.Clock{Byoyomi: ptr(time.Second)}, Margin: ptr(100 * time.Millisecond)},
		Rules:    &configs.Rules{Name: "default"},
		Openings: &configs.Openings{File: "book.sfen", Plies: ptr(24)},
		Engines: []configs.Engine{{
			Name: "A", Command: []string{"./a", "--flag"}, Options: configs.Options{{Name: "Threads", Value: "1"}},
			Limits: &configs.Limits{Nodes: ptr(uint64(20000))}, Profile: "yaneuraou", Restart: "never",
		}, {
			Name: "C", Cmd: "./c", Env: configs.Environ{"B=2", "A=1"},
			Options: configs.Options{
				{Name: "Zeta", Value: "1.5"},
				{Name: "USI_Hash", Value: "64"},
				{Name: "Move Overhead", Value: "true"},
				{Name: "EvalDir", Value: "nets v5"},
			},
		}},
	}
	testutil.Equal(t, cmp.Diff(want, got, cmpopts.IgnoreUnexported(configs.File{})), "", "-want +got\n")
}

func TestParseErrors(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{
			"unknown key", "games = 2\n\n\n\n\n[limits]\nnodez = 3\n",
			`match.toml:7: unknown key "nodez" in limits (did you mean nodes?)`,
		},
		{
			"unknown key at the top", "Games = 2\n",
			`match.toml:1: unknown key "Games" (did you mean games or gate?)`,
		},
		{
			"unknown key like nothing", "limits_by_colour = {zzzzzzzzzzzzzzz = 1}\n",
			`match.toml:1: unknown key "zzzzzzzzzzzzzzz" in limits_by_colour (expected one of black, white)`,
		},
		{
			"the right one of several engines", "[[engine]]\nname = \"A\"\n[[engine]]\nnane = \"B\"\n[[engine]]\nname = \"C\"\n",
			`match.toml:4: unknown key "nane" in engine (did you mean name?)`,
		},
		{
			"inline, in a list", "engine = [\n {name = \"A\"},\n {name = \"B\",\n  limits = {nods = 1}},\n]\n",
			`match.toml:4: unknown key "nods" in engine.limits (did you mean nodes?)`,
		},
		{
			"all errors in order", "games = true\nseed = -1\nplayers = [\"A\",\n 1]\n",
			"match.toml:1: games: expected a whole number, found true\n" +
				"match.toml:2: seed: expected a whole number from 0, found the number -1\n" +
				"match.toml:4: players: expected a string, found the number 1",
		},
		{"fraction", "games = 1.5", `match.toml:1: games: expected a whole number, found the number 1.5`},
		{"string for number", `games = "ten"`, `match.toml:1: games: expected a whole number, found the string "ten"`},
		{"number for string", `design = 1`,
			`match.toml:1: design: expected a table or, for kind alone, a string, found the number 1`},
		{"date", `swap = 2020-01-01`, `match.toml:1: swap: expected true or false, found a date or time`},
		{"list for table", `limits = [1]`, `match.toml:1: limits: expected a table or, for tc alone, a string, found a list`},
		{"no shorthand", `limits_by_colour = "1+1"`,
			`match.toml:1: limits_by_colour: expected a table, found the string "1+1"`},
		{"table for list", `players = {a = 1}`, `match.toml:1: players: expected a list, found a table`},
		{"table for number", `concurrency = {}`, `match.toml:1: concurrency: expected a string, found a table`},
		{"number for list", "rules = {repetition_points = [\"a\"]}",
			`match.toml:1: rules.repetition_points: expected a number, found the string "a"`},
		{"no number", `rules = {repetition_points = [nan, 0.5]}`,
			`match.toml:1: rules.repetition_points: expected a number, found the number NaN`},
		{"no end", `rules = {repetition_points = [0.5, -inf]}`,
			`match.toml:1: rules.repetition_points: expected a number, found the number -Inf`},
		{"duration as number", `limits = {byoyomi = 1}`,
			`match.toml:1: limits.byoyomi: expected a duration such as "1s" or "500ms", found the number 1`},
		{"duration without unit", `limits = {byoyomi = "1"}`,
			`match.toml:1: limits.byoyomi: "1" has no unit: expected 1s or 1ms`},
		{"negative duration", `limits = {main = "-1s"}`,
			`match.toml:1: limits.main: "-1s" is negative: expected a duration from 0`},
		{"no duration", `limits = {main = "soon"}`,
			`match.toml:1: limits.main: "soon" is no duration: expected one such as "1s" or "500ms"`},
		{"bad time control", `limits = "8s"`,
			`match.toml:1: limits: time control "8s": "8s" is not a decimal number of seconds (expected seconds, such as 8+0.08, 300/10 or 0/1)`},
		{"bad resign", `resign = "2000"`,
			`match.toml:1: resign: "2000": expected SCORExMOVES such as 2000x3, the same after 1: for one side, or off`},
		{"bad draw", `draw = "x"`, `match.toml:1: draw: "x": expected SCORExMOVES@PLY such as 10x8@40, or off`},
		{"bad concurrency", `concurrency = 0`, `match.toml:1: concurrency: "0": expected a whole number from 1, or cpus`},
		{"option list", "[[engine]]\noptions = [1]",
			`match.toml:2: engine.options: expected a table of options, found a list`},
		{"option value", "options = {A = 1,\n  B = [1]}",
			`match.toml:2: options.B: expected true, false, a number or a string, found a list`},
		{"env value", "[[engine]]\nenv = {A = []}",
			`match.toml:2: engine.env.A: expected true, false, a number or a string, found a list`},
		{"env list", "[[engine]]\nenv = [1]", `match.toml:2: engine.env: expected a string, found the number 1`},
		{"council", "games = 2\n[[council]]\nname = \"C\"\nrule = \"majorty\"\n",
			`match.toml:4: council.rule: there is no rule "majorty": expected one of majority, adoption, evaluation, weighted, optimistic, pessimistic, borda, linear_pool, log_pool`},
		{"a council's rule", "games = 2\n[[council]]\nname = \"C\"\nrule = {name = \"adoption\", reward = \"all\"}\n",
			`match.toml:4: council.rule: rule adoption: reward = "all": expected one of top, voters`},
		{"syntax", "games = 2\nseed = \n", `match.toml:2: expected value but found '\n' instead`},
		{"twice", "games = 2\ngames = 3\n", `match.toml:2: Key 'games' has already been defined.`},
	} {
		_, err := configs.Parse([]byte(test.text), "match.toml")
		testutil.Check(t, err != nil && err.Error() == test.want, "%s:\n got %v\nwant %s", test.name, err, test.want)
	}
}

// Strings, comments and lists over several lines must not change the line number of an error.
func TestParseFindsLines(t *testing.T) {
	text := "\ufeff# ] [ \" '\r\n" +
		"run = \"\"\"\n[[engine]] # \\\"\"\" \n\"\"\" # \"\n" +
		"players = [ # ]\n 'A', \"\"\"B\"\"\", '''\nC''']\r\n" +
		"options = {\"a.b\" = \"}\", 'c' = ''}\n" +
		"rules.max_plies = 0x10\n" +
		"[[engine]]\n" +
		"options.x . y = 1\n"
	_, err := configs.Parse([]byte(text), "m")
	want := "m:11: engine.options.x: expected true, false, a number or a string, found a table"
	testutil.Check(t, err != nil && err.Error() == want, "got %v\nwant %s", err, want)
}

func TestParseNeverPanics(t *testing.T) {
	words := []string{
		"[", "]", "[[", "]]", "{", "}", "=", ",", ".", "\n", "\"", "'", `"""`, "'''", "\\", "#", " ", "games", "engine",
		"limits",
		"options", "1", "1.5", "true", "nan", "inf", "2020-01-01", "\"1s\"", "tc", "\"8+0.08\"", "\x00", "\xff", "é",
	}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(rapid.SampledFrom(words)).Draw(t, "words"), "")
		f, err := configs.Parse([]byte(text), "m")
		testutil.Require(t, (f == nil) != (err == nil), "%q: %v, %v", text, f, err)
	})
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(contract))
	f.Add(configs.Template())
	f.Add([]byte("engine = [{options = {a = 'b'}}, {limits = \"1+1\"}]"))
	f.Add([]byte("[a.b]\n[[a.c]]\n[a.c.d]\nx.\"y z\".'' = [[1], {a = 1}]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := configs.Parse(data, "m")
		testutil.Require(t, (file == nil) != (err == nil), "%v, %v", file, err)
	})
}

// Parse reports one pair of brackets instead of the two of TOML. Either the TOML library or the decoder detects it.
func TestSingleBrackets(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"games = 2\n[engine]\nname = \"A\"\n", "m.toml:2: [engine] is one table: expected [[engine]]"},
		{"[engine]\nname = \"A\"\n  [engine] # again\nname = \"B\"\n",
			"m.toml:3: [engine] is one table: expected [[engine]]"},
		{"\n[engine.A]\ncmd = \"a\"\n[engine.B]\ncmd = \"b\"\n", "m.toml:2: [engine] is one table: expected [[engine]]"},
		{"[council]\nname = \"C\"\n", "m.toml:1: [council] is one table: expected [[council]]"},
		{"[limits]\nnodes = 1\n[limits]\nnodes = 1\n", "m.toml:3: Key 'limits' has already been defined."},
	} {
		_, err := configs.Parse([]byte(test.text), "m.toml")
		testutil.Check(t, err != nil && strings.HasPrefix(err.Error(), test.want), "%q: %v, want %q", test.text, err,
			test.want)
	}
}

// write makes a file in a new folder and returns its path.
func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	testutil.OK(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// twoPiece is the start of a two-piece handicap game.
const twoPiece = "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL"

// Inspect reports all errors at once, in the order of the file: keys, values and contradictions. If a line cannot be
// parsed, Inspect reports only this line.
func TestInspect(t *testing.T) {
	text := `game = 20
concurrency = "many"
limits = 5
[[engine]]
name = "A"
cmd = "./nothing"
[[engine]]
name = "A"
cmd = "builtin"
profile = "yano"
`
	plan, _, err := configs.Inspect([]byte(text), "m.toml", "", configstest.Machine(t))
	var got []string
	for _, p := range configs.ProblemsOf(err) {
		first, _, _ := strings.Cut(p.Cause.Error(), ":")
		got = append(got, fmt.Sprint(p.File, " ", p.Line, " ", first))
	}
	want := []string{
		"m.toml 0 games is missing", `m.toml 1 unknown key "game" (did you mean games or gate or mate?)`,
		"m.toml 2 concurrency", "m.toml 3 limits",
		"m.toml 6 engine A", `m.toml 8 engine name "A" is taken`, "m.toml 10 engine A",
	}
	diff := cmp.Diff(want, got)
	testutil.Check(t, diff == "" && plan == nil, "-want +got\n%s", diff)
}

// A file that is no TOML gives one problem with its line. A correct file gives none. Inspect does not start an engine
// behind ssh.
func TestInspectEnds(t *testing.T) {
	for text, line := range map[string]int{"games = 2\n= 3\n": 2, "[engine]\n[engine]\n": 2,
		"a" + strings.Repeat(".a", 1001) + " = 1\n": 1} {
		_, _, err := configs.Inspect([]byte(text), "m.toml", "", configstest.Machine(t))
		list := configs.ProblemsOf(err)
		testutil.Check(t, len(list) == 1 && list[0].Line == line, "%q: %v", text, list)
	}
	remote := "games = 2\nlimits = {nodes = 5}\n[[engine]]\nname = \"A\"\ncmd = \"ssh host ./x\"\n[[engine]]\nname = \"B\"\ncmd = \"builtin\"\n"
	plan, _, err := configs.Inspect([]byte(remote), "m.toml", "", configstest.Machine(t))
	testutil.Check(t, err == nil && plan != nil && plan.Games() == 2, "%v", err)
}

// The place of a problem in a flag is the flag.
func TestProblemOfFlag(t *testing.T) {
	list := configs.ProblemsOf((&configs.File{}).Apply(configs.Flags{Resign: "much", Margin: []string{"3"}}))
	testutil.Check(t, len(list) == 2 && list[0].At() == "--resign" && list[1].At() == "--margin" && list[0].Line == 0,
		"%v", list)
	testutil.Check(t, configs.ProblemsOf(nil) == nil, "there are problems of nothing")
}
