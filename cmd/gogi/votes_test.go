package main

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gogi/ensemble"
	"gogi/kifu"
	"gogi/match"
	"gogi/results"
	"gogi/shogi"
	"gogi/usi"
	"gogi/votes"
)

// voter is a member that votes as a script says: a letter for each decision, A
// being the first legal move, B the second; r resigns, w declares.
type voter struct {
	script []string
	asked  int
}

func (v *voter) NewGame(context.Context, usi.Game) error     { v.asked = 0; return nil }
func (v *voter) GameOver(context.Context, usi.Outcome) error { return nil }
func (v *voter) Close() error                                { return nil }

func (v *voter) Think(_ context.Context, r usi.Request) (usi.Reply, error) {
	word := v.script[v.asked]
	v.asked++
	h, err := r.Position.History()
	if err != nil {
		return usi.Reply{}, err
	}
	reply := usi.Reply{Answer: usi.AnswerMove, Nodes: 100, Elapsed: time.Millisecond}
	switch word[0] {
	case 'r':
		reply.Answer = usi.AnswerResign
		return reply, nil
	case 'w':
		reply.Answer = usi.AnswerWin
		return reply, nil
	}
	reply.Move = h.Position().LegalMoves(nil)[word[0]-'A']
	info := usi.Info{MultiPV: 1, Depth: 9, HasScore: true, PV: []shogi.Move{reply.Move}}
	if _, err := fmt.Sscan(word[1:]+" ", &info.Score.Value); len(word) > 1 && err != nil {
		return reply, err
	}
	reply.Lines, reply.Exact = []usi.Info{info}, info
	return reply, nil
}

// recordsOf plays games of a real council whose members vote as the lines say, one
// line a decision and a column for each member, and returns the records; the
// opponent always plays its first legal move.
func recordsOf(t *testing.T, rule string, games ...string) (records [][]byte) {
	t.Helper()
	spec, err := ensemble.ParseSpec(rule)
	if err != nil {
		t.Fatal(err)
	}
	for seed, game := range games {
		lines := strings.Split(game, "|")
		config := ensemble.Config{Name: "C", Rule: spec, Shadows: []ensemble.Spec{ensemble.DefaultSpec(ensemble.Majority)}}
		for i := range strings.Fields(lines[0]) {
			v := &voter{}
			for _, line := range lines {
				v.script = append(v.script, strings.Fields(line)[i])
			}
			config.Members = append(config.Members, ensemble.Member{
				Voter: ensemble.Voter{Name: fmt.Sprintf("P%d", i+1)},
				Open:  func(context.Context) (ensemble.Player, error) { return v, nil },
			})
		}
		records = append(records, decide(t, config, uint64(seed+1), len(lines))...) //nolint:gosec // an index
	}
	return records
}

func decide(t *testing.T, config ensemble.Config, seed uint64, decisions int) (records [][]byte) {
	t.Helper()
	c, err := ensemble.Open(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.NewGame(t.Context(), usi.Game{Seed: seed}); err != nil {
		t.Fatal(err)
	}
	p := usi.Position{Start: "startpos"}
	for range decisions {
		reply, err := c.Think(t.Context(), usi.Request{Position: p})
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, reply.Detail)
		if reply.Answer != usi.AnswerMove {
			break
		}
		p.Moves = append(p.Moves, reply.Move)
		h, err := p.History()
		if err != nil {
			t.Fatal(err)
		}
		p.Moves = append(p.Moves, h.Position().LegalMoves(nil)[0])
	}
	return records
}

// voteLog is a file with a record a line.
func voteLog(t *testing.T, records [][]byte) string {
	t.Helper()
	return written(t, "votes.log", string(bytes.Join(records, []byte("\n")))+"\n")
}

// fiveMembers are the votes of the worked example of the adoption record: the
// sums are 5, 8:2, 8:6 and 7:6:4, the weights at the end 5 5 4 3 2.
const fiveMembers = "A A A A A|A A A A B|B A A B A|A B C A B"

func voted(t *testing.T, args ...string) *votes.Council {
	t.Helper()
	out, errs, code := verb(t, append([]string{"votes", "--json"}, args...)...)
	if code != 0 {
		t.Fatal(errs)
	}
	checkGaps(t, out)
	var r votes.Report
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatal(err)
	}
	if len(r.Councils) != 1 || r.Version != 1 {
		t.Fatalf("version %d, %d councils", r.Version, len(r.Councils))
	}
	return r.Councils[0]
}

// TestVotesReport reckons the worked example by hand, played twice. P1 leads
// once the weights differ, before the third and fourth decisions. The votes for
// 4:1, 3:2 and 2:2:1 have 0.7219, 0.9710 and 1.5219 bits.
func TestVotesReport(t *testing.T) {
	c := voted(t, "--log", voteLog(t, recordsOf(t, "adoption", fiveMembers, fiveMembers)))
	if c.Council != "C" || c.Rule != "adoption" || c.Games != 2 || c.Decisions != 8 || c.Voted != 8 || c.Nodes != 4000 || c.Plies != nil {
		t.Errorf("%+v", c)
	}
	if got := fmt.Sprint(c.By); got != "[{rule 8 1}]" {
		t.Errorf("decided by %s", got)
	}
	var splits []string
	for _, s := range c.Splits {
		splits = append(splits, fmt.Sprintf("%s %d %v", s.Split, s.Count, *s.OfDecisions))
	}
	if got := strings.Join(splits, ", "); got != "5 2 0.25, 4:1 2 0.25, 3:2 2 0.25, 2:2:1 2 0.25" {
		t.Errorf("splits %s", got)
	}
	if c.Unanimous.Count != 2 || c.TopTies.Count != 0 || c.Differs.Count != 0 {
		t.Errorf("unanimous %d, ties %d, differs %d", c.Unanimous.Count, c.TopTies.Count, c.Differs.Count)
	}
	if want := (0.7219 + 0.9710 + 1.5219) / 4; math.Abs(*c.Entropy.Mean-want) > 1e-4 {
		t.Errorf("entropy %v, want %v", *c.Entropy.Mean, want)
	}
	l := c.Leaders
	if l.Games != 2 || l.OneThroughout != 2 || *l.PerGame != 1 || *l.MeanTenure != 2 || *l.LongestTenure != 2 {
		t.Errorf("leaders %+v", l)
	}
	if c.Dictators.Games != 0 || c.Dictators.Why == "" {
		t.Errorf("dictators %+v", c.Dictators)
	}
	for i, want := range []string{"8 6 4", "8 6 0", "8 6 0", "8 6 0", "8 4 0"} {
		m := c.Members[i]
		if got := fmt.Sprint(m.Votes, m.Adopted, m.Led); got != want || m.Nodes != 800 {
			t.Errorf("%s: votes, adopted, led %s, want %s; nodes %d", m.Name, got, want, m.Nodes)
		}
	}
	if a := c.Agreements[0]; a.A != "P1" || a.B != "P2" || a.Both != 8 || a.Same != 4 || len(c.Agreements) != 10 {
		t.Errorf("agreement %+v, %d pairs", a, len(c.Agreements))
	}
	if got := fmt.Sprint(c.Shadows); got != "[{majority 8 0 0}]" {
		t.Errorf("shadows %s", got)
	}
}

// TestVotesTiesAndDictators: P1 sees its position best and gains each time; with
// weights of 3, 1 and 1 it outweighs the others before its third decision.
func TestVotesTiesAndDictators(t *testing.T) {
	c := voted(t, "--log", voteLog(t, recordsOf(t, "evaluation", "A50 B0 C0|A50 B0 C0|A50 B0 B0|r r A")))
	if got := fmt.Sprint(c.TopTies.Count, c.TopTies.Levels); got != "1 [{score 1}]" {
		t.Errorf("ties %s", got)
	}
	if c.Differs.Count != 1 { // in the third decision, where B has two of three
		t.Errorf("differs %d", c.Differs.Count)
	}
	if c.Dictators.Games != 1 || *c.Dictators.Earliest != 3 || *c.Dictators.MedianOnset != 3 {
		t.Errorf("dictators %+v", c.Dictators)
	}
	if got := fmt.Sprint(c.By); got != "[{rule 3 0.75} {resignation 1 0.25}]" {
		t.Errorf("decided by %s", got)
	}
	if got := c.Members[0].Others(); got != "resigned 1" {
		t.Errorf("other ballots: %s", got)
	}
	if got := fmt.Sprint(c.Shadows); got != "[{majority 4 1 0.25}]" {
		t.Errorf("shadows %s", got)
	}
}

// TestVotesOfOneGame: the second game of a log, move by move, in all forms.
func TestVotesOfOneGame(t *testing.T) {
	log := voteLog(t, recordsOf(t, "adoption", "A A A A A", fiveMembers))
	out, errs, code := verb(t, "votes", "--log", log, "--game", "1")
	if code != 0 {
		t.Fatal(errs)
	}
	for _, want := range []string{"C · rule adoption · game 1 · 4 decisions", "2:2:1", "  7     4 "} {
		if !strings.Contains(out, want) {
			t.Errorf("there is no %q in\n%s", want, out)
		}
	}
	table, _, _ := verb(t, "votes", "--log", log, "--game", "1", "--csv", "-")
	lines := strings.Split(strings.TrimSpace(table), "\n")
	if len(lines) != 6 || lines[0] != "own,ply,played,by,split,tie,P1,P2,P3,P4,P5" || lines[1] != "0,,,,,,1,1,1,1,1" || !strings.HasSuffix(lines[5], ",rule,2:2:1,,5,5,4,3,2") {
		t.Errorf("%q", lines)
	}
	var g votes.GameVotes
	text, _, _ := verb(t, "votes", "--log", log, "--game", "1", "--json")
	if err := json.Unmarshal([]byte(text), &g); err != nil {
		t.Fatal(err)
	}
	checkGaps(t, text)
	if d := g.Councils[0].Decisions[3]; d.Ply != 7 || d.Own != 4 || d.Split != "2:2:1" || fmt.Sprint(d.Before, d.After) != "[4 4 4 3 2] [5 5 4 3 2]" || len(d.Votes) != 5 {
		t.Errorf("%+v", d)
	}
}

// TestVotesFigure: well-formed whatever the names are, with a line, a label and
// numbers for each of up to fifteen members.
func TestVotesFigure(t *testing.T) {
	for _, n := range []int{1, 2, 15} {
		line := strings.TrimSpace(strings.Repeat("A ", n))
		records := recordsOf(t, "adoption", line+"|"+line)
		for i := range records {
			records[i] = bytes.ReplaceAll(records[i], []byte(`"P1"`), []byte(`"<&\"'将棋"`))
		}
		out, errs, code := verb(t, "votes", "--log", voteLog(t, records), "--game", "0", "--svg", "-")
		if code != 0 {
			t.Fatal(errs)
		}
		count := map[string]int{}
		text := ""
		for d := xml.NewDecoder(strings.NewReader(out)); ; {
			token, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%v in %s", err, out)
			}
			switch e := token.(type) {
			case xml.StartElement:
				count[e.Name.Local]++
			case xml.CharData:
				text += string(e)
			}
		}
		if count["polyline"] != n || count["circle"] < n || !strings.Contains(text, `<&"'将棋: 3`) || strings.Contains(out, "NaN") {
			t.Errorf("%d members: %v in %s", n, count, out)
		}
	}
}

// TestVotesReplay: the recorded rule decides the same again, and says where it
// does not; other rules are counted.
func TestVotesReplay(t *testing.T) {
	records := recordsOf(t, "evaluation", "A50 B0 C0|A50 B0 C0|A50 B0 B0", "A50 A0 A0|A50 A0 A0|A50 A0 A0")
	log := voteLog(t, records)
	out, errs, code := verb(t, "votes", "replay", "--log", log)
	if code != 0 || !strings.Contains(out, "6 decisions: all are the recorded ones") {
		t.Errorf("%d: %s%s", code, out, errs)
	}
	out, errs, code = verb(t, "votes", "replay", "--log", log, "--json", "--rule", "majority", "--rule", "optimistic", "--ties", "member")
	if code != 0 {
		t.Fatal(errs)
	}
	checkGaps(t, out)
	var r votes.Replay
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatal(err)
	}
	majority, optimistic := r.Councils[0].Replays[0], r.Councils[0].Replays[1]
	if r.Verifies || majority.Decisions != 6 || majority.Differs != 1 || majority.InTies != 0 || optimistic.Differs != 0 {
		t.Errorf("%+v, %+v", majority, optimistic)
	}
	if w := majority.Where; len(w) != 1 || w[0].Own != 3 || !strings.HasSuffix(w[0].Place, "votes.log:3") || w[0].Recorded == w[0].Played {
		t.Errorf("%+v", w)
	}
	broken := bytes.Replace(records[4], []byte(`"w_after":[3,1,1]`), []byte(`"w_after":[3,1,1.0000000000000002]`), 1)
	if bytes.Equal(broken, records[4]) {
		t.Fatalf("there are no such weights in %s", records[4])
	}
	records[4] = broken
	out, errs, code = verb(t, "votes", "replay", "--log", voteLog(t, records))
	if code != exitFailed || !strings.Contains(out, "votes.log:5") || !strings.Contains(out, "w_after is [3 1 1], recorded is [3 1 1.0000000000000002]") ||
		!strings.Contains(errs, "1 of 6 decisions are not the recorded ones") {
		t.Errorf("%d: %s%s", code, out, errs)
	}
}

// TestVotesTakenBack: what was taken back does not count, and is replayed all
// the same.
func TestVotesTakenBack(t *testing.T) {
	records := recordsOf(t, "adoption", "A A B|A B B|A A A")
	again := recordsOf(t, "adoption", "A A B|A A A|A A A")
	log := voteLog(t, append(records, again[1:]...))
	c := voted(t, "--log", log)
	if c.Decisions != 3 || c.TakenBack != 2 || c.Games != 1 || c.Unanimous.Count != 2 {
		t.Errorf("%d decisions, %d taken back, %d games, %d unanimous", c.Decisions, c.TakenBack, c.Games, c.Unanimous.Count)
	}
	out, errs, code := verb(t, "votes", "replay", "--log", log)
	if code != 0 || !strings.Contains(out, "5 decisions: all are the recorded ones") {
		t.Errorf("%d: %s%s", code, out, errs)
	}
}

// storeVotes puts a pair of games into a database: in the first one C has Black
// and these records.
func storeVotes(t *testing.T, records [][]byte) (db string) {
	t.Helper()
	limits := match.Limits{Nodes: 10, Stall: match.DefaultStall}
	player := func(name string) match.Player {
		return match.Player{Name: name, Command: []string{"/gogi"}, Builtin: true, Limits: limits, Identity: match.Identity{Fixed: name}, Restart: match.RestartNever}
	}
	plan := &match.Plan{
		Run: "r", Players: []match.Player{player("C"), player("B")}, Design: match.Design{Kind: match.DesignMatch, Swap: true}, Seed: 1,
		Rules: match.RulesProfiles()["default"], Openings: []match.Opening{{ID: "1", Start: "startpos"}},
		Ponder: match.PonderOff, Slowed: match.PolicyCount, Pairs: 1, Concurrency: 1, PVPlies: 1,
	}
	db = filepath.Join(t.TempDir(), "votes.db")
	store, err := results.Open(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	series, err := store.Begin(t.Context(), plan)
	if err != nil {
		t.Fatal(err)
	}
	result := match.PairResult{Pair: plan.Pair(0)}
	for leg := range 2 {
		result.Games = append(result.Games, recordedGame(t, plan, result.Pair.Game(leg), records))
		records = nil
	}
	_, err = series.Add(t.Context(), result)
	if err := errors.Join(err, series.Close(), store.Close()); err != nil {
		t.Fatal(err)
	}
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

// TestVotesStored: a database gives the same as a log, and knows the plies.
func TestVotesStored(t *testing.T) {
	records := recordsOf(t, "adoption", fiveMembers)
	db := storeVotes(t, records)
	stored, logged := voted(t, "--db", db), voted(t, "--log", voteLog(t, records))
	if stored.Plies == nil || *stored.Plies != 8 || stored.Games != 1 { // the other game has no votes
		t.Fatalf("plies %v, %d games", stored.Plies, stored.Games)
	}
	if s := stored.Splits[0]; *s.OfDecisions != 0.25 || *s.OfPlies != 1.0/8 {
		t.Errorf("%v of the decisions, %v of the plies", *s.OfDecisions, *s.OfPlies)
	}
	if diff := cmp.Diff(stored.Members, logged.Members); diff != "" {
		t.Errorf("members (-stored +logged):\n%s", diff)
	}
	out, errs, code := verb(t, "votes", "replay", "--db", db, "--rule", "majority:", "--rule", "adoption")
	if code != 0 || strings.Count(out, "0.0%") != 2 {
		t.Errorf("%d: %s%s", code, out, errs)
	}
}

// TestVotesThatLast: a database does not tell the order in which one council
// played, so weights that last cannot be checked; a log does.
func TestVotesThatLast(t *testing.T) {
	records := recordsOf(t, "adoption:reset=never", fiveMembers)
	if _, errs, code := verb(t, "votes", "replay", "--log", voteLog(t, records)); code != 0 {
		t.Errorf("%d: %s", code, errs)
	}
	out, errs, code := verb(t, "votes", "replay", "--db", storeVotes(t, records))
	if code != exitFailed || !strings.Contains(out, "not checked: the weights went on from game to game") || !strings.Contains(errs, "no decision could be checked") {
		t.Errorf("%d: %s%s", code, out, errs)
	}
}

func TestVotesErrors(t *testing.T) {
	records := recordsOf(t, "adoption", fiveMembers)
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
		{"votes --db " + db + " --svg x.svg", 2, "add --game PAIR.LEG"},
		{"votes --db " + db + " --game 0.0 --svg - --csv -", 2, "only one of them"},
		{"votes --db " + db + " --game 0.0 --svg - --json", 2, "give the latter a file"},
		{"votes --db " + db + " --game 0.0 --svg /nosuchfolder/x", 1, "--svg: "},
		{"votes --db " + broken, 1, "game 0.0, move 3: ensemble: vote record: version 9"},
		{"votes run --log " + log, 2, "expected one of them"},
		{"votes --log " + log + " --game 5", 1, "none of its 1 game"},
		{"votes --log " + written(t, "none.log", "\n"), 1, "there are no votes in it"},
		{"votes --log " + written(t, "bad.log", string(records[0])+"\n\n{"), 1, "bad.log:3: "},
		{"votes --log nosuch.log", 1, "nosuch.log"},
		{"votes replay --log " + gap, 1, "votes.log:2: ensemble: decision 3, ply 5: the one before is 1: decisions are missing"},
		{"votes replay --log " + log + " --rule x", 2, `--rule: there is no rule "x"`},
		{"votes replay --log " + log + " --rule weighted:weights=1/2", 1, "2 weights for 5 members"},
		{"votes replay --log " + log + " --ties x", 2, `--ties: there is no tie-break "x"`},
	} {
		out, errs, code := verb(t, strings.Fields(x.args)...)
		if code != x.code || !strings.Contains(errs, x.want) || out != "" {
			t.Errorf("%s: code %d, want %d and %q:\n%s%s", x.args, code, x.code, x.want, out, errs)
		}
	}
}

// TestVotesWritesFiles: beside the table.
func TestVotesWritesFiles(t *testing.T) {
	dir := t.TempDir()
	log := voteLog(t, recordsOf(t, "adoption", fiveMembers))
	out, errs, code := verb(t, "votes", "--log", log, "--game", "0", "--svg", filepath.Join(dir, "w.svg"), "--csv", filepath.Join(dir, "w.csv"))
	if code != 0 || !strings.Contains(out, "4 decisions") {
		t.Errorf("%d: %s%s", code, out, errs)
	}
	for name, want := range map[string]string{"w.svg": "<svg ", "w.csv": "own,ply"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || !strings.HasPrefix(string(text), want) {
			t.Errorf("%s: %.40s (%v)", name, text, err)
		}
	}
}
