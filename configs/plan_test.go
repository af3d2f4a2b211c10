package configs_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"gogi/configs"
	"gogi/configs/configstest"
	"gogi/configs/identity"
	"gogi/internal/testutil"
	"gogi/match"
	"gogi/shogi"
	"gogi/stats"
)

// parse parses a file that must be valid.
func parse(t *testing.T, text string) *configs.File {
	t.Helper()
	f := testutil.Must(configs.Parse([]byte(text), "match.toml"))(t)
	return f
}

func sha(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

func TestPlanDefaults(t *testing.T) {
	env := configstest.Machine(t)
	got, warnings := configstest.Plan(t, configstest.Two, configs.Flags{}, env)
	testutil.Check(t, warnings == nil, "%v", warnings)
	testutil.Check(t, len(got.Openings) >= 60, "%d openings by default", len(got.Openings))
	got.Openings = nil
	player := func(name, program string) match.Player {
		path := filepath.Join(env.WorkDir, program)
		return match.Player{
			Name: name, Command: []string{path}, Dir: env.WorkDir, Restart: match.RestartNever,
			Greeting: time.Minute, Ready: 10 * time.Minute,
			Limits: match.Limits{
				Clock:  match.TimeControl{Main: 8 * time.Second, Increment: 80 * time.Millisecond},
				Margin: 100 * time.Millisecond, Stall: time.Minute,
			},
			Identity: match.Identity{Files: []match.FileHash{{Role: "binary", Path: path, SHA256: sha(program)}}},
		}
	}
	want := &match.Plan{
		Run: "match", Players: []match.Player{player("A", "dev"), player("B", "base")},
		Design: match.Design{Kind: match.DesignMatch, Swap: true}, Seed: 1, Rules: match.RulesProfiles()["default"],
		Ponder: match.PonderOff, Slowed: match.PolicyCount, Pairs: 1, Concurrency: 4, PVPlies: 12, StartParallel: 4,
		SlotsPerGPU: 1,
	}
	testutil.Diff(t, want, got)
}

func TestPlanValues(t *testing.T) {
	text := `run = "mine"
games = 30
seed = 7
concurrency = "cpus"
design = "round_robin"
swap = false
players = ["C", "A", "B"]
resign = "1:2000x3"
draw = "10x8@40"
ponder = "early"
slowed = "void"
pv_plies = 0
start_parallel = 1
slots_per_gpu = 9
restart = "game"
rules = {name = "denryu", max_plies = 100, repetition_points = [0, 1]}
openings = {list = ["startpos moves 7g7f 3c3d", "startpos"], plies = 1}
limits_by_colour = {black = "300+2", white = {main = "5m", byoyomi = "1s"}}
` + strings.Join([]string{"A", "B", "C"}, "") + ` = 1`
	text = strings.TrimSuffix(text, "ABC = 1") + `options = {Threads = 1}
[[engine]]
name = "A"
cmd = "nice -n 5 ./dev"
options = {threads = 2, Hash = 3}
restart = "pair"
greeting_timeout = "5s"
[[engine]]
name = "B"
command = ["fairy-stockfish", "a b"]
dir = "bin"
env = {X = 1}
identity = "by hand"
[[engine]]
name = "C"
cmd = "builtin --level 3"
ready_timeout = "7s"
warm_up = true
`
	env := configstest.Machine(t)
	got, warnings := configstest.Plan(t, text, configs.Flags{}, env)
	testutil.Check(t, warnings == nil, "%v", warnings)
	limits := match.Limits{Margin: match.DefaultMargin, Stall: match.DefaultStall}
	nice := filepath.Join(env.Path, "nice")
	rules := match.RulesProfiles()["denryu"]
	rules.Name, rules.MaxPlies, rules.RepetitionPoints = "custom", 100, [2]float64{0, 1}
	want := &match.Plan{
		Run: "mine", Design: match.Design{Kind: match.DesignRoundRobin}, Seed: 7, Rules: rules,
		Ponder: match.PonderEarly, Slowed: match.PolicyVoid, Pairs: 30, Concurrency: 8, StartParallel: 1, SlotsPerGPU: 9,
		Adjudication: match.Adjudication{ResignScore: 2000, ResignMoves: 3, OneSided: true, DrawScore: 10, DrawMoves: 8,
			DrawFrom: 40},
		ColourClocks: [2]*match.TimeControl{
			shogi.Black: {Main: 300 * time.Second, Increment: 2 * time.Second},
			shogi.White: {Main: 300 * time.Second, Byoyomi: time.Second},
		},
		Players: []match.Player{{
			Name: "C", Command: []string{"/opt/gogi", "engine", "--level", "3"}, Builtin: true, Dir: env.WorkDir,
			Options: []match.Option{{Name: "Threads", Value: "1"}}, Limits: limits, Restart: match.RestartGame,
			Identity: match.Identity{Fixed: "sparring-1"}, Greeting: time.Minute, Ready: 7 * time.Second, WarmUp: true,
		}, {
			Name: "A", Command: []string{nice, "-n", "5", "./dev"}, Dir: env.WorkDir,
			Options: []match.Option{{Name: "threads", Value: "2"}, {Name: "Hash", Value: "3"}}, Limits: limits,
			Restart: match.RestartPair,
			Identity: match.Identity{Files: []match.FileHash{
				{Role: "binary", Path: nice, SHA256: sha("bin/nice")},
				{Role: "argument 3", Path: filepath.Join(env.WorkDir, "dev"), SHA256: sha("dev")},
			}},
			Greeting: 5 * time.Second, Ready: 10 * time.Minute,
		}, {
			Name: "B", Command: []string{filepath.Join(env.Path, "fairy-stockfish"), "a b"}, Dir: env.Path, Env: []string{"X=1"},
			Options: []match.Option{{Name: "Threads", Value: "1"}}, Limits: limits, Restart: match.RestartGame,
			Identity: match.Identity{Fixed: "by hand"}, Greeting: time.Minute, Ready: 10 * time.Minute,
		}},
		Openings: []match.Opening{{ID: "1", Start: "startpos", Moves: got.Openings[0].Moves}, {ID: "2", Start: "startpos"}},
	}
	testutil.Diff(t, want, got)
	testutil.Equal(t, got.Openings[0].String(), "startpos moves 7g7f", "opening 1 is %s", got.Openings[0])
}

func TestPlanErrors(t *testing.T) {
	env := configstest.Machine(t)
	for path, mode := range map[string]os.FileMode{"plain": 0o600, "folder": os.ModeDir} {
		var err error
		if path = filepath.Join(env.WorkDir, path); mode.IsDir() {
			err = os.Mkdir(path, 0o700)
		} else {
			err = os.WriteFile(path, nil, mode)
		}
		testutil.OK(t, err)
	}
	testutil.OK(t, os.Mkdir(filepath.Join(env.WorkDir, "folder with blanks"), 0o700))
	testutil.OK(t, os.WriteFile(filepath.Join(env.WorkDir, "folder with blanks", "engine"), nil, 0o600))
	engine := func(line string) [2]string { return [2]string{"cmd = \"./dev\"", line} }
	for _, test := range []struct {
		name    string
		replace [2]string
		want    string
	}{
		{"no games", [2]string{"games = 2", ""},
			"match.toml: games is missing: expected how many to play, such as games = 100 or --games 100"},
		{"odd", [2]string{"games = 2", "games = 101"},
			"match.toml:1: games: 101 is odd, but each pair has two games with colours swapped: expected 100 or 102, or swap = false"},
		{"one", [2]string{"games = 2", "games = 1"},
			"match.toml:1: games: 1 is odd, but each pair has two games with colours swapped: expected 2, or swap = false"},
		{"none", [2]string{"games = 2", "games = 0"}, "match.toml:1: games: 0 is too few: expected at least 2"},
		{"a typing error", [2]string{"games = 2", "games = 1_000_000_000_000"},
			"match.toml:1: games: 1000000000000 are too many: expected at most 200000000"},
		{"no limits", [2]string{"limits = \"8+0.08\"", ""},
			"match.toml: engine A: limits: no limit: give a clock, such as tc = \"8+0.08\" (--tc 8+0.08), or one of main, byoyomi, increment, movetime, nodes, depth or self\n" +
				"match.toml: engine B: limits: no limit: give a clock, such as tc = \"8+0.08\" (--tc 8+0.08), or one of main, byoyomi, increment, movetime, nodes, depth or self"},
		{"engine's limits", engine("cmd = \"./dev\"\nlimits = {self = true, nodes = 3}"),
			`match.toml:6: engine A: limits: self means "go infinite" and excludes every other limit`},
		{"two clocks", [2]string{`"8+0.08"`, `{tc = "8", main = "8s"}`},
			"match.toml:2: engine A: limits: tc says it all: expected it alone, or main, byoyomi and increment without it\n" +
				"match.toml:2: engine B: limits: tc says it all: expected it alone, or main, byoyomi and increment without it"},
		{"no stall", engine("cmd = \"./dev\"\nlimits = {nodes = 3, stall = \"0s\"}"),
			`match.toml:6: engine A: limits: stall is 0: expected the longest time that an engine without a clock may think, such as "60s"`},
		{"half a colour", [2]string{`limits = "8+0.08"`, `limits_by_colour = {black = "1+1"}`},
			"match.toml: engine A as white: limits: no limit: give a clock, such as tc = \"8+0.08\" (--tc 8+0.08), or one of main, byoyomi, increment, movetime, nodes, depth or self\n" +
				"match.toml: engine B as white: limits: no limit: give a clock, such as tc = \"8+0.08\" (--tc 8+0.08), or one of main, byoyomi, increment, movetime, nodes, depth or self"},
		{"empty colour", [2]string{`limits =`, "limits_by_colour = {white = {}}\nlimits ="},
			"match.toml:2: limits_by_colour.white: there is no time in it: expected tc, main, byoyomi or increment"},
		{"design", [2]string{"games = 2", "games = 2\ndesign = \"king\""},
			`match.toml:2: design: "king" is not one of match, round_robin, gauntlet, swiss, knockout, adaptive`},
		{"ponder", [2]string{"games = 2", "games = 2\nponder = \"on\""},
			`match.toml:2: ponder: "on" is not one of off, standard, early`},
		{"slowed", [2]string{"games = 2", "games = 2\nslowed = \"on\""},
			`match.toml:2: slowed: "on" is not one of count, void`},
		{"restart", engine("cmd = \"./dev\"\nrestart = \"always\""),
			`match.toml:6: engine.restart: "always" is not one of never, pair, game`},
		{"pv_plies", [2]string{"games = 2", "games = 2\npv_plies = -1"}, `match.toml:2: pv_plies: -1 is outside 0 to 1000`},
		{"slots", [2]string{"games = 2", "games = 2\nslots_per_gpu = 0"},
			`match.toml:2: slots_per_gpu: 0 is outside 1 to 10000`},
		{"run", [2]string{"games = 2", "games = 2\nrun = \"a\\tb\""},
			`match.toml:2: run: "a\tb" has a character that a terminal does not show; choose a printable name`},
		{"rules", [2]string{"games = 2", "games = 2\nrules = \"csa\""},
			`match.toml:2: rules: no rules are named "csa"; there are default, denryu, floodgate, wcsc`},
		{"declaration", [2]string{"games = 2", "games = 2\nrules = {declaration = \"27\"}"},
			`match.toml:2: rules.declaration: entering-king rule is "27": expected one of NoEnteringKing, CSARule24, CSARule24H, CSARule27, CSARule27H, TryRule`},
		{"max_plies", [2]string{"games = 2", "games = 2\nrules = {max_plies = -1}"},
			`match.toml:2: rules.max_plies: -1 is negative: expected a number of plies, or 0 for no limit`},
		{"points", [2]string{"games = 2", "games = 2\nrules = {repetition_points = [0, 1.5]}"},
			`match.toml:2: rules.repetition_points: expected two numbers from 0 to 1, for Black and White, such as [0.4, 0.6]`},
		{"one point", [2]string{"games = 2", "games = 2\nrules = {repetition_points = [1]}"},
			`match.toml:2: rules.repetition_points: expected two numbers from 0 to 1, for Black and White, such as [0.4, 0.6]`},
		{"player", [2]string{"games = 2", "games = 2\nplayers = [\"A\",\n\"X\"]"},
			"match.toml:3: players: there is no engine \"X\" (expected \"A\" or \"B\")\nmatch.toml:2: players: expected at least 2, found 1 (engines: A, B)"},
		{"player twice", [2]string{"games = 2", "games = 2\nplayers = [\"A\", \"B\", \"A\"]"},
			`match.toml:2: players: "A" is there twice: expected a second [[engine]] with a name of its own`},
		{"three", [2]string{"[[engine]]", "[[engine]]\nname = \"C\"\ncmd = \"builtin\"\n[[engine]]"},
			`match.toml: players: 3 are too many for design match: expected 2, or another design, such as "round_robin" or "gauntlet"`},
		{"name", [2]string{`"A"`, `"A.1"`},
			`match.toml:4: engine name "A.1" has one of = . , in it, which flags could not tell apart: expected a name without them`},
		{"no name", [2]string{`name = "A"`, ``}, `match.toml:3: engine name "" is empty: expected a name`},
		{"reserved", [2]string{`"A"`, `"all"`},
			`match.toml:4: engine name "all" means something else in flags: expected another name`},
		{"control", [2]string{`"A"`, `"A\u001b"`},
			`match.toml:4: engine name "A\x1b" has a character in it that a terminal does not show: expected a printable name`},
		{"taken", [2]string{`"A"`, `"B"`}, `match.toml:7: engine name "B" is taken: expected each engine to have its own`},
		{"missing", engine(`cmd = "./none"`),
			`match.toml:5: engine A: DIR/none cannot be started: no such file or directory`},
		{"not executable", engine(`cmd = "./plain"`),
			`match.toml:5: engine A: DIR/plain cannot be started: it is not executable (chmod +x)`},
		{"blanks", engine(`cmd = "./folder with blanks/engine --flag"`),
			`match.toml:5: engine A: the command is split at blanks, but "./folder with blanks/engine" is one file; quote the path: cmd = "'./folder with blanks/engine'" in a file, "'./folder with blanks/engine'" as an argument, or NAME='PATH' in quotes with --engine NAME=CMD`},
		{"folder", engine(`cmd = "./folder"`), `match.toml:5: engine A: DIR/folder cannot be started: it is a folder`},
		{"not found", engine(`cmd = "stockfish --x"`),
			`match.toml:5: engine A: "stockfish" is neither in PATH nor in /usr/games: expected a program there, or a path with a slash such as ./stockfish`},
		{"no command", engine(``),
			`match.toml:3: engine A: there is no command: expected cmd = "./engine" or command = ["./engine"]`},
		{"empty command", engine(`command = ["", "x"]`),
			`match.toml:5: engine A: there is no command: expected cmd = "./engine" or command = ["./engine"]`},
		{"two commands", engine("cmd = \"a\"\ncommand = [\"a\"]"),
			`match.toml:6: engine A: both cmd and command are given: expected one of them`},
		{"quote", engine(`cmd = "./dev 'x"`),
			`match.toml:5: engine A: command "./dev 'x": the quote ' is never closed: expected another one`},
		{"NUL", engine(`command = ["./dev", "a\u0000"]`),
			`match.toml:5: engine A: word 2 of the command has a NUL character in it`},
		{"dir", engine("cmd = \"./dev\"\ndir = \"plain\""),
			`match.toml:5: engine A: its working directory DIR/plain is no folder`},
		{"ssh", engine(`cmd = "ssh host ./dev"`),
			`match.toml:5: engine A: what runs behind ssh cannot be hashed from here: expected identity = "…", such as its version or the SHA-256 of its binary`},
		{"env", engine("cmd = \"./dev\"\nenv = [\"X\"]"), `match.toml:6: engine A: env: "X": expected NAME=VALUE`},
		{"option", engine("cmd = \"./dev\"\noptions = {A = \"a\\nb\"}"),
			`match.toml:6: engine A: options: "A" = "a\nb": expected a name, and no line breaks`},
		{"option twice", engine("cmd = \"./dev\"\noptions = {Hash = 1, USI_Hash = 2}"),
			`match.toml:6: engine A: options: Hash and USI_Hash are the same option: expected one of them`},
		{"profile", engine("cmd = \"./dev\"\nprofile = \"yane\""),
			`match.toml:6: engine A: there is no profile "yane": expected yaneuraou or none`},
		{"timeout", engine("cmd = \"./dev\"\nready_timeout = \"0s\""),
			`match.toml:6: engine.ready_timeout: 0 leaves the engine no time: expected a duration such as "10m0s"`},
		{"plies", [2]string{"games = 2", "games = 2\nopenings = {plies = 0}"},
			`match.toml:2: openings.plies: 0 is too few: expected how many moves to keep, from 1`},
		{"openings", [2]string{"games = 2", "games = 2\nopenings = {file = \"a\", handicap = \"b\"}"},
			`match.toml:2: openings: expected one of file, handicap and list`},
		{"no book", [2]string{"games = 2", "games = 2\nopenings = \"a.sfen\""},
			`match.toml:2: openings DIR/a.sfen: no such file or directory`},
		{"list", [2]string{"games = 2", "games = 2\nopenings = {list = [\"startpos\", \"startpos moves 1a1b\"]}"},
			`match.toml:2: openings.list:2: move 1 (1a1b): 1a1b is illegal: the lance on 1a belongs to white, but black is to move`},
		{"empty list", [2]string{"games = 2", "games = 2\nopenings = {list = []}"},
			`match.toml:2: openings openings.list: there are none: expected lines such as "startpos moves 7g7f 3c3d"`},
		{"handicap", [2]string{"games = 2", "games = 2\nopenings = {handicap = \"two-pieces\"}"},
			`match.toml:2: openings.handicap: there is no handicap "two-pieces": expected one such as two-piece, ten-piece, six-piece`},
		{"ply limit", [2]string{"games = 2",
			"games = 2\nrules = {max_plies = 2}\nopenings = {list = [\"startpos moves 7g7f 3c3d\"]}"},
			`match.toml:3: openings.list:1: the game is over after move 2 (3c3d): max_plies`},
	} {
		f := parse(t, strings.Replace(configstest.Two, test.replace[0], test.replace[1], 1))
		p, _, err := f.Plan("", env)
		want := strings.ReplaceAll(test.want, "DIR", env.WorkDir)
		testutil.Check(t, err != nil && err.Error() == want && p == nil, "%s:\n got %v\nwant %s", test.name, err, want)
	}
}

func TestPlanOfNothing(t *testing.T) {
	_, _, err := (&configs.File{}).Plan("", configstest.Machine(t))
	want := "command line: players: expected at least 2, found 0 (engines: none; add [[engine]] to a file or --engine NAME=COMMAND)\n" +
		"command line: games is missing: expected how many to play, such as games = 100 or --games 100"
	testutil.Check(t, err != nil && err.Error() == want, "got %v\nwant %s", err, want)
}

func TestPlanIsRelativeToItsFile(t *testing.T) {
	env := configstest.Machine(t)
	env.WorkDir, env.Path = "/nowhere", env.Path+":relative"
	dir := filepath.Dir(env.Path[:strings.Index(env.Path, ":")])
	f := parse(t, strings.Replace(configstest.Two, "./dev", "nice ./dev", 1))
	p, _, err := f.Plan(dir, env)
	testutil.OK(t, err)
	testutil.Check(t, p.Players[0].Dir == dir && p.Players[1].Command[0] == filepath.Join(dir, "base") &&
		p.Players[1].Dir == dir,
		"%+v", p.Players)
}

func TestLimitsOfAnEngine(t *testing.T) {
	env := configstest.Machine(t)
	for own, want := range map[string]match.Limits{
		`{nodes = 5}`: {Nodes: 5, Margin: time.Second, Stall: 2 * time.Second},
		`{margin = "3s"}`: {Clock: match.TimeControl{Byoyomi: time.Second}, Nodes: 9, Margin: 3 * time.Second,
			Stall: 2 * time.Second},
		`{stall = "4s"}`: {Clock: match.TimeControl{Byoyomi: time.Second}, Nodes: 9, Margin: time.Second,
			Stall: 4 * time.Second},
		`{movetime = "500ms"}`: {MoveTime: 500 * time.Millisecond, Margin: time.Second, Stall: 2 * time.Second},
		`"8+0.08"`: {Clock: match.TimeControl{Main: 8 * time.Second, Increment: 80 * time.Millisecond},
			Margin: time.Second, Stall: 2 * time.Second},
		`{self = true, stall = "1s", margin = "0s"}`: {Self: true, Stall: time.Second},
	} {
		text := strings.Replace(configstest.Two, `"8+0.08"`, `{byoyomi = "1s", nodes = 9, margin = "1s", stall = "2s"}`, 1)
		text = strings.Replace(text, `cmd = "./dev"`, "cmd = \"./dev\"\nlimits = "+own, 1)
		p, _ := configstest.Plan(t, text, configs.Flags{}, env)
		testutil.Diff(t, want, p.Players[0].Limits, "%s", own)
	}
}

func TestPlanWarnings(t *testing.T) {
	env := configstest.Machine(t)
	same := strings.Replace(configstest.Two, "./base", "./dev", 1)
	_, got := configstest.Plan(t, same, configs.Flags{}, env)
	want := []string{"engines A and B are the same: binary, arguments, options and limits are equal"}
	testutil.Diff(t, want, got)
	_, got = configstest.Plan(t, same+"options = {X = 1}\n", configs.Flags{}, env)
	testutil.Check(t, got == nil, "%v", got)
	three := strings.Replace(configstest.Two, "games = 2", "games = 8\ndesign = \"gauntlet\"", 1) +
		"[[engine]]\nname = \"C\"\ncmd = \"builtin\"\n"
	if _, got = configstest.Plan(t, three, configs.Flags{}, env); got != nil {
		t.Error(got)
	}
	_, got = configstest.Plan(t, strings.Replace(three, "gauntlet", "round_robin", 1), configs.Flags{}, env)
	want = []string{"8 games are no whole number of rounds of 3 pairs: some players play more than others"}
	testutil.Diff(t, want, got)
}

// TestGateSPRT requires that the text of sprt and keys of the table can set every key. A key in both is an error. A
// list of two numbers is the short form.
func TestGateSPRT(t *testing.T) {
	all := stats.SPRT{Elo0: 0, Elo1: 4, Alpha: 0.01, Beta: 0.02, Model: stats.ModelNormalized,
		Boundary: stats.BoundaryBounded}
	for text, want := range map[string]stats.SPRT{
		"gate = \"0,4\"":           {Elo1: 4, Alpha: 0.05, Beta: 0.05, Model: stats.ModelLogistic},
		"[gate]\nsprt = [-1, 4.5]": {Elo0: -1, Elo1: 4.5, Alpha: 0.05, Beta: 0.05, Model: stats.ModelLogistic},
		"gate = \"elo1=4,elo0=0,alpha=0.01,beta=0.02,model=normalized,boundary=bounded\"":                          all,
		"[gate]\nsprt = \"elo1=4,elo0=0,alpha=0.01\"\nbeta = 0.02\nmodel = \"normalized\"\nboundary = \"bounded\"": all,
		"[gate]\nsprt = \"elo1=4,elo0=0,model=normalized,boundary=bounded\"\nalpha = 0.01\nbeta = 0.02":            all,
	} {
		g, err := parse(t, text).GateDesign()
		testutil.Check(t, err == nil && g == want, "%q: %+v, %v, want %+v", text, g, err, want)
	}
	for _, key := range []string{"alpha = 0.05", "beta = 0.05", "model = \"logistic\"", "boundary = \"ratio\""} {
		name, _, _ := strings.Cut(key, " ")
		text := "[gate]\nsprt = \"elo1=4,elo0=0,alpha=0.01,beta=0.02,model=normalized,boundary=bounded\"\n" + key
		testutil.Fails(t, testutil.Err(parse(t, text).GateDesign()),
			"match.toml:3: gate."+name+": gate.sprt sets "+name+", too", "%s", key)
	}
}

// TestGateBoundary requires that the ratio boundary is the zero value, so that the log of older runs stays equal.
func TestGateBoundary(t *testing.T) {
	for text, want := range map[string]stats.Boundary{"": stats.BoundaryRatio,
		"boundary = \"ratio\"\n": stats.BoundaryRatio, "boundary = \"bounded\"\n": stats.BoundaryBounded} {
		g, err := parse(t, "[gate]\nsprt = \"0,4\"\n"+text).GateDesign()
		testutil.Check(t, err == nil && g.Boundary == want, "%q: %v, %v", text, g, err)
	}
	for text, want := range map[string]string{
		"boundary = \"wald\"":                    `"wald" is not one of ratio, bounded`,
		"boundary = \"bounded\"\nalpha = 0.0005": "below 0.001",
	} {
		testutil.Fails(t, testutil.Err(parse(t, "[gate]\nsprt = \"0,4\"\n"+text).GateDesign()), want, "%s", text)
	}
}

// TestDevice requires that an engine's device is in the plan. Only an engine that can wait for its device may have one.
func TestDevice(t *testing.T) {
	shared := strings.Replace(councilFile, "name = \"A\"\n", "name = \"A\"\ndevice = \"gpu{gpu}\"\n", 1)
	testutil.Require(t, shared != councilFile, "no engine A in\n%s", councilFile)
	for name, c := range map[string]struct{ text, want string }{
		"council": {shared + "rule = \"majority\"\n",
			`council C: its member A has the device gpu{gpu}, but members search at the same time; remove device`},
		"ponder": {"ponder = \"standard\"\n" + strings.Replace(shared, `["A", "B"]`, `["B"]`, 1) + "rule = \"majority\"\n",
			`ponder: A shares the device gpu{gpu}, so it cannot search during the opponent's time; remove device, or set ponder = "off"`},
	} {
		_, err := councilPlan(t, c.text)
		testutil.Fails(t, err, c.want, "%s", name)
	}
	solver := strings.Replace(councilFile, "players", "mate = {engine = \"S\", time = \"1s\"}\nplayers", 1) +
		"rule = \"majority\"\n[[engine]]\nname = \"S\"\ncmd = \"builtin\"\ndevice = \"gpu0\"\n"
	testutil.Fails(t, testutil.Err(councilPlan(t, solver)), "mate: the solver S has the device gpu0", "solver")
	plan := testutil.Must(councilPlan(t, strings.Replace(shared, `["A", "B"]`, `["B"]`, 1)+"rule = \"majority\"\n"))(t)
	testutil.Equal(t, plan.Players[1].Device, "gpu{gpu}", "the device of A")
	plan.Ponder = match.PonderStandard // a farm's form could change a stored plan in this way
	testutil.Fails(t, plan.Check(), "ponder: A shares the device", "the plan itself")
	testutil.Equal(t, plan.Players[1].InSlot(3, 2).Device, "gpu1", "in slot 3, with two slots on each GPU")
}

// TestCPUs covers the CPUs in files and flags, and the default number of slots. It is half of the named CPUs (the
// machine has 8), or all of them.
func TestCPUs(t *testing.T) {
	three := 3
	for _, c := range []struct {
		keys  string
		flags configs.Flags
		want  string // CPUs, cores per slot, slots
	}{
		{"", configs.Flags{}, "|0|4"},
		{`cpus = "off"`, configs.Flags{}, "|0|4"},
		{`cpus = "auto"`, configs.Flags{}, "auto|0|4"},
		{`cpus = "5,0-3"`, configs.Flags{}, "0-3,5|0|2"},
		{`cpus = 3`, configs.Flags{}, "3|0|1"},
		{"cpus = \"0-5\"\nconcurrency = \"cpus\"", configs.Flags{}, "0-5|0|6"},
		{"cpus = \"auto\"\ncores_per_slot = 2", configs.Flags{}, "auto|2|4"},
		{`cpus = "0-5"`, configs.Flags{CPUs: "auto", CoresPerSlot: &three}, "auto|3|4"},
		{`cpus = "0-5"`, configs.Flags{CPUs: "off"}, "|0|4"},
	} {
		p, _ := configstest.Plan(t, c.keys+"\n"+configstest.Two, c.flags, configstest.Machine(t))
		got := strings.Join([]string{p.CPUs, strconv.Itoa(p.CoresPerSlot), strconv.Itoa(p.Concurrency)}, "|")
		testutil.Equal(t, got, c.want, "%s %+v", c.keys, c.flags)
	}
}

func TestWrongCPUs(t *testing.T) {
	zero := 0
	for _, c := range []struct {
		keys  string
		flags configs.Flags
		want  string
	}{
		{`cpus = "all"`, configs.Flags{}, `match.toml:1: cpus: "all": expected off, auto, or CPUs such as 2-7,10`},
		{`cpus = true`, configs.Flags{}, "match.toml:1: cpus: expected a string, found true"},
		{"cores_per_slot = 2", configs.Flags{},
			`match.toml:1: cores_per_slot: no slot has cores of its own: expected cpus = "auto", or a list of CPUs, beside it`},
		{"cpus = \"auto\"\ncores_per_slot = 0", configs.Flags{}, "match.toml:2: cores_per_slot: 0 is outside 1 to 10000"},
		{"", configs.Flags{CPUs: "auto", CoresPerSlot: &zero}, "--cores-per-slot: cores_per_slot: 0 is outside 1 to 10000"},
		{"", configs.Flags{CPUs: "7-1"}, `--cpus: "7-1": expected off, auto, or CPUs such as 2-7,10`},
	} {
		f, err := configs.Parse([]byte(c.keys+"\n"+configstest.Two), "match.toml")
		if err == nil {
			err = f.Apply(c.flags)
		}
		if err == nil {
			_, _, err = f.Plan("", configstest.Machine(t))
		}
		testutil.Check(t, err != nil && err.Error() == c.want, "%s %+v: %v, want %s", c.keys, c.flags, err, c.want)
	}
}

// TestMateSolver requires that the mate solver does not play, and is one of the plan's engines.
func TestMateSolver(t *testing.T) {
	const two = "games = 2\nlimits = {nodes = 1}\n%s\n[[engine]]\nname = \"A\"\ncmd = \"builtin\"\n[[engine]]\nname = \"B\"\ncmd = \"builtin\"\n"
	const third = "[[engine]]\nname = \"S\"\ncmd = \"builtin\"\noptions = {MateNodes = 9}\n"
	env := identity.Env{Self: "/gogi", BuiltinVersion: "1", NumCPU: 2, WorkDir: t.TempDir()}
	for _, test := range []struct {
		key, flag, more string
		name            string // of the solver; "" without a solver
		why             string
	}{
		{"", "", "", "", ""},
		{`mate = "off"`, "", "", "", ""},
		{`mate = "builtin"`, "", "", "mate solver", ""},
		{`mate = {engine = "S", every = 3, time = "2s", nodes = 7}`, "", third, "S", ""},
		{"", "S", third, "S", ""},
		{`mate = {engine = "x", every = 3}`, "S", third, "S", ""},
		{`mate = "x"`, "", third, "", `mate: there is no engine "x"`},
		{`mate = {every = 3}`, "", third, "", "there is nobody to ask"},
		{`mate = {engine = "S", nodes = 0}`, "", third, "", "mate.nodes: 0 is outside 1"},
		{"mate = \"S\"\nponder = \"standard\"", "", third, "", "who ponders"},
		{"mate = \"B\"\nplayers = [\"A\", \"B\"]", "", "", "", "B plays itself"},
	} {
		file, err := configs.Parse([]byte(strings.Replace(two, "%s", test.key, 1)+test.more), "m.toml")
		if err == nil {
			err = file.Apply(configs.Flags{Mate: test.flag})
		}
		testutil.OK(t, err)
		plan, _, err := file.Plan("", env)
		if test.why != "" {
			testutil.Fails(t, err, test.why, "%s", test.key)
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", test.key, err)
			continue
		}
		name := ""
		if plan.Mate.Solver != nil {
			name = plan.Mate.Solver.Name
		}
		engines := 2
		if test.name != "" {
			engines = 3
		}
		if name != test.name || len(plan.Players) != 2 || len(plan.Engines()) != engines ||
			plan.Mate.IsZero() != (test.name == "") {
			t.Errorf("%s: asks %q, %d players, %d engines", test.key, name, len(plan.Players), len(plan.Engines()))
		}
		if strings.Contains(test.key, "2s") &&
			(plan.Mate.Every != 3 || plan.Mate.Time != 2*time.Second || plan.Mate.Nodes != 7 ||
				plan.Mate.Solver.Options[0] != (match.Option{Name: "MateNodes", Value: "9"})) {
			t.Errorf("%s: %+v", test.key, plan.Mate)
		}
	}
}
