package configs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gogi/configs"
	"gogi/configs/configstest"
	"gogi/internal/testutil"
	"gogi/match"
)

func TestReadyFilesResolve(t *testing.T) {
	files, err := filepath.Glob("*.toml")
	testutil.Require(t, err == nil && len(files) >= 11, "%v %v", files, err)
	for _, name := range files {
		short := strings.TrimSuffix(name, ".toml")
		f, dir, err := configs.Find(short)
		if err != nil {
			t.Error(err)
			continue
		}
		plan, warnings, err := f.Plan(dir, configstest.Machine(t))
		if err != nil || warnings != nil {
			t.Errorf("%s: %v %v", name, warnings, err)
			continue
		}
		two := len(plan.Players) == 2 || len(plan.Players) > 2 && plan.Design.Kind == match.DesignRoundRobin
		if plan.Run != short || !two || plan.Games() < 10 {
			t.Errorf("%s: run %q, %d players, %d games", name, plan.Run, len(plan.Players), plan.Games())
		}
	}
}

func TestTemplateResolves(t *testing.T) {
	f := testutil.Must(configs.Parse(configs.Template(), "match.toml"))(t)
	plan, warnings, err := f.Plan("", configstest.Machine(t))
	testutil.Require(t, err == nil && warnings == nil, "%v %v", warnings, err)
	got := []string{plan.Players[0].Limits.String(), plan.Players[1].Limits.String()}
	testutil.Diff(t, []string{"nodes 800", "nodes 400"}, got)
}

// Each line that is commented out must be valid at its place.
func TestTemplateComments(t *testing.T) {
	line := regexp.MustCompile(`^# ([a-z_]+ = .*|\[.*)$`)
	header, count := "", 0
	for text := range strings.SplitSeq(string(configs.Template()), "\n") {
		if m := line.FindStringSubmatch(text); m != nil {
			text = m[1]
			count++
		}
		if strings.HasPrefix(text, "[") {
			header = text
		}
		_, err := configs.Parse([]byte(header+"\n"+text+"\n"), "match.toml")
		testutil.Check(t, err == nil || header == text, "%s\n%s: %v", header, text, err)
	}
	testutil.Check(t, count >= 40, "only %d lines were found", count)
}

func TestReadyHandicap(t *testing.T) {
	f, _, err := configs.Find("handicap.toml")
	testutil.OK(t, err)
	plan, _, err := f.Plan("", configstest.Machine(t))
	testutil.OK(t, err)
	want := []match.Opening{{ID: "two-piece", Start: twoPiece + " w - 1"}}
	if diff := cmp.Diff(want, plan.Openings); diff != "" || plan.Legs() != 1 || plan.Pairs != plan.Games() {
		t.Errorf("%d legs, openings -want +got\n%s", plan.Legs(), diff)
	}
}

func TestFind(t *testing.T) {
	path := write(t, "mine.toml", "games = 2\n")
	f, dir, err := configs.Find(path)
	testutil.Check(t, err == nil && *f.Games == 2 && dir == filepath.Dir(path), "%v, %q, %v", f, dir, err)
	t.Chdir(filepath.Dir(path))
	if f, dir, err = configs.Find("mine.toml"); err != nil || *f.Games != 2 || dir != "." {
		t.Errorf("%v, %q, %v", f, dir, err)
	}
	testutil.OK(t, os.Mkdir("default", 0o700))
	if _, dir, err = configs.Find("default"); err != nil || dir != "" {
		t.Errorf("a folder of a ready series' name: %q, %v", dir, err)
	}
	for name, want := range map[string]string{
		"handicp":         "handicp not found; give the path of a match file, or the name of a ready-made match: handicap",
		"handicp.toml":    "handicp.toml not found; give the path of a match file, or the name of a ready-made match: handicap",
		"./handicap.toml": "reading a series: stat ./handicap.toml: no such file or directory",
	} {
		if _, _, err := configs.Find(name); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// TestReadyWithoutPrograms requires that the error names the flag for each missing program. It has no line number,
// because a ready-made match is no file on disk.
func TestReadyWithoutPrograms(t *testing.T) {
	f, dir, err := configs.Find("stc-8+0.08")
	testutil.OK(t, err)
	env := configstest.Machine(t)
	for _, name := range []string{"dev", "base"} {
		testutil.OK(t, os.Remove(filepath.Join(env.WorkDir, name)))
	}
	want := strings.ReplaceAll("ready series stc-8+0.08.toml: engine dev: DIR/dev cannot be started: no such file or directory; name your own program with --engine NAME=PATH\n"+
		"ready series stc-8+0.08.toml: engine base: DIR/base cannot be started: no such file or directory; name your own program with --engine NAME=PATH", "DIR", env.WorkDir)
	if _, _, err := f.Plan(dir, env); err == nil || err.Error() != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
}

// TestClockOfMovesPerPeriod requires one warning for a byoyomi above the main time, because 40/60 means 40 moves
// elsewhere.
func TestClockOfMovesPerPeriod(t *testing.T) {
	for tc, want := range map[string]string{
		"40/60": "time control 40/60 is 40s of main time, then 1m0s for each move; shogi has no time control of moves per period",
		"60/40": "", "0/10": "", "40+60": "", "10/10": "",
	} {
		text := "games = 2\nlimits = \"" + tc +
			"\"\n[[engine]]\nname = \"a\"\ncmd = \"builtin\"\n[[engine]]\nname = \"b\"\ncmd = \"builtin --x\"\n"
		_, warnings, err := parse(t, text).Plan("", configstest.Machine(t))
		testutil.OK(t, err)
		var got []string
		for _, w := range warnings {
			if s := w.String(); strings.Contains(s, "time control") {
				got = append(got, s)
			}
		}
		testutil.Equal(t, strings.Join(got, "|"), want, "%s: %q", tc, got)
	}
}
