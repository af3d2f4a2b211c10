package results

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"gogi/match"
)

func dumpText(t *testing.T, s *Store, name string, stable bool) string {
	t.Helper()
	var b strings.Builder
	if err := s.Dump(t.Context(), &b, name, stable); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// The same games in another order, at other times, in other slots, under another
// name and from other paths.
func TestDumpStable(t *testing.T) {
	one, two := openTest(t, testPath(t)), openTest(t, testPath(t))
	planOne, planTwo := testPlan("one"), testPlan("two")
	planTwo.Concurrency, planTwo.Pairs, planTwo.Rules.Name, planTwo.Players[0].Dir = 8, 999, "custom", "/elsewhere"
	planTwo.Players[0].Command[0], planTwo.Players[0].Identity.Files[0].Path = "/elsewhere/a", "/elsewhere/a"
	runOne, runTwo := beginTest(t, one, planOne), beginTest(t, two, planTwo)
	const pairs = 12
	for i := range pairs {
		put(t, runOne, playedPair(planOne, i, 40))
		p := playedPair(planTwo, (i*5+3)%pairs, 40)
		p.Attempts = []match.Attempt{{Pair: p.Pair.ID, Why: "slow"}}
		for leg := range p.Games {
			shift(&p.Games[leg])
		}
		put(t, runTwo, p)
	}
	a, b := dumpText(t, one, "one", true), dumpText(t, two, "two", true)
	if a != b {
		t.Errorf("stable dumps differ:\n%.2000s\n%.2000s", a, b)
	}
	if dumpText(t, one, "one", false) == dumpText(t, two, "two", false) {
		t.Error("full dumps do not differ")
	}
	for _, word := range []string{`"us"`, "slot", "started", "/engines/a", "marked", `"one"`, "exit status", "created", `"pairs"`, "detail"} {
		if strings.Contains(a, word) {
			t.Errorf("the stable dump holds %s", word)
		}
	}
	for _, word := range []string{`"score":`, `"depth":`, `"nodes":`, `"pv":`, `"sides":`, `"opening_plies":2`} {
		if !strings.Contains(a, word) {
			t.Errorf("the stable dump lacks %s", word)
		}
	}
	changed := playedPair(planTwo, pairs, 40)
	changed.Games[1].Record.Moves[20].Nodes++
	put(t, runOne, playedPair(planOne, pairs, 40))
	put(t, runTwo, changed)
	if dumpText(t, one, "one", true) == dumpText(t, two, "two", true) {
		t.Error("one node more goes unnoticed")
	}
}

// shift changes everything that a stable dump leaves out.
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
	s := openTest(t, testPath(t))
	plan := testPlan("r")
	run := beginTest(t, s, plan)
	id := 0
	for plan.Pair(id).Opening.ID != "1" {
		id++
	}
	p := playedPair(plan, id, 3)
	p.Attempts = []match.Attempt{{Pair: id, Ended: time.UnixMicro(5).UTC(), Why: "slow"}}
	p.Games[0].Record.Moves[2].Detail = []byte{0xff}
	put(t, run, p)
	lines := strings.Split(strings.TrimSuffix(dumpText(t, s, "r", false), "\n"), "\n")
	want := []string{"run", "engine", "engine", "attempt", "game", "game"}
	if len(lines) != len(want) {
		t.Fatalf("%d lines: %s", len(lines), lines)
	}
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
		if !strings.Contains(lines[line], word) {
			t.Errorf("line %d lacks %s: %s", line, word, lines[line])
		}
	}
	if !strings.Contains(lines[4], `"detail":"/w=="`) {
		t.Errorf("no detail: %s", lines[4])
	}
	var none *NoRun
	if err := s.Dump(t.Context(), &strings.Builder{}, "x", true); !errors.As(err, &none) {
		t.Errorf("no such run: %v", err)
	}
}
