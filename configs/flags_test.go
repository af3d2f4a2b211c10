package configs_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gogi/configs"
	"gogi/configs/configstest"
	"gogi/internal/testutil"
	"gogi/match"
	"gogi/shogi"
	"gogi/stats"
)

// TestFlagsAlone plans the command line of the project's contracts, without a file.
func TestFlagsAlone(t *testing.T) {
	env := configstest.Machine(t)
	text := "startpos moves 7g7f 3c3d\nstartpos moves 2g2f 8c8d\n"
	book := write(t, "taya36.sfen", text)
	f := &configs.File{}
	err := f.Apply(configs.Flags{
		Run: "lmr7", Engine: []string{"dev=./dev", "base=./base --x '1 2'"}, Profile: "yaneuraou",
		Option: []string{"all.EvalDir=/nets/v5", "all.Threads=1", "all.USI_Hash=64", "dev.My.Option=a=b", "dev.threads=2"},
		TC:     []string{"8+0.08"}, Openings: book, Concurrency: "62", Games: ptr(20000),
	})
	testutil.OK(t, err)
	got, warnings, err := f.Plan("", env)
	testutil.Require(t, err == nil && warnings == nil, "%v %v", warnings, err)
	testutil.Check(t, got.Run == "lmr7" && got.Concurrency == 62 && got.Games() == 20000 && len(got.Openings) == 2, "%+v",
		got)
	dev, base := got.Players[0], got.Players[1]
	want := []match.Option{{Name: "EvalDir", Value: "/nets/v5"}, {Name: "threads", Value: "2"},
		{Name: "USI_Hash", Value: "64"}, {Name: "My.Option", Value: "a=b"}}
	testutil.Diff(t, want, dev.Options)
	testutil.Check(t, dev.Limits.String() == "8+0.08" && base.Limits.String() == "8+0.08" && base.Profile == "yaneuraou",
		"%+v", got.Players)
	testutil.Diff(t, []string{filepath.Join(env.WorkDir, "base"), "--x", "1 2"}, base.Command)
}

// full sets every key that a flag can set.
const full = `run = "file"
games = 2
seed = 2
concurrency = 2
design = "gauntlet"
swap = true
players = ["A", "B"]
rules = {name = "wcsc", max_plies = 7}
openings = {list = ["startpos"], plies = 3}
limits = {nodes = 3, margin = "1s", stall = "1s"}
limits_by_colour = {black = "1", white = "1"}
resign = "1:100x1"
draw = "1x1"
ponder = "early"
slowed = "void"
pv_plies = 3
profile = "none"
restart = "pair"
options = {X = 1}
[[engine]]
name = "A"
cmd = "./dev"
dir = "bin"
identity = "by hand"
options = {Y = 1, Z = 1}
[[engine]]
name = "B"
cmd = "builtin"
`

func TestDurable(t *testing.T) {
	for _, test := range []struct {
		text string
		flag *bool
		want bool
	}{
		{"", nil, false},
		{"[store]\n", nil, false},
		{"[store]\ndurable = true\n", nil, true},
		{"[store]\ndurable = true\n", ptr(false), false},
		{"", ptr(true), true},
	} {
		f, err := configs.Parse([]byte(test.text), "test.toml")
		if err == nil {
			err = f.Apply(configs.Flags{Durable: test.flag})
		}
		if err != nil || f.Durable() != test.want {
			t.Errorf("%q with %v: %t, %v", test.text, test.flag, f.Durable(), err)
		}
	}
}

func TestFlagsWin(t *testing.T) {
	env := configstest.Machine(t)
	book := write(t, "b.sfen", "startpos moves 7g7f 3c3d")
	got, warnings := configstest.Plan(t, full, configs.Flags{
		Run: "flag", Games: ptr(3), Seed: ptr(uint64(9)), Concurrency: "cpus", Design: "match", Swap: ptr(false),
		Players: []string{"B", "A"}, Rules: "floodgate", MaxPlies: ptr(9), Openings: book, OpeningPlies: ptr(1),
		Engine: []string{"A=./base"}, Option: []string{"A.y=3", "all.Z=2", "all.X=4"},
		Movetime: []string{"1s"}, Nodes: []string{"5"}, Margin: []string{"2s"}, Stall: []string{"3s"},
		TC:     []string{"black=300+2", "white=0/1"},
		Resign: "2000x3", Draw: "off", Ponder: "standard", Slowed: "count", PVPlies: ptr(4), StartParallel: ptr(5),
		SlotsPerGPU: ptr(6), Profile: "yaneuraou", Restart: "game",
	}, env)
	testutil.Check(t, warnings == nil, "%v", warnings)
	limits := match.Limits{MoveTime: time.Second, Nodes: 5, Margin: 2 * time.Second, Stall: 3 * time.Second}
	base := filepath.Join(env.WorkDir, "base")
	rules := match.RulesProfiles()["floodgate"]
	rules.Name, rules.MaxPlies = "custom", 9
	want := &match.Plan{
		Run: "flag", Design: match.Design{Kind: match.DesignMatch}, Seed: 9, Rules: rules,
		ColourClocks: [2]*match.TimeControl{
			shogi.Black: {Main: 300 * time.Second, Increment: 2 * time.Second}, shogi.White: {Byoyomi: time.Second},
		},
		Adjudication: match.Adjudication{ResignScore: 2000, ResignMoves: 3},
		Ponder:       match.PonderStandard, Slowed: match.PolicyCount, Pairs: 3, Concurrency: 8, PVPlies: 4, StartParallel: 5,
		SlotsPerGPU: 6,
		Openings:    []match.Opening{{ID: "1", Start: "startpos", Moves: got.Openings[0].Moves[:1]}},
		Players: []match.Player{{
			Name: "B", Command: []string{"/opt/gogi", "engine"}, Builtin: true, Dir: env.WorkDir, Limits: limits,
			Options:  []match.Option{{Name: "X", Value: "4"}, {Name: "Z", Value: "2"}},
			Identity: match.Identity{Fixed: "sparring-1"}, Profile: "yaneuraou", Restart: match.RestartGame,
			Greeting: time.Minute, Ready: 10 * time.Minute,
		}, {
			Name: "A", Command: []string{base}, Dir: env.Path, Limits: limits,
			Options:  []match.Option{{Name: "X", Value: "4"}, {Name: "y", Value: "3"}, {Name: "Z", Value: "2"}},
			Identity: match.Identity{Files: []match.FileHash{{Role: "binary", Path: base, SHA256: sha("base")}}},
			Profile:  "yaneuraou", Restart: match.RestartGame, Greeting: time.Minute, Ready: 10 * time.Minute,
		}},
	}
	testutil.Diff(t, want, got)
}

// Without flags a file keeps its values.
func TestFlagsNotGiven(t *testing.T) {
	env := configstest.Machine(t)
	f := parse(t, full)
	testutil.OK(t, f.Apply(configs.Flags{}))
	applied, _, err := f.Plan("", env)
	testutil.OK(t, err)
	plain, _, err := parse(t, full).Plan("", env)
	testutil.OK(t, err)
	testutil.Diff(t, plain, applied, "-plain +applied")
}

func TestFlagLimits(t *testing.T) {
	env := configstest.Machine(t)
	const s = time.Second
	for name, test := range map[string]struct {
		flags configs.Flags
		want  match.Limits
	}{
		"replaces the search": {configs.Flags{Depth: []string{"4"}}, match.Limits{Depth: 4, Margin: s, Stall: s}},
		"margin alone":        {configs.Flags{Margin: []string{"2s"}}, match.Limits{Nodes: 3, Margin: 2 * s, Stall: s}},
		"self":                {configs.Flags{Self: true}, match.Limits{Self: true, Margin: s, Stall: s}},
		"parts of a clock": {configs.Flags{Main: []string{"9s"}, Increment: []string{"1s"}},
			match.Limits{Clock: match.TimeControl{Main: 9 * s, Increment: s}, Margin: s, Stall: s}},
		"byoyomi and nodes": {configs.Flags{Byoyomi: []string{"1s"}, Nodes: []string{"9"}},
			match.Limits{Clock: match.TimeControl{Byoyomi: s}, Nodes: 9, Margin: s, Stall: s}},
		"shorthand and nodes": {configs.Flags{TC: []string{"0/1"}, Nodes: []string{"9"}},
			match.Limits{Clock: match.TimeControl{Byoyomi: s}, Nodes: 9, Margin: s, Stall: s}},
		"of an engine": {configs.Flags{TC: []string{"A=0/1"}, Nodes: []string{"9"}},
			match.Limits{Clock: match.TimeControl{Byoyomi: s}, Margin: s, Stall: s}},
		"nodes of an engine": {configs.Flags{Nodes: []string{"9", "A=5"}}, match.Limits{Nodes: 5, Margin: s, Stall: s}},
		"two of an engine": {configs.Flags{Byoyomi: []string{"A=2s"}, Depth: []string{"A=7", "B=1"}},
			match.Limits{Clock: match.TimeControl{Byoyomi: 2 * s}, Depth: 7, Margin: s, Stall: s}},
		"margin of an engine": {configs.Flags{Margin: []string{"3s", "A=2s"}, Nodes: []string{"4"}},
			match.Limits{Nodes: 4, Margin: 2 * s, Stall: s}},
		"an engine and margin": {configs.Flags{TC: []string{"8+1", "A=0/1"}, Margin: []string{"3s"}},
			match.Limits{Clock: match.TimeControl{Byoyomi: s}, Margin: 3 * s, Stall: s}},
	} {
		p, _ := configstest.Plan(t, strings.Replace(full, "limits_by_colour = {black = \"1\", white = \"1\"}\n", "", 1),
			test.flags, env)
		testutil.Diff(t, test.want, p.Players[0].Limits, "%s", name)
	}
}

func TestFlagOpenings(t *testing.T) {
	env := configstest.Machine(t)
	p, _ := configstest.Plan(t, full, configs.Flags{Handicap: "二枚落ち"}, env)
	testutil.Check(t, len(p.Openings) == 1 && p.Openings[0].ID == "two-piece", "%v", p.Openings)
	p, _ = configstest.Plan(t, full, configs.Flags{Openings: "builtin", OpeningPlies: ptr(8), Rules: "default"}, env)
	testutil.Check(t, len(p.Openings) >= 40 && len(p.Openings[3].Moves) == 8, "%v", p.Openings)
}

func TestFlagErrors(t *testing.T) {
	for _, test := range []struct {
		flags configs.Flags
		want  string
	}{
		{configs.Flags{Engine: []string{"A"}}, "--engine A: expected NAME=COMMAND"},
		{configs.Flags{Engine: []string{"=./a"}}, "--engine =./a: expected NAME=COMMAND"},
		{configs.Flags{Engine: []string{"A= "}}, "--engine A= : expected NAME=COMMAND"},
		{configs.Flags{Engine: []string{"A=./a", "C=./c", "A=./b"}},
			`--engine A=./b: engine name "A" is taken by --engine A=./a; give each engine its own name`},
		{configs.Flags{Nodes: []string{"C=5"}}, `--nodes C=5: there is no engine "C" (expected "A" or "B")`},
		{configs.Flags{Nodes: []string{"A=abc"}}, `--nodes A=abc: "abc": expected a whole number from 1`},
		{configs.Flags{Nodes: []string{"0"}}, `--nodes: "0": expected a whole number from 1`},
		{configs.Flags{Depth: []string{"-1"}}, `--depth: "-1": expected a whole number from 1`},
		{configs.Flags{Depth: []string{"black=3"}},
			"--depth black=3: a colour has only a clock of its own: expected tc, main, byoyomi and increment"},
		{configs.Flags{Council: []string{"C=majority"}}, "--council C=majority: expected NAME=RULE:MEMBER,MEMBER"},
		{configs.Flags{Council: []string{"C=plurality:A,B"}},
			`--council C=plurality:A,B: there is no rule "plurality": expected one of majority, adoption, evaluation, weighted, optimistic, pessimistic, borda, linear_pool, log_pool`},
		{configs.Flags{Option: []string{"Threads=1"}}, "--option Threads=1: expected ENGINE.NAME=VALUE or all.NAME=VALUE"},
		{configs.Flags{Option: []string{"A.Threads"}}, "--option A.Threads: expected ENGINE.NAME=VALUE or all.NAME=VALUE"},
		{configs.Flags{Option: []string{"C.Threads=1"}},
			`--option C.Threads=1: there is no engine "C" (expected "A" or "B")`},
		{configs.Flags{TC: []string{"C=8+1"}}, `--tc C=8+1: there is no engine "C" (expected "A" or "B")`},
		{configs.Flags{TC: []string{"A=8-1"}},
			`--tc A=8-1: time control "8-1": "8-1" is not a decimal number of seconds (expected seconds, such as 8+0.08, 300/10 or 0/1)`},
		{configs.Flags{TC: []string{"0"}},
			`--tc 0: time control "0": there is no time in it (expected seconds, such as 8+0.08, 300/10 or 0/1)`},
		{configs.Flags{Byoyomi: []string{"1"}}, `--byoyomi: "1" has no unit: expected 1s or 1ms`},
		{configs.Flags{Margin: []string{"-1s"}, Stall: []string{"x"}},
			"--margin: \"-1s\" is negative: expected a duration from 0\n--stall: \"x\" is no duration: expected one such as \"1s\" or \"500ms\""},
		{configs.Flags{Concurrency: "all"}, `--concurrency: "all": expected a whole number from 1, or cpus`},
		{configs.Flags{Resign: "100"},
			`--resign: "100": expected SCORExMOVES such as 2000x3, the same after 1: for one side, or off`},
		{configs.Flags{Draw: "100"}, `--draw: "100": expected SCORExMOVES@PLY such as 10x8@40, or off`},
	} {
		err := parse(t, configstest.Two).Apply(test.flags)
		testutil.Check(t, err != nil && err.Error() == test.want, "got %v\nwant %s", err, test.want)
	}
	err := (&configs.File{}).Apply(configs.Flags{Option: []string{"A.B=1"}})
	want := `--option A.B=1: there is no engine "A" (there are no engines; expected [[engine]] in a file or --engine NAME=COMMAND)`
	testutil.Check(t, err != nil && err.Error() == want, "got %v\nwant %s", err, want)
}

// An error in the value of a flag names the flag, not the file.
func TestPlanErrorsNameFlags(t *testing.T) {
	env := configstest.Machine(t)
	for _, test := range []struct {
		flags configs.Flags
		want  string
	}{
		{configs.Flags{Games: ptr(3)},
			"--games: games: 3 is odd, but each pair has two games with colours swapped: expected 2 or 4, or swap = false"},
		{configs.Flags{Engine: []string{"A=./none"}},
			"--engine A=./none: engine A: DIR/none cannot be started: no such file or directory"},
		{configs.Flags{Engine: []string{"A.B=./dev"}},
			"--engine A.B=./dev: engine name \"A.B\" has one of = . , in it, which flags could not tell apart: expected a name without them\n" +
				"match.toml: players: 3 are too many for design match: expected 2, or another design, such as \"round_robin\" or \"gauntlet\""},
		{configs.Flags{Rules: "CSARule24"},
			`--rules: rules: CSARule24 is an entering-king rule; write rules = {declaration = "CSARule24"} in the match file, or choose rules: default, denryu, floodgate, wcsc`},
		{configs.Flags{Rules: "x"}, `--rules: rules: no rules are named "x"; there are default, denryu, floodgate, wcsc`},
		{configs.Flags{Profile: "x", Players: []string{"A", "B"}},
			"--profile: engine A: there is no profile \"x\": expected yaneuraou or none\n--profile: engine B: there is no profile \"x\": expected yaneuraou or none"},
		{configs.Flags{Players: []string{"A", "C"}},
			"--players: players: there is no engine \"C\" (expected \"A\" or \"B\")\n--players: players: expected at least 2, found 1 (engines: A, B)"},
		{configs.Flags{Openings: "none.sfen"}, "--openings: openings DIR/none.sfen: no such file or directory"},
		{configs.Flags{Option: []string{"A.X=a\nb"}},
			"--option A.X=a\nb: engine A: options: \"X\" = \"a\\nb\": expected a name, and no line breaks"},
		{configs.Flags{Self: true, Nodes: []string{"1"}},
			"--nodes, --self: engine A: limits: self means \"go infinite\" and excludes every other limit\n--nodes, --self: engine B: limits: self means \"go infinite\" and excludes every other limit"},
	} {
		f := parse(t, configstest.Two)
		testutil.OK(t, f.Apply(test.flags))
		_, _, err := f.Plan("", env)
		if want := strings.ReplaceAll(test.want, "DIR", env.WorkDir); err == nil || err.Error() != want {
			t.Errorf("got %v\nwant %s", err, want)
		}
	}
}

// TestSPRTFlag requires that the flag overrides the table key by key.
func TestSPRTFlag(t *testing.T) {
	const table = "[gate]\nsprt = \"0,2\"\nalpha = 0.01\nbeta = 0.02\nmodel = \"normalized\"\nboundary = \"bounded\"\n"
	for flag, want := range map[string]stats.SPRT{
		"-1,4": {Elo0: -1, Elo1: 4, Alpha: 0.01, Beta: 0.02, Model: stats.ModelNormalized, Boundary: stats.BoundaryBounded},
		"elo0=0,elo1=4,alpha=0.03,beta=0.04,model=logistic,boundary=ratio": {Elo1: 4, Alpha: 0.03, Beta: 0.04,
			Model: stats.ModelLogistic},
	} {
		f := parse(t, table)
		testutil.OK(t, f.Apply(configs.Flags{SPRT: flag}))
		if g, err := f.GateDesign(); err != nil || g != want {
			t.Errorf("--sprt %s: %+v, %v, want %+v", flag, g, err, want)
		}
	}
	err := parse(t, table).Apply(configs.Flags{SPRT: "elo0=0,elo1=4,alfa=0.1"})
	if want := `--sprt: "elo0=0,elo1=4,alfa=0.1": unknown key "alfa"; expected elo0, elo1, alpha, beta, model, boundary`; err == nil || err.Error() != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
}

func TestIdleFlags(t *testing.T) {
	env := configstest.Machine(t)
	text := strings.ReplaceAll(configstest.Two, "[[engine]]",
		"[[engine]]\nlimits = {nodes = 3}\nrestart = \"pair\"\nprofile = \"none\"")
	_, got := configstest.Plan(t, text,
		configs.Flags{Depth: []string{"3"}, Margin: []string{"1s"}, Restart: "game", Profile: "yaneuraou",
			Players: []string{"A", "B"}, Engine: []string{"C=./dev"}}, env)
	want := []string{
		"--depth has no effect: every player has its own limits",
		"--profile has no effect: every player has its own profile",
		"--restart has no effect: every player has its own restart",
		"engine C does not play: it is not among the players",
	}
	testutil.Diff(t, want, got)
}
