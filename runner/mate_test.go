package runner_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/match/arbiter"
	"gogi/runner"
	"gogi/shogi"
	"gogi/usi"
)

// solving is a mate solver that returns a given answer and counts its calls.
type solving struct {
	fake
	line  string
	err   error
	asked *int
}

func (s *solving) Mate(context.Context, usi.Request) (usi.Checkmate, error) {
	*s.asked++
	if s.err != nil {
		return usi.Checkmate{}, s.err
	}
	return usi.ParseCheckmate("checkmate " + s.line), nil
}

// TestMatesAreProven: a mate ends a game only if the rules prove it. If a solver fails, no player loses, and the runner
// does not ask the solver again in this game.
func TestMatesAreProven(t *testing.T) {
	for name, test := range map[string]struct {
		line  string
		err   error
		claim bool
		every int
		want  match.Questions
		end   match.Termination
		asked int // in each of the two games
	}{
		"proven": {"G*5b", nil, false, 1, match.Questions{Asked: 1, Claimed: 1, Proven: 1}, match.MateAdjudication,
			1},
		"nobody claims":  {"G*5b", nil, false, 0, match.Questions{}, match.MaxPlies, 0},
		"claimed":        {"G*5b", nil, true, 0, match.Questions{Asked: 38, Claimed: 38, Refuted: 38}, match.MaxPlies, 38},
		"refuted":        {"G*4b", nil, false, 1, match.Questions{Asked: 40, Claimed: 40, Refuted: 40}, match.MaxPlies, 40},
		"no mate":        {"nomate", nil, false, 1, match.Questions{Asked: 40}, match.MaxPlies, 40},
		"no mate search": {"notimplemented", nil, false, 1, match.Questions{Asked: 1, Failed: 1}, match.MaxPlies, 1},
		"cannot be read": {"what", nil, false, 1, match.Questions{Asked: 1, Failed: 1}, match.MaxPlies, 1},
		"it crashes": {"", &usi.Fault{Kind: usi.FaultCrash}, false, 1, match.Questions{Asked: 1, Failed: 1},
			match.MaxPlies, 1},
		"something fails": {"", errors.New("no way"), false, 1, match.Questions{Asked: 1, Failed: 1}, match.MaxPlies, 1},
	} {
		plan := testPlan(1, 1, fixedNodes)
		plan.Openings = []match.Opening{{ID: "1", Start: "4k4/9/4P4/9/9/9/9/9/4K4 b G 1"}}
		plan.Mate = match.Mate{Solver: &match.Player{Name: "S"}, Every: test.every, Time: time.Second, Nodes: 100}
		asked, failures := 0, 0
		sums := match.Questions{}
		sink := &memorySink{pairs: map[int]match.PairResult{}}
		events := runner.NewEvents("test", false)
		read := make(chan struct{}) // closed when the stream has ended
		go func() {
			defer close(read)
			for e := range events.Stream() {
				if e.Mate != nil {
					sums.Add(*e.Mate)
				}
				if e.Kind == match.KindSolver {
					failures++
				}
			}
		}()
		err := runner.Run(t.Context(), runner.Config{
			Plan: plan, Source: runner.NewPlanSource(plan, func(int) bool { return false }), Sink: sink, Events: events,
			Open: func(_ context.Context, p match.Player, _ []int) (runner.Player, error) {
				if p.Name == "S" {
					return &solving{line: test.line, err: test.err, asked: &asked}, nil
				}
				return &fake{name: p.Name, answer: func(_ int, p *shogi.Position) (usi.Reply, error) {
					return quiet(p, test.claim), nil
				}}, nil
			},
		})
		events.Close()
		<-read
		testutil.Require(t, err == nil && len(sink.pairs[0].Games) == 2, "%s: %v", name, err)
		want := match.Questions{}
		want.Add(test.want)
		want.Add(test.want)
		testutil.Check(t, sums == want && asked == 2*test.asked && failures == want.Failed,
			"%s: %+v, want %+v; asked %d times, %d failures", name, sums, want, asked, failures)
		for _, g := range sink.pairs[0].Games {
			testutil.Check(t, g.Termination == test.end &&
				(g.Termination != match.MateAdjudication || g.Outcome == match.BlackWins),
				"%s: %s, %s (%s)", name, g.Termination, g.Outcome, g.Note)
		}
		r := sink.pairs[0]
		testutil.OK(t, arbiter.Verify(plan, &r), "%s", name)
	}
}

// quiet returns a move of the king to an empty square, so that positions do not repeat soon. With claim it also claims
// a mate.
func quiet(p *shogi.Position, claim bool) usi.Reply {
	r := usi.Reply{Answer: usi.AnswerMove}
	if claim {
		r.Lines = []usi.Info{{MultiPV: 1, HasScore: true, Score: usi.Score{Mate: 1, Value: 1}}}
	}
	list := p.LegalMoves(nil)
	var walks []shogi.Move
	for _, m := range list {
		if !m.IsDrop() && p.PieceAt(m.From()).Type() == shogi.King && p.PieceAt(m.To()) == shogi.NoPiece {
			walks = append(walks, m)
		}
	}
	r.Move = walks[(p.Ply()*7+p.Ply()/3)%len(walks)]
	r.Text = r.Move.String()
	return r
}
