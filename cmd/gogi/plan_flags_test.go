package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"gogi/cmd/gogi/cli"
	"gogi/configs"
	"gogi/internal/testutil"
	"gogi/match"
)

// seen has the settings that the flags of a match make.
type seen struct {
	*match.Plan
	transcript bool
	durable    bool
}

// aFlagOfPlans is a flag of configs.Flags, a line with the flag, and the expected effect of the line.
type aFlagOfPlans struct {
	name, line string
	got        func(s seen) any
	want       any
	with       string // other flags of the line; "": commonLine, and a line with all such flags tests the flag again
}

// commonLine makes a plan for the two engines of every line.
const commonLine = "--games=2 --nodes=A=100 --nodes=B=100 --openings=builtin-64"

// flagsOfPlans has each flag of configs.Flags.
var flagsOfPlans = []aFlagOfPlans{
	{"run", "--run=lmr7", func(s seen) any { return s.Run }, "lmr7", ""},
	{"games", "--games=4", func(s seen) any { return s.Games() }, 4, ""},
	{"players", "--players=B,A", func(s seen) any { return s.Players[0].Name }, "B", ""},
	{"design", "--design=gauntlet", func(s seen) any { return s.Design.Kind }, match.DesignGauntlet, commonLine},
	{"rounds", "--rounds=3", func(s seen) any { return s.Pairs }, 3,
		"--openings=builtin-64 --nodes=9 --design=swiss --rounds=1"},
	{"match-pairs", "--match-pairs=2", func(s seen) any { return s.Design.Tournament.MatchPairs }, 2,
		"--openings=builtin-64 --nodes=9 --design=knockout"},
	{"tiebreaks", "--tiebreaks=7", func(s seen) any { return s.Design.Tournament.Tiebreaks }, 7,
		"--openings=builtin-64 --nodes=9 --design=knockout"},
	{"third-place", "--third-place", func(s seen) any { return s.Design.Tournament.ThirdPlace }, true,
		"--openings=builtin-64 --nodes=9 --design=knockout"},
	{"seeding", "--seeding=lot", func(s seen) any { return s.Design.Tournament.Lot }, true,
		"--openings=builtin-64 --nodes=9 --design=knockout"},
	{"block", "--block=17", func(s seen) any { return s.Design.Tournament.Block }, 17,
		"--openings=builtin-64 --nodes=9 --design=adaptive --games=100"},
	{"anchor", "--anchor=B", func(s seen) any { return s.Design.Anchor }, "B", ""},
	{"swap", "--no-swap", func(s seen) any { return s.Design.Swap }, false, ""},
	{"seed", "--seed=9", func(s seen) any { return s.Seed }, uint64(9), ""},
	{"concurrency", "--concurrency=3", func(s seen) any { return s.Concurrency }, 3, ""},
	{"start-parallel", "--start-parallel=5", func(s seen) any { return s.StartParallel }, 5, ""},
	{"slots-per-gpu", "--slots-per-gpu=6", func(s seen) any { return s.SlotsPerGPU }, 6, ""},
	{"cpus", "--cpus=auto", func(s seen) any { return s.CPUs }, "auto", ""},
	{"cores-per-slot", "--cores-per-slot=2", func(s seen) any { return s.CoresPerSlot }, 2, commonLine + " --cpus=auto"},
	{"openings", "--openings=builtin-1000", func(s seen) any { return len(s.Openings) }, 1000, ""},
	{"opening-plies", "--opening-plies=3", func(s seen) any { return len(s.Openings[0].Moves) }, 3, commonLine},
	{"handicap", "--handicap=two-piece", func(s seen) any { return s.Openings[0].ID }, "two-piece", "--games=2 --nodes=9"},
	{"rules", "--rules=floodgate", func(s seen) any { return s.Rules.Name }, "floodgate", commonLine},
	{"max-plies", "--max-plies=99", func(s seen) any { return s.Rules.MaxPlies }, 99, ""},
	{"resign", "--resign=2000x3", func(s seen) any { return s.Adjudication.ResignScore }, 2000, ""},
	{"draw", "--draw=10x8@40", func(s seen) any { return s.Adjudication.DrawFrom }, 40, ""},
	{"mate", "--mate=builtin", func(s seen) any { return s.Mate.Solver != nil }, true, ""},
	{"sprt", "--sprt=1,5", func(s seen) any { return s.Gate.Elo1 }, 5.0, ""},
	{"ponder", "--ponder=standard", func(s seen) any { return s.Ponder }, match.PonderStandard, commonLine},
	{"slowed", "--slowed=void", func(s seen) any { return s.Slowed }, match.PolicyVoid, ""},
	{"durable", "--durable", func(s seen) any { return s.durable }, true, ""},
	{"pv-plies", "--pv-plies=5", func(s seen) any { return s.PVPlies }, 5, ""},
	{"transcript", "--transcript", func(s seen) any { return s.transcript }, true, ""},

	{"engine", "--engine=C=builtin", func(s seen) any { return len(s.Players) }, 3,
		"--games=6 --openings=builtin-64 --nodes=9 --design=round_robin"},
	{"council", "--council=C=majority:A,B", func(s seen) any { return len(s.Councils()) }, 1,
		"--games=2 --openings=builtin-64 --nodes=9 --engine=D=builtin"},
	{"option", "--option=B.USI_Hash=7", func(s seen) any { return fmt.Sprint(playerB(s).Options) }, "[{USI_Hash 7}]", ""},
	{"profile", "--profile=yaneuraou", func(s seen) any { return playerB(s).Profile }, "yaneuraou", ""},
	{"quit-timeout", "--quit-timeout=7s", func(s seen) any { return playerB(s).Quit }, 7 * time.Second, ""},
	{"restart", "--restart=game", func(s seen) any { return playerB(s).Restart }, match.RestartGame, ""},

	{"tc", "--tc=B=8+0.08", func(s seen) any { return playerB(s).Limits.Clock.Main }, 8 * time.Second, commonLine},
	{"main", "--main=B=5m", func(s seen) any { return playerB(s).Limits.Clock.Main }, 5 * time.Minute, ""},
	{"byoyomi", "--byoyomi=B=3s", func(s seen) any { return playerB(s).Limits.Clock.Byoyomi }, 3 * time.Second,
		commonLine},
	{"increment", "--increment=B=2s", func(s seen) any { return playerB(s).Limits.Clock.Increment }, 2 * time.Second, ""},
	{"movetime", "--movetime=A=1s", func(s seen) any { return s.Players[len(s.Players)-1].Limits.MoveTime }, time.Second,
		"--games=2 --openings=builtin-64 --players=B,A --nodes=B=9"},
	{"nodes", "--nodes=B=77", func(s seen) any { return playerB(s).Limits.Nodes }, uint64(77), ""},
	{"depth", "--depth=B=4", func(s seen) any { return playerB(s).Limits.Depth }, 4, ""},
	{"self", "--self", func(s seen) any { return playerB(s).Limits.Self }, true, "--games=2 --openings=builtin-64"},
	{"margin", "--margin=2s", func(s seen) any { return playerB(s).Limits.Margin }, 2 * time.Second, ""},
	{"stall", "--stall=3s", func(s seen) any { return playerB(s).Limits.Stall }, 3 * time.Second, ""},
}

func playerB(s seen) *match.Player {
	return &s.Players[slices.IndexFunc(s.Players, func(p match.Player) bool { return p.Name == "B" })]
}

// parsed parses a command line with the grammar of its command, as gogi does, and returns the command.
func parsed[C any](t *testing.T, verb string, args []string) *C {
	t.Helper()
	grammar, _ := gogiProgram().GrammarFor(args)
	parser := testutil.Must(gogiProgram().Parser(t.Context(), grammar,
		&cli.Env{Out: new(bytes.Buffer), Err: new(bytes.Buffer)}, false))(t)
	testutil.OK(t, testutil.Err(parser.Parse(args)), "%q", args)
	return reflect.ValueOf(grammar).Elem().FieldByName(verb).Addr().Interface().(*C)
}

// planned returns the settings that gogi match makes of a line.
func planned(t *testing.T, line ...string) (seen, error) {
	t.Helper()
	c := parsed[matchCommand](t, "Match", line)
	plan, _, err := c.plan(nil)
	return seen{plan, c.transcript, c.durable}, err
}

// writtenBy returns the settings of the file that gogi init writes for the same flags.
func writtenBy(t *testing.T, line ...string) (seen, error) {
	t.Helper()
	c := parsed[initCommand](t, "Init", slices.Concat([]string{"init"}, line[1:]))
	text, _, err := c.text()
	if err != nil {
		return seen{}, err
	}
	file := filepath.Join(t.TempDir(), "default.toml")
	testutil.OK(t, os.WriteFile(file, text, 0o600))
	return planned(t, "match", file)
}

// TestEveryFlagOfPlans: each flag of a match changes its setting, alone and together with other flags. A flag of gogi
// init changes the same setting in the written file.
func TestEveryFlagOfPlans(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	together := []string{"match", "--engine=A=builtin", "--engine=B=builtin"}
	together = append(together, strings.Fields(commonLine)...)
	for _, f := range flagsOfPlans {
		known[f.name] = true
		line := slices.Concat(together[:3:3], strings.Fields(f.with))
		if f.with == "" {
			line = slices.Concat(line, strings.Fields(commonLine))
			together = append(together, f.line)
		}
		if s, err := planned(t, line...); err == nil && reflect.DeepEqual(f.got(s), f.want) {
			t.Errorf("%s: %v is no change", f.line, f.want)
		}
		for how, make := range map[string]func(*testing.T, ...string) (seen, error){"match": planned, "init": writtenBy} {
			if s, err := make(t, append(line, f.line)...); err != nil || !reflect.DeepEqual(f.got(s), f.want) {
				t.Errorf("%s %s: %v, %v; want %v", how, f.line, s, err, f.want)
			}
		}
	}
	all := testutil.Must(planned(t, together...))(t)
	for _, f := range flagsOfPlans {
		if f.with == "" && !reflect.DeepEqual(f.got(all), f.want) {
			t.Errorf("%s with all others: %v, want %v", f.line, f.got(all), f.want)
		}
	}
	for i := range reflect.TypeFor[configs.Flags]().NumField() {
		name := reflect.TypeFor[configs.Flags]().Field(i).Tag.Get("name")
		testutil.Check(t, known[name], "--%s is not tested here", name)
	}
}
