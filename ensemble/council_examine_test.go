package ensemble_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"gogi/ensemble"
	"gogi/ensemble/voting"
	"gogi/internal/testutil"
	"gogi/shogi"
	"gogi/usi"
)

// examiner votes for a move, and has a reply for the position after each move.
type examiner struct {
	timed
	after map[string]string // info line, "dies", "hangs" or "resigns", by the last move
	limit map[string]usi.Go // the limits of its searches, by the last move
}

func examines(move string, after map[string]string) *examiner {
	return &examiner{timed{scripted: scripted{moves: always(move), score: 10}}, after, map[string]usi.Go{}}
}

func (e *examiner) Think(ctx context.Context, r usi.Request) (usi.Reply, error) {
	if len(r.Position.Moves) == 0 {
		e.limit[""] = r.Go
		return e.scripted.Think(ctx, r)
	}
	last := r.Position.Moves[len(r.Position.Moves)-1].String()
	e.limit[last] = r.Go
	switch text := e.after[last]; text {
	case "dies":
		return usi.Reply{}, &usi.Fault{Kind: usi.FaultCrash, Engine: "m", Doing: "thinking", Searching: true}
	case "hangs":
		return e.timed.Think(ctx, r)
	case "resigns":
		return usi.Reply{Answer: usi.AnswerResign, Nodes: 7}, nil
	default:
		return searched(text), nil
	}
}

// searched returns the reply of a search with these scores, which commas separate, the last one last.
func searched(scores string) usi.Reply {
	reply := usi.Reply{Answer: usi.AnswerMove, Move: mustMove("3c3d"), Nodes: 7}
	for text := range strings.SplitSeq(scores, ", ") {
		info := usi.ParseInfo("info " + text + " pv 3c3d")
		if !info.HasScore {
			continue
		}
		if reply.Lines = []usi.Info{info}; info.Score.Bound == usi.Exact {
			reply.Exact = info
		}
	}
	return reply
}

// scores returns an examiner's replies after 7g7f and 2g2f, from the opponent's view.
func scores(first, second string) map[string]string {
	return map[string]string{"7g7f": first, "2g2f": second}
}

func cp(n int) string { return fmt.Sprintf("score cp %d", n) }

var examining = ensemble.Config{Examine: ensemble.Examine{Share: 1, Moves: 2, Extra: 0.6}}

// withWeights returns the configuration with fixed weights.
func withWeights(config ensemble.Config, weights ...float64) ensemble.Config {
	config.Rule = voting.DefaultSpec(voting.Weighted)
	config.Rule.Weights = weights
	return config
}

// replayed fails the test if a replay of the record decides otherwise.
func replayed(t *testing.T, record *voting.Record) {
	t.Helper()
	var replayer voting.Replayer
	v, err := replayer.Next(record)
	if err != nil || v.Differs(record) != "" {
		t.Errorf("replay: %s (%v)", v.Differs(record), err)
	}
}

// TestExamination requires that the members' searches after the moves decide, for or against the vote. A replay of the
// record repeats every decision.
func TestExamination(t *testing.T) {
	for _, test := range []struct {
		name   string
		first  map[string]string // of the member that votes for 7g7f, which wins the tie by its score
		second map[string]string
		want   string
		values string
	}{
		{"the first move is better", scores(cp(-30), cp(40)), scores(cp(-10), cp(0)), "7g7f", "[0.51 0.49]"},
		{"the second move is better", scores(cp(30), cp(-40)), scores(cp(300), cp(0)), "2g2f", "[0.43 0.51]"},
		{"one member outvalues the other", scores(cp(-30), cp(0)), scores(cp(300), cp(0)), "2g2f", "[0.45 0.50]"},
		{"equal values keep the vote", scores(cp(20), cp(-20)), scores(cp(-20), cp(20)), "7g7f", "[0.50 0.50]"},
		{"the opponent mates", scores("score mate 5", cp(300)), scores(cp(0), cp(0)), "2g2f", "[0.38 0.44]"},
		{"the opponent is mated", scores(cp(-300), "score mate -4"), scores(cp(0), cp(0)), "2g2f", "[0.56 0.62]"},
		{"the opponent resigns", scores(cp(0), "resigns"), scores(cp(0), cp(0)), "2g2f", "[0.50 0.62]"},
		{"a member dies", scores(cp(0), cp(100)), scores(cp(9), "dies"), "7g7f", "[0.50 0.46]"},
		{"it dies at the first move", scores(cp(0), cp(-100)), scores("dies", cp(900)), "2g2f", "[0.50 0.54]"},
		{"a member has no score", scores(cp(0), cp(-100)), scores("", cp(900)), "2g2f", "[0.50 0.54]"},
		{"a bound after a score", scores(cp(-30)+", score cp 900 lowerbound", cp(40)),
			scores(cp(-10), cp(0)+", score cp -900 upperbound"), "7g7f", "[0.51 0.49]"},
		{"a member has only a bound", scores(cp(0), cp(-100)), scores("score cp -900 lowerbound", cp(900)), "2g2f",
			"[0.50 0.54]"},
	} {
		t.Run(test.name, func(t *testing.T) {
			config := examining
			a, b := examines("7g7f", test.first), examines("2g2f", test.second)
			a.score = 20
			for _, e := range []*examiner{a, b} {
				config.Members = append(config.Members, ensemble.Member{
					Voter: voting.Voter{Name: "m", Clamp: 600}, Open: func(context.Context) (ensemble.Player, error) { return e, nil },
				})
			}
			c := council(t, config)
			reply, record := vote(t, c, usi.Request{Position: atStart, Go: usi.Go{Nodes: 100}})
			values := ""
			for _, x := range record.Examined {
				values += fmt.Sprintf(" %.2f", x.Value)
			}
			testutil.Check(t, reply.Text == test.want && record.By == voting.ByExamination && "["+values[1:]+"]" == test.values,
				"%s by %s, values [%s]: %+v", reply.Text, record.By, values, record.Examined)
			if vetoed := record.Vetoed; (vetoed == "7g7f") != (test.want == "2g2f") {
				t.Errorf("the vote's move is %q", vetoed)
			}
			replayed(t, record)
		})
	}
}

// TestExaminationIsRecorded requires that the record has the scores from the council's view, and that all nodes count.
func TestExaminationIsRecorded(t *testing.T) {
	c := council(t, examining, examines("7g7f", scores(cp(-30), cp(40))),
		examines("2g2f", scores(cp(-10), "score mate -4")))
	reply, record := vote(t, c, usi.Request{Position: atStart, Go: usi.Go{Nodes: 100}})
	x := record.Examined
	if len(x) != 2 || len(x[0].By) != 2 || x[0].Move != "7g7f" || *x[0].By[0].CP != 30 || *x[0].By[1].CP != 10 ||
		*x[1].By[0].CP != -40 || x[1].By[1].Mate != "4" {
		t.Fatalf("%s", reply.Detail)
	}
	testutil.Equal(t, reply.Nodes, 200+4*7, "nodes")
	damaged := *record
	damaged.Examined = slices.Clone(x)
	damaged.Examined[0].Value += 1e-15
	var replayer voting.Replayer
	if v, err := replayer.Next(&damaged); err != nil || v.Differs(&damaged) == "" {
		t.Errorf("a changed value is no difference (%v)", err)
	}
	for name, change := range map[string]func(*voting.Judgement){
		"another member": func(j *voting.Judgement) { j.Member = 2 }, "no score": func(j *voting.Judgement) { j.CP = nil },
	} {
		damaged.Examined = []voting.Examination{{Move: "7g7f", By: slices.Clone(x[0].By)}}
		change(&damaged.Examined[0].By[0])
		testutil.Fails(t, testutil.Err(new(voting.Replayer).Next(&damaged)), "wrong member or no score", name)
	}
	damaged.Examined = []voting.Examination{{Move: "1g1f"}}
	testutil.Fails(t, testutil.Err(new(voting.Replayer).Next(&damaged)), "no member voted for 1g1f")
}

// TestNoExamination covers agreement, a large enough share, a key that is not set, and members without scores. The vote
// stands. The examination then reports no values.
func TestNoExamination(t *testing.T) {
	better := scores(cp(500), cp(-500))
	for _, test := range []struct {
		name   string
		config ensemble.Config
		votes  string
		after  map[string]string
		nodes  uint64
	}{
		{"agreement", examining, "7g7f 7g7f 7g7f", better, 300},
		{"off", ensemble.Config{}, "7g7f 7g7f 2g2f", better, 300},
		{"share", ensemble.Config{Examine: ensemble.Examine{Share: 0.6, Moves: 2, Extra: 1}}, "7g7f 7g7f 2g2f", better, 300},
		{"nobody judges", examining, "7g7f 7g7f 2g2f", scores(cp(0), ""), 300 + 6*7},
	} {
		t.Run(test.name, func(t *testing.T) {
			var list []ensemble.Player
			for i := range 3 {
				list = append(list, examines(test.votes[5*i:5*i+4], test.after))
			}
			reply, record := vote(t, council(t, test.config, list...), usi.Request{Position: atStart, Go: usi.Go{Nodes: 100}})
			testutil.Check(t, reply.Text == "7g7f" && record.By == voting.ByRule && record.Examined == nil &&
				reply.Nodes == test.nodes,
				"%s by %s with %d nodes", reply.Text, record.By, reply.Nodes)
			replayed(t, record)
		})
	}
}

// TestExaminationByWeights requires that the mean of the scores uses the weights of the rule.
func TestExaminationByWeights(t *testing.T) {
	for _, test := range []struct {
		weights       []float64
		first, second int // the centipawns that each member loses by the other's move
		want          string
	}{{[]float64{3, 2}, 100, 120, "7g7f"}, {[]float64{2, 3}, 120, 100, "2g2f"}} {
		c := council(t, withWeights(examining, test.weights...),
			examines("7g7f", scores(cp(0), cp(test.first))), examines("2g2f", scores(cp(test.second), cp(0))))
		reply, record := vote(t, c, usi.Request{Position: atStart, Go: usi.Go{Nodes: 100}})
		testutil.Equal(t, reply.Text, test.want, "by %s", record.By)
		replayed(t, record)
	}
}

// TestExaminationLimits requires that each search gets its part of the member's own limit.
func TestExaminationLimits(t *testing.T) {
	for _, test := range []struct {
		name        string
		limits      usi.Go
		first, each string
	}{
		{"nodes", usi.Go{Nodes: 1000}, "go nodes 1000", "go nodes 300"},
		{"time", usi.Go{MoveTime: 1600 * time.Millisecond}, "go movetime 1000", "go movetime 300"},
		{"byoyomi", usi.Go{Clock: true, UseByoyomi: true, Byoyomi: 1600 * time.Millisecond},
			"go btime 0 wtime 0 byoyomi 1000", "go btime 0 wtime 0 byoyomi 1"},
		{"depth", usi.Go{Depth: 3}, "go depth 3", "go depth 3"},
		{"self", usi.Go{Infinite: true}, "go infinite", "go infinite"},
	} {
		a := examines("7g7f", scores(cp(0), cp(0)))
		c := council(t, examining, a, examines("2g2f", scores(cp(0), cp(0))))
		vote(t, c, usi.Request{Position: atStart, Go: test.limits, Deadline: time.Hour})
		for move, want := range map[string]string{"": test.first, "7g7f": test.each, "2g2f": test.each} {
			testutil.Equal(t, a.limit[move].String(), want, "%s after %q", test.name, move)
		}
	}
}

// TestExaminationEnds requires that a late member does not judge and does not pass the deadline. Without enough time
// before the deadline there is no examination.
func TestExaminationEnds(t *testing.T) {
	for _, test := range []struct {
		name     string
		limits   usi.Go
		deadline time.Duration
		by       voting.By
		most     time.Duration
	}{
		{"time", usi.Go{MoveTime: 160 * time.Millisecond}, time.Minute, voting.ByExamination, 361 * time.Millisecond},
		{"nodes", usi.Go{Nodes: 100}, time.Second, voting.ByExamination, time.Second},
		{"no time", usi.Go{MoveTime: time.Second}, 300 * time.Millisecond, voting.ByRule, time.Millisecond},
	} {
		inBubble(t, test.name, func(t *testing.T) {
			late := examines("2g2f", scores(cp(900), "hangs"))
			late.delay, late.deaf = time.Hour, true
			c := council(t, examining, examines("7g7f", scores(cp(0), cp(-5))), late)
			reply, record := vote(t, c, usi.Request{Position: atStart, Go: test.limits, Deadline: test.deadline})
			testutil.Check(t, record.By == test.by && reply.Elapsed <= test.most &&
				(len(record.Events) > 0) == (test.by == voting.ByExamination),
				"%s by %s after %v: %q", reply.Text, record.By, reply.Elapsed, record.Events)
			if test.by == voting.ByExamination &&
				(reply.Text != "2g2f" || len(record.Examined[0].By) != 1 || record.Examined[0].By[0].Member != 0) {
				t.Errorf("%s: %+v", reply.Text, record.Examined)
			}
		})
	}
}

// TestStopEndsExamination requires that the vote stands after a stop.
func TestStopEndsExamination(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		slow := examines("2g2f", scores("hangs", "hangs"))
		slow.delay = time.Hour
		c := council(t, examining, examines("7g7f", scores(cp(900), cp(-900))), slow)
		time.AfterFunc(time.Second, cancel)
		reply, err := c.Think(ctx, usi.Request{Position: atStart, Go: usi.Go{Nodes: 100}})
		testutil.Check(t, err == nil && reply.Text == "7g7f" && reply.Stopped && reply.Elapsed == time.Second,
			"%s after %v (%v)", reply.Text, reply.Elapsed, err)
	})
}

// TestMovesThatEndTheGame requires that a move that leaves the opponent no legal move wins without a search. The
// council never examines a proven mate.
func TestMovesThatEndTheGame(t *testing.T) {
	mate := usi.Position{Start: "sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 1"}
	other := examines("5i5h", nil)
	other.score = 20
	c := council(t, examining, other, examines("G*5b", nil))
	reply, record := vote(t, c, usi.Request{Position: mate, Go: usi.Go{Nodes: 100}})
	testutil.Check(t, reply.Text == "G*5b" && record.By == voting.ByExamination && reply.Nodes == 200 &&
		record.Examined[0].Value == 1,
		"%s by %s: %+v", reply.Text, record.By, record.Examined)
	replayed(t, record)
	c = council(t, examining, other, &mating{})
	if reply, record = vote(t, c, usi.Request{Position: mate}); reply.Text != "G*5b" || record.By != voting.ByMate ||
		record.Examined != nil {
		t.Errorf("%s by %s", reply.Text, record.By)
	}
}

// mating reports a mate in one.
type mating struct{ scripted }

func (m *mating) Think(context.Context, usi.Request) (usi.Reply, error) {
	line := usi.Info{MultiPV: 1, HasScore: true, Score: usi.Score{Mate: 1, Value: 1}, PV: []shogi.Move{mustMove("G*5b")}}
	return usi.Reply{Answer: usi.AnswerMove, Move: line.PV[0], Lines: []usi.Info{line}, Exact: line}, nil
}

// TestOverruledVotesTeachNothing requires that a rule learns from an examined vote if its move is played. It does not
// learn if the examination replaces the move.
func TestOverruledVotesTeachNothing(t *testing.T) {
	for move, want := range map[string]string{"7g7f": "[2 2 1]", "2g2f": "[1 1 1]"} {
		config := examining
		config.Rule = voting.DefaultSpec(voting.Adoption)
		after := scores(cp(-100), cp(100))
		if move == "2g2f" {
			after = scores(cp(100), cp(-100))
		}
		c := council(t, config, examines("7g7f", after), examines("7g7f", after), examines("2g2f", after))
		reply, record := vote(t, c, usi.Request{Position: atStart, Go: usi.Go{Nodes: 100}})
		testutil.Check(t, reply.Text == move && fmt.Sprint(record.After) == want, "%s, weights %v, want %s", reply.Text,
			record.After, want)
		replayed(t, record)
	}
}

// TestRecordWithoutExamination requires that the key examine adds no byte to the record of a council without it.
func TestRecordWithoutExamination(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := council(t, ensemble.Config{Veto: ensemble.Veto{Nodes: 5}}, examines("7g7f", scores(cp(0), "")),
			examines("2g2f", scores(cp(-8), "")))
		reply, _ := vote(t, c, usi.Request{Position: atStart, Go: usi.Go{Nodes: 100}})
		testutil.Equal(t, string(reply.Detail), plainRecord, "the record")
	})
}

// plainRecord is the record of TestRecordWithoutExamination, written by a gogi without the key examine.
const plainRecord = `{"v":2,"type":"vote","council":"C","ply":1,"own":1,"side":"black",` +
	`"sfen":"lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1","rule":"majority","seed":"7",` +
	`"stop":"all","ties":["score","member"],"declaration":"NoEnteringKing","resign_quorum":0.5,"members":["m1",` +
	`"m2"],"played":"7g7f","by":"rule","tie":"member","split":"1:1","counts":{"7g7f":1,"2g2f":1},"wsum":{"7g7f":1,` +
	`"2g2f":1},"top_tie":true,"differs_from_plurality":false,"veto":[{"m":1,"cp":8,"n":7,"objects":false}],` +
	`"w_before":[1,1],"w_after":[1,1],"leader":0,"early":false,"ballots":[{"m":0,"name":"m1","kind":"move",` +
	`"mv":"7g7f","cp":10,"d":5,"n":100,"ms":0.001,"arr":0,"src":"bestmove","pv":"7g7f"},{"m":1,"name":"m2",` +
	`"kind":"move","mv":"2g2f","cp":10,"d":5,"n":100,"ms":0.001,"arr":0,"src":"bestmove","pv":"2g2f"}],"nodes":207,` +
	`"wall_ms":0,"alive":2}`
