package runner_test

import (
	"context"
	"io"
	"runtime"
	"sync"
	"testing"
	"time"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/runner"
	"gogi/usi"
	"gogi/usi/process"
	"gogi/usi/usitest"
)

func TestMain(m *testing.M) { usitest.RunTests(m) }

// TestNoForfeitIsUnexplainedUnderLoad: on a machine with two busy processes for each CPU, engines answer 20 ms before
// their limit. If an engine loses on time, the game must be marked as slowed by the machine. Many games are lost with a
// margin of 10 ms, few with the default margin.
func TestNoForfeitIsUnexplainedUnderLoad(t *testing.T) {
	testutil.OnlyLong(t, "it takes all CPUs from the tests beside it")
	for name, test := range map[string]struct {
		busy   bool
		margin time.Duration
		atOnce int
		games  int
		many   int // games of the figures in docs/faults.md
	}{
		"asleep":              {false, match.DefaultMargin, 16, 48, 10_000},
		"asleep, margin 10ms": {false, 10 * time.Millisecond, 16, 16, 2000},
		"busy":                {true, match.DefaultMargin, 2, 4, 2000},
		"busy, margin 10ms":   {true, 10 * time.Millisecond, 2, 4, 1000},
	} {
		t.Run(name, func(t *testing.T) {
			if testutil.Figures() {
				test.games = test.many
			}
			load(t, 2*runtime.NumCPU())
			var tally loadTally
			playUnderLoad(t, test.games, test.atOnce, test.margin, test.busy, &tally)
			testutil.Equal(t, tally.games, test.games, "games")
			t.Logf("%d games, %d moves, %d attempts more: %d lost on time, %d of them marked; %d marked in all; worst overrun %v; %v a move",
				tally.games, tally.moves, tally.attempts, tally.lost, tally.lost-len(tally.unexplained), tally.marked, tally.worst,
				tally.time/time.Duration(max(1, tally.moves)))
			for _, note := range tally.unexplained {
				t.Errorf("not explained: %s", note)
			}
		})
	}
}

// load starts processes that each use a whole CPU until the test ends.
func load(t testing.TB, burners int) {
	t.Helper()
	for range burners {
		p, err := process.Start(process.Spec{Command: usitest.Command("-script", "spin@usi"), Grace: time.Nanosecond,
			TermGrace: time.Nanosecond}, nil)
		testutil.OK(t, err)
		t.Cleanup(func() {
			if err := p.Close(); err != nil {
				t.Error(err)
			}
		})
		testutil.Must(io.WriteString(p, "usi\n"))(t)
	}
}

// loadTally is a sink that counts games by their result.
type loadTally struct {
	mu                                   sync.Mutex
	games, moves, attempts, lost, marked int
	worst, time                          time.Duration
	unexplained                          []string
}

func (l *loadTally) Put(_ context.Context, _ runner.Lease, r match.PairResult) (bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.attempts += len(r.Attempts)
	for _, g := range r.Games {
		l.games++
		for _, s := range g.Sides {
			l.moves += s.Plies
			l.time += s.Time
			l.worst = max(l.worst, s.WorstOverrun)
		}
		if g.Marked {
			l.marked++
		}
		if g.Termination == match.MaxPlies {
			continue
		}
		l.lost++
		if g.Termination != match.TimeForfeit || !g.Marked {
			l.unexplained = append(l.unexplained, g.Termination.String()+": "+g.Note)
		}
	}
	return true, nil
}

func (*loadTally) PutAttempt(context.Context, runner.Lease, match.Attempt) error { return nil }

// playUnderLoad plays games of six plies. The engines think for 40 ms and have 60 ms.
func playUnderLoad(t *testing.T, games, atOnce int, margin time.Duration, busy bool, to *loadTally) {
	t.Helper()
	command := usitest.Command("-think", "40ms")
	if busy {
		command = append(command, "-busy")
	}
	plan := testPlan(games/2, atOnce,
		match.Limits{Clock: match.TimeControl{Byoyomi: 60 * time.Millisecond}, Margin: margin})
	plan.Rules.MaxPlies, plan.Ponder = 6, match.PonderOff
	testutil.OK(t, runner.Run(t.Context(), runner.Config{
		Plan: plan, Sink: to, Waits: new(process.Self).MaxSchedDelay,
		Source: runner.NewPlanSource(plan, func(int) bool { return false }),
		Open: func(ctx context.Context, p match.Player, _ []int) (runner.Player, error) {
			proc, err := process.Start(process.Spec{Command: command}, nil)
			if err != nil {
				return nil, err
			}
			return usi.Greet(ctx, proc, usi.Config{Name: p.Name})
		},
	}))
}
