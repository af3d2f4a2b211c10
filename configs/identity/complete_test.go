package identity_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gogi/configs"
	"gogi/configs/advice"
	"gogi/configs/configstest"
	"gogi/configs/identity"
	"gogi/internal/i18n"
	"gogi/internal/lists"
	"gogi/internal/testutil"
	"gogi/match"
	"gogi/usi"
)

// greeting returns the handshake of an engine with these option lines.
func greeting(t *testing.T, lines string) usi.Greeting {
	t.Helper()
	var g usi.Greeting
	for line := range strings.Lines(lines) {
		o := testutil.Must(usi.ParseOption("option name " + strings.TrimSpace(line)))(t)
		g.Options = append(g.Options, o)
	}
	return g
}

// yaneuraou is the part of YaneuraOu's handshake that the tests use.
const yaneuraou = `Threads type spin default 4 min 1 max 1024
USI_Ponder type check default false
USI_Hash type spin default 1024 min 1 max 33554432
MaxMovesToDraw type spin default 0 min 0 max 100000
EnteringKingRule type combo default CSARule27 var NoEnteringKing var CSARule24 var CSARule27 var CSARule27H var TryRule
NetworkDelay type spin default 120 min 0 max 10000
NetworkDelay2 type spin default 1120 min 0 max 10000
MinimumThinkingTime type spin default 2000 min 1000 max 100000
RoundUpToFullSecond type check default true
USI_OwnBook type check default true
BookFile type combo default standard_book.db var no_book var standard_book.db var user_book1.db
BookDir type string default book
EvalDir type string default eval
DebugLogFile type string default log.txt`

const fairy = `Debug Log File type string default
Ponder type check default false
Hash type spin default 16 min 1 max 1024
EvalFile type filename default <empty>`

// fill writes files in a folder.
func fill(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, name)
		testutil.OK(t, os.MkdirAll(filepath.Dir(path), 0o700))
		testutil.OK(t, os.WriteFile(path, []byte(text), 0o600))
	}
}

// roles lists an identity's files.
func roles(p match.Player) []string {
	return lists.Map(p.Identity.Files, func(f match.FileHash) string { return f.Role })
}

func TestCompleteIdentities(t *testing.T) {
	env := configstest.Machine(t)
	fill(t, env.WorkDir, map[string]string{
		"eval/nn.bin": "net", "eval/sub/eval_options.txt": "x", "nets/nn.bin": "other net", "log.txt": "log",
		"book/standard_book.db": "book", "book/user_book1.db": "mine", "engine_options.txt": "option",
		"bin/net.nnue": "fairy's",
	})
	testutil.OK(t, os.Symlink("../nets/nn.bin", filepath.Join(env.WorkDir, "eval", "linked.bin")))
	testutil.OK(t, os.Symlink("..", filepath.Join(env.WorkDir, "eval", "loop")))
	for _, test := range []struct {
		name, extra, declared string
		want                  []string
	}{
		{"defaults", "", yaneuraou, []string{
			"binary", "option BookFile", "EvalDir/linked.bin", "EvalDir/nn.bin", "EvalDir/sub/eval_options.txt",
			"engine_options.txt",
		}},
		{"profile", `profile = "yaneuraou"`, yaneuraou, []string{
			"binary", "EvalDir/linked.bin", "EvalDir/nn.bin", "EvalDir/sub/eval_options.txt", "engine_options.txt",
		}},
		{"set", `options = {EvalDir = "nets", BookFile = "user_book1.db", DebugLogFile = "log.txt"}`, yaneuraou, []string{
			"binary", "option BookFile", "EvalDir/nn.bin", "engine_options.txt",
		}},
		{"no book", `options = {USI_OwnBook = false, EvalDir = "<internal>"}`, yaneuraou,
			[]string{"binary", "engine_options.txt"}},
		{"no_book", `options = {BookFile = "no_book", EvalDir = ""}`, yaneuraou, []string{"binary", "engine_options.txt"}},
		{"filename", "dir = \"bin\"\noptions = {EvalFile = \"net.nnue\"}", fairy,
			[]string{"binary", "option EvalFile", "binary's engine_options.txt"}},
		{"filename of nothing", "dir = \"bin\"\noptions = {EvalFile = \"none\"}", fairy,
			[]string{"binary", "binary's engine_options.txt"}},
		{"by hand", "identity = \"v1\"", yaneuraou, []string{
			"option BookFile", "EvalDir/linked.bin", "EvalDir/nn.bin", "EvalDir/sub/eval_options.txt", "engine_options.txt",
		}},
	} {
		p, _ := configstest.Plan(t, strings.Replace(configstest.Two, "./dev\"", "./dev\"\n"+test.extra, 1), few, env)
		before, _ := configstest.Plan(t, strings.Replace(configstest.Two, "./dev\"", "./dev\"\n"+test.extra, 1), few, env)
		got, _, err := identity.Complete(p, []usi.Greeting{greeting(t, test.declared), greeting(t, fairy)})
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		testutil.Diff(t, test.want, roles(got.Players[0]), "%s", test.name)
		testutil.Diff(t, before, p, "%s: Complete changed the plan that it was given", test.name)
	}
}

func TestIdentityFollowsTheNetwork(t *testing.T) {
	env := configstest.Machine(t)
	fill(t, env.WorkDir, map[string]string{"eval/nn.bin": "net"})
	digest := func() string {
		p, _ := configstest.Plan(t, configstest.Two, few, env)
		got, _, err := identity.Complete(p, []usi.Greeting{greeting(t, yaneuraou), greeting(t, fairy)})
		testutil.OK(t, err)
		return got.Digest()
	}
	before := digest()
	testutil.Equal(t, digest(), before, "two plans of the same files differ")
	fill(t, env.WorkDir, map[string]string{"eval/nn.bin": "another net"})
	testutil.Check(t, digest() != before, "another network has the same digest")
}

func TestCompleteErrors(t *testing.T) {
	env := configstest.Machine(t)
	fill(t, env.WorkDir, map[string]string{"file": ""})
	for _, test := range []struct{ options, want string }{
		{`{Thread = 1}`, `engine A: option "Thread" is not offered; nearest: Threads`},
		{`{Zzzzzzzzzzzzzzzzzzzzzzzzzz = 1}`,
			`engine A: option "Zzzzzzzzzzzzzzzzzzzzzzzzzz" is not offered; the engine has Threads, USI_Ponder, USI_Hash, MaxMovesToDraw, EnteringKingRule, NetworkDelay, NetworkDelay2, MinimumThinkingTime, RoundUpToFullSecond, USI_OwnBook …`},
		{`{Threads = 0, USI_Ponder = "on"}`,
			"engine A: option Threads: 0 is outside 1 to 1024\nengine A: option USI_Ponder: \"on\" is not true or false"},
		{`{EnteringKingRule = "TryRule"}`,
			`engine A: option EnteringKingRule = TryRule contradicts the rules "default", which say CSARule27: expected it without the option, or with other rules`},
		{`{maxmovestodraw = 256}`,
			`engine A: option maxmovestodraw = 256 contradicts the rules "default", which say 320: expected it without the option, or with other rules`},
		{`{EvalDir = "none"}`, `engine A: option EvalDir: DIR/none: no such file or directory`},
		{`{EvalDir = "file"}`, `engine A: option EvalDir: DIR/file is no folder`},
	} {
		p, _ := configstest.Plan(t, strings.Replace(configstest.Two, "./dev\"", "./dev\"\noptions = "+test.options, 1), few,
			env)
		got, _, err := identity.Complete(p, []usi.Greeting{greeting(t, yaneuraou), greeting(t, fairy)})
		want := strings.ReplaceAll(test.want, "DIR", env.WorkDir)
		testutil.Check(t, err != nil && err.Error() == want && got == nil, "%s:\n got %v\nwant %s", test.options, err, want)
	}
	p, _ := configstest.Plan(t, configstest.Two, few, env)
	if _, _, err := identity.Complete(p, nil); err == nil ||
		err.Error() != "completing the plan: 0 greetings for 2 engines" {
		t.Error(err)
	}
}

// TestUndeclaredHash: the engine need not declare USI_Hash. Its value is a part of the plan, because it changes the
// play.
func TestUndeclaredHash(t *testing.T) {
	env := configstest.Machine(t)
	text := strings.Replace(configstest.Two, "./dev\"", "./dev\"\noptions = {USI_Hash = 64}", 1)
	p, _ := configstest.Plan(t, text, few, env)
	threads := greeting(t, "Threads type spin default 4 min 1 max 9")
	plan, _, err := identity.Complete(p, []usi.Greeting{threads, threads})
	testutil.OK(t, err)
	testutil.Diff(t, []match.Option{{Name: "Threads", Value: "4"}, {Name: "USI_Hash", Value: "64"}},
		plan.Players[0].Effect)
	testutil.Diff(t, []match.Option{{Name: "Threads", Value: "4"}}, plan.Players[1].Effect)
}

// otherFamilies has the time margins that Apery d14471f, Gikou 2 and Sunfish4 declare, an invented option with such a
// name, and margins of a search, which are none.
const otherFamilies = `Byoyomi_Margin type spin default 500 min 0 max 2147483647
Time_Margin type spin default 4500 min 0 max 2147483647
FischerMargin type spin default 12000 min 0 max 30000
MinThinkingTime type spin default 1000 min 10 max 30000
SuddenDeathMargin type spin default 60 min 0 max 600
MarginMs type spin default 500 min 0 max 2000
Net Safety Margin type spin default 40 min 0 max 500
FutilityMargin type spin default 150 min 0 max 500
Aspiration_Margin type spin default 30 min 0 max 500
BookFile type string default no_book`

func TestLint(t *testing.T) {
	env := configstest.Machine(t)
	greetings := []usi.Greeting{greeting(t, yaneuraou+"\nBookDepthLimit type spin default 16 min 0 max 99999"),
		greeting(t, fairy+"\nBookDepth type spin default 30 min 0 max 100")}
	const book = "engine B: BookDepth 30: after the opening the engine plays from its own book"
	for _, test := range []struct {
		name, limits, extra string
		want                []string
	}{
		{"timed", `"8+0.08"`, "", []string{
			"engine A: MinimumThinkingTime 2000, NetworkDelay 120, NetworkDelay2 1120, RoundUpToFullSecond true: made for play over networks, they distort short games; profile = \"yaneuraou\" sets them",
			"engine A: USI_OwnBook true: after the opening the engine plays from its own book",
			book,
		}},
		{"some are set", `"8+0.08"`, `options = {NetworkDelay = 120, MinimumThinkingTime = 1000, BookFile = "no_book"}`,
			[]string{
				"engine A: NetworkDelay2 1120, RoundUpToFullSecond true: made for play over networks, they distort short games; profile = \"yaneuraou\" sets them",
				book,
			}},
		{"by profile", `"8+0.08"`, `profile = "yaneuraou"`, []string{book}},
		{"other families", `"8+0.08"`, `options = {BookFile = "no_book"}; apery`, []string{
			"engine A: Byoyomi_Margin 500, FischerMargin 12000, MarginMs 500, MinThinkingTime 1000, Net Safety Margin 40, SuddenDeathMargin 60, Time_Margin 4500: made for play over networks, they distort short games; " +
				"--option A.Byoyomi_Margin=0 --option A.FischerMargin=0 --option A.MarginMs=0 --option A.MinThinkingTime=10 --option 'A.Net Safety Margin=0' --option A.SuddenDeathMargin=0 --option A.Time_Margin=0 uses more of the clock",
			book,
		}},
		{"named book", `{nodes = 3}`, "profile = \"yaneuraou\"\noptions = {BookFile = \"user_book1.db\"}", []string{
			"engine A: USI_OwnBook true: after the opening the engine plays from its own book",
			"engine A: BookDepthLimit 16: the engine ignores book moves with a smaller depth; a book made from lines has no depths; the option BookDepthLimit = 0 uses all moves",
			book,
		}},
		{"named book off", `{nodes = 3}`, `options = {BookFile = "user_book1.db", USI_OwnBook = false}`, []string{
			"engine A: the engine does not use its book, because USI_OwnBook is false; the option USI_OwnBook = true turns the book on",
			book,
		}},
		{"all of a named book", `{nodes = 3}`,
			`options = {BookFile = "user_book1.db", USI_OwnBook = true, BookDepthLimit = 0}`, []string{book}},
		{"nodes", `{nodes = 3}`, `options = {USI_OwnBook = true}`, []string{book}},
	} {
		text := strings.Replace(configstest.Two, `"8+0.08"`, test.limits, 1)
		extra, apery := strings.CutSuffix(test.extra, "; apery")
		text = strings.Replace(text, "./dev\"", "./dev\"\n"+extra, 1)
		p, _ := configstest.Plan(t, text, few, env)
		var got []string
		for i, player := range p.Players {
			declared := greetings[i].Options
			if i == 0 && apery {
				declared = greeting(t, otherFamilies).Options
			}
			got = append(got, testutil.Texts(identity.Lint(player, p, declared))...)
		}
		testutil.Diff(t, test.want, got, "%s", test.name)
	}
}

func TestCompleteWarnsOfOptionFiles(t *testing.T) {
	env := configstest.Machine(t)
	fill(t, env.WorkDir, map[string]string{"engine_options.txt": ""})
	p, _ := configstest.Plan(t, strings.Replace(configstest.Two, "./base", "bin/gpsusi", 1), few, env)
	_, got, err := identity.Complete(p, []usi.Greeting{greeting(t, yaneuraou), greeting(t, fairy)})
	want := []string{"engine A: options in " + env.WorkDir + "/engine_options.txt may override those that are sent"}
	diff := cmp.Diff(want, testutil.Texts(got))
	testutil.Check(t, diff == "" && err == nil, "%v, -want +got\n%s", err, diff)
}

func TestCompleteFindsDuplicates(t *testing.T) {
	env := configstest.Machine(t)
	fill(t, env.WorkDir, map[string]string{"a/eval/nn.bin": "1", "b/eval/nn.bin": "1", "c/eval/nn.bin": "2"})
	var text strings.Builder
	text.WriteString("games = 6\nlimits = {nodes = 1}\ndesign = \"round_robin\"\n")
	for _, name := range []string{"a", "b", "c"} {
		text.WriteString("[[engine]]\nname = \"" + name + "\"\ncmd = \"./dev\"\ndir = \"" + name + "\"\n")
	}
	p, warnings := configstest.Plan(t, text.String(), few, env)
	testutil.Check(t, warnings == nil, "%v", warnings)
	g := greeting(t, "EvalDir type string default eval")
	_, got, err := identity.Complete(p, []usi.Greeting{g, g, g})
	want := []string{"engines a and b are the same: binary, arguments, options and limits are equal"}
	diff := cmp.Diff(want, testutil.Texts(got))
	testutil.Check(t, diff == "" && err == nil, "%v, -want +got\n%s", err, diff)
}

func TestCompleteLeavesOthersAlone(t *testing.T) {
	env := configstest.Machine(t)
	fill(t, env.WorkDir, map[string]string{"eval/nn.bin": "1", "engine_options.txt": ""})
	text := strings.Replace(configstest.Two, `"./dev"`, `"builtin"`, 1)
	text = strings.Replace(text, `"./base"`, "\"ssh host ./base\"\nidentity = \"v1\"", 1)
	p, _ := configstest.Plan(t, text, configs.Flags{Profile: "yaneuraou"}, env)
	g := greeting(t, yaneuraou)
	got, warnings, err := identity.Complete(p, []usi.Greeting{g, g})
	for i := range got.Players {
		testutil.Check(t, len(got.Players[i].Effect) > 0, "player %d has no options in effect", i)
		got.Players[i].Effect = nil
	}
	diff := cmp.Diff(p, got)
	testutil.Check(t, diff == "" && warnings == nil && err == nil, "%v, %v, -before +after\n%s", warnings, err, diff)
}

func TestSettings(t *testing.T) {
	plan := &match.Plan{Ponder: match.PonderOff, Rules: match.RulesProfiles()["denryu"]}
	// The BookFile of dlshogi and of the built-in engine does not know the value "no_book".
	const builtin = "USI_Ponder type check default false\nBookFile type filename default <empty>"
	dlshogi := "USI_Ponder type check default true\nDraw_Ply type spin default 256 min 0 max 1000\nBookFile type string default book.bin"
	for _, test := range []struct {
		name      string
		player    match.Player
		declared  string
		automatic []string
	}{
		{"rules alone", match.Player{}, yaneuraou, []string{
			"setoption name USI_Ponder value false", "setoption name EnteringKingRule value CSARule27",
			"setoption name MaxMovesToDraw value 512",
		}},
		{"other names", match.Player{}, fairy, []string{"setoption name Ponder value false"}},
		{"dlshogi", match.Player{Profile: "yaneuraou"}, dlshogi, []string{
			"setoption name USI_Ponder value false", "setoption name Draw_Ply value 512",
		}},
		{"the built-in engine", match.Player{Builtin: true, Profile: "yaneuraou"}, builtin,
			[]string{"setoption name USI_Ponder value false"}},
		{"too many plies", match.Player{}, "Draw_Ply type spin default 256 min 0 max 300", nil},
		{"profile", match.Player{Profile: "yaneuraou"}, yaneuraou, []string{
			"setoption name USI_Ponder value false", "setoption name EnteringKingRule value CSARule27", "setoption name MaxMovesToDraw value 512",
			"setoption name NetworkDelay value 0", "setoption name NetworkDelay2 value 0",
			"setoption name MinimumThinkingTime value 1000",
			"setoption name RoundUpToFullSecond value false", "setoption name USI_OwnBook value false",
			"setoption name BookFile value no_book",
			"setoption name Threads value 1",
		}},
		{"the user's book", match.Player{Profile: "yaneuraou",
			Options: []match.Option{{Name: "BookFile", Value: "user_book1.db"}}},
			"NetworkDelay type spin default 120 min 0 max 10000\nUSI_OwnBook type check default true\nBookFile type combo default no_book var no_book var user_book1.db", []string{"setoption name NetworkDelay value 0"}},
		{"the user's no_book", match.Player{Profile: "yaneuraou",
			Options: []match.Option{{Name: "BookFile", Value: "no_book"}}},
			"NetworkDelay type spin default 120 min 0 max 10000\nUSI_OwnBook type check default true\nBookFile type combo default no_book var no_book var user_book1.db", []string{"setoption name NetworkDelay value 0", "setoption name USI_OwnBook value false"}},
		{"the user wins", match.Player{Profile: "yaneuraou", Options: []match.Option{
			{Name: "ponder", Value: "true"}, {Name: "usi_ownbook", Value: "true"}, {Name: "networkdelay", Value: "1"},
			{Name: "threads", Value: "2"},
		}},
			"Threads type spin default 4 min 1 max 9\nUSI_Ponder type check default true\nNetworkDelay type spin default 120 min 0 max 10000\nUSI_OwnBook type check default true", nil},
	} {
		automatic, user := identity.Settings(test.player, plan, greeting(t, test.declared).Options)
		got := lists.Map(automatic, usi.Setting.String)
		testutil.Diff(t, test.automatic, got, "%s", test.name)
		testutil.Equal(t, len(user), len(test.player.Options), "%s: user settings %v", test.name, user)
	}
	plan.Ponder, plan.Rules.MaxPlies = match.PonderEarly, 0
	silent, _ := identity.Settings(match.Player{}, plan, nil)
	testutil.Diff(t, []usi.Setting{{Name: "USI_Ponder", Value: "true"}}, silent)
	automatic, _ := identity.Settings(match.Player{}, plan, greeting(t, yaneuraou).Options)
	testutil.Check(t, automatic[0].Value == "true" && automatic[2].Value == "0", "%v", automatic)
}

// A caller gets the subject of a warning without parsing its text.
func TestWarningParts(t *testing.T) {
	env := configstest.Machine(t)
	p, _ := configstest.Plan(t, configstest.Two, few, env)
	got := identity.Lint(p.Players[0], p, greeting(t, "NetworkDelay type spin default 120 min 0 max 10000").Options)
	want := []advice.Warning{{
		Engine: "A", Text: i18n.Of("%s: made for play over networks, they distort short games", "NetworkDelay 120"),
		Advice: i18n.Of("profile = \"yaneuraou\" sets them"),
	}}
	testutil.Diff(t, want, got)
}
