package web

import (
	"context"
	"fmt"
	"hash/fnv"
	"io"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/runner"
	"gogi/runner/events"
	"gogi/runner/series"
	"gogi/shogi"
	"gogi/usi"
)

// fixed is a player that takes a tenth of a second per move. Its move depends only on its name and the ply. It resigns
// at ply 30.
type fixed struct{ name string }

func (fixed) NewGame(context.Context, usi.Game) error     { return nil }
func (fixed) GameOver(context.Context, usi.Outcome) error { return nil }
func (fixed) Close() error                                { return nil }

func (p fixed) Think(_ context.Context, r usi.Request) (usi.Reply, error) {
	const thought = 100 * time.Millisecond
	time.Sleep(thought) // in the bubble's time
	h, err := r.Position.History()
	if err != nil {
		return usi.Reply{}, err
	}
	position := h.Position()
	moves, ply := position.LegalMoves(nil), len(r.Position.Moves)
	if len(moves) == 0 || ply >= 30 {
		return usi.Reply{Answer: usi.AnswerResign, Elapsed: thought}, nil
	}
	sum := fnv.New32()
	fmt.Fprint(sum, p.name, ply)
	return usi.Reply{Answer: usi.AnswerMove, Move: moves[int(sum.Sum32()%1000)%len(moves)], Elapsed: thought}, nil
}

// shelf is a store in memory that records only the moves of the games.
type shelf struct {
	plan *match.Plan

	mu    sync.Mutex
	games map[string]string
	pairs map[int]bool
}

func (s *shelf) Add(_ context.Context, r match.PairResult) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, g := range r.Games {
		s.games[gameName(g.Pair, g.Leg)] = fmt.Sprint(g.Record.USI(), g.Outcome, g.Termination)
	}
	s.pairs[r.Pair.ID] = true
	return true, nil
}

func (s *shelf) PutAttempt(context.Context, match.Attempt) error        { return nil }
func (s *shelf) Change(context.Context, int, int, match.RunPhase) error { return nil }
func (s *shelf) stored(context.Context, func([]match.Row) error) error  { return nil }
func (s *shelf) Finished(context.Context) (map[int]bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	finished := map[int]bool{}
	for id := range s.pairs {
		finished[id] = true
	}
	return finished, nil
}

// outing is the result of a match.
type outing struct {
	Games   map[string]string
	Took    time.Duration
	Dropped uint64 // moves that the run dropped because a buffer was full
	Lost    uint64
}

// playSeries plays one fixed match in front of clients. Every other client never reads.
func playSeries(t *testing.T, clients int) (o outing) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		plan := &match.Plan{
			Run: "run", Pairs: 8, Concurrency: 5, Design: match.Design{Kind: match.DesignMatch, Swap: true},
			Rules:   match.RulesProfiles()[match.DefaultRules],
			Players: []match.Player{{Name: "A", Limits: match.Limits{Nodes: 1}}, {Name: "B", Limits: match.Limits{Nodes: 1}}},
		}
		start := shogi.StartPos()
		for i, m := range start.LegalMoves(nil) {
			plan.Openings = append(plan.Openings,
				match.Opening{ID: strconv.Itoa(i + 1), Start: "startpos", Moves: []shogi.Move{m}})
		}
		store := &shelf{plan: plan, games: map[string]string{}, pairs: map[int]bool{}}
		s := testutil.Must(series.New(t.Context(), plan, store, store.stored))(t)
		h := opened(t, &played{hubs: map[string]*events.Hub{"run": s.Hub()}})
		for i := range clients {
			if i%2 == 1 {
				h.call("run=run")
				continue
			}
			r, _ := h.listen("run=run", 200)
			go func() { _, _ = io.Copy(io.Discard, r) }()
		}
		synctest.Wait()
		testutil.Equal(t, h.Watching(), clients, "listen")
		before := time.Now()
		ending, err := s.Play(t.Context(),
			series.Config{Open: func(_ context.Context, p match.Player, _ []int) (runner.Player, error) {
				return fixed{p.Name}, nil
			}, Moves: true})
		testutil.Check(t, err == nil && ending.Why == nil && ending.Left <= 0, "%+v, %v", ending, err)
		state := s.Hub().State().State
		o = outing{Games: store.games, Took: time.Since(before), Dropped: state.Dropped, Lost: state.Lost}
		h.close()
	})
	return o
}

// TestSeriesBeforeClients requires that a match is the same with any number of clients. It has the same games in the
// same time, to the nanosecond, and drops no move.
func TestSeriesBeforeClients(t *testing.T) {
	alone := playSeries(t, 0)
	testutil.Require(t, len(alone.Games) == 16 && alone.Dropped <= 0 && alone.Lost <= 0 && alone.Took >= time.Second,
		"%+v", alone)
	for _, clients := range []int{1, maxStreams} {
		testutil.Diff(t, alone, playSeries(t, clients), "before %d clients", clients)
	}
}
