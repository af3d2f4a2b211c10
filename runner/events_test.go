package runner_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/runner"
	"gogi/shogi"
	"gogi/usi"
)

// heard plays a plan and returns its events. If cut is not 0, it cancels the run after that time.
func heard(t *testing.T, plan *match.Plan, cut time.Duration, open func(name string) *fake) []match.Event {
	t.Helper()
	var all []match.Event
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		if cut > 0 {
			time.AfterFunc(cut, cancel)
		}
		events := runner.NewEvents(plan.Run, true)
		done := make(chan struct{})
		go func() {
			defer close(done)
			for ev := range events.Stream() {
				all = append(all, ev)
			}
		}()
		err := runner.Run(ctx, runner.Config{
			Plan: plan, Source: runner.NewPlanSource(plan, func(int) bool { return false }), Events: events,
			Sink: &memorySink{pairs: map[int]match.PairResult{}},
			Open: func(_ context.Context, p match.Player, _ []int) (runner.Player, error) { return open(p.Name), nil },
		})
		if err != nil && cut == 0 {
			t.Logf("the run ended: %v", err)
		}
		events.Close()
		<-done
	})
	return all
}

func ofType(all []match.Event, want match.EventType) []match.Event {
	return slices.DeleteFunc(slices.Clone(all), func(e match.Event) bool { return e.Type != want })
}

// TestEventsDrawTheBoard: the game event has the start position and the opening moves. Each move event has the position
// after its move, as package shogi calculates it.
func TestEventsDrawTheBoard(t *testing.T) {
	const start = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1"
	plan := testPlan(1, 1, match.Limits{Clock: match.TimeControl{Main: time.Minute, Increment: 2 * time.Second},
		Margin: time.Second})
	plan.PVPlies = 20
	plan.Rules.RepetitionPoints = [2]float64{.4, .6} // the fakes play the first legal move until the game is a repetition
	plan.Players[1].Limits = fixedNodes
	opening, _ := shogi.ParseMove("7g7f")
	plan.Openings[0].Moves = []shogi.Move{opening}
	pv := slices.Repeat([]shogi.Move{opening}, 12)
	all := heard(t, plan, 0, func(name string) *fake {
		return &fake{delay: func(int) time.Duration { return time.Second },
			answer: func(_ int, p *shogi.Position) (usi.Reply, error) {
				return usi.Reply{Answer: usi.AnswerMove, Move: p.LegalMoves(nil)[0], Hit: name == "A", Lines: []usi.Info{{PV: pv}}},
					nil
			}}
	})
	games := ofType(all, match.EventGame)
	if len(games) != 2 || games[0].Start != start || games[0].Moves != "7g7f" || games[0].Plies != 1 ||
		games[0].Opening != "1" ||
		!slices.Equal(games[0].Limits, []string{"60+2", "nodes 100"}) || *games[0].Clocks[0] != 62000 ||
		games[0].Clocks[1] != nil ||
		games[1].Clocks[0] != nil || *games[1].Clocks[1] != 62000 {
		t.Fatalf("games %+v", games)
	}
	var board shogi.Position
	moves := 0
	for _, e := range all {
		switch e.Type {
		case match.EventGame:
			board, _ = shogi.ParseSFEN(e.Start)
			board.Apply(opening)
		case match.EventMove:
			moves++
			mine := (board.Side() == shogi.Black) == (*e.Leg == 0) // A is to move
			m := testutil.Must(shogi.ParseMove(e.Move))(t)
			board.Apply(m)
			testutil.Require(t, e.Position == board.SFEN(), "ply %d: position %s, want %s", e.Ply, e.Position, board.SFEN())
			testutil.Require(t, len(strings.Fields(e.PV)) == match.ShownPV && e.Hit == mine && (e.ClockMS != nil) == mine,
				"ply %d: pv %q, hit %v, clock %v", e.Ply, e.PV, e.Hit, e.ClockMS)
		case match.EventEnd:
			if e.Position != board.SFEN() || e.Points == nil || *e.Points != plan.Rules.RepetitionPoints ||
				e.Termination != "repetition" {
				t.Errorf("end %+v", e)
			}
			if e.Sides[0].Player != e.Black || e.Sides[0].Moves+e.Sides[1].Moves != e.Plies-1 ||
				e.Sides[1].TimeMS != 1000*float64(e.Sides[1].Moves) {
				t.Errorf("sides %+v of %d plies", *e.Sides, e.Plies)
			}
		}
	}
	ends := ofType(all, match.EventEnd)
	testutil.Check(t, len(ends) == 2 && moves == ends[0].Plies+ends[1].Plies-2, "%d moves, %d ends", moves, len(ends))
}

// failingStarts opens players. Player A fails to begin its first n games.
func failingStarts(n int) func(name string) *fake {
	return func(name string) *fake {
		f := &fake{}
		if name == "A" {
			f.newGame = func() error {
				if n--; n >= 0 {
					return errors.New("no")
				}
				return nil
			}
		}
		return f
	}
}

// TestEveryGameHasOneEnd: each seat event has exactly one end or cut event of the same game. This holds for a cancelled
// run and for a run with failing starts.
func TestEveryGameHasOneEnd(t *testing.T) {
	for name, test := range map[string]struct {
		after time.Duration
		open  func(string) *fake
		cuts  int
	}{
		"whole": {0, func(string) *fake { return &fake{} }, 0},
		"cut": {90 * time.Second, func(string) *fake {
			return &fake{delay: func(int) time.Duration { return time.Second }}
		}, 2},
		"starts that fail twice": {0, failingStarts(2), 2},
	} {
		t.Run(name, func(t *testing.T) {
			concurrency := 1
			if name == "cut" {
				concurrency = 2
			}
			plan := testPlan(4, concurrency, fixedNodes)
			open, cuts := map[[3]int]bool{}, 0
			for _, e := range heard(t, plan, test.after, test.open) {
				if e.Leg == nil {
					continue
				}
				game := [3]int{*e.Slot, *e.Pair, *e.Leg}
				switch e.Type {
				case match.EventSeat:
					testutil.Check(t, !open[game], "%v is seated again before its end", game)
					open[game] = true
				case match.EventEnd, match.EventCut:
					testutil.Check(t, open[game], "%s of %v, which is not open", e.Type, game)
					delete(open, game)
					if e.Type == match.EventCut {
						cuts++
					}
				default:
				}
			}
			testutil.Check(t, len(open) == 0 && cuts == test.cuts, "%d cuts, want %d; without an end: %v", cuts, test.cuts, open)
		})
	}
}

// TestFaultsSayWhetherTheyForfeit: a fault event has Forfeit set after a crash in a game, and not set after a failed
// start.
func TestFaultsSayWhetherTheyForfeit(t *testing.T) {
	plan := testPlan(1, 1, fixedNodes)
	plan.Design.Swap = false
	faults := ofType(heard(t, plan, 0, func(name string) *fake {
		f := &fake{}
		if name == "A" {
			f.answer = func(int, *shogi.Position) (usi.Reply, error) {
				return usi.Reply{}, &usi.Fault{Kind: usi.FaultCrash, Engine: "A", Doing: "thinking", Searching: true}
			}
		}
		return f
	}), match.EventFault)
	testutil.Check(t, len(faults) == 1 && faults[0].Forfeit && faults[0].Engine == "A" && faults[0].Kind == "crash",
		"faults %+v", faults)
	// An illegal move also gives exactly one fault event.
	faults = ofType(heard(t, plan, 0, func(name string) *fake {
		f := &fake{}
		if name == "A" {
			f.answer = func(int, *shogi.Position) (usi.Reply, error) {
				return usi.Reply{Answer: usi.AnswerInvalid, Text: "7g"}, nil
			}
		}
		return f
	}), match.EventFault)
	testutil.Check(t, len(faults) == 1 && faults[0].Forfeit && faults[0].Engine == "A" &&
		faults[0].Kind == "illegal_move" && *faults[0].Leg == 0,
		"faults %+v", faults)
	faults = ofType(heard(t, plan, 0, failingStarts(1)), match.EventFault)
	testutil.Check(t, len(faults) == 1 && !faults[0].Forfeit && faults[0].Kind == match.KindUnplayed, "faults %+v", faults)
}
