package trust

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/shogi"
	"gogi/shogi/kifu"
	"gogi/stats/binomial"
)

// TestAccused: Accused follows the definition of e-BH. With K = 4 and α = 0.1, the k-th largest e-value must be at
// least 40/k.
func TestAccused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		e    [4]float64
		want string
	}{
		{[4]float64{1, 39, 19, 12}, ""},
		{[4]float64{1, 41, 19, 12}, "b"},
		{[4]float64{1, 39, 20.1, 12}, "bc"},  // two at once: 39 ≥ 20 too
		{[4]float64{1, 15, 14, 13.4}, "bcd"}, // three at 40/3
		{[4]float64{10.1, 15, 14, 11}, "bcda"},
		{[4]float64{0, 0, 0, 0}, ""},
	} {
		var all []Evidence
		for i, e := range c.e {
			all = append(all, Evidence{Worker: string(rune('a' + i)), LogE: math.Log(e)})
		}
		got := ""
		for _, e := range Accused(all, 0.1) {
			got += e.Worker
		}
		testutil.Equal(t, got, c.want, "%v: accused", c.e)
	}
	testutil.Check(t, Accused(nil, 0.1) == nil, "nobody was accused of nothing")
}

// TestAttribute: a worker that differs in all tests has the cause Machine. Workers of several owners that differ in one
// test have the cause Patch.
func TestAttribute(t *testing.T) {
	t.Parallel()
	var cells []Cell
	for w := range 20 {
		for test := range 4 {
			c := Cell{Worker: fmt.Sprintf("w%02d", w), Owner: fmt.Sprintf("o%d", w/2), Test: fmt.Sprintf("t%d", test),
				LogE: -0.5}
			switch {
			case w == 0:
				c.LogE = 6 // a little in each test
			case w == 1 && test == 1:
				c.LogE = 30 // in one test, as the only worker
			case test == 3 && w >= 10 && w%2 == 0:
				c.LogE = 12
			case test == 2 && (w == 4 || w == 5): // two workers of one owner
				c.LogE = 20
			}
			cells = append(cells, c)
		}
	}
	want := map[string]Cause{"w00": Machine, "w01": Unknown, "w04": Unknown, "w05": Unknown, "w10": Patch, "w12": Patch,
		"w14": Patch, "w16": Patch, "w18": Patch}
	got := Attribute(cells, Alpha)
	for _, a := range got {
		testutil.Equal(t, a.Cause, want[a.Worker], "%+v", a)
		testutil.Check(t, a.Worker != "w10" || a.Test == "t3" && math.Abs(a.LogE-10.5) <= 1e-9, "%+v", a)
	}
	testutil.Equal(t, len(got), len(want), "accused")
}

// TestSeveralOwners: if workers of three owners differ in one test, the cause is Patch. Two owners are not enough.
func TestSeveralOwners(t *testing.T) {
	t.Parallel()
	for owners, want := range map[int]Cause{1: Unknown, 2: Unknown, 3: Patch, 4: Patch} {
		var cells []Cell
		for w := range 8 {
			for _, test := range []string{"a", "b"} {
				c := Cell{Worker: fmt.Sprint("w", w), Owner: fmt.Sprint("o", w), Test: test, LogE: -0.5}
				if test == "b" && w < owners {
					c.LogE = 20
				}
				cells = append(cells, c)
			}
		}
		got := Attribute(cells, Alpha)
		testutil.Equal(t, len(got), owners, "accused")
		for _, a := range got {
			testutil.Check(t, a.Cause == want && a.Test == "b", "%d owners: %+v, want %q", owners, a, want)
		}
	}
}

// TestExact: games are repeated move for move only if no player, and no member of a council, has a clock or threads.
func TestExact(t *testing.T) {
	t.Parallel()
	nodes := match.Limits{Nodes: 100}
	timed := match.Limits{MoveTime: time.Second}
	engine := func(limits match.Limits, threads string) match.Player {
		return match.Player{Limits: limits, Options: []match.Option{{Name: "threads", Value: threads}}}
	}
	council := func(own bool, member match.Limits) match.Player {
		return match.Player{Limits: nodes, Council: &match.Council{
			Members: []match.Player{{Builtin: true}, {Builtin: true, Limits: member}}, Own: []bool{false, own},
		}}
	}
	for name, c := range map[string]struct {
		player match.Player
		ponder match.PonderMode
		want   bool
	}{
		"nodes":                         {player: engine(nodes, "1"), want: true},
		"depth":                         {player: engine(match.Limits{Depth: 3}, "1"), want: true},
		"two threads":                   {player: engine(nodes, "2")},
		"nothing known of threads":      {player: match.Player{Limits: nodes}},
		"the built-in engine":           {player: match.Player{Limits: nodes, Builtin: true}, want: true},
		"no limit":                      {player: engine(match.Limits{}, "1")},
		"a clock":                       {player: engine(timed, "1")},
		"pondering":                     {player: engine(nodes, "1"), ponder: "opponent"},
		"no pondering":                  {player: engine(nodes, "1"), ponder: match.PonderOff, want: true},
		"a council":                     {player: council(true, match.Limits{Nodes: 9}), want: true},
		"a council with a timed member": {player: council(true, timed)},
		"a member's unused clock":       {player: council(false, timed), want: true},
	} {
		p := &match.Plan{Players: []match.Player{engine(nodes, "1"), c.player}, Ponder: c.ponder}
		testutil.Equal(t, Exact(p), c.want, "%s", name)
	}
}

// TestOneThread: an engine uses one thread by the option of the plan, by its own default, or because it has no such
// option. The reason for another engine has the remedy.
func TestOneThread(t *testing.T) {
	t.Parallel()
	engine := func(options, effect []match.Option) match.Player {
		return match.Player{Name: "dev", Limits: match.Limits{Nodes: 100}, Options: options, Effect: effect}
	}
	threads := func(name, value string) []match.Option { return []match.Option{{Name: name, Value: value}} }
	for name, c := range map[string]struct {
		player match.Player
		want   bool
		asked  []string // engines whose default the coordinator must be told
	}{
		"by the plan":       {engine(threads("USI_Threads", "1"), nil), true, nil},
		"by default":        {engine(nil, threads("Threads", "1")), true, []string{"dev"}},
		"no such option":    {engine(nil, threads("USI_Hash", "64")), true, []string{"dev"}},
		"four by default":   {engine(nil, threads("Thread", "4")), false, nil},
		"four by the plan":  {engine(threads("Threads", "4"), threads("Threads", "1")), false, nil},
		"unknown":           {engine(nil, nil), false, nil},
		"it has no options": {engine(nil, []match.Option{}), true, []string{"dev"}},
	} {
		p := &match.Plan{Players: []match.Player{c.player}}
		testutil.Equal(t, Exact(p), c.want, "%s", name)
		testutil.Slices(t, OneThread(p), c.asked, "%s: engines to name", name)
		if c.want {
			p.Players[0].Effect = nil
			testutil.Check(t, Exact(WithOneThread(p, c.asked)), "%s: the coordinator does not know it", name)
		}
	}
	base := engine(nil, nil)
	base.Name = "base"
	testutil.Equal(t, Inexact(&match.Plan{Players: []match.Player{engine(nil, nil), base}}),
		"dev and base may use several threads; add --option dev.Threads=1 --option base.Threads=1")
	testutil.Equal(t, Inexact(&match.Plan{Players: []match.Player{engine(threads("Threads", "1"), nil), base}}),
		"base may use several threads; add --option base.Threads=1")
	timed := match.Player{Name: "base", Limits: match.Limits{MoveTime: time.Second}}
	testutil.Contains(t, Inexact(&match.Plan{Players: []match.Player{timed}}),
		"base may not repeat moves with a time limit")
}

// TestDraw: the draws equal those of Python's hmac and hashlib.
func TestDraw(t *testing.T) {
	t.Parallel()
	a := Auditor{Secret: []byte("secret")}
	for _, c := range []struct {
		run  string
		pair int
		want float64
	}{{"4c1d", 0, 0.5232441033243891}, {"4c1d", 1, 0.25961056781399083}, {"4c1d", 12, 0.9989844099004913},
		{"r", 7, 0.19268607828312667}} {
		testutil.Equal(t, a.draw(c.run, c.pair), c.want, "%s|%d", c.run, c.pair)
	}
	testutil.Check(t, a.Audits("r", 7, Untrusted, NewPairs) && !a.Audits("r", 7, Verified, NewPairs) &&
		!a.Audits("4c1d", 1, Untrusted, NewPairs),
		"0.19 is audited of an untrusted worker, and of no other; 0.26 of none")
	testutil.Check(t, a.Audits("4c1d", 12, Owner, NewPairs-1), "the first pairs of a new worker are all audited")
}

func TestShares(t *testing.T) {
	t.Parallel()
	const pairs = 20_000
	a := Auditor{Secret: []byte("another")}
	for level, share := range map[Level]float64{Untrusted: ShareUntrusted, Verified: ShareTrusted, Owner: ShareTrusted} {
		n := 0
		for pair := range pairs {
			if a.Audits("r", pair, level, 1000) {
				n++
			}
		}
		p := binomial.NewBinomial(pairs, share).AtLeast(n)
		testutil.Check(t, p >= 0.0001 && p <= 0.9999, "%s: %d pairs of %d, p = %.2g", level, n, pairs, p)
	}
}

// played returns a pair of games with these moves.
func played(t *testing.T, texts ...string) *match.PairResult {
	t.Helper()
	r := &match.PairResult{}
	for leg, text := range texts {
		g := match.Result{Leg: leg, Slot: leg, Verdict: match.LossFor(shogi.White, match.Resignation, text)}
		for word := range strings.FieldsSeq(text) {
			m := testutil.Must(shogi.ParseMove(word))(t)
			g.Record.Moves = append(g.Record.Moves, kifu.Move{Move: m, Nodes: uint64(len(text))})
		}
		r.Games = append(r.Games, g)
	}
	return r
}

func TestCompare(t *testing.T) {
	t.Parallel()
	a := played(t, "7g7f 3c3d", "2g2f 8c8d 2f2e")
	same := played(t, "7g7f 3c3d", "2g2f 8c8d 2f2e")
	same.Games[0].Marked, same.Games[1].Slot, same.Games[1].Note = true, 9, "another note"
	if d := Compare(a, same); d != nil {
		t.Errorf("the same games: %s", d)
	}
	testutil.Check(t, bytes.Equal(Print(a), Print(same)), "the same games have other hashes")
	ended := played(t, "7g7f 3c3d", "2g2f 8c8d 2f2e")
	ended.Games[1].Verdict = match.LossFor(shogi.Black, match.Resignation, "")
	late := played(t, "7g7f 3c3d", "2g2f 8c8d 2f2e")
	late.Games[1].Termination = match.TimeForfeit
	for want, b := range map[string]*match.PairResult{
		"game 1 of the pair differs from ply 2 on: 3c3d and 8c8d": played(t, "7g7f 8c8d",
			"2g2f 8c8d 2f2e"),
		"game 2 of the pair differs from ply 3 on: it has 3 and 2 plies": played(t, "7g7f 3c3d",
			"2g2f 8c8d"),
		"game 2 of the pair differs from ply 4 on: black (resignation) and white (resignation)":  ended,
		"game 2 of the pair differs from ply 4 on: black (resignation) and black (time_forfeit)": late,
	} {
		if d := Compare(a, b); d == nil || d.String() != want {
			t.Errorf("%v, want %s", d, want)
		}
		testutil.Check(t, !bytes.Equal(Print(a), Print(b)), "equal hashes, but %s", want)
	}
	other := played(t, "7g7f 3c3d", "2g2f 8c8d 2f2e")
	other.Pair.ID = 1
	testutil.Check(t, !bytes.Equal(Print(a), Print(other)), "another pair has the same hash")
	testutil.Check(t, Compare(a, other) != nil && Compare(a, played(t, "7g7f 3c3d")) != nil,
		"another pair, or half a pair, is the same")
}

func TestDrift(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		nps  float64 // the plan has 1,000,000 and the factor is 2
		want Action
	}{{500_000, Nothing}, {545_000, Nothing}, {560_000, Rebench}, {455_000, Nothing}, {450_000, Rebench},
		{640_000, Rebench}, {650_000, Probation}, {380_000, Probation}} {
		d := NewClaims(1e6)
		d.Add("w", math.NaN(), 2)
		d.Add("w", 0, 2)
		for range 58 { // old pairs
			d.Add("w", 100, 2)
		}
		for range driftPairs - 1 {
			d.Add("w", c.nps, 2)
		}
		due := d.Add("w", 1, 2) // one outlier does not change a median
		got, why := d.Action("w")
		testutil.Check(t, got == c.want && due, "%.0f: %q, want %q (%s); due %t", c.nps, got, c.want, why, due)
	}
}

// TestWhy: the reason names the kind, the e-value and the number of pairs.
func TestWhy(t *testing.T) {
	e := Evidence{Worker: "w", Pairs: 400, LogE: 12 * math.Ln10, Kind: Crashes}
	testutil.Equal(t, e.Why(), "its crashes differ from the others: e = 10^12.0 after 400 pairs")
}

func TestPairsOfNobody(t *testing.T) {
	t.Parallel()
	var r Residuals
	for _, p := range []Pair{{}, {Worker: "w", Points: 3}, {Worker: "w", Points: math.NaN()}, {Worker: "w", OnTime: -1},
		{Worker: "w", Ratio: math.Inf(1)}} {
		testutil.Check(t, r.Add(p) != nil, "%+v was taken", p)
	}
	for range blockPairs - 1 {
		testutil.OK(t, r.Add(Pair{Worker: "w", Points: 1}))
	}
	testutil.Equal(t, len(r.Evidence()), 0, "half a block was judged")
	if err := r.Add(Pair{Worker: "w"}); err != nil { // a single worker differs from no other worker
		t.Fatal(err)
	}
	e := r.Evidence()
	testutil.Check(t, len(e) == 1 && e[0].Pairs == blockPairs && math.Abs(e[0].LogE) <= 1e-12, "%+v", e)
}

// TestPairOf: a played pair and a stored pair give the same values. A has Black first and scores a draw and a win, with
// 300 nodes in 3 seconds. B has 2,000 nodes in 4 seconds.
func TestPairOf(t *testing.T) {
	t.Parallel()
	plan := &match.Plan{Rules: match.RulesProfiles()["default"]}
	r := &match.PairResult{Played: match.Provenance{Worker: "w"}}
	r.Pair.Players = [2]int{3, 5}
	r.Games = []match.Result{
		{Players: [2]int{3, 5}, Verdict: match.Verdict{Outcome: match.Draw, Termination: match.MaxPlies},
			Sides: [2]match.Side{{Nodes: 100, Time: time.Second}, {Nodes: 500, Time: time.Second}}, Marked: true},
		{Players: [2]int{5, 3}, Verdict: match.LossFor(shogi.Black, match.TimeForfeit, ""),
			Sides: [2]match.Side{{Nodes: 1500, Time: 3 * time.Second}, {Nodes: 200, Time: 2 * time.Second}}},
	}
	want := Pair{Worker: "w", Points: 1.5, OnTime: 1, Slowed: true, Ratio: 0.2}
	testutil.Equal(t, OfResult(plan, r), want, "played")
	rows := []match.Row{
		{Worker: "w", PairA: "A", PairB: "B", Black: "A", White: "B", Termination: match.MaxPlies,
			Points: [2]float64{0.5, 0.5}, Sides: r.Games[0].Sides, Marked: true},
		{Worker: "w", PairA: "A", PairB: "B", Black: "B", White: "A", Termination: match.TimeForfeit,
			Points: [2]float64{0, 1}, Sides: r.Games[1].Sides},
	}
	testutil.Equal(t, OfRows(rows), want, "stored")
	if got := BaseSpeed(r); got != 500 {
		t.Errorf("B plays %v nodes a second, want 500", got)
	}
	r.Games[0].Termination, r.Games[1].Termination = match.Crash, match.Crash
	r.Games[0].Sides, r.Games[1].Sides = [2]match.Side{}, [2]match.Side{}
	if got := OfResult(plan, r); got.Crashes != 2 || got.OnTime != 0 || got.Ratio != 0 || BaseSpeed(r) != 0 {
		t.Errorf("%+v", got)
	}
}

// TestClaims: the speeds of three workers fit their claims. The workers slow and wrong have one fault each.
func TestClaims(t *testing.T) {
	for name, nps := range map[string]float64{"the base engine is the reference": 1e6, "another one": 0} {
		base := 1e6
		if nps == 0 {
			base = 3.3e5 // the speed of this engine on the plan's machine is unknown
		}
		c := NewClaims(nps)
		for i := range 49 {
			for j, worker := range []string{"a", "b", "c", "slow", "wrong"} {
				scale := 0.5 * float64(1+j)
				speed := base / scale * map[string]float64{"slow": 0.85, "wrong": 1.4}[worker]
				if speed == 0 {
					speed = base / scale * (1 + 0.02*float64(i%5-2))
				}
				testutil.Check(t, !c.Add(worker, speed, scale), "%s: %s is due after %d pairs", name, worker, i+1)
			}
		}
		for j, worker := range []string{"a", "b", "c", "slow", "wrong"} {
			if act, _ := c.Action(worker); act != Nothing {
				t.Errorf("%s: after 49 pairs %s asks for %q", name, worker, act)
			}
			scale := 0.5 * float64(1+j)
			c.Add(worker, base/scale*cmp.Or(map[string]float64{"slow": 0.85, "wrong": 1.4}[worker], 1), scale)
		}
		for worker, want := range map[string]struct {
			act Action
			why string
		}{"a": {Nothing, ""}, "b": {Nothing, ""}, "c": {Nothing, ""}, "slow": {Rebench, "0.85 times"},
			"wrong": {Probation, "1.40 times"}} {
			if act, why := c.Action(worker); act != want.act || !strings.Contains(why, want.why) {
				t.Errorf("%s: %s: %q (%s), expected %q (%s)", name, worker, act, why, want.act, want.why)
			}
		}
		c.Forget("wrong")
		if act, _ := c.Action("wrong"); act != Nothing {
			t.Errorf("%s: it was measured anew, and asks for %q", name, act)
		}
	}
	two := NewClaims(0)
	for range 50 {
		two.Add("a", 1e6, 1)
		two.Add("b", 2e6, 1)
	}
	if act, _ := two.Action("b"); act != Nothing {
		t.Errorf("of two that differ nobody knows which is wrong: %q", act)
	}
}

// TestSample: a sample has a fifth of a worker's pairs, at least 4 and at most 64. A worker without the secret cannot
// predict it. It does not depend on the order. In a large run it has only pairs that gogi audits while the run is
// played.
func TestSample(t *testing.T) {
	t.Parallel()
	a, b := Auditor{Secret: []byte("a")}, Auditor{Secret: []byte("b")}
	for n, want := range map[int]int{0: 0, 3: 3, 4: 4, 10: 4, 21: 5, 100: 20, 1000: 64} {
		pairs := make([]int, n)
		for i := range pairs {
			pairs[i] = 3 * i
		}
		got := a.Sample("r", pairs)
		testutil.Equal(t, len(got), want, fmt.Sprint("of ", n))
		slices.Reverse(pairs)
		if !slices.Equal(a.Sample("r", pairs), got) || n >= 100 &&
			(slices.Equal(b.Sample("r", pairs), got) || slices.Equal(a.Sample("s", pairs), got)) {
			t.Errorf("of %d: %v", n, got)
		}
		for _, pair := range got {
			testutil.Check(t, n != 1000 || a.Audits("r", pair, Untrusted, NewPairs),
				"pair %d is not audited while the run is played", pair)
		}
	}
}

// TestFreshPairsOfAudits: engines start anew for each pair if audits may compare the pair, also if only the owner's
// engine declares one thread. A clock needs no new process, because its games are not compared.
func TestFreshPairsOfAudits(t *testing.T) {
	nodes := match.Player{Name: "n", Command: []string{"n"}, Limits: match.Limits{Nodes: 100}}
	clock := match.Player{Name: "c", Command: []string{"c"}, Limits: match.Limits{MoveTime: time.Second}}
	testutil.Check(t, FreshPairs(&match.Plan{Players: []match.Player{nodes, nodes}}), "nodes")
	testutil.Check(t, !FreshPairs(&match.Plan{Players: []match.Player{nodes, clock}}), "a clock")
	testutil.Check(t, !FreshPairs(&match.Plan{Players: []match.Player{nodes, nodes}, Ponder: match.PonderStandard}),
		"pondering")
	testutil.Check(t, !FreshPairs(&match.Plan{Players: []match.Player{nodes, nodes},
		Design: match.Design{Kind: match.DesignSelfplay}}), "self-play")
	for _, c := range []struct {
		restart match.Restart
		builtin bool
		want    bool
	}{{match.RestartNever, false, true}, {match.RestartPair, false, false}, {match.RestartGame, false, false},
		{match.RestartNever, true, false}} {
		other := nodes
		other.Restart, other.Builtin = c.restart, c.builtin
		testutil.Equal(t, FreshPairs(&match.Plan{Players: []match.Player{other, other}}), c.want, "restart %s, built in %t",
			c.restart, c.builtin)
		testutil.Check(t, FreshPairs(&match.Plan{Players: []match.Player{other, nodes}}), "one of two engines, restart %s",
			c.restart)
	}
}
