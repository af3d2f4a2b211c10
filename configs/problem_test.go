package configs_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gogi/configs"
	"gogi/configs/configstest"
	"gogi/internal/testutil"
)

// All errors are reported at once, in the order of the file: keys, values and contradictions. For a line that cannot be
// parsed, only this is reported.
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
		"m.toml 0 games is missing", `m.toml 1 unknown key "game" (did you mean games or gate or mate?)`, "m.toml 2 concurrency", "m.toml 3 limits",
		"m.toml 6 engine A", `m.toml 8 engine name "A" is taken`, "m.toml 10 engine A",
	}
	diff := cmp.Diff(want, got)
	testutil.Check(t, diff == "" && plan == nil, "-want +got\n%s", diff)
}

// A file that is no TOML gives one problem with its line. A correct file gives none, and an engine behind ssh is not
// started.
func TestInspectEnds(t *testing.T) {
	for text, line := range map[string]int{"games = 2\n= 3\n": 2, "[engine]\n[engine]\n": 2, "a" + strings.Repeat(".a", 1001) + " = 1\n": 1} {
		_, _, err := configs.Inspect([]byte(text), "m.toml", "", configstest.Machine(t))
		list := configs.ProblemsOf(err)
		testutil.Check(t, len(list) == 1 && list[0].Line == line, "%q: %v", text, list)
	}
	remote := "games = 2\nlimits = {nodes = 5}\n[[engine]]\nname = \"A\"\ncmd = \"ssh host ./x\"\n[[engine]]\nname = \"B\"\ncmd = \"builtin\"\n"
	plan, _, err := configs.Inspect([]byte(remote), "m.toml", "", configstest.Machine(t))
	testutil.Check(t, err == nil && plan != nil && plan.Games() == 2, "%v", err)
}

// Of a flag that is wrong, the flag is the place.
func TestProblemOfFlag(t *testing.T) {
	list := configs.ProblemsOf((&configs.File{}).Apply(configs.Flags{Resign: "much", Margin: []string{"3"}}))
	testutil.Check(t, len(list) == 2 && list[0].At() == "--resign" && list[1].At() == "--margin" && list[0].Line == 0, "%v", list)
	testutil.Check(t, configs.ProblemsOf(nil) == nil, "there are problems of nothing")
}
