package configs_test

import (
	"strings"
	"testing"

	"gogi/configs"
	"gogi/configs/configstest"
	"gogi/internal/testutil"
)

// TestInspectCouncil: a file for gogi council, with engines and one council, needs no second player and no games. A
// file that names a number of games is a match.
func TestInspectCouncil(t *testing.T) {
	text := strings.Replace(strings.Replace(councilFile, "games = 2\n", "", 1), "players = [\"C\", \"A\"]\n", "", 1) +
		"rule = \"majority\"\n"
	plan, _, err := configs.Inspect([]byte(text), "real.toml", "", configstest.Machine(t))
	testutil.Require(t, err == nil && len(plan.Players) == 1 && plan.Players[0].Name == "C" && plan.Pairs == 0, "%+v, %v",
		plan, err)
	_, _, err = configs.Inspect([]byte("games = 2\n"+text), "real.toml", "", configstest.Machine(t))
	testutil.Fails(t, err, "players: expected at least 2, found 1")
	_, _, err = configs.Inspect([]byte(strings.Replace(text, `"B"]`, `"X"]`, 1)), "real.toml", "", configstest.Machine(t))
	testutil.Fails(t, err, "X", "a member that does not exist")
}

// TestMisreadCommands: a path of Windows and a path with blanks get an error that shows how to write them.
func TestMisreadCommands(t *testing.T) {
	for command, want := range map[string]string{
		`C:\engines\yane.exe`:   `A: C:\engines\yane.exe: gogi reads a backslash as a shell does; write / instead of \, or quote the path`,
		`C:enginesyane.exe`:     `A: "C:enginesyane.exe" not found; if the path had backslashes, the shell removed them`,
		`/no/my engines/dev -x`: `A: /no/my not found; check the path. Quote a path with blanks`,
	} {
		flags := configs.Flags{Engine: []string{"A=" + command, "B=builtin"}, Nodes: []string{"5"}}
		file, dir, err := flags.Read("")
		testutil.OK(t, err)
		_, _, err = file.Plan(dir, configstest.Machine(t))
		testutil.Fails(t, err, want)
	}
}

// TestFarmName: a ready-made match with other openings than those of gogi match is another match, so its run has
// another name.
func TestFarmName(t *testing.T) {
	file, _, err := configs.Find("default")
	testutil.OK(t, err)
	testutil.Equal(t, file.RunName(), "default")
	file.DefaultOpenings("builtin-1000")
	testutil.Equal(t, file.RunName(), "default-farm")
	named := configs.File{Run: "mine"}
	named.DefaultOpenings("builtin-1000")
	testutil.Equal(t, named.RunName(), "mine")
	given := configs.File{Openings: &configs.Openings{File: "builtin-64"}}
	given.DefaultOpenings("builtin-1000")
	testutil.Check(t, given.Openings.File == "builtin-64" && given.RunName() == "default", "%+v", given)
}
