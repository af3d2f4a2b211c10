package series

import (
	"context"
	"errors"
	"io"
	"sync"

	"gogi/match"
	"gogi/runner"
)

// valve is a source that a user can pause and close.
type valve struct {
	source runner.Source

	mu     sync.Mutex
	phase  match.RunPhase
	turned chan struct{} // closed and replaced when the phase changes
}

func newValve(source runner.Source) *valve {
	return &valve{source: source, phase: match.RunPlaying, turned: make(chan struct{})}
}

// turn sets the phase. After RunDraining only RunStopping may follow, and after RunStopping nothing.
func (v *valve) turn(to match.RunPhase) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.phase == match.RunStopping || v.phase == match.RunDraining && to != match.RunStopping {
		return
	}
	v.phase = to
	close(v.turned)
	v.turned = make(chan struct{})
}

func (v *valve) state() (match.RunPhase, <-chan struct{}) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.phase, v.turned
}

// errTurned ends a wait for a pair when the phase changes.
var errTurned = errors.New("series: the phase of the session has changed")

// Next returns a lease from the source. It waits while the session is paused, and returns io.EOF when the
// session drains (starts no new pairs). If a pair arrives during a pause, Next keeps it until the session
// resumes. If the session ends instead, Next returns the pair to the source.
func (v *valve) Next(ctx context.Context) (runner.Lease, error) {
	for {
		turned, err := v.whilePlaying(ctx)
		if err != nil {
			return runner.Lease{}, err
		}
		l, err := v.ask(ctx, turned)
		if errors.Is(err, errTurned) {
			continue
		}
		if err != nil {
			return l, err
		}
		if _, err := v.whilePlaying(ctx); err != nil {
			l.Return(err)
			return runner.Lease{}, err
		}
		return l, nil
	}
}

// whilePlaying waits until the session is not paused. It returns the channel that is closed at the next change of
// phase. It returns io.EOF if the session drains, and the cause if ctx ends.
func (v *valve) whilePlaying(ctx context.Context) (turned <-chan struct{}, err error) {
	for {
		phase, turned := v.state()
		switch phase {
		case match.RunPlaying:
			return turned, nil
		case match.RunDraining, match.RunStopping:
			return nil, io.EOF
		case match.RunPaused:
		}
		select {
		case <-turned:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// ask waits until a pair arrives or the phase changes. turned is closed when the phase changes.
func (v *valve) ask(ctx context.Context, turned <-chan struct{}) (runner.Lease, error) {
	waiting, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stop := make(chan struct{}) // closed when the wait is over
	defer close(stop)
	go func() {
		select {
		case <-turned:
			cancel(errTurned)
		case <-stop:
		}
	}()
	l, err := v.source.Next(waiting)
	if err != nil && ctx.Err() == nil && errors.Is(context.Cause(waiting), errTurned) {
		return l, errTurned
	}
	return l, err
}
