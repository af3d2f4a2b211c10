package runner_test

import (
	"context"
	"testing"
	"testing/synctest"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/runner"
	"gogi/shogi"
	"gogi/usi"
)

// blamed is a player that makes one illegal move after the other, and keeps a record.
type blamed struct {
	fake
	kind, note string
}

func (*blamed) Think(context.Context, usi.Request) (usi.Reply, error) {
	return usi.Reply{Answer: usi.AnswerMove, Move: shogi.NewMove(shogi.NewSquare(5, 1), shogi.NewSquare(5, 2)), Text: "5a5b"}, nil
}

func (b *blamed) Blame(kind, note string) string {
	b.kind, b.note = kind, note
	return "the record"
}

// TestBlame: only the player that failed is asked for its crash record. The event of the game's end has the
// name of the record.
func TestBlame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := &blamed{}, &blamed{}
		events := runner.NewEvents("run", false)
		plan := testPlan(1, 1, fixedNodes)
		plan.Design.Swap = false
		testutil.OK(t, runner.Run(t.Context(), runner.Config{
			Plan: plan, Source: &queue{leases: []runner.Lease{lease(plan, 0, &journal{})}}, Sink: &hookSink{}, Events: events,
			Open: openAll(func(_ context.Context, name string) (runner.Player, error) {
				if name == plan.Players[0].Name {
					return a, nil
				}
				return b, nil
			}),
		}))
		events.Close()
		ends := 0
		for ev := range events.Stream() {
			if ev.Type != match.EventEnd {
				continue
			}
			if ends++; ev.Bundle != "the record" {
				t.Errorf("%+v", ev)
			}
		}
		loser, other := a, b
		if a.kind == "" {
			loser, other = b, a
		}
		testutil.Check(t, ends == 1 && loser.kind == "illegal_move" && loser.note != "" && other.kind == "",
			"%d ends; %+v and %+v", ends, loser, other)
	})
}
