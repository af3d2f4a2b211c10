package runner_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/runner"
	"gogi/usi"
)

// usage counts the players that search on each device.
type usage struct {
	mu         sync.Mutex
	now, most  map[string]int
	both       bool // two devices were in use at the same time
	searches   int
	onSearched func(searches int) // may be nil
}

// deviceUser is a player that counts its searches.
type deviceUser struct {
	*fake
	device string
	of     *usage
}

func (u *deviceUser) Think(ctx context.Context, r usi.Request) (usi.Reply, error) {
	u.of.mu.Lock()
	u.of.now[u.device]++
	u.of.most[u.device] = max(u.of.most[u.device], u.of.now[u.device])
	u.of.both = u.of.both || u.of.now["gpu0"] > 0 && u.of.now["gpu1"] > 0
	u.of.searches++
	if u.of.onSearched != nil {
		u.of.onSearched(u.of.searches)
	}
	u.of.mu.Unlock()
	reply, err := u.fake.Think(ctx, r)
	u.of.mu.Lock()
	u.of.now[u.device]--
	u.of.mu.Unlock()
	return reply, err
}

// playOnDevices plays four games at a time on two devices. Each search of A takes most of its time limit.
func playOnDevices(ctx context.Context, u *usage) (map[int]match.PairResult, error) {
	u.now, u.most = map[string]int{}, map[string]int{}
	plan := testPlan(8, 4, match.Limits{Clock: match.TimeControl{Byoyomi: time.Second}, Margin: 100 * time.Millisecond})
	plan.SlotsPerGPU = 2
	plan.Players[0].Device = "gpu{gpu}"
	return playConfig(ctx, runner.Config{
		Plan: plan,
		Open: func(_ context.Context, p match.Player, _ []int) (runner.Player, error) {
			f := &fake{name: p.Name, delay: func(int) time.Duration { return 900 * time.Millisecond }}
			return &deviceUser{f, p.Device, u}, nil
		},
	})
}

// TestSharedDevice: one player at a time searches on a device, and two devices work at the same time. A wait for the
// device is on no clock: with the waits, each of these games would be lost on time.
func TestSharedDevice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		u := &usage{}
		pairs, err := playOnDevices(t.Context(), u)
		testutil.Require(t, err == nil && len(pairs) == 8, "%v, %d pairs", err, len(pairs))
		testutil.Check(t, u.most["gpu0"] == 1 && u.most["gpu1"] == 1 && u.both,
			"at most %v at a time, both devices at once: %v", u.most, u.both)
		testutil.Check(t, u.most[""] > 1, "the players without a device waited, too")
		for id, pair := range pairs {
			for _, g := range pair.Games {
				testutil.Check(t, g.Termination == match.MaxPlies, "pair %d: %s", id, g.Termination)
			}
		}
	})
}

// TestEndWhileWaiting: a run ends even if players wait for a device.
func TestEndWhileWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stop := errors.New("stop")
		ctx, cancel := context.WithCancelCause(t.Context())
		u := &usage{onSearched: func(searches int) {
			if searches == 9 {
				cancel(stop)
			}
		}}
		_, err := playOnDevices(ctx, u)
		testutil.Check(t, errors.Is(err, stop), "%v", err)
		testutil.Check(t, u.searches < 30, "%d searches", u.searches)
	})
}
