package series_test

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/match/control"
	"gogi/runner"
	"gogi/runner/series"
	"gogi/usi"
)

// fated is a player that resigns or moves depending on its name and the game's seed. Its thinking time is independent
// of the winner, so that slots end in any order.
type fated struct {
	player
	name string
	slot *atomic.Uint64 // counts opened players and moves
	fate uint64
}

func (p *fated) NewGame(_ context.Context, g usi.Game) error {
	h := fnv.New64a()
	fmt.Fprint(h, p.name, g.Seed)
	p.fate = h.Sum64() >> 7
	return nil
}

func (p *fated) Think(ctx context.Context, r usi.Request) (usi.Reply, error) {
	select {
	case <-time.After(time.Duration(p.slot.Add(1)*p.fate%97) * time.Millisecond):
	case <-ctx.Done():
		return usi.Reply{Stopped: true}, nil
	}
	p.resigns = p.fate%3 == 0 || len(r.Position.Moves) > 3
	return p.player.Think(ctx, r)
}

// tournamentOf returns a plan of a tournament of fated players.
func tournamentOf(kind match.DesignKind, players, concurrency int, t match.Tournament, pairs int) *match.Plan {
	p := plan(pairs, concurrency)
	p.Players = nil
	for i := range players {
		p.Players = append(p.Players, match.Player{Name: fmt.Sprintf("p%d", i), Limits: match.Limits{Nodes: 1}})
	}
	p.Design = match.Design{Kind: kind, Swap: true, Tournament: t}
	return p
}

// tournaments returns one tournament of each kind. The last argument of each is its largest number of pairs.
func tournaments(concurrency int) []*match.Plan {
	return []*match.Plan{
		tournamentOf(match.DesignSwiss, 7, concurrency, match.Tournament{MatchPairs: 2, Lot: true}, 5*3*2),
		tournamentOf(match.DesignKnockout, 7, concurrency, match.Tournament{MatchPairs: 2, Tiebreaks: 3, ThirdPlace: true},
			7*5),
		tournamentOf(match.DesignAdaptive, 6, concurrency, match.Tournament{Block: 7}, 40),
	}
}

// session plays until the end, or until kill pairs are stored if kill is not 0. It then loses the pairs in play.
func session(t *testing.T, m *memory, kill int) series.Ending {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	stored := 0
	m.put = func(int) {
		if stored++; stored == kill {
			cancel()
		}
	}
	var opened atomic.Uint64
	s := testutil.Must(series.New(ctx, m.plan, m, m.stored))(t)
	ending := testutil.Must(s.Play(ctx,
		series.Config{Open: func(_ context.Context, p match.Player, _ []int) (runner.Player, error) {
			opened.Add(1)
			return &fated{name: p.Name, slot: &opened}, nil
		}}))(t)
	return ending
}

// TestTournamentPath: a tournament that is killed repeatedly, on one, three or eight slots, has the same pairs as
// an undisturbed one on one slot.
func TestTournamentPath(t *testing.T) {
	for i, alone := range tournaments(1) {
		t.Run(string(alone.Design.Kind), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				one := newMemory(alone)
				if ending := session(t, one, 0); ending.Left != 0 || ending.Why != nil {
					t.Fatalf("%+v", ending)
				}
				for _, slots := range []int{1, 3, 8} {
					m := newMemory(tournaments(slots)[i])
					kills := 0
					for kill := 1; ; kill = kill%5 + 1 {
						ending := session(t, m, kill)
						if ending.Left == 0 {
							break
						}
						if kills++; ending.Why == nil || kills > 100 {
							t.Fatalf("%+v after %d kills", ending, kills)
						}
					}
					testutil.Check(t, kills >= 5, "%d slots: %d kills show nothing", slots, kills)
					testutil.Same(t, m.pairs, one.pairs, "%d slots: %d pairs, alone %d, and they differ", slots, len(m.pairs),
						len(one.pairs))
				}
				s := begin(t, one)
				testutil.Check(t, s.Over(), "all is stored, and the series is not over")
			})
		})
	}
}

// TestWaitsEnd: slots that wait for a result end if the result cannot come any more. In synctest an endless wait is a
// failure.
func TestWaitsEnd(t *testing.T) {
	refused := errors.New("the disk is full")
	for name, c := range map[string]struct {
		upset func(m *memory, cancel func())
		open  func(p match.Player) error
		want  string
	}{
		"the store fails": {upset: func(m *memory, _ func()) { m.refuse = refused }, want: refused.Error()},
		"a player does not start": {open: func(p match.Player) error { return map[string]error{"p3": refused}[p.Name] },
			want: refused.Error()},
		"the run is cancelled": {upset: func(_ *memory, cancel func()) { cancel() }, want: context.Canceled.Error()},
		"somebody else stores them": {upset: func(m *memory, _ func()) { m.pairs[0], m.pairs[1] = nil, nil },
			want: "by another program"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				// two slots play, six wait
				m := newMemory(tournamentOf(match.DesignSwiss, 4, 8, match.Tournament{MatchPairs: 1}, 6))
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				s := begin(t, m)
				m.put = func(int) {
					if c.upset != nil {
						c.upset(m, cancel)
					}
				}
				var opened atomic.Uint64
				ending, err := s.Play(ctx, series.Config{Open: func(_ context.Context, p match.Player, _ []int) (runner.Player,
					error) {
					opened.Add(1)
					if c.open != nil && c.open(p) != nil {
						return nil, c.open(p)
					}
					return &fated{name: p.Name, slot: &opened}, nil
				}})
				testutil.Check(t, err == nil && ending.Left != 0 && ending.Why != nil &&
					strings.Contains(ending.Why.Error(), c.want),
					"%+v, %v, want %q", ending, err, c.want)
			})
		})
	}
}

// TestControlOfTournaments: a drain also ends the waits for results. A target must be a length that the design allows.
func TestControlOfTournaments(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := tournamentOf(match.DesignSwiss, 4, 8, match.Tournament{MatchPairs: 1}, 2)
		p.Players[0].Name, p.Players[1].Name, p.Players[2].Name, p.Players[3].Name = "strong", "tough", "weak", "frail"
		run := control1(t, p, series.Config{})
		n := run.playing()
		testutil.Require(t, n == 2, "%d slots play", n)
		testutil.Fails(t, run.tell("target 6"), "no whole rounds", "half a round")
		run.must("target 12")
		run.must("drain")
		close(run.moves)
		e := run.end()
		testutil.Check(t, e.Left == 4 && e.Ordered && len(run.memory.pairs) == 2, "%+v, %d pairs", e, len(run.memory.pairs))
		err := run.Control(t.Context(), control.Command{Do: control.Drain})
		testutil.Check(t, errors.Is(err, control.ErrOver), "%v", err)
	})
	synctest.Test(t, func(t *testing.T) {
		p := tournamentOf(match.DesignKnockout, 4, 2, match.Tournament{MatchPairs: 1}, 3)
		run := control1(t, p, series.Config{})
		testutil.Fails(t, run.tell("target 8"), "has up to 3", "a knockout of other length")
		run.must("stop")
		run.end()
	})
}

// TestStoredTournamentIsChecked: a resumed run rejects stored rows that the design cannot have led to.
func TestStoredTournamentIsChecked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory(tournaments(2)[0])
		session(t, m, 0)
		for want, change := range map[string]func(r *match.Row){
			"the results before it lead to": func(r *match.Row) {
				r.PairA, r.PairB, r.Black, r.White = "p0", "p1", "p0", "p1"
				if r.Leg == 1 {
					r.Black, r.White = "p1", "p0"
				}
			},
			"with another opening":         func(r *match.Row) { r.OpeningHash++ },
			"not both players of the plan": func(r *match.Row) { r.PairB = "p9" },
		} {
			forged := newMemory(m.plan)
			for id, rows := range m.pairs {
				forged.pairs[id] = append([]match.Row(nil), rows...)
			}
			last := len(m.pairs) - 1
			for i := range forged.pairs[last] {
				change(&forged.pairs[last][i])
			}
			_, err := series.New(t.Context(), forged.plan, forged, forged.stored)
			testutil.Fails(t, err, want)
		}
	})
}
