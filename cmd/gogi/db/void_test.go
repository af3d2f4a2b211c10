package dbcmd

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gogi/cmd/gogi/cli"
	"gogi/internal/fail"
	"gogi/internal/testutil"
	"gogi/match"
	"gogi/match/matchtest"
	"gogi/results"
	"gogi/shogi"
)

// storedRun returns a database with four pairs of a run. A worker has played two of them.
func storedRun(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "gogi.db")
	store := testutil.Must(results.Open(t.Context(), path))(t)
	player := func(name string) match.Player {
		return match.Player{Name: name, Command: []string{"/gogi"}, Builtin: true, Limits: match.Limits{Nodes: 1},
			Identity: match.Identity{Fixed: name}}
	}
	plan := &match.Plan{
		Run: "r", Players: []match.Player{player("A"), player("B")},
		Design: match.Design{Kind: match.DesignMatch, Swap: true},
		Rules:  match.RulesProfiles()["default"], Openings: []match.Opening{{ID: "1", Start: "startpos"}}, Pairs: 10,
	}
	run := testutil.Must(store.Begin(t.Context(), plan))(t)
	for id := range 4 {
		p := matchtest.Resigned(plan, id, shogi.White, time.Now())
		if id%2 == 1 {
			p.Played = match.Provenance{Worker: "attic", Owner: "o"}
		}
		testutil.Must(run.Add(t.Context(), p))(t)
	}
	testutil.OK(t, errors.Join(run.Close(), store.Close()))
	return path
}

func TestVoid(t *testing.T) {
	t.Parallel()
	db := storedRun(t)
	run := func(c VoidCommand) (string, error) {
		t.Helper()
		var out strings.Builder
		c.Name, c.DB = "r", db
		err := c.Run(t.Context(), &cli.Env{Out: &out})
		return out.String(), err
	}
	for want, c := range map[string]VoidCommand{
		"never by their results": {Why: "w", By: "me"}, "--why TEXT": {Worker: "attic", By: "me"},
		"--by NAME": {Worker: "attic", Why: "w"}, "--pairs": {Pairs: "x", Why: "w", By: "me"},
	} {
		if _, err := run(c); err == nil || !fail.IsUsage(err) || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want a usage error with %q", c, err, want)
		}
	}
	testutil.Fails(t, testutil.Err(run(VoidCommand{Worker: "cellar", Why: "w", By: "me"})), "none is voided",
		"a worker that has played nothing")
	c := VoidCommand{Worker: "attic", Why: "slow", By: "me", DryRun: true}
	for range 2 { // a dry run changes nothing
		if out, err := run(c); err != nil || !strings.HasPrefix(out, "2 pairs of run r would be voided\n  pairs 1, 3\n") {
			t.Errorf("%q, %v", out, err)
		}
	}
	c.DryRun, c.JSON, c.Pairs = false, true, "2-9"
	out, err := run(c)
	var got struct {
		Pairs   []int
		Remarks []string
	}
	if err = errors.Join(err, json.Unmarshal([]byte(out), &got)); err != nil || len(got.Pairs) != 1 || got.Pairs[0] != 3 ||
		len(got.Remarks) > 0 {
		t.Errorf("%s, %v", out, err)
	}
	store := testutil.Must(results.OpenExisting(t.Context(), db))(t)
	defer store.Close()
	if list, err := store.Voided(t.Context(), 1); err != nil || len(list) != 1 || list[0].Pair != 3 ||
		list[0].By != "me" || list[0].Why != "slow" {
		t.Errorf("%+v, %v", list, err)
	}
	missing := VoidCommand{Name: "s", DB: db, Pairs: "1", Why: "w", By: "me"}
	testutil.Fails(t, missing.Run(t.Context(), &cli.Env{Out: &strings.Builder{}}), `no run is named "s"`, "no such run")
	missing.DB = db + "x"
	testutil.Fails(t, missing.Run(t.Context(), &cli.Env{Out: &strings.Builder{}}), "not found. Run", "no such file")
}
