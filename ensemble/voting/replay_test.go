package voting_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"gogi/ensemble/voting"
	"gogi/internal/testutil"
	"gogi/shogi"
	"gogi/usi"
)

// stage is a council without engines. It takes votes and records them.
type stage struct {
	*voting.Session
	spec     voting.Spec
	settings voting.Settings
	voters   []voting.Voter
	seed     uint64
	past     []func() // each function learns one decision of this game again
	records  [][]byte
	taken    []voting.Decision
}

func newStage(t *rapid.T, spec voting.Spec, n int) *stage {
	s := &stage{spec: spec, settings: drawLaws(t), voters: drawVoters(t, n)}
	s.Session = newChamber(t, spec, s.voters, s.settings)
	return s
}

func (s *stage) newGame(seed uint64) {
	s.seed, s.past = seed, nil
	s.NewGame(seed)
}

// takeBack forgets all but the first decisions of the game.
func (s *stage) takeBack(kept int) {
	s.past = s.past[:kept]
	s.NewGame(s.seed)
	for _, learn := range s.past {
		learn()
	}
}

func (s *stage) head(p *shogi.Position) voting.Record {
	head := voting.Record{
		Council: "C", Ply: p.Ply(), Own: len(s.past) + 1, Side: p.Side().String(), SFEN: p.SFEN(), Rule: s.Rule(),
		Seed: s.seed,
		Ties: s.settings.Ties, Declaration: s.settings.Declaration.String(), ResignQuorum: s.settings.ResignQuorum,
		Members: names(s.voters), Before: s.Weights(),
	}
	for _, v := range s.voters {
		head.Scales = append(head.Scales, [2]float64{v.Slope, v.Intercept})
		head.Clamps = append(head.Clamps, v.Clamp)
	}
	return head
}

// decide takes a vote. With veto the runner-up replaces the winner, if there is a runner-up.
func (s *stage) decide(t *rapid.T, p *shogi.Position, list []voting.Ballot, veto bool) voting.Decision {
	at, head := *p, s.head(p)
	d := s.Decide(p, list)
	if veto && d.By == voting.ByRule && len(d.Candidates) > 1 && d.Candidates[1].Count() > 0 {
		s.Overrule(p, list, &d, d.Candidates[1].Move)
	}
	learn := func() { s.Observe(&at, list, &d) }
	learn()
	s.past = append(s.past, learn)
	head.After = s.Weights()
	text := testutil.Must(json.Marshal(voting.MakeRecord(head, &d, list)))(t)
	s.records, s.taken = append(s.records, text), append(s.taken, d)
	return d
}

// playGames lets a council decide in random games, with take-backs and vetoes.
func (s *stage) playGames(t *rapid.T, takeBacks bool) {
	for range rapid.IntRange(1, 3).Draw(t, "games") {
		s.newGame(rapid.Uint64().Draw(t, "seed"))
		p := shogi.StartPos()
		positions := []shogi.Position{}
		for range rapid.IntRange(1, 10).Draw(t, "decisions") {
			positions = append(positions, p)
			list := drawBallots(t, &p, len(s.voters))
			d := s.decide(t, &p, list, rapid.IntRange(0, 4).Draw(t, "veto") == 0)
			over := !play(t, &p, d.Move)
			if kept := len(positions) - 1 - rapid.IntRange(0, 8).Draw(t, "taken back"); takeBacks && kept >= 0 {
				s.takeBack(kept)
				p, positions = positions[kept], positions[:kept]
			} else if over {
				break
			}
		}
	}
}

// TestReplay requires that the records alone give the same decisions and weights, bit for bit.
func TestReplay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 6).Draw(t, "members")
		s := newStage(t, drawSpec(t, n), n)
		s.playGames(t, !strings.Contains(s.spec.String(), "reset=never")) // with reset=never weights cannot be taken back
		var replayer voting.Replayer
		for i, text := range s.records {
			record := testutil.Must(voting.ParseRecord(text))(t)
			v, err := replayer.Next(record)
			testutil.OK(t, err, "record %d", i)
			diff := v.Differs(record)
			testutil.Require(t, diff == "", "%s: record %d: %s", s.spec, i, diff)
			if !slices.Equal(v.Before, record.Before) || !slices.Equal(v.After, record.After) ||
				!reflect.DeepEqual(v.Decision, s.taken[i]) {
				t.Fatalf("%s: record %d: %+v, want %+v", s.spec, i, v, s.taken[i])
			}
		}
	})
}

// TestReplayByAnotherRule requires that another rule decides and learns as if it had been the council's rule.
func TestReplayByAnotherRule(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 6).Draw(t, "members")
		s := newStage(t, drawSpec(t, n, voting.Majority), n)
		spec := drawSpec(t, n)
		shadow := newChamber(t, spec, s.voters, s.settings)
		shadow.NewGame(5)
		s.newGame(5)
		p := shogi.StartPos()
		replayer := voting.Replayer{Rule: &spec}
		for range rapid.IntRange(1, 8).Draw(t, "decisions") {
			list := drawBallots(t, &p, n)
			want := shadow.Decide(&p, list)
			before := shadow.Weights()
			shadow.Observe(&p, list, &want)
			d := s.decide(t, &p, list, true) // a veto belongs only to the recorded rule
			record := testutil.Must(voting.ParseRecord(s.records[len(s.records)-1]))(t)
			v := testutil.Must(replayer.Next(record))(t)
			if spec.Name != voting.Majority && !reflect.DeepEqual(v.Decision, want) || !slices.Equal(v.Before, before) ||
				!slices.Equal(v.After, shadow.Weights()) {
				t.Fatalf("%s: %+v, want %+v", spec, v, want)
			}
			if !play(t, &p, d.Move) {
				return
			}
		}
	})
}

// recorded returns a record of a vote in the initial position.
func recorded(tb testing.TB, rule string, own int, seed uint64, votes string,
	change ...func(*voting.Record)) *voting.Record {
	tb.Helper()
	n := len(strings.Fields(votes))
	start := shogi.StartPos()
	c := chamber(tb, rule, members(n), voting.Settings{})
	d := c.Decide(&start, ballots(votes))
	head := voting.Record{
		Ply: 2*own - 1, Own: own, SFEN: start.SFEN(), Rule: rule, Seed: seed, Declaration: shogi.CSARule27.String(),
		Members: names(members(n)),
		Ties:    voting.DefaultTies(), Before: c.Weights(),
	}
	c.Observe(&start, ballots(votes), &d)
	head.After = c.Weights()
	r := voting.MakeRecord(head, &d, ballots(votes))
	for _, f := range change {
		f(r)
	}
	text := testutil.Must(json.Marshal(r))(tb)
	return testutil.Must(voting.ParseRecord(text))(tb)
}

// TestReplayTies requires that another chain of tie-breaks changes a tie under the recorded rule.
func TestReplayTies(t *testing.T) {
	r := recorded(t, "majority", 1, 1, "A+0 B+50")
	for _, x := range []struct {
		ties []voting.Tie
		want string
	}{{nil, "2g2f"}, {[]voting.Tie{voting.TieMember}, "7g7f"}} {
		replayer := voting.Replayer{Ties: x.ties}
		v, err := replayer.Next(r)
		if err != nil || v.Decision.Word() != x.want {
			t.Errorf("%v: %s, want %s (%v)", x.ties, v.Decision.Word(), x.want, err)
		}
	}
}

// TestReplayVeto requires that a replay repeats a recorded veto if the vote chooses the vetoed move.
func TestReplayVeto(t *testing.T) {
	r := recorded(t, "majority", 1, 1, "A A B", func(r *voting.Record) {
		r.By, r.Vetoed, r.Played = voting.ByVeto, "7g7f", "2g2f"
	})
	var replayer voting.Replayer
	if v, err := replayer.Next(r); err != nil || v.Decision.By != voting.ByVeto || v.Decision.Word() != "2g2f" ||
		v.Decision.Vetoed != mustMove("A") {
		t.Errorf("%+v (%v)", v.Decision, err)
	}
	spec := voting.DefaultSpec(voting.Adoption)
	other := voting.Replayer{Rule: &spec}
	if v, err := other.Next(r); err != nil || v.Decision.By != voting.ByRule || v.Decision.Word() != "7g7f" {
		t.Errorf("another rule: %+v (%v)", v.Decision, err)
	}
	r.Played = "1g1f"
	testutil.Fails(t, testutil.Err(replayer.Next(r)), "nobody voted for 1g1f", "a move out of nowhere")
}

// TestReplayWeightsThatLast requires that with reset=never the next game of the same council begins with the last
// weights.
func TestReplayWeightsThatLast(t *testing.T) {
	var replayer voting.Replayer
	for i, x := range []struct {
		record *voting.Record
		want   string
	}{
		{recorded(t, "adoption:reset=never", 1, 1, "A A B"), "[1 1 1] [2 2 1]"},
		{recorded(t, "adoption:reset=never", 1, 2, "A A B"), "[2 2 1] [3 3 1]"},
		{recorded(t, "adoption:reset=never", 1, 3, "A A B B"), "[1 1 1 1] [2 2 1 1]"},
	} {
		v, err := replayer.Next(x.record)
		got := fmt.Sprint(v.Before, v.After)
		testutil.Check(t, err == nil && got == x.want, "%d: %s, want %s (%v)", i, got, x.want, err)
	}
}

func TestReplayErrors(t *testing.T) {
	for want, records := range map[string][]*voting.Record{
		"first decisions are missing":      {recorded(t, "majority", 2, 1, "A")},
		"the game's first":                 {recorded(t, "majority", 1, 1, "A"), recorded(t, "majority", 2, 9, "A")},
		"the one before is 1":              {recorded(t, "majority", 1, 1, "A"), recorded(t, "majority", 3, 1, "A")},
		"decisions are numbered from 1":    {recorded(t, "majority", 0, 1, "A")},
		"not those of the decision before": {recorded(t, "majority", 1, 1, "A"), recorded(t, "adoption", 2, 1, "A")},
		`there is no rule "x"`:             {recorded(t, "majority", 1, 1, "A", func(r *voting.Record) { r.Rule = "x" })},
		"decision 1, ply 1: ":              {recorded(t, "majority", 1, 1, "A", func(r *voting.Record) { r.SFEN = "x" })},
		"2 weights for 1 members": {recorded(t, "majority", 1, 1, "A", func(r *voting.Record) {
			r.Rule = "weighted:weights=1/2"
		})},
		"ballot of P1: ": {recorded(t, "majority", 1, 1, "A", func(r *voting.Record) {
			r.Ballots[0].Move = "7g7c"
		})},
		"ballot of P2: ": {recorded(t, "majority", 1, 1, "A A", func(r *voting.Record) {
			r.Ballots[1].Ponder = "?"
		})},
		"there are two ballots of P1": {recorded(t, "majority", 1, 1, "A A", func(r *voting.Record) {
			r.Ballots[1].Member = 0
		})},
		"ensemble: decision 1, ply 1: ": {recorded(t, "majority", 1, 1, "A", func(r *voting.Record) { r.Declaration = "x" })},
	} {
		var replayer voting.Replayer
		var err error
		for _, r := range records {
			_, err = replayer.Next(r)
		}
		testutil.Fails(t, err, want)
	}
}

// TestDiffers requires that Differs reports every part of a decision.
func TestDiffers(t *testing.T) {
	for want, change := range map[string]func(*voting.Record){
		"played": func(r *voting.Record) { r.Played = "1g1f" }, "by is": func(r *voting.Record) { r.By = voting.ByPlan },
		"tie": func(r *voting.Record) { r.Tie = voting.TieSum }, "ponder": func(r *voting.Record) { r.Ponder = "3c3d" },
		"split": func(r *voting.Record) { r.Split = "3" }, "leader": func(r *voting.Record) { r.Leader = 1 },
		"counts": func(r *voting.Record) { r.Counts[0].Value++ }, "wsum": func(r *voting.Record) { r.Sums[0].Value += 1e-15 },
		"w_before": func(r *voting.Record) { r.Before[1]++ }, "w_after": func(r *voting.Record) { r.After[1] = 1 - 1e-16 },
		"vetoed": func(r *voting.Record) { r.Vetoed = "7g7f" }, "differs": func(r *voting.Record) { r.Differs = true },
		"values": func(r *voting.Record) { r.Values = r.Sums },
		"":       func(*voting.Record) {},
	} {
		r := recorded(t, "adoption", 1, 1, "A+1 A B")
		change(r)
		var replayer voting.Replayer
		v, err := replayer.Next(r)
		got := v.Differs(r)
		testutil.Check(t, err == nil && strings.HasPrefix(got, want) && (want != "" || got == ""), "%q, want %q (%v)", got,
			want, err)
	}
}

// TestBallotText requires that a record keeps every value that a vote depends on.
func TestBallotText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		start := shogi.StartPos()
		list := drawBallots(t, &start, 3)
		r := voting.MakeRecord(voting.Record{Members: names(members(3))}, &voting.Decision{Answer: usi.AnswerMove}, list)
		text := testutil.Must(json.Marshal(r))(t)
		var again voting.Record
		testutil.OK(t, json.Unmarshal(text, &again))
		for i, want := range list {
			got := testutil.Must(again.Ballots[i].Ballot())(t)
			if want.Score.Mate == 0 && len(want.PV) > 3 { // a record keeps the whole variation of a mate for either side
				want.PV = want.PV[:3]
			}
			testutil.Require(t, reflect.DeepEqual(got, want), "%+v, want %+v", got, want)
		}
	})
}

func TestParseRecordErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                      "vote record",
		"[]":                    "vote record",
		`{"v":1,"type":"game"}`: `type is "game"`,
		`{"v":3,"type":"vote"}`: "version 3: expected 1 to 2",
		`{"v":0,"type":"vote"}`: "version 0: expected 1 to 2",
		`{"v":1,"type":"vote"}`: "no members",
		`{"v":1,"type":"vote","members":["a"],"ballots":[{"m":1}]}`: "ballot 0 is of member 1 of 1",
		`{"v":1,"type":"vote","members":["a"],"counts":[]}`:         "vote record",
	} {
		testutil.Fails(t, testutil.Err(voting.ParseRecord([]byte(text))), want, "%s", text)
	}
}

// FuzzParseRecord requires that reading and replaying any text ends in a decision or an error.
func FuzzParseRecord(f *testing.F) {
	for _, votes := range []string{"A+1 A B#3", "r r A", "x - ~A", "A B C"} {
		text := testutil.Must(json.Marshal(recorded(f, "adoption", 1, 1, votes)))(f)
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := voting.ParseRecord(text)
		if err != nil {
			return
		}
		again, err := json.Marshal(r)
		if err != nil {
			t.Skip("a number that JSON cannot hold")
		}
		second, err := voting.ParseRecord(again)
		testutil.OK(t, err, "%s is written as %s", text, again)
		third, _ := json.Marshal(second)
		testutil.Check(t, string(third) == string(again), "%s, then %s", again, third)
		var replayer voting.Replayer
		if v, err := replayer.Next(r); err == nil {
			_ = v.Differs(r)
		}
	})
}

// A book move is no vote. Any rule replays it unchanged. An illegal book move, or one with ballots, is an error.
func TestReplayBook(t *testing.T) {
	t.Parallel()
	p := mustStart()
	d := voting.FromBook(mustMove("B"))
	record := &voting.Record{
		Version: voting.RecordVersion, Type: "vote", Council: "C", Ply: 1, Own: 1, Side: "black", SFEN: p.SFEN(),
		Rule:        "majority",
		Declaration: "CSARule27", Members: []string{"A", "B"}, Before: []float64{1, 1}, After: []float64{1, 1},
	}
	record.Decided(&d)
	other := voting.DefaultSpec("optimistic")
	for _, rule := range []*voting.Spec{nil, &other} {
		r := voting.Replayer{Rule: rule}
		v, err := r.Next(record)
		testutil.Check(t, err == nil && v.Decision.By == voting.ByBook && v.Decision.Move == mustMove("B") &&
			v.Differs(record) == "",
			"%+v, %v", v, err)
	}
	for _, change := range []func(r *voting.Record){
		func(r *voting.Record) { r.Played = "1a1b" },
		func(r *voting.Record) { r.Ballots = []voting.BallotRecord{{Kind: voting.KindNone}} },
	} {
		bad := *record
		change(&bad)
		testutil.Fails(t, testutil.Err((&voting.Replayer{}).Next(&bad)), "", "%+v was taken", bad)
	}
}
