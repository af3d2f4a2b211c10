package dump_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/match/matchtest"
	"gogi/results"
	"gogi/results/dump"
	"gogi/results/resultstest"
	"gogi/results/tables"
	"gogi/shogi"
)

// TestDumpStable: the stable dump is equal for the same games in another order, at other times, in other slots, under
// another name and from other paths.
func TestDumpStable(t *testing.T) {
	one, two := resultstest.Open(t, resultstest.Path(t)), resultstest.Open(t, resultstest.Path(t))
	planOne, planTwo := matchtest.Plan("one"), matchtest.Plan("two")
	planTwo.Concurrency, planTwo.Pairs, planTwo.Rules.Name, planTwo.Players[0].Dir = 8, 999, "custom", "/elsewhere"
	planTwo.Players[0].Command[0], planTwo.Players[0].Identity.Files[0].Path = "/elsewhere/a", "/elsewhere/a"
	runOne, runTwo := resultstest.Begin(t, one, planOne), resultstest.Begin(t, two, planTwo)
	const pairs = 12
	for i := range pairs {
		matchtest.Put(t, runOne, matchtest.Pair(planOne, i, 40))
		p := matchtest.Pair(planTwo, (i*5+3)%pairs, 40)
		p.Attempts = []match.Attempt{{Pair: p.Pair.ID, Why: "slow"}}
		for leg := range p.Games {
			shift(&p.Games[leg])
		}
		matchtest.Put(t, runTwo, p)
	}
	a, b := resultstest.Dump(t, one, "one", true), resultstest.Dump(t, two, "two", true)
	testutil.Equal(t, a, b, "stable dumps differ")
	testutil.Check(t, resultstest.Dump(t, one, "one", false) != resultstest.Dump(t, two, "two", false),
		"full dumps do not differ")
	for _, word := range []string{`"us"`, "slot", "started", "/engines/a", "marked", `"one"`, "exit status", "created",
		`"pairs"`, "detail"} {
		testutil.Check(t, !strings.Contains(a, word), "the stable dump holds %s", word)
	}
	for _, word := range []string{`"score":`, `"depth":`, `"nodes":`, `"pv":`, `"sides":`, `"opening_plies":2`} {
		testutil.Contains(t, a, word, "the stable dump lacks")
	}
	changed := matchtest.Pair(planTwo, pairs, 40)
	changed.Games[1].Record.Moves[20].Nodes++
	matchtest.Put(t, runOne, matchtest.Pair(planOne, pairs, 40))
	matchtest.Put(t, runTwo, changed)
	testutil.Check(t, resultstest.Dump(t, one, "one", true) != resultstest.Dump(t, two, "two", true),
		"one node more goes unnoticed")
}

// shift changes all data that a stable dump omits.
func shift(g *match.Result) {
	g.Slot, g.Marked = g.Slot+1, !g.Marked
	g.Started, g.Ended = g.Started.Add(time.Hour), g.Ended.Add(time.Hour)
	if g.Termination == match.Crash {
		g.Note = "exit status 2, process 77"
	}
	for c := range g.Sides {
		g.Sides[c].Time += time.Second
		g.Sides[c].WorstOverrun += time.Second
	}
	for i := range g.Record.Moves {
		g.Record.Moves[i].Time += time.Millisecond
		g.Record.Moves[i].Detail = []byte("votes in 3 ms")
	}
}

func TestDump(t *testing.T) {
	s, plan, run := resultstest.Begun(t)
	id := 0
	for plan.Pair(id).Opening.ID != "1" {
		id++
	}
	p := matchtest.Pair(plan, id, 3)
	p.Attempts = []match.Attempt{{Pair: id, Ended: time.UnixMicro(5).UTC(), Why: "slow"}}
	p.Games[0].Record.Moves[2].Detail = []byte{0xff}
	matchtest.Put(t, run, p)
	lines := strings.Split(strings.TrimSuffix(resultstest.Dump(t, s, "r", false), "\n"), "\n")
	want := []string{"run", "engine", "engine", "attempt", "game", "game"}
	testutil.Require(t, len(lines) == len(want), "%d lines: %s", len(lines), lines)
	for i, line := range lines {
		var object map[string]any
		if err := json.Unmarshal([]byte(line), &object); err != nil || object["type"] != want[i] {
			t.Errorf("line %d: %v: %s", i, err, line)
		}
	}
	for line, word := range map[int]string{
		0: `"name":"r"`, 1: `"command":["/engines/a","--flag"]`, 3: `"ended":"1970-01-01T00:00:00.000005Z"`,
		4: `{"move":"7g7f","opening":true,"us":0}`, 5: `"started":"` + p.Games[1].Started.Format(time.RFC3339Nano) + `"`,
	} {
		testutil.Contains(t, lines[line], word, "line %d lacks", line)
	}
	testutil.Contains(t, lines[4], `"detail":"/w=="`, "no detail")
	var none *results.NoRun
	if err := dump.Write(t.Context(), s, &strings.Builder{}, "x", true); !errors.As(err, &none) {
		t.Errorf("no such run: %v", err)
	}
}

// TestDumpWithoutMoves: a game without moves has an empty list, whether it is the first game of the dump or not.
func TestDumpWithoutMoves(t *testing.T) {
	s, plan, run := resultstest.Begun(t)
	for id := range 2 {
		matchtest.Put(t, run, matchtest.Resigned(plan, id, shogi.Black, time.Unix(1, 0)))
	}
	matchtest.Put(t, run, matchtest.Pair(plan, 2, 3))
	matchtest.Put(t, run, matchtest.Resigned(plan, 3, shogi.White, time.Unix(1, 0)))
	text := resultstest.Dump(t, s, "r", true)
	testutil.Equal(t, strings.Count(text, `"moves":[]`), 6, "games without moves")
	testutil.Check(t, !strings.Contains(text, `"moves":null`), "%s", text)
}

// TestDamagedPoints: a dump, or a sum, of a pair with damaged tune options returns an error. A sum of the other pairs
// does not.
func TestDamagedPoints(t *testing.T) {
	path, _ := resultstest.Tuned(t, 6)
	resultstest.Exec(t, path, `UPDATE pairs SET options = replace(options, 'X', 'Y') WHERE pair = 5`)
	s := resultstest.Existing(t, path)
	err := dump.Write(t.Context(), s, &strings.Builder{}, "r", true)
	_, damaged := errors.AsType[*tables.Damaged](err)
	testutil.Check(t, damaged && strings.Contains(err.Error(), `run "r", pair 5`), "the dump: %v", err)
	if _, _, err := dump.StableSum(t.Context(), s, 1, 5, 6); err == nil {
		t.Error("its sum is told")
	}
	if _, pairs, err := dump.StableSum(t.Context(), s, 1, 0, 5); pairs != 5 || err != nil {
		t.Errorf("the sum of the others: %d pairs, %v", pairs, err)
	}
}
