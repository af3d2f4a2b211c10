package configs_test

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gogi/configs"
	"gogi/configs/identity"
	"gogi/internal/testutil"
	"gogi/match"
)

// councilFile is a file with a council. Tests append more keys of the council.
const councilFile = `
games = 2
players = ["C", "A"]
limits = {byoyomi = "1s"}
[[engine]]
name = "A"
cmd = "builtin"
[[engine]]
name = "B"
cmd = "builtin"
limits = {nodes = 500}
scale = {slope = 0.002}
[[council]]
name = "C"
members = ["A", "B"]
`

func councilPlan(t *testing.T, text string) (*match.Plan, error) {
	t.Helper()
	f, err := configs.Parse([]byte(text), "match.toml")
	if err != nil {
		return nil, err
	}
	plan, _, err := f.Plan("/", identity.Env{Self: "/gogi", BuiltinVersion: "sparring", NumCPU: 2, WorkDir: "/"})
	return plan, err
}

func TestCouncil(t *testing.T) {
	plan := testutil.Must(councilPlan(t, councilFile+`
rule = {name = "adoption", reward = "voters", decay = 0.9}
stop = "quorum"
quorum = 0.75
shadow = ["majority", {name = "weighted", weights = [1, 0.5]}]
tiebreak = ["weight", "member"]
resign_quorum = 0.6
min_alive = 2
restarts = 0
budget = "split"
node_jitter = 0.2
score_noise = 15
veto = {nodes = 100}
`))(t)
	c := *plan.Players[0].Council
	testutil.Check(t, len(c.Members) == 2 && c.Members[1].Limits.Nodes == 500 && c.Members[0].Limits == (match.Limits{}),
		"members %+v", c.Members)
	c.Members = nil
	want := match.Council{
		Own: []bool{false, true}, Scales: []match.Scale{{}, {Slope: 0.002}}, Clamps: []float64{2000, 2000},
		Rule:    "adoption:reward=voters,decay=0.9",
		Shadows: []string{"majority", "weighted:weights=1/0.5"}, Ties: []string{"weight", "member"}, Stop: "quorum",
		Quorum:       0.75,
		ResignQuorum: 0.6, MinAlive: 2, Restarts: -1, Split: true, Jitter: 0.2, Noise: 15,
		Veto: match.Veto{Nodes: 100, Margin: 80, Members: 2},
	}
	testutil.Same(t, c, want)
	if engines := plan.Engines(); len(engines) != 3 || engines[0].Name != "A" || engines[1].Name != "B" ||
		engines[2].Name != "A" {
		t.Errorf("engines %+v", engines)
	}
}

func TestCouncilVaries(t *testing.T) {
	plan := testutil.Must(councilPlan(t, strings.Replace(councilFile, `["A", "B"]`, `["B"]`, 1)+`
rule = "majority"
vary = {Seed = [10, 20, 30], EvalNoise = [1, 2, 3]}
`))(t)
	members := plan.Players[0].Council.Members
	if len(members) != 3 || members[2].Name != "B3" ||
		!reflect.DeepEqual(members[2].Options, []match.Option{{Name: "Seed", Value: "30"}, {Name: "EvalNoise", Value: "3"}}) {
		t.Errorf("%+v", members)
	}
}

// TestCouncilPlaysByDefault requires that the default players are the engines and councils that are members of no
// council.
func TestCouncilPlaysByDefault(t *testing.T) {
	plan := testutil.Must(councilPlan(t, strings.Replace(councilFile, "players = [\"C\", \"A\"]\n", "", 1)+`rule = "majority"
[[engine]]
name = "D"
cmd = "builtin"
`))(t)
	testutil.Check(t, len(plan.Players) == 2 && plan.Players[0].Name == "D" && plan.Players[1].Name == "C", "%+v",
		plan.Players)
}

func TestCouncilErrors(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"no rule", councilFile, `rule is missing: expected one of majority, adoption,`},
		{"no members", strings.Replace(councilFile, `["A", "B"]`, `[]`, 1) + "rule = \"majority\"\n",
			`council C has no members`},
		{"unknown member", strings.Replace(councilFile, `["A", "B"]`, `["A", "X"]`, 1) + "rule = \"majority\"\n",
			`council C: there is no engine or council "X"`},
		{"member of itself", strings.Replace(councilFile, `["A", "B"]`, `["A", "C"]`, 1) + "rule = \"majority\"\n",
			`"C" is a member of itself`},
		{"twice", strings.Replace(councilFile, `["A", "B"]`, `["A", "A"]`, 1) + "rule = \"majority\"\n",
			`"A" is there twice`},
		{"name taken", strings.Replace(councilFile, `"C"
members`, `"A"
members`, 1) + "rule = \"majority\"\n", `council name "A" is taken`},
		{"weights", councilFile + "rule = \"weighted:weights=1/2/3\"\n", `3 weights for 2 members`},
		{"stop", councilFile + "rule = \"majority\"\nstop = \"never\"\n",
			`"never" is not one of all, decided, quorum, leader`},
		{"quorum without", councilFile + "rule = \"majority\"\nquorum = 0.5\n", `quorum is of stop = "quorum"`},
		{"tiebreak", councilFile + "rule = \"majority\"\ntiebreak = [\"luck\"]\n", `there is no tie-break "luck"`},
		{"veto", councilFile + "rule = \"majority\"\nveto = {margin = 5}\n", `veto: expected time or nodes`},
		{"examine", councilFile + "rule = \"majority\"\nexamine = {moves = 1}\n", `examine: expected a share up to 1`},
		{"ask on a clock", councilFile + "rule = \"majority\"\nask = 1\n", `ask: council C has a time limit`},
		{"ask all", councilFile + "rule = \"majority\"\nask = 2\n", `ask: 2 is outside 0 to 1`},
		{"examine and veto", councilFile + "rule = \"majority\"\nexamine = {}\nveto = {nodes = 1}\n",
			`council C has a veto, too; use one of them`},
		{"vary", councilFile + "rule = \"majority\"\nvary = {Seed = [1, 2]}\n",
			`expected one engine as the only member, found 2 members`},
		{"vary unevenly", strings.Replace(councilFile, `["A", "B"]`, `["B"]`, 1) +
			"rule = \"majority\"\nvary = {Seed = [1, 2], X = [1]}\n", `Seed has 2 values and X has 1`},
		{"min_alive", councilFile + "rule = \"majority\"\nmin_alive = 3\n", `min_alive: 3 is outside 1 to 2`},
		{"a clock of its own", strings.Replace(councilFile, "{nodes = 500}", "{byoyomi = \"2s\"}", 1) +
			"rule = \"majority\"\n", `engine B: a member of a council has the council's clock`},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := councilPlan(t, test.text)
			testutil.Fails(t, err, test.want)
		})
	}
}

// TestPaperFiles requires that each file of the paper's experiments plans 1000 games, with one opening for each pair.
func TestPaperFiles(t *testing.T) {
	files, err := filepath.Glob("paper/*.toml")
	testutil.Require(t, err == nil && len(files) == 15, "%d files: %v", len(files), err)
	for _, file := range files {
		f := testutil.Must(configs.Load(file))(t)
		work := testutil.Must(filepath.Abs("."))(t)
		plan, warnings, err := f.Plan("paper",
			identity.Env{Self: "/gogi", BuiltinVersion: "sparring", NumCPU: 2, WorkDir: work})
		testutil.OK(t, err)
		if plan.Games() != 1000 || len(plan.Openings) != plan.Pairs || len(warnings) > 0 {
			t.Errorf("%s: %d games from %d openings; %q", file, plan.Games(), len(plan.Openings), warnings)
		}
		for _, p := range plan.Players {
			testutil.Check(t, p.Council == nil || slices.Max(p.Council.Clamps) <= 0,
				"%s: the games of the document were voted without clamps", file)
			if p.Council != nil && (len(p.Council.Members) != 7 || p.Limits.Nodes != 400) {
				t.Errorf("%s: %d members of %s, %s", file, len(p.Council.Members), p.Name, p.Limits)
			}
		}
	}
}

// TestClamps requires that each member has its own clamp or the default. With vary, every copy of a member has its
// clamp.
func TestClamps(t *testing.T) {
	const engines = "games = 2\nlimits = {nodes = 9}\n[[engine]]\nname = \"A\"\ncmd = \"builtin\"\nscale = {clamp = %s}\n[[engine]]\nname = \"B\"\ncmd = \"builtin\"\n"
	const council = "[[council]]\nname = \"C\"\nrule = \"majority\"\nmembers = "
	for _, x := range []struct{ clamp, members, want string }{
		{"0", `["A", "B"]`, "[0 2000]"}, {"750", `["B", "A"]`, "[2000 750]"},
		{"750", "[\"A\"]\nvary = {Seed = [1, 2]}", "[750 750]"},
	} {
		plan := testutil.Must(councilPlan(t, "players = [\"C\", \"A\"]\n"+fmt.Sprintf(engines, x.clamp)+council+x.members))(t)
		if c := plan.Players[0].Council; fmt.Sprint(c.Clamps) != x.want || c.Scales[0] != (match.Scale{}) {
			t.Errorf("%s of %s: %v, want %s, scales %v", x.clamp, x.members, c.Clamps, x.want, c.Scales)
		}
	}
	for _, bad := range []string{"-1", "0.5", "32001"} {
		_, err := councilPlan(t, "players = [\"C\", \"A\"]\n"+fmt.Sprintf(engines, bad)+council+`["A"]`)
		testutil.Fails(t, err, "expected 0 for none, or from 1 to 32000", "%s", bad)
	}
}

// TestPoolsWithoutLists requires that rules that read lists warn about members with one line each.
func TestPoolsWithoutLists(t *testing.T) {
	const engines = "games = 2\nlimits = {nodes = 9}\nplayers = [\"C\", \"A\"]\n[[engine]]\nname = \"A\"\ncmd = \"builtin\"\noptions = {multipv = 3}\n[[engine]]\nname = \"B\"\ncmd = \"builtin\"\n" +
		"[[engine]]\nname = \"D\"\ncmd = \"builtin\"\noptions = {MultiPV = 1}\n[[council]]\nname = \"C\"\nmembers = [\"A\", \"B\", \"D\"]\n"
	for rule, want := range map[string]string{"majority": "", "optimistic": "", "borda": "for B, D:",
		"linear_pool": "for B, D:", "log_pool:impute=0.1": "for B, D:"} {
		f := testutil.Must(configs.Parse([]byte(engines+"rule = \""+rule+"\""), "match.toml"))(t)
		_, warnings, err := f.Plan("/", identity.Env{Self: "/gogi", BuiltinVersion: "sparring", NumCPU: 2, WorkDir: "/"})
		testutil.OK(t, err)
		warned := fmt.Sprint(warnings)
		testutil.Check(t, (want != "" || !strings.Contains(warned, "MultiPV")) && strings.Contains(warned, want),
			"%s: %q", rule, warnings)
	}
}

func TestCouncilByFlags(t *testing.T) {
	f := &configs.File{}
	games := 2
	testutil.OK(t, f.Apply(configs.Flags{
		Engine: []string{"A=builtin", "B=builtin"}, Council: []string{"C=adoption:reward=voters:A,B"},
		Players: []string{"C", "A"},
		Nodes:   []string{"100"}, TC: []string{"C=8+0.08"}, Games: &games,
	}))
	plan, _, err := f.Plan("/", identity.Env{Self: "/gogi", BuiltinVersion: "sparring", NumCPU: 2, WorkDir: "/"})
	testutil.OK(t, err)
	c := plan.Players[0]
	if c.Council == nil || c.Council.Rule != "adoption:reward=voters" || len(c.Council.Members) != 2 ||
		c.Limits.String() != "8+0.08" {
		t.Errorf("%+v", c)
	}
}

// TestCouncilBook requires that a council's identity includes its book by its hash, not by its path.
func TestCouncilBook(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(folder, name)
		testutil.OK(t, os.WriteFile(file, []byte(text), 0o600))
		return file
	}
	digest := func(file string) string {
		plan := testutil.Must(councilPlan(t, councilFile+"rule = \"majority\"\nbook = \""+file+"\"\n"))(t)
		files := plan.Players[0].Identity.Files
		testutil.Check(t, len(files) == 1 && files[0].Role == match.BookRole && files[0].Path == file, "%+v", files)
		return plan.Digest()
	}
	plain := testutil.Must(councilPlan(t, councilFile+"rule = \"majority\"\n"))(t)
	a, b, c := digest(write("a.db", "x")), digest(write("b.db", "x")), digest(write("c.db", "y"))
	testutil.Check(t, a == b && a != c && a != plain.Digest(), "%s %s %s %s", a, b, c, plain.Digest())
	for name, want := range map[string]string{folder + "/none.db": "no such file",
		write("a.zip", ""): "does not tell the format"} {
		testutil.Fails(t, testutil.Err(councilPlan(t, councilFile+"rule = \"majority\"\nbook = \""+name+"\"\n")), want)
	}
}

// TestExamine covers the keys of examine, their defaults, and the warning if all members are one engine.
func TestExamine(t *testing.T) {
	other := strings.Replace(councilFile, `cmd = "builtin"`, `cmd = "/bin/true"`, 1)
	for _, test := range []struct {
		text, key string
		want      match.Examine
		warned    bool
	}{
		{other, "{}", match.Examine{Share: 1, Moves: 2, Extra: 0.6}, false},
		{other, "{share = 0.7, moves = 3, extra = 2}", match.Examine{Share: 0.7, Moves: 3, Extra: 2}, false},
		{councilFile, "{}", match.Examine{Share: 1, Moves: 2, Extra: 0.6}, true},
	} {
		f := testutil.Must(configs.Parse([]byte(test.text+"rule = \"majority\"\nexamine = "+test.key+"\n"), "match.toml"))(t)
		plan, warnings, err := f.Plan("/", identity.Env{Self: "/gogi", BuiltinVersion: "sparring", NumCPU: 2, WorkDir: "/"})
		testutil.OK(t, err)
		testutil.Equal(t, plan.Players[0].Council.Examine, test.want, "%s", test.key)
		if warned := strings.Contains(fmt.Sprint(warnings), "examines moves, and all its members are one engine"); warned !=
			test.warned {
			t.Errorf("%s: warnings %v", test.key, warnings)
		}
	}
}

// TestExamineLacksTime requires a warning if a member's own movetime fills the council's time. A shorter movetime gives
// none, and neither does a council without a time limit.
func TestExamineLacksTime(t *testing.T) {
	for _, test := range []struct {
		own, council string
		warned       bool
	}{
		{"100ms", `movetime = "100ms"`, true}, {"63ms", `movetime = "100ms"`, true}, {"62ms", `movetime = "100ms"`, false},
		{"100ms", `byoyomi = "100ms"`, true}, {"100ms", `nodes = 1`, false},
	} {
		f := testutil.Must(configs.Parse([]byte(fmt.Sprintf("games = 2\nplayers = [\"C\", \"A\"]\n[[engine]]\nname = \"A\"\ncmd = \"builtin\"\nlimits = {movetime = %q}\n"+
			"[[engine]]\nname = \"B\"\ncmd = \"/bin/true\"\n[[council]]\nname = \"C\"\nrule = \"majority\"\nmembers = [\"A\", \"B\"]\nexamine = {}\nlimits = {%s}\n",
			test.own, test.council)), "match.toml"))(t)
		_, warnings, err := f.Plan("/", identity.Env{Self: "/gogi", BuiltinVersion: "sparring", NumCPU: 2, WorkDir: "/"})
		testutil.OK(t, err)
		if warned := strings.Contains(fmt.Sprint(warnings), "its member A has a movetime of its own, "+test.own); warned !=
			test.warned {
			t.Errorf("%+v: warnings %v", test, warnings)
		}
	}
}

// TestContests requires that the member that plays alone gets the limits of all the council's searches.
func TestContests(t *testing.T) {
	const engines = "limits = {nodes = 100}\n[[engine]]\nname = \"A\"\ncmd = \"builtin\"\n[[engine]]\nname = \"B\"\ncmd = \"builtin\"\nlimits = {movetime = \"50ms\"}\n"
	for _, test := range []struct{ name, text, want string }{
		{"councils of all engines", engines, "majority A 200n, majority B 100ms, examining A 320n, examining B 160ms"},
		{"an own council",
			engines + "[[council]]\nname = \"C\"\nrule = \"majority\"\nmembers = [\"A\", \"B\"]\nexamine = {extra = 1.0}\n",
			"C A 400n, C B 200ms"},
		{"shared limits",
			engines + "[[council]]\nname = \"C\"\nrule = \"majority\"\nbudget = \"split\"\nmembers = [\"A\", \"B\"]\n",
			"C A 100n, C B 100ms"},
		{"the council's limits", engines +
			"[[council]]\nname = \"C\"\nrule = \"majority\"\nmembers = [\"A\"]\nvary = {Seed = [1, 2, 3]}\nlimits = {nodes = 7}\n", "C A 21n"},
		{"three engines", engines + "[[engine]]\nname = \"D\"\ncmd = \"builtin\"\n",
			"majority A 300n, majority B 150ms, majority D 300n, examining A 480n, " +
				"examining B 240ms, examining D 480n, adoption A 300n, adoption B 150ms, adoption D 300n"},
		{"no limits", strings.Replace(engines, "limits = {nodes = 100}", "", 1),
			"error: engine A: its limits cannot be multiplied"},
		{"self", strings.Replace(engines, "nodes = 100", "self = true", 1),
			"error: engine A: its limits cannot be multiplied"},
		{"one engine", "limits = {nodes = 1}\n[[engine]]\nname = \"A\"\ncmd = \"builtin\"\n",
			"error: match.toml: there are no engines for a council"},
	} {
		f := testutil.Must(configs.Parse([]byte(test.text), "match.toml"))(t)
		list, err := f.Contests(10)
		var got []string
		for _, x := range list {
			plan, _, err := x.File.Plan("/", identity.Env{Self: "/gogi", BuiltinVersion: "sparring", NumCPU: 2, WorkDir: "/"})
			testutil.OK(t, err)
			limits := plan.Players[1].Limits
			text := fmt.Sprintf("%s %s %s", x.Council, x.Member, limits.MoveTime)
			if limits.Nodes > 0 {
				text = fmt.Sprintf("%s %s %dn", x.Council, x.Member, limits.Nodes)
			}
			if got = append(got, text); plan.Games() != 10 || plan.Players[0].Name != x.Council ||
				plan.Players[1].Name != x.Member+"-alone" {
				t.Errorf("%s: %+v", test.name, plan.Players)
			}
		}
		if want, fails := strings.CutPrefix(test.want, "error: "); fails {
			testutil.Fails(t, err, want, "%s", test.name)
		} else {
			testutil.Equal(t, strings.Join(got, ", "), want, "%s (%v)", test.name, err)
		}
	}
}

// TestSpread covers the forms of a council's ponder key, and the warning about a match without pondering.
func TestSpread(t *testing.T) {
	for _, test := range []struct {
		ponder, key string
		want        match.Spread
		warned      bool
	}{
		{"ponder = \"standard\"\n", `"spread"`, match.Spread{On: true}, false},
		{"ponder = \"early\"\n", `{mode = "spread", hit = "votes"}`, match.Spread{On: true, Votes: true}, false},
		{"ponder = \"standard\"\n", `"same"`, match.Spread{}, false},
		{"", `"same"`, match.Spread{}, false},
		{"", `"spread"`, match.Spread{On: true}, true},
	} {
		f := testutil.Must(configs.Parse([]byte(test.ponder+councilFile+"rule = \"majority\"\nponder = "+test.key+"\n"),
			"match.toml"))(t)
		plan, warnings, err := f.Plan("/", identity.Env{Self: "/gogi", BuiltinVersion: "sparring", NumCPU: 2, WorkDir: "/"})
		testutil.OK(t, err)
		testutil.Equal(t, plan.Players[0].Council.Ponder, test.want, "%s", test.key)
		if warned := strings.Contains(fmt.Sprint(warnings), `ponder = "spread" has no effect in a match`); warned !=
			test.warned {
			t.Errorf("%s: warnings %v", test.key, warnings)
		}
	}
	for key, want := range map[string]string{`"both"`: `"both" is not one of same, spread`,
		`{mode = "spread", hit = "x"}`: `"x" is not one of decides, votes`} {
		_, err := councilPlan(t, councilFile+"rule = \"majority\"\nponder = "+key+"\n")
		testutil.Fails(t, err, want)
	}
	_, err := councilPlan(t, strings.Replace(councilFile, `["A", "B"]`, `["A"]`, 1)+
		"rule = \"majority\"\nponder = \"spread\"\n")
	testutil.Fails(t, err, "council C has one member")
}

// TestSeriesOfCouncils requires that the files behind docs/research/consensus.md give plans without warnings.
func TestSeriesOfCouncils(t *testing.T) {
	files := testutil.Must(filepath.Glob("councils/*.toml"))(t)
	for _, file := range files {
		text := testutil.Must(os.ReadFile(file))(t)
		text = regexp.MustCompile(`/usr/games/[a-z-]+`).ReplaceAll(text, []byte("/bin/true"))
		f := testutil.Must(configs.Parse(text, filepath.Base(file)))(t)
		_, warnings, err := f.Plan("/", identity.Env{Self: "/gogi", BuiltinVersion: "sparring", NumCPU: 8, WorkDir: "/"})
		testutil.Check(t, err == nil && len(warnings) == 0, "%s: %v, %v", file, warnings, err)
	}
	testutil.Check(t, len(files) >= 13, "found only %q", files)
}
