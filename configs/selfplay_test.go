package configs_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gogi/configs"
	"gogi/configs/advice"
	"gogi/configs/configstest"
	"gogi/internal/testutil"
	"gogi/match"
)

// planSelfplay parses a file and makes its plan.
func planSelfplay(t *testing.T, text string) (*configs.SelfplayPlan, []advice.Warning, error) {
	t.Helper()
	f := testutil.Must(configs.Parse([]byte(text), "sp.toml"))(t)
	return f.PlanSelfplay("", configstest.Machine(t))
}

// The keys that the template comments out have the default values, and every key in it is valid.
func TestSelfplayTemplate(t *testing.T) {
	text := string(configs.SelfplayTemplate())
	p, warnings, err := planSelfplay(t, text)
	testutil.Require(t, err == nil && len(warnings) == 1 && strings.Contains(warnings[0].String(), "1024 are played"),
		"%v %v", warnings, err)
	if p.Plan.Pairs != 16 || p.Plan.Legs() != 64 || p.Plan.Players[0].Limits.Nodes != 1000 ||
		p.Plan.Adjudication.ResignScore != 3000 || p.Data.Format.Name != "psv" {
		t.Errorf("%+v", p)
	}
	given := regexp.MustCompile(`(?m)^# ([a-z_]+ = )`).ReplaceAllString(text, "$1")
	for _, other := range []string{`openings = "book.sfen"`} {
		given = strings.Replace(given, other, "", 1)
	}
	shown, _, err := planSelfplay(t, given)
	testutil.OK(t, err)
	testutil.Diff(t, p.Plan.Design, shown.Plan.Design, "what it shows is not the default")
	if shown.Data.Positions != p.Data.Positions || shown.Data.Distinct != p.Data.Distinct ||
		shown.Data.Seed != p.Data.Seed || shown.Data.Shuffle != p.Data.Shuffle || shown.Data.NoMate != p.Data.NoMate {
		t.Errorf("%+v, expected %+v", shown.Data, p.Data)
	}
}

const selfplayHead = "games = 128\n[limits]\nnodes = 10\n[[engine]]\nname = \"A\"\ncmd = \"builtin\"\n[selfplay]\nto = \"x\"\n"

func TestSelfplayDefaults(t *testing.T) {
	p, warnings, err := planSelfplay(t, selfplayHead)
	testutil.Require(t, err == nil && warnings == nil, "%v %v", warnings, err)
	want := match.Selfplay{
		Games: 64, RandomMin: 4, RandomMax: 8, Window: 600, Temperature: 50, Lines: 8, Noise: 0.1, Audit: 0.05,
	}
	testutil.Diff(t, want, p.Plan.Design.Selfplay)
	if p.Plan.Pairs != 2 || p.Plan.Concurrency != configstest.Machine(t).NumCPU || filepath.Base(p.Folder) != "x" ||
		!filepath.IsAbs(p.Folder) {
		t.Errorf("%d blocks, %d at a time, in %s", p.Plan.Pairs, p.Plan.Concurrency, p.Folder)
	}
	testutil.Diff(t, []match.Opening{{ID: "1", Start: "startpos"}}, p.Plan.Openings)
	small, _, err := planSelfplay(t, strings.Replace(selfplayHead, "128", "10", 1))
	testutil.Check(t, err == nil && small.Plan.Legs() == 10 && small.Plan.Pairs == 1, "%+v, %v", small, err)
}

// Each of these errors names its place or the expected value. With "" there is no error.
func TestSelfplayRefuses(t *testing.T) {
	for _, tc := range []struct{ old, now, want string }{
		{"games = 128\n", "", "sp.toml: games is missing"},
		{"games = 128", "games = 0", "sp.toml:1: games: 0 is outside 1 to"},
		{"to = \"x\"\n", "", "selfplay.to is missing: expected the folder"},
		{"[selfplay]\nto = \"x\"\n", "", "there is no [selfplay] in it"},
		{"nodes = 10", "tc = \"8+0.08\"", "a clock is for games between two"},
		{"nodes = 10\n", "movetime = \"5ms\"\n[selfplay]\nto = \"x\"\nnode_jitter = 0.1\n", "expected limits with nodes"},
		{"games", "swap = true\ngames", "sp.toml:1: swap: self-play has no such key; remove it"},
		{"games", "ponder = \"standard\"\ngames", "ponder: self-play has no such key"},
		{"[limits]", "[mate]\nengine = \"A\"\n[limits]", "mate: self-play has no such key"},
		{"games", "cpus = \"auto\"\npv_plies = 3\ntranscript = true\ngames", ""},
		{"\"x\"", "\"x\"\nnoise = 2.0", "sp.toml:9: selfplay.noise: 2 is outside 0 to 1"},
		{"\"x\"", "\"x\"\nrandom_min = 9\nrandom_max = 8", "selfplay.random_max: 8 is outside 9 to 1000"},
		{"\"x\"", "\"x\"\nblock = 0", "selfplay.block: 0 is outside 1 to 65536"},
		{"\"x\"", "\"x\"\ntemperature_plies = 3\ntemperature = 0.0",
			"selfplay.temperature: 0 is no number of centipawns above 0"},
		{"\"x\"", "\"x\"\ntemperature_plies = 3\nmultipv = 1", "selfplay.multipv: 1 is outside 2 to 500"},
		{"\"builtin\"\n", "\"builtin\"\noptions = {MultiPV = 3}\n", ""},
		{"\"builtin\"\n[selfplay]\n", "\"builtin\"\noptions = {MultiPV = 3}\n[selfplay]\ntemperature_plies = 3\n",
			"the option MultiPV of A says otherwise"},
		{"\"x\"", "\"x\"\nformat = \"hcp\"", "selfplay.format: \"hcp\" is not one of psv, hcpe, hcpe2, hcpe3, pack"},
		{"\"x\"", "\"x\"\nformat = \"pack\"\nno_mate = true", "pack has games and leaves no position out"},
		{"\"x\"", "\"x\"\nplayer = \"B\"", "there is no \"B\": expected one of A"},
		{"[selfplay]", "[[engine]]\nname = \"B\"\ncmd = \"builtin\"\n[selfplay]",
			"selfplay.player is missing: expected who plays, of A, B"},
		{
			"[selfplay]",
			"[[council]]\nname = \"C\"\nrule = \"majority\"\nmembers = [\"A\"]\n[selfplay]\ntemperature_plies = 2\n",
			"which the council C has not",
		},
	} {
		text := strings.Replace(selfplayHead, tc.old, tc.now, 1)
		if strings.Count(text, "[selfplay]") > 1 {
			text = text[:strings.LastIndex(text, "[selfplay]")]
		}
		_, _, err := planSelfplay(t, text)
		testutil.Check(t, (tc.want != "" || err == nil) &&
			(tc.want == "" || err != nil && strings.Contains(err.Error(), tc.want)),
			"%s\ngot %v, expected %q", text, err, tc.want)
	}
}

// A match file with a [selfplay] table is an error.
func TestSeriesHasNoSelfplay(t *testing.T) {
	f, err := configs.Parse([]byte(strings.Replace(selfplayHead, "[selfplay]",
		"[[engine]]\nname = \"B\"\ncmd = \"builtin\"\n[selfplay]", 1)), "m.toml")
	testutil.OK(t, err)
	if _, _, err := f.Plan("", configstest.Machine(t)); err == nil ||
		!strings.Contains(err.Error(), "m.toml:10: selfplay: a series has none") {
		t.Error(err)
	}
}
