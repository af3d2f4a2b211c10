package runner_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/runner"
	"gogi/usi"
)

// bound is a player that records the CPUs for which it was opened.
type bound struct {
	fake
	cpus   []int
	stray  string
	ended  bool    // whether a game of it has ended
	looks  *[]bool // one for each check of its CPUs: whether a game had ended
	begins func(p *bound)
}

func (b *bound) NewGame(context.Context, usi.Game) error {
	if b.begins != nil {
		b.begins(b)
	}
	return nil
}

func (b *bound) GameOver(context.Context, usi.Outcome) error {
	b.ended = true
	return nil
}

func (b *bound) AffinityChanged() string {
	*b.looks = append(*b.looks, b.ended)
	return b.stray
}

// openedOn runs a round robin of three players in one slot that keeps all of them open. It returns the CPUs on which
// each player is opened and begins each game.
func openedOn(t *testing.T, sets [2][]int, restarts ...match.Restart) (opened string, games []string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		plan := testPlan(6, 1, fixedNodes)
		plan.Design.Kind = match.DesignRoundRobin
		plan.Players = append(plan.Players, match.Player{Name: "C", Limits: fixedNodes})
		for i, r := range restarts {
			plan.Players[i].Restart = r
		}
		var mu sync.Mutex
		var names []string
		begins := func(p *bound) {
			mu.Lock()
			defer mu.Unlock()
			games = append(games, fmt.Sprint(p.name, p.cpus))
		}
		_, err := playConfig(t.Context(), runner.Config{
			Plan: plan,
			CPUs: [][2][]int{sets}, OpenPerSlot: 3,
			Open: func(_ context.Context, p match.Player, cpus []int) (runner.Player, error) {
				mu.Lock()
				defer mu.Unlock()
				names = append(names, fmt.Sprint(p.Name, cpus))
				return &bound{fake: fake{name: p.Name}, cpus: cpus, looks: new([]bool), begins: begins}, nil
			},
		})
		testutil.Check(t, err == nil, "%v", err)
		slices.Sort(names)
		opened = strings.Join(names, " ")
	})
	return opened, games
}

// TestOpponentsShareASet: with one set no player is restarted for its CPUs.
func TestOpponentsShareASet(t *testing.T) {
	shared := []int{2, 3}
	opened, _ := openedOn(t, [2][]int{shared, shared})
	testutil.Check(t, opened == "A[2 3] B[2 3] C[2 3]", "opened %s", opened)
}

// TestOpponentsHaveSetsOfTheirOwn: with two sets the two opponents of every game have different sets, also
// after each played on one of them against another player.
func TestOpponentsHaveSetsOfTheirOwn(t *testing.T) {
	opened, games := openedOn(t, [2][]int{{2}, {3}})
	if len(games) != 24 { // 6 pairs of 2 games of 2 players
		t.Fatalf("%d players began games: %v", len(games), games)
	}
	for i := 0; i < len(games); i += 2 {
		if games[i][1:] == games[i+1][1:] {
			t.Errorf("game %d: %s against %s", i/2, games[i], games[i+1])
		}
	}
	// A and B play on 2 and 3, and so do A and C. B and C would then both be on 3.
	testutil.Check(t, strings.HasPrefix(opened, "A[2] ") && strings.Contains(opened, "C[2]") &&
		strings.Contains(opened, "C[3]"),
		"opened %s", opened)
}

// TestSidesOfRestartedPlayers: a restarted player gets the set that its opponent does not have, independent of
// the colours. If both are restarted, the sets do not depend on the colours.
func TestSidesOfRestartedPlayers(t *testing.T) {
	for _, r := range [][]match.Restart{{match.RestartGame}, {match.RestartNever, match.RestartGame},
		{match.RestartGame, match.RestartGame, match.RestartGame}} {
		opened, games := openedOn(t, [2][]int{{2}, {3}}, r...)
		for i := 0; i+1 < len(games); i += 2 {
			if games[i][1:] == games[i+1][1:] {
				t.Errorf("%s, game %d: %s against %s", r, i/2, games[i], games[i+1])
			}
		}
		testutil.Check(t, len(r) != 3 || !strings.Contains(opened, "A[3]") && !strings.Contains(opened, "C[2]"),
			"%s: opened %s", r, opened)
	}
}

// TestSlotsHaveCPUsOfTheirOwn: each slot opens players on its own CPUs. A slot beyond the list uses any CPUs.
func TestSlotsHaveCPUsOfTheirOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		plan := testPlan(12, 3, fixedNodes)
		plan.Players[0].Env = []string{"{slot}"}
		var mu sync.Mutex
		got := map[string]string{}
		_, err := playConfig(t.Context(), runner.Config{
			Plan: plan,
			CPUs: [][2][]int{{{4, 12}, {4, 12}}, {{5, 13}, {5, 13}}},
			Open: func(_ context.Context, p match.Player, cpus []int) (runner.Player, error) {
				mu.Lock()
				defer mu.Unlock()
				if p.Name == "A" {
					got[p.Env[0]] = fmt.Sprint(cpus)
				}
				return &fake{name: p.Name}, nil
			},
		})
		testutil.Check(t, err == nil && len(got) == 3 && got["0"] == "[4 12]" && got["1"] == "[5 13]" && got["2"] == "[]",
			"%v, opened on %v", err, got)
	})
}

// TestStraysAreReportedOnce: a player that binds itself to other CPUs is reported once a run. Each process is
// checked once, after a game, and only if it has a set.
func TestStraysAreReportedOnce(t *testing.T) {
	for name, sets := range map[string][][2][]int{"bound": {{{1}, {1}}, {{2}, {2}}}, "unbound": nil} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				plan := testPlan(8, 2, fixedNodes)
				plan.Players[1].Restart = match.RestartPair
				events := runner.NewEvents("test", false)
				var told []string
				done := make(chan struct{})
				go func() {
					defer close(done)
					for e := range events.Stream() {
						if e.Type == match.EventFault {
							told = append(told, e.Engine+" "+e.Kind+" "+e.Note)
						}
					}
				}()
				var mu sync.Mutex
				var looks []*[]bool
				_, err := playConfig(t.Context(), runner.Config{
					Plan: plan,
					CPUs: sets, Events: events,
					Open: func(_ context.Context, p match.Player, cpus []int) (runner.Player, error) {
						mu.Lock()
						defer mu.Unlock()
						b := &bound{fake: fake{name: p.Name}, cpus: cpus, looks: new([]bool)}
						if p.Name == "B" {
							b.stray = "elsewhere"
						}
						looks = append(looks, b.looks)
						return b, nil
					},
				})
				events.Close()
				<-done
				want := "B affinity elsewhere"
				if sets == nil {
					want = ""
				}
				got := strings.Join(told, "\n")
				testutil.Check(t, err == nil && got == want, "%v, told %q, want %q", err, got, want)
				each := []bool{true}
				if sets == nil {
					each = nil
				}
				for _, l := range looks {
					testutil.Slices(t, *l, each, "a player was looked at (after a game?)")
				}
			})
		})
	}
}
