package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gogi/cmd/gogi/cli"
	"gogi/ensemble/ensembletest"
	"gogi/ensemble/votes"
	"gogi/internal/testutil"
	"gogi/match"
	"gogi/results"
	"gogi/shogi"
	"gogi/shogi/kifu"
)

// voteLog writes a file with one record per line.
func voteLog(t *testing.T, records [][]byte) string {
	t.Helper()
	return written(t, "votes.log", string(bytes.Join(records, []byte("\n")))+"\n")
}

func voted(t *testing.T, args ...string) *votes.Council {
	t.Helper()
	out, errs, code := gogi(t, append([]string{"votes", "--json"}, args...)...)
	testutil.Require(t, code == 0, "%v", errs)
	checkGaps(t, out)
	var r votes.Report
	testutil.OK(t, json.Unmarshal([]byte(out), &r))
	testutil.Require(t, len(r.Councils) == 1 && r.Version == 1, "version %d, %d councils", r.Version, len(r.Councils))
	return r.Councils[0]
}

// TestVotesOfOneGame: gogi votes prints the second game of a log, move by move, as text, CSV and JSON.
func TestVotesOfOneGame(t *testing.T) {
	log := voteLog(t, ensembletest.Records(t, "adoption", "A A A A A", ensembletest.FiveMembers))
	out, errs, code := gogi(t, "votes", "--log", log, "--game", "1")
	testutil.Require(t, code == 0, "%v", errs)
	for _, want := range []string{"C · rule adoption · game 1 · 4 decisions", "2:2:1", "  7     4 "} {
		testutil.Contains(t, out, want, "there is no")
	}
	table, _, _ := gogi(t, "votes", "--log", log, "--game", "1", "--csv", "-")
	lines := strings.Split(strings.TrimSpace(table), "\n")
	if len(lines) != 6 || lines[0] != "own,ply,played,by,split,tie,P1,P2,P3,P4,P5" || lines[1] != "0,,,,,,1,1,1,1,1" ||
		!strings.HasSuffix(lines[5], ",rule,2:2:1,,5,5,4,3,2") {
		t.Errorf("%q", lines)
	}
	var g votes.GameVotes
	text, _, _ := gogi(t, "votes", "--log", log, "--game", "1", "--json")
	testutil.OK(t, json.Unmarshal([]byte(text), &g))
	checkGaps(t, text)
	if d := g.Councils[0].Decisions[3]; d.Ply != 7 || d.Own != 4 || d.Split != "2:2:1" ||
		fmt.Sprint(d.Before, d.After) != "[4 4 4 3 2] [5 5 4 3 2]" || len(d.Votes) != 5 {
		t.Errorf("%+v", d)
	}
}

// TestVotesReplay: the recorded rule makes the same decisions again, and gogi reports each difference. gogi counts the
// decisions in which another rule differs.
func TestVotesReplay(t *testing.T) {
	records := ensembletest.Records(t, "evaluation", "A50 B0 C0|A50 B0 C0|A50 B0 B0", "A50 A0 A0|A50 A0 A0|A50 A0 A0")
	log := voteLog(t, records)
	out, errs, code := gogi(t, "votes", "replay", "--log", log)
	testutil.Check(t, code == 0 && strings.Contains(out, "6 decisions: all are the recorded ones"), "%d: %s%s", code, out,
		errs)
	out, errs, code = gogi(t, "votes", "replay", "--log", log, "--json", "--rule", "majority", "--rule", "optimistic",
		"--ties", "member")
	testutil.Require(t, code == 0, "%v", errs)
	checkGaps(t, out)
	var r votes.Replay
	testutil.OK(t, json.Unmarshal([]byte(out), &r))
	majority, optimistic := r.Councils[0].Replays[0], r.Councils[0].Replays[1]
	testutil.Check(t, !r.Verifies && majority.Decisions == 6 && majority.Differs == 1 && majority.InTies == 0 &&
		optimistic.Differs == 0,
		"%+v, %+v", majority, optimistic)
	if w := majority.Where; len(w) != 1 || w[0].Own != 3 || !strings.HasSuffix(w[0].Place, "votes.log:3") ||
		w[0].Recorded == w[0].Played {
		t.Errorf("%+v", w)
	}
	broken := bytes.Replace(records[4], []byte(`"w_after":[3,1,1]`), []byte(`"w_after":[3,1,1.0000000000000002]`), 1)
	testutil.Require(t, !bytes.Equal(broken, records[4]), "there are no such weights in %s", records[4])
	records[4] = broken
	out, errs, code = gogi(t, "votes", "replay", "--log", voteLog(t, records))
	if code != cli.Failed || !strings.Contains(out, "votes.log:5") ||
		!strings.Contains(out, "w_after is [3 1 1], recorded is [3 1 1.0000000000000002]") ||
		!strings.Contains(errs, "1 of 6 decisions are not the recorded ones") {
		t.Errorf("%d: %s%s", code, out, errs)
	}
}

// storeVotes stores a pair of games in a database. In the first game C has Black and these records.
func storeVotes(t *testing.T, records [][]byte) (db string) {
	t.Helper()
	limits := match.Limits{Nodes: 10, Stall: match.DefaultStall}
	player := func(name string) match.Player {
		return match.Player{Name: name, Command: []string{"/gogi"}, Builtin: true, Limits: limits,
			Identity: match.Identity{Fixed: name}, Restart: match.RestartNever}
	}
	plan := &match.Plan{
		Run: "r", Players: []match.Player{player("C"), player("B")},
		Design: match.Design{Kind: match.DesignMatch, Swap: true}, Seed: 1,
		Rules: match.RulesProfiles()["default"], Openings: []match.Opening{{ID: "1", Start: "startpos"}},
		Ponder: match.PonderOff, Slowed: match.PolicyCount, Pairs: 1, Concurrency: 1, PVPlies: 1,
	}
	db = filepath.Join(t.TempDir(), "votes.db")
	store := testutil.Must(results.Open(t.Context(), db))(t)
	series, err := store.Begin(t.Context(), plan)
	testutil.OK(t, err)
	result := match.PairResult{Pair: plan.Pair(0)}
	for leg := range 2 {
		result.Games = append(result.Games, recordedGame(t, plan, result.Pair.Game(leg), records))
		records = nil
	}
	_, err = series.Add(t.Context(), result)
	testutil.OK(t, errors.Join(err, series.Close(), store.Close()))
	return db
}

func recordedGame(t *testing.T, plan *match.Plan, g match.Game, records [][]byte) match.Result {
	t.Helper()
	started := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	r := match.Result{
		Pair: g.Pair, Leg: g.Leg, Players: g.Players, Started: started, Ended: started,
		Verdict: match.Verdict{Outcome: match.Draw, Termination: match.MaxPlies},
	}
	r.Record = kifu.Record{
		Black: plan.Players[g.Players[0]].Name, White: plan.Players[g.Players[1]].Name, Started: started, Start: "startpos",
		Result: r.Termination.String(), Winner: r.Outcome.String(),
	}
	p := shogi.StartPos()
	for i := range 8 {
		m := kifu.Move{Move: p.LegalMoves(nil)[0]}
		if i%2 == 0 && i/2 < len(records) {
			m.Detail = records[i/2]
		}
		r.Record.Moves = append(r.Record.Moves, m)
		p.Apply(m.Move)
	}
	return r
}

// TestVotesStored: gogi votes gives the same result for a database as for a log. Only the database has the number of
// plies.
func TestVotesStored(t *testing.T) {
	records := ensembletest.Records(t, "adoption", ensembletest.FiveMembers)
	db := storeVotes(t, records)
	stored, logged := voted(t, "--db", db), voted(t, "--log", voteLog(t, records))
	if stored.Plies == nil || *stored.Plies != 8 || stored.Games != 1 { // the other game has no votes
		t.Fatalf("plies %v, %d games", stored.Plies, stored.Games)
	}
	if s := stored.Splits[0]; *s.OfDecisions != 0.25 || *s.OfPlies != 1.0/8 {
		t.Errorf("%v of the decisions, %v of the plies", *s.OfDecisions, *s.OfPlies)
	}
	testutil.Diff(t, stored.Members, logged.Members, "members (-stored +logged)")
	out, errs, code := gogi(t, "votes", "replay", "--db", db, "--rule", "majority:", "--rule", "adoption")
	testutil.Check(t, code == 0 && strings.Count(out, "0.0%") == 2, "%d: %s%s", code, out, errs)
}

// TestVotesThatLast: a database does not contain the order in which one council played, so weights that last between
// games cannot be checked. A log contains the order.
func TestVotesThatLast(t *testing.T) {
	records := ensembletest.Records(t, "adoption:reset=never", ensembletest.FiveMembers)
	if _, errs, code := gogi(t, "votes", "replay", "--log", voteLog(t, records)); code != 0 {
		t.Errorf("%d: %s", code, errs)
	}
	out, errs, code := gogi(t, "votes", "replay", "--db", storeVotes(t, records))
	if code != cli.Failed || !strings.Contains(out, "not checked: the weights continue from game to game") ||
		!strings.Contains(errs, "no decision could be checked") {
		t.Errorf("%d: %s%s", code, out, errs)
	}
}

func TestVotesErrors(t *testing.T) {
	records := ensembletest.Records(t, "adoption", ensembletest.FiveMembers)
	db, log := storeVotes(t, records), voteLog(t, records)
	broken := storeVotes(t, [][]byte{records[0], []byte(`{"v":9,"type":"vote"}`)})
	gap := voteLog(t, [][]byte{records[0], records[2]})
	for _, x := range []struct {
		args string
		code int
		want string
	}{
		{"votes --db " + db + " --game 0.1", 1, "game 0.1 of run r has no votes: neither side is a council"},
		{"votes --db " + db + " --game 3.0", 1, "run r has no game 3.0 (gogi games r lists them)"},
		{"votes --db " + db + " --game x", 2, "expected PAIR.LEG"},
		{"votes --db " + db + " --player X", 1, "run r has no player X: expected one of C, B"},
		{"votes --db " + db + " --player B", 1, "B is not a council"},
		{"votes --db " + storeVotes(t, nil), 1, "none of C, B is a council"},
		{"votes --db " + db + " --csv x.csv", 2, "add --game PAIR.LEG"},
		{"votes --db " + db + " --game 0.0 --csv - --json", 2, "only one of them"},
		{"votes --db " + db + " --game 0.0 --csv /nosuchfolder/x", 1, "--csv: "},
		{"votes --db " + broken, 1, "game 0.0, move 3: ensemble: vote record: version 9"},
		{"votes run --log " + log, 2, "expected one of them"},
		{"votes --log " + log + " --game 5", 1, "none of its 1 game"},
		{"votes --log " + written(t, "none.log", "\n"), 1, "there are no votes in it"},
		{"votes --log " + written(t, "bad.log", string(records[0])+"\n\n{"), 1, "bad.log:3: "},
		{"votes --log nosuch.log", 1, "nosuch.log"},
		{"votes replay --log " + gap, 1,
			"votes.log:2: ensemble: decision 3, ply 5: the one before is 1: decisions are missing"},
		{"votes replay --log " + log + " --rule x", 2, `--rule: there is no rule "x"`},
		{"votes replay --log " + log + " --rule weighted:weights=1/2", 1, "2 weights for 5 members"},
		{"votes replay --log " + log + " --ties x", 2, `--ties: there is no tie-break "x"`},
	} {
		out, errs, code := gogi(t, strings.Fields(x.args)...)
		testutil.Check(t, code == x.code && strings.Contains(errs, x.want) && out == "",
			"%s: code %d, want %d and %q:\n%s%s", x.args, code, x.code, x.want, out, errs)
	}
}

// TestVotesWritesFiles: --csv writes a file, and gogi votes still prints the table.
func TestVotesWritesFiles(t *testing.T) {
	dir := t.TempDir()
	log := voteLog(t, ensembletest.Records(t, "adoption", ensembletest.FiveMembers))
	out, errs, code := gogi(t, "votes", "--log", log, "--game", "0", "--csv", filepath.Join(dir, "w.csv"))
	testutil.Check(t, code == 0 && strings.Contains(out, "4 decisions"), "%d: %s%s", code, out, errs)
	text, err := os.ReadFile(filepath.Join(dir, "w.csv"))
	testutil.Check(t, err == nil && strings.HasPrefix(string(text), "own,ply"), "%.40s (%v)", text, err)
}
